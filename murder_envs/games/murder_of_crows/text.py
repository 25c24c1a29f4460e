"""A state in words: its result, its story, its figures, the table as text. Never compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import members_of
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import ENDINGS
from murder_envs.games.murder_of_crows.snapshots import FLIP, byte_list, counted, counts_of, dict_of, snapshot, stack_of

WILD_NAME = c.CARD_NAMES[c.WILD]
EFFECT_NAMES = {
    "M": "Misplace", "U": "Uncover", "R": "Reap", "D": "Drain", "E": "Expel", "remove": "removes a stack",
}  # fmt: skip


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


# -- The murder story -----------------------------------------------------------------------------------


def story(rules: np.ndarray, state: np.ndarray, seat: int) -> str:
    """What the top cards of a complete word read."""
    phrases = {c.STACKS[k]: phrase(rules, state, seat, c.STACKS[k]) for k in members_of(rules[0]["stacks"])}
    if "Rb" in phrases and phrases["Rb"] == phrases["Ra"]:
        phrases["Rb"] = f"the twin of {phrases['Ra']}"
    parts = [" ".join(phrases[stack] for stack in part if stack in phrases) for part in c.SENTENCE]
    return ", ".join(part for part in parts if part) + "."


def phrase(rules: np.ndarray, state: np.ndarray, seat: int, stack: str) -> str:
    """The phrase of a stack's top card; for a wild, that of a letter card below it, or of one that is on the table.

    On the table: the own other R stack, then the other Murders clockwise, in each stack the uppermost letter card.
    """
    n = int(rules[0]["n_seats"])
    of_letter = [name for name in c.STACKS if name[0] == stack[0]]
    places = [(seat, stack), *((seat, name) for name in of_letter if name != stack)]
    places += [((seat + offset) % n, name) for offset in range(1, n) for name in of_letter]
    for owner, name in places:
        letters = [card for card in stack_of(state, owner, c.STACKS.index(name)) if card != WILD_NAME]
        if letters:
            return c.PHRASES[stack[0]][int(letters[-1][1]) - 1]
    return c.PHRASES[stack[0]][0]


# -- The table as text ----------------------------------------------------------------------------------


def cards_text(counts: dict[str, int]) -> str:
    """`M1 2xR3 W`, or a dash."""
    return " ".join(name if n == 1 else f"{n}x{name}" for name, n in counts.items()) or "-"


def hand_text(cards: list[str]) -> str:
    """Cards in the order of their ids."""
    return cards_text(dict_of(counts_of(c.CARD_NAMES.index(name) for name in cards)))


def seats_text(seats: list[int]) -> str:
    return ", ".join(f"player_{seat}" for seat in seats) or "nobody"


def text(rules: np.ndarray, state: np.ndarray, seat: int | None) -> str:
    """The table, from above or as a seat sees it."""
    full = snapshot(rules, state)
    seen_from = "seen from above" if seat is None else f"as player_{seat} sees it"
    lines = [f"Murder of Crows, turn {full['turn'] + 1}, {seen_from}", *turn_text(full), ""]
    stacks = [c.STACKS[k] for k in members_of(rules[0]["stacks"])]
    for other in range(len(full["hands"])):
        lines += murder_text(full, other, seat, stacks)
    lines += ["", *pile_text(state, full, seat)]
    lines += ["", "latest acts:"] + [f"  {event_text(event)}" for event in full["events"][-8:]]
    if full["winner"] != NO_SEAT:
        lines += ["", story(rules, state, full["winner"])]
    return "\n".join(lines) + "\n"


def turn_text(full: dict[str, Any]) -> list[str]:
    """Whose turn it is, what is in play, and what is asked of whom; or how the game ended."""
    if full["over"]:
        if full["winner"] != NO_SEAT:
            return [f"the game is over: player_{full['winner']} has completed the word"]
        return ["the game is over: " + ("cut off" if full["truncated"] else "no card can ever move again")]
    lines = [f"player_{full['current']}'s turn; player_{full['to_act']} is asked: {full['phase']}"]
    if full["third_card"]:
        letter = f", letter {full['letter']}" if full["letter"] else ""
        lines.append(f"the Murdered Third has flipped {full['third_card']}{letter}; {pending_text(full)}")
    if full["played"]:
        lines.append(play_text(full))
    if full["phase"] == "react":
        wild = full["played"].endswith(WILD_NAME)
        crows = "1 crow" if full["played"][-1] == "1" else f"{full['played'][-1]} crows"
        shield = "only a wild" if wild else f"a card with {crows}, or a wild,"
        lines.append(f"the window: {shield} prevents it; {pending_text(full)}")
    elif full["phase"] == "lose":
        lines.append(f"letter {full['letter']}; {pending_text(full)}")
    return lines


def pending_text(full: dict[str, Any]) -> str:
    return f"still to answer: {seats_text(full['pending'])}"


def play_text(full: dict[str, Any]) -> str:
    """The card in play, its effect, its target, and who has prevented it."""
    name = EFFECT_NAMES[full["played"][0] if full["mode"] != "remove" else "remove"]
    declared = name if full["phase"] != "wild" else "its use is not declared yet"
    target = f" on player_{full['target']}" if full["target"] != NO_SEAT else ""
    prevented = f"; prevented by {seats_text(full['prevented'])}" if full["prevented"] else ""
    return f"in play: {full['played']} ({declared}){target}{prevented}"


def murder_text(full: dict[str, Any], other: int, seat: int | None, stacks: list[str]) -> list[str]:
    """A seat's stacks, bottom to top, and its hand: open to its holder and from above, else what all know of it."""
    marks = ("*" if other == full["current"] else " ") + ("?" if other == full["to_act"] else " ")
    murder = full["murders"][other]
    laid = "   ".join(f"{stack}: {' '.join(murder.get(stack, ['-']))}" for stack in stacks)
    hand, known = full["hands"][other], full["known"][other]
    if seat is None or seat == other:
        shown = hand_text(hand) + (f" (known to all: {hand_text(known)})" if known else "")
    else:
        backs = len(hand) - len(known)
        parts = ([hand_text(known)] if known else []) + ([f"{backs} face down"] if backs else [])
        shown = ", ".join(parts) or "-"
    return [f"{marks} player_{other}   {laid}", f"     hand, {len(hand)}: {shown}"]


def pile_text(state: np.ndarray, full: dict[str, Any], seat: int | None) -> list[str]:
    """The piles, and what the viewer can say of the draw pile."""
    deck = full["deck"]
    lines = [f"draw pile: {len(deck)} cards", f"discards, {len(full['discard'])}: {hand_text(full['discard'])}"]
    if seat is None:
        lines[0] += f", top first: {' '.join(deck) or '-'}"
    else:
        unseen = [a - b for a, b in zip(counted(state[0]["hidden"]), counted(state[0]["secret"][seat]))]
        lines.append(f"unseen by player_{seat}: {cards_text(dict_of(unseen))}")
        lines.append(f"at most in the draw pile: {cards_text(full['deck_max'][seat])}")
    return lines


def event_text(event: list[Any]) -> str:
    """An open act."""
    seat, name = event
    return f"the Third flips {name.removeprefix(FLIP)}" if seat == NO_SEAT else f"player_{seat} {name}"
