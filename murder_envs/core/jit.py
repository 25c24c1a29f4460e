"""The one decorator for compiled code, its disk cache, and `bind`, which compiles a driver for a game.

Numba's own cache notices changes in a function's own file only: after an edit of `cards.py` a stored kernel of
`play.py` would still use the old numbers, and debug flags are no part of its key. So compiled code lies in a folder
named by a hash of everything it depends on: the sources of the compiled parts, the versions below them, the flags.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import pathlib
import sys
import time
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
import numpy as np
from numba import config, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

if TYPE_CHECKING:
    from murder_envs.ruleset import Ruleset

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
COMPILED = not config.DISABLE_JIT
DEBUG = os.environ.get("MURDER_ENVS_DEBUG", "") not in ("", "0")
"""`MURDER_ENVS_DEBUG=1`: bounds checks, and the invariants written as `if DEBUG:` in the kernels."""

KEPT_DAYS = 30
COMPILED_PARTS = ("core", "games", "drivers")
"""The folders whose sources compiled code depends on."""

# Random numbers wrap around and sets are complemented: meant, so not worth a warning in uncompiled runs.
if not COMPILED:
    np.seterr(over="ignore")


def cache_key(package: pathlib.Path = PACKAGE) -> str:
    """Hash of all that compiled code depends on, as 16 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(path for part in COMPILED_PARTS for path in (package / part).rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    versions = (sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
    flags = (config.OPT, config.BOUNDSCHECK, DEBUG)
    digest.update(repr((versions, flags)).encode())
    return digest.hexdigest()


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
    return pathlib.Path(home) / "murder_envs"


def _open_cache() -> pathlib.Path | None:
    """The folder for compiled code, made and marked as used; None where nothing can be written."""
    folder = cache_root() / cache_key()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
    except OSError as error:
        if os.environ.get("MURDER_ENVS_CACHE"):
            raise OSError(
                f"MURDER_ENVS_CACHE: cannot write to {cache_root()} ({error.strerror}); "
                "name a folder that can be written, or unset it for the user's cache folder"
            ) from error
        warnings.warn(
            f"murder_envs: compiled code cannot be kept in {folder} ({error.strerror}), so each start compiles anew; "
            "set MURDER_ENVS_CACHE to a folder that can be written",
            stacklevel=2,
        )
        return None
    _forget_old(folder)
    return folder


def _forget_old(folder: pathlib.Path) -> None:
    """Remove the folders beside this one that nobody has used for KEPT_DAYS."""
    limit = time.time() - KEPT_DAYS * 86_400
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if other != folder and (other / "used").stat().st_mtime < limit:
                import shutil

                shutil.rmtree(other, ignore_errors=True)


CACHE = _open_cache() if COMPILED else None
_subfolder = ""


@contextlib.contextmanager
def _in_subfolder(name: str) -> Iterator[None]:
    global _subfolder
    before, _subfolder = _subfolder, name
    try:
        yield
    finally:
        _subfolder = before


def kernel(function: Any) -> Any:
    """Compile a function on first use and keep the result on disk; to be called by other compiled functions.

    It has no wrapper for calls from Python, which would take a third of the time to compile: see `entry`. The
    functions of a driver are entries of themselves.
    """
    return _compile(function, from_python=_subfolder != "")


def inner(function: Any) -> Any:
    """A kernel of an inner loop: compiled for speed at the price of its size, and copied into its callers."""
    return _compile(function, from_python=False, pipeline=_InnerCompiler)


def entry(function: Any) -> Any:
    """A kernel that can be called from Python too; pass arrays, never a record (3 microseconds each)."""
    return _compile(function, from_python=True)


def _compile(function: Any, from_python: bool, pipeline: Any = None) -> Any:
    """The only door to numba in this project."""
    options = {
        "error_model": "numpy",
        "boundscheck": True if DEBUG else None,
        "nogil": True,
        "no_cpython_wrapper": not from_python,
        "no_cfunc_wrapper": True,
        "pipeline_class": pipeline or _CompactCompiler,
    }
    before = config.CACHE_DIR
    if CACHE is not None:
        config.CACHE_DIR = str(CACHE / _subfolder)
    try:
        compiled = numba.njit(function, cache=CACHE is not None, **options)
    except RuntimeError:  # a function that was typed in and lies in no file: it cannot be kept
        compiled = numba.njit(function, **options)
    finally:
        config.CACHE_DIR = before
    if COMPILED:
        _take_one_signature(compiled)
        if not from_python:
            _refuse_python(compiled)
    return compiled


class _CompactLower(Lower):
    """Code generation that tells LLVM to keep functions small: half the time to compile, within 5 % as fast."""

    attribute = "optsize"

    def setup_function(self, fndesc: Any) -> None:
        super().setup_function(fndesc)
        self.function.attributes.add(self.attribute)


class _InnerLower(_CompactLower):
    """Code generation that tells LLVM to copy a function into its callers."""

    attribute = "inlinehint"


@register_pass(mutates_CFG=True, analysis_only=False)
class _CompactLowering(NativeLowering):
    _name = "murder_envs_compact_lowering"

    @property
    def lowering_class(self) -> Any:
        return _CompactLower


@register_pass(mutates_CFG=True, analysis_only=False)
class _InnerLowering(NativeLowering):
    _name = "murder_envs_inner_lowering"

    @property
    def lowering_class(self) -> Any:
        return _InnerLower


class _CompactCompiler(CompilerBase):
    """Numba's own pipeline with another code generation."""

    lowering: Any = _CompactLowering

    def define_pipelines(self) -> list[Any]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [(self.lowering if p is NativeLowering else p, why) for p, why in pipeline.passes]
        pipeline.finalize()
        return [pipeline]


class _InnerCompiler(_CompactCompiler):
    lowering = _InnerLowering


def _take_one_signature(dispatcher: Any) -> None:
    """Let kernels call this one with any constant and any width of integer without compiling it anew for each.

    To numba each named constant is a type of its own, and so is each width of a record's field.
    """
    find = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return find([_widened(x) for x in args], {name: _widened(x) for name, x in kws.items()})

    dispatcher.get_call_template = get_call_template


def _refuse_python(dispatcher: Any) -> None:
    """Without a wrapper a call from Python would crash: keep it out of the dispatcher's fast path and raise."""

    def add_overload(result: Any) -> None:
        dispatcher.overloads[tuple(result.signature.args)] = result

    def refuse(*args: Any, **kws: Any) -> Any:
        raise TypeError(f"{dispatcher.__name__}: a kernel; call it from compiled code, or decorate it with `entry`")

    dispatcher.add_overload = add_overload
    dispatcher._compile_for_args = refuse


def _widened(kind: Any) -> Any:
    """Integers as 64 bits: sets (unsigned, 32 bits and more) stay unsigned, all others are int64."""
    kind = types.unliteral(kind)
    if not isinstance(kind, types.Integer):
        return kind
    return types.uint64 if not kind.signed and kind.bitwidth >= 32 else types.int64


CONTRACT = (
    "deal", "step", "legal", "observe", "redeal", "world", "returns", "to_act", "is_over", "is_cut_off", "heuristic",
    "is_consistent",
)  # fmt: skip
"""The compiled functions that every game hands over (see `murder_envs.ruleset`)."""


def bind(ruleset: Ruleset, driver: str | pathlib.Path) -> ModuleType:
    """The driver file `drivers/<driver>.py`, or that of a path, as a module of its own for this game.

    The file is executed with the names of CONTRACT already set to the game's functions, so that they are inlined, and
    with a cache folder of its own (two games with equal record types would run each other's code in a shared one).
    """
    path = driver if isinstance(driver, pathlib.Path) else PACKAGE / "drivers" / f"{driver}.py"
    name = f"murder_envs.drivers._{path.stem}__{ruleset.name}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise ValueError(f"driver: no {path.name} in {path.parent}")
    module = importlib.util.module_from_spec(spec)
    for part in CONTRACT:
        setattr(module, part, ruleset.kernels[part])
    sys.modules[name] = module
    try:
        with _in_subfolder(f"{ruleset.name}-{path.stem}"):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def records(dtype: np.dtype, n: int) -> np.ndarray:
    """n records of zeros; in uncompiled runs with fields as attributes, as compiled code has them."""
    array = np.zeros(n, dtype)
    return array if COMPILED else array.view(np.recarray)


def direct(function: Any, *arguments: Any) -> Any:
    """A kernel compiled for the types of these arguments, to be called from Python with no others.

    The dispatcher's look at the type of each argument, which costs more than a short kernel, is left out.
    """
    return function.compile(tuple(numba.typeof(x) for x in arguments)) if COMPILED else function
