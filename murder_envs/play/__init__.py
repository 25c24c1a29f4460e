"""A table for people and agents: in the terminal, or as a local page for each seat.

    python -m murder_envs.play murder_of_crows --seats human,heuristic,heuristic
    python -m murder_envs.play perfect_murder --seats human,search:1000 --web

Read `players` for who can sit at a table, `table` for what a table is and what each seat is shown, `terminal` for
people at one keyboard, `hall` for tables on disk, and `web` for people with a link each.
"""

from murder_envs.play.table import Table

__all__ = ["Table"]
