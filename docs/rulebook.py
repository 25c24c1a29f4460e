"""Which functions implement which heading of a game's rules, from what the code says of itself.

A section of code (`# -- Game Turns ---`), the first line of a file's docstring, and what stands before the colon of a
function's docstring (`Game End: ...`) name headings of the rules, or bold items of their lists.
"""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[1]
OURS = "Where the rulebook is silent, and what is ours"
"""The heading below which the rules are no longer the rulebook's."""
FILES = ("deal", "generator", "play", "effects", "series")
"""The files of a game that have the rules."""


class Function(NamedTuple):
    """A function or class of a game's rules: its file, its name, and the titles that say what it is about."""

    file: str
    name: str
    titles: tuple[str, str]


def implemented(game: str, rules: str) -> Iterator[tuple[str, str, list[Function]]]:
    """(heading, item or "", its functions) in the order of the rules, for all that any function is about."""
    functions = [*functions_of(game)]
    for heading, item in headings(rules):
        found = [each for each in functions if any(is_about(title, item or heading) for title in each.titles)]
        if found:
            yield heading, item, found


def headings(rules: str) -> Iterator[tuple[str, str]]:
    """(heading, "") for each heading below the title, and (heading, item) for each bold item of a list."""
    heading = ""
    for line in rules.partition(f"## {OURS}")[0].splitlines():
        if found := re.match(r"##+ (.+)", line):
            heading = found[1]
            yield heading, ""
        elif found := re.match(r"(?:-|\d+\.) \*\*(.+?)\.?\*\*", line):
            yield heading, found[1]


def is_about(title: str, name: str) -> bool:
    """Does a title name this heading or item? `14. The Doctor` names `Doctor`, and `DRAIN` names `Drain (D)`."""
    name = re.sub(r"^\d+\. | \(.+\)$", "", name).lower()
    title = re.sub(r"^\d+\. (?:The )?", "", title).lower()
    return title.startswith(f"{name}:") or name in {title, *re.split(r": |,? and |, ", title)}


def functions_of(game: str) -> Iterator[Function]:
    """The functions and classes of the files with rules, in their order."""
    for file in FILES:
        path = ROOT / "murder_envs" / "games" / game / f"{file}.py"
        if path.exists():
            source = path.read_text(encoding="utf-8")
            tree = ast.parse(source)
            sections = {
                number: re.sub(r" -+$", "", line.removeprefix("# -- ")).rstrip()
                for number, line in enumerate(source.splitlines(), 1)
                if line.startswith("# -- ")
            }
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    above = [title for number, title in sections.items() if number < node.lineno]
                    section = above[-1] if above else first_line(tree) if ":" in first_line(tree) else ""
                    yield Function(file, node.name, (section, first_line(node).partition(":")[0]))


def first_line(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    """The first line of a docstring."""
    return (ast.get_docstring(node) or "").partition("\n")[0]
