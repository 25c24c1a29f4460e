"""Another world that a seat cannot tell from this one (the page's section 12), in place.

The murderer does not know some cards: these change places. The detective does not know the plan, nor what was done in
secret: these are drawn uniformly from all combinations that fit everything he has seen. Not modelled: how likely the
other's choices were.

A combination is a typing of the action cards that lie face down, a path, a weapon on it, a suspect, and a field or room
for each secret mark or cleaning. For a typing the ways to choose the rest multiply: clean(path) x trace(weapon) x
clue(suspect). So typing and path are drawn together by weight, then weapon and suspect, then marks and rooms.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import bit, has, kth, lowest, popcount
from murder_envs.core.jit import kernel
from murder_envs.core.rng import GOLDEN, below, seed_redeal
from murder_envs.core.scratch import scratch_numbers, scratch_words
from murder_envs.games.perfect_murder.cards import (
    CLEAN_ANY,
    DETECTIVE,
    FALSE_CLUE,
    FALSE_TRACE,
    FROM_TOP,
    MAX_ROOMS,
    MURDERER,
    N_SECRET,
    NOBODY,
    NONE,
    ROOM,
    SEARCH_PILE,
)
from murder_envs.games.perfect_murder.deal import (
    MAX_RECORD,
    PATH_DOORS,
    PATH_ENTRY,
    add_byte,
    argument,
    byte_of,
    clear_chosen,
    clear_plan,
    kind_of_event,
    result_of,
    shuffled,
    with_argument,
)
from murder_envs.games.perfect_murder.moves import (
    ACCUSE_ENTRY,
    ACCUSE_SUSPECT,
    ACCUSE_WEAPON,
    BYTE,
    CLEAN_CARD,
    CLEAN_ROOM,
    CLEANED,
    DETECTIVE_TURN,
    DISCARD,
    DISCARD_MARKER,
    DISCARDED_3,
    FLEE,
    MURDERER_TURN,
    N4,
    NIBBLE,
    OVER,
    PLAN_SUSPECT,
    PLAN_WEAPON,
    PLAYED,
    PLAYED_DOWN,
    PLAYED_UP,
    REMOVED,
    SEARCHED,
    SPLIT,
    X,
    base_of,
    card_at,
    copies,
    fields_of,
    in_piles,
    playable_cards,
)
from murder_envs.games.perfect_murder.play import N_STATEMENTS, enter, n_right, weapons_on_path
from murder_envs.games.perfect_murder.view import known_cards, looked_at


@kernel
def redeal(state, rules, seat, seed):
    """Another world for a seat, with random numbers of its own."""
    seed_redeal(state, seed)
    take_back(state, seat)
    for kind in range(2):
        if seat == MURDERER:
            permute_unknown(state, rules, kind)
        else:
            permute_unseen(state, rules, kind)
    n = np.int64(state.pile_n[ROOM])
    laid_open = min(n, FROM_TOP) if state.phase == CLEAN_CARD or state.phase == CLEAN_ROOM else 0
    state.piles[ROOM] = mixed(state, np.uint64(state.piles[ROOM]), laid_open, n - np.int64(state.known_rooms))
    if seat == DETECTIVE and state.phase > PLAN_WEAPON:
        draw_plan(state, rules)


@kernel
def take_back(state, seat):
    """Before the other seat's choices in an action that do not show yet."""
    phase = state.phase
    if seat == MURDERER:
        if phase == DISCARD or phase == DISCARD_MARKER:
            state.phase = DETECTIVE_TURN
            clear_chosen(state)
        elif phase == ACCUSE_WEAPON or phase == ACCUSE_ENTRY:
            state.phase = ACCUSE_SUSPECT
            state.named_suspect = NOBODY
            state.named_weapon = NOBODY
    elif phase <= PLAN_WEAPON:
        state.phase = PLAN_SUSPECT
        clear_plan(state)
    elif phase == CLEAN_ROOM:
        state.phase = CLEAN_CARD
        clear_chosen(state)
    elif phase > MURDERER_TURN and phase < FLEE and phase != CLEAN_CARD:
        state.phase = MURDERER_TURN
        clear_chosen(state)


# -- Cards ------------------------------------------------------------------------------------------


@kernel
def listed_cards(cards):
    """A set of cards as a pile, in rising order."""
    pile = NONE
    n = 0
    while cards != NONE:
        pile |= np.uint64(lowest(cards)) << np.uint64(4 * n)
        cards &= cards - np.uint64(1)
        n += 1
    return pile


@kernel
def mixed(state, pile, start, stop):
    """A pile with the cards from `start` to before `stop` in a random order that does not depend on the present one."""
    cards = NONE
    for place in range(start, stop):
        cards |= bit(card_at(pile, place))
    shift = np.uint64(4 * start)
    places = (bit(4 * max(0, stop - start)) - np.uint64(1)) << shift
    return shuffled(state, (pile & ~places) | listed_cards(cards) << shift, start, stop)


@kernel
def permute_unknown(state, rules, kind):
    """For the murderer: the cards that he does not know, over their places in pile and hand."""
    base = np.uint64(base_of(rules, kind))
    hidden = (in_piles(state, rules) | state.hand) & fields_of(rules, kind)
    unknown = (hidden & ~(known_cards(state, rules) | looked_at(state, rules))) >> base
    n = popcount(unknown)
    if n < 2:
        return
    cards = shuffled(state, listed_cards(unknown), 0, n)
    pile = np.uint64(state.piles[kind])
    for place in range(np.int64(state.pile_n[kind])):
        was = card_at(pile, place)
        if has(unknown, was):
            pile ^= ((cards & NIBBLE) ^ np.uint64(was)) << np.uint64(4 * place)
            cards >>= N4
    hand = np.uint64(state.hand)
    n = popcount(hand & (unknown << base))
    hand &= ~(unknown << base)
    for _ in range(n):
        hand |= bit(card_at(cards, 0)) << base
        cards >>= N4
    state.hand = hand
    state.piles[kind] = pile


@kernel
def permute_unseen(state, rules, kind):
    """For the detective: the cards that he has not seen, over the pile and the cards secretly removed.

    What the murderer knows stays with the places; removals of the record follow.
    """
    first = base_of(rules, kind)
    base = np.uint64(first)
    fields = fields_of(rules, kind)
    secret = np.uint64(state.out) & ~np.uint64(state.stolen) & fields
    unseen = ((in_piles(state, rules) & fields) | secret) >> base
    n = popcount(unseen)
    if n < 2:
        return
    cards = shuffled(state, listed_cards(unseen), 0, n)
    was = np.uint64(state.piles[kind])
    pile = NONE
    known = np.uint64(state.known)
    now_known = known & ~(unseen << base)
    for place in range(np.int64(state.pile_n[kind])):
        card = card_at(cards, 0)
        cards >>= N4
        pile |= np.uint64(card) << np.uint64(4 * place)
        if has(known, first + card_at(was, place)):
            now_known |= bit(first + card)
    state.piles[kind] = pile
    state.known = now_known
    state.out = state.out & ~secret
    n_left = popcount(secret)
    for i in range(state.record_n):
        event = np.int64(state.record[i])
        place = removed_card_at(event)
        if place >= 0 and has(secret, argument(event, place)):
            state.record[i] = with_argument(event, place, first + card_at(cards, 0))
            n_left -= 1
            state.out |= bit(card_at(cards, 0)) << base
            cards >>= N4
    for _ in range(n_left):
        state.out |= bit(card_at(cards, 0)) << base
        cards >>= N4


@kernel
def removed_card_at(event):
    """Which argument of an entry is a card secretly removed; -1 if none is."""
    kind = kind_of_event(event)
    if kind == REMOVED:
        return 0
    return 1 if kind == PLAYED_UP and argument(event, 0) == SEARCH_PILE else -1


# -- The plan and the secret moves ------------------------------------------------------------------

# A secret is a word: what was done (a SECRET_*), its number among the cards face down, its entry in the record; and for
# a cleaning, the rooms that it can have been, and the rooms that it could clean before the first search in vain there.
SECRET_CLUE, SECRET_TRACE, SECRET_CLEAN, SECRET_DOWN, SECRET_X = FALSE_CLUE, FALSE_TRACE, CLEAN_ANY, 3, 4
LATER = np.uint64(16)
WHAT, NUMBER, ENTRY = np.uint64(32), np.uint64(40), np.uint64(48)
SETS = np.uint64(0xFFFF)
N_KEPT = 64
KEPT_SHIFT = np.uint64(58)


@kernel
def secret(what, number, entry, rooms, later):
    """A secret as a word."""
    packed = np.uint64(what) << WHAT | np.uint64(number) << NUMBER | np.uint64(entry) << ENTRY
    return packed | rooms | later << LATER


@kernel
def kind_of_secret(word, typing):
    """What was done, given what lies face down: FALSE_CLUE, FALSE_TRACE, CLEAN_ANY (a room card too) or SECRET_X."""
    what = np.int64(word >> WHAT & BYTE)
    if what == SECRET_DOWN:
        return np.int64(typing >> (np.uint64(2) * (word >> NUMBER & BYTE))) & 3
    return what


@kernel
def list_secrets(state, rules, secrets):
    """The secret moves and the X found, in order; returns how many there are.

    An X found stands among them, since a false mark must have been laid before; its room set is its field.
    """
    n = 0
    n_down = 0
    all_found = np.uint64(state.found)
    if state.phase == SPLIT:
        all_found |= bit(state.chosen_room)
    not_found = all_found  # rooms where something is still to be found
    not_vain = np.uint64(state.vain)  # rooms still to be searched in vain
    for i in range(state.record_n):
        event = np.int64(state.record[i])
        kind = kind_of_event(event)
        if kind == CLEANED:
            card = argument(event, 0)
            rooms = bit(rules.card_rooms[card, 0]) | bit(rules.card_rooms[card, 1])
            secrets[n] = secret(SECRET_CLEAN, 0, i, rooms & ~not_found, not_vain)
            n += 1
        elif kind == PLAYED_UP and argument(event, 0) < N_SECRET:
            secrets[n] = secret(argument(event, 0), 0, i, rules.rooms & ~not_found, not_vain)
            n += 1
        elif kind == PLAYED_DOWN:
            secrets[n] = secret(SECRET_DOWN, n_down, i, rules.rooms & ~not_found, not_vain)
            n += 1
            n_down += 1
        elif kind == SEARCHED:
            room = argument(event, 0)
            if result_of(event) == 1:
                not_found &= ~bit(room)
            else:
                not_vain &= ~bit(room)
        elif (kind == PLAYED or kind == DISCARDED_3) and result_of(event) == X:
            field = argument(event, 0 if kind == PLAYED else 3)
            secrets[n] = secret(SECRET_X, 0, i, np.uint64(field), NONE)
            n += 1
    return n


@kernel
def chance(state):
    """A uniform number from 0 to below 1."""
    return below(state, 1 << 31) / 2147483648.0


@kernel
def draw_plan(state, rules):
    """Draw plan and secret moves, again where they leave the murderer nothing to choose, or another verdict."""
    secrets = scratch_words(MAX_RECORD)
    n = list_secrets(state, rules, secrets)
    again = True
    while again:
        draw_worlds(state, rules, secrets, n)
        again = False
        if state.phase == MURDERER_TURN and state.standard_done != 0:
            again = playable_cards(state, rules) == NONE
        elif state.phase == OVER:
            again = (n_right(state) == N_STATEMENTS) != (state.verdict == 1 + DETECTIVE)


@kernel
def draw_worlds(state, rules, secrets, n):
    """Draw typing and path by weight, then the rest."""
    kept_for = scratch_words(N_KEPT)
    kept = scratch_numbers(N_KEPT)
    by_room = scratch_numbers(MAX_ROOMS)
    for i in range(N_KEPT):
        kept_for[i] = ~NONE
    n_down = np.int64(state.n_down)
    total = 0.0
    typing = NONE
    path = NONE
    tried = NONE
    vain = np.uint64(state.vain)
    while True:
        if is_typing(state, rules, tried, n_down):
            suspects = suspect_ways(state, rules, secrets, n, tried)
            armed = weapon_ways(state, rules, secrets, n, tried, by_room)
            if suspects > 0.0 and armed != NONE:
                for word in range((rules.n_paths + 63) >> 6):
                    left = state.ways[word]
                    while left != NONE:
                        i = lowest(left)
                        left &= left - np.uint64(1)
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
    draw_marks(state, rules, secrets, n, typing, FALSE_CLUE)
    draw_marks(state, rules, secrets, n, typing, FALSE_TRACE)
    draw_cleanings(state, rules, secrets, n, typing)


@kernel
def is_typing(state, rules, typing, n_down):
    """Are there enough copies of each card for these to lie face down?"""
    for card in range(N_SECRET):
        n = 0
        for i in range(n_down):
            if (typing >> np.uint64(2 * i)) & np.uint64(3) == card:
                n += 1
        if n > copies(rules.action_cards, card) - copies(state.up, card):
            return False
    return True


@kernel
def next_typing(typing, n_down):
    """The next way to type the cards face down, two bits each; NONE after the last."""
    for i in range(n_down):
        shift = np.uint64(2 * i)
        if (typing >> shift) & np.uint64(3) < np.uint64(N_SECRET - 1):
            return typing + (np.uint64(1) << shift)
        typing &= ~(np.uint64(3) << shift)
    return NONE


@kernel
def answers_fit(state, path):
    """Does a path fit what doors and finds have told?"""
    must = np.uint64(state.found) | np.uint64(state.door_yes) << np.uint64(PATH_DOORS)
    if state.phase == SPLIT:
        must |= bit(state.chosen_room)
    never = np.uint64(state.door_no) << np.uint64(PATH_DOORS)
    return (path & must == must) & (path & never == NONE)


@kernel
def mark_ways(state, secrets, n, typing, card, board, own):
    """Ways to lay the false marks of a board, if these are its real ones.

    Each X found that is not real takes one of the marks laid before it; the others are fields never examined.
    """
    if own & state.blank_off != NONE:
        return 0.0
    ways = 1.0
    marks = 0
    for i in range(n):
        kind = kind_of_secret(secrets[i], typing)
        if kind == card:
            marks += 1
        elif kind == SECRET_X and has(board & ~own, np.int64(secrets[i] & SETS)):
            ways *= marks
            marks -= 1
    free = popcount(board & ~(own | state.x_up | state.blank_off))
    for i in range(marks):
        ways *= free - i
    return ways


@kernel
def suspect_ways(state, rules, secrets, n, typing):
    """Ways to choose suspect and false clues."""
    ways = 0.0
    for suspect in range(rules.n_suspects):
        ways += clue_ways(state, rules, secrets, n, typing, suspect)
    return ways


@kernel
def clue_ways(state, rules, secrets, n, typing, suspect):
    """Ways to lay the false clues, given the suspect."""
    return mark_ways(state, secrets, n, typing, FALSE_CLUE, rules.clue_fields, rules.suspect_fields[suspect])


@kernel
def trace_ways(state, rules, secrets, n, typing, weapon):
    """Ways to lay the false traces, given the weapon."""
    return mark_ways(state, secrets, n, typing, FALSE_TRACE, rules.trace_fields, rules.weapon_fields[weapon])


@kernel
def weapon_ways(state, rules, secrets, n, typing, by_room):
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
        rooms &= rooms - np.uint64(1)
    return ways


@kernel
def cleanings_of(secrets, n, typing, to_clean, kept_for, kept):
    """Ways to choose the rooms of all cleanings; many paths need the same, so the last results are kept."""
    asked = typing << np.uint64(MAX_ROOMS) | to_clean
    at = np.int64((asked * GOLDEN) >> KEPT_SHIFT)
    if kept_for[at] != asked:
        kept_for[at] = asked
        kept[at] = clean_ways(secrets, 0, n, typing, to_clean)
    return kept[at]


@kernel
def clean_ways(secrets, first, n, typing, to_clean):
    """Ways to choose the rooms of all cleanings from `first` on, so that these are cleaned in time.

    Inclusion and exclusion: for each set of rooms that are left out, the ways without them, even sets minus odd ones.
    """
    total = 0.0
    left_out = to_clean
    while True:
        ways = 1.0 - 2.0 * (popcount(left_out) & 1)
        for i in range(first, n):
            word = secrets[i]
            if kind_of_secret(word, typing) == CLEAN_ANY:
                ways *= popcount(word & SETS & ~(left_out & (word >> LATER)))
        total += ways
        if left_out == NONE:
            return total
        left_out = (left_out - np.uint64(1)) & to_clean


# -- Drawing the rest -------------------------------------------------------------------------------


@kernel
def follow(state, rules, path):
    """Plan a path, given as a word: its doors say in which order it takes its rooms."""
    clear_plan(state)
    room = lowest(path >> np.uint64(PATH_ENTRY))
    enter(state, rules, room)
    while room != rules.scene:
        options = rules.beside[room] & path & ~np.uint64(state.path_rooms)
        room_was = room
        while room == room_was:
            other = lowest(options)
            options &= options - np.uint64(1)
            if has(path >> np.uint64(PATH_DOORS), rules.door_between[room, other]):
                room = other
        enter(state, rules, room)


@kernel
def draw_weapon(state, rules, secrets, n, typing):
    """A weapon on the path, by its ways."""
    total = 0.0
    weapons = weapons_on_path(state, rules)
    while weapons != NONE:
        weapon = lowest(weapons)
        weapons &= weapons - np.uint64(1)
        ways = trace_ways(state, rules, secrets, n, typing, weapon)
        if ways > 0.0:
            total += ways
            if ways >= total or chance(state) * total < ways:
                state.weapon = weapon


@kernel
def draw_suspect(state, rules, secrets, n, typing):
    """A suspect, by its ways."""
    total = 0.0
    for suspect in range(rules.n_suspects):
        ways = clue_ways(state, rules, secrets, n, typing, suspect)
        if ways > 0.0:
            total += ways
            if ways >= total or chance(state) * total < ways:
                state.suspect = suspect


@kernel
def write_secret(state, word, card, what):
    """Enter in the record what a secret move was: the action card (if it lies face down), and its field or room."""
    entry = np.int64(word >> ENTRY)
    event = with_argument(np.int64(state.record[entry]), 1, what)
    if np.int64(word >> WHAT & BYTE) == SECRET_DOWN:
        event = with_argument(event, 0, card)
        state.down += np.uint64(1) << np.uint64(8 * card)
    state.record[entry] = event


@kernel
def draw_marks(state, rules, secrets, n, typing, card):
    """The fields of a board's false marks, uniformly from all ways."""
    board = rules.clue_fields if card == FALSE_CLUE else rules.trace_fields
    own = rules.suspect_fields[state.suspect] if card == FALSE_CLUE else rules.weapon_fields[state.weapon]
    marks = NONE
    for i in range(n):
        kind = kind_of_secret(secrets[i], typing)
        if kind == card:
            marks |= bit(i)
        elif kind == SECRET_X and has(board & ~own, np.int64(secrets[i] & SETS)):
            laid = kth(marks, below(state, popcount(marks)))
            marks &= ~bit(laid)
            lay_mark(state, secrets[laid], card, np.int64(secrets[i] & SETS))
    free = board & ~(own | state.x_up | state.blank_off)
    while marks != NONE:
        field = kth(free, below(state, popcount(free)))
        free &= ~bit(field)
        lay_mark(state, secrets[lowest(marks)], card, field)
        marks &= marks - np.uint64(1)


@kernel
def lay_mark(state, word, card, field):
    """A false mark lies on a field."""
    state.false_marks |= bit(field)
    write_secret(state, word, card, field)


@kernel
def draw_cleanings(state, rules, secrets, n, typing):
    """The rooms of all cleanings, uniformly from all ways: one after the other, by the ways that are left."""
    to_clean = np.uint64(state.path_rooms) & state.vain
    state.crossed = state.found
    for i in range(n):
        word = secrets[i]
        if kind_of_secret(word, typing) != CLEAN_ANY:
            continue
        rooms = word & SETS
        in_time = rooms & to_clean & (word >> LATER)
        others = rooms & ~in_time
        room = -1
        total = popcount(others) * clean_ways(secrets, i + 1, n, typing, to_clean) if others != NONE else 0.0
        while in_time != NONE:
            this = lowest(in_time)
            in_time &= in_time - np.uint64(1)
            ways = clean_ways(secrets, i + 1, n, typing, to_clean & ~bit(this))
            total += ways
            if ways > 0.0 and (ways >= total or chance(state) * total < ways):
                room = this
        if room < 0:
            room = kth(others, below(state, popcount(others)))
        to_clean &= ~(bit(room) & (word >> LATER))
        clean(state, rules, word, room)


@kernel
def clean(state, rules, word, room):
    """A room was cleaned, with a room card or an action card."""
    state.crossed |= bit(room)
    write_secret(state, word, CLEAN_ANY, room)
    event = np.int64(state.record[np.int64(word >> ENTRY)])
    if kind_of_event(event) == CLEANED:
        card = argument(event, 0)
        choice = 1 if room == rules.card_rooms[card, 0] else 2
        add_byte(state.room_card_choice, card, choice - byte_of(state.room_card_choice, card))
