"""Training and evaluation, run from a checkout: `python -m agents.train`, `python -m agents.evaluate`."""
