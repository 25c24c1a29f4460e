"""A state for people: what `info` says, figures of a finished game, the table as text. Never compiled."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import Wording, listed
from murder_envs.games.theres_been_a_murder import sentences, words
from murder_envs.games.theres_been_a_murder.cards import ACTION_CARDS, CARD, NAMES, NO_CARD, RATINGS
from murder_envs.games.theres_been_a_murder.moves import ENDINGS
from murder_envs.games.theres_been_a_murder.snapshots import results, snapshot, table_of
from murder_envs.games.theres_been_a_murder.state import PLACE


def info(rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, Any]:
    """At the end `turns`, `won`, `ending`, `score`, `rating` and `rating_text`; nothing before."""
    turns = state["turns"].item()
    ending = ENDINGS[state["ending"].item()]
    if not ending:
        return {}
    result = results(state)
    text = RATINGS[len(RATINGS) - 1 - result["rating"]][1] if result["won"] else ""
    return {"turns": turns, "ending": ending, **result, "rating_text": text}


def figures(rules: np.ndarray, state: np.ndarray) -> dict[str, float]:
    """Of a finished game: won, how it ended, turns, and the score (NaN without a win, so that wins are averaged)."""
    result = results(state)
    points = float(result["score"]) if result["won"] else float("nan")
    ending = ENDINGS[state[0]["ending"]]
    numbers = {"win": float(result["won"]), "turns": float(state[0]["turns"]), "score": points}
    return numbers | {name: float(ending == name) for name in ENDINGS[1:]}


SHOWN = 12
"""How many events a text shows."""


UNBROKEN = "\N{NO-BREAK SPACE}"
"""A blank at which `folded` does not end a line."""

# -- The table as text --------------------------------------------------------------------------------


def card_text(card: int) -> str:
    """`17 Maid`, of which no end of a line comes in between."""
    return f"{card} {NAMES[card]}".replace(" ", UNBROKEN)


def cards_text(cards: list[int]) -> str:
    """Cards with their names."""
    return ", ".join(card_text(card) for card in cards) or "no cards"


def text(rules: np.ndarray, state: np.ndarray, seat: int | None) -> str:
    """The table, from above (`seat` None) or as a seat sees it, with all that the seat can tell of hidden cards."""
    full = snapshot(rules, state)
    n = len(full["hands"])
    viewer = n if seat is None else seat
    lines = [headline(full, seat), *turn_text(rules, state, full, seat), ""]
    known = "" if seat is None else ", as far as you know"
    lines.append("hands:" if full["over"] else f"hands{known} (* whose turn it is, ? who is asked):")
    for other in range(n):
        lines.append(hand_text(rules, state, full, other, seat))
    if seat is not None and not full["over"] and full["hands"][seat]:
        lines += [
            "",
            "what your cards do:",
            *(f"  {card_text(card)}: {words.guide(card)}" for card in full["hands"][seat]),
        ]
    lines.append("")
    lines += deck_text(full, seat)
    lines.append(f"discard pile, top first: {cards_text(full['discard'][::-1])}")
    if full["last_action"]:
        lines.append(f"the Monkey would copy: {card_text(full['last_action'])}")
    if rules[0]["n_symbols"]:
        symbols = ", ".join(f"player_{i}: {x}" for i, x in enumerate(full["signals"]) if x >= 0)
        lines.append(f"last symbols: {symbols or 'none'}")
    left_out = " (earlier ones are left out)" if len(full["events"]) > SHOWN else ""
    lines += ["", f"latest events, oldest first{left_out}:"]
    lines += [f"  {line}" for line in record(full, Wording([f"player_{i}" for i in range(n)], seat))] or ["  none"]
    if seat is not None and not full["over"]:
        lines += ["", "where these may be, as far as you know:"]
        lines += whereabouts(rules, state, full, viewer)
    return "\n".join(line for long in lines for line in folded(long)) + "\n"


def folded(line: str) -> list[str]:
    """A line as lines of at most 120 characters, those after the first indented."""
    lines = textwrap.wrap(line, 120, subsequent_indent="      ", break_long_words=False) or [""]
    return [each.replace(UNBROKEN, " ") for each in lines]


def headline(full: dict[str, Any], seat: int | None) -> str:
    """The game, the turn, and who looks."""
    seen_from = "seen from above" if seat is None else f"as player_{seat} sees it"
    return f"There's Been A Murder, turn {full['turns']}, {seen_from}"


def turn_text(rules: np.ndarray, state: np.ndarray, full: dict[str, Any], seat: int | None) -> list[str]:
    """Whose turn it is, and what is asked of whom; or how the game ended."""
    asked = sentences.asked(rules, state, seat)
    if full["over"]:
        return [asked]
    wording = Wording([f"player_{i}" for i in range(len(full["hands"]))], seat)
    turn = f"It is {wording.owner(full['turn'])} turn"
    if full["effect"]:
        by = ", copied by the Monkey," if full["played"] != full["effect"] else ""
        on = f" on {listed(wording.name(target) for target in full['targets'])}" if full["targets"] else ""
        turn += f"; {words.card_name(full['effect'])}{by} has been played{on}"
    return [f"{turn}.", asked]


def hand_text(rules: np.ndarray, state: np.ndarray, full: dict[str, Any], other: int, seat: int | None) -> str:
    """A hand: open to its holder and from above; else as backs, with what the viewer is sure of."""
    hand = full["hands"][other]
    marks = ("*" if other == full["turn"] and not full["over"] else " ") + ("?" if other == full["to_act"] else " ")
    placed = full["chosen"][other] if not full["over"] else NO_CARD
    if seat is None or seat == other:
        shown = cards_text(hand) + (f"; placed face down: {card_text(placed)}" if placed else "")
    else:
        sure = sure_cards(rules, state, seat, PLACE.hands + other)
        if full["over"] and full["ending"] in ("confidant", "witness") and CARD.murderer in hand:
            sure = sorted({*sure, CARD.murderer})  # it is shown with the card that it met
        backs = len(hand) - len(sure)
        parts = [card_text(card) for card in sure] + ([f"{backs} face down"] if backs else [])
        shown = (", ".join(parts) or "no cards") + ("; has placed a card" if placed else "")
    return f"{marks} player_{other}: {shown}"


def sure_cards(rules: np.ndarray, state: np.ndarray, viewer: int, place: int) -> list[int]:
    """Cards that a viewer knows to lie at a place: possible there and nowhere else."""
    table = table_of(state, viewer)
    n_places = PLACE.hands + int(rules[0]["n_seats"])
    return [
        card
        for card in members_of(table[place])
        if sum(int(table[other]) >> card & 1 for other in range(n_places)) == 1
    ]


def deck_text(full: dict[str, Any], seat: int | None) -> list[str]:
    """The deck: its size and line, and the cards whose place the viewer knows."""
    deck, lower = full["deck"], full["lower"]
    size = f"deck: {len(deck)} card{'' if len(deck) == 1 else 's'}"
    if lower:
        size += ", all the lower part" if lower == len(deck) else f", the bottom {lower} of them the lower part"
    if seat is None:
        return [f"{size}; top first: {cards_text(deck)}", f"removed unseen: {cards_text(full['removed'])}"]
    known = full["depth_known"][seat]
    places = [f"place {i + 1} is {card_text(card)}" for i, card in enumerate(deck) if card in known]
    lines = [f"{size}; removed unseen: {len(full['removed'])}"]
    return lines + ([f"you know of the deck, from the top: {', '.join(places)}"] if places else [])


def whereabouts(rules: np.ndarray, state: np.ndarray, full: dict[str, Any], viewer: int) -> list[str]:
    """For each hidden card that is not in the viewer's hand: the places where it may lie, a line a card."""
    n = len(full["hands"])
    places = [(f"player_{seat}", PLACE.hands + seat) for seat in range(n) if seat != viewer]
    line = bool(full["lower"])
    places += [("upper part" if line else "deck", PLACE.upper), ("lower part", PLACE.lower), ("removed", PLACE.out)]
    lines = []
    for card in members_of(rules[0]["in_game"]):
        may = [name for name, place in places if int(table_of(state, viewer)[place]) >> card & 1]
        if may:
            lines.append(f"  {card:>2} {NAMES[card]:15} {', '.join(may)}")
    return lines


def record(full: dict[str, Any], wording: Wording) -> list[str]:
    """The latest public events as sentences."""
    lines, action = [], NO_CARD
    for event in full["events"]:
        kind, _, _, card = event
        if kind == "play" and card in ACTION_CARDS:
            action = card
        lines.append(event_text(event, action, wording))
    return lines[-SHOWN:]


def event_text(event: list[Any], action: int, wording: Wording) -> str:
    """A public event as a sentence; `action` is the last Action that was played, which the Monkey copies."""
    kind, seat, other, argument = event
    if kind == "pass" and action == CARD.swain:
        return wording.sentence("{who} [takes|take] one of {owner} cards at random", other, owner=wording.owner(seat))
    whom = wording.name(other) if other != NO_SEAT else ""
    card = words.card_name(argument) if 0 < argument < len(NAMES) else ""
    say = {
        "draw": "{who} [draws|draw] a card",
        "play": "{who} [plays|play] {card}",
        "discard": "{who} [discards|discard] {card}",
        "target": "{who} [chooses|choose] {whom}",
        "pass": "{who} [passes|pass] a card to {whom}",
        "show": "{who} [shows|show] a card to {whom}",
        "bury": "{who} [puts|put] a card under the deck",
        "rescue": "{who} [shuffles|shuffle] {card} back into the deck",
        "search": "{who} [looks|look] through the deck and [discards|discard] " + (card or "nothing"),
        "butler": "{who} [announces|announce] the top card of the deck: {card}",
        "pick": "{who} [keeps|keep] one of the top cards of the deck",
        "seer": "{who} [puts|put] the bottom card of the deck on top"
        if argument
        else "{who} [leaves|leave] the bottom card of the deck where it is",
        "name": "{who} [asks|ask] who holds {card}",
        "report": "{who} [shows|show] all a random card of {whom}: {card}",
        "blackmail": "{who} [shows|show] the Blackmailer and the Detective, which is shuffled into the deck",
        "drunk": "{who} [has|have] the Drunk",
        "tell": "{who} [tells|tell] what [they|you] know about where " + (f"{card} is" if card else "cards are")
        if argument
        else "{who} [has|have] nothing to add",
        "signal": "{who} [sends|send] " + (f"symbol {argument - 1}" if argument else "no symbol"),
    }[kind]
    if other == seat:
        whom = "yourself" if seat == wording.reader else "themselves"
    return wording.sentence(say, seat, whom=whom, card=card)
