"""Simulation of keyed models on processes that may die: arrivals, caches, saves and replays."""

from collections import OrderedDict

import numpy as np

from driftlearn.ops.keyed.keyed_models import FIRST_REFRESH, REFRESH_INTERVAL
from driftlearn.ops.keyed.local_run import FIRST_BATCH, MAX_BATCH, SAVING, next_batch

MOST_ROWS = 20_000_000  # maximum number of rows of a simulation


class Process:
    """One process with its share of the keys: cost of a batch, depending on the states in memory.

    Parameters
    ----------
    costs : Costs
        Costs of its learner.
    keys : int
        Number of keys.
    zipf : float
        Skewness: the share of the k-th key is proportional to ``k ** -zipf``.
    memory : float
        Bytes for states.
    known : bool
        Whether all keys already have states, which are on disk.
    """

    def __init__(self, costs, keys, zipf=0.0, memory=2**30, known=True, seed=0):
        self.costs, self.keys = costs, keys
        self.rng = np.random.default_rng(seed)
        share = np.arange(1, keys + 1, dtype=float) ** -zipf if zipf else None
        self.share = None if share is None else np.cumsum(share) / share.sum()
        self.room = max(1, int(memory // costs.counted))
        self.stored = np.full(keys, known)
        self.held: OrderedDict[int, bool] = OrderedDict()  # whether the state has changed
        self.rows = self.calls = self.loads = self.saves = self.hits = self.most_held = 0

    def draw(self, n):
        """Return the keys of the next rows."""
        if self.share is None:
            return self.rng.integers(self.keys, size=n)
        return np.searchsorted(self.share, self.rng.random(n))

    def batch(self, n):
        """Return the CPU seconds of the next n rows, which are one batch."""
        seconds, done = 0.0, 0
        while done < n:
            step = min(n - done, self._until_renewal())
            due = step == self._until_renewal()
            seconds += self._stretch(self.draw(step))
            self.rows += step
            done += step
            if due:
                seconds += self.costs.renewal
        return seconds

    def _stretch(self, drawn):
        keys = np.unique(drawn).tolist()
        costs, held = self.costs, self.held
        before = self.loads, self.saves
        for key in sorted(keys, key=lambda key: key not in held):
            if key in held:
                self.hits += 1
                held.move_to_end(key)
            else:
                self.loads += bool(self.stored[key])
            held[key] = True
            while len(held) > self.room:
                old, changed = held.popitem(last=False)
                self.saves += changed
                self.stored[old] = True
        self.calls += len(keys)
        self.most_held = max(self.most_held, len(held))
        loads, saves = self.loads - before[0], self.saves - before[1]
        return (len(drawn) * (costs.stream + costs.row) + len(keys) * costs.call
                + loads * costs.load + saves * costs.save)  # fmt: skip

    def warm(self):
        """Load the states of the most frequent keys into memory, as after a long time."""
        self.held.update(dict.fromkeys(range(min(self.keys, self.room))[::-1], False))

    def save(self):
        """Return the CPU seconds to save all changed states."""
        changed = [key for key, is_changed in self.held.items() if is_changed]
        self.stored[changed] = True
        self.held.update(dict.fromkeys(changed, False))
        self.saves += len(changed)
        return len(changed) * self.costs.save

    def die(self):
        """Lose everything in memory."""
        self.held.clear()

    def _until_renewal(self):
        step = FIRST_REFRESH
        while step <= self.rows and 2 * step <= REFRESH_INTERVAL:
            step *= 2
        return (
            step - self.rows
            if step > self.rows
            else REFRESH_INTERVAL - self.rows % REFRESH_INTERVAL
        )


def all_at_once(process, n, batch=None, save_seconds=5.0):
    """Return the CPU seconds of a local run on a file of n rows, and its largest batch."""
    is_adaptive, batch = batch is None, batch or FIRST_BATCH
    seconds = saved = took = 0.0
    done = largest = 0
    while done < n:
        step = min(batch, n - done)
        calls = process.calls
        work = process.batch(step)
        seconds += work
        done, largest = done + step, max(largest, step)
        if is_adaptive:
            batch = next_batch(step, process.calls - calls, work, save_seconds)
        if seconds - saved >= max(save_seconds, took / SAVING):
            took = process.save()
            seconds += took
            saved = seconds
    return seconds + process.save(), largest


def served(process, rate, seconds, *, every, save, dies=None, down=0.0):
    """Simulate rows arriving at a rate; return the load of the process and its recovery.

    Parameters
    ----------
    process : Process
        The process.
    rate, seconds : float
        Rows per second, and simulated time.
    every, save : float
        Seconds between batches, and between saves.
    dies : float, optional
        Time at which it dies; the rows since the last save are repeated.
    down : float
        Seconds until this is noticed and another process has begun to start.
    """
    now = busy = saved = 0.0
    done = safe = replayed = 0
    recovered = None
    waited = 0.0
    while now < seconds and process.rows < MOST_ROWS:
        waiting = int(rate * now) - done
        if waiting < rate * every:
            if dies is not None and now >= dies and recovered is None and replayed:
                recovered = now - dies
                break
            now += max(every - waiting / rate, 1e-3)
            continue
        waited = max(waited, waiting / rate)
        work = process.batch(min(waiting, MAX_BATCH))
        done += min(waiting, MAX_BATCH)
        if dies is not None and not replayed and now + work >= dies:
            replayed, done = done - safe, safe
            process.die()
            now = dies + down + process.costs.start
            saved = now
            continue
        now, busy = now + work, busy + work
        if now - saved >= save:
            work = process.save()
            now, busy, saved, safe = now + work, busy + work, now + work, done
    return {"busy": busy / max(now, 1e-9), "replayed": replayed, "recovery": recovered,
            "waited": waited}  # fmt: skip


def plan(costs, keys, rate, host, zipf=1.0, seed=0):
    """Return the number of hosts for the keys, and the load of each host.

    Parameters
    ----------
    costs : Costs
        Costs of the learner.
    keys, rate : int, float
        Number of keys, and rows per second of all keys.
    host : dict
        ``cores``, ``memory``, ``disk`` of a host (bytes); ``busy``, the maximum load of a core;
        ``every``, ``save``, ``down`` as in `served`.
    """
    least = costs.stream + costs.row + costs.call / 10
    n = max(1, int(np.ceil(rate * least / host["busy"])))
    for _ in range(12):
        memory = host["memory"] / host["cores"] - costs.process
        memory -= rate / n * host["every"] * costs.row_bytes
        process = Process(costs, max(1, -(-keys // n)), zipf, max(memory, 2**20), seed=seed)
        each = rate / n
        process.warm()
        process.batch(int(min(max(each * host["save"], 1_000), 2_000_000)))
        before = process.rows, process.calls, process.hits
        cpu = process.batch(max(1, int(each * host["every"])))
        step = process.rows - before[0]
        changed = min(process.most_held, _distinct(process, each * host["save"]))
        per_row = cpu / step + changed * costs.save / max(each * host["save"], 1)
        needed = max(1, int(np.ceil(rate * per_row / host["busy"])))
        if needed <= n <= 1.1 * needed + 1:
            break
        n = needed if needed > n else max(needed, (n + needed) // 2)
    hosts = max(-(-n // host["cores"]), int(np.ceil(keys * costs.disk / host["disk"])))
    per_host = min(n, host["cores"])
    held = process.most_held * costs.held
    calls, hits = process.calls - before[1], process.hits - before[2]
    dying = served(process, each, 4 * host["save"] + 600, every=host["every"], save=host["save"],
                   dies=1.9 * host["save"], down=host["down"])  # fmt: skip
    return {
        "hosts": hosts, "processes": n, "row": per_row,
        "hits": hits / max(calls, 1),
        "memory": per_host * (costs.process + held + each * host["every"] * costs.row_bytes),
        "disk": keys * costs.disk / hosts, "group": step / max(calls, 1), **dying,
    }  # fmt: skip


def _distinct(process, n):
    """Return the approximate number of distinct keys among n rows."""
    some = int(min(n, 1_000_000))
    found = len(np.unique(process.draw(max(some, 1))))
    return found if some >= n else min(process.keys, found * n / some)
