"""One game at a table: who sits where, what each seat is shown, and what it may do. It knows no network."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from murder_envs.core.checks import a_choice, a_text, an_int, fail
from murder_envs.drivers.story import Heard, Story
from murder_envs.picture import svg
from murder_envs.picture.scene import WIDTH
from murder_envs.play.players import player, seed_of
from murder_envs.replay import Note, Recorder, Replay
from murder_envs.replay.frames import VARIABLES

POLICIES = ("heuristic", "random")
MOST_DECISIONS = 10**6
"""No game has so many."""


class TooLate(ValueError):
    """A decision that somebody has taken already."""


class Table:
    """A game between people and players; players choose as soon as it is their turn.

    Args:
        replay: the game as far as it has been played; `players` says who sits where: "human", "random", "heuristic" or
            "search:N".
        recorder: where decisions are written before anybody hears of them; None: nowhere.
        time_limit: seconds that a person may think; None: as long as they like.
        then: who decides for a person whose time is up, "heuristic" or "random".
        clock: seconds that only grow.

    Raises:
        ValueError: `players`: a name that is none; or an error of `Replay.play`.

    Attributes:
        cursor: the game.
        n: how many decisions have been taken.
    """

    def __init__(
        self,
        replay: Replay,
        recorder: Recorder | None = None,
        time_limit: float | None = None,
        then: str = "heuristic",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.replay, self.recorder = replay, recorder
        self.time_limit, self.clock = time_limit, clock
        self.then = a_choice("then", then, POLICIES)
        self.ruleset = replay.ruleset
        self._players = [player(self.ruleset, name) for name in replay.players]
        self._stand_in = player(self.ruleset, then)
        self.cursor = replay.end()
        self._ids = [self.ruleset.actions.id(name) for name in replay.actions]
        self._heard: dict[int, Heard] = {}
        self._asked_at = self.clock()
        self.play_on()

    @property
    def n(self) -> int:
        """How many decisions have been taken."""
        return len(self._ids)

    @property
    def over(self) -> bool:
        """Has the game ended?"""
        return self.cursor.over

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, choice in enumerate(self._players) if choice is None]

    def seconds_left(self) -> float | None:
        """How long the person who is asked may still think; None: without end, or nobody is asked."""
        if self.time_limit is None or self.over:
            return None
        return max(0.0, self._asked_at + self.time_limit - self.clock())

    # -- What may be done ----------------------------------------------------------------------------------------------

    def act(self, seat: int, decision: Any, action: Any) -> None:
        """A person decides; then the players do, until a person is asked again or the game ends.

        Args:
            seat: who decides.
            decision: the number of the decision, as the view said it, so that a late answer is not taken for another.
            action: name of a legal action.

        Raises:
            TooLate: `over` or `decision`: it is not this decision that is asked; nothing has changed.
            ValueError: `seat`, `decision` or `action`: what is wrong; nothing has changed.
        """
        decision = an_int("decision", decision, 0, MOST_DECISIONS)
        if self.over:
            raise TooLate("over: the game has ended")
        if decision != self.n:
            raise TooLate(f"decision: {self.n} is asked now, not {decision}: somebody has decided in between")
        if seat != self.cursor.seat:
            fail("seat", f"{self.ruleset.agents[self.cursor.seat]} is asked, not {self.ruleset.agents[seat]}")
        number = self.ruleset.actions.ids.get(a_text("action", action))
        if number is None or not self.cursor.mask[number]:
            names = ", ".join(self.ruleset.actions.names[each] for each in self.cursor.legal())
            fail("action", f"a legal action ({names}), not {action[:100]!r}")
        self._take(number, None)
        self.play_on()

    def expire(self) -> bool:
        """If the time of whoever is asked is up, the stand-in decides; did it?"""
        left = self.seconds_left()
        if left is None or left > 0 or self._stand_in is None:
            return False
        self._take(*self._stand_in(self.cursor, seed_of(self.replay.seed, self.n)))
        self.play_on()
        return True

    def play_on(self) -> None:
        """Let players choose until a person is asked or the game ends."""
        while not self.over and (choice := self._players[self.cursor.seat]) is not None:
            self._take(*choice(self.cursor, seed_of(self.replay.seed, self.n)))
        self._asked_at = self.clock()

    def _take(self, action: int, note: Note | None) -> None:
        """A decision: on disk first, then in the game."""
        name = self.ruleset.actions.names[action]
        if self.recorder is not None:
            self.recorder.add(name, note)
        else:
            if note is not None:
                self.replay.notes[self.n] = note
            self.replay.actions.append(name)
        self.cursor.act(action)
        self._ids.append(action)
        if self.over and self.recorder is not None:
            self.recorder.finish(self.cursor)

    # -- What is shown -------------------------------------------------------------------------------------------------

    def told(self, seat: int, since: int = -1) -> list[str]:
        """What a seat has been told since it saw the game after so many decisions; -1: from the beginning on."""
        heard = self._heard.get(seat)
        if heard is None:
            begun = self.replay.begin()
            story = Story(self.ruleset, begun.rules, self.replay.seed, begun.states)
            heard = self._heard[seat] = Heard(story, seat)
        heard.catch_up(self._ids)
        return [sentence for chapter in heard.chapters[max(since, -1) + 1 :] for sentence in chapter]

    def legal(self, seat: int) -> list[tuple[str, str]]:
        """What a seat can do now: names of actions with their meaning; nothing if it is not asked."""
        if self.over or seat != self.cursor.seat:
            return []
        names = self.ruleset.actions.names
        return [(names[action], self.cursor.describe(action, seat)) for action in self.cursor.legal()]

    def picture(self, seat: int) -> str:
        """The table as a seat sees it, as SVG in the colours of the page that it stands in."""
        scene = self.cursor.scene(seat).without_news()
        shapes = "".join(svg.element(each, VARIABLES) for each in scene.shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {svg.number(scene.height)}" role="img" '
            f'font-family="{svg.FONTS}">{shapes}</svg>'
        )

    def view(self, seat: int, since: int = -1, picture: str | None = None) -> dict[str, Any]:
        """All that a seat is shown: plain values, and nothing that this seat cannot know.

        Args:
            seat: whose view.
            since: after how many decisions it saw the game last; what was told before is left out.
            picture: the picture, if it is drawn already.
        """
        view: dict[str, Any] = {
            "game": self.ruleset.title,
            "you": self.ruleset.agents[seat],
            "decision": self.n,
            "asked": self.cursor.asked(seat),
            "told": self.told(seat, since),
            "picture": self.picture(seat) if picture is None else picture,
            "legal": self.legal(seat),
            "over": self.over,
        }
        if self.over:
            view["return"] = self.cursor.outcome()[0][seat]
        elif seat == self.cursor.seat and (left := self.seconds_left()) is not None:
            view["seconds"] = round(left, 1)
        return view


def begun(replay_players: Sequence[str], replay: Replay) -> Replay:
    """The game with who sits where; ValueError names `seats`."""
    players = list(replay_players)
    if len(players) != replay.ruleset.n_seats:
        fail("seats", f"one for each of the {replay.ruleset.n_seats} seats, not {len(players)}")
    for name in players:
        player(replay.ruleset, name)
    replay.players = tuple(players)
    return replay
