"""Search for any ruleset: flat Monte Carlo, SO-ISMCTS and MO-ISMCTS, compiled once for each game.

A search knows what the seat to act knows. Each simulation is played in a world that `redeal` draws (in the literature:
a determinization): what the seat was shown stays, and the rest is dealt anew, random numbers to come included. Worlds
that fit are drawn uniformly, or nearly so, and not from the posterior of the deal (docs/search.md says where that
matters).

- "flat", flat Monte Carlo: each legal action is played out equally often, all from the same redeals. The action with
  the best mean is taken.
- "so", "mo": information-set Monte Carlo tree search with a single observer (SO-ISMCTS) or with multiple observers
  (MO-ISMCTS): Cowling, Powley & Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012. Each
  simulation redeals, goes down the tree by UCB among the actions that are legal in this world, adds one action to the
  tree, plays out, and adds the returns to all actions on its way. The most visited action is taken; of equals, the one
  with the better mean.

**UCB with availability.** The score of an action is mean + c sqrt(ln(available) / visits), where `available` counts the
visits of its node in which the action was legal. The mean is that of the returns of the seat that acts, so each seat
seeks its own good (max^n: Luckhardt & Irani, AAAI 1986); where all returns are equal, that is a common reward. The
least and the greatest return that this search has seen for the seat bring the mean to 0..1. c = 0.7 as in the authors'
example program.

**What a node is.** A node belongs to an owner. Its key is a hash of what the owner knows: its observation, the seat
that acts, and, back to the root, the owner's observation and action at each of its own decisions. So worlds that the
owner cannot tell apart share a node, also where an opponent's hidden actions differ, and an owner never forgets what it
did. Keys have 64 bits; two of a million nodes share one in fewer than one search in ten million.

- Single observer: the searching seat owns all nodes. Opponents choose as if they knew what it knows, from the actions
  that are legal in the world at hand.
- Multiple observers: the seat that acts owns the node, so an opponent acts on its own cards and not on the searcher's.
  As in self-play search with a tree for each player (Heinrich & Silver, "Self-Play Monte-Carlo Tree Search in Computer
  Poker", AAAI workshop 2014) each seat leaves its own tree on its own; from there on it plays like the playouts. The
  paper keys opponents' nodes by actions alone. Here opponents see their hands too, which is more faithful; where worlds
  are many, it leaves opponents mostly to the playouts.

A node is made when a simulation first comes to it, and then follows the playout; later visits try the other legal
actions in random order, one each, before UCB compares them. Decisions with one legal action are played without a node.
A playout is random, or the game's scripted player plays it.

**Consistent worlds.** A redeal draws no conclusions from what others did and said. Where the scripted player plays the
playouts, others are taken to be scripted players too, and a world in which these could not have said what is on record
(`is_consistent` of the ruleset) is dealt anew: one in which a player who had no reason to lie did not tell the truth.

**Threshold.** There is more in what others did, and a scripted player may know better. So with its playouts its own
choice at the root stands, unless the search's choice is better by `threshold` standard errors. These are bounded by the
range of the returns (a variance is at most a quarter of its square).

**Perfect information.** With `perfect_information` the true state takes the place of the redeals, draws to come
included. Such a search is no fair player but a ceiling: how much a search of this size would gain from knowing
everything.

The kernels allocate nothing: the tree lies in arrays that `Search` makes for the budget. Kernels take these arrays in
named groups (`Settings`, `Tree`, `Work`, `Totals`), but for those that are called at every decision: to take an array
out of a group is to count a reference, which made searches up to 5 % slower there.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from murder_envs.core.bits import ONE, PAD, bit, copy_record, count, full, has, is_in, kth_of
from murder_envs.core.checks import a_bool, a_choice, a_seed, an_int, fail, shown
from murder_envs.core.jit import bind, inner, kernel, records
from murder_envs.core.rng import GOLDEN, STREAM, episode_seed, fingerprint, mix, next_word, stir, stream_below
from murder_envs.drivers.policies import COMPILED_POLICIES, RANDOM
from murder_envs.ruleset import Ruleset

METHODS = ("flat", "so", "mo")
MOST_SIMULATIONS = 10_000_000
MOST_STEPS_IN_TREE = 1024
"""A simulation leaves the tree after so many decisions in it."""

MOST_REDEALS = 64
"""So many inconsistent worlds in a row are dealt anew; the next world is taken as it is. There may be no consistent
one: others need not be scripted players."""


NODE = np.dtype(
    [
        ("key", np.uint64),  # what its owner knows, as a hash; 0: no node in this place
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
KEY_SHIFT = np.uint64(20)


# -- Groups of arguments ----------------------------------------------------------------------------------------------


class Settings(NamedTuple):
    """What `Search` was told, as kernels need it."""

    many: int  # 1: multiple observers
    perfect_information: int  # 1: no redeals
    playout: int  # one of COMPILED_POLICIES' values
    exploration: float
    simulations: int


class Tree(NamedTuple):
    """The tree of a search. With at most N edges:"""

    nodes: np.ndarray  # NODE[a power of two, 2 N or more], a hash table with open addressing
    edges: np.ndarray  # EDGE[N + 1]; number 0 is NO_EDGE
    used: np.ndarray  # int64[1], the number of the next edge
    path: np.ndarray  # int64[MOST_STEPS_IN_TREE], the edges that the present simulation has taken
    known: np.ndarray  # uint64[n_seats], what each owner knew, and did, at the last decision of its own, as a hash


class Work(NamedTuple):
    """Memory that each simulation writes anew."""

    dealt: np.ndarray  # STATE[1], a world from which several simulations start
    states: np.ndarray  # STATE[1], the game of the present simulation
    root: np.ndarray  # uint64[n_words], the legal set of the decision that is searched
    legal_set: np.ndarray  # uint64[n_words]
    row: np.ndarray  # int8[observation size + PAD], an observation
    payoff: np.ndarray  # float64[n_seats], the returns of the present simulation
    stream: np.ndarray  # uint64[1], the random stream of redeals and choices


class Totals(NamedTuple):
    """What all simulations add up to."""

    low: np.ndarray  # float64[n_seats], the least return of each seat
    high: np.ndarray  # float64[n_seats], the greatest
    returns: np.ndarray  # float64[n_seats], their sum
    visits: np.ndarray  # int64[n_actions], simulations that began with each action
    sums: np.ndarray  # float64[n_actions], the acting seat's returns in these


# -- What an owner knows ----------------------------------------------------------------------------------------------


@kernel
def key_of(known, row, seat):
    """Key of a node: what the owner knew at its last decision, what it sees now, who acts."""
    key = mix(known ^ fingerprint(row)) + np.uint64(seat) * GOLDEN
    return key if key != 0 else ONE


# -- The tree ---------------------------------------------------------------------------------------------------------


@kernel
def find(nodes, key):
    """The place of a node, taken for it if the node is new."""
    last = nodes.shape[0] - 1
    at = np.int64(key >> KEY_SHIFT) & last
    while nodes[at].key != key and nodes[at].key != 0:
        at = (at + 1) & last
    nodes[at].key = key
    return at


@kernel
def new_edge(nodes, at, edges, used, seat, action):
    """An action is tried in the node at a place for the first time; returns the number of its edge."""
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

    Actions that have been tried are taken out of `legal_set`.
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
def draw_world(state, rules, seat, playout, stream):
    """Another world for the seat, in place; a consistent one if others are taken to play like the scripted player."""
    redeal(state, rules, seat, np.int64(next_word(stream) >> ONE))
    if playout != RANDOM:
        for _ in range(MOST_REDEALS):
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
def walk(state, rules, seat, settings, tree, work, totals):
    """Play from the root to the end, first within the tree; returns how many of its edges were taken.

    `inside` is the set of owners in whose tree this game still is.
    """
    many = settings.many
    playout = settings.playout
    nodes, edges, used, path, known = tree
    legal_set, row, stream = work.legal_set, work.row, work.stream
    low, high = totals.low, totals.high
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
                first = playout_action(state, rules, playout, legal_set, n, row, stream)
                edge = new_edge(nodes, at, edges, used, actor, first)
            else:
                edge = choose_edge(
                    nodes, at, edges, used, legal_set, actor, low, high, settings.exploration, stream
                )  # fmt: skip
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
def search_tree(start, rules, settings, tree, work, totals):
    """SO-ISMCTS or MO-ISMCTS from start[0]. The tree is empty, the totals are those of no simulation."""
    nodes, edges, used, path = tree.nodes, tree.edges, tree.used, tree.path
    states, row, payoff, stream = work.states, work.row, work.payoff, work.stream
    low, high, total, visits, sums = totals
    seat = np.int64(to_act(start[0]))
    used[0] = NO_EDGE + 1
    for _ in range(settings.simulations):
        copy_record(states[0], start[0])
        if settings.perfect_information == 0:
            draw_world(states[0], rules[0], seat, settings.playout, stream)
        taken = walk(states[0], rules[0], seat, settings, tree, work, totals)
        returns(states[0], rules[0], payoff)
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
def search_flat(start, rules, settings, work, totals):
    """Flat Monte Carlo from start[0]: the legal actions in turn, a redeal for each round of them."""
    dealt, states, root, legal_set, row, payoff, stream = work
    low, high, total, visits, sums = totals
    seat = np.int64(to_act(start[0]))
    legal(start[0], rules[0], root)
    n = count(root)
    for k in range(settings.simulations):
        if k % n == 0:
            copy_record(dealt[0], start[0])
            if settings.perfect_information == 0:
                draw_world(dealt[0], rules[0], seat, settings.playout, stream)
        copy_record(states[0], dealt[0])
        action = kth_of(root, k % n)
        step(states[0], rules[0], action)
        play_on(states[0], rules[0], settings.playout, legal_set, row, stream)
        returns(states[0], rules[0], payoff)
        add_up(payoff, low, high, total)
        visits[action] += 1
        sums[action] += payoff[seat]


@kernel
def scripted_action(start, rules, work):
    """What the scripted player does in start[0]."""
    legal(start[0], rules[0], work.legal_set)
    observe(start[0], rules[0], to_act(start[0]), work.row)
    return heuristic(work.row, work.legal_set, rules[0], work.stream)


@kernel
def seat_to_act(states):
    """Who acts in the first of some states."""
    return to_act(states[0])


# -- Python -----------------------------------------------------------------------------------------------------------


class SearchResult(NamedTuple):
    """What a search says of a decision.

    Attributes:
        action: the id of the action that it chooses.
        seat: who acts.
        visits: int64[n_actions], simulations that began with each action; 0 for illegal ones.
        values: float64[n_actions], the acting seat's mean return after each action; nan where there was no visit.
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
        method: "flat" (flat Monte Carlo), "so" (SO-ISMCTS) or "mo" (MO-ISMCTS); see this module.
        simulations: games played for each decision; a tree takes about 100 bytes for each, with "mo" for each and seat.
        playout: who plays where the tree ends, "random" or "heuristic".
        exploration: c of UCB, 0 or more; flat Monte Carlo has no use for it.
        threshold: with the playout "heuristic", by how many standard errors another action must be better than the
            scripted player's to be taken in its place; 0: the search's choice is always taken.
        perfect_information: search in the true state in place of redeals, to see what knowing everything would be
            worth.

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
        threshold: float = 2.0,
        perfect_information: bool = False,
    ) -> None:
        self.ruleset = ruleset
        self.method = a_choice("method", method, METHODS)
        self.simulations = an_int("simulations", simulations, 1, MOST_SIMULATIONS)
        self.playout = a_choice("playout", playout, tuple(COMPILED_POLICIES))
        self.exploration = _a_number("exploration", exploration)
        self.threshold = _a_number("threshold", threshold)
        self.perfect_information = a_bool("perfect_information", perfect_information)
        self._driver = bind(ruleset, "search")
        self._settings = Settings(
            many=int(method == "mo"),
            perfect_information=int(self.perfect_information),
            playout=COMPILED_POLICIES[self.playout],
            exploration=self.exploration,
            simulations=self.simulations,
        )
        n_seats, n_words = ruleset.n_seats, ruleset.actions.n_words
        self._start = records(ruleset.STATE, 1)
        self._work = Work(
            dealt=records(ruleset.STATE, 1),
            states=records(ruleset.STATE, 1),
            root=np.zeros(n_words, np.uint64),
            legal_set=np.zeros(n_words, np.uint64),
            row=np.zeros(ruleset.observation.size + PAD, np.int8),
            payoff=np.zeros(n_seats),
            stream=np.zeros(1, np.uint64),
        )
        if method != "flat":
            # Each simulation adds at most one node and one edge, with multiple observers one of each for every seat.
            most = self.simulations * (n_seats if method == "mo" else 1)
            self._tree = Tree(
                nodes=records(NODE, 1 << (2 * most).bit_length()),
                edges=records(EDGE, most + 1),
                used=np.zeros(1, np.int64),
                path=np.zeros(MOST_STEPS_IN_TREE, np.int64),
                known=np.zeros(n_seats, np.uint64),
            )

    def run(self, state: np.ndarray, seed: int = 0, *, rules: np.ndarray | None = None) -> SearchResult:
        """Search the decision at which a game stands.

        Args:
            state: STATE, array of one; not changed. Without `perfect_information` the result does not depend on
                anything in it that the seat to act cannot know.
            seed: int from 0 to 2^63 - 1; equal state, settings and seed give an equal result.
            rules: rules record (array of one) in place of the configured one, as `Ruleset.with_options` makes it.

        Raises:
            ValueError: `state`: of another type or configuration, or the game is over; `rules`: of another
                configuration; `seed`: out of range.
        """
        seed = a_seed("seed", seed)
        rules = self.ruleset.checked_rules(rules)
        self._start[:] = self.ruleset.checked_states("state", state, 1)
        seat = int(self._driver.seat_to_act(self._start))
        if seat < 0:
            fail("state", "the game is over")
        n_actions, n_seats = self.ruleset.actions.n, self.ruleset.n_seats
        totals = Totals(
            low=np.full(n_seats, np.inf),
            high=np.full(n_seats, -np.inf),
            returns=np.zeros(n_seats),
            visits=np.zeros(n_actions, np.int64),
            sums=np.zeros(n_actions),
        )
        self._work.stream[0] = episode_seed(seed, STREAM.search, 0)
        if self.method == "flat":
            self._driver.search_flat(self._start, rules, self._settings, self._work, totals)
        else:
            self._tree.nodes[:] = 0
            self._driver.search_tree(self._start, rules, self._settings, self._tree, self._work, totals)
        values = np.full(n_actions, np.nan)
        np.divide(totals.sums, totals.visits, out=values, where=totals.visits > 0)
        action = self._best(totals.visits, values)
        if self.playout == "heuristic" and self.threshold > 0:
            scripted = int(self._driver.scripted_action(self._start, rules, self._work))
            width = float(totals.high[seat] - totals.low[seat])
            if not self._is_better(action, scripted, totals.visits, values, width):
                action = scripted
        return SearchResult(action, seat, totals.visits, values, totals.returns / self.simulations)

    def _best(self, visits: np.ndarray, values: np.ndarray) -> int:
        """The action with the best mean ("flat") or most visits; of equals by the other, then the lowest id."""
        first, second = (values, visits) if self.method == "flat" else (visits, values)
        return int(max(np.flatnonzero(visits), key=lambda action: (first[action], second[action], -action)))

    def _is_better(self, action: int, other: int, visits: np.ndarray, values: np.ndarray, width: float) -> bool:
        """Is an action better than another by more than the threshold? `width` is that of the range of returns."""
        error = width / 2 * math.sqrt(1 / visits[action] + 1 / max(1, visits[other]))
        return bool(visits[other] > 0 and values[action] - values[other] > self.threshold * error)


def _a_number(field: str, value: Any) -> float:
    """A finite number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        fail(field, f"a number of 0 or more, not {shown(value)}")
    return float(value)
