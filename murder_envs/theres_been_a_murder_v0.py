"""There's Been A Murder as a PettingZoo environment: `env`, `raw_env`, the named `CONFIGS`, and the `Campaign`.

    from murder_envs import theres_been_a_murder_v0

    env = theres_been_a_murder_v0.env(num_players=3)

`env` behaves as under PettingZoo's default wrappers; in `raw_env` an illegal action raises ValueError.
"""

from murder_envs.api import aec
from murder_envs.games.theres_been_a_murder import CONFIGS, Campaign

__all__ = ["CONFIGS", "Campaign", "env", "raw_env"]

env = aec.constructor("theres_been_a_murder", "env")
raw_env = aec.constructor("theres_been_a_murder", "raw_env")
