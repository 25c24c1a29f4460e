"""Loops over any ruleset, written once and compiled once per game by `murder_envs.core.jit.bind`."""
