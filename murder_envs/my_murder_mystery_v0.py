"""My Murder Mystery as a PettingZoo environment: `env`, `raw_env`, the named `CONFIGS`, and generated cases.

    from murder_envs import my_murder_mystery_v0

    env = my_murder_mystery_v0.env(num_players=5)
    case = my_murder_mystery_v0.generate_case(7)          # a written case, as a dict
    pathlib.Path("case.toml").write_text(my_murder_mystery_v0.to_toml(case))

`env` behaves as under PettingZoo's default wrappers; in `raw_env` an illegal action raises ValueError.
"""

from murder_envs.api import aec
from murder_envs.games.my_murder_mystery import CONFIGS, generate_case, to_toml

__all__ = ["CONFIGS", "env", "generate_case", "raw_env", "to_toml"]

env = aec.constructor("my_murder_mystery", "env")
raw_env = aec.constructor("my_murder_mystery", "raw_env")
