"""The Murder, the course of play, turns, and the end, in the rulebook's order. What actions do is in `effects`.

First the murderer plans. Then, each round, the murderer does one standard action and, on a black space, may play an
action card before or after it; the detective does three actions. After the sixth round the murderer stays or flees. At
the end, or whenever he is to choose an action, the detective accuses. As phases:

    plan_suspect -> plan_path (once a room) -> plan_weapon -> murderer_turn
    murderer_turn  remove_pick (-> remove_top)   clean_card -> clean_room                            standard
                   mark_trace   mark_clue   clean_any   steal   search_pile -> search_card           bonus
    -> murderer_turn, while something is left to do, or
    detective_turn  split   request_keep (the murderer's choice)   discard -> discard_marker   or done at once
    -> detective_turn, or the next round, or flee, or accuse_suspect -> accuse_weapon -> accuse_entry -> over
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, ONE, allow, allow_all, bit, full, has, kth, lowest, popcount
from murder_envs.core.jit import DEBUG, kernel
from murder_envs.core.rng import below
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import effects
from murder_envs.games.perfect_murder.deal import (
    blanks,
    clear_chosen,
    fields_of,
    first_cards,
    in_piles,
    open_room_cards,
    real_marks,
    set_up,
)
from murder_envs.games.perfect_murder.effects import ask_for
from murder_envs.games.perfect_murder.moves import EVENT, FLIGHT, PHASE, PLAN, REWARD, SEAT_OF, THEN
from murder_envs.games.perfect_murder.state import (
    MAX_RECORD,
    PATH_DOORS,
    PATH_ENTRY,
    Rules,
    State,
    copies,
    packed,
    record_event,
)


@kernel
def legal(state: State, rules: Rules, legal_set):
    """The legal set of the seat to act; empty when the game is over."""
    for w in range(legal_set.shape[0]):
        legal_set[w] = NONE
    phase = state.phase
    if phase == PHASE.detective_turn:
        legal_detective_turn(state, rules, legal_set)
    elif phase == PHASE.murderer_turn:
        legal_murderer_turn(state, rules, legal_set)
    elif phase <= PHASE.plan_weapon:
        legal_plan(state, rules, legal_set)
    elif phase == PHASE.clean_card:
        allow_all(legal_set, rules.act_room_card, open_room_cards(state))
    elif phase == PHASE.clean_room or phase == PHASE.clean_any or phase == PHASE.accuse_entry:
        allow_all(legal_set, rules.act_room, effects.rooms_to_name(state, rules))
    elif phase == PHASE.mark_trace or phase == PHASE.mark_clue or phase == PHASE.discard_marker:
        allow_all(legal_set, rules.act_marker, effects.markers_to_name(state, rules))
    elif phase == PHASE.flee:
        allow(legal_set, rules.act_stay)
        allow(legal_set, rules.act_flee)
    elif phase == PHASE.search_pile:
        allow_piles(state, legal_set, rules.act_pile)
    elif phase == PHASE.split:
        effects.legal_split(state, rules, legal_set)
    elif phase == PHASE.accuse_suspect:
        allow_all(legal_set, rules.act_suspect, full(rules.n_suspects))
    elif phase == PHASE.accuse_weapon:
        allow_all(legal_set, rules.act_weapon, full(rules.n_weapons))
    elif phase != PHASE.over:
        allow_all(legal_set, rules.act_card, effects.cards_to_name(state, rules))


@kernel
def step(state: State, rules: Rules, action):
    """One decision; the action is known to be legal."""
    decide(state, rules, action)
    if DEBUG:
        check(state, rules)


@kernel
def decide(state: State, rules: Rules, action):
    """One decision, and all that follows from it until somebody is asked."""
    phase = state.phase
    if phase == PHASE.detective_turn:
        then = apply_detective_turn(state, rules, action)
    elif phase == PHASE.murderer_turn:
        then = apply_murderer_turn(state, rules, action)
    elif phase <= PHASE.plan_weapon:
        then = apply_plan(state, rules, action)
    elif phase == PHASE.remove_pick or phase == PHASE.remove_top:
        then = effects.remove(state, rules, action - rules.act_card)
    elif phase == PHASE.clean_card:
        state.chosen_room_card = action - rules.act_room_card
        then = ask_for(state, PHASE.clean_room)
    elif phase == PHASE.clean_room:
        then = effects.clean_a_room(state, rules, action - rules.act_room)
    elif phase == PHASE.mark_trace or phase == PHASE.mark_clue:
        then = effects.mark(state, rules, action - rules.act_marker)
    elif phase == PHASE.clean_any:
        then = effects.clean_any_room(state, rules, action - rules.act_room)
    elif phase == PHASE.steal:
        then = effects.steal(state, rules, action - rules.act_card)
    elif phase == PHASE.search_pile:
        state.pile = 1 + action - rules.act_pile
        then = ask_for(state, PHASE.search_card)
    elif phase == PHASE.search_card:
        then = effects.search_pile(state, rules, action - rules.act_card)
    elif phase == PHASE.flee:
        then = effects.decide_flight(state, action == rules.act_flee)
    elif phase == PHASE.split:
        then = effects.apply_split(state, rules, action - rules.act_split)
    elif phase == PHASE.request_keep:
        then = effects.keep_back(state, rules, action - rules.act_card)
    elif phase == PHASE.discard:
        then = effects.name_to_discard(state, action - rules.act_card)
    elif phase == PHASE.discard_marker:
        then = effects.discard_three(state, rules, action - rules.act_marker)
    else:
        then = apply_accuse(state, rules, action)
    if then != THEN.asked:
        go_on(state, rules, then)


# -- Setup ------------------------------------------------------------------------------------------


@kernel
def deal(state: State, rules: Rules, seed):
    """Set up; the murderer is asked to plan, or the plan is drawn, each decision uniformly from its legal actions.

    So a drawn path is not uniform among paths: `rules.path_chance` has the chances.
    """
    set_up(state, rules, seed)
    if rules.plan == PLAN.random:
        state.suspect = below(state, rules.n_suspects)
        while not has(state.path_rooms, rules.scene):
            rooms = steps_from(state, rules)
            enter(state, rules, kth(rooms, below(state, popcount(rooms))))
        weapons = weapons_on_path(state, rules)
        state.weapon = kth(weapons, below(state, popcount(weapons)))
        ask_for(state, PHASE.murderer_turn)


# -- The Murder -------------------------------------------------------------------------------------


@kernel
def legal_plan(state: State, rules: Rules, legal_set):
    """1. Determine which person you are: any suspect. 2. Determine the path: through doors, from an outer room to the
    scene, no room twice. 3. Choose a murder weapon: from a room of the path, the entry included."""
    if state.phase == PHASE.plan_suspect:
        allow_all(legal_set, rules.act_suspect, full(rules.n_suspects))
    elif state.phase == PHASE.plan_path:
        allow_all(legal_set, rules.act_room, steps_from(state, rules))
    else:
        allow_all(legal_set, rules.act_weapon, weapons_on_path(state, rules))


@kernel
def apply_plan(state: State, rules: Rules, action):
    """The scene ends the path, since it may be entered once and the path has to end there (Ruling); the weapon ends the
    planning. The boards are laid with it, so nothing of the planning can be seen, not even how long it took."""
    if state.phase == PHASE.plan_suspect:
        state.suspect = action - rules.act_suspect
        return ask_for(state, PHASE.plan_path)
    if state.phase == PHASE.plan_path:
        room = action - rules.act_room
        enter(state, rules, room)
        return ask_for(state, PHASE.plan_weapon if room == rules.scene else PHASE.plan_path)
    state.weapon = action - rules.act_weapon
    return ask_for(state, PHASE.murderer_turn)


@kernel
def steps_from(state: State, rules: Rules):
    """Rooms that the path may enter next: outer ones first, then those from which the scene can still be reached.

    The rooms that can be reached from the scene through rooms not on the path are found ring by ring, so a step that
    could not be completed is never offered.
    """
    if state.path_n == 0:
        return rules.outer
    reached = bit(rules.scene)
    edge = reached
    while edge != NONE:
        beside = NONE
        while edge != NONE:
            beside |= rules.beside[lowest(edge)]
            edge &= edge - ONE
        edge = beside & ~(state.path_rooms | reached)
        reached |= edge
    return rules.beside[state.path[state.path_n - 1]] & reached


@kernel
def enter(state: State, rules: Rules, room):
    """The path goes on into a room."""
    n = state.path_n
    if n > 0:
        state.path_doors |= bit(rules.door_between[state.path[n - 1], room])
    state.path[n] = room
    state.path_n = n + 1
    state.path_rooms |= bit(room)


@kernel
def weapons_on_path(state: State, rules: Rules):
    """The weapons in the rooms of the path."""
    weapons = NONE
    for i in range(state.path_n):
        weapons |= rules.weapons_in[state.path[i]]
    return weapons


# -- Course of Play ---------------------------------------------------------------------------------


@kernel
def go_on(state: State, rules: Rules, then):
    """The course of play, until somebody is asked.

    At the end of round `rounds - FLIGHT_BEFORE_END` the murderer stays or flees. After the last round the detective has
    to accuse. A round after a flight begins with the detective; the last one may be without an action.
    """
    if then == THEN.murderer_done:
        clear_chosen(state)
        if state.standard_done == 0 or effects.playable_cards(state, rules) != NONE:
            ask_for(state, PHASE.murderer_turn)
        else:
            ask_for(state, PHASE.detective_turn)
        return
    if then == THEN.action_done:
        clear_chosen(state)
        state.actions_used += 1
        state.actions_left -= 1
        if state.actions_left > 0:
            ask_for(state, PHASE.detective_turn)
            return
        if rules.rounds > c.FLIGHT_BEFORE_END and state.round == rules.rounds - c.FLIGHT_BEFORE_END:
            ask_for(state, PHASE.flee)
            return
    if state.round == rules.rounds:
        ask_for(state, PHASE.accuse_suspect)
        return
    state.round += 1
    state.standard_done = 0
    state.bonus_done = 0
    state.searched = 0
    state.actions_left = full_actions(state, rules)
    if state.flight != FLIGHT.fled:
        ask_for(state, PHASE.murderer_turn)
    elif state.actions_left > 0:
        ask_for(state, PHASE.detective_turn)
    else:
        ask_for(state, PHASE.accuse_suspect)


@kernel
def full_actions(state: State, rules: Rules):
    """The detective's actions in this round: one less in the last after a flight."""
    fewer = state.flight == FLIGHT.fled and state.round == rules.rounds
    return rules.actions - 1 if fewer else rules.actions


# -- The Murderer's Actions -------------------------------------------------------------------------


@kernel
def allow_piles(state: State, legal_set, start):
    """The clue pile and the trace pile, if there are cards in them; were there any?"""
    some = False
    for kind in range(2):
        if state.pile_n[kind] > 0:
            allow(legal_set, start + kind)
            some = True
    return some


@kernel
def legal_murderer_turn(state: State, rules: Rules, legal_set):
    """Standard actions: one has to be done, if one is possible. Bonus action: on a black space a card may be played
    before or after it. The turn can be ended only where a bonus is left out."""
    bonus = effects.playable_cards(state, rules)
    allow_all(legal_set, rules.act_bonus, bonus)
    if state.standard_done != 0:
        if bonus != NONE:
            allow(legal_set, rules.act_end_turn)
        return
    some = allow_piles(state, legal_set, rules.act_remove)
    if state.pile_n[c.ROOM] > 0:
        allow(legal_set, rules.act_clean)
    elif not some:
        allow(legal_set, rules.act_pass)


@kernel
def apply_murderer_turn(state: State, rules: Rules, action):
    """Begin an action, or end the turn without a card."""
    if action == rules.act_clean:
        return ask_for(state, PHASE.clean_card)
    if action == rules.act_pass:
        return effects.let_pass(state)
    if action == rules.act_end_turn:
        return ask_for(state, PHASE.detective_turn)
    if action >= rules.act_remove:
        state.pile = 1 + action - rules.act_remove
        return ask_for(state, PHASE.remove_pick)
    return ask_for(state, PHASE.mark_trace + action - rules.act_bonus)


# -- The Detective's Actions ------------------------------------------------------------------------


@kernel
def searchable(rules: Rules, rooms):
    """Rooms as they are numbered among the searches, which leave out the scene."""
    before = full(rules.scene)
    return (rooms & before) | ((rooms >> 1) & ~before)


@kernel
def legal_detective_turn(state: State, rules: Rules, legal_set):
    """Five actions, of which a search only once a round; or solve the murder, which is no action.

    It is possible whenever an action is to be chosen, also before the first; not amid one, nor after the last of a
    round (Ruling): the next turn is early enough.
    """
    if state.searched == 0:
        allow_all(legal_set, rules.act_search, searchable(rules, rules.rooms))
    allow_all(legal_set, rules.act_door, full(rules.n_doors))
    allow_all(legal_set, rules.act_play, state.hand)
    allow_piles(state, legal_set, rules.act_request)
    if effects.can_discard(state):
        allow(legal_set, rules.act_discard)
    allow(legal_set, rules.act_accuse)


@kernel
def apply_detective_turn(state: State, rules: Rules, action):
    """Begin an action; many are done at once. The blocks of actions are in the order of their ids."""
    if action < rules.act_door:
        room = action - rules.act_search
        return effects.search_room(state, rules, room + 1 if room >= rules.scene else room)
    if action < rules.act_room_card:
        return effects.examine_door(state, action - rules.act_door)
    if action < rules.act_marker:
        return effects.play_card(state, rules, action - rules.act_play)
    if action < rules.act_split:
        return effects.request_cards(state, rules, action - rules.act_request)
    return ask_for(state, PHASE.discard if action == rules.act_discard else PHASE.accuse_suspect)


# -- End of the Game --------------------------------------------------------------------------------


@kernel
def apply_accuse(state: State, rules: Rules, action):
    """Who, with what, entering where; nothing is told before the last statement.

    The detective is told right or wrong, not which statement failed (Ruling). Of the path only the entry counts.
    """
    if state.phase == PHASE.accuse_suspect:
        state.named_suspect = action - rules.act_suspect
        return ask_for(state, PHASE.accuse_weapon)
    if state.phase == PHASE.accuse_weapon:
        state.named_weapon = action - rules.act_weapon
        return ask_for(state, PHASE.accuse_entry)
    state.named_entry = action - rules.act_room
    right = 1 if n_right(state) == c.N_STATEMENTS else 0
    arguments = packed(state.named_suspect, state.named_weapon, state.named_entry, 0)
    record_event(state, EVENT.accuse, right, arguments, 0, right)
    state.verdict = 1 + (c.DETECTIVE if right == 1 else c.MURDERER)
    return ask_for(state, PHASE.over)


@kernel
def n_right(state: State):
    """How many statements of the accusation are right."""
    right = 0
    if state.named_suspect == state.suspect:
        right += 1
    if state.named_weapon == state.weapon:
        right += 1
    if state.named_entry == state.path[0]:
        right += 1
    return right


@kernel
def returns(state: State, rules: Rules, out):
    """The detective's payment, and its negative for the murderer; once, at the end.

    "outcome" pays 1 or -1. "graded" pays a wrong accusation a quarter more for each right statement; "swift" takes up
    to a half from a win, in proportion to the actions used.

    Args:
        out: float64, a payment a seat.
    """
    value = 0.0
    if state.verdict == 1 + c.DETECTIVE:
        value = 1.0
        if rules.reward == REWARD.swift:
            value -= 0.5 * state.actions_used / (rules.rounds * rules.actions)
    elif state.verdict != 0:
        value = -1.0
        if rules.reward == REWARD.graded:
            value += n_right(state) / 4.0
    out[c.MURDERER] = 0.0 - value
    out[c.DETECTIVE] = value


@kernel
def is_cut_off(state: State):
    """Did a step cap end the game? Never: every game ends by an accusation."""
    return False


# -- Invariants, for debug runs -----------------------------------------------------------------------


@kernel
def check(state: State, rules: Rules):
    """Everything is in one place, and what a seat knows never excludes the truth."""
    assert state.to_act == SEAT_OF[state.phase]
    assert state.round >= 1 and state.round <= rules.rounds
    assert state.actions_left >= 0 and state.actions_left <= rules.actions
    assert state.record_n >= 0 and state.record_n <= MAX_RECORD
    check_cards(state, rules)
    check_markers(state, rules)
    check_rooms(state, rules)
    if state.stale == 0 and state.phase > PHASE.plan_weapon:
        check_sheet(state, rules)


@kernel
def check_cards(state: State, rules: Rules):
    """Each card is in a pile, in the hand, discarded or out of the game; action cards are as many as there are."""
    assert state.hand & state.discarded == NONE
    assert (state.hand | state.discarded) & state.out == NONE
    assert (state.hand | state.discarded | state.out) & ~rules.all_fields == NONE
    assert state.stolen & ~state.out == NONE
    assert state.known & (state.discarded | state.out) == NONE
    assert state.chosen & ~rules.all_fields == NONE
    piled = in_piles(state, rules)
    clues = first_cards(state.piles[c.CLUE], state.pile_n[c.CLUE])
    traces = first_cards(state.piles[c.TRACE], state.pile_n[c.TRACE])
    assert clues == piled & rules.clue_fields and traces << rules.n_clues == piled & rules.trace_fields
    assert popcount(clues) == state.pile_n[c.CLUE] and popcount(traces) == state.pile_n[c.TRACE]
    room_cards = first_cards(state.piles[c.ROOM], state.pile_n[c.ROOM])
    assert room_cards == full(rules.n_room_cards) & ~state.used_room_cards
    assert state.known_rooms >= 0 and state.known_rooms <= state.pile_n[c.ROOM]
    n_down = 0
    for card in range(len(c.ACTION_CARDS)):
        n_down += copies(state.down, card)
        assert effects.held_copies(state, rules, card) >= 0
    assert n_down == state.n_down


@kernel
def check_markers(state: State, rules: Rules):
    """A false mark lies on no real one; what was looked at shows what lies there; and what is surely real is real."""
    real = real_marks(state, rules)
    assert real & state.false_marks == NONE
    assert state.x_up & ~(real | state.false_marks) == NONE
    assert state.blank_off & (real | state.false_marks) == NONE
    assert state.surely_real & ~(real & state.x_up) == NONE
    assert popcount(state.false_marks & fields_of(rules, c.CLUE)) <= copies(rules.action_cards, c.FALSE_CLUE)
    assert popcount(state.false_marks & fields_of(rules, c.TRACE)) <= copies(rules.action_cards, c.FALSE_TRACE)
    assert blanks(state, rules) & (state.x_up | state.blank_off) == NONE


@kernel
def check_rooms(state: State, rules: Rules):
    """The path as a list is the path as a set; answers about rooms and doors are true."""
    rooms = NONE
    for i in range(state.path_n):
        rooms |= bit(state.path[i])
    assert rooms == state.path_rooms and popcount(rooms) == state.path_n
    assert state.finds & ~(state.path_rooms & state.crossed) == NONE
    assert state.crossed & ~rules.rooms == NONE
    assert state.surely_off & (state.path_rooms | ~state.vain) == NONE
    assert state.door_yes & ~state.path_doors == NONE and state.door_no & state.path_doors == NONE


@kernel
def check_sheet(state: State, rules: Rules):
    """The sheet does not exclude the plan."""
    assert has(state.suspects, state.suspect) and has(state.weapons, state.weapon)
    path = state.path_rooms | state.path_doors << PATH_DOORS | bit(state.path[0]) << PATH_ENTRY
    assert path & ~state.on_some == NONE and state.on_all & ~path == NONE
