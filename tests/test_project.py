"""What stands around the code agrees with it: versions, pins, pages, commands."""

from __future__ import annotations

import ast
import json
import re
import tomllib

import pytest

from murder_envs import __version__
from tests.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")])

CLIENTS = sorted(path for path in (ROOT / "tests" / "clients").glob("[a-z]*.py") if path.stem != "report")


@pytest.fixture(params=PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def page(request):
    return request.param


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


# -- Versions ---------------------------------------------------------------------------------------------------------


def test_the_version_stands_in_one_place():
    """In the package: the build reads it there, and what repeats it agrees."""
    assert "version" not in PROJECT["project"] and PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "murder_envs/__init__.py"
    assert f"\nversion: {__version__}\n" in text("CITATION.cff")
    assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", text("CHANGELOG.md"), re.MULTILINE)


def test_the_newest_changes_come_first():
    headings = re.findall(r"^## \[(.+?)\]", text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    versions = [tuple(map(int, heading.split("."))) for heading in headings[1:]]
    assert versions == sorted(versions, reverse=True)


def test_the_hooks_lint_with_the_same_ruff():
    (pinned,) = re.findall(r"^ruff==(.+)$", text("constraints.txt"), re.MULTILINE)
    assert re.search(rf"astral-sh/ruff-pre-commit\n +rev: v{re.escape(pinned)}\n", text(".pre-commit-config.yaml"))


def test_the_hooks_run_mypy_as_make_does():
    """From the virtual environment, where constraints.txt pins it."""
    assert "entry: make --silent types\n" in text(".pre-commit-config.yaml")
    assert re.search(r"^mypy==", text("constraints.txt"), re.MULTILINE)


def test_the_workflow_tests_each_python_that_the_package_allows():
    (versions,) = re.findall(r"^ +python: (\[.+\])$", text(".github/workflows/ci.yml"), re.MULTILINE)
    prefix = "Programming Language :: Python :: 3."
    allowed = [entry.rpartition(" ")[2] for entry in PROJECT["project"]["classifiers"] if entry.startswith(prefix)]
    assert json.loads(versions) == allowed


# -- Pages ------------------------------------------------------------------------------------------------------------


def test_readme_is_short():
    assert len(text("README.md").split()) < 900


def test_every_page_of_the_documentation_is_reached_from_readme():
    for path in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{path.name})" in text("README.md")


def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not link.startswith("https://"):
            assert (page.parent / link).exists(), link


def test_commands_on_a_page_exist(page):
    """Programs, targets of make, and extras."""
    content = page.read_text(encoding="utf-8")
    for module in re.findall(r"python -m ((?:agents|benchmarks|murder_envs|tests)[\w.]*)", content):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").exists() or path.is_dir(), module
    targets = set(re.findall(r"^([a-z-]+):.*## ", text("Makefile"), re.MULTILINE))
    for target in re.findall(r"(?:^    |`)make ([a-z-]+)", content, re.MULTILINE):
        assert target in targets, target
    for extras in re.findall(r"'?\.\[([\w,]+)\]", content):
        assert set(extras.split(",")) <= set(PROJECT["project"]["optional-dependencies"]), extras


def test_a_page_names_only_files_that_exist(page):
    """Paths between backquotes; what runs write, and placeholders, are none of them."""
    for path in re.findall(
        r"`((?:agents|benchmarks|docs|murder_envs|notebooks|tests)/[\w./]+\.\w+)`", page.read_text("utf-8")
    ):
        assert (ROOT / path).exists(), path


def test_the_makefile_installs_extras_that_there_are():
    extras = {extra for group in re.findall(r"-e '\.\[(.+?)\]'", text("Makefile")) for extra in group.split(",")}
    assert extras == set(PROJECT["project"]["optional-dependencies"])


def test_every_library_of_an_extra_is_used():
    """By an import, a tool's call or a plugin, in the code or in what runs it."""
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("murder_envs", "agents", "benchmarks", "tests", "notebooks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".ipynb")
    )
    code += (
        text("Makefile")
        + text(".ci/release.py")
        + text("mkdocs.yml")
        + text("pyproject.toml").partition("[project]")[0]
    )
    names = {
        "open_spiel": "pyspiel", "ipykernel": "ipykernel", "pytest-xdist": "-n ", "pytest-cov": "--cov",
        "mkdocs-material": "name: material", "mkdocstrings": "- mkdocstrings:", "pillow": "from PIL",
        "pygame-ce": "import pygame",
    }  # fmt: skip
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items():
        for requirement in requirements:
            name = re.split(r"[\[<>=]", requirement)[0]
            assert names.get(name, name.replace("-", "_")) in code, (extra, name)


@pytest.mark.parametrize("script", CLIENTS, ids=lambda path: path.stem)
def test_the_page_of_clients_tells_of_each(script):
    """It was written after the script: each way has its row, or the library could not be had."""
    body = ast.parse(script.read_text(encoding="utf-8")).body
    functions = [each for each in body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
    ways = [(ast.get_docstring(each) or "").splitlines()[0] for each in functions]
    page = text("docs/clients.md")
    assert ways
    for way in ways:
        assert f"| {way} |" in page or f"| {script.stem} |  |  | not run" in page
