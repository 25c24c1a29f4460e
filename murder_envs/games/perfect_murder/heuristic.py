"""Scripted players for both roles, compiled: they see an observation, a legal set and public rules, no more.

*Beliefs*, for both: a suspect has weight 0.25 for each X that is not its own. So has a weapon, times the weight of the
possible paths through its room. A path has the chance that drawn steps lead along it, times 0.3 for each room searched
in vain on it (0.1 if no room card named it then), times the mean weight of its weapons.

*Gain*: the expected fall of entropy, in bits: of suspects or weapons, if a marker is looked at; of entries (and a
little of paths), if a door or room is asked about. Ties are broken at random.

What strong players do, and this script imitates. The detective searches every round (three cards for one action), asks
about doors and rooms that halve the possible paths, plays cards that split the candidates, and gives three useless
cards for the marker that decides. The murderer walks a path of medium length, cleans its rooms early, removes and keeps
back the cards that would split the candidates, and builds up one rival with false marks.

In what follows `suspects` and `weapons` are chances, and `on_path` and `entries` weights, as `weigh` fills them in.
"""

from __future__ import annotations

import numpy as np

from murder_envs.core.bits import (
    NONE,
    ONE,
    bit,
    count,
    full,
    get_bits,
    has,
    is_in,
    kth,
    kth_of,
    lowest,
    place_of_one,
    popcount,
)
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below
from murder_envs.core.scratch import scratch_numbers
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.cards import MAX_ROOMS, MAX_SUSPECTS, MAX_WEAPONS
from murder_envs.games.perfect_murder.moves import PHASE, PHASES
from murder_envs.games.perfect_murder.state import PATH_DOORS, PATH_ENTRY, Rules

NOT_ITS_OWN = 0.25
"""How likely an X is false, beside one that is real."""
SEEN_ANYWAY = 0.15
"""How likely a marker is an X although the candidate does not leave it."""
CLEANED, CLEANED_UNNAMED = 0.3, 0.1
"""How likely a room of the path was cleaned before it was searched; if no room card had named it."""
PATH_BITS = 0.15
"""What a bit of the path is worth, beside a bit of the entry."""
N_QUESTIONS = PATH_ENTRY
"""Rooms and doors, numbered as the bits of a path."""
N_ANSWERS = N_QUESTIONS * MAX_ROOMS
"""Pairs of a question and an entry room."""
NOTHING_BETTER = -1e9
"""Less than any score."""


@kernel
def heuristic(row, legal_set, rules: Rules, stream):
    """The scripted player's action.

    Planning needs no beliefs, and a single legal action no choice; for all else the beliefs are weighed anew.
    """
    if count(legal_set) == 1:
        return kth_of(legal_set, 0)
    phase = place_of_one(row, rules.obs_phase, len(PHASES) - 1)
    if phase == PHASE.plan_path:
        return choose_step(row, legal_set, rules, stream)
    if phase <= PHASE.plan_weapon:
        return any_of(legal_set, stream)
    if phase == PHASE.flee:
        return rules.act_stay if has_later_bonus(row, rules) else rules.act_flee
    suspects = scratch_numbers(MAX_SUSPECTS)
    weapons = scratch_numbers(MAX_WEAPONS)
    on_path = scratch_numbers(N_ANSWERS)
    entries = scratch_numbers(MAX_ROOMS)
    weigh(row, rules, suspects, weapons, on_path, entries)
    if phase == PHASE.detective_turn:
        return choose_action(row, legal_set, rules, stream, suspects, weapons, on_path, entries)
    if phase == PHASE.split:
        return choose_split(legal_set, rules, suspects, weapons)
    if phase == PHASE.discard:
        return name_next(row, legal_set, rules, c.DISCARDED, False, suspects, weapons)
    if phase == PHASE.discard_marker:
        fields = options(legal_set, rules.act_marker, rules)
        return rules.act_marker + most_useful(row, rules, stream, fields, suspects, weapons)
    if phase >= PHASE.accuse_suspect:
        return choose_accusation(row, rules, stream, phase, suspects, weapons, on_path)
    if phase == PHASE.murderer_turn:
        return choose_deed(row, legal_set, rules, suspects, weapons)
    if phase == PHASE.mark_trace or phase == PHASE.mark_clue:
        return choose_mark(row, legal_set, rules, stream, phase)
    if phase == PHASE.steal:
        return name_next(row, legal_set, rules, c.STOLEN, True, suspects, weapons)
    if phase == PHASE.search_pile:
        return rules.act_pile + more_open(rules, suspects, weapons)
    if phase == PHASE.clean_card:
        return choose_room_card(row, legal_set, rules, stream)
    rooms = get_bits_of(legal_set, rules.act_room, rules.n_rooms)
    if rooms != NONE:
        return rules.act_room + room_to_clean(row, rules, rooms, stream)
    return choose_threat(row, legal_set, rules, stream, phase != PHASE.remove_top, suspects, weapons)


# -- Reading ----------------------------------------------------------------------------------------


@kernel
def get_bits_of(legal_set, start, n):
    """A block of a legal set as a set of its own."""
    x = NONE
    for i in range(n):
        if is_in(legal_set, start + i):
            x |= bit(i)
    return x


@kernel
def options(legal_set, start, rules: Rules):
    """The fields that a block offers."""
    return get_bits_of(legal_set, start, rules.n_fields)


@kernel
def column(row, at, n, width, which):
    """A column of a section of rows as a set."""
    x = NONE
    for i in range(n):
        if row[at + width * i + which] == 1:
            x |= bit(i)
    return x


@kernel
def any_of(legal_set, stream):
    """Any legal action."""
    return kth_of(legal_set, stream_below(stream, count(legal_set)))


@kernel
def any_member(cards, stream):
    """Any member of a set."""
    return kth(cards, stream_below(stream, popcount(cards)))


@kernel
def is_better(value, most, n_equal, stream):
    """Is a value better than the best so far, or as good as `n_equal - 1` before it, and drawn?

    The k-th of equal values replaces the one kept so far with chance 1 / k, so each is as likely in the end.
    """
    return value > most or (value == most and stream_below(stream, n_equal) == 0)


# -- Beliefs ----------------------------------------------------------------------------------------


@kernel
def weigh(row, rules: Rules, suspects, weapons, on_path, entries):
    """Fill in the chances of suspects and weapons; the weights of paths by question and entry, and by entry.

    Weapons and paths depend on each other: a path needs a weapon on it, a weapon a path through its room. First the
    marks weigh the weapons, these the paths, and the paths then the weapons.
    """
    x_up = column(row, rules.obs_marker, rules.n_fields, 5, 3)
    possible = get_bits(row, rules.obs_suspect_possible, rules.n_suspects)
    for suspect in range(rules.n_suspects):
        others = x_up & rules.clue_fields & ~rules.suspect_fields[suspect]
        suspects[suspect] = NOT_ITS_OWN ** popcount(others) if has(possible, suspect) else 0.0
    possible = get_bits(row, rules.obs_weapon_possible, rules.n_weapons)
    by_room = scratch_numbers(MAX_ROOMS)
    for room in range(rules.n_rooms):
        by_room[room] = 0.0
    for weapon in range(rules.n_weapons):
        others = x_up & rules.trace_fields & ~rules.weapon_fields[weapon]
        weapons[weapon] = NOT_ITS_OWN ** popcount(others) if has(possible, weapon) else 0.0
        by_room[rules.weapon_room[weapon]] += weapons[weapon]
    weigh_paths(row, rules, by_room, on_path, entries)
    for weapon in range(rules.n_weapons):
        weapons[weapon] *= weight_through(on_path, rules.weapon_room[weapon])
    to_chances(suspects, rules.n_suspects)
    to_chances(weapons, rules.n_weapons)


@kernel
def to_chances(weights, n):
    """Divide by their sum."""
    total = 0.0
    for i in range(n):
        total += weights[i]
    if total > 0.0:
        for i in range(n):
            weights[i] /= total


@kernel
def weigh_paths(row, rules: Rules, by_room, on_path, entries):
    """on_path[16 q + e]: weight of the possible paths with entry e that take room or door q; entries[e]: of all.

    A path is possible as on the sheet: true to doors and finds, off the rooms that are surely off, and with no more
    rooms searched in vain than can have been cleaned.
    """
    found = column(row, rules.obs_room_search, rules.n_rooms, 3, 1)
    vain = column(row, rules.obs_room_search, rules.n_rooms, 3, 2)
    must = found | column(row, rules.obs_door_answer, rules.n_doors, 3, 1) << PATH_DOORS
    never = column(row, rules.obs_door_answer, rules.n_doors, 3, 2) << PATH_DOORS
    never |= get_bits(row, rules.obs_surely_off, rules.n_rooms)
    cleanings = row[rules.obs_standard + 2] + row[rules.obs_caps + 2]
    for i in range(N_ANSWERS):
        on_path[i] = 0.0
    for room in range(MAX_ROOMS):
        entries[room] = 0.0
    for i in range(rules.n_paths):
        path = rules.path[i]
        if (path & must != must) | (path & never != NONE) | (popcount(path & vain) > cleanings):
            continue
        weight = path_weight(row, rules, path & full(PATH_DOORS), vain, by_room) * rules.path_chance[i]
        if weight == 0.0:
            continue
        entry = lowest(path >> PATH_ENTRY)
        entries[entry] += weight
        questions = path & full(PATH_ENTRY)
        while questions != NONE:
            on_path[MAX_ROOMS * lowest(questions) + entry] += weight
            questions &= questions - ONE


@kernel
def path_weight(row, rules: Rules, rooms, vain, by_room):
    """What speaks for the rooms of a path, but for its chance: its weapons, and no room searched in vain.

    The mean over its rooms, since a longer path passes more weapons, but is no likelier for it. The scene has none.
    """
    total = 0.0
    factor = 1.0
    n = popcount(rooms) - 1
    while rooms != NONE:
        room = lowest(rooms)
        rooms &= rooms - ONE
        total += by_room[room]
        if has(vain, room):
            factor *= CLEANED if row[rules.obs_vain_cover + 2 * room] > 0 else CLEANED_UNNAMED
    return factor * total / n


@kernel
def weight_through(on_path, question):
    """Weight of the possible paths that take a room or door."""
    total = 0.0
    for entry in range(MAX_ROOMS):
        total += on_path[MAX_ROOMS * question + entry]
    return total


@kernel
def bits_of(x):
    """x log2 x, the right way at 0."""
    return x * np.log2(x) if x > 0.0 else 0.0


@kernel
def entropy(chances, n):
    """Entropy of chances, in bits."""
    total = 0.0
    for i in range(n):
        total -= bits_of(chances[i])
    return total


@kernel
def marker_gain(rules: Rules, candidates, n, field, anyway):
    """Expected fall of entropy of suspects or weapons by a look under a marker.

    It is the mutual information of the candidate and what is seen: the entropy of "X or blank", less what is left of it
    when the candidate is known; written with x log x of the joint chances.

    Args:
        candidates: chances of the n suspects or weapons.
        anyway: chance of an X where the candidate leaves none.
    """
    is_trace = field >= rules.n_clues
    shows = 0.0
    for i in range(n):
        own = has(rules.weapon_fields[i] if is_trace else rules.suspect_fields[i], field)
        shows += candidates[i] * (1.0 if own else anyway)
    fall = 0.0 - bits_of(shows) - bits_of(1.0 - shows)
    for i in range(n):
        own = has(rules.weapon_fields[i] if is_trace else rules.suspect_fields[i], field)
        x = candidates[i] * (1.0 if own else anyway)
        fall -= bits_of(candidates[i]) - bits_of(x) - bits_of(candidates[i] - x)
    return max(0.0, fall)


@kernel
def gain(row, rules: Rules, field, suspects, weapons):
    """Expected fall of entropy if a field's marker is looked at; 0 if it lies face up or is gone."""
    at = rules.obs_marker + 5 * field
    if row[at + 3] == 1 or row[at + 4] == 1:
        return 0.0
    if field < rules.n_clues:
        return marker_gain(rules, suspects, rules.n_suspects, field, SEEN_ANYWAY if row[rules.obs_caps] > 0 else 0.0)
    return marker_gain(rules, weapons, rules.n_weapons, field, SEEN_ANYWAY if row[rules.obs_caps + 1] > 0 else 0.0)


@kernel
def path_gain(on_path, entries, question):
    """Fall of the entropy of entries, and a little of that of paths, by a question about a room or door.

    The entry has to be named in the end, the path has not; but a path that is known helps to find the weapon.
    """
    total = 0.0
    yes = 0.0
    fall = 0.0
    for entry in range(MAX_ROOMS):
        total += entries[entry]
        yes += on_path[MAX_ROOMS * question + entry]
    if total <= 0.0 or yes <= 0.0 or yes >= total:
        return 0.0
    for entry in range(MAX_ROOMS):
        here = on_path[MAX_ROOMS * question + entry] / total
        all_here = entries[entry] / total
        fall += bits_of(here) + bits_of(max(0.0, all_here - here)) - bits_of(all_here)
    yes /= total
    of_paths = 0.0 - bits_of(yes) - bits_of(1.0 - yes)
    return fall + of_paths + PATH_BITS * of_paths


# -- The detective ----------------------------------------------------------------------------------


@kernel
def hand_of(row, rules: Rules):
    """The detective's hand."""
    return column(row, rules.obs_card_place, rules.n_fields, 5, 2)


@kernel
def needs_cards(row, rules: Rules, suspects, weapons):
    """Are there fewer useful cards in hand than actions left in the game but one, and is there still a question?

    A card that cannot be played before the end is worth nothing.
    """
    open_still = row[rules.obs_sheet_sizes] > 1 or row[rules.obs_sheet_sizes + 1] > 1
    actions = row[rules.obs_turn] + row[rules.obs_left] * rules.actions
    if row[rules.obs_flight + 1] == 1 and row[rules.obs_left] > 0:
        actions -= 1
    useful = 0
    hand = hand_of(row, rules)
    while hand != NONE:
        if gain(row, rules, lowest(hand), suspects, weapons) > 0.25:
            useful += 1
        hand &= hand - ONE
    return open_still and useful < actions - 1


@kernel
def choose_action(row, legal_set, rules: Rules, stream, suspects, weapons, on_path, entries):
    """The action of highest score, or the solution if only one is possible.

    All scores are in bits, as `gain` is. A search is worth its answer, not quite trusted as a room may be cleaned, and
    the cards that it brings, as likely as the room is on the path; a request has cards alone.
    """
    sizes = rules.obs_sheet_sizes
    if row[sizes] == 1 and row[sizes + 1] == 1 and row[sizes + 2] == 1:
        return rules.act_accuse
    needs = needs_cards(row, rules, suspects, weapons)
    total = 0.0
    for entry in range(MAX_ROOMS):
        total += entries[entry]
    best = rules.act_accuse
    most = NOTHING_BETTER
    n_equal = 1
    for k in range(count(legal_set)):
        action = kth_of(legal_set, k)
        if rules.act_search <= action < rules.act_door:
            room = action - rules.act_search
            room += room >= rules.scene
            if row[rules.obs_room_search + 3 * room + 1] == 1:
                continue
            worth = 2.4 * weight_through(on_path, room) / total * (0.45 if needs else 0.05)
            score = 0.7 * path_gain(on_path, entries, room) + worth
        elif rules.act_door <= action < rules.act_room_card:
            score = path_gain(on_path, entries, PATH_DOORS + action - rules.act_door)
        elif rules.act_play <= action < rules.act_marker:
            score = gain(row, rules, action - rules.act_play, suspects, weapons)
        elif action < rules.act_split:
            score = NOTHING_BETTER
            if needs and action == rules.act_request + c.CLUE and row[sizes] > 1:
                score = 0.14 * entropy(suspects, rules.n_suspects)
            elif needs and action == rules.act_request + c.TRACE and row[sizes + 1] > 1:
                score = 0.14 * entropy(weapons, rules.n_weapons)
        elif action == rules.act_discard:
            score = discard_score(row, rules, suspects, weapons)
        else:
            continue
        n_equal = n_equal + 1 if score == most else 1
        if is_better(score, most, n_equal, stream):
            most = score
            best = action
    return best


@kernel
def discard_score(row, rules: Rules, suspects, weapons):
    """What three cards for any marker are worth: the best look, less the three least useful cards, less a little."""
    best = 0.0
    for field in range(rules.n_fields):
        best = max(best, gain(row, rules, field, suspects, weapons))
    cards = extreme_cards(row, rules, hand_of(row, rules), c.DISCARDED, False, suspects, weapons)
    lost = 0.0
    while cards != NONE:
        lost += gain(row, rules, lowest(cards), suspects, weapons)
        cards &= cards - ONE
    return 0.9 * best - lost - 0.05


@kernel
def threat(row, rules: Rules, field, suspects, weapons):
    """What a card can do to the murderer: the gain of its marker, more if it is a real X; nothing once it was
    examined."""
    at = rules.obs_marker + 5 * field
    if row[at + 3] == 1 or row[at + 4] == 1:
        return -1.0
    real = 0.15 if row[rules.obs_marker_truth + field] == 1 else 0.0
    return gain(row, rules, field, suspects, weapons) + real


@kernel
def extreme_cards(row, rules: Rules, cards, n, threats, suspects, weapons):
    """Of some cards the n most threatening ones (`threats`), or the n least useful ones."""
    chosen = NONE
    for _ in range(min(n, popcount(cards))):
        best = -1
        most = NOTHING_BETTER
        left = cards & ~chosen
        while left != NONE:
            card = lowest(left)
            left &= left - ONE
            if threats:
                value = threat(row, rules, card, suspects, weapons)
            else:
                value = 0.0 - gain(row, rules, card, suspects, weapons)
            if value > most:
                most = value
                best = card
        chosen |= bit(best)
    return chosen


@kernel
def name_next(row, legal_set, rules: Rules, n, threats, suspects, weapons):
    """Name the next card of a theft or discard: the lowest of those wanted among the cards above those named."""
    drawn = get_bits(row, rules.obs_drawn, rules.n_fields)
    cards = drawn if threats else hand_of(row, rules)
    named = get_bits(row, rules.obs_chosen_cards, rules.n_fields)
    if named != NONE:
        cards &= ~full(kth(named, popcount(named) - 1) + 1)
    return rules.act_card + lowest(extreme_cards(row, rules, cards, n - popcount(named), threats, suspects, weapons))


@kernel
def choose_split(legal_set, rules: Rules, suspects, weapons):
    """More clue cards the more open the suspect is, beside the weapon."""
    of_suspects = entropy(suspects, rules.n_suspects)
    of_weapons = entropy(weapons, rules.n_weapons)
    if of_weapons < 0.3:
        clues = c.FROM_TOP
    elif of_suspects < 0.3:
        clues = 0
    else:
        clues = 2 if of_suspects > of_weapons + 1.0 else 1
    nearest = -1
    for n in range(c.FROM_TOP + 1):
        if is_in(legal_set, rules.act_split + n) and (nearest < 0 or abs(n - clues) < abs(nearest - clues)):
            nearest = n
    return rules.act_split + nearest


@kernel
def most_useful(row, rules: Rules, stream, fields, suspects, weapons):
    """The field of greatest gain."""
    best = lowest(fields)
    most = NOTHING_BETTER
    n_equal = 1
    while fields != NONE:
        field = lowest(fields)
        fields &= fields - ONE
        value = gain(row, rules, field, suspects, weapons)
        n_equal = n_equal + 1 if value == most else 1
        if is_better(value, most, n_equal, stream):
            most = value
            best = field
    return best


@kernel
def choose_accusation(row, rules: Rules, stream, phase, suspects, weapons, on_path):
    """The likeliest suspect; the weapon of the likeliest pair of weapon and entry; the likeliest entry for it.

    All three have to be right, so weapon and entry, which depend on each other by the path, are chosen together.
    """
    best = 0
    most = NOTHING_BETTER
    n_equal = 1
    if phase == PHASE.accuse_suspect:
        for suspect in range(rules.n_suspects):
            value = suspects[suspect]
            n_equal = n_equal + 1 if value == most else 1
            if is_better(value, most, n_equal, stream):
                most = value
                best = suspect
        return rules.act_suspect + best
    if phase == PHASE.accuse_weapon:
        for weapon in range(rules.n_weapons):
            room = rules.weapon_room[weapon]
            through = weight_through(on_path, room)
            value = 0.0
            for entry in range(MAX_ROOMS):
                if through > 0.0:
                    value = max(value, weapons[weapon] * on_path[MAX_ROOMS * room + entry] / through)
            n_equal = n_equal + 1 if value == most else 1
            if is_better(value, most, n_equal, stream):
                most = value
                best = weapon
        return rules.act_weapon + best
    weapon = place_of_one(row, rules.obs_named_weapon, rules.n_weapons)
    for entry in range(rules.n_rooms):
        if has(rules.outer, entry):
            value = on_path[MAX_ROOMS * rules.weapon_room[weapon] + entry]
            n_equal = n_equal + 1 if value == most else 1
            if is_better(value, most, n_equal, stream):
                most = value
                best = entry
    return rules.act_room + best


# -- The murderer -----------------------------------------------------------------------------------


@kernel
def choose_step(row, legal_set, rules: Rules, stream):
    """A walk of medium length: to the scene where nothing else can be entered, after 7 rooms, or perhaps after 4."""
    rooms = get_bits_of(legal_set, rules.act_room, rules.n_rooms)
    others = rooms & ~bit(rules.scene)
    n = 0
    for room in range(rules.n_rooms):
        n += row[rules.obs_plan_path + room] > 0
    if has(rooms, rules.scene) and (others == NONE or n >= 7 or (n >= 4 and stream_below(stream, 2) == 0)):
        return rules.act_room + rules.scene
    return rules.act_room + any_member(others, stream)


@kernel
def has_later_bonus(row, rules: Rules):
    """Is a later space black, and a card left to play there? Else the last two turns are worth less than the
    detective's action that a flight takes away."""
    cards = 0
    for card in range(c.SEARCH_PILE + 1):
        cards += row[rules.obs_cards_left + card]
    this_round = place_of_one(row, rules.obs_round, c.N_SPACES)
    for later in range(this_round + 1, c.N_SPACES):
        if row[rules.obs_board + 2 * later] == 1 and cards > 0:
            return True
    return False


@kernel
def rooms_to_hide(row, rules: Rules):
    """The rooms of the path that are not crossed out."""
    rooms = NONE
    for room in range(rules.n_rooms):
        if row[rules.obs_plan_path + room] > 0 and row[rules.obs_crossed + room] == 0 and room != rules.scene:
            rooms |= bit(room)
    return rooms


@kernel
def more_open(rules: Rules, suspects, weapons):
    """The board whose candidates have the higher entropy."""
    return c.TRACE if entropy(weapons, rules.n_weapons) > entropy(suspects, rules.n_suspects) else c.CLUE


@kernel
def choose_deed(row, legal_set, rules: Rules, suspects, weapons):
    """A bonus action first; then clean while it helps, else remove a card of the board with the more open question."""
    hide = popcount(rooms_to_hide(row, rules))
    best = -1
    most = 0.0
    for card in range(c.SEARCH_PILE + 1):
        if is_in(legal_set, rules.act_bonus + card):
            value = bonus_worth(row, rules, card, hide)
            if value > most:
                most = value
                best = rules.act_bonus + card
    if best >= 0:
        return best
    if is_in(legal_set, rules.act_clean) and hide >= 2 and row[rules.obs_standard + 2] < 4:
        return rules.act_clean
    kind = more_open(rules, suspects, weapons)
    for this in (kind, 1 - kind):
        if is_in(legal_set, rules.act_remove + this):
            return rules.act_remove + this
    return rules.act_clean


@kernel
def bonus_worth(row, rules: Rules, card, hide):
    """What an action card is worth now."""
    if card == c.STEAL:
        return 3.5 if row[rules.obs_hand_size] + row[rules.obs_hand_size + 1] >= 3 else 1.0
    if card == c.FALSE_TRACE:
        return 3.0
    if card == c.CLEAN_ANY:
        return 2.5 if hide >= 2 else 0.3
    if card == c.FALSE_CLUE:
        return 2.2 if row[rules.obs_sheet_sizes] >= 2 else 0.5
    return 1.8


@kernel
def room_to_clean(row, rules: Rules, rooms, stream):
    """An uncrossed room of the path, the entry first, then the second; else any.

    The detective has to name the entry, and a search of the rooms near it would tell it.
    """
    hide = rooms_to_hide(row, rules) & rooms
    best = -1
    while hide != NONE:
        room = lowest(hide)
        hide &= hide - ONE
        if best < 0 or row[rules.obs_plan_path + room] < row[rules.obs_plan_path + best]:
            best = room
    return best if best >= 0 else any_member(rooms, stream)


@kernel
def choose_room_card(row, legal_set, rules: Rules, stream):
    """The card with the room to clean."""
    cards = get_bits_of(legal_set, rules.act_room_card, rules.n_room_cards)
    rooms = NONE
    for card in range(rules.n_room_cards):
        if has(cards, card):
            rooms |= bit(rules.card_rooms[card, 0]) | bit(rules.card_rooms[card, 1])
    room = room_to_clean(row, rules, rooms, stream)
    fine = NONE
    for card in range(rules.n_room_cards):
        if has(cards, card) and (rules.card_rooms[card, 0] == room or rules.card_rooms[card, 1] == room):
            fine |= bit(card)
    return rules.act_room_card + any_member(fine, stream)


@kernel
def choose_mark(row, legal_set, rules: Rules, stream, phase):
    """A field of the rival that lacks the fewest, so that the detective cannot tell it from the truth.

    A rival of which a blank was taken off is ruled out for good.
    """
    free = options(legal_set, rules.act_marker, rules)
    n = rules.n_weapons if phase == PHASE.mark_trace else rules.n_suspects
    gone = column(row, rules.obs_marker, rules.n_fields, 5, 4)
    best = free
    most = NOTHING_BETTER
    n_equal = 1
    for rival in range(n):
        fields = rules.weapon_fields[rival] if phase == PHASE.mark_trace else rules.suspect_fields[rival]
        lacks = fields & free
        if fields & gone == NONE and lacks != NONE:
            value = 0.0 - popcount(lacks)
            n_equal = n_equal + 1 if value == most else 1
            if is_better(value, most, n_equal, stream):
                most = value
                best = lacks
    return rules.act_marker + any_member(best, stream)


@kernel
def choose_threat(row, legal_set, rules: Rules, stream, highest, suspects, weapons):
    """The most threatening card that can be named, or the least."""
    cards = options(legal_set, rules.act_card, rules)
    best = lowest(cards)
    most = NOTHING_BETTER
    n_equal = 1
    while cards != NONE:
        card = lowest(cards)
        cards &= cards - ONE
        value = threat(row, rules, card, suspects, weapons)
        if not highest:
            value = 0.0 - value
        n_equal = n_equal + 1 if value == most else 1
        if is_better(value, most, n_equal, stream):
            most = value
            best = card
    return rules.act_card + best
