"""Bricks that every rulebook shares; nothing here knows a game."""
