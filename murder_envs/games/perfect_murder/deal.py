"""Setup: the piles, shuffled; and how cards move between piles and the detective's hand ever after."""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, ONE, bit, full, lowest
from murder_envs.core.jit import kernel
from murder_envs.core.records import emptier
from murder_envs.core.rng import below, seed_rng
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.state import N_PATH_WORDS, Rules, State

empty = emptier(State)


@kernel
def clear(state: State, rules: Rules):
    """An empty table before the planning, on which every path is possible; random numbers are seeded afterwards."""
    empty(state)
    state.config_digest = rules.config_digest
    state.to_act = c.MURDERER
    state.actions_left = rules.actions
    for i in range(N_PATH_WORDS):
        left = rules.n_paths - 64 * i
        state.ways[i] = NONE if left <= 0 else (~NONE if left >= 64 else full(left))


@kernel
def clear_chosen(state: State):
    """No action is under way."""
    state.pile = 0
    state.chosen = 0
    state.chosen_room = c.NOBODY
    state.chosen_room_card = c.NOBODY


@kernel
def clear_plan(state: State):
    """Nothing is planned."""
    state.suspect = c.NOBODY
    state.weapon = c.NOBODY
    state.path_n = 0
    for i in range(c.MAX_ROOMS):
        state.path[i] = 0
    state.path_rooms = 0
    state.path_doors = 0


@kernel
def set_up(state: State, rules: Rules, seed):
    """Setup: shuffle the piles; the detective may be dealt a clue and a trace card, which the murderer never sees.

    The cards come before the planning (Ruling), which learns nothing from it. Easier for the detective: "deal the
    detective one clue card and one trace card".
    """
    clear(state, rules)
    seed_rng(state, seed)
    for pile in range(3):
        n = rules.n_room_cards if pile == c.ROOM else (rules.n_traces if pile == c.TRACE else rules.n_clues)
        state.pile_n[pile] = n
        state.piles[pile] = shuffled(state, listed_cards(full(n)), 0, n)
    if rules.start_cards != 0:
        draw(state, rules, c.CLUE)
        draw(state, rules, c.TRACE)


# -- Fields and kinds -----------------------------------------------------------------------------


@kernel
def kind_of(rules: Rules, field):
    """Is a field a clue or a trace?"""
    return c.CLUE if field < rules.n_clues else c.TRACE


@kernel
def base_of(rules: Rules, kind):
    """The first field of a kind."""
    return rules.n_clues if kind == c.TRACE else 0


@kernel
def fields_of(rules: Rules, kind):
    """All fields of a kind."""
    return rules.trace_fields if kind == c.TRACE else rules.clue_fields


# -- Piles as words -------------------------------------------------------------------------------
# Four bits a card, the top card lowest. So a card is taken off by a shift, and a word has room for sixteen cards.

CARD_BITS = 4
CARD = np.uint64(15)


@kernel
def card_at(pile, place):
    """The card at a place of a pile, the top being 0; its number within its kind."""
    return np.int64(pile >> CARD_BITS * place & CARD)


@kernel
def place_of(pile, card):
    """Where a card lies in a pile that has it."""
    place = 0
    while card_at(pile, place) != card:
        place += 1
    return place


@kernel
def without_place(pile, place):
    """The pile with the card at a place taken out."""
    above = pile & full(CARD_BITS * place)
    return above | ((pile >> CARD_BITS * place) >> CARD_BITS) << CARD_BITS * place


@kernel
def first_cards(pile, n):
    """The set of the first n cards of a pile, numbered within their kind."""
    cards = NONE
    for _ in range(n):
        cards |= bit(card_at(pile, 0))
        pile >>= CARD_BITS
    return cards


@kernel
def listed_cards(cards):
    """A set of cards, numbered within their kind, as a pile in rising order."""
    pile = NONE
    n = 0
    while cards != NONE:
        pile |= np.uint64(lowest(cards)) << CARD_BITS * n
        cards &= cards - ONE
        n += 1
    return pile


@kernel
def shuffled(state: State, pile, start, stop):
    """A pile with the cards from `start` to before `stop` in a uniform random order (Fisher-Yates).

    Two cards change places by exclusive or: what tells them apart is flipped in both.
    """
    for i in range(stop - 1, start, -1):
        j = start + below(state, i - start + 1)
        change = np.uint64(card_at(pile, i) ^ card_at(pile, j))
        pile ^= change << CARD_BITS * i
        pile ^= change << CARD_BITS * j
    return pile


# -- Moving cards ---------------------------------------------------------------------------------


@kernel
def take_from_pile(state: State, kind, place):
    """Take the card at a place out of a pile; its number within its kind."""
    card = card_at(state.piles[kind], place)
    state.piles[kind] = without_place(state.piles[kind], place)
    state.pile_n[kind] -= 1
    return card


@kernel
def put_under(state: State, kind, card):
    """Put a card under a pile."""
    state.piles[kind] |= np.uint64(card) << CARD_BITS * state.pile_n[kind]
    state.pile_n[kind] += 1


@kernel
def put_on_top(state: State, kind, card):
    """Put a card on top of a pile."""
    state.piles[kind] = state.piles[kind] << CARD_BITS | np.uint64(card)
    state.pile_n[kind] += 1


@kernel
def draw(state: State, rules: Rules, kind):
    """The detective draws the top card of a pile."""
    state.hand |= bit(base_of(rules, kind) + take_from_pile(state, kind, 0))


@kernel
def top_of(state: State, rules: Rules, kind):
    """The fields of the top three cards (or fewer) of a pile."""
    return first_cards(state.piles[kind], min(c.FROM_TOP, state.pile_n[kind])) << base_of(rules, kind)


@kernel
def open_room_cards(state: State):
    """The top three room cards (or fewer)."""
    return first_cards(state.piles[c.ROOM], min(c.FROM_TOP, state.pile_n[c.ROOM]))


@kernel
def in_piles(state: State, rules: Rules):
    """The clue and trace cards in both piles: those that are nowhere else."""
    return rules.all_fields & ~(state.hand | state.discarded | state.out)


# -- Markers --------------------------------------------------------------------------------------


@kernel
def real_marks(state: State, rules: Rules):
    """The fields of the culprit and the weapon, as far as planned."""
    fields = NONE
    if state.suspect != c.NOBODY:
        fields |= rules.suspect_fields[state.suspect]
    if state.weapon != c.NOBODY:
        fields |= rules.weapon_fields[state.weapon]
    return fields


@kernel
def blanks(state: State, rules: Rules):
    """Fields with a face-down blank, once planned."""
    return rules.all_fields & ~(real_marks(state, rules) | state.false_marks | state.blank_off)
