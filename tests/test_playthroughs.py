"""Golden playthroughs, replayed line by line."""

from __future__ import annotations

import pytest

from murder_envs.drivers import transcript
from murder_envs.registry import GAMES
from tests.support import CASES, DATA, ruleset_of

FILES = sorted(DATA.glob("*/playthroughs/*.txt"))

every_game = pytest.mark.parametrize("game", GAMES)
every_config = pytest.mark.parametrize("case", CASES, ids="-".join)


def a_game(game, config="default", seed=0):
    return transcript.Game(ruleset_of(game, config), seed)


def played(game, seed=0, player=transcript.at_random):
    """The game, played to its end."""
    choose = player(seed)
    while not game.over:
        game.act(choose(game))
    return game


@pytest.mark.kernels
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_playthrough(file):
    text = file.read_text(encoding="utf-8")
    assert transcript.first_difference(text) is None
    assert transcript.renewed(file) == text, "`transcript renew` writes the same"


@every_game
def test_every_game_has_a_playthrough(game):
    heads = [file.read_text(encoding="utf-8").splitlines()[0] for file in FILES if file.parts[-3] == game]
    assert heads and set(heads) == {f"game: {game}"}


@every_config
@pytest.mark.parametrize("player", [transcript.at_random, transcript.by_heuristic])
def test_a_new_playthrough_replays(case, player):
    text = transcript.playthrough(a_game(*case, seed=1), player(1))
    assert transcript.first_difference(text) is None
    again = transcript.playthrough(a_game(*case, seed=1), player(1))
    assert text == again


@every_game
def test_the_first_difference_is_reported(game):
    text = transcript.playthrough(a_game(game), transcript.at_random(0))
    lines = text.splitlines()

    def with_line(n, line):
        return "\n".join([*lines[:n], line, *lines[n + 1 :]]) + "\n"

    chosen = [n for n, line in enumerate(lines) if line.startswith("  chosen: ")]
    for n in {4, 9, 10, chosen[1] - 2, chosen[1] - 1, chosen[1] + 1, len(lines) - 1}:
        if lines[n]:
            assert transcript.first_difference(with_line(n, lines[n] + " and more")).startswith(f"line {n + 1}: ")
    assert "unknown" in transcript.first_difference(with_line(chosen[0], "  chosen: no-such-action"))
    for shorter in (lines[:-1], lines[: len(lines) // 2]):
        assert transcript.first_difference("\n".join(shorter) + "\n") is not None
    assert transcript.first_difference(text + "more\n").startswith(f"line {len(lines) + 1}: ")
    with pytest.raises(ValueError, match="^game"):
        transcript.first_difference(text.replace(f"game: {game}", "game: no_such_game"))
    with pytest.raises(ValueError, match="^seed"):
        transcript.first_difference(text.replace("seed: 0", "seed: none"))
    with pytest.raises(ValueError, match="^config"):
        transcript.first_difference(f"game: {game}\n")


@every_game
def test_a_wrong_head_is_named(game):
    for lines in ("config: [1]", 'config: {"name": 1}', "config: {}\noptions: 3"):
        with pytest.raises(ValueError, match="^(config|name|options): "):
            transcript.first_difference(f"game: {game}\nseed: 0\n{lines}\n\n")


@every_game
def test_a_game_keeps_what_it_began_with(game):
    first = a_game(game)
    snapshot = first.snapshot()
    of_the_caller = transcript.Game(first.ruleset, 7, snapshot)
    snapshot.clear()
    text = transcript.playthrough(of_the_caller, transcript.at_random(2))
    assert transcript.first_difference(text) is None


@every_game
def test_the_command_line_writes_and_checks(game, tmp_path, capsys):
    assert transcript.main(["write", game, "--player", "heuristic", "--seed", "3"]) == 0
    text = capsys.readouterr().out
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(text)
    bad.write_text(text.replace("in ", "on ", 5))
    assert transcript.main(["check", str(good)]) == 0
    assert transcript.main(["check", str(good), str(bad)]) == 1
    assert "bad.txt: line " in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        transcript.main(["write", game, "--config", "no_such_config"])
    assert caught.value.code == 2
