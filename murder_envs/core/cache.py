"""Where compiled code is kept on disk, and when it may be used again.

Numba's own cache notices changes in a function's own file alone: after an edit of `cards.py` a stored kernel of
`play.py` would still use the old numbers. Here each file with kernels has a folder that is named by a hash of all code
that these kernels can depend on: the file itself and the files of this package that it imports, directly or not,
without comments, docstrings and line numbers. So a changed rule compiles that game anew and no other, and a changed
text compiles nothing.

    <root>/<environment>/<file with kernels>-<hash>/<kernel>.nbi, .nbc

The environment is a hash of the versions of Python, numba, llvmlite and numpy, and of the compiler's flags. Loading
compiled code means executing it, so the folders belong to the user alone, and a cache that somebody else can write is
not used. Whatever cannot be read counts as not there; whatever cannot be written is kept in memory.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import stat
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
NAME = PACKAGE.name

KEPT_DAYS = 30
"""Folders that nobody has used for so long are removed."""

OURS = re.compile(r"(.*-)?[0-9a-f]{16}")
"""Names of folders that are made here; whatever else lies beside them is left alone."""

PLAIN = {"core/checks.py", "registry.py", "ruleset.py"}
"""Files that kernels cannot depend on: plain functions and classes that compute no constant."""


# -- The root ---------------------------------------------------------------------------------------------------------


def cache_root() -> pathlib.Path:
    """`$MURDER_ENVS_CACHE`, else a folder of the user's cache folder."""
    if named := os.environ.get("MURDER_ENVS_CACHE"):
        return pathlib.Path(named).expanduser()
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or pathlib.Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = pathlib.Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home) / NAME


def environment_key(debug: bool) -> str:
    """Hash of what compiled code depends on beside its source, as 16 hexadecimal digits."""
    versions = (sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
    return hashlib.blake2b(repr((versions, config.OPT, config.BOUNDSCHECK, debug)).encode(), digest_size=8).hexdigest()


class CodeFolder:
    """The folder of one environment.

    Attributes:
        path: the folder.
        can_write: False: a prepared cache that is only read, as in a container image or on a cluster.
    """

    def __init__(self, path: pathlib.Path, can_write: bool) -> None:
        self.path = path
        self.can_write = can_write
        self._warned = False

    def warn(self, what: str) -> None:
        """Say once what is wrong with this folder; every start then compiles what could not be kept."""
        if not self._warned:
            self._warned = True
            warnings.warn(f"murder_envs: {what}", stacklevel=3)


def open_root(debug: bool) -> CodeFolder | None:
    """The folder for compiled code, made and marked as used; None, with a warning, if there cannot be one.

    Raises:
        OSError: `MURDER_ENVS_CACHE` names something that is neither a folder nor can be made one.
    """
    hint = "set MURDER_ENVS_CACHE to a folder of your own"
    try:
        root = cache_root()
    except RuntimeError as error:  # a user without a home, as in some containers
        warnings.warn(f"murder_envs: compiled code cannot be kept ({error}); {hint}", stacklevel=2)
        return None
    path = root / environment_key(debug)
    try:
        for folder in (root, path):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (path / "used").touch()
        can_write = True
    except OSError as error:
        can_write = False
        if not os.path.isdir(path):  # Path.is_dir may raise where a folder above is closed to this user
            if os.environ.get("MURDER_ENVS_CACHE"):
                raise OSError(
                    f"MURDER_ENVS_CACHE: cannot write to {root} ({error.strerror}); "
                    "name a folder that can be written, or unset it for the user's cache folder"
                ) from error
            warnings.warn(
                f"murder_envs: compiled code cannot be kept in {path} ({error.strerror}), so each start compiles anew; "
                "set MURDER_ENVS_CACHE to a folder that can be written",
                stacklevel=2,
            )
            return None
    for folder in (root, path):
        if why := _who_else_can_write(folder):
            warnings.warn(
                f"murder_envs: compiled code in {folder} is not used, since {why}; {hint}",
                stacklevel=2,
            )
            return None
    if can_write:
        _remove_unused(root, path)
    return CodeFolder(path, can_write)


def _who_else_can_write(folder: pathlib.Path) -> str:
    """Why the content of a folder cannot be trusted; "" if it can."""
    if not hasattr(os, "getuid"):
        return ""
    status = folder.stat()
    if status.st_uid not in (0, os.getuid()):
        return f"it belongs to another user (id {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write there (mode {status.st_mode & 0o777:o})"
    return ""


def _remove_unused(root: pathlib.Path, own: pathlib.Path) -> None:
    """Remove our folders below the root that nobody has used for KEPT_DAYS."""
    limit = time.time() - KEPT_DAYS * 86_400
    folders: list[pathlib.Path] = []
    with contextlib.suppress(OSError):
        folders += [*root.iterdir(), *own.iterdir()]
    for folder in folders:
        with contextlib.suppress(OSError):
            if folder != own and OURS.fullmatch(folder.name) and (folder / "used").stat().st_mtime < limit:
                shutil.rmtree(folder, ignore_errors=True)


# -- What code depends on ---------------------------------------------------------------------------------------------


class Sources:
    """Source files of this package, by what in them can change compiled code.

    Parsing all files takes a quarter of a second, so what came of a file is kept beside the compiled code, by the hash
    of its bytes and of this file's, which say what is looked for.

    Args:
        memory: the file in which that is kept; None: nowhere.
    """

    def __init__(self, memory: pathlib.Path | None) -> None:
        self._memory = memory
        self._known = _remembered(memory) if memory is not None else {}
        self._looked_for = hashlib.blake2b(pathlib.Path(__file__).read_bytes(), digest_size=16).digest()
        self._files: dict[pathlib.Path, tuple[str, tuple[pathlib.Path, ...]]] = {}
        self._changed = False

    def fingerprint(self, paths: set[pathlib.Path]) -> str:
        """Hash of these files and all that they import of this package, as 16 hexadecimal digits."""
        seen: dict[pathlib.Path, str] = {}
        waiting = set(paths)
        while waiting:
            path = waiting.pop()
            seen[path], imported = self._file(path)
            waiting.update(set(imported) - seen.keys())
        self._remember()
        digest = hashlib.blake2b(digest_size=8)
        for path in sorted(seen):
            name = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.name
            digest.update(f"{name}: {seen[path]}\n".encode())
        return digest.hexdigest()

    def _file(self, path: pathlib.Path) -> tuple[str, tuple[pathlib.Path, ...]]:
        """The hash of one file's code, and the files that it imports."""
        if path not in self._files:
            source = path.read_bytes()
            key = hashlib.blake2b(source, digest_size=16, key=self._looked_for).hexdigest()
            if key not in self._known:
                tree = ast.parse(source)
                self._known[key] = code_hash(tree), sorted(imported_modules(tree))
                self._changed = True
            code, modules = self._known[key]
            self._files[path] = code, tuple(file for name in modules if (file := _file_of(name)) is not None)
        return self._files[path]

    def _remember(self) -> None:
        if self._changed and self._memory is not None:
            half = self._memory.with_name(f"{self._memory.name}.{secrets.token_hex(8)}")
            try:
                half.write_text(json.dumps(self._known), encoding="utf-8")
                os.replace(half, self._memory)
            except OSError:
                with contextlib.suppress(OSError):
                    half.unlink()
        self._changed = False


def _remembered(memory: pathlib.Path) -> dict[str, tuple[str, list[str]]]:
    """What an earlier start has kept: hash of a file -> hash of its code, modules; nothing where it is damaged."""
    try:
        kept = json.loads(memory.read_text(encoding="utf-8"))
        known = {key: (code, modules) for key, (code, modules) in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    texts = [text for code, modules in known.values() for text in (code, *modules)]
    return known if all(isinstance(text, str) for text in texts) else {}


def code_hash(tree: ast.Module) -> str:
    """Hash of a parsed file without its docstrings and other texts that stand alone; line numbers do not count."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [each for each in body if not _is_text(each)] or [ast.Pass()]
    return hashlib.blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest()


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def imported_modules(tree: ast.Module) -> set[str]:
    """Names in this package that a file imports, but for annotations; some may be functions of a module."""
    return {name for name in _imported(tree) if name.startswith(f"{NAME}.")}


def _imported(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield child.module
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        else:
            yield from _imported(child)


@functools.cache
def _file_of(module: str) -> pathlib.Path | None:
    """The file that a name of this package comes from, if kernels can depend on it; else None.

    Importing a module does not make kernels depend on the `__init__.py` of its folder, but importing a name from there
    does.
    """
    place = PACKAGE.joinpath(*module.split(".")[1:])
    path = place.with_suffix(".py")
    if not path.is_file() and not place.is_dir():
        path = place.parent / "__init__.py"
    return path if path.is_file() and path.relative_to(PACKAGE).as_posix() not in PLAIN else None


# -- Numba's side -----------------------------------------------------------------------------------------------------


class _Locator(_CacheLocator):
    """Tells numba the folder; that its content fits the source is what the folder's name stands for."""

    def __init__(self, folder: pathlib.Path, source: str) -> None:
        self._folder = folder
        self._py_file = source  # for numba's warning about code that cannot be kept

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        (self._folder / "used").touch()

    def get_source_stamp(self) -> int:
        return 0

    def get_disambiguator(self) -> str:
        return "kernel"


class _Impl(CompileResultCacheImpl):
    """Numba's packing of compiled code, in the folder that it is told."""

    def __init__(self, function: Any, folder: pathlib.Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(folder, function.__code__.co_filename)
        self._filename_base = self.get_filename_base(function.__qualname__, getattr(sys, "abiflags", ""))


class _Files(IndexDataCacheFile):
    """Numba's files, but for the name of those with code: it follows from what the code is for.

    Numba takes the first free number. Two processes that write at once could take the same one for two signatures, and
    the index would lead from one signature to the other's code. Now the worst is that an entry of the index is lost.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep code under a key, and then let the index say so."""
        number = int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "big")
        name = self._data_name(number)
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class KernelCache(FunctionCache):
    """The cache of one function: a damaged one counts as empty, and one that cannot be written as full.

    Args:
        function: the kernel as it stands in its file.
        root: the environment's folder.
        folder: the folder of the function's file, below the root.
    """

    def __init__(self, function: Any, root: CodeFolder, folder: pathlib.Path) -> None:
        self._root = root
        self._name = repr(function)
        self._py_func = function
        self._impl = _Impl(function, folder)
        self._cache_path = str(folder)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, 0)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature; None if there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # cut files, zeros, another numba's pickles: whatever it is, compiling mends it
            self._root.warn(f"{self._cache_path} is damaged ({type(error).__name__}: {error}); it is compiled anew")
            if self._root.can_write:
                with contextlib.suppress(OSError):
                    os.unlink(self._cache_file._index_path)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code if that can be."""
        if not self._root.can_write:
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._root.warn(f"compiled code cannot be kept in {self._cache_path} ({why}); each start compiles it anew")
