"""The pages of documentation: what follows from the code is fresh, links lead somewhere, and programs run."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from docs.generate import anchor, page
from docs.rulebook import OURS, functions_of, headings, implemented
from murder_envs.core.config import parameter_rows
from murder_envs.registry import GAMES, game as package_of, parameters
from tests.support import ROOT, ruleset_of

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md"),
                *ROOT.glob("murder_envs/**/*.md")])  # fmt: skip
GUIDES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]


def read(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8")
