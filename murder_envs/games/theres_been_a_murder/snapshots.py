"""A state as a plain dict in the terms of the rulebook, and back: what is not plain in `state.py`.

Cards are numbers, seats absolute, -1 is no seat and 0 no card.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import a_choice, a_list, an_int, distinct, fail, ints
from murder_envs.core.contract import NO_SEAT
from murder_envs.core.jit import entry, records
from murder_envs.core.lanes import N_LANES
from murder_envs.core.snapshots import Reader, check_results, members_of, public_fields, set_of, show
from murder_envs.games.theres_been_a_murder.cards import ACTION_CARDS, CARD, N_CARDS, NO_CARD, RATINGS
from murder_envs.games.theres_been_a_murder.deal import clear
from murder_envs.games.theres_been_a_murder.effects import drunk_window, next_chooser
from murder_envs.games.theres_been_a_murder.moves import ENDINGS, EVENTS, PHASES, TELLS_ALL, THEN, givable
from murder_envs.games.theres_been_a_murder.play import NO_SCORE, resolve, returns, score
from murder_envs.games.theres_been_a_murder.state import BITS_A, BITS_ARGUMENT, BITS_B, N_EVENTS, PLACE, State

START = "start"
"""A further phase name, for restoring only: the turn has not begun."""

SPECIAL = {
    "deck": "cards in the deck, top first",
    "discard": "cards in the discard pile, oldest first",
    "targets": "seats that the actor has chosen for the effect under way",
    "possible": "for each seat, and last for the public, the cards that may lie in each hand, the upper and the lower "
    "part of the deck, and among the removed ones",
    "depth_known": "for each seat, and last for the public, the cards of the deck whose exact place it knows",
    "events": "[kind, seat, second seat or -1, argument], oldest first",
    "over": "is the game over?",
    "won": "have the players won? It follows from the rest",
    "score": "cards left in the deck after a win, else -1; it follows from the rest",
    "rating": "row of the score chart, 4 the best, -1 without a win; it follows from the rest",
    "returns": "what each seat is paid; it follows from the rest",
}
"""The fields that need code, and what is in them; the others are plain fields of State."""
SEEN_BY_ALL = ("discard", "targets", "events", "over")
RESULTS = ("won", "score", "rating", "returns")

EFFECTS = {
    "announce": (NO_CARD, CARD.swain),
    "target": (CARD.detective, CARD.cad, CARD.socialite, CARD.swain, CARD.invalid, CARD.reporter),
    "target2": (CARD.cad,),
    "discard": (CARD.detective,),
    "pass": (CARD.cad, CARD.socialite, CARD.gossip, CARD.invalid),
    "show": (CARD.maid,),
    "bury": (CARD.nun,),
    "rescue": (CARD.doctor,),
    "search": (CARD.secretary,),
    "pick": (CARD.driver,),
    "seer": (CARD.seer,),
    "name": (CARD.hound,),
    "over": (NO_CARD, *ACTION_CARDS),
}
"""phase -> effects that can be under way in it; no effect in all others."""

N_TARGETS = {
    ("target2", CARD.cad): 1, ("discard", CARD.detective): 1, ("pass", CARD.cad): 2, ("pass", CARD.socialite): 1,
    ("pass", CARD.invalid): 1,
}  # fmt: skip
"""How many targets are chosen by then; none in all other cases."""

BLACKMAIL = {CARD.detective, CARD.blackmailer}
"""Two cards that no hand keeps both."""


# -- Questions to the compiled rules ----------------------------------------------------------------
# What a position has to fulfil is asked of the rules themselves, so that it is written once.


@entry
def start_empty(states, rules, seed):
    """An empty table with random numbers from a seed."""
    clear(states[0], rules[0], seed)


@entry
def go_on(states, rules, begin):
    """Close the tables; where the turn has not begun, begin it, which may draw cards or end the game."""
    resolve(states[0], rules[0], THEN.first_turn if begin else THEN.seen)


@entry
def has_windows(rules):
    """Does the talk of this table have windows for the Drunk's holder?"""
    return drunk_window(rules[0])


@entry
def can_place(states, seat):
    """The cards that a seat may place face down, as a set."""
    return givable(states[0].hand[seat])


@entry
def chooser(states, rules):
    """Who has to place a card next."""
    return next_chooser(states[0], rules[0])


@entry
def score_of(states):
    """The score, or NO_SCORE."""
    return score(states[0])


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    returns(states[0], rules[0], out)


# -- From a state to a dict -------------------------------------------------------------------------


def rating_of(points: int) -> int:
    """Row of the score chart, 4 the best; -1 without a win."""
    if points == NO_SCORE:
        return -1
    return next(len(RATINGS) - 1 - i for i, (least, _) in enumerate(RATINGS) if points >= least)


def results(state: np.ndarray) -> dict[str, Any]:
    """Whether the table has won, its score, and the row of the score chart."""
    points = int(score_of(state))
    return {"won": points != NO_SCORE, "score": points, "rating": rating_of(points)}


def table_of(state: np.ndarray, viewer: int) -> np.ndarray:
    """A viewer's table: uint32[N_PLACES], one set of cards a place, a view into the state."""
    return state[0]["possible"][viewer // N_LANES, :, viewer % N_LANES]


def depths_of(state: np.ndarray) -> np.ndarray:
    """Known depths: uint32, one set of cards a viewer, a view into the state."""
    return state[0]["depth_known"].reshape(-1)


def place_order(n: int) -> list[int]:
    """The rows of a table as a snapshot lists them: hands by absolute seat, upper, lower, out."""
    return [PLACE.hands + seat for seat in range(n)] + [PLACE.upper, PLACE.lower, PLACE.out]


def snapshot(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """The complete snapshot of a state."""
    s = state[0]
    n = int(rules[0]["n_seats"])
    paid = np.zeros(n)
    returns_of(state, rules, paid)
    return {
        **show(State, rules, state),
        "deck": s["deck"][: int(s["deck_n"])][::-1].tolist(),
        "discard": s["discard"][: int(s["discard_n"])].tolist(),
        "targets": [int(seat) for seat in s["targets"] if seat != NO_SEAT],
        "possible": [[members_of(table_of(state, viewer)[p]) for p in place_order(n)] for viewer in range(n + 1)],
        "depth_known": [members_of(depths_of(state)[viewer]) for viewer in range(n + 1)],
        "events": events_of(state),
        "over": PHASES[s["phase"]] == "over",
        **results(state),
        "returns": paid.tolist(),
    }


def events_of(state: np.ndarray) -> list[list[Any]]:
    """The public events, oldest first, as [kind, a, b, argument]."""
    at = int(state[0]["events_at"])
    newest_first = [int(event) for event in state[0]["events"][at : at + N_EVENTS] if event]
    return [
        [EVENTS[event & 255], (event >> BITS_A & 255) - 1, (event >> BITS_B & 255) - 1, event >> BITS_ARGUMENT]
        for event in reversed(newest_first)
    ]


def public(rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
    """What everybody sees: it stays the same in any `redeal`."""
    full = snapshot(rules, state)
    return {
        **{name: full[name] for name in (*public_fields(State), *SEEN_BY_ALL)},
        "hand sizes": [len(hand) for hand in full["hands"]],
        "deck size": len(full["deck"]),
        "removed": len(full["removed"]),
        "placed": [card != NO_CARD for card in full["chosen"]],
        "possible": full["possible"][-1],
        "depth_known": full["depth_known"][-1],
    }


# -- From a dict to a state -------------------------------------------------------------------------


def restore(rules: np.ndarray, snapshot: Mapping[str, Any], seed: int) -> np.ndarray:
    """The state that a (partial) snapshot describes.

    Args:
        rules: Rules, array of one.
        snapshot: plain dict; what it leaves out has the defaults of `Position`.
        seed: int from 0 to 2^63 - 1, for the random numbers to come.

    Raises:
        ValueError: begins with the name of a field that cannot be.
    """
    state = records(State.dtype, 1)
    start_empty(state, rules, seed)
    Position(rules, snapshot, state).write()
    return state


class Position(Reader):
    """What a snapshot says, in the order of a game: defaults filled in, everything checked.

    Of the deck and the discard pile, the deck has all cards that lie nowhere else, unless it is the only one of the two
    that is named; then the discard pile has them.
    """

    def __init__(self, rules: np.ndarray, snapshot: Mapping[str, Any], state: np.ndarray) -> None:
        super().__init__(State, rules, snapshot, SPECIAL)
        self.state = state
        self.n = int(rules[0]["n_seats"])
        self.in_game = members_of(rules[0]["in_game"])
        self.read_piles()
        self.read_turn()
        self.read_effect()
        self.read_targets()
        self.read_chosen()
        self.read_talk()
        self.read_end()
        self.check_hands()

    def cards(self, field: str, value: Any) -> list[int]:
        """A list of different cards of this game."""
        cards = self.of_this_game(field, ints(field, value, 1, N_CARDS))
        distinct(field, cards)
        return cards

    def of_this_game(self, field: str, cards: list[int]) -> list[int]:
        """Cards, each of which must be in this game."""
        for card in cards:
            if card not in self.in_game:
                fail(field, f"card {card} is not in this game")
        return cards

    # Where the cards are

    def read_piles(self) -> None:
        self.hands = [self.of_this_game("hands", hand) for hand in self.read("hands")]
        self.removed = self.of_this_game("removed", self.read("removed"))
        deck = self.cards("deck", self.snapshot["deck"]) if "deck" in self.snapshot else None
        discard = self.cards("discard", self.snapshot["discard"]) if "discard" in self.snapshot else None
        rest = self.unplaced(deck or [], discard or [])
        if deck is not None and discard is not None and rest:
            fail("discard", f"the cards {rest} are nowhere")
        self.deck = rest if deck is None else deck
        self.discard = discard if discard is not None else [] if deck is None else rest
        most = int(self.rules[0]["n_removed"])
        if len(self.removed) > most:
            fail("removed", f"at most {most} cards")
        if CARD.murderer in self.removed or CARD.detective in self.removed:
            fail("removed", f"never {CARD.murderer} or {CARD.detective}")
        self.lower = self.read("lower", high=len(self.deck))

    def unplaced(self, deck: list[int], discard: list[int]) -> list[int]:
        """The cards that lie nowhere; none may lie in two places."""
        placed: set[int] = set()
        hands = [("hands", hand) for hand in self.hands]
        for field, pile in [*hands, ("removed", self.removed), ("deck", deck), ("discard", discard)]:
            for card in pile:
                if card in placed:
                    fail(field, f"card {card} is in two places")
                placed.add(card)
        return [card for card in self.in_game if card not in placed]

    # Whose move it is

    def read_turn(self) -> None:
        self.read("first")
        self.turn = self.read("turn")
        self.read("turns")
        self.phase = a_choice("phase", self.get("phase", START), (START, *PHASES))
        self.put("phase", "play" if self.phase == START else self.phase)
        self.drunk_at = next((seat for seat, hand in enumerate(self.hands) if CARD.drunk in hand), NO_SEAT)
        if self.phase == "announce":
            if self.drunk_at == NO_SEAT:
                fail("phase", f"announce needs a holder of the Drunk ({CARD.drunk})")
            if not has_windows(self.rules):
                fail("phase", "announce needs a `talk` with windows")
        if self.phase == "signal" and self.rules[0]["n_symbols"] == 0:
            fail("phase", "signal needs `symbols`")

    def begins_turn(self) -> bool:
        """Has the actor's turn begun, with nothing played yet?"""
        return self.phase in ("play", "signal") or (self.phase == "announce" and not self.effect)

    def read_effect(self) -> None:
        self.effect = self.read("effect")
        may_be = EFFECTS.get(self.phase, (NO_CARD,))
        if self.effect not in may_be:
            fail("effect", f"in {self.phase} one of {list(may_be)}, not {self.effect}")
        if self.effect:
            self.of_this_game("effect", [self.effect])
        if self.phase == "announce" and self.effect == CARD.swain and self.drunk_at != self.turn:
            fail("phase", f"announce in the Swain's effect needs the actor to hold the Drunk ({CARD.drunk})")
        played = self.read("played", self.effect)
        if played not in ((self.effect, CARD.monkey) if self.effect else (NO_CARD,)):
            fail("played", f"the effect's card or {CARD.monkey} ({NO_CARD} without an effect)")
        if played and played not in self.discard:
            fail("played", f"card {played} is not in the discard pile")
        last_action = self.read("last_action", self.effect)
        if last_action:
            if last_action not in ACTION_CARDS or last_action not in self.in_game:
                fail("last_action", f"card {last_action} is no Action of this game")
            # A Doctor may have been rescued by a Monkey that copied it.
            if last_action != CARD.doctor and last_action not in self.discard:
                fail("last_action", f"card {last_action} is not in the discard pile")
        if self.effect and last_action != self.effect:
            fail("last_action", f"the effect under way, {self.effect}")

    def read_targets(self) -> None:
        self.targets = ints("targets", self.get("targets", []), 0, self.n - 1)
        if self.phase == "over":
            if len(self.targets) > 2:
                fail("targets", "at most 2")
        elif len(self.targets) != (n := N_TARGETS.get((self.phase, self.effect), 0)):
            fail("targets", f"{n} in this phase, not {len(self.targets)}")
        distinct("targets", self.targets)
        may_be_actor = self.effect == CARD.detective and self.rules[0]["detective_self"]
        if self.turn in self.targets and not may_be_actor:
            fail("targets", "not the actor")

    def read_chosen(self) -> None:
        self.chosen = self.read("chosen")
        if self.phase == "over":
            return
        self.write_plain(self.state)
        for seat, card in enumerate(self.chosen):
            if card == NO_CARD:
                continue
            if self.phase not in ("pass", "show"):
                fail("chosen", f"nobody has placed a card in {self.phase}")
            if card not in (may_be := members_of(can_place(self.state, seat))):
                fail("chosen", f"seat {seat} can place {may_be}, not {card}")

    # What was said and what happened

    def read_talk(self) -> None:
        signals = self.read("signals")
        self.read("used_symbols", sorted({symbol for symbol in signals if symbol >= 0}))
        events = a_list("events", self.get("events", []))
        if len(events) > N_EVENTS:
            fail("events", f"at most {N_EVENTS}")
        self.events = [self.event(event) for event in events]

    def event(self, value: Any) -> int:
        """A public event as the state has it."""
        kind, a, b, argument = a_list("events", value, 4)
        a_choice("events", kind, EVENTS[1:])
        a = an_int("events", a, 0, self.n - 1)
        b = an_int("events", b, NO_SEAT, self.n - 1)
        argument = an_int("events", argument, 0, TELLS_ALL)
        return EVENTS.index(kind) + (a + 1 << BITS_A) + (b + 1 << BITS_B) + (argument << BITS_ARGUMENT)

    def read_end(self) -> None:
        ending = self.read("ending")
        if (self.phase == "over") != (ending != ENDINGS[0]):
            fail("ending", "exactly when the game is over")
        if ending == "detective" and CARD.murderer not in self.discard:
            fail("ending", "detective needs the Murderer in the discard pile")
        for name, card in (("confidant", CARD.confidant), ("witness", CARD.witness)):
            if ending == name and not any(CARD.murderer in hand and card in hand for hand in self.hands):
                fail("ending", f"{name} needs the Murderer and card {card} in one hand")

    # Who has to have cards

    def check_hands(self) -> None:
        for seat, hand in enumerate(self.hands):
            if set(hand) >= BLACKMAIL and not self.met_at_the_end(seat):
                fail("hands", f"no hand can keep both {CARD.detective} and {CARD.blackmailer}")
        hand = self.hands[self.turn]
        if self.begins_turn() and len(hand) < 2 and hand != [CARD.aristocrat]:
            fail("hands", "the actor has two or more cards, or the Aristocrat alone")
        if self.phase == "bury" and not hand:
            fail("hands", "the actor has a card to bury")
        if self.phase == "target" and self.effect == CARD.swain and not hand:
            fail("hands", "the actor has a card to be taken")
        if self.phase == "discard" and not self.hands[self.targets[0]]:
            fail("hands", "the Detective's target has a card to discard")
        if self.phase in ("search", "pick", "seer") and not self.deck:
            fail("deck", f"not empty in {self.phase}")
        if self.phase == "rescue" and len(self.discard) < 2:
            fail("discard", "there is something to take besides the card just played")

    def met_at_the_end(self, seat: int) -> bool:
        """Did Detective and Blackmailer meet in a seat's hand as the Murderer was passed and ended the game?

        A game that is over resolves nothing more, so both stay there. Only by the Gossip do other cards than the
        Murderer come to where they can meet: whoever passes the Murderer has no other card.
        """
        ends_by_pass = self.read("ending") in ("confidant", "witness") and CARD.murderer in self.chosen
        return ends_by_pass and self.effect == CARD.gossip and self.chosen[seat - 1] in BLACKMAIL

    # The state

    def write(self) -> None:
        """Fill in the state; what follows from the rest is compared on the way."""
        s = self.state[0]
        self.read_rest()
        self.write_plain(self.state)
        s["deck"][: len(self.deck)] = self.deck[::-1]
        s["deck_n"] = len(self.deck)
        s["discard"][: len(self.discard)] = self.discard
        s["discard_n"] = len(self.discard)
        s["targets"][: len(self.targets)] = self.targets
        for i, event in enumerate(reversed(self.events)):
            s["events"][i] = s["events"][i + N_EVENTS] = event
        s["to_act"] = self.seat_asked()
        by_now = {"to_act": int(s["to_act"]), "over": self.phase == "over"}
        check_results(self.snapshot, by_now, by_now)
        self.write_knowledge()
        self.write_depths()
        starts = self.phase == START
        go_on(self.state, self.rules, starts)
        if not starts:
            check_results(self.snapshot, snapshot(self.rules, self.state), RESULTS)

    def seat_asked(self) -> int:
        """Who is asked, as it follows from the rest."""
        if self.phase == "over":
            return NO_SEAT
        if self.phase == "announce":
            return self.drunk_at
        if self.phase == "discard":
            return self.targets[0]
        if self.phase not in ("pass", "show"):
            return int(self.turn)
        seat = int(chooser(self.state, self.rules))
        if seat == NO_SEAT:
            if any(self.chosen):
                fail("chosen", "not all choosers have placed a card while one is asked")
            fail("hands", "somebody has a card to place")
        self.check_order(seat)
        return seat

    def check_order(self, seat_asked: int) -> None:
        """Those who have placed a card are the first choosers: asked one by one, the rules name the same seats."""
        placed = {seat for seat, card in enumerate(self.chosen) if card}
        self.state[0]["chosen"][:] = NO_CARD
        while (seat := int(chooser(self.state, self.rules))) != seat_asked:
            if seat not in placed:
                fail("chosen", f"seat {seat} places its card first")
            placed.remove(seat)
            self.state[0]["chosen"][seat] = self.chosen[seat]
        if placed:
            fail("chosen", f"seat {min(placed)} is not asked before seat {seat_asked}")

    def write_knowledge(self) -> None:
        """The tables as the snapshot has them, or without any knowledge but what the phase shows."""
        hidden = [card for card in self.in_game if card not in self.discard]
        tables = a_list("possible", self.get("possible", [self.ignorance(hidden)] * (self.n + 1)), self.n + 1)
        rows = [[self.cards("possible", row) for row in a_list("possible", t, self.n + 3)] for t in tables]
        top = len(self.deck) - self.lower
        truth = [*self.hands, self.deck[:top], self.deck[top:], self.removed]
        for viewer, table in enumerate(rows):
            for place, (row, there, public_row) in enumerate(zip(table, truth, rows[-1], strict=True)):
                if missing := set(there) - set(row):
                    fail("possible", f"viewer {viewer}, place {place}: {min(missing)} lies there but is not listed")
                if more := set(row) - set(public_row):
                    fail("possible", f"viewer {viewer}, place {place}: {min(more)} is excluded for the public")
                table_of(self.state, viewer)[place_order(self.n)[place]] = set_of(row) & set_of(hidden)

    def ignorance(self, hidden: list[int]) -> list[list[int]]:
        """The table of a viewer who has seen nothing: every hidden card may be anywhere.

        But neither the Murderer nor the Detective was removed; and an actor who did not draw to two cards is known to
        hold the Aristocrat.
        """
        out = [card for card in hidden if card not in (CARD.murderer, CARD.detective)]
        table = [*[hidden] * (self.n + 2), out]
        if self.begins_turn() and self.hands[self.turn] == [CARD.aristocrat]:
            table = [[card for card in row if card != CARD.aristocrat] for row in table]
            table[self.turn] = [CARD.aristocrat]
        return table

    def write_depths(self) -> None:
        """Depths as the snapshot has them, or those that the actor is looking at."""
        looked_at = {"search": self.deck, "pick": self.deck[:3], "seer": self.deck[-1:]}.get(self.phase, [])
        default = [looked_at if viewer == self.turn else [] for viewer in range(self.n + 1)]
        depths = a_list("depth_known", self.get("depth_known", default), self.n + 1)
        rows = [self.cards("depth_known", row) for row in depths]
        for viewer, row in enumerate(rows):
            if outside := set(row) - set(self.deck):
                fail("depth_known", f"viewer {viewer}: {min(outside)} is not in the deck")
            if unknown := set(rows[-1]) - set(row):
                fail("depth_known", f"viewer {viewer}: {min(unknown)} is known to the public")
            depths_of(self.state)[viewer] = set_of(row)
