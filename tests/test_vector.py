"""Gymnasium: one seat's environment, and many of them at once."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers

from murder_envs import AnyAction, AnyActions, env_id
from murder_envs.api.seat import SeatEnv
from murder_envs.api.vector import SeatVectorEnv
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from tests.support import covering, decisions_of, ruleset_of, shapes

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
        assert env.batch.seeds[0] == one.seeds[0]
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
        unseeded.add(int(env.batch.seeds[0]))
    assert len(unseeded) > 1


def test_an_illegal_action_is_refused(ruleset):
    env = SeatEnv(ruleset)
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
    before = other.snapshot(), where_it_stands(other)
    finished = ruleset.snapshot(ruleset.rules, rollout.play(ruleset, games=1).states)
    for options, named in (
        ({"snapshot": {"no_such_field": 0}}, "no_such_field"),
        ({"no_such_option": 0}, "no_such_option"),
        ({"snapshot": finished}, "snapshot"),
    ):
        with pytest.raises(ValueError, match=named):
            other.reset(seed=3, options=options)
        assert (other.snapshot(), where_it_stands(other)) == before
    other.reset()
    k = int(other.batch.episodes[0])
    assert k >= 1 and other.batch.seeds[0] == episode_seed(9, 0, k)


def where_it_stands(env):
    """All bytes of the game, and of what the next reset follows from."""
    return [array.tobytes() for array in env.batch._tables]


def without_any_decision(env, monkeypatch):
    """From now on every game ends before the learning seat has a decision."""
    advance = env.batch._advance

    def end_at_once(*arguments):
        ended = advance(*arguments)
        env.batch.seats[:] = -1
        return ended

    monkeypatch.setattr(env.batch, "_advance", end_at_once)


@pytest.mark.parametrize("begun", [False, True])
def test_a_reset_that_gives_up_changes_nothing(ruleset, monkeypatch, begun):
    for env in (SeatEnv(ruleset), SeatVectorEnv(ruleset, 2)):
        if begun:
            env.reset(seed=1)
        before = where_it_stands(env)
        without_any_decision(env, monkeypatch)
        for seed in (None, 3):
            with pytest.raises(RuntimeError, match="ended before the learning seat had a decision"):
                env.reset(seed=seed)
            assert where_it_stands(env) == before


@pytest.mark.nojit
def test_seeds_are_integers_of_any_kind(ruleset):
    for env in (SeatEnv(ruleset), SeatVectorEnv(ruleset, 2)):
        first = env.reset(seed=7)
        for kind in (np.int64, np.uint8, np.uint64, np.array):
            assert equal(env.reset(seed=kind(7)), first)
        before = where_it_stands(env)
        for wrong in (
            7.0,
            np.float64(7),
            np.array(5.7),
            True,
            np.True_,
            -1,
            np.int64(-1),
            2**63,
            "7",
            np.array([7]),
            int,
        ):
            with pytest.raises(ValueError, match="^seed: "):
                env.reset(seed=wrong)
            assert where_it_stands(env) == before
    for wrong in ([7], [7, 7, 7], [7, 7.0], [True, 7], [7, -1]):
        with pytest.raises(ValueError, match="^seed: "):
            env.reset(seed=wrong)
        assert where_it_stands(env) == before


@pytest.mark.nojit
def test_nothing_is_told_of_a_game_that_has_not_begun(ruleset):
    seat, many = SeatEnv(ruleset, render_mode="ansi"), SeatVectorEnv(ruleset, 2, render_mode="ansi")
    for call in (
        seat.render, seat.snapshot, seat.legal_actions, seat.action_masks, lambda: seat.step(0),
        many.render, many.action_masks, lambda: many.step([0, 0]),
    ):  # fmt: skip
        for error in (AssertionError, gymnasium.error.ResetNeeded):
            with pytest.raises(error, match="reset"):
                call()
    batch = Batch(ruleset, 2)
    with pytest.raises(ValueError, match="game: 1 has not begun"):
        batch.snapshot(1)


@pytest.mark.nojit
def test_settings_are_fixed(ruleset):
    for env in (SeatEnv(ruleset), SeatVectorEnv(ruleset, 2), SyncVectorEnv([lambda: SeatEnv(ruleset)])):
        for name, value in (("opponents", "heuristic"), ("skip_forced", True), ("seat", 1)):
            with pytest.raises(AttributeError, match=name):
                env.set_attr(name, value) if isinstance(env, SyncVectorEnv) else setattr(env, name, value)
    assert (env.get_attr("opponents"), env.get_attr("skip_forced"), env.get_attr("seat")) == ((None,), (False,), (0,))


@pytest.mark.nojit
def test_the_error_for_an_illegal_action_says_what_to_use(ruleset):
    seat, many = SeatEnv(ruleset), SeatVectorEnv(ruleset, 2)
    for env in (seat, many):
        _, info = env.reset(seed=1)
        illegal = int(np.flatnonzero(info["action_mask"].reshape(-1, ruleset.actions.n)[-1] == 0)[0])
        with pytest.raises(
            ValueError, match=f"{illegal} .* is illegal; .*MaskablePPO.*MaskableEvalCallback.*AnyAction"
        ):
            env.step(illegal if env is seat else [int(env.batch.choose()[0]), illegal])


@pytest.mark.nojit
def test_arrays_of_one_action(ruleset):
    one, other, any_action = SeatEnv(ruleset), SeatEnv(ruleset), AnyAction(SeatEnv(ruleset))
    for env in (one, other, any_action):
        env.reset(seed=1)
    action = one.legal_actions()[-1]
    results = [one.step(action), other.step(np.array([action])), any_action.step(np.array([action], np.int32))]
    assert equal(results[0], results[1]) and equal(results[0], results[2])
    for wrong in (0.5, [1, 2], None, np.array([1.0])):
        with pytest.raises(ValueError, match="^action"):
            any_action.step(wrong)
    ones, columns = SeatVectorEnv(ruleset, 3, seat="all"), SeatVectorEnv(ruleset, 3, seat="all")
    assert equal(ones.reset(seed=1), columns.reset(seed=1))
    actions = ones.batch.choose()
    assert equal(ones.step(actions), columns.step(actions[:, None]))


def test_infos_have_the_same_shape_in_every_game(game):
    for config in covering(game):
        env = SeatEnv(ruleset_of(game, config), seat="random", opponents="heuristic", skip_forced=True)
        env.reset(seed=1)
        infos = [info for *_, info in play(env, decisions_of(env.ruleset, 12))]
        last = [info for info in infos if "returns" in info]
        assert len(last) > 1 and all(shapes(info) == shapes(last[0]) for info in last)
        assert all(set(info) == {"action_mask", "seat"} for info in infos if "returns" not in info)
        score = env.ruleset.info(env.ruleset.rules, env.batch.final_states, last[-1]["seat"])
        for name, (_, filler) in env.ruleset.padding.items():
            told = last[-1][name]
            assert told[: len(score[name])] == score[name] and set(map(str, told[len(score[name]) :])) <= {str(filler)}


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
        ({"render_seat": 99}, "render_seat: "),
        ({"no_such_parameter": 1}, "^no_such_parameter: unexpected keyword argument 'no_such_parameter'"),
        ({"opponent": "random"}, "did you mean opponents"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_arguments_are_named(game, options, named):
    for make in (gymnasium.make, lambda name, **options: gymnasium.make_vec(name, num_envs=2, **options)):
        with pytest.raises(ValueError, match=named) as caught:
            make(env_id(game), **options)
        assert isinstance(caught.value, TypeError) == ("opponent" in options or "no_such_parameter" in options)


@pytest.mark.nojit
@pytest.mark.parametrize("options", [{"num_envs": "8"}, {"num_envs": 0}, {"autoreset_mode": "Never"}], ids=str)
def test_wrong_arguments_of_many_are_named(ruleset, options):
    with pytest.raises(ValueError, match=f"^{next(iter(options))}: "):
        SeatVectorEnv(ruleset, **{"num_envs": 2, **options})


def test_render_modes(game):
    """Those of the AEC environments; another one is warned of, once, and is none."""
    for make in (gymnasium.make, lambda name, **options: gymnasium.make_vec(name, num_envs=2, **options)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            env = make(env_id(game), render_mode="depth_array")
        assert len([each for each in caught if "that is not in the possible render_modes" in str(each.message)]) == 1
        env.reset(seed=1)
        assert env.unwrapped.render_mode is None
        with pytest.warns(UserWarning, match="render_mode="):
            assert env.unwrapped.render() is None
        human = make(env_id(game), render_mode="human")
        shown = []
        human.unwrapped._window.show = lambda picture, shown=shown: shown.append(picture.copy())
        human.reset(seed=1)
        human.step(human.unwrapped.action_masks().argmax(-1))
        assert len(shown) == 2 and shown[0].shape == shown[1].shape and (shown[0] != shown[1]).any()
        with pytest.raises(ValueError, match="^render_mode: "):
            (SeatEnv if make is gymnasium.make else SeatVectorEnv)(human.unwrapped.ruleset, render_mode=1)


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


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("options", SEATS[1:], ids=str)
def test_many_are_what_gymnasium_makes_of_single_ones(ruleset, mode, options):
    """In each mode step for step the same as a SyncVectorEnv of SeatEnvs with the same seeds."""
    seeds = [7, 8, np.int64(9)]
    ours = SeatVectorEnv(ruleset, 3, autoreset_mode=mode, scores=True, **options)
    theirs = SyncVectorEnv([lambda: SeatEnv(ruleset, **options)] * 3, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is ours.autoreset_mode is mode
    results = ours.reset(seed=seeds), theirs.reset(seed=seeds)
    ends = 0
    for _ in range(decisions_of(ruleset, 3)):
        (observations, infos), (their_observations, their_infos) = [(each[0], each[-1]) for each in results]
        assert (observations == their_observations).all()
        for name in ("action_mask", "seat"):
            told = their_infos[f"_{name}"]  # after a reset of some games of these alone
            assert (infos[name] == their_infos[name])[told].all()
        actions = np.where(infos["action_mask"].any(1), ours.batch.choose(), 0)
        results = ours.step(actions), theirs.step(actions)
        for mine, other in zip(results[0][1:4], results[1][1:4]):
            assert (mine == other).all()
        ended = results[0][2] | results[0][3]
        if not ended.any():
            continue
        ends += 1
        infos, their_infos = results[0][-1], results[1][-1]
        if mode is AutoresetMode.SAME_STEP:
            assert equal(infos["final_obs"][ended].tolist(), their_infos["final_obs"][ended].tolist())
            infos, their_infos = infos["final_info"], their_infos["final_info"]
        for name in their_infos.keys() - {"action_mask", "_action_mask", "seat", "_seat"}:
            for i in np.flatnonzero(ended):
                assert equal(of_game(infos[name], i), of_game(their_infos[name], i)), name
        if mode is AutoresetMode.DISABLED:
            with pytest.raises(ValueError, match=rf"game {ended.argmax()} is over; reset begins the next"):
                ours.step(np.maximum(ours.batch.choose(), 0))
            results = ours.reset(options={"reset_mask": ended}), theirs.reset(options={"reset_mask": ended})
    assert ends > 1


@pytest.mark.nojit
def test_any_actions_are_taken_in_many_games(ruleset):
    envs, single = AnyActions(SeatVectorEnv(ruleset, 3)), AnyAction(SeatEnv(ruleset))
    envs.reset(seed=[1, 2, 3])
    single.reset(seed=1)
    n = ruleset.actions.n
    assert [int(envs.actions([action, 0, -1])[0]) for action in range(n)] == [single.action(k) for k in range(n)]
    for _ in range(20):
        envs.step(envs.action_space.sample()[:, None])
    for wrong in ([0.0, 1.0, 2.0], [0, 1], [[0, 1, 2]]):
        with pytest.raises(ValueError, match="^actions: "):
            envs.step(wrong)
    assert envs.autoreset_mode is envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def test_a_reset_mask_begins_some_games(ruleset):
    envs = SeatVectorEnv(ruleset, 3, seat="all", autoreset_mode=AutoresetMode.DISABLED)
    mask, options = np.array([True, False, True]), {"snapshot": {}}
    with pytest.raises(ValueError, match="^reset_mask: .*first reset"):
        envs.reset(options={"reset_mask": mask})
    envs.reset(seed=1)
    envs.step(envs.batch.choose())
    before = where_it_stands(envs), [envs.batch.snapshot(i) for i in range(3)]
    for wrong in (mask.tolist(), mask[:2], mask.astype(int), ~mask & mask, None):
        with pytest.raises(ValueError, match="^reset_mask: "):
            envs.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="no_such_option"):
        envs.reset(seed=2, options={"reset_mask": mask, "no_such_option": 1})
    assert where_it_stands(envs) == before[0]
    options["reset_mask"] = mask
    envs.reset(seed=2, options=options)
    assert set(options) == {"snapshot", "reset_mask"}, "the caller's dict stays as it is"
    assert envs.batch.snapshot(1) == before[1][1] and envs.batch.seeds[1] == episode_seed(1, 1, envs.batch.episodes[1])
    assert envs.batch.seeds[2] == episode_seed(2, 2, envs.batch.episodes[2])
    envs.reset(seed=[None, 5, None], options={"reset_mask": ~mask})
    assert envs.batch.seeds[1] in (5, episode_seed(5, 0, envs.batch.episodes[1])) and envs.batch.lengths[1] == 0


def test_next_step_begins_nothing_where_an_action_is_wrong(ruleset):
    envs = SeatVectorEnv(ruleset, 2, seat="all", autoreset_mode="NextStep")
    envs.reset(seed=1)
    while (envs.batch.seats >= 0).all():
        envs.step(envs.batch.choose())
    before = where_it_stands(envs)
    for wrong in ([-1, -1], [0], [0.5, 0.5], [[0, 0]]):
        if (envs.batch.seats >= 0).any() or wrong != [-1, -1]:
            with pytest.raises(ValueError, match="^actions: "):
                envs.step(wrong)
        assert where_it_stands(envs) == before
    envs.step(envs.batch.choose())
    assert (envs.batch.seats >= 0).any()


@pytest.mark.parametrize(
    "wrapper", ["NormalizeObservation", "FlattenObservation", "DtypeObservation", "NormalizeReward"]
)
def test_gymnasium_s_wrappers(game, wrapper):
    envs = gymnasium.make_vec(env_id(game), num_envs=3, seat="all", autoreset_mode=AutoresetMode.NEXT_STEP)
    more = {"dtype": np.float32} if wrapper == "DtypeObservation" else {}
    wrapped = vector_wrappers.RecordEpisodeStatistics(getattr(vector_wrappers, wrapper)(envs, **more))
    observations, _ = wrapped.reset(seed=1)
    ends = 0
    while ends < 2:
        assert wrapped.observation_space.contains(observations.astype(wrapped.observation_space.dtype))
        observations, _, terminated, truncated, infos = wrapped.step(np.maximum(envs.unwrapped.batch.choose(), 0))
        ends += (terminated | truncated).sum()
        assert ("episode" in infos) == (terminated | truncated).any()


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
