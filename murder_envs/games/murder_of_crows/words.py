"""Words for the table: cards, stacks, players, the card in play, and an open act as a sentence. Never compiled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import Wording, listed
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import MODE, PHASES
from murder_envs.games.murder_of_crows.snapshots import REMOVES, counted, named

WILD = c.CARD_NAMES[c.WILD]
EFFECTS = {
    "M": "Misplace", "U": "Uncover", "R": "Reap", "D": "Drain", "E": "Expel", REMOVES: "removal of a stack",
}  # fmt: skip
THIRD = (
    "whoever has a card in their Murder takes one of them back into the hand",
    "both hands are revealed, and each loses one card at random",
    "each player draws a card",
    "a second card is flipped, and whoever has its letter discards one card of it",
    "each player discards the whole hand and draws {redraw}",
    "whoever has a card in their Murder removes one of their own stacks",
    "nothing happens",
)
"""What the Murdered Third does to both living players, by the numbers of THIRD_ACTS."""

# -- Words for things ---------------------------------------------------------------------------------------------

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def count_of(n: int, thing: str) -> str:
    """`no cards`, `one card`, `two cards`."""
    return f"{NUMBERS[n] if n < len(NUMBERS) else n} {thing}{'' if n == 1 else 's'}"


def cards_named(cards: Iterable[str], last: str = "and") -> str:
    """`M1, R2 and a wild crow`."""
    cards = list(cards)
    wilds = cards.count(WILD)
    some = [] if not wilds else ["a wild crow"] if wilds == 1 else [count_of(wilds, "wild crow")]
    return listed([*(card for card in cards if card != WILD), *some], last)


def stacks_of(rules: np.ndarray) -> list[str]:
    """The stacks in play, in the order of the word."""
    return [c.STACKS[stack] for stack in members_of(rules[0]["stacks"])]


def hand_of(state: np.ndarray, seat: int) -> list[str]:
    """The cards that a seat holds, in the order of their ids."""
    return named(map(sum, zip(counted(state[0]["known"][seat]), counted(state[0]["secret"][seat]))))


class Words(Wording):
    """Sentences about a table for one reader.

    Attributes:
        rules: RULES, array of one.
        n: how many seats.
        word: the word to be completed.
        redraw: what is drawn after an Expel.
    """

    def __init__(self, rules: np.ndarray, reader: int | None) -> None:
        self.rules = rules
        self.n = int(rules[0]["n_seats"])
        super().__init__([f"player_{seat}" for seat in range(self.n)], reader)
        self.word = "".join(stack[0] for stack in stacks_of(rules))
        self.redraw = count_of(int(rules[0]["expel_draw"]), "card")

    def stack(self, name: str) -> str:
        """`M stack`, `first R stack`."""
        twice = self.word.count(name[0]) > 1
        return f"{('first ' if name.endswith('a') else 'second ') if twice else ''}{name[0]} stack"

    def whose(self, owner: int, who: int) -> str:
        """`player_2's`, `your own`; `somebody's` where nobody has said whose."""
        if owner == NO_SEAT:
            return "somebody's"
        return self.owner(owner) if owner != who else "your own" if who == self.reader else "their own"

    def third(self, flip: str) -> str:
        """What the Murdered Third does with a flip, a letter or a wild."""
        act = self.rules[0]["third_table"][c.FLIPS.index(flip)]
        return THIRD[act].format(redraw=self.redraw)

    def people(self, seats: Iterable[int]) -> str:
        """`you and player_2`; `nobody` for none."""
        return listed(map(self.name, seats), nothing="nobody")


# -- The card in play ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """The card in play, as far as it is known.

    Attributes:
        by: who has played it.
        face: the stack-face that was played.
        effect: what it does, one of EFFECTS; empty: not known or not declared.
        target: at whom it is aimed.
        third: is it a flip of the Murdered Third, under which everybody acts on their own Murder?
    """

    by: int = NO_SEAT
    face: str = ""
    effect: str = ""
    target: int = NO_SEAT
    third: bool = False

    def then(self, seat: int, action: str, n: int) -> Play:
        """The card in play after an act."""
        kind, _, what = action.partition(":")
        if kind in ("draw", "skip"):
            return Play(seat)
        if kind == "play":
            return Play(seat, what, "" if what.endswith(WILD) else what[0])
        if kind == "wild":
            return replace(self, by=seat, effect=REMOVES if what == REMOVES else self.face[:1])
        if kind == "target":
            return replace(self, by=seat, target=(seat + int(what)) % n)
        return self

    def name(self, words: Words) -> str:
        """`player_2's Expel`."""
        return f"{words.owner(self.by)} {EFFECTS[self.effect]}" if self.effect else "the effect"


def play_of(state: np.ndarray) -> Play:
    """The card in play of a state."""
    s = state[0]
    if PHASES[s["phase"]].startswith("third"):
        return Play(third=True)
    by = int(s["current"])
    if s["played"] < 0:
        return Play(by)
    face = c.STACK_FACES[s["played"]]
    declared = s["mode"] != MODE.none or not face.endswith(WILD)
    effect = REMOVES if s["mode"] == MODE.remove else face[0] if declared else ""
    return Play(by, face, effect, int(s["target"]))


# -- Open acts ----------------------------------------------------------------------------------------------------

ACTS = {
    "draw": "{who} [draws|draw] a card",
    "skip": "{who} [skips the|skip your] turn",
    "play": "{who} [plays|play] {card} to [the|your] {stack}",
    "wild:letter": "{who} [uses the|use your] wild crow for its letter",
    "wild:remove": "{who} [uses the|use your] wild crow to remove a stack",
    "allow": "{who} [does|do] not prevent {play}",
    "prevent": "{who} [discards|discard] {card} and [is|are] spared {play}",
    "target": "{who} [chooses|choose] to {aim}",
    "pass": "{who} [removes|remove] no stack",
    "letter": "{who} [names|name] the letter {letter}",
    "take": "{who} [takes|take] {card} from {whose} {stack} into [the|your] hand",
    "lose": "{who} [discards|discard] {card} from [the|your] {stack}",
    "grab": "{who} [takes|take] {card} from {whose} hand",
    "raze": "{who} [removes|remove] {whose} {stack}",
}
"""An action, or what its name begins with -> what it means."""
AIMS = {
    "M": "take a card from {whose} Murder",
    "U": "take a card from {whose} hand",
    REMOVES: "remove a stack of {whose} Murder",
    "": "aim at {whom}",
}
"""effect -> what its player chooses to do to somebody."""


def act(words: Words, seat: int, action: str, play: Play, so: str) -> str:
    """An open act as a sentence.

    Args:
        words: for whom.
        seat: who acts.
        action: its name.
        play: the card in play before it.
        so: how the sentence ends.
    """
    kind, _, what = action.partition(":")
    fields = {"play": play.name(words), "whose": words.whose(seat if play.third else play.target, seat)}
    if kind in ("play", "take", "lose"):
        fields |= {"card": cards_named([card_in(what)]), "stack": words.stack(what[:-1])}
    elif kind in ("prevent", "grab"):
        fields["card"] = cards_named([what])
    elif kind == "raze":
        fields["stack"] = words.stack(what)
    elif kind == "letter":
        fields["letter"] = what
    elif kind == "target":
        target = (seat + int(what)) % words.n
        fields["aim"] = AIMS[play.effect].format(whose=words.whose(target, seat), whom=words.name(target))
    return words.sentence((ACTS.get(action) or ACTS[kind]) + so, seat, **fields)


def card_in(stack_face: str) -> str:
    """The card that a stack-face is in a hand."""
    return c.CARD_NAMES[c.CARD_OF[c.STACK_FACES.index(stack_face)]]


def effect_named(action: str, play: Play) -> str:
    """`: Drain` for an action that sets off the effect of a letter, else nothing."""
    kind, _, what = action.partition(":")
    letter = play.face[:1] if action == "wild:letter" else what[0] if kind == "play" and what[-1] != WILD else ""
    return f": {EFFECTS[letter]}" if letter else ""
