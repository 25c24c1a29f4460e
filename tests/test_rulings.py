"""A test per ruling, called by the ruling's name, through the public surface."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from murder_envs.registry import GAMES
from tests.support import agrees, data, rows, same

SEED = 7
RULINGS = rows("rulings.toml", "ruling")
pytestmark = [pytest.mark.nojit, pytest.mark.fast, pytest.mark.kernels]


def each(rulings: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """Test parameters with the rulings' names."""
    return [pytest.param(game, ruling, id=f"{game}-{ruling['name']}") for game, ruling in rulings]


def start(game: str, ruling: dict[str, Any], setup: dict[str, Any]) -> Any:
    """The environment at the position before play."""
    raw = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**ruling.get("config", {}))
    raw.reset(seed=SEED, options={"snapshot": setup})
    return raw


def played(game: str, ruling: dict[str, Any], setup: dict[str, Any]) -> Any:
    """The environment after play; the seat that a move names must be the one to act."""
    raw = start(game, ruling, setup)
    for k, move in enumerate(ruling.get("play", [])):
        seat, action = move.split(" ", 1)
        now = raw.snapshot()
        assert now["to_act"] == int(seat), f"move {k} ({move}): seat {now['to_act']} is to act in {now['phase']}"
        assert raw.agent_selection == raw.possible_agents[int(seat)]
        raw.step(raw.action_id(action))
    return raw


@pytest.mark.parametrize(("game", "ruling"), each([(g, r) for g, r in RULINGS if "error" not in r]))
def test_ruling(game, ruling):
    raw = played(game, ruling, ruling.get("setup", {}))
    legal = [raw.action_names[action] for action in raw.legal_actions()]
    if "legal" in ruling:
        assert sorted(legal) == sorted(ruling["legal"])
    for name in ruling.get("illegal", []):
        assert name in raw.action_names and name not in legal, f"{name} is legal"
    end = raw.snapshot()
    assert not (wrong := agrees(end, ruling.get("expect", {}))), "\n".join(wrong)
    assert start(game, ruling, end).snapshot() == end, "the position after play restores"
    if "instead" in ruling:
        other = played(game, ruling, ruling["instead"])
        for seat in ruling.get("unseen_by", []):
            assert seen(raw, seat) == seen(other, seat), f"seat {seat} can tell"
        for seat in ruling.get("seen_by", []):
            assert seen(raw, seat) != seen(other, seat), f"seat {seat} cannot tell"


@pytest.mark.parametrize(("game", "ruling"), each([(g, r) for g, r in RULINGS if "error" in r]))
def test_no_possible_position(game, ruling):
    with pytest.raises(ValueError, match=rf"^{re.escape(ruling['error'])}\b"):
        start(game, ruling, ruling.get("setup", {}))


def seen(raw: Any, seat: int) -> bytes:
    """The observation of a seat."""
    return raw.observe(raw.possible_agents[seat])["observation"].tobytes()


KEYS = {
    "name", "rule", "config", "setup", "play", "legal", "illegal", "expect", "instead", "unseen_by", "seen_by", "error",
}  # fmt: skip


@pytest.mark.parametrize("game", list(GAMES))
def test_the_file_is_as_contributing_says(game):
    rulings = data(game, "rulings.toml")["ruling"]
    names = [ruling["name"] for ruling in rulings]
    assert rulings and len(set(names)) == len(names)
    for ruling in rulings:
        assert set(ruling) <= KEYS and ruling["rule"], ruling["name"]
        assert ("error" in ruling) != bool({"legal", "illegal", "expect", "instead"} & set(ruling)), ruling["name"]
        assert ("instead" in ruling) == bool({"unseen_by", "seen_by"} & set(ruling)), ruling["name"]


@pytest.mark.parametrize(
    ("actual", "expected", "wrong"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a: 1, expected 2"]),
        ({"a": 1}, {"b": 1}, ["b: missing"]),
        ({"a": 1 / 3}, {"a": 0.3333333}, []),
        ({"a": 1}, {"a": True}, ["a: 1, expected True"]),
        ({"a": False}, {"a": 0}, ["a: False, expected 0"]),
        ({"a": [2, 1, 1]}, {"a~": [1, 1, 2]}, []),
        ({"a": [2, 1, 1]}, {"a~": [1, 2, 2]}, ["a, sorted: [1, 1, 2], expected [1, 2, 2]"]),
        ({"a": [2, 1]}, {"a": [1, 2]}, ["a: [2, 1], expected [1, 2]"]),
        ({"a": [2, 1]}, {"#a": 2}, []),
        ({"a": [2, 1]}, {"#a": 1}, ["length of a: 2, expected 1"]),
        ({"a": {"b": 1, "c": {"d": [1]}}}, {"a": {"c": {"#d": 1}}}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b: 1, expected 2"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ["a: [{'b': 1}], expected [{'b': 2}]"]),
        ({"a": "x"}, {"a": 1}, ["a: 'x', expected 1"]),
    ],
)
def test_expectations_are_compared_as_contributing_says(actual, expected, wrong):
    assert agrees(actual, expected) == wrong
    assert same(actual, actual) and not same(actual, 1)


HELPERS = [(game, each) for game in GAMES for each in data(game, "rulings.toml").get("helper", [])]


@pytest.mark.parametrize(
    ("game", "helper"), HELPERS, ids=[f"{game}-{each['name']}-{k}" for k, (game, each) in enumerate(HELPERS)]
)
def test_helpers_of_the_public_module(game, helper):
    """Functions beside the environments, called with `arguments`: their `result`, or what the `error` begins with."""
    function = getattr(importlib.import_module(f"murder_envs.{game}_v0"), helper["name"])
    if "error" in helper:
        with pytest.raises(ValueError, match=rf"^{re.escape(helper['error'])}: "):
            function(*helper["arguments"])
    else:
        assert same(function(*helper["arguments"]), helper["result"])
