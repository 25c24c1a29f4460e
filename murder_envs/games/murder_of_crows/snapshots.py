"""A state as a plain dict in the terms of the rulebook, and back: what is not plain in `state.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import a_bool, a_list, a_text, an_int, fail, ints, shown
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import entry, records
from murder_envs.core.rng import seed_rng, shuffle
from murder_envs.core.snapshots import Reader, check_results, clockwise, members_of, public_fields, show
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.deal import clear
from murder_envs.games.murder_of_crows.effects import (
    affected,
    effect_of,
    lay_on_stack,
    touched,
    with_letter,
    with_murder,
)
from murder_envs.games.murder_of_crows.moves import ACTIONS, ENDING, MODES, PHASES
from murder_envs.games.murder_of_crows.play import can_react, returns, step
from murder_envs.games.murder_of_crows.state import FLIPPED, N_EVENTS, State

STAR = "*"
"""In a pile: all cards named nowhere."""
FLIP = "flip:"
MOST = 2**62

SPECIAL = {
    "murders": "for each seat a dict stack -> its cards, bottom to top; empty stacks are left out",
    "hands": "the cards that each seat holds",
    "discard": "the discards, in no order",
    "deck": 'the draw pile, top first; "*", here or in `discard`, stands for all cards that are named nowhere',
    "pending": "seats that have still to answer, the one to act first",
    "known": "for each seat the cards of its hand that everybody knows",
    "old_max": "for each seat, how many of its unknown cards may be from before the latest reshuffle, at most",
    "deck_max": "for each seat a dict card -> how many copies it must allow for in the draw pile",
    "truncated": "did the step cap end the game?",
    "events": '[seat, action], oldest first; [-1, "flip:<card>"] for the Murdered Third',
    "rng": "the state of the random numbers, 16 hexadecimal digits",
    "to_act": "the seat that is asked, -1 when over; it follows from the rest",
    "over": "is the game over? It follows from the rest",
    "returns": "what each seat is paid; it follows from the rest",
}
"""The fields that need code, and what is in them; the others are plain fields of State."""
SEEN_BY_ALL = ("murders", "discard", "pending", "known", "old_max", "truncated", "events", "to_act", "over", "returns")

REMOVES = "remove"
EFFECT_NAMES = (*c.LETTERS, REMOVES)
"""The number of an effect -> its name here."""
EFFECTS = {
    "wild": EFFECT_NAMES,
    "react": ("M", "U", "D", "E", REMOVES),
    "target": ("M", "U", REMOVES),
    "take": ("M",),
    "grab": ("U",),
    "letter": ("D",),
    "lose": ("D",),
    "raze": (REMOVES,),
}
"""phase with a card in play -> effects that have this step."""
THIRD_PHASES = {"third_take": c.TAKE_BACK, "third_lose": c.DRAIN, "third_raze": c.REMOVE_OWN}
"""phase of the Third -> what it does."""


# -- Questions to the compiled rules ----------------------------------------------------------------


@entry
def start_empty(states, rules, seed):
    """An empty table with random numbers from a seed, and nothing in the draw pile."""
    clear(states[0], rules[0])
    seed_rng(states[0], seed)
    states[0].deck_n = 0
    for i in range(2):
        states[0].hidden[i] = 0


@entry
def mix(states, n):
    """Shuffle the n cards that lie in the draw pile's room."""
    shuffle(states[0], states[0].deck, 0, n)


@entry
def build(states, seat, stack_face):
    """Lay a card on top of a stack."""
    lay_on_stack(states[0], seat, stack_face)


@entry
def effect_in_play(states, rules, out):
    """The effect of the card in play; into uint64[3], as sets: whom it touches, who of them is left, who can react."""
    effect = effect_of(states[0])
    out[0] = touched(states[0], rules[0], effect)
    out[1] = affected(states[0], rules[0], effect)
    out[2] = can_react(states[0], rules[0])
    return effect


@entry
def seats_with_letter(states, rules, seats, letter):
    """Those of some seats that have a card in the stacks of a letter."""
    return with_letter(states[0], rules[0], seats, letter)


@entry
def seats_with_murder(states, rules):
    """The seats with at least one card in their Murder."""
    return with_murder(states[0], rules[0])


@entry
def act_anew(states, rules, action):
    """Take a step, known to be legal, under rules that may differ from those of the game."""
    step(states[0], rules[0], action)


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------


def counted(counts: np.ndarray) -> list[int]:
    """Two words of counts as a list of 16."""
    return np.ascontiguousarray(counts, np.uint64).view(np.uint8).tolist()


def named(counts: Iterable[int]) -> list[str]:
    """Counts by card as names, in the order of card ids."""
    return [c.CARD_NAMES[card] for card, n in enumerate(counts) for _ in range(n)]


def byte_list(word: Any, n: int) -> list[int]:
    """The n low bytes of a word."""
    return [int(word) >> 8 * i & 255 for i in range(n)]


def stack_of(state: np.ndarray, seat: int, stack: int) -> list[str]:
    """The cards of a stack by name, bottom to top."""
    code = int(state[0]["stack"][seat, stack])
    cards = []
    while code > 1:
        cards.append(c.CARD_NAMES[c.CARD_OF[c.N_FACES * stack + code % c.N_FACES]])
        code //= c.N_FACES
    return cards[::-1]


def snapshot(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    s = state[0]
    n = int(rules[0]["n_seats"])
    known = [counted(s["known"][seat]) for seat in range(n)]
    secret = [counted(s["secret"][seat]) for seat in range(n)]
    murders = [{name: stack_of(state, seat, k) for k, name in enumerate(c.STACKS)} for seat in range(n)]
    paid = np.zeros(n)
    returns_of(state, rules, paid)
    deck = s["deck"][: int(s["deck_n"])][::-1].tolist()
    return {
        **show(State, rules, state),
        "murders": [{name: cards for name, cards in murder.items() if cards} for murder in murders],
        "hands": [named(map(sum, zip(*parts))) for parts in zip(known, secret)],
        "discard": named(counted(s["discard"])),
        "deck": [c.CARD_NAMES[card] for card in (sorted(deck) if s["rng_listed"] else deck)],
        "pending": clockwise(members_of(s["pending"]), int(s["to_act"]), n),
        "known": [named(counts) for counts in known],
        "old_max": byte_list(s["old_max"], n),
        "deck_max": [dict_of(counted(s["deck_max"][seat])) for seat in range(n)],
        "truncated": bool(s["ending"] == ENDING.truncated),
        "events": events_of(state),
        "rng": f"{int(s['drawn' if s['rng_listed'] else 'rng']):016x}",
        "to_act": int(s["to_act"]),
        "over": PHASES[s["phase"]] == "over",
        "returns": paid.tolist(),
    }


def dict_of(counts: list[int]) -> dict[str, int]:
    """Counts by name, without zeros."""
    return {c.CARD_NAMES[card]: n for card, n in enumerate(counts) if n}


def events_of(state: np.ndarray) -> list[list[Any]]:
    """The open acts, oldest first: [seat, action], or [-1, "flip:<card>"]."""
    pairs = np.ascontiguousarray(state[0]["events"]).view(np.uint8).reshape(N_EVENTS, 2)[::-1].tolist()
    return [
        [NO_SEAT, FLIP + c.CARD_NAMES[argument]] if actor == FLIPPED else [actor - 1, ACTIONS.names[argument]]
        for actor, argument in pairs
        if actor
    ]


def public(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """What everybody sees: it stays the same in any `redeal`."""
    full = snapshot(rules, state)
    return {
        **{name: full[name] for name in (*public_fields(State), *SEEN_BY_ALL)},
        "hand sizes": [len(hand) for hand in full["hands"]],
        "draw pile": len(full["deck"]),
    }


# -- From a dict to a state -------------------------------------------------------------------------


def restore(rules: np.ndarray, snapshot: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
    state = records(State.dtype, 1)
    start_empty(state, rules, seed)
    Position(rules, snapshot, state).write()
    return state


def words_of(counts: list[int]) -> np.ndarray:
    """A list of 16 counts as two words."""
    return np.frombuffer(bytes(counts), np.uint64)


class Position(Reader):
    """What a snapshot says, in the order of a game: defaults filled in, everything checked.

    Cards go onto the table first (`lay_out`); from then on the compiled rules are asked what an effect touches, who can
    react and who has a letter, so that a position is possible exactly if play could have led to its questions. What is
    left out takes the default that shows least: no knowledge, an unprevented effect, all answers still to come.
    """

    def __init__(self, rules: np.ndarray, snapshot: Mapping[str, Any], state: np.ndarray) -> None:
        super().__init__(State, rules, snapshot, SPECIAL)
        self.state = state
        self.n = int(rules[0]["n_seats"])
        self.seats = range(self.n)
        self.stacks = [name for k, name in enumerate(c.STACKS) if k in members_of(rules[0]["stacks"])]
        self.read_turn()
        self.read_cards()
        self.read_play()
        self.read_answers()
        self.read_knowledge()
        self.read_end()
        self.read_past()

    def clockwise(self, seats: Any, start: int) -> list[int]:
        """A set of seats as a list, clockwise from a start on."""
        return clockwise(members_of(seats), start, self.n)

    def need(self, seats: list[int], what: str) -> list[int]:
        """Some seats, of which there must be one in this phase."""
        if not seats:
            fail("phase", f"nobody is {what} in {self.phase}")
        return seats

    # Whose turn it is

    def read_turn(self) -> None:
        rules = self.rules[0]
        self.phase = self.read("phase", "start")
        self.over = self.phase == "over"
        self.by_third = self.phase in THIRD_PHASES
        if self.by_third and not rules["murdered_third"]:
            fail("phase", f"{self.phase} only with murdered_third")
        self.first = self.read("first", max(0, int(rules["first_player"])))
        self.current = self.read("current", self.first)
        if self.by_third and self.current == self.first:
            fail("current", f"the seat before `first` in {self.phase}")
        self.read("turn")
        most = int(rules["max_steps"])
        self.read("steps", high=most if self.over else most - 1)
        self.read("reshuffles")

    # Where the cards are

    def card(self, field: str, name: Any) -> int:
        if not isinstance(name, str) or name not in c.CARD_NAMES:
            fail(field, f"no card {shown(name)}")
        return c.CARD_NAMES.index(name)

    def place(self, field: str, cards: Iterable[int]) -> None:
        """Count cards that are put somewhere."""
        for card in cards:
            self.left[card] -= 1
            if self.left[card] < 0:
                fail(field, f"more {c.CARD_NAMES[card]} than there are")

    def read_cards(self) -> None:
        self.left = counted(self.rules[0]["copies"])
        murders = a_list("murders", self.get("murders", [{}] * self.n), self.n)
        self.murders = [self.read_murder(murder) for murder in murders]
        self.hands: list[list[int]] = []
        if "hands" in self.snapshot:
            for hand in a_list("hands", self.snapshot["hands"], self.n):
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
        if "hands" not in self.snapshot:
            self.deal_hands(unplaced)
        if loose_deck:
            self.deck[loose_deck[0] : loose_deck[0]] = unplaced
        elif loose_discard:
            self.discard += unplaced
        elif unplaced:
            fail("deck", f"{', '.join(c.CARD_NAMES[card] for card in sorted(unplaced))} nowhere")
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

    def read_murder(self, value: Any) -> dict[str, list[str]]:
        """One Murder: stack -> names of its cards, non-empty stacks only."""
        if not isinstance(value, Mapping):
            fail("murders", f"a dict stack -> cards, not {shown(value)}")
        murder = {}
        for stack, names in value.items():
            if stack not in self.stacks:
                fail("murders", f"no stack {shown(stack)} in play")
            cards = [self.card("murders", name) for name in a_list("murders", names)]
            for card in cards:
                if card != c.WILD and c.CARD_NAMES[card][0] != stack[0]:
                    fail("murders", f"{c.CARD_NAMES[card]} does not lie in stack {stack}")
            self.place("murders", cards)
            if cards:
                murder[stack] = [c.CARD_NAMES[card] for card in cards]
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
        for seat in clockwise(self.seats, self.first, self.n):
            for _ in range(size - (seat == self.first)):
                if not unplaced:
                    fail("hands", "too few cards are left to deal them")
                self.hands[seat].append(unplaced.pop())

    def lay_out(self) -> None:
        """Put the cards on the table, so that the compiled rules can be asked about it."""
        for seat in self.seats:
            for stack, names in self.murders[seat].items():
                for name in names:
                    face = c.FACE_WILD if name == c.CARD_NAMES[c.WILD] else c.FACES.index(name[1])
                    build(self.state, seat, c.N_FACES * c.STACKS.index(stack) + face)
        self.state[0]["n_held"] = byte_word(len(hand) for hand in self.hands)

    # The card in play

    def read_play(self) -> None:
        self.lay_out()
        played = a_text("played", self.get("played", ""))
        self.effect = ""
        if self.phase not in EFFECTS:
            if played:
                fail("played", f"no card is in play in {self.phase}")
        elif played not in c.STACK_FACES:
            fail("played", f"a stack-face in {self.phase}, not {shown(played)}")
        self.read("played")
        wild = played.endswith(c.FACES[c.FACE_WILD])
        if played:
            stack_face = c.STACK_FACES.index(played)
            top = self.murders[self.current].get(c.STACKS[stack_face // c.N_FACES], [""])[-1]
            if top != c.CARD_NAMES[c.CARD_OF[stack_face]]:
                fail("played", f"{played} does not lie on that stack of seat {self.current}")
        may_be = MODES[1:] if wild and self.phase != "wild" else MODES[:1]
        if self.read("mode", may_be[0]) not in may_be:
            fail("mode", f"in {self.phase} one of {', '.join(map(repr, may_be))}, not {shown(self.get('mode', ''))}")
        self.read_prevented(bool(played), wild)

    def read_prevented(self, in_play: bool, wild: bool) -> None:
        """Who has prevented the effect, and with that whom it still affects, as the compiled rules have it."""
        prevented = self.read("prevented")
        if prevented and (self.phase not in EFFECTS or self.phase == "wild"):
            fail("prevented", f"nobody has prevented anything in {self.phase}")
        self.affected: list[int] = []
        self.can_react: list[int] = []
        if not in_play:
            return
        self.write_plain(self.state)
        seats = np.zeros(3, np.uint64)
        self.effect = EFFECT_NAMES[effect_in_play(self.state, self.rules, seats)]
        if self.effect not in EFFECTS[self.phase] or (self.phase == "wild" and not wild):
            fail("phase", f"{self.get('played', '')} does not lead to {self.phase}")
        touched_by_it, self.affected, self.can_react = (self.clockwise(each, self.current) for each in seats)
        # Who has shown its last card as a shield has no hand any more, but was touched by an Uncover.
        may_prevent = [seat for seat in self.seats if seat != self.current] if self.effect == "U" else touched_by_it
        for seat in prevented:
            if seat not in may_prevent:
                fail("prevented", f"the effect does not touch seat {seat}")

    # What was chosen, and who has still to answer

    def read_answers(self) -> None:
        self.read_target()
        self.read_letter()
        self.read_third_card()
        asked: list[int] = []
        start = self.first if self.by_third else self.current
        if self.phase == "react":
            asked = self.can_react
        elif self.phase in ("lose", "third_lose"):
            asked = self.seats_with_letter(self.affected if self.phase == "lose" else list(self.seats), start)
        elif self.by_third:
            asked = self.clockwise(seats_with_murder(self.state, self.rules), start)
        answers = self.by_third or self.phase in ("react", "lose")
        if answers:
            self.need(asked, "asked")
        self.pending = ints("pending", self.get("pending", asked), 0, self.n - 1)
        if answers and (not self.pending or self.pending != asked[-len(self.pending) :]):
            fail("pending", f"the last ones of {asked}, not {self.pending}")
        if not answers and self.pending:
            fail("pending", f"nobody has still to answer in {self.phase}")
        if self.phase == "react":
            order = clockwise(self.seats, self.current, self.n)
            for seat in self.get("prevented", []):
                if order.index(seat) >= order.index(self.pending[0]):
                    fail("prevented", f"seat {seat} has not answered yet")

    def seats_with_letter(self, seats: list[int], start: int) -> list[int]:
        """Those of some seats that have a card in the stacks of the letter, clockwise."""
        bits = np.uint64(sum(1 << seat for seat in seats))
        return self.clockwise(seats_with_letter(self.state, self.rules, bits, c.LETTERS.index(self.letter)), start)

    def read_target(self) -> None:
        may_be = [NO_SEAT]
        if self.phase in ("take", "grab"):
            may_be = self.need(self.affected, "affected")
        elif self.phase == "raze":
            may_be = [*self.affected, self.current]
        elif self.phase == "letter" or (self.phase == "target" and self.effect != REMOVES):
            self.need(self.affected, "affected")
        if (target := self.read("target")) not in may_be:
            fail("target", f"in {self.phase} one of {may_be}, not {target}")

    def read_letter(self) -> None:
        self.letter = a_text("letter", self.get("letter", ""))
        may_be = [stack[0] for stack in self.stacks] if self.phase in ("lose", "third_lose") else [""]
        if self.letter not in may_be:
            fail("letter", f"in {self.phase} one of {sorted(set(may_be))}, not {shown(self.letter)}")
        self.put("letter", self.letter)

    def read_third_card(self) -> None:
        name = a_text("third_card", self.get("third_card", ""))
        if not self.by_third:
            if name:
                fail("third_card", f"the Third's flip is not being resolved in {self.phase}")
            return
        card = self.card("third_card", name)
        flips = [flip for flip, act in zip(c.FLIPS, self.rules[0]["third_table"]) if act == THIRD_PHASES[self.phase]]
        if name[0] not in flips:
            fail("third_card", f"in {self.phase} a card {' or '.join(flips) or '(there is none)'}, not {name}")
        if card not in [*self.discard, *(self.deck if self.phase == "third_lose" else [])]:
            fail("third_card", f"{name} is not in the discards")
        self.put("third_card", name)

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
                fail("known", f"{c.CARD_NAMES[secret.index(min(secret))]} is not in the hand of seat {seat}")
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

    def bounds(self, value: Any, seat: int, pile: list[int], unseen: list[int]) -> list[int]:
        """A seat's bounds on the draw pile; they must allow what is there, and excluded cards must be old ones."""
        if not isinstance(value, Mapping):
            fail("deck_max", f"a dict card -> int, not {shown(value)}")
        bounds = [0] * c.N_CARDS
        for name, bound in value.items():
            bounds[self.card("deck_max", name)] = an_int("deck_max", bound, 0, MOST)
        others = [other for other in self.seats if other != seat]
        for card in range(c.N_CARDS):
            new = pile[card] + sum(self.secret[other][card] for other in others if not self.old_max[other])
            if not new <= bounds[card] <= unseen[card]:
                fail("deck_max", f"seat {seat}: {new} to {unseen[card]} {c.CARD_NAMES[card]}, not {bounds[card]}")
        old = sum(self.old_max[other] for other in others)
        if sum(unseen) - sum(bounds) > old:
            fail("deck_max", f"seat {seat}: the others have at most {old} old cards")
        return bounds

    # How it ended, and what happened

    def read_end(self) -> None:
        winner = self.read("winner")
        truncated = a_bool("truncated", self.get("truncated", False))
        self.ending = ENDING.none
        if not self.over:
            if winner != NO_SEAT:
                fail("winner", f"nobody has won in {self.phase}")
            if truncated:
                fail("truncated", f"the game is not over in {self.phase}")
        elif winner != NO_SEAT:
            if self.complete != [winner] or self.current != winner:
                fail("winner", "the seat with a complete word, whose turn it is")
            if truncated:
                fail("truncated", "not if somebody has won")
            self.ending = ENDING.won
        else:
            if self.complete:
                fail("winner", f"the word of seat {self.complete[0]} is complete")
            if not truncated and not self.dead:
                fail("winner", "-1 only if the game was cut off, or no card can ever move again")
            self.ending = ENDING.truncated if truncated else ENDING.dead

    def read_past(self) -> None:
        events = a_list("events", self.get("events", []))
        if len(events) > N_EVENTS:
            fail("events", f"at most {N_EVENTS}")
        self.events = [self.event(event) for event in events]
        self.rng = None
        if "rng" in self.snapshot:
            text = a_text("rng", self.snapshot["rng"])
            if len(text) != 16 or set(text) - set("0123456789abcdef"):
                fail("rng", f"16 hexadecimal digits, not {shown(text)}")
            self.rng = int(text, 16)

    def event(self, value: Any) -> tuple[int, int]:
        """1 + the seat (or FLIPPED), and the action (or the card)."""
        seat, name = a_list("events", value, 2)
        seat = an_int("events", seat, NO_SEAT, self.n - 1)
        name = a_text("events", name)
        if seat == NO_SEAT:
            if not name.startswith(FLIP):
                fail("events", f"seat -1 only flips, not {shown(name)}")
            return FLIPPED, self.card("events", name.removeprefix(FLIP))
        if name not in ACTIONS.ids:
            fail("events", f"no action {shown(name)}")
        return seat + 1, ACTIONS.ids[name]

    # The state

    def write(self) -> None:
        """Fill in the state, on which the cards in Murders lie already; then compare what follows from the rest."""
        s = self.state[0]
        self.read_rest()
        self.write_plain(self.state)
        for seat in self.seats:
            s["known"][seat] = words_of(counts_of(self.known[seat]))
            s["secret"][seat] = words_of(self.secret[seat])
            s["deck_max"][seat] = words_of(self.deck_max[seat])
        s["old_max"] = byte_word(self.old_max)
        s["hidden"] = words_of(self.hidden)
        s["discard"] = words_of(counts_of(self.discard))
        s["discard_n"] = len(self.discard)
        s["deck"][: len(self.deck)] = self.deck[::-1]
        s["deck_n"] = len(self.deck)
        s["pending"] = sum(1 << seat for seat in self.pending)
        s["ending"] = self.ending
        pairs = [byte for event in reversed(self.events) for byte in event]
        s["events"] = np.frombuffer(bytes(pairs + [0] * (2 * N_EVENTS - len(pairs))), np.uint64)
        s["to_act"] = NO_SEAT if self.over else self.pending[0] if self.pending else self.current
        if self.rng is not None:
            s["rng"] = self.rng
        check_results(self.snapshot, snapshot(self.rules, self.state), ("to_act", "over", "returns"))


def counts_of(cards: Iterable[int]) -> list[int]:
    """How many there are of each card in a list."""
    counts = [0] * c.N_CARDS
    for card in cards:
        counts[card] += 1
    return counts


def byte_word(values: Iterable[int]) -> int:
    """Small numbers as the bytes of a word, the first lowest."""
    return sum(value << 8 * i for i, value in enumerate(values))
