"""Many games together are the same games apart; and whole games in compiled loops."""

import copy
import pickle

import numpy as np
import pytest
from numpy.lib import recfunctions

from murder_envs.core.bits import PAD
from murder_envs.core.jit import COMPILED, bind, records
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.registry import GAMES, make_ruleset

ARRAYS = (
    "states", "observations", "masks", "words", "seats", "learners", "rewards", "terminated", "truncated", "episodes",
    "seeds", "lengths", "unseen",
)  # fmt: skip
FINAL_ARRAYS = (
    "returns", "final_observations", "final_states", "final_seats", "final_lengths", "final_episodes", "final_seeds",
)  # fmt: skip


@pytest.fixture(params=list(GAMES))
def game(request):
    return make_ruleset(request.param)


class Alone:
    """One game through the driver of single games, which shares no code with the batch."""

    def __init__(self, ruleset):
        self.ruleset = ruleset
        self.driver = bind(ruleset, "single")
        self.states = records(ruleset.STATE, 1)
        self.words = np.zeros(ruleset.actions.n_words, np.uint64)
        self.row = np.zeros(ruleset.observation.size + PAD, np.int8)
        self.row_2 = self.row.copy()
        self.masks = np.zeros(ruleset.actions.n + PAD, np.int8)
        self.returns = np.zeros(ruleset.n_seats)

    def deal(self, seed):
        self.seat = self.driver.start(self.states, self.ruleset.rules, seed, self.words, self.masks, self.row)

    def deal_from(self, seed, game, episode):
        """Deal this episode, or the next that is not over at once; returns its number."""
        self.deal(episode_seed(seed, game, episode))
        return episode if self.seat >= 0 else self.deal_from(seed, game, episode + 1)

    def step(self, action):
        self.seat = self.driver.advance(self.states, self.ruleset.rules, action, self.words, self.masks, self.row)
        assert self.seat >= -1
        self.cut_off = self.driver.outcome(self.states, self.ruleset.rules, self.returns)

    @property
    def mask(self):
        return self.masks[: self.ruleset.actions.n]

    @property
    def observation(self):
        return self.row[: self.ruleset.observation.size]

    def view(self, seat):
        self.driver.look(self.states, self.ruleset.rules, seat, self.row_2)
        return self.row_2[: self.ruleset.observation.size]

    def play_forced(self):
        while self.seat >= 0 and self.mask.sum() == 1:
            self.step(int(self.mask.argmax()))


def content(array):
    """All bytes of an array but those that fill up records."""
    return (recfunctions.repack_fields(array, recurse=True) if array.dtype.names else array).tobytes()


def facts(ruleset, states):
    """Snapshots: equal also where one state has been looked at and the other has not, which caches may tell."""
    return [ruleset.snapshot(ruleset.rules, states[i : i + 1]) for i in range(len(states))]


def same(batch, other, names, where=slice(None)):
    return all(content(getattr(batch, name)[where]) == content(getattr(other, name)[where]) for name in names)


def bytes_of(batch):
    return [content(array) for array in batch._tables]


def test_arrays_have_the_documented_shapes(game):
    batch = Batch(game, 5, 1)
    batch.reset()
    size, n_actions, seats = game.observation.size, game.actions.n, game.n_seats
    for name, dtype, shape in (
        ("observations", np.int8, (5, size)),
        ("masks", np.int8, (5, n_actions)),
        ("words", np.uint64, (5, game.actions.n_words)),
        ("seats", np.int64, (5,)),
        ("learners", np.int64, (5,)),
        ("rewards", np.float64, (5,)),
        ("terminated", np.bool_, (5,)),
        ("truncated", np.bool_, (5,)),
        ("returns", np.float64, (5, seats)),
        ("final_observations", np.int8, (5, size)),
        ("final_seats", np.int64, (5,)),
        ("final_lengths", np.int64, (5,)),
        ("episodes", np.int64, (5,)),
        ("seeds", np.int64, (5,)),
        ("lengths", np.int64, (5,)),
        ("unseen", np.int64, (5,)),
    ):
        array = getattr(batch, name)
        assert (array.dtype, array.shape) == (dtype, shape), name
    assert batch.states.dtype == batch.final_states.dtype == game.STATE
    assert set(np.unique(batch.masks)) <= {0, 1} and batch.masks.any(1).all()


@pytest.mark.parametrize("n", [1, 3, 64])
def test_together_is_apart(game, n):
    batch = Batch(game, n, 5)
    batch.reset()
    games = [Alone(game) for _ in range(n)]
    episodes = [alone.deal_from(5, i, 0) for i, alone in enumerate(games)]
    ended = 0
    for _ in range(120 if n > 3 else 400):
        actions = batch.choose("random")
        ended += batch.step(actions)
        for i, alone in enumerate(games):
            actor = alone.seat
            alone.step(int(actions[i]))
            assert batch.terminated[i] == (alone.seat < 0 and not alone.cut_off)
            assert batch.truncated[i] == (alone.seat < 0 and alone.cut_off)
            if alone.seat < 0:
                assert (batch.returns[i] == alone.returns).all()
                assert batch.final_seats[i] == actor and batch.rewards[i] == alone.returns[actor]
                assert (batch.final_observations[i] == alone.view(actor)).all()
                assert content(batch.final_states[i : i + 1]) == content(alone.states)
                assert batch.final_seeds[i] == episode_seed(5, i, episodes[i])
            else:
                assert batch.rewards[i] == 0
            if alone.seat < 0:
                episodes[i] = alone.deal_from(5, i, episodes[i] + 1)
            assert batch.episodes[i] == episodes[i] and batch.seats[i] == alone.seat
            assert (batch.observations[i] == alone.observation).all()
            assert (batch.masks[i] == alone.mask).all()
            assert content(batch.states[i : i + 1]) == content(alone.states)
    assert ended == sum(episodes) - batch.unseen.sum() > 0


@pytest.mark.parametrize("options", [{}, {"seat": "random", "opponents": "heuristic", "skip_forced": True}], ids=str)
def test_a_game_does_not_depend_on_the_size_of_its_batch(game, options):
    few, many = Batch(game, 3, 11, **options), Batch(game, 64, 11, **options)
    few.reset()
    many.reset()
    for _ in range(60):
        actions = many.choose("random")
        assert (few.choose("random") == actions[:3]).all()
        many.step(actions)
        few.step(actions[:3])
        assert same(few, many, ARRAYS, slice(0, 3))
        over = np.flatnonzero(few.terminated | few.truncated)
        assert same(few, many, FINAL_ARRAYS, over)


def test_skip_forced_is_the_same_game_with_its_forced_moves_played(game):
    batch = Batch(game, 8, 2, skip_forced=True)
    batch.reset()
    games = [Alone(game) for _ in range(8)]
    episodes = [0] * 8
    for _ in range(60):
        assert (batch.masks.sum(1) > 1).all()
        actions = batch.choose("random")
        for i, alone in enumerate(games):
            if batch.lengths[i] == 0:
                alone.deal(int(batch.seeds[i]))
                alone.play_forced()
            assert batch.seats[i] == alone.seat
            assert (batch.observations[i] == alone.observation).all() and (batch.masks[i] == alone.mask).all()
            actor = alone.seat
            alone.step(int(actions[i]))
            alone.play_forced()
            episodes[i] += alone.seat < 0
            games[i].actor = actor
        batch.step(actions)
        for i, alone in enumerate(games):
            assert (batch.terminated[i] | batch.truncated[i]) == (alone.seat < 0)
            if alone.seat < 0:
                assert batch.rewards[i] == alone.returns[alone.actor]
                assert (batch.final_observations[i] == alone.view(alone.actor)).all()
    assert sum(episodes) > 0


@pytest.mark.parametrize("opponents", ["random", "heuristic"])
def test_only_the_learning_seat_is_asked(game, opponents):
    batch = Batch(game, 16, 3, seat=1, opponents=opponents)
    batch.reset()
    ended = 0
    for _ in range(60):
        assert (batch.seats == 1).all() and (batch.learners == 1).all() and batch.masks.any(1).all()
        ended += batch.step(batch.choose("heuristic"))
        over = np.flatnonzero(batch.terminated | batch.truncated)
        assert (batch.final_seats[over] == 1).all()
        assert (batch.rewards[over] == batch.returns[over, 1]).all()
    assert ended > 0


def test_a_list_of_opponents_is_clockwise_from_the_learning_seat(game):
    n = game.n_seats
    names = ["heuristic"] + ["random"] * (n - 2)
    batch = Batch(game, 32, 3, seat="random", opponents=names)
    batch.reset()
    assert set(batch.learners) == set(range(n))
    for i in range(32):
        who = int(batch.learners[i])
        assert batch._policies[i, who] == -1 and batch._policies[i, (who + 1) % n] == 1
        assert all(batch._policies[i, (who + k) % n] == 0 for k in range(2, n))


def test_opponents_that_ask_are_asked(game):
    batch = Batch(game, 8, 3, seat=0, opponents="ask")
    batch.reset()
    asked = set()
    for _ in range(60):
        asked |= set(batch.seats.tolist())
        batch.step(batch.choose())
        over = np.flatnonzero(batch.terminated | batch.truncated)
        assert (batch.final_seats[over] == 0).all() and (batch.rewards[over] == batch.returns[over, 0]).all()
    assert asked == set(range(game.n_seats))


def test_a_single_game_replays_any_episode(game):
    batch = Batch(game, 4, 9, seat="random", opponents="heuristic")
    batch.reset()
    while not (batch.episodes > 2).all():
        batch.step(batch.choose())
    one = Batch(game, 1, seat="random", opponents="heuristic", auto_reset=False)
    for i in range(4):
        assert batch.seeds[i] == episode_seed(9, i, int(batch.episodes[i]))
        one.start(0, int(batch.seeds[i]))
        assert one.learners[0] == batch.learners[i]
        if batch.lengths[i] == 0:
            assert (one.observations[0] == batch.observations[i]).all()


@pytest.mark.nojit
def test_an_illegal_action_changes_no_byte(game):
    batch = Batch(game, 3, 1)
    batch.reset()
    actions = batch.choose()
    before = bytes_of(batch)
    illegal = int(np.flatnonzero(batch.masks[2] == 0)[0])
    for wrong in (illegal, -1, game.actions.n, 2**62):
        with pytest.raises(ValueError, match=rf"game 2: {wrong} \(") as error:
            batch.step([actions[0], actions[1], wrong])
        assert wrong != illegal or game.actions.names[wrong] in str(error.value)
        assert bytes_of(batch) == before
    for wrong in (actions[:2], actions.astype(float), actions > 0, [[0, 0, 0]]):
        with pytest.raises(ValueError, match="actions: "):
            batch.step(wrong)
        assert bytes_of(batch) == before
    batch.step(actions.astype(np.uint8))


def test_some_games_can_step_alone(game):
    batch = Batch(game, 6, 1)
    batch.reset()
    other = batch.clone()
    actions = batch.choose()
    batch.step(actions[[1, 4]], [1, 4])
    other.step(actions)
    assert same(batch, other, ARRAYS, [1, 4])
    assert not batch.lengths[[0, 2, 3, 5]].any()
    for wrong in ([4, 1], [1, 1], [6, 7], [-1, 0], [0.5, 1.0], [[1, 2]]):
        with pytest.raises(ValueError, match="games: "):
            batch.step([0, 0], wrong)
    assert batch.step([], []) == 0


def test_without_auto_reset_a_finished_game_stays(game):
    batch = Batch(game, 4, 1, auto_reset=False)
    with pytest.raises(ValueError, match="call reset first"):
        batch.step([0, 0, 0, 0])
    batch.reset()
    while (batch.seats >= 0).any():
        running = np.flatnonzero(batch.seats >= 0)
        batch.step(batch.choose()[running], running)
    assert not batch.masks.any() and (batch.choose() == -1).all() and not batch.episodes.any()
    assert (batch.observations == batch.final_observations).all()
    assert content(batch.states) == content(batch.final_states)
    with pytest.raises(ValueError, match="game 3 is over"):
        batch.step([0], [3])
    assert batch.start(3, 77) and batch.seeds[3] == 77 and batch.seats[3] >= 0
    batch.reset()
    assert (batch.episodes == 1).all() and batch.seeds[2] == episode_seed(1, 2, 1)


def test_snapshots_there_and_back(game):
    batch = Batch(game, 4, 1)
    batch.reset()
    for _ in range(7):
        batch.step(batch.choose())
    other = Batch(game, 4, 2)
    other.reset()
    for i in range(4):
        other.restore(i, batch.snapshot(i))
        assert other.snapshot(i) == batch.snapshot(i)
    assert (other.observations == batch.observations).all() and (other.masks == batch.masks).all()
    other.reset(options={"snapshot": batch.snapshot(0)})
    assert (other.observations == batch.observations[0]).all()


def test_a_reset_that_fails_changes_nothing(game):
    batch = Batch(game, 3, 1)
    batch.reset()
    before = bytes_of(batch), batch.seed
    finished = rollout.play(game, games=1).states
    for options, named in (
        ({"snapshot": {"no_such_field": 1}}, "no_such_field"),
        ({"no_such_option": 1}, "no_such_option"),
        ({"snapshot": game.snapshot(game.rules, finished)}, "snapshot"),
    ):
        with pytest.raises(ValueError, match=named):
            batch.reset(3, options)
        with pytest.raises(ValueError, match=named):
            batch.start(1, 3, options)
        assert (bytes_of(batch), batch.seed) == before
    for seed in (-1, 2**63, 1.5, True):
        with pytest.raises(ValueError, match="seed: "):
            batch.reset(seed)
    assert (bytes_of(batch), batch.seed) == before


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"n": 0}, "n: "),
        ({"n": 2.0}, "n: "),
        ({"seed": -1}, "seed: "),
        ({"seat": 99}, "seat: "),
        ({"seat": "none"}, "seat: "),
        ({"seat": 0, "opponents": "best"}, "opponents: "),
        ({"seat": 0, "opponents": ["random"] * 30}, "opponents: "),
        ({"seat": "all", "opponents": "random"}, "opponents: "),
        ({"skip_forced": 1}, "skip_forced: "),
        ({"parallel": 0}, "parallel: "),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(game, options, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        Batch(game, **{"n": 2, **options})


@pytest.mark.parametrize("copied", [copy.deepcopy, Batch.clone, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copy_has_the_same_future(game, copied):
    batch = Batch(game, 3, 1, seat=0, opponents="heuristic")
    batch.reset()
    batch.step(batch.choose())
    other = copied(batch)
    before = bytes_of(other)
    for _ in range(30):
        batch.step(batch.choose())
    assert bytes_of(other) == before
    for _ in range(30):
        other.step(other.choose())
    assert bytes_of(other) == bytes_of(batch)


def test_threads_change_nothing(game):
    one, two = Batch(game, 1500, 4), Batch(game, 1500, 4, parallel=2)
    one.reset()
    two.reset()
    for _ in range(40):
        actions = one.choose()
        assert one.step(actions) == two.step(actions)
    assert bytes_of(one) == bytes_of(two)
    assert two._pool is not None
    two.close()


# -- Whole games ------------------------------------------------------------------------------------------------------


def test_games_are_played_to_their_end(game):
    played = rollout.play(game, "random", 200, seed=6)
    assert played.seeds[7] == episode_seed(6, 7, 0)
    assert (played.decisions > 0).any() and (played.options >= played.decisions).all()
    assert (played.forced <= played.decisions).all() and played.branching >= 1
    again = rollout.play(game, "random", seeds=played.seeds[50:60])
    for name in ("states", "returns", "decisions", "options", "forced"):
        assert content(getattr(again, name)) == content(getattr(played, name)[50:60])
    alone = Alone(game)
    for i in range(20):
        alone.states[:] = played.states[i : i + 1]
        alone.driver.outcome(alone.states, game.rules, alone.returns)
        assert (alone.returns == played.returns[i]).all()
        assert np.abs(alone.returns).max() <= 1


def test_policies_are_told_apart(game):
    random, heuristic = (rollout.play(game, name, 300, seed=1) for name in ("random", "heuristic"))
    assert content(random.states) != content(heuristic.states)
    codes = np.zeros((300, game.n_seats), np.int64)
    codes[1::2] = 1
    mixed = rollout.play(game, codes, 300, seed=1)
    assert content(mixed.states[::2]) == content(random.states[::2])
    assert content(mixed.states[1::2]) == content(heuristic.states[1::2])
    by_name = rollout.play(game, ["heuristic"] + ["random"] * (game.n_seats - 1), 10)
    by_code = rollout.play(game, (np.arange(game.n_seats) == 0).astype(int), 10)
    assert content(by_name.states) == content(by_code.states)
    for wrong in ("best", ["random"], np.full(game.n_seats, 2), np.zeros(game.n_seats)):
        with pytest.raises(ValueError, match="policies: "):
            rollout.play(game, wrong, 10)


def test_games_go_on_from_given_states(game):
    batch = Batch(game, 10, 1)
    batch.reset()
    before = content(batch.states)
    played = rollout.play(game, "heuristic", states=batch.states, seeds=batch.seeds)
    assert content(batch.states) == before
    assert facts(game, played.states) == facts(game, rollout.play(game, "heuristic", seeds=batch.seeds).states)
    with pytest.raises(ValueError, match="as many as"):
        rollout.play(game, "random", 3, states=batch.states)
    with pytest.raises(ValueError, match="seeds: "):
        rollout.play(game, "random", seeds=[-1])


def test_playouts(game):
    batch = Batch(game, 1, 1)
    batch.reset()
    before = content(batch.states)
    total, decisions = rollout.playouts(game, batch.states, 200, seed=4)
    assert content(batch.states) == before
    assert total.shape == (game.n_seats,) and np.abs(total).max() <= 200 and decisions >= 200
    assert (rollout.playouts(game, batch.states, 200, seed=4)[0] == total).all()
    assert rollout.playouts(game, batch.states, 200, seed=5)[1] != decisions
    assert rollout.playouts(game, batch.states, 0)[1] == 0
    rollout.playouts(game, batch.states, 5, seat=1, redeal=False)
    with pytest.raises(ValueError, match="over"):
        rollout.playouts(game, rollout.play(game, games=1).states, 5)


@pytest.mark.nojit
def test_random_play_in_one_loop(game):
    plain, seen = rollout.RandomPlay(game, 3, seed=2), rollout.RandomPlay(game, 3, seed=2, observe=True)
    ended = sum(plain.run(20) for _ in range(5))
    assert 0 < ended <= plain.episodes.sum()
    assert seen.run(100) == ended
    assert facts(game, plain.states) == facts(game, seen.states)
    assert seen.masks.any(1).all() and seen.observations.any()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_each_kernel_is_compiled_once(game):
    for options in ({}, {"seat": "random", "opponents": "heuristic", "skip_forced": True}):
        batch = Batch(game, 2, **options)
        batch.reset()
        batch.step(batch.choose("heuristic"))
        batch.step(batch.choose("random").astype(np.int32))
        batch.step(batch.choose()[:1].tolist(), [0])
        if not options:
            batch.restore(0, batch.snapshot(0))
    rollout.play(game, games=2)
    rollout.play(game, "heuristic", states=batch.states.copy())
    rollout.playouts(game, batch.states[:1], 2)
    rollout.RandomPlay(game, observe=True).run(2)
    for driver in ("batch", "rollout"):
        for name, kernel in vars(bind(game, driver)).items():
            if hasattr(kernel, "signatures"):
                assert len(kernel.signatures) <= 1, f"{driver}.{name}: {kernel.signatures}"
