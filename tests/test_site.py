"""The pages of documentation: what follows from the code is fresh, links lead somewhere, programs and commands run."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from docs.generate import anchor, page
from docs.rulebook import OURS, headings, implemented, is_about
from murder_envs.core.config import parameter_rows
from murder_envs.registry import GAMES, parameters
from tests.support import ROOT, ruleset_of

GUIDES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [
    *GUIDES,
    *sorted(path for path in ROOT.glob("*.md") if path.name != "README.md"),
    *sorted(ROOT.glob("benchmarks/**/*.md")),
    *sorted(ROOT.glob("murder_envs/games/*/*.md")),
]
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
NAV = SITE.partition("\nnav:\n")[2]


def read(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8")


def of_each_page(pages: list[pathlib.Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", pages, ids=lambda path: path.relative_to(ROOT).as_posix())


# -- The page of a game -----------------------------------------------------------------------------------------------


def test_the_page_of_a_game_is_fresh(game):
    assert read(ROOT / "docs" / "games" / f"{game}.md") == page(game), "stale: run `make pages`"


def test_the_meanings_of_options_are_those_of_values_that_the_rules_know(game):
    rules = importlib.import_module(f"{GAMES[game]}.state").Rules
    for row in parameter_rows(parameters(game)):
        field = rules.fields.get(row["parameter"])
        if row["meanings"] and field is not None:
            assert tuple(row["meanings"]) == tuple(field.names), row["parameter"]
        assert all(row["meanings"].values())


def test_every_field_of_a_snapshot_has_a_meaning(game):
    """On the page of the game, and no other field has."""
    env = importlib.import_module(f"murder_envs.{game}_v0").env()
    env.reset(seed=7)
    fields = read(ROOT / "docs" / "games" / f"{game}.md").partition("## Snapshot fields")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", fields, re.MULTILINE)) == set(env.snapshot())
    assert not re.search(r"\| *\|$", fields, re.MULTILINE)


def test_most_headings_of_the_rules_lead_to_functions(game):
    """All that something is done for; a table of cards or a story needs no function."""
    rules = ruleset_of(game).rules_full
    assert f"## {OURS}" in rules
    chapters = [heading for heading, item in headings(rules) if not item]
    found = {heading for heading, _, functions in implemented(game, rules) if functions}
    assert found <= set(chapters) and 2 * len(found) > len(chapters)


@pytest.mark.parametrize(
    ("title", "name", "expected"),
    [
        ("14. The Doctor", "Doctor", True),
        ("DRAIN", "Drain (D)", True),
        ("Actions: taking a Top Secret card", "Actions", True),
        ("False trace, false clue", "False clue", True),
        ("Variant: Home and Away: two games", "Variant: Home and Away", True),
        ("Setup", "Set Up", False),
        ("The Detective's Actions", "Actions", False),
    ],
)
def test_which_titles_are_about_a_heading(title, name, expected):
    assert is_about(title, name) == expected


# -- The site ---------------------------------------------------------------------------------------------------------


def test_the_site_has_every_page(game):
    """Those of the documentation, and the rules of every game."""
    for path in ROOT.glob("docs/**/*.md"):
        assert f"- {path.relative_to(ROOT / 'docs').as_posix()}\n" in NAV, path
    for name in ("rules", "rules_short"):
        assert f"murder_envs/games/{game}/{name}.md\n" in NAV
    assert f"- reference/{game}.md\n" in NAV


def test_the_site_needs_no_network():
    """Neither fonts nor programs; search works from a folder."""
    assert "\n  font: false\n" in SITE and "\n  - offline\n" in SITE and "\nuse_directory_urls: false" in SITE
    assert "https:" not in read(ROOT / "docs" / "site.css")
    for script in re.findall(r"polyfills: \[(.+)\]", SITE):
        assert (ROOT / "docs" / script).exists()


# -- Links ------------------------------------------------------------------------------------------------------------


def anchors_of(path: pathlib.Path) -> set[str]:
    """What a link to a page can name: headings outside of code, or the functions and classes of a file of code."""
    text = read(path)
    if path.suffix == ".py":
        return {node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    names = set(map(anchor, re.findall(r"^#+ (.+)$", prose, re.MULTILINE)))
    return names | set(re.findall(r"^::: ([\w.]+)$", prose, re.MULTILINE))


@of_each_page(PAGES)
def test_links_lead_to_headings(path):
    for target, fragment in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", read(path)):
        if not target.startswith("https://"):
            assert fragment in anchors_of(path.parent / target if target else path), f"{target}#{fragment}"


def test_the_reference_names_what_there_is():
    for name in re.findall(r"^::: ([\w.]+)$", read(ROOT / "docs" / "api.md"), re.MULTILINE):
        module, _, last = name.rpartition(".")
        if importlib.util.find_spec("pyspiel") is None and "openspiel" in name:
            continue
        assert importlib.util.find_spec(module) and (
            hasattr(importlib.import_module(module), last) or importlib.util.find_spec(name)
        ), name


# -- Programs and commands --------------------------------------------------------------------------------------------

WITH_OPENSPIEL = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="OpenSpiel is not installed")


def programs() -> list:
    """The Python programs of README and documentation: those of a page are one, in their order.

    What needs OpenSpiel is a program of its own, since it is not always installed.
    """
    found = []
    for path in GUIDES:
        blocks = re.findall(r"^```python\n(.*?)^```", read(path), re.DOTALL | re.MULTILINE)
        name = path.relative_to(ROOT).as_posix()
        if plain := [block for block in blocks if "import pyspiel" not in block]:
            found.append(pytest.param("\n".join(plain), id=name))
        for block in blocks:
            if "import pyspiel" in block:
                found.append(pytest.param(block, id=f"{name} OpenSpiel", marks=WITH_OPENSPIEL))
    return found


def run(*arguments: str, folder: pathlib.Path = ROOT) -> str:
    """The output of a Python program, which finds the modules of this checkout."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("program", programs())
def test_the_programs_of_the_pages_run(program, tmp_path):
    run("-c", program, folder=tmp_path)


@of_each_page(PAGES)
def test_the_options_of_commands_exist(path):
    """In the sources of the program's package, written out or as the field of settings that it is made from."""
    for module, rest in re.findall(r"python -m ((?:agents|benchmarks|murder_envs)[\w.]*)([^`\n#]*)", read(path)):
        folder = ROOT / module.partition(".")[0]
        sources = "".join(map(read, folder.rglob("*.py")))
        for option in set(re.findall(r" --([a-z][\w-]*)", rest)) - {"help"}:
            field = option.replace("-", "_")
            assert f'"--{option}"' in sources or re.search(rf"^    {field}: ", sources, re.MULTILINE), (
                f"{module} --{option}"
            )
