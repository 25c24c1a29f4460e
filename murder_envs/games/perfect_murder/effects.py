"""What actions do, in the rulebook's order: the murderer's, then the detective's.

Each function returns what comes next, one of THEN (see `play.go_on`). An action is entered in the record, and shows to
the other seat, when its last decision is taken (Ruling).
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, allow, bit, full, has, kth, lowest, popcount
from murder_envs.core.contract import ask
from murder_envs.core.jit import kernel
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import deal
from murder_envs.games.perfect_murder.moves import EVENT, FLIGHT, LOOK, PHASE, SEAT_OF, THEN
from murder_envs.games.perfect_murder.sheet import cap
from murder_envs.games.perfect_murder.state import Rules, State, add_byte, byte_of, copies, packed, record_event

# -- Asking -----------------------------------------------------------------------------------------


@kernel
def ask_for(state: State, phase):
    """The next decision: whose it is follows from the phase."""
    ask(state, phase, SEAT_OF[phase])
    return THEN.asked


@kernel
def next_of_set(cards, chosen, size):
    """Which of some cards can be named next, so that `size` can be named in all.

    A set is named card by card in rising order, so that each set has one name; what counts is the set (Ruling).
    """
    above = cards
    if chosen != NONE:
        last = kth(chosen, popcount(chosen) - 1)
        above = cards & ~full(last + 1)
    for _ in range(size - popcount(chosen) - 1):
        above &= ~bit(kth(above, popcount(above) - 1))
    return above


@kernel
def n_stolen(state: State):
    """How many cards a theft takes: two, or one if there is only one (Ruling, as with short piles)."""
    return min(c.STOLEN, popcount(state.hand))


@kernel
def cards_to_name(state: State, rules: Rules):
    """The cards that the action under way can name next."""
    phase = state.phase
    if phase == PHASE.steal:
        return next_of_set(state.hand, state.chosen, n_stolen(state))
    if phase == PHASE.discard:
        return next_of_set(state.hand, state.chosen, c.DISCARDED)
    kind = state.pile - 1
    if phase == PHASE.search_card:
        return deal.in_piles(state, rules) & deal.fields_of(rules, kind)
    return deal.top_of(state, rules, kind) & ~state.chosen


@kernel
def rooms_to_name(state: State, rules: Rules):
    """The rooms that the action under way can name: two on a card, an outer one to accuse of, or any but the scene."""
    if state.phase == PHASE.clean_room:
        return rooms_on(rules, state.chosen_room_card)
    return rules.outer if state.phase == PHASE.accuse_entry else rules.rooms


@kernel
def rooms_on(rules: Rules, card):
    """The two rooms on a room card."""
    return bit(rules.card_rooms[card, 0]) | bit(rules.card_rooms[card, 1])


@kernel
def markers_to_name(state: State, rules: Rules):
    """Any marker that lies face down; for a false mark only a blank (Ruling)."""
    if state.phase == PHASE.discard_marker:
        return rules.all_fields & ~(state.x_up | state.blank_off)
    return deal.blanks(state, rules) & deal.fields_of(rules, c.TRACE if state.phase == PHASE.mark_trace else c.CLUE)


# -- The Murderer's Actions -------------------------------------------------------------------------


@kernel
def standard_done(state: State):
    """The standard action of this round is done."""
    state.standard_done = 1
    return THEN.murderer_done


@kernel
def let_pass(state: State):
    """Both piles and the room cards are used up: there is no standard action left (Ruling)."""
    record_event(state, EVENT.pass_, 0, 0, 0, 0)
    return standard_done(state)


# -- Remove a clue or trace card from the game


@kernel
def remove(state: State, rules: Rules, card):
    """One of the top three leaves the game; of two others, the murderer chooses which lies on top.

    From a shorter pile as many are drawn as there are; a single other card goes back on top. The murderer has seen all
    of them, and knows the places of those that went back. The detective sees from which pile a card was removed.
    """
    kind = state.pile - 1
    if state.phase == PHASE.remove_pick and state.pile_n[kind] >= c.FROM_TOP:
        state.chosen = bit(card)
        return ask_for(state, PHASE.remove_top)
    base = deal.base_of(rules, kind)
    seen = deal.top_of(state, rules, kind)
    if state.phase == PHASE.remove_top:
        deal.take_from_pile(state, kind, deal.place_of(state.piles[kind], card - base))
        deal.put_on_top(state, kind, card - base)
        card = lowest(state.chosen)
    deal.take_from_pile(state, kind, deal.place_of(state.piles[kind], card - base))
    state.out |= bit(card)
    state.known = (state.known | seen) & ~bit(card)
    state.standard_n[kind] += 1
    record_event(state, EVENT.remove, 0, card, kind + 1, 0)
    return standard_done(state)


# -- Clean a room


@kernel
def clean_a_room(state: State, rules: Rules, room):
    """The card lies open beside the board, the others go under the pile as they were drawn (Ruling).

    So both know the places of all cards that were put under: the bottom of the pile.
    """
    card = state.chosen_room_card
    n = state.pile_n[c.ROOM]
    n_back = min(n, c.FROM_TOP) - 1
    deal.take_from_pile(state, c.ROOM, deal.place_of(state.piles[c.ROOM], card))
    for _ in range(n_back):
        deal.put_under(state, c.ROOM, deal.take_from_pile(state, c.ROOM, 0))
    state.known_rooms = min(state.known_rooms, max(0, n - c.FROM_TOP)) + n_back
    first = rules.card_rooms[card, 0]
    add_byte(state.cover, first, 1)
    add_byte(state.cover, rules.card_rooms[card, 1], 1)
    state.used_room_cards |= bit(card)
    add_byte(state.room_card_choice, card, 1 if room == first else 2)
    state.standard_n[c.ROOM] += 1
    state.crossed |= bit(room)
    state.stale = 1
    record_event(state, EVENT.clean, 0, packed(card, room, 0, 0), card + 1, 0)
    return standard_done(state)


# -- Bonus action: play an action card


@kernel
def is_playable(state: State, rules: Rules, card):
    """Does the murderer hold an action card, and could it do something? If not, it cannot be played (Ruling)."""
    if held_copies(state, rules, card) <= 0:
        return False
    if card == c.FALSE_TRACE:
        return deal.blanks(state, rules) & rules.trace_fields != NONE
    if card == c.FALSE_CLUE:
        return deal.blanks(state, rules) & rules.clue_fields != NONE
    if card == c.STEAL:
        return state.hand != NONE
    if card == c.SEARCH_PILE:
        return state.pile_n[c.CLUE] > 0 or state.pile_n[c.TRACE] > 0
    return True


@kernel
def held_copies(state: State, rules: Rules, card):
    """How many of an action card the murderer holds."""
    return copies(rules.action_cards, card) - copies(state.up, card) - copies(state.down, card)


@kernel
def playable_cards(state: State, rules: Rules):
    """The action cards that can be played as a bonus now: none on a white space, or after one."""
    cards = NONE
    if has(rules.black, state.round) and state.bonus_done == 0:
        for card in range(len(c.ACTION_CARDS)):
            if is_playable(state, rules, card):
                cards |= bit(card)
    return cards


@kernel
def lies_down(state: State, rules: Rules, card):
    """Would an action card lie face down on this round's space? Steal and search pile never (Ruling)."""
    return card < c.N_SECRET and has(rules.down, state.round)


@kernel
def lay_action_card(state: State, rules: Rules, card, what, other, value):
    """The card lies on the space of this round, face up or down; there it stays.

    Args:
        what: the field, room or card that it is about; `other`: 1 + the second card of a theft, or 0.
        value: what both see of it, if it lies face up.
    """
    one = bit(8 * card)
    arguments = packed(card, what, other, 0)
    if lies_down(state, rules, card):
        state.down += one
        state.n_down += 1
        record_event(state, EVENT.down, 0, arguments, 0, 0)
    else:
        state.up += one
        record_event(state, EVENT.up, 0, arguments, card + 1, value)
    state.bonus_done = 1
    state.stale = 1
    return THEN.murderer_done


@kernel
def mark(state: State, rules: Rules, field):
    """False trace, false clue: a blank is replaced by an X, which from now on is like a real one."""
    state.false_marks |= bit(field)
    card = c.FALSE_TRACE if state.phase == PHASE.mark_trace else c.FALSE_CLUE
    return lay_action_card(state, rules, card, field, 0, 0)


@kernel
def clean_any_room(state: State, rules: Rules, room):
    """Clean any room: it is crossed out. A room that is crossed out already may be chosen; it changes nothing
    (Ruling)."""
    state.crossed |= bit(room)
    return lay_action_card(state, rules, c.CLEAN_ANY, room, 0, 0)


@kernel
def steal(state: State, rules: Rules, card):
    """Steal 2 cards: they leave the game; the murderer has seen the rest of the hand.

    Always face up, so the detective knows which cards he lost.
    """
    state.chosen |= bit(card)
    cards = state.chosen
    n = popcount(cards)
    if n < n_stolen(state):
        return ask_for(state, PHASE.steal)
    state.hand &= ~cards
    state.out |= cards
    state.stolen |= cards
    state.known = (state.known | state.hand) & ~cards
    return lay_action_card(state, rules, c.STEAL, lowest(cards), 1 + card if n > 1 else 0, n)


@kernel
def search_pile(state: State, rules: Rules, card):
    """Search pile: any card of it leaves the game, the rest is shuffled. What is not in it is in the hand.

    So the murderer knows no place in this pile any more, but all cards of its kind in the hand.
    """
    kind = state.pile - 1
    deal.take_from_pile(state, kind, deal.place_of(state.piles[kind], card - deal.base_of(rules, kind)))
    state.out |= bit(card)
    state.piles[kind] = deal.shuffled(state, state.piles[kind], 0, state.pile_n[kind])
    fields = deal.fields_of(rules, kind)
    state.known = (state.known & ~fields) | (state.hand & fields)
    return lay_action_card(state, rules, c.SEARCH_PILE, card, 0, kind + 1)


# -- After the 6th round


@kernel
def decide_flight(state: State, flees):
    """Who flees has no more turns; in return the detective has an action less in the last round."""
    state.flight = FLIGHT.fled if flees else FLIGHT.stayed
    record_event(state, EVENT.flee if flees else EVENT.stay, 0, 0, 0, 0)
    return THEN.round_begins


# -- The Detective's Actions ------------------------------------------------------------------------

# -- Search room


@kernel
def search_room(state: State, rules: Rules, room):
    """Something is found if the path leads through the room and it is not crossed out.

    A first search in vain may have been spoiled by a cleaning. How many cleanings can have been meant for this room by
    then is public, and is kept: with none, the room is surely off the path.
    """
    state.searched = 1
    if has(state.path_rooms & ~state.crossed, room):
        state.chosen_room = room
        if state.pile_n[c.CLUE] == 0 and state.pile_n[c.TRACE] == 0:
            return find(state, room, 0, 0)
        return ask_for(state, PHASE.split)
    if not has(state.finds | state.vain, room):
        state.stale = 1
        state.vain |= bit(room)
        cover = byte_of(state.cover, room)
        free = cap(state, rules, c.CLEAN_ANY)
        add_byte(state.vain_cover, 2 * room, cover)
        add_byte(state.vain_cover, 2 * room + 1, free)
        if free == 0 and cover == 0:
            state.surely_off |= bit(room)
    record_event(state, EVENT.search, 0, room, room + 1, 0)
    return THEN.action_done


@kernel
def find(state: State, room, clues, traces):
    """Something was found: the room is crossed out, and so many cards were drawn."""
    state.stale = 1
    state.finds |= bit(room)
    state.crossed |= bit(room)
    record_event(state, EVENT.search, 1, packed(room, clues, traces, 0), room + 1, 1 + clues)
    return THEN.action_done


@kernel
def n_drawn(state: State):
    """How many cards a find brings."""
    return min(c.FROM_TOP, state.pile_n[c.CLUE] + state.pile_n[c.TRACE])


@kernel
def legal_split(state: State, rules: Rules, legal_set):
    """Any number of clue cards that the piles allow, fixed before a card is looked at (Ruling)."""
    n = n_drawn(state)
    for clues in range(max(0, n - state.pile_n[c.TRACE]), min(n, state.pile_n[c.CLUE]) + 1):
        allow(legal_set, rules.act_split + clues)


@kernel
def apply_split(state: State, rules: Rules, clues):
    """The cards are drawn, the clue cards first. The murderer sees backs, but a card that he knew stays known to
    him."""
    n = n_drawn(state)
    for i in range(n):
        deal.draw(state, rules, c.CLUE if i < clues else c.TRACE)
    return find(state, state.chosen_room, clues, n - clues)


# -- Examine door


@kernel
def examine_door(state: State, door):
    """Does the path go through a door? Doors cannot be cleaned, so this is always the truth.

    Two rooms of the path with an unused door between them: no.
    """
    state.stale = 1
    yes = 1 if has(state.path_doors, door) else 0
    if yes == 1:
        state.door_yes |= bit(door)
    else:
        state.door_no |= bit(door)
    record_event(state, EVENT.door, yes, door, door + 1, yes)
    return THEN.action_done


# -- Request cards


@kernel
def request_cards(state: State, rules: Rules, kind):
    """Of three cards the murderer keeps one back; one or two he looks at and hands over.

    It is the detective's action, and a murderer who has fled still answers (Ruling).
    """
    if state.pile_n[kind] >= c.FROM_TOP:
        state.pile = 1 + kind
        return ask_for(state, PHASE.request_keep)
    return hand_over(state, rules, kind)


@kernel
def keep_back(state: State, rules: Rules, card):
    """The card kept back goes under the pile: it will be drawn last."""
    kind = state.pile - 1
    base = deal.base_of(rules, kind)
    deal.take_from_pile(state, kind, deal.place_of(state.piles[kind], card - base))
    deal.put_under(state, kind, card - base)
    state.known |= bit(card)
    return hand_over(state, rules, kind)


@kernel
def hand_over(state: State, rules: Rules, kind):
    """The detective gets the top two cards (or the only one), which the murderer has seen."""
    n = min(c.FROM_TOP - 1, state.pile_n[kind])
    before = state.hand
    for _ in range(n):
        deal.draw(state, rules, kind)
    state.known |= state.hand & ~before
    record_event(state, EVENT.request, 0, packed(kind + 1, n, 0, 0), kind + 1, n)
    return THEN.action_done


# -- Play card


@kernel
def play_card(state: State, rules: Rules, card):
    """The card is laid face up, and the marker of its field is looked at.

    A card whose marker was examined before may be played: it shows nothing new, and costs the action (Ruling).
    """
    lay_down(state, bit(card))
    shown = examine(state, rules, card)
    record_event(state, EVENT.play, shown, card, card + 1, shown)
    return THEN.action_done


@kernel
def lay_down(state: State, cards):
    """Cards go from the hand to the discard pile."""
    state.hand &= ~cards
    state.known &= ~cards
    state.discarded |= cards


@kernel
def examine(state: State, rules: Rules, field):
    """Look under a marker: an X stays, face up; a blank is taken off. What is known already stays as it is (Ruling).

    An X is surely real if no false mark can lie on its board yet: a later one could not have been under this marker.
    """
    if has(state.x_up | state.blank_off, field):
        return LOOK.known
    state.stale = 1
    if has(deal.real_marks(state, rules) | state.false_marks, field):
        state.x_up |= bit(field)
        card = c.FALSE_TRACE if deal.kind_of(rules, field) == c.TRACE else c.FALSE_CLUE
        if cap(state, rules, card) == 0:
            state.surely_real |= bit(field)
        return LOOK.x
    state.blank_off |= bit(field)
    return LOOK.blank


# -- Discard 3 cards


@kernel
def can_discard(state: State):
    """Does the detective hold three cards? Then a marker lies face down, as each look has cost a card at least."""
    return popcount(state.hand) >= c.DISCARDED


@kernel
def name_to_discard(state: State, card):
    """One of the three cards; after the last comes the marker."""
    state.chosen |= bit(card)
    return ask_for(state, PHASE.discard_marker if popcount(state.chosen) == c.DISCARDED else PHASE.discard)


@kernel
def discard_three(state: State, rules: Rules, field):
    """Any three cards for a look under any marker; the cards' own markers are not looked at."""
    cards = state.chosen
    lay_down(state, cards)
    shown = examine(state, rules, field)
    arguments = packed(kth(cards, 0), kth(cards, 1), kth(cards, 2), field)
    record_event(state, EVENT.discard, shown, arguments, field + 1, shown)
    return THEN.action_done
