"""The Murder, the course of play, both sides' actions and the end, in the rulebook's order.

First the murderer plans. Then, each round, the murderer does one standard action and, on a black space, may play an
action card before or after it; the detective does three actions. After the sixth round the murderer stays or flees. At
the end, or whenever he is to choose an action, the detective accuses. As phases:

    PLAN_SUSPECT -> PLAN_PATH (once a room) -> PLAN_WEAPON -> MURDERER_TURN
    MURDERER_TURN  REMOVE_PICK (-> REMOVE_TOP)   CLEAN_CARD -> CLEAN_ROOM                                    standard
                   MARK_TRACE   MARK_CLUE   CLEAN_ANY_PHASE   STEAL_PHASE   SEARCH_PILE_PHASE -> SEARCH_CARD  bonus
    -> MURDERER_TURN, while something is left to do, or
    DETECTIVE_TURN  SPLIT   REQUEST_KEEP (the murderer's choice)   DISCARD -> DISCARD_MARKER   or done at once
    -> DETECTIVE_TURN, or the next round, or FLEE, or ACCUSE_SUSPECT -> ACCUSE_WEAPON -> ACCUSE_ENTRY -> OVER

An action is entered in the record, and shows to the other seat, when its last decision is taken (Ruling).
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import allow, allow_all, bit, has, kth, lowest, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import below
from murder_envs.games.perfect_murder.cards import (
    CLEAN_ANY,
    CLUE,
    DETECTIVE,
    DISCARDED,
    FALSE_CLUE,
    FALSE_TRACE,
    FLIGHT_BEFORE_END,
    FROM_TOP,
    MURDERER,
    NO_SEAT,
    NONE,
    ROOM,
    SEARCH_PILE,
    STEAL,
    TRACE,
)
from murder_envs.games.perfect_murder.deal import (
    add_byte,
    byte_of,
    clear_chosen,
    draw,
    put_on_top,
    put_under,
    record_event,
    set_up,
    shuffled,
    take_from_pile,
)
from murder_envs.games.perfect_murder.moves import (
    ACCUSE_ENTRY,
    ACCUSE_SUSPECT,
    ACCUSE_WEAPON,
    ACCUSED,
    ASKED,
    BLANK,
    CLEAN_ANY_PHASE,
    CLEAN_CARD,
    CLEAN_ROOM,
    CLEANED,
    DETECTIVE_TURN,
    DISCARD,
    DISCARD_MARKER,
    DISCARDED_3,
    FLED,
    FLEE,
    FLIGHT_FLED,
    FLIGHT_STAYED,
    KNOWN,
    MARK_CLUE,
    MARK_TRACE,
    MURDERER_TURN,
    OVER,
    PASSED,
    PLAN_PATH,
    PLAN_SUSPECT,
    PLAN_WEAPON,
    PLAYED,
    PLAYED_DOWN,
    PLAYED_UP,
    REMOVE_PICK,
    REMOVE_TOP,
    REMOVED,
    REQUEST_KEEP,
    REQUESTED,
    REWARD_GRADED,
    REWARD_SWIFT,
    SEARCH_CARD,
    SEARCH_PILE_PHASE,
    SEARCHED,
    SPLIT,
    STAYED,
    STEAL_PHASE,
    X,
    base_of,
    blanks,
    can_discard,
    cap,
    fields_of,
    full_actions,
    in_piles,
    kind_of,
    lies_down,
    n_stolen,
    next_of_set,
    open_room_cards,
    place_of,
    playable_cards,
    real_marks,
    steps_from,
    top_of,
)


@kernel
def legal(state, rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == DETECTIVE_TURN:
        legal_detective_turn(state, rules, legal_set)
    elif phase == MURDERER_TURN:
        legal_murderer_turn(state, rules, legal_set)
    elif phase <= PLAN_WEAPON:
        legal_plan(state, rules, legal_set)
    elif phase == CLEAN_CARD:
        allow_all(legal_set, rules.act_room_card, open_room_cards(state))
    elif phase == CLEAN_ROOM or phase == CLEAN_ANY_PHASE or phase == ACCUSE_ENTRY:
        allow_all(legal_set, rules.act_room, rooms_to_name(state, rules))
    elif phase == MARK_TRACE or phase == MARK_CLUE or phase == DISCARD_MARKER:
        allow_all(legal_set, rules.act_marker, markers_to_name(state, rules))
    elif phase == FLEE:
        allow(legal_set, rules.act_stay)
        allow(legal_set, rules.act_flee)
    elif phase == SEARCH_PILE_PHASE:
        for kind in range(2):
            if state.pile_n[kind] > 0:
                allow(legal_set, rules.act_pile + kind)
    elif phase == SPLIT:
        legal_split(state, rules, legal_set)
    elif phase == ACCUSE_SUSPECT:
        allow_all(legal_set, rules.act_suspect, bit(rules.n_suspects) - np.uint64(1))
    elif phase == ACCUSE_WEAPON:
        allow_all(legal_set, rules.act_weapon, bit(rules.n_weapons) - np.uint64(1))
    elif phase != OVER:
        allow_all(legal_set, rules.act_card, cards_to_name(state, rules))


@kernel
def step(state, rules, action):
    """One decision; the action is known to be legal."""
    phase = state.phase
    if phase == DETECTIVE_TURN:
        then = apply_detective_turn(state, rules, action)
    elif phase == MURDERER_TURN:
        then = apply_murderer_turn(state, rules, action)
    elif phase <= PLAN_WEAPON:
        then = apply_plan(state, rules, action)
    elif phase == REMOVE_PICK or phase == REMOVE_TOP:
        then = apply_remove(state, rules, action - rules.act_card)
    elif phase == CLEAN_CARD:
        state.chosen_room_card = action - rules.act_room_card
        then = ask(state, CLEAN_ROOM, MURDERER)
    elif phase == CLEAN_ROOM:
        then = clean_a_room(state, rules, action - rules.act_room)
    elif phase == MARK_TRACE or phase == MARK_CLUE:
        then = mark(state, rules, action - rules.act_marker)
    elif phase == CLEAN_ANY_PHASE:
        then = clean_any_room(state, rules, action - rules.act_room)
    elif phase == STEAL_PHASE:
        then = apply_steal(state, rules, action - rules.act_card)
    elif phase == SEARCH_PILE_PHASE:
        state.pile = 1 + action - rules.act_pile
        then = ask(state, SEARCH_CARD, MURDERER)
    elif phase == SEARCH_CARD:
        then = search_pile(state, rules, action - rules.act_card)
    elif phase == FLEE:
        then = apply_flee(state, rules, action)
    elif phase == SPLIT:
        then = apply_split(state, rules, action - rules.act_split)
    elif phase == REQUEST_KEEP:
        then = apply_keep(state, rules, action - rules.act_card)
    elif phase == DISCARD:
        state.chosen |= bit(action - rules.act_card)
        enough = popcount(np.uint64(state.chosen)) == DISCARDED
        then = ask(state, DISCARD_MARKER if enough else DISCARD, DETECTIVE)
    elif phase == DISCARD_MARKER:
        then = discard_three(state, rules, action - rules.act_marker)
    else:
        then = apply_accuse(state, rules, action)
    if then != NOTHING:
        go_on(state, rules, then)


NOTHING, MURDERER_DONE, ACTION_DONE, ROUND_BEGINS = range(4)
"""What is to come next between two decisions: nothing, since somebody is asked; the end of an action of the murderer or
of the detective; a round."""


@kernel
def ask(state, phase, seat):
    """Set the next decision."""
    state.phase = phase
    state.to_act = seat
    return NOTHING


@kernel
def go_on(state, rules, then):
    """The course of play, until somebody is asked."""
    if then == MURDERER_DONE:
        clear_chosen(state)
        if state.standard_done == 0 or playable_cards(state, rules) != NONE:
            ask(state, MURDERER_TURN, MURDERER)
        else:
            ask(state, DETECTIVE_TURN, DETECTIVE)
        return
    if then == ACTION_DONE:
        clear_chosen(state)
        state.actions_used += 1
        state.actions_left -= 1
        if state.actions_left > 0:
            ask(state, DETECTIVE_TURN, DETECTIVE)
            return
        if state.round_n < rules.n_rounds:
            if rules.n_rounds > FLIGHT_BEFORE_END and state.round_n == rules.n_rounds - FLIGHT_BEFORE_END:
                ask(state, FLEE, MURDERER)
                return
    if state.round_n == rules.n_rounds:
        ask(state, ACCUSE_SUSPECT, DETECTIVE)
        return
    state.round_n += 1
    state.standard_done = 0
    state.bonus_done = 0
    state.searched = 0
    state.actions_left = full_actions(state, rules)
    if state.flight != FLIGHT_FLED:
        ask(state, MURDERER_TURN, MURDERER)
    elif state.actions_left > 0:
        ask(state, DETECTIVE_TURN, DETECTIVE)
    else:
        ask(state, ACCUSE_SUSPECT, DETECTIVE)  # only the last round can be without an action


# -- Setup ------------------------------------------------------------------------------------------


@kernel
def deal(state, rules, seed):
    """Set up; the murderer is asked to plan, or the plan is drawn, each decision uniformly from its legal actions."""
    set_up(state, rules, seed)
    if rules.random_plan != 0:
        state.suspect = below(state, rules.n_suspects)
        while not has(np.uint64(state.path_rooms), rules.scene):
            rooms = steps_from(state, rules)
            enter(state, rules, kth(rooms, below(state, popcount(rooms))))
        weapons = weapons_on_path(state, rules)
        state.weapon = kth(weapons, below(state, popcount(weapons)))
        state.phase = MURDERER_TURN


# -- The Murder -------------------------------------------------------------------------------------


@kernel
def legal_plan(state, rules, legal_set):
    """1. Any suspect. 2. A path through doors, to the scene, no room twice. 3. A weapon from a room of the path."""
    if state.phase == PLAN_SUSPECT:
        allow_all(legal_set, rules.act_suspect, bit(rules.n_suspects) - np.uint64(1))
    elif state.phase == PLAN_PATH:
        allow_all(legal_set, rules.act_room, steps_from(state, rules))
    else:
        allow_all(legal_set, rules.act_weapon, weapons_on_path(state, rules))


@kernel
def apply_plan(state, rules, action):
    """The scene ends the path (Ruling); the weapon ends the planning."""
    if state.phase == PLAN_SUSPECT:
        state.suspect = action - rules.act_suspect
        return ask(state, PLAN_PATH, MURDERER)
    if state.phase == PLAN_PATH:
        room = action - rules.act_room
        enter(state, rules, room)
        return ask(state, PLAN_WEAPON if room == rules.scene else PLAN_PATH, MURDERER)
    state.weapon = action - rules.act_weapon
    return ask(state, MURDERER_TURN, MURDERER)


@kernel
def enter(state, rules, room):
    """The path goes on into a room."""
    n = np.int64(state.path_n)
    if n > 0:
        state.path_doors |= bit(rules.door_between[np.int64(state.path[n - 1]), room])
    state.path[n] = room
    state.path_n = n + 1
    state.path_rooms |= bit(room)


@kernel
def weapons_on_path(state, rules):
    """The weapons in the rooms of the path."""
    weapons = NONE
    for i in range(state.path_n):
        weapons |= rules.weapons_in[np.int64(state.path[i])]
    return weapons


# -- The Murderer's Actions -------------------------------------------------------------------------


@kernel
def legal_murderer_turn(state, rules, legal_set):
    """One standard action; on a black space a card before or after it."""
    bonus = playable_cards(state, rules)
    allow_all(legal_set, rules.act_bonus, bonus)
    if state.standard_done != 0:
        if bonus != NONE:
            allow(legal_set, rules.act_end_turn)
        return
    some = False
    for kind in range(2):
        if state.pile_n[kind] > 0:
            allow(legal_set, rules.act_remove + kind)
            some = True
    if state.pile_n[ROOM] > 0:
        allow(legal_set, rules.act_clean)
        some = True
    if not some:
        allow(legal_set, rules.act_pass)


@kernel
def apply_murderer_turn(state, rules, action):
    """Begin an action, or end the turn without a card."""
    if action == rules.act_clean:
        return ask(state, CLEAN_CARD, MURDERER)
    if action == rules.act_pass:
        record_event(state, PASSED, 0, 0, 0, 0, 0, 0, 0)
        return standard_done(state)
    if action == rules.act_end_turn:
        return ask(state, DETECTIVE_TURN, DETECTIVE)
    if action >= rules.act_remove:
        state.pile = 1 + action - rules.act_remove
        return ask(state, REMOVE_PICK, MURDERER)
    return ask(state, MARK_TRACE + action - rules.act_bonus, MURDERER)


@kernel
def standard_done(state):
    """The standard action of this round is done."""
    state.standard_done = 1
    return MURDERER_DONE


@kernel
def cards_to_name(state, rules):
    """The cards that the action under way can name next."""
    phase = state.phase
    if phase == STEAL_PHASE:
        return next_of_set(np.uint64(state.hand), np.uint64(state.chosen), n_stolen(state))
    if phase == DISCARD:
        return next_of_set(np.uint64(state.hand), np.uint64(state.chosen), DISCARDED)
    kind = np.int64(state.pile) - 1
    if phase == SEARCH_CARD:
        return in_piles(state, rules) & fields_of(rules, kind)
    return top_of(state, rules, kind) & ~np.uint64(state.chosen)


@kernel
def rooms_to_name(state, rules):
    """The rooms that the action under way can name: two on a card, an outer one to accuse of, or any but the scene."""
    if state.phase == CLEAN_ROOM:
        card = np.int64(state.chosen_room_card)
        return bit(rules.card_rooms[card, 0]) | bit(rules.card_rooms[card, 1])
    return rules.outer if state.phase == ACCUSE_ENTRY else rules.rooms


@kernel
def markers_to_name(state, rules):
    """Any marker that lies face down; for a false mark only a blank (Ruling)."""
    if state.phase == DISCARD_MARKER:
        return rules.fields & ~(np.uint64(state.x_up) | state.blank_off)
    return blanks(state, rules) & (rules.trace_fields if state.phase == MARK_TRACE else rules.clue_fields)


# -- Remove a clue or trace card from the game


@kernel
def apply_remove(state, rules, card):
    """One of the top three leaves the game; of two others, the murderer chooses which lies on top."""
    kind = np.int64(state.pile) - 1
    if state.phase == REMOVE_PICK and state.pile_n[kind] >= FROM_TOP:
        state.chosen = bit(card)
        return ask(state, REMOVE_TOP, MURDERER)
    base = base_of(rules, kind)
    back = top_of(state, rules, kind)
    if state.phase == REMOVE_TOP:
        take_from_pile(state, kind, place_of(state.piles[kind], card - base))
        put_on_top(state, kind, card - base)
        card = lowest(np.uint64(state.chosen))
    take_from_pile(state, kind, place_of(state.piles[kind], card - base))
    state.out |= bit(card)
    state.known = (state.known | back) & ~bit(card)
    state.standard_n[kind] += 1
    record_event(state, REMOVED, 0, card, 0, 0, 0, kind + 1, 0)
    return standard_done(state)


# -- Clean a room


@kernel
def clean_a_room(state, rules, room):
    """The card lies open beside the board, the others go under the pile as they were drawn (Ruling)."""
    card = np.int64(state.chosen_room_card)
    n = np.int64(state.pile_n[ROOM])
    n_back = min(n, FROM_TOP) - 1
    take_from_pile(state, ROOM, place_of(state.piles[ROOM], card))
    for _ in range(n_back):
        put_under(state, ROOM, take_from_pile(state, ROOM, 0))
    state.known_rooms = min(np.int64(state.known_rooms), max(0, n - FROM_TOP)) + n_back
    first = rules.card_rooms[card, 0]
    second = rules.card_rooms[card, 1]
    add_byte(state.cover, first, 1)
    add_byte(state.cover, second, 1)
    state.used_room_cards |= bit(card)
    add_byte(state.room_card_choice, card, 1 if room == first else 2)
    state.standard_n[ROOM] += 1
    state.crossed |= bit(room)
    state.stale = 1
    record_event(state, CLEANED, 0, card, room, 0, 0, card + 1, 0)
    return standard_done(state)


# -- Action cards


@kernel
def lay_action_card(state, rules, card, what, other, value):
    """The card lies on the space of this round, face up or down; there it stays."""
    shift = np.uint64(8 * card)
    if lies_down(state, rules, card):
        state.down += np.uint64(1) << shift
        state.n_down += 1
        record_event(state, PLAYED_DOWN, 0, card, what, other, 0, 0, 0)
    else:
        state.up += np.uint64(1) << shift
        record_event(state, PLAYED_UP, 0, card, what, other, 0, card + 1, value)
    state.bonus_done = 1
    state.stale = 1
    return MURDERER_DONE


@kernel
def mark(state, rules, field):
    """False trace, false clue: a blank is replaced by an X."""
    state.false_marks |= bit(field)
    card = FALSE_TRACE if state.phase == MARK_TRACE else FALSE_CLUE
    return lay_action_card(state, rules, card, field, 0, 0)


@kernel
def clean_any_room(state, rules, room):
    """Clean any room: it is crossed out; twice changes nothing."""
    state.crossed |= bit(room)
    return lay_action_card(state, rules, CLEAN_ANY, room, 0, 0)


@kernel
def apply_steal(state, rules, card):
    """Steal 2 cards: they leave the game; the murderer has seen the rest of the hand."""
    state.chosen |= bit(card)
    cards = np.uint64(state.chosen)
    n = popcount(cards)
    if n < n_stolen(state):
        return ask(state, STEAL_PHASE, MURDERER)
    first = lowest(cards)
    state.hand &= ~cards
    state.out |= cards
    state.stolen |= cards
    state.known = (state.known | state.hand) & ~cards
    return lay_action_card(state, rules, STEAL, first, 1 + card if n > 1 else 0, n)


@kernel
def search_pile(state, rules, card):
    """Search pile: any card of it leaves the game, the rest is shuffled. What is not in it is in the hand."""
    kind = np.int64(state.pile) - 1
    take_from_pile(state, kind, place_of(state.piles[kind], card - base_of(rules, kind)))
    state.out |= bit(card)
    state.piles[kind] = shuffled(state, np.uint64(state.piles[kind]), 0, np.int64(state.pile_n[kind]))
    fields = fields_of(rules, kind)
    state.known = (state.known & ~fields) | (state.hand & fields)
    return lay_action_card(state, rules, SEARCH_PILE, card, 0, kind + 1)


# -- After the 6th round


@kernel
def apply_flee(state, rules, action):
    """Who flees has no more turns; in return the detective has an action less in the last round."""
    if action == rules.act_flee:
        state.flight = FLIGHT_FLED
        record_event(state, FLED, 0, 0, 0, 0, 0, 0, 0)
    else:
        state.flight = FLIGHT_STAYED
        record_event(state, STAYED, 0, 0, 0, 0, 0, 0, 0)
    return ROUND_BEGINS


# -- The Detective's Actions ------------------------------------------------------------------------


@kernel
def searchable(rules, rooms):
    """Rooms as they are numbered among the searches, which leave out the scene."""
    before = bit(rules.scene) - np.uint64(1)
    return (rooms & before) | ((rooms >> np.uint64(1)) & ~before)


@kernel
def legal_detective_turn(state, rules, legal_set):
    """Five actions, of which a search only once a round; or solve the murder."""
    if state.searched == 0:
        allow_all(legal_set, rules.act_search, searchable(rules, rules.rooms))
    allow_all(legal_set, rules.act_door, bit(rules.n_doors) - np.uint64(1))
    allow_all(legal_set, rules.act_play, np.uint64(state.hand))
    for kind in range(2):
        if state.pile_n[kind] > 0:
            allow(legal_set, rules.act_request + kind)
    if can_discard(state):
        allow(legal_set, rules.act_discard)
    allow(legal_set, rules.act_accuse)


@kernel
def apply_detective_turn(state, rules, action):
    """Begin an action; many are done at once."""
    if action < rules.act_door:
        room = action - rules.act_search
        return search_room(state, rules, room + 1 if room >= rules.scene else room)
    if action < rules.act_room_card:
        return examine_door(state, action - rules.act_door)
    if action < rules.act_marker:
        return play_card(state, rules, action - rules.act_play)
    if action < rules.act_split:
        return request_cards(state, rules, action - rules.act_request)
    if action == rules.act_discard:
        return ask(state, DISCARD, DETECTIVE)
    return ask(state, ACCUSE_SUSPECT, DETECTIVE)


# -- Search room


@kernel
def search_room(state, rules, room):
    """Found if the path leads through the room and it is not crossed out."""
    state.searched = 1
    if has(np.uint64(state.path_rooms) & ~np.uint64(state.crossed), room):
        state.chosen_room = room
        if state.pile_n[CLUE] == 0 and state.pile_n[TRACE] == 0:
            return found(state, room, 0, 0)
        return ask(state, SPLIT, DETECTIVE)
    if not has(np.uint64(state.found) | state.vain, room):
        state.stale = 1
        state.vain |= bit(room)
        cover = byte_of(state.cover, room)
        free = cap(state, rules, CLEAN_ANY)
        add_byte(state.vain_cover, 2 * room, cover)
        add_byte(state.vain_cover, 2 * room + 1, free)
        if free == 0 and cover == 0:
            state.surely_off |= bit(room)
    record_event(state, SEARCHED, 0, room, 0, 0, 0, room + 1, 0)
    return ACTION_DONE


@kernel
def found(state, room, clues, traces):
    """Something was found: the room is crossed out."""
    state.stale = 1
    state.found |= bit(room)
    state.crossed |= bit(room)
    record_event(state, SEARCHED, 1, room, clues, traces, 0, room + 1, 1 + clues)
    return ACTION_DONE


@kernel
def n_drawn(state):
    """How many cards a find brings."""
    return min(FROM_TOP, np.int64(state.pile_n[CLUE]) + np.int64(state.pile_n[TRACE]))


@kernel
def legal_split(state, rules, legal_set):
    """Any number of clue cards that the piles allow, fixed before a card is looked at (Ruling)."""
    n = n_drawn(state)
    for clues in range(max(0, n - np.int64(state.pile_n[TRACE])), min(n, np.int64(state.pile_n[CLUE])) + 1):
        allow(legal_set, rules.act_split + clues)


@kernel
def apply_split(state, rules, clues):
    """The cards are drawn, the clue cards first."""
    n = n_drawn(state)
    for i in range(n):
        draw(state, rules, CLUE if i < clues else TRACE)
    return found(state, np.int64(state.chosen_room), clues, n - clues)


# -- Examine door


@kernel
def examine_door(state, door):
    """Doors cannot be cleaned: this is always the truth."""
    state.stale = 1
    yes = has(np.uint64(state.path_doors), door)
    if yes:
        state.door_yes |= bit(door)
    else:
        state.door_no |= bit(door)
    answer = np.int64(yes)
    record_event(state, ASKED, answer, door, 0, 0, 0, door + 1, answer)
    return ACTION_DONE


# -- Request cards


@kernel
def request_cards(state, rules, kind):
    """Of three cards the murderer keeps one back; one or two he looks at and hands over."""
    if state.pile_n[kind] >= FROM_TOP:
        state.pile = 1 + kind
        return ask(state, REQUEST_KEEP, MURDERER)
    return hand_over(state, rules, kind)


@kernel
def apply_keep(state, rules, card):
    """The card kept back goes under the pile."""
    kind = np.int64(state.pile) - 1
    card -= base_of(rules, kind)
    take_from_pile(state, kind, place_of(state.piles[kind], card))
    put_under(state, kind, card)
    state.known |= bit(base_of(rules, kind) + card)
    return hand_over(state, rules, kind)


@kernel
def hand_over(state, rules, kind):
    """The detective gets the top two cards (or the only one), which the murderer has seen."""
    n = min(FROM_TOP - 1, np.int64(state.pile_n[kind]))
    before = np.uint64(state.hand)
    for _ in range(n):
        draw(state, rules, kind)
    state.known |= state.hand & ~before
    record_event(state, REQUESTED, 0, kind + 1, n, 0, 0, kind + 1, n)
    return ACTION_DONE


# -- Play card


@kernel
def play_card(state, rules, card):
    """The card is laid face up, and the marker of its field is looked at."""
    lay_down(state, bit(card))
    shown = examine(state, rules, card)
    record_event(state, PLAYED, shown, card, 0, 0, 0, card + 1, shown)
    return ACTION_DONE


@kernel
def lay_down(state, cards):
    """Cards go from the hand to the discard pile."""
    state.hand &= ~cards
    state.known &= ~cards
    state.discarded |= cards


@kernel
def examine(state, rules, field):
    """Look under a marker: an X stays, face up; a blank is taken off. What is known already stays as it is (Ruling)."""
    if has(np.uint64(state.x_up) | state.blank_off, field):
        return KNOWN
    state.stale = 1
    if has(real_marks(state, rules) | state.false_marks, field):
        state.x_up |= bit(field)
        card = FALSE_TRACE if kind_of(rules, field) == TRACE else FALSE_CLUE
        if cap(state, rules, card) == 0:
            state.surely_real |= bit(field)
        return X
    state.blank_off |= bit(field)
    return BLANK


# -- Discard 3 cards


@kernel
def discard_three(state, rules, field):
    """Any three cards for a look under any marker; the cards' own markers are not looked at."""
    cards = np.uint64(state.chosen)
    lay_down(state, cards)
    shown = examine(state, rules, field)
    record_event(state, DISCARDED_3, shown, kth(cards, 0), kth(cards, 1), kth(cards, 2), field, field + 1, shown)
    return ACTION_DONE


# -- End of the Game --------------------------------------------------------------------------------


@kernel
def apply_accuse(state, rules, action):
    """Who, with what, entering where; nothing is told before the last statement."""
    if state.phase == ACCUSE_SUSPECT:
        state.named_suspect = action - rules.act_suspect
        return ask(state, ACCUSE_WEAPON, DETECTIVE)
    if state.phase == ACCUSE_WEAPON:
        state.named_weapon = action - rules.act_weapon
        return ask(state, ACCUSE_ENTRY, DETECTIVE)
    state.named_entry = action - rules.act_room
    right = np.int64(n_right(state) == N_STATEMENTS)
    record_event(
        state, ACCUSED, right, np.int64(state.named_suspect), np.int64(state.named_weapon),
        np.int64(state.named_entry), 0, 0, right,
    )  # fmt: skip
    state.verdict = 1 + (DETECTIVE if right else MURDERER)
    return ask(state, OVER, NO_SEAT)


N_STATEMENTS = 3


@kernel
def n_right(state):
    """How many statements of the accusation are right."""
    right = np.int64(state.named_suspect == state.suspect) + np.int64(state.named_weapon == state.weapon)
    return right + np.int64(state.named_entry == state.path[0])


@kernel
def returns(state, rules, out):
    """The detective's payment, and its negative for the murderer; once, at the end."""
    value = 0.0
    if state.verdict == 1 + DETECTIVE:
        value = 1.0
        if rules.reward == REWARD_SWIFT:
            value -= 0.5 * np.int64(state.actions_used) / (rules.n_rounds * rules.n_actions)
    elif state.verdict != 0:
        value = -1.0
        if rules.reward == REWARD_GRADED:
            value += n_right(state) / 4.0
    out[MURDERER] = 0.0 - value
    out[DETECTIVE] = value


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
    """Every game ends by an accusation."""
    return False
