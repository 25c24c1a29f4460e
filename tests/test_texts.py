"""Texts that a person can play from: a sentence for every action and event, for every reader, and nothing hidden."""

from __future__ import annotations

import dataclasses
import importlib
import random
import re
from typing import Any

import numpy as np
import pytest

from murder_envs import rules
from murder_envs.api.aec import SkipForced
from murder_envs.drivers import transcript
from murder_envs.drivers.cursor import Cursor
from murder_envs.registry import GAMES
from murder_envs.ruleset import Ruleset
from tests.support import CASES, DATA, THIN, data, games, reported, ruleset_of, with_config

every_game = pytest.mark.parametrize("game", GAMES)
every_config = pytest.mark.parametrize("case", CASES, ids="-".join)

NOT_IN_SENTENCES = re.compile(
    r"  |[{}|<>]|\bNone\b|\bTrue\b|\bFalse\b(?! trace\b| clue\b)|\bnan\b|\bnp\.|(?!player_\d)\b[A-Za-z]\w*_\w+|\s$"
    r"|\ba [aeio]\w|\.\."
)
"""Two blanks, brackets of templates, Python's words, identifiers, a trailing blank, "a" before a vowel, two stops.
False trace and False clue are cards."""

CHECKED = 25 // THIN
"""Decisions of each configuration at which every sentence for every reader is checked."""


def check_sentence(text: str) -> None:
    """A sentence for people, without anything of the program in it; a longer text may have several lines."""
    assert isinstance(text, str) and text, repr(text)
    assert (wrong := NOT_IN_SENTENCES.search(text)) is None, f"{wrong.group()!r} in {text!r}"
    assert text[-1] in '.!?:"', text
    assert text[0].isupper() or text[0] in '"*' or text.startswith("player_"), text


# -- Cases written from the rulebooks ---------------------------------------------------------------------------------


def position(game: str, entry: dict[str, Any]) -> Cursor:
    """The game of an entry of texts.toml, after its actions but the last one."""
    cursor = Cursor(with_config(game, entry.get("config", {})))
    seed = entry.get("seed", 1)
    if "setup" in entry:
        cursor.restore(entry["setup"], seed)
    else:
        cursor.deal(seed)
    return cursor


def act(cursor: Cursor, names: list[str]) -> None:
    for name in names:
        cursor.act(cursor.ruleset.actions.id(name))


def reader_of(name: str) -> int | None:
    return None if name == "above" else int(name)


def cases(*keys: str) -> Any:
    found = [(game, entry) for game in GAMES for key in keys for entry in data(game, "texts.toml").get(key, [])]
    return pytest.mark.parametrize(("game", "entry"), found, ids=[f"{game}-{entry['name']}" for game, entry in found])


@pytest.mark.nojit
@pytest.mark.fast
@cases("told")
def test_told(game, entry):
    cursor = position(game, entry)
    ruleset, actions = cursor.ruleset, entry["actions"]
    act(cursor, actions[:-1])
    before = cursor.states.copy() if actions else None
    act(cursor, actions[-1:])
    action = ruleset.actions.id(actions[-1]) if actions else None
    for reader, sentences in entry["told"].items():
        assert ruleset.told(cursor.rules, before, action, cursor.states, reader_of(reader)) == sentences, reader


@pytest.mark.nojit
@pytest.mark.fast
@cases("describe", "asked")
def test_says(game, entry):
    cursor = position(game, entry)
    act(cursor, entry.get("actions", []))
    for reader, sentence in entry["says"].items():
        seat = reader_of(reader)
        if "action" in entry:
            assert cursor.describe(cursor.ruleset.actions.id(entry["action"]), seat) == sentence, reader
        else:
            assert cursor.asked(seat) == sentence, reader


@every_game
def test_there_are_enough_cases(game):
    written = data(game, "texts.toml")
    assert sum(len(written[key]) for key in ("told", "describe", "asked")) >= 25
    for entry in (*written["told"], *written["describe"], *written["asked"]):
        assert {"name", "config", "setup", "seed", "actions", "action", "told", "says"} >= set(entry)


# -- Whole games ------------------------------------------------------------------------------------------------------


def readers_of(ruleset: Ruleset) -> list[int | None]:
    return [None, *range(ruleset.n_seats)]


def check_decision(cursor: Cursor) -> None:
    """What is asked and what can be done, for every reader."""
    legal = cursor.legal()
    for reader in readers_of(cursor.ruleset):
        check_sentence(cursor.asked(reader))
        sentences = [cursor.describe(action, reader) for action in legal]
        for sentence in sentences:
            check_sentence(sentence)
        if reader in (None, cursor.seat):
            twice = [sentence for sentence in sentences if sentences.count(sentence) > 1]
            assert not twice, f"two actions with one sentence, reader {reader}: {twice[0]}"


def check_table(cursor: Cursor, reader: int | None) -> None:
    lines = cursor.text(reader).splitlines()
    assert not any(line != line.rstrip() for line in lines)
    assert max(map(len, lines)) <= 120, max(lines, key=len)


@pytest.mark.kernels
@every_config
def test_everything_has_a_sentence(case, ruleset):
    rng = random.Random(5)
    for table, _ in games(ruleset, 1, 70):
        with reported(table):
            cursor, chances = table.cursor, random.Random(8)
            for reader in readers_of(ruleset):
                for sentence in ruleset.told(cursor.rules, None, None, cursor.states, reader):
                    check_sentence(sentence)
            for n in range(CHECKED * 10):
                if table.over:
                    break
                thorough = chances.random() < 0.1 or n < 3
                if thorough:
                    check_decision(cursor)
                before, action = cursor.states.copy(), rng.choice(table.legal())
                table.act(action)
                reader = rng.choice(readers_of(ruleset))
                for sentence in ruleset.told(cursor.rules, before, action, cursor.states, reader):
                    check_sentence(sentence)
                if thorough:
                    check_table(cursor, reader)
            table.finish(rng)
            for reader in readers_of(ruleset):
                check_sentence(cursor.asked(reader))
                check_table(cursor, reader)


# -- Nothing hidden ---------------------------------------------------------------------------------------------------


def texts_for(cursor: Cursor, seat: int) -> list[str]:
    """All that a seat reads at a position."""
    own = [cursor.describe(action, seat) for action in cursor.legal()] if cursor.seat == seat else []
    return [cursor.text(seat), cursor.asked(seat), *own]


def check_no_leak(table: Any, rng: random.Random) -> None:
    """A seat reads the same in a world that it cannot tell from this one, and is told the same of the next decision."""
    ruleset, here = table.ruleset, table.cursor
    seat, action = rng.randrange(ruleset.n_seats), rng.choice(table.legal())
    there = table.redealt(seat, rng.randrange(2**62)).cursor
    assert texts_for(there, seat) == texts_for(here, seat), f"seat {seat} reads something hidden"
    assert ruleset.told(here.rules, None, None, here.states, seat) == ruleset.told(
        there.rules, None, None, there.states, seat
    ), f"seat {seat} is told something hidden as the game begins"
    if there.mask[action]:
        if seat != here.seat:
            assert there.describe(action, seat) == here.describe(action, seat)
        told = []
        after = here.copy(), there.copy()
        for cursor in after:
            before = cursor.states.copy()
            cursor.act(action)
            told.append(ruleset.told(cursor.rules, before, action, cursor.states, seat))
        # Which of two known cards is shown to somebody need not be in observations, which hold what is known anyway.
        if shows := data(ruleset.name, "twins.toml").get("shows"):
            told = [[sentence for sentence in sentences if shows not in sentence] for sentences in told]
        # Who has seen different cards may see the same table, once these have been shuffled into a pile.
        covers = data(ruleset.name, "twins.toml").get("covers")
        covered = covers is not None and after[0].snapshot()[covers] > here.snapshot()[covers]
        # What a game reveals to all at its end stands in the infos of all, and need not be in observations.
        infos = [[cursor.info(other) for other in range(ruleset.n_seats)] for cursor in after]
        if not covered and np.array_equal(after[0].look(seat), after[1].look(seat)) and infos[0] == infos[1]:
            assert told[0] == told[1], f"seat {seat} is told something hidden after {ruleset.actions.names[action]}"


@pytest.mark.kernels
@every_config
def test_texts_keep_secrets(case, ruleset):
    for table, rng in games(ruleset, 1, 90):
        with reported(table):
            for n, _ in enumerate(table.play_on(rng)):
                if not table.over and (n < 4 or rng.random() < 0.2):
                    check_no_leak(table, rng)


# -- The environment, and other doors ---------------------------------------------------------------------------------


def an_env(game: str, **config: Any) -> Any:
    env = importlib.import_module(f"murder_envs.{game}_v0").raw_env(**config)
    env.reset(seed=3)
    return env


@every_game
@pytest.mark.fast
def test_messages_are_what_was_told_since_the_own_action(game):
    env, rng = an_env(game), random.Random(3)
    ruleset, told = env.ruleset, {}
    states, env_rules = env.position()
    for seat, agent in enumerate(env.possible_agents):
        told[agent] = ruleset.told(env_rules, None, None, states, seat)
        assert env.messages(agent) == told[agent]
    while legal := env.legal_actions():
        action, acting = rng.choice(legal), env.agent_selection
        before, _ = env.position()
        asked_now = rng.random() < 0.2
        env.step(action)
        after, _ = env.position()
        told[acting] = []
        for seat, agent in enumerate(env.possible_agents):
            told[agent] += ruleset.told(env_rules, before, action, after, seat)
            if asked_now:
                assert env.messages(agent) == told[agent]
    for agent in env.possible_agents:
        assert env.messages(agent) == told[agent]
        assert env.messages(agent, since=-1)[-len(told[agent]) :] == told[agent]


@every_game
@pytest.mark.fast
def test_messages_of_copies(game):
    """A copy goes on with a story of its own; a redeal keeps what its seat has been told."""
    env, rng = an_env(game), random.Random(4)
    for _ in range(6):
        env.step(rng.choice(env.legal_actions()))
    agent = env.possible_agents[1]
    told = env.messages(agent, since=-1)
    clone, redealt = env.clone(), env.redeal(1, 5)
    assert clone.messages(agent, since=-1) == redealt.messages(agent, since=-1) == told
    assert env.possible_agents[0] not in env.agents or redealt.messages(env.possible_agents[0], since=-1)
    again = redealt.redeal(1, 6).clone()
    assert again.messages(agent, since=-1) == told
    for each, choice in ((env, 0), (clone, -1), (again, 0)):
        while each.messages(agent, since=-1) == told:  # what others do in secret tells nothing
            each.step(each.legal_actions()[choice])
        assert each.messages(agent, since=-1)[: len(told)] == told


@every_game
@pytest.mark.fast
def test_what_is_illegal_has_no_sentence(game):
    env = an_env(game)
    illegal = next(a for a in range(len(env.action_names)) if a not in env.legal_actions())
    for action, seat, names in (
        (illegal, None, rf"^action: {re.escape(env.action_names[illegal])} is illegal"),
        (-1, None, "^action: "),
        (1.5, None, "^action: "),
        (env.legal_actions()[0], len(env.possible_agents), "^seat: "),
        (env.legal_actions()[0], "player_0", "^seat: "),
    ):
        with pytest.raises(ValueError, match=names):
            env.describe(action, seat)
    with pytest.raises(ValueError, match="^agent: "):
        env.messages("nobody")
    with pytest.raises(ValueError, match="^since: "):
        env.messages(env.possible_agents[0], since=1)
    unborn = importlib.import_module(f"murder_envs.{game}_v0").env()
    for call in (lambda: unborn.describe(0), unborn.asked, lambda: unborn.messages(unborn.possible_agents[0])):
        with pytest.raises(AssertionError, match="reset"):
            call()


@every_game
@pytest.mark.fast
def test_forced_decisions_do_not_hide_messages(game):
    """Who plays with SkipForced is told all since its last choice."""
    module = importlib.import_module(f"murder_envs.{game}_v0")
    env = SkipForced(module.env())
    env.reset(seed=6)
    rng = random.Random(6)
    told = {agent: [] for agent in env.possible_agents}
    seen = dict.fromkeys(env.possible_agents, 0)
    while not all(env.terminations.values()) and not all(env.truncations.values()):
        agent = env.agent_selection
        told[agent] += env.messages(agent)
        mask = env.last()[0]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        seen[agent] += 1
    assert sum(seen.values()) > 1
    for agent in env.possible_agents:
        whole = env.unwrapped.messages(agent, since=-1)
        assert told[agent] + env.messages(agent) == whole


@every_game
@pytest.mark.fast
def test_a_game_without_sentences_of_its_own_has_plain_ones(game):
    """They name actions and phases, keep others' choices to themselves, and can be told apart."""
    own = ruleset_of(game)
    cursor = Cursor(dataclasses.replace(own, asked=None, describe=None, told=None))
    cursor.deal(3)
    other = (cursor.seat + 1) % own.n_seats
    sentences = {cursor.describe(action, cursor.seat) for action in cursor.legal()}
    assert len(sentences) == len(cursor.legal())
    assert all(own.actions.names[action] in cursor.describe(action, None) for action in cursor.legal())
    assert len({cursor.describe(action, other) for action in cursor.legal()}) == 1
    phase = f": {cursor.snapshot()['phase']}"
    assert phase in cursor.asked(cursor.seat) and phase not in cursor.asked(other)
    told = cursor.ruleset.told
    assert told(cursor.rules, None, None, cursor.states, other) == [f"You are {own.agents[other]}."]
    rng = random.Random(3)
    while not cursor.over:
        before, action = cursor.states.copy(), rng.choice(cursor.legal())
        sentence = cursor.describe(action, other)
        cursor.act(action)
        heard = told(cursor.rules, before, action, cursor.states, other)
    assert heard == [sentence, "The game is over."] and cursor.asked(None) == "The game is over."


@every_game
@pytest.mark.fast
def test_the_rules_in_our_own_words(game, capsys):
    ruleset = ruleset_of(game)
    assert 300 <= len(ruleset.rules_text.split()) <= 900
    assert len(ruleset.rules_full.split()) > len(ruleset.rules_text.split())
    assert "\n## Where the rulebook is silent, and what is ours\n" in ruleset.rules_full
    for arguments, text in (([game], ruleset.rules_full), ([game, "--short"], ruleset.rules_text)):
        assert rules.main(arguments) == 0
        assert capsys.readouterr().out == text
        assert max(map(len, text.splitlines())) <= 120 and text.endswith("\n")


@every_game
def test_a_whole_game_of_one_seat_is_on_file(game):
    """See test_playthroughs, which plays it again."""
    files = list((DATA / game / "playthroughs").glob("*seat*.txt"))
    assert files, "write one: python -m murder_envs.drivers.transcript write GAME --seat 1 --player heuristic"
    for file in files:
        head = transcript._head(file.read_text(encoding="utf-8").splitlines())
        assert head["seat"] in ruleset_of(game).agents
