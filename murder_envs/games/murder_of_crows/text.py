"""A state in words: its result, its figures, the table as text. Never compiled."""

from __future__ import annotations

import itertools
import textwrap
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import ENDINGS
from murder_envs.games.murder_of_crows.sentences import asked
from murder_envs.games.murder_of_crows.snapshots import FLIP, byte_list, counted, counts_of, dict_of, snapshot
from murder_envs.games.murder_of_crows.story import story
from murder_envs.games.murder_of_crows.words import (
    EFFECTS,
    WILD,
    Play,
    Words,
    act,
    card_in,
    cards_named,
    count_of,
    effect_named,
    stacks_of,
)

WIDTH = 118
DOES = {
    "M": "take one card of another player's Murder, from anywhere in it, into your hand",
    "U": "all others reveal their hands to everybody, and you take one card from one of them",
    "R": "draw one more card; nobody can prevent it",
    "D": "name a letter; every other player who has it discards one card of it, of their own choice, from their Murder",
    "E": "all others discard their hands and draw {redraw} each",
}
"""letter -> its effect, said to whoever plays it."""
DOES_WILD = (
    "goes to any stack, but only onto a showing wild crow while you have one showing. As you choose, it has the effect "
    "of its stack's letter, or removes a stack of anybody's Murder. Only another wild crow prevents either"
)


def info(rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, Any]:
    """At the end, for every seat alike: who won, how it ended, turns, reshuffles, filled stacks, story, who is next."""
    s = state[0]
    ending = ENDINGS[s["ending"]]
    if not ending:
        return {}
    n = int(rules[0]["n_seats"])
    winner, first = int(s["winner"]), int(s["first"])
    return {
        "winner": winner,
        "ended": ending,
        "turns": int(s["turn"]),
        "reshuffles": int(s["reshuffles"]),
        "filled": [int(rules[0]["n_stacks"]) - missing for missing in byte_list(s["missing"], n)],
        "story": story(rules, state, winner) if winner != NO_SEAT else "",
        "next_first_player": (winner + 1) % n if winner != NO_SEAT else first,
    }


def figures(rules: np.ndarray, state: np.ndarray) -> dict[str, float]:
    """Of a finished game: turns, whether the first player (or seat 0) won, how it ended, reshuffles."""
    s = state[0]
    ending = ENDINGS[s["ending"]]
    found = {
        "turns": float(s["turn"]),
        "first_won": float(s["winner"] == s["first"]),
        "seat_0_won": float(s["winner"] == 0),
        "reshuffles": float(s["reshuffles"]),
    }
    return found | {name: float(ending == name) for name in ENDINGS[1:]}


# -- The table as text --------------------------------------------------------------------------------------------


def text(rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """The table, from above or as a seat sees it."""
    words, full = Words(rules, reader), snapshot(rules, state)
    most = int(rules[0]["max_steps"])
    seen_from = "seen from above" if reader is None else f"as {words.names[reader]} sees it"
    sections = [
        [f"Murder of Crows, turn {full['turn'] + 1}, decision {full['steps']} of at most {most}, {seen_from}"],
        [asked(rules, state, reader), *in_play(words, full)],
        murders(words, full),
        hands(words, full),
        piles(words, state, full),
        letters(words),
        ["The latest acts:", *(f"  {sentence}" for sentence in record(words, full) or ["none yet"])],
    ]
    return "\n\n".join("\n".join(wrapped(line) for line in section) for section in sections) + "\n"


def wrapped(line: str) -> str:
    """A line of at most WIDTH characters, or several, the further ones indented."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) if line else ""


def in_play(words: Words, full: dict[str, Any]) -> list[str]:
    """What has been played and is not over yet: by whom, who is spared, who has still to answer."""
    lines = []
    if full["played"]:
        by, stack = full["current"], words.stack(full["played"][:-1])
        card = cards_named([card_in(full["played"])])
        lines.append(words.sentence("{who} [has|have] played {card} to [the|your] {stack}", by, card=card, stack=stack))
    if full["target"] != NO_SEAT:
        lines.append(f"Aimed at: {words.name(full['target'])}.")
    if full["prevented"]:
        lines.append(f"Spared by a discarded card: {words.people(full['prevented'])}.")
    if len(full["pending"]) > 1:
        lines.append(f"Still to answer afterwards: {words.people(full['pending'][1:])}.")
    return lines


def murders(words: Words, full: dict[str, Any]) -> list[str]:
    """The stacks of each seat under the letters of the word."""
    stacks = stacks_of(words.rules)
    rows = [["", *(stack[0] for stack in stacks), "stacks empty"]]
    for seat, murder in enumerate(full["murders"]):
        piled = [stack_text(murder.get(stack, [])) for stack in stacks]
        rows.append([label(words, seat, full), *piled, str(sum(stack not in murder for stack in stacks))])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return [
        "The Murders (* has the turn; in brackets the card that shows, behind it those beneath, from the top down):",
        *lines,
    ]


def label(words: Words, seat: int, full: dict[str, Any]) -> str:
    """A player's name, with a star for the one whose turn it is."""
    you = " (you)" if seat == words.reader else ""
    return f"{'*' if seat == full['current'] and not full['over'] else ' '} {words.names[seat]}{you}"


def stack_text(cards: list[str]) -> str:
    """`[M2] M1 W`, or a dash."""
    return " ".join([f"[{cards[-1]}]", *cards[-2::-1]]) if cards else "-"


def hands(words: Words, full: dict[str, Any]) -> list[str]:
    """The hands: open to their holders and from above, else what all know of them."""
    lines = []
    for seat, (hand, known) in enumerate(zip(full["hands"], full["known"])):
        n = count_of(len(hand), "card")
        if words.sees(seat):
            shown = f"{n}: {hand_text(hand)}" + (f" (all know of {hand_text(known)})" if known else "")
        else:
            shown = n + (f", of which all know {hand_text(known)}" if known else "")
        lines.append(f"  {words.names[seat]}{' (you)' if seat == words.reader else ''}: {shown}")
    return ["The hands:", *lines]


def hand_text(cards: list[str]) -> str:
    """`M1 2xR3 W`, in the order of card ids; a dash for none."""
    return cards_text(dict_of(counts_of(c.CARD_NAMES.index(name) for name in cards)))


def cards_text(counts: dict[str, int]) -> str:
    return " ".join(name if n == 1 else f"{n}x{name}" for name, n in counts.items()) or "-"


def piles(words: Words, state: np.ndarray, full: dict[str, Any]) -> list[str]:
    """The piles, and what the reader can say of the draw pile."""
    deck, discard = full["deck"], full["discard"]
    lines = [f"Draw pile: {count_of(len(deck), 'card')}", f"Discards, {len(discard)}: {hand_text(discard)}"]
    if words.reader is None:
        lines[0] += f", from the top: {' '.join(deck) or '-'}"
        return lines
    unseen = [a - b for a, b in zip(counted(state[0]["hidden"]), counted(state[0]["secret"][words.reader]))]
    lines.append(f"Face down, in the draw pile or in other hands, {sum(unseen)}: {cards_text(dict_of(unseen))}")
    if (most := full["deck_max"][words.reader]) != dict_of(unseen):
        lines.append(f"Of these, no more than so many in the draw pile: {cards_text(most)}")
    return lines


def letters(words: Words) -> list[str]:
    """What the letters in play and the wild crow do, and the Murdered Third."""
    lines = ["What the cards do (M2 is an M with two crows, W a wild crow, which has none):"]
    lines += [
        f"  {letter}  {EFFECTS[letter]}: {DOES[letter].format(redraw=words.redraw)}."
        for letter in dict.fromkeys(words.word)
    ]
    lines.append(f"  {WILD}  Wild crow: {DOES_WILD}.")
    lines.append("A discarded card with as many crows as the one played, or a wild crow, spares its player the effect.")
    if words.rules[0]["murdered_third"]:
        lines.append("After both players' turns the Murdered Third flips a card, and nothing prevents what it does:")
        lines += [f"  {flip}  {words.third(flip)}." for flip in c.FLIPS if flip in words.word or flip == WILD]
    return lines


BEGINNINGS = ("draw", "skip", "play:", FLIP)
"""What begins the name of an act that is clear without those before it."""


def record(words: Words, full: dict[str, Any]) -> list[str]:
    """The open acts that are kept, oldest first, from the first that says which play it belongs to, as sentences.

    The card that completes a word has no effect.
    """
    events: list[list[Any]] = full["events"]
    sentences, play = [], Play()
    for seat, action in itertools.dropwhile(lambda event: not event[1].startswith(BEGINNINGS), events):
        if seat == NO_SEAT:
            play = Play(third=True)
            sentences.append(f"The Murdered Third flips {cards_named([action.removeprefix(FLIP)])}.")
        else:
            sentences.append(act(words, seat, action, play, effect_named(action, play)))
            play = play.then(seat, action, words.n)
    if sentences and full["winner"] != NO_SEAT:
        seat, action = events[-1]
        sentences[-1] = act(words, seat, action, play, " and [completes|complete] the word")
    return sentences
