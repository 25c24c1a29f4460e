"""A case in the words that people read, and the entries of the record as sentences for a reader. Never compiled.

A reader is a seat, or None for somebody who sees everything from above.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.core.tables import Actions
from murder_envs.core.wording import Wording, listed
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.moves import EVENT, LOOK, PHASES
from murder_envs.games.perfect_murder.record import event_of, pile_of

ACTION_CARDS = ("False trace", "False clue", "Clean any room", "Steal 2 cards", "Search pile")
"""As they are printed."""
NUMBERS = ("no", "one", "two", "three")


def counted(n: int, what: str) -> str:
    """`1 clue card`, `2 clue cards`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


class Words:
    """How the names of a case are read.

    Args:
        case: of which the names are.
        actions: its table of actions.
    """

    def __init__(self, case: Case, actions: Actions) -> None:
        self.case = case
        self.actions = actions

    def suspect(self, suspect: int) -> str:
        """`the butler`."""
        return f"the {self.case.words[self.case.suspects[suspect]]}"

    def weapon(self, weapon: int) -> str:
        """`the golf club`."""
        return f"the {self.case.words[self.case.weapons[weapon]]}"

    def room(self, room: int) -> str:
        """`the living room`."""
        return f"the {self.case.words[self.case.rooms[room]]}"

    def rooms(self, rooms: Iterable[int]) -> str:
        """`the hall, the study and the library`."""
        return listed(self.room(room) for room in rooms)

    def door(self, door: int) -> str:
        """`the door between the hall and the study`."""
        a, b = self.case.door_rooms[door]
        return f"the door between {self.room(a)} and {self.room(b)}"

    def field(self, field: int) -> str:
        """A clue, a trace, or its card: `Powder`, `Size L`."""
        word = self.case.words[self.case.fields[field]]
        return word[:1].upper() + word[1:]

    def fields(self, fields: Iterable[int]) -> str:
        """`Metal and Glass`."""
        return listed(self.field(field) for field in fields)

    def room_card(self, card: int) -> str:
        """`room card 3 (the garage or the kitchen)`."""
        return f"room card {card + 1} ({self.either(card)})"

    def either(self, card: int) -> str:
        """The two rooms on a room card: `the garage or the kitchen`."""
        return listed((self.room(room) for room in self.case.room_cards[card]), "or")


class Scene(Words):
    """A state as a reader sees it.

    Args:
        words: how names are read.
        rules, state: arrays of one record.
        reader: a seat; None: somebody who sees everything from above.
    """

    def __init__(self, words: Words, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        super().__init__(words.case, words.actions)
        self.wording = Wording([f"the {name}" for name in c.AGENTS], reader)
        self.reader = reader
        self.rules, self.state, self.s = rules, state, state[0]
        self.phase = PHASES[self.s["phase"]]
        self.seat = int(self.s["to_act"])

    def sentence(self, template: str, seat: int, **words: object) -> str:
        """A sentence about what a seat does; `{their}` is "your" if it is the reader."""
        their = "your" if seat == self.reader else "their"
        return self.wording.sentence(template, seat, their=their, **words)

    def pile(self, kind: int) -> list[int]:
        """The cards of a pile, top first: fields, or room cards."""
        base = self.case.n_clues if kind == c.TRACE else 0
        return [base + card for card in pile_of(self.state, kind)]

    def top(self, kind: int) -> list[int]:
        """The cards that are drawn to choose from, in board order: whoever draws them may look in any order."""
        return sorted(self.pile(kind)[: c.FROM_TOP])

    def hand(self, kind: int | None = None) -> list[int]:
        """The detective's cards, all or of one kind."""
        cards = members_of(self.s["hand"])
        return [card for card in cards if kind is None or (card >= self.case.n_clues) == (kind == c.TRACE)]

    def lies(self, card: int) -> str:
        """How an action card lies on this round's space."""
        down = card < c.N_SECRET and int(self.rules[0]["down"]) >> int(self.s["round"]) & 1
        return "face down" if down else "face up"

    @property
    def is_black(self) -> bool:
        """Is this round's space black?"""
        return bool(int(self.rules[0]["black"]) >> int(self.s["round"]) & 1)

    # -- Entries of the record ---------------------------------------------------------------------------

    def entries(self) -> list[str]:
        """All finished actions, oldest first, each as a sentence for the reader."""
        return [self.entry(i) for i in range(int(self.s["record_n"]))]

    def entry(self, i: int) -> str:
        """A finished action with its result, as a sentence: what the reader may know of it."""
        kind, result, *arguments = event_of(self.state, i)
        if kind in (EVENT.remove, EVENT.clean, EVENT.up, EVENT.down, EVENT.pass_, EVENT.stay, EVENT.flee):
            return self.sentence(self.murderers_act(kind, *arguments), c.MURDERER)
        return self.sentence(self.detectives_act(kind, result, *arguments), c.DETECTIVE)

    def murderers_act(self, kind: int, x: int, y: int, z: int, _w: int) -> str:
        """What the murderer has done: in full for the murderer, without its secret part for the detective."""
        knows = self.wording.sees(c.MURDERER)
        if kind == EVENT.remove:
            what = f"{self.field(x)}, {self.a_card(x)}," if knows else self.a_card(x)
            return f"{{who}} [removes|remove] {what} from the game"
        if kind == EVENT.clean:
            what = f"{self.room(y)} with {self.room_card(x)}" if knows else f"a room of {self.room_card(x)}"
            return f"{{who}} [cleans|clean] {what}"
        if kind in (EVENT.up, EVENT.down):
            if kind == EVENT.down and not knows:
                return "{who} [plays|play] an action card face down"
            does = self.does(x, y, z - 1) if knows else self.shows(x, y, z - 1)
            return f"{{who}} [plays|play] {ACTION_CARDS[x]} face {'up' if kind == EVENT.up else 'down'}: {does}"
        return {
            EVENT.pass_: "{who} [passes|pass], as there is no standard action left",
            EVENT.stay: "{who} [stays|stay]",
            EVENT.flee: "{who} [flees|flee]",
        }[kind]

    def does(self, card: int, what: int, second: int) -> str:
        """What an action card has done, to one who knows."""
        if card == c.CLEAN_ANY:
            return f"{self.room(what)} is cleaned"
        if card == c.STEAL:
            return self.shows(card, what, second)
        if card == c.SEARCH_PILE:
            return f"{self.field(what)} is removed, and the {self.kind(what)} pile is shuffled"
        return f"a false X lies on {self.field(what)}"

    def shows(self, card: int, what: int, second: int) -> str:
        """What an action card that lies face up has done, to the detective."""
        if card == c.CLEAN_ANY:
            return "a room is cleaned"
        if card == c.STEAL:
            stolen = f"{self.field(what)} is" if second < 0 else f"{self.fields((what, second))} are"
            return f"{stolen} taken from {self.wording.owner(c.DETECTIVE)} hand"
        if card == c.SEARCH_PILE:
            return f"{self.a_card(what)} is removed, and its pile is shuffled"
        return f"a false X lies on the {c.KINDS[c.TRACE if card == c.FALSE_TRACE else c.CLUE]} board"

    def detectives_act(self, kind: int, result: int, x: int, y: int, z: int, w: int) -> str:
        """What the detective has done, which both see but for the cards drawn."""
        look = {
            LOOK.blank: "a blank, which is taken off",
            LOOK.x: "an X, which now lies face up",
            LOOK.known: "nothing new, as its marker is known",
        }
        if kind == EVENT.search:
            found = f"something is found, which brings {self.drawn(y, z)}" if result else "nothing is found"
            return f"{{who}} [searches|search] {self.room(x)}: {found}"
        if kind == EVENT.door:
            answer = "leads" if result else "does not lead"
            return f"{{who}} [examines|examine] {self.door(x)}: the path {answer} through it"
        if kind == EVENT.request:
            return f"{{who}} [requests|request] {c.KINDS[x - 1]} cards and [gets|get] {NUMBERS[y]}"
        if kind == EVENT.play:
            return f"{{who}} [plays|play] {self.field(x)}: {look[result]}"
        if kind == EVENT.discard:
            cards = self.fields((x, y, z))
            return f"{{who}} [discards|discard] {cards} to look at {self.field(w)}: {look[result]}"
        verdict = "right" if result else "wrong"
        named = f"{self.suspect(x)} with {self.weapon(y)}, entering through {self.room(z)}"
        return f"{{who}} [accuses|accuse] {named}: this is {verdict}"

    def drawn(self, clues: int, traces: int) -> str:
        """`2 clue cards and 1 trace card`."""
        parts = [counted(n, f"{kind} card") for n, kind in zip((clues, traces), c.KINDS, strict=True) if n]
        return listed(parts, nothing="no card")

    def kind(self, field: int) -> str:
        """`clue` or `trace`."""
        return self.case.kind_of(field)

    def a_card(self, field: int) -> str:
        """`a clue card` or `a trace card`."""
        return f"a {self.kind(field)} card"
