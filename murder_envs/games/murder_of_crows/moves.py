"""What can be asked, and what can be answered: phases, ends, the table of actions."""

from __future__ import annotations

from murder_envs.core.tables import Actions, numbered
from murder_envs.games.murder_of_crows.cards import CARD_NAMES, LETTERS, STACK_FACES, STACKS

MAX_SEATS = 5

PHASES = (
    "start", "play", "wild", "react", "target", "take", "grab", "letter", "lose", "raze", "third_take", "third_lose",
    "third_raze", "over",
)  # fmt: skip
PHASE = numbered(PHASES)
"""What can be asked: on one's turn (start, play, wild), off turn (react), by an effect (the phases from `target` to
`raze`), and by the Murdered Third, which asks both living players (third_*)."""

THEN = numbered(("asked", "window", "effect", "turn_over", "next_turn"))
"""What is to come next between two decisions (see `play.resolve`)."""

MODES = ("", "letter", "remove")
MODE = numbered(MODES)
"""How a wild in play is used."""

ENDINGS = ("", "won", "dead", "truncated")
ENDING = numbered(ENDINGS)
"""A complete word; no card can ever move again; the step cap."""

REWARDS = ("zero_sum", "win_loss", "win_only", "progress")
REWARD = numbered(REWARDS)
"""How the end is paid, see `play.returns`."""

ACTIONS = Actions(
    {
        "draw": ["draw"],
        "skip": ["skip"],
        "play": [f"play:{name}" for name in STACK_FACES],
        "wild": ["wild:letter", "wild:remove"],
        "allow": ["allow"],
        "prevent": [f"prevent:{name}" for name in CARD_NAMES],
        "target": [f"target:{offset}" for offset in range(MAX_SEATS)],
        "pass": ["pass"],
        "letter": [f"letter:{letter}" for letter in LETTERS],
        "take": [f"take:{name}" for name in STACK_FACES],
        "lose": [f"lose:{name}" for name in STACK_FACES],
        "grab": [f"grab:{name}" for name in CARD_NAMES],
        "raze": [f"raze:{name}" for name in STACKS],
    }
)
ACT = ACTIONS.at
"""Where each block of actions starts: `ACT.play + stack_face` is an action."""
