"""What every client script ends with: run its functions one by one, and say of each whether it works."""

from __future__ import annotations

import importlib.metadata
import json
import types
from collections.abc import Mapping, Sequence
from typing import Any

from murder_envs.core.checks import in_a_line

RESULT = "client: "
"""What a line of results begins with; libraries print lines of their own."""


def run(script: Mapping[str, Any], libraries: Sequence[str]) -> None:
    """Call all functions of a script whose names begin with a letter, in their order.

    For each a line of JSON is printed: `how`, the first line of its docstring, and `error`, "" if there was none. The
    first line has `versions`, those of the libraries.
    """
    versions = {name: importlib.metadata.version(name) for name in libraries}
    print(RESULT + json.dumps({"versions": versions}), flush=True)
    for name, function in [*script.items()]:
        if isinstance(function, types.FunctionType) and function.__module__ == "__main__" and name[0] != "_":
            error = ""
            try:
                function()
            except Exception as caught:
                error = in_a_line(f"{type(caught).__name__}: {caught}")
            how = (function.__doc__ or name).splitlines()[0].rstrip(".")
            print(RESULT + json.dumps({"how": how, "error": error}), flush=True)
