"""Games kept as files, which can be played again, checked, and looked at as a page.

    env.replay().save("game.jsonl")
    Replay.load("game.jsonl").to_html()
    python -m murder_envs.replay game.jsonl --search 1000 --html game.html

Read `file` for what a replay is, `frames` for what a page shows, `page` for how it is put together, and `analysis` for
what a search thinks of a game.
"""

from murder_envs.replay.file import Note, Recorder, Replay

__all__ = ["Note", "Recorder", "Replay"]
