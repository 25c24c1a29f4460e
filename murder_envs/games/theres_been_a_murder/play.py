"""Turns, the play, talk, and the ends, in the rulebook's order.

A turn: end checks -> draw -> talk window -> signal -> play -> the card's effect -> next seat. As phases:

    ANNOUNCE (while somebody holds the Drunk) -> SIGNAL (with symbols) -> PLAY -> the effect:
      2 Detective    TARGET -> DISCARD
      9 Cad          TARGET -> TARGET2 -> PASS, PASS
      10 Socialite   TARGET -> PASS, PASS
      11 Swain       (ANNOUNCE, if it draws the Drunk ->) TARGET
      12 Gossip      PASS by every seat that has a card
      13 Invalid     TARGET -> PASS
      14 Doctor      RESCUE        15 Secretary  SEARCH       17 Maid   SHOW, SHOW      18 Driver  PICK
      21 Nun         BURY          22 Seer       SEER_PHASE   23 Hound  NAME            24 Reporter  TARGET
    -> the next seat's turn, or OVER
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow, allow_all, bit, has, lowest
from murder_envs.core.jit import kernel
from murder_envs.games.theres_been_a_murder.cards import (
    ABOVE_IMPOSTER,
    ACTION_SET,
    ARISTOCRAT,
    ARISTOCRAT_BIT,
    BLACKMAILER_BIT,
    CONFIDANT_BIT,
    DETECTIVE,
    DETECTIVE_BIT,
    DOCTOR,
    DOCTOR_BIT,
    DRUNK,
    DRUNK_BIT,
    IMPOSTER_BIT,
    MONKEY,
    MONKEY_BIT,
    MURDERER_BIT,
    NO_CARD,
    NONE,
    SWAIN,
)
from murder_envs.games.theres_been_a_murder.deal import HANDS, record_event, set_up
from murder_envs.games.theres_been_a_murder.effects import (
    after_swain_drew,
    announce_drunk,
    apply_bury,
    apply_choice,
    apply_discard,
    apply_name,
    apply_pick,
    apply_rescue,
    apply_search,
    apply_seer,
    apply_target,
    ask,
    blackmail,
    blackmailed,
    carry_out,
    draw,
    drunk_window,
    finish,
    lay_on_discard,
    legal_bury,
    legal_pick,
    legal_rescue,
    legal_search,
    legal_target,
    legal_target2,
    shuffle_deck,
)
from murder_envs.games.theres_been_a_murder.moves import (
    ANNOUNCE,
    ASKED,
    BEGIN,
    BURY,
    BY_CONFIDANT,
    BY_DEAD_END,
    BY_DECK,
    BY_DETECTIVE,
    BY_TURN_LIMIT,
    CARRY_OUT,
    DEAD_END_OFF,
    DEAD_END_RULEBOOK,
    DISCARD,
    DISCARD_ARISTOCRAT,
    DISCARDED,
    DRAWING,
    ENTERED,
    GIVE_CARD,
    HUSH,
    LEAVE,
    NAME,
    NAME_CARD,
    NEXT_TURN,
    NO_SEAT,
    OVER,
    PASS,
    PICK,
    PLAY,
    PLAY_CARD,
    PLAYED,
    RAISE,
    RESCUE,
    REWARD_OUTCOME,
    REWARD_SCORE,
    SEARCH,
    SEEN,
    SEER_PHASE,
    SEND_SYMBOL,
    SHOW,
    SHUFFLING,
    SIGNAL,
    SIGNALLED,
    TARGET,
    TARGET2,
    TELL_ALL,
    TELL_CARD,
    TOLD,
    TOLD_ALL,
    TURN_OVER,
    allow_cards,
    card_of,
    givable,
    hand_size,
    seat_at,
)
from murder_envs.games.theres_been_a_murder.view import (
    all_know,
    close,
    know_the_deal,
    laid_open,
    may_be,
    saw_play,
    saw_tell,
    strike,
    tellable,
)


@kernel
def legal(state, rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == PLAY:
        legal_play(state, rules, legal_set)
    elif phase == PASS or phase == SHOW or phase == DISCARD:
        allow_cards(legal_set, GIVE_CARD, givable(state.hand[state.to_act]))
    elif phase == TARGET:
        legal_target(state, rules, legal_set)
    elif phase == ANNOUNCE:
        legal_announce(state, rules, legal_set)
    elif phase == SIGNAL:
        legal_signal(state, rules, legal_set)
    elif phase == TARGET2:
        legal_target2(state, rules, legal_set)
    elif phase == BURY:
        legal_bury(state, rules, legal_set)
    elif phase == RESCUE:
        legal_rescue(state, rules, legal_set)
    elif phase == SEARCH:
        legal_search(state, rules, legal_set)
    elif phase == PICK:
        legal_pick(state, rules, legal_set)
    elif phase == SEER_PHASE:
        allow(legal_set, RAISE)
        allow(legal_set, LEAVE)
    elif phase == NAME:
        allow_cards(legal_set, NAME_CARD, rules.in_game)


@kernel
def step(state, rules, action):
    """One decision; the action is known to be legal."""
    phase = state.phase
    if phase == PLAY:
        then = apply_play(state, rules, action)
    elif phase == PASS or phase == SHOW:
        then = apply_choice(state, rules, action)
    elif phase == DISCARD:
        then = apply_discard(state, rules, action)
    elif phase == TARGET or phase == TARGET2:
        then = apply_target(state, rules, action)
    elif phase == ANNOUNCE:
        then = apply_announce(state, rules, action)
    elif phase == SIGNAL:
        then = apply_signal(state, rules, action)
    elif phase == BURY:
        then = apply_bury(state, rules, action)
    elif phase == RESCUE:
        then = apply_rescue(state, rules, action)
    elif phase == SEARCH:
        then = apply_search(state, rules, action)
    elif phase == PICK:
        then = apply_pick(state, rules, action)
    elif phase == SEER_PHASE:
        then = apply_seer(state, rules, action)
    else:
        then = apply_name(state, rules, action)
    resolve(state, rules, then)


@kernel
def resolve(state, rules, then):
    """Go on until somebody is asked: after each event the tables are closed, then comes what follows from it."""
    while then != ASKED:
        if then != NEXT_TURN:
            close(state, rules)
        if then == SEEN:
            return
        if then == CARRY_OUT:
            then = carry_out(state, rules)
        elif then == ENTERED:
            then = after_entering(state, rules)
        elif then == DRAWING:
            then = draw_phase(state, rules)
        elif then == SHUFFLING:
            shuffle_deck(state, rules)
            then = TURN_OVER
        else:
            then = begin_turn(state, rules, then != BEGIN)


@kernel
def after_entering(state, rules):
    """Cards have entered hands: the Blackmailer may go off; then the drawing, the Swain or the turn goes on."""
    seat = blackmailed(state, rules)
    if seat != NO_SEAT:
        blackmail(state, rules, seat)
        return ENTERED
    if state.phase == OVER:
        return BEGIN  # the deal
    if state.effect == NO_CARD:
        return draw_phase(state, rules)
    if state.effect == SWAIN and state.targets[0] == NO_SEAT:
        return after_swain_drew(state)
    return NEXT_TURN


# -- Set Up -------------------------------------------------------------------------------------


@kernel
def deal(state, rules, seed):
    """Set up, let the dealt cards take effect (Ruling: after the whole deal), and begin the first turn."""
    set_up(state, rules, seed)
    know_the_deal(state, rules)
    for seat in range(rules.n_seats):
        if has(state.hand[seat], DRUNK):
            announce_drunk(state, seat, DRUNK)
    resolve(state, rules, ENTERED)


# -- Game Turns ---------------------------------------------------------------------------------


@kernel
def begin_turn(state, rules, next_seat):
    """The start of a turn: clear what the effect left on the table, end checks, then the draw."""
    state.effect = NO_CARD
    state.played = NO_CARD
    state.targets[0] = NO_SEAT
    state.targets[1] = NO_SEAT
    for seat in range(rules.n_seats):
        state.chosen[seat] = NO_CARD
    if next_seat:
        state.turn = seat_at(rules, np.int64(state.turn), 1)
        state.turns += 1
    state.phase = PLAY
    if is_dead_end(state, rules):
        return finish(state, BY_DEAD_END)
    if state.turns > rules.max_turns:
        return finish(state, BY_TURN_LIMIT)
    seat = np.int64(state.turn)
    if hand_size(state, seat) < 2:
        if has(state.hand[seat], ARISTOCRAT):
            all_know(state, rules, ARISTOCRAT, HANDS + seat)
            ask_talk(state, rules)
            return SEEN
        if has(may_be(state, rules.n_seats, HANDS + seat), ARISTOCRAT):
            strike(state, rules, ARISTOCRAT_BIT, HANDS + seat)
            return DRAWING
    return draw_phase(state, rules)


@kernel
def draw_phase(state, rules):
    """Draw up to two cards, one at a time; where a card is needed and cannot be drawn everyone loses."""
    seat = np.int64(state.turn)
    if hand_size(state, seat) >= 2:
        return ask_talk(state, rules)
    if state.deck_n == 0 or never_reaches_two(state, seat):
        return finish(state, BY_DECK)
    draw(state, rules, seat)
    return ENTERED


@kernel
def never_reaches_two(state, seat):
    """Ruling: with only the Detective left, the Blackmailer's holder could draw it for ever."""
    return state.deck_n == 1 and state.deck[0] == DETECTIVE and state.hand[seat] & BLACKMAILER_BIT != NONE


@kernel
def ask_talk(state, rules):
    """The Drunk's holder may talk, whoever's turn it is."""
    if drunk_window(rules):
        for seat in range(rules.n_seats):
            if has(state.hand[seat], DRUNK):
                return ask(state, ANNOUNCE, seat)
    return ask_signal(state, rules)


@kernel
def ask_signal(state, rules):
    """Where the table has symbols, the actor may send one."""
    return ask(state, SIGNAL if rules.n_symbols > 0 else PLAY, np.int64(state.turn))


@kernel
def legal_play(state, rules, legal_set):
    """7 before 8 before 20; else any card but the Murderer, and the Imposter only beside lower cards."""
    hand = state.hand[state.turn]
    if hand & MONKEY_BIT != NONE:
        playable = MONKEY_BIT
    elif hand & DRUNK_BIT != NONE:
        playable = DRUNK_BIT
    elif hand & ARISTOCRAT_BIT != NONE:
        allow(legal_set, DISCARD_ARISTOCRAT)
        return
    elif hand & ABOVE_IMPOSTER != NONE:
        playable = hand & ~(MURDERER_BIT | IMPOSTER_BIT)
    else:
        playable = hand & ~MURDERER_BIT
    allow_cards(legal_set, PLAY_CARD, playable)


@kernel
def apply_play(state, rules, action):
    """The card goes on the discard pile first; then an Action's effect is carried out, the Monkey's as a copy."""
    seat = np.int64(state.turn)
    if action == DISCARD_ARISTOCRAT:
        return discard_aristocrat(state, rules, seat)
    card = card_of(action, PLAY_CARD)
    record_event(state, PLAYED, seat, NO_SEAT, card)
    saw_play(state, rules, seat, card)
    state.hand[seat] &= ~bit(card)
    lay_on_discard(state, card)
    if has(ACTION_SET, card):
        state.last_action = card
        state.effect = card
    elif card == MONKEY:
        state.effect = state.last_action
    if state.effect == NO_CARD:
        return TURN_OVER
    state.played = card
    return CARRY_OUT


# -- 20. The Aristocrat -------------------------------------------------------------------------


@kernel
def discard_aristocrat(state, rules, seat):
    """It and then all Actions of the hand, ascending, go on the pile, unplayed."""
    cards = ARISTOCRAT_BIT
    while cards != NONE:
        card = lowest(cards)
        record_event(state, DISCARDED, seat, NO_SEAT, card)
        laid_open(state, rules, card)
        state.hand[seat] &= ~bit(card)
        lay_on_discard(state, card)
        cards = state.hand[seat] & ACTION_SET
    strike(state, rules, MONKEY_BIT | DRUNK_BIT | ACTION_SET, HANDS + seat)
    return TURN_OVER


# -- 8. The Drunk -------------------------------------------------------------------------------


@kernel
def legal_announce(state, rules, legal_set):
    """Tell of a card what is not public yet; all at once; or hush."""
    cards = tellable(state, rules, np.int64(state.to_act))
    if cards != NONE:
        allow_cards(legal_set, TELL_CARD, cards)
        allow(legal_set, TELL_ALL)
    allow(legal_set, HUSH)


@kernel
def apply_announce(state, rules, action):
    """True statements about where cards are; the window stays open until all is told or the holder hushes."""
    teller = np.int64(state.to_act)
    if action == HUSH:
        record_event(state, TOLD, teller, NO_SEAT, 0)
        return close_window(state, rules)
    if action == TELL_ALL:
        record_event(state, TOLD, teller, NO_SEAT, TOLD_ALL)
        saw_tell(state, rules, teller, tellable(state, rules, teller))
        close_window(state, rules)
    else:
        card = card_of(action, TELL_CARD)
        record_event(state, TOLD, teller, NO_SEAT, card)
        saw_tell(state, rules, teller, bit(card))
    return SEEN


@kernel
def close_window(state, rules):
    """After the talk: the actor's turn goes on, or that of the Swain who drew the Drunk."""
    return ask_signal(state, rules) if state.effect == NO_CARD else after_swain_drew(state)


# -- No Talking! --------------------------------------------------------------------------------


@kernel
def legal_signal(state, rules, legal_set):
    """Any symbol that is not banned, or none."""
    allow_all(legal_set, SEND_SYMBOL, rules.allowed_symbols)
    allow(legal_set, HUSH)


@kernel
def apply_signal(state, rules, action):
    """A symbol is public and means what the table makes of it."""
    seat = np.int64(state.turn)
    symbol = np.int64(-1) if action == HUSH else action - SEND_SYMBOL
    state.signals[seat] = symbol
    if symbol >= 0:
        state.used_symbols |= bit(symbol)
    record_event(state, SIGNALLED, seat, NO_SEAT, symbol + 1)
    return ask(state, PLAY, seat)


# -- Game End -----------------------------------------------------------------------------------


@kernel
def is_dead_end(state, rules):
    """Can the game no longer be won, on public facts alone? A removed card counts as possibly in play (Ruling)."""
    if rules.dead_end == DEAD_END_OFF:
        return False
    gone = ~rules.in_game
    for i in range(state.discard_n):
        gone |= bit(state.discard[i])
    monkey_is_out = gone & MONKEY_BIT == NONE
    if gone & DOCTOR_BIT == NONE or (monkey_is_out and state.last_action == DOCTOR):
        return False
    murderer_gone = gone & MURDERER_BIT != NONE
    detective_gone = gone & DETECTIVE_BIT != NONE
    confidant_gone = gone & CONFIDANT_BIT != NONE
    if rules.dead_end == DEAD_END_RULEBOOK:
        return murderer_gone and detective_gone and confidant_gone
    copies_detective = monkey_is_out and state.last_action == DETECTIVE
    return murderer_gone or (confidant_gone and detective_gone and not copies_detective)


@kernel
def has_won(state):
    """Did the players win?"""
    return state.ending == BY_DETECTIVE or state.ending == BY_CONFIDANT


BEST_SCORE = 12


@kernel
def score(state):
    """Scoring: cards left in the deck on a win, else -1."""
    return np.int64(state.deck_n) if has_won(state) else np.int64(-1)


@kernel
def returns(state, rules, out):
    """The same for all seats, once, at the end."""
    value = 0.0
    if state.phase == OVER:
        if rules.reward == REWARD_SCORE:
            value = (1.0 + min(score(state), BEST_SCORE)) / (1.0 + BEST_SCORE)
        elif has_won(state):
            value = 1.0
        elif rules.reward == REWARD_OUTCOME:
            value = -1.0
    for seat in range(rules.n_seats):
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
    """Did the turn limit end it?"""
    return state.ending == BY_TURN_LIMIT
