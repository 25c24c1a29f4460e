"""What can be asked, and what can be answered: phases, the record's entries, the table of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.tables import Actions, numbered
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.case import Case

STAGES = ("planning", "murderer", "detective", "flight", "accusation", "over")
"""The parts of the game as both see them: what the murderer does in his turn does not show before it is done."""

_PHASES: dict[str, tuple[int, str]] = {
    "plan_suspect": (c.MURDERER, "planning"),
    "plan_path": (c.MURDERER, "planning"),
    "plan_weapon": (c.MURDERER, "planning"),
    "murderer_turn": (c.MURDERER, "murderer"),
    "remove_pick": (c.MURDERER, "murderer"),
    "remove_top": (c.MURDERER, "murderer"),
    "clean_card": (c.MURDERER, "murderer"),
    "clean_room": (c.MURDERER, "murderer"),
    "mark_trace": (c.MURDERER, "murderer"),
    "mark_clue": (c.MURDERER, "murderer"),
    "clean_any": (c.MURDERER, "murderer"),
    "steal": (c.MURDERER, "murderer"),
    "search_pile": (c.MURDERER, "murderer"),
    "search_card": (c.MURDERER, "murderer"),
    "flee": (c.MURDERER, "flight"),
    "detective_turn": (c.DETECTIVE, "detective"),
    "split": (c.DETECTIVE, "detective"),
    "request_keep": (c.MURDERER, "detective"),
    "discard": (c.DETECTIVE, "detective"),
    "discard_marker": (c.DETECTIVE, "detective"),
    "accuse_suspect": (c.DETECTIVE, "accusation"),
    "accuse_weapon": (c.DETECTIVE, "accusation"),
    "accuse_entry": (c.DETECTIVE, "accusation"),
    "over": (NO_SEAT, "over"),
}
"""phase -> who is asked, and the stage. The phases of action cards, `mark_trace` to `search_pile`, are in the order of
the cards."""
PHASES = tuple(_PHASES)
PHASE = numbered(PHASES)
SEAT_OF = np.array([seat for seat, _ in _PHASES.values()])
STAGE_OF = np.array([STAGES.index(stage) for _, stage in _PHASES.values()])

THEN = numbered(("asked", "murderer_done", "action_done", "round_begins"))
"""What is to come next between two decisions: nothing, since somebody is asked; the end of an action of the murderer or
of the detective; a round."""

PILES = ("", *c.KINDS)
"""The pile that an action has named."""
FLIGHTS = ("", "stayed", "fled")
FLIGHT = numbered(FLIGHTS)
VERDICTS = ("", *c.AGENTS)
"""Who has won."""

EVENTS = (
    "", "remove", "clean", "up", "down", "pass", "stay", "flee", "search", "door", "request", "play", "discard",
    "accuse",
)  # fmt: skip
"""What the record has entries of; an action card lies face up or down."""
EVENT = numbered(EVENTS)
LOOKS = ("blank", "x", "known")
"""What a look under a marker shows; nothing new if it was looked at before."""
LOOK = numbered(LOOKS)

PLANS = ("choose", "random")
PLAN = numbered(PLANS)
REWARDS = ("outcome", "graded", "swift")
REWARD = numbered(REWARDS)

BLOCKS: dict[str, Callable[[Case], Iterable[object]] | None] = {
    "suspect": lambda case: case.suspects,
    "weapon": lambda case: case.weapons,
    "room": lambda case: case.rooms,
    "search": lambda case: [name for room, name in enumerate(case.rooms) if room != case.scene],
    "door": lambda case: case.doors,
    "room_card": lambda case: range(1, len(case.room_cards) + 1),
    "card": lambda case: case.fields,
    "play": lambda case: case.fields,
    "marker": lambda case: case.fields,
    "bonus": lambda case: c.ACTION_CARDS,
    "pile": lambda case: c.KINDS,
    "remove": lambda case: c.KINDS,
    "clean": None,
    "pass": None,
    "end_turn": None,
    "stay": None,
    "flee": None,
    "request": lambda case: c.KINDS,
    "split": lambda case: range(c.FROM_TOP + 1),
    "discard": None,
    "accuse": None,
}
"""The blocks of actions, and over what a block's argument goes in a case; None: one action without an argument. Where a
block starts follows from the case, so that it is a field of Rules: `rules.act_card + field` is an action."""


def actions_of(case: Case) -> Actions:
    """The table of actions of a case: `card:oil`, `split:2`, `flee`."""
    return Actions(
        {
            block: [block] if arguments is None else [f"{block}:{argument}" for argument in arguments(case)]
            for block, arguments in BLOCKS.items()
        }
    )
