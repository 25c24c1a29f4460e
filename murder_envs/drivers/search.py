"""Search for any ruleset: flat redeal search and information-set tree search, compiled once per game.

A search knows what the seat to act knows. Every world that it plays in comes from `redeal`, which keeps what the seat
was shown and deals the rest anew, the random numbers to come included.

- "flat": each legal action is played out equally often, all from the same redeals; the best average is taken.
- "so", "mo": information-set Monte Carlo tree search with a single observer or multiple observers (Cowling, Powley &
  Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012). Each simulation redeals, walks down a
  tree by UCB among the actions that are legal in this world, adds one action to the tree, plays out and adds the
  returns to all actions on its way. The most visited action is taken, of equals that with the better average.

**UCB with availability.** An action scores mean + c sqrt(ln(available) / visits), where `available` counts the visits
of its node in which it was legal. The mean is of the returns of the seat that acts, so each seat seeks its own good
(max^n: Luckhardt & Irani, AAAI 1986); where all returns are equal this is a common reward. It is brought to 0..1 by
the least and greatest return that this search has seen for that seat. c = 0.7 as in the authors' example program.

**What a node is.** A node belongs to an owner, and its key is a hash of what the owner knows: its observation, the
seat that acts, and, back to the root, the owner's observation and action at each decision of its own. So worlds that
the owner cannot tell apart share a node, also where an opponent's hidden actions differ, and an owner never forgets
what it did. Keys have 64 bits; two of a million nodes share one in fewer than one search in ten million.

- Single observer: the searching seat owns all nodes. Opponents choose as if they knew what it knows, from the actions
  that are legal in the world at hand.
- Multiple observers: the seat that acts owns the node, so an opponent acts on its own cards and not on the searcher's.
  As in self-play search with a tree for each player (Heinrich & Silver, "Self-Play Monte-Carlo Tree Search in Computer
  Poker", AAAI workshop 2014) each seat leaves its own tree on its own; from there on it plays like the playouts. The
  paper keys opponents' nodes by actions alone; here they see their hands too, which is more faithful and, where
  worlds are many, leaves them mostly to the playouts.

A node is made when it is first met, and then follows the playout; later visits try the other legal actions in random
order, one each, before UCB compares them. Decisions with one legal action are played without a node. A playout is
random or by the game's scripted player.

**Belief.** Redeals take what others did and said as telling nothing. But where the playouts are the scripted player's,
others are taken to be scripted players, and worlds in which these could not have said what is on record are dealt anew
(`is_consistent` of the ruleset): those in which a player who had no reason to lie did not tell the truth.

**Doubt.** There is more in what others did, and a scripted player may know better. So with its
playouts, its own choice at the root stands unless the one found is better by `doubt` standard errors. These are bounded
from the returns' range (a variance is at most a quarter of its square).

**Cheating.** With `cheating` the true state takes the place of the redeals, the draws to come included. It is no
player but a ceiling: how much a search of this size would gain from knowing everything.

The kernels allocate nothing: the tree lies in arrays that `Search` makes for the budget.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from murder_envs.core.bits import ONE, PAD, bit, count, full, has, is_in, kth_of
from murder_envs.core.checks import a_bool, a_choice, an_int, fail
from murder_envs.core.jit import bind, inner, kernel, records
from murder_envs.core.rng import GOLDEN, episode_seed, fingerprint, mix, next_word, stir, stream_below
from murder_envs.drivers.rollout import POLICIES, RANDOM
from murder_envs.ruleset import Ruleset

METHODS = ("flat", "so", "mo")
MOST_SIMULATIONS = 10_000_000
MOST_STEPS_IN_TREE = 1024
"""A simulation leaves the tree after so many decisions in it."""

CREDIT = 64
"""So many worlds in a row that cannot be believed are dealt anew; the next one is taken as it is."""

SEARCH_STREAM = -2
"""In place of a game's number in `episode_seed`: the stream of a search."""

NODE = np.dtype(
    [
        ("key", np.uint64),  # what its owner knows, as a hash; 0: nothing lies here
        ("first", np.int64),  # newest edge, NO_EDGE: none
    ],
    align=True,
)
"""A place of the hash table of nodes."""

EDGE = np.dtype(
    [
        ("total", np.float64),  # returns of the seat that acts, added up
        ("visits", np.int32),
        ("available", np.int32),  # visits of the node in which the action was legal
        ("action", np.int32),
        ("seat", np.int32),  # who acts
        ("next", np.int64),  # the next older edge of the node, NO_EDGE: none
    ],
    align=True,
)
"""An action that has been tried in a node."""

NO_EDGE = 0
FEW_BITS = np.uint64(7)
KEY_SHIFT = np.uint64(20)


# -- What an owner knows ----------------------------------------------------------------------------------------------


@kernel
def key_of(known, row, seat):
    """Key of a node: what the owner knew at its last decision, what it sees now, who acts."""
    key = mix(known ^ fingerprint(row)) + np.uint64(seat) * GOLDEN
    return key if key != 0 else ONE


# -- The tree ---------------------------------------------------------------------------------------------------------


@kernel
def find(nodes, key):
    """The place of a node, taken for it if it is new."""
    last = nodes.shape[0] - 1
    at = np.int64(key >> KEY_SHIFT) & last
    while nodes[at].key != key and nodes[at].key != 0:
        at = (at + 1) & last
    nodes[at].key = key
    return at


@kernel
def new_edge(nodes, at, edges, used, seat, action):
    """An action is tried in a node for the first time."""
    edge = used[0]
    used[0] = edge + 1
    edges[edge].total = 0.0
    edges[edge].visits = 0
    edges[edge].available = 1
    edges[edge].action = action
    edges[edge].seat = seat
    edges[edge].next = nodes[at].first
    nodes[at].first = edge
    return edge


@kernel
def choose_edge(nodes, at, edges, used, legal_set, seat, low, high, exploration, stream):
    """The edge to follow where one has been tried: a new one, while actions are left to try; else the best by UCB.

    `legal_set` is the legal set, and is used up.
    """
    width = high[seat] - low[seat]
    scale = 1.0 / width if width > 0.0 else 0.0
    best = NO_EDGE
    best_score = -1.0
    edge = nodes[at].first
    while edge != NO_EDGE:
        action = np.int64(edges[edge].action)
        if is_in(legal_set, action):
            legal_set[action >> 6] &= ~bit(action & 63)
            available = edges[edge].available + 1
            edges[edge].available = available
            visits = np.float64(edges[edge].visits)
            mean = (edges[edge].total / visits - low[seat]) * scale
            score = mean + exploration * math.sqrt(math.log(available) / visits)
            if score > best_score:
                best_score = score
                best = edge
        edge = edges[edge].next
    n = count(legal_set)
    if n == 0:
        return best
    return new_edge(nodes, at, edges, used, seat, kth_of(legal_set, stream_below(stream, n)))


# -- Playing ----------------------------------------------------------------------------------------------------------


@kernel
def draw_redeal(state, rules, seat, playout, stream):
    """Another world for the seat; if others are taken to play like the scripted player, one that fits what they say."""
    redeal(state, rules, seat, np.int64(next_word(stream) >> ONE))
    if playout != RANDOM:
        for _ in range(CREDIT):
            if is_consistent(state, rules, seat):
                return
            redeal(state, rules, seat, np.int64(next_word(stream) >> ONE))


@inner
def playout_action(state, rules, playout, legal_set, n, row, stream):
    """What a playout does where n > 1 actions are legal."""
    if playout == RANDOM:
        return kth_of(legal_set, stream_below(stream, n))
    observe(state, rules, to_act(state), row)
    return heuristic(row, legal_set, rules, stream)


@kernel
def play_on(state, rules, playout, legal_set, row, stream):
    """Play to the end."""
    while not is_over(state):
        legal(state, rules, legal_set)
        n = count(legal_set)
        if n == 1 and playout != RANDOM:
            step(state, rules, kth_of(legal_set, 0))
        else:
            step(state, rules, playout_action(state, rules, playout, legal_set, n, row, stream))


@kernel
def walk(
    state, rules, seat, many, playout, exploration, stream, nodes, edges, used, path, known, legal_set, row, low, high
):
    """Play from the root to the end, as far as it goes within the tree; returns how many of its edges were taken.

    `known[owner]` is what an owner knew, and did, at its last decision of its own; `inside`, whose tree this game is
    still in.
    """
    inside = full(known.shape[0]) if many != 0 else bit(seat)
    for owner in range(known.shape[0]):
        known[owner] = GOLDEN
    taken = 0
    while inside != 0 and taken < path.shape[0] and not is_over(state):
        legal(state, rules, legal_set)
        n = count(legal_set)
        actor = np.int64(to_act(state))
        owner = actor if many != 0 else seat
        if n == 1 and taken > 0:
            step(state, rules, kth_of(legal_set, 0))
        elif not has(inside, owner):
            step(state, rules, playout_action(state, rules, playout, legal_set, n, row, stream))
        else:
            observe(state, rules, owner, row)
            key = key_of(known[owner], row, actor)
            at = find(nodes, key)
            if nodes[at].first == NO_EDGE:
                edge = new_edge(
                    nodes, at, edges, used, actor, playout_action(state, rules, playout, legal_set, n, row, stream)
                )  # fmt: skip
            else:
                edge = choose_edge(nodes, at, edges, used, legal_set, actor, low, high, exploration, stream)
            action = np.int64(edges[edge].action)
            if edges[edge].visits == 0:
                inside &= ~bit(owner)
            if actor == owner:
                known[owner] = stir(key, np.uint64(action))
            path[taken] = edge
            taken += 1
            step(state, rules, action)
    play_on(state, rules, playout, legal_set, row, stream)
    return taken


@kernel
def add_up(payoff, low, high, total):
    """Note the returns of a simulation."""
    for s in range(payoff.shape[0]):
        total[s] += payoff[s]
        low[s] = min(low[s], payoff[s])
        high[s] = max(high[s], payoff[s])


@kernel
def search_tree(
    start, scratch, rules, many, cheating, playout, exploration, simulations, stream, nodes, edges, path, used, known,
    legal_set, row, payoff, low, high, total, visits, sums,
):  # fmt: skip
    """Tree search from start[0]; `nodes` is empty. Writes visits and sums of returns of the root's actions."""
    seat = np.int64(to_act(start[0]))
    used[0] = NO_EDGE + 1
    for _ in range(simulations):
        scratch[0] = start[0]
        if cheating == 0:
            draw_redeal(scratch[0], rules[0], seat, playout, stream)
        taken = walk(
            scratch[0], rules[0], seat, many, playout, exploration, stream, nodes, edges, used, path, known, legal_set, row,
            low, high,
        )  # fmt: skip
        returns(scratch[0], rules[0], payoff)
        add_up(payoff, low, high, total)
        for k in range(taken):
            edge = path[k]
            edges[edge].visits += 1
            edges[edge].total += payoff[edges[edge].seat]
    observe(start[0], rules[0], seat, row)
    edge = nodes[find(nodes, key_of(GOLDEN, row, seat))].first
    while edge != NO_EDGE:
        visits[edges[edge].action] = edges[edge].visits
        sums[edges[edge].action] = edges[edge].total
        edge = edges[edge].next


@kernel
def search_flat(
    start, dealt, scratch, rules, cheating, playout, simulations, stream, root, legal_set, row, payoff, low, high, total,
    visits, sums,
):  # fmt: skip
    """Flat search from start[0]: the legal actions in turn, a redeal for each round."""
    seat = np.int64(to_act(start[0]))
    legal(start[0], rules[0], root)
    n = count(root)
    for k in range(simulations):
        if k % n == 0:
            dealt[0] = start[0]
            if cheating == 0:
                draw_redeal(dealt[0], rules[0], seat, playout, stream)
        scratch[0] = dealt[0]
        action = kth_of(root, k % n)
        step(scratch[0], rules[0], action)
        play_on(scratch[0], rules[0], playout, legal_set, row, stream)
        returns(scratch[0], rules[0], payoff)
        add_up(payoff, low, high, total)
        visits[action] += 1
        sums[action] += payoff[seat]


@kernel
def scripted_action(start, rules, legal_set, row, stream):
    """What the scripted player does in start[0]."""
    legal(start[0], rules[0], legal_set)
    observe(start[0], rules[0], to_act(start[0]), row)
    return heuristic(row, legal_set, rules[0], stream)


@kernel
def seat_to_act(states):
    """Who acts in the first of some states."""
    return to_act(states[0])


# -- Python -----------------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What a search says of a decision.

    Attributes:
        action: the id of the action that it chooses.
        seat: who acts.
        visits: int64[n_actions], simulations that began with each action; 0 for illegal ones.
        values: float64[n_actions], the acting seat's mean return after each; nan where there was no visit.
        returns: float64[n_seats], mean returns of all simulations.
    """

    action: int
    seat: int
    visits: np.ndarray
    values: np.ndarray
    returns: np.ndarray


class Search:
    """A search of a game, with the memory for its budget; one search at a time.

    Args:
        ruleset: the configured game.
        method: "flat", "so" or "mo"; see this module.
        simulations: games played for each decision; a tree takes about 100 bytes for each, with "mo" for each and seat.
        playout: who plays where the tree ends, "random" or "heuristic".
        exploration: c of UCB, 0 or more; "flat" has no use for it.
        doubt: with the playout "heuristic", by how many standard errors another action must be better than the
            scripted player's to be taken in its place; 0: by none.
        cheating: search in the true state in place of redeals, to see what knowing everything would be worth.

    Raises:
        ValueError: an argument has the wrong form or is out of range; the text begins with its name.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        method: str = "mo",
        simulations: int = 1000,
        *,
        playout: str = "heuristic",
        exploration: float = 0.7,
        doubt: float = 2.0,
        cheating: bool = False,
    ) -> None:
        self.ruleset = ruleset
        self.method = a_choice("method", method, METHODS)
        self.simulations = an_int("simulations", simulations, 1, MOST_SIMULATIONS)
        self.playout = a_choice("playout", playout, tuple(POLICIES))
        self.exploration = _a_number("exploration", exploration)
        self.doubt = _a_number("doubt", doubt)
        self.cheating = a_bool("cheating", cheating)
        self._driver = bind(ruleset, "search")
        n_seats, n_words = ruleset.n_seats, ruleset.actions.n_words
        self._start, self._dealt, self._scratch = (records(ruleset.STATE, 1) for _ in range(3))
        self._root, self._legal_set = np.zeros(n_words, np.uint64), np.zeros(n_words, np.uint64)
        self._row = np.zeros(ruleset.observation.size + PAD, np.int8)
        self._stream = np.zeros(1, np.uint64)
        self._payoff, self._low, self._high, self._total = (np.zeros(n_seats) for _ in range(4))
        if method != "flat":
            # Each simulation adds at most one node and one edge, with many observers for each of them.
            most = self.simulations * (n_seats if method == "mo" else 1)
            self._nodes = records(NODE, 1 << (2 * most).bit_length())
            self._edges = records(EDGE, most + 1)
            self._path = np.zeros(MOST_STEPS_IN_TREE, np.int64)
            self._used = np.zeros(1, np.int64)
            self._known = np.zeros(n_seats, np.uint64)

    def run(self, state: np.ndarray, seed: int = 0, *, rules: np.ndarray | None = None) -> Found:
        """Search the decision at which a game stands.

        Args:
            state: STATE, array of one; not changed. Without `cheating` the result does not depend on what in it the
                seat to act cannot know.
            seed: int from 0 to 2^63 - 1; equal state, settings and seed give an equal result.
            rules: rules record (array of one) in place of the configured one, as `Ruleset.with_options` gives it.

        Raises:
            ValueError: `state`: of another type, or the game is over; `seed`: out of range.
        """
        if not isinstance(state, np.ndarray) or state.dtype != self.ruleset.STATE or state.shape != (1,):
            fail("state", "an array of one STATE of this ruleset")
        seed = an_int("seed", seed, 0, 2**63 - 1)
        self._start[:] = state
        seat = int(self._driver.seat_to_act(self._start))
        if seat < 0:
            fail("state", "the game is over")
        self._stream[0] = episode_seed(seed, SEARCH_STREAM, 0)
        self._low[:], self._high[:], self._total[:] = np.inf, -np.inf, 0.0
        visits, sums = np.zeros(self.ruleset.actions.n, np.int64), np.zeros(self.ruleset.actions.n)
        its_rules = self.ruleset.rules if rules is None else rules
        playout, cheating = POLICIES[self.playout], int(self.cheating)
        if self.method == "flat":
            self._driver.search_flat(
                self._start, self._dealt, self._scratch, its_rules, cheating, playout, self.simulations, self._stream,
                self._root, self._legal_set, self._row, self._payoff, self._low, self._high, self._total, visits, sums,
            )  # fmt: skip
        else:
            self._nodes[:] = 0
            self._driver.search_tree(
                self._start, self._scratch, its_rules, int(self.method == "mo"), cheating, playout, self.exploration,
                self.simulations, self._stream, self._nodes, self._edges, self._path, self._used, self._known,
                self._legal_set, self._row, self._payoff, self._low, self._high, self._total, visits, sums,
            )  # fmt: skip
        values = np.full(len(sums), np.nan)
        np.divide(sums, visits, out=values, where=visits > 0)
        action = self._best(visits, values)
        if self.playout == "heuristic" and self.doubt > 0:
            scripted = int(
                self._driver.scripted_action(self._start, its_rules, self._legal_set, self._row, self._stream)
            )  # fmt: skip
            width = float(self._high[seat] - self._low[seat])
            if not self._is_better(action, scripted, visits, values, width):
                action = scripted
        return Found(action, seat, visits, values, self._total / self.simulations)

    def _best(self, visits: np.ndarray, values: np.ndarray) -> int:
        """The action with the best average ("flat") or most visits; of equals by the other, then the lowest id."""
        first, second = (values, visits) if self.method == "flat" else (visits, values)
        return int(max(np.flatnonzero(visits), key=lambda action: (first[action], second[action], -action)))

    def _is_better(self, action: int, other: int, visits: np.ndarray, values: np.ndarray, width: float) -> bool:
        """Is an action better than another beyond doubt? `width`: between the least and the greatest return."""
        error = width / 2 * math.sqrt(1 / visits[action] + 1 / max(1, visits[other]))
        return bool(visits[other] > 0 and values[action] - values[other] > self.doubt * error)


def _a_number(field: str, value: Any) -> float:
    """A finite number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        fail(field, f"a number of 0 or more, not {value!r}")
    return float(value)
