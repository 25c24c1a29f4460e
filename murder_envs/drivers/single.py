"""The compiled side of `cursor.Cursor`: every call does as much as it can, since a call costs more than a decision.

`bind(ruleset, "single")` sets step, legal, observe, ... of the game. All functions take arrays of one record, never a
record itself (which would cost ten times the call):

    states, rules   arrays of one STATE and one RULES record
    legal_set       uint64[actions.n_words]
    mask            int8[actions.n + PAD], the legal set as bytes
    row             int8[observation.size + PAD] or, for `look_from_above`, int8[world.size + PAD]
"""

import numpy as np

from murder_envs.core.bits import PAD, count, is_in, kth_of, put_set
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below

OVER = -1
ILLEGAL = -2


@kernel
def show(state, rules, legal_set, mask, row):
    """Write the acting seat's legal set, mask and observation; return the seat, or OVER with an empty set."""
    legal(state, rules, legal_set)
    put_set(mask, 0, legal_set, mask.shape[0] - PAD)
    seat = np.int64(to_act(state))
    if seat >= 0:
        observe(state, rules, seat, row)
    return seat


@kernel
def start(states, rules, seed, legal_set, mask, row):
    """Deal a game and show the first decision; returns as `show` does."""
    deal(states[0], rules[0], seed)
    return show(states[0], rules[0], legal_set, mask, row)


@kernel
def resume(states, rules, legal_set, mask, row):
    """Show the decision that a restored or copied state stands at; returns as `show` does."""
    return show(states[0], rules[0], legal_set, mask, row)


@kernel
def advance(states, rules, legal_set, mask, row, action):
    """Take an action and show the next decision; ILLEGAL, and nothing changed, if `legal_set` lacks it."""
    if action < 0 or action >= 64 * legal_set.shape[0] or not is_in(legal_set, action):
        return ILLEGAL
    step(states[0], rules[0], action)
    return show(states[0], rules[0], legal_set, mask, row)


@kernel
def look(states, rules, seat, row):
    """Write the observation of any seat."""
    observe(states[0], rules[0], seat, row)


@kernel
def look_from_above(states, rules, row):
    """Write the state vector."""
    world(states[0], rules[0], row)


@kernel
def outcome(states, rules, out):
    """Write the returns, float64[seats]; True if a step cap ended the game."""
    returns(states[0], rules[0], out)
    return bool(is_cut_off(states[0]))


@kernel
def deal_anew(states, rules, seat, seed):
    """Turn the state into another that the seat cannot tell from it."""
    redeal(states[0], rules[0], seat, seed)


@kernel
def choose_at_random(legal_set, stream):
    """Any legal action, all with equal chances; `stream` is a uint64 array of length 1."""
    return kth_of(legal_set, stream_below(stream, count(legal_set)))


@kernel
def choose_by_heuristic(row, legal_set, rules, stream):
    """The scripted player's action."""
    return heuristic(row, legal_set, rules[0], stream)
