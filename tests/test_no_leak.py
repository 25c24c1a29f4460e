"""Nobody sees what the rules do not show: redeals, twins, odds, and a canary that must be found."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import itertools
import math
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from murder_envs.core.bits import PAD
from murder_envs.core.jit import bind, entry, records
from murder_envs.registry import GAMES
from murder_envs.ruleset import Ruleset
from tests.support import Table, agrees, all_configs, data, games, reported, rows, ruleset_of, with_config

LOOPS = pathlib.Path(__file__).parent / "leaks.py"
MANY, FEW = 200, 1
"""Random games of each configuration: in a compiled loop, and with everything checked in Python."""

NOT_KEPT = ("", "the seat to act", "the legal set", "the observation", "chance apart")
"""By the numbers of leaks.py."""

TRIES = 2
"""Twins looked for at each decision."""


# -- Redeal -----------------------------------------------------------------------------------------------------------


def first_leak(ruleset: Ruleset, n: int, first_seed: int = 0) -> tuple[Table, int, int] | None:
    """A table just before a redeal does not keep everything, the seat, and what is not kept; None if all do."""
    loops = bind(ruleset, LOOPS)
    place, stream = np.zeros(4, np.int64), np.zeros(1, np.uint64)
    words = np.zeros((2, ruleset.actions.n_words), np.uint64)
    rows = np.zeros((2, ruleset.observation.size + PAD), np.int8)
    states = records(ruleset.STATE, 2)
    checked = loops.find_leak(
        states, ruleset.rules, ruleset.n_seats, first_seed, n, stream, words[0], words[1], rows[0], rows[1], place
    )
    assert checked > n or place[3]
    if place[3] == loops.KEPT:
        return None
    seed, decisions, seat, wrong = (int(x) for x in place)
    table = Table(ruleset, seed)
    stream[0] = seed
    for _ in range(decisions):
        table.act(int(table.driver.choose_at_random(table.words, stream)))
    return table, seat, wrong


def test_a_redeal_keeps_what_the_seat_sees(ruleset):
    if found := first_leak(ruleset, MANY):
        table, seat, wrong = found
        with reported(table):
            raise AssertionError(f"a redeal for seat {seat} has not kept {NOT_KEPT[wrong]}")


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


@pytest.mark.parametrize(("game", "odds"), ODDS, ids=[f"{game}-{odds['name']}" for game, odds in ODDS])
def test_redeals_have_the_right_odds(game, odds):
    """Within four standard errors; what is certain or impossible, exactly."""
    n = odds.get("redeals", 2000)
    ruleset = with_config(game, odds.get("config", {}))
    table = dealt_as(ruleset, odds["dealt"]) if "dealt" in odds else Table(ruleset, 1, odds["setup"])
    copies = records(ruleset.STATE, n)
    bind(ruleset, LOOPS).redeal_often(table.states, copies, ruleset.rules, odds["seat"], 0)
    worlds = [ruleset.snapshot(ruleset.rules, copies[i : i + 1]) for i in range(n)]
    for world in odds["world"]:
        p = world["p"]
        found = sum(is_in(world, full) for full in worlds)
        assert abs(found - n * p) <= 4 * math.sqrt(n * p * (1 - p)), f"{found} of {n}: {world}"


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


class Twins:
    """What a game's twins.toml says, over a snapshot."""

    def __init__(self, game: str, full: dict[str, Any]) -> None:
        self.told = data(game, "twins.toml")
        self.full = full
        self.n_seats = len(full["returns"])
        self.seers: dict[Any, set[int]] = {}
        for hidden in self.told["hidden"]:
            for path, card in leaves(full[hidden["field"]]):
                self.seers.setdefault(card, set()).update(self.seen_by(hidden["seen_by"], path, card))

    def seen_by(self, seen_by: Any, path: tuple[Any, ...], card: Any) -> set[int]:
        """Seats that see a card which lies face down."""
        if seen_by == "owner":
            return {path[0]}
        if seen_by == "nobody":
            return set()
        return {seat for seat in range(self.n_seats) if card in self.full[seen_by][seat]}

    def sees(self, seat: int, card: Any, or_is_sure: bool) -> bool:
        """Does a seat see where a card is (or is it sure of it, having been shown it)?"""
        if card not in self.seers or seat in self.seers[card]:
            return True
        if not or_is_sure:
            return False
        sure = [self.full[known["field"]][seat] for known in self.told.get("knowledge", []) if known.get("sure")]
        return any(sum(card in place for place in table) == 1 for table in sure)

    def pairs(self, seat: int) -> list[tuple[Any, Any]]:
        """Pairs of cards that lie face down and that a seat does not see."""
        unseen = sorted(card for card, seers in self.seers.items() if seat not in seers)
        return list(itertools.combinations(unseen, 2))

    def swapped(self, seat: int, a: Any, b: Any, all_know: bool = False) -> dict[str, Any]:
        """The snapshot with two cards exchanged; the seat and the public (unless all know) know what they knew."""
        twin = copy.deepcopy(self.full)
        for hidden in self.told["hidden"]:
            twin[hidden["field"]] = exchanged(twin[hidden["field"]], a, b)
        for known in self.told.get("knowledge", []):
            tables = twin[known["field"]]
            as_seat = tables[seat]  # also what others know, where all that is known is shared
            for viewer in range(len(tables)):
                if all_know or (viewer not in (seat, self.n_seats) and tables[viewer] != as_seat):
                    tables[viewer] = exchanged(tables[viewer], a, b)
                    if known.get("within_public") and not all_know:
                        tables[viewer] = within(tables[viewer], tables[self.n_seats])
        return twin


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
    return [[card for card in its if card in of_public] for its, of_public in zip(lists, public, strict=True)]


def restored(ruleset: Ruleset, full: dict[str, Any]) -> Table | None:
    """The position, or None if it is impossible."""
    try:
        return Table(ruleset, 1, full)
    except ValueError:
        return None


def check_twins(ruleset: Ruleset, game: str, table: Table, rng: random.Random) -> tuple[int, int]:
    """Swap cards that a seat has not seen: it sees the same, also after the next decision, unless that shows one of
    them. Swap cards of which it has seen one: it sees something else. Returns how many twins there were of each kind."""
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
                assert there.look(seat) == here.look(seat), f"seat {seat} can tell {a} from {b}"
                check_next(game, here, there, seat, (a, b), rng)
        mine = [card for card, seers in twins.seers.items() if seat in seers]
        if mine and (pairs := twins.pairs(seat)):
            a, b = rng.choice(mine), rng.choice(pairs)[0]
            there = restored(ruleset, twins.swapped(seat, a, b, all_know=True))
            if there:
                different += 1
                assert there.look(seat) != here.look(seat), f"seat {seat} cannot tell {a} from {b}"
    return alike, different


def check_next(game: str, here: Table, there: Table, seat: int, cards: tuple[Any, Any], rng: random.Random) -> None:
    """One decision further, the same at both tables, if it is possible at both and draws on chance at neither."""
    told = data(game, "twins.toml")
    both = [
        (action, name)
        for action, name in zip(here.legal(), here.names())
        if action in there.legal() and not begins(name, told.get("telling", []))
    ]
    if not both or set(cards) & set(told.get("announced", [])):
        return
    action, name = rng.choice(both)
    after = [here.copy(), there.copy()]
    chance = [table.states["rng"].copy() for table in after]
    for table in after:
        table.act(action)
    if any(table.over for table in after) or any(table.states["rng"] != was for table, was in zip(after, chance)):
        return
    shows = begins(name, told.get("showing", []))
    if any(Twins(game, table.snapshot()).sees(seat, card, shows) for table in after for card in cards):
        return
    assert after[0].look(seat) == after[1].look(seat), f"seat {seat} can tell {cards[0]} from {cards[1]} after {name}"


def begins(name: str, verbs: list[str]) -> bool:
    """Does an action's name begin with one of some verbs?"""
    return name.startswith(tuple(verbs))


def twins_in(ruleset: Ruleset, game: str, n: int) -> np.ndarray:
    found = np.zeros(2, int)
    for table, rng in games(ruleset, n, 500):
        with reported(table):
            for _ in table.play_on(rng):
                if not table.over:
                    found += check_twins(ruleset, game, table, rng)
    return found


def test_twins(case, ruleset):
    alike, different = twins_in(ruleset, case[0], FEW)
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
    """A byte of the state vector that is not the same in another world, for a seat of a dealt game."""
    for table, _ in games(ruleset, 100):
        truth = np.frombuffer(table.look_from_above(), np.int8)
        for seed in range(100):
            other = np.frombuffer(table.redealt(0, seed).look_from_above(), np.int8)
            if (changed := np.flatnonzero(truth != other)).size:
                return int(changed[0])
    raise AssertionError("redeals change nothing")


@pytest.mark.parametrize("game", list(GAMES))
def test_a_canary_is_found(game):
    ruleset = with_canary(ruleset_of(game))
    assert first_leak(ruleset_of(game), MANY // 10) is None
    found = first_leak(ruleset, MANY // 10)
    assert found is not None and found[2] == bind(ruleset, LOOPS).SEEN
    with pytest.raises(AssertionError, match="can tell"):
        twins_in(ruleset, game, 10)
    with pytest.raises(AssertionError):
        test_a_redeal_keeps_the_public_facts(ruleset)
