# ruff: noqa: F821 - step, legal, observe, ... are set by `bind` before this file is executed
"""A driver for the tests: very many redeals in one compiled loop, each compared with the state that it came from."""

import numpy as np

from murder_envs.core.bits import count, kth_of
from murder_envs.core.jit import kernel
from murder_envs.core.rng import episode_seed, stream_below

KEPT, TO_ACT, LEGAL, SEEN, STREAM = 0, 1, 2, 3, 4
"""What a redeal has kept: everything, or not the seat to act, not its legal set, not the observation. STREAM: the new
random numbers depend on the old ones."""


@kernel
def compare(state, copy, rules, seat, seed, legal_set, other_legal_set, row, other_row):
    """Redeal `copy`, which is as `state`, for a seat; returns what the redeal has not kept."""
    redeal(copy, rules, seat, seed)
    if to_act(state) != to_act(copy):
        return TO_ACT
    if to_act(state) == seat:
        legal(copy, rules, other_legal_set)
        for w in range(legal_set.shape[0]):
            if legal_set[w] != other_legal_set[w]:
                return LEGAL
    observe(state, rules, seat, row)
    observe(copy, rules, seat, other_row)
    for i in range(row.shape[0] - 8):
        if row[i] != other_row[i]:
            return SEEN
    if copy.rng == state.rng:
        return STREAM
    return KEPT


@kernel
def find_leak(states, rules, n_seats, first_seed, games, stream, legal_set, other_legal_set, row, other_row, place):
    """Random games with a redeal for every seat before every decision, up to the first that does not keep all.

    states is an array of two: the game, and a copy of it. Fills place with the game's seed, the number of the
    decision, the seat and what was not kept; returns how many redeals there were.
    """
    checked = 0
    for seed in range(first_seed, first_seed + games):
        stream[0] = np.uint64(seed)
        deal(states[0], rules[0], seed)
        decision = 0
        while not is_over(states[0]):
            legal(states[0], rules[0], legal_set)
            for seat in range(n_seats):
                states[1] = states[0]
                redeal_seed = episode_seed(seed, seat, decision)
                wrong = compare(
                    states[0], states[1], rules[0], seat, redeal_seed, legal_set, other_legal_set, row, other_row
                )  # fmt: skip
                checked += 1
                if wrong != KEPT:
                    place[0] = seed
                    place[1] = decision
                    place[2] = seat
                    place[3] = wrong
                    return checked
            step(states[0], rules[0], kth_of(legal_set, stream_below(stream, count(legal_set))))
            decision += 1
    return checked


@kernel
def redeal_often(states, copies, rules, seat, first_seed):
    """Fill `copies` with redeals of the first of `states`, from seeds that count up."""
    for i in range(copies.shape[0]):
        copies[i] = states[0]
        redeal(copies[i], rules[0], seat, first_seed + i)
