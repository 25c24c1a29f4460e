"""Random play, a function for each promise; a failure prints how to come back to it, ready to become a ruling."""

from __future__ import annotations

import importlib
import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from murder_envs.core.bits import PAD
from murder_envs.core.jit import records
from tests.support import MOST_DECISIONS, Table, all_configs, data, games, reported

MANY, FEW = 20, 3
"""Games of each configuration; few where every decision takes a snapshot."""

SENTINEL = 77

pytestmark = pytest.mark.kernels


def cards_in(value: Any) -> Counter[Any]:
    """All that lies in a pile, however it is nested; 0 and "" are nothing."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(map(cards_in, value), Counter())
    return Counter([value] if value not in (0, "") else [])


def test_every_card_is_in_one_place(case, ruleset):
    piles = data(case[0], "twins.toml")["piles"]
    for table, rng in games(ruleset, FEW):
        box = None
        with reported(table):
            for _ in table.play_on(rng):
                full = table.snapshot()
                cards = sum((cards_in(full[pile]) for pile in piles), Counter())
                box = cards if box is None else box
                assert cards == box and box


def test_someone_can_always_act(ruleset):
    for table, rng in games(ruleset, MANY):
        with reported(table):
            for _ in table.play_on(rng):
                if table.over:
                    break
                assert 0 <= table.seat < ruleset.n_seats
                assert table.legal()
                beyond = ruleset.actions.n % 64
                assert not beyond or int(table.legal_set[-1]) >> beyond == 0
            assert table.over and table.seat == -1 and not table.legal_set.any() and not table.legal()


def test_every_game_ends(ruleset):
    for table, rng in games(ruleset, MANY, 1000):
        with reported(table):
            table.finish(rng)
            assert 0 < len(table.played) < MOST_DECISIONS or table.over


def test_returns_follow_from_the_end(ruleset):
    nothing = [0.0] * ruleset.n_seats
    for table, rng in games(ruleset, FEW, 2000):
        with reported(table):
            for _ in table.play_on(rng):
                paid, full = table.returns(), table.snapshot()
                assert full["returns"] == paid and full["over"] == table.over and full["to_act"] == table.seat
                if not table.over:
                    assert paid == nothing and not table.is_cut_off()
            assert all(-1 <= x <= 1 for x in paid)
            again = Table(ruleset, 9, {name: value for name, value in full.items() if name != "returns"})
            assert again.returns() == paid and again.over
            assert all(isinstance(x, float) for x in ruleset.figures(ruleset.rules, table.states).values())
            for seat in range(ruleset.n_seats):
                assert isinstance(ruleset.info(ruleset.rules, table.states, seat), dict)


def test_every_field_stays_in_its_range(ruleset):
    """Each byte of an observation and of the state vector is written, within its block's range, and none beyond."""
    writers = [
        (ruleset.observation, lambda table, seat, row: table.driver.look(table.states, ruleset.rules, seat, row)),
        (ruleset.world, lambda table, seat, row: table.driver.look_from_above(table.states, ruleset.rules, row)),
    ]
    for table, rng in games(ruleset, FEW, 3000):
        with reported(table):
            for _ in table.play_on(rng):
                for layout, write in writers:
                    low, high = layout.bounds()
                    for seat in range(ruleset.n_seats):
                        rows = []
                        for garbage in (SENTINEL, -1):
                            room = np.full(layout.size + PAD + 8, garbage, np.int8)
                            write(table, seat, room[:-8])
                            assert (room[-8:] == garbage).all(), "written beyond the padding"
                            rows.append(room[: layout.size])
                        assert (rows[0] == rows[1]).all(), f"not written: {blocks_at(layout, rows[0] != rows[1])}"
                        outside = (rows[0] < low) | (rows[0] > high)
                        assert not outside.any(), f"out of range: {blocks_at(layout, outside)}"


def blocks_at(layout: Any, wrong: np.ndarray) -> list[str]:
    """Names of the blocks in which something is wrong."""
    return [name for name, block in layout.items() if wrong[block.slice].any()]


def test_a_deal_writes_every_field(ruleset):
    """Whatever was in the record before, the same seed gives the same game."""
    table = Table(ruleset, 5)
    used = Table(ruleset, 6).finish(random.Random(6))
    used.driver.start(used.states, ruleset.rules, 5, used.legal_set, used.mask, used.row)
    used.resume()
    for _ in range(200):
        assert used.snapshot() == table.snapshot() and used.views() == table.views()
        assert used.look_from_above() == table.look_from_above()
        if table.over:
            break
        action = random.Random(len(table.played)).choice(table.legal())
        table.act(action)
        used.act(action)


def test_a_copy_has_the_same_future(ruleset):
    for table, rng in games(ruleset, MANY, 4000):
        with reported(table):
            for _ in table.play_on(rng, rng.randrange(40)):
                pass
            other = table.copy()
            stored = records(ruleset.STATE, 1)
            stored[:] = np.frombuffer(table.states.tobytes(), ruleset.STATE)
            third = table.with_states(stored)
            state = rng.getstate()
            table.finish(rng)
            for copy in (other, third):
                rng.setstate(state)
                copy.finish(rng)
                assert copy.played == table.played and copy.states.tobytes() == table.states.tobytes()


def test_an_illegal_action_changes_no_byte(case):
    game, config = case
    raw = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**all_configs(game)[config])
    rng = random.Random(1)
    raw.reset(seed=1)
    n = len(raw.action_names)
    played = []
    while legal := raw.legal_actions():
        seen, before = raw.snapshot(), pickle.dumps(raw)
        illegal = [action for action in range(n) if action not in legal]
        for action in (*rng.sample(illegal, 2), rng.choice((-1, n, n + 64, None, "pass", 0.5))):
            with pytest.raises((ValueError, TypeError)):
                raw.step(action)
            assert pickle.dumps(raw) == before, f"{action} after {played} (seed 1, {game} {config})"
        assert raw.snapshot() == seen
        played.append(rng.choice(legal))
        raw.step(played[-1])
