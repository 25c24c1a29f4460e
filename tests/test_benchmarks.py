"""The form of what `benchmarks.throughput` prints. Speed is measured there, and asserted nowhere."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time

import pytest

from benchmarks import cases, game_data, modes, search_strength, training
from benchmarks.measure import Figure, measure, rate
from benchmarks.throughput import MODES, main
from murder_envs.registry import GAMES, configs, make_ruleset
from tests.support import ROOT

KEYS = ["game", "config", "mode", "batch", "value", "unit", "spread"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, since it pins itself to one core."""
    shortest = ("--windows", "2", "--seconds", "0.001", *arguments)
    command = [sys.executable, "-m", "benchmarks.throughput", *shortest]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def figures(*arguments: str) -> list[dict]:
    return [json.loads(line) for line in run("--json", *arguments).stdout.splitlines()]


def test_json_is_one_line_a_figure(game):
    names = ["core", "observe", "batch", "playouts", "search", "aec_raw", "aec_env"]
    measured = figures("--game", game, "--modes", ",".join(names), "--no-peers")
    assert [figure["mode"] for figure in measured] == names
    for figure in measured:
        assert list(figure) == KEYS
        assert (figure["game"], figure["config"]) == (game, "default")
        assert figure["value"] > 0
        assert figure["spread"] >= 0
        assert isinstance(figure["batch"], int)
    units = [*["decisions/s"] * 3, "playouts/s", "simulations/s", *["steps/s"] * 2]
    assert [figure["unit"] for figure in measured] == units


@pytest.mark.slow
def test_json_of_the_training_share(game):
    (figure,) = figures("--game", game, "--modes", "sb3", "--windows", "1", "--no-peers")
    assert list(figure) == KEYS
    assert (figure["mode"], figure["batch"], figure["unit"]) == ("sb3", training.GAMES, "%")
    assert 0 < figure["value"] < 100


def test_the_table_says_how_it_was_measured(game):
    """Peers that are not installed are named, and are no failure."""
    config = list(configs(game))[-1]
    output = run("--game", game, "--config", config, "--modes", "aec_env").stdout
    conditions = ("date", "command", "processor", "commit", "versions", "numba", "windows")
    for word in (*conditions, MODES["aec_env"].text, game, config):
        assert word in output
    assert "ours is" in output or "a peer is missing" in output


def test_data_files_are_of_games_and_say_what_there_is():
    """A mistyped name in a file would be a goal, or a game, that nobody misses."""
    for kind in ("goals", "small_games", "generated_cases"):
        files = {path.stem for path in (ROOT / "benchmarks" / kind).glob("*.toml")}
        assert files <= {*GAMES, "every_game"} if kind == "goals" else files <= set(GAMES)
    for game in ("every_game", *GAMES):
        for config, goals in game_data("goals", game).items():
            assert config in configs(game if game in GAMES else next(iter(GAMES)))
            assert {mode.split()[0] for mode in goals} <= set(MODES)
    for game in GAMES:
        for row in game_data("small_games", game).get("small_game", []):
            assert set(row) <= {"config", "parameters", "effort"}
            make_ruleset(game, **{**configs(game)[row["config"]], **row.get("parameters", {})})
        for parameters in cases.kinds(game).values():
            make_ruleset(game, **parameters)


def test_a_game_s_own_goals_go_first():
    setup = modes.Setup(next(iter(GAMES)), "default", 0, time.perf_counter)
    goals = {**game_data("goals", "every_game")["default"], **game_data("goals", setup.game)["default"]}
    assert setup.figure("core", "decisions/s", lambda _: 1.0).goal == goals["core"]
    assert setup.figure("search", "simulations/s", lambda _: 1.0).goal == goals["search"]
    assert setup.figure("start", "s warm", lambda _: 1.0).goal == goals["start s warm"]
    assert setup.figure("observation", "ns", lambda _: 1.0).goal is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "chess"], ["--game", "'chess'", *GAMES]),
        (["--modes", "core,speed"], ["--modes", "'speed'", *MODES]),
        (["--modes", ""], ["--modes", "''", *MODES]),
        (["--config", "gigantic"], ["--config", "'gigantic'", "default"]),
        (["--seconds", "0"], ["--seconds", "0"]),
        (["--seconds", "nan"], ["--seconds", "nan"]),
        (["--windows", "0"], ["--windows", "0"]),
        (["--seed", "-1"], ["--seed", "-1"]),
    ],
)
def test_an_error_names_what_is_wrong_and_what_there_is(arguments, words, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    for word in words:
        assert word in output.err


def test_a_new_process_comes_to_its_first_step(game):
    assert modes.seconds_to_first_step(time.perf_counter, f"murder_envs.{game}_v0", {}) > 0


def test_a_process_that_does_not_is_an_error(game, capfd):
    with pytest.raises(RuntimeError, match=f"murder_envs.{game}_v0: .*status 1"):
        modes.seconds_to_first_step(time.perf_counter, f"murder_envs.{game}_v0", {"no_such_parameter": 1})
    assert "no_such_parameter" in capfd.readouterr().err


def test_a_window_counts_units_a_second():
    now = 0.0

    def work() -> float:
        nonlocal now
        now += 0.25
        return 10

    assert rate(work, lambda: now)(1.0) == pytest.approx(40)


def test_windows_take_turns_and_spread_is_the_interquartile_range():
    order, values = [], iter([1.0, 2.0, 3.0, 4.0, 5.0])

    def figure(name: str, value: float | None = None) -> Figure:
        def window(seconds: float) -> float:
            order.append((name, seconds))
            return next(values) if value is None else value

        return Figure("a game", "default", "core", 1, "steps/s", window)

    often, seldom = figure("often"), figure("seldom", 7.0)
    seldom.most = 1
    measure([often, seldom], 5, 0.5)
    assert order == [("often", 0.5), ("seldom", 0.5), *[("often", 0.5)] * 4]
    assert (often.median, often.spread) == (3.0, 2.0)
    assert (seldom.median, seldom.spread) == (7.0, 0.0)


def test_the_stopwatch_counts_nested_calls_once():
    now = 0.0

    def clock() -> float:
        return now

    watch = training.Stopwatch(clock)

    @watch.watch
    def inner() -> None:
        nonlocal now
        now += 1

    @watch.watch
    def outer() -> None:
        nonlocal now
        inner()
        now += 2

    outer()
    now += 100
    inner()
    assert watch.total == 4


KINDS = [(game, kind) for game in GAMES for kind in cases.kinds(game)]


@pytest.mark.parametrize(("game", "kind"), KINDS, ids=[" ".join(pair) for pair in KINDS])
def test_all_facts_of_a_generated_case_name_every_answer(game, kind):
    for seed in range(5):
        case = cases.Case(game, seed, cases.kinds(game)[kind], 1)
        for question in case.questions:
            answer = case.written["solution"][question]
            nothing, _, all_cards = case.known(0)
            assert nothing == [] and answer in case.left(question, all_cards)
            _, handed, all_cards = case.known(len(case.places))
            assert case.left(question, handed) == case.left(question, all_cards) == {answer}
            assert 0 < case.needed(question) <= len([fact for fact in handed if fact[0] == question])


def test_the_tables_of_cases(capsys):
    """Nothing that is known is forgotten in a later round, and a source has what those before it have."""
    assert KINDS
    for game in dict(KINDS):
        assert cases.main(["--game", game, "--cases", "3"]) == 0
        lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
        rows = [[cell.strip("| ") for cell in line] for line in lines if len(line) > 1 and line[1] in cases.SOURCES]
        assert {row[0] for row in rows} == set(cases.kinds(game))
        shares = [[float(cell) for cell in row[2:] if cell] for row in rows]
        assert all(row == sorted(row) for row in shares)
        for k, row in enumerate(rows):
            if row[1] != cases.SOURCES[0]:
                assert all(before <= now for before, now in zip(shares[k - 1], shares[k], strict=True))


@pytest.mark.parametrize("arguments", [["--cases", "0"], ["--seed", "-1"], ["--game", "chess"]])
def test_what_is_wrong_with_a_measurement_of_cases_is_named(arguments, capsys):
    with pytest.raises(SystemExit):
        cases.main(arguments)
    assert f"{arguments[0]}: " in capsys.readouterr().err


# -- Strength of search -----------------------------------------------------------------------------------------------


def test_strength_is_a_row_for_each_role_and_budget(tmp_path, capsys):
    game = next(name for name in GAMES if len(make_ruleset(name).roles) > 1)
    options = ["--game", game, "--budgets", "1,2", "--deals", "2,1", "--ceiling", "1", "--processes", "1"]
    assert search_strength.main([*options, "--out", str(tmp_path)]) == 0
    rows = list(csv.DictReader((tmp_path / "strength.csv").open(encoding="utf-8")))
    roles = make_ruleset(game).roles
    searches = [("perfect_information:1", "1"), ("search:1", "2"), ("search:2", "1")]
    assert [(row["row"], row["deals"], row["role"]) for row in rows] == [
        (f"{search}:mo:heuristic", deals, role) for search, deals in searches for role in roles
    ]
    assert all(row["column"] == "heuristic" and "--budgets 1,2" in row["command"] for row in rows)
    assert all(float(row["gain_low"]) <= float(row["gain"]) <= float(row["gain_high"]) for row in rows)
    assert (tmp_path / "strength.png").read_bytes().startswith(b"\x89PNG")
    assert "search:2:mo:heuristic" in capsys.readouterr().out
    other = next(name for name in GAMES if name != game)
    small = list(configs(game))[-1]
    options = ["--game", game, "--config", small, "--budgets", "1", "--deals", "1", "--processes", "1"]
    assert search_strength.main([*options, "--out", str(tmp_path)]) == 0
    options = ["--game", other, "--budgets", "1", "--deals", "1", "--playout", "random", "--processes", "1"]
    assert search_strength.main([*options, "--out", str(tmp_path)]) == 0
    both = list(csv.DictReader((tmp_path / "strength.csv").open(encoding="utf-8")))
    shared = [
        {name: row[name] for name in rows[0]} for row in both if (row["game"], row["config"]) == (game, "default")
    ]
    assert shared == rows
    assert {(row["game"], row["config"]) for row in both} == {(game, "default"), (game, small), (other, "default")}
    page = (tmp_path / "strength.md").read_text(encoding="utf-8")
    assert f"| {game} |" in page and page.count("    python -m benchmarks.search_strength") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess"], "game: one of "),
        (["--players", "3"], "players: "),
        (["--budgets", "10,x"], "budgets: "),
        (["--budgets", "1,2,3", "--deals", "1,2"], "deals: one number, or one for each of the 3 budgets"),
        (["--config", "huge"], "config: "),
        (["--processes", "0"], "processes: 1 to "),
    ],
)
def test_what_is_wrong_with_a_measurement_of_strength_is_named(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit):
        search_strength.main([*arguments, "--out", str(tmp_path / "out")])
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
