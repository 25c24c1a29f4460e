"""What a seat is asked, what an action means, and what everybody is told of it, as sentences. Never compiled."""

from __future__ import annotations

import numpy as np

from murder_envs.core.snapshots import clockwise, members_of
from murder_envs.core.wording import capitalized, listed
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.moves import PHASE
from murder_envs.games.my_murder_mystery.names import Library
from murder_envs.games.my_murder_mystery.words import Scene, counted

WRITING = ("accuse", "answer")

# -- What an action means ---------------------------------------------------------------------------------------------

WRITTEN = {
    "accuse": ("{who} [writes|write] an accusation", "{who} [writes|write] the accusation: {person}"),
    "answer": ("{who} [writes|write] an answer", '{who} [answers|answer] "{question}" in writing: {person}'),
}
"""What is written in secret: as others see it, and as its writer does."""

PASSING = {
    "veto_location": "{who} [does|do] not veto {location}",
    "veto_leader": "{who} [does|do] not veto {nominee}",
    "talk": "{who} [says|say] nothing",
}
SILENT = "{who} [takes|take] no card"


def describe(library: Library, rules: np.ndarray, state: np.ndarray, action: int, reader: int | None) -> str:
    """What a legal action means, for a reader."""
    scene, s = Scene(library, rules, state, reader), state[0]
    words, seat = scene.words, int(s["to_act"])
    kind, event = scene.act(action)
    if kind in WRITTEN:
        question = scene.question(int(s["question"])) if kind == "answer" else ""
        person = "yourself" if event[0] == seat == reader else scene.name(event[0])
        return words.sentence(WRITTEN[kind][words.sees(seat)], seat, person=person, question=question)
    if kind == "condemn":
        return condemned(scene, event[0])
    if not event:
        template = SILENT if scene.is_silent else PASSING[scene.phase]
        chosen, nominee = scene.title(int(s["chosen"])), scene.as_leader(int(s["nominee"]), seat)
        return words.sentence(template, seat, location=chosen, nominee=nominee)
    if kind == "take" and seat in scene.readers(event[2]):
        again = "{who} [spends|spend] a token to take back card {card} from {seat}, and [knows|know] it already"
        return words.sentence(again, seat, card=f"{event[2]:02}", seat=scene.name(event[3]))
    return scene.event(event)


def condemned(scene: Scene, person: int) -> str:
    """What the Leader decides in a tie."""
    leader = int(scene.s["to_act"])
    if person >= scene.n:
        spared = "{who} [decides|decide] for {person}, whom nobody plays: nobody is eliminated"
        return scene.words.sentence(spared, leader, person=scene.named(person))
    verb = "are" if person == scene.reader else "is"
    decided = "{who} [decides|decide] that {person} {verb} eliminated"
    return scene.words.sentence(decided, leader, person=scene.name(person), verb=verb)


# -- What a seat is asked ---------------------------------------------------------------------------------------------

QUESTIONS = {
    "visit": "{who}, the Leader, [chooses|choose] the location for round {round}",
    "visit again": "{who}, the Leader, [chooses|choose] a location other than {vetoed} for round {round}",
    "veto_location": "{who} may veto {location}",
    "talk": "{who} [has|have] a turn to talk",
    "final": "{who} [has|have] a turn to talk in the final discussion",
    "silent": "{who} may spend a token to take a top secret card from another player",
    "reply": '{who} may reply to {asker}, or decline: "{question}"',
    "leader": "{who} [names|name] the next Leader",
    "leader again": "{who} [names|name] a player other than {vetoed} as the next Leader",
    "veto_leader": "{who} may veto {nominee}",
    "accuse": '{who} [writes|write] an accusation: "{murder}"',
    "answer": "{who} [writes|write] an answer",
    "own answer": '{who} [writes|write] an answer: "{question}"',
    "tiebreak": "{tied} are tied for the most accusations: {who}, the Leader, [decides|decide] the tie",
}
"""What is asked."""

CHOICES = {
    "full": "You may make one statement, ask one question, name a suspect, or say nothing.",
    "suspect": "You may name a suspect, or say nothing.",
}
"""What can be said in a turn, by `speech`."""


def asked(library: Library, rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """What the seat to act is asked; at the end who has won."""
    scene, s = Scene(library, rules, state, reader), state[0]
    if scene.phase == "over":
        return f"The game is over. {scene.winning()}"
    seat = int(s["to_act"])
    request = scene.words.sentence(
        QUESTIONS[what_is_asked(scene)],
        seat,
        round=f"{int(s['round_n'])} of {int(rules[0]['rounds'])}",
        vetoed=scene.vetoed,
        location=scene.title(int(s["chosen"])),
        nominee=scene.as_leader(int(s["nominee"]), seat),
        asker=scene.name((int(s["leader"]) + int(s["spoken"])) % scene.n),
        question=scene.question(int(s["question"])),
        murder=scene.question(c.MURDER),
        tied=scene.names(scene.most_accused()) if scene.phase == "tiebreak" else "",
    )
    return " ".join([request, *(choices(scene) if seat == reader else [])])


def choices(scene: Scene) -> list[str]:
    """What whoever is asked can do beside, in sentences."""
    sentences = []
    if scene.phase == "talk" and not scene.is_silent:
        sentences.append(CHOICES[m.SPEECHES[scene.rules[0]["speech"]]])
    takeable = scene.takeable(int(scene.s["to_act"]))
    if takeable and scene.phase in ("talk", "veto_location", "veto_leader") and not scene.is_silent:
        sentences.append(f"Before that you may spend a token to take card {listed(takeable, 'or')}.")
    return sentences


def what_is_asked(scene: Scene) -> str:
    """Which of QUESTIONS."""
    phase = scene.phase
    if phase in ("visit", "leader") and scene.vetoed:
        return f"{phase} again"
    if phase == "talk" and (scene.is_silent or scene.s["final"]):
        return "silent" if scene.is_silent else "final"
    if phase == "answer" and scene.words.sees(int(scene.s["to_act"])):
        return "own answer"
    return phase


# -- What everybody is told -------------------------------------------------------------------------------------------


def told(
    library: Library,
    rules: np.ndarray,
    before: np.ndarray | None,
    action: int | None,
    after: np.ndarray,
    reader: int | None,
) -> list[str]:
    """What a reader is told of a decision and all that follows, or as the game begins; see `Ruleset.told`."""
    scene = Scene(library, rules, after, reader)
    if before is None or action is None:
        return opening(scene)
    act = describe(library, rules, before, action, reader)
    return [act, *events(scene, before, act), *steps(scene, before)]


def events(scene: Scene, before: np.ndarray, act: str) -> list[str]:
    """The public events of a decision, without the act itself, and what the cards read that somebody takes."""
    sentences = []
    for event in scene.new_events(before):
        kind, seat, *values = event
        if kind in ("reveal", "hand"):
            sentences.append(scene.event(event))
        if kind in ("take", "hand") and scene.words.sees(seat) and not before[0]["readers"][values[0]] >> seat & 1:
            sentences.append(scene.card(values[0]))
    return sentences


def steps(scene: Scene, before: np.ndarray) -> list[str]:
    """What else has come: another Leader, the final discussion, the writing, the pointing, the end."""
    s, then = scene.s, before[0]
    sentences = []
    if s["round_n"] != then["round_n"]:
        begins = "{who} [takes|take] the Leader token, and round {round} begins"
        sentences.append(scene.words.sentence(begins, int(s["leader"]), round=int(s["round_n"])))
    if s["final"] and not then["final"]:
        sentences.append("The investigation is over, and the final discussion begins.")
    if scene.phase == "accuse" and then["phase"] not in (PHASE.accuse, PHASE.answer):
        answers = f" and {counted(scene.terms.n_answers, 'answer')}" if scene.terms.n_answers else ""
        sentences.append(f"Now everybody writes an accusation{answers} in secret.")
    if scene.pointed and then["phase"] != PHASE.tiebreak:
        sentences.append(scene.pointing())
    if scene.phase == "over":
        sentences += scene.revelation()
    return sentences


# -- As the game begins -----------------------------------------------------------------------------------------------

MURDERER = {
    c.POOL.played: "The murderer is one of the characters that are played.",
    c.POOL.portraits: "The murderer is one of the characters with a portrait, played or not.",
    c.POOL.all: "Any of the characters can be the murderer, also one that nobody plays.",
}
"""Who can be the murderer."""


def opening(scene: Scene) -> list[str]:
    """Prologue, portraits, Introduction, the own cards, the fronts of the locations, who leads: in that order."""
    seats = clockwise(range(scene.n), scene.reader or 0, scene.n)
    return [
        f'The case is "{scene.book.title}".',
        *scene.book.prologue,
        *scene.out_card(),
        *(scene.part(seat) for seat in seats),
        *(scene.no_part(place) for place in range(scene.n, len(scene.terms.people))),
        *scene.book.introduction,
        *task(scene),
        *(capitalized(f"{scene.words.owner(seat)} {card}") for seat in seats for card in scene.own_cards(seat)),
        *held_cards(scene),
        *(capitalized(scene.front_of(number)) for number in range(1, scene.terms.n_locations + 1)),
        scene.words.sentence("{who} [has|have] the Leader token", int(scene.s["leader"])),
    ]


def task(scene: Scene) -> list[str]:
    """The questions, and what wins."""
    r, terms = scene.rules[0], scene.terms
    questions = [f'"{question.text}"' for question in scene.book.questions]
    return [
        capitalized(
            f"the question is {questions[0]}" if not questions[1:] else f"the questions are {listed(questions)}"
        ),
        MURDERER[c.POOLS.index(terms.murderer_pool)],
        f"The game has {counted(int(r['rounds']), 'round')}. In each, one of {terms.n_locations} locations is read.",
        "At the end the most accused player is eliminated. "
        f"Of the others, whoever has {counted(int(r['win_points']), 'point')} or more wins.",
        f"Each player begins with {counted(int(r['tokens']), 'action token')}.",
    ]


def held_cards(scene: Scene) -> list[str]:
    """The top secret cards that lie before players, and what they say if the reader has read them."""
    sentences = []
    for card in members_of(scene.s["laid_out"]):
        holder = int(scene.s["holder"][card])
        sentences.append(scene.words.sentence("{who} [holds|hold] top secret card {card}", holder, card=f"{card:02}"))
        sentences += [scene.card(card)] if scene.has_read(card) else []
    return sentences
