"""Training and evaluation, run from a checkout: `python -m agents.train`, `python -m agents.evaluate`."""

import os

# Before torch is loaded: its threads should sleep while they wait for each other, not spin. With another program on one
# of the cores, spinning made training ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
