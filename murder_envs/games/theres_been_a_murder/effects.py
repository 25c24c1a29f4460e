"""What happens to cards: drawing, passing, and each card's effect, in card order.

Every function that carries something out returns what is to come next, one of the steps of `moves.py`:

    asked       a decision is needed, and nobody learned anything on the way
    next_turn   the turn is over, and nobody learned anything on the way
    seen        a decision is needed, after something was seen: `knowledge.close` comes first
    carry_out, entered, drawing, shuffling, turn_over    `knowledge.close`, then go on (see `play.resolve`)

What happens is reported by one call of `events.saw_...`, made while the cards still lie as before; then they move.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, allow, allow_all, bit, full, has, kth, popcount
from murder_envs.core.contract import NO_SEAT, ask, offset_of, seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below, shuffle
from murder_envs.games.theres_been_a_murder import events, moves
from murder_envs.games.theres_been_a_murder.cards import CARD, NO_CARD, SET, card_set
from murder_envs.games.theres_been_a_murder.deal import part_of_deck, take_top
from murder_envs.games.theres_been_a_murder.moves import ACT, ENDING, PHASE, TALK, THEN
from murder_envs.games.theres_been_a_murder.state import Rules, State

# -- Moving cards -------------------------------------------------------------------------------
# Cards have no copies and lie in one of four kinds of place: a hand or the removed pile (sets), the deck or the discard
# pile (lists, the top last). What lies in a hand takes effect at once, in and out of turn (The Cards).


@kernel
def ask_one(state: State, phase, seat):
    """Somebody is asked, and nothing else comes before the answer."""
    ask(state, phase, seat)
    return THEN.asked


@kernel
def finish(state: State, ending):
    """Game End: nobody is asked any more."""
    state.ending = ending
    ask(state, PHASE.over, NO_SEAT)
    return THEN.seen


@kernel
def lay_on_discard(state: State, card):
    """A card goes on top of the discard pile."""
    state.discard[state.discard_n] = card
    state.discard_n += 1


@kernel
def put_into_deck(state: State, card):
    """A card goes on top of the deck (a shuffle follows)."""
    state.deck[state.deck_n] = card
    state.deck_n += 1


@kernel
def take_out(pile, n, card):
    """Take a card out of a pile of n, wherever it lies; returns its place."""
    at = 0
    while pile[at] != card:
        at += 1
    for i in range(at, n - 1):
        pile[i] = pile[i + 1]
    pile[n - 1] = NO_CARD
    return at


@kernel
def take_from_deck(state: State, card):
    """Take a card out of the deck; the line between its parts stays where it is."""
    at = take_out(state.deck, state.deck_n, card)
    state.deck_n -= 1
    if at < state.lower_n:
        state.lower_n -= 1


@kernel
def shuffle_deck(state: State, rules: Rules):
    """The deck is shuffled; there are no two parts any more."""
    shuffle(state, state.deck, 0, state.deck_n)
    state.lower_n = 0
    events.saw_shuffle(state, rules)


@kernel
def draw(state: State, rules: Rules, seat):
    """A seat draws the top card, and the card takes effect as it enters the hand."""
    events.saw_draw(state, rules, seat)
    card = take_top(state)
    state.hand[seat] |= bit(card)
    return card


@kernel
def blackmailed(state: State, rules: Rules):
    """The seat that holds both the Blackmailer and the Detective, or NO_SEAT."""
    for seat in range(rules.n_seats):
        if state.hand[seat] & SET.blackmail == SET.blackmail:
            return seat
    return NO_SEAT


@kernel
def blackmail(state: State, rules: Rules, seat):
    """19. The Blackmailer: both are shown, and the Detective goes back into the deck, however the two met."""
    events.saw_blackmail(state, rules, seat)
    state.hand[seat] &= ~bit(CARD.detective)
    put_into_deck(state, CARD.detective)
    shuffle_deck(state, rules)


@kernel
def murderer_passed_to(state: State, seat):
    """3. The Confidant, 6. The Witness: the Murderer was passed to a seat; does the game end?

    What counts is the taker's hand as it is now, when all cards of the effect have moved: a Confidant that it gave away
    in the same swap is gone. With both in hand the lower number takes precedence (Game Turns), so the players win.
    Nothing happens if the Murderer's holder is passed one of these cards, or draws it.
    """
    if has(state.hand[seat], CARD.confidant):
        return finish(state, ENDING.confidant)
    if has(state.hand[seat], CARD.witness):
        return finish(state, ENDING.witness)
    return THEN.entered


@kernel
def drunk_window(rules: Rules):
    """8. The Drunk: does the talk of this table have windows for its holder?

    Where all is open there is nothing left to tell, and a silent table plays without it.
    """
    return rules.talk == TALK.none or rules.talk == TALK.symbols


# -- Choosing cards face down: Cad, Socialite, Gossip, Invalid, Maid ----------------------------
# The rulebook lets everybody choose at the same time: no card is picked up before all have placed one (12. The Gossip).
# Here the choosers are asked one after the other, and what each has placed stays unseen until all have.


@kernel
def is_chooser(state: State, rules: Rules, seat):
    """Does a seat place a card face down in the effect under way (if it has one)? The last case is the Maid's."""
    effect = state.effect
    if effect == CARD.gossip:
        return True
    if effect == CARD.cad:
        return seat == state.targets[0] or seat == state.targets[1]
    if effect == CARD.socialite:
        return seat == state.turn or seat == state.targets[0]
    if effect == CARD.invalid:
        return seat == state.targets[0]
    offset = offset_of(rules, seat, state.turn)
    return offset == 1 or offset == rules.n_seats - 1


@kernel
def next_chooser(state: State, rules: Rules):
    """The first seat clockwise from the actor that has a card to place and has not placed it; NO_SEAT when all have.

    Who has no card is no chooser, and still receives (9, 10, 12: such a player simply gets the card).
    """
    for offset in range(rules.n_seats):
        seat = seat_at(rules, state.turn, offset)
        if is_chooser(state, rules, seat) and state.hand[seat] != NONE and state.chosen[seat] == NO_CARD:
            return seat
    return NO_SEAT


@kernel
def ask_choosers(state: State, rules: Rules):
    """Ask the next chooser; when all cards are placed they move, or are shown, at once."""
    seat = next_chooser(state, rules)
    if seat != NO_SEAT:
        return ask_one(state, PHASE.show if state.effect == CARD.maid else PHASE.pass_, seat)
    return show_all(state, rules) if state.effect == CARD.maid else pass_all(state, rules)


@kernel
def pass_all(state: State, rules: Rules):
    """All placed cards change hands at once; then the Murderer's, the Drunk's and the Blackmailer's rules.

    The end comes first: a game that is over resolves nothing more.
    """
    n = rules.n_seats
    events.saw_passes(state, rules)
    murderer_to = NO_SEAT
    drunk_to = NO_SEAT
    for giver in range(n):
        if state.chosen[giver] != NO_CARD:
            state.hand[giver] &= ~bit(state.chosen[giver])
    for giver in range(n):
        card = state.chosen[giver]
        if card != NO_CARD:
            taker = moves.taker_of(state, rules, giver)
            state.hand[taker] |= bit(card)
            if card == CARD.murderer:
                murderer_to = taker
            elif card == CARD.drunk:
                drunk_to = taker
    after = murderer_passed_to(state, murderer_to) if murderer_to != NO_SEAT else THEN.entered
    if after == THEN.entered and drunk_to != NO_SEAT:
        events.saw_drunk(state, drunk_to)
    return after


@kernel
def show_all(state: State, rules: Rules):
    """17. The Maid: both neighbours' cards are shown to the actor."""
    actor = state.turn
    for offset in range(1, rules.n_seats):
        seat = seat_at(rules, actor, offset)
        card = state.chosen[seat]
        if card != NO_CARD:
            events.saw_show(state, rules, actor, seat, card)
    return THEN.turn_over


@kernel
def apply_choice(state: State, rules: Rules, action):
    """A seat places a card face down."""
    state.chosen[state.to_act] = moves.card_of(action, ACT.give)
    return ask_choosers(state, rules)


# -- Starting an effect -------------------------------------------------------------------------


CHOOSE_A_PLAYER = card_set(CARD.detective, CARD.cad, CARD.socialite, CARD.invalid, CARD.reporter)
"""The Actions that begin with the choice of a player."""


@kernel
def carry_out(state: State, rules: Rules):
    """Start the effect under way: its actor is the seat whose turn it is, also if the Monkey copies it."""
    effect = state.effect
    actor = state.turn
    if has(CHOOSE_A_PLAYER, effect):
        return ask_one(state, PHASE.target, actor)
    if effect == CARD.swain:
        return the_swain(state, rules)
    if effect == CARD.gossip or effect == CARD.maid:
        return ask_choosers(state, rules)
    if effect == CARD.doctor:
        return ask_one(state, PHASE.rescue, actor) if state.discard_n > 1 else THEN.next_turn
    if effect == CARD.nun:
        return ask_one(state, PHASE.bury, actor) if state.hand[actor] != NONE else THEN.next_turn
    if effect == CARD.hound:
        return ask_one(state, PHASE.name, actor)
    return look_into_deck(state, rules, actor)


@kernel
def look_into_deck(state: State, rules: Rules, actor):
    """15, 16, 18, 22: Secretary, Butler, Driver and Seer look at cards of the deck; an empty deck: nothing.

    The Secretary sees all of it in order, the Driver the top three, the Seer the bottom card, and the top card is
    announced by the Butler.
    """
    n = state.deck_n
    if n == 0:
        return THEN.next_turn
    if state.effect == CARD.butler:
        events.saw_top(state, rules, actor)
        return THEN.turn_over
    if state.effect == CARD.secretary:
        events.saw_look(state, actor, 0, n)
        ask(state, PHASE.search, actor)
    elif state.effect == CARD.driver:
        events.saw_look(state, actor, n - n_top(state), n)
        ask(state, PHASE.pick, actor)
    else:
        events.saw_look(state, actor, 0, 1)
        ask(state, PHASE.seer, actor)
    return THEN.seen


@kernel
def legal_target(state: State, rules: Rules, legal_set):
    """2: anybody; 24: a neighbour; 9, 10, 11, 13: another player.

    The Detective may choose its own player (Ruling: the rulebook says "a player" where other cards say "another"),
    unless the table forbids it.
    """
    n = rules.n_seats
    everybody = full(n)
    if state.effect == CARD.detective and rules.detective_self != 0:
        offsets = everybody
    elif state.effect == CARD.reporter:
        offsets = bit(1) | bit(n - 1)
    else:
        offsets = everybody & ~bit(0)
    allow_all(legal_set, ACT.target, offsets)


@kernel
def apply_target(state: State, rules: Rules, action):
    """The actor names a player."""
    actor = state.turn
    target = seat_at(rules, actor, action - ACT.target)
    second = state.phase == PHASE.target2
    state.targets[1 if second else 0] = target
    events.saw_target(state, actor, target)
    effect = state.effect
    if effect == CARD.detective:
        return ask_one(state, PHASE.discard, target) if state.hand[target] != NONE else THEN.next_turn
    if effect == CARD.cad and not second:
        return ask_one(state, PHASE.target2, actor)
    if effect == CARD.swain:
        return be_taken_from(state, rules, actor, target)
    if effect == CARD.reporter:
        return report(state, rules, actor, target)
    return ask_choosers(state, rules)


# -- 2. The Detective ---------------------------------------------------------------------------


@kernel
def apply_discard(state: State, rules: Rules, action):
    """The target's card is laid open, unplayed, so its effect does not come; the Murderer: all win."""
    seat = state.to_act
    card = moves.card_of(action, ACT.give)
    events.saw_discard(state, rules, seat, card)
    state.hand[seat] &= ~bit(card)
    lay_on_discard(state, card)
    return finish(state, ENDING.detective) if card == CARD.murderer else THEN.turn_over


# -- 9. The Cad ---------------------------------------------------------------------------------


@kernel
def legal_target2(state: State, rules: Rules, legal_set):
    """The second of two other players."""
    first = offset_of(rules, state.targets[0], state.turn)
    allow_all(legal_set, ACT.target, full(rules.n_seats) & ~(bit(0) | bit(first)))


# -- 11. The Swain ------------------------------------------------------------------------------


@kernel
def the_swain(state: State, rules: Rules):
    """Draw a card if there is one; a Drunk just drawn may talk before the target is chosen.

    An empty deck is no loss here: the players lose only where a turn begins with a draw (Game End).
    """
    actor = state.turn
    card = draw(state, rules, actor) if state.deck_n > 0 else NO_CARD
    if card == CARD.drunk and drunk_window(rules):
        ask(state, PHASE.announce, actor)
        return THEN.seen
    return THEN.entered


@kernel
def after_swain_drew(state: State):
    """A target is chosen, if there is a card to take."""
    actor = state.turn
    return ask_one(state, PHASE.target, actor) if state.hand[actor] != NONE else THEN.next_turn


@kernel
def be_taken_from(state: State, rules: Rules, actor, target):
    """The target takes a random card of the actor's hand, whatever it is.

    It counts as a pass (Ruling: the rulebook sets passing against drawing, and lets the Murderer travel this way).
    """
    hand = state.hand[actor]
    card = kth(hand, below(state, popcount(hand)))
    events.saw_random_pass(state, rules, actor, target, card)
    state.hand[actor] &= ~bit(card)
    state.hand[target] |= bit(card)
    return murderer_passed_to(state, target) if card == CARD.murderer else THEN.entered


# -- 14. The Doctor -----------------------------------------------------------------------------


@kernel
def legal_rescue(state: State, rules: Rules, legal_set):
    """Any card of the discard pile but the one just played, which lies on top: the Doctor, or the Monkey as its copy.

    One has to be taken if there is any (Ruling: "take" is no offer).
    """
    cards = NONE
    for i in range(state.discard_n - 1):
        cards |= bit(state.discard[i])
    moves.allow_cards(legal_set, ACT.take, cards)


@kernel
def apply_rescue(state: State, rules: Rules, action):
    """The card is shown and shuffled into the deck."""
    card = moves.card_of(action, ACT.take)
    events.saw_rescue(state, rules, state.turn, card)
    n = state.discard_n - 1
    take_out(state.discard, n + 1, card)
    state.discard_n = n
    put_into_deck(state, card)
    shuffle_deck(state, rules)
    return THEN.turn_over


# -- 15. The Secretary --------------------------------------------------------------------------


@kernel
def legal_search(state: State, rules: Rules, legal_set):
    """Any card of the deck, or none."""
    moves.allow_cards(legal_set, ACT.take, part_of_deck(state, 0, state.deck_n))
    allow(legal_set, ACT.leave)


@kernel
def apply_search(state: State, rules: Rules, action):
    """A card may go on top of the discard pile, for all to see; the deck is shuffled in any case."""
    card = NO_CARD if action == ACT.leave else moves.card_of(action, ACT.take)
    events.saw_search(state, rules, state.turn, card)
    if card != NO_CARD:
        take_from_deck(state, card)
        lay_on_discard(state, card)
    return THEN.shuffling


# -- 18. The Driver -----------------------------------------------------------------------------


@kernel
def n_top(state: State):
    """How many cards the Driver looks at."""
    return min(3, state.deck_n)


@kernel
def legal_pick(state: State, rules: Rules, legal_set):
    """Any of the cards looked at."""
    n = state.deck_n
    moves.allow_cards(legal_set, ACT.take, part_of_deck(state, n - n_top(state), n))


@kernel
def apply_pick(state: State, rules: Rules, action):
    """One card is taken into the hand; the whole deck is shuffled; only then does the card take effect.

    Nothing was in a hand while it was looked at, so the Murderer may safely be seen; and taking is no pass.
    """
    actor = state.turn
    card = moves.card_of(action, ACT.take)
    events.saw_pick(state, rules, actor, card, n_top(state))
    take_from_deck(state, card)
    state.hand[actor] |= bit(card)
    shuffle_deck(state, rules)
    return THEN.entered


# -- 21. The Nun --------------------------------------------------------------------------------


@kernel
def legal_bury(state: State, rules: Rules, legal_set):
    """Any card of the hand but the Murderer, unless it is alone (Ruling: to bury is a game effect too)."""
    moves.allow_cards(legal_set, ACT.give, moves.buriable(state.hand[state.turn]))


@kernel
def apply_bury(state: State, rules: Rules, action):
    """The card goes under the deck, unseen; it joins the lower part if there is one."""
    actor = state.turn
    card = moves.card_of(action, ACT.give)
    events.saw_bury(state, rules, actor, card)
    state.hand[actor] &= ~bit(card)
    for i in range(state.deck_n, 0, -1):
        state.deck[i] = state.deck[i - 1]
    state.deck[0] = card
    state.deck_n += 1
    if state.lower_n > 0:
        state.lower_n += 1
    return THEN.turn_over


# -- 22. The Seer -------------------------------------------------------------------------------


@kernel
def apply_seer(state: State, rules: Rules, action):
    """Everybody sees whether the card is raised; then there are no two parts any more."""
    is_raised = 1 if action == ACT.raise_ else 0
    events.saw_seer(state, rules, state.turn, is_raised)
    if is_raised != 0:
        card = state.deck[0]
        take_from_deck(state, card)
        put_into_deck(state, card)
        state.lower_n = 0
    return THEN.turn_over


# -- 23. The Faithful Hound ---------------------------------------------------------------------


@kernel
def apply_name(state: State, rules: Rules, action):
    """The actor alone learns which other seat holds the card, or that none does."""
    actor = state.turn
    card = moves.card_of(action, ACT.name)
    holder = NO_SEAT
    for seat in range(rules.n_seats):
        if seat != actor and has(state.hand[seat], card):
            holder = seat
    events.saw_answer(state, rules, actor, card, holder)
    return THEN.turn_over


# -- 24. The Reporter ---------------------------------------------------------------------------


@kernel
def report(state: State, rules: Rules, actor, target):
    """A random card of a neighbour is shown to all and goes back."""
    hand = state.hand[target]
    if hand == NONE:
        return THEN.next_turn
    card = kth(hand, below(state, popcount(hand)))
    events.saw_report(state, rules, actor, target, card)
    return THEN.turn_over
