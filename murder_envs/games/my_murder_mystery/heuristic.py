"""A scripted player (stub)."""
from murder_envs.core.bits import count, kth_of
from murder_envs.core.jit import kernel
from murder_envs.core.rng import stream_below


@kernel
def heuristic(row, words, rules, stream):
    """Random for now."""
    return kth_of(words, stream_below(stream, count(words)))
