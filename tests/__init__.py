"""The tests. A test file knows no game; a game's folder in `data/` holds no code."""
