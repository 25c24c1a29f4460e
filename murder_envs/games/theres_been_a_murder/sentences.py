"""What a seat is asked, what an action means, and what a seat is told, in sentences. Never compiled.

A reader is a seat, or None for somebody who sees everything from above. What happened is read from the public events
that a step has entered; which cards they were about, where that is not public, from the hands before and after it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import Wording, listed
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS, NAMES, RATINGS
from murder_envs.games.theres_been_a_murder.moves import ACT, ACTIONS, ENDINGS, PHASES, TELLS_ALL
from murder_envs.games.theres_been_a_murder.snapshots import events_of, results, table_of
from murder_envs.games.theres_been_a_murder.state import N_EVENTS, PLACE

DOES = {
    "detective": "a player must discard a card",
    "cad": "two other players swap a card",
    "socialite": "{who} [swaps|swap] a card with another player",
    "swain": "{who} [draws|draw] a card, then another player takes one of {whose} cards at random",
    "gossip": "everybody passes a card to the left",
    "invalid": "another player passes {who} a card",
    "doctor": "a discarded card goes back into the deck",
    "secretary": "{who} [looks|look] through the deck and may discard a card of it",
    "butler": "the top card of the deck is announced",
    "maid": "both neighbours show {who} a card",
    "driver": "{who} [looks|look] at the top three cards of the deck and [keeps|keep] one",
    "nun": "{who} [puts|put] a card under the deck",
    "seer": "{who} [looks|look] at the bottom card of the deck and may put it on top",
    "hound": "{who} [names|name] a card and [learns|learn] who holds it",
    "reporter": "a random card of a neighbour is shown to all",
}
"""Name in CARD of an Action -> what it does when it is played (Card List & Guide)."""
DOES_BY_CARD = {getattr(CARD, name): text for name, text in DOES.items()}

AIMS = {
    CARD.detective: "who must discard a card",
    CARD.swain: "who takes one of {whose} cards at random",
    CARD.invalid: "who must pass {them} a card",
    CARD.socialite: "to swap a card",
    CARD.reporter: "one of whose cards, at random, is shown to all",
}
"""Effect under way -> what becomes of the player who is chosen for it."""

END_TEXTS = {
    "detective": "The Murderer is discarded: all players win",
    "confidant": "The Murderer was passed to the holder of the Confidant: all players win",
    "witness": "The Murderer was passed to the holder of the Witness: all players lose",
    "deck": "A card has to be drawn and cannot be: all players lose",
    "dead_end": "The game can no longer be won: all players lose",
    "turn_limit": "The turns are used up: all players lose",
}


def card_name(card: int) -> str:
    """`the Maid (17)`."""
    return f"the {NAMES[card]} ({card})"


def cards_named(cards: list[int]) -> str:
    """`the Maid (17) and the Nun (21)`."""
    return listed(card_name(card) for card in cards)


class Table:
    """A state as a reader sees it: names, hands, and whose move it is."""

    def __init__(self, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.n = int(rules[0]["n_seats"])
        self.wording = Wording([f"player_{seat}" for seat in range(self.n)], reader)
        self.state, self.s = state, state[0]
        self.phase = PHASES[self.s["phase"]]
        self.seat, self.turn, self.effect = (int(self.s[name]) for name in ("to_act", "turn", "effect"))
        self.targets = [int(seat) for seat in self.s["targets"]]

    def hand(self, seat: int) -> list[int]:
        """The cards that a seat holds."""
        return members_of(self.s["hand"][seat])

    def deck(self) -> list[int]:
        """The deck, top first."""
        return [int(card) for card in self.s["deck"][: self.s["deck_n"]]][::-1]

    def whose(self, seat: int) -> str:
        """ "your", or a name: whose something is."""
        return self.wording.owner(seat)

    def taker(self, giver: int) -> int:
        """To whom the card goes that a seat passes in the effect under way."""
        if self.effect == CARD.gossip:
            return (giver + 1) % self.n
        if self.effect == CARD.cad:
            return self.targets[1] if giver == self.targets[0] else self.targets[0]
        return self.targets[0] if giver == self.turn else self.turn


# -- What is asked ------------------------------------------------------------------------------------

QUESTIONS = {
    "announce": "{who} [holds|hold] the Drunk and may tell what {they} know[s|] about where cards are",
    "signal": "{who} may send a symbol",
    "play": "{who} must play a card",
    "target": "{who} [chooses|choose] a player",
    "target2": "{who} [chooses|choose] the second of two players who swap a card",
    "discard": "{who} must discard a card",
    "pass": "{who} [chooses|choose] a card to pass to {taker}",
    "show": "{who} [chooses|choose] a card to show to {actor}",
    "bury": "{who} [puts|put] a card of {whose} hand under the deck",
    "rescue": "{who} [shuffles|shuffle] a card of the discard pile back into the deck",
    "search": "{who} [looks|look] through the deck and may discard a card of it",
    "pick": "{who} [keeps|keep] one of the top cards of the deck",
    "seer": "{who} [decides|decide] whether the bottom card of the deck goes on top",
    "name": "{who} [names|name] a card and will learn who holds it",
}


def asked(rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """What the seat to act is asked, as a sentence for a reader; at the end how the game ended."""
    table = Table(rules, state, reader)
    if table.phase == "over":
        return end_text(state)
    seat = table.seat
    mine = seat == reader
    return table.wording.sentence(
        QUESTIONS[table.phase],
        seat,
        they="you" if mine else "they",
        whose="your" if mine else "their",
        taker=table.wording.name(table.taker(seat)) if table.phase == "pass" else "",
        actor=table.wording.name(table.turn),
    ).replace("they knows", "they know")


def end_text(state: np.ndarray) -> str:
    """How the game ended, with the score and its row of the score chart."""
    ending = ENDINGS[state[0]["ending"]]
    result = results(state)
    if not result["won"]:
        return f"{END_TEXTS[ending]}."
    row = RATINGS[len(RATINGS) - 1 - result["rating"]][1]
    points = "point" if result["score"] == 1 else "points"
    return f"{END_TEXTS[ending]}, with {result['score']} {points}: {row}."


# -- What an action means -----------------------------------------------------------------------------


def describe(rules: np.ndarray, state: np.ndarray, action: int, reader: int | None) -> str:
    """What a legal action means, as a sentence for a reader; a card placed face down stays so for others."""
    table = Table(rules, state, reader)
    block = max((start, name) for name, start in ACTIONS.starts.items() if start <= action)[1]
    number = action - ACTIONS.starts[block]
    if block == "play":
        return play_sentence(table, number + 1)
    if block == "target":
        return target_sentence(table, (table.turn + number) % table.n)
    if block == "give":
        return give_sentence(table, number + 1)
    if block == "take":
        return take_sentence(table, number + 1)
    say = {
        "discard": "{who} [discards|discard] the Aristocrat (20) and with it every Action in {whose} hand",
        "raise": "{who} [puts|put] the bottom card of the deck on top",
        "leave": (
            "{who} [leaves|leave] the bottom card of the deck where it is"
            if table.phase == "seer"
            else "{who} [discards|discard] no card of the deck"
        ),
        "name": f"{{who}} [asks|ask] who holds {card_name(number + 1)}",
        "tell": f"{{who}} [tells|tell] all that {{they}} know about where {card_name(number + 1)} is",
        "tell_all": "{who} [tells|tell] all that {they} know about where cards are",
        "hush": "{who} [says|say] no more" if table.phase == "announce" else "{who} [sends|send] no symbol",
        "signal": f"{{who}} [sends|send] symbol {number}",
    }[block]
    mine = table.seat == reader
    they, whose = ("you", "your") if mine else ("they", "their")
    return table.wording.sentence(say, table.seat, they=they, whose=whose)


def play_sentence(table: Table, card: int) -> str:
    """A card is played, and what it does."""
    effect = int(table.s["last_action"]) if card == CARD.monkey else card
    does = DOES_BY_CARD.get(effect, "nothing happens")
    if card == CARD.monkey and effect:
        does = f"it does what {card_name(effect)} does, so {does}"
    mine = table.seat == table.wording.reader
    say = "{who} [plays|play] " + card_name(card) + ": "
    told = table.wording.sentence(say + does, table.seat, whose="your" if mine else "their")
    return told


def target_sentence(table: Table, target: int) -> str:
    """A player is chosen, and for what."""
    wording, actor = table.wording, table.seat
    name = wording.name(target) if target != actor else ("yourself" if actor == wording.reader else "themselves")
    if table.phase == "target2":
        first = wording.name(table.targets[0])
        return wording.sentence(
            "{who} [chooses|choose] {name} to swap a card with {first}", actor, name=name, first=first
        )
    if table.effect == CARD.cad:
        return wording.sentence(
            "{who} [chooses|choose] {name} as the first of two players who swap a card", actor, name=name
        )
    mine = actor == wording.reader
    aim = AIMS[table.effect].format(whose=wording.owner(actor), them="you" if mine else wording.name(actor))
    if target == wording.reader and target != actor:
        aim = aim.replace("who takes", "and you take").replace("one of whose cards", "and one of your cards")
        aim = aim.replace("who must", "and you must")
    if target == actor:
        aim = "to discard a card"
    comma = "" if aim.startswith("to ") else ","
    return wording.sentence("{who} [chooses|choose] {name}{comma} {aim}", actor, name=name, comma=comma, aim=aim)


def give_sentence(table: Table, card: int) -> str:
    """A card of the hand is passed, shown, discarded or buried."""
    wording, seat = table.wording, table.seat
    if table.phase == "discard":
        return wording.sentence("{who} [discards|discard] {card}", seat, card=card_name(card))
    thing = card_name(card) if wording.sees(seat) else "a card"
    if table.phase == "bury":
        return wording.sentence("{who} [puts|put] {thing} under the deck", seat, thing=thing)
    verb, other = ("pass", table.taker(seat)) if table.phase == "pass" else ("show", table.turn)
    say = "{who} [places|place] {thing} face down, to {verb} to {other}"
    return wording.sentence(say, seat, thing=thing, verb=verb, other=wording.name(other))


def take_sentence(table: Table, card: int) -> str:
    """A card of the discard pile, or of the deck."""
    wording, seat = table.wording, table.seat
    if table.phase == "rescue":
        return wording.sentence("{who} [shuffles|shuffle] {card} back into the deck", seat, card=card_name(card))
    if table.phase == "search":
        return wording.sentence("{who} [discards|discard] {card} from the deck", seat, card=card_name(card))
    if wording.sees(seat):
        return wording.sentence("{who} [keeps|keep] {card}", seat, card=card_name(card))
    return wording.sentence("{who} [keeps|keep] one of the top cards of the deck", seat)


# -- What is told -------------------------------------------------------------------------------------


def told(
    rules: np.ndarray, before: np.ndarray | None, action: int | None, after: np.ndarray, reader: int | None
) -> list[str]:
    """The sentences that a reader is told of a step; with `before` None, as the game begins."""
    if before is None or action is None:
        return list(opening(rules, after, reader))
    return list(Step(rules, before, action, after, reader).sentences())


def opening(rules: np.ndarray, state: np.ndarray, reader: int | None) -> Iterator[str]:
    """Who one is, what hands one sees, whose turn it is."""
    table = Table(rules, state, reader)
    if reader is not None:
        yield f"You are player_{reader} of {table.n} players, who all win or lose together."
    for seat in range(table.n):
        if table.wording.sees(seat):
            yield table.wording.sentence("{who} [holds|hold] {cards}", seat, cards=cards_named(table.hand(seat)))
        elif CARD.drunk in table.hand(seat):
            yield table.wording.sentence("{who} [has|have] the Drunk (8)", seat)
    yield from new_turn(table)


def new_turn(table: Table) -> Iterator[str]:
    """Whose turn it is; or that the game is over."""
    if table.phase == "over":
        yield end_text(table.state)
    else:
        yield f"It is {table.whose(table.turn)} turn."
        yield from looks(table)


def looks(table: Table) -> Iterator[str]:
    """What the actor looks at in the deck, for who sees it."""
    n = {"search": len(table.deck()), "pick": 3}.get(table.phase)
    if table.phase not in ("search", "pick", "seer") or not table.wording.sees(table.turn):
        return
    if table.phase == "seer":
        cards, where = table.deck()[-1:], "at the bottom of the deck"
    else:
        cards, where = table.deck()[:n], "in the deck, from the top"
    yield table.wording.sentence(
        "{who} alone [sees|see] {where}: {cards}", table.turn, where=where, cards=cards_named(cards)
    )


TOLD_BY_ACT = ("play", "discard", "target", "bury", "rescue", "search", "pick", "seer", "name", "tell", "signal")
"""Events that are an act itself, of which `describe` tells."""


class Step:
    """One decision and what followed from it, for a reader."""

    def __init__(
        self, rules: np.ndarray, before: np.ndarray, action: int, after: np.ndarray, reader: int | None
    ) -> None:
        self.rules, self.action, self.reader = rules, action, reader
        self.before, self.after = Table(rules, before, reader), Table(rules, after, reader)
        self.state_before, self.at_the_end, self.wording = before, after, self.before.wording
        n_new = (int(self.before.s["events_at"]) - int(self.after.s["events_at"])) % N_EVENTS
        self.events = events_of(after)[-n_new:] if n_new else []
        self.passes = self.all_passes()

    def sentences(self) -> Iterator[str]:
        """The act, then all that follows, in order."""
        yield describe(self.rules, self.state_before, self.action, self.reader)
        yield from self.answer()
        yield from self.said()
        if self.placed_last():
            yield from (self.pass_sentence(*each) for each in self.passes)
            yield from self.shows()
        own = self.own_event()
        drawn: set[int] = set()
        for kind, seat, other, argument in self.events[own:]:
            if kind == "draw":
                if seat not in drawn:
                    drawn.add(seat)
                    yield self.draws(seat)
            elif kind == "pass" and not self.placed_last():
                yield from (self.pass_sentence(*each) for each in self.passes)
            elif kind not in ("pass", "show"):
                yield self.event(kind, seat, other, argument)
        if self.after.s["turns"] != self.before.s["turns"] or self.after.phase == "over":
            yield from new_turn(self.after)
            yield from self.no_draw(drawn)
        elif self.after.phase != self.before.phase:
            yield from looks(self.after)

    def own_event(self) -> int:
        """1 if the first new event is the act itself, which `describe` has told; else 0."""
        told_by_act = {
            "play",
            "discard",
            "target",
            "bury",
            "rescue",
            "search",
            "pick",
            "seer",
            "name",
            "tell",
            "signal",
        }
        return int(bool(self.events) and self.events[0][0] in told_by_act)

    def placed_last(self) -> bool:
        """Was this the last card to be placed face down, so that all move or are shown?"""
        if self.before.phase not in ("pass", "show"):
            return False
        return (self.after.phase, self.after.s["turns"]) != (self.before.phase, self.before.s["turns"])

    def chosen(self) -> dict[int, int]:
        """Seat -> the card that it has placed face down, this act included."""
        cards = {seat: int(self.before.s["chosen"][seat]) for seat in range(self.before.n)}
        cards[self.before.seat] = self.action - ACT.give + 1
        return {seat: card for seat, card in cards.items() if card}

    def all_passes(self) -> list[tuple[int, int, int]]:
        """(giver, taker, card) of all cards that change hands in this step."""
        if self.before.phase == "pass":
            return (
                [(seat, self.before.taker(seat), card) for seat, card in self.chosen().items()]
                if (self.placed_last())
                else []
            )
        if self.before.phase == "target" and self.before.effect == CARD.swain:
            lost = set(self.before.hand(self.before.turn)) - set(self.after.hand(self.before.turn))
            return [(self.before.turn, self.after_target(), card) for card in lost]
        return []

    def after_target(self) -> int:
        """The player chosen by this act."""
        return (self.before.turn + self.action - ACT.target) % self.before.n

    def pass_sentence(self, giver: int, taker: int, card: int) -> str:
        """A card changes hands; both ends see it, and all see the Drunk."""
        sees = self.wording.sees(giver) or self.wording.sees(taker) or card == CARD.drunk
        thing = card_name(card) if sees else "a card"
        if self.before.effect == CARD.swain:
            say = "{who} [takes|take] {thing} from {whom}"
            return self.wording.sentence(say, taker, thing=thing, whom=self.wording.name(giver))
        say = "{who} [passes|pass] {thing} to {whom}"
        return self.wording.sentence(say, giver, thing=thing, whom=self.wording.name(taker))

    def shows(self) -> Iterator[str]:
        """17. The Maid: what both neighbours show the actor."""
        if self.before.phase != "show":
            return
        actor = self.before.turn
        for seat, card in self.chosen().items():
            sees = self.wording.sees(seat) or self.wording.sees(actor)
            thing = card_name(card) if sees else "a card"
            yield self.wording.sentence(
                "{who} [shows|show] {whom} {thing}", seat, whom=self.wording.name(actor), thing=thing
            )

    def answer(self) -> Iterator[str]:
        """23. The Faithful Hound: who holds the card that was named, for the actor alone."""
        actor = self.before.seat
        if self.before.phase != "name" or not self.wording.sees(actor):
            return
        card = self.action - ACT.name + 1
        holders = [seat for seat in range(self.before.n) if seat != actor and card in self.before.hand(seat)]
        whom = self.wording.name(holders[0]) if holders else "nobody else"
        yield self.wording.sentence("{who} alone [learns|learn] that {whom} holds it", actor, whom=whom)

    def said(self) -> Iterator[str]:
        """8. The Drunk: where a card can be of which its holder has told, or where cards must be, as all know now."""
        if self.before.phase != "announce":
            return
        n = self.before.n
        places = [(f"with {self.wording.name(seat)}", PLACE.hands + seat) for seat in range(n)]
        deck = "in the upper part of the deck" if self.before.s["lower_n"] else "in the deck"
        places += [(deck, PLACE.upper), ("in the lower part of the deck", PLACE.lower), ("removed", PLACE.out)]
        told = self.action - ACT.tell + 1
        for card in [told] if ACT.tell <= self.action < ACT.tell_all else range(1, N_CARDS + 1):
            was, now = (
                [name for name, place in places if int(table_of(state, n)[place]) >> card & 1]
                for state in (self.state_before, self.at_the_end)
            )
            if card == told or (len(now) == 1 and now != was):
                yield self.wording.sentence(
                    f"All know now that {card_name(card)} is {listed(now, 'or')}", self.before.seat
                )

    def draws(self, seat: int) -> str:
        """What a seat has drawn in this step; others see backs."""
        n = sum(kind == "draw" and who == seat for kind, who, _, _ in self.events)
        how_many = "a card" if n == 1 else f"{n} cards"
        if not self.wording.sees(seat):
            return self.wording.sentence("{who} [draws|draw] {how_many}", seat, how_many=how_many)
        passed = {card for _, taker, card in self.passes if taker == seat}
        cards = [card for card in self.after.hand(seat) if card not in self.before.hand(seat) and card not in passed]
        if self.before.phase == "pick" and seat == self.before.seat:
            cards = [card for card in cards if card != self.action - ACT.take + 1]
        if len(cards) == n:
            return self.wording.sentence("{who} [draws|draw] {cards}", seat, cards=cards_named(cards))
        # The Detective may have been drawn and sent back by the Blackmailer, once or more often.
        kept = cards_named(cards) if cards else "none of them"
        return self.wording.sentence(
            "{who} [draws|draw] {how_many} and [keeps|keep] {kept}", seat, how_many=how_many, kept=kept
        )

    def no_draw(self, drawn: set[int]) -> Iterator[str]:
        """20. The Aristocrat: who has too few cards and does not draw holds it."""
        seat = self.after.turn
        if self.after.phase != "over" and len(self.after.hand(seat)) < 2 and seat not in drawn:
            yield self.wording.sentence("{who} [does|do] not draw, and so [holds|hold] the Aristocrat (20)", seat)

    def event(self, kind: str, seat: int, other: int, argument: int) -> str:
        """A public event that is no act of its own."""
        whom = self.wording.name(other) if other != NO_SEAT else ""
        card = card_name(argument) if 0 < argument < TELLS_ALL else ""
        say = {
            "discard": "{who} [discards|discard] {card}",
            "butler": f"The top card of the deck is announced: {card}",
            "report": f"A random card of {whom} is shown to all: {card}",
            "blackmail": "{who} [shows|show] the Blackmailer and the Detective, which is shuffled into the deck",
            "drunk": "{who} [has|have] the Drunk (8)",
        }[kind]
        return self.wording.sentence(say, seat, card=card)
