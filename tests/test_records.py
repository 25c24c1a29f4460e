"""What games are declared with: records, plain fields of snapshots, parameters, names by number."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from murder_envs.core.checks import a_choice, a_text, an_int, shown
from murder_envs.core.config import Parameters, boolean, integer, option, parameter_rows
from murder_envs.core.jit import entry, records
from murder_envs.core.records import NOTHING, Record, choice, emptier, field_rows, flag, members, number, seat, table
from murder_envs.core.snapshots import Reader, agree, check_results, public_fields, show
from murder_envs.core.tables import Actions, Layout, numbered

pytestmark = pytest.mark.nojit

COLOURS = ("red", "green")


class Rules(Record):
    """What a made-up game's configuration fixes."""

    n_seats: int = number("seats")
    n_rounds: int = number("rounds")
    colour: int = choice(COLOURS, "of the table")


class State(Record):
    """A made-up game in progress."""

    phase: int = choice(COLOURS, "what is asked", snapshot=True, public=True)
    chosen: int = choice(COLOURS, "what was chosen", empty=NOTHING, snapshot=True)
    odd: int = flag("is the round odd?", snapshot="is_odd")
    round: int = number("from 1", empty=1, low=1, high="n_rounds", snapshot=True, public=True)
    lead: int = seat("who leads", snapshot=True)
    points: np.ndarray = number("points", dtype=np.int8, shape=(4,), low=-5, high=5, snapshot=True)
    marks: int = members("a set", dtype=np.uint32, names=("a", "b", "c"), snapshot=True)
    hands: np.ndarray = members("sets of cards", shape=(4,), low=1, high=9, snapshot=True)
    deck: np.ndarray = table(np.int8, "cards", shape=(5,), empty=-1)


empty = emptier(State)


@entry
def make_empty(states):
    """Make every field empty."""
    empty(states[0])


def rules_of(n_seats: int = 3, n_rounds: int = 4) -> np.ndarray:
    rules = Rules.blank()
    rules["n_seats"], rules["n_rounds"] = n_seats, n_rounds
    return rules


def test_a_record_has_no_hidden_bytes():
    """So that equal records are equal bytes, also in copies."""
    for record in (Rules, State):
        assert sum(np.dtype(dtype).itemsize for dtype, _ in record.dtype.fields.values()) == record.dtype.itemsize
        assert record.dtype.isalignedstruct and set(record.fields) <= set(record.dtype.names)


def test_a_kernel_empties_every_field():
    states = records(State.dtype, 1)
    states.view(np.uint8)[:] = 77
    make_empty(states)
    assert states.tobytes() == State.blank().tobytes()
    assert states[0]["lead"] == -1 and states[0]["chosen"] == NOTHING and (states[0]["deck"] == -1).all()


def test_plain_fields_are_shown_by_their_declaration():
    state, rules = State.blank(), rules_of()
    state["points"] = [1, -2, 3, 4]
    state["marks"], state["hands"][0, 1] = 0b101, 0b110
    assert show(State, rules, state) == {
        "phase": "red",
        "chosen": "",
        "is_odd": False,
        "round": 1,
        "lead": -1,
        "points": [1, -2, 3],
        "marks": ["a", "c"],
        "hands": [[], [1, 2], []],
    }
    assert public_fields(State) == ["phase", "round"]


def test_what_is_shown_is_read():
    rules = rules_of()
    snapshot = {
        "phase": "green", "chosen": "red", "is_odd": True, "round": np.int8(4), "lead": 2, "points": [0, 5, -5],
        "marks": ["b"], "hands": [[9], [], [1, 2]],
    }  # fmt: skip
    reader = Reader(State, rules, snapshot, ())
    for name in snapshot:
        assert reader.read(name) == snapshot[name]
    state = State.blank()
    reader.write_plain(state)
    assert show(State, rules, state) == snapshot
    assert Reader(State, rules, {}, ()).read("chosen") == "" and Reader(State, rules, {}, ()).read("lead", 1) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("phase", "blue"), ("phase", ""), ("phase", 0), ("chosen", "blue"), ("chosen", np.zeros(2)), ("is_odd", 1),
        ("round", 0), ("round", 5), ("round", True), ("round", 1.0), ("round", [10**5000]), ("lead", 3), ("lead", -2),
        ("points", [0, 0]), ("points", [0, 0, 6]), ("points", 3), ("marks", ["d"]), ("marks", ["a", "a"]),
        ("marks", [10**5000]), ("hands", [[0], [], []]), ("hands", [[1, 1], [], []]),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(name, value):
    with pytest.raises(ValueError, match=f"^{name}: "):
        Reader(State, rules_of(), {name: value}, ()).read(name)


def test_unknown_fields_are_named():
    with pytest.raises(ValueError, match="^rond: unknown snapshot field; did you mean round"):
        Reader(State, rules_of(), {"rond": 1}, ("other",))
    with pytest.raises(ValueError, match="^snapshot: a dict"):
        Reader(State, rules_of(), [1], ())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^x{97}\.\.\.: unknown snapshot field"):
        Reader(State, rules_of(), {"x" * 9999: 1}, ())


def test_errors_quote_a_line_of_what_they_were_given():
    for value in ("x" * 9999, np.zeros((99, 99)), [[1] * 99] * 99, "\n" * 999, 10**5000):
        with pytest.raises(ValueError, match="^n: an int|^n: 0 to 9, not") as caught:
            an_int("n", value, 0, 9)
        assert len(str(caught.value)) < 150 and "\n" not in str(caught.value)
    assert shown("x") == "'x'" and shown([1, 2]) == "[1, 2]"


def test_what_follows_must_agree():
    complete = {"returns": [1.0, 0.0], "over": True, "cards": ["b", "a"]}
    check_results({}, complete, complete)
    check_results({"returns": (1, 1e-9), "cards": ["a", "b"]}, complete, complete, in_any_order=["cards"])
    for name, value in (("returns", [1, 1]), ("over", 1), ("cards", ["a", "b"])):
        with pytest.raises(ValueError, match=f"^{name}: .* follows from the rest"):
            check_results({name: value}, complete, complete)
    assert agree({"a": [1]}, {"a": (1.0,)}) and not agree({"a": 1}, {"b": 1}) and not agree("1", 1)


def test_numbers_of_any_size_can_be_compared():
    """An int may be too large for a float, and another may be so large that its neighbour is the same float."""
    assert not agree(10**400, 1.0) and not agree(-(10**400), 1) and not agree(2**60 + 1, 2**60)
    assert agree(np.int8(1), 1.0) and agree(np.float32(0.5), 0.5) and not agree(float("nan"), 0.0)
    with pytest.raises(ValueError, match="^n: 0 to 9, not"):
        an_int("n", 10**5000, 0, 9)
    with pytest.raises(ValueError, match="^returns: "):
        check_results({"returns": [10**5000]}, {"returns": [1.0]}, ["returns"], in_any_order=["returns"])


class Named(str):
    """A text that is not a plain one, as the members of some enumerations are."""

    def __str__(self) -> str:
        return "Named.green"


@pytest.mark.parametrize("value", [np.str_("green"), Named("green")])
def test_a_text_becomes_a_plain_one(value):
    for plain in (a_text("colour", value), a_choice("colour", value, COLOURS), Config.of({"colour": value}).colour):
        assert type(plain) is str and plain == "green"
    reader = Reader(State, rules_of(), {"chosen": value}, ())
    assert type(reader.read("chosen")) is str and reader.values["chosen"] == COLOURS.index("green")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config(Parameters):
    """Parameters of a made-up game."""

    n_rounds: int = integer(4, "rounds", low=1, high=9)
    colour: str = option("green", "of the table", COLOURS)
    fast: bool = boolean(False, "without pauses")

    def check(self) -> None:
        if self.fast:
            an_int("n_rounds", self.n_rounds, 1, 3)


def test_the_checked_value_is_the_one_that_is_kept():
    """Numpy's integers wrap around in arithmetic; a configuration is made of plain values."""
    config = Config.of({"n_rounds": np.uint8(3), "fast": np.bool_(True)})
    assert type(config.n_rounds) is int and type(config.fast) is bool
    assert config.as_dict() == {"n_rounds": 3, "colour": "green", "fast": True}
    rules = Rules.from_config(config)
    assert rules["n_rounds"][0] == 3 and rules["colour"][0] == 1


@pytest.mark.parametrize(
    ("keywords", "name"),
    [({"n_rounds": 0}, "n_rounds"), ({"n_rounds": 1.0}, "n_rounds"), ({"n_rounds": np.array(1.7)}, "n_rounds"),
     ({"n_rounds": int}, "n_rounds"), ({"colour": "blue"}, "colour"), ({"fast": 1}, "fast"), ({"rounds": 1}, "rounds"),
     ({"fast": True}, "n_rounds")],
)  # fmt: skip
def test_a_wrong_parameter_is_named(keywords: dict[str, Any], name):
    with pytest.raises(ValueError, match=f"^{name}: "):
        Config.of(keywords)


def test_declarations_give_rows_of_tables():
    assert [row["field"] for row in field_rows(State)] == list(State.fields)
    assert parameter_rows(Config)[0] == {
        "parameter": "n_rounds", "default": 4, "values": "1 to 9", "meaning": "rounds", "meanings": {},
    }  # fmt: skip


def test_names_by_number():
    phase = numbered(("", "play", "pass", "a-b"))
    assert (phase.none, phase.play, phase.pass_, phase.a_b) == (0, 1, 2, 3)
    actions = Actions({"draw": ["draw"], "play": ["play:1", "play:2"], "pass": ["pass"]})
    assert (actions.at.draw, actions.at.play, actions.at.pass_) == (0, 1, 3)
    assert Layout([("a", 3, 0, 1, ""), ("b", (2, 2), 0, 1, "")]).at.b == 3
