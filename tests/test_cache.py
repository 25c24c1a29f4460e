"""The cache of compiled code: what it depends on, and that it never stops a program or runs what others put there."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest

from murder_envs.core import cache, jit
from tests.support import ROOT, ruleset_of

compiled_only = pytest.mark.skipif(not jit.COMPILED, reason="about compiled code")

# -- In processes of their own ----------------------------------------------------------------------------------------

CALLEE = """
from murder_envs.core.jit import kernel

@kernel
def answer():
    return {answer}
"""
CALLER = """
from murder_envs.core.jit import entry
from murder_envs.core.callee import answer

@entry
def ask():
    return answer() + 1
"""
ASK = "from murder_envs.core.caller import ask; print(ask(), sum(ask.stats.cache_hits.values()))"


def run(code: str, path: pathlib.Path = ROOT, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, in which `path` is where the package lies."""
    changed = {**os.environ, "PYTHONPATH": str(path), **environment}
    kept = {name: value for name, value in changed.items() if value is not None}
    return subprocess.run([sys.executable, "-c", code], cwd=path, env=kept, capture_output=True, text=True, timeout=300)


def output(code: str, path: pathlib.Path = ROOT, **environment: str | None) -> str:
    """What code prints that must not fail."""
    done = run(code, path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copied_package(tmp_path):
    """A copy of the package with a function that calls one of another file."""
    shutil.copytree(jit.PACKAGE, tmp_path / "murder_envs", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "murder_envs" / "core" / "callee.py").write_text(CALLEE.format(answer=41))
    (tmp_path / "murder_envs" / "core" / "caller.py").write_text(CALLER)
    return tmp_path


@compiled_only
def test_an_edited_callee_is_compiled_anew(copied_package):
    """numba's own cache would go on with the old one: it looks at the caller's file alone."""
    folder = {"MURDER_ENVS_CACHE": str(copied_package / "cache")}
    assert output(ASK, copied_package, **folder) == "42 0"
    assert output(ASK, copied_package, **folder) == "42 1"
    callee = copied_package / "murder_envs" / "core" / "callee.py"
    callee.write_text(CALLEE.format(answer=6))
    assert output(ASK, copied_package, **folder) == "7 0"
    callee.write_text('"""Now with a docstring."""\n\n# and a comment\n' + CALLEE.format(answer=6))
    assert output(ASK, copied_package, **folder) == "7 1", "a text compiles nothing anew"


@compiled_only
def test_debug_code_has_a_cache_of_its_own(copied_package):
    root = copied_package / "cache"
    for debug in ("1", "0", ""):
        output(ASK, copied_package, MURDER_ENVS_CACHE=str(root), MURDER_ENVS_DEBUG=debug)
    assert len(list(root.iterdir())) == 2


@compiled_only
@pytest.mark.parametrize("settings", [{"NUMBA_CPU_NAME": "generic"}, {"NUMBA_CPU_FEATURES": ""}], ids=str)
def test_code_for_another_processor_does_without_what_this_one_has(tmp_path, settings):
    """As for a cluster of different machines; LLVM ends the process where it cannot translate an instruction."""
    code = "import numpy as np\nfrom tests import bricks\nout = np.zeros(5, np.int64)\n"
    code += "bricks.words_of(np.uint64(5), out)\nprint(out.tolist())"
    assert output(code, MURDER_ENVS_CACHE=str(tmp_path), **settings) == str([2, 0, 65537, 4, 4])


@compiled_only
def test_an_unwritable_cache_is_named(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    for place in (taken, taken / "folder"):
        done = run("import murder_envs.core.jit", MURDER_ENVS_CACHE=str(place))
        assert done.returncode != 0
        assert f"MURDER_ENVS_CACHE: cannot write to {place}" in done.stderr.splitlines()[-1]


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where the user's cache folder is")
def test_without_any_cache_it_warns_and_works(copied_package):
    taken = copied_package / "file"
    taken.write_text("")
    done = run(
        "from murder_envs.core.caller import ask; print(ask())",
        copied_package,
        MURDER_ENVS_CACHE=None,
        XDG_CACHE_HOME=str(taken),
    )
    assert done.stdout.strip() == "42" and "set MURDER_ENVS_CACHE to a folder" in done.stderr, done.stderr


@compiled_only
def test_folders_that_nobody_uses_are_removed(copied_package):
    root = copied_package / "cache"
    root.mkdir(mode=0o700)
    old, recent, other = "0123456789abcdef", "fedcba9876543210", "not ours"
    for name, days in ((old, cache.KEPT_DAYS + 1), (recent, cache.KEPT_DAYS - 1), (other, cache.KEPT_DAYS + 1)):
        (root / name).mkdir()
        (root / name / "used").touch()
        then = time.time() - 86_400 * days
        os.utime(root / name / "used", (then, then))
    output("import murder_envs.core.jit", copied_package, MURDER_ENVS_CACHE=str(root))
    assert {recent, other} < {folder.name for folder in root.iterdir()} and not (root / old).exists()


@compiled_only
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\0" * 500, None], ids=["empty", "zeros", "cut"])
def test_a_damaged_cache_is_compiled_anew(copied_package, ending, content):
    """With one warning that names the folder; afterwards it is whole again."""
    root = copied_package / "cache"
    assert output(ASK, copied_package, MURDER_ENVS_CACHE=str(root)) == "42 0"
    for file in root.rglob(f"*{ending}"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2] if content is None else content)
    done = run(ASK, copied_package, MURDER_ENVS_CACHE=str(root))
    assert done.stdout.split()[0] == "42", done.stderr
    assert done.stderr.count("is damaged") == 1 and str(root) in done.stderr
    assert output(ASK, copied_package, MURDER_ENVS_CACHE=str(root)) == "42 1"


@compiled_only
def test_a_full_disk_is_no_error(copied_package):
    full = "import numba.core.caching as c\ndef full(*a): raise OSError(28, 'No space left on device')\n"
    full += "c.IndexDataCacheFile._save_data = full\n"
    done = run(full + ASK, copied_package, MURDER_ENVS_CACHE=str(copied_package / "cache"))
    assert done.stdout.strip() == "42 0" and done.stderr.count("No space left on device") == 1, done.stderr


@compiled_only
@pytest.mark.skipif(not hasattr(os, "getuid"), reason="about rights of users and groups")
def test_a_cache_that_others_can_write_is_not_used(copied_package):
    root = copied_package / "cache"
    output(ASK, copied_package, MURDER_ENVS_CACHE=str(root))
    assert {folder.stat().st_mode & 0o777 for folder in (root, *root.iterdir())} == {0o700}
    root.chmod(0o777)
    done = run(ASK, copied_package, MURDER_ENVS_CACHE=str(root))
    assert done.stdout.strip() == "42 0" and "others can write there (mode 777)" in done.stderr, done.stderr


@compiled_only
def test_a_prepared_cache_that_is_only_read_is_used(copied_package):
    """As in a container image: nothing in it can be written, and nothing is said."""
    root = copied_package / "cache"
    output(ASK, copied_package, MURDER_ENVS_CACHE=str(root))
    sealed = "import pathlib\ndef sealed(*a, **k): raise OSError(30, 'Read-only file system')\n"
    sealed += "pathlib.Path.touch = pathlib.Path.mkdir = sealed\n"
    done = run(sealed + ASK, copied_package, MURDER_ENVS_CACHE=str(root))
    assert done.stdout.strip() == "42 1" and not done.stderr, done.stderr


@compiled_only
def test_processes_that_write_at_once_do_not_swap_their_code(tmp_path):
    """Two signatures of one kernel, each kept by a process that does not know of the other."""
    one, other, later = (cache._Files(str(tmp_path), "kernel", 0) for _ in range(3))
    one._load_index = other._load_index = dict
    write = one._save_data

    def write_last(name: str, code: str) -> None:
        other.save(("b",), "code of b")
        write(name, code)

    one._save_data = write_last
    one.save(("a",), "code of a")
    kept = {name: later.load((name,)) for name in "ab"}
    assert "code of a" in kept.values() and kept["a"] in (None, "code of a") and kept["b"] in (None, "code of b")
    for name in "ab":
        later.save((name,), f"code of {name}")
    assert [later.load((name,)) for name in "ab"] == ["code of a", "code of b"]


@compiled_only
@pytest.mark.parametrize("content", ["", "{", "5", "null", "[1]", '{"a": 5}', '{"a": [1, ["b"]]}', '{"a": ["b", [5]]}'])
def test_a_damaged_memory_of_sources_counts_as_not_there(tmp_path, content):
    memory = tmp_path / "sources.json"
    memory.write_text(content)
    path = cache.PACKAGE / "core" / "rng.py"
    assert cache.Sources(memory).fingerprint({path}) == cache.Sources(None).fingerprint({path})
    assert cache.Sources(memory)._known and list(tmp_path.iterdir()) == [memory]


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where the user's cache folder is")
def test_a_user_without_a_home_is_warned(copied_package):
    homeless = "import pathlib\ndef home(): raise RuntimeError('Could not determine home directory.')\n"
    homeless += "pathlib.Path.home = home\n"
    done = run(homeless + ASK, copied_package, MURDER_ENVS_CACHE=None, XDG_CACHE_HOME=None)
    assert done.stdout.strip() == "42 0" and "set MURDER_ENVS_CACHE to a folder" in done.stderr, done.stderr


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where the user's cache folder is")
def test_a_home_of_somebody_else_is_warned_of(copied_package):
    """As after a change of user that keeps $HOME: not even whether there is a folder can be told."""
    closed = """
import os
def close(call):
    def closed(path, *arguments, **named):
        if "/home of another/" in str(path): raise PermissionError(13, "Permission denied")
        return call(path, *arguments, **named)
    return closed
os.stat, os.mkdir = close(os.stat), close(os.mkdir)
"""
    done = run(
        closed + ASK,
        copied_package,
        MURDER_ENVS_CACHE=None,
        XDG_CACHE_HOME=str(copied_package / "home of another" / "x"),
    )
    assert done.stdout.strip() == "42 0" and "set MURDER_ENVS_CACHE to a folder" in done.stderr, done.stderr


@compiled_only
def test_code_that_cannot_be_kept_is_compiled_at_each_start(copied_package):
    """Numba cannot keep a kernel that reads a large array of its module."""
    caller = copied_package / "murder_envs" / "core" / "caller.py"
    caller.write_text(
        "import numpy as np\n"
        + CALLER.replace("@entry", "LARGE = np.ones(10**7)\n\n@entry").replace("+ 1", "+ LARGE[2]")
    )
    folder = {"MURDER_ENVS_CACHE": str(copied_package / "cache")}
    for _ in range(2):
        assert output(ASK, copied_package, **folder) == "42.0 0"


# -- What code depends on ---------------------------------------------------------------------------------------------


def fingerprints(package: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Game -> what the compiled code of its rules is kept under."""
    monkeypatch.setattr(cache, "PACKAGE", package)
    cache._file_of.cache_clear()
    sources = cache.Sources(None)
    games = [folder for folder in sorted((package / "games").iterdir()) if (folder / "play.py").exists()]
    found = {folder.name: sources.fingerprint({folder / "play.py"}) for folder in games}
    cache._file_of.cache_clear()
    return found


def test_an_edit_compiles_what_depends_on_it_and_no_more(tmp_path, monkeypatch):
    package = tmp_path / "murder_envs"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = fingerprints(package, monkeypatch)
    one = sorted(before)[0]

    def changed(file: str, more: str) -> set[str]:
        path = package / file
        old = path.read_text(encoding="utf-8")
        path.write_text(old + more, encoding="utf-8")
        now = fingerprints(package, monkeypatch)
        path.write_text(old, encoding="utf-8")
        return {game for game in before if now[game] != before[game]}

    assert changed(f"games/{one}/text.py", "\nA = 1\n") == set()
    assert changed(f"games/{one}/play.py", '\n# a comment\n"""a text"""\n') == set()
    assert changed(f"games/{one}/play.py", "\nA = 1\n") == {one}
    assert changed(f"games/{one}/cards.py", "\nA = 1\n") == {one}
    assert changed(f"games/{one}/__init__.py", "\nA = 1\n") == set()
    assert changed("core/checks.py", "\nA = 1\n") == set()
    assert changed("core/bits.py", "\nA = 1\n") == set(before)

    cards = package / "games" / one / "cards.py"
    cards.write_text(cards.read_text(encoding="utf-8") + f"\nfrom murder_envs.games.{one} import VERSION\n")
    before = fingerprints(package, monkeypatch)
    assert changed(f"games/{one}/__init__.py", "\nA = 1\n") == {one}


# -- Threads ----------------------------------------------------------------------------------------------------------

DRIVER = "from murder_envs.core.jit import kernel\n@kernel\ndef twice(x):\n    return 2 * x\n"


def test_threads_that_use_a_driver_first_wait_for_one_module(tmp_path, game):
    ruleset = ruleset_of(game)
    for k in range(10):
        path = tmp_path / f"driver_{game}_{k}.py"
        path.write_text(DRIVER)
        ready, results = threading.Barrier(8), []

        def use(path: pathlib.Path = path, ready: threading.Barrier = ready, results: list = results) -> None:
            ready.wait()
            module = jit.bind(ruleset, path)
            results.append((module, module.twice(21)))

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 8 and {answer for _, answer in results} == {42}
        assert len({id(module) for module, _ in results}) == 1


def test_two_drivers_of_one_name_are_told_apart(tmp_path, game):
    paths = [tmp_path / folder / f"driver_of_{game}.py" for folder in "ab"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(DRIVER)
    assert jit.bind(ruleset_of(game), paths[0]).twice(21) == 42
    with pytest.raises(ValueError, match="^driver: "):
        jit.bind(ruleset_of(game), paths[1])
