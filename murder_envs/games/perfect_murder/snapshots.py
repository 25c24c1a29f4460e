"""A state as a plain dict in the terms of the rulebook, and back: what is not plain in `state.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from murder_envs.core.checks import a_bool, a_choice, a_list, a_text, fail, ints, is_int, shown
from murder_envs.core.jit import entry, records
from murder_envs.core.rng import seed_rng
from murder_envs.core.snapshots import Reader, check_results, members_of, public_fields, show
from murder_envs.core.tables import Actions
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import effects, play
from murder_envs.games.perfect_murder.case import Case
from murder_envs.games.perfect_murder.deal import clear, real_marks
from murder_envs.games.perfect_murder.moves import FLIGHT, PHASE, PHASES, SEAT_OF, STAGE_OF, STAGES
from murder_envs.games.perfect_murder.record import Replay, as_seen, entries_of, lay_pile, pile_of
from murder_envs.games.perfect_murder.state import State

SPECIAL = {
    "path": "rooms of the murderer's path, the first one first",
    "record": "what was done since the planning, an entry for each finished action, hidden parts included",
    "clue_pile": "clue cards, top first",
    "trace_pile": "trace cards, top first",
    "room_pile": "numbers of the room cards, top first",
    "fled": "has the murderer fled?",
    "chosen": "what the action under way has named so far",
    "to_act": "the seat that is asked, -1 when over; it follows from the rest",
    "over": "is the game over?",
    "returns": "what each seat is paid; it follows from the rest",
    "x_markers": "fields with an X, real or false; they follow from the rest",
    "examined": 'a dict field -> "x" or "blank" of the markers that were examined; it follows from the rest',
    "action_cards": "a dict action card -> how many copies are left; it follows from the rest",
    "used_room_cards": "numbers of the room cards used, in their order; they follow from the rest",
    "correct": "are suspect, weapon and entry of the accusation right? Empty before the end; it follows from the rest",
}
"""The fields that need code, and what is in them; the others are plain fields of State."""
SEEN_BY_ALL = ("fled", "over", "returns", "examined", "used_room_cards")
"""Of these, what everybody sees as it is."""
RESULTS = (
    "to_act", "over", "returns", "discard", "crossed", "false_marks", "x_markers", "examined", "action_cards",
    "used_room_cards", "winner", "correct",
)  # fmt: skip
"""The fields that follow from the rest."""
IN_ANY_ORDER = ("discard", "crossed", "false_marks", "x_markers")

PLANNING = PHASES[: PHASE.murderer_turn]
MURDERERS = PHASES[PHASE.murderer_turn : PHASE.flee]
"""The murderer's own phases."""
STANDARD = PHASES[PHASE.remove_pick : PHASE.mark_trace]
BONUS = {
    **{PHASES[PHASE.mark_trace + card]: card for card in range(len(c.ACTION_CARDS))}, "search_card": c.SEARCH_PILE
}  # fmt: skip
"""phase of an action card under way -> the card."""
DETECTIVES = PHASES[PHASE.detective_turn : PHASE.accuse_suspect]
ACCUSING = PHASES[PHASE.accuse_suspect : PHASE.over]
LOOKED_THROUGH = {"remove_pick": 1, "remove_top": c.FROM_TOP, "request_keep": c.FROM_TOP, "search_card": 1}
"""Phases in which a pile is named -> how many cards it must have."""
BEGIN = {
    "remove_top": "remove_pick",
    "clean_room": "clean_card",
    "split": "detective_turn",
    "discard_marker": "discard",
    "accuse_weapon": "accuse_suspect",
    "accuse_entry": "accuse_suspect",
}
"""Phases that come after a choice -> the phase of the first choice; what was chosen since is in `chosen`."""
CHOICES = {
    "remove_pick": "card",
    "clean_card": "room_card",
    "detective_turn": "search",
    "steal": "card",
    "discard": "card",
    "accuse_suspect": "suspect",
    "accuse_weapon": "weapon",
}
"""Phases with such a choice -> the block of actions."""


# -- Questions to the compiled rules ----------------------------------------------------------------


@entry
def start_empty(states, rules, seed):
    """An empty table with random numbers from a seed."""
    clear(states[0], rules[0])
    seed_rng(states[0], seed)


@entry
def seed_again(states, seed):
    """The random numbers as they were at the start."""
    seed_rng(states[0], seed)


@entry
def legal_of(states, rules, legal_set):
    """What can be done."""
    play.legal(states[0], rules[0], legal_set)


@entry
def playable_of(states, rules):
    """The action cards that can be played as a bonus now, as a set."""
    return effects.playable_cards(states[0], rules[0])


@entry
def full_actions_of(states, rules):
    """The detective's actions in this round."""
    return play.full_actions(states[0], rules[0])


@entry
def returns_of(states, rules, out):
    """What each seat is paid."""
    play.returns(states[0], rules[0], out)


@entry
def marks_of(states, rules):
    """The real marks, as far as planned."""
    return real_marks(states[0], rules[0])


def copies_of(counts: Any) -> list[int]:
    """How many of each action card, from a word of a byte each."""
    return [int(counts) >> 8 * card & 255 for card in range(len(c.ACTION_CARDS))]


class Snapshots:
    """Snapshots in the names of a case."""

    def __init__(self, case: Case, actions: Actions) -> None:
        self.case = case
        self.actions = actions
        self.names = {name: getattr(case, name) for name in ("suspects", "weapons", "rooms", "fields")}

    # -- From a state to a dict ----------------------------------------------------------------------

    def fields(self, cards: Any) -> list[str]:
        """A set of fields as names, in board order."""
        return [self.case.fields[field] for field in members_of(cards)]

    def snapshot(self, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
        """The complete snapshot of a state."""
        s = state[0]
        case = self.case
        over = s["phase"] == PHASE.over
        paid = np.zeros(len(c.AGENTS))
        returns_of(state, rules, paid)
        counts = zip(case.action_cards, copies_of(s["up"]), copies_of(s["down"]), strict=True)
        record = entries_of(case, state)
        x_up, blank_off = int(s["x_up"]), int(s["blank_off"])
        return {
            **show(State, rules, state, self.names),
            "path": [case.rooms[room] for room in s["path"][: s["path_n"]]],
            "record": record,
            "clue_pile": [case.fields[card] for card in pile_of(state, c.CLUE)],
            "trace_pile": [case.fields[case.n_clues + card] for card in pile_of(state, c.TRACE)],
            "room_pile": [card + 1 for card in pile_of(state, c.ROOM)],
            "fled": bool(s["flight"] == FLIGHT.fled),
            "chosen": self.chosen(state),
            "to_act": int(s["to_act"]),
            "over": bool(over),
            "returns": paid.tolist(),
            "x_markers": self.fields(int(marks_of(state, rules)) | int(s["false_marks"])),
            "examined": {case.fields[i]: "x" if x_up >> i & 1 else "blank" for i in members_of(x_up | blank_off)},
            "action_cards": {name: n - up - down for name, (n, up, down) in zip(c.ACTION_CARDS, counts, strict=True)},
            "used_room_cards": [int(text.split(" ")[1]) for text in record if text.startswith("clean ")],
            "correct": self.correct(state) if over else [],
        }

    def correct(self, state: np.ndarray) -> list[bool]:
        """Which statements of the accusation are right: suspect, weapon, entry."""
        s = state[0]
        pairs = (("named_suspect", s["suspect"]), ("named_weapon", s["weapon"]), ("named_entry", s["path"][0]))
        return [bool(s[named] == true) for named, true in pairs]

    def chosen(self, state: np.ndarray) -> list[str]:
        """What the action under way has named so far."""
        s = state[0]
        phase = PHASES[s["phase"]]
        if phase == "clean_room":
            return [str(int(s["chosen_room_card"]) + 1)]
        if phase == "split":
            return [self.case.rooms[s["chosen_room"]]]
        if phase == "accuse_weapon":
            return [self.case.suspects[s["named_suspect"]]]
        if phase == "accuse_entry":
            return [self.case.suspects[s["named_suspect"]], self.case.weapons[s["named_weapon"]]]
        return self.fields(s["chosen"])

    def public(self, rules: np.ndarray, state: np.ndarray) -> dict[str, Any]:
        """What everybody sees: it stays the same in any `redeal`."""
        full = self.snapshot(rules, state)
        clues = self.case.fields[: self.case.n_clues]
        laid = [text.split(" ")[2] for text in full["record"] if text.startswith("bonus up ")]
        return {
            **{name: full[name] for name in (*public_fields(State), *SEEN_BY_ALL)},
            "stage": STAGES[STAGE_OF[state[0]["phase"]]],
            "record": [as_seen(text) for text in full["record"]],
            "sizes": [len(full[pile]) for pile in ("clue_pile", "trace_pile", "room_pile", "removed", "known")],
            "hand": [sum(card in clues for card in full["hand"]), len(full["hand"])],
            "cards_up": [laid.count(card) for card in c.ACTION_CARDS],
        }

    # -- From a dict to a state ----------------------------------------------------------------------

    def restore(self, rules: np.ndarray, snapshot: Mapping[str, Any], seed: int) -> np.ndarray:
        """The state that a (partial) snapshot describes; ValueError names a field that cannot be."""
        state = records(State.dtype, 1)
        start_empty(state, rules, seed)
        Position(self, rules, snapshot, state)
        seed_again(state, seed)
        check_results(snapshot, self.snapshot(rules, state), RESULTS, IN_ANY_ORDER)
        return state


class Position(Reader):
    """What a snapshot says, in the order of a game: defaults filled in, everything checked, written to a state.

    The plan, the record and the action under way are decisions, which the compiled rules take or refuse. What remains
    to be checked here is how a position in the middle of a game hangs together: the phase and what must be true in it,
    and that every card is in one place.
    """

    def __init__(self, snapshots: Snapshots, rules: np.ndarray, snapshot: Mapping[str, Any], state: np.ndarray) -> None:
        super().__init__(State, rules, snapshot, SPECIAL, snapshots.names)
        self.case = snapshots.case
        self.state = state
        self.replay = Replay(snapshots.case, snapshots.actions, rules, state)
        self.rounds, self.actions = int(rules[0]["rounds"]), int(rules[0]["actions"])
        self.read_plan()
        self.read_phase()
        self.read_record()
        self.read_cards()
        self.read_rooms()
        self.read_turn()
        self.read_actions()
        self.read_choices()
        self.finish()

    # The plan

    def read_plan(self) -> None:
        """Plan as far as the snapshot says: `lacks` is the phase of the next decision of the plan, or ""."""
        suspect, weapon = self.read("suspect"), self.read("weapon")
        path = [a_choice("path", name, self.case.rooms) for name in a_list("path", self.get("path", []))]
        if not suspect and (path or weapon):
            fail("suspect", "is chosen before the path and the weapon")
        if suspect:
            self.replay.attempt(f"suspect:{suspect}")
        for i, room in enumerate(path):
            if not self.replay.attempt(f"room:{room}"):
                fail("path", f"does not lead to {room} as its step {i + 1}")
        if weapon and not self.replay.attempt(f"weapon:{weapon}"):
            fail("weapon", f"{weapon} does not lie on a finished path")
        phase = PHASES[self.state[0]["phase"]]
        self.lacks = phase if phase in PLANNING else ""

    # What is asked, and when

    def read_phase(self) -> None:
        """The phase, if left out, is what the plan lacks, or the murderer's turn; the round is the first, or the last
        where the game is over or the detective must accuse."""
        over = a_bool("over", self.get("over", False))
        self.phase = self.read("phase", self.lacks or ("over" if over else "murderer_turn"))
        if self.lacks and self.phase != self.lacks:
            fail("phase", f"{self.lacks}, since the plan is not finished")
        if not self.lacks and self.phase in PLANNING:
            fail("phase", "the plan is finished")
        left = self.get("actions_left", None)
        last = self.phase == "over" or (self.phase in ACCUSING and is_int(left) and left == 0)
        self.round = self.read("round", self.rounds if last else 1)
        if self.lacks and self.round != 1:
            fail("round", "1 while the murderer plans")
        flight_after = self.rounds - c.FLIGHT_BEFORE_END
        if self.phase == "flee" and (flight_after < 1 or self.round != flight_after):
            fail("phase", f"flee only at the end of round {flight_after}, if there is one")

    def read_record(self) -> None:
        """Play the record again. It may be incomplete, but not longer than by this round it can be: in a round two
        entries of the murderer and the detective's actions, and in the game a flight and an accusation."""
        entries = a_list("record", self.get("record", []))
        if entries and self.lacks:
            fail("record", "empty before the plan is finished")
        most = self.round * (2 + self.actions) + 2
        if len(entries) > most:
            fail("record", f"at most {most} entries by round {self.round}")
        self.replay.read(entries)
        s = self.state[0]
        decided = s["flight"] != FLIGHT.none
        if decided and not (self.rounds > c.FLIGHT_BEFORE_END and self.round > self.rounds - c.FLIGHT_BEFORE_END):
            fail("record", f"no flight is decided by round {self.round}")
        if bool(s["verdict"]) != (self.phase == "over"):
            fail("record", "ends with an accusation exactly when the game is over")
        self.has_fled = bool(s["flight"] == FLIGHT.fled)
        if a_bool("fled", self.get("fled", self.has_fled)) != self.has_fled:
            fail("fled", f"{self.has_fled} by the record")
        if self.has_fled and self.phase in MURDERERS:
            fail("phase", "the murderer has fled")

    # Where the cards are

    def read_cards(self) -> None:
        """The hand, the cards out of the game, both piles, and what the murderer knows of them.

        Cards may be out of the game without an entry: the record need not go back to their removal.
        """
        s, names = self.state[0], self.case.fields
        discarded, recorded = ({names[i] for i in members_of(s[field])} for field in ("discarded", "out"))
        hand = self.read("hand", [])
        for card in hand:
            if card in discarded | recorded:
                fail("hand", f"the card {card} is gone")
        removed = self.read("removed", sorted(recorded, key=names.index))
        for card in sorted(recorded - set(removed)):
            fail("removed", f"{card} is removed in the record")
        for card in removed:
            if card in hand or card in discarded:
                fail("removed", f"{card} is in two places")
        if self.lacks and removed:
            fail("removed", "nothing before the plan is finished")
        elsewhere = {*hand, *removed, *discarded}
        piled: list[str] = []
        for kind, base in ((c.CLUE, 0), (c.TRACE, self.case.n_clues)):
            field = f"{c.KINDS[kind]}_pile"
            left = [
                name for i, name in enumerate(names) if self.case.kind_of(i) == c.KINDS[kind] and name not in elsewhere
            ]
            pile = [a_choice(field, name, names) for name in a_list(field, self.get(field, left))]
            if sorted(pile) != sorted(left):
                fail(field, f"exactly the cards that are nowhere else: {', '.join(left)}")
            lay_pile(self.state, kind, [names.index(name) - base for name in pile])
            piled += pile
        for card in self.read("known"):
            if card not in hand and card not in piled:
                fail("known", f"{card} is neither in a pile nor in the hand")

    def read_rooms(self) -> None:
        """The room pile: exactly the cards that no entry has used."""
        used = members_of(self.state[0]["used_room_cards"])
        n = len(self.case.room_cards)
        left = [card + 1 for card in range(n) if card not in used]
        pile = ints("room_pile", self.get("room_pile", left), 1, n)
        if sorted(pile) != left:
            fail("room_pile", f"exactly the cards that are not used: {', '.join(map(str, left))}")
        self.read("known_rooms", high=len(left))
        lay_pile(self.state, c.ROOM, [card - 1 for card in pile])

    # The round

    def read_turn(self) -> None:
        """What has been done in this round. After a flight there is no standard action."""
        phase = self.phase
        open_still = phase in MURDERERS or phase in PLANNING or self.has_fled
        standard_done = self.read("standard_done", not open_still)
        if standard_done and phase in (*STANDARD, *PLANNING):
            fail("standard_done", f"False in {phase}")
        bonus_done = self.read("bonus_done")
        if bonus_done and not int(self.rules[0]["black"]) >> self.round & 1:
            fail("bonus_done", f"round {self.round} does not begin on a black space")
        if bonus_done and (phase in BONUS or phase in PLANNING):
            fail("bonus_done", f"False in {phase}")
        searched = self.read("searched", phase == "split")
        if phase == "split" and not searched:
            fail("searched", "True in split")
        if searched and phase in PLANNING:
            fail("searched", "False while the murderer plans")
        self.write_plain(self.state)
        if phase in BONUS and BONUS[phase] not in members_of(playable_of(self.state, self.rules)):
            fail("phase", f"{phase} only on a black space, with a card {c.ACTION_CARDS[BONUS[phase]]} to be played")

    def read_actions(self) -> None:
        """The detective's actions: all are left in the murderer's turn; none at the end of a round.

        Those that were used and those that are left are no more than the rounds so far have had. Fewer may have been
        used: the record need not be complete.
        """
        full = int(full_actions_of(self.state, self.rules))
        phase = self.phase
        low, high = full, full
        if phase == "flee":
            low, high = 0, 0
        elif phase == "over":
            low = 0
        elif phase in DETECTIVES:
            low = 1
        elif phase in ACCUSING:
            low = 0 if self.round == self.rounds else 1
        if low > high:
            fail("phase", f"the detective has no action in round {self.round}")
        so_far = (self.round - 1) * self.actions + full
        done = int(self.state[0]["actions_used"])
        default = 0 if phase in ("flee", "over") else min(high, max(low, so_far - done))
        most = so_far - self.read("actions_left", default, low=low, high=high)
        if done > most:
            fail("record", f"at most {most} actions of the detective by now, not {done}")
        self.read("actions_used", done, low=done, high=most)

    # The action under way

    def read_choices(self) -> None:
        """What was chosen in an action since it began: the choices are made again."""
        s, phase = self.state[0], self.phase
        pile = self.read("pile")
        if bool(pile) != (phase in LOOKED_THROUGH):
            fail("pile", f"named exactly in {', '.join(LOOKED_THROUGH)}")
        self.read_rest(RESULTS)
        self.write_plain(self.state)
        if pile and s["pile_n"][c.KINDS.index(pile)] < LOOKED_THROUGH[phase]:
            fail("pile", f"has too few cards for {phase}")
        if phase == "split" and s["pile_n"][c.CLUE] + s["pile_n"][c.TRACE] == 0:
            fail("phase", "both piles are empty in split")
        names = [a_text("chosen", name) for name in a_list("chosen", self.get("chosen", []))]
        if names and phase not in (*BEGIN, "steal", "discard"):
            fail("chosen", f"nothing in {phase}")
        s["phase"] = PHASES.index(BEGIN.get(phase, phase))
        if phase == "split":
            s["searched"] = 0
        for name in names:
            block = CHOICES.get(PHASES[s["phase"]], "")
            if not self.replay.attempt(f"{block}:{name}"):
                fail("chosen", f"{shown(name)} cannot be chosen there; cards are named in board order")
        if PHASES[s["phase"]] != phase:
            fail("chosen", f"these choices do not lead to {phase}")

    def finish(self) -> None:
        """Somebody is asked, and can do something."""
        s = self.state[0]
        s["to_act"] = SEAT_OF[s["phase"]]
        s["stale"] = 1
        legal_set = np.zeros(self.replay.actions.n_words, np.uint64)
        legal_of(self.state, self.rules, legal_set)
        if self.phase != "over" and not legal_set.any():
            fail("phase", f"nothing is legal in {self.phase}")
