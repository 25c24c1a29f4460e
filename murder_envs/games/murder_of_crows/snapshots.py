"""A state as a plain dict in the terms of the rulebook, and back (the page's section 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import (
    a_bool,
    a_choice,
    a_list,
    a_text,
    an_int,
    distinct,
    fail,
    follows,
    ints,
    is_int,
    known_only,
)
from murder_envs.core.jit import entry, records
from murder_envs.core.rng import seed_rng, shuffle
from murder_envs.games.murder_of_crows.cards import (
    CARD_NAMES,
    CARD_OF,
    FACE_WILD,
    FACES,
    LETTER_OF,
    LETTERS,
    N_CARDS,
    N_FACES,
    STACK_FACES,
    STACKS,
    WILD,
)
from murder_envs.games.murder_of_crows.deal import FLIPPED, N_EVENTS, STATE, clear
from murder_envs.games.murder_of_crows.effects import lay_on_stack
from murder_envs.games.murder_of_crows.moves import (
    ACTIONS,
    DEAD,
    MODES,
    NO_END,
    NO_SEAT,
    NOTHING,
    PHASES,
    TRUNCATED,
    WON,
)
from murder_envs.games.murder_of_crows.play import returns

STAR = "*"
"""In a pile: all cards named nowhere."""
FLIP = "flip:"
MOST = 2**62

FIELDS = (
    "phase", "first", "current", "turn", "steps", "reshuffles", "murders", "hands", "discard", "deck", "played", "mode",
    "prevented", "pending", "target", "letter", "third_card", "known", "old_max", "deck_max", "winner", "truncated",
    "events", "rng", "to_act", "over", "returns",
)  # fmt: skip

REMOVES = "remove"
EFFECTS = {
    "wild": (*LETTERS, REMOVES),
    "react": ("M", "U", "D", "E", REMOVES),
    "target": ("M", "U", REMOVES),
    "take": ("M",),
    "grab": ("U",),
    "letter": ("D",),
    "lose": ("D",),
    "raze": (REMOVES,),
}
"""phase with a card in play -> effects that have this step."""
THIRD_CARDS = {"third_take": "M", "third_lose": "D", "third_raze": "W"}
"""phase of the Third -> what its flip begins with."""


@entry
def start_empty(states, rules, seed):
    """An empty table with random numbers from a seed, and nothing in the draw pile."""
    seed_rng(states[0], seed)
    clear(states[0], rules[0])
    states[0].deck_n = 0
    for i in range(2):
        states[0].hidden[i] = np.uint64(0)


@entry
def mix(states, n):
    """Shuffle the n cards that lie in the draw pile's room."""
    shuffle(states[0], states[0].deck, 0, n)


@entry
def build(states, seat, stack_face):
    """Lay a card on top of a stack."""
    lay_on_stack(states[0], seat, stack_face)


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------


def counted(words: np.ndarray) -> list[int]:
    """Two words of counts as a list of 16."""
    return np.ascontiguousarray(words, np.uint64).view(np.uint8).tolist()


def named(counts: Iterable[int]) -> list[str]:
    """Counts by card as names, in the order of card ids."""
    return [CARD_NAMES[card] for card, n in enumerate(counts) for _ in range(n)]


def byte_list(word: Any, n: int) -> list[int]:
    """The n low bytes of a word."""
    return [int(word) >> 8 * i & 255 for i in range(n)]


def members(seats: Any) -> list[int]:
    """A set as a list, ascending."""
    return [i for i in range(64) if int(seats) >> i & 1]


def stack_of(state: np.ndarray, seat: int, stack: int) -> list[str]:
    """The cards of a stack by name, bottom to top."""
    code = int(state[0]["stack"][seat, stack])
    cards = []
    while code > 1:
        cards.append(CARD_NAMES[CARD_OF[N_FACES * stack + code % N_FACES]])
        code //= N_FACES
    return cards[::-1]


def snapshot(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    s = state[0]
    n = int(rules[0]["n_seats"])
    known = [counted(s["known"][seat]) for seat in range(n)]
    secret = [counted(s["secret"][seat]) for seat in range(n)]
    murders = [{name: stack_of(state, seat, k) for k, name in enumerate(STACKS)} for seat in range(n)]
    paid = np.zeros(n)
    returns_of(state, rules, paid)
    phase = PHASES[s["phase"]]
    third_card, letter, played = int(s["third_card"]), int(s["letter"]), int(s["played"])
    deck = s["deck"][: int(s["deck_n"])][::-1].tolist()
    return {
        "phase": phase,
        "first": int(s["first"]),
        "current": int(s["current"]),
        "turn": int(s["turn"]),
        "steps": int(s["steps"]),
        "reshuffles": int(s["reshuffles"]),
        "murders": [{name: cards for name, cards in murder.items() if cards} for murder in murders],
        "hands": [named(map(sum, zip(*parts))) for parts in zip(known, secret)],
        "discard": named(counted(s["discard"])),
        "deck": [CARD_NAMES[card] for card in (sorted(deck) if s["rng_listed"] else deck)],
        "played": STACK_FACES[played] if played != NOTHING else "",
        "mode": MODES[s["mode"]],
        "prevented": members(s["prevented"]),
        "pending": in_order(members(s["pending"]), int(s["to_act"]), n),
        "target": int(s["target"]),
        "letter": LETTERS[letter] if letter != NOTHING else "",
        "third_card": CARD_NAMES[third_card] if third_card != NOTHING else "",
        "known": [named(counts) for counts in known],
        "old_max": byte_list(s["old_max"], n),
        "deck_max": [dict_of(counted(s["deck_max"][seat])) for seat in range(n)],
        "winner": int(s["winner"]),
        "truncated": bool(s["ending"] == TRUNCATED),
        "events": events_of(state),
        "rng": f"{int(s['drawn' if s['rng_listed'] else 'rng']):016x}",
        "to_act": int(s["to_act"]),
        "over": phase == "over",
        "returns": [float(x) for x in paid],
    }


def in_order(seats: list[int], start: int, n: int) -> list[int]:
    """Seats clockwise, from a start on."""
    return sorted(seats, key=lambda seat: (seat - start) % n)


def dict_of(counts: list[int]) -> dict[str, int]:
    """Counts by name, without zeros."""
    return {CARD_NAMES[card]: n for card, n in enumerate(counts) if n}


def events_of(state: np.ndarray) -> list[list[Any]]:
    """The open acts, oldest first: [seat, action], or [-1, "flip:<card>"]."""
    pairs = np.ascontiguousarray(state[0]["events"]).view(np.uint8).reshape(N_EVENTS, 2)[::-1].tolist()
    return [
        [NO_SEAT, FLIP + CARD_NAMES[argument]] if actor == FLIPPED else [actor - 1, ACTIONS.names[argument]]
        for actor, argument in pairs
        if actor
    ]


# -- From a dict to a state -------------------------------------------------------------------------


def restore(rules: np.ndarray, given: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
    if not isinstance(given, Mapping):
        raise ValueError(f"snapshot: a dict of fields, not {given!r}")
    known_only(given, FIELDS, "snapshot field")
    state = records(STATE, 1)
    start_empty(state, rules, np.int64(seed))
    Position(rules, given, state).write()
    return state


def words_of(counts: list[int]) -> np.ndarray:
    """A list of 16 counts as two words."""
    return np.frombuffer(bytes(counts), np.uint64)


def as_set(members: Iterable[int]) -> int:
    """A set as bits."""
    return sum(1 << i for i in members)


class Position:
    """What a snapshot says, field by field: defaults filled in, everything checked, in the order of the page."""

    def __init__(self, rules: np.ndarray, given: Mapping[str, Any], state: np.ndarray) -> None:
        self.rules = rules
        self.given = given
        self.state = state
        self.n = int(rules[0]["n_seats"])
        self.seats = range(self.n)
        self.stacks = [name for k, name in enumerate(STACKS) if k in members(rules[0]["stacks"])]
        self.read_turn()
        self.read_cards()
        self.read_play()
        self.read_answers()
        self.read_knowledge()
        self.read_end()
        self.read_past()

    def get(self, field: str, default: Any) -> Any:
        return self.given.get(field, default)

    def clockwise(self, seats: Iterable[int], start: int) -> list[int]:
        return in_order(list(seats), start, self.n)

    def need(self, seats: list[int], what: str) -> list[int]:
        """Some seats, of which there must be one in this phase."""
        if not seats:
            fail("phase", f"nobody is {what} in {self.phase}")
        return seats

    # Whose turn it is

    def read_turn(self) -> None:
        rules = self.rules[0]
        self.phase = a_choice("phase", self.get("phase", "start"), PHASES)
        self.over = self.phase == "over"
        self.by_third = self.phase in THIRD_CARDS
        if self.by_third and not rules["third"]:
            fail("phase", f"{self.phase} only with murdered_third")
        self.first = an_int("first", self.get("first", max(0, int(rules["first_player"]))), 0, self.n - 1)
        self.current = an_int("current", self.get("current", self.first), 0, self.n - 1)
        if self.by_third and self.current == self.first:
            fail("current", f"the seat before `first` in {self.phase}")
        self.turn = an_int("turn", self.get("turn", 0), 0, MOST)
        most = int(rules["max_steps"])
        self.steps = an_int("steps", self.get("steps", 0), 0, most if self.over else most - 1)
        self.reshuffles = an_int("reshuffles", self.get("reshuffles", 0), 0, MOST)

    # Where the cards are

    def card(self, field: str, name: Any) -> int:
        if not isinstance(name, str) or name not in CARD_NAMES:
            fail(field, f"no card {name!r}")
        return CARD_NAMES.index(name)

    def place(self, field: str, cards: Iterable[int]) -> None:
        """Count cards that are put somewhere."""
        for card in cards:
            self.left[card] -= 1
            if self.left[card] < 0:
                fail(field, f"more {CARD_NAMES[card]} than there are")

    def read_cards(self) -> None:
        self.left = counted(self.rules[0]["copies"])
        given = a_list("murders", self.get("murders", [{}] * self.n), self.n)
        self.murders = [self.read_murder(murder) for murder in given]
        self.hands: list[list[int]] = []
        if "hands" in self.given:
            for hand in a_list("hands", self.given["hands"], self.n):
                self.hands.append(sorted(self.card("hands", name) for name in a_list("hands", hand)))
                self.place("hands", self.hands[-1])
        self.discard, loose_discard = self.read_pile("discard", [])
        self.deck, loose_deck = self.read_pile("deck", [] if loose_discard else [STAR])
        if len(loose_deck) + len(loose_discard) > 1:
            fail("deck" if loose_deck else "discard", f"{STAR!r} once in all")
        rest = [card for card, n in enumerate(self.left) for _ in range(n)]
        self.state[0]["deck"][: len(rest)] = rest
        mix(self.state, len(rest))
        unplaced = self.state[0]["deck"][: len(rest)].tolist()
        if "hands" not in self.given:
            self.deal_hands(unplaced)
        if loose_deck:
            self.deck[loose_deck[0] : loose_deck[0]] = unplaced
        elif loose_discard:
            self.discard += unplaced
        elif unplaced:
            fail("deck", f"{', '.join(CARD_NAMES[card] for card in sorted(unplaced))} nowhere")
        self.complete = [seat for seat in self.seats if len(self.murders[seat]) == len(self.stacks)]
        if self.complete and not self.over:
            fail("murders", f"the word of seat {self.complete[0]} is complete, but the game goes on")
        if len(self.complete) > 1:
            fail("murders", "two words are complete")
        if self.phase == "play" and not self.hands[self.current]:
            fail("hands", f"seat {self.current} has a card to play")
        self.dead = not (any(self.hands) or self.deck or self.discard)
        if self.phase == "start" and self.dead:
            fail("phase", "no card can ever move again")

    def read_murder(self, given: Any) -> dict[str, list[str]]:
        """One Murder: stack -> names of its cards, non-empty stacks only."""
        if not isinstance(given, Mapping):
            fail("murders", f"a dict stack -> cards, not {given!r}")
        murder = {}
        for stack, names in given.items():
            if stack not in self.stacks:
                fail("murders", f"no stack {stack!r} in play")
            cards = [self.card("murders", name) for name in a_list("murders", names)]
            for card in cards:
                if card != WILD and CARD_NAMES[card][0] != stack[0]:
                    fail("murders", f"{CARD_NAMES[card]} does not lie in stack {stack}")
            self.place("murders", cards)
            if cards:
                murder[stack] = [CARD_NAMES[card] for card in cards]
        return murder

    def read_pile(self, field: str, default: list[str]) -> tuple[list[int], list[int]]:
        """The cards that a pile names, and where in it the stars are."""
        names = a_list(field, self.get(field, default))
        stars = [i for i, name in enumerate(names) if isinstance(name, str) and name == STAR]
        cards = [self.card(field, name) for i, name in enumerate(names) if i not in stars]
        self.place(field, cards)
        return cards, stars

    def deal_hands(self, unplaced: list[int]) -> None:
        """Deal from the cards that are placed nowhere, as in the set-up."""
        size = int(self.rules[0]["hand_size"])
        self.hands = [[] for _ in self.seats]
        for seat in self.clockwise(self.seats, self.first):
            for _ in range(size - (seat == self.first)):
                if not unplaced:
                    fail("hands", "too few cards are left to deal them")
                self.hands[seat].append(unplaced.pop())

    # The card in play

    def read_play(self) -> None:
        played = a_text("played", self.get("played", ""))
        self.played = NOTHING
        self.effect = ""
        if self.phase not in EFFECTS:
            if played:
                fail("played", f"no card is in play in {self.phase}")
        elif played not in STACK_FACES:
            fail("played", f"a stack-face in {self.phase}, not {played!r}")
        else:
            self.played = STACK_FACES.index(played)
        stack, face = divmod(self.played, N_FACES)
        wild = self.played != NOTHING and face == FACE_WILD
        if self.played != NOTHING:
            top = self.murders[self.current].get(STACKS[stack], [""])[-1]
            if top != CARD_NAMES[CARD_OF[self.played]]:
                fail("played", f"{played} does not lie on that stack of seat {self.current}")
        may_be = MODES[1:] if wild and self.phase != "wild" else MODES[:1]
        self.mode = a_choice("mode", self.get("mode", may_be[0]), may_be)
        if self.played != NOTHING:
            self.effect = REMOVES if self.mode == REMOVES else LETTERS[LETTER_OF[stack]]
            if self.effect not in EFFECTS[self.phase] or (self.phase == "wild" and not wild):
                fail("phase", f"{played} does not lead to {self.phase}")
        self.with_murder = [seat for seat in self.seats if self.murders[seat]]
        self.with_hand = [seat for seat in self.seats if self.hands[seat]]
        others = [seat for seat in self.seats if seat != self.current]
        touching = {"U": self.with_hand, "E": others}.get(self.effect, self.with_murder)
        self.touched = self.clockwise([seat for seat in others if seat in touching], self.current)
        may_prevent = others if self.effect == "U" else self.touched
        self.prevented = ints("prevented", self.get("prevented", []), 0, self.n - 1)
        distinct("prevented", self.prevented)
        if self.prevented and (self.phase not in EFFECTS or self.phase == "wild"):
            fail("prevented", f"nobody has prevented anything in {self.phase}")
        for seat in self.prevented:
            if seat not in may_prevent:
                fail("prevented", f"the effect does not touch seat {seat}")
        self.affected = [seat for seat in self.touched if seat not in self.prevented]

    # What was chosen, and who has still to answer

    def having(self, seats: Iterable[int], letter: str) -> list[int]:
        """Seats with a card in the stacks of a letter."""
        return [seat for seat in seats if any(stack[0] == letter for stack in self.murders[seat])]

    def read_answers(self) -> None:
        self.read_target()
        self.read_letter()
        self.read_third_card()
        asked: list[int] = []
        start = self.first if self.by_third else self.current
        if self.phase == "react":
            asked = [seat for seat in self.touched if seat in self.with_hand]
        elif self.phase == "lose":
            asked = self.having(self.affected, self.letter)
        elif self.phase == "third_lose":
            asked = self.having(self.seats, self.letter)
        elif self.by_third:
            asked = self.with_murder
        answers = self.by_third or self.phase in ("react", "lose")
        if answers:
            asked = self.clockwise(self.need(asked, "asked"), start)
        self.pending = ints("pending", self.get("pending", asked), 0, self.n - 1)
        if answers and (not self.pending or self.pending != asked[-len(self.pending) :]):
            fail("pending", f"the last ones of {asked}, not {self.pending}")
        if not answers and self.pending:
            fail("pending", f"nobody has still to answer in {self.phase}")
        if self.phase == "react":
            order = self.clockwise(self.seats, self.current)
            for seat in self.prevented:
                if order.index(seat) >= order.index(self.pending[0]):
                    fail("prevented", f"seat {seat} has not answered yet")

    def read_target(self) -> None:
        may_be = [NO_SEAT]
        if self.phase in ("take", "grab"):
            may_be = self.need(self.affected, "affected")
        elif self.phase == "raze":
            may_be = [*self.affected, self.current]
        elif self.phase == "letter" or (self.phase == "target" and self.effect != REMOVES):
            self.need(self.affected, "affected")
        self.target = an_int("target", self.get("target", NO_SEAT), NO_SEAT, self.n - 1)
        if self.target not in may_be:
            fail("target", f"in {self.phase} one of {may_be}, not {self.target}")

    def read_letter(self) -> None:
        self.letter = a_text("letter", self.get("letter", ""))
        may_be = [stack[0] for stack in self.stacks] if self.phase in ("lose", "third_lose") else [""]
        if self.letter not in may_be:
            fail("letter", f"in {self.phase} one of {sorted(set(may_be))}, not {self.letter!r}")

    def read_third_card(self) -> None:
        name = a_text("third_card", self.get("third_card", ""))
        self.third_card = NOTHING
        if not self.by_third:
            if name:
                fail("third_card", f"the Third's flip is not being resolved in {self.phase}")
            return
        self.third_card = self.card("third_card", name)
        begins = THIRD_CARDS[self.phase]
        if name[0] != begins:
            fail("third_card", f"in {self.phase} a card {begins}, not {name}")
        piles = [*self.discard, *(self.deck if self.phase == "third_lose" else [])]
        if self.third_card not in piles:
            fail("third_card", f"{name} is not in the discards")

    # Who knows what

    def read_knowledge(self) -> None:
        shown = self.affected if self.effect == "U" and self.phase in ("target", "grab") else []
        default = [named(counts_of(self.hands[seat])) if seat in shown else [] for seat in self.seats]
        known = a_list("known", self.get("known", default), self.n)
        self.known = [sorted(self.card("known", name) for name in a_list("known", row)) for row in known]
        self.secret = []
        for seat in self.seats:
            secret = [a - b for a, b in zip(counts_of(self.hands[seat]), counts_of(self.known[seat]))]
            if min(secret) < 0:
                fail("known", f"{CARD_NAMES[secret.index(min(secret))]} is not in the hand of seat {seat}")
            if seat in shown and any(secret):
                fail("known", f"seat {seat} has shown its whole hand")
            self.secret.append(secret)
        self.old_max = ints("old_max", self.get("old_max", [0] * self.n), 0, MOST, self.n)
        for seat in self.seats:
            if self.old_max[seat] > sum(self.secret[seat]):
                fail("old_max", f"seat {seat} has {sum(self.secret[seat])} cards that are not known to all")
        pile = counts_of(self.deck)
        self.hidden = [sum(column) for column in zip(pile, *self.secret)]
        unseen = [[a - b for a, b in zip(self.hidden, self.secret[seat])] for seat in self.seats]
        rows = a_list("deck_max", self.get("deck_max", [dict_of(row) for row in unseen]), self.n)
        self.deck_max = [self.bounds(row, seat, pile, unseen[seat]) for seat, row in enumerate(rows)]

    def bounds(self, given: Any, seat: int, pile: list[int], unseen: list[int]) -> list[int]:
        """A seat's bounds on the draw pile; they must allow what is there, and excluded cards must be old ones."""
        if not isinstance(given, Mapping):
            fail("deck_max", f"a dict card -> int, not {given!r}")
        bounds = [0] * N_CARDS
        for name, bound in given.items():
            bounds[self.card("deck_max", name)] = an_int("deck_max", bound, 0, MOST)
        others = [other for other in self.seats if other != seat]
        for card in range(N_CARDS):
            new = pile[card] + sum(self.secret[other][card] for other in others if not self.old_max[other])
            if not new <= bounds[card] <= unseen[card]:
                fail("deck_max", f"seat {seat}: {new} to {unseen[card]} {CARD_NAMES[card]}, not {bounds[card]}")
        old = sum(self.old_max[other] for other in others)
        if sum(unseen) - sum(bounds) > old:
            fail("deck_max", f"seat {seat}: the others have at most {old} old cards")
        return bounds

    # How it ended, and what happened

    def read_end(self) -> None:
        self.winner = an_int("winner", self.get("winner", NO_SEAT), NO_SEAT, self.n - 1)
        self.truncated = a_bool("truncated", self.get("truncated", False))
        self.ending = NO_END
        if not self.over:
            if self.winner != NO_SEAT:
                fail("winner", f"nobody has won in {self.phase}")
            if self.truncated:
                fail("truncated", f"the game is not over in {self.phase}")
        elif self.winner != NO_SEAT:
            if self.complete != [self.winner] or self.current != self.winner:
                fail("winner", "the seat with a complete word, whose turn it is")
            if self.truncated:
                fail("truncated", "not if somebody has won")
            self.ending = WON
        else:
            if self.complete:
                fail("winner", f"the word of seat {self.complete[0]} is complete")
            if not self.truncated and not self.dead:
                fail("winner", "-1 only if the game was cut off, or no card can ever move again")
            self.ending = TRUNCATED if self.truncated else DEAD

    def read_past(self) -> None:
        events = a_list("events", self.get("events", []))
        if len(events) > N_EVENTS:
            fail("events", f"at most {N_EVENTS}")
        self.events = [self.event(event) for event in events]
        self.rng = None
        if "rng" in self.given:
            text = a_text("rng", self.given["rng"])
            if len(text) != 16 or set(text) - set("0123456789abcdef"):
                fail("rng", f"16 hexadecimal digits, not {text!r}")
            self.rng = int(text, 16)

    def event(self, given: Any) -> tuple[int, int]:
        """1 + the seat (or FLIPPED), and the action (or the card)."""
        seat, name = a_list("events", given, 2)
        seat = an_int("events", seat, NO_SEAT, self.n - 1)
        name = a_text("events", name)
        if seat == NO_SEAT:
            if not name.startswith(FLIP):
                fail("events", f"seat -1 only flips, not {name!r}")
            return FLIPPED, self.card("events", name.removeprefix(FLIP))
        if name not in ACTIONS.ids:
            fail("events", f"no action {name!r}")
        return seat + 1, ACTIONS.ids[name]

    # The state

    def write(self) -> None:
        """Fill in an empty state; what follows from the rest is checked at the end."""
        s = self.state[0]
        for seat in self.seats:
            for stack, names in self.murders[seat].items():
                for name in names:
                    face = FACE_WILD if name == CARD_NAMES[WILD] else FACES.index(name[1])
                    build(self.state, seat, N_FACES * STACKS.index(stack) + face)
            s["known"][seat] = words_of(counts_of(self.known[seat]))
            s["secret"][seat] = words_of(self.secret[seat])
            s["deck_max"][seat] = words_of(self.deck_max[seat])
        s["n_held"] = byte_word(len(hand) for hand in self.hands)
        s["old_max"] = byte_word(self.old_max)
        s["hidden"] = words_of(self.hidden)
        s["discard"] = words_of(counts_of(self.discard))
        s["discard_n"] = len(self.discard)
        s["deck"][: len(self.deck)] = self.deck[::-1]
        s["deck_n"] = len(self.deck)
        s["phase"] = PHASES.index(self.phase)
        s["first"], s["current"] = self.first, self.current
        s["turn"], s["steps"], s["reshuffles"] = self.turn, self.steps, self.reshuffles
        s["played"], s["mode"] = self.played, MODES.index(self.mode)
        s["target"], s["third_card"] = self.target, self.third_card
        s["letter"] = LETTERS.index(self.letter) if self.letter else NOTHING
        s["prevented"], s["pending"] = as_set(self.prevented), as_set(self.pending)
        s["winner"], s["ending"] = self.winner, self.ending
        pairs = [byte for event in reversed(self.events) for byte in event]
        s["events"] = np.frombuffer(bytes(pairs + [0] * (2 * N_EVENTS - len(pairs))), np.uint64)
        s["to_act"] = NO_SEAT if self.over else self.pending[0] if self.pending else self.current
        if self.rng is not None:
            s["rng"] = self.rng
        follows("to_act", self.given, int(s["to_act"]))
        follows("over", self.given, self.over, lambda a, b: a is b)
        paid = np.zeros(self.n)
        returns_of(self.state, self.rules, paid)
        follows("returns", self.given, paid.tolist(), same_numbers)


def same_numbers(given: Any, numbers: list[float]) -> bool:
    """Is it a list of these numbers?"""
    if not isinstance(given, (list, tuple)) or len(given) != len(numbers):
        return False
    if not all(is_int(x) or isinstance(x, (float, np.floating)) for x in given):
        return False
    return all(abs(x - y) <= 1e-6 for x, y in zip(given, numbers))


def counts_of(cards: Iterable[int]) -> list[int]:
    """How many there are of each card in a list."""
    counts = [0] * N_CARDS
    for card in cards:
        counts[card] += 1
    return counts


def byte_word(values: Iterable[int]) -> int:
    """Small numbers as the bytes of a word, the first lowest."""
    return sum(value << 8 * i for i, value in enumerate(values))
