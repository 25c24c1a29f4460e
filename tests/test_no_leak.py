"""Nobody sees what the rules do not show: redeals, twins, odds, and a canary that must be found."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import math
import pathlib
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from murder_envs.core.bits import PAD
from murder_envs.core.jit import bind, entry, records
from murder_envs.registry import GAMES
from murder_envs.ruleset import Ruleset
from tests.support import (
    THIN,
    Table,
    agrees,
    all_configs,
    data,
    decisions_of,
    games,
    reported,
    rows,
    ruleset_of,
    with_config,
)

LOOPS = pathlib.Path(__file__).parent / "leaks.py"
MANY, FEW = 200 // THIN, 1
"""Random games of each configuration: in a compiled loop, and with everything checked in Python."""

NOT_KEPT = ("", "the seat to act", "the legal set", "the observation", "chance apart")
"""By the numbers of leaks.py."""

POSITIONS, TRIES = 200, 2
"""Decisions of each configuration at which twins are looked for (whole games, one at least), and how often at each."""

FURTHER = 8
"""Decisions that twins play on."""


# -- Redeal -----------------------------------------------------------------------------------------------------------


def first_leak(ruleset: Ruleset, n: int, first_seed: int = 0) -> tuple[Table, int, int] | None:
    """A table just before a redeal does not keep everything, the seat, and what is not kept; None if all do."""
    loops = bind(ruleset, LOOPS)
    place, stream = np.zeros(4, np.int64), np.zeros(1, np.uint64)
    legal_sets = np.zeros((2, ruleset.actions.n_words), np.uint64)
    rows = np.zeros((2, ruleset.observation.size + PAD), np.int8)
    states = records(ruleset.STATE, 2)
    checked = loops.find_leak(
        states,
        ruleset.rules,
        ruleset.n_seats,
        first_seed,
        n,
        stream,
        legal_sets[0],
        legal_sets[1],
        rows[0],
        rows[1],
        place,
    )
    assert checked > n or place[3]
    if place[3] == loops.KEPT:
        return None
    seed, decisions, seat, wrong = (int(x) for x in place)
    table = Table(ruleset, seed)
    stream[0] = seed
    for _ in range(decisions):
        table.act(table.cursor.choose_at_random(stream))
    return table, seat, wrong


@pytest.mark.kernels
def test_a_redeal_keeps_what_the_seat_sees(ruleset):
    if leak := first_leak(ruleset, MANY):
        table, seat, wrong = leak
        with reported(table):
            raise AssertionError(f"a redeal for seat {seat} has not kept {NOT_KEPT[wrong]}")


@pytest.mark.kernels
def test_a_redeal_keeps_the_public_facts(ruleset):
    """And it leaves a state that can be played to the end, with chance of its own, and the original as it was."""
    for table, rng in games(ruleset, FEW):
        with reported(table):
            for _ in table.play_on(rng):
                if table.over:
                    break
                before, public, views = table.states.tobytes(), table.public(), table.views()
                for seat in range(ruleset.n_seats):
                    seed = rng.randrange(2**63)
                    other = table.redealt(seat, seed)
                    assert table.states.tobytes() == before
                    assert other.public() == public, f"seat {seat}"
                    assert other.look(seat) == views[seat] and other.seat == table.seat
                    stranger = table.copy()
                    stranger.states["rng"] += np.uint64(12345)
                    assert stranger.redealt(seat, seed).states.tobytes() == other.states.tobytes()
                check_it_is_a_position(other, rng)


def check_it_is_a_position(table: Table, rng: random.Random) -> None:
    """A complete position, which can be restored and played to the end."""
    full = table.snapshot()
    again = Table(table.ruleset, 3, full)
    assert again.snapshot() == full and again.views() == table.views()
    table.finish(rng)


@pytest.mark.kernels
def test_nobody_but_the_seat_to_act_has_a_mask(case):
    game, config = case
    raw = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**all_configs(game)[config])
    raw.reset(seed=4)
    rng = random.Random(4)
    while legal := raw.legal_actions():
        for seat, agent in enumerate(raw.possible_agents):
            shown = np.flatnonzero(raw.observe(agent)["action_mask"]).tolist()
            assert shown == (legal if agent == raw.agent_selection else [])
            other = raw.redeal(seat, rng.randrange(100))
            assert (other.observe(agent)["observation"] == raw.observe(agent)["observation"]).all()
            assert (other.observe(agent)["action_mask"] == raw.observe(agent)["action_mask"]).all()
        raw.step(rng.choice(legal))
    assert not any(raw.observe(agent)["action_mask"].any() for agent in raw.possible_agents)


ODDS = rows("odds.toml", "odds")


@pytest.mark.kernels
@pytest.mark.parametrize(("game", "odds"), ODDS, ids=[f"{game}-{odds['name']}" for game, odds in ODDS])
def test_redeals_have_the_right_odds(game, odds):
    """Within four standard errors; what is certain or impossible, exactly."""
    n = odds.get("redeals", 2000)
    ruleset = with_config(game, odds.get("config", {}))
    table = dealt_as(ruleset, odds["dealt"]) if "dealt" in odds else Table(ruleset, 1, odds["setup"])
    copies = records(ruleset.STATE, n)
    bind(ruleset, LOOPS).redeal_often(table.states, copies, ruleset.rules, odds["seat"], 0)
    worlds = [(ruleset.snapshot(ruleset.rules, state), number) for state, number in different(copies)]
    for world in odds["world"]:
        p = world["p"]
        times = sum(number for full, number in worlds if is_in(world, full))
        assert abs(times - n * p) <= 4 * math.sqrt(n * p * (1 - p)), f"{times} of {n}: {world}"


def different(states: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    """Each different state, as an array of one, and how often it is among them; random numbers do not count."""
    states["rng"] = 0
    numbers: dict[bytes, list[int]] = {}
    for i in range(len(states)):
        numbers.setdefault(states[i].tobytes(), []).append(i)
    for equal in numbers.values():
        yield states[equal[0] : equal[0] + 1], len(equal)


def is_in(world: dict[str, Any], full: dict[str, Any]) -> bool:
    """Is this what a snapshot has? See the head of a game's odds.toml."""
    if "expect" in world:
        return not agrees(full, world["expect"])
    field, _, index = world["place"].partition(".")
    there = full[field][int(index)] if index else full[field]
    return world["card"] in there if isinstance(there, list) else world["card"] == there


def dealt_as(ruleset: Ruleset, expected: dict[str, Any]) -> Table:
    """The first dealt table that is as expected."""
    for seed in range(100_000):
        table = Table(ruleset, seed)
        if not agrees(table.snapshot(), expected):
            return table
    raise AssertionError(f"no deal has {expected}")


# -- Twins ------------------------------------------------------------------------------------------------------------


Card = tuple[Any, int]
"""A card that lies face down: what snapshots call it, and which of its copies it is."""


class Twins:
    """What a game's twins.toml says, over a snapshot."""

    def __init__(self, game: str, full: dict[str, Any]) -> None:
        self.file = data(game, "twins.toml")
        self.full = full
        self.n_seats = len(full["returns"])
        self.fields: dict[str, Any] = {}
        self.seers: dict[Card, set[int]] = {}
        copies: Counter[Any] = Counter()
        for hidden in self.file["hidden"]:
            field = hidden["field"]
            self.fields[field] = numbered(full[field], copies if field in self.file["piles"] else Counter())
            shown = {seat: Counter(cards) for seat, cards in enumerate(full.get(hidden.get("shown"), []))}
            for path, card in leaves(self.fields[field]):
                if "parts" in hidden and not set(hidden["parts"]) & set(path):
                    continue
                seers = self.seen_by(hidden, path, card[0])
                if shown and shown[path[0]][card[0]] > 0:
                    shown[path[0]][card[0]] -= 1
                    seers = set(range(self.n_seats))
                self.seers.setdefault(card, set()).update(seers)
        for seen in self.file.get("seen", []):
            if full["phase"] in seen.get("phases", [full["phase"]]):
                shown_cards = full[seen["field"].format(**full)][: seen.get("first")]
                for card, seers in self.seers.items():
                    if card[0] in shown_cards:
                        seers.add(seen["seat"])

    def seen_by(self, hidden: dict[str, Any], path: tuple[Any, ...], card: Any) -> set[int]:
        """Seats that see a card which lies face down, or face up by now."""
        by, place = hidden["seen_by"], path[0]
        if str(place) in map(str, self.full.get(hidden.get("face_up"), [])):
            return set(range(self.n_seats))
        if isinstance(by, int):
            return {by}
        if by == "owner":
            owners = self.full[hidden["owners"]] if "owners" in hidden else range(self.n_seats)
            return {seat for seat, owned in enumerate(owners) if owned == place}
        if by == "nobody":
            return set()
        if isinstance(self.full[by], dict):
            return set(self.full[by][place])
        return {seat for seat in range(self.n_seats) if card in self.full[by][seat]}

    def open_to(self, seat: int) -> list[Any]:
        """The fields that all see, and the cards lying face down that a seat sees."""
        seen = sorted((card[0] for card, seers in self.seers.items() if seat in seers), key=repr)
        return [seen, *(self.full[field] for field in self.file.get("open", []))]

    def sees(self, seat: int, card: Card, or_is_sure: bool) -> bool:
        """Does a seat see where a card is (or is it sure of it, having been shown it)?"""
        if card not in self.seers or seat in self.seers[card]:
            return True
        if not or_is_sure:
            return False
        sure = [self.full[known["field"]][seat] for known in self.file.get("knowledge", []) if known.get("sure")]
        return any(sum(card[0] in place for place in table) == 1 for table in sure)

    def all_is_shared(self) -> bool:
        """Do all know the same, so that whatever one sees all see?"""
        fields = [known for known in self.file.get("knowledge", []) if not known.get("of_the_rest")]
        tables = [self.full[known["field"]] for known in fields]
        return bool(tables) and all(known == table[0] for table in tables for known in table)

    def pairs(self, seat: int) -> list[tuple[Card, Card]]:
        """Pairs of different cards that lie face down and that a seat does not see."""
        unseen = sorted((card for card, seers in self.seers.items() if seat not in seers), key=repr)
        return [(a, b) for a, b in itertools.combinations(unseen, 2) if a[0] != b[0]]

    def swapped(self, seat: int, a: Card, b: Card, all_know: bool = False) -> dict[str, Any]:
        """The snapshot with two cards exchanged; the seat and the public (unless all know) know what they knew."""
        twin = copy.deepcopy(self.full)
        for field, cards in self.fields.items():
            twin[field] = names(exchanged(cards, a, b))
        for known in self.file.get("knowledge", []):
            tables = twin[known["field"]]
            for viewer in range(len(tables)):
                if known.get("of_the_rest"):
                    if all_know or viewer != seat:
                        tables[viewer] = self.of_the_rest(tables[viewer], viewer, a, b)
                elif all_know or not (viewer in (seat, self.n_seats) or self.all_is_shared()):
                    tables[viewer] = exchanged(tables[viewer], a[0], b[0])
                    if known.get("within_public") and not all_know:
                        tables[viewer] = within(tables[viewer], tables[self.n_seats])
        for seen in self.file.get("seen", []):
            if seen.get("remembered") and (all_know or seen["seat"] != seat):
                twin[seen["field"]] = exchanged(twin[seen["field"]], a[0], b[0])
        for field, verbs in self.file.get("written", {}).items():
            for i, text in enumerate(twin[field]):
                if begins(text, verbs):
                    twin[field][i] = " ".join(exchanged(text.split(" "), a[0], b[0]))
        return twin

    def tells(self, other: dict[str, Any]) -> bool:
        """Must who sees one of two exchanged cards see a difference? Not where both lie in one heap and the rest can be
        inferred, as it can be where a seat remembers cards."""
        remembers = any(seen.get("remembered") for seen in self.file.get("seen", []))
        return not remembers or any(other[field] != self.full[field] for field in self.fields)

    def of_the_rest(self, counts: dict[Any, int], viewer: int, a: Card, b: Card) -> dict[Any, int]:
        """What a viewer counts outside its own hand: a card that leaves the hand is there now, one that comes not."""
        mine = [card for card in (a, b) if viewer in self.seers[card]]
        if len(mine) != 1:
            return counts
        theirs = b if mine == [a] else a
        moved = Counter(counts) + Counter([mine[0][0]])
        moved[theirs[0]] -= 1
        return {card: moved[card] for card in sorted(moved) if moved[card]}


def numbered(value: Any, copies: Counter[Any]) -> Any:
    """A nested value with (card, k) for each card, k from 0 for copies of the same; 0 and "" are nothing."""
    if isinstance(value, dict):
        return {key: numbered(part, copies) for key, part in value.items()}
    if isinstance(value, list):
        return [numbered(part, copies) for part in value]
    if value in (0, ""):
        return value
    copies[value] += 1
    return (value, copies[value] - 1)


def names(value: Any) -> Any:
    """The opposite of `numbered`."""
    if isinstance(value, dict):
        return {key: names(part) for key, part in value.items()}
    if isinstance(value, list):
        return [names(part) for part in value]
    return value[0] if isinstance(value, tuple) else value


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(where, what) of all that lies in a field; 0 and "" are nothing."""
    if isinstance(value, (list, dict)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    elif value not in (0, ""):
        yield path, value


def exchanged(value: Any, a: Any, b: Any) -> Any:
    """A nested value with each a as b and each b as a."""
    if isinstance(value, dict):
        return {key: exchanged(part, a, b) for key, part in value.items()}
    if isinstance(value, list):
        return [exchanged(part, a, b) for part in value]
    return b if value == a else a if value == b else value


def within(lists: list[list[Any]], public: list[list[Any]]) -> list[list[Any]]:
    """Each list without what the public's has not."""
    return [[card for card in cards if card in of_public] for cards, of_public in zip(lists, public, strict=True)]


def restored(ruleset: Ruleset, full: dict[str, Any]) -> Table | None:
    """The position, or None if it is impossible."""
    try:
        return Table(ruleset, 1, full)
    except ValueError:
        return None


def check_twins(ruleset: Ruleset, game: str, table: Table, rng: random.Random) -> tuple[int, int]:
    """Swap cards that a seat has not seen: it sees the same, also some decisions later, unless they show one of them.
    Swap cards of which it has seen one: it sees something else. Returns how many twins there were of each kind."""
    alike = different = 0
    full = table.snapshot()
    twins = Twins(game, full)
    here = Table(ruleset, 1, full)
    for _ in range(TRIES):
        seat = rng.randrange(ruleset.n_seats)
        if pairs := twins.pairs(seat):
            a, b = rng.choice(pairs)
            there = restored(ruleset, twins.swapped(seat, a, b))
            if there and there.snapshot() != full:
                alike += 1
                assert there.look(seat) == here.look(seat), f"seat {seat} can tell {a[0]} from {b[0]}"
                check_next(game, here, there, seat, (a, b), twins.all_is_shared(), rng)
        mine = [card for card, seers in twins.seers.items() if seat in seers]
        unseen = [card for card, seers in twins.seers.items() if seat not in seers]
        if mine and unseen:
            a, b = rng.choice(mine), rng.choice(unseen)
            if a[0] == b[0]:
                continue
            there = restored(ruleset, twins.swapped(seat, a, b, all_know=True))
            if there and twins.tells(there.snapshot()):
                different += 1
                assert there.look(seat) != here.look(seat), f"seat {seat} cannot tell {a[0]} from {b[0]}"
    return alike, different


def check_next(
    game: str, here: Table, there: Table, seat: int, cards: tuple[Card, Card], shown: bool, rng: random.Random
) -> None:
    """A few decisions further, the same at both tables, as long as they are possible at both and show neither card.

    Chance that decides something ends this: it may do so differently at the two tables.

    Args:
        shown: whether all know the same, so that a card that one seat knows is known to all.
    """
    file = data(game, "twins.toml")
    if {card for card, _ in cards} & set(file.get("announced", [])):
        return
    here, there = here.copy(), there.copy()
    after: list[tuple[np.ndarray, np.ndarray, bool]] = []
    for _ in range(FURTHER):
        both = [
            (action, name)
            for action, name in zip(here.legal(), here.names())
            if action in there.legal() and not begins(name, file.get("telling", []))
        ]
        if not both:
            return
        action, name = rng.choice(both)
        shown = shown or begins(name, file.get("showing", []))
        for table in (here, there):
            chance = table.states["rng"].copy()
            table.act(action)
            if table.over or table.states["rng"] != chance:
                return
        after.append((here.states.copy(), there.states.copy(), shown))
        if here.look(seat) != there.look(seat):
            # Snapshots take long: only now does it matter whether one of these decisions has shown the difference.
            assert any(
                may_differ(game, here.with_states(mine), there.with_states(theirs), known, seat, cards)
                for mine, theirs, known in after
            ), f"seat {seat} can tell {cards[0][0]} from {cards[1][0]} after {name}"
            return


def may_differ(game: str, here: Table, there: Table, shown: bool, seat: int, cards: tuple[Card, Card]) -> bool:
    """May two tables look different to a seat: are other cards open to it, or does it see where one of two cards is?"""
    mine, theirs = (Twins(game, table.snapshot()) for table in (here, there))
    if mine.open_to(seat) != theirs.open_to(seat):
        return True
    return any(twins.sees(seat, card, shown) for twins in (mine, theirs) for card in cards)


def begins(name: str, verbs: list[str]) -> bool:
    """Does an action's name begin with one of some verbs?"""
    return name.startswith(tuple(verbs))


def twins_in(ruleset: Ruleset, game: str, n: int) -> np.ndarray:
    counts = np.zeros(2, int)
    for table, rng in games(ruleset, n, 500):
        with reported(table):
            for _ in table.play_on(rng):
                if not table.over:
                    counts += check_twins(ruleset, game, table, rng)
    return counts


def test_twins(case, ruleset):
    alike, different = twins_in(ruleset, case[0], math.ceil(POSITIONS / decisions_of(ruleset, 1)))
    assert different > 0
    assert alike > 0 or not data(case[0], "twins.toml").get("hides", {}).get(case[1], True)


# -- A canary ---------------------------------------------------------------------------------------------------------


def with_canary(ruleset: Ruleset) -> Ruleset:
    """The ruleset, but the first byte of every observation is one of the truth that the looker should not see."""
    at = a_hidden_byte(ruleset)
    size = ruleset.world.size + PAD
    observe, world = ruleset.kernels["observe"], ruleset.kernels["world"]

    @entry
    def observe_and_peek(state, rules, seat, row):
        observe(state, rules, seat, row)
        truth = np.zeros(size, np.int8)
        world(state, rules, truth)
        row[0] = truth[at]

    return dataclasses.replace(
        ruleset, name=f"{ruleset.name}_canary", kernels={**ruleset.kernels, "observe": observe_and_peek}
    )


def a_hidden_byte(ruleset: Ruleset) -> int:
    """A byte of the state vector that is another in other worlds of dealt games, for seat 0, and in most twins."""
    by_worlds: set[int] = set()
    by_twins: Counter[int] = Counter()
    for table, rng in games(ruleset, 10):
        for seed in range(10):
            by_worlds |= changed(table, table.redealt(0, seed))
        twins = Twins(ruleset.name, table.snapshot())
        pairs = twins.pairs(0)
        for a, b in rng.sample(pairs, min(50, len(pairs))):
            if there := restored(ruleset, twins.swapped(0, a, b)):
                by_twins.update(changed(table, there))
    return max(by_worlds, key=lambda at: by_twins[at])


def changed(here: Table, there: Table) -> set[int]:
    """Where two state vectors differ."""
    mine, theirs = (np.frombuffer(table.look_from_above(), np.int8) for table in (here, there))
    return set(np.flatnonzero(mine != theirs).tolist())


@pytest.mark.parametrize("game", list(GAMES))
def test_a_canary_is_found(game):
    ruleset = with_canary(ruleset_of(game))
    assert first_leak(ruleset_of(game), MANY // 10) is None
    leak = first_leak(ruleset, MANY // 10)
    assert leak is not None and leak[2] == bind(ruleset, LOOPS).SEEN
    with pytest.raises(AssertionError, match="can tell"):
        twins_in(ruleset, game, 10)
    with pytest.raises(AssertionError):
        test_a_redeal_keeps_the_public_facts(ruleset)
