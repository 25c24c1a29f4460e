"""The one decorator for compiled code, and `bind`, which compiles a driver for a game.

Every kernel goes through `_compile`, the only door to numba in this project. What it compiled is kept on disk, see
`murder_envs.core.cache`.

**Uncompiled runs.** With `NUMBA_DISABLE_JIT=1` kernels are plain Python, for debugging and coverage, and mean the
same: records have their fields as attributes (`records`), and a number read from a field, handed to a kernel or
returned by one is what it is to compiled code: an int, but for sets (unsigned, 32 bits and more), which are uint64. So
no kernel needs a cast on their account.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import pathlib
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import config, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from murder_envs.core.cache import PACKAGE, KernelCache, Sources, open_root

if TYPE_CHECKING:
    from murder_envs.ruleset import Ruleset

COMPILED = not config.DISABLE_JIT
DEBUG = os.environ.get("MURDER_ENVS_DEBUG", "") not in ("", "0")
"""`MURDER_ENVS_DEBUG=1`: bounds checks, and the invariants written as `if DEBUG:` in the kernels."""

CACHE = open_root(DEBUG) if COMPILED else None
SOURCES = Sources(None if CACHE is None else CACHE.path / "sources.json")

# Random numbers wrap around and sets are complemented: meant, so not worth a warning in uncompiled runs.
if not COMPILED:
    np.seterr(over="ignore")

LOCK = threading.RLock()
"""Held while a driver is bound: two threads that use a game first both wait for one module."""


# -- Decorators -------------------------------------------------------------------------------------------------------


def kernel(function: Any) -> Any:
    """Compile a function on first use and keep the result on disk; to be called by other compiled functions.

    It has no wrapper for calls from Python, which would take a third of the time to compile: see `entry`. The
    functions of a driver are entries of themselves.
    """
    return _compile(function, from_python=_driver_of(function) is not None)


def inner(function: Any) -> Any:
    """A kernel of an inner loop: compiled for speed at the price of its size, and copied into its callers."""
    return _compile(function, from_python=False, pipeline=_InnerCompiler)


def entry(function: Any) -> Any:
    """A kernel that can be called from Python too; pass arrays, never a record (3 microseconds each)."""
    return _compile(function, from_python=True)


def _compile(function: Any, from_python: bool, pipeline: Any = None) -> Any:
    """The only door to numba in this project."""
    if not COMPILED:
        return _as_compiled(function)
    compiled = numba.njit(
        function,
        error_model="numpy",
        boundscheck=True if DEBUG else None,
        nogil=True,
        no_cpython_wrapper=not from_python,
        no_cfunc_wrapper=True,
        pipeline_class=pipeline or _CompactCompiler,
    )
    if CACHE is not None and (folder := _folder_of(function)) is not None:
        compiled._cache = KernelCache(function, CACHE, folder)
    _take_one_signature(compiled)
    if not from_python:
        _refuse_python(compiled)
    return compiled


# -- The folder of a kernel -------------------------------------------------------------------------------------------

_depends_on: dict[str, tuple[str, frozenset[pathlib.Path]]] = {}
"""Bound driver, by its module's name -> the name of its folder, and the files that it and the game's kernels lie in."""


def _driver_of(function: Any) -> str | None:
    """The bound driver that a function belongs to; None for any other function."""
    return function.__module__ if function.__module__ in _depends_on else None


def _folder_of(function: Any) -> pathlib.Path | None:
    """Where a kernel's compiled code is kept; None for a function that was typed in and lies in no file."""
    path = pathlib.Path(function.__code__.co_filename)
    return _folder(function.__module__, path) if path.is_file() else None


@functools.cache
def _folder(module: str, path: pathlib.Path) -> pathlib.Path | None:
    assert CACHE is not None
    name, files = _depends_on.get(module) or (module.removeprefix(f"{PACKAGE.name}."), frozenset({path.resolve()}))
    folder = CACHE.path / f"{name}-{SOURCES.fingerprint(set(files))}"
    if CACHE.can_write and folder.is_dir():
        (folder / "used").touch()
    return folder


# -- Numba's pipeline, with another code generation -------------------------------------------------------------------


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


# -- Drivers ----------------------------------------------------------------------------------------------------------

CONTRACT = (
    "deal", "step", "legal", "observe", "redeal", "world", "returns", "to_act", "is_over", "is_cut_off", "heuristic",
    "is_consistent",
)  # fmt: skip
"""The compiled functions that every game hands over (see `murder_envs.ruleset`)."""

_bound: dict[str, tuple[pathlib.Path, ModuleType]] = {}
"""Module's name -> the driver file, and the module."""


def bind(ruleset: Ruleset, driver: str | pathlib.Path) -> ModuleType:
    """The driver file `drivers/<driver>.py`, or that of a path, as a module of its own for this game.

    The file is executed with the names of CONTRACT already set to the game's functions, so that they are inlined. Two
    games with equal record types would run each other's code, so each has a folder of its own for what was compiled.

    Raises:
        ValueError: `driver`: there is no such file, or another one of this name is bound already.
    """
    path = driver if isinstance(driver, pathlib.Path) else PACKAGE / "drivers" / f"{driver}.py"
    name = f"murder_envs.drivers._{path.stem}__{ruleset.name}"
    with LOCK:
        if name not in _bound:
            _bound[name] = path, _execute(name, path, ruleset)
        bound, module = _bound[name]
        if bound != path:
            raise ValueError(f"driver: {bound} has the name of {path} already")
        return module


def _execute(name: str, path: pathlib.Path, ruleset: Ruleset) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise ValueError(f"driver: no {path.name} in {path.parent}")
    module = importlib.util.module_from_spec(spec)
    for part in CONTRACT:
        setattr(module, part, ruleset.kernels[part])
    of_the_game = {pathlib.Path(ruleset.kernels[part].__code__.co_filename).resolve() for part in CONTRACT}
    _depends_on[name] = (f"{ruleset.name}-{path.stem}", frozenset({path.resolve(), *of_the_game}))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def direct(function: Any, *arguments: Any) -> Any:
    """A kernel compiled for the types of these arguments, to be called from Python with no others.

    The dispatcher's look at the type of each argument, which costs more than a short kernel, is left out. So is numba's
    way from a record type to its own, which takes most of a millisecond: it is gone once for each game.
    """
    if not COMPILED:
        return function
    key = (function, *map(_kind, arguments))
    if key not in _direct:
        _direct[key] = function.compile(tuple(numba.typeof(x) for x in arguments))
    return _direct[key]


_direct: dict[tuple[Any, ...], Any] = {}
"""What `direct` has compiled, by the kernel and the kinds of its arguments."""


def _kind(argument: Any) -> Any:
    """What numba's type of an argument depends on."""
    if not isinstance(argument, np.ndarray):
        return type(argument)
    flags = argument.flags
    return argument.dtype, argument.ndim, flags.writeable, flags.c_contiguous, flags.f_contiguous, flags.aligned


# -- Records, compiled and not ----------------------------------------------------------------------------------------


def records(dtype: np.dtype, n: int) -> np.ndarray:
    """n records of zeros; in uncompiled runs with fields as attributes, as compiled code has them."""
    array = np.zeros(n, dtype)
    return array if COMPILED else array.view(_Records)


def copied(array: np.ndarray) -> np.ndarray:
    """A copy of an array of records. By itself numpy copies them field by field, which takes ten times as long."""
    return array.view(np.dtype((np.void, array.itemsize))).copy().view(array.dtype)


def copy_into(target: np.ndarray, array: np.ndarray) -> None:
    """Write records over as many others of the same type, likewise."""
    whole = np.dtype((np.void, target.itemsize))
    target.view(whole)[:] = array.view(whole)


def _meaning(value: Any) -> Any:
    """A numpy number as compiled code has it: a set as uint64, any other integer as an int."""
    if isinstance(value, np.unsignedinteger) and value.itemsize >= 4:
        return np.uint64(value)
    if isinstance(value, np.integer):
        return int(value)
    return value


def _as_compiled(function: Any) -> Any:
    """A kernel of an uncompiled run: its arguments are what they are to compiled code."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        return _meaning(function(*map(_meaning, arguments)))

    return run


class _Row(np.ndarray):
    """An array in a record of an uncompiled run."""

    def __getitem__(self, at: Any) -> Any:
        return _meaning(super().__getitem__(at))

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, _stored(value, self.dtype))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


class _Records(np.ndarray):
    """Records of an uncompiled run."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return _Record(found) if isinstance(found, np.void) else found

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, value._void if isinstance(value, _Record) else value)


class _Record:
    """A record of an uncompiled run: numbers and arrays by attribute for kernels, plain numpy by key for Python."""

    __slots__ = ("_void",)

    def __init__(self, void: np.void) -> None:
        object.__setattr__(self, "_void", void)

    @property
    def dtype(self) -> np.dtype:
        return self._void.dtype

    def __getitem__(self, name: Any) -> Any:
        return self._void[name]

    def __setitem__(self, name: Any, value: Any) -> None:
        self._void[name] = value

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._void[name]
        except ValueError:
            raise AttributeError(name) from None
        return value.view(_Row) if isinstance(value, np.ndarray) else _meaning(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._void[name] = _stored(value, self._void.dtype[name])


def _stored(value: Any, dtype: np.dtype) -> Any:
    """A number as a field of some type takes it: its low bits, as in compiled code."""
    if isinstance(value, (int, np.integer)) and dtype.kind in "iu":
        return np.array(int(value) & (1 << 8 * dtype.itemsize) - 1, f"u{dtype.itemsize}").astype(dtype)
    return value
