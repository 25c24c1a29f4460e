"""stable-baselines3: one VecEnv over the whole batch."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
sb3_contrib = pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402

from murder_envs import AnyAction, env_id  # noqa: E402
from murder_envs.api.sb3 import BatchVecEnv, make  # noqa: E402
from murder_envs.drivers.batch import Batch  # noqa: E402
from tests.support import decisions_of, named, ruleset_of  # noqa: E402

SEATS = [
    {"seat": "all"},
    {"seat": "all", "skip_forced": True},
    {"seat": "random", "opponents": "heuristic", "skip_forced": True},
]


@pytest.fixture
def ruleset(game):
    return ruleset_of(game)


def first_legal(observations, masks, seats):
    return masks.argmax(1)


def last_legal(observations, masks, seats):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


@pytest.mark.parametrize("options", [*SEATS, {"seat": 1, "opponents": first_legal}], ids=named)
def test_maskable_ppo_learns(ruleset, options):
    env = BatchVecEnv(ruleset, 8, **options)
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=3, policy_kwargs={"net_arch": [16]}
    )  # fmt: skip
    steps = 16 * 8 * (decisions_of(ruleset, 1) // 16 + 1)
    model.learn(steps)
    assert model.num_timesteps == steps and env.batch.seed == 3
    assert model.ep_info_buffer and {"r", "l", "t"} <= set(model.ep_info_buffer[0])
    assert model.rollout_buffer.observations.dtype == np.int8
    mean, _ = evaluate_policy(model, env, n_eval_episodes=5, warn=True)
    assert -1 <= mean <= 1


@pytest.mark.parametrize("options", SEATS, ids=named)
def test_the_env_is_the_batch(ruleset, options):
    env, batch = BatchVecEnv(ruleset, 16, seed=3, **options), Batch(ruleset, 16, 3, **options)
    batch.reset()
    assert is_masking_supported(env)
    observations = env.reset()
    ends = 0
    for _ in range(decisions_of(ruleset, 2)):
        masks = get_action_masks(env)
        assert masks.shape == (16, env.action_space.n) and masks.any(1).all()
        assert (masks == batch.masks).all() and (observations == batch.observations).all()
        assert masks is not env.action_masks() and observations in _batched(env)
        actions = batch.choose()
        batch.step(actions)
        kept = observations.copy()
        later, rewards, dones, infos = env.step(actions)
        assert (observations == kept).all(), "what was returned does not change later"
        observations = later
        assert rewards.dtype == np.float32 and (rewards == batch.rewards.astype(np.float32)).all()
        assert dones.dtype == np.bool_ and (dones == batch.terminated | batch.truncated).all()
        assert len(infos) == 16 and len({id(info) for info in infos}) == 16
        for i, info in enumerate(infos):
            if not dones[i]:
                assert info == {}
                continue
            ends += 1
            assert (info["terminal_observation"] == batch.final_observations[i]).all()
            assert info["TimeLimit.truncated"] is bool(batch.truncated[i])
            assert info["episode"]["r"] == batch.rewards[i] and info["episode"]["l"] == batch.final_lengths[i] > 0
            assert (info["returns"] == batch.returns[i]).all() and info["seat"] == batch.final_seats[i]
            assert info["seed"] == batch.final_seeds[i]
    assert ends > 0


def _batched(env):
    from gymnasium.vector.utils import batch_space

    return batch_space(env.observation_space, env.num_envs)


def test_opponents_may_be_callables(ruleset):
    actors = []

    def opponent(observations, masks, seats):
        k = len(seats)
        assert observations.shape == (k, ruleset.observation.size) and masks.shape == (k, ruleset.actions.n) and k > 0
        assert observations.dtype == masks.dtype == np.int8 and seats.dtype == np.int64 and masks.any(1).all()
        actors.extend(seats.tolist())
        return first_legal(observations, masks, seats)

    env = BatchVecEnv(ruleset, 16, seed=1, seat="random", opponents=opponent)
    env.reset()
    ends = 0
    for _ in range(decisions_of(ruleset, 2)):
        assert (env.batch.seats == env.batch.learners).all()
        _, rewards, dones, infos = env.step(env.batch.choose())
        for i in np.flatnonzero(dones):
            ends += 1
            assert rewards[i] == np.float32(infos[i]["returns"][infos[i]["seat"]])
            assert infos[i]["episode"]["l"] > 0
        assert not rewards[~dones].any()
    assert ends > 0 and set(actors) == set(range(ruleset.n_seats))


def test_callables_play_as_the_compiled_policies_would(ruleset):
    """The same games, step by step, where opponents have no choice of their own to draw."""
    env = BatchVecEnv(ruleset, 8, seed=2, seat=0, opponents=[last_legal] * (ruleset.n_seats - 1), skip_forced=True)
    observations = env.reset()
    one = Batch(ruleset, 8, 2, seat=0, opponents="ask")
    one.reset()
    for _ in range(40):
        while True:
            others = np.flatnonzero((one.seats != 0) | (one.masks.sum(1) == 1))
            if not others.size:
                break
            one.step(last_legal(None, one.masks[others], None), others)
        assert (observations == one.observations).all() and (env.action_masks() == one.masks).all()
        actions = last_legal(None, one.masks, None)
        observations, _, _, _ = env.step(actions)
        one.step(actions)


def test_opponents_may_be_mixed(ruleset):
    actors = set()

    def opponent(observations, masks, seats):
        actors.update(seats.tolist())
        return first_legal(observations, masks, seats)

    mixed = [opponent] + ["random"] * (ruleset.n_seats - 2)
    env = BatchVecEnv(ruleset, 8, seat=0, opponents=mixed)
    env.reset()
    for _ in range(40):
        env.step(env.batch.choose())
    assert actors == {1}


def test_games_may_have_opponents_of_their_own(ruleset):
    calls = {"one": 0, "other": 0}

    def one(observations, masks, seats):
        calls["one"] += len(seats)
        return first_legal(observations, masks, seats)

    def other(observations, masks, seats):
        calls["other"] += len(seats)
        return first_legal(observations, masks, seats)

    env = BatchVecEnv(ruleset, 8, seed=3, seat=0, opponents={one: 2, "heuristic": 3, other: 2, "random": 1})
    alone = BatchVecEnv(ruleset, 8, seed=3, seat=0, opponents="heuristic")
    observations, expected = env.reset(), alone.reset()
    for _ in range(40):
        assert (observations[2:5] == expected[2:5]).all()
        actions = first_legal(None, env.batch.masks, None)
        observations, _, _, _ = env.step(actions)
        expected, _, _, _ = alone.step(first_legal(None, alone.batch.masks, None))
    assert min(calls.values()) > 0


@pytest.mark.parametrize(
    ("opponents", "named"),
    [
        ({"heuristic": 7}, "how many of the 8 games"),
        ({"heuristic": 9, "random": -1}, "how many of the 8 games"),
        ({"cluedo": 8}, "'cluedo'"),
        ({"ask": 8}, "'ask'"),
        (7, "a policy or"),
    ],
)
def test_wrong_opponents_are_named(ruleset, opponents, named):
    with pytest.raises(ValueError, match=f"opponents: .*{named}"):
        BatchVecEnv(ruleset, 8, seat=0, opponents=opponents)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (lambda observations, masks, seats: np.full(len(seats), -1), "illegal action -1 in game"),
        (lambda observations, masks, seats: (1 - masks).argmax(1), "illegal action"),
        (lambda observations, masks, seats: np.zeros(1 + len(seats), int), "ints were asked for"),
        (lambda observations, masks, seats: np.zeros(len(seats)), "ints were asked for"),
    ],
)
def test_wrong_answers_of_callables_are_named(ruleset, answer, named):
    env = BatchVecEnv(ruleset, 8, seat=0, opponents=answer)
    with pytest.raises(ValueError, match=f"opponents: .*{named}"):
        env.reset()
        for _ in range(50):
            env.step(env.batch.choose())


def test_seeds_count_from_the_next_reset(ruleset):
    env = BatchVecEnv(ruleset, 4)
    env.seed(8)
    first = env.reset()
    assert env.batch.seed == 8 and not env.batch.episodes[0] > env.unseen[0]
    env.reset()
    env.seed(8)
    assert (env.reset() == first).all()
    for wrong in (-1, 1.5):
        with pytest.raises(ValueError, match="seed: "):
            env.seed(wrong)


def test_options_count_for_the_next_reset(ruleset):
    env = BatchVecEnv(ruleset, 4, seed=1)
    env.reset()
    snapshot = env.batch.snapshot(2)
    env.set_options({"snapshot": snapshot})
    env.reset()
    assert env.env_method("snapshot") == [snapshot] * 4
    env.reset()
    env.set_options({"no_such_option": 1})
    before = env.env_method("snapshot")
    with pytest.raises(ValueError, match="no_such_option"):
        env.reset()
    assert env.env_method("snapshot") == before


def test_what_the_library_asks_for(ruleset):
    env = make(ruleset.name, 4, seed=1, seat=0, opponents="heuristic", render_mode="ansi", scores=True)
    env.reset()
    assert env.env_method("action_masks", indices=[1])[0].shape == (env.action_space.n,)
    assert env.get_attr("render_mode") == ["ansi"] * 4 and env.get_attr("num_envs", 2) == [4]
    assert not env.has_attr("no_such_attribute")
    with pytest.raises(AttributeError, match="no_such_method"):
        env.env_method("no_such_method")
    assert all(isinstance(text, str) for text in env.env_method("render"))
    while True:
        _, _, dones, infos = env.step(env.batch.choose())
        if dones.any():
            break
    info = infos[int(dones.argmax())]
    assert set(env.batch.final_score(int(dones.argmax()))) <= set(info)
    env.close()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"opponents": "ask", "seat": 0}, "opponents: "),
        ({"opponents": first_legal}, "opponents: "),
        ({"opponents": [first_legal] * 40, "seat": 0}, "opponents: "),
        ({"seat": -1}, "seat: "),
        ({"render_mode": 1}, "^render_mode: "),
        ({"scores": 1}, "scores: "),
        ({"num_envs": "8"}, "^num_envs: "),
        ({"num_envs": 0}, "^num_envs: "),
    ],
    ids=named,
)
def test_wrong_arguments_are_named(ruleset, options, named):
    with pytest.raises(ValueError, match=named):
        BatchVecEnv(ruleset, **{"num_envs": 2, **options})


def test_unknown_keywords_are_named(game):
    with pytest.raises(TypeError, match="^opponent: unexpected keyword argument 'opponent'; did you mean opponents"):
        make(game, 2, opponent="random")


@pytest.mark.nojit
def test_nothing_is_told_of_games_that_have_not_begun(ruleset):
    env = BatchVecEnv(ruleset, 2, render_mode="ansi")
    for call in (
        env.render,
        env.action_masks,
        lambda: env.step(np.zeros(2, int)),
        *(lambda name=name: env.env_method(name) for name in ("snapshot", "render", "action_masks")),
    ):
        with pytest.raises(AssertionError, match="reset"):
            call()


@pytest.mark.nojit
@pytest.mark.filterwarnings("error")
def test_rendering(ruleset):
    env = BatchVecEnv(ruleset, 2, seed=1, render_mode="ansi")
    env.reset()
    assert env.render() == env.render("ansi") == "\n\n".join(env.env_method("render"))
    with pytest.warns(UserWarning, match="rgb_array"):
        assert env.render("rgb_array") is None
    env.set_attr("render_mode", "human")
    assert env.render() is None
    env.close()
    with pytest.warns(UserWarning, match="that is not in the possible render_modes"):
        silent = BatchVecEnv(ruleset, 2, render_mode="depth_array")
    silent.reset()
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert silent.render() is None
    texts = set()
    for seat in (None, 0, 1):
        env = BatchVecEnv(ruleset, 1, seed=1, render_mode="ansi", render_seat=seat)
        env.reset()
        texts.add(env.render())
    assert len(texts) == 3


@pytest.mark.nojit
def test_attributes_are_those_of_all_games(ruleset):
    env = BatchVecEnv(ruleset, 3, seed=1, seat=0, opponents="heuristic")
    env.reset()
    for name in ("opponents", "skip_forced", "seat", "num_envs", "batch", "no_such_attribute"):
        with pytest.raises(AttributeError, match=name):
            env.set_attr(name, "random")
    with pytest.raises(ValueError, match="^indices: "):
        env.set_attr("render_mode", "ansi", indices=[0])
    env.set_attr("render_mode", "ansi", indices=range(3))
    assert env.get_attr("opponents") == ["heuristic"] * 3 and env.get_attr("render_mode", [0, 2]) == ["ansi"] * 2
    texts = env.env_method("render")
    assert env.env_method("render", indices=[2, 0]) == [texts[2], texts[0]]
    assert env.env_method("render", indices=1) == [texts[1]]
    for wrong in (3, -1, [0, 3], ["0"]):
        with pytest.raises(ValueError, match="^indices: "):
            env.env_method("snapshot", indices=wrong)


@pytest.mark.nojit
def test_a_reset_in_which_an_opponent_fails_changes_nothing(ruleset):
    answers = [first_legal]

    def opponent(observations, masks, seats):
        return answers[0](observations, masks, seats)

    env = BatchVecEnv(ruleset, 4, seed=1, seat="random", opponents=opponent)
    env.reset()
    env.step(env.batch.choose())
    before = [array.tobytes() for array in env.batch._tables], env.batch.seed, env.unseen.tolist()
    answers[0] = lambda observations, masks, seats: np.full(len(seats), -1)
    env.seed(2)
    with pytest.raises(ValueError, match="^opponents: "):
        env.reset()
    assert ([array.tobytes() for array in env.batch._tables], env.batch.seed, env.unseen.tolist()) == before
    answers[0] = first_legal
    env.reset()
    assert env.batch.seed == 2, "the seed still waits for a reset"


@pytest.mark.nojit
def test_the_error_for_an_illegal_action_says_what_to_use(ruleset):
    env = BatchVecEnv(ruleset, 1, seed=1)
    env.reset()
    with pytest.raises(ValueError, match="is illegal; .*MaskablePPO.*MaskableEvalCallback.*AnyAction"):
        env.step(np.array([int(env.batch.masks[0].argmin())]))


def test_by_id(game):
    """The library makes the environments itself, and asks for pixels."""
    small = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "policy_kwargs": {"net_arch": [16]}}
    env = make_vec_env(env_id(game), n_envs=2)
    assert sb3_contrib.MaskablePPO("MlpPolicy", env, **small).learn(32).num_timesteps == 32
    assert sb3_contrib.MaskablePPO("MlpPolicy", env_id(game), **small).learn(16).num_timesteps == 16
    assert PPO("MlpPolicy", make_vec_env(env_id(game), wrapper_class=AnyAction), **small).learn(16).num_timesteps == 16
    with pytest.raises(ValueError, match="is illegal; .*MaskablePPO.*AnyAction"):
        PPO("MlpPolicy", env_id(game), **small).learn(2_000)
