"""People at one keyboard."""

from __future__ import annotations

import sys
from typing import TextIO

from murder_envs.play.table import Table

LINE = "-" * 100
HELP = "Type the number of an action, its name, or q to leave."


def play(table: Table, read: TextIO = sys.stdin, write: TextIO = sys.stdout) -> bool:
    """Ask people until the game ends; did it? It ends early where the input does, or with q."""
    people, seen = table.people, dict.fromkeys(table.people, -1)
    while not table.over:
        seat = table.cursor.seat
        if len(people) > 1:
            print(
                f"{LINE}\nIt is for {table.ruleset.agents[seat]} to decide. Press Enter when nobody else looks.",
                file=write,
            )
            if not read.readline():
                return False
        show(table, seat, seen[seat], write)
        seen[seat] = table.n
        if not ask(table, seat, read, write):
            return False
    for seat in people:
        print(f"{LINE}\n{table.ruleset.agents[seat]}:", file=write)
        show(table, seat, seen[seat], write)
        print(f"Your return is {table.cursor.outcome()[0][seat]:g}.", file=write)
    return True


def show(table: Table, seat: int, since: int, write: TextIO) -> None:
    """What a seat has been told, and the table as it sees it."""
    print(LINE, *table.told(seat, since), "", table.cursor.text(seat), sep="\n", file=write)


def ask(table: Table, seat: int, read: TextIO, write: TextIO) -> bool:
    """Ask a seat until it has decided; False: the game is left."""
    legal = table.legal(seat)
    for number, (name, sentence) in enumerate(legal, 1):
        print(f"{number:4}  {sentence}  [{name}]", file=write)
    while True:
        print("> ", end="", file=write, flush=True)
        line = read.readline()
        answer = line.strip()
        if not line or answer == "q":
            return False
        if answer.isdecimal() and 1 <= int(answer[:9]) <= len(legal):
            answer = legal[int(answer) - 1][0]
        try:
            table.act(seat, table.n, answer)
        except ValueError:
            print(HELP, file=write)
            continue
        return True
