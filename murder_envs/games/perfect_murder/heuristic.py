from murder_envs.core.bits import kth_of
from murder_envs.core.jit import kernel


@kernel
def heuristic(row, words, rules, stream):
    return kth_of(words, 0)
