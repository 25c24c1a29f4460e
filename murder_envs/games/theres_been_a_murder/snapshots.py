"""A state as a plain dict in the terms of the rulebook, and back (the page's section 11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import (
    a_bool,
    a_choice,
    a_list,
    an_int,
    distinct,
    fail,
    follows,
    ints,
    known_only,
    numbers,
)
from murder_envs.core.jit import entry, records
from murder_envs.core.lanes import N_LANES
from murder_envs.core.rng import seed_rng
from murder_envs.games.theres_been_a_murder.cards import (
    ACTION_CARDS,
    ARISTOCRAT,
    BLACKMAILER,
    CAD,
    CONFIDANT,
    DETECTIVE,
    DOCTOR,
    DRIVER,
    DRUNK,
    GOSSIP,
    HOUND,
    INVALID,
    MAID,
    MONKEY,
    MURDERER,
    N_CARDS,
    NO_CARD,
    NUN,
    RATINGS,
    REPORTER,
    SECRETARY,
    SEER,
    SOCIALITE,
    SWAIN,
    WITNESS,
)
from murder_envs.games.theres_been_a_murder.deal import HANDS, LOWER, N_EVENTS, OUT, STATE, UPPER, clear
from murder_envs.games.theres_been_a_murder.effects import next_chooser
from murder_envs.games.theres_been_a_murder.moves import (
    BEGIN,
    ENDINGS,
    EVENTS,
    NO_SEAT,
    PHASES,
    SEEN,
    TALK_NONE,
    TALK_SYMBOLS,
    TOLD_ALL,
    WON,
    givable,
)
from murder_envs.games.theres_been_a_murder.play import resolve, returns

START = "start"
"""A further phase name, for restoring only: the turn has not begun."""

EFFECTS = {
    "announce": (NO_CARD, SWAIN),
    "target": (DETECTIVE, CAD, SOCIALITE, SWAIN, INVALID, REPORTER),
    "target2": (CAD,),
    "discard": (DETECTIVE,),
    "pass": (CAD, SOCIALITE, GOSSIP, INVALID),
    "show": (MAID,),
    "bury": (NUN,),
    "rescue": (DOCTOR,),
    "search": (SECRETARY,),
    "pick": (DRIVER,),
    "seer": (SEER,),
    "name": (HOUND,),
    "over": (NO_CARD, *ACTION_CARDS),
}
"""phase -> effects that can be under way in it; no effect in all others."""

N_TARGETS = {("target2", CAD): 1, ("discard", DETECTIVE): 1, ("pass", CAD): 2, ("pass", SOCIALITE): 1,
             ("pass", INVALID): 1}  # fmt: skip
"""How many targets are chosen by then; none in all other cases."""

FIELDS = (
    "hands", "removed", "deck", "discard", "lower", "first", "turn", "turns", "phase", "to_act", "effect", "played",
    "last_action", "targets", "chosen", "possible", "depth_known", "signals", "used_symbols", "events", "over",
    "ending", "won", "score", "rating", "returns",
)  # fmt: skip


@entry
def start_empty(states, seed):
    """An empty table with random numbers from a seed."""
    clear(states[0])
    seed_rng(states[0], seed)


@entry
def go_on(states, rules, begin):
    """Close the tables; where the turn has not begun, begin it."""
    resolve(states[0], rules[0], BEGIN if begin else SEEN)


@entry
def chooser(states, rules):
    """Who has to place a card next."""
    return next_chooser(states[0], rules[0])


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------


def members(cards: Any) -> list[int]:
    """A set as a list, ascending."""
    return [i for i in range(64) if int(cards) >> i & 1]


def rating_of(score: int) -> int:
    """Row of the score chart, 4 the best; -1 without a win."""
    return -1 if score < 0 else next(len(RATINGS) - 1 - i for i, (least, _) in enumerate(RATINGS) if score >= least)


def table_of(state: np.ndarray, viewer: int) -> np.ndarray:
    """A viewer's table: one set of cards a place, a view into the state."""
    return state[0]["possible"][viewer // N_LANES, :, viewer % N_LANES]


def depths_of(state: np.ndarray) -> np.ndarray:
    """Known depths: one set of cards a viewer, a view into the state."""
    return state[0]["depth_known"].reshape(-1)


def place_order(n: int) -> list[int]:
    """The rows of a table as a snapshot lists them: hands by absolute seat, upper, lower, out."""
    return [HANDS + seat for seat in range(n)] + [UPPER, LOWER, OUT]


def snapshot(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    s = state[0]
    n = int(rules[0]["n_seats"])
    deck_n, discard_n = int(s["deck_n"]), int(s["discard_n"])
    ending = ENDINGS[s["ending"]]
    won = ending in WON
    score = deck_n if won else -1
    paid = np.zeros(n)
    returns_of(state, rules, paid)
    return {
        "hands": [members(s["hand"][seat]) for seat in range(n)],
        "removed": members(s["removed"]),
        "deck": [int(card) for card in s["deck"][:deck_n][::-1]],
        "discard": [int(card) for card in s["discard"][:discard_n]],
        "lower": int(s["lower_n"]),
        "first": int(s["first"]),
        "turn": int(s["turn"]),
        "turns": int(s["turns"]),
        "phase": PHASES[s["phase"]],
        "to_act": int(s["to_act"]),
        "effect": int(s["effect"]),
        "played": int(s["played"]),
        "last_action": int(s["last_action"]),
        "targets": [int(seat) for seat in s["targets"] if seat != NO_SEAT],
        "chosen": [int(card) for card in s["chosen"][:n]],
        "possible": [[members(table_of(state, viewer)[p]) for p in place_order(n)] for viewer in range(n + 1)],
        "depth_known": [members(depths_of(state)[viewer]) for viewer in range(n + 1)],
        "signals": [int(symbol) for symbol in s["signals"][:n]],
        "used_symbols": members(s["used_symbols"]),
        "events": events_of(state),
        "over": PHASES[s["phase"]] == "over",
        "ending": ending,
        "won": won,
        "score": score,
        "rating": rating_of(score),
        "returns": [float(x) for x in paid],
    }


def events_of(state: np.ndarray) -> list[list[Any]]:
    """The public events, oldest first, as [kind, a, b, argument]."""
    at = int(state[0]["events_at"])
    newest_first = [int(event) for event in state[0]["events"][at : at + N_EVENTS] if event]
    return [
        [EVENTS[event & 255], (event >> 8 & 255) - 1, (event >> 16 & 255) - 1, event >> 24]
        for event in reversed(newest_first)
    ]


# -- From a dict to a state -------------------------------------------------------------------------


def restore(rules: np.ndarray, given: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
    if not isinstance(given, Mapping):
        raise ValueError(f"snapshot: a dict of fields, not {given!r}")
    known_only(given, FIELDS, "snapshot field")
    state = records(STATE, 1)
    start_empty(state, np.int64(seed))
    Position(rules, given).write(state)
    return state


def as_set(cards: Iterable[int]) -> int:
    """A set of cards: bit c for card c."""
    return sum(1 << card for card in cards)


class Position:
    """What a snapshot says, field by field: defaults filled in, everything checked, in the order of the page."""

    def __init__(self, rules: np.ndarray, given: Mapping[str, Any]) -> None:
        self.rules = rules
        self.given = given
        self.n = int(rules[0]["n_seats"])
        self.in_game = members(rules[0]["in_game"])
        self.read_piles()
        self.read_turn()
        self.read_effect()
        self.read_talk()
        self.read_end()
        self.check_hands()

    def get(self, field: str, default: Any) -> Any:
        return self.given.get(field, default)

    def cards(self, field: str, value: Any) -> list[int]:
        """A list of different cards of this game."""
        cards = ints(field, value, 1, N_CARDS)
        for card in cards:
            if card not in self.in_game:
                fail(field, f"card {card} is not in this game")
        distinct(field, cards)
        return cards

    def seat(self, field: str, default: int) -> int:
        return an_int(field, self.get(field, default), 0, self.n - 1)

    # Where the cards are

    def read_piles(self) -> None:
        hands = a_list("hands", self.get("hands", [[]] * self.n), self.n)
        self.hands = [self.cards("hands", hand) for hand in hands]
        self.removed = self.cards("removed", self.get("removed", []))
        deck = self.cards("deck", self.given["deck"]) if "deck" in self.given else None
        discard = self.cards("discard", self.given["discard"]) if "discard" in self.given else None
        placed: set[int] = set()
        piles = [("hands", hand) for hand in self.hands]
        for field, pile in [*piles, ("removed", self.removed), ("deck", deck or []), ("discard", discard or [])]:
            for card in pile:
                if card in placed:
                    fail(field, f"card {card} is in two places")
                placed.add(card)
        rest = [card for card in self.in_game if card not in placed]
        if deck is None:
            self.deck, self.discard = rest, discard or []
        elif discard is None:
            self.deck, self.discard = deck, rest
        elif rest:
            fail("discard", f"the cards {rest} are nowhere")
        else:
            self.deck, self.discard = deck, discard
        for hand in self.hands:
            if DETECTIVE in hand and BLACKMAILER in hand:
                fail("hands", "no hand can keep both 2 and 19")
        most = int(self.rules[0]["n_removed"])
        if len(self.removed) > most:
            fail("removed", f"at most {most} cards")
        if MURDERER in self.removed or DETECTIVE in self.removed:
            fail("removed", "never 1 or 2")
        self.lower = an_int("lower", self.get("lower", 0), 0, len(self.deck))

    # Whose move it is

    def read_turn(self) -> None:
        self.first = self.seat("first", 0)
        self.turn = self.seat("turn", 0)
        self.turns = an_int("turns", self.get("turns", 1), 1, int(self.rules[0]["max_turns"]) + 1)
        self.phase = a_choice("phase", self.get("phase", START), (START, *PHASES))
        self.drunk_at = next((seat for seat, hand in enumerate(self.hands) if DRUNK in hand), NO_SEAT)
        if self.phase == "announce":
            if self.drunk_at == NO_SEAT:
                fail("phase", "announce needs a holder of the Drunk (8)")
            if self.rules[0]["talk"] not in (TALK_NONE, TALK_SYMBOLS):
                fail("phase", "announce needs a `talk` with windows")
        if self.phase == "signal" and self.rules[0]["n_symbols"] == 0:
            fail("phase", "signal needs `symbols`")

    def read_effect(self) -> None:
        self.effect = an_int("effect", self.get("effect", NO_CARD), 0, N_CARDS)
        allowed = EFFECTS.get(self.phase, (NO_CARD,))
        if self.effect not in allowed:
            fail("effect", f"in {self.phase} one of {list(allowed)}, not {self.effect}")
        if self.effect != NO_CARD and self.effect not in self.in_game:
            fail("effect", f"card {self.effect} is not in this game")
        if self.phase == "announce" and self.effect == SWAIN and self.drunk_at != self.turn:
            fail("phase", "announce in the Swain's effect needs the actor to hold the Drunk (8)")
        self.played = an_int("played", self.get("played", self.effect), 0, N_CARDS)
        if self.played not in ((self.effect, MONKEY) if self.effect else (NO_CARD,)):
            fail("played", "the effect's card or 7 (0 without an effect)")
        if self.played and self.played not in self.discard:
            fail("played", f"card {self.played} is not in the discard pile")
        self.last_action = an_int("last_action", self.get("last_action", self.effect), 0, N_CARDS)
        if self.last_action:
            if self.last_action not in ACTION_CARDS or self.last_action not in self.in_game:
                fail("last_action", f"card {self.last_action} is no Action of this game")
            if self.last_action != DOCTOR and self.last_action not in self.discard:
                fail("last_action", f"card {self.last_action} is not in the discard pile")
        if self.effect and self.last_action != self.effect:
            fail("last_action", f"the effect under way, {self.effect}")
        self.read_targets()
        self.read_chosen()

    def read_targets(self) -> None:
        self.targets = ints("targets", self.get("targets", []), 0, self.n - 1)
        if self.phase == "over":
            if len(self.targets) > 2:
                fail("targets", "at most 2")
        elif len(self.targets) != (n := N_TARGETS.get((self.phase, self.effect), 0)):
            fail("targets", f"{n} in this phase, not {len(self.targets)}")
        distinct("targets", self.targets)
        may_be_actor = self.effect == DETECTIVE and self.rules[0]["detective_self"]
        if self.turn in self.targets and not may_be_actor:
            fail("targets", "not the actor")

    def read_chosen(self) -> None:
        self.chosen = ints("chosen", self.get("chosen", [NO_CARD] * self.n), 0, N_CARDS, self.n)
        if self.phase == "over":
            return
        for seat, card in enumerate(self.chosen):
            if card == NO_CARD:
                continue
            if self.phase not in ("pass", "show"):
                fail("chosen", f"nobody has placed a card in {self.phase}")
            can = members(int(givable_in_python(as_set(self.hands[seat]))))
            if card not in can:
                fail("chosen", f"seat {seat} can place {can}, not {card}")

    # What was said and what happened

    def read_talk(self) -> None:
        k = int(self.rules[0]["n_symbols"])
        self.signals = ints("signals", self.get("signals", [-1] * self.n), -1, k - 1, self.n)
        used = sorted({symbol for symbol in self.signals if symbol >= 0})
        self.used_symbols = ints("used_symbols", self.get("used_symbols", used), 0, k - 1)
        events = a_list("events", self.get("events", []))
        if len(events) > N_EVENTS:
            fail("events", f"at most {N_EVENTS}")
        self.events = [self.event(entry) for entry in events]

    def event(self, given: Any) -> int:
        kind, a, b, argument = a_list("events", given, 4)
        a_choice("events", kind, EVENTS[1:])
        a = an_int("events", a, 0, self.n - 1)
        b = an_int("events", b, -1, self.n - 1)
        argument = an_int("events", argument, 0, TOLD_ALL)
        return EVENTS.index(kind) + (a + 1 << 8) + (b + 1 << 16) + (argument << 24)

    def read_end(self) -> None:
        over = self.phase == "over"
        if a_bool("over", self.get("over", over)) != over:
            fail("over", f"{over} in phase {self.phase}")
        self.ending = a_choice("ending", self.get("ending", ""), ENDINGS)
        if over != (self.ending != ""):
            fail("ending", "exactly when the game is over")
        if self.ending == "detective" and MURDERER not in self.discard:
            fail("ending", "detective needs the Murderer in the discard pile")
        for ending, card in (("confidant", CONFIDANT), ("witness", WITNESS)):
            if self.ending == ending and not any(MURDERER in hand and card in hand for hand in self.hands):
                fail("ending", f"{ending} needs the Murderer and card {card} in one hand")

    # Who has to have cards

    def check_hands(self) -> None:
        hand = self.hands[self.turn]
        if self.phase in ("play", "signal") or (self.phase == "announce" and not self.effect):
            if len(hand) < 2 and hand != [ARISTOCRAT]:
                fail("hands", "the actor has two or more cards, or the Aristocrat alone")
        if self.phase == "bury" and not hand:
            fail("hands", "the actor has a card to bury")
        if self.phase == "target" and self.effect == SWAIN and not hand:
            fail("hands", "the actor has a card to be taken")
        if self.phase == "discard" and not self.hands[self.targets[0]]:
            fail("hands", "the Detective's target has a card to discard")
        if self.phase in ("search", "pick", "seer") and not self.deck:
            fail("deck", f"not empty in {self.phase}")
        if self.phase == "rescue" and len(self.discard) < 2:
            fail("discard", "there is something to take besides the card just played")

    # The state

    def write(self, state: np.ndarray) -> None:
        """Fill in an empty state; what follows from the rest is checked on the way."""
        s = state[0]
        n = self.n
        for seat in range(n):
            s["hand"][seat] = as_set(self.hands[seat])
            s["chosen"][seat] = self.chosen[seat]
            s["signals"][seat] = self.signals[seat]
        s["removed"] = as_set(self.removed)
        s["deck"][: len(self.deck)] = self.deck[::-1]
        s["deck_n"] = len(self.deck)
        s["lower_n"] = self.lower
        s["discard"][: len(self.discard)] = self.discard
        s["discard_n"] = len(self.discard)
        s["last_action"] = self.last_action
        s["used_symbols"] = as_set(self.used_symbols)
        s["turn"], s["first"], s["turns"] = self.turn, self.first, self.turns
        s["played"], s["effect"] = self.played, self.effect
        s["targets"][: len(self.targets)] = self.targets
        s["ending"] = ENDINGS.index(self.ending)
        for i, event in enumerate(reversed(self.events)):
            s["events"][i] = s["events"][i + N_EVENTS] = event
        starts = self.phase == START
        s["phase"] = PHASES.index("play" if starts else self.phase)
        s["to_act"] = self.to_act(state)
        follows("to_act", self.given, int(s["to_act"]))
        self.write_knowledge(state)
        go_on(state, self.rules, starts)
        if not starts:
            self.check_results(snapshot(self.rules, state))

    def to_act(self, state: np.ndarray) -> int:
        """Who is asked, as it follows from the rest."""
        if self.phase == "over":
            return NO_SEAT
        if self.phase == "announce":
            return self.drunk_at
        if self.phase == "discard":
            return self.targets[0]
        if self.phase not in ("pass", "show"):
            return self.turn
        seat = int(chooser(state, self.rules))
        if seat == NO_SEAT:
            if any(self.chosen):
                fail("chosen", "not all choosers have placed a card while one is asked")
            fail("hands", "somebody has a card to place")
        self.check_order(state, seat)
        return seat

    def check_order(self, state: np.ndarray, asked: int) -> None:
        """Those who have placed a card are the first choosers, clockwise from the actor."""
        placed = {seat for seat, card in enumerate(self.chosen) if card}
        state[0]["chosen"][:] = NO_CARD
        while (seat := int(chooser(state, self.rules))) != asked:
            if seat not in placed:
                fail("chosen", f"seat {seat} places its card first")
            placed.remove(seat)
            state[0]["chosen"][seat] = self.chosen[seat]
        if placed:
            fail("chosen", f"seat {min(placed)} is not asked before seat {asked}")

    def write_knowledge(self, state: np.ndarray) -> None:
        """The tables as given, or without any knowledge but what the phase shows."""
        lone = self.hands[self.turn] == [ARISTOCRAT] and (
            self.phase in ("play", "signal") or (self.phase == "announce" and not self.effect)
        )
        hidden = [card for card in self.in_game if card not in self.discard]
        nothing = [hidden] * self.n + [hidden, hidden, [c for c in hidden if c not in (MURDERER, DETECTIVE)]]
        if lone:
            nothing = [[c for c in row if c != ARISTOCRAT] for row in nothing]
            nothing[self.turn] = [ARISTOCRAT]
        tables = a_list("possible", self.get("possible", [nothing] * (self.n + 1)), self.n + 1)
        rows = [[self.cards("possible", row) for row in a_list("possible", t, self.n + 3)] for t in tables]
        top = len(self.deck) - self.lower
        truth = [*self.hands, self.deck[:top], self.deck[top:], self.removed]
        for viewer, table in enumerate(rows):
            for place, (row, there, public) in enumerate(zip(table, truth, rows[-1], strict=True)):
                if missing := set(there) - set(row):
                    fail("possible", f"viewer {viewer}, place {place}: {min(missing)} lies there but is not listed")
                if more := set(row) - set(public):
                    fail("possible", f"viewer {viewer}, place {place}: {min(more)} is excluded for the public")
                table_of(state, viewer)[place_order(self.n)[place]] = as_set(row) & as_set(hidden)
        self.write_depths(state)

    def write_depths(self, state: np.ndarray) -> None:
        looked_at = {"search": self.deck, "pick": self.deck[:3], "seer": self.deck[-1:]}.get(self.phase, [])
        default = [looked_at if viewer == self.turn else [] for viewer in range(self.n + 1)]
        depths = a_list("depth_known", self.get("depth_known", default), self.n + 1)
        rows = [self.cards("depth_known", row) for row in depths]
        for viewer, row in enumerate(rows):
            if outside := set(row) - set(self.deck):
                fail("depth_known", f"viewer {viewer}: {min(outside)} is not in the deck")
            if unknown := set(rows[-1]) - set(row):
                fail("depth_known", f"viewer {viewer}: {min(unknown)} is known to the public")
            depths_of(state)[viewer] = as_set(row)

    def check_results(self, complete: Mapping[str, Any]) -> None:
        for field in ("won", "score", "rating"):
            follows(field, self.given, complete[field], lambda a, b: type(a) is type(b) and a == b)
        if "returns" in self.given:
            given = numbers("returns", self.given["returns"], self.n)
            follows("returns", {"returns": given}, complete["returns"], np.allclose)


def givable_in_python(hand: int) -> int:
    """`moves.givable` for a plain int."""
    return int(givable.py_func(np.uint64(hand)) if hasattr(givable, "py_func") else givable(np.uint64(hand)))
