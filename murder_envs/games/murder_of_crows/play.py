"""Turns, the window, and the ends, in the rulebook's order.

A turn: draw -> play -> (a wild: its use) -> the window -> the effect -> the next seat. As phases:

    start -> (draw) play -> (a wild) wild -> react by each seat that is asked -> the effect:
      M  Misplace  target -> take          D  Drain  letter -> lose by each seat that has it
      U  Uncover   target -> grab          E  Expel
      R  Reap                              Remove a stack  target -> raze
    -> the next seat's start; with the Murdered Third, after both living players, by each of them
      M third_take   D third_lose   W third_raze
    -> the first player's start, or over

What comes next between two decisions is one of THEN, and `resolve` goes on from there until somebody is asked.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import NONE, ONES, allow, allow_all, bit
from murder_envs.core.contract import NO_SEAT, seat_at
from murder_envs.core.jit import DEBUG, kernel
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows import effects
from murder_envs.games.murder_of_crows.counts import byte_of, nonzero, total
from murder_envs.games.murder_of_crows.deal import clear_play, set_up
from murder_envs.games.murder_of_crows.knowledge import leave_hand, unknown
from murder_envs.games.murder_of_crows.moves import ACT, ENDING, MODE, PHASE, REWARD, THEN
from murder_envs.games.murder_of_crows.state import Rules, State, record_event


@kernel
def legal(state: State, rules: Rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == PHASE.react:
        legal_react(state, rules, legal_set)
    elif phase == PHASE.start:
        allow(legal_set, ACT.draw)
        allow(legal_set, ACT.skip)
    elif phase == PHASE.play:
        legal_play(state, rules, legal_set)
    elif phase == PHASE.target:
        effects.legal_target(state, rules, legal_set)
    elif phase == PHASE.take:
        effects.legal_take(state, legal_set, state.target)
    elif phase == PHASE.grab:
        allow_all(legal_set, ACT.grab, effects.hand_of(state, state.target))
    elif phase == PHASE.letter:
        allow_all(legal_set, ACT.letter, rules.letters)
    elif phase == PHASE.lose or phase == PHASE.third_lose:
        effects.legal_lose(state, legal_set)
    elif phase == PHASE.raze:
        effects.legal_raze(state, legal_set, state.target)
    elif phase == PHASE.wild:
        allow(legal_set, ACT.wild)
        allow(legal_set, ACT.wild + 1)
    elif phase == PHASE.third_take:
        effects.legal_take(state, legal_set, state.to_act)
    elif phase == PHASE.third_raze:
        effects.legal_raze(state, legal_set, state.to_act)


@kernel
def step(state: State, rules: Rules, action):
    """One decision; the action is known to be legal."""
    seat = state.to_act
    record_event(state, seat + 1, action)
    state.steps += 1
    phase = state.phase
    if phase == PHASE.react:
        then = apply_react(state, rules, action)
    elif phase == PHASE.start:
        then = apply_start(state, rules, action)
    elif phase == PHASE.play:
        then = apply_play(state, rules, action)
    elif phase == PHASE.target:
        then = effects.apply_target(state, rules, action)
    elif phase == PHASE.take:
        effects.apply_take(state, action, state.target)
        then = THEN.turn_over
    elif phase == PHASE.grab:
        then = effects.apply_grab(state, rules, action)
    elif phase == PHASE.letter:
        then = effects.apply_letter(state, rules, action)
    elif phase == PHASE.lose:
        effects.apply_lose(state, action)
        then = effects.ask_next(state, rules, state.current, THEN.turn_over)
    elif phase == PHASE.raze:
        effects.apply_raze(state, action, state.target)
        then = THEN.turn_over
    elif phase == PHASE.wild:
        state.mode = MODE.letter + action - ACT.wild
        then = THEN.window
    else:
        if phase == PHASE.third_take:
            effects.apply_take(state, action, seat)
        elif phase == PHASE.third_lose:
            effects.apply_lose(state, action)
        else:
            effects.apply_raze(state, action, seat)
        then = effects.ask_next(state, rules, state.first, THEN.next_turn)
    resolve(state, rules, then)
    if state.steps >= rules.max_steps and state.phase != PHASE.over:
        finish(state, ENDING.truncated)
    if DEBUG:
        check(state, rules)


@kernel
def resolve(state: State, rules: Rules, then):
    """Go on until somebody is asked or the game is over."""
    while then != THEN.asked:
        if then == THEN.window:
            then = open_window(state, rules)
        elif then == THEN.effect:
            then = effects.carry_out(state, rules)
        elif then == THEN.turn_over:
            then = end_turn(state, rules)
        else:
            then = begin_turn(state, rules)


# -- To Start -----------------------------------------------------------------------------------


@kernel
def deal(state: State, rules: Rules, seed):
    """Set up; the first player begins."""
    set_up(state, rules, seed)


# -- On Your Turn -------------------------------------------------------------------------------
# Draw one and play one, or skip and draw two. A played card lies in its stack before its effect happens, so a word that
# it completes wins at once, and whether the effect is prevented changes nothing about where the card lies.


@kernel
def apply_start(state: State, rules: Rules, action):
    """Draw one card, then play one; or skip the turn to draw two (Ruling: chosen before drawing)."""
    seat = state.current
    effects.draw(state, rules, seat, 1 + (action == ACT.skip))
    if action == ACT.skip or byte_of(state.n_held, seat) == 0:
        return THEN.turn_over
    return effects.ask_one(state, PHASE.play, seat)


CROWS_EACH = np.uint64((1 << c.N_CROWS) - 1)
FACES_EACH = np.uint64((1 << c.N_FACES) - 1)
TO_STACK = np.array([sum(1 << (c.N_FACES * stack) for stack in range(c.N_STACKS) if c.STACKS_OF[letter] >> stack & 1)
                     for letter in range(c.N_LETTERS)], np.uint64)  # fmt: skip
"""letter -> the lowest stack-face of each of its stacks, as a set."""


@kernel
def legal_play(state: State, rules: Rules, legal_set):
    """A letter goes to a stack of its letter; a wild to any stack if none shows in the own Murder, else onto one."""
    seat = state.current
    hand = effects.hand_of(state, seat)
    faces = NONE
    for letter in range(c.N_LETTERS):
        faces |= ((hand >> (c.N_CROWS * letter)) & CROWS_EACH) * TO_STACK[letter]
    stacks = rules.stacks
    places = NONE
    if hand & bit(c.WILD) != NONE:
        showing = ~nonzero(state.wild_depth[seat] ^ ONES) & stacks
        places = showing if showing != NONE else stacks
    for stack in range(c.N_STACKS):
        if stacks & bit(stack) == NONE:
            faces &= ~(FACES_EACH << (c.N_FACES * stack))
        elif places & bit(stack) != NONE:
            faces |= bit(c.N_FACES * stack + c.FACE_WILD)
    allow_all(legal_set, ACT.play, faces)


@kernel
def apply_play(state: State, rules: Rules, action):
    """The card goes on top of its stack; a complete word wins; a wild's use is declared; then the window."""
    seat = state.current
    stack_face = action - ACT.play
    leave_hand(state, rules, seat, c.CARD_OF[stack_face])
    effects.lay_on_stack(state, seat, stack_face)
    if byte_of(state.missing, seat) == 0:
        state.winner = seat
        return finish(state, ENDING.won)
    state.played = stack_face
    if stack_face % c.N_FACES == c.FACE_WILD:
        return effects.ask_one(state, PHASE.wild, seat)
    return THEN.window


@kernel
def end_turn(state: State, rules: Rules):
    """The next seat's turn, or the Third's after the second living player's."""
    clear_play(state)
    if rules.murdered_third != 0 and state.current != state.first:
        return effects.third_acts(state, rules)
    return THEN.next_turn


@kernel
def begin_turn(state: State, rules: Rules):
    """The seat to the left begins, unless no card can ever move again.

    With every hand and both piles empty each turn would be a skip that draws nothing, for ever: nobody wins.
    """
    clear_play(state)
    if state.n_held == NONE and state.deck_n == 0 and state.discard_n == 0:
        return finish(state, ENDING.dead)
    state.current = seat_at(rules, state.current, 1)
    state.turn += 1
    return effects.ask_one(state, PHASE.start, state.current)


# -- Off Turn - Preventing Effects --------------------------------------------------------------
# A window opens as a card is played, before its target, card or letter is named. Each seat that the effect touches may
# discard a card with as many crows, or a wild, and is spared; a wild in play is stopped by a wild alone. Every seat
# with a hand is asked, also one without a matching card: who is not asked would have shown that it has none.

SAME_CROWS = np.array(
    [sum(1 << (c.N_CROWS * letter + face) for letter in range(c.N_LETTERS)) | 1 << c.WILD for face in range(c.N_CROWS)]
    + [1 << c.WILD],
    np.uint64,
)
"""face of the card in play -> the cards that prevent its effect, as a set."""


@kernel
def open_window(state: State, rules: Rules):
    """The seats that can react are asked, clockwise."""
    return effects.ask_each(state, rules, PHASE.react, can_react(state, rules), state.current, THEN.effect)


@kernel
def can_react(state: State, rules: Rules):
    """The seats that the effect touches and that hold a card (Ruling: also without a match)."""
    return effects.touched(state, rules, effects.effect_of(state)) & nonzero(state.n_held)


@kernel
def legal_react(state: State, rules: Rules, legal_set):
    """Let it pass, or discard a card with the same number of crows, or a wild; against a wild, a wild."""
    allow(legal_set, ACT.allow)
    matching = SAME_CROWS[state.played % c.N_FACES]
    allow_all(legal_set, ACT.prevent, effects.hand_of(state, state.to_act) & matching)


@kernel
def apply_react(state: State, rules: Rules, action):
    """A shield is in the discards at once and protects its owner alone."""
    if action != ACT.allow:
        seat = state.to_act
        card = action - ACT.prevent
        leave_hand(state, rules, seat, card)
        effects.discard(state, card)
        state.prevented |= bit(seat)
    return effects.ask_next(state, rules, state.current, THEN.effect)


# -- Winning the Game ---------------------------------------------------------------------------


@kernel
def finish(state: State, ending):
    """The game is over."""
    clear_play(state)
    state.ending = ending
    return effects.ask_one(state, PHASE.over, NO_SEAT)


@kernel
def returns(state: State, rules: Rules, out):
    """What each seat is paid, once, at the end; float64 a seat in [-1, 1].

    The winner gets 1. The others share -1 ("zero_sum"), get -1 each ("win_loss"), 0 ("win_only"), or minus the share of
    their stacks that are empty ("progress"). If nobody wins all get 0, but under "progress" that share too.
    """
    for seat in range(rules.n_seats):
        value = 0.0
        if state.phase == PHASE.over:
            if state.winner == seat:
                value = 1.0
            elif rules.reward == REWARD.progress:
                value = -byte_of(state.missing, seat) / rules.n_stacks
            elif state.winner != NO_SEAT:
                if rules.reward == REWARD.zero_sum:
                    value = -1.0 / (rules.n_seats - 1)
                elif rules.reward == REWARD.win_loss:
                    value = -1.0
        out[seat] = value


@kernel
def is_cut_off(state: State):
    """Did the step cap end it?"""
    return state.ending == ENDING.truncated


# -- Invariants ---------------------------------------------------------------------------------


@kernel
def check(state: State, rules: Rules):
    """Invariants, for debug runs: every card is in one place, and nobody's bounds exclude the truth."""
    assert state.steps <= rules.max_steps
    assert total(state.discard[0], state.discard[1]) == state.discard_n
    n = state.deck_n + state.discard_n
    for seat in range(rules.n_seats):
        held = unknown(state, seat) + total(state.known[seat, 0], state.known[seat, 1])
        assert held == byte_of(state.n_held, seat)
        assert byte_of(state.old_max, seat) <= unknown(state, seat)
        n += held + total(state.murder[seat, 0], state.murder[seat, 1] + state.murder[seat, 2])
    assert n == rules.n_cards
    for card in range(c.N_CARDS):
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
