"""Turns, the play, talk, and the ends, in the rulebook's order.

A turn: end checks -> draw -> talk window -> signal -> play -> the card's effect -> next seat. As phases:

    announce (while somebody holds the Drunk) -> signal (with symbols) -> play -> the effect:
      2 Detective    target -> discard
      9 Cad          target -> target2 -> pass, pass
      10 Socialite   target -> pass, pass
      11 Swain       (announce, if it draws the Drunk ->) target
      12 Gossip      pass by every seat that has a card
      13 Invalid     target -> pass
      14 Doctor      rescue        15 Secretary  search       17 Maid   show, show      18 Driver  pick
      21 Nun         bury          22 Seer       seer         23 Hound  name        24 Reporter  target
    -> the next seat's turn, or over
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, allow, allow_all, bit, has, lowest, popcount
from murder_envs.core.contract import NO_SEAT, seat_at
from murder_envs.core.jit import DEBUG, kernel
from murder_envs.games.theres_been_a_murder import effects, events, knowledge, moves
from murder_envs.games.theres_been_a_murder.cards import BEST_SCORE, CARD, NO_CARD, SET
from murder_envs.games.theres_been_a_murder.deal import part_of_deck, set_up
from murder_envs.games.theres_been_a_murder.moves import ACT, DEAD_END, ENDING, PHASE, REWARD, THEN, WINS
from murder_envs.games.theres_been_a_murder.state import PLACE, Rules, State, hand_size


@kernel
def legal(state: State, rules: Rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == PHASE.play:
        legal_play(state, rules, legal_set)
    elif phase == PHASE.pass_ or phase == PHASE.show or phase == PHASE.discard:
        moves.allow_cards(legal_set, ACT.give, moves.givable(state.hand[state.to_act]))
    elif phase == PHASE.target:
        effects.legal_target(state, rules, legal_set)
    elif phase == PHASE.announce:
        legal_announce(state, rules, legal_set)
    elif phase == PHASE.signal:
        legal_signal(state, rules, legal_set)
    elif phase == PHASE.target2:
        effects.legal_target2(state, rules, legal_set)
    elif phase == PHASE.bury:
        effects.legal_bury(state, rules, legal_set)
    elif phase == PHASE.rescue:
        effects.legal_rescue(state, rules, legal_set)
    elif phase == PHASE.search:
        effects.legal_search(state, rules, legal_set)
    elif phase == PHASE.pick:
        effects.legal_pick(state, rules, legal_set)
    elif phase == PHASE.seer:
        allow(legal_set, ACT.raise_)
        allow(legal_set, ACT.leave)
    elif phase == PHASE.name:
        moves.allow_cards(legal_set, ACT.name, rules.in_game)


@kernel
def step(state: State, rules: Rules, action):
    """One decision; the action is known to be legal."""
    phase = state.phase
    if phase == PHASE.play:
        then = apply_play(state, rules, action)
    elif phase == PHASE.pass_ or phase == PHASE.show:
        then = effects.apply_choice(state, rules, action)
    elif phase == PHASE.discard:
        then = effects.apply_discard(state, rules, action)
    elif phase == PHASE.target or phase == PHASE.target2:
        then = effects.apply_target(state, rules, action)
    elif phase == PHASE.announce:
        then = apply_announce(state, rules, action)
    elif phase == PHASE.signal:
        then = apply_signal(state, rules, action)
    elif phase == PHASE.bury:
        then = effects.apply_bury(state, rules, action)
    elif phase == PHASE.rescue:
        then = effects.apply_rescue(state, rules, action)
    elif phase == PHASE.search:
        then = effects.apply_search(state, rules, action)
    elif phase == PHASE.pick:
        then = effects.apply_pick(state, rules, action)
    elif phase == PHASE.seer:
        then = effects.apply_seer(state, rules, action)
    else:
        then = effects.apply_name(state, rules, action)
    resolve(state, rules, then)
    if DEBUG:
        check(state, rules)


@kernel
def resolve(state: State, rules: Rules, then):
    """Go on until somebody is asked: after each event the tables are closed, then comes what follows from it.

    Effects do not call each other but say what comes next (THEN), so that one place closes the tables, once an event.
    """
    while then != THEN.asked:
        if then != THEN.next_turn:
            knowledge.close(state, rules)
        if then == THEN.seen:
            return
        if then == THEN.carry_out:
            then = effects.carry_out(state, rules)
        elif then == THEN.entered:
            then = after_entering(state, rules)
        elif then == THEN.drawing:
            then = draw_phase(state, rules)
        elif then == THEN.shuffling:
            effects.shuffle_deck(state, rules)
            then = THEN.turn_over
        else:
            then = begin_turn(state, rules, then != THEN.first_turn)


@kernel
def after_entering(state: State, rules: Rules):
    """Cards have entered hands: the Blackmailer may go off; then the drawing, the Swain or the turn goes on.

    The deal, whose game has no phase yet, is followed by the first turn.
    """
    seat = effects.blackmailed(state, rules)
    if seat != NO_SEAT:
        effects.blackmail(state, rules, seat)
        return THEN.entered
    if state.phase == PHASE.over:
        return THEN.first_turn
    if state.effect == NO_CARD:
        return draw_phase(state, rules)
    if state.effect == CARD.swain and state.targets[0] == NO_SEAT:
        return effects.after_swain_drew(state)
    return THEN.next_turn


# -- Set Up -------------------------------------------------------------------------------------


@kernel
def deal(state: State, rules: Rules, seed):
    """Set up, let the dealt cards take effect (Ruling: after the whole deal), and begin the first turn."""
    set_up(state, rules, seed)
    events.saw_deal(state, rules)
    resolve(state, rules, THEN.entered)


# -- Game Turns ---------------------------------------------------------------------------------


@kernel
def begin_turn(state: State, rules: Rules, next_seat):
    """The start of a turn: clear what the effect left on the table, end checks, then the draw.

    20. The Aristocrat: its holder does not draw. So a seat with fewer than two cards shows by not drawing that it holds
    the Aristocrat, and by drawing that it does not; the latter is news only where the public thought it possible.
    """
    state.effect = NO_CARD
    state.played = NO_CARD
    state.targets[0] = NO_SEAT
    state.targets[1] = NO_SEAT
    for seat in range(rules.n_seats):
        state.chosen[seat] = NO_CARD
    if next_seat:
        state.turn = seat_at(rules, state.turn, 1)
        state.turns += 1
    state.phase = PHASE.play
    if is_dead_end(state, rules):
        return effects.finish(state, ENDING.dead_end)
    if state.turns > rules.max_turns:
        return effects.finish(state, ENDING.turn_limit)
    seat = state.turn
    if hand_size(state, seat) < 2:
        if has(state.hand[seat], CARD.aristocrat):
            events.saw_lone_aristocrat(state, rules, seat)
            ask_talk(state, rules)
            return THEN.seen
        if has(knowledge.may_be(state, rules.n_seats, PLACE.hands + seat), CARD.aristocrat):
            events.saw_need_to_draw(state, rules, seat)
            return THEN.drawing
    return draw_phase(state, rules)


@kernel
def draw_phase(state: State, rules: Rules):
    """Draw: up to two cards, one at a time, each taking effect as it enters the hand.

    Game End: where a card is needed and cannot be drawn the players lose, also if one of two could be (Ruling).
    """
    seat = state.turn
    if hand_size(state, seat) >= 2:
        return ask_talk(state, rules)
    if state.deck_n == 0 or never_reaches_two(state, seat):
        return effects.finish(state, ENDING.deck)
    effects.draw(state, rules, seat)
    return THEN.entered


@kernel
def never_reaches_two(state: State, seat):
    """Ruling: with only the Detective left, the Blackmailer's holder could draw it for ever."""
    return state.deck_n == 1 and state.deck[0] == CARD.detective and has(state.hand[seat], CARD.blackmailer)


@kernel
def ask_talk(state: State, rules: Rules):
    """8. The Drunk: its holder may talk, whosever turn it is.

    The window opens even if the holder has nothing to tell, so its coming says nothing. Nobody decides anything between
    the turn in which the Drunk comes to a hand and the next turn's start, so one window a turn is enough.
    """
    if effects.drunk_window(rules):
        for seat in range(rules.n_seats):
            if has(state.hand[seat], CARD.drunk):
                return effects.ask_one(state, PHASE.announce, seat)
    return ask_signal(state, rules)


@kernel
def ask_signal(state: State, rules: Rules):
    """Where the table has symbols, the actor may send one."""
    return effects.ask_one(state, PHASE.signal if rules.n_symbols > 0 else PHASE.play, state.turn)


@kernel
def legal_play(state: State, rules: Rules, legal_set):
    """7 before 8 before 20; else any card but the Murderer, and the Imposter only beside lower cards.

    Two cards that both have to be played are a conflict, which the lower number wins (Game Turns); the Aristocrat's "do
    not play a card" loses it too. For three or more cards, one that is higher blocks the Imposter (Ruling). A card to
    play is always left: the Murderer is never alone here, and the Imposter is blocked only by another card.
    """
    hand = state.hand[state.turn]
    if has(hand, CARD.monkey):
        playable = bit(CARD.monkey)
    elif has(hand, CARD.drunk):
        playable = bit(CARD.drunk)
    elif has(hand, CARD.aristocrat):
        allow(legal_set, ACT.discard)
        return
    elif hand & SET.above_imposter != NONE:
        playable = hand & ~(bit(CARD.murderer) | bit(CARD.imposter))
    else:
        playable = hand & ~bit(CARD.murderer)
    moves.allow_cards(legal_set, ACT.play, playable)


@kernel
def apply_play(state: State, rules: Rules, action):
    """The card goes on the discard pile first; then an Action's effect is carried out, the Monkey's as a copy.

    `last_action` is what the Monkey copies: the last Action that was played, wherever that card is now. Cards that come
    to the pile in another way do not count, and the Monkey, an Effect, never does.
    """
    seat = state.turn
    if action == ACT.discard:
        return discard_aristocrat(state, rules, seat)
    card = moves.card_of(action, ACT.play)
    events.saw_play(state, rules, seat, card)
    state.hand[seat] &= ~bit(card)
    effects.lay_on_discard(state, card)
    if has(SET.actions, card):
        state.last_action = card
        state.effect = card
    elif card == CARD.monkey:
        state.effect = state.last_action
    if state.effect == NO_CARD:
        return THEN.turn_over
    state.played = card
    return THEN.carry_out


# -- 20. The Aristocrat -------------------------------------------------------------------------


@kernel
def discard_aristocrat(state: State, rules: Rules, seat):
    """It and then all Actions of the hand, ascending, go on the pile, unplayed; the Murderer and other Effects stay."""
    cards = bit(CARD.aristocrat)
    while cards != NONE:
        card = lowest(cards)
        events.saw_forced_discard(state, rules, seat, card)
        state.hand[seat] &= ~bit(card)
        effects.lay_on_discard(state, card)
        cards = state.hand[seat] & SET.actions
    events.saw_aristocrat_s_turn(state, rules, seat)
    return THEN.turn_over


# -- 8. The Drunk -------------------------------------------------------------------------------


@kernel
def legal_announce(state: State, rules: Rules, legal_set):
    """Tell of a card what is not public yet; all at once; or hush."""
    cards = events.tellable(state, rules, state.to_act)
    if cards != NONE:
        moves.allow_cards(legal_set, ACT.tell, cards)
        allow(legal_set, ACT.tell_all)
    allow(legal_set, ACT.hush)


@kernel
def apply_announce(state: State, rules: Rules, action):
    """True statements about where cards are; the window stays open until all is told or the holder hushes.

    True, because where all win or lose together a lie helps only as a code, and codes are what symbols are for; about
    places, because all that this game hides is where a card lies (Ruling).
    """
    teller = state.to_act
    if action == ACT.hush:
        events.saw_hush(state, teller)
        return close_window(state, rules)
    if action == ACT.tell_all:
        events.saw_tell_all(state, rules, teller)
        close_window(state, rules)
    else:
        events.saw_tell(state, rules, teller, moves.card_of(action, ACT.tell))
    return THEN.seen


@kernel
def close_window(state: State, rules: Rules):
    """After the talk: the actor's turn goes on, or that of the Swain who drew the Drunk."""
    return ask_signal(state, rules) if state.effect == NO_CARD else effects.after_swain_drew(state)


# -- No Talking! --------------------------------------------------------------------------------


@kernel
def legal_signal(state: State, rules: Rules, legal_set):
    """Any symbol that is not banned, or none."""
    allow_all(legal_set, ACT.signal, rules.allowed_symbols)
    allow(legal_set, ACT.hush)


@kernel
def apply_signal(state: State, rules: Rules, action):
    """A symbol is public and means what the table makes of it: a means of communication that it may have to give up."""
    seat = state.turn
    symbol = moves.NO_SYMBOL if action == ACT.hush else action - ACT.signal
    state.signals[seat] = symbol
    if symbol != moves.NO_SYMBOL:
        state.used_symbols |= bit(symbol)
    events.saw_symbol(state, seat, symbol)
    return effects.ask_one(state, PHASE.play, seat)


# -- Game End -----------------------------------------------------------------------------------


@kernel
def is_dead_end(state: State, rules: Rules):
    """Game End: can the game no longer be won, on public facts alone?

    A removed card counts as possibly in play (Ruling): the table cannot know. The way back is the Doctor, or the Monkey
    as its copy. The rulebook stops when the Murderer, the Detective and the Confidant are all gone; with `certain` the
    game stops as soon as the rest cannot do: without the Murderer, or with neither Confidant nor Detective.
    """
    if rules.dead_end == DEAD_END.off:
        return False
    gone = ~rules.in_game
    for i in range(state.discard_n):
        gone |= bit(state.discard[i])
    may_copy = not has(gone, CARD.monkey)
    is_way_back = not has(gone, CARD.doctor) or (may_copy and state.last_action == CARD.doctor)
    if is_way_back:
        return False
    murderer_gone = has(gone, CARD.murderer)
    detective_gone = has(gone, CARD.detective)
    confidant_gone = has(gone, CARD.confidant)
    if rules.dead_end == DEAD_END.rulebook:
        return murderer_gone and detective_gone and confidant_gone
    copies_detective = may_copy and state.last_action == CARD.detective
    return murderer_gone or (confidant_gone and detective_gone and not copies_detective)


NO_SCORE = -1
"""Without a win there is no score."""


@kernel
def has_won(state: State):
    """Did the players win?"""
    return has(WINS, state.ending)


@kernel
def score(state: State):
    """Scoring: cards left in the deck on a win, else -1."""
    return state.deck_n if has_won(state) else NO_SCORE


@kernel
def returns(state: State, rules: Rules, out):
    """The same for all seats, once, at the end."""
    value = 0.0
    if state.phase == PHASE.over:
        if rules.reward == REWARD.score:
            value = (1.0 + min(score(state), BEST_SCORE)) / (1.0 + BEST_SCORE)
        elif has_won(state):
            value = 1.0
        elif rules.reward == REWARD.outcome:
            value = -1.0
    for seat in range(rules.n_seats):
        out[seat] = value


@kernel
def is_cut_off(state: State):
    """Did the turn limit end it?"""
    return state.ending == ENDING.turn_limit


# -- Invariants ---------------------------------------------------------------------------------


@kernel
def cards_at(state: State, place):
    """The cards that lie at a place, as a set."""
    if place == PLACE.upper:
        return part_of_deck(state, state.lower_n, state.deck_n)
    if place == PLACE.lower:
        return part_of_deck(state, 0, state.lower_n)
    return state.removed if place == PLACE.out else state.hand[place - PLACE.hands]


@kernel
def check(state: State, rules: Rules):
    """For debug runs: a card is in one place; a table allows the truth, and nothing that the public's excludes."""
    is_over = state.phase == PHASE.over
    assert is_over == (state.to_act == NO_SEAT)
    assert is_over == (state.ending != ENDING.none)
    assert state.turns >= 1 and state.turns <= rules.max_turns + 1
    assert state.lower_n >= 0 and state.lower_n <= state.deck_n
    public = rules.n_seats
    n = state.discard_n
    cards = NONE
    for i in range(state.discard_n):
        cards |= bit(state.discard[i])
    for place in range(knowledge.places_of(rules)):
        here = cards_at(state, place)
        cards |= here
        n += popcount(here)
        for viewer in range(rules.n_seats + 1):
            assert here & ~knowledge.may_be(state, viewer, place) == NONE
            assert knowledge.may_be(state, viewer, place) & ~knowledge.may_be(state, public, place) == NONE
    assert cards == rules.in_game
    assert n == rules.n_cards
    in_deck = part_of_deck(state, 0, state.deck_n)
    for viewer in range(rules.n_seats + 1):
        assert knowledge.depths_of(state, viewer) & ~in_deck == NONE
        assert knowledge.depths_of(state, public) & ~knowledge.depths_of(state, viewer) == NONE
    for seat in range(rules.n_seats):
        hand = state.hand[seat]
        assert is_over or hand & SET.blackmail != SET.blackmail
        is_asked_for = state.phase == PHASE.pass_ or state.phase == PHASE.show
        assert not is_asked_for or state.chosen[seat] == NO_CARD or has(moves.givable(hand), state.chosen[seat])
