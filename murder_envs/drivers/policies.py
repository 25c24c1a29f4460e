"""Who plays a seat: the compiled policies that every game has, and whoever is asked in Python."""

from __future__ import annotations

from typing import Any

from murder_envs.core.checks import a_choice

ASK, RANDOM, HEURISTIC = -1, 0, 1
"""Python is asked; any legal action, all with equal chances; the game's own scripted player."""

COMPILED_POLICIES = {"random": RANDOM, "heuristic": HEURISTIC}
"""Name -> number, of what compiled loops play by themselves."""

POLICIES = {**COMPILED_POLICIES, "ask": ASK}

NO_ACTION = -1


def policy_number(field: str, name: Any, policies: dict[str, int] | None = None) -> int:
    """The number of a policy, of all or of some; ValueError names the field, and the policies that there are."""
    policies = POLICIES if policies is None else policies
    return policies[a_choice(field, name, tuple(policies))]
