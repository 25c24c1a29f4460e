"""The pictures that README and docs show: a position of each game, in the middle of a game of scripted players.

make pictures        writes them anew, after a picture or a game has changed
"""

from __future__ import annotations

from murder_envs.drivers import transcript
from murder_envs.picture.scene import Scene
from tests.support import ROOT, ruleset_of

FOLDER = ROOT / "docs" / "pictures"

SHOWN = {
    "theres_been_a_murder": (4, 14, 1),
    "perfect_murder": (3, 58, 1),
    "murder_of_crows": (5, 60, 2),
    "my_murder_mystery": (3, 52, 1),
}
"""game -> seed, decisions played at least, and the seat that then decides and looks."""


def scene_of(game: str) -> Scene:
    """The position of a game that is shown."""
    seed, n, seat = SHOWN[game]
    going = transcript.Game(ruleset_of(game, "default"), seed)
    choose = transcript.PLAYERS["heuristic"](seed)
    while len(going.played) < n or going.seat != seat:
        going.act(choose(going))
    return going.cursor.scene(seat)


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for game in SHOWN:
        (FOLDER / f"{game}.svg").write_text(scene_of(game).svg(), encoding="utf-8")
        print(f"docs/pictures/{game}.svg")


if __name__ == "__main__":
    main()
