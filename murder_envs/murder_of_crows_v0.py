"""Murder of Crows as a PettingZoo environment: `env`, `raw_env`, and the named `CONFIGS`.

    from murder_envs import murder_of_crows_v0

    env = murder_of_crows_v0.env(num_players=3)

`env` behaves as under PettingZoo's default wrappers; in `raw_env` an illegal action raises ValueError.
"""

from murder_envs.api import aec
from murder_envs.games.murder_of_crows import CONFIGS

__all__ = ["CONFIGS", "env", "raw_env"]

env = aec.constructor("murder_of_crows", "env")
raw_env = aec.constructor("murder_of_crows", "raw_env")
