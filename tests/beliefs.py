# ruff: noqa: F821 - is_consistent is set by `bind` before this file is executed
"""A driver for tests, bound to a game: can a world be believed?"""

from __future__ import annotations

from murder_envs.core.jit import entry


@entry
def fits(states, rules, seat):
    """`is_consistent`, of the first of some states."""
    return is_consistent(states[0], rules[0], seat)
