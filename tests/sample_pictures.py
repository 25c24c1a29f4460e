"""The pictures that README and docs show: a position of each game, in the middle of a game of scripted players.

make pictures        writes them anew, after a picture or a game has changed
"""

from __future__ import annotations

from murder_envs.drivers import transcript
from murder_envs.picture.scene import Scene
from murder_envs.registry import GAMES
from tests.support import ROOT, data, ruleset_of

FOLDER = ROOT / "docs" / "pictures"


def scene_of(game: str) -> Scene:
    """The position of a game that is shown."""
    shown = data(game, "picture.toml")
    going = transcript.Game(ruleset_of(game, "default"), shown["seed"])
    choose = transcript.PLAYERS["heuristic"](shown["seed"])
    while len(going.played) < shown["decisions"] or going.seat != shown["seat"]:
        going.act(choose(going))
    return going.cursor.scene(shown["seat"])


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for game in GAMES:
        (FOLDER / f"{game}.svg").write_text(scene_of(game).svg(), encoding="utf-8")
        print(f"docs/pictures/{game}.svg")


if __name__ == "__main__":
    main()
