"""Partial snapshots, and errors that name the field; configurations likewise. `test_restoring.py` has whole games."""

from __future__ import annotations

import importlib
import pickle
import random
import re

import numpy as np
import pytest

from murder_envs.registry import make_ruleset
from tests.support import Table, all_configs, data, games, reported, rows, ruleset_of

NOTHING_LIKE_IT = (
    1.5, "no such value", ["no such value"], {"no such key": 1}, None, np.zeros(2), [np.zeros(2)], 10**5000,
    "long " * 999,
)  # fmt: skip
"""Values of the wrong type for whatever field (or words that no field knows)."""


def test_a_field_left_out_takes_its_default(ruleset):
    """Or the rest is no position without it, and the error names what is missing or no longer fits."""
    for table, rng in games(ruleset, 1, 800):
        for _ in table.play_on(rng, 7):
            pass
        full = table.snapshot()
        for left_out in full:
            some = {name: value for name, value in full.items() if name != left_out}
            try:
                again = Table(ruleset, 1, some).snapshot()
            except ValueError as error:
                assert re.match("|".join(rf"{re.escape(name)}\b" for name in full), str(error))
            else:
                assert again.keys() == full.keys()


def test_what_follows_may_be_left_out(ruleset):
    for table, rng in games(ruleset, 3, 900):
        table.finish(rng)
        full = table.snapshot()
        for follows in ("over", "returns", "to_act"):
            some = {name: value for name, value in full.items() if name != follows}
            assert Table(ruleset, 1, some).snapshot() == full


def test_an_empty_snapshot_is_a_position_or_names_a_field(ruleset):
    fields = Table(ruleset).snapshot()
    try:
        Table(ruleset, 1, {})
    except ValueError as error:
        assert re.match("|".join(rf"{re.escape(name)}\b" for name in fields), str(error))


def test_wrong_types_are_named(ruleset):
    """In a line, however long that is which was given."""
    table = Table(ruleset, 3)
    for _ in table.play_on(random.Random(3), 5):
        pass
    full = table.snapshot()
    for field in full:
        for value in NOTHING_LIKE_IT:
            with pytest.raises(ValueError, match=rf"^{re.escape(field)}\b") as caught:
                Table(ruleset, 1, {**full, field: value})
            assert len(str(caught.value)) < 500


def test_unknown_fields_are_named(game):
    full = Table(ruleset_of(game)).snapshot()
    for name in ("no_such_field", f"{next(iter(full))}s", ""):
        with pytest.raises(ValueError, match=rf"^{name}"):
            Table(ruleset_of(game), 1, {**full, name: 1})
    with pytest.raises(ValueError, match="^snapshot"):
        Table(ruleset_of(game), 1, 5)


@pytest.mark.kernels
def test_every_snapshot_has_what_all_games_have(ruleset):
    for table, rng in games(ruleset, 2, 950):
        with reported(table):
            for _ in table.play_on(rng):
                full = table.snapshot()
                assert full["to_act"] == table.seat and type(full["to_act"]) is int
                assert full["over"] is table.over and isinstance(full["phase"], str)
                assert len(full["returns"]) == ruleset.n_seats and all(type(x) is float for x in full["returns"])
                assert full["phase"] in ruleset.phases


ERRORS = rows("snapshot_errors.toml", "error")
CONFIG_ERRORS = rows("config_errors.toml", "error")


@pytest.mark.parametrize(
    ("game", "row"), ERRORS, ids=[f"{game}-{row['field']}-{k}" for k, (game, row) in enumerate(ERRORS)]
)
def test_the_error_names_the_field(game, row):
    """And a reset that fails changes nothing."""
    config = row.get("config", data(game, "snapshot_errors.toml").get("config", {}))
    raw = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**config)
    raw.reset(seed=1)
    before = pickle.dumps(raw)
    with pytest.raises(ValueError, match=rf"^{re.escape(row['field'])}\b") as caught:
        raw.reset(seed=2, options={"snapshot": row["setup"]})
    assert len(str(caught.value)) > len(row["field"]) + 5, "says nothing"
    assert pickle.dumps(raw) == before


@pytest.mark.parametrize(
    ("game", "row"),
    CONFIG_ERRORS,
    ids=[f"{game}-{row['parameter']}-{k}" for k, (game, row) in enumerate(CONFIG_ERRORS)],
)
def test_the_error_names_the_parameter(game, row):
    with pytest.raises(ValueError, match=rf"^{re.escape(row['parameter'])}\b"):
        make_ruleset(game, **row["config"])


def test_no_positional_parameters(game):
    env = importlib.import_module(f"murder_envs.{game}_v0")
    with pytest.raises(TypeError):
        make_ruleset(game, 3)
    for kind in (env.env, env.raw_env):
        with pytest.raises(ValueError, match="^no_such_parameter"):
            kind(no_such_parameter=1)


def test_every_parameter_has_an_error(game):
    """config_errors.toml goes through all parameters."""
    named = {row["parameter"] for its_game, row in CONFIG_ERRORS if its_game == game}
    assert set(make_ruleset(game).config) <= named


def test_every_field_has_an_error(game):
    """snapshot_errors.toml goes through all fields."""
    named = {row["field"] for its_game, row in ERRORS if its_game == game}
    assert set(Table(ruleset_of(game)).snapshot()) <= named


def test_an_unknown_game_is_named():
    with pytest.raises(ValueError, match="^game.*no_such_game"):
        make_ruleset("no_such_game")


def test_configurations_keep_what_they_were_given(game):
    for name, config in all_configs(game).items():
        kept = ruleset_of(game, name).config
        for key, value in config.items():
            assert kept[key] == (list(value) if isinstance(value, tuple) else value)
        assert make_ruleset(game, **kept).config == kept
