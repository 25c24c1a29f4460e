"""Turns, the window, and the ends, in the rulebook's order.

A turn: draw -> play -> (a wild: its use) -> the window -> the effect -> the next seat. As phases:

    START -> (draw) PLAY -> (a wild) WILD_USE -> REACT by each seat that is asked -> the effect:
      M  Misplace  TARGET -> TAKE          D  Drain  LETTER -> LOSE by each seat that has it
      U  Uncover   TARGET -> GRAB          E  Expel
      R  Reap                              Remove a stack  TARGET -> RAZE
    -> the next seat's START; with the Murdered Third, after both living players, by each of them
      M THIRD_TAKE   D THIRD_LOSE   W THIRD_RAZE
    -> the first player's START, or OVER
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow, allow_all, bit
from murder_envs.core.jit import DEBUG, kernel
from murder_envs.games.murder_of_crows.cards import (
    CARD_OF,
    FACE_WILD,
    N_CARDS,
    N_CROWS,
    N_FACES,
    N_LETTERS,
    N_STACKS,
    STACKS_OF,
    WILD,
)
from murder_envs.games.murder_of_crows.deal import clear_play, record_event, set_up
from murder_envs.games.murder_of_crows.effects import (
    apply_grab,
    apply_letter,
    apply_lose,
    apply_raze,
    apply_take,
    apply_target,
    ask,
    ask_each,
    ask_next,
    carry_out,
    discard,
    draw,
    effect_of,
    hand_of,
    lay_on_stack,
    legal_lose,
    legal_raze,
    legal_take,
    legal_target,
    third_acts,
    touched,
)
from murder_envs.games.murder_of_crows.moves import (
    ALLOW,
    AS_LETTER,
    ASKED,
    DEAD,
    DRAW,
    EFFECT,
    GRAB,
    GRAB_CARD,
    LETTER,
    LOSE,
    NAME_LETTER,
    NEXT_TURN,
    NO_SEAT,
    NONE,
    ONES,
    OVER,
    PLAY,
    PLAY_CARD,
    PREVENT_WITH,
    RAZE,
    REACT,
    REWARD_PROGRESS,
    REWARD_WIN_LOSS,
    REWARD_ZERO_SUM,
    SKIP,
    START,
    TAKE,
    TARGET,
    THIRD_LOSE,
    THIRD_RAZE,
    THIRD_TAKE,
    TRUNCATED,
    TURN_OVER,
    USE_WILD,
    WILD_USE,
    WINDOW,
    WON,
    byte_of,
    nonzero,
    seat_at,
    total,
)
from murder_envs.games.murder_of_crows.view import leave_hand, unknown


@kernel
def legal(state, rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == REACT:
        legal_react(state, rules, legal_set)
    elif phase == START:
        allow(legal_set, DRAW)
        allow(legal_set, SKIP)
    elif phase == PLAY:
        legal_play(state, rules, legal_set)
    elif phase == TARGET:
        legal_target(state, rules, legal_set)
    elif phase == TAKE:
        legal_take(state, legal_set, np.int64(state.target))
    elif phase == GRAB:
        allow_all(legal_set, GRAB_CARD, hand_of(state, np.int64(state.target)))
    elif phase == LETTER:
        allow_all(legal_set, NAME_LETTER, rules.letters)
    elif phase == LOSE or phase == THIRD_LOSE:
        legal_lose(state, legal_set)
    elif phase == RAZE:
        legal_raze(state, legal_set, np.int64(state.target))
    elif phase == WILD_USE:
        allow(legal_set, USE_WILD)
        allow(legal_set, USE_WILD + 1)
    elif phase == THIRD_TAKE:
        legal_take(state, legal_set, np.int64(state.to_act))
    elif phase == THIRD_RAZE:
        legal_raze(state, legal_set, np.int64(state.to_act))


@kernel
def step(state, rules, action):
    """One decision; the action is known to be legal."""
    seat = np.int64(state.to_act)
    record_event(state, seat + 1, action)
    state.steps += 1
    phase = state.phase
    if phase == REACT:
        then = apply_react(state, rules, action)
    elif phase == START:
        then = apply_start(state, rules, action)
    elif phase == PLAY:
        then = apply_play(state, rules, action)
    elif phase == TARGET:
        then = apply_target(state, rules, action)
    elif phase == TAKE:
        apply_take(state, action, np.int64(state.target))
        then = TURN_OVER
    elif phase == GRAB:
        then = apply_grab(state, rules, action)
    elif phase == LETTER:
        then = apply_letter(state, rules, action)
    elif phase == LOSE:
        apply_lose(state, action)
        then = ask_next(state, rules, np.int64(state.current), TURN_OVER)
    elif phase == RAZE:
        apply_raze(state, action, np.int64(state.target))
        then = TURN_OVER
    elif phase == WILD_USE:
        state.mode = AS_LETTER + action - USE_WILD
        then = WINDOW
    else:
        if phase == THIRD_TAKE:
            apply_take(state, action, seat)
        elif phase == THIRD_LOSE:
            apply_lose(state, action)
        else:
            apply_raze(state, action, seat)
        then = ask_next(state, rules, np.int64(state.first), NEXT_TURN)
    resolve(state, rules, then)
    if state.steps >= rules.max_steps and state.phase != OVER:
        finish(state, TRUNCATED)
    if DEBUG:
        check(state, rules)


@kernel
def resolve(state, rules, then):
    """Go on until somebody is asked or the game is over."""
    while then != ASKED:
        if then == WINDOW:
            then = open_window(state, rules)
        elif then == EFFECT:
            then = carry_out(state, rules)
        elif then == TURN_OVER:
            then = end_turn(state, rules)
        else:
            then = begin_turn(state, rules)


# -- To Start -----------------------------------------------------------------------------------


@kernel
def deal(state, rules, seed):
    """Set up; the first player begins."""
    set_up(state, rules, seed)


# -- On Your Turn -------------------------------------------------------------------------------


@kernel
def apply_start(state, rules, action):
    """Draw one card, then play one; or skip the turn to draw two (Ruling: chosen before drawing)."""
    seat = np.int64(state.current)
    draw(state, rules, seat, 1 + (action == SKIP))
    if action == SKIP or byte_of(state.n_held, seat) == 0:
        return TURN_OVER
    return ask(state, PLAY, seat)


CROWS_EACH = np.uint64((1 << N_CROWS) - 1)
FACES_EACH = np.uint64((1 << N_FACES) - 1)
TO_STACK = np.array([sum(1 << (N_FACES * stack) for stack in range(N_STACKS) if STACKS_OF[letter] >> stack & 1)
                     for letter in range(N_LETTERS)], np.uint64)  # fmt: skip
"""letter -> the lowest stack-face of each of its stacks, as a set."""


@kernel
def legal_play(state, rules, legal_set):
    """A letter goes to a stack of its letter; a wild to any stack if none shows in the own Murder, else onto one."""
    seat = np.int64(state.current)
    hand = hand_of(state, seat)
    faces = NONE
    for letter in range(N_LETTERS):
        faces |= ((hand >> np.uint64(N_CROWS * letter)) & CROWS_EACH) * TO_STACK[letter]
    stacks = rules.stacks
    places = NONE
    if hand & bit(WILD) != NONE:
        showing = ~nonzero(state.wild_depth[seat] ^ ONES) & stacks
        places = showing if showing != NONE else stacks
    for stack in range(N_STACKS):
        if stacks & bit(stack) == NONE:
            faces &= ~(FACES_EACH << np.uint64(N_FACES * stack))
        elif places & bit(stack) != NONE:
            faces |= bit(N_FACES * stack + FACE_WILD)
    allow_all(legal_set, PLAY_CARD, faces)


@kernel
def apply_play(state, rules, action):
    """The card goes on top of its stack; a complete word wins; a wild's use is declared; then the window."""
    seat = np.int64(state.current)
    stack_face = action - PLAY_CARD
    leave_hand(state, rules, seat, CARD_OF[stack_face])
    lay_on_stack(state, seat, stack_face)
    if byte_of(state.missing, seat) == 0:
        state.winner = seat
        return finish(state, WON)
    state.played = stack_face
    if stack_face % N_FACES == FACE_WILD:
        return ask(state, WILD_USE, seat)
    return WINDOW


@kernel
def end_turn(state, rules):
    """The next seat's turn, or the Third's after the second living player's."""
    clear_play(state)
    if rules.third != 0 and state.current != state.first:
        return third_acts(state, rules)
    return NEXT_TURN


@kernel
def begin_turn(state, rules):
    """The seat to the left begins, unless no card can ever move again."""
    clear_play(state)
    if state.n_held == NONE and state.deck_n == 0 and state.discard_n == 0:
        return finish(state, DEAD)
    state.current = seat_at(rules, np.int64(state.current), 1)
    state.turn += 1
    return ask(state, START, np.int64(state.current))


# -- Off Turn - Preventing Effects --------------------------------------------------------------

SAME_CROWS = np.array(
    [sum(1 << (N_CROWS * letter + crows) for letter in range(N_LETTERS)) | 1 << WILD for crows in range(N_CROWS)]
    + [1 << WILD],
    np.uint64,
)  # fmt: skip
"""face of the card in play -> the cards that prevent its effect, as a set."""


@kernel
def open_window(state, rules):
    """The seats that the effect touches and that hold a card are asked, clockwise (Ruling: also without a match)."""
    seats = touched(state, rules, effect_of(state)) & nonzero(state.n_held)
    return ask_each(state, rules, REACT, seats, np.int64(state.current), EFFECT)


@kernel
def legal_react(state, rules, legal_set):
    """Let it pass, or discard a card with the same number of crows, or a wild; against a wild, a wild."""
    allow(legal_set, ALLOW)
    allow_all(legal_set, PREVENT_WITH, hand_of(state, np.int64(state.to_act)) & SAME_CROWS[state.played % N_FACES])


@kernel
def apply_react(state, rules, action):
    """A shield is in the discards at once and protects its owner alone."""
    if action != ALLOW:
        seat = np.int64(state.to_act)
        card = action - PREVENT_WITH
        leave_hand(state, rules, seat, card)
        discard(state, card)
        state.prevented |= bit(seat)
    return ask_next(state, rules, np.int64(state.current), EFFECT)


# -- Winning the Game ---------------------------------------------------------------------------


@kernel
def finish(state, ending):
    """The game is over."""
    clear_play(state)
    state.ending = ending
    return ask(state, OVER, NO_SEAT)


@kernel
def returns(state, rules, out):
    """What each seat is paid, once, at the end."""
    for seat in range(rules.n_seats):
        value = 0.0
        if state.phase == OVER:
            if state.winner == seat:
                value = 1.0
            elif rules.reward == REWARD_PROGRESS:
                value = -byte_of(state.missing, seat) / rules.n_stacks
            elif state.winner != NO_SEAT:
                if rules.reward == REWARD_ZERO_SUM:
                    value = -1.0 / (rules.n_seats - 1)
                elif rules.reward == REWARD_WIN_LOSS:
                    value = -1.0
        out[seat] = value


@kernel
def to_act(state):
    """The seat asked; -1 when over."""
    return np.int64(state.to_act)


@kernel
def is_over(state):
    """Has the game ended?"""
    return state.phase == OVER


@kernel
def is_cut_off(state):
    """Did the step cap end it?"""
    return state.ending == TRUNCATED


@kernel
def check(state, rules):
    """Invariants, for debug runs: every card is in one place, and nobody's bounds exclude the truth."""
    assert state.steps <= rules.max_steps
    assert total(state.discard[0], state.discard[1]) == state.discard_n
    n = np.int64(state.deck_n) + state.discard_n
    for seat in range(rules.n_seats):
        held = unknown(state, seat) + total(state.known[seat, 0], state.known[seat, 1])
        assert held == byte_of(state.n_held, seat)
        assert byte_of(state.old_max, seat) <= unknown(state, seat)
        n += held + total(state.murder[seat, 0], state.murder[seat, 1] + state.murder[seat, 2])
    assert n == rules.n_cards
    for card in range(N_CARDS):
        in_pile = 0
        for i in range(state.deck_n):
            in_pile += state.deck[i] == card
        half, at = card >> 3, card & 7
        hidden = in_pile
        for seat in range(rules.n_seats):
            hidden += byte_of(state.secret[seat, half], at)
        assert byte_of(state.hidden[half], at) == hidden
        for seat in range(rules.n_seats):
            bound = byte_of(state.deck_max[seat, half], at)
            assert in_pile <= bound and bound <= hidden - byte_of(state.secret[seat, half], at)
