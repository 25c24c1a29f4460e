"""What a table may choose before play."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from murder_envs.core.checks import a_choice, a_list, a_text, an_int, fail, shown
from murder_envs.core.config import Parameters, boolean, integer, option, optional, parameter
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import MAX_SEATS
from murder_envs.games.murder_of_crows.state import Rules

DECKS = {
    "rulebook": "the printed box",
    "house": "`word`, `crow_table` and `wilds` may deviate from it",
}
PAID = {
    "zero_sum": "the winner gets 1, the others share -1; all get 0 if nobody wins",
    "win_loss": "the winner gets 1, each other -1; all get 0 if nobody wins",
    "win_only": "the winner gets 1, all others 0",
    "progress": "the winner gets 1, each other minus the share of its stacks that are empty, also if nobody wins",
}
MOST_STEPS = 1_000_000

_DUEL = {
    "num_players": 2, "first_player": 0, "deck": "house", "wilds": 1, "hand_size": 1, "expel_draw": 1, "max_steps": 12,
}  # fmt: skip
CONFIGS: dict[str, dict[str, Any]] = {
    "default": {},
    "duel-MU": {**_DUEL, "word": "MU", "crow_table": {"M": [1, 1, 0], "U": [1, 1, 0]}},
    "duel-MR": {**_DUEL, "word": "MR", "crow_table": {"M": [1, 1, 0], "R": [1, 1, 0]}},
    "duel-MUR": {
        **_DUEL, "word": "MUR", "crow_table": {"M": [1, 1, 0], "U": [1, 1, 0], "R": [1, 1, 0]}, "hand_size": 2,
        "max_steps": 60,
    },
    "short-MURD": {
        "num_players": 2, "deck": "house", "word": "MURD",
        "crow_table": {"M": [2, 1, 1], "U": [2, 1, 1], "R": [3, 2, 1], "D": [2, 1, 1]},
        "wilds": 2, "hand_size": 3, "expel_draw": 2, "max_steps": 200,
    },
}  # fmt: skip
"""Named configurations: the printed game, and small ones that can be solved."""


def a_word(name: str, value: Any) -> str:
    """Letters of MURDER in their order."""
    word = a_text(name, value)
    if len(word) < 2 or not is_within(word, c.WORD):
        fail(name, f"two or more letters of {c.WORD} in their order, not {shown(word)}")
    return word


def is_within(word: str, whole: str) -> bool:
    """Are these letters of a whole, in its order?"""
    rest = iter(whole)
    return all(letter in rest for letter in word)


def a_crow_table(name: str, value: Any) -> dict[str, list[int]]:
    """letter -> copies with one, two, three crows."""
    if not isinstance(value, Mapping):
        fail(name, f"a dict letter -> copies with 1, 2, 3 crows, not {shown(value)}")
    for letter in value:
        if not isinstance(letter, str) or letter not in tuple(c.LETTERS):
            fail(name, f"no letter {shown(letter)}")
    return {
        letter: [an_int(name, copies, 0, c.MOST_OF_A_LETTER) for copies in a_list(name, row, c.N_CROWS)]
        for letter, row in value.items()
    }


def a_third_table(name: str, value: Any) -> dict[str, str]:
    """What is flipped -> what the Murdered Third does, for every flip."""
    if not isinstance(value, Mapping):
        fail(name, f"a dict flip -> act, not {shown(value)}")
    for flip in value:
        if not isinstance(flip, str) or flip not in c.FLIPS:
            fail(name, f"one of {', '.join(c.FLIPS)} is flipped, not {shown(flip)}")
    return c.THIRD_TABLE | {flip: a_choice(name, act, c.THIRD_ACTS) for flip, act in value.items()}


@dataclass(frozen=True, kw_only=True)
class Config(Parameters):
    """Parameters of a game."""

    num_players: int = integer(4, "seats", low=2, high=MAX_SEATS)
    murdered_third: bool = boolean(False, "the variant for two living players")
    third_acts: Mapping[str, str] = parameter(
        c.THIRD_TABLE, "what each flip of the Murdered Third does to both players; flips left out do as by default",
        a_third_table, f"M, U, R, D, E or W -> {', '.join(c.THIRD_ACTS)}",
    )  # fmt: skip
    first_player: int = integer(-1, "who begins; -1: drawn at random", low=-1, high=MAX_SEATS - 1)
    deck: str = option("rulebook", "the cards and the word", DECKS)
    word: str = parameter(c.WORD, "the stacks in play", a_word, "two or more letters of MURDER in their order")
    crow_table: Mapping[str, list[int]] | None = parameter(
        None, "copies of each letter; None: the printed totals, spread evenly", optional(a_crow_table),
        "letter -> copies with one, two, three crows",
    )  # fmt: skip
    wilds: int = integer(c.N_WILDS, "number of wild crows", low=0, high=c.MOST_WILDS)
    hand_size: int = integer(5, "cards dealt; the first player gets one less", low=1, high=8)
    expel_draw: int = integer(c.EXPEL_DRAW, "cards drawn after an Expel", low=0, high=5)
    reward: str = option("zero_sum", "how the end is paid", PAID)
    max_steps: int = integer(2000, "decisions after which the game is cut off", low=1, high=MOST_STEPS)

    def check(self) -> None:
        """A table for this number of players, and a box that has cards for it."""
        if self.murdered_third and self.num_players != 2:
            fail("murdered_third", f"only with 2 players, not {self.num_players}")
        an_int("first_player", self.first_player, -1, self.num_players - 1)
        by_the_book = self.deck == "rulebook"
        if by_the_book and self.word != c.WORD:
            fail("word", f'only {c.WORD!r} with deck="rulebook"')
        if by_the_book:
            an_int("wilds", self.wilds, c.N_WILDS, c.N_WILDS)
        self.check_box(by_the_book)
        dealt, cards = self.num_players * self.hand_size - 1, sum(self.copies())
        if dealt >= cards:
            fail("hand_size", f"{dealt} cards to deal, and the deck has {cards}: one at least is left over")

    def check_box(self, by_the_book: bool) -> None:
        """The cards fit the word, the printed totals, and the room that the records have."""
        table = self.table()
        for letter, row in table.items():
            if sum(row) > c.MOST_OF_A_LETTER:
                fail("crow_table", f"at most {c.MOST_OF_A_LETTER} cards of a letter, not {sum(row)} {letter}")
            if sum(row) < self.word.count(letter):
                fail("crow_table", f"the stacks of {letter} need a card each")
            if sum(row) and letter not in self.word:
                fail("crow_table", f"{letter} is not in {self.word}")
            if by_the_book and sum(row) != c.LETTER_TOTALS[letter]:
                fail("crow_table", f'{c.LETTER_TOTALS[letter]} {letter} with deck="rulebook", not {sum(row)}')
        if by_the_book and (crows := tuple(map(sum, zip(*table.values())))) != c.CROW_TOTALS:
            fail("crow_table", f'{c.CROW_TOTALS} cards with 1, 2, 3 crows with deck="rulebook", not {crows}')
        if (cards := sum(self.copies())) > c.MOST_CARDS:
            fail("crow_table", f"at most {c.MOST_CARDS} cards with the wilds, not {cards}")

    def table(self) -> dict[str, list[int]]:
        """letter -> copies with 1, 2, 3 crows, for every letter."""
        if self.crow_table is None:
            return {x: list(c.CROW_TABLE[x]) if x in self.word else [0] * c.N_CROWS for x in c.LETTERS}
        return {letter: self.crow_table.get(letter, [0] * c.N_CROWS) for letter in c.LETTERS}

    def copies(self) -> list[int]:
        """How many there are of each card."""
        return [*itertools.chain.from_iterable(self.table().values()), self.wilds]

    def stacks(self) -> list[int]:
        """The stacks in play: of two R stacks the second is out where the word has one R."""
        return [s for s in range(c.N_STACKS) if self.word.count(c.STACKS[s][0]) > c.STACKS[s].endswith("b")]


def make_rules(config: Config) -> np.ndarray:
    """The Rules record (array of one) of a configuration."""
    rules = Rules.from_config(config)
    copies, stacks = config.copies(), config.stacks()
    rules["n_seats"] = config.num_players
    rules["stacks"] = sum(1 << stack for stack in stacks)
    rules["n_stacks"] = len(stacks)
    rules["letters"] = sum(1 << letter for letter in {int(c.LETTER_OF[stack]) for stack in stacks})
    rules["copies"] = np.frombuffer(bytes(copies), np.uint64)
    rules["box"][0, : sum(copies)] = np.repeat(np.arange(c.N_CARDS), copies)
    rules["third_table"] = [c.THIRD_ACTS.index(config.third_acts[flip]) for flip in c.FLIPS]
    rules["n_cards"] = sum(copies)
    return rules
