"""What other libraries do on the same machine in the same run, where they are installed.

They play other games, so a ratio tells an order of magnitude and no more. OpenSpiel's Python module has no function
that only plays random games in C++, but two of its functions contain such a loop: a Monte Carlo search of one
simulation, whose evaluator plays n random games from the root, and `evaluate_bots`. Neither builds observations. The
number of decisions follows from the mean length of games that are sampled from Python; draws of chance do not count.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks import modes
from benchmarks.measure import Figure, Window, rate

if TYPE_CHECKING:
    from benchmarks.modes import Setup

# -- OpenSpiel --------------------------------------------------------------------------------------------------------

OPEN_SPIEL_GAMES = ("hearts", "spades", "hanabi")
ROLLOUTS = 200


def open_spiel_rollouts(setup: Setup) -> Iterator[Figure]:
    """Random games in C++, in decisions."""
    for name in OPEN_SPIEL_GAMES:
        random_games, how = _in_cpp(_dealt(name, setup.seed), setup.seed)
        decisions = _mean_decisions(_dealt(name, setup.seed), setup.seed)

        def work(random_games: Callable[[], int] = random_games, decisions: float = decisions) -> float:
            return random_games() * decisions

        note = f"{how}, from a deal, {decisions:.1f} decisions a game, without the deal and without observation"
        yield _open_spiel(name, "C++", "core", "decisions/s", rate(work, setup.clock), note=note)


def open_spiel_playouts(setup: Setup) -> Iterator[Figure]:
    """Random play to the end in C++ from the middle of a game."""
    for name in OPEN_SPIEL_GAMES:
        state = _dealt(name, setup.seed)
        length = _mean_decisions(state, setup.seed)
        _play(state, random.Random(setup.seed), int(length / 2))
        random_games, how = _in_cpp(state, setup.seed)
        left = _mean_decisions(state, setup.seed)
        note = f"{how}, {left:.1f} decisions on average, without redeal"
        yield _open_spiel(name, "C++", "playouts", "playouts/s", rate(random_games, setup.clock), note=note)


def open_spiel_search(setup: Setup) -> Iterator[Figure]:
    """Its ISMCTS in C++, for a game whose hidden cards it can deal again."""
    import pyspiel

    name = "hearts"
    state = _dealt(name, setup.seed)
    evaluator = pyspiel.RandomRolloutEvaluator(1, setup.seed)
    by_visits = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = pyspiel.ISMCTSBot(setup.seed, evaluator, 2.0, modes.SIMULATIONS, -1, by_visits, False, False)

    def work() -> float:
        bot.step(state)
        return modes.SIMULATIONS

    decisions = _mean_decisions(state, setup.seed)
    note = f"ISMCTSBot, from a deal, {modes.SIMULATIONS:,} simulations, {decisions:.1f} decisions in random play"
    yield _open_spiel(name, "C++", "search", "simulations/s", rate(work, setup.clock), note=note)


def open_spiel_from_python(setup: Setup) -> Iterator[Figure]:
    """One game at a time from Python: observation, mask, choice, step."""
    import numpy as np
    import pyspiel

    for name in OPEN_SPIEL_GAMES:
        game, rng = pyspiel.load_game(name), random.Random(setup.seed)
        has_observation = game.get_type().provides_observation_tensor

        def work(game: Any = game, rng: random.Random = rng, has_observation: bool = has_observation) -> float:
            state, steps = game.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(_draw(state, rng))
                    continue
                np.array(state.observation_tensor() if has_observation else state.information_state_tensor(), np.int8)
                legal = np.array(state.legal_actions_mask(), np.int8).nonzero()[0]
                state.apply_action(int(legal[int(rng.random() * legal.size)]))
                steps += 1
            return steps

        note = "its State from Python, with tensor and mask as int8 arrays; chance drawn in Python, not counted"
        yield _open_spiel(name, "Python", "aec_raw", "steps/s", rate(work, setup.clock), note=note)


def open_spiel_vector(setup: Setup) -> Iterator[Figure]:
    """Its own environment for many games, a loop in Python."""
    from open_spiel.python import rl_environment, vector_env
    from open_spiel.python.rl_agent import StepOutput

    n = 64
    for name in OPEN_SPIEL_GAMES:
        rng = random.Random(setup.seed)
        samplers = [rl_environment.ChanceEventSampler(setup.seed + k) for k in range(n)]
        envs = vector_env.SyncVectorEnv([rl_environment.Environment(name, chance_event_sampler=s) for s in samplers])
        steps = envs.reset()

        def work(envs: Any = envs, steps: list = steps, rng: random.Random = rng) -> float:
            legal = [step.observations["legal_actions"][step.current_player()] for step in steps]
            chosen = [StepOutput(rng.choice(actions), []) for actions in legal]
            steps[:] = envs.step(chosen, reset_if_done=True)[0]
            return n

        note = (
            "SyncVectorEnv, a loop in Python, tensors and legal sets of all seats; the number of games hardly matters"
        )
        yield _open_spiel(name, "Python", "batch", "decisions/s", rate(work, setup.clock), batch=n, note=note)


def _open_spiel(name: str, config: str, mode: str, unit: str, window: Window, batch: int = 1, note: str = "") -> Figure:
    return Figure(f"OpenSpiel {name}", config, mode, batch, unit, window, note=note)


def _in_cpp(state: Any, seed: int) -> tuple[Callable[[], int], str]:
    """A function that plays some random games from a state and returns how many; and how it does that."""
    import pyspiel

    game = state.get_game()
    if game.get_type().reward_model == pyspiel.GameType.RewardModel.TERMINAL:
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, seed)
        search = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1, False, seed, False)

        def by_search() -> int:
            search.mcts_search(state)
            return ROLLOUTS

        return by_search, "rollouts of a RandomRolloutEvaluator"

    bots = [pyspiel.make_uniform_random_bot(player, seed) for player in range(game.num_players())]
    rng = random.Random(seed)

    def by_bots() -> int:
        for _ in range(ROLLOUTS):
            pyspiel.evaluate_bots(state.clone(), bots, rng.getrandbits(30))
        return ROLLOUTS

    return by_bots, "evaluate_bots with uniform random bots"


def _dealt(name: str, seed: int) -> Any:
    """A game in which all cards are dealt and the first decision is due."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    _play(state, random.Random(seed), 0)
    return state


def _mean_decisions(state: Any, seed: int, games: int = 500) -> float:
    """Decisions to the end in random play."""
    rng = random.Random(seed)
    return sum(_play(state.clone(), rng) for _ in range(games)) / games


def _play(state: Any, rng: random.Random, decisions: int | None = None) -> int:
    """Play so many decisions at random (None: to the end), until one more is due; returns how many there were."""
    made = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(_draw(state, rng))
        elif made == decisions:
            break
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            made += 1
    return made


def _draw(state: Any, rng: random.Random) -> int:
    """An outcome of a chance node, by its probabilities."""
    outcomes, chances = zip(*state.chance_outcomes())
    return rng.choices(outcomes, chances)[0]


# -- PettingZoo -------------------------------------------------------------------------------------------------------

PETTINGZOO_GAMES = ("connect_four_v3", "tictactoe_v3")


def pettingzoo_raw(setup: Setup) -> Iterator[Figure]:
    for name in PETTINGZOO_GAMES:
        window = rate(modes.play_aec(_classic(name).raw_env(), setup.seed), setup.clock)
        yield Figure(f"PettingZoo {name}", "raw_env", "aec_raw", 1, "steps/s", window)


def pettingzoo_wrapped(setup: Setup) -> Iterator[Figure]:
    for name in PETTINGZOO_GAMES:
        window = rate(modes.play_aec(_classic(name).env(), setup.seed), setup.clock)
        yield Figure(f"PettingZoo {name}", "env", "aec_env", 1, "steps/s", window)


def pettingzoo_sb3(setup: Setup) -> Iterator[Figure]:
    """The same training on Connect Four, one AEC environment a game, as PettingZoo's tutorial has it."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    from benchmarks import training

    make = _classic("connect_four_v3").raw_env
    env = DummyVecEnv([partial(turn_based_env, make(), setup.seed + k) for k in range(training.GAMES)])
    window = training.share_in_env(env, setup.seed, setup.clock)
    yield Figure("PettingZoo connect_four_v3", "raw_env in DummyVecEnv", "sb3", training.GAMES, "%", window, most=3)


def pettingzoo_start(setup: Setup) -> Iterator[Figure]:
    name = PETTINGZOO_GAMES[0]
    begin = partial(modes.seconds_to_first_step, setup.clock, _classic(name).__name__, {})
    yield Figure(f"PettingZoo {name}", "env", "start", 1, "s warm", lambda _: begin(), most=7)


def _classic(name: str) -> Any:
    """A module of pettingzoo.classic, silently."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return importlib.import_module(f"pettingzoo.classic.{name}")


def turn_based_env(aec: Any, seed: int) -> Any:
    """An AEC environment as a Gymnasium one in which each call of `step` is the next agent's."""
    import gymnasium
    import numpy as np

    class TurnBased(gymnasium.Env):
        def __init__(self) -> None:
            agent = aec.possible_agents[0]
            self.observation_space = aec.observation_space(agent)["observation"]
            self.action_space = aec.action_space(agent)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
            aec.reset(seed=seed)
            return self._look(), {}

        def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
            agent = aec.agent_selection
            aec.step(int(action))
            return self._look(), aec.rewards[agent], any(aec.terminations.values()), False, {}

        def action_masks(self) -> np.ndarray:
            return self._mask

        def _look(self) -> np.ndarray:
            observation = aec.observe(aec.agent_selection)
            self._mask = observation["action_mask"]
            return observation["observation"]

    aec.reset(seed=seed)
    return TurnBased()
