"""The record in words, and played again.

The record lists what has been done since the planning, one finished action an entry, hidden parts included. It is the
only store of laid markers, crossed rooms, answers, action cards and discards, so a snapshot is restored by playing its
entries again: each is turned into decisions, which the compiled rules must allow, and which must lead to this entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from murder_envs.core.bits import is_in
from murder_envs.core.checks import fail, shown
from murder_envs.core.jit import entry
from murder_envs.core.snapshots import members_of, set_of
from murder_envs.core.tables import Actions
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import play
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.deal import CARD_BITS
from murder_envs.games.perfect_murder.moves import EVENT, FLIGHT, LOOKS, PHASE, SEAT_OF
from murder_envs.games.perfect_murder.state import argument, kind_of_event, result_of


@entry
def read_event(states, i, out):
    """Entry i of the record, into int64[6]: kind, result, four arguments."""
    event = states[0].record[i]
    out[0] = kind_of_event(event)
    out[1] = result_of(event)
    for k in range(4):
        out[2 + k] = argument(event, k)


@entry
def attempt(states, rules, legal_set, action):
    """Take a decision if it is legal; was it?"""
    play.legal(states[0], rules[0], legal_set)
    if not is_in(legal_set, action):
        return False
    play.decide(states[0], rules[0], action)
    return True


# -- Entries as text --------------------------------------------------------------------------------


def entries_of(case: Case, state: np.ndarray) -> list[str]:
    """The whole record as text, oldest entry first."""
    return [entry_of(case, state, i) for i in range(int(state[0]["record_n"]))]


def event_of(state: np.ndarray, i: int) -> list[int]:
    """Entry i of the record: kind, result, four arguments (see `state.record_event`)."""
    event = np.zeros(6, np.int64)
    read_event(state, i, event)
    numbers: list[int] = event.tolist()
    return numbers


def entry_of(case: Case, state: np.ndarray, i: int) -> str:
    """An entry of the record as text, in the words of the case.

    `remove clue|trace <card>`, `clean <card number> <room>`, `pass`, `stay`, `flee`, `door <a-b> yes|no`,
    `bonus up|down <action card> <field, room, kind and card, or cards>`, `search <room> nothing`,
    `search <room> found <clue cards> <trace cards>`, `request clue|trace <cards received>`,
    `play <card> x|blank|known`, `discard <card> <card> <card> <field> x|blank`,
    `accuse <suspect> <weapon> <entry> right|wrong`.
    """
    kind, result, x, y, z, w = event_of(state, i)
    fields, rooms = case.fields, case.rooms
    if kind == EVENT.remove:
        return f"remove {case.kind_of(x)} {fields[x]}"
    if kind == EVENT.clean:
        return f"clean {x + 1} {rooms[y]}"
    if kind in (EVENT.up, EVENT.down):
        lies = f"bonus {'up' if kind == EVENT.up else 'down'} {c.ACTION_CARDS[x]}"
        if x == c.CLEAN_ANY:
            return f"{lies} {rooms[y]}"
        if x == c.SEARCH_PILE:
            return f"{lies} {case.kind_of(y)} {fields[y]}"
        return f"{lies} {fields[y]}" + (f" {fields[z - 1]}" if x == c.STEAL and z else "")
    if kind == EVENT.search:
        return f"search {rooms[x]} " + (f"found {y} {z}" if result else "nothing")
    if kind == EVENT.door:
        return f"door {case.doors[x]} {'yes' if result else 'no'}"
    if kind == EVENT.request:
        return f"request {c.KINDS[x - 1]} {y}"
    if kind == EVENT.play:
        return f"play {fields[x]} {LOOKS[result]}"
    if kind == EVENT.discard:
        return f"discard {fields[x]} {fields[y]} {fields[z]} {fields[w]} {LOOKS[result]}"
    if kind == EVENT.accuse:
        return f"accuse {case.suspects[x]} {case.weapons[y]} {rooms[z]} {'right' if result else 'wrong'}"
    return {EVENT.pass_: "pass", EVENT.stay: "stay", EVENT.flee: "flee"}[kind]


def as_seen(text: str) -> str:
    """An entry as the detective sees it: without what was done in secret.

    A removal shows its pile, a cleaning its room card, an action card face up itself (and which pile was searched); a
    theft shows all, as the detective misses the cards.
    """
    words = text.split(" ")
    if words[0] in ("remove", "clean"):
        return " ".join(words[:2])
    if words[0] == "bonus":
        if words[1] == "down":
            return "bonus down"
        if words[2] == "steal":
            return text
        return " ".join(words[:4] if words[2] == "search_pile" else words[:3])
    return text


# -- Entries played again -----------------------------------------------------------------------------


def pile_of(state: np.ndarray, kind: int) -> list[int]:
    """The cards of a pile, top first, numbered within their kind."""
    pile = int(state[0]["piles"][kind])
    return [pile >> CARD_BITS * place & 15 for place in range(int(state[0]["pile_n"][kind]))]


def lay_pile(state: np.ndarray, kind: int, cards: list[int]) -> None:
    """Make a pile of some cards, top first, numbered within their kind."""
    state[0]["pile_n"][kind] = len(cards)
    state[0]["piles"][kind] = sum(card << CARD_BITS * place for place, card in enumerate(cards))


BEGINS_IN = {
    **dict.fromkeys(("remove", "clean", "bonus", "pass"), PHASE.murderer_turn),
    **dict.fromkeys(("stay", "flee"), PHASE.flee),
    **dict.fromkeys(("search", "door", "request", "play", "discard", "accuse"), PHASE.detective_turn),
}
"""first word of an entry -> the phase in which its action begins."""
NUMBERS = {"clean": slice(1, 2), "search": slice(3, 5), "request": slice(2, 3)}
"""first word of an entry -> which of its words are numbers."""


class Replay:
    """Plays decisions on a state, and entries of a record.

    A record need not be complete: a card that is played need not have been drawn, a round may have any number of
    entries. So before each entry the table is laid for it (`lay_table`); the rules do the rest, and what they do not
    allow, or answer otherwise, is an error. Where the cards are in the end, and which round it is, the snapshot says:
    that is written over this table.
    """

    def __init__(self, case: Case, actions: Actions, rules: np.ndarray, state: np.ndarray) -> None:
        self.case = case
        self.actions = actions
        self.rules = rules
        self.state = state
        self.legal_set = np.zeros(actions.n_words, np.uint64)

    def attempt(self, action: str) -> bool:
        """Take a decision, if there is such an action and it is legal; was it?"""
        number = self.actions.ids.get(action)
        return number is not None and bool(attempt(self.state, self.rules, self.legal_set, number))

    def read(self, entries: Iterable[Any]) -> None:
        """Play all entries; ValueError names `record` and says what is wrong with an entry.

        Rounds are not marked in a record, so every round may have a bonus here.
        """
        with_a_bonus = self.rules.copy()
        with_a_bonus["black"] = set_of(range(c.MAX_ROUNDS + 1))
        replay = Replay(self.case, self.actions, with_a_bonus, self.state)
        for text in entries:
            replay.play(text)

    def play(self, text: Any) -> None:
        """Play an entry: decision by decision, and at the end the rules must have entered just this text."""
        s = self.state[0]
        words = text.split(" ") if isinstance(text, str) else [""]
        if words[0] not in BEGINS_IN:
            self.wrong(text, f"begins with one of {', '.join(BEGINS_IN)}")
        if s["verdict"]:
            self.wrong(text, "comes after the accusation")
        if BEGINS_IN[words[0]] == PHASE.murderer_turn and s["flight"] == FLIGHT.fled:
            self.wrong(text, "the murderer has fled")
        if BEGINS_IN[words[0]] == PHASE.flee and s["flight"] != FLIGHT.none:
            self.wrong(text, "that is decided already")
        self.as_written(words)
        self.lay_table(words)
        n = int(s["record_n"])
        for action in self.decisions(words):
            if not self.attempt(action):
                self.wrong(text, f"{action} is not possible there")
        if s["record_n"] != n + 1:
            self.wrong(text, "is no finished action")
        if (true := entry_of(self.case, self.state, n)) != " ".join(words):
            self.wrong(text, f"by the rules it is {true!r}")

    def wrong(self, text: Any, why: str) -> NoReturn:
        fail("record", f"{shown(text)}: {why}")

    def from_hand(self, words: list[str]) -> slice:
        """Which words of an entry name cards that leave the hand."""
        if words[0] == "discard":
            return slice(1, 1 + c.DISCARDED)
        if words[:1] + words[2:3] == ["bonus", "steal"]:
            return slice(3, None)
        return slice(1, 2) if words[0] == "play" else slice(0)

    def as_written(self, words: list[str]) -> None:
        """Bring an entry into the form that the rules give it: the cards of a set in board order, no leading zeros."""
        cards, fields = self.from_hand(words), self.case.fields
        words[cards] = sorted(words[cards], key=lambda name: fields.index(name) if name in fields else -1)
        numbers = NUMBERS.get(words[0], slice(0))
        words[numbers] = [word.lstrip("0") or "0" if word.isdecimal() else word for word in words[numbers]]

    def lay_table(self, words: list[str]) -> None:
        """Lay the table for an entry.

        A turn has just begun, in a round with a bonus whose card lies as the entry says. The hand holds the cards that
        the entry takes from it; all others that are not gone are in their piles, a card that is named on top. Of a pile
        that is drawn from, only the number of cards counts, so it has as many as the entry says, whichever they are.
        """
        s, case = self.state[0], self.case
        s["phase"] = BEGINS_IN[words[0]]
        s["to_act"] = SEAT_OF[s["phase"]]
        s["actions_left"] = 2  # so that one more is to come, and the round does not end
        s["standard_done"] = s["bonus_done"] = s["searched"] = 0
        self.rules["down"] = self.rules["black"] if words[:2] == ["bonus", "down"] else 0
        gone = members_of(int(s["discarded"]) | int(s["out"]))
        left = [field for field in range(len(case.fields)) if field not in gone]
        held = [field for field in left if case.fields[field] in words[self.from_hand(words)]]
        s["hand"] = set_of(held)
        piled = sorted(set(left) - set(held), key=lambda field: (case.fields[field] not in words[2:3], field))
        drawn = self.drawn(words)
        for kind, base in ((c.CLUE, 0), (c.TRACE, case.n_clues)):
            cards = [field - base for field in piled if case.kind_of(field) == c.KINDS[kind]]
            if kind in drawn:
                cards = [*cards, *[0] * c.FROM_TOP][: drawn[kind]]
            lay_pile(self.state, kind, cards)
        unused = set(range(len(case.room_cards))) - set(members_of(s["used_room_cards"]))
        room_cards = sorted(unused, key=lambda card: (str(card + 1) not in words[1:2], card))
        lay_pile(self.state, c.ROOM, [] if words[0] == "pass" else room_cards)

    def drawn(self, words: list[str]) -> dict[int, int]:
        """How many cards a pile must have, where an entry says so: clue and trace pile -> number."""
        numbers = [int(word) if word in ("0", "1", "2", "3") else 0 for word in words]
        if words[0] == "pass":
            return {c.CLUE: 0, c.TRACE: 0}
        if words[0] == "search":
            clues, traces = [*numbers[3:5], 0, 0][:2]
            return {c.CLUE: clues, c.TRACE: traces}
        if words[0] == "request" and words[1:2] and words[1] in c.KINDS:
            return {c.KINDS.index(words[1]): sum(numbers[2:3])}
        return {}

    def decisions(self, words: list[str]) -> Iterator[str]:
        """The decisions of an entry, each to be taken before the next is asked for; none if it says no action."""
        s = self.state[0]
        match words:
            case ["remove", kind, card]:
                yield from (f"remove:{kind}", f"card:{card}")
                if s["phase"] == PHASE.remove_top:  # which of the two others lies on top does not matter here
                    second = pile_of(self.state, c.KINDS.index(kind))[1]
                    yield f"card:{self.case.fields[second + (self.case.n_clues if kind == 'trace' else 0)]}"
            case ["clean", card, room]:
                yield from ("clean", f"room_card:{card}", f"room:{room}")
            case ["bonus", _, "clean_any", room]:
                yield from ("bonus:clean_any", f"room:{room}")
            case ["bonus", _, "steal", *cards]:
                yield from ("bonus:steal", *(f"card:{card}" for card in cards))
            case ["bonus", _, "search_pile", kind, card]:
                yield from ("bonus:search_pile", f"pile:{kind}", f"card:{card}")
            case ["bonus", _, card, field]:
                yield from (f"bonus:{card}", f"marker:{field}")
            case ["search", room, *found]:
                yield f"search:{room}"
                if s["phase"] == PHASE.split:
                    yield f"split:{found[1]}"
            case ["door", door, _]:
                yield f"door:{door}"
            case ["request", kind, _]:
                yield f"request:{kind}"
            case ["play", card, _]:
                yield f"play:{card}"
            case ["discard", *cards, field, _]:
                yield from ("discard", *(f"card:{card}" for card in cards), f"marker:{field}")
            case ["accuse", suspect, weapon, room, _]:
                yield from ("accuse", f"suspect:{suspect}", f"weapon:{weapon}", f"room:{room}")
            case ["pass" | "stay" | "flee" as action]:
                yield action
