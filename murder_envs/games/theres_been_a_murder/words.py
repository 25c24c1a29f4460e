"""Names and states as a reader sees them; what the cards do, and how a game ended, in words. Never compiled."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import Wording, in_second_person, listed
from murder_envs.games.theres_been_a_murder.cards import CARD, NAMES, RATINGS
from murder_envs.games.theres_been_a_murder.moves import ENDINGS, PHASES, TALK
from murder_envs.games.theres_been_a_murder.snapshots import results

DOES = {
    CARD.detective: "a player must discard a card",
    CARD.cad: "two other players swap a card",
    CARD.socialite: "{who} [swaps|swap] a card with another player",
    CARD.swain: "{who} [draws|draw] a card, then another player takes one of [their|your] cards at random",
    CARD.gossip: "everybody passes a card to the left",
    CARD.invalid: "another player passes {who} a card",
    CARD.doctor: "a discarded card goes back into the deck",
    CARD.secretary: "{who} [looks|look] through the deck and may discard a card of it",
    CARD.butler: "the top card of the deck is announced",
    CARD.maid: "both neighbours show {who} a card",
    CARD.driver: "{who} [looks|look] at the top three cards of the deck and [keeps|keep] one",
    CARD.nun: "{who} [puts|put] a card of [their|your] hand under the deck",
    CARD.seer: "{who} [looks|look] at the bottom card of the deck and may put it on top",
    CARD.hound: "{who} [names|name] a card and [learns|learn] who holds it",
    CARD.reporter: "a random card of a neighbour is shown to all",
}
"""Action -> what it does when it is played (Card List & Guide); `{who}` is who plays it."""

HOLDS = {
    CARD.murderer: "cannot be chosen to pass, show, play or discard while you hold another card",
    CARD.confidant: "all win when the Murderer is passed to you",
    CARD.stranger: "whenever you choose a card to pass, show or discard, it must be this one",
    CARD.imposter: "can be played only if you hold no card with a higher number",
    CARD.witness: "all lose when the Murderer is passed to you",
    CARD.monkey: "must be played; it does what the last Action does that was played",
    CARD.drunk: "all know that you hold it; must be played; you may tell what you know at the start of any turn",
    CARD.blackmailer: "with the Detective in your hand, both are shown, and the Detective goes back into the deck",
    CARD.aristocrat: "on your turn you neither draw nor play, but discard it and all Actions in your hand",
}
"""Effect, or the Monkey -> what it means to hold it (Card List & Guide)."""

END_TEXTS = {
    "detective": "The Murderer is discarded: all players win",
    "confidant": "The Murderer was passed to the holder of the Confidant: all players win",
    "witness": "The Murderer was passed to the holder of the Witness: all players lose",
    "deck": "A card has to be drawn and cannot be: all players lose",
    "dead_end": "The game can no longer be won: all players lose",
    "turn_limit": "The turns are used up: all players lose",
}
"""Ending -> how the game ended (Game End)."""


def guide(card: int) -> str:
    """What a card in the reader's own hand does: `17 Maid: when played, both neighbours show you a card`."""
    if card in HOLDS:
        return HOLDS[card]
    return "when played, " + in_second_person(DOES[card]).format(who="you")


def card_name(card: int) -> str:
    """`the Maid (17)`."""
    return f"the {NAMES[card]} ({card})"


def cards_named(cards: Iterable[int]) -> str:
    """`the Maid (17) and the Nun (21)`."""
    return listed(card_name(card) for card in cards)


def end_text(state: np.ndarray) -> str:
    """How the game ended, with the score and its row of the score chart."""
    ending = END_TEXTS[ENDINGS[state[0]["ending"]]]
    result = results(state)
    if not result["won"]:
        return f"{ending}."
    row = RATINGS[len(RATINGS) - 1 - result["rating"]][1]
    points = "point" if result["score"] == 1 else "points"
    return f'{ending} with {result["score"]} {points}. The chart says: "{row}".'


class Table:
    """A state as a reader sees it: names, hands, and whose move it is."""

    def __init__(self, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.n = int(rules[0]["n_seats"])
        self.wording = Wording([f"player_{seat}" for seat in range(self.n)], reader)
        self.state, self.s = state, state[0]
        self.is_open = bool(rules[0]["talk"] == TALK.open)
        self.alone = "" if self.is_open else " alone"
        self.phase = PHASES[self.s["phase"]]
        self.seat, self.turn, self.effect = (int(self.s[name]) for name in ("to_act", "turn", "effect"))
        self.targets = [int(seat) for seat in self.s["targets"]]

    def sees(self, seat: int) -> bool:
        """May the reader read which cards a seat sees? With open talk everybody may (No Talking!)."""
        return self.is_open or self.wording.sees(seat)

    def hand(self, seat: int) -> list[int]:
        """The cards that a seat holds."""
        return members_of(self.s["hand"][seat])

    def deck(self) -> list[int]:
        """The deck, top first."""
        return [int(card) for card in self.s["deck"][: self.s["deck_n"]]][::-1]

    def neighbours(self) -> tuple[int, int]:
        """The seats to the left and to the right of the actor."""
        return (self.turn + 1) % self.n, (self.turn - 1) % self.n

    def taker(self, giver: int) -> int:
        """To whom the card goes that a seat passes in the effect under way."""
        if self.effect == CARD.gossip:
            return (giver + 1) % self.n
        if self.effect == CARD.cad:
            return self.targets[1] if giver == self.targets[0] else self.targets[0]
        return self.targets[0] if giver == self.turn else self.turn
