"""What can be asked, and what can be answered: phases, public events, options of a table, the table of actions."""

from __future__ import annotations

from typing import NamedTuple

from murder_envs.core.tables import Actions, by_name, numbered
from murder_envs.games.my_murder_mystery import cards as c

NOBODY = -1
NO_LOCATION = 0

PHASES = (
    "visit", "veto_location", "talk", "reply", "leader", "veto_leader", "accuse", "answer", "tiebreak", "over",
)  # fmt: skip
PHASE = numbered(PHASES)

SPEECHES = ("full", "suspect")
SPEECH = numbered(SPEECHES)
NPC_ACCUSED = ("players_only", "spared")
"""What accusations of characters that nobody plays mean: they do not count, or such a one can be the most accused."""
NPC = numbered(NPC_ACCUSED)
REWARDS = ("win", "points", "zero_sum")
REWARD = numbered(REWARDS)


# -- Public events ----------------------------------------------------------------------------------------------------

N_EVENTS = 32
EVENT_BYTES = 5
"""An event: its kind, 1 + the seat that acts, and three arguments, the first of them in byte 2; 0 where it has none.

Locations and cards stand there by their numbers; questions, kinds of facts, seats, people and traits as 1 + the number.
"""

EVENT_ARGUMENTS: dict[str, dict[str, int]] = {
    "visit": {"location": 2},
    "veto_location": {"location": 2},
    "veto_leader": {"seat": 2},
    "reveal": {"location": 2},
    "hand": {"card": 2},
    "take": {"card": 2, "seat": 3},
    "say": {"fact": 2},  # question, kind, subject in bytes 2, 3, 4
    "ask": {"seat": 3, "question": 2},
    "suspect": {"person": 2},
    "decline": {"question": 2},
    "leader": {"seat": 2},
}
"""Event -> what a snapshot says after kind and seat, in its order, and the byte that holds it."""

EVENTS = ("", *EVENT_ARGUMENTS)
EVENT = numbered(EVENTS)

COUNTED_BYTE = by_name({name: row.get("seat", row.get("person", 0)) for name, row in EVENT_ARGUMENTS.items()})
"""Event -> the byte that holds a seat or a person, which each seat counts from itself; 0: none."""
SUBJECT_BYTE = 4
"""The same of a statement about a person."""


# -- Actions ----------------------------------------------------------------------------------------------------------


class Sizes(NamedTuple):
    """How many of everything there are in a configured game; ids and layouts follow from it."""

    seats: int
    portraits: int
    people: int
    questions: int
    traits: int
    locations: int

    @property
    def facts(self) -> int:
        """Facts about one question."""
        return 2 * self.people + 2 * self.traits


LARGEST = Sizes(c.MAX_SEATS, c.MAX_SEATS, c.MAX_PEOPLE, c.MAX_QUESTIONS, c.MAX_TRAITS, c.MAX_LOCATIONS)


def actions_of(sizes: Sizes) -> Actions:
    """The table of actions. People and seats are counted from the one who acts."""
    people, questions, others = range(sizes.people), range(sizes.questions), range(1, sizes.portraits)
    subjects = [people, people, range(sizes.traits), range(sizes.traits)]
    facts = [f"{kind}.{subject}" for kind, of_kind in zip(c.KINDS, subjects) for subject in of_kind]
    return Actions(
        {
            "pass": ["pass"],
            "veto": ["veto"],
            "visit": [f"visit:{location + 1}" for location in range(sizes.locations)],
            "leader": [f"leader:{offset}" for offset in others],
            "take": [f"take:{card}" for card in range(1, c.N_CARDS + 1)],
            "say": [f"say:{question}.{fact}" for question in questions for fact in facts],
            "ask": [f"ask:{offset}.{question}" for offset in others for question in questions],
            "suspect": [f"suspect:{person}" for person in people],
            "accuse": [f"accuse:{person}" for person in people],
            "answer": [f"answer:{person}" for person in people],
            "condemn": [f"condemn:{person}" for person in people],
        }
    )


STARTS = actions_of(LARGEST).starts
"""The blocks of actions; where they start in a configured game is in the rules record, as `do_<block>`."""
N_WORDS = actions_of(LARGEST).n_words
PASS, VETO = STARTS["pass"], STARTS["veto"]
"""These two come first whatever the sizes are."""
