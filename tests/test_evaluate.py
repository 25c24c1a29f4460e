"""Evaluation: matrices of agents against agents, ratings, players by name, bad input."""

from __future__ import annotations

import csv
import functools
import json
import math

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from rich.console import Console

from agents import evaluate, measures, players, train
from agents.report import markdown_table, provenance
from murder_envs import registry
from tests.support import ruleset_of

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
        chunk = int(evaluate.episode_seed(SEED, evaluate.CHUNK_STREAM, 0))
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
            chunk = int(evaluate.episode_seed(SEED, evaluate.CHUNK_STREAM, 0))
            each.append(measures.play(ruleset, seated, 6, chunk)[1][:, seat])
        paid[row] = np.mean(each, 0)
    differences = paid["heuristic"] - paid["random"]
    assert cell.gain == pytest.approx(measures.mean_interval(differences))
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
    with pytest.raises(ValueError, match="agents: .* was trained on"):
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


def test_intervals_of_shares():
    won = np.array([[1.0, 0.0]] * 50)
    assert measures.share_interval(won) == (0.5, *measures.wilson(50, 100))
    one = np.array([[1.0], [0.0], [1.0], [1.0]])
    assert measures.share_interval(one) == (0.75, *measures.wilson(3, 4))
    mixed = np.array([[1.0, 1.0]] * 50 + [[1.0, 0.0]] * 50)
    value, low, high = measures.share_interval(mixed)
    assert value == 0.75 and (low, high) == pytest.approx((0.701, 0.799), abs=1e-3)


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
