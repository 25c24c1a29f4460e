"""A digest of many seeded games for each configuration: whatever changes play changes it.

    python -m tests.test_signature [game ...]      rewrites signature.txt, after the game's version was raised

What goes in, game by game: the complete snapshot of the end (in the rulebook's terms, so that neither caches nor the
layout of the record count, and every machine gives the same), what each seat sees then, the returns, and how many
decisions and legal actions there were. The players choose at random.
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
If the game is not meant to play differently, this is a bug. If it is: raise the game's version, say why in its history,
and renew the signature and the playthroughs:
    python -m tests.test_signature {game}
    python -m murder_envs.drivers.transcript renew tests/data/{game}/playthroughs/*.txt"""


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
    return {parts[0]: parts[1:] for line in lines if (parts := line.split()) and not line.startswith("#")}


def check(case: tuple[str, str], n: int, column: int) -> None:
    game, config = case
    known, version = written(game), ruleset_of(game).version
    actual = digest(game, config, n)
    if actual != known[config][column]:
        what = f"{n} games of {config} have the signature {actual}, and signature.txt has {known[config][column]}"
        raise AssertionError(what + HOW.format(game=game))
    assert known["version"] == [str(version)], f"signature.txt is of version {known['version'][0]}, not of {version}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_signature(case):
    check(case, MANY, 1)


@pytest.mark.fast
@pytest.mark.kernels
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.nojit] if case[1] in UNCOMPILED else []) for case in CASES],
    ids="-".join,
)
def test_the_first_games(case):
    """Compiled and not, the same."""
    check(case, FEW, 0)


@pytest.mark.fast
def test_every_configuration_is_signed(game):
    assert list(written(game)) == ["version", *all_configs(game)]


def renew(game: str) -> None:
    """Write signature.txt anew; SystemExit if the game plays differently under the same version."""
    path = DATA / game / "signature.txt"
    version = ruleset_of(game).version
    signed = {config: [digest(game, config, FEW), digest(game, config, MANY)] for config in all_configs(game)}
    known = written(game) if path.exists() else {}
    changed = [config for config in signed if known.get(config, signed[config]) != signed[config]]
    if changed and known["version"] == [str(version)]:
        sys.exit(f"{game}: plays differently ({', '.join(changed)}) and still has version {version}: raise it first")
    head = f"# Digests of {FEW} and of {MANY} seeded games for each configuration; see tests/test_signature.py.\n"
    lines = [f"version {version}", *(" ".join((config, *signed[config])) for config in signed)]
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for each in sys.argv[1:] or GAMES:
        renew(each)
        print(f"renewed the signature of {each}")
