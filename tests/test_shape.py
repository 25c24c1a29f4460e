"""The repository has the shape that CONTRIBUTING.md describes, and a game adds data, not code, to the tests."""

from __future__ import annotations

import ast
import functools
import json
import pathlib
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pytest

from murder_envs.registry import GAMES, env_id
from tests.support import DATA, ROOT, ruleset_of

PACKAGE = ROOT / "murder_envs"

GAME_FILES = {
    "__init__", "cards", "config", "deal", "heuristic", "knowledge", "moves", "play", "redeal", "snapshots", "state",
    "picture", "text", "view",
}  # fmt: skip
SOME_GAMES_FILES = {
    "case", "counts", "effects", "events", "generator", "layout", "names", "position", "record", "sentences", "series",
    "sheet", "story", "words", "writing",
}  # fmt: skip
READING_ORDER = [
    "cards", "case", "moves", "layout", "counts", "state", "config", "generator", "deal", "sheet", "knowledge",
    "events", "effects", "play", "redeal", "view", "record", "snapshots", "position", "names",
    "story", "words", "sentences", "text", "picture", "writing",
]  # fmt: skip
"""Of a game's files each may import those before it."""

HEURISTIC_SEES = {"cards", "case", "moves", "state", "view"}
"""What a scripted player may import: names, sizes and layouts."""

DATA_FILES = {
    "rulings.toml", "counts.toml", "figures.toml", "twins.toml", "odds.toml", "configs.toml", "draws.toml",
    "config_errors.toml", "snapshot_errors.toml", "signature.txt", "picture.toml",
}  # fmt: skip

LAYERS = {
    "core": {"core"},
    "picture": {"core", "picture"},
    "ruleset": {"core", "picture"},
    "registry": {"core", "ruleset"},
    "games": {"core", "ruleset", "picture", "games"},
    "drivers": {"core", "ruleset", "picture", "registry", "drivers"},
    "replay": {"core", "ruleset", "picture", "registry", "drivers", "replay"},
    "play": {"core", "ruleset", "picture", "registry", "drivers", "replay", "play"},
    "api": {"core", "ruleset", "picture", "registry", "drivers", "replay", "api"},
    "networks": {"core", "ruleset", "registry", "drivers", "api", "networks"},
    "warm": {"core", "ruleset", "registry", "drivers", "api"},
}
"""Part of the package -> the parts that it may import. `registry` names the games, and imports one if asked for it."""

HEAVY = ("numba", "torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "PIL", "pyspiel", "ray")


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*.py") if not any(part.startswith(".") for part in path.parts))


@functools.cache
def parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: pathlib.Path) -> Iterator[str]:
    """Full names of the modules of this project that a file imports, but for annotations."""
    for node in running(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield node.module or ""
            yield from filter(is_module, (f"{node.module}.{alias.name}" for alias in node.names))


def running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without those under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from running(child)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def part_of(name: str) -> str:
    """murder_envs.core.jit -> core"""
    return (name.split(".") + [""])[1]


# -- Files ------------------------------------------------------------------------------------------------------------


def test_a_game_has_its_files(game):
    folder = PACKAGE / "games" / game
    files = {path.stem for path in folder.glob("*.py")}
    assert files >= GAME_FILES and files <= GAME_FILES | SOME_GAMES_FILES
    assert (PACKAGE / f"{game}_v0.py").exists()
    for path in folder.glob("*.py"):
        assert ast.get_docstring(parsed(path)), f"{path.name} does not say what it is"


def test_the_package_has_no_other_games():
    folders = {path.name for path in (PACKAGE / "games").iterdir() if (path / "__init__.py").exists()}
    assert folders == {*GAMES}
    assert {path.stem.removesuffix("_v0") for path in PACKAGE.glob("*_v0.py")} == set(GAMES)


def test_a_game_s_data_is_complete(game):
    files = {path.name for path in (DATA / game).iterdir() if path.is_file()}
    assert files - {"texts.toml"} == DATA_FILES
    assert list((DATA / game / "playthroughs").glob("*.txt"))


def test_data_holds_no_code_and_no_other_game():
    assert {path.name for path in DATA.iterdir()} == set(GAMES)
    assert {path.suffix for path in DATA.rglob("*") if path.is_file()} <= {".toml", ".txt"}


def test_nothing_outside_its_own_files_knows_a_game_by_name(game):
    """But the registry. What documentation says is no code."""
    own = {PACKAGE / "registry.py", PACKAGE / f"{game}_v0.py", *sources(PACKAGE / "games" / game)}
    for path in [
        *sources(PACKAGE),
        *(path for name in ("agents", "benchmarks", "docs", "tests") for path in sources(ROOT / name)),
    ]:
        if path not in own:
            for text in words_in(parsed(path)):
                assert game not in text and game.replace("_", "-") not in text, f"{path} knows {game}"


def words_in(tree: ast.Module) -> Iterator[str]:
    """Names and texts of a file, but for what stands alone: docstrings."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in alone:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


# -- Imports ----------------------------------------------------------------------------------------------------------


def test_imports_go_one_way():
    for path in sources(PACKAGE):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part in LAYERS:
            for name in imported(path):
                if name.startswith("murder_envs."):
                    assert part_of(name) in LAYERS[part], f"{path} imports {name}"
                assert name.split(".")[0] not in ("agents", "benchmarks", "docs", "tests"), f"{path} imports {name}"


def test_no_game_imports_another(game):
    for path in sources(PACKAGE / "games" / game):
        for name in imported(path):
            if name.startswith("murder_envs.games."):
                assert name.split(".")[2] == game, f"{path} imports {name}"


def test_a_game_s_files_import_in_reading_order(game):
    for path in sources(PACKAGE / "games" / game):
        modules = {name.split(".")[3] for name in imported(path) if name.startswith(f"murder_envs.games.{game}.")}
        if path.stem in READING_ORDER:
            earlier = set(READING_ORDER[: READING_ORDER.index(path.stem)])
            assert modules <= earlier, f"{path.name} imports {modules - earlier}"
        elif path.stem == "heuristic":
            assert modules <= HEURISTIC_SEES, f"{path.name} imports {modules - HEURISTIC_SEES}"


def test_only_one_door_leads_to_numba():
    """Compiled code goes through `core.jit`, so that its cache is right; intrinsics are in `core`."""
    for path in sources(PACKAGE):
        if path.parent != PACKAGE / "core":
            for name in imported(path):
                assert name.split(".")[0] not in ("numba", "llvmlite"), f"{path} imports {name}"
        elif path.stem != "jit":
            assert "njit" not in path.read_text(encoding="utf-8"), path


def test_importing_the_package_is_free():
    """It loads neither a compiler, nor a learner, nor pictures."""
    code = "import sys, json, murder_envs; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & set(HEAVY)
    assert not [name for name in json.loads(done.stdout) if name.startswith("murder_envs.games")]


def test_a_game_loads_no_learner_and_no_pictures(game):
    code = f"import sys, json, murder_envs.{game}_v0 as game; game.env(); print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & (set(HEAVY) - {"numba"})


# -- Pages ------------------------------------------------------------------------------------------------------------


def test_readme_lists_every_game(game):
    """With the sizes that the code has."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if f"`{game}_v0`" in line and line.startswith("|"))
    ruleset = ruleset_of(game)
    assert f"`Discrete({ruleset.actions.n})`" in row and f"`int8[{ruleset.observation.size}]`" in row
    assert "under way" not in row


def test_the_ids_in_readme_are_registered():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"murder_envs/[a-z-]+-v\d+", readme)) <= set(map(env_id, GAMES))


def test_contributing_names_every_data_file():
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in DATA_FILES:
        assert f"`{name}`" in contributing, name


# -- The wheel --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(tmp_path):
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert any(name.endswith("LICENSE") for name in info)
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names - info == expected
