"""What a table may choose before play, the records of a game in progress, and the set-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from murder_envs.core.bits import bit
from murder_envs.core.checks import a_bool, a_choice, a_list, an_int, distinct, fail, ints, known_only
from murder_envs.core.jit import kernel, records
from murder_envs.core.lanes import N_LANES, all_lanes, store
from murder_envs.core.rng import Randomness, below, seed_rng, shuffle
from murder_envs.games.theres_been_a_murder.cards import (
    ARISTOCRAT,
    BLACKMAILER,
    DETECTIVE,
    EASIER_WITHOUT,
    GUESTS,
    MOST_REMOVED,
    MURDERER,
    N_CARDS,
    NO_CARD,
    NONE,
    NOVICE_CARDS,
    card_set,
)
from murder_envs.games.theres_been_a_murder.moves import (
    DEAD_END,
    MAX_SEATS,
    MAX_SYMBOLS,
    NO_END,
    NO_SEAT,
    OVER,
    REWARD,
    TALK,
    seat_at,
)

LEVELS = {"novice": (), "veteran": (BLACKMAILER,), "master": (BLACKMAILER, ARISTOCRAT)}
"""level -> the advanced cards that it adds."""


@dataclass(frozen=True)
class Config:
    """Parameters of a game, all keyword-only; ValueError begins with the name of a wrong one.

    Attributes:
        num_players: seats, 3..8.
        level: "novice", "veteran" (adds the Blackmailer) or "master" (adds the Aristocrat too).
        guests: how many of the cards 21..24 are used, max(0, num_players-4)..4; None: as few as that.
        leave_out: cards left out to make it easier: the Stranger (4), the Imposter (5), or both.
        remove_known: how many cards are publicly left out, 18 first, 0..6.
        remove_random: how many cards are removed unseen, 0..6.
        cards: the exact set of cards instead, distinct ints 1..24 with both 1 and 2, or None.
        first_player: who starts, or -1: drawn at random.
        detective_self: may the Detective choose its own player?
        dead_end: "rulebook", "certain" or "off": when a hopeless game is stopped.
        talk: "silent", "none", "symbols" or "open".
        symbols: size of the cheap-talk channel, 0..16; above 0 only with talk="symbols".
        banned_symbols: symbols that may not be sent.
        reward: "outcome" (win 1, else -1), "win" (win 1, else 0) or "score" (win (1 + min(score, 12)) / 13, else 0).
        max_turns: turns after which the game is cut off, 1..1000.
    """

    num_players: int = 4
    level: str = "novice"
    guests: int | None = None
    leave_out: Sequence[int] = ()
    remove_known: int = 0
    remove_random: int = 1
    cards: Sequence[int] | None = None
    first_player: int = -1
    detective_self: bool = True
    dead_end: str = "rulebook"
    talk: str = "none"
    symbols: int = 0
    banned_symbols: Sequence[int] = ()
    reward: str = "outcome"
    max_turns: int = 200

    def __post_init__(self) -> None:
        n = an_int("num_players", self.num_players, 3, MAX_SEATS)
        a_choice("level", self.level, tuple(LEVELS))
        if self.guests is not None:
            an_int("guests", self.guests, max(0, n - 4), len(GUESTS))
        left_out = ints("leave_out", self.leave_out, EASIER_WITHOUT[0], EASIER_WITHOUT[-1])
        distinct("leave_out", left_out)
        an_int("remove_known", self.remove_known, 0, MOST_REMOVED)
        an_int("remove_random", self.remove_random, 0, MOST_REMOVED)
        if self.cards is not None:
            chosen = ints("cards", a_list("cards", self.cards), 1, N_CARDS)
            distinct("cards", chosen)
            if MURDERER not in chosen or DETECTIVE not in chosen:
                fail("cards", "both 1 (the Murderer) and 2 (the Detective) must be among them")
        an_int("first_player", self.first_player, -1, n - 1)
        a_bool("detective_self", self.detective_self)
        a_choice("dead_end", self.dead_end, DEAD_END)
        a_choice("talk", self.talk, TALK)
        k = an_int("symbols", self.symbols, 0, MAX_SYMBOLS)
        if k > 0 and self.talk != "symbols":
            fail("symbols", f'above 0 only with talk="symbols", not with talk={self.talk!r}')
        banned = a_list("banned_symbols", self.banned_symbols)
        if banned and k == 0:
            fail("banned_symbols", "there are no symbols to ban")
        distinct("banned_symbols", ints("banned_symbols", banned, 0, k - 1))
        a_choice("reward", self.reward, REWARD)
        an_int("max_turns", self.max_turns, 1, 1000)
        size, needed = len(self.card_list()), 2 * n + self.remove_random
        if size < needed:
            name = "remove_random" if self.cards is None else "cards"
            fail(name, f"{n} players and {self.remove_random} removed cards need {needed} cards; there are {size}")

    def card_list(self) -> list[int]:
        """The cards of the game, ascending (section Ongoing Play & Difficulty Levels)."""
        if self.cards is not None:
            return sorted(int(card) for card in self.cards)
        guests = max(0, self.num_players - 4) if self.guests is None else self.guests
        kept = NOVICE_CARDS[: len(NOVICE_CARDS) - self.remove_known] + LEVELS[self.level] + GUESTS[:guests]
        return [card for card in kept if card not in self.leave_out]


def make_config(given: dict[str, Any]) -> Config:
    """A checked Config from keywords; ValueError names an unknown one."""
    known_only(given, [field.name for field in fields(Config)], "parameter")
    return Config(**given)


def config_dict(config: Config) -> dict[str, Any]:
    """All parameters as plain values."""
    return {name: list(x) if isinstance(x, (tuple, list)) else x for name, x in asdict(config).items()}


RULES = np.dtype(
    [
        ("n_seats", np.int64),  # 3..8
        ("in_game", np.uint64),  # set of the cards of this game
        ("n_cards", np.int64),  # how many these are
        ("n_removed", np.int64),  # how many of them are removed unseen
        ("first_player", np.int64),  # a seat, or NO_SEAT: drawn
        ("detective_self", np.int64),  # 1: the Detective may choose its own player
        ("dead_end", np.int64),  # DEAD_END_*
        ("talk", np.int64),  # TALK_*
        ("n_symbols", np.int64),  # 0: no channel
        ("allowed_symbols", np.uint64),  # set of symbols that may be sent
        ("reward", np.int64),  # REWARD_*
        ("max_turns", np.int64),
    ],
    align=True,
)


def make_rules(config: Config) -> np.ndarray:
    """The RULES record (array of one) of a configuration."""
    rules = records(RULES, 1)
    cards = config.card_list()
    banned = sum(1 << int(symbol) for symbol in config.banned_symbols)
    rules["n_seats"] = config.num_players
    rules["in_game"] = card_set(*cards)
    rules["n_cards"] = len(cards)
    rules["n_removed"] = config.remove_random
    rules["first_player"] = config.first_player
    rules["detective_self"] = config.detective_self
    rules["dead_end"] = DEAD_END.index(config.dead_end)
    rules["talk"] = TALK.index(config.talk)
    rules["n_symbols"] = config.symbols
    rules["allowed_symbols"] = ((1 << config.symbols) - 1) & ~banned
    rules["reward"] = REWARD.index(config.reward)
    rules["max_turns"] = config.max_turns
    return rules


# Places where a card may lie, as rows of the knowledge tables: a hand is HANDS + its absolute seat.
UPPER, LOWER, OUT, HANDS = 0, 1, 2, 3
N_PLACES = HANDS + MAX_SEATS
N_GROUPS = (MAX_SEATS + 1 + N_LANES - 1) // N_LANES
N_EVENTS = 32

STATE = np.dtype(
    [
        # face down
        ("hand", np.uint32, (MAX_SEATS,)),  # set of cards a seat holds
        ("removed", np.uint64),  # set of cards removed unseen
        ("deck", np.uint8, (N_CARDS,)),  # deck_n cards, bottom first, top last
        ("deck_n", np.uint8),
        ("lower_n", np.uint8),  # how many at the bottom belong to the lower part; 0: no line any more
        ("chosen", np.uint8, (MAX_SEATS,)),  # card placed face down in this effect, or NO_CARD
        # face up
        ("discard", np.uint8, (N_CARDS,)),  # discard_n cards, oldest first, top last
        ("discard_n", np.uint8),
        ("last_action", np.uint8),  # last Action card played, or NO_CARD
        ("signals", np.int8, (MAX_SEATS,)),  # last symbol sent by a seat, -1: it was silent last
        ("used_symbols", np.uint64),  # set of symbols sent in this game
        # whose move
        ("phase", np.uint8),  # what is being asked: index in PHASES
        ("to_act", np.int8),  # seat asked; NO_SEAT when over
        ("turn", np.int8),  # the actor: the seat whose turn it is
        ("first", np.int8),  # first player of the game
        ("turns", np.uint16),  # this turn's number, from 1
        ("played", np.uint8),  # card that brought the effect: itself or the Monkey; NO_CARD if no effect
        ("effect", np.uint8),  # Action card being carried out, or NO_CARD
        ("targets", np.int8, (2,)),  # chosen seats, or NO_SEAT
        ("ending", np.uint8),  # index in ENDINGS
        # who knows what: viewer v, a seat or (as number n_seats) the public, is lane v % 8 of group v // 8
        ("possible", np.uint32, (N_GROUPS, N_PLACES, N_LANES)),  # set of cards that may lie at a place
        ("depth_known", np.uint32, (N_GROUPS, N_LANES)),  # set of deck cards whose exact place is known
        ("place_size", np.uint8, (N_PLACES,)),  # scratch of `close`: how many cards lie at a place
        ("candidates", np.uint32, (MAX_SEATS, N_LANES)),  # scratch of `saw_passes`: what a seat may have given
        # scratch of `redeal`: slots whose cards may change
        ("slot_may", np.uint32, (N_CARDS,)),  # set of cards that may lie there
        ("slot_place", np.uint8, (N_CARDS,)),  # where it is
        ("slot_card", np.uint8, (N_CARDS,)),  # the card there now
        ("slot_was", np.uint8, (N_CARDS,)),  # the card there before
        # public events: a ring, newest at events_at, each written twice so that N_EVENTS lie in a row
        ("events", np.uint32, (2 * N_EVENTS,)),  # kind + (a + 1 << 8) + (b + 1 << 16) + (argument << 24); 0: none
        ("events_at", np.uint8),
        *((name, field.dtype) for name, field in Randomness.fields.items()),
    ],
    align=True,
)


@kernel
def record_event(state, kind, a, b, argument):
    """Enter a public event: its kind, the seat it is about, a second seat or NO_SEAT, and its argument."""
    at = np.int64(state.events_at) - 1
    if at < 0:
        at = N_EVENTS - 1
    event = kind + ((a + 1) << 8) + ((b + 1) << 16) + (argument << 24)
    state.events[at] = event
    state.events[at + N_EVENTS] = event
    state.events_at = at


@kernel
def clear(state):
    """An empty table: every field as before the deal, the random numbers left alone."""
    nothing = all_lanes(NONE)
    store(state.hand, nothing)
    for group in range(N_GROUPS):
        store(state.depth_known[group], nothing)
        for place in range(N_PLACES):
            store(state.possible[group, place], nothing)
    for i in range(0, 2 * N_EVENTS, N_LANES):
        store(state.events[i : i + N_LANES], nothing)
    for seat in range(MAX_SEATS):
        store(state.candidates[seat], nothing)
        state.chosen[seat] = NO_CARD
        state.signals[seat] = -1
    for place in range(N_PLACES):
        state.place_size[place] = 0
    for i in range(N_CARDS):
        state.deck[i] = NO_CARD
        state.discard[i] = NO_CARD
        state.slot_may[i] = 0
        state.slot_place[i] = 0
        state.slot_card[i] = NO_CARD
        state.slot_was[i] = NO_CARD
    state.events_at = 0
    state.removed = NONE
    state.deck_n = 0
    state.lower_n = 0
    state.discard_n = 0
    state.last_action = NO_CARD
    state.used_symbols = NONE
    state.phase = OVER
    state.to_act = NO_SEAT
    state.turn = 0
    state.first = 0
    state.turns = 1
    state.played = NO_CARD
    state.effect = NO_CARD
    state.targets[0] = NO_SEAT
    state.targets[1] = NO_SEAT
    state.ending = NO_END


@kernel
def put_in_part(state, card, start, n):
    """Shuffle a card into the n cards at state.deck[start:], which move up for it."""
    at = start + below(state, n + 1)
    for i in range(start + n, at, -1):
        state.deck[i] = state.deck[i - 1]
    state.deck[at] = card


@kernel
def set_up(state, rules, seed):
    """Set Up: build the deck and deal two cards each; tables and effects come later.

    The deck is built with its top last: lower part, then upper part. An odd card lies above (Ruling), so that what
    the parts tell is exact; cards are dealt one at a time (Ruling), so the last seats may get cards of the lower part.
    """
    clear(state)
    seed_rng(state, seed)
    n = 0
    for card in range(DETECTIVE + 1, N_CARDS + 1):
        if rules.in_game & bit(card) != NONE:
            state.discard[n] = card  # the discard pile's room, to shuffle in
            n += 1
    shuffle(state, state.discard, 0, n)
    n_removed = rules.n_removed
    for i in range(n_removed):
        state.removed |= bit(state.discard[i])
    kept = n - n_removed
    lower = kept // 2
    for i in range(kept):
        at = i if i < lower else i + 1
        state.deck[at] = state.discard[n_removed + i]
    for i in range(n):
        state.discard[i] = NO_CARD
    put_in_part(state, DETECTIVE, 0, lower)
    put_in_part(state, MURDERER, lower + 1, kept - lower)
    state.lower_n = lower + 1
    state.deck_n = kept + 2
    first = rules.first_player
    state.first = below(state, rules.n_seats) if first == NO_SEAT else first
    state.turn = state.first
    for i in range(2 * rules.n_seats):
        deal_card(state, seat_at(rules, np.int64(state.first), i % rules.n_seats))


@kernel
def take_top(state):
    """Take the top card off the deck."""
    top = np.int64(state.deck_n) - 1
    card = np.int64(state.deck[top])
    state.deck[top] = NO_CARD
    state.deck_n = top
    state.lower_n = min(np.int64(state.lower_n), top)
    return card


@kernel
def deal_card(state, seat):
    """Deal the top card to a seat; nobody's tables are touched."""
    card = take_top(state)
    state.hand[seat] |= bit(card)


@kernel
def place_of_top(state):
    """The part of the deck in which its top card lies."""
    return UPPER if state.deck_n > state.lower_n else LOWER


@kernel
def all_hands(state, rules):
    """Set of all cards in hands."""
    cards = NONE
    for seat in range(rules.n_seats):
        cards |= state.hand[seat]
    return cards
