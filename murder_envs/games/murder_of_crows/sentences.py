"""What a seat is asked, what an action means and what everybody is told, as sentences. Never compiled."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import clockwise, members_of
from murder_envs.core.wording import capitalized, listed
from murder_envs.games.murder_of_crows import cards as c
from murder_envs.games.murder_of_crows.moves import ACTIONS, ENDING, PHASE, PHASES
from murder_envs.games.murder_of_crows.snapshots import FLIP, REMOVES, act_anew, byte_list, events_of, stack_of
from murder_envs.games.murder_of_crows.story import story
from murder_envs.games.murder_of_crows.words import (
    EFFECTS,
    WILD,
    Play,
    Words,
    act,
    card_in,
    cards_named,
    count_of,
    effect_named,
    hand_of,
    play_of,
)

# -- What an action means -----------------------------------------------------------------------------------------


def describe(rules: np.ndarray, state: np.ndarray, action: int, reader: int | None) -> str:
    """What a legal action means, for a reader."""
    name = ACTIONS.names[action]
    seat, play = int(state[0]["to_act"]), play_of(state)
    so = what_comes_of(state, seat, name, play) or effect_named(name, play)
    return act(Words(rules, reader), seat, name, play, so)


SO = {"draw": " and then [plays|play] one", "skip": " and [draws|draw] two cards"}
"""How the sentence of an action ends that leads to more."""


def what_comes_of(state: np.ndarray, seat: int, action: str, play: Play) -> str:
    """How the sentence of an action ends that says more than its name: what is drawn, won or removed."""
    kind, _, what = action.partition(":")
    if kind == "play":
        is_last = byte_list(state[0]["missing"], seat + 1)[seat] == 1
        completes = is_last and not stack_of(state, seat, c.STACKS.index(what[:-1]))
        return " and [completes|complete] the word" if completes else ""
    if kind in SO:
        return SO[kind]
    if kind == "raze":
        owner = seat if play.third else play.target
        return f": {cards_named(stack_of(state, owner, c.STACKS.index(what)))}"
    return ""


# -- What a seat is asked -----------------------------------------------------------------------------------------

QUESTIONS = {
    "start": "{who} may draw a card and then play one, or skip [the|your] turn and draw two cards",
    "play": "{who} must play a card",
    "wild": "{who} must say what [the|your] wild crow on [the|your] {stack} does: {effect}, as its letter, "
    "or the removal of a stack",
    "react": "{who} may discard {shield} to be spared {play}",
    "target": "{who} must choose whose {place} to take a card from",
    "take": "{who} must choose a card of {whose} Murder to take into [the|your] hand",
    "grab": "{who} must choose a card of {whose} hand to take",
    "letter": "{who} must name a letter: {others} must discard a card of that letter if they have one",
    "lose": "{play} names the letter {letter}: {who} must discard a card of that letter from [their|your] Murder",
    "raze": "{who} must choose which stack of {whose} Murder to remove",
    "third_take": "The Murdered Third has flipped {flip}: {who} must take a card of [their|your] own Murder back "
    "into [the|your] hand",
    "third_lose": "The Murdered Third has flipped {flip}, and the letter {letter}: {who} must discard a card of that "
    "letter from [their|your] Murder",
    "third_raze": "The Murdered Third has flipped {flip}: {who} must remove a stack of [their|your] own Murder",
}
"""phase -> what is asked."""
MAY_REMOVE = "{who} may remove a stack of anybody's Murder, [their|your] own included, or none"


def asked(rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """What the seat to act is asked; at the end who has won, and the story."""
    words, s = Words(rules, reader), state[0]
    if s["phase"] == PHASE.over:
        return " ".join(ended(words, state))
    phase, play, seat = PHASES[s["phase"]], play_of(state), int(s["to_act"])
    question = MAY_REMOVE if phase == "target" and play.effect == REMOVES else QUESTIONS[phase]
    spared = {play.by, *members_of(s["prevented"])}
    sentence = words.sentence(
        question,
        seat,
        stack=words.stack(play.face[:-1]) if play.face else "",
        effect=EFFECTS[play.face[0]] if play.face else "",
        play=play.name(words),
        shield=shield_against(play.face) if phase == "react" else "",
        place="hand" if play.effect == "U" else "Murder",
        whose=words.whose(play.target, seat),
        others=words.people(other for other in with_murder(words, state) if other not in spared),
        letter=c.LETTERS[s["letter"]] if s["letter"] >= 0 else "",
        flip=cards_named([c.CARD_NAMES[s["third_card"]]]) if s["third_card"] >= 0 else "",
    )
    if phase == "react" and words.sees(seat):
        sentence += " " + words.sentence("{who} [holds|hold] {fit}", seat, fit=shields(state, seat, play.face))
    return sentence


def with_murder(words: Words, state: np.ndarray) -> list[int]:
    """The seats that have a card in their Murder."""
    missing = byte_list(state[0]["missing"], words.n)
    return [seat for seat in range(words.n) if missing[seat] < len(words.word)]


def shield_against(face: str) -> str:
    """What prevents the effect of a played card."""
    return "a wild crow" if face.endswith(WILD) else f"a card with {count_of(int(face[-1]), 'crow')} or a wild crow"


def shields(state: np.ndarray, seat: int, face: str) -> str:
    """The cards of a hand that prevent the effect of a played card."""
    fit = dict.fromkeys(card for card in hand_of(state, seat) if card[-1] in (face[-1], WILD))
    return cards_named(fit, "or") if fit else "no such card"


def ended(words: Words, state: np.ndarray) -> list[str]:
    """How the game ended, and the story of a complete word."""
    s = state[0]
    if s["ending"] == ENDING.dead:
        return ["Every hand and both piles are empty, so no card can ever move again. Nobody wins."]
    if s["ending"] == ENDING.truncated:
        return [f"The game is cut off after {count_of(int(s['steps']), 'decision')}. Nobody wins."]
    winner = int(s["winner"])
    won = words.sentence("{who} [has|have] completed the word {word} and [wins|win]", winner, word=words.word)
    return [won, f'The story: "{story(words.rules, state, winner)}"']


# -- What everybody is told ---------------------------------------------------------------------------------------


def told(
    rules: np.ndarray, before: np.ndarray | None, action: int | None, after: np.ndarray, reader: int | None
) -> list[str]:
    """What a reader is told of a decision and all that follows, or as the game begins; see `Ruleset.told`."""
    words = Words(rules, reader)
    if before is None or action is None:
        return opening(words, after)
    return Telling(words, before, action, after).sentences()


def opening(words: Words, state: np.ndarray) -> list[str]:
    """Who sits where, who holds what, who begins."""
    s, n, reader = state[0], words.n, words.reader
    sentences = []
    if reader is not None:
        left = [words.names[(reader + offset) % n] for offset in range(1, n)]
        order = f" Clockwise from you sit {listed(left)}." if n > 2 else f" Your opponent is {left[0]}."
        sentences.append(f"You are {words.names[reader]}.{order}")
    sentences.append(f"Whoever is first to have a card in each stack of the word {words.word} wins.")
    for seat in clockwise(range(n), reader or 0, n):
        hand = hand_of(state, seat)
        what = cards_named(hand) if hand and words.sees(seat) else count_of(len(hand), "card")
        sentences.append(words.sentence("{who} [holds|hold] {what}", seat, what=what))
    if words.rules[0]["murdered_third"]:
        sentences.append("The Murdered Third acts whenever both players have had a turn.")
    first = words.sentence("{who} [goes|go] first", int(s["first"]))
    return [*sentences, first if s["steps"] == 0 else turn_of(words, state)]


def turn_of(words: Words, state: np.ndarray) -> str:
    return f"It is {words.owner(int(state[0]['current']))} turn."


RESHUFFLED = "The draw pile is used up: the discards are shuffled and become the new draw pile."


class Telling:
    """What a reader is told of one decision, read off the states before and after it.

    The effect of a card and the Murdered Third may follow in the same step. Where the Third has acted, or the step cap
    has cut the step off, the state in between is found by taking the step again without them.
    """

    def __init__(self, words: Words, before: np.ndarray, action: int, after: np.ndarray) -> None:
        self.words, self.before, self.after = words, before, after
        self.seat, self.name = int(before[0]["to_act"]), ACTIONS.names[action]
        self.kind, _, self.what = self.name.partition(":")
        self.play = play_of(before).then(self.seat, self.name, words.n)
        self.flips = flips_of(after)
        self.middle = after
        if self.flips or after[0]["ending"] == ENDING.truncated:
            self.middle = before.copy()
            act_anew(self.middle, uninterrupted(words.rules, before), action)
        self.lines: list[str] = []
        self.stand_at(before)

    def sentences(self) -> list[str]:
        """The act, what follows from it, the Murdered Third, and whose turn it is or how the game ended."""
        self.tell_act()
        if self.is_carried_out():
            self.tell_effect()
        self.tell_third()
        s = self.after[0]
        if s["phase"] == PHASE.over:
            self.lines += ended(self.words, self.after)
        elif s["turn"] != self.before[0]["turn"]:
            self.lines.append(turn_of(self.words, self.after))
        return self.lines

    def tell(self, template: str, seat: int, **fields: Any) -> None:
        self.lines.append(self.words.sentence(template, seat, **fields))

    # -- The act --------------------------------------------------------------------------------------------------

    def tell_act(self) -> None:
        if self.kind in ("draw", "skip"):
            if self.kind == "skip":
                self.lines.append(act(self.words, self.seat, self.name, self.play, ""))
            self.draw(self.seat, less(hand_of(self.middle, self.seat), hand_of(self.before, self.seat)))
            return
        self.lines.append(describe(self.words.rules, self.before, ACTIONS.id(self.name), self.words.reader))
        self.discards += self.kind == "prevent"
        if self.kind == "letter":
            losers = clockwise(members_of(self.middle[0]["pending"]), self.seat, self.words.n)
            self.lines.append(
                capitalized(f"{self.words.people(losers)} must discard a card of that letter")
                if losers
                else "Nobody who is affected has a card of that letter."
            )

    # -- Card Effects ---------------------------------------------------------------------------------------------

    def is_carried_out(self) -> bool:
        """Has the effect of the card in play happened now, as far as its player need not choose?"""
        here, there = PHASES[self.before[0]["phase"]], PHASES[self.middle[0]["phase"]]
        asked_first = here in ("play", "wild", "react") and there not in ("wild", "react")
        return asked_first and self.middle[0]["winner"] == NO_SEAT

    def tell_effect(self) -> None:
        effect, words, by = self.play.effect, self.words, self.play.by
        spared = {by, *members_of(self.before[0]["prevented"])} | ({self.seat} if self.kind == "prevent" else set())
        affected = [seat for seat in clockwise(range(words.n), by, words.n) if seat not in spared]
        if effect == "R":
            played = [card_in(self.what)] if self.kind == "play" else []
            self.draw(by, less(hand_of(self.middle, by), less(hand_of(self.before, by), played)))
        elif effect == "E" and affected:
            self.expel(affected, self.before, self.middle)
        elif self.middle[0]["phase"] not in (PHASE.target, PHASE.letter):
            self.lines.append(capitalized(f"{self.play.name(words)} affects nobody"))
        elif effect == "U":
            for seat in affected:
                if hand_of(self.middle, seat):
                    self.reveal(seat)

    def reveal(self, seat: int, and_then: str = "") -> None:
        """All see a hand."""
        self.tell("{who} [reveals|reveal] {cards}" + and_then, seat, cards=cards_named(hand_of(self.middle, seat)))

    def expel(self, seats: list[int], before: np.ndarray, after: np.ndarray) -> None:
        """Each of some seats discards the hand, then each draws."""
        for seat in seats:
            if cards := hand_of(before, seat):
                self.tell("{who} [discards|discard] {cards}", seat, cards=cards_named(cards))
                self.discards += len(cards)
        for seat in seats:
            if self.words.rules[0]["expel_draw"]:
                self.draw(seat, hand_of(after, seat))

    # -- The Murdered Third ---------------------------------------------------------------------------------------

    def tell_third(self) -> None:
        if not self.flips:
            if self.third_finds_nothing():
                self.lines.append("The Murdered Third has no card to flip.")
            return
        self.stand_at(self.middle)
        flip = self.flips[0][0]
        act = self.words.rules[0]["third_table"][c.FLIPS.index(flip)]
        self.leave_pile(1)
        self.lines.append(f"The Murdered Third flips {cards_named(self.flips[:1])}: {self.words.third(flip)}.")
        self.discards += 1
        both = clockwise(range(self.words.n), int(self.after[0]["first"]), self.words.n)
        if act == c.REVEAL:
            for seat in both:
                lost = less(hand_of(self.middle, seat), hand_of(self.after, seat))
                self.reveal(seat, f", and [loses|lose] {cards_named(lost)}" if lost else "")
        elif act == c.DRAW:
            for seat in both:
                self.draw(seat, less(hand_of(self.after, seat), hand_of(self.middle, seat)))
        elif act == c.EXPEL:
            self.expel(both, self.middle, self.after)
        elif act == c.DRAIN:
            self.tell_second_flip()

    def tell_second_flip(self) -> None:
        if len(self.flips) == 1:
            self.lines.append("There is no second card to flip, so nothing happens.")
            return
        self.leave_pile(1)
        nothing = ", so nothing happens" if self.flips[1] == WILD else ""
        self.lines.append(f"The second card is {cards_named(self.flips[1:])}{nothing}.")

    def third_finds_nothing(self) -> bool:
        """Was it the Third's turn, with both piles empty?"""
        before, middle = self.before[0], self.middle[0]
        is_over = middle["turn"] != before["turn"] or middle["ending"] == ENDING.dead
        living = not PHASES[before["phase"]].startswith("third") and before["current"] != before["first"]
        return bool(self.words.rules[0]["murdered_third"] and is_over and living)

    # -- The draw pile --------------------------------------------------------------------------------------------

    def stand_at(self, state: np.ndarray) -> None:
        """Take the piles as they are in a state; from there they are followed, to say when a reshuffle came."""
        self.left, self.discards = int(state[0]["deck_n"]), int(state[0]["discard_n"])

    def leave_pile(self, n: int) -> None:
        """So many cards leave the draw pile: if it has fewer, it was made new from the discards."""
        if n > self.left:
            self.lines.append(RESHUFFLED)
            self.left, self.discards = self.left + self.discards, 0
        self.left -= n

    def draw(self, seat: int, cards: list[str]) -> None:
        """Cards that their drawer alone sees."""
        if not cards:
            self.tell("{who} [finds|find] no card to draw", seat)
            return
        self.leave_pile(len(cards))
        hidden = "a card" if len(cards) == 1 else count_of(len(cards), "card")
        what = cards_named(cards) if self.words.sees(seat) else hidden
        self.tell("{who} [draws|draw] {what}", seat, what=what)


def less(cards: list[str], others: list[str]) -> list[str]:
    """Cards without others, each as often as it is there more."""
    return list((Counter(cards) - Counter(others)).elements())


def flips_of(state: np.ndarray) -> list[str]:
    """The cards that the Third has flipped since the last decision, in order."""
    flips = itertools.takewhile(lambda event: event[0] == NO_SEAT, reversed(events_of(state)))
    return [name.removeprefix(FLIP) for _, name in flips][::-1]


def uninterrupted(rules: np.ndarray, state: np.ndarray) -> np.ndarray:
    """The rules without the Third and without a cap at the next step."""
    others = rules.copy()
    others["murdered_third"] = 0
    others["max_steps"] = state["steps"] + 2
    return others
