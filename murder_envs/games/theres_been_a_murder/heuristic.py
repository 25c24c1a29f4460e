"""A scripted player, compiled: it sees an observation, a legal set and public rules, no more.

Between turns almost everybody holds one card, so the Murderer's holder usually holds the Murderer alone: find that
seat, keep the Detective until then, keep the Confidant for an Invalid, get rid of the Witness.

*Belief*: a card is at a place where it is possible with weight (size of the place) / (number of candidates there).
*lone(k)*: belief that seat k holds the Murderer, if it holds one card; *best*: the other seat with greatest
(lone, belief), and "least" and "greatest lone" go by the same order. Ties are broken at random.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, bit, count, get_bits, has, is_in, kth, kth_of, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below
from murder_envs.games.theres_been_a_murder import moves
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS, NO_CARD, card_set
from murder_envs.games.theres_been_a_murder.moves import ACT, MAX_SEATS, MAX_SYMBOLS, PHASE, PHASES
from murder_envs.games.theres_been_a_murder.state import N_PLACES, Rules
from murder_envs.games.theres_been_a_murder.view import OBS

CERTAIN = 0.99
"""Belief from which on a seat counts as the Murderer's."""


def _cards(names: str) -> list[int]:
    """Cards by their names."""
    return [getattr(CARD, name) for name in names.split()]


def _order(names: str) -> np.ndarray:
    """Cards by their names, as an order of preference."""
    return np.array(_cards(names), np.int64)


_WORTH = {
    99: "monkey drunk", 90: "maid", 88: "reporter", 87: "hound", 85: "witness", 70: "secretary", 68: "butler",
    66: "driver", 60: "seer", 58: "imposter", 56: "stranger", 55: "aristocrat", 40: "invalid", 38: "doctor",
    36: "blackmailer", 34: "socialite", 30: "cad", 26: "gossip", 24: "nun", 20: "swain", 10: "confidant",
}  # fmt: skip
WORTH = np.zeros(N_CARDS + 1)
"""Base worth of playing a card: first what has to be played and what finds the Murderer, last what helps to hide it."""
for _worth, _names in _WORTH.items():
    WORTH[_cards(_names)] = _worth

# Preferences: take the first that is there, else one not in the last list, else the first of that.
DISCARD_FIRST = _order("witness imposter aristocrat blackmailer gossip swain nun")
DISCARD_LAST = _order("confidant detective")
PASS_FIRST = _order("witness gossip swain")
PASS_LAST = _order("detective confidant")
INVALID_FIRST = _order("gossip swain")
INVALID_LAST = _order("witness detective confidant")
SHOW_FIRST = _order("detective confidant witness")
BURY_FIRST = _order("witness imposter aristocrat gossip swain")
RESCUE_FIRST = _order("detective confidant murderer invalid maid reporter hound secretary butler driver")
RESCUE_LAST = _order("witness aristocrat gossip swain")
SEARCH_FIRST = _order("witness aristocrat gossip swain imposter")
PICK_FIRST = _order("detective confidant invalid maid reporter hound secretary doctor")
UNWANTED = card_set(*_cards("aristocrat witness drunk monkey murderer"))
KEY_CARDS = card_set(*_cards("detective confidant"))
SEEKERS = card_set(*_cards("maid hound reporter"))


@kernel
def heuristic(row, legal_set, rules: Rules, stream):
    """The scripted player's action."""
    if count(legal_set) == 1:
        return kth_of(legal_set, 0)
    phase = one_hot(row, OBS.phase, len(PHASES))
    if phase == PHASE.announce:
        return ACT.tell_all if is_in(legal_set, ACT.tell_all) else ACT.hush
    if phase == PHASE.signal:
        says = is_in(legal_set, ACT.signal) and has(cards_at(row, OBS.hand), CARD.murderer)
        return ACT.signal if says else ACT.hush
    if phase == PHASE.play:
        return choose_play(row, legal_set, stream)
    if phase == PHASE.target or phase == PHASE.target2:
        return choose_target(row, legal_set, stream, phase)
    if phase == PHASE.seer:
        return ACT.raise_ if cards_at_bottom(row) & KEY_CARDS != NONE else ACT.leave
    if phase == PHASE.name:
        return moves.with_card(ACT.name, choose_name(row))
    if phase == PHASE.rescue or phase == PHASE.search or phase == PHASE.pick:
        return choose_take(row, legal_set, stream, phase)
    return moves.with_card(ACT.give, choose_give(row, legal_set, stream, phase))


# -- Reading the observation ----------------------------------------------------------------------


@kernel
def cards_at(row, at):
    """A block of one byte a card as a set of cards."""
    return get_bits(row, at, N_CARDS) << 1


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
    return popcount(get_bits(row, OBS.seats, MAX_SEATS))


@kernel
def cards_at_bottom(row):
    """The card at the bottom of the deck, if known, as a set."""
    cards = NONE
    deck = row[OBS.piles]
    for card in range(1, N_CARDS + 1):
        if deck > 0 and row[OBS.depth + card - 1] == deck:
            cards |= bit(card)
    return cards


@kernel
def options(legal_set, start):
    """The cards that a block of card actions offers, as a set."""
    cards = NONE
    for card in range(1, N_CARDS + 1):
        if is_in(legal_set, moves.with_card(start, card)):
            cards |= bit(card)
    return cards


# -- Belief -----------------------------------------------------------------------------------------
# Places are those of the observation's table: relative hands 0..7, upper part, lower part, out of the game.


@kernel
def size_of(row, place):
    """How many cards lie at a place."""
    if place < MAX_SEATS:
        return row[OBS.hand_sizes + place]
    if place == MAX_SEATS:
        return row[OBS.piles] - row[OBS.piles + 1]
    return row[OBS.piles + place - MAX_SEATS]


@kernel
def weight(row, card, place):
    """Size of a place over its number of candidates, if the card may lie there."""
    candidates = get_bits(row, OBS.possible + N_CARDS * place, N_CARDS)
    if not has(candidates, card - 1):
        return 0.0
    return size_of(row, place) / popcount(candidates)


@kernel
def belief(row, card, offset):
    """Belief that a seat holds a card, from the table alone: its weight there, over the weights at all places."""
    total = 0.0
    for place in range(N_PLACES):
        total += weight(row, card, place)
    return weight(row, card, offset) / total if total > 0.0 else 0.0


@kernel
def says_murderer(row, offset):
    """Was a seat's last symbol 0, "I hold the Murderer" (a convention of this player), and may it be so?"""
    return (
        row[OBS.signals + MAX_SYMBOLS * offset] == 1 and row[OBS.possible + N_CARDS * offset + CARD.murderer - 1] == 1
    )


@kernel
def murderer_at(row, offset):
    """Belief that another seat holds the Murderer, 0 to 1; a seat that says so has all of it."""
    if says_murderer(row, offset):
        return 1.0
    for other in range(1, n_seats(row)):
        if says_murderer(row, other):
            return 0.0
    return belief(row, CARD.murderer, offset)


@kernel
def lone(row, offset):
    """Belief that a seat holds the Murderer and nothing else."""
    return murderer_at(row, offset) if offset > 0 and row[OBS.hand_sizes + offset] == 1 else 0.0


@kernel
def suspicion(row, offset):
    """The order (lone, belief) of the other seats as one number: beliefs are at most 1, so `lone` goes first."""
    return 1e3 * lone(row, offset) + murderer_at(row, offset)


@kernel
def is_located(row):
    """Is the Murderer as good as located in another hand?"""
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
    if is_in(legal_set, ACT.discard):
        return ACT.discard
    hand = cards_at(row, OBS.hand)
    surest = greatest_lone(row)
    cards = options(legal_set, ACT.play)
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
    return moves.with_card(ACT.play, any_of(best, stream))


@kernel
def worth(row, card, hand, surest):
    """What playing a card is worth, `surest` being lone(best).

    The Detective waits until its target is all but sure, or until the deck is about to run out. The Invalid fetches the
    Murderer for the Confidant's holder, which wins. The Doctor is for a lost Detective or Confidant; the Witness has to
    go before its holder is passed the Murderer; and who has located the Murderer needs no more seekers.
    """
    if card == CARD.detective:
        if surest >= 0.95:
            return 900.0
        if row[OBS.piles] <= n_seats(row) and surest > 0.0:
            return 200.0 + 100.0 * surest
        return 50.0 if surest >= 0.5 else -10.0
    if card == CARD.invalid:
        if has(hand, CARD.confidant):
            return 950.0 if surest >= 0.3 else 92.0
        if has(hand, CARD.detective):
            return 800.0 if surest >= 0.95 else 75.0
        if has(hand, CARD.witness):
            return 2.0
    if card == CARD.doctor:
        lost = row[OBS.discard + CARD.detective - 1] > 0 or row[OBS.discard + CARD.confidant - 1] > 0
        return 95.0 if lost else 5.0
    if card == CARD.witness and has(hand, CARD.murderer):
        return 95.0
    if has(SEEKERS, card) and is_located(row):
        return 30.0
    return WORTH[card]


@kernel
def choose_target(row, legal_set, stream, phase):
    """The player of greatest merit."""
    best = NONE
    most = -1e9
    for offset in range(n_seats(row)):
        if is_in(legal_set, ACT.target + offset):
            value = merit(row, phase, offset)
            if value > most:
                most = value
                best = NONE
            if value == most:
                best |= bit(offset)
    return ACT.target + any_of(best, stream)


@kernel
def merit(row, phase, offset):
    """What choosing a player is worth in the effect under way.

    The Detective, the Cad, and the Invalid of a Detective's or Confidant's holder go for the Murderer; all others leave
    it where it is. The Swain of the Murderer's holder may pass it on, so it looks for the Confidant.
    """
    hand = cards_at(row, OBS.hand)
    effect = one_hot(row, OBS.effect, N_CARDS) + 1
    if phase == PHASE.target2:
        confidant = belief(row, CARD.confidant, offset) if row[OBS.hand_sizes + offset] >= 2 else 0.0
        return confidant - belief(row, CARD.witness, offset) - lone(row, offset)
    if effect == CARD.detective:
        if offset == 0:
            return 1e6 if hand == bit(CARD.murderer) else -1e6
        return suspicion(row, offset)
    if effect == CARD.reporter:
        at = murderer_at(row, offset)
        return at if at < CERTAIN else -1.0
    if effect == CARD.swain and has(hand, CARD.murderer):
        return belief(row, CARD.confidant, offset) - belief(row, CARD.witness, offset)
    if effect == CARD.cad or (effect == CARD.invalid and hand & KEY_CARDS != NONE and not has(hand, CARD.witness)):
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
    return NO_CARD


@kernel
def without(cards, last):
    """The cards of a set that are not in a list."""
    for i in range(last.shape[0]):
        cards &= ~bit(last[i])
    return cards


@kernel
def of_least_worth(cards):
    """The card of a set that is worth least to play: what to part with where no preference says more."""
    best = NO_CARD
    for card in range(1, N_CARDS + 1):
        if has(cards, card) and (best == NO_CARD or WORTH[card] < WORTH[best]):
            best = card
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
    cards = options(legal_set, ACT.give)
    if phase == PHASE.discard:
        return prefer(cards, DISCARD_FIRST, DISCARD_LAST)
    if phase == PHASE.pass_:
        if row[OBS.effect + CARD.invalid - 1] == 1:
            return prefer(cards, INVALID_FIRST, INVALID_LAST)
        return prefer(cards, PASS_FIRST, PASS_LAST)
    if phase == PHASE.show:
        card = first_of(SHOW_FIRST, cards)
        return card if card != NO_CARD else any_of(cards, stream)
    return prefer(cards, BURY_FIRST, DISCARD_LAST)


@kernel
def choose_take(row, legal_set, stream, phase):
    """A card of a pile to rescue, discard or keep."""
    cards = options(legal_set, ACT.take)
    if phase == PHASE.search:
        card = first_of(SEARCH_FIRST, cards)
        return moves.with_card(ACT.take, card) if card != NO_CARD else ACT.leave
    if phase == PHASE.rescue:
        card = first_of(RESCUE_FIRST, cards)
        fine = without(cards, RESCUE_LAST)
        if card == NO_CARD:
            card = any_of(fine if fine != NONE else cards, stream)
    else:
        if has(cards_at(row, OBS.hand), CARD.blackmailer) and cards != bit(CARD.detective):
            cards &= ~bit(CARD.detective)
        card = first_of(PICK_FIRST, cards)
        fine = cards & ~UNWANTED
        if card == NO_CARD:
            card = kth(fine if fine != NONE else cards, 0)
    return moves.with_card(ACT.take, card)


@kernel
def choose_name(row):
    """The card to ask the Hound for."""
    holds_murderer = has(cards_at(row, OBS.hand), CARD.murderer)
    if not holds_murderer and not is_located(row):
        return CARD.murderer
    return CARD.confidant if holds_murderer and has(cards_at(row, OBS.in_game), CARD.confidant) else CARD.detective
