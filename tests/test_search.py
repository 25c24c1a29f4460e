"""Search: reproducible, legal, blind to what the seat cannot know, right where the answer is known."""

from __future__ import annotations

import functools
import importlib
import random
from collections.abc import Iterator

import numpy as np
import pytest

from agents.search import SearchAgent
from murder_envs import episode_seed
from murder_envs.api.aec import SkipForced
from murder_envs.core.contract import is_consistent
from murder_envs.core.jit import bind, records
from murder_envs.drivers.batch import Batch
from murder_envs.drivers.search import METHODS, Search, SearchResult
from murder_envs.ruleset import Ruleset
from tests.support import ROOT, Table, all_configs, games, reported, ruleset_of
from tests.test_jit import allocations, compiled_only

SETTINGS = [(method, playout) for method in METHODS for playout in ("random", "heuristic")]
FEW = 24
"""Simulations, where it does not matter how well it plays."""


def choices(ruleset: Ruleset, n: int, first_seed: int = 0, share: float = 0.2) -> Iterator[Table]:
    """n decisions with two legal actions or more, from random games, each taken with this probability."""
    taken = 0
    for table, rng in games(ruleset, 1000, first_seed):
        for _ in table.play_on(rng):
            if taken == n:
                return
            if len(table.legal()) > 1 and rng.random() < share:
                taken += 1
                yield table.copy()


def same(a: SearchResult, b: SearchResult) -> bool:
    return a.action == b.action and all(map(np.array_equal, a[2:], b[2:], [False, True, False]))


# -- What every search does -------------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.nojit
@pytest.mark.parametrize("method", METHODS)
def test_a_few_simulations(game, method):
    """As many as also run uncompiled in a second or two."""
    ruleset = ruleset_of(game)
    (table,) = choices(ruleset, 1)
    result, again = (Search(ruleset, method, 4, playout="random").run(table.states, 5) for _ in range(2))
    assert result.action in table.legal() and result.visits.sum() == 4 and same(result, again)


@pytest.mark.parametrize(("method", "playout"), SETTINGS)
def test_equal_seeds_give_equal_results(game, method, playout):
    """Whatever was searched before, and with how much memory."""
    ruleset = ruleset_of(game)
    first, second = (Search(ruleset, method, FEW, playout=playout) for _ in range(2))
    tables = list(choices(ruleset, 2))
    results = [first.run(table.states, 5) for table in tables]
    for table, expected in zip(reversed(tables), reversed(results)):
        assert same(second.run(table.states, 5), expected)
    others = ((table, expected, seed) for seed in range(6, 106) for table, expected in zip(tables, results))
    assert any(not same(second.run(table.states, seed), expected) for table, expected, seed in others)


@pytest.mark.kernels
@pytest.mark.parametrize(("method", "playout"), SETTINGS)
def test_every_decision_of_a_game_can_be_searched(game, method, playout):
    """Those out of turn and those with one legal action too."""
    ruleset = ruleset_of(game)
    search = Search(ruleset, method, FEW, playout=playout)
    for table, rng in games(ruleset, 2, 7):
        with reported(table):
            for k, _ in enumerate(table.play_on(rng)):
                if table.over:
                    break
                before = table.states.tobytes()
                result = search.run(table.states, k)
                assert table.states.tobytes() == before
                legal, tried = table.legal(), np.flatnonzero(result.visits)
                assert result.action in legal and set(tried) <= set(legal)
                assert result.seat == table.seat and result.visits.sum() == FEW
                assert len(tried) == len(legal) or method != "flat" or len(legal) > FEW
                assert np.array_equal(np.isfinite(result.values), result.visits > 0)
                mean = (result.visits * np.nan_to_num(result.values)).sum() / FEW
                assert mean == pytest.approx(result.returns[table.seat])


def test_the_scripted_choice_stands_unless_another_is_better_by_the_threshold(game):
    """With a high threshold a search plays as the scripted player does, with none it takes its own choice."""
    ruleset = ruleset_of(game)
    without, high = (Search(ruleset, "flat", 4 * FEW, threshold=threshold) for threshold in (0.0, 1e6))
    changed = 0
    for k, table in enumerate(choices(ruleset, 20)):
        free, kept = without.run(table.states, k), high.run(table.states, k)
        assert np.array_equal(free.visits, kept.visits)
        assert free.values[free.action] == np.nanmax(free.values)
        streams = [np.array([seed], np.uint64) for seed in range(40)]
        scripted = {table.cursor.choose_by_heuristic(one) for one in streams}
        assert kept.action in scripted
        changed += free.action != kept.action
    assert changed


@pytest.mark.kernels
@pytest.mark.parametrize("config", ["default", "other"])
def test_games_of_scripted_players_are_consistent(game, config):
    """With what they say, for every seat; some redeals are not, where anything is said."""
    ruleset = ruleset_of(game, config if config == "default" else list(all_configs(game))[1])
    batch = Batch(ruleset, 8, 5, skip_forced=True, auto_reset=False)
    batch.reset(5)
    driver, other = bind(ruleset, "single"), records(ruleset.STATE, 1)
    consistent = bind(ruleset, ROOT / "tests" / "consistent.py").consistent
    n_consistent = redealt = 0
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        for i in waiting:
            for seat in range(ruleset.n_seats):
                assert consistent(batch.states[i : i + 1], ruleset.rules, seat)
            other[:] = batch.states[i : i + 1]
            driver.deal_anew(other, ruleset.rules, int(batch.seats[i]), int(batch.lengths[i]))
            n_consistent += consistent(other, ruleset.rules, int(batch.seats[i]))
            redealt += 1
        batch.step(batch.choose("heuristic")[waiting], waiting)
    assert 0 < n_consistent <= redealt
    assert (n_consistent < redealt) == (ruleset.kernels["is_consistent"] is not is_consistent)


@compiled_only
@pytest.mark.parametrize("method", METHODS)
def test_a_simulation_allocates_nothing(game, method):
    ruleset = ruleset_of(game)
    (table,) = choices(ruleset, 1)
    short, long = (Search(ruleset, method, n, playout="heuristic", threshold=0) for n in (10, 200))
    assert allocations(long.run, table.states) == allocations(short.run, table.states)


# -- It knows what the seat knows -------------------------------------------------------------------------------------


def dealt_alike(table: Table, twin: Table) -> bool:
    """Do both give the same redeals? In most games always; else what others know may differ a little."""
    seat, seeds = table.seat, range(20)
    return all(table.redealt(seat, seed).snapshot() == twin.redealt(seat, seed).snapshot() for seed in seeds)


def test_a_search_does_not_depend_on_what_is_hidden(game):
    """In another world that the seat cannot tell from the true one the result is the same, to the last visit."""
    ruleset = ruleset_of(game)
    searches = [Search(ruleset, method, FEW, playout=playout) for method, playout in SETTINGS]
    pairs = [
        (table, table.redealt(table.seat, k + twin))
        for k, table in enumerate(choices(ruleset, 20, 50))
        for twin in (0, 9)
    ]
    alike = [(table, twin) for table, twin in pairs if dealt_alike(table, twin)]
    assert len(alike) >= len(pairs) / 4
    for k, (table, twin) in enumerate(alike):
        with reported(table):
            for search in searches:
                assert same(search.run(twin.states, k), search.run(table.states, k)), (search.method, search.playout)


@pytest.mark.parametrize("playout", ["random", "heuristic"])
def test_nor_does_it_on_average(game, playout):
    """Where redeals of two such worlds differ from seed to seed, they agree in distribution, and so do the searches."""
    ruleset, n = ruleset_of(game), 60
    for k, table in enumerate(choices(ruleset, 4, 90)):
        search = Search(ruleset, "mo", FEW, playout=playout)
        twins = [table.redealt(table.seat, 1000 * k + twin) for twin in range(2)]
        shares = [
            np.array([search.run(world.states, seed).visits for seed in range(n)]) / FEW for world in (table, *twins)
        ]
        for other in shares[1:]:
            spread = np.sqrt((shares[0].var(0) + other.var(0)) / n)
            assert (np.abs(shares[0].mean(0) - other.mean(0)) <= 5 * spread + 1e-9).all(), table.report()


def test_a_search_with_perfect_information_sees_the_true_state(game):
    """So its result does depend on what is hidden."""
    ruleset = ruleset_of(game)
    search = Search(ruleset, "flat", 4 * FEW, perfect_information=True)
    differs = False
    for k, table in enumerate(choices(ruleset, 20, 30)):
        twin = table.redealt(table.seat, k)
        differs |= not same(search.run(table.states, 0), search.run(twin.states, 0))
    assert differs


# -- It is right ------------------------------------------------------------------------------------------------------


def test_flat_values_are_those_of_plain_playouts(game):
    """Played one by one through the interface that tests use."""
    ruleset, n = ruleset_of(game), 60
    for table in choices(ruleset, 2, 11):
        result = Search(ruleset, "flat", 3000, playout="random").run(table.states, 3)
        for action in table.legal()[:3]:
            returns = []
            for seed in range(n):
                world = table.redealt(table.seat, seed)
                world.act(action)
                returns.append(world.finish(random.Random(seed)).returns()[table.seat])
            # A variance seen to be 0 is an estimate too.
            variance = max(float(np.var(returns)), 1 / n)
            assert np.mean(returns) == pytest.approx(
                result.values[action], abs=5 * (variance / n + variance / result.visits[action]) ** 0.5
            ), ruleset.actions.names[action]


def wins_at_once(table: Table, action: int, best: float) -> bool:
    """Does an action end the game with the best return?"""
    after = table.copy()
    after.act(action)
    return after.over and after.returns()[table.seat] >= best


def finish_scripted(table: Table, seed: int) -> None:
    """Play to the end with the scripted player in all seats."""
    stream = np.array([seed], np.uint64)
    while not table.over:
        table.act(table.cursor.choose_by_heuristic(stream))


@functools.cache
def sure_wins(game: str) -> list[tuple[Table, list[int]]]:
    """Some decisions with an action that wins at once whatever is hidden, and one that does not."""
    ruleset = ruleset_of(game)
    best = max(max(table.finish(rng).returns()) for table, rng in games(ruleset, 30))
    positions = []
    for k, (table, rng) in enumerate(games(ruleset, 400, 300)):
        if k % 2:  # scripted players come where random ones do not, and know when they are sure
            finish_scripted(table, k)
        else:
            table.finish(rng)
        for states in table.history[-3:]:
            before = table.with_states(states)
            legal = before.legal()
            wins = [action for action in legal if wins_at_once(before, action, best)]
            if not 0 < len(wins) < len(legal):
                continue
            worlds = [before.redealt(before.seat, seed) for seed in range(12)]
            sure = [action for action in wins if all(wins_at_once(world, action, best) for world in worlds)]
            if sure and any(not wins_at_once(world, action, best) for world in worlds for action in legal):
                positions.append((before, sure))
        if len(positions) >= 3:
            break
    return positions


@pytest.mark.parametrize(("method", "playout"), SETTINGS)
def test_a_sure_win_is_taken(game, method, playout):
    positions = sure_wins(game)
    assert positions
    for table, wins in positions:
        result = Search(table.ruleset, method, 500, playout=playout).run(table.states, 1)
        assert result.action in wins, table.report()


# -- Bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"simulations": 0}, "simulations"),
        ({"simulations": 2.5}, "simulations"),
        ({"simulations": True}, "simulations"),
        ({"simulations": 10**9}, "simulations"),
        ({"method": "minimax"}, "method"),
        ({"playout": "greedy"}, "playout"),
        ({"playout": 1}, "playout"),
        ({"exploration": -0.1}, "exploration"),
        ({"exploration": float("nan")}, "exploration"),
        ({"exploration": "much"}, "exploration"),
        ({"threshold": -1}, "threshold"),
        ({"perfect_information": 1}, "perfect_information"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named(game, settings, named):
    with pytest.raises(ValueError, match=f"^{named}: "):
        Search(ruleset_of(game), **settings)


def test_a_wrong_position_is_named(game):
    ruleset = ruleset_of(game)
    search = Search(ruleset, "so", FEW)
    table = Table(ruleset, 0)
    for state in (
        table.states.view(np.uint8),
        np.concatenate([table.states, table.states]),
        table.snapshot(),
        None,
        table.finish(random.Random(0)).states,
    ):
        with pytest.raises(ValueError, match="^state: "):
            search.run(state)
    for seed in (-1, 2**63, 0.5):
        with pytest.raises(ValueError, match="^seed: "):
            search.run(Table(ruleset, 0).states, seed)


# -- For users of environments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["env", "raw_env", "SkipForced"])
def test_an_agent_plays_any_environment(module, kind):
    """The same game each time, also from a snapshot, and the environment stays as it is."""

    def play() -> list[int]:
        env = SkipForced(module.raw_env()) if kind == "SkipForced" else getattr(module, kind)()
        player = SearchAgent(FEW, method="flat", seed=4)
        env.reset(seed=2)
        played = []
        for _ in env.agent_iter():
            _, _, termination, truncation, _ = env.last()
            if termination or truncation:
                break
            before = env.unwrapped.state().tobytes()
            played.append(player.act(env))
            assert env.unwrapped.state().tobytes() == before
            assert played[-1] in env.unwrapped.legal_actions()
            env.step(played[-1])
        with pytest.raises(ValueError, match="^state: the game is over"):
            player.think(env)
        return played

    assert play() == play()


def test_an_agent_knows_where_an_environment_stands(module):
    raw = module.raw_env()
    raw.reset(seed=3)
    state, rules = raw.position()
    other = module.raw_env()
    other.reset(options={"snapshot": raw.snapshot()})
    player = SearchAgent(FEW, seed=1)
    result = player.think(raw)
    assert same(result, Search(raw.ruleset, simulations=FEW).run(state, int(episode_seed(1, 0, 0)), rules=rules))
    player.reset(1)
    assert same(player.think(other), result)


@pytest.mark.parametrize("seed", [-1, 2**63, "x", True])
def test_an_agent_names_a_wrong_seed(seed):
    with pytest.raises(ValueError, match="^seed: "):
        SearchAgent(seed=seed)


def test_settings_of_the_search_are_checked_at_the_first_decision(module):
    env = importlib.import_module(module.__name__).env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="^playout: "):
        SearchAgent(playout="greedy").think(env)
