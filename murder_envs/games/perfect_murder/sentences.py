"""What a seat is asked, what an action means, and what a seat is told, in sentences. Never compiled.

What one seat does in secret the other is told when it is finished, and then only what shows of it: `words.Scene.entry`.
Three things show at once, as at the table: room cards that are laid open, that a search has found something, and that
an accusation has begun.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from murder_envs.core.snapshots import members_of
from murder_envs.core.wording import listed
from murder_envs.games.perfect_murder import cards as c
from murder_envs.games.perfect_murder.moves import FLIGHT, PHASE, STAGE_OF, STAGES
from murder_envs.games.perfect_murder.record import attempt
from murder_envs.games.perfect_murder.words import ACTION_CARDS, NUMBERS, Scene, Words, counted

# -- What is asked ------------------------------------------------------------------------------------

QUESTIONS = {
    "plan_suspect": "{who} [chooses|choose] which suspect is the murderer",
    "plan_path": "{who} [chooses|choose] {step}",
    "plan_weapon": "{who} [chooses|choose] a weapon from a room of the path",
    "remove_pick": "{who} [chooses|choose] which of the drawn cards to remove from the game",
    "remove_top": "{who} [chooses|choose] which of the two other cards lies on top of the {pile} pile",
    "clean_card": "{who} [chooses|choose] one of the open room cards",
    "clean_room": "{who} [chooses|choose] which room of {room_card} to clean",
    "mark_trace": "{who} [chooses|choose] a trace for a false X",
    "mark_clue": "{who} [chooses|choose] a clue for a false X",
    "clean_any": "{who} [chooses|choose] a room to clean",
    "steal": "{who} [chooses|choose] the {nth} card to take from the detective's hand",
    "search_pile": "{who} [chooses|choose] a pile to search",
    "search_card": "{who} [chooses|choose] a card of the {pile} pile to remove from the game",
    "flee": "After round {round} {who} [decides|decide] whether to stay or to flee",
    "detective_turn": "{who} [chooses|choose] an action ({left} left in this round), or [accuses|accuse]",
    "split": "Something is found in {room}: {who} [chooses|choose] how many clue and trace cards to draw",
    "request_keep": "{who} [chooses|choose] which of the top three {pile} cards not to hand over",
    "discard": "{who} [chooses|choose] the {nth} of three cards to discard",
    "discard_marker": "{who} [chooses|choose] a marker to look under",
    "accuse_suspect": "{who} must say who the murderer is",
    "accuse_weapon": "{who} must say what the murder weapon is",
    "accuse_entry": "{who} must say in which room the murderer's path began",
}
"""Phase -> what is asked, for whoever is asked and seen from above."""

SHOWING = {
    "planning": "{who} [plans|plan] the murder",
    "murderer": "{who} [has|have] a turn",
    "detective": QUESTIONS["detective_turn"],
    "flight": QUESTIONS["flee"],
    "accusation": "{who} must accuse somebody",
}
"""Stage -> what shows of the question to the other seat."""
SHOWN_AT_ONCE = ("split", "request_keep")
"""Phases whose question both know: it follows from what both have seen."""

NTH = ("first", "second", "third")


def asked(words: Words, rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """What the seat to act is asked, as a sentence for a reader; at the end who has won."""
    scene, s = Scene(words, rules, state, reader), state[0]
    if scene.phase == "over":
        won = scene.sentence("The game is over: {who} [has|have] won", int(s["verdict"]) - 1)
        actions = counted(int(s["actions_used"]), "action")
        return f"{won} {scene.sentence('{who} used {actions}', c.DETECTIVE, actions=actions)}"
    if scene.phase == "murderer_turn" and scene.wording.sees(scene.seat):
        return murderers_choice(scene)
    if scene.wording.sees(scene.seat) or scene.phase in SHOWN_AT_ONCE:
        question = QUESTIONS[scene.phase]
    else:
        question = SHOWING[STAGES[STAGE_OF[s["phase"]]]]
    return scene.sentence(
        question,
        scene.seat,
        step=next_step(scene),
        pile=c.KINDS[s["pile"] - 1] if s["pile"] else "",
        room=scene.room(int(s["chosen_room"])),
        room_card=scene.room_card(int(s["chosen_room_card"])),
        nth=NTH[min(len(members_of(s["chosen"])), 2)],
        round=int(s["round"]),
        left=int(s["actions_left"]),
    )


def next_step(scene: Scene) -> str:
    """What is asked of the path."""
    if not scene.s["path_n"]:
        return "the outer room in which the path begins"
    return f"the room that the path enters from {scene.room(int(scene.s['path'][scene.s['path_n'] - 1]))}"


def murderers_choice(scene: Scene) -> str:
    """What the murderer can do in a turn."""
    if scene.s["standard_done"]:
        return scene.sentence("{who} may play an action card or end the turn", scene.seat)
    bonus = "; before or after it {who} may play an action card"
    may = scene.is_black and not scene.s["bonus_done"]
    return scene.sentence(f"{{who}} must do a standard action{bonus if may else ''}", scene.seat)


# -- What an action means -----------------------------------------------------------------------------


def describe(words: Words, rules: np.ndarray, state: np.ndarray, action: int, reader: int | None) -> str:
    """What a legal action means, as a sentence for a reader; to the other seat, what it would be told of it."""
    scene = Scene(words, rules, state, reader)
    if scene.wording.sees(scene.seat):
        return scene.sentence(meaning(scene, *block_of(words, action)), scene.seat)
    after = state.copy()
    attempt(after, rules, np.zeros(words.actions.n_words, np.uint64), action)
    return next(act(scene, Scene(words, rules, after, reader), action), scene.sentence(HIDDEN, scene.seat))


def block_of(words: Words, action: int) -> tuple[str, int]:
    """The block of an action, and its argument's number."""
    starts = words.actions.starts
    start, block = max((start, block) for block, start in starts.items() if start <= action)
    return block, action - start


def meaning(scene: Scene, block: str, number: int) -> str:
    """The sentence of an action, in which `{who}` is who acts."""
    if block in IN_THE_OPEN:
        return in_the_open(scene, block, number)
    if scene.phase in PLANNING:
        return planned(scene, number)
    if block == "card":
        return card_meant(scene, number)
    if block in ("suspect", "weapon", "room"):
        return named(scene, block, number)
    if block == "marker":
        return marker_meant(scene, number)
    kind = c.KINDS[number] if block in ("remove", "pile") else ""
    return {
        "room_card": lambda: f"{{who}} [chooses|choose] {scene.room_card(number)}",
        "bonus": lambda: f"{{who}} [plays|play] {ACTION_CARDS[number]} {scene.lies(number)}",
        "pile": lambda: f"{{who}} [searches|search] the {kind} pile",
        "remove": lambda: f"{{who}} [draws|draw] the top {kind} cards, to remove one from the game",
        "end_turn": lambda: "{who} [ends|end] the turn without an action card",
        "discard": lambda: "{who} [discards|discard] three cards, to look under any marker",
    }[block]()


IN_THE_OPEN = ("search", "door", "play", "request", "split", "clean", "pass", "stay", "flee", "accuse")
"""Blocks of actions that both see as they are done."""
HIDDEN = "{who} [does|do] something that does not show"
"""Of an action that shows only when it is finished."""
PLANNING = ("plan_suspect", "plan_path", "plan_weapon")


def in_the_open(scene: Scene, block: str, number: int) -> str:
    """An action that both see."""
    if block == "search":
        return f"{{who}} [searches|search] {scene.room(number + (number >= scene.case.scene))}"
    if block == "door":
        known = int(scene.s["door_yes"] | scene.s["door_no"]) >> number & 1
        return f"{{who}} [examines|examine] {scene.door(number)}{', as before' if known else ''}"
    if block == "play":
        return f"{{who}} [plays|play] {scene.field(number)}, to look under its marker"
    if block == "request":
        return f"{{who}} [requests|request] {c.KINDS[number]} cards"
    if block == "split":
        n = min(c.FROM_TOP, len(scene.pile(c.CLUE)) + len(scene.pile(c.TRACE)))
        return f"{{who}} [draws|draw] {scene.drawn(number, n - number)}"
    return {
        "clean": "{who} [lays|lay] the top room cards open, to clean a room of one of them",
        "pass": "{who} [passes|pass], as there is no standard action left",
        "stay": "{who} [stays|stay]",
        "flee": "{who} [flees|flee]",
        "accuse": "{who} [begins|begin] to accuse",
    }[block]


def planned(scene: Scene, number: int) -> str:
    """A decision of the plan."""
    if scene.phase == "plan_suspect":
        return f"{{who}} [is|are] {scene.suspect(number)}"
    if scene.phase == "plan_weapon":
        lies = scene.room(scene.case.weapon_rooms[number])
        return f"{{who}} [takes|take] {scene.weapon(number)} from {lies} as the murder weapon"
    if number == scene.case.scene:
        return f"{{who}} [goes|go] into {scene.room(number)}, the scene of the crime"
    return f"{{who}} [{'goes|go' if scene.s['path_n'] else 'comes|come'}] into {scene.room(number)}"


def named(scene: Scene, block: str, number: int) -> str:
    """A statement of the accusation, or a room to clean."""
    if block == "suspect":
        return f"{{who}} [accuses|accuse] {scene.suspect(number)}"
    if block == "weapon":
        return f"{{who}} [names|name] {scene.weapon(number)} as the weapon"
    if scene.phase == "accuse_entry":
        return f"{{who}} [names|name] {scene.room(number)} as the room in which the path began"
    return f"{{who}} [cleans|clean] {scene.room(number)}"


def marker_meant(scene: Scene, field: int) -> str:
    """A marker that is replaced, or looked under."""
    if scene.phase == "discard_marker":
        cards = scene.fields(members_of(scene.s["chosen"]))
        return f"{{who}} [discards|discard] {cards} to look at {scene.field(field)}"
    return f"{{who}} [lays|lay] a false X on {scene.field(field)}"


def card_meant(scene: Scene, card: int) -> str:
    """A card that is chosen: what becomes of it, and of the others."""
    name = scene.field(card)
    if scene.phase in ("remove_pick", "search_card"):
        after = ", and [shuffles|shuffle] the pile" if scene.phase == "search_card" else ""
        return f"{{who}} [removes|remove] {name} from the game{after}"
    if scene.phase == "remove_top":
        return f"{{who}} [puts|put] {name} on top of the {scene.kind(card)} pile"
    if scene.phase == "request_keep":
        others = scene.fields(other for other in scene.top(int(scene.s["pile"]) - 1) if other != card)
        return f"{{who}} [keeps|keep] {name}; the detective gets {others}"
    if scene.phase == "steal":
        return f"{{who}} [takes|take] {name} from the detective's hand"
    return f"{{who}} [chooses|choose] {name} to discard"


# -- What is told -------------------------------------------------------------------------------------


def told(
    words: Words,
    rules: np.ndarray,
    before: np.ndarray | None,
    action: int | None,
    after: np.ndarray,
    reader: int | None,
) -> list[str]:
    """The sentences that a reader is told of a step; with `before` None, as the game begins."""
    scene = Scene(words, rules, after, reader)
    if before is None or action is None:
        return [*opening(scene), *turn(scene)]
    earlier = Scene(words, rules, before, reader)
    return [*act(earlier, scene, action), *learnt(earlier, scene), *turn(scene, earlier)]


def opening(scene: Scene) -> Iterator[str]:
    """Who one is, and what one knows as the game begins."""
    s, wording = scene.s, scene.wording
    if scene.reader == c.MURDERER:
        yield "You are the murderer, and play against the detective."
    if scene.reader == c.DETECTIVE:
        yield "You are the detective, and play against the murderer."
    if s["phase"] > PHASE.plan_weapon and wording.sees(c.MURDERER):
        yield from plan_sentences(scene)
    if s["hand"]:
        clues, traces = len(scene.hand(c.CLUE)), len(scene.hand(c.TRACE))
        cards = scene.fields(scene.hand()) if wording.sees(c.DETECTIVE) else scene.drawn(clues, traces)
        yield scene.sentence(f"{{who}} [holds|hold] {cards}", c.DETECTIVE)


def plan_sentences(scene: Scene) -> Iterator[str]:
    """The whole plan."""
    s = scene.s
    entry, *others, end = (scene.room(int(room)) for room in s["path"][: s["path_n"]])
    through = f" through {listed(others)}" if others else ""
    yield scene.sentence(f"{{who}} [is|are] {scene.suspect(int(s['suspect']))}", c.MURDERER)
    lies = scene.room(scene.case.weapon_rooms[s["weapon"]])
    yield f"The weapon is {scene.weapon(int(s['weapon']))} from {lies}."
    yield f"The path leads from {entry}{through} to {end}."


def turn(scene: Scene, earlier: Scene | None = None) -> Iterator[str]:
    """What begins: a round, the detective's turn, the decision on a flight, the accusation; or the end."""
    stage = STAGES[STAGE_OF[scene.s["phase"]]]
    before = STAGES[STAGE_OF[earlier.s["phase"]]] if earlier else ""
    new_round = earlier is None or before == "planning" or earlier.s["round"] != scene.s["round"]
    if stage == "planning":
        if earlier is None:
            yield scene.sentence(SHOWING["planning"], c.MURDERER)
        return
    if new_round and stage != "over":
        yield round_sentence(scene)
    if stage == "detective" and (new_round or before == "murderer"):
        actions = counted(int(scene.s["actions_left"]), "action")
        yield scene.sentence("{who} [has|have] {actions}", c.DETECTIVE, actions=actions)
    if stage == "accusation" and before == "detective" and not scene.s["actions_left"]:
        yield scene.sentence("The last round is over, and {who} must accuse somebody", c.DETECTIVE)
    if stage == "over":
        won = int(scene.s["verdict"]) - 1
        yield scene.sentence("{who} [has|have] won", won)


def round_sentence(scene: Scene) -> str:
    """A round begins, and on what space."""
    n, rounds = int(scene.s["round"]), int(scene.rules[0]["rounds"])
    begins = f"Round {n} of {rounds} begins"
    if not scene.is_black or scene.s["flight"] == FLIGHT.fled:
        return f"{begins}."
    return f"{begins}, on a black space: an action card may be played, {scene.lies(c.FALSE_TRACE)}."


def act(before: Scene, after: Scene, action: int) -> Iterator[str]:
    """The action itself, for who may know of it now; the other is told of a finished one what shows of it."""
    block, number = block_of(before, action)
    finished = int(after.s["record_n"]) > int(before.s["record_n"])
    seat, knows = before.seat, before.wording.sees(before.seat)
    if before.phase in PLANNING and not knows:
        if after.phase not in PLANNING:
            yield after.sentence("{who} [has|have] planned the murder, and the boards are laid", seat)
        return
    if before.phase == "request_keep" and not knows:
        yield before.sentence(f"{{who}} [keeps|keep] one of three {c.KINDS[before.s['pile'] - 1]} cards", seat)
    elif before.phase in ("split", "request_keep"):
        yield before.sentence(meaning(before, block, number), seat)
    elif block == "search" and not finished:
        yield before.sentence(in_the_open(before, block, number) + ": something is found", seat)
    elif finished and (seat == c.DETECTIVE or not knows or block in IN_THE_OPEN):
        yield after.entry(int(after.s["record_n"]) - 1)
    elif knows or block in IN_THE_OPEN:
        yield before.sentence(meaning(before, block, number), seat)


def learnt(before: Scene, after: Scene) -> Iterator[str]:
    """The cards that somebody sees by it: drawn ones, a searched pile, a hand."""
    yield from looked_at(after) if before.phase != after.phase else ()
    gained = [card for card in after.hand() if card not in before.hand()]
    if gained and before.phase == "split":
        yield from gain(after, gained)
    elif gained and after.reader == c.DETECTIVE:
        yield f"You get {after.fields(gained)}."
    elif gained and before.phase == "detective_turn":
        yield after.sentence(f"{{who}} [hands|hand] over {after.fields(gained)}", c.MURDERER)
    if before.phase == "search_card" and after.wording.sees(c.MURDERER):
        kind = int(before.s["pile"]) - 1
        if held := after.hand(kind):
            cards = f"{c.KINDS[kind]} {'cards are' if len(held) > 1 else 'card is'}"
            yield f"So the detective's {cards} {after.fields(held)}."


def gain(scene: Scene, cards: list[int]) -> Iterator[str]:
    """Which cards the detective has drawn; the murderer recognizes those whose place was known."""
    known = [card for card in cards if scene.wording.sees(c.DETECTIVE) or int(scene.s["known"]) >> card & 1]
    if len(known) == len(cards):
        yield f"{'They are' if len(known) > 1 else 'It is'} {scene.fields(known)}."
    elif known:
        yield f"Among them {'are' if len(known) > 1 else 'is'} {scene.fields(known)}, as you know."


def looked_at(scene: Scene) -> Iterator[str]:
    """The cards that the murderer looks at now, for who sees them; open room cards are seen by both."""
    pile = int(scene.s["pile"]) - 1
    if scene.phase == "clean_card":
        cards = [scene.room_card(card) for card in scene.pile(c.ROOM)[: c.FROM_TOP]]
        yield f"The open {'cards are' if len(cards) > 1 else 'card is'} {listed(cards)}."
    if not scene.wording.sees(c.MURDERER):
        return
    if scene.phase in ("remove_pick", "request_keep"):
        top = scene.top(pile)
        which = f"top {NUMBERS[len(top)]} {c.KINDS[pile]} cards" if len(top) > 1 else f"last {c.KINDS[pile]} card"
        yield scene.sentence(f"{{who}} [looks|look] at the {which}: {scene.fields(top)}", c.MURDERER)
    if scene.phase == "search_card":
        yield f"The {c.KINDS[pile]} pile holds {scene.fields(sorted(scene.pile(pile)))}."
    if scene.phase == "steal" and not scene.s["chosen"]:
        yield f"The detective holds {scene.fields(scene.hand())}."
