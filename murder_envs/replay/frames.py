"""What a page shows of a game: for each reader, and at each decision, a picture, sentences, and what could be done.

A reader's part holds only what this reader knew, so that a page for one seat can be made of one part. Pictures of one
game are much alike: each shape is written once, and a picture is a list of their numbers, as changes to the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from murder_envs.drivers.cursor import Cursor
from murder_envs.drivers.story import Heard, Story
from murder_envs.picture import svg
from murder_envs.picture.palette import THEMES
from murder_envs.picture.scene import WIDTH
from murder_envs.replay.file import Note, Replay

Reader = int | None

VARIABLES = {name: f"var(--{name})" for name in THEMES["light"]}
"""A page sets the colours of its theme."""
MOST_SHOWN = 12
"""Actions whose probability, visits or value are shown, the best ones."""


NEXT = -1
"""In place of a shape that has not been used before."""


class Table:
    """Texts that are used again and again, each written once.

    Attributes:
        texts: the texts in the order of their first use; elsewhere their places stand for them.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Where a text stands."""
        if text not in self._places:
            self._places[text] = len(self.texts)
            self.texts.append(text)
        return self._places[text]

    def places(self, texts: Iterable[str]) -> list[int]:
        """The same for several."""
        return [self.place(text) for text in texts]


def changes(old: list[int], new: list[int], n_known: int) -> list[list[int]]:
    """How one list of shapes becomes the next: [place, how many go, what comes...], to be done in this order.

    Args:
        old, new: places in the table of shapes.
        n_known: so many shapes of the table were used before; NEXT stands for the first one after them, and so on. The
            table is in the order of use, and this makes a page smaller.
    """
    steps: list[list[int]] = []
    shift = 0
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        steps.append([i + shift, j - i])
        for place in new[k:m]:
            steps[-1].append(NEXT if place == n_known else place)
            n_known += place == n_known
        shift += (m - k) - (j - i)
    return steps


class View:
    """What one reader sees of a game, decision by decision.

    Args:
        replay: the game.
        reader: a seat; None: who sees everything from above.
        shapes, words: where SVG elements and texts are written.
    """

    def __init__(self, replay: Replay, reader: Reader, shapes: Table, words: Table) -> None:
        self.replay, self.reader = replay, reader
        self.shapes, self.words = shapes, words
        begun = replay.begin()
        self._heard = Heard(Story(replay.ruleset, begun.rules, replay.seed, begun.states), reader)
        self._drawn: list[int] = []

    def about(self) -> dict[str, Any]:
        """Who looks."""
        name = "from above" if self.reader is None else self.replay.ruleset.agents[self.reader]
        return {"name": name, "seat": self.reader}

    def frame(self, cursor: Cursor, actions: list[int], k: int) -> dict[str, Any]:
        """What is seen before decision k, or at the end.

        Args:
            cursor: the game there.
            actions: ids of all its actions.
            k: how many of them were taken.
        """
        self._heard.catch_up(actions[:k])
        scene, n_known = cursor.scene(self.reader).without_news(), len(self.shapes.texts)
        drawn = self.shapes.places(svg.element(each, VARIABLES) for each in scene.shapes)
        steps, self._drawn = changes(self._drawn, drawn, n_known), drawn
        told = {
            "height": scene.height,
            "told": self.words.places(self._heard.chapters[k]),
            "asked": self.words.place(cursor.asked(self.reader)),
            "shapes": steps,
        }
        note = self.replay.notes.get(k) if k < len(actions) else None
        if self.reader in (None, cursor.seat) and not cursor.over:
            told |= choice(self.replay, cursor, actions[k] if k < len(actions) else None, self.reader, note, self.words)
        if note and note.says:
            told["says"] = note.says
        return told


def choice(
    replay: Replay, cursor: Cursor, action: int | None, reader: Reader, note: Note | None, words: Table
) -> dict[str, Any]:
    """What could be done, what was done, and why: for who decides, and seen from above."""
    names, legal = replay.ruleset.actions.names, cursor.legal()
    told: dict[str, Any] = {
        "legal": words.places(names[each] for each in legal),
        "means": words.places(cursor.describe(each, reader) for each in legal),
    }
    if action is not None:
        told["chosen"] = legal.index(action)
    if note:
        told |= {"value": note.value} if note.value is not None else {}
        for name in ("policy", "visits", "values"):
            table = getattr(note, name)
            best = sorted(table, key=lambda each: -table[each])[:MOST_SHOWN]
            if best:
                told[name] = {str(words.place(each)): round(float(table[each]), 4) for each in best}
    return told


def disagreement(note: Note, action: str) -> float:
    """How much better than the chosen action another one seemed: a difference of values, else of shares of visits or
    probability; 0 if the note does not tell."""
    for table in (note.values, note.visits, note.policy):
        if table and action in table:
            total = 1.0 if table is not note.visits else float(sum(table.values()) or 1)
            return (max(table.values()) - table[action]) / total
    return 0.0


def chapters(replay: Replay, most: int = 6) -> list[int]:
    """The decisions at which the players' notes disagree most with what was played, in the order of the game."""
    regret = {k: disagreement(note, replay.actions[k]) for k, note in replay.notes.items() if k < len(replay.actions)}
    worst = sorted((k for k in regret if regret[k] > 0), key=lambda k: (-regret[k], k))[:most]
    return sorted(worst)


def payload(replay: Replay, seat: int | None, positions: Iterable[Cursor] | None = None) -> dict[str, Any]:
    """All that a page holds: for one seat what this seat knew, else the view from above and those of all seats.

    Neither the seed nor the actions stand in a seat's page, since whoever has them can deal the game.

    Args:
        replay: the game.
        seat: whose page, or None.
        positions: the game at each decision and at its end; None: as the replay plays it.
    """
    ruleset, shapes, words = replay.ruleset, Table(), Table()
    readers: list[Reader] = [seat] if seat is not None else [None, *range(ruleset.n_seats)]
    views = [View(replay, reader, shapes, words) for reader in readers]
    actions = [ruleset.actions.id(name) for name in replay.actions]
    frames = [[view.frame(cursor, actions, k) for view in views] for k, cursor in enumerate(positions or replay.play())]
    told = {
        "title": ruleset.title,
        "game": ruleset.name,
        "version": ruleset.version,
        "agents": list(ruleset.agents),
        "players": list(replay.players),
        "width": WIDTH,
        "views": [view.about() for view in views],
        "frames": frames,
        "shapes": shapes.texts,
        "words": words.texts,
    }
    if seat is None:
        told |= {"seed": str(replay.seed), "chapters": chapters(replay)}
    return told
