"""What there is to see: the blocks of the observation and of the state vector, whose sizes follow from the case.

Where a block starts in a configured game is in the rules record, as `obs_<block>` and `world_<block>`.
"""

from __future__ import annotations

from murder_envs.core.tables import Layout
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery.moves import EVENT_BYTES, EVENTS, LARGEST, N_EVENTS, PHASES, Sizes

SIGN = "1: the answer has the trait, -1: it has not, 0: nothing known"
_KINDS_OF_EVENT = ", ".join(f"{kind} {name}" for kind, name in enumerate(EVENTS) if name)

_Rows = list[tuple[str, int | tuple[int, ...], int, int, str]]


def table_rows(sizes: Sizes) -> _Rows:
    """The blocks that both vectors begin with: what lies open on the table.

    There are as many columns of seats as portraits: the sizes do not tell how many of them are played.
    """
    n, people, questions, traits, places = sizes[1:]
    return [
        ("phase", len(PHASES), 0, 1, "what is being asked, one-hot"),
        ("to_act", n, 0, 1, "seat asked, one-hot; 0s when over"),
        ("players", n, 0, 1, "1 for each seat in the game"),
        ("round", 1, 1, c.MAX_LOCATIONS - 1, "number of this round"),
        ("leader", n, 0, 1, "the Leader, one-hot"),
        ("tokens", n, 0, c.MAX_TOKENS, "action tokens left"),
        ("chosen", places, 0, 1, "location under veto now, one-hot"),
        ("vetoed_location", places, 0, 1, "location vetoed in this round, one-hot"),
        ("nominee", n, 0, 1, "next Leader under veto now, one-hot"),
        ("vetoed_leader", n, 0, 1, "next Leader vetoed in this round, one-hot"),
        ("talk", 3, 0, max(c.MAX_TALK, n - 1), "finished rounds of this talk; finished turns of this one; final"),
        ("question", questions, 0, 1, "asked for a reply; or to be answered now, for the seat to act; one-hot"),
        ("traits", (people, traits), 0, 1, "1: the character has the trait"),
        ("kind", (people, 3), 0, 1, "one-hot: played, portrait that is out, extra"),
        ("theme", (places, questions), 0, 1, "question that a location bears on, one-hot"),
        ("location", (places, 3), 0, c.N_CARDS, "revealed; as which, from 1; card handed out"),
    ]


def card_rows(sizes: Sizes) -> _Rows:
    """Where the top secret cards are."""
    return [
        ("card_state", c.N_CARDS, -1, sizes.portraits, "-1: not in play, 0: in the stack, else 1 + holder"),
        ("card_read", (c.N_CARDS, sizes.portraits), 0, 1, "who has read the card"),
    ]


def talk_rows(sizes: Sizes) -> _Rows:
    """What was said."""
    n, people, questions, traits, _ = sizes[1:]
    return [
        ("claims_who", (n, questions, people), -1, 1, "a player's latest statement: 1 is, -1 is not"),
        ("claims_trait", (n, questions, traits), -1, 1, "a player's latest statement: 1 has, -1 lacks"),
        ("suspicions", (n, people), 0, 1, "whom a player named last, one-hot"),
    ]


def end_rows(sizes: Sizes) -> _Rows:
    """How it ended, and what happened last."""
    arguments = f"newest first: kind ({_KINDS_OF_EVENT}), actor + 1, and three arguments"
    return [
        ("accused", sizes.people, 0, 1, "at the end: the most accused, one-hot"),
        ("eliminated", sizes.portraits, 0, 1, "at the end: the player who is out, one-hot"),
        ("events", (N_EVENTS, EVENT_BYTES), 0, c.N_CARDS, arguments),
    ]


def observation_of(sizes: Sizes) -> Layout:
    """The layout of the observation: seats and characters as the looker counts them.

    Beside what lies open it has the looker's own cards, the backs that it has read, and what all of these say together:
    `known_traits` and `candidates`, which follow from the rest, but spare a learner the deduction.
    """
    n, people, questions, traits, places = sizes[1:]
    return Layout(
        [
            *table_rows(sizes),
            ("location_facts", (places, questions, traits), -1, 1, f"of revealed locations. {SIGN}"),
            *card_rows(sizes),
            ("card_facts", (c.N_CARDS, questions, traits), -1, 1, f"of cards that I have read. {SIGN}"),
            (
                "card_clears",
                (c.N_SETUP_CARDS, questions, people),
                0,
                1,
                "cards 9, 10, 11, if I have read them: cleared",
            ),
            ("role", questions, 0, 1, "1: I am the answer"),
            ("story", (questions, people), 0, 1, "1: my own cards clear this character"),
            ("objective_accuse", 1, 0, c.MAX_POINTS, "points for the right accusation"),
            ("objective_answer", questions, 0, c.MAX_POINTS, "points for the right answer"),
            ("objective_hide", (questions, 2), 0, c.MAX_LIMIT, "points for a kept secret; how many others may name it"),
            ("known_traits", (questions, traits), -1, 1, f"from all that I was shown. {SIGN}"),
            ("candidates", (questions, people), 0, 1, "1: of the pool, and not excluded by a fact that I was shown"),
            *talk_rows(sizes),
            ("accusation", people, 0, 1, "whom I have written down, one-hot"),
            ("answers", (questions, people), 0, 1, "what I have answered so far, one-hot"),
            ("accusations", (n, people), 0, 1, "after the pointing: whom each accuses, one-hot"),
            *end_rows(sizes),
        ]
    )


def world_of(sizes: Sizes) -> Layout:
    """The layout of the state vector: absolute seats, characters in the order of the case.

    All backs, stories, objectives and answers are in it.
    """
    n, people, questions, traits, places = sizes[1:]
    return Layout(
        [
            *table_rows(sizes),
            ("cast", (n, people), 0, 1, "whom a seat plays, one-hot"),
            ("solution", (questions, people), 0, 1, "the answers, one-hot"),
            ("location_backs", (places, questions, traits), -1, 1, f"of all locations. {SIGN}"),
            ("location_hands", places, 0, c.N_CARDS, "card that a location hands out, or 0"),
            *card_rows(sizes),
            ("card_backs", (c.N_CARDS, questions, traits), -1, 1, f"of all cards. {SIGN}"),
            ("card_clears", (c.N_SETUP_CARDS, questions, people), 0, 1, "cards 9, 10, 11: cleared"),
            ("stories", (n, questions, people), 0, 1, "whom a seat's own cards clear"),
            ("objectives", (n, 1 + 3 * questions), 0, c.MAX_POINTS, "accuse; answers; hide and limit, by question"),
            *talk_rows(sizes),
            ("accusations", (n, people), 0, 1, "whom each has written down, one-hot"),
            ("answers", (n, questions, people), 0, 1, "what each has answered, one-hot"),
            *end_rows(sizes),
        ]
    )


OBSERVATION_BLOCKS = tuple(observation_of(LARGEST))
WORLD_BLOCKS = tuple(world_of(LARGEST))
