"""Evaluation: matrices of agents against agents, ratings, players by name, bad input."""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from rich.console import Console

from agents import evaluate, measures, players, train, workers
from agents.report import markdown_table, provenance
from murder_envs import registry
from tests.support import ROOT, ruleset_of

SEED = 11
QUIET = Console(quiet=True)


def matrix(game: str, agents: dict[str, str], deals: int = 6, processes: int = 1) -> evaluate.Evaluation:
    """A small evaluation of a game's default configuration."""
    return evaluate.evaluate(ruleset_of(game), agents, deals, SEED, processes, QUIET)


AGENTS = {
    "random": "random",
    "heuristic": "heuristic",
    "search": "search:8:flat:random",
    "ceiling": "perfect_information:8:so:random",
}


@functools.cache
def evaluation_of(game: str) -> evaluate.Evaluation:
    """An evaluation of the compiled players, a search and its ceiling."""
    return matrix(game, AGENTS)


@pytest.mark.slow
def test_every_agent_meets_every_agent_in_every_role(game):
    evaluation = evaluation_of(game)
    roles = evaluation.ruleset.roles
    assert sorted(seat for seats in roles.values() for seat in seats) == list(range(evaluation.ruleset.n_seats))
    assert [(cell.role, cell.row, cell.column) for cell in evaluation.cells] == [
        (role, row, column) for role in roles for row in AGENTS for column in AGENTS
    ]
    for cell in evaluation.cells:
        assert cell.deals == 6 and cell.games == 6 * len(roles[cell.role])
        value, low, high = cell.win_rate
        assert 0 <= low <= value <= high <= 1
        assert cell.mean_return[1] <= cell.mean_return[0] <= cell.mean_return[2]
        assert cell.gain[1] <= cell.gain[0] <= cell.gain[2]


@pytest.mark.slow
def test_the_share_of_the_ceiling_goes_from_random_to_perfect_information(game):
    cells = [cell for cell in evaluation_of(game).cells if not math.isnan(cell.of_ceiling)]
    assert cells
    for cell in cells:
        if cell.row in ("random", "ceiling"):
            assert cell.of_ceiling == (cell.row == "ceiling")


@pytest.mark.slow
def test_a_cell_is_what_its_games_say(game):
    """Two compiled players: the same as whole games of the rollout driver."""
    evaluation = evaluation_of(game)
    ruleset = evaluation.ruleset
    cell = next(cell for cell in evaluation.cells if (cell.row, cell.column) == ("heuristic", "random"))
    paid = []
    for seat in ruleset.roles[cell.role]:
        seated = ["random"] * ruleset.n_seats
        seated[seat] = "heuristic"
        chunk = int(evaluate.episode_seed(SEED, evaluate.STREAM.evaluation, 0))
        paid.append(measures.play(ruleset, seated, 6, chunk)[1][:, seat])
    assert cell.mean_return[0] == pytest.approx(np.mean(paid))


@pytest.mark.slow
def test_the_gain_is_the_mean_of_paired_differences(game):
    evaluation = evaluation_of(game)
    ruleset = evaluation.ruleset
    cell = next(cell for cell in evaluation.cells if (cell.row, cell.column) == ("heuristic", "random"))
    paid = {}
    for row in ("heuristic", "random"):
        each = []
        for seat in ruleset.roles[cell.role]:
            seated = ["random"] * ruleset.n_seats
            seated[seat] = row
            chunk = int(evaluate.episode_seed(SEED, evaluate.STREAM.evaluation, 0))
            each.append(measures.play(ruleset, seated, 6, chunk)[1][:, seat])
        paid[row] = np.mean(each, 0)
    differences = paid["heuristic"] - paid["random"]
    assert cell.gain == pytest.approx(measures.mean_interval(differences, -2, 2))
    assert all(cell.gain == (0, 0, 0) for cell in evaluation.cells if cell.row == cell.column)


def test_only_some_have_the_other_seats():
    """In a game with ratings, which only a whole matrix has."""
    game = next(name for name in registry.GAMES if not measures.paid_alike(ruleset_of(name)))
    agents = {"random": "random", "heuristic": "heuristic"}
    both = matrix(game, agents)
    assert both.ratings
    one = evaluate.evaluate(ruleset_of(game), agents, 6, SEED, 1, QUIET, ["heuristic"])
    assert str(one.cells) == str([cell for cell in both.cells if cell.column == "heuristic"]) and not one.ratings
    about = {"seed": SEED, "commit": "", "command": "", "packages": {}}
    assert str(evaluate.evaluate(ruleset_of(game), agents, 6, SEED, 1, QUIET, list(agents))[1:]) == str(both[1:])
    for wrong in (["nobody"], ["heuristic", "heuristic"], []):
        with pytest.raises(ValueError, match="among: "):
            evaluate.evaluate(ruleset_of(game), agents, 6, SEED, 1, QUIET, wrong)
    assert "|  | heuristic |\n" in evaluate.markdown(one, about)
    assert evaluate.heat_map(one, about).startswith(b"\x89PNG")


@pytest.mark.slow
def test_ratings_follow_strength_and_teams_have_none(game):
    evaluation = evaluation_of(game)
    if measures.paid_alike(evaluation.ruleset):
        assert evaluation.ratings == {}
    else:
        assert set(evaluation.ratings) == set(AGENTS)
        assert evaluation.ratings["heuristic"][0] > evaluation.ratings["random"][0]


def test_processes_change_nothing():
    game = next(iter(registry.GAMES))
    agents = {"random": "random", "search": "search:4:flat:random"}
    one, two = (matrix(game, agents, deals=30, processes=n) for n in (1, 2))
    assert one.cells == two.cells or str(one.cells) == str(two.cells)
    assert one.ratings == two.ratings


def test_a_searcher_plays_a_game_alike_wherever_it_stands():
    ruleset = ruleset_of(next(iter(registry.GAMES)))
    searcher = players.Searcher(ruleset, simulations=4)
    seated: list[measures.Player] = [searcher, *["heuristic"] * (ruleset.n_seats - 1)]
    first, _ = measures.play(ruleset, seated, 5, SEED)
    again, _ = measures.play(ruleset, seated, 3, SEED)
    assert first[:3].tobytes() == again.tobytes()


def test_everything_lies_in_one_folder_and_says_how_it_was_made(tmp_path, capsys):
    game = next(name for name in registry.GAMES if not measures.paid_alike(ruleset_of(name)))
    arguments = ["--game", game, "--agents", "random", "strong=heuristic", "--deals", "5", "--processes", "1"]
    assert evaluate.main([*arguments, "--seed", "3", "--out", str(tmp_path)]) == 0
    (out,) = tmp_path.iterdir()
    rows = list(csv.DictReader((out / "matrix.csv").open(encoding="utf-8")))
    names = ("random", "strong")
    assert {(row["row"], row["column"]) for row in rows} == {(a, b) for a in names for b in names}
    assert all(row["seed"] == "3" and "numba=" in row["versions"] and "--deals 5" in row["command"] for row in rows)
    assert (out / "matrix.png").read_bytes().startswith(b"\x89PNG")
    text = (out / "matrix.md").read_text(encoding="utf-8")
    assert "| strong |" in text and "Seed 3" in text and "## Ratings" in text
    assert json.loads((out / "evaluation.json").read_text(encoding="utf-8"))["agents"]["strong"] == "heuristic"
    assert "strong" in capsys.readouterr().out


def test_a_trained_model_is_an_agent(tmp_path):
    game = next(iter(registry.GAMES))
    small = ["--envs", "16", "--rollout", "8", "--steps", "128", "--net", "16,16", "--evals", "1", "--eval-games", "8"]
    assert train.main(["--game", game, *small, "--test-games", "8", "--threads", "1", "--out", str(tmp_path)]) == 0
    (run,) = tmp_path.iterdir()
    agents = {"trained": str(run), "drawn": f"{run}@sampled", "file": str(run / "model.zip")}
    value = {(cell.row, cell.column): cell.win_rate for cell in matrix(game, agents, deals=4).cells}
    assert value["trained", "trained"] == value["file", "file"]
    other = next(name for name in registry.GAMES if name != game)
    with pytest.raises(ValueError, match=f"game: .* was trained on {game}, not on {other}"):
        players.make_player(str(run), ruleset_of(other))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--game", "cluedo", "--agents", "random"], "game: one of "),
        (["--config", "hard", "--agents", "random"], "config: one of default"),
        ([], "agents: at least one"),
        (["--agents", "random", "random"], "agents: each name once"),
        (["--agents", "nobody"], "agents: random, heuristic, search:N"),
        (["--agents", "search:many"], "agents: how many simulations"),
        (["--agents", "search:10:best"], "agents: "),
        (["--agents", "search:0"], "simulations: 1 to "),
        (["--agents", "runs@greedy"], "agents: @sampled or nothing"),
        (["--agents", "random", "--deals", "0"], "deals: 1 to "),
        (["--agents", "random", "--players", "99"], "num_players: "),
    ],
)
def test_bad_input_is_named_and_leaves_nothing(tmp_path, capsys, arguments, named):
    game = [] if "--game" in arguments else ["--game", next(iter(registry.GAMES))]
    with pytest.raises(SystemExit) as stopped:
        evaluate.main([*game, *arguments, "--out", str(tmp_path / "out")])
    assert stopped.value.code == 2
    assert f"error: {named}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# -- What is kept -----------------------------------------------------------------------------------------------------

GAME = next(iter(registry.GAMES))
SMALL = ["--game", GAME, "--agents", "random", "search:30:flat:random", "--deals", "60", "--seed", "3"]


def run_in(out: pathlib.Path) -> pathlib.Path:
    """The only evaluation in a folder."""
    (folder,) = out.iterdir()
    return folder


def cells_of(folder: pathlib.Path) -> list[dict[str, str]]:
    """The matrix, without the command that made it."""
    rows = csv.DictReader((folder / "matrix.csv").open(encoding="utf-8"))
    return [{name: value for name, value in row.items() if name != "command"} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of an evaluation that went through."""
    out = tmp_path_factory.mktemp("whole")
    assert evaluate.main([*SMALL, "--processes", "1", "--out", str(out)]) == 0
    return run_in(out)


def test_evaluations_of_one_second_have_folders_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate.time, "strftime", lambda *_: "20260101-000000")
    for seed in ("3", "4"):
        arguments = ["--game", GAME, "--agents", "random", "--deals", "2", "--seed", seed, "--processes", "1"]
        assert evaluate.main([*arguments, "--out", str(tmp_path)]) == 0
    folders = sorted(tmp_path.iterdir())
    assert [json.loads((each / "evaluation.json").read_text())["seed"] for each in folders] == [3, 4]


def test_what_was_played_is_gone_on_from(whole, tmp_path, monkeypatch):
    """Nothing is played twice; a line that was cut off counts for nothing."""
    folder = tmp_path / "half"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("matrix.*", "evaluation.json"))
    lines = (whole / evaluate.GAMES_PLAYED).read_bytes().splitlines(keepends=True)
    (folder / evaluate.GAMES_PLAYED).write_bytes(b"".join(lines[:5]) + lines[5][:40])
    played: list[evaluate.Part] = []
    real = evaluate.play_part
    monkeypatch.setattr(evaluate, "play_part", lambda part: (played.append(part), real(part))[1])
    assert evaluate.main(["--resume", str(folder), "--processes", "1"]) == 0
    assert len(played) == len(set(played)) == len(lines) - 5
    assert cells_of(folder) == cells_of(whole)
    assert sorted((folder / evaluate.GAMES_PLAYED).read_bytes().splitlines(keepends=True)) == sorted(lines)


def children_of(process: int) -> list[int]:
    """The numbers of a process's children that are Python."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, _, rest = path.read_text().rpartition(")")
            if int(rest.split()[1]) == process and "spawn_main" in (path.parent / "cmdline").read_text():
                found.append(int(path.parent.name))
    return found


def lives(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="how processes are listed")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_evaluation_that_is_stopped_leaves_no_process_and_goes_on(whole, tmp_path, how):
    command = [sys.executable, "-m", "agents.evaluate", *SMALL, "--processes", "2", "--out", str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for _ in range(6000):
        if any(path.stat().st_size for path in tmp_path.glob(f"*/{evaluate.GAMES_PLAYED}")):
            break
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.01)
    workers_of = children_of(process.pid)
    assert len(workers_of) == 2
    process.send_signal(how)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), output
    for _ in range(1000):
        if not any(map(lives, workers_of)):
            break
        time.sleep(0.01)
    assert not any(map(lives, workers_of))
    folder = run_in(tmp_path)
    assert not (folder / "matrix.csv").exists()
    if how != signal.SIGKILL:
        assert f"python -m agents.evaluate --resume {folder}" in output and "Traceback" not in output
    assert evaluate.main(["--resume", str(folder), "--processes", "1"]) == 0
    assert cells_of(folder) == cells_of(whole)


def test_another_evaluation_is_not_gone_on_with(whole, tmp_path, capsys):
    folder = tmp_path / "other"
    for damage, named in (
        (lambda: (folder / evaluate.PLAN).unlink(), "is no folder of an evaluation"),
        (lambda: (folder / evaluate.PLAN).write_text('{"options": 3}'), "resume: a list, not 3"),
        (lambda: other_plan(folder, version=0), f"the version of {GAME} is another"),
        (lambda: other_plan(folder, models={"random": ""}), "a trained agent is another"),
        (lambda: (folder / evaluate.GAMES_PLAYED).write_text("{}\n"), "line 1 of "),
    ):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        damage()
        with pytest.raises(SystemExit) as stopped:
            evaluate.main(["--resume", str(folder), "--processes", "1"])
        error = capsys.readouterr().err
        assert stopped.value.code == 2 and named in error and "Traceback" not in error


def other_plan(folder: pathlib.Path, **changes: object) -> None:
    path = folder / evaluate.PLAN
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def nothing() -> None:
    """What a worker begins with."""


def square_or_die(task: tuple[int, str]) -> int:
    """The square of a number; dies once at 3, and at 4 each time."""
    number, trace = task
    if number == 4 or number == 3 and not os.path.exists(trace):
        pathlib.Path(trace).touch()
        os._exit(9)
    return number * number


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(tmp_path):
    tasks = [(number, str(tmp_path / "died")) for number in (0, 1, 2, 3, 5, 6)]
    found = dict(workers.results(square_or_die, tasks, 2, nothing))
    assert found == {task: task[0] ** 2 for task in tasks} and (tmp_path / "died").exists()


@pytest.mark.slow
def test_workers_that_die_again_and_again_are_told_of(tmp_path):
    tasks = [(number, str(tmp_path / "died")) for number in (1, 4, 5)]
    found = []
    with pytest.raises(workers.WorkersDied, match="workers died 3 times in a row"):
        for task, result in workers.results(square_or_die, tasks, 1 + 1, nothing):
            found.append((task, result))
    assert all(result == task[0] ** 2 for task, result in found)


def test_what_goes_wrong_in_a_worker_is_raised_here(tmp_path):
    with pytest.raises(TypeError):
        list(workers.results(square_or_die, [3], 2, nothing))


# -- Intervals --------------------------------------------------------------------------------------------------------

SHARES = np.linspace(0.02, 0.98, 97)


def chances_of_counts(n: int) -> np.ndarray:
    """float[shares, n + 1]: how likely k of n deals are won, exactly."""
    k, logs = np.arange(n + 1), np.cumsum(np.log(np.maximum(1, np.arange(n + 1))))
    return np.exp(logs[n] - logs - logs[::-1] + np.outer(np.log(SHARES), k) + np.outer(np.log(1 - SHARES), n - k))


@pytest.mark.parametrize("n", [20, 23, 30, 41, 50, 71, 100, 200, 332, 1000])
@pytest.mark.parametrize(
    ("lost", "won", "low"), [(0, 1, 0), (0, 1, -1), (-1, 1, -1), (-1 / 3, 1, -1), (-1, 1 / 3, -1)], ids=str
)
def test_intervals_hold_where_a_deal_is_won_or_lost(n, lost, won, low):
    """Computed exactly: the share, and means of returns of whatever size."""
    counts = np.arange(n + 1)
    values = np.where(np.arange(n) < counts[:, None], won, lost).astype(np.float64)
    ends = measures.intervals(values, low, 1)
    true, chances = (lost + (won - lost) * SHARES)[:, None], chances_of_counts(n)
    assert chances.sum(1) == pytest.approx(1)
    coverage = (chances * ((ends[0] <= true) & (true <= ends[1]))).sum(1)
    assert coverage.min() >= 0.94, SHARES[coverage.argmin()]
    needed = 2 * measures.Z * (won - lost) * np.sqrt(SHARES * (1 - SHARES) / n)
    wider = (chances * (ends[1] - ends[0])).sum(1) / needed
    assert wider.mean() < 1 + 3 / n**0.5


def deals(random: np.random.Generator, samples: int, n: int, seats: int, share: float, alike: str) -> np.ndarray:
    """float[samples, n]: the share of its seats that win each deal; `alike`: how the seats of a deal go together."""
    if alike == "apart":
        return random.binomial(seats, share, (samples, n)) / seats
    if alike == "by luck of the deal":
        luck = random.beta(share * 3, (1 - share) * 3, (samples, n))
        return random.binomial(seats, luck) / seats
    if alike == "some deals":
        apart, same = deals(random, samples, n, seats, share, "apart"), random.random((samples, n)) < share
        return np.where(random.random((samples, n)) < 0.5, apart, same)
    of_each = share + min(share, 1 - share) * np.linspace(-0.9, 0.9, seats)  # "by seat"
    return random.binomial(1, of_each, (samples, n, seats)).mean(2)


@pytest.mark.parametrize("seats", [2, 4, 7])
@pytest.mark.parametrize("alike", ["apart", "by luck of the deal", "some deals", "by seat"])
def test_intervals_hold_for_several_seats_of_a_deal(seats, alike):
    random = np.random.default_rng(seats)
    for n, samples in ((20, 4000), (60, 2000), (200, 1000), (1000, 500)):
        for share in (0.02, 0.06, 0.2, 0.5, 0.9, 0.98):
            values = deals(random, samples, n, seats, share, alike)
            low, high = measures.intervals(values, 0, 1)
            holds = ((low <= share) & (share <= high)).mean()
            assert holds >= 0.94 - 2.5 * math.sqrt(0.94 * 0.06 / samples), (n, share)
            needed = 2 * measures.Z * values.mean(1).std()
            assert (high - low).mean() / needed < 1.1 + 1.9 / (n * min(share, 1 - share)) ** 0.5, (n, share)


@pytest.mark.parametrize("n", [1, 2, 20, 1000])
def test_an_interval_always_has_a_width(n):
    for seats in (1, 7):
        for won in (0.0, 1.0):
            value, low, high = measures.share_interval(np.full((n, seats), won))
            assert value == won and 0 <= low <= won <= high <= 1 and high - low > 0.5 / n
    for value in (-1.0, 0.0, 0.25, 1.0):
        mean, low, high = measures.mean_interval(np.full(n, value))
        assert mean == value and -1 <= low <= value <= high <= 1 and high - low > 0.5 / n
    assert n > 1 or measures.share_interval(np.ones((1, 1))) == (1, 0, 1)


def test_an_interval_of_numbers_worked_out_by_hand():
    """Three and one of 0 and 1, with one more of each: 4 of 6, variance 2/9, Student's 3.182 for three degrees."""
    value, low, high = measures.share_interval(np.array([[1.0], [0.0], [1.0], [1.0]]))
    assert value == 0.75 and high == 1
    assert low == pytest.approx(4 / 6 - 3.182 * math.sqrt(2 / 9 / 6) - 1 / 16, abs=0.01)


def test_ratings_do_not_depend_on_the_order_of_the_agents():
    game = next(name for name in registry.GAMES if not measures.paid_alike(ruleset_of(name)))
    agents = {"random": "random", "heuristic": "heuristic", "again": "heuristic"}
    one = matrix(game, agents)
    for names in (["heuristic", "again", "random"], ["again", "random", "heuristic"]):
        other = matrix(game, {name: agents[name] for name in names})
        assert other.ratings == one.ratings
        assert {str(cell) for cell in other.cells} == {str(cell) for cell in one.cells}


# -- Reports ----------------------------------------------------------------------------------------------------------


def test_a_markdown_table():
    rows = [{"name": "a|b", "games": 1234, "rate": 0.5, "gain": "+0.1 ± 0.2"}, {"name": "c", "rate": math.nan}]
    assert markdown_table(rows) == (
        "| name | games | rate | gain |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| a\\|b | 1,234 | 0.5 | +0.1 ± 0.2 |\n"
        "| c |  |  |  |\n"
    )
    assert markdown_table(rows, {"rate": "win rate"}) == "| win rate |\n| ---: |\n| 0.5 |\n|  |\n"
    assert markdown_table([], ["name"]) == "| name |\n| --- |\n"


def test_provenance_is_plain_and_names_what_made_a_result():
    told = provenance("python -m agents.evaluate --seed 3")
    assert json.loads(json.dumps(told)) == told
    assert told["command"] == "python -m agents.evaluate --seed 3" and "numba" in told["packages"]
    assert set(told) == {"time", "command", "commit", "platform", "processor", "python", "packages"}
