"""Case files: the printed material that the rulebook leaves to the box, read and checked. Never compiled.

A case is data: it changes sizes, names and tables, never compiled code. What is checked makes every case a game: each
plan can be carried out, leaves marks that tell it from every other, and can be found out.
"""

from __future__ import annotations

import os
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murder_envs.core.checks import fail, is_int, shown
from murder_envs.games.perfect_murder import cards as c

FOLDER = pathlib.Path(__file__).parent / "cases"
BUILT_IN = ("villa", "tiny", "micro")
KEYS = (
    "name", "scene", "outer", "rooms", "doors", "traces", "room_cards", "clues", "suspects", "weapons", "action_cards",
    "boards",
)  # fmt: skip
OPTIONAL = ("words", "plan")
MAX_CHARACTERISTICS = MAX_VALUES = 6
MAX_WORD = 24
"""Letters of a name as people read it."""
MAX_ROWS, MAX_COLUMNS = 8, 6
"""Of the floor plan."""
NAME = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True)
class Case:
    """A checked case, with numbers in place of names where kernels need them.

    Attributes:
        name: what it is called.
        rooms, doors, suspects, weapons: names in order.
        fields: names of all clues, then all traces.
        n_clues: how many fields are clues.
        scene: the room of the crime.
        outer: rooms in which a path may begin, in the order of `rooms`.
        door_rooms: the two rooms of each door.
        suspect_fields, weapon_fields: fields that each leaves.
        weapon_rooms: where each weapon lies.
        room_cards: the two rooms on each card.
        action_cards: copies of each action card.
        black, down: board -> spaces from 1; those that also carry the face-down symbol.
        paths: every way from an outer room to the scene, as lists of rooms.
        path_chances: how likely each is if all steps are drawn.
        words: name -> how people read it; for the others, blanks stand in place of underscores.
        plan: the floor plan as rows of rooms, NOBODY where there is none; no rows if the case has no plan.
    """

    name: str
    rooms: tuple[str, ...]
    doors: tuple[str, ...]
    suspects: tuple[str, ...]
    weapons: tuple[str, ...]
    fields: tuple[str, ...]
    n_clues: int
    scene: int
    outer: tuple[int, ...]
    door_rooms: tuple[tuple[int, int], ...]
    suspect_fields: tuple[tuple[int, ...], ...]
    weapon_fields: tuple[tuple[int, ...], ...]
    weapon_rooms: tuple[int, ...]
    room_cards: tuple[tuple[int, int], ...]
    action_cards: tuple[int, ...]
    black: Mapping[str, tuple[int, ...]]
    down: Mapping[str, tuple[int, ...]]
    paths: tuple[tuple[int, ...], ...]
    path_chances: tuple[float, ...]
    words: Mapping[str, str]
    plan: tuple[tuple[int, ...], ...]

    def kind_of(self, field: int) -> str:
        """Is a field a clue or a trace?"""
        return c.KINDS[c.CLUE if field < self.n_clues else c.TRACE]


def kept(source: Any) -> str | Mapping[str, Any]:
    """A case as a configuration keeps it: the name of a built-in one, or a table.

    A file is read here, once: what was pickled or saved with a case is still of that case when the file is another one.

    Args:
        source: a name, the path of a TOML file, or a table.

    Raises:
        ValueError: `case`: it is none of these, or the file cannot be read.
    """
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, (str, os.PathLike)):
        fail("case", f"a name, a path or a table, not {shown(source)}")
    if source in BUILT_IN:
        return str(source)
    path = pathlib.Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        fail(
            "case", f"one of {', '.join(map(repr, BUILT_IN))} or a case file that can be read, not {shown(str(source))}"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fail("case", f"{path} is no TOML file: {error}")


def load(case: str | Mapping[str, Any]) -> Case:
    """The case that a name or a table says; ValueError names `case.<key>`."""
    return check(built_in(case) if isinstance(case, str) else case)


def built_in(name: str) -> dict[str, Any]:
    """A built-in case as a table."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def check(source: Mapping[str, Any]) -> Case:
    """Check a case's table key by key; the first fault names its key."""
    table = dict(source)
    own = set(table)
    if "base" in table:
        base = table.pop("base")
        if not isinstance(base, str) or base not in BUILT_IN:
            fail("case.base", f"one of {', '.join(map(repr, BUILT_IN))}, not {shown(base)}")
        table = built_in(base) | table
    for key in table:
        if key not in KEYS + OPTIONAL:
            fail(f"case.{key}", f"unknown key; there are {', '.join(KEYS + OPTIONAL)}")
    for key in KEYS:
        if key not in table:
            fail(f"case.{key}", "missing")
    if not isinstance(table["name"], str) or not table["name"]:
        fail("case.name", f"text, not {shown(table['name'])}")

    rooms = names("rooms", table["rooms"], 3, c.MAX_ROOMS)
    scene = one_of("scene", table["scene"], rooms)
    outer = [one_of("outer", room, rooms) for room in a_list("outer", table["outer"], 2, c.MAX_ROOMS - 1)]
    no_repeats("outer", outer)
    if scene in outer:
        fail("case.outer", f"never the scene, {rooms[scene]}")

    doors, door_rooms = check_doors(table["doors"], rooms)
    clues, traces, values = check_fields(table["clues"], table["traces"])
    suspects, suspect_fields = check_suspects(table["suspects"], clues, values)
    weapons, weapon_rooms, weapon_fields = check_weapons(table["weapons"], rooms, scene, traces)
    room_cards = check_room_cards(table["room_cards"], rooms, scene)
    action_cards = check_action_cards(table["action_cards"])
    black, down = check_boards(table["boards"])
    paths = check_paths(rooms, scene, outer, door_rooms, weapons, weapon_rooms)
    return Case(
        name=table["name"],
        rooms=tuple(rooms),
        doors=tuple(doors),
        suspects=tuple(suspects),
        weapons=tuple(weapons),
        fields=(*clues, *traces),
        n_clues=len(clues),
        scene=scene,
        outer=tuple(sorted(outer)),
        door_rooms=tuple(door_rooms),
        suspect_fields=tuple(suspect_fields),
        weapon_fields=tuple(tuple(len(clues) + trace for trace in left) for left in weapon_fields),
        weapon_rooms=tuple(weapon_rooms),
        room_cards=tuple(room_cards),
        action_cards=tuple(action_cards),
        black=black,
        down=down,
        paths=tuple(paths),
        path_chances=tuple(paths.values()),
        words=check_words(table.get("words", {}), (rooms, [*clues, *traces], suspects, weapons), "words" in own),
        plan=check_plan(table.get("plan", ()) if "plan" in own or "rooms" not in own else (), rooms),
    )


# -- What every check needs -------------------------------------------------------------------------


def a_list(key: str, value: Any, least: int, most: int) -> list[Any]:
    """A list of least..most entries."""
    if not isinstance(value, (list, tuple)):
        fail(f"case.{key}", f"a list, not {shown(value)}")
    if not least <= len(value) <= most:
        fail(f"case.{key}", f"{least} to {most} entries, not {len(value)}")
    return list(value)


def a_table(key: str, value: Any, least: int, most: int) -> dict[str, Any]:
    """A table of least..most entries with proper names."""
    if not isinstance(value, Mapping):
        fail(f"case.{key}", f"a table, not {shown(value)}")
    names(key, list(value), least, most)
    return dict(value)


def names(key: str, value: Any, least: int, most: int) -> list[str]:
    """A list of least..most different names of small letters, digits and underscores."""
    entries = a_list(key, value, least, most)
    for name in entries:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            fail(f"case.{key}", f"names of small letters, digits and underscores, not {shown(name)}")
    no_repeats(key, entries)
    return entries


def one_of(key: str, name: Any, known: Sequence[str]) -> int:
    """The place of a name among those known."""
    if not isinstance(name, str) or name not in known:
        fail(f"case.{key}", f"one of {', '.join(known)}, not {shown(name)}")
    return known.index(name)


def no_repeats(key: str, values: Sequence[Any]) -> None:
    """No entry twice."""
    for i, value in enumerate(values):
        if value in values[:i]:
            fail(f"case.{key}", f"{shown(value)} occurs twice")


# -- The checks, in the order of the keys -----------------------------------------------------------


def check_doors(value: Any, rooms: Sequence[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """At most one door between two rooms, so that a list of rooms is a path of doors; the villa is connected.

    Returns:
        The doors by name, and the two rooms of each.
    """
    doors = a_list("doors", value, 2, c.MAX_DOORS)
    ends = []
    for door in doors:
        two = door.split("-") if isinstance(door, str) else []
        if len(two) != 2 or two[0] == two[1]:
            fail("case.doors", f"two different rooms as in 'hall-study', not {shown(door)}")
        ends.append((one_of("doors", two[0], rooms), one_of("doors", two[1], rooms)))
    no_repeats("doors", [frozenset(pair) for pair in ends])
    reached, size = {0}, 0
    while size < len(reached):
        size = len(reached)
        reached |= {room for pair in ends if reached & set(pair) for room in pair}
    if size < len(rooms):
        fail("case.doors", f"no way to {rooms[min(set(range(len(rooms))) - reached)]}")
    return doors, ends


def check_fields(clue_table: Any, trace_list: Any) -> tuple[list[str], list[str], list[list[int]]]:
    """The clue board is the values of all characteristics in order; no name twice among all fields.

    A characteristic is what every suspect has one value of: gender, hair colour, motive.

    Returns:
        The clues, the traces, and for each characteristic its fields.
    """
    clues: list[str] = []
    values = []
    for choices in a_table("clues", clue_table, 1, MAX_CHARACTERISTICS).values():
        new = names("clues", choices, 2, MAX_VALUES)
        values.append(list(range(len(clues), len(clues) + len(new))))
        clues += new
    if len(clues) > c.MAX_OF_A_KIND:
        fail("case.clues", f"at most {c.MAX_OF_A_KIND} in all, not {len(clues)}")
    no_repeats("clues", clues)
    traces = names("traces", trace_list, 2, c.MAX_OF_A_KIND)
    for trace in traces:
        if trace in clues:
            fail("case.traces", f"{trace!r} is a clue already")
    return clues, traces, values


def check_suspects(
    value: Any, clues: Sequence[str], values: Sequence[Sequence[int]]
) -> tuple[list[str], list[tuple[int, ...]]]:
    """One value of each characteristic in order, no two suspects alike; every clue is left by someone.

    Two suspects with the same clues could not be told apart, and a clue that nobody leaves would tell nothing.
    """
    table = a_table("suspects", value, 2, c.MAX_SUSPECTS)
    left = []
    for name, row in table.items():
        entries = a_list("suspects", row, len(values), len(values))
        fields = tuple(one_of("suspects", entry, clues) for entry in entries)
        for field, choices in zip(fields, values, strict=True):
            if field not in choices:
                known = ", ".join(clues[choice] for choice in choices)
                fail("case.suspects", f"{name}: one of {known}, not {shown(clues[field])}")
        left.append(fields)
    no_repeats("suspects", left)
    for field, clue in enumerate(clues):
        if not any(field in fields for fields in left):
            fail("case.clues", f"nobody leaves {clue!r}")
    return list(table), left


def check_weapons(
    value: Any, rooms: Sequence[str], scene: int, traces: Sequence[str]
) -> tuple[list[str], list[int], list[tuple[int, ...]]]:
    """All with the same number of traces, no two trace sets alike; every trace is left by some weapon.

    With equal numbers no weapon's traces are among another's, which could never be ruled out. No weapon lies at the
    scene, as it is taken along on the way there.
    """
    table = a_table("weapons", value, 2, c.MAX_WEAPONS)
    lies: list[int] = []
    left: list[tuple[int, ...]] = []
    for name, weapon in table.items():
        if not isinstance(weapon, Mapping) or set(weapon) != {"room", "traces"}:
            fail("case.weapons", f"{name}: a table of `room` and `traces`, not {shown(weapon)}")
        lies.append(one_of("weapons", weapon["room"], rooms))
        if lies[-1] == scene:
            fail("case.weapons", f"{name}: never at the scene")
        fields = [one_of("weapons", x, traces) for x in a_list("weapons", weapon["traces"], 1, c.MAX_OF_A_KIND)]
        no_repeats("weapons", fields)
        left.append(tuple(sorted(fields)))
        if len(fields) != len(left[0]):
            fail("case.weapons", f"{name}: {len(left[0])} traces as the others, not {len(fields)}")
    no_repeats("weapons", left)
    for trace, name in enumerate(traces):
        if not any(trace in fields for fields in left):
            fail("case.traces", f"no weapon leaves {shown(name)}")
    return list(table), lies, left


def check_room_cards(value: Any, rooms: Sequence[str], scene: int) -> list[tuple[int, int]]:
    """Pairs of different rooms, never the scene, which cannot be cleaned; no pair twice."""
    pairs = []
    for card in a_list("room_cards", value, 1, c.MAX_ROOM_CARDS):
        two = [one_of("room_cards", room, rooms) for room in a_list("room_cards", card, 2, 2)]
        no_repeats("room_cards", two)
        if scene in two:
            fail("case.room_cards", f"never the scene, {rooms[scene]}")
        pairs.append((two[0], two[1]))
    no_repeats("room_cards", [frozenset(pair) for pair in pairs])
    return pairs


def check_action_cards(value: Any) -> list[int]:
    """Copies of each action card; what is left out is 0."""
    if not isinstance(value, Mapping):
        fail("case.action_cards", f"a table, not {shown(value)}")
    for card in value:
        one_of("action_cards", card, c.ACTION_CARDS)
    copies = [value.get(card, 0) for card in c.ACTION_CARDS]
    for n in copies:
        if not is_int(n) or not 0 <= n <= c.MAX_COPIES:
            fail("case.action_cards", f"0 to {c.MAX_COPIES} copies, not {shown(n)}")
    return copies


def check_boards(value: Any) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """For each side of the round board: the black spaces, and those of them that carry the symbol."""
    if not isinstance(value, Mapping) or set(value) != set(c.BOARDS):
        fail("case.boards", f"a table of {', '.join(c.BOARDS)}")
    spaces: dict[str, dict[str, tuple[int, ...]]] = {"black": {}, "down": {}}
    for board in c.BOARDS:
        side = value[board]
        if not isinstance(side, Mapping) or set(side) != set(spaces):
            fail("case.boards", f"{board}: a table of `black` and `down`, not {shown(side)}")
        for what, by_board in spaces.items():
            rounds = a_list("boards", side[what], 0, c.N_SPACES)
            for space in rounds:
                if not is_int(space) or not 1 <= space <= c.N_SPACES:
                    fail("case.boards", f"{board}: spaces 1 to {c.N_SPACES}, not {shown(space)}")
            no_repeats("boards", rounds)
            by_board[board] = tuple(rounds)
        if not set(spaces["down"][board]) <= set(spaces["black"][board]):
            fail("case.boards", f"{board}: `down` lies within `black`")
    return spaces["black"], spaces["down"]


def check_paths(
    rooms: Sequence[str],
    scene: int,
    outer: Sequence[int],
    door_rooms: Sequence[tuple[int, int]],
    weapons: Sequence[str],
    weapon_rooms: Sequence[int],
) -> dict[tuple[int, ...], float]:
    """Every path, with its chance if all steps are drawn: not too many, one from each outer room, each with a weapon,
    and each weapon on one."""
    beside: list[list[int]] = [[] for _ in rooms]
    for a, b in door_rooms:
        beside[a].append(b)
        beside[b].append(a)
    for neighbours in beside:
        neighbours.sort()
    paths: dict[tuple[int, ...], float] = {}
    for entry in sorted(outer):
        before = len(paths)
        walk([entry], 1 / len(outer), scene, beside, paths)
        if len(paths) == before:
            fail("case.outer", f"no path from {rooms[entry]}")
    for path in paths:
        if not set(path) & set(weapon_rooms):
            fail("case.weapons", f"none on the path {', '.join(rooms[room] for room in path)}")
    for weapon, room in zip(weapons, weapon_rooms, strict=True):
        if not any(room in path for path in paths):
            fail("case.weapons", f"{weapon}: no path leads through {rooms[room]}")
    return paths


def reaching(scene: int, beside: Sequence[Sequence[int]], taken: set[int]) -> set[int]:
    """Rooms from which the scene can be reached through rooms that are not taken, the scene included.

    The compiled rules do the same with sets (`play.steps_from`); here it is needed before there are rules.
    """
    reached, new = {scene}, [scene]
    while new:
        for room in beside[new.pop()]:
            if room not in reached and room not in taken:
                reached.add(room)
                new.append(room)
    return reached


def walk(
    path: list[int], chance: float, scene: int, beside: Sequence[Sequence[int]], paths: dict[tuple[int, ...], float]
) -> None:
    """Enter every way to go on; each step leads to at least one path, so the limit bounds the work.

    Args:
        path: rooms so far, the entry first.
        chance: how likely this beginning is, if each step is drawn uniformly from those that can be completed.
        paths: the finished ones, with their chances; written to.
    """
    can = reaching(scene, beside, set(path))
    options = [room for room in beside[path[-1]] if room in can]
    for room in options:
        if room == scene:
            paths[*path, room] = chance / len(options)
            if len(paths) > c.MAX_PATHS:
                fail("case.doors", f"more than {c.MAX_PATHS} paths")
        else:
            walk([*path, room], chance / len(options), scene, beside, paths)


# -- What only people read ------------------------------------------------------------------------------


def check_words(value: Any, kinds: Sequence[Sequence[str]], is_own: bool) -> dict[str, str]:
    """How names are read: 1 to 24 printed characters, no two names of a kind (rooms, fields, ...) alike.

    A name without a word is read with blanks in place of underscores, if no other one is read so. Of words taken from a
    base, those of names that this case does not have are left out.
    """
    if not isinstance(value, Mapping):
        fail("case.words", f"a table, not {shown(value)}")
    known = {name for names_of_kind in kinds for name in names_of_kind}
    if not is_own:
        value = {name: word for name, word in value.items() if name in known}
    for name, word in value.items():
        if name not in known:
            fail("case.words", f"a name of a room, field, suspect or weapon, not {shown(name)}")
        if (
            not isinstance(word, str)
            or not 1 <= len(word) <= MAX_WORD
            or not word.isprintable()
            or word != word.strip()
        ):
            fail("case.words", f"{name}: 1 to {MAX_WORD} printed characters, not {shown(word)}")
    words: dict[str, str] = {}
    for names_of_kind in kinds:
        no_repeats("words", [value[name].lower() for name in names_of_kind if name in value])
        plain = {name: " ".join(name.split("_")).strip() for name in names_of_kind if name not in value}
        read = [*plain.values(), *(value[name].lower() for name in names_of_kind if name in value)]
        words |= {name: word if word and read.count(word) == 1 else name for name, word in plain.items()}
    return words | dict(value)


def check_plan(value: Any, rooms: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The floor plan: rows of as many names each, every room once, a dot where there is none; it may be left out."""
    rows = [row.split() if isinstance(row, str) else [] for row in a_list("plan", value, 0, MAX_ROWS)]
    if not rows:
        return ()
    if not all(0 < len(row) <= MAX_COLUMNS and len(row) == len(rows[0]) for row in rows):
        fail("case.plan", f"rows of equally many names, at most {MAX_COLUMNS}, with a dot where there is no room")
    placed = [one_of("plan", name, rooms) for row in rows for name in row if name != "."]
    no_repeats("plan", [rooms[room] for room in placed])
    if len(placed) < len(rooms):
        fail("case.plan", f"all rooms; {rooms[min(set(range(len(rooms))) - set(placed))]} is missing")
    return tuple(tuple(rooms.index(name) if name != "." else c.NOBODY for name in row) for row in rows)
