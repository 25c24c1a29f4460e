"""The Investigation Sheet: what can be, on what both seats know.

The sheet is sound logic on public facts alone, so it is the same for both seats, and it never excludes the truth. It
changes only with the detective's answers and with cards played, so the state keeps it: `step` marks it stale, `observe`
renews it.

How many false marks or free cleanings there can be follows from the action cards: a card that lies face down may be any
of those that can lie so, as far as copies are left (`cap`). What a room card cleaned shows by the card.
"""

from __future__ import annotations

from murder_envs.core.bits import NONE, ONE, bit, has, lowest, popcount
from murder_envs.core.jit import kernel
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.layout import MOST_WAYS
from murder_envs.games.perfect_murder.state import PATH_DOORS, Rules, State, copies


@kernel
def cap(state: State, rules: Rules, card):
    """How many copies of an action card can have been played, as the detective sees it."""
    up = copies(state.up, card)
    return up + min(copies(rules.action_cards, card) - up, state.n_down)


@kernel
def fits(state: State, fields, board, false_marks):
    """Can these be all the real marks of a board? No blank among them, nothing sure outside, few enough X besides.

    A blank is always the truth: the murderer can add marks, and can take none away. An X that is not among them must be
    false, and there are no more false ones than cards were played to lay them.
    """
    besides = board & ~fields
    return (
        (fields & state.blank_off == NONE)
        & (besides & state.surely_real == NONE)
        & (popcount(besides & state.x_up) <= false_marks)
    )


@kernel
def renew_sheet(state: State, rules: Rules):
    """Draw the conclusions from what has become public since the last time.

    Suspects and weapons are judged by their boards. A weapon has also to lie on a possible path, and a path has to pass
    the room of a weapon that fits, so the weapons go first, then the paths, then the weapons again.
    """
    false_clues = cap(state, rules, c.FALSE_CLUE)
    false_traces = cap(state, rules, c.FALSE_TRACE)
    cleanings = cap(state, rules, c.CLEAN_ANY)
    state.caps = false_clues | false_traces << 8 | cleanings << 16
    suspects = NONE
    for suspect in range(rules.n_suspects):
        if fits(state, rules.suspect_fields[suspect], rules.clue_fields, false_clues):
            suspects |= bit(suspect)
    fitting = NONE
    armed = NONE
    for weapon in range(rules.n_weapons):
        if fits(state, rules.weapon_fields[weapon], rules.trace_fields, false_traces):
            fitting |= bit(weapon)
            armed |= bit(rules.weapon_room[weapon])
    follow_paths(state, rules, armed, state.standard_n[c.ROOM] + cleanings)
    weapons = NONE
    for weapon in range(rules.n_weapons):
        if has(fitting, weapon) and has(state.on_some, rules.weapon_room[weapon]):
            weapons |= bit(weapon)
    state.suspects = suspects
    state.weapons = weapons
    state.stale = 0


@kernel
def follow_paths(state: State, rules: Rules, armed, cleanings):
    """Which paths are possible: the answers strike out some for good; others need more cleanings than there were, or
    pass no room of a fitting weapon (`armed`), as far as is known now. A room searched in vain can be on the path only
    if it was cleaned, and each cleaning, with a room card or an action card, explains one room."""
    must = state.finds | state.door_yes << PATH_DOORS
    never = state.surely_off | state.door_no << PATH_DOORS
    vain = state.vain
    on_some = NONE
    on_all = ~NONE
    n = 0
    for word in range((rules.n_paths + 63) >> 6):
        left = state.ways[word]
        kept = left
        while left != NONE:
            i = lowest(left)
            left &= left - ONE
            path = rules.path[64 * word + i]
            if (path & must != must) | (path & never != NONE):
                kept &= ~bit(i)
            elif (path & armed != NONE) & (popcount(path & vain) <= cleanings):
                on_some |= path
                on_all &= path
                n += 1
        state.ways[word] = kept
    state.on_some = on_some
    state.on_all = on_all
    state.n_ways = min(n, MOST_WAYS)
