"""Timing on a noisy machine: the candidates in turn, the best of several runs of each."""

import time


def best_in_turn(functions, rounds=3):
    """Seconds of the fastest run of each function, all run in turn `rounds` times."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
