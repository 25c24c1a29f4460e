"""What happens: each event is reported by one call, made while the cards still lie as before.

A function `saw_...` enters the public event and changes every viewer's table by what that viewer sees of it. When all
has happened, `knowledge.close` draws the conclusions (see `play.resolve`). What is not said here a viewer does not
learn, but for two things that are seen at all times: the own hand, and which hand holds the Drunk.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, bit, has
from murder_envs.core.contract import NO_SEAT, offset_of, seat_at
from murder_envs.core.jit import kernel
from murder_envs.core.lanes import N_LANES, all_lanes, both, choose, either, load, sizes, store, where_equal, without
from murder_envs.games.theres_been_a_murder import knowledge, moves
from murder_envs.games.theres_been_a_murder.cards import CARD, NO_CARD, SET
from murder_envs.games.theres_been_a_murder.deal import part_of, part_of_deck
from murder_envs.games.theres_been_a_murder.moves import EVENT, TELLS_ALL
from murder_envs.games.theres_been_a_murder.state import PLACE, Rules, State, hand_size, record_event

# -- Set Up and Game Turns ----------------------------------------------------------------------


@kernel
def saw_deal(state: State, rules: Rules):
    """Set Up: the Murderer was shuffled into the upper part, the Detective into the lower, neither was removed.

    So a seat that was dealt a card of the upper part may hold the Murderer, and one that was dealt a card of the lower
    part the Detective. How many cards were dealt of each follows from the sizes.
    """
    n_kept = rules.n_cards - 2 - rules.n_removed
    n_upper = n_kept - n_kept // 2 + 1
    anywhere = rules.in_game & ~SET.shuffled_in
    for place in range(knowledge.places_of(rules)):
        cards = anywhere
        if place == PLACE.upper:
            cards |= bit(CARD.murderer)
        elif place == PLACE.lower:
            cards |= bit(CARD.detective)
        elif place >= PLACE.hands:
            offset = offset_of(rules, place - PLACE.hands, state.first)
            for i in range(offset, 2 * rules.n_seats, rules.n_seats):
                cards |= bit(CARD.murderer) if i < n_upper else bit(CARD.detective)
        for group in range(knowledge.groups_of(rules)):
            store(state.possible[group, place], all_lanes(cards))
    for seat in range(rules.n_seats):
        if has(state.hand[seat], CARD.drunk):
            saw_drunk(state, seat)


@kernel
def saw_lone_aristocrat(state: State, rules: Rules, seat):
    """A seat with fewer than two cards does not draw: it holds the Aristocrat."""
    knowledge.all_know(state, rules, CARD.aristocrat, PLACE.hands + seat)


@kernel
def saw_need_to_draw(state: State, rules: Rules, seat):
    """A seat is about to draw: it does not hold the Aristocrat."""
    knowledge.strike(state, rules, bit(CARD.aristocrat), PLACE.hands + seat)


@kernel
def who_sees(group, a, b, card):
    """Lanes of the viewers who see a card that goes from a to b: these two, and everybody if it is the Drunk."""
    return all_lanes(~NONE) if card == CARD.drunk else either(knowledge.lane_of(a, group), knowledge.lane_of(b, group))


@kernel
def saw_draw(state: State, rules: Rules, seat):
    """A seat takes the top card: the seat sees it, all see the Drunk, others see a back.

    A back may be whatever may lie in the top card's part of the deck, without the cards whose depth the viewer knows;
    a viewer who knows the depth of this one knows where it goes.
    """
    record_event(state, EVENT.draw, seat, NO_SEAT, 0)
    card = state.deck[state.deck_n - 1]
    this = all_lanes(bit(card))
    part = part_of(state, state.deck_n - 1)
    for group in range(knowledge.groups_of(rules)):
        deep = load(state.depth_known[group])
        sees = either(who_sees(group, seat, seat, card), where_equal(both(deep, this), this))
        drawn = without(load(state.possible[group, part]), either(deep, all_lanes(bit(CARD.drunk))))
        knowledge.gain(state, group, without(drawn, sees), PLACE.hands + seat)
        knowledge.learn(state, rules, group, both(this, sees), PLACE.hands + seat)
        store(state.depth_known[group], without(deep, this))
    if card == CARD.drunk:
        saw_drunk(state, seat)


@kernel
def saw_drunk(state: State, seat):
    """8. The Drunk: announced whenever it enters a hand. Where it is, `knowledge.pin` shows everybody."""
    record_event(state, EVENT.drunk, seat, NO_SEAT, CARD.drunk)


@kernel
def saw_play(state: State, rules: Rules, seat, card):
    """A card is played from a hand: what would have to be played before it is not there.

    The Monkey goes before the Drunk, and both before the Aristocrat (Game Turns: the lower number takes precedence);
    the Imposter is played only beside lower cards.
    """
    record_event(state, EVENT.play, seat, NO_SEAT, card)
    gone = NONE
    if card != CARD.monkey:
        gone |= bit(CARD.monkey)
        if card != CARD.drunk:
            gone |= bit(CARD.aristocrat)
    if card == CARD.imposter:
        gone |= SET.above_imposter
    knowledge.laid_open(state, rules, card)
    knowledge.strike(state, rules, gone, PLACE.hands + seat)


@kernel
def saw_shuffle(state: State, rules: Rules):
    """The deck is shuffled: the line between its parts and all depths are lost."""
    knowledge.lose_line(state, rules)
    for group in range(knowledge.groups_of(rules)):
        store(state.depth_known[group], all_lanes(NONE))


@kernel
def saw_symbol(state: State, seat, symbol):
    """No Talking!: a symbol was sent, or none (NO_SYMBOL). It says nothing of cards that everybody would agree on."""
    record_event(state, EVENT.signal, seat, NO_SEAT, symbol + 1)


# -- Cards that are chosen, passed and shown ----------------------------------------------------


@kernel
def saw_target(state: State, actor, target):
    """The actor chooses a player."""
    record_event(state, EVENT.target, actor, target, 0)


@kernel
def certain(state: State, rules: Rules, group, card, place):
    """Lanes of the viewers who are certain that a card is at a place."""
    elsewhere = all_lanes(NONE)
    for other in range(knowledge.places_of(rules)):
        if other != place:
            elsewhere = either(elsewhere, load(state.possible[group, other]))
    this = all_lanes(bit(card))
    return where_equal(both(without(load(state.possible[group, place]), elsewhere), this), this)


@kernel
def by_choice(state: State, group, seat):
    """Cards other than the Drunk that may be among those a seat chooses from, the Murderer only if it is alone."""
    never = bit(CARD.drunk) | bit(CARD.murderer) if hand_size(state, seat) >= 2 else bit(CARD.drunk)
    return without(load(state.possible[group, PLACE.hands + seat]), all_lanes(never))


@kernel
def only_one(cards):
    """The sets of exactly one card; nothing in the other lanes."""
    return both(cards, where_equal(sizes(cards), all_lanes(1)))


@kernel
def saw_passes(state: State, rules: Rules):
    """The chosen cards move, all at once.

    Both ends of a pass see the card, and all see the Drunk. For other viewers the candidates are the Stranger alone
    where it is certain in that hand, else what the giver may choose. All candidates come from the tables of before,
    so they are worked out for all givers first; then the Stranger is struck from the hands that gave (whatever was
    chosen, it is not among the cards kept); only then do the takers' hands gain. A single candidate is known to have
    moved. Of a Gossip no events are entered: that each seat passes to the left needs no saying.
    """
    for offset in range(rules.n_seats):
        giver = seat_at(rules, state.turn, offset)
        if state.chosen[giver] != NO_CARD and state.effect != CARD.gossip:
            record_event(state, EVENT.pass_, giver, moves.taker_of(state, rules, giver), 0)
    stranger = all_lanes(bit(CARD.stranger))
    for group in range(knowledge.groups_of(rules)):
        for giver in range(rules.n_seats):
            card = state.chosen[giver]
            if card != NO_CARD:
                is_sure = certain(state, rules, group, CARD.stranger, PLACE.hands + giver)
                unseen = choose(is_sure, stranger, by_choice(state, group, giver))
                sees = who_sees(group, giver, moves.taker_of(state, rules, giver), card)
                store(state.candidates[giver], choose(sees, all_lanes(bit(card)), unseen))
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                place = PLACE.hands + giver
                store(state.possible[group, place], without(load(state.possible[group, place]), stranger))
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                knowledge.gain(
                    state, group, load(state.candidates[giver]), PLACE.hands + moves.taker_of(state, rules, giver)
                )
        for giver in range(rules.n_seats):
            if state.chosen[giver] != NO_CARD:
                cards = only_one(load(state.candidates[giver]))
                knowledge.learn(state, rules, group, cards, PLACE.hands + moves.taker_of(state, rules, giver))


@kernel
def saw_discard(state: State, rules: Rules, seat, card):
    """2. The Detective: a seat chooses this card to discard; had it the Stranger, it would be that."""
    saw_forced_discard(state, rules, seat, card)
    if card != CARD.stranger:
        knowledge.strike(state, rules, bit(CARD.stranger), PLACE.hands + seat)


@kernel
def saw_forced_discard(state: State, rules: Rules, seat, card):
    """A card goes from a hand to the discard pile, unplayed and not by choice."""
    record_event(state, EVENT.discard, seat, NO_SEAT, card)
    knowledge.laid_open(state, rules, card)


@kernel
def saw_aristocrat_s_turn(state: State, rules: Rules, seat):
    """20. The Aristocrat: after its discards no Action is left, nor what would have been played before it."""
    knowledge.strike(state, rules, bit(CARD.monkey) | bit(CARD.drunk) | SET.actions, PLACE.hands + seat)


@kernel
def saw_random_pass(state: State, rules: Rules, giver, taker, card):
    """11. The Swain: a card is taken at random; both ends see it, and all see the Drunk."""
    record_event(state, EVENT.pass_, giver, taker, 0)
    for group in range(knowledge.groups_of(rules)):
        sees = who_sees(group, giver, taker, card)
        unseen = without(load(state.possible[group, PLACE.hands + giver]), all_lanes(bit(CARD.drunk)))
        knowledge.gain(state, group, without(unseen, sees), PLACE.hands + taker)
        knowledge.learn(state, rules, group, both(all_lanes(bit(card)), sees), PLACE.hands + taker)
    if card == CARD.drunk:
        saw_drunk(state, taker)


@kernel
def saw_show(state: State, rules: Rules, viewer, shower, card):
    """17. The Maid: a viewer is shown a card of the shower's choice; had the shower the Stranger, it would be that."""
    record_event(state, EVENT.show, shower, viewer, 0)
    knowledge.one_knows(state, rules, viewer, card, PLACE.hands + shower)
    if card != CARD.stranger:
        knowledge.one_strikes(state, viewer, CARD.stranger, PLACE.hands + shower)


# -- The deck -----------------------------------------------------------------------------------


@kernel
def saw_rescue(state: State, rules: Rules, seat, card):
    """14. The Doctor: a discarded card goes into the deck (a shuffle follows)."""
    record_event(state, EVENT.rescue, seat, NO_SEAT, card)
    knowledge.all_know(state, rules, card, PLACE.upper)


@kernel
def saw_look(state: State, viewer, start, stop):
    """15, 18, 22: a viewer looks at state.deck[start:stop]."""
    state.depth_known[viewer // N_LANES, viewer % N_LANES] |= part_of_deck(state, start, stop)


@kernel
def saw_search(state: State, rules: Rules, seat, card):
    """15. The Secretary: a card of the deck is discarded for all to see, or none (NO_CARD)."""
    record_event(state, EVENT.search, seat, NO_SEAT, card)
    if card != NO_CARD:
        knowledge.laid_open(state, rules, card)


@kernel
def saw_top(state: State, rules: Rules, seat):
    """16. The Butler: the top card is announced to all."""
    card = state.deck[state.deck_n - 1]
    record_event(state, EVENT.butler, seat, NO_SEAT, card)
    for group in range(knowledge.groups_of(rules)):
        store(state.depth_known[group], either(load(state.depth_known[group]), all_lanes(bit(card))))


@kernel
def saw_pick(state: State, rules: Rules, seat, card, n_looked):
    """18. The Driver: a seat keeps one of the top cards.

    For other viewers it is one of these: the card itself where they knew its depth, else what may lie in its part.
    """
    record_event(state, EVENT.pick, seat, NO_SEAT, 0)
    for group in range(knowledge.groups_of(rules)):
        deep = load(state.depth_known[group])
        unseen = all_lanes(NONE)
        for i in range(state.deck_n - n_looked, state.deck_n):
            looked_at = all_lanes(bit(state.deck[i]))
            may = without(load(state.possible[group, part_of(state, i)]), deep)
            unseen = either(unseen, choose(where_equal(both(deep, looked_at), looked_at), looked_at, may))
        sees = who_sees(group, seat, seat, card)
        knowledge.gain(state, group, without(unseen, either(sees, all_lanes(bit(CARD.drunk)))), PLACE.hands + seat)
        knowledge.learn(state, rules, group, both(all_lanes(bit(card)), sees), PLACE.hands + seat)
    if card == CARD.drunk:
        saw_drunk(state, seat)


@kernel
def saw_blackmail(state: State, rules: Rules, seat):
    """19. The Blackmailer: both cards are shown, and the Detective goes into the deck (a shuffle follows)."""
    record_event(state, EVENT.blackmail, seat, NO_SEAT, CARD.detective)
    knowledge.all_know(state, rules, CARD.detective, PLACE.upper)
    knowledge.all_know(state, rules, CARD.blackmailer, PLACE.hands + seat)


@kernel
def saw_bury(state: State, rules: Rules, seat, card):
    """21. The Nun: a seat puts a card of its choice under the deck; a single candidate is known there."""
    record_event(state, EVENT.bury, seat, NO_SEAT, 0)
    part = PLACE.lower if state.lower_n > 0 else PLACE.upper
    for group in range(knowledge.groups_of(rules)):
        sees = who_sees(group, seat, seat, card)
        candidates = choose(sees, all_lanes(bit(card)), by_choice(state, group, seat))
        known = only_one(candidates)
        knowledge.gain(state, group, candidates, part)
        knowledge.learn(state, rules, group, known, part)
        store(state.depth_known[group], either(load(state.depth_known[group]), known))


@kernel
def saw_seer(state: State, rules: Rules, seat, is_raised):
    """22. The Seer: everybody sees whether the bottom card is raised to the top; if so there is no line any more.

    Depths that are known stay known: all have seen how the order changed.
    """
    record_event(state, EVENT.seer, seat, NO_SEAT, is_raised)
    if is_raised != 0:
        knowledge.lose_line(state, rules)


# -- What is said -------------------------------------------------------------------------------


@kernel
def saw_answer(state: State, rules: Rules, viewer, card, holder):
    """23. The Faithful Hound: all hear the name; a viewer alone learns which other seat holds the card, or that none
    does (NO_SEAT)."""
    record_event(state, EVENT.name, viewer, NO_SEAT, card)
    if holder != NO_SEAT:
        knowledge.one_knows(state, rules, viewer, card, PLACE.hands + holder)
        return
    for seat in range(rules.n_seats):
        if seat != viewer:
            knowledge.one_strikes(state, viewer, card, PLACE.hands + seat)


@kernel
def saw_report(state: State, rules: Rules, seat, target, card):
    """24. The Reporter: a random card of a hand is shown to all."""
    record_event(state, EVENT.report, seat, target, card)
    knowledge.all_know(state, rules, card, PLACE.hands + target)


@kernel
def tellable(state: State, rules: Rules, teller):
    """8. The Drunk: cards of which a seat knows more than the public: a place excluded, or a depth."""
    public = rules.n_seats
    cards = knowledge.depths_of(state, teller) & ~knowledge.depths_of(state, public)
    for place in range(knowledge.places_of(rules)):
        cards |= knowledge.may_be(state, public, place) & ~knowledge.may_be(state, teller, place)
    return cards


@kernel
def saw_tell(state: State, rules: Rules, teller, card):
    """The Drunk's holder tells all it knows about where a card is."""
    record_event(state, EVENT.tell, teller, NO_SEAT, card)
    share(state, rules, teller, bit(card))


@kernel
def saw_tell_all(state: State, rules: Rules, teller):
    """The Drunk's holder tells all it knows about where cards are."""
    record_event(state, EVENT.tell, teller, NO_SEAT, TELLS_ALL)
    share(state, rules, teller, tellable(state, rules, teller))


@kernel
def saw_hush(state: State, teller):
    """The Drunk's holder says no more."""
    record_event(state, EVENT.tell, teller, NO_SEAT, NO_CARD)


@kernel
def share(state: State, rules: Rules, teller, cards):
    """Of some cards everybody excludes the places that the teller excludes, and knows the depths that it knows."""
    deep = all_lanes(knowledge.depths_of(state, teller) & cards)
    for place in range(knowledge.places_of(rules)):
        allowed = all_lanes(knowledge.may_be(state, teller, place) | ~cards)
        for group in range(knowledge.groups_of(rules)):
            store(state.possible[group, place], both(load(state.possible[group, place]), allowed))
    for group in range(knowledge.groups_of(rules)):
        store(state.depth_known[group], either(load(state.depth_known[group]), deep))
