"""What the readers of one game are told, in sentences.

While a game goes on only its actions are noted, which costs next to nothing. The sentences are made when somebody asks:
the game is played again from its beginning, once for each reader, and each state is compared with the one before.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from murder_envs.core.jit import copied
from murder_envs.drivers.cursor import Cursor
from murder_envs.ruleset import Ruleset


class Story:
    """What each reader of a game has been told.

    Args:
        ruleset: the configured game.
        rules: RULES, array of one, of this game.
        seed: what the game was dealt from.
        states: in place of a deal, how the game began (STATE, array of one, which nobody changes).
        before: what came before, for one seat, if the game began with a redeal.
    """

    __slots__ = ("_heard", "before", "rules", "ruleset", "seed", "states")

    def __init__(
        self,
        ruleset: Ruleset,
        rules: np.ndarray,
        seed: int,
        states: np.ndarray | None = None,
        before: Before | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.rules = rules
        self.seed = seed
        self.states = states
        self.before = before
        self._heard: dict[int | None, Heard] = {}

    def begin(self, cursor: Cursor) -> None:
        """Put the game on a cursor as it began."""
        if self.states is None:
            cursor.deal(self.seed)
        else:
            cursor.place(self.states)

    def chapters(self, reader: int | None, actions: Sequence[int]) -> list[list[str]]:
        """The sentences as the game began, and then those of each action.

        Args:
            reader: a seat; None: from above.
            actions: ids of all actions of the game so far; those of the last call come first in it.
        """
        return self._heard_by(reader, actions).chapters

    def _heard_by(self, reader: int | None, actions: Sequence[int]) -> Heard:
        heard = self._heard.get(reader)
        if heard is None:
            if self.before and reader == self.before.seat:
                heard = self.before.story._heard_by(reader, self.before.actions)
                self.begin(heard.cursor)
            else:
                heard = Heard(self, reader)
            self._heard[reader] = heard
        heard.catch_up(actions)
        return heard

    def since(self, reader: int | None, actions: Sequence[int], first: int | None = None) -> list[str]:
        """What a reader has been told by its own last action and since; all, if it has not acted yet.

        Args:
            reader, actions: see `chapters`.
            first: by this action and since, the first being 0, in place of the reader's own last one.
        """
        heard = self._heard_by(reader, actions)
        begin = heard.own if first is None else first + 1
        return [sentence for chapter in heard.chapters[begin:] for sentence in chapter]

    def copy(self) -> Story:
        """A story that can go on otherwise."""
        before = self.before and Before(self.before.story.copy(), self.before.seat, self.before.actions)
        other = Story(self.ruleset, self.rules, self.seed, self.states, before)
        other._heard = {reader: heard.copy() for reader, heard in self._heard.items()}
        return other

    def redealt(self, seat: int, states: np.ndarray, actions: Sequence[int]) -> Story:
        """The story of a game that goes on from another state which a seat cannot tell from this game's.

        That seat has been told the same there; others are told what they know as if the game began with that state.
        """
        return Story(self.ruleset, self.rules, self.seed, copied(states), Before(self.copy(), seat, list(actions)))


@dataclass(frozen=True)
class Before:
    """What came before a redeal: a story that only its seat has been told, and the actions in it."""

    story: Story
    seat: int
    actions: list[int]


class Heard:
    """What one reader has been told of a story.

    Attributes:
        cursor: the game as far as it has been read.
        chapters: the sentences as the game began, and then those of each action.
        own: where the reader's own last action stands in them; 0 before it has acted.
    """

    def __init__(self, story: Story, reader: int | None) -> None:
        self.reader = reader
        self.cursor = Cursor(story.ruleset, story.rules)
        story.begin(self.cursor)
        self.own = 0
        unheard: list[list[str]] = [[] for _ in story.before.actions] if story.before else []
        self.chapters = [*unheard, story.ruleset.told(story.rules, None, None, self.cursor.states, reader)]

    def catch_up(self, actions: Sequence[int]) -> None:
        """Take notice of the actions since the last time."""
        cursor, told = self.cursor, self.cursor.ruleset.told
        for action in actions[len(self.chapters) - 1 :]:
            if cursor.seat == self.reader:
                self.own = len(self.chapters)
            before = copied(cursor.states)
            cursor.act(action)
            self.chapters.append(told(cursor.rules, before, action, cursor.states, self.reader))

    def copy(self) -> Heard:
        """One that can go on otherwise."""
        other = copy.copy(self)
        other.cursor, other.chapters = self.cursor.copy(), self.chapters.copy()
        return other
