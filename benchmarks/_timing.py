"""Timing on a shared machine: candidates run in turn, and the fastest of several runs counts."""

import time


def best_in_turn(functions, rounds=3):
    """Return the seconds of the fastest run of each function, all run in turn `rounds` times."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
