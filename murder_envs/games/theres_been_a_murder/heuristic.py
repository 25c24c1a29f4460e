"""A scripted player (the page's section 13), compiled: it sees an observation, a legal set and public rules, no more.

Between turns almost everybody holds one card, so the Murderer's holder usually holds the Murderer alone: find that
seat, keep the Detective until then, keep the Confidant for an Invalid, get rid of the Witness.

*Belief*: a card is at a place where it is possible with weight (size of the place) / (number of candidates there).
*lone(k)*: belief that seat k holds the Murderer, if it holds one card; *best*: the other seat with greatest
(lone, belief), and "least" and "greatest lone" go by the same order. Ties are broken at random.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, count, get_bits, has, is_in, kth, kth_of, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below
from murder_envs.games.theres_been_a_murder.cards import (
    ARISTOCRAT,
    BLACKMAILER,
    BUTLER,
    CAD,
    CONFIDANT,
    DETECTIVE,
    DOCTOR,
    DRIVER,
    DRUNK,
    GOSSIP,
    HOUND,
    IMPOSTER,
    INVALID,
    MAID,
    MONKEY,
    MURDERER,
    MURDERER_BIT,
    N_CARDS,
    NO_CARD,
    NONE,
    NUN,
    REPORTER,
    SECRETARY,
    SEER,
    SOCIALITE,
    STRANGER,
    SWAIN,
    WITNESS,
    card_set,
)
from murder_envs.games.theres_been_a_murder.deal import N_PLACES
from murder_envs.games.theres_been_a_murder.moves import (
    ANNOUNCE,
    DISCARD,
    DISCARD_ARISTOCRAT,
    GIVE_CARD,
    HUSH,
    LEAVE,
    MAX_SEATS,
    MAX_SYMBOLS,
    NAME,
    NAME_CARD,
    PASS,
    PHASES,
    PICK,
    PLAY,
    PLAY_CARD,
    RAISE,
    RESCUE,
    SEARCH,
    SEER_PHASE,
    SEND_SYMBOL,
    SHOW,
    SIGNAL,
    TAKE_CARD,
    TARGET,
    TARGET2,
    TARGET_SEAT,
    TELL_ALL,
)
from murder_envs.games.theres_been_a_murder.view import (
    OBS_DEPTH,
    OBS_DISCARD,
    OBS_EFFECT,
    OBS_HAND,
    OBS_HAND_SIZES,
    OBS_IN_GAME,
    OBS_PHASE,
    OBS_PILES,
    OBS_POSSIBLE,
    OBS_SEATS,
    OBS_SIGNALS,
)

CERTAIN = 0.99
"""Belief from which on a seat counts as the Murderer's."""

_WORTH = {
    MONKEY: 99, DRUNK: 99, MAID: 90, REPORTER: 88, HOUND: 87, WITNESS: 85, SECRETARY: 70, BUTLER: 68, DRIVER: 66,
    SEER: 60, IMPOSTER: 58, STRANGER: 56, ARISTOCRAT: 55, INVALID: 40, DOCTOR: 38, BLACKMAILER: 36, SOCIALITE: 34,
    CAD: 30, GOSSIP: 26, NUN: 24, SWAIN: 20, CONFIDANT: 10,
}  # fmt: skip
WORTH = np.array([_WORTH.get(card, 0) for card in range(N_CARDS + 1)], np.float64)
"""Base worth of playing a card."""


def _order(*cards: int) -> np.ndarray:
    return np.array(cards, np.int64)


# Preferences: take the first that is there, else one not in the last list, else the first of that.
DISCARD_FIRST = _order(WITNESS, IMPOSTER, ARISTOCRAT, BLACKMAILER, GOSSIP, SWAIN, NUN)
DISCARD_LAST = _order(CONFIDANT, DETECTIVE)
PASS_FIRST = _order(WITNESS, GOSSIP, SWAIN)
PASS_LAST = _order(DETECTIVE, CONFIDANT)
INVALID_FIRST = _order(GOSSIP, SWAIN)
INVALID_LAST = _order(WITNESS, DETECTIVE, CONFIDANT)
SHOW_FIRST = _order(DETECTIVE, CONFIDANT, WITNESS)
BURY_FIRST = _order(WITNESS, IMPOSTER, ARISTOCRAT, GOSSIP, SWAIN)
RESCUE_FIRST = _order(DETECTIVE, CONFIDANT, MURDERER, INVALID, MAID, REPORTER, HOUND, SECRETARY, BUTLER, DRIVER)
RESCUE_LAST = _order(WITNESS, ARISTOCRAT, GOSSIP, SWAIN)
SEARCH_FIRST = _order(WITNESS, ARISTOCRAT, GOSSIP, SWAIN, IMPOSTER)
PICK_FIRST = _order(DETECTIVE, CONFIDANT, INVALID, MAID, REPORTER, HOUND, SECRETARY, DOCTOR)
UNWANTED = card_set(ARISTOCRAT, WITNESS, DRUNK, MONKEY, MURDERER)
KEY_CARDS = card_set(DETECTIVE, CONFIDANT)
SEEKERS = card_set(MAID, HOUND, REPORTER)


@kernel
def heuristic(row, legal_set, rules, stream):
    """The scripted player's action."""
    if count(legal_set) == 1:
        return kth_of(legal_set, 0)
    phase = one_hot(row, OBS_PHASE, len(PHASES))
    if phase == ANNOUNCE:
        return np.int64(TELL_ALL if is_in(legal_set, TELL_ALL) else HUSH)
    if phase == SIGNAL:
        says = is_in(legal_set, SEND_SYMBOL) and has(cards_at(row, OBS_HAND), MURDERER)
        return np.int64(SEND_SYMBOL if says else HUSH)
    if phase == PLAY:
        return choose_play(row, legal_set, stream)
    if phase == TARGET or phase == TARGET2:
        return choose_target(row, legal_set, stream, phase)
    if phase == SEER_PHASE:
        return np.int64(RAISE if cards_at_bottom(row) & KEY_CARDS != NONE else LEAVE)
    if phase == NAME:
        return NAME_CARD + choose_name(row) - 1
    if phase == RESCUE or phase == SEARCH or phase == PICK:
        return choose_take(row, legal_set, stream, phase)
    return GIVE_CARD + choose_give(row, legal_set, stream, phase) - 1


# -- Reading the observation ----------------------------------------------------------------------


@kernel
def cards_at(row, at):
    """A block of one byte a card as a set of cards."""
    return get_bits(row, at, N_CARDS) << np.uint64(1)


@kernel
def one_hot(row, at, n):
    """Which of n bytes is 1; n if none is."""
    for i in range(n):
        if row[at + i] == 1:
            return i
    return n


@kernel
def n_seats(row):
    """How many seats the table has."""
    return popcount(get_bits(row, OBS_SEATS, MAX_SEATS))


@kernel
def cards_at_bottom(row):
    """The card at the bottom of the deck, if known, as a set."""
    cards = NONE
    deck = row[OBS_PILES]
    for card in range(1, N_CARDS + 1):
        if deck > 0 and row[OBS_DEPTH + card - 1] == deck:
            cards |= bit(card)
    return cards


@kernel
def options(legal_set, block):
    """The cards that a block of card actions offers, as a set."""
    cards = NONE
    for card in range(1, N_CARDS + 1):
        if is_in(legal_set, block + card - 1):
            cards |= bit(card)
    return cards


# -- Belief -----------------------------------------------------------------------------------------


@kernel
def size_of(row, place):
    """How many cards lie at a place of the observation's table: relative hands 0..7, upper, lower, out."""
    if place < MAX_SEATS:
        return np.int64(row[OBS_HAND_SIZES + place])
    if place == MAX_SEATS:
        return np.int64(row[OBS_PILES]) - np.int64(row[OBS_PILES + 1])
    return np.int64(row[OBS_PILES + place - MAX_SEATS])


@kernel
def weight(row, card, place):
    """Size of a place over its number of candidates, if the card may lie there."""
    candidates = get_bits(row, OBS_POSSIBLE + N_CARDS * place, N_CARDS)
    if not has(candidates, card - 1):
        return 0.0
    return size_of(row, place) / popcount(candidates)


@kernel
def belief(row, card, offset):
    """Belief that a seat holds a card, from the table alone."""
    total = 0.0
    for place in range(N_PLACES):
        total += weight(row, card, place)
    return weight(row, card, offset) / total if total > 0.0 else 0.0


@kernel
def says_murderer(row, offset):
    """Was a seat's last symbol 0, "I hold the Murderer" (a convention of this player), and may it be so?"""
    return row[OBS_SIGNALS + MAX_SYMBOLS * offset] == 1 and row[OBS_POSSIBLE + N_CARDS * offset + MURDERER - 1] == 1


@kernel
def murderer_at(row, offset):
    """Belief that another seat holds the Murderer; a seat that says so has all of it."""
    if says_murderer(row, offset):
        return 1.0
    for other in range(1, n_seats(row)):
        if says_murderer(row, other):
            return 0.0
    return belief(row, MURDERER, offset)


@kernel
def lone(row, offset):
    """Belief that a seat holds the Murderer and nothing else."""
    return murderer_at(row, offset) if offset > 0 and row[OBS_HAND_SIZES + offset] == 1 else 0.0


@kernel
def suspicion(row, offset):
    """The order (lone, belief) of the other seats as one number."""
    return 1e3 * lone(row, offset) + murderer_at(row, offset)


@kernel
def is_found(row):
    """Is the Murderer as good as found in another hand?"""
    for offset in range(1, n_seats(row)):
        if murderer_at(row, offset) >= CERTAIN:
            return True
    return False


@kernel
def greatest_lone(row):
    """lone(best)."""
    most = 0.0
    for offset in range(1, n_seats(row)):
        most = max(most, lone(row, offset))
    return most


# -- Playing and targets ----------------------------------------------------------------------------


@kernel
def choose_play(row, legal_set, stream):
    """The card of greatest worth."""
    if is_in(legal_set, DISCARD_ARISTOCRAT):
        return np.int64(DISCARD_ARISTOCRAT)
    hand = cards_at(row, OBS_HAND)
    surest = greatest_lone(row)
    cards = options(legal_set, PLAY_CARD)
    best = NONE
    most = -1e9
    for card in range(1, N_CARDS + 1):
        if has(cards, card):
            value = worth(row, card, hand, surest)
            if value > most:
                most = value
                best = NONE
            if value == most:
                best |= bit(card)
    return PLAY_CARD + any_of(best, stream) - 1


@kernel
def worth(row, card, hand, surest):
    """What playing a card is worth, `surest` being lone(best)."""
    if card == DETECTIVE:
        if surest >= 0.95:
            return 900.0
        if row[OBS_PILES] <= n_seats(row) and surest > 0.0:
            return 200.0 + 100.0 * surest
        return 50.0 if surest >= 0.5 else -10.0
    if card == INVALID:
        if has(hand, CONFIDANT):
            return 950.0 if surest >= 0.3 else 92.0
        if has(hand, DETECTIVE):
            return 800.0 if surest >= 0.95 else 75.0
        if has(hand, WITNESS):
            return 2.0
    if card == DOCTOR:
        lost = row[OBS_DISCARD + DETECTIVE - 1] > 0 or row[OBS_DISCARD + CONFIDANT - 1] > 0
        return 95.0 if lost else 5.0
    if card == WITNESS and has(hand, MURDERER):
        return 95.0
    if has(SEEKERS, card) and is_found(row):
        return 30.0
    return WORTH[card]


@kernel
def choose_target(row, legal_set, stream, phase):
    """The player of greatest merit."""
    best = NONE
    most = -1e9
    for offset in range(n_seats(row)):
        if is_in(legal_set, TARGET_SEAT + offset):
            value = merit(row, phase, offset)
            if value > most:
                most = value
                best = NONE
            if value == most:
                best |= bit(offset)
    return TARGET_SEAT + any_of(best, stream)


@kernel
def merit(row, phase, offset):
    """What choosing a player is worth in the effect under way."""
    hand = cards_at(row, OBS_HAND)
    effect = one_hot(row, OBS_EFFECT, N_CARDS) + 1
    if phase == TARGET2:
        confidant = belief(row, CONFIDANT, offset) if row[OBS_HAND_SIZES + offset] >= 2 else 0.0
        return confidant - belief(row, WITNESS, offset) - lone(row, offset)
    if effect == DETECTIVE:
        if offset == 0:
            return 1e6 if hand == MURDERER_BIT else -1e6
        return suspicion(row, offset)
    if effect == REPORTER:
        at = murderer_at(row, offset)
        return at if at < CERTAIN else -1.0
    if effect == SWAIN and has(hand, MURDERER):
        return belief(row, CONFIDANT, offset) - belief(row, WITNESS, offset)
    if effect == CAD or (effect == INVALID and hand & KEY_CARDS != NONE and not has(hand, WITNESS)):
        return suspicion(row, offset)
    return -suspicion(row, offset)


# -- Choosing cards ---------------------------------------------------------------------------------


@kernel
def any_of(cards, stream):
    """A random card of a set."""
    n = popcount(cards)
    return kth(cards, stream_below(stream, n) if n > 1 else 0)


@kernel
def first_of(order, cards):
    """The first card of an order that is in a set, or NO_CARD."""
    for i in range(order.shape[0]):
        if has(cards, order[i]):
            return order[i]
    return np.int64(NO_CARD)


@kernel
def without(cards, last):
    """The cards of a set that are not in a list."""
    for i in range(last.shape[0]):
        cards &= ~bit(last[i])
    return cards


@kernel
def of_least_worth(cards):
    """The card of a set that is worth least to play: what to part with where the page says only "others"."""
    best = np.int64(NO_CARD)
    for card in range(1, N_CARDS + 1):
        if has(cards, card) and (best == NO_CARD or WORTH[card] < WORTH[best]):
            best = np.int64(card)
    return best


@kernel
def prefer(cards, first, last):
    """The first that is there, else the card of least worth that is not in `last`, else the first of that."""
    card = first_of(first, cards)
    if card != NO_CARD:
        return card
    others = without(cards, last)
    return of_least_worth(others) if others != NONE else first_of(last, cards)


@kernel
def choose_give(row, legal_set, stream, phase):
    """A card of the own hand to discard, pass, show or bury."""
    cards = options(legal_set, GIVE_CARD)
    if phase == DISCARD:
        return prefer(cards, DISCARD_FIRST, DISCARD_LAST)
    if phase == PASS:
        if row[OBS_EFFECT + INVALID - 1] == 1:
            return prefer(cards, INVALID_FIRST, INVALID_LAST)
        return prefer(cards, PASS_FIRST, PASS_LAST)
    if phase == SHOW:
        card = first_of(SHOW_FIRST, cards)
        return card if card != NO_CARD else any_of(cards, stream)
    return prefer(cards, BURY_FIRST, DISCARD_LAST)


@kernel
def choose_take(row, legal_set, stream, phase):
    """A card of a pile to rescue, discard or keep."""
    cards = options(legal_set, TAKE_CARD)
    if phase == SEARCH:
        card = first_of(SEARCH_FIRST, cards)
        return TAKE_CARD + card - 1 if card != NO_CARD else np.int64(LEAVE)
    if phase == RESCUE:
        card = first_of(RESCUE_FIRST, cards)
        fine = without(cards, RESCUE_LAST)
        if card == NO_CARD:
            card = any_of(fine if fine != NONE else cards, stream)
    else:
        if has(cards_at(row, OBS_HAND), BLACKMAILER) and cards != bit(DETECTIVE):
            cards &= ~bit(DETECTIVE)
        card = first_of(PICK_FIRST, cards)
        fine = cards & ~UNWANTED
        if card == NO_CARD:
            card = kth(fine if fine != NONE else cards, 0)
    return TAKE_CARD + card - 1


@kernel
def choose_name(row):
    """The card to ask the Hound for."""
    holds_murderer = has(cards_at(row, OBS_HAND), MURDERER)
    if not holds_murderer and not is_found(row):
        return np.int64(MURDERER)
    return np.int64(CONFIDANT if holds_murderer and has(cards_at(row, OBS_IN_GAME), CONFIDANT) else DETECTIVE)
