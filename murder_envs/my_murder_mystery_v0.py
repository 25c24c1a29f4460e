"""My Murder Mystery as a PettingZoo environment: `env`, `raw_env`, the named `CONFIGS`, and the case generator.

    from murder_envs import my_murder_mystery_v0

    env = my_murder_mystery_v0.env(num_players=5)
    case = my_murder_mystery_v0.generate_case(7, num_players=5)

`env` behaves as under PettingZoo's default wrappers; in `raw_env` an illegal action raises ValueError. `generate_case`
gives the case that a seed deals as a dict in the format of written cases, and `to_toml` makes a file of it.
"""

from functools import partial

from murder_envs.api import aec
from murder_envs.games.my_murder_mystery import CONFIGS, generate_case, to_toml

__all__ = ["CONFIGS", "env", "generate_case", "raw_env", "to_toml"]

env = partial(aec.env, "my_murder_mystery")
raw_env = partial(aec.raw_env, "my_murder_mystery")
