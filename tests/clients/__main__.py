"""Try other people's libraries on this package, each in a virtual environment of its own: `make test-clients`.

    python -m tests.clients              all of them; writes docs/clients.md
    python -m tests.clients torchrl      some of them; writes nothing

Each `<library>.py` beside this file is a client: what it needs besides this package (`REQUIRES`), the libraries whose
versions are told (`LIBRARIES`), and functions that use them, one way each. The exit status is 1 if a way fails.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import pathlib
import platform
import subprocess
import sys
from typing import Any, NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "clients.md"
ENVIRONMENTS = ROOT / ".clients"
RESULT = "client: "
"""As in `report.py`, which needs this package to be installed; this program does not."""

PATIENCE = 1800
"""Seconds that a client may take."""

HEAD = """\
# Other libraries

Written by `make test-clients`, which installs each library in a virtual environment of its own and runs the script
`tests/clients/<library>.py` there; last with Python {python} on {system}. Where nothing else is said, a way was tried
with all four games.

| library | version | how | works |
|---|---|---|---|
"""


class Way(NamedTuple):
    """A row of the page: a library, a way to use it, and what came of it."""

    library: str
    versions: str
    how: str
    works: str


def clients() -> list[str]:
    """All client scripts by name."""
    names = {path.stem for path in pathlib.Path(__file__).parent.glob("*.py")}
    return sorted(names - {"__init__", "__main__", "report"})


def constant(client: str, name: str) -> tuple[str, ...]:
    """A constant of a client script, which cannot be imported here."""
    tree = ast.parse(pathlib.Path(__file__).with_name(f"{client}.py").read_text(encoding="utf-8"))
    values = [each.value for each in tree.body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name]
    return tuple(ast.literal_eval(values[0]))


def install(client: str) -> tuple[pathlib.Path, str]:
    """The interpreter of a client's environment, made if need be; and what pip complains of, "" if nothing."""
    folder = ENVIRONMENTS / client
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "-c", "constraints.txt"]
    done = subprocess.run([*pip, "-e", ".", *constant(client, "REQUIRES")], cwd=ROOT, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return python, (errors[-1] if errors else f"pip ended with {done.returncode}") if done.returncode else ""


def try_out(client: str) -> list[Way]:
    """Install a client and run its script."""
    python, complaint = install(client)
    if complaint:
        return [Way(", ".join(constant(client, "LIBRARIES")), "", "", f"not run: {complaint}")]
    done = subprocess.run(
        [str(python), "-W", "ignore", "-m", f"tests.clients.{client}"],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    lines = [line.removeprefix(RESULT) for line in done.stdout.splitlines() if line.startswith(RESULT)]
    told: list[dict[str, Any]] = [json.loads(line) for line in lines]
    if done.returncode:
        told.append({"how": "the whole script", "error": (done.stderr.splitlines() or ["no output"])[-1]})
    versions = told[0].get("versions", {})
    names, numbers = ", ".join(versions), ", ".join(versions.values())
    return [
        Way(names, numbers, way["how"], f"no: {way['error']}" if way["error"] else "yes")
        for way in told
        if "how" in way
    ]


def page(ways: list[Way]) -> str:
    """The page with all rows; a library and its version stand in the first of its rows."""
    rows, before = [], ""
    for way in ways:
        first = way.library != before
        before = way.library
        cells = (way.library if first else "", way.versions if first else "", way.how, way.works)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return HEAD.format(python=platform.python_version(), system=platform.system()) + "".join(rows)


def main() -> int:
    """Try out clients; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", choices=[[], *clients()], help="left out: all")
    chosen = parser.parse_args().clients
    ways: list[Way] = []
    for client in chosen or clients():
        for way in try_out(client):
            print(f"{client}: {way.how}: {way.works}", flush=True)
            ways.append(way)
    if not chosen:
        PAGE.write_text(page(ways), encoding="utf-8")
    return int(any(way.works.startswith("no:") for way in ways))


if __name__ == "__main__":
    sys.exit(main())
