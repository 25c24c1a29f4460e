"""The PettingZoo interface: its own tests, its wrappers' behaviour, copies, resets, errors, rendering, registries.

The interface passes on what the compiled rules say, and `env` differs from `raw_env` in the same way in every
configuration. So a promise is tested

- in the default configuration of each game, if it does not depend on the configuration (`every_game`), for both kinds
  of environment (`both_kinds`);
- else also in further configurations, which together have every value of every parameter (`support.covering`). Where
  there are several kinds of environment, or several ways to copy one, the default configuration meets them all, and
  each of the others meets one of them, in turn (`spread`).

What the rules themselves promise, and that nobody sees too much, is tested in all configurations: test_signature.py,
test_fuzz.py, test_snapshots.py, test_no_leak.py, test_playthroughs.py.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import itertools
import pickle
import random
import re
import subprocess
import sys
import types
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

import murder_envs
from murder_envs import warm
from murder_envs.api import aec
from murder_envs.drivers.cursor import Cursor
from murder_envs.registry import GAMES, configs, env_id
from tests.support import ROOT, all_configs, covering, ruleset_of, shapes, through_read_only_memory

DEFAULTS = [(game, "default") for game in GAMES]
COVERING = [(game, config) for game in GAMES for config in covering(game)]
KINDS = ("env", "raw_env")
MAX_SEED = 2**63 - 1


def spread(**choices):
    """Run a test for the configurations of COVERING.

    The default configurations meet all combinations of the choices, each other configuration the next one in turn.

    Args:
        choices: for each further parameter of the test, what the parameter may be.
    """
    combinations = list(itertools.product(*choices.values()))
    turn = itertools.cycle(combinations)
    rows = []
    for case in COVERING:
        is_default = case in DEFAULTS
        for combination in combinations if is_default else [next(turn)]:
            marks = [pytest.mark.fast] if is_default else []
            rows.append(pytest.param(case, *combination, id="-".join(map(str, (*case, *combination))), marks=marks))
    return pytest.mark.parametrize(("case", *choices), rows)


every_game = pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.fast) for case in DEFAULTS], ids=lambda case: case[0]
)
both_kinds = pytest.mark.parametrize("kind", KINDS)
covering_configs = spread()
covering_kinds = spread(kind=KINDS)


def make(case, kind="raw_env", **more):
    """An environment of a game under one of its named configurations."""
    game, config = case
    return getattr(importlib.import_module(f"murder_envs.{game}_v0"), kind)(**{**all_configs(game)[config], **more})


def under_wrappers(env):
    """The environment under PettingZoo's default wrappers, as its own environments come."""
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


def play(env, rng, steps=10**9):
    """Random legal play of up to so many decisions; returns the actions."""
    played = []
    while env.agents and not env.terminations[env.agent_selection] and not env.truncations[env.agent_selection]:
        if len(played) == steps:
            break
        played.append(rng.choice(env.legal_actions()))
        env.step(played[-1])
    return played


def same(a, b):
    """Equal in type of container and in value; 0 and 0.0 count as equal."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


def everything(env):
    """All that an environment shows of the game it is in."""
    return {
        "snapshot": env.snapshot(),
        "state": env.state(),
        "observations": {agent: env.observe(agent) for agent in env.possible_agents},
        "legal": env.legal_actions(),
        **{
            name: copy.deepcopy(getattr(env, name))
            for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
        },
        "owed": dict(env._cumulative_rewards),
    }


# -- PettingZoo's own tests -------------------------------------------------------------------------------------------


@covering_kinds
def test_pettingzoo_api(case, kind, capsys):
    with warnings.catch_warnings():
        # It knows by name which environments may have dicts as observations.
        warnings.filterwarnings("ignore", message="Observation")
        warnings.filterwarnings("ignore", message="Action mask numpy array is all zeros")
        api_test(make(case, kind), num_cycles=30)


@covering_kinds
def test_pettingzoo_seed(case, kind):
    seed_test(lambda: make(case, kind), num_cycles=30)


class MadeLegal(wrappers.BaseWrapper):
    """PettingZoo's state test takes any action of the space; `raw_env` takes legal ones."""

    def step(self, action):
        legal = self.env.legal_actions()
        super().step(action if action is None or action in legal else legal[action % len(legal)])


@covering_kinds
def test_pettingzoo_state(case, kind):
    env = make(case, kind)
    env.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_state_space(env)
        check_state(env if kind == "env" else MadeLegal(env), 30)


# -- As under PettingZoo's wrappers -----------------------------------------------------------------------------------


def outcome(call):
    """What a call gives: a value, or an exception's type and text; and the warnings that PettingZoo logged."""
    EnvLogger.flush()
    try:
        result = ("gives", call())
    except Exception as error:
        result = ("raises", (type(error), re.sub("'[a-zA-Z]+' object", "object", str(error))))
    return (*result, list(EnvLogger.mqueue))


ATTRIBUTES = (
    "agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "possible_agents",
    "max_num_agents", "metadata", "render_mode", "_cumulative_rewards",
)  # fmt: skip


def an_operation(env, rng):
    """A random call, legal or not, as a function of either environment."""
    n = len(env.action_names)
    try:
        legal = env.legal_actions()
    except AssertionError:
        legal = []
    illegal = [action for action in range(n) if action not in legal]
    agent = rng.choice(env.possible_agents)
    some = rng.choice(legal or range(n))
    operations = [
        (60, lambda e: e.step(some)),
        (10, lambda e: e.step(np.int64(some))),
        (3, lambda e: e.step(np.int32(some))),
        (1, lambda e: e.step(np.array(some))),
        (1, lambda e: e.step(np.uint64(some))),
        (1, lambda e: e.step(float(some))),
        (8, lambda e: e.step(None)),
        (1, lambda e: e.step(n)),
        (1, lambda e: e.step(-1)),
        (1, lambda e: e.step(10**30)),
        (1, lambda e: e.step("play")),
        (20, lambda e: e.last()),
        (3, lambda e: e.last(observe=False)),
        (5, lambda e: e.observe(agent)),
        (1, lambda e: e.observe("nobody")),
        (3, lambda e: e.state()),
        (1, lambda e: e.render()),
        (1, lambda e: str(e)),
        (1, lambda e: e.reset(seed=some)),
        (4, lambda e: e.reset(seed=None if e.game_seed is not None else some)),
        (1, lambda e: e.close()),
        (1, lambda e: [a for a, _ in zip(e.agent_iter(1), range(3))]),
        (15, lambda e: next(e.kept_iterator)),
        (1, lambda e: e.snapshot()),
    ]
    if illegal:
        wrong = rng.choice(illegal)
        operations.append((2, lambda e: e.step(wrong)))
    weights, calls = zip(*operations)
    return rng.choices(calls, weights)[0]


@spread(seed=range(3))
@pytest.mark.filterwarnings("ignore:.*without specifying any render mode")
def test_env_does_what_the_wrappers_do(case, seed, monkeypatch):
    """Any sequence of calls, before `reset`, after the end, illegal and out of range, has the same results."""
    rng = random.Random(seed)
    ours, theirs = make(case, "env"), under_wrappers(make(case))
    monkeypatch.setattr(EnvLogger, "_output", False)
    for k in range(400):
        call = an_operation(ours, rng)
        if k == 12:
            call = lambda e: e.reset(seed=seed)  # noqa: E731
        if k % 20 == 0:
            for env in (ours, theirs):
                env.kept_iterator = iter(env.agent_iter()) if k > 12 else iter(())
        a, b = outcome(lambda: call(ours)), outcome(lambda: call(theirs))  # noqa: B023
        assert same(a, b), f"call {k}: {a} and {b}"
        for name in ATTRIBUTES:
            a, b = outcome(lambda: getattr(ours, name)), outcome(lambda: getattr(theirs, name))  # noqa: B023
            assert same(a, b), f"{name} after call {k}: {a} and {b}"


@covering_configs
def test_env_does_what_the_wrappers_do_in_a_loop(case):
    """The loop that everybody writes, now and then with an illegal action."""
    for seed in range(6):
        rng = random.Random(seed)
        seen = []
        for env in (make(case, "env"), under_wrappers(make(case))):
            rng.seed(seed)
            env.reset(seed=seed)
            decisions = []
            for agent in env.agent_iter():
                observation, *rest = env.last()
                decisions.append((agent, observation, rest))
                mask = observation["action_mask"]
                wrong = seed % 2 and rng.random() < 0.05
                live = not rest[1] and not rest[2]
                env.step(rng.choice(np.flatnonzero(mask == (0 if wrong else 1)).tolist()) if live else None)
            seen.append(decisions)
        assert same(*seen)


@pytest.mark.nojit
@every_game
def test_an_illegal_action_costs_the_one_who_took_it(case):
    env = make(case, "env")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(next(action for action in range(len(env.action_names)) if action not in env.legal_actions()))
    assert env.rewards == {each: -1.0 if each == agent else 0.0 for each in env.possible_agents}
    assert all(env.terminations.values()) and all(env.truncations.values())
    assert env.legal_actions() == []
    assert not any(env.observe(each)["action_mask"].any() for each in env.possible_agents)


@pytest.mark.fast
@every_game
def test_errors_quote_a_line_of_what_they_were_given(case):
    env, long = make(case), "x" * 10**6
    env.reset(seed=1)
    for call in (
        lambda: env.step(long),
        lambda: env.observe(long),
        lambda: env.messages(long),
        lambda: env.reset(options=[0] * 10**6),
        lambda: env.reset(options={"snapshot": [0] * 10**6}),
        lambda: env.reset(seed=long),
        lambda: env.redeal(long, 1),
    ):
        with pytest.raises(ValueError, match=r"^\w+: ") as caught:
            call()
        assert len(str(caught.value)) < 1000  # an illegal action is told what is legal


# -- raw_env ----------------------------------------------------------------------------------------------------------


@covering_configs
def test_raw_env_refuses_and_changes_nothing(case):
    env = make(case)
    rng = random.Random(5)
    env.reset(seed=5)
    n = len(env.action_names)
    for _ in range(8):
        before = (env._game.states.tobytes(), everything(env))
        legal = env.legal_actions()
        wrong = next((action for action in rng.sample(range(n), n) if action not in legal), None)
        for action in (wrong, -1, n, 10**30, None, 1.0, "pass", True) if wrong is not None else (-1, n):
            with pytest.raises(ValueError, match=r"^action: ") as caught:
                env.step(action)
            assert env.agent_selection in str(caught.value)
            assert env.snapshot()["phase"] in str(caught.value)
            assert all(env.action_names[each] in str(caught.value) for each in legal)
            if action is wrong and action is not None:
                assert f"{action} ({env.action_names[action]})" in str(caught.value)
        assert (env._game.states.tobytes(), before[1]["agents"]) == (before[0], env.agents)
        assert same(before[1], everything(env))
        play(env, rng, 1)
        if not env.legal_actions():
            break


@pytest.mark.nojit
@every_game
@both_kinds
def test_integers_of_any_kind_are_actions(case, kind):
    ends = []
    for turn_into in (int, np.int64, np.int32, np.uint8, np.array):
        env = make(case, kind)
        env.reset(seed=3)
        for _ in range(5):
            if env.legal_actions():
                env.step(turn_into(env.legal_actions()[0]))
        ends.append(env.snapshot())
    assert all(end == ends[0] for end in ends)


@every_game
def test_raw_env_says_when_it_is_too_early_or_too_late(case):
    env = make(case)
    for call in (env.snapshot, env.state, env.legal_actions, env.render, lambda: env.redeal(0, 0)):
        with pytest.raises(AssertionError, match="reset"):
            call()
    with pytest.raises(AssertionError, match="reset"):
        env.observe(env.possible_agents[0])
    for call in (env.last, lambda: env.step(0), lambda: env.agents, lambda: env.infos):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            call()
    env.reset(seed=0)
    play(env, random.Random(0))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    while env.agents:
        env.step(None)
    with pytest.raises(ValueError, match="reset"):
        env.step(None)


# -- Observations, masks, infos, ends ---------------------------------------------------------------------------------


@covering_kinds
def test_everybody_sees_what_the_spaces_promise(case, kind):
    env = make(case, kind)
    for seed in range(3):
        env.reset(seed=seed)
        rng = random.Random(seed)
        while True:
            acting = env.agent_selection if env.legal_actions() else None
            for agent in env.agents:
                seen = env.observe(agent)
                assert list(seen) == ["observation", "action_mask"]
                assert env.observation_space(agent).contains(seen)
                assert np.flatnonzero(seen["action_mask"]).tolist() == (env.legal_actions() if agent == acting else [])
                assert np.array_equal(env.infos[agent]["action_mask"], seen["action_mask"])
            assert env.state_space.contains(env.state())
            if acting is None:
                break
            assert not any(env.rewards.values()) and not any(env._cumulative_rewards.values())
            play(env, rng, 1)


@covering_configs
def test_all_agents_end_together_and_are_paid_once(case):
    env = make(case)
    for seed in range(5):
        env.reset(seed=seed)
        play(env, random.Random(seed))
        final = env.snapshot()
        assert final["over"] and final["phase"] == "over" and final["to_act"] == -1
        assert [env.rewards[agent] for agent in env.possible_agents] == pytest.approx(final["returns"])
        assert all(-1 <= each <= 1 for each in final["returns"])
        ends = set(env.terminations.values()), set(env.truncations.values())
        assert ends in (({True}, {False}), ({False}, {True}))
        paid, order = {}, []
        for agent in env.agent_iter():
            _, paid[agent], *over, info = env.last()
            assert all(type(each) is bool for each in over) and any(over)
            assert not info["action_mask"].any() and len(info) > 1
            order.append(agent)
            env.step(None)
        assert order == env.possible_agents
        assert [paid[agent] for agent in order] == pytest.approx(final["returns"])
        assert env.agents == [] and env.infos == {} and env.rewards == {} and env.terminations == {}


@every_game
def test_a_step_cap_truncates(case):
    env = make(case)
    driver = vars(env._game._driver)
    env._game._driver = types.SimpleNamespace(**{**driver, "outcome": lambda states, rules, out: True})
    env.reset(seed=0)
    play(env, random.Random(0))
    assert set(env.truncations.values()) == {True} and set(env.terminations.values()) == {False}


@every_game
@both_kinds
def test_what_is_handed_out_is_the_callers(case, kind):
    """Arrays keep their values when the game goes on, and writing into them changes nothing."""
    env = make(case, kind)
    env.reset(seed=2)
    kept = []
    for _ in range(6):
        if not env.legal_actions():
            break
        for seen in [env.last()[0], *map(env.observe, env.possible_agents), env.infos[env.agent_selection]]:
            arrays = [value for value in seen.values() if isinstance(value, np.ndarray)]
            kept += [(array, array.copy()) for array in arrays]
        kept.append((env.state(), env.state()))
        env.step(env.legal_actions()[-1])
    assert all(np.array_equal(array, then) for array, then in kept)
    env.reset(seed=2)
    before = everything(env)
    for seen in (env.last()[0], env.observe(env.possible_agents[-1])):
        seen["observation"][:] = 7
        seen["action_mask"][:] = 1
    env.state()[:] = 7
    assert same(before, everything(env))


@every_game
def test_infos_are_plain_dicts_that_stay_the_same_until_a_step(case):
    env = make(case)
    env.reset(seed=0)
    agent = env.agent_selection
    info = env.last()[-1]
    assert type(env.infos) is dict and type(info) is dict
    assert env.infos[agent] is info and list(env.infos) == env.agents
    play(env, random.Random(0), 1)
    assert env.infos[agent] is not info


@every_game
@both_kinds
def test_names_and_layouts(case, kind):
    env = make(case, kind)
    names = env.action_names
    assert isinstance(names, tuple) and len(set(names)) == len(names) == env.action_space(env.possible_agents[0]).n
    assert [env.action_id(name) for name in names] == list(range(len(names)))
    with pytest.raises(ValueError, match="no-such-action"):
        env.action_id("no-such-action")
    assert env.metadata["name"] == str(env) == f"{case[0]}_v0" and not env.metadata["is_parallelizable"]
    env.reset(seed=0)
    first = env.observe(env.possible_agents[0])["observation"]
    for layout, vector in ((env.observation_layout, first), (env.state_layout, env.state())):
        at = 0
        for name, block in layout.items():
            assert block.name == name and block.slice == slice(at, at + int(np.prod(block.shape))) and block.meaning
            assert block.low <= vector[block.slice].min() and vector[block.slice].max() <= block.high
            at = block.slice.stop
        assert at == vector.size


@every_game
@both_kinds
def test_spaces_are_the_same_objects_each_time(case, kind):
    env = make(case, kind)
    for agent in env.possible_agents:
        assert env.action_space(agent) is env.action_space(agent) is env.action_spaces[agent]
        assert env.observation_space(agent) is env.observation_space(agent) is env.observation_spaces[agent]
        assert env.observation_space(agent)["action_mask"].dtype == np.int8
    assert env.state_space is env.state_space
    for space in (env.action_space, env.observation_space):
        with pytest.raises(ValueError, match="nobody"):
            space("nobody")


# -- Resets -----------------------------------------------------------------------------------------------------------


@pytest.mark.nojit
@every_game
@both_kinds
def test_a_reset_without_a_seed_follows_from_the_last_one(case, kind):
    env, other = make(case, kind), make(case, kind)
    env.reset(seed=11)
    for k in range(4):
        seed = 11 if k == 0 else murder_envs.episode_seed(11, 0, k)
        assert env.game_seed == seed
        other.reset(seed=seed)
        assert same(everything(env), everything(other))
        play(env, random.Random(k), k)
        env.reset()
    env.reset(seed=0)
    env.reset(seed=MAX_SEED)
    assert env.game_seed == MAX_SEED


@every_game
@both_kinds
def test_without_any_seed_the_operating_system_gives_one(case, kind):
    first, second = make(case, kind), make(case, kind)
    first.reset()
    second.reset()
    assert first.game_seed != second.game_seed
    start = first.game_seed
    first.reset()
    assert first.game_seed == murder_envs.episode_seed(start, 0, 1)


@every_game
@both_kinds
@pytest.mark.parametrize(
    "arguments, names",
    [
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": "7"}, "seed"),
        ({"options": {"no_such_option": 1}}, "no_such_option"),
        ({"options": {"snapshot": {"no_such_field": 1}}}, "no_such_field"),
        ({"options": {"snapshot": [1]}}, "snapshot"),
        ({"options": [1]}, "options"),
        ({"options": {"options": np.zeros(2)}}, "options"),
        ({"seed": 3, "options": {"snapshot": {"phase": "no such phase"}}}, "phase"),
    ],
    ids=str,
)
def test_a_reset_that_fails_changes_nothing(case, kind, arguments, names):
    env, twin = make(case, kind), make(case, kind)
    with pytest.raises(ValueError, match=f"^{names}"):
        env.reset(**arguments)
    with pytest.raises(AttributeError):
        env.agents  # noqa: B018
    for each in (env, twin):
        each.reset(seed=4)
        play(each, random.Random(4), 3)
    with pytest.raises(ValueError, match=f"^{names}"):
        env.reset(**arguments)
    assert same(everything(env), everything(twin))
    for each in (env, twin):
        play(each, random.Random(5), 3)
        each.reset()
    assert same(everything(env), everything(twin))


@covering_kinds
def test_a_snapshot_is_where_the_game_goes_on(case, kind):
    env, other = make(case, kind), make(case, kind)
    rng = random.Random(9)
    env.reset(seed=9)
    while True:
        other.reset(seed=1, options={"snapshot": env.snapshot()})
        a, b = everything(env), everything(other)
        assert same(a, b)
        if not env.legal_actions():
            break
        play(env, rng, 1)
    assert other.terminations == env.terminations and other.rewards == env.rewards


# -- Copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.nojit
@pytest.mark.parametrize(
    "way", [copy.copy, copy.deepcopy, lambda cursor: pickle.loads(pickle.dumps(cursor)), through_read_only_memory]
)
def test_a_copy_of_a_cursor_is_independent(game, way):
    cursor = Cursor(ruleset_of(game))
    cursor.deal(1)
    twin, before = way(cursor), cursor.snapshot()
    assert twin.snapshot() == before and twin.legal() == cursor.legal() and twin.seat == cursor.seat
    twin.act(twin.legal()[0])
    assert cursor.snapshot() == before and twin.snapshot() != before


@pytest.mark.nojit
def test_a_cursor_starts_from_integers_of_any_kind(game):
    cursor, other = Cursor(ruleset_of(game)), Cursor(ruleset_of(game))
    cursor.deal(7)
    for kind in (np.int64, np.uint8, np.array):
        other.deal(kind(7))
        assert other.snapshot() == cursor.snapshot()
    before = cursor.states.tobytes()
    for wrong in (7.0, np.array(5.7), True, np.array([7]), "7", 2**63, None):
        for call in (cursor.deal, lambda seed: cursor.restore({}, seed), lambda seed: cursor.redeal(0, seed)):
            with pytest.raises(ValueError, match="^seed: "):
                call(wrong)
    assert cursor.states.tobytes() == before


COPIES = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "read-only": through_read_only_memory,
}


@spread(kind=KINDS, way=COPIES)
def test_a_copy_goes_on_with_the_same_game(case, kind, way):
    env = make(case, kind)
    rng = random.Random(1)
    for steps in (0, 1, 7, 10**9):
        env.reset(seed=steps % 1000)
        play(env, rng, steps)
        twin = COPIES[way](env)
        assert type(twin) is type(env) and same(everything(env), everything(twin))
        before = everything(env)
        assert play(twin, random.Random(2)) is not None
        twin.reset()
        assert same(before, everything(env))
        twin = COPIES[way](env)
        assert play(env, random.Random(3)) == play(twin, random.Random(3))
        assert same(everything(env), everything(twin))
        if env.agents:
            env.step(None)
            assert len(twin.agents) == len(env.agents) + 1
        for each in (env, twin):
            each.reset()
        assert same(everything(env), everything(twin))


@every_game
@both_kinds
@pytest.mark.parametrize("way", [*COPIES, "redeal"])
def test_a_copy_made_inside_a_loop_can_be_iterated(case, kind, way):
    """Nobody iterates the copy yet; the loop itself still insists on a step."""

    def play_by_iterating(env):
        for _ in env.agent_iter():
            env.step(next(iter(env.legal_actions()), None))
        return env.num_agents

    env = make(case, kind)
    env.reset(seed=2)
    for k, _ in enumerate(env.agent_iter()):
        twin = env.redeal(0, k) if way == "redeal" else COPIES[way](env)
        assert play_by_iterating(twin) == 0
        if k == 2:
            break
        env.step(env.legal_actions()[0])
    if kind == "env":
        with pytest.raises(AssertionError, match="need to call step"):
            for _ in env.agent_iter():
                pass


@pytest.mark.nojit
@every_game
@both_kinds
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_of_a_fresh_or_a_spoilt_game(case, kind, way):
    env = make(case, kind, render_mode="ansi", render_seat=1)
    twin = COPIES[way](env)
    assert (twin.render_mode, twin.render_seat) == ("ansi", 1)
    with pytest.raises(AttributeError):
        twin.agents  # noqa: B018
    twin.reset(seed=1)
    env.reset(seed=1)
    assert env.render() == twin.render()
    if kind == "env":
        env.step(next(action for action in range(len(env.action_names)) if action not in env.legal_actions()))
        twin = COPIES[way](env)
        assert same(everything(env), everything(twin))
        assert twin.legal_actions() == []


@every_game
def test_deepcopies_and_pickles_keep_the_spaces_random_state(case):
    env = make(case)
    agent = env.possible_agents[0]
    env.action_space(agent).seed(3)
    for way in ("deepcopy", "pickle"):
        twin = COPIES[way](env)
        assert twin.action_space(agent) is not env.action_space(agent)
        ours, theirs = copy.deepcopy(env.action_space(agent)), twin.action_space(agent)
        assert [ours.sample() for _ in range(9)] == [theirs.sample() for _ in range(9)]


@covering_kinds
def test_redeal_gives_a_new_environment(case, kind):
    env = make(case, kind)
    env.reset(seed=6)
    play(env, random.Random(6), 4)
    if not env.legal_actions():
        env.reset(seed=7)
    before = everything(env)
    for seat, agent in enumerate(env.possible_agents):
        other = env.redeal(seat, 8)
        assert type(other) is type(env) and same(before, everything(env))
        assert same(env.observe(agent), other.observe(agent))
        assert env.agent_selection == other.agent_selection
        assert same(everything(other), everything(env.redeal(seat, 8)))
        play(other, random.Random(1))
        assert same(before, everything(env))
    for seat, seed, names in ((-1, 0, "seat"), (99, 0, "seat"), (0, -1, "seed"), (0, 2**63, "seed")):
        with pytest.raises(ValueError, match=f"^{names}"):
            env.redeal(seat, seed)
    play(env, random.Random(6))
    with pytest.raises(ValueError, match="^over"):
        env.redeal(0, 0)


# -- Rendering, registries, packaging ---------------------------------------------------------------------------------


@covering_kinds
def test_render(case, kind, capsys):
    above, seat = make(case, kind, render_mode="ansi"), make(case, kind, render_mode="ansi", render_seat=1)
    for env in (above, seat):
        env.reset(seed=1)
    while above.legal_actions():
        texts = above.render(), seat.render()
        assert all(isinstance(text, str) and text.strip() for text in texts) and texts[0] != texts[1]
        action = above.legal_actions()[0]
        for env in (above, seat):
            env.step(action)
    assert above.render().strip()
    assert capsys.readouterr().out == ""
    human = make(case, kind, render_mode="human")
    human.reset(seed=1)
    assert human.render() is None and capsys.readouterr().out == ""
    silent = make(case, kind)
    silent.reset(seed=1)
    with pytest.warns(UserWarning, match="render mode"):
        assert silent.render() is None
    for env in (above, human, silent):
        env.close()


@every_game
@both_kinds
@pytest.mark.parametrize(
    "arguments, names",
    [
        ({"render_mode": "rgb"}, "render_mode"),
        ({"render_mode": 1}, "render_mode"),
        ({"render_seat": 99}, "render_seat"),
        ({"render_seat": -1}, "render_seat"),
        ({"render_seat": True}, "render_seat"),
        ({"no_such_parameter": 1}, "no_such_parameter"),
    ],
    ids=str,
)
def test_a_wrong_argument_is_named(case, kind, arguments, names):
    with pytest.raises(ValueError, match=f"^{names}"):
        make(case, kind, **arguments)


@covering_configs
def test_registries(case):
    game, config = case
    env = pettingzoo.make("aec", env_id(game), **all_configs(game)[config])
    assert isinstance(env, aec.Env)
    env.reset(seed=1)
    other = make(case, "env")
    other.reset(seed=1)
    assert same(everything(env), everything(other))
    spec = gymnasium.spec(env_id(game))
    assert spec.kwargs == {"game": game} and spec.vector_entry_point is not None


@every_game
def test_the_module_of_a_game(case):
    game = case[0]
    module = getattr(murder_envs, f"{game}_v0")
    assert module is importlib.import_module(f"murder_envs.{game}_v0")
    assert module.CONFIGS is configs(game) and module.CONFIGS["default"] == {}
    assert set(module.__all__) >= {"env", "raw_env", "CONFIGS"}
    assert all(hasattr(module, name) for name in module.__all__)
    assert isinstance(module.env(), aec.Env) and isinstance(module.raw_env(), aec.RawEnv)
    assert not isinstance(module.raw_env(), aec.Env)


@every_game
@pytest.mark.parametrize("name", KINDS)
def test_the_help_of_a_constructor(case, name):
    game = case[0]
    module = getattr(murder_envs, f"{game}_v0")
    constructor = getattr(module, name)
    assert inspect.isfunction(constructor) and pickle.loads(pickle.dumps(constructor)) is constructor
    signature, told = inspect.signature(constructor), inspect.getdoc(constructor)
    own = [each for each in signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
    defaults = {each.name: each.default for each in own if each.default is not None}
    assert constructor(None, 1, **defaults).ruleset.config == ruleset_of(game).config == make(case).ruleset.config
    assert list(signature.parameters) == ["render_mode", "render_seat", *ruleset_of(game).config]
    assert signature.return_annotation is (aec.Env if name == "env" else aec.RawEnv)
    assert all(f"\n    {parameter}: " in told for parameter in signature.parameters)
    assert max(map(len, told.splitlines())) <= 120
    for keyword, near in (("render_mod", "render_mode"), ("rewards", "reward")):
        with pytest.raises(TypeError, match=f"^{keyword}: unexpected keyword argument .*; did you mean {near}"):
            constructor(**{keyword: 1})


def test_importing_is_light_and_warns_of_nothing():
    heavy = ("numba", "torch", "stable_baselines3", "pygame", "matplotlib")
    code = f"import sys, murder_envs; assert not set({heavy}) & set(sys.modules); print(murder_envs.__version__)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == murder_envs.__version__


def test_public_names():
    assert all(hasattr(murder_envs, name) for name in murder_envs.__all__)
    assert set(murder_envs.__all__) <= set(dir(murder_envs))
    with pytest.raises(AttributeError, match="no_such_name"):
        murder_envs.no_such_name  # noqa: B018


def test_warm(capsys):
    assert warm.main([next(iter(GAMES))]) == 0
    printed = capsys.readouterr().out
    assert all(driver in printed for driver in warm.STAGES)
    with pytest.raises(SystemExit) as caught:
        warm.main(["no_such_game"])
    assert caught.value.code == 2
    assert "no_such_game" in capsys.readouterr().err


@pytest.mark.parametrize("status", [1, -9])
def test_warming_several_games_fails_if_one_fails(status, monkeypatch):
    """Also where the system ends the process, for want of memory for example."""
    monkeypatch.setattr(warm, "warm_in_a_process", lambda game: status if game == max(GAMES) else 0)
    assert warm.main(["--jobs", "2"]) == 1


# -- SkipForced -------------------------------------------------------------------------------------------------------


@covering_kinds
def test_skip_forced_asks_only_where_there_is_a_choice(case, kind):
    for seed in range(4):
        env, plain = murder_envs.SkipForced(make(case, kind)), make(case, kind)
        env.reset(seed=seed)
        plain.reset(seed=seed)
        rng = random.Random(seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            paid[agent] += reward
            if terminated or truncated:
                env.step(None)
                continue
            while len(plain.legal_actions()) == 1:
                plain.step(plain.legal_actions()[0])
            assert same(seen, plain.last()[0]) and agent == plain.agent_selection
            assert seen["action_mask"].sum() > 1
            action = rng.choice(env.legal_actions())
            env.step(action)
            plain.step(action)
        while plain.legal_actions():
            plain.step(plain.legal_actions()[0])
        assert paid == plain.rewards


@every_game
def test_skip_forced_can_be_copied(case):
    env = murder_envs.SkipForced(make(case))
    with pytest.raises(AttributeError, match="before reset"):
        env.clone().rewards  # noqa: B018
    env.reset(seed=3)
    for way, of in COPIES.items():
        twin, third = of(env), of(env)
        assert type(twin) is murder_envs.SkipForced, way
        assert play(twin, random.Random(1)) == play(third, random.Random(1))
        assert same(everything(twin), everything(third))
    assert type(env.redeal(0, 1)) is murder_envs.SkipForced


# -- PaddedInfos ------------------------------------------------------------------------------------------------------


@covering_kinds
def test_padded_infos_have_the_same_shape_in_every_game(case, kind):
    env = murder_envs.PaddedInfos(make(case, kind))
    last = []
    for seed in range(6):
        env.reset(seed=seed)
        assert all(set(info) == {"action_mask"} for info in env.infos.values())
        play(env, random.Random(seed))
        agent = env.agent_selection
        last += env.infos.values()
        assert same(env.last()[-1], env.infos[agent])
        for name, value in env.env.infos[agent].items():
            length = len(value) if name in env.ruleset.padding else None
            assert same(env.infos[agent][name][:length] if length is not None else env.infos[agent][name], value)
    assert len(last[0]) > 1 and all(shapes(info) == shapes(last[0]) for info in last)
    for way in COPIES.values():
        assert type(way(env)) is murder_envs.PaddedInfos
    env.reset(seed=1)
    assert type(env.redeal(0, 1)) is murder_envs.PaddedInfos


class Paying(pettingzoo.AECEnv):
    """Two agents in turn; agent_1 never has a choice. Each decision pays the other agent 1."""

    metadata = {"name": "paying"}

    def __init__(self):
        self.possible_agents = ["agent_0", "agent_1"]

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]
        self.agent_selection = "agent_0"
        self.decisions = 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        return {"action_mask": np.array([1, agent == "agent_0"], np.int8)}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        other = self.agents[1 - self.agents.index(agent)]
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: 0.0, other: 1.0}
        self._accumulate_rewards()
        self.decisions += 1
        self.agent_selection = other
        if self.decisions == 6:
            self.terminations = dict.fromkeys(self.agents, True)


def test_skip_forced_loses_no_reward():
    env = murder_envs.SkipForced(Paying())
    env.reset()
    turns = []
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        turns.append((agent, reward, dict(env.rewards)))
        env.step(None if terminated else 0)
    both = {"agent_0": 1.0, "agent_1": 1.0}
    assert turns == [
        ("agent_0", 0.0, {"agent_0": 0.0, "agent_1": 0.0}),
        ("agent_0", 1.0, both),
        ("agent_0", 1.0, both),
        ("agent_0", 1.0, both),
        ("agent_1", 3.0, {"agent_1": 0.0}),
    ]
