"""The table as a picture: who is who and who is not ruled out, places, cards, what is said. Never compiled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from murder_envs.core.contract import NO_SEAT
from murder_envs.games.my_murder_mystery import cards as c
from murder_envs.games.my_murder_mystery import moves as m
from murder_envs.games.my_murder_mystery import words
from murder_envs.games.my_murder_mystery.names import Library
from murder_envs.games.my_murder_mystery.sentences import asked
from murder_envs.picture.drawing import GAP, HUES, LEADING, SMALL, Drawing, below_frame, height_for, rows_for
from murder_envs.picture.scene import Box, Scene

BANNER_LINES = 3
HEAD, ROW_HIGH, ANSWER_HIGH, LINE = 15.0, 17.0, 15.0, LEADING * SMALL
CHIP_WIDE, NAME_WIDE, TAGS_WIDE, TOKENS_WIDE, CELL_WIDE = 18.0, 96.0, 62.0, 27.0, 14.0
FEWEST_CELLS = 3
"""So many columns have room for what stands above them."""
PLACE_HIGH, CARD_HIGH = 46.0, 44.0
N_PLACES_A_ROW = 4
N_OWN, N_SENTENCES = 8, 7
LETTERS = "ABCD"
"""What the questions are called."""
QUESTION_HUES = (HUES.vermilion, HUES.sky, HUES.green, HUES.purple)


def scene(library: Library, rules: np.ndarray, state: np.ndarray, reader: int | None) -> Scene:
    """The table, from above (`reader` None) or as a seat sees it."""
    return Picture(library, rules, state, reader).drawn()


class Picture:
    """Draws a state for a reader.

    Attributes:
        table: the state in words.
        cards: the top secret cards in play.
    """

    def __init__(self, library: Library, rules: np.ndarray, state: np.ndarray, reader: int | None) -> None:
        self.rules, self.state, self.reader = rules, state, reader
        self.table = words.Scene(library, rules, state, reader)
        self.s, self.terms, self.book = self.table.s, self.table.terms, self.table.book
        self.question = asked(library, rules, state, reader)
        self.cards = self.table.view.cards()
        self.n_people, self.n_traits = len(self.terms.people), len(self.terms.traits)
        self.n_questions = len(self.terms.questions)
        self.seat = int(self.s["to_act"]) if self.table.phase != "over" else None

    def drawn(self) -> Scene:
        """The whole picture."""
        table = self.table
        who_high = 10 + HEAD + HEAD + self.n_people * ROW_HIGH + 4 + self.n_questions * ANSWER_HIGH + 3 * LINE + 6
        place_rows = rows_for(self.terms.n_locations, N_PLACES_A_ROW)
        places_high = 10 + HEAD + place_rows * (PLACE_HIGH + 4) + (CARD_HIGH + 2 if self.cards else 0)
        said_high = 10 + HEAD + HEAD + (self.n_questions + 1) * ANSWER_HIGH
        parts = (who_high, places_high, said_high, 10 + HEAD + height_for(N_OWN), 10 + HEAD + height_for(N_SENTENCES))
        height = below_frame(BANNER_LINES) + sum(parts) + GAP * (len(parts) - 1)
        events = [table.event(event) for event in table.view.events()]
        drawing = self.drawing = Drawing(height, "My Murder Mystery", " ".join([self.question, *events[-3:]]))
        seen = "from above" if self.reader is None else f"as player_{self.reader} sees it"
        round_n = f"round {int(self.s['round_n'])} of {int(self.rules[0]['rounds'])}"
        rest = drawing.frame(f"{self.book.title}, {round_n}, {seen}", self.question, self.seat, BANNER_LINES)
        who, places, said, own, latest = rest.stack(parts, GAP)
        self.people(who)
        self.places(places)
        self.said(said)
        title, sentences = self.own()
        drawing.sentences(drawing.panel(own, title), sentences, "nothing yet")
        drawing.latest(latest, events)
        return drawing.scene

    # -- Who is who ---------------------------------------------------------------------------------------------------

    def chip(self, x: float, y: float, place: int) -> None:
        """The number of a character; grey if nobody plays it."""
        hue = None if place < self.table.n else HUES.grey
        self.drawing.chip(x, y, place, 7.5, hue=hue)

    def badge(self, box: Box, q: int) -> None:
        """The letter of a question, in the middle of a box."""
        ground = Box(box.x + box.w / 2 - 6.5, box.y + box.h / 2 - 6.5, 13, 13)
        self.drawing.rect(ground, f"hue{QUESTION_HUES[q]}", radius=2)
        self.drawing.label(ground, LETTERS[q], SMALL, f"on{QUESTION_HUES[q]}", "middle", True)

    def columns(self, row: Box) -> tuple[Box, Box, Box, Box]:
        """The parts of a row: the character, traits, questions, top secret cards."""
        who, rest = row.from_left(CHIP_WIDE + NAME_WIDE + TAGS_WIDE + TOKENS_WIDE)
        parts = []
        for n in (self.n_traits, self.n_questions, len(self.cards)):
            parts.append(Box(rest.x, row.y, min(rest.w, CELL_WIDE * n), row.h))
            rest = rest.from_left(max(FEWEST_CELLS, n) * CELL_WIDE + 6)[1]
        return who, parts[0], parts[1], parts[2]

    def people(self, box: Box) -> None:
        """A row a character: traits, the questions whose answer it can be, the cards that it holds and has read."""
        title = "Who is who, and the answers" if self.reader is None else "Who is who, and who is not ruled out"
        inner = self.drawing.panel(box, title)
        above = Box(inner.x, inner.y - HEAD, inner.w, HEAD)
        for column, meaning in zip(self.columns(above)[1:], ("traits", "answers", "secret cards")):
            if meaning != "secret cards" or self.cards:
                self.drawing.label(Box(column.x, column.y, 70, column.h), meaning, SMALL, "muted")
        head, rest = inner.from_top(HEAD)
        _, traits, questions, cards = self.columns(head)
        for t, cell in enumerate(traits.cells(self.n_traits, 1)):
            self.drawing.label(cell, str(t + 1), SMALL, "muted", "middle", True)
        for q, cell in enumerate(questions.cells(self.n_questions, 1)):
            self.badge(cell, q)
        for card, cell in zip(self.cards, cards.cells(max(1, len(self.cards)), 1)):
            self.drawing.label(cell, str(card), SMALL, "muted", "middle", True)
        body, rest = rest.from_top(self.n_people * ROW_HIGH)
        for place, row in enumerate(self.drawing.stripes(body, self.n_people)):
            self.person(row, place)
        answers, rest = Box(rest.x, rest.y + 4, rest.w, rest.h - 4).from_top(self.n_questions * ANSWER_HIGH)
        for q, row in enumerate(answers.cells(1, self.n_questions)):
            self.answer(row, q)
        keys = Box(rest.x, rest.y + 3, rest.w, rest.h - 3)
        named = ", ".join(f"{t + 1} {trait.text}" for t, trait in enumerate(self.book.traits))
        used = self.drawing.paragraph(keys.from_top(2 * LINE)[0], named, SMALL, "muted")
        marks = [("sure", "yes"), ("no", "no"), ("may", "may be")]
        if self.cards:
            marks += [("sure", "holds the secret card"), ("may", "has read it")]
        self.drawing.key(Box(keys.x, keys.y + used, keys.w, LINE), marks)

    def person(self, row: Box, place: int) -> None:
        """A character."""
        table, drawing = self.table, self.drawing
        who, traits, questions, cards = self.columns(row)
        if place == self.seat:
            drawing.rect(row, stroke="call", radius=3, thick=2)
        self.chip(who.x + 8.5, row.y + row.h / 2, place)
        played = place < table.n
        name, rest = who.from_left(CHIP_WIDE)[1].from_left(NAME_WIDE)
        drawing.label(Box(name.x, name.y, name.w - 3, name.h), table.named(place), SMALL, bold=played)
        tags, tokens = rest.from_left(TAGS_WIDE)
        if place == self.seat:
            drawing.pill(tags, "to decide")
        else:
            drawing.label(tags, self.tags(place), SMALL, "muted")
        for i in range(int(self.s["tokens"][place]) if played else 0):
            drawing.circle(tokens.x + 6 + 8 * i, row.y + row.h / 2, 3.3, "hue6", "edge")
        code = int(self.s["traits"]) >> place * self.n_traits
        for t, cell in enumerate(traits.cells(self.n_traits, 1)):
            drawing.mark(cell, "sure" if code >> t & 1 else "")
        for q, cell in enumerate(questions.cells(self.n_questions, 1)):
            left = self.left(q)
            drawing.mark(cell, "" if place not in left else "sure" if len(left) == 1 else "may")
        if played:
            for card, cell in zip(self.cards, cards.cells(max(1, len(self.cards)), 1)):
                holds, has_read = self.s["holder"][card] == place, place in table.readers(card)
                drawing.mark(cell, "sure" if holds else "may" if has_read else "")

    def tags(self, place: int) -> str:
        """What there is to say of a character in a word or two."""
        table = self.table
        if place >= table.n:
            return "is out" if place < self.terms.n_portraits else "not played"
        if table.phase == "over":
            _, points, winners, _ = table.view.outcome()
            tags = ["won"] if place in winners else ["out"] if place == table.view.eliminated() else []
            return ", ".join([*tags, words.counted(points[place], "point")])
        tags = ["you"] if place == self.reader else []
        return ", ".join([*tags, *(["Leader"] if place == self.s["leader"] else [])])

    # -- What is known ------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Does the reader see the solution?"""
        return self.reader is None or self.table.phase == "over"

    def left(self, q: int) -> list[int]:
        """The places of those who can be the answer to a question, as far as the reader was shown."""
        if self.is_open:
            return [int(self.s["solution"][q])]
        left = int(self.s["shown_fits"]) & int(self.s["own_fits"][self.reader])
        return [place for place in range(self.n_people) if left >> q * self.n_people + place & 1]

    def known(self, q: int, t: int) -> str:
        """The mark for whether the answer to a question has a trait."""
        at = q * self.n_traits + t
        if self.is_open:
            place = int(self.s["solution"][q])
            return "sure" if int(self.s["traits"]) >> place * self.n_traits + t & 1 else "no"
        for mark, name in (("sure", "has"), ("no", "lacks")):
            if (int(self.s[f"shown_{name}"]) | int(self.s[f"own_{name}"][self.reader])) >> at & 1:
                return mark
        return ""

    def answer(self, row: Box, q: int) -> None:
        """What is known of the answer to a question: its traits, and how many are left."""
        who, traits, questions, cards = self.columns(row)
        self.badge(Box(who.x, row.y, CHIP_WIDE, row.h), q)
        self.drawing.label(Box(who.x + CHIP_WIDE + 1, row.y, who.w - CHIP_WIDE - 5, row.h), self.called(q), SMALL)
        for t, cell in enumerate(traits.cells(self.n_traits, 1)):
            self.drawing.mark(cell, self.known(q, t))
        left = self.left(q)
        text = f"is {self.table.name(left[0])}" if len(left) == 1 else f"{len(left)} may be it"
        self.drawing.label(Box(questions.x, row.y, row.right - questions.x, row.h), text, SMALL, bold=len(left) == 1)

    def called(self, q: int) -> str:
        """What the answer to a question is called; the question, if it has no such name."""
        question = self.book.questions[q]
        return question.text if question.who.startswith("the answer to ") else question.who

    # -- Places and cards ---------------------------------------------------------------------------------------------

    def code(self, fact: str) -> str:
        """A fact in short: `A has 2`, `B not 4`."""
        question, kind, subject = self.terms.fact("fact", fact)
        about_people = kind in (c.IS, c.NOT)
        number = self.table.view.place_of(subject) if about_people else subject + 1
        return f"{LETTERS[question]} {c.KINDS[kind]} {number}"

    def places(self, box: Box) -> None:
        """The locations, face down or read, and the top secret cards."""
        inner = self.drawing.panel(box, "The places, and the top secret cards" if self.cards else "The places")
        n_rows = rows_for(self.terms.n_locations, N_PLACES_A_ROW)
        places, cards = inner.from_top(n_rows * (PLACE_HIGH + 4))
        cells = Box(places.x, places.y, places.w, places.h - 4).cells(N_PLACES_A_ROW, n_rows, 4)
        for number, cell in zip(range(1, self.terms.n_locations + 1), cells):
            self.place(cell, number)
        for card, cell in zip(self.cards, cards.cells(max(1, len(self.cards)), 1, 3)):
            self.secret(Box(cell.x, cell.y, cell.w, CARD_HIGH), card)

    def place(self, box: Box, number: int) -> None:
        """A location: the question that it bears on, its title, and what is read there."""
        nth = int(self.s["order"][number - 1])
        is_chosen = number == self.s["chosen"]
        fill, ink = ("card", "ink") if nth else ("back", "on_back")
        self.drawing.rect(box, fill, "call" if is_chosen else "edge", 4, thick=2.5 if is_chosen else 1)
        inner = box.inset(5, 3)
        self.badge(Box(inner.x, inner.y, 13, 14), int(self.s["theme"][number - 1]))
        title, below = inner.from_top(2 * LINE)
        self.drawing.paragraph(
            Box(title.x + 17, title.y, title.w - 17, title.h + 0.1), self.table.title(number), SMALL, ink
        )
        state = "chosen" if is_chosen else "vetoed" if number == self.s["vetoed_location"] else "face down"
        if nth or self.reader is None:
            facts = [self.code(fact) for fact in self.table.view.about_traits(self.s["facts"][number - 1])]
            card = int(self.s["hands"][number - 1])
            state = ", ".join([*facts, *([f"card {card}"] if card else [])])
        self.drawing.label(below, state, SMALL, ink)

    def secret(self, box: Box, card: int) -> None:
        """A top secret card: in the stack, or before a player, with what it says if the reader has read it."""
        holder = int(self.s["holder"][card])
        has_read = self.table.has_read(card)
        fill, ink = ("card", "ink") if has_read else ("back", "on_back")
        self.drawing.rect(box, fill, "edge", 4)
        inner = box.inset(3, 1)
        head, rest = inner.from_top(17)
        self.drawing.label(head, str(card), SMALL, ink, bold=True)
        if holder != NO_SEAT:
            self.drawing.chip(head.right - 8, head.y + 9, holder, 7.5)
        facts = [self.code(fact) for fact in self.table.view.secret(card)] if has_read else []
        lines = facts or (["in stack"] if holder == NO_SEAT else ["nothing"] if has_read else [])
        for line, cell in zip(lines, rest.cells(1, 2)):
            self.drawing.label(cell, line, SMALL, ink)

    # -- What is said and written -------------------------------------------------------------------------------------

    def said(self, box: Box) -> None:
        """How many players have a statement on record for and against each trait and each character, by question."""
        inner = self.drawing.panel(box, "What players have said last, and whom they suspect: how many for and against")
        head, body = inner.from_top(HEAD)
        labels = 70.0
        columns = self.n_traits + self.n_people
        for k, cell in enumerate(head.from_left(labels)[1].cells(columns, 1)):
            if k < self.n_traits:
                self.drawing.label(cell, str(k + 1), SMALL, "muted", "middle", True)
            else:
                self.chip(cell.x + cell.w / 2, cell.y + cell.h / 2, k - self.n_traits)
        rows = list(self.drawing.stripes(body, self.n_questions + 1))
        for q, row in enumerate(rows[:-1]):
            self.badge(Box(row.x, row.y, CHIP_WIDE, row.h), q)
            self.drawing.label(Box(row.x + CHIP_WIDE + 1, row.y, labels - CHIP_WIDE, row.h), "has, is", SMALL, "muted")
            for (good, bad), cell in zip(self.claims(q), row.from_left(labels)[1].cells(columns, 1)):
                text = (f"+{good}" if good else "") + (f"-{bad}" if bad else "")
                self.drawing.label(cell, text, SMALL, "ink", "middle")
        suspected = [int((self.s["suspicion"][: self.table.n] == place).sum()) for place in range(self.n_people)]
        self.drawing.label(rows[-1].inset(3, 0), "suspected by", SMALL, "muted")
        cells = list(rows[-1].from_left(labels)[1].cells(columns, 1))
        for n, cell in zip(suspected, cells[self.n_traits :]):
            self.drawing.label(cell, str(n) if n else "", SMALL, "ink", "middle")

    def claims(self, q: int) -> list[tuple[int, int]]:
        """How many players say that the answer to a question has a trait or is a character, and how many deny it."""
        counts = []
        for good, bad, n in (("has", "lacks", self.n_traits), ("is", "not", self.n_people)):
            for k in range(n):
                sets = (self.s[f"claims_{kind}"][: self.table.n] for kind in (good, bad))
                yes, no = (sum(int(claims) >> q * n + k & 1 for claims in of_all) for of_all in sets)
                counts.append((yes, no))
        return counts

    def own(self) -> tuple[str, Sequence[str]]:
        """A title and sentences: how it ended; else the reader's own cards; from above, everybody's secrets."""
        table = self.table
        if table.phase == "over":
            pointing = [table.pointing(), table.elimination()]
            answers = [
                f"{question.text} {table.named(int(self.s['solution'][q]))}."
                for q, question in enumerate(self.book.questions)
            ]
            return "The end", [*pointing, *answers, table.winning()]
        if self.reader is None:
            hidden = [
                table.words.sentence(f"{{who}} is to {table.objective(objective)}", seat)
                for seat in range(table.n)
                for objective in table.view.objectives(seat)
                if objective.kind == c.HIDE
            ]
            return "What those have to hide who are an answer", hidden
        *story, objectives = table.own_cards(self.reader)
        written = self.written(self.reader)
        title = f"Your cards ({words.counted(int(self.rules[0]['win_points']), 'point')} at the end win)"
        return title, [*story[::-1], objectives, *written, *([table.pointing()] if table.pointed else [])]

    def written(self, seat: int) -> list[str]:
        """What a seat has written so far."""
        if self.s["accusation"][seat] == m.NOBODY:
            return []
        lines = [f"Accusation: {self.table.named(int(self.s['accusation'][seat]))}."]
        for k, place in enumerate(self.s["answers"][seat].tolist()):
            if place != m.NOBODY:
                lines.append(f"{self.table.question(int(self.s['must_answer'][seat, k]))} {self.table.named(place)}.")
        return lines
