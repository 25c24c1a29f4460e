"""Training and evaluation, run from a checkout: `python -m agents.train`, `python -m agents.evaluate`.

Training, in the order of a run:

- `settings`: what can be set, and in data files what a game sets.
- `job`: from a command line to a run that is ready to go, with its policies and games.
- `train`: the run itself. `opponents`: whom it meets. `cloning`, `improvement` (and `supervised` below both): what it
  learns from the scripted player first. What a policy sees is in `murder_envs.networks`.
- `results`: what is left at the end. `runs`: the run folder. `checkpoints`: what going on takes.

Evaluation: `players` by name, `measures` of how well they play, `evaluate` for matrices of any against any, `workers`
that share the work. `search` is a player for environments. `report` writes tables and tells provenance, for all.
"""

import os

# Before torch is loaded: its threads should sleep while they wait for each other, not spin. With another program on one
# of the cores, spinning made training ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
