# ruff: noqa: F821 - is_consistent is set by `bind` before this file is executed
"""A driver for tests, bound to a game: is a world consistent?"""

from __future__ import annotations

from murder_envs.core.jit import entry


@entry
def consistent(states, rules, seat):
    """`is_consistent`, of the first of some states."""
    return is_consistent(states[0], rules[0], seat)
