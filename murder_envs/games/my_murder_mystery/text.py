"""A state in words: info, figures, and the table as text. Never compiled."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.core.snapshots import clockwise
from murder_envs.core.wording import capitalized, listed
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery.case import Terms
from murder_envs.games.my_murder_mystery.names import Library
from murder_envs.games.my_murder_mystery.sentences import asked
from murder_envs.games.my_murder_mystery.snapshots import StateView
from murder_envs.games.my_murder_mystery.words import Scene, counted


def info(terms: Terms, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, Any]:
    """At the end everything that the solution says of this seat and of all; nothing before.

    Returns:
        `points`, `objectives` (text and whether it is completed, in the order of the card) and `won` of this seat; the
        seats that are `eliminated` (-1: none) and `winners`; who is `accused`, and the `accusations` and `answers` of
        all; the `solution` by question; `murderer_seat` (-1: nobody plays the murderer), whether the murderer is the
        most accused, and how many accusations are right.
    """
    view = StateView(terms, rules, state)
    if not view.over:
        return {}
    done, points, winners, _ = view.outcome()
    objectives = [terms.objective_text(objective) for objective in view.objectives(seat)]
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    accusations = [int(place) for place in view.s["accusation"][: view.n]]
    return {
        "points": points[seat],
        "objectives": [[text, kept] for text, kept in zip(objectives, done[seat], strict=True)],
        "won": seat in winners,
        "eliminated": view.eliminated(),
        "winners": winners,
        "accused": view.key(int(view.s["accused"])),
        "accusations": [view.key(place) for place in accusations],
        "answers": [view.written(other) for other in range(view.n)],
        "solution": {question: view.key(place) for question, place in zip(terms.questions, solution, strict=True)},
        "murderer_seat": solution[c.MURDER] if solution[c.MURDER] < view.n else NO_SEAT,
        "murderer_accused": int(view.s["accused"]) == solution[c.MURDER],
        "right_accusations": accusations.count(solution[c.MURDER]),
    }


def figures(terms: Terms, rules: np.ndarray, state: np.ndarray) -> dict[str, float]:
    """Of a finished game; NaN where nobody is of a kind, so that means are over games with some.

    `winners`; of innocents the share of right accusations and that of winners; of keepers of a secret among them the
    share of winners; the share of secrets (but the murder) that are kept; whether a murderer who is played wins, and is
    the most accused; whether seat 0 wins.
    """
    view = StateView(terms, rules, state)
    done, _, winners, _ = view.outcome()
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    murderer = solution[c.MURDER]
    innocents = [seat for seat in range(view.n) if seat != murderer]
    keepers = [seat for seat in innocents if seat in solution[1:]]
    kept = [
        completed
        for seat in range(view.n)
        for objective, completed in zip(view.objectives(seat), done[seat], strict=True)
        if objective.kind == c.HIDE and objective.question != c.MURDER
    ]
    played = murderer < view.n
    nothing = float("nan")
    return {
        "winners": float(len(winners)),
        "right_accusations": mean([view.s["accusation"][seat] == murderer for seat in innocents]),
        "innocents_win": mean([seat in winners for seat in innocents]),
        "keepers_win": mean([seat in winners for seat in keepers]),
        "secrets_kept": mean(kept),
        "murderer_wins": float(murderer in winners) if played else nothing,
        "murderer_accused": float(view.s["accused"] == murderer) if played else nothing,
        "seat_0_won": float(0 in winners),
    }


def figures_of_seat(terms: Terms, rules: np.ndarray, state: np.ndarray, seat: int) -> dict[str, float]:
    """Of one seat of a finished game, NaN where it is of another kind: how it accuses, wins and talks.

    Whether an innocent accuses the murderer; whether it wins, as an innocent, as a keeper of a secret among these, as
    the murderer; and by kind, an investigator being an innocent without a secret, how many statements it has on record
    at the end and what share of them is true.
    """
    view = StateView(terms, rules, state)
    _, _, winners, _ = view.outcome()
    won = float(seat in winners)
    solution = [int(place) for place in view.s["solution"][: len(terms.questions)]]
    innocent, keeper = seat != solution[c.MURDER], seat in solution[1:]
    kind = ("keeper" if keeper else "investigator") if innocent else "murderer"
    nothing = float("nan")
    numbers = {
        "right_accusation": float(view.s["accusation"][seat] == solution[c.MURDER]) if innocent else nothing,
        "innocent_wins": won if innocent else nothing,
        "keeper_wins": won if kind == "keeper" else nothing,
        "murderer_wins": nothing if innocent else won,
    }
    statements = [terms.fact("claims", text) for text in view.claims(seat)]
    true = [view.is_true(fact) for fact in statements]
    for each in ("investigator", "keeper", "murderer"):
        numbers[f"{each}_statements"] = float(len(statements)) if kind == each else nothing
        numbers[f"{each}_truth"] = mean(true) if kind == each else nothing
    return numbers


def mean(values: list[Any]) -> float:
    """The mean; NaN of nothing."""
    return sum(map(float, values)) / len(values) if values else float("nan")


# -- The table --------------------------------------------------------------------------------------------------------

WIDTH = 118


def text(library: Library, rules: np.ndarray, state: np.ndarray, reader: int | None) -> str:
    """The table as a reader sees it: characters, locations, cards, what was said, and the latest events."""
    scene = Scene(library, rules, state, reader)
    seen = "seen from above" if reader is None else f"as {scene.named(reader)} (player_{reader}) sees it"
    round_n, rounds = int(state[0]["round_n"]), int(rules[0]["rounds"])
    head = [f"My Murder Mystery: {scene.book.title}, round {round_n} of {rounds}, {seen}"]
    sections = [
        paragraphs([*head, asked(library, rules, state, reader)], ""),
        paragraphs([] if scene.s["revealed"] else [*scene.book.prologue, *scene.book.introduction], ""),
        titled("The questions", questions(scene)),
        titled("The characters", characters(scene)),
        titled("The locations", locations(scene)),
        titled("The top secret cards", secret_cards(scene)),
        *own_cards(scene),
        titled("What was said last about each question and trait (earlier statements are not kept)", said(scene)),
        titled(record_title(scene), map(scene.event, scene.view.events())),
        titled("The pointing", [scene.pointing()] if scene.pointed else []),
        titled("The revelation", scene.revelation() if scene.phase == "over" else []),
    ]
    return "\n".join("\n".join([*section, ""]) for section in sections if section).rstrip("\n") + "\n"


def titled(title: str, lines: Iterable[str]) -> list[str]:
    """A section with its title; nothing if there are no lines."""
    indented = paragraphs(lines, "  ")
    return [f"{title}:", *indented] if indented else []


def paragraphs(texts: Iterable[str], indent: str) -> list[str]:
    """Texts as lines that are short enough; where one goes on, it is indented further."""
    wrapped = (
        textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", break_on_hyphens=False)
        for text in texts
    )
    return [line for lines in wrapped for line in lines]


def questions(scene: Scene) -> list[str]:
    """The questions: from above with their answers, for a seat with what it has been shown of them for certain."""
    lines = []
    for q, question in enumerate(scene.book.questions):
        who = "" if question.who.startswith("the answer to ") else f" ({question.who})"
        answer = f"It is {scene.named(int(scene.s['solution'][q]))}."
        lines.append(f"{question.text}{who} {answer if scene.reader is None else shown(scene, q)}")
    return lines


def shown(scene: Scene, q: int) -> str:
    """What a seat has been shown of the answer to a question: traits, and who is left."""
    s, seat, n_traits, n_people = scene.s, scene.reader, len(scene.terms.traits), len(scene.terms.people)
    known = [
        scene.book.traits[trait][lacks]
        for trait in range(n_traits)
        for lacks, name in enumerate(("has", "lacks"))
        if (int(s[f"shown_{name}"]) | int(s[f"own_{name}"][seat])) >> q * n_traits + trait & 1
    ]
    left = int(s["shown_fits"]) & int(s["own_fits"][seat])
    people = [place for place in range(n_people) if left >> q * n_people + place & 1]
    who = (
        f"It is {scene.names(people)}."
        if len(people) == 1
        else f"Not ruled out by what has been read: {scene.names(people)}."
    )
    return f"The answer {listed(known)}. {who}" if known else who


def characters(scene: Scene) -> list[str]:
    """Who plays whom, with tokens and portraits; and whom nobody plays."""
    lines = []
    for seat in clockwise(range(scene.n), scene.reader or 0, scene.n):
        marks = [f"player_{seat}"]
        marks += ["you"] if seat == scene.reader else []
        marks += ["Leader"] if seat == scene.s["leader"] else []
        marks.append(counted(int(scene.s["tokens"][seat]), "token"))
        lines.append(f"{scene.named(seat)} ({', '.join(marks)}): {scene.portrait(seat)}")
    for place in range(scene.n, len(scene.terms.people)):
        kind = "out, " if place < scene.terms.n_portraits else ""
        lines.append(f"{scene.named(place)} ({kind}nobody plays this character): {scene.portrait(place)}")
    return lines


def locations(scene: Scene) -> list[str]:
    """The locations: fronts, and the backs of those that were read; from above all backs."""
    lines = []
    for number in range(1, scene.terms.n_locations + 1):
        state = f"read in round {int(scene.s['order'][number - 1])}"
        if not scene.s["order"][number - 1]:
            state = "face down"
            state += ", chosen" if number == scene.s["chosen"] else ""
            state += ", vetoed in this round" if number == scene.s["vetoed_location"] else ""
        line = f'{number} {scene.title(number)}, on "{scene.front(number)}" ({state})'
        if scene.s["order"][number - 1] or scene.reader is None:
            card = int(scene.s["hands"][number - 1])
            line += f": {scene.back(number)}" + (f" It hands out card {card:02}." if card else "")
        lines.append(line)
    return lines


def secret_cards(scene: Scene) -> list[str]:
    """The top secret cards that lie before somebody, with what they say if the reader has read them; from above all."""
    lines = []
    for card in scene.view.cards():
        holder, readers = int(scene.s["holder"][card]), scene.readers(card)
        if holder == NO_SEAT and scene.reader is not None:
            continue
        where = f"in front of {scene.name(holder)}, read by {scene.names(readers)}" if readers else "in the stack"
        line = f"{card:02} {where}"
        lines.append(f"{line}: {scene.book.secret(card, scene.view.secret(card))}" if scene.has_read(card) else line)
    return lines


def own_cards(scene: Scene) -> list[list[str]]:
    """The character cards that the reader may read, and what was written; a section for each seat."""
    sections = []
    for seat in range(scene.n):
        lines = scene.own_cards(seat)
        if lines and scene.s["accusation"][seat] != m.NOBODY:
            lines.append(f"Accusation: {scene.named(int(scene.s['accusation'][seat]))}.")
            for k, place in enumerate(scene.s["answers"][seat].tolist()):
                if place != m.NOBODY:
                    question = scene.question(int(scene.s["must_answer"][seat, k]))
                    lines.append(f'Answer to "{question}": {scene.named(place)}.')
        title = f"{'Your' if seat == scene.reader else scene.words.owner(seat)} cards"
        sections.append(
            titled(f"{title} ({counted(int(scene.rules[0]['win_points']), 'point')} at the end win)", lines)
        )
    return sections


def said(scene: Scene) -> list[str]:
    """Each player's statements on record, and whom each suspects."""
    lines = []
    for seat in range(scene.n):
        key = scene.view.key(seat)
        words = [f'"{scene.book.fact(fact, key)}"' for fact in scene.view.claims(seat)]
        suspect = int(scene.s["suspicion"][seat])
        if suspect != m.NOBODY:
            words.append(f'"I suspect {"myself" if suspect == seat else scene.named(suspect)}."')
        if words:
            lines.append(f"{capitalized(scene.name(seat))[:-1]}: {' '.join(words)}")
    return lines


def record_title(scene: Scene) -> str:
    """The title of the record of events; it keeps a limited number of them, and says so when some are gone."""
    if is_complete(scene, [kind for kind, *_ in scene.view.events()]):
        return "What has happened"
    return f"What has happened (the latest {m.N_EVENTS} events; earlier ones are not shown)"


def is_complete(scene: Scene, kinds: list[str]) -> bool:
    """Does the record reach back to the first choice of a location, with all that was read and paid for since?"""
    if len(kinds) < m.N_EVENTS:
        return True
    n_spent = int(scene.rules[0]["tokens"]) * scene.n - int(scene.s["tokens"][: scene.n].sum())
    paid = sum(kind in ("take", "veto_location", "veto_leader") for kind in kinds)
    return kinds[0] == "visit" and kinds.count("reveal") == len(scene.view.revealed()) and paid == n_spent
