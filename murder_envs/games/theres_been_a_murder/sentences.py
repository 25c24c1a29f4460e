"""What a seat is asked, what an action means, and what a seat is told, in sentences. Never compiled.

A reader is a seat, or None for somebody who sees everything from above. What happened is read from the public events
that a step has entered; which cards they were about, where that is not public, from the hands before and after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.wording import listed
from murder_envs.games.theres_been_a_murder.cards import CARD, N_CARDS
from murder_envs.games.theres_been_a_murder.moves import ACT, ACTIONS, ENDINGS
from murder_envs.games.theres_been_a_murder.snapshots import depths_of, events_of, table_of
from murder_envs.games.theres_been_a_murder.state import N_EVENTS, PLACE
from murder_envs.games.theres_been_a_murder.words import DOES, Table, card_name, cards_named, end_text

# -- What is asked ------------------------------------------------------------------------------------

QUESTIONS = {
    "announce": "{who} [holds|hold] the Drunk and may tell what [they|you] know about where cards are",
    "signal": "{who} may send a symbol",
    "target2": "{who} must choose the second of two players who swap a card",
    "discard": "{who} must discard a card",
    "pass": "{who} must choose a card to pass to {taker}",
    "show": "{who} must choose a card to show to {actor}",
    "bury": "{who} must put a card of [their|your] hand under the deck",
    "rescue": "{who} must choose a card of the discard pile to shuffle back into the deck",
    "search": "{who} [looks|look] through the deck and may discard a card of it",
    "pick": "{who} must keep {one_of_the_top}",
    "seer": "{who} must decide whether the bottom card of the deck goes on top",
    "name": "{who} must name a card, and will learn who holds it",
}
"""Phase -> what its seat is asked; `play` and `target` have more than one question."""

AIMS = {
    CARD.detective: "a player, who must discard a card",
    CARD.cad: "the first of two players who swap a card",
    CARD.socialite: "a player to swap a card with",
    CARD.swain: "a player, who takes one of [their|your] cards at random",
    CARD.invalid: "a player, who must pass {who} a card",
    CARD.reporter: "a neighbour, one of whose cards, at random, is shown to all",
}
"""Effect under way -> whom the actor must choose for it."""


def asked(rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """What the seat to act is asked, as a sentence for a reader; at the end how the game ended."""
    table = Table(rules, state, reader)
    if table.phase == "over":
        return end_text(state)
    if table.phase == "play":
        question = play_question(table, int(rules[0]["in_game"]))
    elif table.phase == "target":
        question = "{who} must choose " + AIMS[table.effect]
    else:
        question = QUESTIONS[table.phase]
    n_top = min(3, len(table.deck()))
    return table.wording.sentence(
        question,
        table.seat,
        taker=table.wording.name(table.taker(table.seat)) if table.phase == "pass" else "",
        actor=table.wording.name(table.turn),
        one_of_the_top="the only card of the deck" if n_top == 1 else f"one of the top {n_top} cards of the deck",
    )


def play_question(table: Table, in_game: int) -> str:
    """What must be played, for who sees the hand; for others the Aristocrat, in place of a play, is possible."""
    if not table.sees(table.seat):
        if in_game >> CARD.aristocrat & 1:
            return "{who} must play a card, or discard the Aristocrat if they hold it"
        return "{who} must play a card"
    hand = table.hand(table.seat)
    for card in (CARD.monkey, CARD.drunk):
        if card in hand:
            return "{who} must play " + card_name(card)
    if CARD.aristocrat in hand:
        return "{who} must discard the Aristocrat (20) and every Action of [their|your] hand, in place of a play"
    return "{who} must play a card"


# -- What an action means -----------------------------------------------------------------------------

SAYS = {
    "discard": "{who} [discards|discard] the Aristocrat (20) and with it every Action in [their|your] hand",
    "raise": "{who} [puts|put] the bottom card of the deck on top",
    "name": "{who} [asks|ask] who holds {card}",
    "tell": "{who} [tells|tell] all that [they|you] know about where {card} is",
    "tell_all": "{who} [tells|tell] all that [they|you] know about where cards are",
    "signal": "{who} [sends|send] symbol {number}",
}
"""Block of actions -> what it means, where that is always the same."""


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
    if block == "leave":
        say = "{who} [leaves|leave] the bottom card of the deck where it is"
        if table.phase == "search":
            say = "{who} [discards|discard] no card of the deck, which is shuffled"
    elif block == "hush":
        say = "{who} [has|have] nothing to add" if table.phase == "announce" else "{who} [sends|send] no symbol"
    else:
        say = SAYS[block]
    card = card_name(number + 1) if block in ("name", "tell") else ""
    return table.wording.sentence(say, table.seat, card=card, number=number)


def play_sentence(table: Table, card: int) -> str:
    """A card is played, and what it does."""
    copied = int(table.s["last_action"]) if card == CARD.monkey else 0
    does = DOES.get(copied or card, "nothing happens")
    if copied:
        does = f"it does what {card_name(copied)} does, so {does}"
    return table.wording.sentence("{who} [plays|play] {card}: " + does, table.seat, card=card_name(card))


CHOSEN = {
    CARD.detective: "[who|and you] must discard a card",
    CARD.socialite: "[who|and you] must swap a card with {name}",
    CARD.swain: "[who takes|and you take] one of {owner} cards at random",
    CARD.invalid: "[who|and you] must pass {name} a card",
    CARD.reporter: "[one of whose|and one of your] cards, at random, is shown to all",
}
"""Effect under way -> what becomes of the player who is chosen for it; `{name}` and `{owner}` are the actor."""


def target_sentence(table: Table, target: int) -> str:
    """A player is chosen, and for what."""
    wording, actor = table.wording, table.seat
    whom = wording.name(target)
    if target == actor:
        return wording.sentence("{who} [chooses themselves|choose yourself], and must discard a card", actor)
    if table.phase == "target2":
        say = "{who} [chooses|choose] {whom} to swap a card with {first}"
        return wording.sentence(say, actor, whom=whom, first=wording.name(table.targets[0]))
    if table.effect == CARD.cad:
        say = "{who} [chooses|choose] {whom} as the first of two players who swap a card"
        return wording.sentence(say, actor, whom=whom)
    chooses = "choose" if actor == wording.reader else "chooses"
    say = "{name} {chooses} {who}, " + CHOSEN[table.effect]
    return wording.sentence(say, target, chooses=chooses, name=wording.name(actor), owner=wording.owner(actor))


def give_sentence(table: Table, card: int) -> str:
    """A card of the hand is discarded, put under the deck, passed or shown; all see the Drunk go."""
    wording, seat = table.wording, table.seat
    if table.phase == "discard":
        return wording.sentence("{who} [discards|discard] {card}", seat, card=card_name(card))
    if table.phase == "bury":
        thing = card_name(card) if table.sees(seat) or card == CARD.drunk else "a card"
        return wording.sentence("{who} [puts|put] {thing} under the deck", seat, thing=thing)
    thing = card_name(card) if wording.sees(seat) else "a card"
    verb, other = ("pass", table.taker(seat)) if table.phase == "pass" else ("show", table.turn)
    say = "{who} [places|place] {thing} face down, to {verb} to {other}"
    return wording.sentence(say, seat, thing=thing, verb=verb, other=wording.name(other))


def take_sentence(table: Table, card: int) -> str:
    """A card of the discard pile, or of the deck."""
    if table.phase == "rescue":
        say = "{who} [shuffles|shuffle] {card} back into the deck"
    elif table.phase == "search":
        say = "{who} [discards|discard] {card} from the deck, and the rest is shuffled"
    elif table.sees(table.seat):
        say = "{who} [keeps|keep] {card}, and the rest of the deck is shuffled"
    else:
        say = "{who} [keeps|keep] one of the top cards of the deck, and the rest is shuffled"
    return table.wording.sentence(say, table.seat, card=card_name(card))


# -- What is told -------------------------------------------------------------------------------------


def told(
    rules: np.ndarray, before: np.ndarray | None, action: int | None, after: np.ndarray, reader: int | None
) -> list[str]:
    """The sentences that a reader is told of a step; with `before` None, as the game begins."""
    if before is None or action is None:
        return list(opening(rules, after, reader))
    return list(Step(rules, before, action, after, reader).sentences())


def opening(rules: np.ndarray, state: np.ndarray, reader: int | None) -> Iterator[str]:
    """Who one is, what the deal has set off, what hands one sees, whose turn it is."""
    table = Table(rules, state, reader)
    if reader is not None:
        others = listed(f"player_{(reader + k) % table.n}" for k in range(1, table.n))
        yield f"You are player_{reader} of {table.n} players, who all win or lose together."
        yield f"Clockwise from you, on your left first, sit {others}."
    events = events_of(state)
    if not any(kind == "play" for kind, *_ in events):
        for kind, seat, other, argument in events:
            if kind == "blackmail":
                yield event_sentence(table, kind, seat, other, argument)
            elif kind == "draw":
                yield table.wording.sentence("{who} [draws|draw] a card", seat)
    for seat in range(table.n):
        if table.sees(seat):
            yield table.wording.sentence("{who} [holds|hold] {cards}", seat, cards=cards_named(table.hand(seat)))
        elif CARD.drunk in table.hand(seat):
            yield table.wording.sentence("{who} [has|have] the Drunk (8)", seat)
    if table.phase == "over":
        yield end_text(state)
    else:
        yield turn_sentence(table)
        yield from looks(table)


def turn_sentence(table: Table) -> str:
    """Whose turn it is."""
    return f"It is {table.wording.owner(table.turn)} turn."


def looks(table: Table) -> Iterator[str]:
    """What the actor looks at in the deck, for who sees it."""
    if table.phase not in ("search", "pick", "seer") or not table.sees(table.turn):
        return
    deck, where = table.deck(), "in the deck, from the top"
    if table.phase == "seer":
        deck, where = deck[-1:], "at the bottom of the deck"
    elif table.phase == "pick":
        deck, where = deck[:3], "on top of the deck, in this order"
    say = "{who}{alone} [sees|see] {where}: {cards}"
    yield table.wording.sentence(say, table.turn, alone=table.alone, where=where, cards=cards_named(deck))


EVENT_SAYS = {
    "discard": "{who} [discards|discard] {card}",
    "butler": "The top card of the deck is announced: {card}",
    "report": "A random card of {whom} is shown to all: {card}",
    "blackmail": "{who} [shows|show] the Blackmailer (19) and the Detective (2), which is shuffled into the deck",
    "drunk": "{who} [has|have] the Drunk (8)",
}
"""Public event that is no act of its own -> what is told of it."""

ACTS = {"play", "discard", "target", "bury", "rescue", "search", "pick", "seer", "name", "tell", "signal"}
"""Public events that are an act themselves, of which `describe` tells."""


LOOKS = (CARD.secretary, CARD.butler, CARD.driver, CARD.seer)
"""Actions that look at the deck."""

ASKS_FOR = {CARD.detective: "discard", CARD.socialite: "pass", CARD.invalid: "pass", CARD.reporter: "show"}
"""Effect -> what the player who is chosen has to do with a card."""


def event_sentence(table: Table, kind: str, seat: int, other: int, argument: int) -> str:
    """A public event that is no act of its own."""
    whom = table.wording.name(other) if other != NO_SEAT else ""
    return table.wording.sentence(EVENT_SAYS[kind], seat, whom=whom, card=card_name(argument))


class Step:
    """One decision and what followed from it, for a reader."""

    def __init__(
        self, rules: np.ndarray, before: np.ndarray, action: int, after: np.ndarray, reader: int | None
    ) -> None:
        self.rules, self.action, self.reader = rules, action, reader
        self.before, self.after = Table(rules, before, reader), Table(rules, after, reader)
        self.wording = self.before.wording
        n_new = (int(self.before.s["events_at"]) - int(self.after.s["events_at"])) % N_EVENTS
        self.events = events_of(after)[-n_new:] if n_new else []
        is_new_turn = bool(self.after.s["turns"] != self.before.s["turns"])
        self.turn_is_over = is_new_turn or self.after.phase == "over"
        self.turn_begins = is_new_turn and ENDINGS[self.after.s["ending"]] not in ("dead_end", "turn_limit")
        self.passes = self.all_passes()

    def sentences(self) -> Iterator[str]:
        """The act, what comes of it, and what follows at the start of the next turn, in order."""
        yield describe(self.rules, self.before.state, self.action, self.reader)
        yield from self.answer()
        yield from self.said()
        yield from self.nothing_there()
        yield from (self.pass_sentence(*each) for each in self.passes)
        yield from self.shows()
        to_say = [turn_sentence(self.after)] if self.turn_begins else []
        drawn: set[int] = set()
        is_act = bool(self.events) and self.events[0][0] in ACTS
        for kind, seat, other, argument in self.events[is_act:]:
            if kind == "draw" and seat not in drawn:
                drawn.add(seat)
                yield from to_say
                to_say = []
                yield self.draws(seat)
            elif kind in EVENT_SAYS:
                yield event_sentence(self.before, kind, seat, other, argument)
        yield from to_say
        yield from self.no_draw(drawn)
        if self.after.phase == "over":
            yield end_text(self.after.state)
        elif self.after.phase != self.before.phase:
            yield from looks(self.after)

    def answer(self) -> Iterator[str]:
        """23. The Faithful Hound: its player alone sees who raises a hand."""
        if self.before.phase != "name":
            return
        actor, card = self.before.seat, self.action - ACT.name + 1
        holders = [seat for seat in range(self.before.n) if seat != actor and card in self.before.hand(seat)]
        if self.reader in holders:
            yield f"You raise your hand, which {self.wording.name(actor)}{self.before.alone} sees."
        elif self.before.sees(actor):
            whom = self.wording.name(holders[0]) if holders else "nobody else"
            say = "{who}{alone} [learns|learn] that {whom} holds it"
            yield self.wording.sentence(say, actor, alone=self.before.alone, whom=whom)

    def said(self) -> Iterator[str]:
        """8. The Drunk: where a card can be of which its holder has told, or where cards must be, as all know now."""
        if self.before.phase != "announce":
            return
        told_of = self.action - ACT.tell + 1
        for card in [told_of] if ACT.tell <= self.action < ACT.tell_all else range(1, N_CARDS + 1):
            was, now = (self.public_places(table.state, card) for table in (self.before, self.after))
            if card == told_of or (len(now) == 1 and now != was):
                yield f"All know now that {card_name(card)} is {listed(now, 'or')}."

    def public_places(self, state: np.ndarray, card: int) -> list[str]:
        """Where a card may be as far as all know, in words: its depth in the deck, or one or more places."""
        n, deck = self.before.n, Table(self.rules, state, None).deck()
        if int(depths_of(state)[n]) >> card & 1:
            from_top = deck.index(card) + 1
            return ["on top of the deck" if from_top == 1 else f"at place {from_top} of the deck, from the top"]
        places = [(f"with {self.wording.name(seat)}", PLACE.hands + seat) for seat in range(n)]
        upper = "in the upper part of the deck" if state[0]["lower_n"] else "in the deck"
        places += [(upper, PLACE.upper), ("in the lower part of the deck", PLACE.lower), ("removed", PLACE.out)]
        return [name for name, place in places if int(table_of(state, n)[place]) >> card & 1]

    # What is chosen, passed and shown.

    def nothing_there(self) -> Iterator[str]:
        """Why an effect does nothing, or less than it says: no cards in the deck, in the pile, or in a hand."""
        before = self.before
        if before.phase == "play":
            card = self.action - ACT.play + 1
            effect = int(before.s["last_action"]) if card == CARD.monkey else card
            if effect in LOOKS and not before.deck():
                yield "The deck is empty, so nothing happens."
            elif effect == CARD.swain and not before.deck():
                yield "The deck is empty, so no card is drawn."
            elif effect == CARD.doctor and not before.s["discard_n"]:
                yield "No other card has been discarded, so nothing happens."
            elif effect == CARD.maid:
                yield from self.without_cards(before.neighbours(), "show")
            elif effect == CARD.gossip:
                yield from self.without_cards([seat for seat in range(before.n) if seat != before.turn], "pass")
        elif before.phase == "target" and before.effect in ASKS_FOR:
            yield from self.without_cards([self.target()], ASKS_FOR[before.effect])
        elif before.phase == "target2":
            yield from self.without_cards([before.targets[0], self.target()], "pass")

    def without_cards(self, seats: Iterable[int], verb: str) -> Iterator[str]:
        """Who of these seats has nothing to pass, show or discard."""
        for seat in seats:
            if not self.before.hand(seat):
                yield self.wording.sentence("{who} [has|have] no card to {verb}", seat, verb=verb)

    def target(self) -> int:
        """The player chosen by this act."""
        return (self.before.turn + self.action - ACT.target) % self.before.n

    def chosen(self) -> dict[int, int]:
        """Seat -> the card that it had placed face down when all had, this act included; nothing before that."""
        is_last = self.turn_is_over or self.after.phase != self.before.phase
        if self.before.phase not in ("pass", "show") or not is_last:
            return {}
        cards = {seat: int(self.before.s["chosen"][seat]) for seat in range(self.before.n)}
        cards[self.before.seat] = self.action - ACT.give + 1
        return {seat: card for seat, card in cards.items() if card}

    def all_passes(self) -> list[tuple[int, int, int]]:
        """(giver, taker, card) of all cards that change hands in this step."""
        actor = self.before.turn
        if self.before.phase == "pass":
            return [(seat, self.before.taker(seat), card) for seat, card in self.chosen().items()]
        if self.before.phase == "target" and self.before.effect == CARD.swain:
            lost = set(self.before.hand(actor)) - set(self.after.hand(actor))
            return [(actor, self.target(), card) for card in lost]
        return []

    def pass_sentence(self, giver: int, taker: int, card: int) -> str:
        """A card changes hands; both ends see it, and all see the Drunk."""
        sees = self.before.sees(giver) or self.before.sees(taker) or card == CARD.drunk
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
            thing = card_name(card) if self.before.sees(seat) or self.before.sees(actor) else "a card"
            say = "{who} [shows|show] {whom} {thing}"
            yield self.wording.sentence(say, seat, whom=self.wording.name(actor), thing=thing)

    # Drawing.

    def draws(self, seat: int) -> str:
        """What a seat has drawn in this step; others see backs."""
        n = sum(kind == "draw" and who == seat for kind, who, _, _ in self.events)
        if not self.before.sees(seat):
            how_many = "a card" if n == 1 else f"{n} cards"
            return self.wording.sentence("{who} [draws|draw] {how_many}", seat, how_many=how_many)
        passed = {card for _, taker, card in self.passes if taker == seat}
        kept = [card for card in self.after.hand(seat) if card not in self.before.hand(seat) and card not in passed]
        cards = [card_name(card) for card in kept]
        # Only the Detective is drawn and not kept: the Blackmailer sends it back, once or more often.
        sent_back = n - len(cards)
        if sent_back:
            times = "" if sent_back == 1 else f"{sent_back} times "
            cards.append(times + card_name(CARD.detective))
        return self.wording.sentence("{who} [draws|draw] {cards}", seat, cards=listed(cards))

    def no_draw(self, drawn: set[int]) -> Iterator[str]:
        """20. The Aristocrat: who has too few cards as the turn begins and does not draw holds it."""
        seat = self.after.turn
        if not self.turn_begins or self.after.phase == "over" or seat in drawn or len(self.after.hand(seat)) >= 2:
            return
        say = "{who} [does|do] not draw, and so must hold the Aristocrat (20)"
        yield self.wording.sentence(
            say if seat != self.reader else "You hold the Aristocrat (20) and do not draw", seat
        )
