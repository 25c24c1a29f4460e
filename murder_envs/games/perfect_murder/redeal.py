"""Another world that a seat cannot tell from this one, in place: determinization.

The murderer does not know some cards: these change places. The detective does not know the plan, nor what was done in
secret: these are drawn uniformly from all combinations that fit everything he has seen. Not modelled: how likely the
other's choices were.

A combination is a typing of the action cards that lie face down, a path, a weapon on it, a suspect, and a field or room
for each secret mark or cleaning. For a typing the ways to choose the rest multiply: clean(path) x trace(weapon) x
clue(suspect). So typing and path are drawn together by weight, then weapon and suspect, then marks and rooms.

Draws by weight go through all candidates once: each takes the place of the one kept so far with chance weight / total
of the weights so far. In the end each has been kept with a chance in proportion to its weight, and no list is needed.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import BYTE, NONE, ONE, bit, full, has, kth, lowest, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import GOLDEN, below, seed_redeal
from murder_envs.core.scratch import scratch_numbers, scratch_words
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder import deal, effects, play
from murder_envs.games.perfect_murder.cards import MAX_ROOMS
from murder_envs.games.perfect_murder.deal import CARD_BITS, card_at, listed_cards
from murder_envs.games.perfect_murder.knowledge import known_cards, looked_at
from murder_envs.games.perfect_murder.moves import EVENT, LOOK, PHASE
from murder_envs.games.perfect_murder.state import (
    MAX_RECORD,
    PATH_DOORS,
    PATH_ENTRY,
    Rules,
    State,
    argument,
    copies,
    kind_of_event,
    put_byte,
    result_of,
    with_argument,
)


@kernel
def redeal(state: State, rules: Rules, seat, seed):
    """Another world for a seat, with random numbers of its own: those of the game would foretell shuffles and draws.

    What the seat sees stays as it is, bit for bit, and so do all public facts. Where the other seat is amid an action,
    the state is that before its hidden choices (`take_back`).
    """
    seed_redeal(state, seed)
    take_back(state, seat)
    for kind in range(2):
        if seat == c.MURDERER:
            permute_unknown(state, rules, kind)
        else:
            permute_unseen(state, rules, kind)
    n = state.pile_n[c.ROOM]
    laid_open = min(n, c.FROM_TOP) if state.phase == PHASE.clean_card or state.phase == PHASE.clean_room else 0
    state.piles[c.ROOM] = mixed(state, state.piles[c.ROOM], laid_open, n - state.known_rooms)
    if seat == c.DETECTIVE and state.phase > PHASE.plan_weapon:
        draw_plan(state, rules)


@kernel
def take_back(state: State, seat):
    """Before the other seat's choices in an action that do not show yet.

    An action shows when its last decision is taken; open room cards and the begin of an accusation show at once
    (Ruling). So of those the choice alone is taken back, of all others the whole action.
    """
    phase = state.phase
    if seat == c.MURDERER:
        if phase == PHASE.discard or phase == PHASE.discard_marker:
            effects.ask_for(state, PHASE.detective_turn)
            deal.clear_chosen(state)
        elif phase == PHASE.accuse_weapon or phase == PHASE.accuse_entry:
            effects.ask_for(state, PHASE.accuse_suspect)
            state.named_suspect = c.NOBODY
            state.named_weapon = c.NOBODY
    elif phase <= PHASE.plan_weapon:
        effects.ask_for(state, PHASE.plan_suspect)
        deal.clear_plan(state)
    elif phase == PHASE.clean_room:
        effects.ask_for(state, PHASE.clean_card)
        deal.clear_chosen(state)
    elif phase > PHASE.murderer_turn and phase < PHASE.flee and phase != PHASE.clean_card:
        effects.ask_for(state, PHASE.murderer_turn)
        deal.clear_chosen(state)


# -- Cards ------------------------------------------------------------------------------------------


@kernel
def mixed(state: State, pile, start, stop):
    """A pile with the cards from `start` to before `stop` in a random order that does not depend on the present one."""
    cards = NONE
    for place in range(start, stop):
        cards |= bit(card_at(pile, place))
    shift = CARD_BITS * start
    places = full(CARD_BITS * max(0, stop - start)) << shift
    return deal.shuffled(state, (pile & ~places) | listed_cards(cards) << shift, start, stop)


@kernel
def permute_unknown(state: State, rules: Rules, kind):
    """For the murderer: the cards that he does not know, over their places in pile and hand.

    That is all he does not know of clue and trace cards, and every order is equally likely, so this is exact. What he
    is looking at stays, also where it does not count as known yet.
    """
    base = deal.base_of(rules, kind)
    hidden = (deal.in_piles(state, rules) | state.hand) & deal.fields_of(rules, kind)
    unknown = (hidden & ~(known_cards(state, rules) | looked_at(state, rules))) >> base
    n = popcount(unknown)
    if n < 2:
        return
    cards = deal.shuffled(state, listed_cards(unknown), 0, n)
    pile = state.piles[kind]
    for place in range(state.pile_n[kind]):
        was = card_at(pile, place)
        if has(unknown, was):
            pile ^= ((cards & deal.CARD) ^ np.uint64(was)) << CARD_BITS * place
            cards >>= CARD_BITS
    hand = state.hand
    n = popcount(hand & (unknown << base))
    hand &= ~(unknown << base)
    for _ in range(n):
        hand |= bit(card_at(cards, 0)) << base
        cards >>= CARD_BITS
    state.hand = hand
    state.piles[kind] = pile


@kernel
def permute_unseen(state: State, rules: Rules, kind):
    """For the detective: the cards that he has not seen, over the pile and the cards secretly removed.

    What the murderer knows stays with the places: the detective has seen that the murderer looked at these places, if
    not which cards lay there. Removals of the record follow the cards: an entry says which card was removed. Cards that
    were out of the game before a partial record began have no entry, and take what is left.
    """
    base = deal.base_of(rules, kind)
    fields = deal.fields_of(rules, kind)
    secret = state.out & ~state.stolen & fields
    unseen = ((deal.in_piles(state, rules) & fields) | secret) >> base
    n = popcount(unseen)
    if n < 2:
        return
    cards = deal.shuffled(state, listed_cards(unseen), 0, n)
    was = state.piles[kind]
    pile = NONE
    now_known = state.known & ~(unseen << base)
    for place in range(state.pile_n[kind]):
        card = card_at(cards, 0)
        cards >>= CARD_BITS
        pile |= np.uint64(card) << CARD_BITS * place
        if has(state.known, base + card_at(was, place)):
            now_known |= bit(base + card)
    state.piles[kind] = pile
    state.known = now_known
    state.out = state.out & ~secret
    n_left = popcount(secret)
    for i in range(state.record_n):
        event = state.record[i]
        place = removed_card_at(event)
        if place >= 0 and has(secret, argument(event, place)):
            state.record[i] = with_argument(event, place, base + card_at(cards, 0))
            n_left -= 1
            state.out |= bit(card_at(cards, 0)) << base
            cards >>= CARD_BITS
    for _ in range(n_left):
        state.out |= bit(card_at(cards, 0)) << base
        cards >>= CARD_BITS


@kernel
def removed_card_at(event):
    """Which argument of an entry is a card secretly removed; -1 if none is."""
    kind = kind_of_event(event)
    if kind == EVENT.remove:
        return 0
    return 1 if kind == EVENT.up and argument(event, 0) == c.SEARCH_PILE else -1


# -- The plan and the secret moves ------------------------------------------------------------------

# A secret is a word: what was done (a SECRET_*), its number among the cards face down, its entry in the record; and for
# a cleaning, the rooms that it can have been, and the rooms that it could clean before the first search in vain there.
#
# In what follows `secrets` are the n words of `list_secrets`, in the order of play. A *typing* says which action card
# each one lying face down is, two bits a card: there are at most 3 to the power of their number, less what copies rule
# out. *Ways* are numbers of combinations, as floats: they multiply, and can be large.
SECRET_CLUE, SECRET_TRACE, SECRET_CLEAN, SECRET_DOWN, SECRET_X = c.FALSE_CLUE, c.FALSE_TRACE, c.CLEAN_ANY, 3, 4
LATER, WHAT, NUMBER, ENTRY = 16, 32, 40, 48
SETS = np.uint64(0xFFFF)
TYPE = np.uint64(3)
N_KEPT = 64
KEPT_SHIFT = 58
"""Results that are kept, and how a hash of 64 bits becomes a place among them."""


@kernel
def secret(what, number, entry, rooms, later):
    """A secret as a word."""
    packed = np.uint64(what) << WHAT | np.uint64(number) << NUMBER | np.uint64(entry) << ENTRY
    return packed | rooms | later << LATER


@kernel
def kind_of_secret(word, typing):
    """What was done, given what lies face down: FALSE_CLUE, FALSE_TRACE, CLEAN_ANY (a room card too) or SECRET_X."""
    what = np.int64(word >> WHAT & BYTE)
    return typed_as(typing, np.int64(word >> NUMBER & BYTE)) if what == SECRET_DOWN else what


@kernel
def typed_as(typing, number):
    """Which action card one of those lying face down is, in a typing: two bits each."""
    return np.int64(typing >> 2 * number & TYPE)


@kernel
def entry_of(word):
    """The entry of a secret in the record."""
    return np.int64(word >> ENTRY)


@kernel
def field_of(word):
    """The field of an X that was found."""
    return np.int64(word & SETS)


@kernel
def list_secrets(state: State, rules: Rules, secrets):
    """The secret moves and the X found, in order; returns how many there are.

    An X found stands among them, since a false mark must have been laid before; its room set is its field.

    A room cannot be cleaned before something is found there, nor is a cleaning after a search of any use to explain
    that it was in vain: so for each cleaning the rooms where a find or a first search in vain was still to come are
    noted.
    """
    n = 0
    n_down = 0
    all_finds = state.finds
    if state.phase == PHASE.split:
        all_finds |= bit(state.chosen_room)
    to_find = all_finds  # rooms where something is still to be found
    to_spoil = state.vain  # rooms still to be searched in vain
    for i in range(state.record_n):
        event = state.record[i]
        kind = kind_of_event(event)
        if kind == EVENT.clean:
            card = argument(event, 0)
            rooms = effects.rooms_on(rules, card)
            secrets[n] = secret(SECRET_CLEAN, 0, i, rooms & ~to_find, to_spoil)
            n += 1
        elif kind == EVENT.up and argument(event, 0) < c.N_SECRET:
            secrets[n] = secret(argument(event, 0), 0, i, rules.rooms & ~to_find, to_spoil)
            n += 1
        elif kind == EVENT.down:
            secrets[n] = secret(SECRET_DOWN, n_down, i, rules.rooms & ~to_find, to_spoil)
            n += 1
            n_down += 1
        elif kind == EVENT.search:
            room = argument(event, 0)
            if result_of(event) == 1:
                to_find &= ~bit(room)
            else:
                to_spoil &= ~bit(room)
        elif (kind == EVENT.play or kind == EVENT.discard) and result_of(event) == LOOK.x:
            field = argument(event, 0 if kind == EVENT.play else 3)
            secrets[n] = secret(SECRET_X, 0, i, np.uint64(field), NONE)
            n += 1
    return n


@kernel
def chance(state: State):
    """A uniform number from 0 to below 1."""
    return below(state, 1 << 31) / 2147483648.0


@kernel
def draw_plan(state: State, rules: Rules):
    """Draw plan and secret moves, again where they leave the murderer nothing to choose, or another verdict.

    Both follow from everything together, so they cannot be put into the weights; a draw that fails is thrown away,
    which leaves the others as likely, beside each other, as they were.
    """
    secrets = scratch_words(MAX_RECORD)
    n = list_secrets(state, rules, secrets)
    again = True
    while again:
        draw_worlds(state, rules, secrets, n)
        again = False
        if state.phase == PHASE.murderer_turn and state.standard_done != 0:
            again = effects.playable_cards(state, rules) == NONE
        elif state.phase == PHASE.over:
            again = (play.n_right(state) == c.N_STATEMENTS) != (state.verdict == 1 + c.DETECTIVE)


@kernel
def draw_worlds(state: State, rules: Rules, secrets, n):
    """Draw typing and path by weight, then the rest.

    The ways for suspects do not depend on the path, and those for weapons only by the rooms that it passes: so they are
    counted once for a typing, and the inner loop, over all paths that the doors allow, has little to do.
    """
    kept_for = scratch_words(N_KEPT)
    kept = scratch_numbers(N_KEPT)
    by_room = scratch_numbers(MAX_ROOMS)
    for i in range(N_KEPT):
        kept_for[i] = ~NONE
    n_down = state.n_down
    total = 0.0
    typing = NONE
    path = NONE
    tried = NONE
    vain = state.vain
    while True:
        if is_typing(state, rules, tried, n_down):
            suspects = suspect_ways(state, rules, secrets, n, tried)
            armed = weapon_ways(state, rules, secrets, n, tried, by_room)
            if suspects > 0.0 and armed != NONE:
                for word in range((rules.n_paths + 63) >> 6):
                    left = state.ways[word]
                    while left != NONE:
                        i = lowest(left)
                        left &= left - ONE
                        this = rules.path[64 * word + i]
                        if not answers_fit(state, this):
                            continue
                        ways = weapons_of(this & armed, by_room)
                        if ways > 0.0:
                            ways *= cleanings_of(secrets, n, tried, this & vain, kept_for, kept)
                        weight = suspects * ways
                        if weight > 0.0:
                            total += weight
                            if weight >= total or chance(state) * total < weight:
                                typing = tried
                                path = this
        tried = next_typing(tried, n_down)
        if tried == NONE:
            break
    follow(state, rules, path)
    weapon_ways(state, rules, secrets, n, typing, by_room)
    draw_weapon(state, rules, secrets, n, typing)
    draw_suspect(state, rules, secrets, n, typing)
    state.false_marks = 0
    state.down = NONE
    draw_marks(state, rules, secrets, n, typing, c.FALSE_CLUE)
    draw_marks(state, rules, secrets, n, typing, c.FALSE_TRACE)
    draw_cleanings(state, rules, secrets, n, typing)


@kernel
def is_typing(state: State, rules: Rules, typing, n_down):
    """Are there enough copies of each card for these to lie face down?"""
    for card in range(c.N_SECRET):
        n = 0
        for i in range(n_down):
            if typed_as(typing, i) == card:
                n += 1
        if n > copies(rules.action_cards, card) - copies(state.up, card):
            return False
    return True


@kernel
def next_typing(typing, n_down):
    """The next way to type the cards face down: counting up, two bits a digit; NONE after the last."""
    for i in range(n_down):
        if typed_as(typing, i) < c.N_SECRET - 1:
            return typing + bit(2 * i)
        typing &= ~(TYPE << 2 * i)
    return NONE


@kernel
def answers_fit(state: State, path):
    """Does a path fit what doors and finds have told? What was searched in vain is weighed by `clean_ways`."""
    must = state.finds | state.door_yes << PATH_DOORS
    if state.phase == PHASE.split:
        must |= bit(state.chosen_room)
    never = state.door_no << PATH_DOORS
    return (path & must == must) & (path & never == NONE)


@kernel
def mark_ways(state: State, secrets, n, typing, card, board, own):
    """Ways to lay the false marks of a board, if these are its real ones.

    Each X found that is not real takes one of the marks laid before it; the others are fields never examined. A blank
    that was taken off rules out these real marks, since no marker is ever taken from under a real one.

    Args:
        card: the action card that lays marks on this board.
        board, own: all fields of the board; those of the suspect or weapon.
    """
    if own & state.blank_off != NONE:
        return 0.0
    ways = 1.0
    marks = 0
    for i in range(n):
        kind = kind_of_secret(secrets[i], typing)
        if kind == card:
            marks += 1
        elif kind == SECRET_X and has(board & ~own, field_of(secrets[i])):
            ways *= marks
            marks -= 1
    free = popcount(board & ~(own | state.x_up | state.blank_off))
    for i in range(marks):
        ways *= free - i
    return ways


@kernel
def suspect_ways(state: State, rules: Rules, secrets, n, typing):
    """Ways to choose suspect and false clues."""
    ways = 0.0
    for suspect in range(rules.n_suspects):
        ways += clue_ways(state, rules, secrets, n, typing, suspect)
    return ways


@kernel
def clue_ways(state: State, rules: Rules, secrets, n, typing, suspect):
    """Ways to lay the false clues, given the suspect."""
    return mark_ways(state, secrets, n, typing, c.FALSE_CLUE, rules.clue_fields, rules.suspect_fields[suspect])


@kernel
def trace_ways(state: State, rules: Rules, secrets, n, typing, weapon):
    """Ways to lay the false traces, given the weapon."""
    return mark_ways(state, secrets, n, typing, c.FALSE_TRACE, rules.trace_fields, rules.weapon_fields[weapon])


@kernel
def weapon_ways(state: State, rules: Rules, secrets, n, typing, by_room):
    """Ways to choose a weapon and the false traces, by the weapon's room; returns the rooms where there are any."""
    armed = NONE
    for room in range(rules.n_rooms):
        by_room[room] = 0.0
    for weapon in range(rules.n_weapons):
        ways = trace_ways(state, rules, secrets, n, typing, weapon)
        if ways > 0.0:
            by_room[rules.weapon_room[weapon]] += ways
            armed |= bit(rules.weapon_room[weapon])
    return armed


@kernel
def weapons_of(rooms, by_room):
    """Ways to choose a weapon from some rooms, and the false traces."""
    ways = 0.0
    while rooms != NONE:
        ways += by_room[lowest(rooms)]
        rooms &= rooms - ONE
    return ways


@kernel
def cleanings_of(secrets, n, typing, to_clean, kept_for, kept):
    """Ways to choose the rooms of all cleanings; many paths need the same, so the last results are kept.

    They depend on the path only by its rooms that were searched in vain (`to_clean`), and of those there are few.
    """
    key = typing << MAX_ROOMS | to_clean
    at = np.int64((key * GOLDEN) >> KEPT_SHIFT)
    if kept_for[at] != key:
        kept_for[at] = key
        kept[at] = clean_ways(secrets, 0, n, typing, to_clean)
    return kept[at]


@kernel
def clean_ways(secrets, first, n, typing, to_clean):
    """Ways to choose the rooms of all cleanings from `first` on, so that these are cleaned in time.

    Inclusion and exclusion: for each set of rooms that are left out, the ways without them, even sets minus odd ones.
    With one room to clean: all ways, less those that clean it too late or never.
    """
    total = 0.0
    left_out = to_clean
    while True:
        ways = 1.0 - 2.0 * (popcount(left_out) & 1)
        for i in range(first, n):
            word = secrets[i]
            if kind_of_secret(word, typing) == c.CLEAN_ANY:
                ways *= popcount(word & SETS & ~(left_out & (word >> LATER)))
        total += ways
        if left_out == NONE:
            return total
        left_out = (left_out - ONE) & to_clean


# -- Drawing the rest -------------------------------------------------------------------------------


@kernel
def follow(state: State, rules: Rules, path):
    """Plan a path, given as a word: its doors say in which order it takes its rooms."""
    deal.clear_plan(state)
    room = lowest(path >> PATH_ENTRY)
    play.enter(state, rules, room)
    while room != rules.scene:
        options = rules.beside[room] & path & ~state.path_rooms
        room_was = room
        while room == room_was:
            other = lowest(options)
            options &= options - ONE
            if has(path >> PATH_DOORS, rules.door_between[room, other]):
                room = other
        play.enter(state, rules, room)


@kernel
def draw_weapon(state: State, rules: Rules, secrets, n, typing):
    """A weapon on the path, by the ways to lay the false traces beside it."""
    total = 0.0
    weapons = play.weapons_on_path(state, rules)
    while weapons != NONE:
        weapon = lowest(weapons)
        weapons &= weapons - ONE
        ways = trace_ways(state, rules, secrets, n, typing, weapon)
        if ways > 0.0:
            total += ways
            if ways >= total or chance(state) * total < ways:
                state.weapon = weapon


@kernel
def draw_suspect(state: State, rules: Rules, secrets, n, typing):
    """A suspect, by the ways to lay the false clues beside it."""
    total = 0.0
    for suspect in range(rules.n_suspects):
        ways = clue_ways(state, rules, secrets, n, typing, suspect)
        if ways > 0.0:
            total += ways
            if ways >= total or chance(state) * total < ways:
                state.suspect = suspect


@kernel
def write_secret(state: State, word, card, what):
    """Enter in the record what a secret move was: the action card (if it lies face down), and its field or room."""
    entry = entry_of(word)
    event = with_argument(state.record[entry], 1, what)
    if np.int64(word >> WHAT & BYTE) == SECRET_DOWN:
        event = with_argument(event, 0, card)
        state.down += bit(8 * card)
    state.record[entry] = event


@kernel
def draw_marks(state: State, rules: Rules, secrets, n, typing, card):
    """The fields of a board's false marks, uniformly from all ways.

    As they were counted: an X found that is not real is given to one of the marks laid before it, each as likely; marks
    that are left over in the end lie on fields that nobody has looked under.
    """
    board = rules.clue_fields if card == c.FALSE_CLUE else rules.trace_fields
    own = rules.suspect_fields[state.suspect] if card == c.FALSE_CLUE else rules.weapon_fields[state.weapon]
    marks = NONE
    for i in range(n):
        kind = kind_of_secret(secrets[i], typing)
        if kind == card:
            marks |= bit(i)
        elif kind == SECRET_X and has(board & ~own, field_of(secrets[i])):
            laid = kth(marks, below(state, popcount(marks)))
            marks &= ~bit(laid)
            lay_mark(state, secrets[laid], card, field_of(secrets[i]))
    free = board & ~(own | state.x_up | state.blank_off)
    while marks != NONE:
        field = kth(free, below(state, popcount(free)))
        free &= ~bit(field)
        lay_mark(state, secrets[lowest(marks)], card, field)
        marks &= marks - ONE


@kernel
def lay_mark(state: State, word, card, field):
    """A false mark lies on a field."""
    state.false_marks |= bit(field)
    write_secret(state, word, card, field)


@kernel
def draw_cleanings(state: State, rules: Rules, secrets, n, typing):
    """The rooms of all cleanings, uniformly from all ways: one after the other, by the ways that are left.

    A room that has to be cleaned in time is an option of its own. All other rooms leave the same work to the cleanings
    to come, so they are one option, weighed by their number.
    """
    to_clean = state.path_rooms & state.vain
    state.crossed = state.finds
    for i in range(n):
        word = secrets[i]
        if kind_of_secret(word, typing) != c.CLEAN_ANY:
            continue
        rooms = word & SETS
        in_time = rooms & to_clean & (word >> LATER)
        others = rooms & ~in_time
        room = -1
        total = popcount(others) * clean_ways(secrets, i + 1, n, typing, to_clean) if others != NONE else 0.0
        while in_time != NONE:
            this = lowest(in_time)
            in_time &= in_time - ONE
            ways = clean_ways(secrets, i + 1, n, typing, to_clean & ~bit(this))
            total += ways
            if ways > 0.0 and (ways >= total or chance(state) * total < ways):
                room = this
        if room < 0:
            room = kth(others, below(state, popcount(others)))
        to_clean &= ~(bit(room) & (word >> LATER))
        clean(state, rules, word, room)


@kernel
def clean(state: State, rules: Rules, word, room):
    """A room was cleaned, with a room card or an action card; of a room card it is noted which of its two rooms."""
    state.crossed |= bit(room)
    write_secret(state, word, c.CLEAN_ANY, room)
    event = state.record[entry_of(word)]
    if kind_of_event(event) == EVENT.clean:
        card = argument(event, 0)
        put_byte(state.room_card_choice, card, 1 if room == rules.card_rooms[card, 0] else 2)
