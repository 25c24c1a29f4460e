"""The share of a training run's time that is spent in the environment."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from benchmarks.measure import Clock, Window

GAMES = 512
PPO: dict[str, Any] = {"n_steps": 32, "batch_size": 4096, "n_epochs": 4}
PPO_IN_WORDS = (
    f"MaskablePPO on {GAMES} games, " + ", ".join(f"{name} {value}" for name, value in PPO.items()) + ", MlpPolicy "
    "with its default network (2 x 64), 1 torch thread on the CPU; time in env.step and in the masks, of all of learn()"
)


class Stopwatch:
    """Adds up the time that some functions take, those which they call counted once."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.total = 0.0
        self._inside = 0

    def watch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **kwargs: Any) -> Any:
            begin = self.clock()
            self._inside += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._inside -= 1
                if not self._inside:
                    self.total += self.clock() - begin

        return watched


def share_in_env(env: Any, seed: int, clock: Clock = time.perf_counter) -> Window:
    """A window that collects and learns from one batch of experience: percent of the time spent in the environment.

    Args:
        env: a VecEnv with `action_masks` for its `env_method`.
        seed: of the policy and its optimiser.
        clock: what measures time.
    """
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    model = MaskablePPO("MlpPolicy", env, seed=seed, device="cpu", **PPO)
    watch = Stopwatch(clock)
    for name in ("reset", "step", "env_method"):
        setattr(env, name, watch.watch(getattr(env, name)))

    def window(seconds: float) -> float:
        watch.total, begin = 0.0, clock()
        model.learn(PPO["n_steps"] * env.num_envs)
        return 100 * watch.total / (clock() - begin)

    window(0.0)
    return window
