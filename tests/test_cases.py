"""Cases that a game generates: written down and read again, each is the same case, and plays the same game.

For games whose public module has `generate_case` and `to_toml`.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import pickle
import random
import tomllib
from typing import Any

import pytest

from murder_envs.registry import make_ruleset
from tests.support import CASES, all_configs, ruleset_of

SEEDS = (0, 5)
MODULES = {game: importlib.import_module(f"murder_envs.{game}_v0") for game, _ in CASES}
HAVING = [(game, name) for game, name in CASES if hasattr(MODULES[game], "generate_case")]
GENERATED = [(game, name) for game, name in HAVING if "case" not in all_configs(game)[name]]
WRITTEN = [(game, name) for game, name in HAVING if "case" in all_configs(game)[name]]


def both(game: str, name: str, seed: int, case: Any) -> tuple[Any, Any]:
    """The game dealt from a seed, and the one with a written case in which all sit in the same places."""
    config = all_configs(game)[name]
    dealt = MODULES[game].raw_env(**config)
    dealt.reset(seed=seed)
    start = dealt.snapshot()
    seats = {"characters": start["characters"], "first_leader": start["leader"]}
    kept = {key: value for key, value in config.items() if key != "traits"}
    written = MODULES[game].raw_env(**{**kept, **seats, "case": case})
    written.reset(seed=seed + 1)
    return dealt, written


def assert_read_the_same(dealt: Any, written: Any) -> None:
    """The texts for everybody, as the game begins and as the table stands now."""
    for reader in (None, *range(len(dealt.possible_agents))):
        texts = []
        for env in (dealt, written):
            states, rules = env.position()
            texts.append([env.ruleset.text(rules, states, reader), env.ruleset.told(rules, None, None, states, reader)])
        assert texts[0] == texts[1]


def assert_same(dealt: Any, written: Any) -> None:
    assert written.snapshot() == dealt.snapshot()
    assert written.agent_selection == dealt.agent_selection
    assert (written.state() == dealt.state()).all()
    for agent in dealt.possible_agents:
        mine, theirs = dealt.observe(agent), written.observe(agent)
        assert all((mine[key] == theirs[key]).all() for key in mine)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("game", "name"), GENERATED)
def test_a_generated_case_plays_the_same_as_a_written_one(game, name, seed, tmp_path):
    case = MODULES[game].generate_case(seed, **all_configs(game)[name])
    assert case == MODULES[game].generate_case(seed, **all_configs(game)[name])
    text = MODULES[game].to_toml(case)
    assert tomllib.loads(text) == case
    file = tmp_path / "case.toml"
    file.write_text(text, encoding="utf-8")
    dealt, written = both(game, name, seed, str(file))
    assert_read_the_same(dealt, written)
    rng = random.Random(seed)
    while len(legal := dealt.legal_actions()):
        assert_same(dealt, written)
        assert list(written.legal_actions()) == list(legal)
        action = rng.choice(list(legal))
        dealt.step(action)
        written.step(action)
    assert_same(dealt, written)
    assert_read_the_same(dealt, written)
    assert written.rewards == dealt.rewards
    assert {agent: {**info, "action_mask": None} for agent, info in written.infos.items()} == {
        agent: {**info, "action_mask": None} for agent, info in dealt.infos.items()
    }


@pytest.mark.parametrize("game", sorted({game for game, _ in CASES if "case" in ruleset_of(game).config}))
def test_a_case_is_kept_and_its_file_is_not_asked_again(game, tmp_path):
    """What was pickled or saved with a case goes on with it when the file has been edited."""
    package = importlib.import_module(MODULES[game].__name__.removesuffix("_v0").replace("envs.", "envs.games."))
    (shipped, *_) = sorted(pathlib.Path(package.__file__).parent.rglob("*.toml"))
    file = tmp_path / "case.toml"
    file.write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    for path in (file, str(file)):
        env = MODULES[game].raw_env(case=path)
        env.reset(seed=1)
        before, kept = pickle.dumps(env), json.dumps(env.unwrapped.ruleset.config)
        file.write_text("", encoding="utf-8")
        again, anew = pickle.loads(before), make_ruleset(game, **json.loads(kept))
        assert again.snapshot() == env.snapshot() and anew.rules.tobytes() == env.ruleset.rules.tobytes()
        file.write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")


@pytest.mark.parametrize(("game", "name"), GENERATED)
def test_another_seed_is_another_case(game, name):
    generate = MODULES[game].generate_case
    cases = [generate(seed, **all_configs(game)[name]) for seed in range(5)]
    assert any(case != cases[0] for case in cases)


@pytest.mark.parametrize(("game", "name"), WRITTEN)
def test_a_written_case_need_not_be_generated(game, name):
    with pytest.raises(ValueError, match="^case"):
        MODULES[game].generate_case(1, **all_configs(game)[name])


@pytest.mark.parametrize("game", sorted({game for game, _ in HAVING}))
@pytest.mark.parametrize(("arguments", "named"), [((-1, {}), "seed"), ((1.5, {}), "seed"), ((0, {"x": 1}), "x")])
def test_an_error_names_what_is_wrong(game, arguments, named):
    seed, config = arguments
    with pytest.raises(ValueError, match=f"^{named}"):
        MODULES[game].generate_case(seed, **config)
