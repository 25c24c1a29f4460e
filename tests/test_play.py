"""A table for people and agents: nothing hidden is sent, nothing wrong changes anything, nothing is lost."""

from __future__ import annotations

import io
import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from murder_envs.play import Table, terminal
from murder_envs.play.__main__ import main
from murder_envs.play.hall import Hall
from murder_envs.play.players import player
from murder_envs.play.table import begun
from murder_envs.registry import GAMES
from murder_envs.replay import Recorder, Replay
from tests import support
from tests.support import CASES, ruleset_of

pytest.importorskip("httpx")  # with which Starlette's client asks
starlette = pytest.importorskip("starlette.testclient")
pytest.importorskip("uvicorn")

FIRST = next(iter(GAMES))
every_game = pytest.mark.parametrize("game", GAMES)
every_config = pytest.mark.parametrize("case", CASES, ids="-".join)


def seats_of(game: str, people: int = 2, others: str = "heuristic") -> list[str]:
    n = ruleset_of(game, "default").n_seats
    return ["human"] * min(people, n) + [others] * (n - people)


def a_table(game: str, config: str = "default", seed: int = 3, **keywords: Any) -> Table:
    """Everybody is a person."""
    ruleset = ruleset_of(game, config)
    return Table(begun(["human"] * ruleset.n_seats, Replay(ruleset, seed)), **keywords)


def a_client(tmp_path, game: str, **keywords: Any) -> Any:
    from murder_envs.play.web import app_of

    hall = Hall(tmp_path / "tables", **keywords)
    kept = hall.open(ruleset_of(game, "default"), seats_of(game), seed=5)
    return hall, kept, starlette.TestClient(app_of(hall))


# -- The table --------------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@every_config
def test_a_seat_is_shown_nothing_hidden(case):
    """All that it is sent is the same in worlds that it cannot tell apart."""
    table, rng = a_table(*case), random.Random(4)
    for n in range(12):
        if table.over:
            break
        for seat in range(min(table.ruleset.n_seats, 3)):
            view = table.view(seat)
            real = table.cursor
            other = support.Table(table.ruleset).with_states(real.states).redealt(seat, n).cursor
            table.cursor = other
            redealt = table.view(seat, picture=None)
            table.cursor = real
            assert {**redealt, "told": view["told"]} == view
            assert bool(view["legal"]) == (seat == real.seat)
        table.act(table.cursor.seat, table.n, rng.choice(table.legal(table.cursor.seat))[0])


@every_game
def test_what_is_wrong_changes_nothing(game):
    table = a_table(game)
    seat = table.cursor.seat
    legal = table.legal(seat)[0][0]
    illegal = next(name for name in table.ruleset.actions.names if name not in dict(table.legal(seat)))
    other = (seat + 1) % table.ruleset.n_seats
    before = table.cursor.states.tobytes(), list(table.replay.actions)
    for arguments, names in (
        ((other, 0, legal), "^seat: "),
        ((seat, 1, legal), "^decision: "),
        ((seat, -1, legal), "^decision: "),
        ((seat, True, legal), "^decision: "),
        ((seat, "0", legal), "^decision: "),
        ((seat, 0, illegal), "^action: "),
        ((seat, 0, "x" * 10**6), "^action: "),
        ((seat, 0, 3), "^action: "),
        ((seat, 0, None), "^action: "),
    ):
        with pytest.raises(ValueError, match=names) as caught:
            table.act(*arguments)
        assert len(str(caught.value)) < 3000
        assert (table.cursor.states.tobytes(), list(table.replay.actions)) == before
    table.act(seat, 0, legal)
    assert table.n == 1


@every_game
def test_players_play_and_games_end(game):
    ruleset = ruleset_of(game, "default")
    seats = ["human", *["random", "heuristic", "search:20"][: ruleset.n_seats - 1]]
    seats += ["heuristic"] * (ruleset.n_seats - len(seats))
    table, rng = Table(begun(seats, Replay(ruleset, 8))), random.Random(2)
    while not table.over:
        assert table.cursor.seat == 0
        table.act(0, table.n, rng.choice(table.legal(0))[0])
    view = table.view(0)
    assert view["over"] and view["return"] == table.cursor.outcome()[0][0] and not view["legal"]
    with pytest.raises(ValueError, match="^over: "):
        table.act(0, table.n, table.ruleset.actions.names[0])
    assert table.told(0) == table.told(0, -1) and table.told(0, table.n) == []
    for name in ("nobody", "search:", "search:0", "search:9999999", "search:1x", "", 3):
        with pytest.raises(ValueError, match="^seats: "):
            player(ruleset, name)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^seats: one for each"):
        begun(["human"], Replay(ruleset, 8))


@every_game
def test_who_thinks_too_long_is_played_for(game):
    now = [0.0]
    table = a_table(game, time_limit=10, clock=lambda: now[0])
    assert not table.expire() and table.view(table.cursor.seat)["seconds"] == 10
    now[0] = 9.9
    assert not table.expire() and table.n == 0
    now[0] = 10.1
    assert table.expire() and table.n == 1 and not table.expire()
    assert table.seconds_left() == pytest.approx(10)


# -- In the terminal --------------------------------------------------------------------------------------------------


@every_game
def test_a_game_at_the_keyboard(game, tmp_path):
    ruleset = ruleset_of(game, "default")
    path = tmp_path / "game.jsonl"
    replay = begun(seats_of(game, 1), Replay(ruleset, 4))
    table, out = Table(replay, Recorder(path, replay)), io.StringIO()
    assert terminal.play(table, io.StringIO("what?\n999\n" + "1\n" * 3000), out)
    told = out.getvalue()
    assert terminal.HELP in told and "Your return is" in told
    assert Replay.load(path).actions == table.replay.actions
    for text in ("", "q\n", "1\n"):
        assert not terminal.play(a_table(game), io.StringIO(text), io.StringIO())


def test_the_command_line_says_what_is_wrong(capsys, tmp_path):
    for arguments, names in (
        (["--seats", "human"], "seats: one for each"),
        (["--seats", "human,nobody,human,human"], "seats: each one of"),
        (["--config", "none"], "config: one of"),
        (["--seed", "-1"], "seed: "),
        (["--time-limit", "0"], "time-limit: "),
    ):
        with pytest.raises(SystemExit) as caught:
            main([FIRST, *arguments])
        assert caught.value.code == 2 and names in capsys.readouterr().err


# -- Pages ------------------------------------------------------------------------------------------------------------


@every_game
def test_a_whole_game_over_http(game, tmp_path):
    hall, kept, client = a_client(tmp_path, game)
    rng = random.Random(3)
    doors = {seat: f"/t/{token}" for seat, token in kept.tokens.items()}
    page = client.get(doors[0])
    assert page.status_code == 200 and "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"https?://(?!www\.w3\.org)|src=", page.text)
    told: dict[int, list[str]] = {seat: [] for seat in doors}
    seen = dict.fromkeys(doors, -1)
    while not kept.table.over:
        seat = kept.table.cursor.seat
        view = client.get(f"{doors[seat]}/view?since={seen[seat]}").json()
        told[seat] += view["told"]
        seen[seat] = view["decision"]
        assert view["legal"] and "<svg" in view["picture"]
        assert client.get(f"{doors[0]}/replay").status_code == 403
        action = rng.choice(view["legal"])[0]
        answer = client.post(f"{doors[seat]}/act", json={"decision": view["decision"], "action": action})
        assert answer.status_code == 200, answer.text
        late = client.post(f"{doors[seat]}/act", json={"decision": view["decision"], "action": action})
        assert late.status_code == 409 and "error" in late.json()
    for seat, door in doors.items():
        view = client.get(f"{door}/view?since={seen[seat]}").json()
        assert view["over"] and told[seat] + view["told"] == kept.table.told(seat)
        assert client.get(f"{door}/replay").status_code == 200
    assert Replay.load(hall.folder / f"{kept.name}.jsonl").actions == kept.table.replay.actions


def test_what_is_wrong_is_refused(tmp_path):
    _, kept, client = a_client(tmp_path, FIRST)
    seat = kept.table.cursor.seat
    door = f"/t/{kept.tokens[seat]}"
    legal = kept.table.legal(seat)[0][0]
    good = {"decision": kept.table.n, "action": legal}
    before = kept.table.n
    for status, sent in (
        (404, client.post("/t/guess/act", json=good)),
        (404, client.get("/t/guess")),
        (404, client.get(f"{door}x/view")),
        (404, client.get("/")),
        (405, client.get(f"{door}/act")),
        (405, client.delete(f"{door}/act")),
        (400, client.get(f"{door}/view?since=x")),
        (400, client.get(f"{door}/view?since={'9' * 50}")),
        (415, client.post(f"{door}/act", content=json.dumps(good))),
        (403, client.post(f"{door}/act", json=good, headers={"origin": "http://elsewhere"})),
        (413, client.post(f"{door}/act", json={**good, "action": "x" * 10**6})),
        (400, client.post(f"{door}/act", json=[1])),
        (400, client.post(f"{door}/act", json={"action": legal})),
        (400, client.post(f"{door}/act", json={**good, "more": 1})),
        (400, client.post(f"{door}/act", json={**good, "decision": None})),
        (400, client.post(f"{door}/act", json={**good, "action": ["play"]})),
        (400, client.post(f"{door}/act", json={**good, "action": "play:\x00"})),
        (409, client.post(f"{door}/act", json={**good, "decision": before + 1})),
        (400, client.post(f"{door}/act", content=b"\xff\xfe", headers={"content-type": "application/json"})),
        (400, client.post(f"{door}/act", content=b"[" * 4000, headers={"content-type": "application/json"})),
    ):
        assert sent.status_code == status, (status, sent.status_code, sent.text)
        assert kept.table.n == before
        if status in (400, 403, 409, 413, 415):
            assert sent.json()["error"]
    assert client.post(f"{door}/act", json=good, headers={"origin": "http://testserver"}).status_code == 200


def test_a_full_disk_takes_no_decision(tmp_path, monkeypatch):
    hall, kept, client = a_client(tmp_path, FIRST)
    seat = kept.table.cursor.seat
    door, legal, before = f"/t/{kept.tokens[seat]}", kept.table.legal(seat)[0][0], kept.table.n
    file = hall.folder / f"{kept.name}.jsonl"
    whole = file.read_bytes()
    with monkeypatch.context() as patch:

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(os, "fsync", full)
        answer = client.post(f"{door}/act", json={"decision": before, "action": legal})
        assert answer.status_code == 507 and "No space" in answer.json()["error"]
    assert kept.table.n == before and file.read_bytes() == whole
    assert client.post(f"{door}/act", json={"decision": before, "action": legal}).status_code == 200
    assert len(Replay.load(file, unfinished=True).actions) == kept.table.n


# -- On disk ----------------------------------------------------------------------------------------------------------


@every_game
def test_a_hall_comes_back(game, tmp_path):
    hall = Hall(tmp_path)
    rng = random.Random(1)
    for seed in (1, 2):
        hall.open(ruleset_of(game, "default"), seats_of(game), seed)
    for kept in hall.tables.values():
        table = kept.table
        for _ in range(3 if kept is next(iter(hall.tables.values())) else 10**6):
            if table.over:
                break
            table.act(table.cursor.seat, table.n, rng.choice(table.legal(table.cursor.seat))[0])
    for path in tmp_path.glob("*.seats.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Hall(tmp_path)
    assert again.tables.keys() == hall.tables.keys() and not again.problems
    for name, kept in again.tables.items():
        old = hall.tables[name]
        assert kept.tokens == old.tokens and kept.table.n == old.table.n
        assert kept.table.cursor.snapshot() == old.table.cursor.snapshot()
        for seat in kept.tokens:
            assert kept.table.view(seat) == old.table.view(seat)
    assert all(again.seat(token) for kept in hall.tables.values() for token in kept.tokens.values())
    assert again.seat("guess") is None


def test_damaged_tables_do_not_stop_the_others(tmp_path):
    hall = Hall(tmp_path)
    names = [hall.open(ruleset_of(FIRST, "default"), seats_of(FIRST), seed).name for seed in range(4)]
    (tmp_path / f"{names[0]}.jsonl").write_text("no json\n")
    (tmp_path / f"{names[1]}.seats.json").write_text("[]")
    (tmp_path / f"{names[2]}.jsonl").unlink()
    again = Hall(tmp_path)
    assert list(again.tables) == [names[3]] and len(again.problems) == 2
    assert all(str(tmp_path) in problem for problem in again.problems)


@pytest.mark.slow
def test_nothing_is_lost_by_kill_9(tmp_path):
    """A server that is killed again and again in the middle of games comes back to where they were."""
    folder, port = tmp_path / "tables", 18000 + os.getpid() % 10000
    hall = Hall(folder)
    tables = [hall.open(ruleset_of(game, "default"), seats_of(game), 7) for game in GAMES]
    links = {token: (kept.name, seat) for kept in tables for seat, token in kept.tokens.items()}
    rng, taken = random.Random(6), dict.fromkeys((kept.name for kept in tables), 0)
    program = (
        "import sys, uvicorn; from murder_envs.play.hall import Hall; from murder_envs.play.web import app_of; "
        "uvicorn.run(app_of(Hall(sys.argv[1])), host='127.0.0.1', port=int(sys.argv[2]), log_level='error')"
    )

    def ask(path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    for _ in range(3):
        server = subprocess.Popen([sys.executable, "-c", program, str(folder), str(port)])
        try:
            for _ in range(300):
                try:
                    ask("/t/guess")
                except urllib.error.HTTPError as error:
                    assert error.code == 404
                    break
                except OSError:
                    time.sleep(0.1)
            for token, (name, _) in links.items():
                view = ask(f"/t/{token}/view?since=-1")
                assert view["decision"] >= taken[name], "a decision was lost"
                for _ in range(4):
                    if not view["legal"]:
                        break
                    answer = ask(
                        f"/t/{token}/act", {"decision": view["decision"], "action": rng.choice(view["legal"])[0]}
                    )
                    taken[name] = answer["decision"]
                    view = ask(f"/t/{token}/view?since=-1")
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()
    again = Hall(folder)
    assert not again.problems
    for name, n in taken.items():
        assert n > 0 and again.tables[name].table.n >= n
