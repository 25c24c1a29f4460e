"""Many games together are the same games apart; and whole games in compiled loops."""

import copy
import dataclasses
import multiprocessing
import pickle
import sys

import numpy as np
import pytest
from numpy.lib import recfunctions

from murder_envs.core.jit import COMPILED, bind
from murder_envs.core.rng import episode_seed
from murder_envs.drivers import rollout
from murder_envs.drivers.batch import Batch
from murder_envs.drivers.chance import Chance
from murder_envs.drivers.cursor import ILLEGAL, Cursor
from murder_envs.drivers.prior import ScriptedPrior
from murder_envs.drivers.search import Search
from murder_envs.registry import GAMES
from tests.support import Table, all_configs, decisions_of, ruleset_of, through_read_only_memory

ARRAYS = (
    "states", "observations", "masks", "legal_sets", "seats", "learners", "rewards", "terminated", "truncated",
    "episodes", "seeds", "lengths", "unseen",
)  # fmt: skip
FINAL_ARRAYS = (
    "returns", "final_observations", "final_states", "final_seats", "final_lengths", "final_episodes", "final_seeds",
)  # fmt: skip


pytestmark = pytest.mark.kernels


@pytest.fixture
def ruleset(game):
    """Each registered game; what a batch does is the same for all configurations."""
    return ruleset_of(game)


def first_table(ruleset, seed, i, episode):
    """The table of this episode of game i, or of the next that is not over at once; and its number."""
    while True:
        table = Table(ruleset, episode_seed(seed, i, episode))
        if not table.over:
            return table, episode
        episode += 1


def play_forced(table):
    while len(table.legal()) == 1:
        table.act(table.legal()[0])


def waits_like(batch, i, table):
    """Does game i wait for the same decision as the table?"""
    return (
        batch.seats[i] == table.seat
        and batch.observations[i].tobytes() == table.look(table.seat)
        and np.flatnonzero(batch.masks[i]).tolist() == table.legal()
        and content(batch.states[i : i + 1]) == content(table.states)
    )


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


def test_arrays_have_the_documented_shapes(ruleset):
    batch = Batch(ruleset, 5, 1)
    batch.reset()
    size, n_actions, seats = ruleset.observation.size, ruleset.actions.n, ruleset.n_seats
    for name, dtype, shape in (
        ("observations", np.int8, (5, size)),
        ("masks", np.int8, (5, n_actions)),
        ("legal_sets", np.uint64, (5, ruleset.actions.n_words)),
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
    assert batch.states.dtype == batch.final_states.dtype == ruleset.STATE
    assert set(np.unique(batch.masks)) <= {0, 1} and batch.masks.any(1).all()


@pytest.mark.parametrize("n", [1, 3, 64])
def test_together_is_apart(ruleset, n):
    batch = Batch(ruleset, n, 5)
    batch.reset()
    tables, episodes = map(list, zip(*(first_table(ruleset, 5, i, 0) for i in range(n))))
    ended = 0
    for _ in range(decisions_of(ruleset, 2 if n > 3 else 8)):
        actions = batch.choose("random")
        ended += batch.step(actions)
        for i, table in enumerate(tables):
            actor = table.seat
            table.act(int(actions[i]))
            assert batch.terminated[i] == (table.over and not table.is_cut_off())
            assert batch.truncated[i] == (table.over and table.is_cut_off())
            if table.over:
                assert batch.returns[i].tolist() == table.returns()
                assert batch.final_seats[i] == actor and batch.rewards[i] == table.returns()[actor]
                assert batch.final_observations[i].tobytes() == table.look(actor)
                assert content(batch.final_states[i : i + 1]) == content(table.states)
                assert batch.final_seeds[i] == episode_seed(5, i, episodes[i])
                assert batch.final_lengths[i] == len(table.played)
                tables[i], episodes[i] = first_table(ruleset, 5, i, episodes[i] + 1)
            else:
                assert batch.rewards[i] == 0
            assert batch.episodes[i] == episodes[i] and waits_like(batch, i, tables[i])
    assert ended == sum(episodes) - batch.unseen.sum() > 0


@pytest.mark.parametrize("options", [{}, {"seat": "random", "opponents": "heuristic", "skip_forced": True}], ids=str)
def test_a_game_does_not_depend_on_the_size_of_its_batch(ruleset, options):
    few, many = Batch(ruleset, 3, 11, **options), Batch(ruleset, 64, 11, **options)
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


def test_skip_forced_is_the_same_game_with_its_forced_moves_played(ruleset):
    batch = Batch(ruleset, 8, 2, skip_forced=True)
    batch.reset()
    tables = [None] * 8
    ended = 0
    for _ in range(decisions_of(ruleset, 2)):
        assert (batch.masks.sum(1) > 1).all()
        actions = batch.choose("random")
        actors = batch.seats.copy()
        for i in range(8):
            if batch.lengths[i] == 0:
                tables[i] = Table(ruleset, int(batch.seeds[i]))
                play_forced(tables[i])
            assert waits_like(batch, i, tables[i])
            tables[i].act(int(actions[i]))
            play_forced(tables[i])
        ended += batch.step(actions)
        for i, table in enumerate(tables):
            assert (batch.terminated[i] | batch.truncated[i]) == table.over
            if table.over:
                assert batch.rewards[i] == table.returns()[actors[i]]
                assert batch.final_observations[i].tobytes() == table.look(actors[i])
    assert ended > 0


@pytest.mark.parametrize("opponents", ["random", "heuristic"])
def test_only_the_learning_seat_is_asked(ruleset, opponents):
    batch = Batch(ruleset, 16, 3, seat=1, opponents=opponents)
    batch.reset()
    ended = 0
    for _ in range(60):
        assert (batch.seats == 1).all() and (batch.learners == 1).all() and batch.masks.any(1).all()
        ended += batch.step(batch.choose("heuristic"))
        over = np.flatnonzero(batch.terminated | batch.truncated)
        assert (batch.final_seats[over] == 1).all()
        assert (batch.rewards[over] == batch.returns[over, 1]).all()
    assert ended > 0


def test_a_list_of_opponents_is_clockwise_from_the_learning_seat(ruleset):
    n = ruleset.n_seats
    names = ["heuristic"] + ["random"] * (n - 2)
    batch = Batch(ruleset, 32, 3, seat="random", opponents=names)
    batch.reset()
    assert set(batch.learners) == set(range(n))
    for i in range(32):
        who = int(batch.learners[i])
        assert batch._policies[i, who] == -1 and batch._policies[i, (who + 1) % n] == 1
        assert all(batch._policies[i, (who + k) % n] == 0 for k in range(2, n))


def test_opponents_that_ask_are_asked(ruleset):
    batch = Batch(ruleset, 8, 3, seat=0, opponents="ask")
    batch.reset()
    actors = set()
    for _ in range(60):
        actors |= set(batch.seats.tolist())
        batch.step(batch.choose())
        over = np.flatnonzero(batch.terminated | batch.truncated)
        assert (batch.final_seats[over] == 0).all() and (batch.rewards[over] == batch.returns[over, 0]).all()
    assert actors == set(range(ruleset.n_seats))


def test_a_single_game_replays_any_episode(ruleset):
    batch = Batch(ruleset, 4, 9, seat="random", opponents="heuristic")
    batch.reset()
    while not (batch.episodes > 2).all():
        batch.step(batch.choose())
    one = Batch(ruleset, 1, seat="random", opponents="heuristic", auto_reset=False)
    for i in range(4):
        assert batch.seeds[i] == episode_seed(9, i, int(batch.episodes[i]))
        one.start(0, int(batch.seeds[i]))
        assert one.learners[0] == batch.learners[i]
        if batch.lengths[i] == 0:
            assert (one.observations[0] == batch.observations[i]).all()


@pytest.mark.nojit
def test_an_illegal_action_changes_no_byte(ruleset):
    batch = Batch(ruleset, 3, 1)
    batch.reset()
    actions = batch.choose()
    before = bytes_of(batch)
    illegal = int(np.flatnonzero(batch.masks[2] == 0)[0])
    for wrong in (illegal, -1, ruleset.actions.n, 2**62):
        with pytest.raises(ValueError, match=rf"game 2: {wrong} \(") as error:
            batch.step([actions[0], actions[1], wrong])
        assert wrong != illegal or ruleset.actions.names[wrong] in str(error.value)
        assert bytes_of(batch) == before
    for wrong in (actions[:2], actions.astype(float), actions > 0, [[0, 0, 0]], actions[:, None, None]):
        with pytest.raises(ValueError, match="actions: "):
            batch.step(wrong)
        assert bytes_of(batch) == before
    other = batch.clone()
    batch.step(actions.astype(np.uint8))
    other.step(actions[:, None])
    assert bytes_of(batch) == bytes_of(other)


def test_some_games_can_step_alone(ruleset):
    batch = Batch(ruleset, 6, 1)
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


def test_without_auto_reset_a_finished_game_stays(ruleset):
    batch = Batch(ruleset, 4, 1, auto_reset=False)
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


def test_games_with_seeds_of_their_own(ruleset):
    """Each goes on as a single environment does: from the seed itself, then from `episode_seed(seed, 0, k)`."""
    batch = Batch(ruleset, 3, 1)
    batch.reset([5, np.int64(6), None])
    alone = {0: 5, 1: 6}
    while not (batch.episodes > 1).all():
        for i in range(3):
            k = int(batch.episodes[i])
            own = alone.get(i)
            expected = episode_seed(1, i, k) if own is None else episode_seed(own, 0, k) if k else own
            assert batch.seeds[i] == expected
        batch.step(batch.choose())
    assert batch.seed == 1
    one = Batch(ruleset, 1)
    one.reset([6])
    batch.reset([5, 6, 7])
    assert (one.observations[0] == batch.observations[1]).all() and one.choose()[0] == batch.choose()[1]
    before = bytes_of(batch)
    batch.reset(9, games=[0, 2])
    assert bytes_of(batch) != before and batch.seeds[2] == episode_seed(9, 2, int(batch.episodes[2]))
    assert batch.seeds[1] in (6, episode_seed(6, 0, int(batch.episodes[1]))) and batch.seed == 1
    for wrong in ([1], [1, 2, 3, 4], [1, 2, 3.0], [1, 2, -1], np.arange(3)):
        with pytest.raises(ValueError, match="^seed: "):
            batch.reset(wrong)


def test_snapshots_there_and_back(ruleset):
    batch = Batch(ruleset, 4, 1)
    batch.reset()
    for _ in range(7):
        batch.step(batch.choose())
    other = Batch(ruleset, 4, 2)
    other.reset()
    for i in range(4):
        other.restore(i, batch.snapshot(i))
        assert other.snapshot(i) == batch.snapshot(i)
    assert (other.observations == batch.observations).all() and (other.masks == batch.masks).all()
    other.reset(options={"snapshot": batch.snapshot(0)})
    assert (other.observations == batch.observations[0]).all()


def test_every_game_begins_from_the_snapshot(ruleset):
    """Also where opponents come first and may end the game before the learning seat has a decision."""
    table = Table(ruleset, 3)
    while len(table.played) < 8 and not table.over:
        table.act(table.legal()[0])
    batch = Batch(ruleset, 64, 1, seat="random")
    batch.reset(options={"snapshot": ruleset.snapshot(ruleset.rules, table.history[-1])})
    assert (batch.seats == batch.learners).all() and (batch.episodes == batch.unseen).all()
    assert batch.seeds.tolist() == [episode_seed(1, i, int(k)) for i, k in enumerate(batch.episodes)]


def fail_otherwise(*arguments):
    """Not by what the caller said."""
    raise MemoryError


def test_a_reset_that_fails_changes_nothing(ruleset, monkeypatch):
    monkeypatch.setattr("murder_envs.drivers.batch.PATIENCE", 5)  # so often, it restores the position that is over
    batch = Batch(ruleset, 3, 1)
    batch.reset()
    before = bytes_of(batch), batch.seed
    finished = rollout.play(ruleset, games=1).states
    for options, named in (
        ({"snapshot": {"no_such_field": 1}}, "no_such_field"),
        ({"no_such_option": 1}, "no_such_option"),
        ([], "^options: "),
        (3, "^options: "),
        ({"snapshot": ruleset.snapshot(ruleset.rules, finished)}, "snapshot"),
    ):
        with pytest.raises(ValueError, match=named):
            batch.reset(3, options)
        with pytest.raises(ValueError, match=named):
            batch.start(1, 3, options)
        assert (bytes_of(batch), batch.seed) == before
    batch.ruleset = dataclasses.replace(ruleset, restore=fail_otherwise)
    with pytest.raises(MemoryError):
        batch.reset(3, {"snapshot": {}})
    batch.ruleset = ruleset
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
        ({"seat": 0, "opponents": ""}, "opponents: "),
        ({"seat": 0, "opponents": ["random"] * 30}, "opponents: "),
        ({"seat": "all", "opponents": "random"}, "opponents: "),
        ({"skip_forced": 1}, "skip_forced: "),
        ({"auto_reset": 1}, "auto_reset: "),
        ({"pass_over": 1}, "pass_over: "),
        ({"parallel": 0}, "parallel: "),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(ruleset, options, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        Batch(ruleset, **{"n": 2, **options})


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, Batch.clone, lambda batch: pickle.loads(pickle.dumps(batch)), through_read_only_memory],
)
def test_a_copy_has_the_same_future(ruleset, copied):
    batch = Batch(ruleset, 3, 1, seat=0, opponents="heuristic")
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


def test_threads_change_nothing(ruleset):
    one, two = Batch(ruleset, 1500, 4), Batch(ruleset, 1500, 4, parallel=2)
    one.reset()
    two.reset()
    for _ in range(40):
        actions = one.choose()
        assert one.step(actions) == two.step(actions)
    assert bytes_of(one) == bytes_of(two)
    assert two._pool is not None
    two.close()


def step_and_compare(batch, actions, expected):
    """What a process that was forked off does: the same step as its parent."""
    batch.step(actions)
    sys.exit(bytes_of(batch) != expected)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_process_that_is_forked_off_has_threads_of_its_own():
    ruleset = ruleset_of(next(iter(GAMES)))
    one, two = Batch(ruleset, 1500, 4), Batch(ruleset, 1500, 4, parallel=2)
    for batch in (one, two):
        batch.reset()
        batch.step(batch.choose())
    actions = one.choose()
    one.step(actions)
    child = multiprocessing.get_context("fork").Process(
        target=step_and_compare, args=(two, actions, bytes_of(one)), daemon=True
    )
    child.start()
    child.join(60)
    assert child.exitcode == 0
    two.step(actions)
    assert bytes_of(one) == bytes_of(two)
    two.close()


# -- Whole games ------------------------------------------------------------------------------------------------------


def test_games_are_played_to_their_end(ruleset):
    played = rollout.play(ruleset, "random", 200, seed=6)
    assert played.seeds[7] == episode_seed(6, 7, 0)
    assert (played.decisions > 0).any() and (played.options >= played.decisions).all()
    assert (played.forced <= played.decisions).all() and played.branching >= 1
    again = rollout.play(ruleset, "random", seeds=played.seeds[50:60])
    for name in ("states", "returns", "decisions", "options", "forced"):
        assert content(getattr(again, name)) == content(getattr(played, name)[50:60])
    table = Table(ruleset)
    for i in range(20):
        over = table.with_states(played.states[i : i + 1])
        assert over.over and over.returns() == played.returns[i].tolist()
        assert np.abs(played.returns[i]).max() <= 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"policies": 3}, "policies: "),
        ({"policies": None}, "policies: "),
        ({"policies": ["random"] * 30}, "policies: "),
        ({"games": True}, "games: "),
        ({"seeds": 3}, "seeds: "),
        ({"seeds": [-1]}, "seeds: "),
        ({"states": [1]}, "states: "),
        ({"states": 3}, "states: "),
    ],
    ids=str,
)
def test_wrong_arguments_of_play_are_named(ruleset, arguments, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        rollout.play(ruleset, **{"policies": "random", **arguments})
    with pytest.raises(ValueError, match="^states: "):
        rollout.play(ruleset, states=np.zeros((1, 1), ruleset.STATE))
    with pytest.raises(ValueError, match="^state: "):
        rollout.playouts(ruleset, [1], 1)


STATE_DOORS = {
    "play": lambda ruleset, states: rollout.play(ruleset, states=states),
    "playouts": lambda ruleset, states: rollout.playouts(ruleset, states, 1),
    "search": lambda ruleset, states: Search(ruleset, "flat", 1).run(states),
    "chance": lambda ruleset, states: Chance(ruleset).after(states, 0),
    "cursor": lambda ruleset, states: Cursor(ruleset).place(states),
}
RULES_DOORS = {
    "play": lambda ruleset, rules: rollout.play(ruleset, games=1, rules=rules),
    "playouts": lambda ruleset, rules: rollout.playouts(ruleset, Table(ruleset).states, 1, rules=rules),
    "search": lambda ruleset, rules: Search(ruleset, "flat", 1).run(Table(ruleset).states, rules=rules),
    "chance": lambda ruleset, rules: Chance(ruleset, rules),
    "cursor": lambda ruleset, rules: Cursor(ruleset, rules),
    "deal": lambda ruleset, rules: Cursor(ruleset).deal(0, rules),
    "restore": lambda ruleset, rules: Cursor(ruleset).restore({}, 0, rules),
}


def another(ruleset):
    """The same game in another configuration."""
    return ruleset_of(ruleset.name, list(all_configs(ruleset.name))[-1])


def random_records(dtype, n):
    return np.frombuffer(np.random.default_rng(n).bytes(n * dtype.itemsize), dtype)


@pytest.mark.nojit
@pytest.mark.parametrize("door", STATE_DOORS)
def test_states_of_another_configuration_are_refused(ruleset, door):
    """All configurations have one record type, and compiled code would read and write beyond its arrays."""
    own, foreign = Table(ruleset).states, Table(another(ruleset)).states
    wrong = [foreign, random_records(ruleset.STATE, 1), np.zeros(1, ruleset.STATE), own[None], own.view(np.uint8), [1]]
    if door != "play":
        wrong += [own[:0], np.concatenate([own, own])]
    for states in wrong:
        with pytest.raises(ValueError, match="^states?: "):
            STATE_DOORS[door](ruleset, states)
    mixed = np.concatenate([own, foreign])
    with pytest.raises(ValueError, match="^states: "):
        rollout.play(ruleset, states=mixed)


@pytest.mark.nojit
@pytest.mark.parametrize("door", RULES_DOORS)
def test_rules_of_another_configuration_are_refused(ruleset, door):
    own = ruleset.rules
    unlike = own.copy()
    unlike["n_seats" if "n_seats" in own.dtype.names else "rounds"] += 1
    wrong = [another(ruleset).rules, random_records(own.dtype, 1), unlike, own[:0], own[0], np.concatenate([own, own])]
    for rules in [*wrong, own.view(np.uint8), "rules"]:
        with pytest.raises(ValueError, match="^rules: "):
            RULES_DOORS[door](ruleset, rules)


@pytest.mark.nojit
def test_rules_with_options_are_taken(ruleset):
    rules = ruleset.with_options(dict.fromkeys(ruleset.options, 0))
    assert ruleset.checked_rules(rules.copy()).tobytes() == rules.tobytes()
    assert rollout.play(ruleset, games=1, rules=rules.copy()).decisions[0] > 0
    for name in ruleset.options:
        rules[name] = 100
        with pytest.raises(ValueError, match=f"^rules: {name}: "):
            ruleset.checked_rules(rules)


@pytest.mark.nojit
def test_a_cursor_takes_no_seat_seed_or_action_that_there_is_not(ruleset):
    cursor = Cursor(ruleset)
    cursor.deal(0)
    before = cursor.snapshot()
    for seat in (-1, ruleset.n_seats, 0.5):
        with pytest.raises(ValueError, match="^seat: "):
            cursor.look(seat)
        with pytest.raises(ValueError, match="^seat: "):
            cursor.redeal(seat, 0)
    for action in (-1, ruleset.actions.n, 64 * ruleset.actions.n_words, 2**62, -(2**63)):
        assert cursor.advance(action) == ILLEGAL
    for start in (cursor.deal, lambda seed: cursor.restore({}, seed), lambda seed: cursor.redeal(0, seed)):
        for seed in (2**63, -(2**63) - 1, 0.5, "1"):
            with pytest.raises(ValueError, match="^seed: "):
                start(seed)
    assert cursor.snapshot() == before


@pytest.mark.nojit
def test_pickles_of_another_configuration_are_refused(ruleset):
    """As after an update of the package, or of a file that a configuration names."""
    batch, foreign = Batch(ruleset, 2, 1), Batch(another(ruleset), 2, 1)
    batch.reset()
    foreign.reset()
    kept = batch.__getstate__()
    for name, wrong in {"states": foreign.states, "final_states": foreign.states, "_rules": foreign._rules}.items():
        with pytest.raises(ValueError, match=f"^{name.removeprefix('_')}: "):
            Batch.__new__(Batch).__setstate__({**kept, name: wrong})


@pytest.mark.nojit
def test_no_observation_leads_the_scripted_player_astray(ruleset):
    """It looks up nothing beyond its tables (uncompiled: IndexError), and takes no action that is illegal."""
    random, prior = np.random.default_rng(7), ScriptedPrior(ruleset)
    low, high = (bound.astype(int) for bound in ruleset.observation.bounds())
    for k in range(150):
        row = random.integers(-128, 128, low.size) if k % 3 == 2 else random.integers(low, high + 1)
        row = np.where(random.random(low.size) < random.choice([0, 0.5, 0.95]), 0, row).astype(np.int8)
        mask = random.random(ruleset.actions.n) < random.choice([0.02, 0.3, 1])
        mask[random.integers(mask.size)] = True
        try:
            with np.errstate(all="ignore"):
                assert mask[prior(row[None], mask[None])[0]]
        except ValueError as error:
            assert str(error).startswith("observations: as the game gives them")


def test_policies_are_told_apart(ruleset):
    random, heuristic = (rollout.play(ruleset, name, 300, seed=1) for name in ("random", "heuristic"))
    assert content(random.states) != content(heuristic.states)
    codes = np.zeros((300, ruleset.n_seats), np.int64)
    codes[1::2] = 1
    mixed = rollout.play(ruleset, codes, 300, seed=1)
    assert content(mixed.states[::2]) == content(random.states[::2])
    assert content(mixed.states[1::2]) == content(heuristic.states[1::2])
    by_name = rollout.play(ruleset, ["heuristic"] + ["random"] * (ruleset.n_seats - 1), 10)
    by_code = rollout.play(ruleset, (np.arange(ruleset.n_seats) == 0).astype(int), 10)
    assert content(by_name.states) == content(by_code.states)
    for wrong in ("best", ["random"], np.full(ruleset.n_seats, 2), np.zeros(ruleset.n_seats)):
        with pytest.raises(ValueError, match="policies: "):
            rollout.play(ruleset, wrong, 10)


def test_games_go_on_from_given_states(ruleset):
    batch = Batch(ruleset, 10, 1)
    batch.reset()
    before = content(batch.states)
    played = rollout.play(ruleset, "heuristic", states=batch.states, seeds=batch.seeds)
    assert content(batch.states) == before
    assert facts(ruleset, played.states) == facts(ruleset, rollout.play(ruleset, "heuristic", seeds=batch.seeds).states)
    with pytest.raises(ValueError, match="as many as"):
        rollout.play(ruleset, "random", 3, states=batch.states)
    with pytest.raises(ValueError, match="seeds: "):
        rollout.play(ruleset, "random", seeds=[-1])


def test_games_go_on_with_a_first_action(ruleset):
    batch = Batch(ruleset, 10, 1, auto_reset=False)
    batch.reset()
    first = batch.choose("random")
    played = rollout.play(ruleset, "heuristic", states=batch.states, first=first, seeds=batch.seeds)
    none = rollout.play(ruleset, "heuristic", states=batch.states, first=np.full(10, -1), seeds=batch.seeds)
    assert facts(ruleset, none.states) == facts(
        ruleset, rollout.play(ruleset, "heuristic", states=batch.states, seeds=batch.seeds).states
    )
    illegal = np.where(batch.masks[3] == 0)[0][0]
    for wrong in (np.where(np.arange(10) == 3, illegal, first), np.full(10, ruleset.actions.n), np.full(10, -2)):
        with pytest.raises(ValueError, match="first: legal actions"):
            rollout.play(ruleset, "heuristic", states=batch.states, first=wrong)
    for wrong in (first[:9], first.astype(float)):
        with pytest.raises(ValueError, match="first: 10 ints"):
            rollout.play(ruleset, "heuristic", states=batch.states, first=wrong)
    with pytest.raises(ValueError, match="first: only together with states"):
        rollout.play(ruleset, "heuristic", 10, first=first)
    every_other = rollout.play(ruleset, "heuristic", states=batch.states[::2], first=first[::2], seeds=batch.seeds[::2])
    assert (every_other.returns == played.returns[::2]).all()
    batch.step(first)
    after = rollout.play(ruleset, "heuristic", states=batch.states, seeds=batch.seeds)
    assert facts(ruleset, played.states) == facts(ruleset, after.states)
    assert (played.decisions == after.decisions).all()


def test_the_scripted_prior_is_what_the_scripted_player_does(ruleset):
    """Where it draws no lots there is one answer; equal views, equal answer; legal always."""
    prior = ScriptedPrior(ruleset)
    batch = Batch(ruleset, 64, 3, skip_forced=True)
    batch.reset()
    sure = right = 0
    for _ in range(20):
        choices = np.stack([batch.choose("heuristic") for _ in range(8)])
        chosen = prior(batch.observations, batch.masks)
        assert (batch.masks[np.arange(64), chosen] == 1).all()
        alone = (choices == choices[0]).all(0)
        sure += alone.sum()
        right += (chosen == choices[0])[alone].sum()
        order = np.arange(64)[::-1]
        again = pickle.loads(pickle.dumps(prior))(batch.observations[order], batch.masks[order] != 0)
        assert (again[order] == chosen).all()
        batch.step(choices[0])
    assert right > 0.95 * sure > 64  # what is chosen eight times in eight may be a lot all the same, once in a while
    for wrong in (batch.observations[:, 1:], batch.observations[:5]):
        with pytest.raises(ValueError, match="observations: |masks: "):
            prior(wrong, batch.masks)
    with pytest.raises(ValueError, match="masks: at least one"):
        prior(batch.observations, np.zeros_like(batch.masks))


def test_playouts(ruleset):
    batch = Batch(ruleset, 1, 1)
    batch.reset()
    before = content(batch.states)
    total, decisions = rollout.playouts(ruleset, batch.states, 200, seed=4)
    assert content(batch.states) == before
    assert total.shape == (ruleset.n_seats,) and np.abs(total).max() <= 200 and decisions >= 200
    assert (rollout.playouts(ruleset, batch.states, 200, seed=4)[0] == total).all()
    assert rollout.playouts(ruleset, batch.states, 200, seed=5)[1] != decisions
    assert rollout.playouts(ruleset, batch.states, 0)[1] == 0
    rollout.playouts(ruleset, batch.states, 5, seat=1, redeal=False)
    with pytest.raises(ValueError, match="over"):
        rollout.playouts(ruleset, rollout.play(ruleset, games=1).states, 5)


@pytest.mark.nojit
def test_random_play_in_one_loop(ruleset):
    plain, seen = rollout.RandomPlay(ruleset, 3, seed=2), rollout.RandomPlay(ruleset, 3, seed=2, observe=True)
    rounds = decisions_of(ruleset, 0.7)
    ended = sum(plain.run(rounds) for _ in range(5))
    assert 0 < ended <= plain.episodes.sum()
    assert seen.run(5 * rounds) == ended
    assert facts(ruleset, plain.states) == facts(ruleset, seen.states)
    assert seen.masks.any(1).all() and seen.observations.any()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_each_kernel_is_compiled_once(ruleset):
    for options in ({}, {"seat": "random", "opponents": "heuristic", "skip_forced": True}):
        batch = Batch(ruleset, 2, **options)
        batch.reset()
        batch.step(batch.choose("heuristic"))
        batch.step(batch.choose("random").astype(np.int32))
        batch.step(batch.choose()[:1].tolist(), [0])
        if not options:
            batch.restore(0, batch.snapshot(0))
    rollout.play(ruleset, games=2)
    rollout.play(ruleset, "heuristic", states=batch.states.copy())
    rollout.playouts(ruleset, batch.states[:1], 2)
    rollout.RandomPlay(ruleset, observe=True).run(2)
    for driver in ("batch", "rollout"):
        for name, kernel in vars(bind(ruleset, driver)).items():
            if hasattr(kernel, "signatures"):
                # What all games write alike has a signature for each game that this process has played.
                most = len(GAMES) if kernel.py_func.__module__.startswith("murder_envs.core.") else 1
                assert len(kernel.signatures) <= most, f"{driver}.{name}: {kernel.signatures}"
