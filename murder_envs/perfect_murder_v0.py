"""Perfect Murder as a PettingZoo environment: `env`, `raw_env`, the named `CONFIGS`, and `home_and_away`.

    from murder_envs import perfect_murder_v0

    env = perfect_murder_v0.env(board="B")

`env` behaves as under PettingZoo's default wrappers; in `raw_env` an illegal action raises ValueError.
"""

from murder_envs.api import aec
from murder_envs.games.perfect_murder import CONFIGS, home_and_away

__all__ = ["CONFIGS", "env", "home_and_away", "raw_env"]

env = aec.constructor("perfect_murder", "env")
raw_env = aec.constructor("perfect_murder", "raw_env")
