"""One folder a game; each reads in its rulebook's order (see CONTRIBUTING.md)."""
