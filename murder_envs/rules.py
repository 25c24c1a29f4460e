"""The rules of a game in our own words: `python -m murder_envs.rules GAME [--short]`.

The full form follows the rulebook's headings and ends with what is ours where the rulebook is silent. The short one is
enough to play from; a configured game has it as `ruleset.rules_text`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from murder_envs.registry import GAMES, make_ruleset


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rules of a game."""
    parser = argparse.ArgumentParser(prog="python -m murder_envs.rules", description=main.__doc__)
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--short", action="store_true", help="in 300 to 900 words, enough to play from")
    settings = parser.parse_args(arguments)
    ruleset = make_ruleset(settings.game)
    if not ruleset.rules_full:
        parser.error(f"{settings.game} has no rules in our own words yet")
    print(ruleset.rules_text if settings.short else ruleset.rules_full, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
