"""Gymnasium: one seat's environment, and many of them at once."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from murder_envs import env_id
from murder_envs.api.seat import AnyAction, SeatEnv
from murder_envs.api.vector import SeatVectorEnv
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from tests.support import decisions_of, ruleset_of

SEATS = [
    {"seat": 0},
    {"seat": "random", "opponents": "heuristic", "skip_forced": True},
    {"seat": "all"},
]


@pytest.fixture
def ruleset(game):
    return ruleset_of(game)


def play(env, steps, seed=0):
    """Everything that `steps` uniformly random legal decisions bring, games begun anew when they end."""
    rng = np.random.default_rng(seed)
    results = []
    ended = True
    for _ in range(steps):
        if ended:
            results.append(env.reset())
        action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        results.append(env.step(action))
        ended = results[-1][2] or results[-1][3]
    return results


def equal(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    return np.array_equal(a, b)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version:UserWarning")
@pytest.mark.parametrize("options", SEATS, ids=str)
def test_gymnasium_s_checker_is_content(game, options):
    check_env(AnyAction(gymnasium.make(env_id(game), **options).unwrapped))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", SEATS, ids=str)
def test_make_gives_the_seat_environment(game, options):
    env = gymnasium.make(env_id(game), render_mode="ansi", **options)
    assert isinstance(env.unwrapped, SeatEnv) and env.spec.id == env_id(game)
    env.reset(seed=1)
    play(env, 60)
    assert isinstance(env.unwrapped.render(), str)
    assert env.unwrapped.action_id(env.unwrapped.action_names[3]) == 3
    assert env.unwrapped.observation_layout.size == env.observation_space.shape[0]
    env.close()


@pytest.mark.parametrize("options", SEATS, ids=str)
def test_the_mask_and_the_rewards(ruleset, options):
    env = SeatEnv(ruleset, **options)
    env.reset(seed=4)
    ends = 0
    for _, *result in [(0, *step) for step in play(env, decisions_of(ruleset, 6))]:
        observation, info = result[0], result[-1]
        assert observation in env.observation_space
        if len(result) == 2:
            assert info["action_mask"].any() and info["seat"] >= 0
            continue
        _, reward, terminated, truncated, _ = result
        assert type(reward) is float and type(terminated) is type(truncated) is bool
        assert info["action_mask"].dtype == np.int8 and info["action_mask"].shape == (env.action_space.n,)
        if terminated or truncated:
            ends += 1
            assert reward == info["returns"][info["seat"]] and not info["action_mask"].any()
        else:
            assert reward == 0 and info["action_mask"].any()
    assert ends > 1


def test_seeds_are_those_of_every_environment(ruleset):
    env = SeatEnv(ruleset, seat="all")
    one = Batch(ruleset, 1, auto_reset=False)
    env.reset(seed=7)
    k = 0
    for _ in range(5):
        while not one.start(0, episode_seed(7, 0, k) if k else 7):
            k += 1
        assert env._batch.seeds[0] == one.seeds[0]
        assert (env._observation() == one.observations[0]).all()
        env.reset()
        k += 1
    first = env.reset(seed=7)
    later = [env.reset() for _ in range(3)]
    assert equal(env.reset(seed=7), first) and equal([env.reset() for _ in range(3)], later)
    unseeded = set()
    for _ in range(6):
        env = SeatEnv(ruleset)
        env.reset()
        unseeded.add(int(env._batch.seeds[0]))
    assert len(unseeded) > 1


def test_an_illegal_action_is_refused(ruleset):
    env = SeatEnv(ruleset)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    _, info = env.reset(seed=1)
    before = env.snapshot()
    for wrong in (int(np.flatnonzero(info["action_mask"] == 0)[0]), -1, env.action_space.n, 0.5, None, "pass"):
        with pytest.raises(ValueError, match="actions: "):
            env.step(wrong)
        assert env.snapshot() == before
    assert env.legal_actions() == np.flatnonzero(info["action_mask"]).tolist()
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_illegal_action_can_count_as_the_next_legal_one(ruleset):
    env = AnyAction(SeatEnv(ruleset))
    _, info = env.reset(seed=1)
    legal = np.flatnonzero(info["action_mask"])
    for action in range(ruleset.actions.n):
        assert env.action(action) == (
            legal[legal >= action].min(initial=ruleset.actions.n) if (legal >= action).any() else legal[0]
        )


def test_reset_takes_a_snapshot(ruleset, monkeypatch):
    monkeypatch.setattr("murder_envs.drivers.batch.PATIENCE", 5)  # so often, it restores the position that is over
    env = SeatEnv(ruleset, seat="all")
    env.reset(seed=1)
    for _ in range(4):
        env.step(env.legal_actions()[-1])
    snapshot, view, mask = env.snapshot(), env._observation(), env.action_masks()
    other = SeatEnv(ruleset, seat="all")
    observation, _ = other.reset(seed=9, options={"snapshot": snapshot})
    assert (observation == view).all() and (other.action_masks() == mask).all() and other.snapshot() == snapshot
    before = other.snapshot(), other._seed, other._episode
    finished = ruleset.snapshot(ruleset.rules, rollout.play(ruleset, games=1).states)
    for options, named in (
        ({"snapshot": {"no_such_field": 0}}, "no_such_field"),
        ({"no_such_option": 0}, "no_such_option"),
        ({"snapshot": finished}, "snapshot"),
    ):
        with pytest.raises(ValueError, match=named):
            other.reset(seed=3, options=options)
        assert (other.snapshot(), other._seed, other._episode) == before
    other.reset()
    assert other._batch.seeds[0] == episode_seed(9, 0, other._episode) and other._episode >= 1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_the_same_game(ruleset, copied):
    env = SeatEnv(ruleset, seat="random", opponents="random")
    env.reset(seed=5)
    env.step(env.legal_actions()[0])
    env.reset()
    other = copied(env)
    assert equal(play(env, 50), play(other, 50))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"seat": "none"}, "seat: "),
        ({"opponents": "ask"}, "opponents: "),
        ({"opponents": ["ask"]}, "opponents: "),
        ({"render_mode": "human"}, "render_mode: "),
        ({"render_seat": 99}, "render_seat: "),
        ({"no_such_parameter": 1}, "no_such_parameter"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_arguments_are_named(game, options, named):
    with pytest.raises(ValueError, match=named):
        gymnasium.make(env_id(game), **options)
    with pytest.raises(ValueError, match=named):
        gymnasium.make_vec(env_id(game), num_envs=2, **options)


# -- Many at once -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["vector_entry_point", None])
def test_make_vec_gives_the_vector_environment(game, mode):
    envs = gymnasium.make_vec(env_id(game), num_envs=5, vectorization_mode=mode, seat="all", skip_forced=True)
    assert isinstance(envs, SeatVectorEnv) and envs.num_envs == 5 and envs.spec.id == env_id(game)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.observation_space.shape == (5, *envs.single_observation_space.shape)
    observations, infos = envs.reset(seed=2)
    assert observations in envs.observation_space
    for _ in range(50):
        actions = envs.batch.choose()
        assert actions in envs.action_space
        observations, _, _, _, infos = envs.step(actions)
        assert observations in envs.observation_space
        assert (envs.action_masks() == infos["action_mask"]).all() and infos["action_mask"].any(1).all()
    envs.close()


@pytest.mark.filterwarnings("error")
def test_sync_vectorization_works_too(game):
    envs = gymnasium.make_vec(env_id(game), num_envs=2, vectorization_mode="sync", seat="all")
    _, infos = envs.reset(seed=1)
    for _ in range(20):
        _, _, _, _, infos = (
            envs.step(infos["action_mask"].argmax(1))
            if infos["action_mask"].any(1).all()
            else (*[None] * 4, envs.reset()[1])
        )
    envs.close()


def of_game(values, i):
    """What the infos of many games say of one; a dict of arrays is a dict in each game."""
    if isinstance(values, dict):
        return {key: of_game(value, i) for key, value in values.items() if not key.startswith("_")}
    return values[i]


@pytest.mark.parametrize("options", SEATS, ids=str)
def test_the_vector_environment_is_the_batch(ruleset, options):
    envs, batch = SeatVectorEnv(ruleset, 16, scores=True, **options), Batch(ruleset, 16, 3, **options)
    observations, infos = envs.reset(seed=3)
    batch.reset()
    kept = []
    ends = 0
    for _ in range(decisions_of(ruleset, 2)):
        assert (observations == batch.observations).all() and (infos["seat"] == batch.seats).all()
        actions = batch.choose()
        batch.step(actions)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        kept.append((observations, observations.copy(), infos["action_mask"], infos["action_mask"].copy()))
        assert (rewards == batch.rewards).all()
        assert (terminations == batch.terminated).all() and (truncations == batch.truncated).all()
        over = np.flatnonzero(terminations | truncations)
        ends += len(over)
        assert ("final_obs" in infos) == ("final_info" in infos) == (len(over) > 0)
        if not len(over):
            continue
        last = infos["final_info"]
        assert (np.flatnonzero(infos["_final_obs"]) == over).all() and (
            np.flatnonzero(infos["_final_info"]) == over
        ).all()
        for i in range(16):
            assert (infos["final_obs"][i] is not None) == (i in over)
        for i in over:
            assert (infos["final_obs"][i] == batch.final_observations[i]).all()
            assert (last["returns"][i] == batch.returns[i]).all() and last["seed"][i] == batch.final_seeds[i]
            assert last["returns"][i, last["seat"][i]] == rewards[i]
            for key, value in batch.final_score(i).items():
                assert (
                    key in ("returns", "seat", "length", "seed")
                    or last[f"_{key}"][i]
                    and np.array_equal(of_game(last[key], i), value)
                )
    assert ends > 0
    assert all((a == b).all() and (c == d).all() for a, b, c, d in kept), "what was returned does not change later"


def test_a_vector_reset_that_fails_changes_nothing(ruleset):
    envs = SeatVectorEnv(ruleset, 3, seat="all", render_mode="ansi")
    envs.reset(seed=1)
    before = [envs.batch.snapshot(i) for i in range(3)]
    with pytest.raises(ValueError, match="no_such_option"):
        envs.reset(seed=2, options={"no_such_option": 1})
    with pytest.raises(ValueError, match="game 1: -1"):
        envs.step([int(envs.batch.choose()[0]), -1, -1])
    assert [envs.batch.snapshot(i) for i in range(3)] == before
    assert len(envs.render()) == 3
    observations, _ = envs.reset(options={"snapshot": before[2]})
    assert [envs.batch.snapshot(i) for i in range(3)] == [before[2]] * 3
