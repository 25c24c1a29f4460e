"""Every game as OpenSpiel knows it: its own checks, exact counts, and what its solvers make of the small games.

Without OpenSpiel (`make test-openspiel` installs it) all of this is left out.
"""

from __future__ import annotations

import concurrent.futures
import copy
import functools
import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest

from murder_envs.registry import GAMES, configs
from tests.support import rows, with_config

pyspiel = pytest.importorskip("pyspiel")
generate_playthrough = pytest.importorskip("open_spiel.python.algorithms.generate_playthrough")
openspiel = pytest.importorskip("murder_envs.api.openspiel")

FAST, MOST = 30_000, 100_000
"""Trees of more decisions are left to the slow tests; out of these tests."""

SMALL = [
    (game, count)
    for game, count in rows("counts.toml", "count")
    if not {"setup", "depth"} & count.keys() and count["decisions"] <= MOST
]
"""(game, entry of `counts.toml`) for games that are counted to their ends."""

ALL = [(game, config) for game in GAMES for config in configs(game)]


def small() -> Any:
    """Run a test for each small game."""
    each = []
    for game, count in SMALL:
        marks = [pytest.mark.slow] if count["decisions"] > FAST else []
        each.append(pytest.param(game, count, id=f"{game}-{count['name']}", marks=marks))
    return pytest.mark.parametrize(("game", "count"), each)


def load(game: str, config: dict[str, Any]) -> Any:
    return openspiel.load(game, **config)


@functools.cache
def tree_of(index: int) -> Any:
    game, count = SMALL[index]
    return openspiel.Tree(load(game, count["config"]))


def tree(count: dict[str, Any]) -> Any:
    """The tree of a small game, walked once."""
    return tree_of([each for _, each in SMALL].index(count))


def zero_sum() -> Any:
    """The tree of the smallest game of two seats and zero sum."""
    found = [
        count
        for game, count in SMALL
        if load(game, count["config"]).get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    ]
    return tree(min(found, key=lambda count: count["decisions"]))


def random_states(game: Any, games: int, seed: int = 0) -> Any:
    """All states of random games, each to its end."""
    rng = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state
            state = state.child(rng.choice(state.legal_actions()))
        yield state


def uniform(state: Any) -> dict[int, float]:
    legal = state.legal_actions()
    return dict.fromkeys(legal, 1 / len(legal))


# -- Simulation -------------------------------------------------------------------------------------------------------


def simulate(game: str, config: str) -> None:
    """Sampled games are not serialized here: for that OpenSpiel asks for what no Python game can give it."""
    loaded = openspiel.load(game, config)
    pyspiel.random_sim_test(loaded, num_sims=1, serialize=loaded.dealer.is_listed, verbose=False)


def test_openspiel_s_own_check_of_the_default_game(game):
    simulate(game, "default")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "config"), ALL)
def test_openspiel_s_own_check_of_every_named_configuration(game, config):
    simulate(game, config)


def test_every_game_is_in_openspiel_s_list(game):
    assert openspiel.name_of(game) in pyspiel.registered_names()


@pytest.mark.parametrize(("game", "config"), ALL)
def test_returns_are_what_the_type_says(game, config):
    loaded = openspiel.load(game, config)
    kind, utility = loaded.get_type().utility, pyspiel.GameType.Utility
    for state in random_states(loaded, 1):
        paid = state.returns()
        if not state.is_terminal():
            assert not any(paid)
            continue
        assert all(-1 <= each <= 1 for each in paid)
        if kind == utility.ZERO_SUM:
            assert sum(paid) == pytest.approx(0)
        elif kind == utility.IDENTICAL:
            assert len(set(paid)) == 1


# -- The whole tree ---------------------------------------------------------------------------------------------------


@small()
def test_the_tree_has_the_size_that_was_counted(game, count):
    walked = tree(count)
    deals = walked.game.new_initial_state().chance_outcomes()
    counted = {
        "deals": len(deals),
        "decisions": walked.decisions,
        "lines": walked.ends,
        "information_states": len(walked.states),
    }
    expected = {name: count.get(name, value) for name, value in counted.items()}
    assert counted == expected
    assert sum(share for _, share in deals) == pytest.approx(1)


@small()
def test_the_tensor_of_an_information_state_tells_as_much_as_its_string(game, count):
    walked = tree(count)
    seen = {
        (state.current_player(), np.array(state.information_state_tensor(), np.int8).tobytes())
        for state in walked.states.values()
    }
    assert len(seen) == len(walked.states)


@small()
def test_states_that_look_alike_are_in_one_information_state_if_what_went_before_did(game, count):
    """Of random games: what a seat knows, written down by this test, and the string stand for each other."""
    loaded = load(game, count["config"])
    rng = random.Random(0)
    string_of: dict[Any, str] = {}
    known_of: dict[str, Any] = {}
    for _ in range(200):
        state = loaded.new_initial_state()
        known: list[tuple[Any, ...]] = [()] * loaded.num_players()
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            if not state.is_chance_node():
                seat = state.current_player()
                known[seat] = (*known[seat], tuple(state.observation_tensor()), tuple(state.legal_actions()))
                string = state.information_state_string()
                assert string_of.setdefault((seat, known[seat]), string) == string
                assert known_of.setdefault(string, (seat, known[seat])) == (seat, known[seat])
                known[seat] = (*known[seat], action)
            state = state.child(action)


@small()
def test_chance_is_certain_to_decide_something(game, count):
    loaded = load(game, count["config"])
    nodes = 0
    for state in random_states(loaded, 20):
        if state.is_chance_node():
            nodes += 1
            outcomes, shares = zip(*state.chance_outcomes())
            assert outcomes == tuple(range(len(outcomes))) and len(outcomes) <= loaded.max_chance_outcomes()
            assert min(shares) > 0 and sum(shares) == pytest.approx(1)
            ruleset = loaded.dealer.ruleset
            after = [ruleset.snapshot(ruleset.rules, state.child(k).position()) for k in outcomes[:10]]
            assert not any(a == b for a, b in itertools.combinations(after, 2))
    assert nodes >= 20


def test_a_sampled_game_has_no_tree(game):
    with pytest.raises(ValueError, match=r"^game: "):
        openspiel.Tree(openspiel.load(game))


# -- Solvers ----------------------------------------------------------------------------------------------------------


def test_cfr_comes_closer_to_an_equilibrium():
    compiled = zero_sum().compiled
    solver = pyspiel.CFRSolver(compiled)
    values = []
    for iterations in (20, 280):
        for _ in range(iterations):
            solver.evaluate_and_update_policy()
        values.append(pyspiel.nash_conv(compiled, solver.average_policy()))
    assert 0 <= values[1] < values[0] / 2


def cut_short() -> Any:
    """A small game of a few decisions, in which OpenSpiel's algorithms in Python come to an end soon."""
    game, count = next((game, count) for game, count in SMALL if "max_steps" in count["config"])
    return load(game, {**count["config"], "max_steps": 5})


def at_will(state: Any) -> dict[int, float]:
    """Some policy: unequal shares, which depend on the information state alone."""
    legal = state.legal_actions()
    shares = np.random.default_rng(list(state.information_state_string().encode())).random(len(legal)) ** 4 + 1e-3
    return dict(zip(legal, (shares / shares.sum()).tolist()))


def worth(state: Any, policy: Any) -> np.ndarray:
    """What each seat is paid on average from a state on, if all play so."""
    if state.is_terminal():
        return np.array(state.returns())
    shares = state.chance_outcomes() if state.is_chance_node() else policy(state).items()
    return sum(share * worth(state.child(action), policy) for action, share in shares)


@small()
def test_a_policy_is_worth_as_much_in_the_compiled_tree(game, count):
    walked = tree(count)
    policy = {key: at_will(state) for key, state in walked.states.items()}
    expected = worth(walked.game.new_initial_state(), lambda state: policy[state.information_state_string()])
    values = pyspiel.expected_returns(walked.compiled.new_initial_state(), walked.tabular(at_will), -1, False)
    assert values == pytest.approx(expected)
    assert abs(expected - worth_at_random(walked)).max() > 0.01


def worth_at_random(walked: Any) -> np.ndarray:
    return np.array(pyspiel.expected_returns(walked.compiled.new_initial_state(), walked.tabular(uniform), -1, False))


def test_the_best_answer_is_the_same_in_the_compiled_tree():
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    game = cut_short()
    walked = openspiel.Tree(game)
    table = policy.TabularPolicy(game)
    for state in walked.states.values():
        row = table.policy_for_key(state.information_state_string())
        row[:] = [at_will(state).get(action, 0.0) for action in range(len(row))]
    expected = exploitability.nash_conv(game, table)
    assert expected > 0.01
    assert pyspiel.nash_conv(walked.compiled, walked.tabular(at_will)) == pytest.approx(expected)
    assert {walked.name(state) for state in walked.states.values()} == walked.tabular(at_will).policy_table().keys()


def test_solvers_in_python_take_the_game_as_it_is():
    from open_spiel.python.algorithms import cfr, external_sampling_mccfr

    game = cut_short()
    walked = openspiel.Tree(game)
    at_random = pyspiel.nash_conv(walked.compiled, walked.tabular(uniform))
    solver = cfr.CFRSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    np.random.seed(0)  # noqa: NPY002 - what the solver draws from
    sampling = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(100):
        sampling.iteration()
    for policy in (solver.average_policy(), sampling.average_policy()):
        assert pyspiel.nash_conv(walked.compiled, walked.tabular(policy.action_probabilities)) < at_random / 2


# -- Other worlds -----------------------------------------------------------------------------------------------------


def other_worlds(game: Any, games: int) -> None:
    """A seat cannot tell a resampled state from the real one; somebody else mostly can."""
    rng = random.Random(1)
    others = 0
    for state in random_states(game, games):
        if state.is_terminal() or state.is_chance_node():
            continue
        for seat in range(game.num_players()):
            other = state.resample_from_infostate(seat, rng.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert other.observation_string(seat) == state.observation_string(seat)
            assert other.current_player() == state.current_player()
            if seat == state.current_player():
                assert other.legal_actions() == state.legal_actions()
            others += str(other) != str(state)
        while not other.is_terminal():
            other.apply_action(rng.choice(other.legal_actions()))
    assert others > 0


def test_a_seat_cannot_tell_a_resampled_state_from_the_real_one(game):
    other_worlds(openspiel.load(game), 1)


@small()
def test_resampling_a_small_game(game, count):
    other_worlds(load(game, count["config"]), 10)


def test_nothing_is_resampled_where_nobody_acts(game):
    *_, last = random_states(openspiel.load(game), 1)
    with pytest.raises(ValueError, match=r"^state: "):
        last.resample_from_infostate(0, random.random)


def test_a_sampled_game_can_be_learnt(game):
    from open_spiel.python.algorithms import outcome_sampling_mccfr

    loaded = openspiel.load(game)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(loaded)
    for _ in range(2):
        solver.iteration()
    policy = solver.average_policy()
    states = [state for state in random_states(loaded, 1) if not (state.is_terminal() or state.is_chance_node())]
    for state in states[:10]:
        assert sum(policy.action_probabilities(state).values()) == pytest.approx(1)


def test_a_search_in_python_plays(game):
    from open_spiel.python.algorithms import ismcts, mcts

    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    bot = ismcts.ISMCTSBot(game=openspiel.load(game), evaluator=evaluator, uct_c=1.0, max_simulations=10,
                           random_state=np.random.RandomState(0))  # fmt: skip
    state = next(each for each in random_states(openspiel.load(game), 1) if len(each.legal_actions()) > 1)
    assert bot.step(state) in state.legal_actions()


# -- Names, seeds, copies ---------------------------------------------------------------------------------------------


def test_keywords_survive_in_a_game_s_name():
    for game, count in SMALL:
        loaded = load(game, count["config"])
        again = pyspiel.load_game(str(loaded))
        assert str(again) == str(loaded)
        assert again.dealer.ruleset.config == loaded.dealer.ruleset.config == with_config(game, count["config"]).config


@pytest.mark.parametrize(
    ("settings", "named"),
    [({"config": "no such"}, "config"), ({"no_such": 1}, "no_such"), ({"reward": 1}, "reward"), ({"seed": -1}, "seed")],
)
def test_an_error_names_what_is_wrong(game, settings, named):
    with pytest.raises(ValueError, match=rf"^(unknown parameter |parameter: )?{named}"):
        openspiel.load(game, **settings)


def test_settings_have_a_form():
    assert openspiel.from_settings("a:1;b:x;c:[1,2]") == {"a": 1, "b": "x", "c": [1, 2]}
    with pytest.raises(ValueError, match=r"^settings: "):
        openspiel.from_settings("a")


def first_deals(game: str, seed: int) -> list[str]:
    loaded = openspiel.load(game, seed=seed)
    return [str(loaded.new_initial_state().child(0)) for _ in range(3)]


def test_equal_seeds_deal_equal_games(game):
    assert first_deals(game, 7) == first_deals(game, 7)
    assert len(set(first_deals(game, 7))) == 3
    assert first_deals(game, 7) != first_deals(game, 8)


def test_a_copy_goes_on_with_the_same_game(game):
    loaded = openspiel.load(game)
    for state in [*random_states(loaded, 1)][:30]:
        again = loaded.deserialize_state(state.serialize())
        for other in (state.clone(), again):
            assert str(other) == str(state) and other.history() == state.history()
            if not state.is_terminal():
                action = state.legal_actions()[-1]
                assert str(other.child(action)) == str(state.child(action))


def test_what_is_illegal_changes_nothing(game):
    state = openspiel.load(game).new_initial_state()
    with pytest.raises(ValueError, match=r"^action: "):
        state.child(1)
    state.apply_action(0)
    before = str(state)
    illegal = next(action for action in range(state.num_distinct_actions()) if action not in state.legal_actions())
    with pytest.raises(ValueError, match=r"^action: .* illegal"):
        state.apply_action(illegal)
    assert str(state) == before


def test_a_policy_must_be_one():
    with pytest.raises(ValueError, match=r"^policy: "):
        zero_sum().tabular(lambda state: {state.legal_actions()[0]: 0.5})


def test_an_observer_says_what_it_cannot_do(game):
    loaded = openspiel.load(game)
    with pytest.raises(ValueError, match=r"^params: "):
        loaded.make_py_observer(None, {"x": 1})
    for private in (pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.ALL_PLAYERS):
        assert loaded.make_py_observer(pyspiel.IIGObservationType(True, False, private), None) is None
    observer, state = loaded.make_py_observer(None, None), loaded.new_initial_state().child(0)
    for look in (observer.set_from, observer.string_from):
        for seat in (-1, loaded.num_players()):
            with pytest.raises(ValueError, match=r"^seat: "):
                look(state, seat)


def test_a_playthrough_can_be_generated(game):
    """It asks for all kinds of observers, also for those that there are not."""
    name, config = openspiel.name_of(game), next(iter(set(configs(game)) & {"tiny", "duel-MU"}))
    text = generate_playthrough.playthrough(f"{name}(config={config})", action_sequence=None, seed=1)
    assert f'GameType.short_name = "{name}"' in text and "Rewards()" in text


COPIES = {"pickle": lambda thing: pickle.loads(pickle.dumps(thing)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", COPIES)
def test_games_and_states_can_be_copied(game, way):
    for loaded in (openspiel.load(game, seed=3), openspiel.load(game, next(reversed(configs(game))))):
        again = COPIES[way](loaded)
        assert str(again) == str(loaded)
        state, other = loaded.new_initial_state().child(0), again.new_initial_state().child(0)
        assert str(state) == str(other)
        twin = COPIES[way](state)
        assert twin.history() == state.history() and str(twin) == str(state)
        if not state.is_terminal() and not state.is_chance_node():
            action = state.legal_actions()[-1]
            assert str(twin.child(action)) == str(state.child(action))


def test_threads_may_play_one_game(game):
    loaded = openspiel.load(game)
    starts = [loaded.new_initial_state().child(0) for _ in range(4)]

    def play(state: Any, seed: int) -> list[str]:
        rng, seen = random.Random(seed), []
        for _ in range(40):
            if state.is_terminal():
                break
            seen.append(state.information_state_string(state.current_player()))
            state.apply_action(rng.choice(state.legal_actions()))
        return [*seen, str(state)]

    alone = [play(start.clone(), seed) for seed, start in enumerate(starts)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert [*pool.map(play, starts, range(4))] == alone


# -- The table of benchmarks ------------------------------------------------------------------------------------------


def test_agents_are_judged_beside_solvers(capsys):
    exact = pytest.importorskip("benchmarks.exact")
    case = exact.CASES[0]
    arguments = ["--game", case.game, "--config", case.config, "--iterations", "4", "--samples", "2"]
    assert exact.main([*arguments, "--agents", "random", "heuristic", "perfect_information:10"]) == 0
    out, err = capsys.readouterr()
    lines = [line.split("|")[1:-1] for line in out.splitlines() if line.startswith("| ") and "---" not in line]
    players = [line[0].strip() for line in lines]
    assert players[:3] == ["player", "random", "heuristic"] and set(players[3:]) == set(exact.SOLVERS)
    assert all(float(line[4]) >= 0 for line in lines[1:])
    assert "perfect_information:10 left out" in err


def test_a_policy_is_made_of_an_agent_s_answers():
    exact = pytest.importorskip("benchmarks.exact")
    walked = zero_sum()
    policy = exact.policy_of("heuristic", walked.game.dealer.ruleset, 4, 0)
    for state in [*walked.states.values()][:100]:
        shares = policy(state)
        assert set(shares) <= set(state.legal_actions())
        assert sum(shares.values()) == pytest.approx(1)


def test_a_trained_agent_says_its_probabilities(tmp_path):
    exact, train = pytest.importorskip("benchmarks.exact"), pytest.importorskip("agents.train")
    case = exact.CASES[0]
    small = ["--envs", "8", "--rollout", "8", "--steps", "64", "--net", "16,16", "--evals", "1", "--eval-games", "8"]
    small += ["--test-games", "8", "--threads", "1", "--cloning-decisions", "0", "--improvement-positions", "0"]
    small += ["--prior-weight", "1"]
    assert train.main(["--game", case.game, "--config", case.config, *small, "--out", str(tmp_path)]) == 0
    (run,) = tmp_path.iterdir()
    walked = openspiel.Tree(openspiel.load(case.game, case.config, **case.parameters))
    for agent in (str(run), f"{run}@sampled"):
        policy = exact.policy_of(agent, walked.game.dealer.ruleset, 1, 0)
        mixed = 0
        for state in [*walked.states.values()][:50]:
            shares = policy(state)
            assert set(shares) == set(state.legal_actions()) and sum(shares.values()) == pytest.approx(1, abs=1e-5)
            mixed += 0 < min(shares.values()) < 1
        assert (mixed > 0) == agent.endswith("@sampled")
        assert exact.play(walked, agent, policy).gains.min() >= -1e-6
