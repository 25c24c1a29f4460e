"""What a table may choose before play, the records of a game in progress, and the set-up."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from murder_envs.core.checks import a_bool, a_choice, a_list, a_text, an_int, fail, known_only
from murder_envs.core.jit import kernel, records
from murder_envs.core.rng import RNG_FIELDS, below, seed_rng, shuffle
from murder_envs.games.murder_of_crows.cards import (
    CROW_TABLE,
    CROW_TOTALS,
    EXPEL_DRAW,
    LETTER_OF,
    LETTER_TOTALS,
    LETTERS,
    MOST_CARDS,
    MOST_OF_A_LETTER,
    MOST_WILDS,
    N_CARDS,
    N_CROWS,
    N_STACKS,
    N_WILDS,
    STACKS,
    WORD,
)
from murder_envs.games.murder_of_crows.moves import (
    MAX_SEATS,
    NO_END,
    NO_MODE,
    NO_SEAT,
    NONE,
    NOTHING,
    REWARD,
    START,
    one_at,
    seat_at,
)

DECKS = ("rulebook", "house")
MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Config:
    """Parameters of a game, all keyword-only; ValueError begins with the name of a wrong one.

    Attributes:
        num_players: seats, 2..5.
        murdered_third: the variant for two living players.
        first_player: who begins, or -1: drawn at random.
        deck: "rulebook", or "house": the next three may deviate from the box.
        word: the stacks in play, a subsequence of MURDER with at least 2 letters.
        crow_table: letter -> copies with one, two, three crows; None: the printed totals, spread evenly.
        wilds: number of wild crows, 0..8.
        hand_size: cards dealt, 1..8; the first player gets one less.
        expel_draw: cards drawn after an Expel, 0..5.
        reward: "zero_sum", "win_loss", "win_only" or "progress".
        max_steps: decisions after which the game is cut off, 1..1,000,000.
    """

    num_players: int = 4
    murdered_third: bool = False
    first_player: int = -1
    deck: str = "rulebook"
    word: str = WORD
    crow_table: Mapping[str, Any] | None = None
    wilds: int = N_WILDS
    hand_size: int = 5
    expel_draw: int = EXPEL_DRAW
    reward: str = "zero_sum"
    max_steps: int = 2000

    def __post_init__(self) -> None:
        n = an_int("num_players", self.num_players, 2, MAX_SEATS)
        if a_bool("murdered_third", self.murdered_third) and n != 2:
            fail("murdered_third", f"only with 2 players, not {n}")
        an_int("first_player", self.first_player, -1, n - 1)
        by_the_book = a_choice("deck", self.deck, DECKS) == "rulebook"
        word = a_text("word", self.word)
        if by_the_book and word != WORD:
            fail("word", f'only {WORD!r} with deck="rulebook"')
        if len(word) < 2 or not is_within(word, WORD):
            fail("word", f"two or more letters of {WORD} in their order, not {word!r}")
        an_int("wilds", self.wilds, *((N_WILDS, N_WILDS) if by_the_book else (0, MOST_WILDS)))
        self.check_crow_table(by_the_book)
        an_int("hand_size", self.hand_size, 1, 8)
        dealt, there = n * self.hand_size - 1, sum(self.copies())
        if dealt >= there:
            fail("hand_size", f"{dealt} cards to deal, and the deck has {there}: one at least is left over")
        an_int("expel_draw", self.expel_draw, 0, 5)
        a_choice("reward", self.reward, REWARD)
        an_int("max_steps", self.max_steps, 1, MOST_STEPS)

    def check_crow_table(self, by_the_book: bool) -> None:
        if self.crow_table is not None:
            if not isinstance(self.crow_table, Mapping):
                fail("crow_table", f"a dict letter -> copies with 1, 2, 3 crows, not {self.crow_table!r}")
            for letter, row in self.crow_table.items():
                if not isinstance(letter, str) or letter not in tuple(LETTERS):
                    fail("crow_table", f"no letter {letter!r}")
                for copies in a_list("crow_table", row, N_CROWS):
                    an_int("crow_table", copies, 0, MOST_OF_A_LETTER)
        table = self.table()
        for letter, row in table.items():
            if sum(row) > MOST_OF_A_LETTER:
                fail("crow_table", f"at most {MOST_OF_A_LETTER} cards of a letter, not {sum(row)} {letter}")
            if sum(row) < self.word.count(letter):
                fail("crow_table", f"the stacks of {letter} need a card each")
            if sum(row) and letter not in self.word:
                fail("crow_table", f"{letter} is not in {self.word}")
            if by_the_book and sum(row) != LETTER_TOTALS[letter]:
                fail("crow_table", f'{LETTER_TOTALS[letter]} {letter} with deck="rulebook", not {sum(row)}')
        if by_the_book and (crows := tuple(map(sum, zip(*table.values())))) != CROW_TOTALS:
            fail("crow_table", f'{CROW_TOTALS} cards with 1, 2, 3 crows with deck="rulebook", not {crows}')
        if (there := sum(self.copies())) > MOST_CARDS:
            fail("crow_table", f"at most {MOST_CARDS} cards with the wilds, not {there}")

    def table(self) -> dict[str, list[int]]:
        """letter -> copies with 1, 2, 3 crows, for every letter."""
        if self.crow_table is None:
            return {letter: list(CROW_TABLE[letter]) if letter in self.word else [0] * N_CROWS for letter in LETTERS}
        return {letter: [int(x) for x in self.crow_table.get(letter, [0] * N_CROWS)] for letter in LETTERS}

    def copies(self) -> list[int]:
        """How many there are of each card."""
        return [*itertools.chain.from_iterable(self.table().values()), self.wilds]

    def stacks(self) -> list[int]:
        """The stacks in play."""
        return [s for s in range(N_STACKS) if self.word.count(STACKS[s][0]) > STACKS[s].endswith("b")]


def is_within(word: str, whole: str) -> bool:
    """Are these letters of a whole, in its order?"""
    rest = iter(whole)
    return all(letter in rest for letter in word)


def make_config(given: dict[str, Any]) -> Config:
    """A checked Config from keywords; ValueError names an unknown one."""
    known_only(given, [field.name for field in fields(Config)], "parameter")
    return Config(**given)


def config_dict(config: Config) -> dict[str, Any]:
    """All parameters as plain values."""
    found = {name: getattr(config, name) for name in (field.name for field in fields(config))}
    if config.crow_table is not None:
        found["crow_table"] = {letter: [int(x) for x in row] for letter, row in config.crow_table.items()}
    return found


RULES = np.dtype(
    [
        ("n_seats", np.int64),  # 2..5
        ("third", np.int64),  # 1: the Murdered Third plays too
        ("first_player", np.int64),  # a seat, or NO_SEAT: drawn
        ("stacks", np.uint64),  # set of the stacks in play
        ("n_stacks", np.int64),
        ("letters", np.uint64),  # set of the letters of the word
        ("copies", np.uint64, (2,)),  # of each card, as counts
        ("box", np.uint8, (MOST_CARDS,)),  # n_cards cards, by card id
        ("n_cards", np.int64),
        ("hand_size", np.int64),
        ("expel_draw", np.int64),
        ("reward", np.int64),  # REWARD_*
        ("max_steps", np.int64),
    ],
    align=True,
)


def make_rules(config: Config) -> np.ndarray:
    """The RULES record (array of one) of a configuration."""
    rules = records(RULES, 1)
    copies = config.copies()
    stacks = config.stacks()
    rules["n_seats"] = config.num_players
    rules["third"] = config.murdered_third
    rules["first_player"] = config.first_player
    rules["stacks"] = sum(1 << s for s in stacks)
    rules["n_stacks"] = len(stacks)
    rules["letters"] = sum(1 << letter for letter in {int(LETTER_OF[s]) for s in stacks})
    rules["copies"] = np.frombuffer(bytes(copies), np.uint64)
    rules["box"][0, : sum(copies)] = np.repeat(np.arange(N_CARDS), copies)
    rules["n_cards"] = sum(copies)
    rules["hand_size"] = config.hand_size
    rules["expel_draw"] = config.expel_draw
    rules["reward"] = REWARD.index(config.reward)
    rules["max_steps"] = config.max_steps
    return rules


N_EVENTS = 16
EVENTS_A_WORD = 4
EVENT_WORDS = N_EVENTS // EVENTS_A_WORD
EVENT_BITS = np.uint64(16)
EVENT_CARRIED = np.uint64(64 - 16)
FLIPPED = MAX_SEATS + 1
"""In the place of 1 + the seat: a flip of the Third, whose argument is the card."""

EMPTY_STACK = np.uint64(1)
"""A stack as a number: two bits a card (its face), the top in the lowest, a 1 above the bottom card."""

STATE = np.dtype(
    [
        # face up
        ("stack", np.uint64, (MAX_SEATS, N_STACKS)),  # cards of a stack in their order, see EMPTY_STACK
        ("murder", np.uint64, (MAX_SEATS, 3)),  # how many cards lie in a seat's stacks: a byte for each stack-face
        ("wild_depth", np.uint64, (MAX_SEATS,)),  # a byte a stack: place of the uppermost wild, 1: on top, 0: none
        ("missing", np.uint64),  # a byte a seat: stacks in play that are empty
        ("discard", np.uint64, (2,)),  # counts by card
        ("discard_n", np.uint8),
        # face down: a hand is what everybody knows of it, and the rest
        ("known", np.uint64, (MAX_SEATS, 2)),  # counts by card
        ("secret", np.uint64, (MAX_SEATS, 2)),  # counts by card
        ("n_held", np.uint64),  # a byte a seat: cards in hand
        ("deck", np.uint8, (MOST_CARDS,)),  # deck_n cards, bottom first, top last
        ("deck_n", np.uint8),
        # who knows what
        ("hidden", np.uint64, (2,)),  # counts by card: the draw pile and the secret parts of all hands
        ("deck_max", np.uint64, (MAX_SEATS, 2)),  # a seat's upper bounds on copies in the draw pile
        ("old_max", np.uint64),  # a byte a seat: upper bound on secret cards from before the latest reshuffle
        # whose move
        ("phase", np.uint8),  # what is being asked: index in PHASES
        ("to_act", np.int8),  # seat asked; NO_SEAT when over
        ("current", np.int8),  # whose turn it is
        ("first", np.int8),  # first player of the game
        ("turn", np.int64),  # how many turns have ended
        ("steps", np.int64),  # how many decisions were taken
        ("reshuffles", np.int64),
        ("played", np.int8),  # stack-face of the card in play, or NOTHING
        ("mode", np.uint8),  # declared use of a wild in play: index in MODES
        ("target", np.int8),  # chosen seat, or NO_SEAT
        ("letter", np.int8),  # letter being drained, or NOTHING
        ("third_card", np.int8),  # the Third's flip being resolved, or NOTHING
        ("prevented", np.uint64),  # set of seats that have prevented the card in play
        ("pending", np.uint64),  # set of seats that have still to answer in this step
        ("winner", np.int8),  # NO_SEAT: none
        ("ending", np.uint8),  # index in ENDINGS
        # open acts, 16 bits each, the newest lowest: 1 + the seat (or FLIPPED) + (argument << 8); 0: none
        ("events", np.uint64, (EVENT_WORDS,)),
        *RNG_FIELDS,
        ("drawn", np.uint64),  # where chance is listed: the cards drawn since the deal, in order, as a number; else 0
    ],
    align=True,
)


@kernel
def record_event(state, actor, argument):
    """Enter an open act: 1 + the seat and its action, or FLIPPED and the card."""
    carried = np.uint64(actor + (argument << 8))
    for i in range(EVENT_WORDS):
        word = state.events[i]
        state.events[i] = (word << EVENT_BITS) | carried
        carried = word >> EVENT_CARRIED


@kernel
def clear(state, rules):
    """An empty table: every field as before the deal, the random numbers left alone."""
    for seat in range(MAX_SEATS):
        for stack in range(N_STACKS):
            state.stack[seat, stack] = EMPTY_STACK
        for i in range(3):
            state.murder[seat, i] = NONE
        for i in range(2):
            state.known[seat, i] = NONE
            state.secret[seat, i] = NONE
            state.deck_max[seat, i] = rules.copies[i] if seat < rules.n_seats else NONE
        state.wild_depth[seat] = NONE
    for i in range(2):
        state.discard[i] = NONE
        state.hidden[i] = rules.copies[i]
    for i in range(MOST_CARDS):
        state.deck[i] = rules.box[i]
    for i in range(EVENT_WORDS):
        state.events[i] = NONE
    state.missing = NONE
    for seat in range(rules.n_seats):
        state.missing += one_at(seat) * np.uint64(rules.n_stacks)
    state.discard_n = 0
    state.n_held = NONE
    state.deck_n = rules.n_cards
    state.old_max = NONE
    state.phase = START
    state.turn = 0
    state.steps = 0
    state.reshuffles = 0
    state.winner = NO_SEAT
    state.ending = NO_END
    state.drawn = NONE
    clear_play(state)


@kernel
def clear_play(state):
    """Forget the card in play and all that it asked."""
    state.played = NOTHING
    state.mode = NO_MODE
    state.target = NO_SEAT
    state.letter = NOTHING
    state.third_card = NOTHING
    state.prevented = NONE
    state.pending = NONE


@kernel
def set_up(state, rules, seed):
    """To Start: shuffle, deal a hand at a time clockwise from the first player, who gets one card less."""
    seed_rng(state, seed)
    clear(state, rules)
    first = rules.first_player
    state.first = below(state, rules.n_seats) if first == NO_SEAT else first
    state.current = state.first
    state.to_act = state.first
    if state.rng_listed == 0:
        shuffle(state, state.deck, 0, rules.n_cards)
    for offset in range(rules.n_seats):
        seat = seat_at(rules, np.int64(state.first), offset)
        for _ in range(rules.hand_size - (offset == 0)):
            give(state, seat, take_top(state))
    state.drawn = NONE


# -- The draw pile ------------------------------------------------------------------------------
# Shuffled once and then drawn from the top. Where chance is listed (see `core.rng`) it has no order, and each draw
# takes one of its cards at random instead: a draw, not a whole order, is one event of chance. Cards of one type are one
# event: `drawn` tells histories apart, and stands in the snapshot in place of random numbers.


@kernel
def take_top(state):
    """Take the top card off a draw pile that is not empty."""
    top = np.int64(state.deck_n) - 1
    if state.rng_listed != 0:
        at = below(state, top + 1)
        card = np.int64(state.deck[at])
        for i in range(at, top):
            state.deck[i] = state.deck[i + 1]
        state.drawn = state.drawn * np.uint64(N_CARDS + 1) + np.uint64(card + 1)
    else:
        card = np.int64(state.deck[top])
    state.deck_n = top
    return card


@kernel
def give(state, seat, card):
    """A card from the draw pile goes to a hand; its drawer alone sees it."""
    one = one_at(card & 7)
    state.secret[seat, card >> 3] += one
    state.deck_max[seat, card >> 3] -= one
    state.n_held += one_at(seat)
