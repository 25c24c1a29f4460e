"""The pages that follow from the code, one a game in docs/games: `python -m docs.generate`, or `make pages`.

A test fails when a page is stale. What is the same for every game stands in the texts of this file; all else comes from
the game: its declarations, docstrings, tables, named configurations, reference figures and rules.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from docs.rulebook import OURS, ROOT, implemented
from murder_envs.core.config import parameter_rows
from murder_envs.core.records import Field
from murder_envs.core.tables import Layout
from murder_envs.drivers.transcript import Game, at_random
from murder_envs.registry import GAMES, configs, env_id, make_ruleset, parameters
from murder_envs.registry import game as package_of
from murder_envs.ruleset import Ruleset

PAGES = ROOT / "docs" / "games"
PAYOFFS = {
    "identical": "all seats get the same",
    "zero_sum": "the returns add up to 0",
    "general_sum": "the returns need not add up to anything",
}
HISTORY = "Version history (raised by every change of play, observation or action ids):\n\n"
GAMES_FOR_EXAMPLES = 12
"""At most so many random games of each configuration are searched for an example of each block of actions."""


# -- Markdown ---------------------------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; a bar within a cell would end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(value: Any) -> str:
    """A value as code; "" for nothing."""
    return f"`{value}`" if str(value) else ""


def prose(text: str) -> str:
    """A paragraph, in lines as long as those of the other pages."""
    return textwrap.fill(" ".join(text.split()), 130, break_long_words=False, break_on_hyphens=False)


def section(title: str, *parts: str) -> str:
    """A section of parts with blank lines between them; empty parts are left out."""
    return "\n\n".join([f"## {title}", *filter(None, parts)])


def anchor(heading: str) -> str:
    """The fragment of a link to a heading, as GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def span(low: int, high: int) -> str:
    """From one number to another, in a form that no line breaks."""
    return str(low) if low == high else f"{low}..{high}"


# -- The page ---------------------------------------------------------------------------------------------------------


def page(name: str) -> str:
    """The page of a game."""
    ruleset = make_ruleset(name)
    docstring = inspect.getdoc(package_of(name)) or ""
    tagline = docstring.partition("\n")[0].partition(": ")[2]
    rules = f"../../murder_envs/games/{name}/rules"
    sections = [
        f"# {ruleset.title}",
        prose(tagline[0].upper() + tagline[1:]),
        f"![The table of {ruleset.title}](../pictures/{name}.svg)",
        f"- [The rules in our own words]({rules}.md), and [in short]({rules}_short.md)\n"
        f"- [{OURS}]({rules}.md#{anchor(OURS)})",
        facts(ruleset),
        creation(ruleset),
        arguments(ruleset),
        observations(ruleset),
        actions(ruleset),
        rewards(ruleset),
        configurations(ruleset),
        snapshots(ruleset),
        figures(ruleset),
        functions(ruleset),
        section("Version history", docstring.partition(HISTORY)[2]),
        "<!-- Written by `python -m docs.generate`; a test compares it with the code. -->",
    ]
    return "\n\n".join(sections) + "\n"


def rows_of(ruleset: Ruleset) -> list[Mapping[str, Any]]:
    """The game's parameters, as its Config declares them."""
    return parameter_rows(parameters(ruleset.name))


def facts(ruleset: Ruleset) -> str:
    """The table of facts, as PettingZoo's pages begin."""
    seats = {row["parameter"]: row["values"] for row in rows_of(ruleset)}
    low, high = ruleset.observation.bounds()
    agents = [code(agent) for agent in ruleset.agents]
    size = f"int8[{ruleset.observation.size}], values {low.min()} to {high.max()}"
    rows = [
        ("Import", f"`from murder_envs import {ruleset.name}_v0`"),
        ("Id", f"`{env_id(ruleset.name)}`, in PettingZoo's and in Gymnasium's registry"),
        ("Version of the game", ruleset.version),
        ("Seats", f"{seats.get('num_players', str(ruleset.n_seats))}; {ruleset.n_seats} by default"),
        ("Agents", " and ".join(agents) if len(agents) == 2 else f"{agents[0]} to {agents[-1]}"),
        ("Order", "one seat at a time (AEC); there is no parallel form"),
        ("Returns", f"{ruleset.payoffs.replace('_', '-')}: {PAYOFFS[ruleset.payoffs]}"),
        ("Action space", f"`Discrete({ruleset.actions.n})`, with a mask of the legal actions"),
        ("Observation", f"`observation`: {size}; `action_mask`: int8[{ruleset.actions.n}]"),
        ("State vector", f"`state()`: int8[{ruleset.world.size}]"),
        ("Phases", ", ".join(map(code, ruleset.phases))),
        ("Length", lengths(ruleset)),
    ]
    return section("Facts", table(["", "in the default configuration"], rows))


def lengths(ruleset: Ruleset) -> str:
    """How many decisions a game takes, by the reference figures of the default configuration."""
    means = {
        str(row["player"]): row["figures"]["decisions"]
        for row in read_data(ruleset.name, "figures.toml")["row"]
        if "decisions" in row["figures"] and make_ruleset(ruleset.name, **row["config"]).config == ruleset.config
    }
    who = {"random": "random players", "heuristic": "scripted players"}
    return ", ".join(f"{means[each]:.0f} decisions among {who[each]}" for each in who if each in means)


def creation(ruleset: Ruleset) -> str:
    """A program that makes the environment and reads a first observation."""
    block = next(iter(ruleset.observation))
    program = f"""\
```python
from murder_envs import {ruleset.name}_v0

env = {ruleset.name}_v0.env()
env.reset(seed=7)
observation, reward, termination, truncation, info = env.last()
legal = [env.action_names[action] for action in observation["action_mask"].nonzero()[0]]
print(env.agent_selection, env.asked(), legal)
print(observation["observation"][env.observation_layout["{block}"].slice])
```"""
    more = """`raw_env` takes the same arguments; there an illegal action raises `ValueError` and changes nothing.
        [The AEC loop](../aec.md) and [vector environments](../vector.md) tell the rest."""
    return section("Creation", program, prose(more))


def arguments(ruleset: Ruleset) -> str:
    """The parameters, from the game's Config, and what the values of options mean."""
    rows = rows_of(ruleset)
    text = """All are keywords of `env` and `raw_env`. `render_mode` and `render_seat` come first in every game: see
        [pictures](../pictures.md). A wrong value raises a `ValueError` that names the parameter."""
    every = [(code(row["parameter"]), code(repr(row["default"])), row["values"], row["meaning"]) for row in rows]
    options = [
        (code(row["parameter"]), code(f'"{value}"'), meaning)
        for row in rows
        if row["parameter"] != "reward"
        for value, meaning in row["meanings"].items()
    ]
    own = (
        f", and {', '.join(map(code, ruleset.options))}, which then holds for that game alone"
        if ruleset.options
        else ""
    )
    return section(
        "Arguments",
        prose(text),
        table(["parameter", "default", "values", "meaning"], every),
        "What the options mean; those of `reward` stand [below](#rewards):",
        table(["parameter", "value", "meaning"], options),
        prose(f"`reset(options=...)` takes `snapshot`, see [below](#snapshot-fields){own}."),
    )


def observations(ruleset: Ruleset) -> str:
    """The blocks of an observation and of the state vector."""
    text = """The vector is made of these blocks. Seats are relative to whoever looks: 0 is oneself, 1 the next to the
        left. `env.observation_layout[name].slice` finds a block."""
    return section(
        "Observation",
        prose(text),
        layout_table(ruleset.observation),
        "### State vector",
        prose("`env.state()` is the whole truth. Seats are absolute; `env.state_layout` has the blocks."),
        layout_table(ruleset.world),
    )


def layout_table(layout: Layout) -> str:
    """A row for each block of a layout."""
    rows = [
        (
            code(name),
            span(block.slice.start, block.slice.stop - 1),
            " x ".join(map(str, block.shape)),
            span(block.low, block.high),
            block.meaning,
        )
        for name, block in layout.items()
    ]
    return table(["block", "bytes", "shape", "values", "meaning"], rows)


def actions(ruleset: Ruleset) -> str:
    """The blocks of the action table, each with an example from play."""
    text = """`env.action_names` and `env.action_id` translate ids and names. Seats in names are relative to whoever
        acts. `env.describe(action, seat)` says what a legal action means; the examples are such sentences, as the
        acting seat reads them in a random game."""
    found = examples(ruleset)
    starts = [*ruleset.actions.starts.values(), ruleset.actions.n]
    rows = []
    for block, start, stop in zip(ruleset.actions.starts, starts, starts[1:]):
        names = [code(name) for name in ruleset.actions.names[start:stop]]
        shown = f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0]
        rows.append((code(block), span(start, stop - 1), shown, found.get(block, "")))
    return section("Actions", prose(text), table(["block", "ids", "names", "example"], rows))


def examples(ruleset: Ruleset) -> dict[str, str]:
    """Block of actions -> an action and its meaning, from the first random game in which one of the block is legal."""
    found: dict[str, str] = {}
    for keywords in [*configs(ruleset.name).values(), *read_data(ruleset.name, "configs.toml").values()]:
        configured = make_ruleset(ruleset.name, **keywords)
        for seed in range(GAMES_FOR_EXAMPLES):
            if ruleset.actions.starts.keys() == found.keys():
                return found
            play_for_examples(Game(configured, seed), found)
    return found


def play_for_examples(game: Game, found: dict[str, str]) -> None:
    """Play a game at random, and note the first action of each block that has none yet."""
    choose, actions = at_random(game.seed), game.ruleset.actions
    blocks, starts = list(actions.starts), np.array(list(actions.starts.values()))
    while not game.over:
        for action in game.cursor.legal():
            block = blocks[int(np.searchsorted(starts, action, "right")) - 1]
            if block not in found:
                name = actions.names[action]
                found[block] = f"{code(name)}: {' '.join(game.describe(name, game.seat).split())}"
        game.act(choose(game))


def rewards(ruleset: Ruleset) -> str:
    """Who gets which reward when, by the value of `reward`."""
    text = """Every reward is 0 until the game ends; then each seat gets its return, once, from -1 to 1. So with a
        discount of 1 the sum of a seat's rewards is its return. What the returns are, the parameter `reward` says:"""
    (row,) = [row for row in rows_of(ruleset) if row["parameter"] == "reward"]
    rows = [
        (
            code(f'"{value}"') + (", the default" if value == row["default"] else ""),
            meaning,
            make_ruleset(ruleset.name, reward=value).payoffs.replace("_", "-"),
        )
        for value, meaning in row["meanings"].items()
    ]
    return section("Rewards", prose(text), table(["`reward`", "who gets what at the end", "returns"], rows))


def configurations(ruleset: Ruleset) -> str:
    """The named configurations."""
    text = f"""`{ruleset.name}_v0.env(**{ruleset.name}_v0.CONFIGS[name])` makes a named one.
        [Small games solved exactly](../../benchmarks/exact.md) tells which of them are."""
    rows = []
    for name, keywords in configs(ruleset.name).items():
        made = make_ruleset(ruleset.name, **keywords)
        shown = ", ".join(f"{key}={value!r}" for key, value in keywords.items())
        rows.append((code(name), made.n_seats, made.actions.n, made.observation.size, code(shown)))
    return section(
        "Configurations", prose(text), table(["name", "seats", "actions", "observation", "parameters"], rows)
    )


def snapshots(ruleset: Ruleset) -> str:
    """The fields of a snapshot: those of the declared State, and those that need code."""
    text = """`env.snapshot()` gives all of them, and `reset` takes any of them: see [snapshots](../snapshots.md). Seats
        are absolute. *Public* is what everybody at the table sees."""
    where = GAMES[ruleset.name]
    special = importlib.import_module(f"{where}.snapshots")
    state = importlib.import_module(f"{where}.state").State
    declared = {field.snapshot: field for field in state.fields.values() if field.snapshot}
    public = {name for name, field in declared.items() if field.public} | {*special.SEEN_BY_ALL}
    shown = Game(ruleset, 0).snapshot()
    meanings = {name: in_snapshots(field) for name, field in declared.items()} | special.SPECIAL
    rows = [
        (code(name), type(shown[name]).__name__, "yes" if name in public else "", meaning)
        for name, meaning in meanings.items()
    ]
    return section("Snapshot fields", prose(text), table(["field", "type", "public", "meaning"], rows))


def in_snapshots(field: Field) -> str:
    """The meaning of a declared field, with the value that a snapshot has for nothing."""
    nothing = '""' if field.kind == "choice" else str(field.empty)
    each = "for each seat: " if field.shape and field.entries == "n_seats" else ""
    return each + re.sub(r"NO_[A-Z]+|NOTHING|NOBODY", nothing, field.meaning)


def read_data(name: str, file: str) -> dict[str, Any]:
    """A file of a game's test data."""
    return tomllib.loads((ROOT / "tests" / "data" / name / file).read_text(encoding="utf-8"))


def figures(ruleset: Ruleset) -> str:
    """The reference figures: a row for each configuration and choice of players."""
    usual = read_data(ruleset.name, "figures.toml")
    names = list(dict.fromkeys(name for row in usual["row"] for name in row["figures"]))
    rows = []
    for row in usual["row"]:
        steps = usual["rounded"] | row.get("rounded", {})
        numbers = [rounded(row["figures"][name], steps[name]) if name in row["figures"] else "" for name in names]
        rows.append((row["name"], row.get("games", usual["games"]), *numbers))
    measured = ruleset.figures.func if isinstance(ruleset.figures, functools.partial) else ruleset.figures
    text = f"""Means over many games of a build that is independent of this one. The name of a row says who plays,
        and in which configuration: `tests/data/{ruleset.name}/figures.toml` has it in full. `decisions` is the
        length of a game, and `branching` the mean number of legal actions."""
    return section(
        "Reference figures",
        prose(text),
        "What the game itself measures:",
        textwrap.indent(prose(inspect.getdoc(measured) or ""), "> "),
        table(["players and configuration", "games", *map(code, names)], rows),
        "This compares the build with them:",
        f"    python -m pytest tests/test_figures.py -k {ruleset.name}",
    )


def rounded(value: float, step: float) -> str:
    """A figure with as many digits as it is rounded to."""
    return f"{value:.{max(0, -math.floor(math.log10(step)))}f}"


def functions(ruleset: Ruleset) -> str:
    """The rulebook's headings, with the functions that implement them."""
    folder = f"../../murder_envs/games/{ruleset.name}"
    text = f"""By the headings of the [rules]({folder}/rules.md), which are the rulebook's. `legal_<phase>` says what
        may be done in a phase, and `apply_<phase>` what that does."""
    rows = []
    for heading, item, found in implemented(ruleset.name, ruleset.rules_full):
        link = f"[{heading}]({folder}/rules.md#{anchor(heading)})"
        links = [f"[`{each.file}.{each.name}`]({folder}/{each.file}.py#{each.name})" for each in found]
        rows.append((f"{link}: {item}" if item else link, ", ".join(links)))
    return section("The rules in the code", prose(text), table(["heading", "functions"], rows))


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for name in GAMES:
        (PAGES / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
