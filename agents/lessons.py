"""Lessons from the scripted player, before a policy learns from its own games.

`imitate`: do as it does, and say how such games end. Where random play hardly ever reaches an end that is paid, there
is nothing to learn from at first; after this there is.

`improve`: what would have come of it to do something else, once, and then to go on as it does? In a simulator that can
be tried out. A policy that prefers what did better, as far as it can tell such positions apart, is a step of policy
iteration ahead of the scripted player (Tesauro & Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996;
Lagoudakis & Parr, "Reinforcement Learning as Classification", 2003).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.policies import scores
from murder_envs.core.checks import an_int, fail
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.ruleset import Ruleset

GAMES = 1024
"""Games played at a time, and learnt from in a random order."""

POSITIONS_OF = 256
"""The same for lessons that keep whole positions."""

HORIZON, TRIES = 25, 8
"""Where other actions are tried out: so many decisions before the end, so many actions each."""

LESSON_STREAM = -3
"""In place of a game's number in `episode_seed`: the deals of lessons."""

TRIAL_STREAM = -5
"""The same of what is tried out."""


# -- Learning ---------------------------------------------------------------------------------------------------------


def imitate(
    model: MaskablePPO,
    ruleset: Ruleset,
    seats: Sequence[int],
    decisions: int,
    seed: int,
    rate: float = 2e-3,
    batch_size: int = 512,
    said: Callable[[int, float], None] = lambda done, agreed: None,
) -> None:
    """Play games of heuristic players and learn their choices and returns.

    Args:
        model: what learns; its optimiser is not used.
        ruleset: the game, with the reward that the value is to predict.
        seats: whose decisions to learn from.
        decisions: how many, at least; those with one legal option do not count.
        seed: of the deals; the order comes from torch's random numbers.
        rate: learning rate; falls to 0 in a straight line.
        batch_size: decisions an update.
        said: called now and then with the decisions so far and the share in which the network's likeliest action was
            the heuristic's.
    """

    def loss(
        found: torch.Tensor, value: torch.Tensor, chosen: torch.Tensor, paid: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        wrong = torch.nn.functional.cross_entropy(found, chosen)
        wrong = wrong + model.vf_coef * torch.nn.functional.mse_loss(value, paid)
        return wrong, found.argmax(1) == chosen

    def chapter(number: int) -> tuple[np.ndarray, ...]:
        return lesson(ruleset, seats, episode_seed(seed, LESSON_STREAM, number))

    _teach(model, chapter, loss, decisions, rate, batch_size, said)


def improve(
    model: MaskablePPO,
    ruleset: Ruleset,
    seats: Sequence[int],
    positions: int,
    seed: int,
    rate: float = 1e-3,
    batch_size: int = 512,
    said: Callable[[int, float], None] = lambda done, gain: None,
) -> None:
    """Try out other actions near the end of games of heuristic players, and learn which of them do better; and from
    other positions of these games, how they end.

    Args:
        model: what learns; its optimiser is not used.
        ruleset: the game, with the reward that counts.
        seats: whose decisions to learn from.
        positions: how many to learn from, at least; in half of them something was tried out.
        seed: of deals and choices; the order comes from torch's random numbers.
        rate: learning rate; falls to 0 in a straight line.
        batch_size: positions an update.
        said: called now and then with the positions so far and with how much more than the heuristic the policy would
            have been paid in the last ones that something was tried out in, on average, had it drawn one of the actions
            that were tried.
    """

    def loss(
        found: torch.Tensor, value: torch.Tensor, actions: torch.Tensor, paid: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        none = actions < 0
        tried = ~none[:, 1]
        log_odds = found.gather(1, actions.clamp(min=0)).masked_fill(none, -torch.inf).log_softmax(1)
        odds = log_odds.exp()
        gain = (odds * (paid - paid[:, :1])).sum(1)
        entropy = -(odds * log_odds.masked_fill(none, 0.0)).sum(1)
        wrong = -(gain + model.ent_coef * entropy).sum() / tried.sum().clamp(min=1)
        missed = torch.nn.functional.mse_loss(value[~tried], paid[~tried, 0], reduction="sum")
        return wrong + model.vf_coef * missed / (~tried).sum().clamp(min=1), gain[tried]

    def chapter(number: int) -> tuple[np.ndarray, ...]:
        return try_out(ruleset, seats, episode_seed(seed, TRIAL_STREAM, number))

    _teach(model, chapter, loss, positions, rate, batch_size, said)


def _teach(
    model: MaskablePPO,
    chapter: Callable[[int], tuple[np.ndarray, ...]],
    loss: Callable[..., tuple[torch.Tensor, torch.Tensor]],
    decisions: int,
    rate: float,
    batch_size: int,
    said: Callable[[int, float], None],
) -> None:
    """Learn chapter after chapter: observations, masks, and what `loss` takes behind a policy's scores and values.

    `loss` returns what is to become small, and figures to report the mean of.

    Raises:
        ValueError: `seats`: they have no decision in a whole chapter.
    """
    policy = model.policy
    optimiser = torch.optim.Adam(policy.parameters(), lr=rate, eps=1e-5)
    policy.set_training_mode(True)
    done = number = 0
    while done < decisions:
        lesson = chapter(number)
        if not len(lesson[0]):
            fail("seats", "some that have a decision to take")
        figures: list[torch.Tensor] = []
        for k in torch.randperm(len(lesson[0])).split(batch_size):
            for group in optimiser.param_groups:
                group["lr"] = rate * max(0.0, 1 - done / decisions)
            seen, masks, *rest = (torch.as_tensor(it[k.numpy()], device=policy.device) for it in lesson)
            own, value = policy.mlp_extractor(policy.extract_features(seen))
            wrong, figure = loss(scores(policy, own, seen, masks != 0), policy.value_net(value)[:, 0], *rest)
            optimiser.zero_grad()
            wrong.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimiser.step()
            figures.append(figure.detach())
            done += len(k)
        number += 1
        together = torch.cat(figures)
        said(done, float(together.sum()) / max(1, len(together)))
    policy.set_training_mode(False)


# -- Playing ----------------------------------------------------------------------------------------------------------


def lesson(ruleset: Ruleset, seats: Sequence[int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whole games of heuristic players, as the decisions of some seats.

    Returns:
        observations int8[k, size], masks int8[k, n], actions int64[k], and float32[k], what the seat was paid.
    """
    batch = Batch(ruleset, GAMES, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    wanted = np.zeros(ruleset.n_seats, np.bool_)
    wanted[list(seats)] = True
    kept: list[tuple[np.ndarray, ...]] = []
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        actions = batch.choose("heuristic")
        k = waiting[wanted[batch.seats[waiting]]]
        kept.append((batch.observations[k], batch.masks[k], actions[k], k, batch.seats[k]))
        batch.step(actions[waiting], waiting)
    seen, masks, actions, games, at = (np.concatenate(column) for column in zip(*kept))
    return seen, masks, actions, batch.returns[games, at].astype(np.float32)


def try_out(
    ruleset: Ruleset, seats: Sequence[int], seed: int, horizon: int = HORIZON, tries: int = TRIES
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Near the end of games of heuristic players: what would have come of other actions, where it makes a difference.

    Args:
        ruleset: the game.
        seats: whose decisions.
        seed: of the deals and of all choices here.
        horizon: look at the last so many decisions of a game. Of earlier ones much is still to come whatever one does,
            and a single game says little.
        tries: how many actions of a position at most; 2 or more.

    Returns:
        observations int8[k, size] and masks int8[k, n] of the seat to act; actions int64[k, tries], the heuristic's
        choice first, then other legal ones in random order, -1: no more; float32[k, tries], what the seat was paid when
        it took the action and all went on by the heuristic, with equal draws (0 where there is no action). Behind them
        come as many positions from anywhere in the games, in which nothing else was tried.
    """
    an_int("tries", tries, 2, 1 << 31)
    random = np.random.default_rng(seed)
    batch = Batch(ruleset, POSITIONS_OF, seed, skip_forced=True, auto_reset=False)
    batch.reset(seed)
    wanted = np.zeros(ruleset.n_seats, np.bool_)
    wanted[list(seats)] = True
    kept: list[tuple[np.ndarray, ...]] = []
    length = np.zeros(batch.n, np.int64)
    while (waiting := np.flatnonzero(batch.seats >= 0)).size:
        choices = batch.choose("heuristic")
        k = waiting[wanted[batch.seats[waiting]]]
        kept.append(
            (batch.states[k], batch.observations[k], batch.masks[k], choices[k], batch.seats[k], k, length[k])
        )  # fmt: skip
        length[waiting] += 1
        batch.step(choices[waiting], waiting)
    states, seen, masks, chosen, at, games, when = (np.concatenate(column) for column in zip(*kept))
    late = np.flatnonzero(length[games] - when <= horizon)
    order = np.where(masks[late] != 0, random.random((len(late), masks.shape[1])), 2.0)
    order[np.arange(len(late)), chosen[late]] = -1.0
    actions = np.argsort(order, axis=1)[:, :tries]
    actions[np.take_along_axis(order, actions, 1) == 2.0] = -1
    i, j = np.nonzero(actions >= 0)
    seeds = random.integers(2**63, size=len(late))[i]
    played = rollout.play(ruleset, "heuristic", states=states[late[i]], first=actions[i, j], seeds=seeds)
    returns = np.zeros(actions.shape, np.float32)
    returns[i, j] = played.returns[np.arange(len(i)), at[late[i]]]
    tells = ((returns != returns[:, :1]) & (actions >= 0)).any(1)

    other = random.choice(len(games), min(len(games), max(1, tells.sum())), replace=False)
    only, outcome = np.full((len(other), actions.shape[1]), -1), np.zeros((len(other), actions.shape[1]), np.float32)
    only[:, 0], outcome[:, 0] = chosen[other], batch.returns[games[other], at[other]]
    k = np.concatenate([late[tells], other])
    return seen[k], masks[k], np.concatenate([actions[tells], only]), np.concatenate([returns[tells], outcome])
