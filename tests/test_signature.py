"""A digest of many seeded games for each configuration: whatever changes play changes it.

    python -m tests.test_signature [game ...]      rewrites signature.txt

What goes in, game by game: the complete snapshot of the end (rulebook terms, so neither caches nor the layout of the record
count, and every machine gives the same), what each seat sees then, the returns, and how many decisions and legal
actions there were. The players choose at random.
"""

from __future__ import annotations

import hashlib
import json
import sys

import pytest

from murder_envs.drivers import rollout
from murder_envs.registry import GAMES
from tests.support import CASES, DATA, Table, all_configs, ruleset_of

FEW, MANY = 3, 1000
UNCOMPILED = ("default", "tiny")
"""Configurations of which the few games are played without compilation too, if the game has them."""

HOW = """
If the game is not meant to play differently, this is a bug: the first difference is in {what}.
If it is: raise the game's version, say why in its history, and renew signature and playthroughs:
    python -m tests.test_signature {game}"""


def digest(game: str, config: str, n: int) -> str:
    """16 hexadecimal digits that stand for n games."""
    ruleset = ruleset_of(game, config)
    played = rollout.play(ruleset, "random", n, seed=2024)
    total = hashlib.blake2b(digest_size=8)
    for i in range(n):
        table = Table(ruleset).with_states(played.states[i : i + 1])
        total.update(json.dumps(table.snapshot(), sort_keys=True).encode())
        for view in table.views():
            total.update(view)
        counts = [int(played.decisions[i]), int(played.options[i]), *(round(x, 9) for x in played.returns[i].tolist())]
        total.update(json.dumps(counts).encode())
    return total.hexdigest()


def written(game: str) -> dict[str, list[str]]:
    """First word of each line -> the others."""
    lines = (DATA / game / "signature.txt").read_text(encoding="utf-8").splitlines()
    return {words[0]: words[1:] for line in lines if (words := line.split()) and not line.startswith("#")}


def check(case: tuple[str, str], n: int, column: int) -> None:
    game, config = case
    known = written(game)
    version = ruleset_of(game).version
    assert known["version"] == [str(version)], f"signature.txt is of version {known['version'][0]}, the game of {version}" + (
        HOW.format(game=game, what="unknown")
    )
    found = digest(game, config, n)
    if found != known[config][column]:
        what = "the first games already" if digest(game, config, FEW) != known[config][0] else f"a game after the first {FEW}"
        raise AssertionError(f"{config}: {found}, in signature.txt {known[config][column]}" + HOW.format(game=game, what=what))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_signature(case):
    check(case, MANY, 1)


@pytest.mark.nojit
@pytest.mark.parametrize("case", [case for case in CASES if case[1] in UNCOMPILED], ids="-".join)
def test_the_first_games(case):
    """Compiled and not, the same."""
    check(case, FEW, 0)


def test_every_configuration_is_signed(game):
    assert list(written(game)) == ["version", *all_configs(game)]


def renewed(game: str) -> str:
    """The text of signature.txt."""
    lines = [
        f"# Digests of {FEW} and of {MANY} seeded games for each configuration; see tests/test_signature.py.",
        f"version {ruleset_of(game).version}",
    ]
    for config in all_configs(game):
        lines.append(f"{config} {digest(game, config, FEW)} {digest(game, config, MANY)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for each in sys.argv[1:] or GAMES:
        (DATA / each / "signature.txt").write_text(renewed(each), encoding="utf-8")
        print(f"renewed the signature of {each}")
