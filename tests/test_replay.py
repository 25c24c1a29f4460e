"""Replays: files that are checked by playing them, and pages that hold what their reader knew and no more."""

from __future__ import annotations

import base64
import importlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import zlib
from typing import Any

import pytest

from murder_envs.drivers import transcript
from murder_envs.registry import GAMES
from murder_envs.replay import Note, Recorder, Replay
from murder_envs.replay.__main__ import main
from murder_envs.replay.file import digest
from murder_envs.replay.frames import NEXT, chapters, payload
from murder_envs.replay.page import page_of
from tests.support import CASES, Table, ruleset_of

every_game = pytest.mark.parametrize("game", GAMES)
every_config = pytest.mark.parametrize("case", CASES, ids="-".join)
FIRST = next(iter(GAMES))
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def played(game: str, config: str = "default", seed: int = 0, player: str = "random") -> Replay:
    """A whole game."""
    ruleset = ruleset_of(game, config)
    going = transcript.Game(ruleset, seed)
    choose = transcript.PLAYERS[player](seed)
    while not going.over:
        going.act(choose(going))
    return Replay(ruleset, seed, going.played)


def begun(game: str, n: int = 30) -> Replay:
    """The first decisions of a game."""
    replay = played(game, seed=2)
    del replay.actions[n:]
    return replay


def same(one: Replay, other: Replay) -> bool:
    return (one.header(), one.actions, one.notes) == (other.header(), other.actions, other.notes)


def an_env(game: str, **config: Any) -> Any:
    env = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**config)
    env.reset(seed=3)
    return env


def noted(replay: Replay) -> Replay:
    """With notes of all kinds: every third decision, another action seemed better."""
    for k, cursor in enumerate(replay.play()):
        names = [replay.ruleset.actions.names[action] for action in cursor.legal()]
        if k % 3 == 0 and len(names) > 1 and k < len(replay.actions):
            visits = {name: 10 + n for n, name in enumerate(names)}
            values = {name: 0.5 if name != replay.actions[k] else 0.25 for name in names}
            replay.notes[k] = Note(visits=visits, values=values, value=0.5, says="<b>\u202eWhy & how?</b>")
    return replay


# -- Files ------------------------------------------------------------------------------------------------------------


@every_config
def test_a_file_plays_the_same_game(case, tmp_path):
    replay = played(*case, seed=4)
    replay.save(tmp_path / "game.jsonl")
    again = Replay.load(tmp_path / "game.jsonl", case[0])
    assert same(again, replay)
    assert again.end().states.tobytes() == replay.end().states.tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


@every_game
def test_notes_and_players_are_kept(game, tmp_path):
    replay = noted(played(game))
    replay.players = tuple(f"player {k}" for k in range(replay.ruleset.n_seats))
    replay.save(tmp_path / "game.jsonl")
    assert same(Replay.load(tmp_path / "game.jsonl"), replay) and replay.notes


@every_game
def test_an_environment_gives_its_replay(game, tmp_path):
    env, rng = an_env(game), random.Random(2)
    for _ in range(6):
        env.step(rng.choice(env.legal_actions()))
    env.replay().save(tmp_path / "begun.jsonl")
    begun = Replay.load(tmp_path / "begun.jsonl")
    assert begun.end().snapshot() == env.snapshot() and len(begun.actions) == 6
    snapshot = env.snapshot()
    env.reset(seed=8, options={"snapshot": snapshot})
    snapshot.clear()
    while env.legal_actions():
        env.step(rng.choice(env.legal_actions()))
    env.clone().replay().save(tmp_path / "later.jsonl")
    assert Replay.load(tmp_path / "later.jsonl").end().snapshot() == env.snapshot()
    env.reset(seed=9)
    with pytest.raises(ValueError, match="^replay: .*redeal"):
        env.redeal(0, 1).replay()
    with pytest.raises(AssertionError, match="reset"):
        importlib.import_module(f"murder_envs.{game}_v0").raw_env().replay()


@every_game
def test_a_wrong_file_is_named(game, tmp_path):
    path = tmp_path / "game.jsonl"
    replay = played(game)
    replay.save(path)
    head, *decisions, end = map(json.loads, path.read_text().splitlines())
    first = decisions[0]["action"]
    legal = [replay.ruleset.actions.names[action] for action in replay.begin().legal()]
    illegal = next(name for name in replay.ruleset.actions.names if name not in legal)

    def refused(names: str, *lines: Any, **keywords: Any) -> None:
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
        with pytest.raises(ValueError, match=names) as caught:
            Replay.load(path, **keywords)
        assert str(path) in str(caught.value) and len(str(caught.value)) < 1500

    for change, names in (
        ({"replay": 2}, "^replay: format 1"),
        ({"game": "no_such_game"}, "^game"),
        ({"game": [game]}, "^game"),
        ({"version": head["version"] + 1}, "^version: the replay is of version"),
        ({"config": {"no_such_parameter": 1}}, "^no_such_parameter"),
        ({"config": 3}, "^config"),
        ({"options": ["first_player"]}, "^options"),
        ({"seed": -1}, "^seed"),
        ({"seed": 1.0}, "^seed"),
        ({"snapshot": {"no_such_field": 1}}, "^no_such_field"),
        ({"snapshot": 3}, "^snapshot"),
        ({"players": ["one"]}, "^players" if replay.ruleset.n_seats > 1 else "never"),
        ({"players": 3}, "^players"),
        ({"no_such_field": "x" * 10**5}, "^no_such_field"),
    ):
        refused(names, {**head, **change}, *decisions, end)
    for key in ("game", "version", "config", "seed"):
        refused(f"^{key}: missing", {name: value for name, value in head.items() if name != key}, *decisions, end)
    refused("^replay: the first line", *decisions, end)
    refused("^game: .*other", head, *decisions, end, game="other")
    refused("^action: .*no-such-action.*decision 0", head, {"action": "no-such-action"}, end)
    refused(f"^action: {re.escape(illegal)}.*decision 0", head, {"action": illegal}, end)
    refused("^action: .*decision 0", head, {"action": 3}, end)
    refused("^action: missing", head, {"acton": first}, end)
    refused("^actions: the game is over", head, *decisions, {"action": first}, end)
    refused("^end: missing", head, *decisions)
    refused("^end: [0-9a-f]{32}", head, *decisions, {**end, "end": "0" * 32})
    refused("^end: [0-9a-f]{32}", head, *decisions[:-1], end)
    refused("^end: the last line", head, *decisions, end, end)
    refused(r"^line 1: ", "no json")
    refused(r"^line 1: ", "[1]")
    refused(r"^line 2: ", head, "[" * 10**5)
    refused(r"^line 2: ", head, "\x00\ufffd")
    for note, names in (
        ({"policy": {illegal: 1.0}}, "^policy: a number for each"),
        ({"visits": {first: "many"}}, "^visits"),
        ({"values": {first: float("nan")}}, "^values"),
        ({"value": True}, "^value"),
        ({"says": 3}, "^says"),
        ({"says": "x" * 10**5}, "^says"),
        ({"why": 3}, "^why"),
    ):
        refused(f"{names}.*decision 0", head, {**decisions[0], **note}, *decisions[1:], end)


@every_game
def test_a_file_survives_the_death_of_its_process(game, tmp_path):
    """Whatever was written last may be half a line: the game goes on from the decision before."""
    path = tmp_path / "game.jsonl"
    replay = played(game)
    recorder = Recorder(path, Replay(replay.ruleset, replay.seed))
    with pytest.raises(FileExistsError):
        Recorder(path, Replay(replay.ruleset, replay.seed))
    for name in replay.actions[:3]:
        recorder.add(name, Note(value=0.5))
    recorder.close()
    whole = path.read_bytes()
    for cut in (whole, whole + b'{"acti', whole[:-3], whole[: whole.rindex(b"\n", 0, -1) + 1]):
        path.write_bytes(cut)
        with pytest.raises(ValueError, match="^(end|line)"):
            Replay.load(path)
        begun = Replay.load(path, unfinished=True)
        assert begun.actions == replay.actions[: cut.count(b"\n") - 1]
        recorder = Recorder(path, begun)
        for name in replay.actions[len(begun.actions) :]:
            recorder.add(name)
        recorder.finish(begun.end())
        assert Replay.load(path).actions == replay.actions


@every_game
def test_a_failed_save_leaves_what_was_there(game, tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("before")
    replay = played(game)
    replay.actions.append(replay.actions[0])
    with pytest.raises(ValueError, match="^actions"):
        replay.save(path)
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1


# -- Pages ------------------------------------------------------------------------------------------------------------


def unpacked(page: str) -> dict[str, Any]:
    """What a page holds."""
    data = re.search(r'<script id="data"[^>]*>([^<]*)</script>', page)
    assert data
    return json.loads(zlib.decompress(base64.b85decode(data[1].replace(",", "<"))))


def drawn(told: dict[str, Any]) -> list[list[list[int]]]:
    """The shapes of each frame and view, as the page's program puts them together."""
    shapes: list[list[int]] = [[] for _ in told["views"]]
    known, frames = 0, []
    for row in told["frames"]:
        for v, frame in enumerate(row):
            new = list(shapes[v])
            for place, gone, *come in frame["shapes"]:
                for i, shape in enumerate(come):
                    if shape == NEXT:
                        come[i], known = known, known + 1
                new[place : place + gone] = come
            shapes[v] = new
        frames.append([list(each) for each in shapes])
    assert known == len(told["shapes"])
    return frames


@every_game
def test_a_page_shows_every_picture_and_sentence(game):
    from murder_envs.picture import svg
    from murder_envs.replay.frames import VARIABLES

    replay = noted(begun(game))
    told = unpacked(replay.to_html())
    readers = [None, *range(replay.ruleset.n_seats)]
    assert [view["seat"] for view in told["views"]] == readers
    words, names = told["words"], replay.ruleset.actions.names
    for k, (cursor, row, shapes) in enumerate(zip(replay.play(), told["frames"], drawn(told), strict=True)):
        for reader, frame, shown in zip(readers, row, shapes, strict=True):
            scene = cursor.scene(reader).without_news()
            assert [told["shapes"][each] for each in shown] == [svg.element(each, VARIABLES) for each in scene.shapes]
            assert words[frame["asked"]] == cursor.asked(reader)
            if cursor.over or reader not in (None, cursor.seat):
                assert "legal" not in frame and "values" not in frame
                continue
            assert [words[each] for each in frame["legal"]] == [names[each] for each in cursor.legal()]
            assert [words[each] for each in frame["means"]] == [
                cursor.describe(each, reader) for each in cursor.legal()
            ]
            if k == len(replay.actions):
                assert "chosen" not in frame
                continue
            assert names[cursor.legal()[frame["chosen"]]] == replay.actions[k]
            if k in replay.notes:
                assert frame["value"] == 0.5 and frame["values"]
    assert told["chapters"] and told["chapters"] == chapters(replay)


@pytest.mark.kernels
@every_config
def test_the_page_of_a_seat_holds_nothing_hidden(case):
    """The same page, if at each decision the world is another one that the seat cannot tell from the real one."""
    replay = played(*case, seed=6)
    del replay.actions[14:]
    ruleset = replay.ruleset
    for seat in range(min(ruleset.n_seats, 3)):

        def redealt(seat: int = seat) -> Any:
            for k, cursor in enumerate(replay.play()):
                if cursor.over:
                    yield cursor
                    continue
                table = Table(ruleset).with_states(cursor.states)
                yield table.redealt(seat, k).cursor

        told = payload(replay, seat)
        assert payload(replay, seat, redealt()) == told
        assert len(told["views"]) == 1 and "seed" not in told
        text = json.dumps(told)
        chosen_by_others = [
            name for name, cursor in zip(replay.actions, replay.play(), strict=False) if cursor.seat != seat
        ]
        own = {told["words"][each] for row in told["frames"] for each in row[0].get("legal", [])}
        assert not [name for name in chosen_by_others if f'"{name}"' in text and name not in own]


@every_game
def test_a_page_needs_nothing_else_and_says_what_is_wrong(game):
    replay = noted(begun(game))
    page = replay.to_html(0)
    assert not re.search(r"""(src|href)=|https?://(?!www\.w3\.org)|@import|url\(""", page)
    assert "default-src 'none'" in page
    for seat in (-1, replay.ruleset.n_seats, "0", True):
        with pytest.raises(ValueError, match="^seat: "):
            replay.to_html(seat)
    frame = replay._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and "<script" not in frame


@every_game
def test_pages_are_small(game):
    """Of a game between scripted players, the longest of twenty."""
    replay = max(
        (played(game, seed=seed, player="heuristic") for seed in range(20)), key=lambda each: len(each.actions)
    )
    assert len(replay.to_html().encode()) < 150_000


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here to open the page with")
@every_game
def test_the_page_runs_in_a_browser(game, tmp_path):
    replay = noted(begun(game))
    path = tmp_path / "game.html"
    path.write_text(replay.to_html(), encoding="utf-8")
    for k, v in ((0, 0), (5, 1), (len(replay.actions), 0)):
        shown = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom",
             f"{path.as_uri()}#{k}.{v}"],
            capture_output=True, text=True, timeout=120,
        ).stdout  # fmt: skip
        told = unpacked(path.read_text(encoding="utf-8"))
        asked = told["words"][told["frames"][k][v]["asked"]]
        assert f'<p id="asked">{asked.replace("&", "&amp;")}</p>' in shown
        assert shown.count("<svg") > 5 and "<b>" not in shown
        assert shown.count("<tr") == len(told["frames"][k][v].get("legal", []))


@every_game
def test_a_search_looks_at_a_game(game, tmp_path, capsys):
    from murder_envs.replay.analysis import annotated

    replay = begun(game, 12)
    noted_before = replay.notes[3] = Note(value=0.25)
    again = annotated(replay, 30, seed=5)
    assert list(replay.notes) == [3] and again.notes[3] is noted_before
    assert same(again, annotated(replay, 30, seed=5))
    for k, cursor in zip(range(len(replay.actions)), replay.play(), strict=False):
        legal = {replay.ruleset.actions.names[action] for action in cursor.legal()}
        assert (k in again.notes) == (len(legal) > 1 or k == 3)
        if k != 3 and k in again.notes:
            note = again.notes[k]
            assert (
                sum(note.visits.values()) == 30 and set(note.visits) <= legal and set(note.values) == set(note.visits)
            )
            assert all(-1 <= value <= 1 for value in (*note.values.values(), note.value))
    again.save(tmp_path / "game.jsonl")
    assert same(Replay.load(tmp_path / "game.jsonl"), again)
    assert main([str(tmp_path / "game.jsonl"), "--search", "20"]) == 0
    with pytest.raises(ValueError, match="^simulations"):
        annotated(replay, 0)


# -- From the command line --------------------------------------------------------------------------------------------


@every_game
def test_the_command_line(game, tmp_path, capsys):
    path, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    replay = begun(game)
    replay.players = tuple("random" for _ in replay.ruleset.agents)
    replay.save(path)
    assert main([str(path), "--html", str(page)]) == 0
    out = capsys.readouterr().out
    assert replay.ruleset.title in out and f"{len(replay.actions)} decisions" in out and "KB" in out
    assert len(unpacked(page.read_text(encoding="utf-8"))["views"]) == 1 + replay.ruleset.n_seats
    assert main([str(path), "--html", str(page), "--seat", "1"]) == 0
    assert len(unpacked(page.read_text(encoding="utf-8"))["views"]) == 1
    for wrong in ([str(path), "--seat", "9"], [str(tmp_path / "none.jsonl")]):
        with pytest.raises(SystemExit) as caught:
            main(wrong)
        assert caught.value.code == 1
        assert "Traceback" not in capsys.readouterr().err


def test_it_runs_as_a_program(tmp_path):
    path = tmp_path / "game.jsonl"
    played(FIRST).save(path)
    told = subprocess.run(
        [sys.executable, "-m", "murder_envs.replay", str(path)], capture_output=True, text=True, env=os.environ
    )
    assert told.returncode == 0 and "decisions" in told.stdout, told.stderr


def test_the_digest_is_of_the_position():
    replay = played(FIRST)
    digests = {digest(cursor) for cursor in replay.play()}
    assert len(digests) == len(replay.actions) + 1


def test_titles_are_escaped():
    replay = played(FIRST)
    told = payload(replay, 0)
    assert "<title>&lt;i&gt;" in page_of({**told, "title": "<i>"})
