"""What the workers of `field.py` share: one job, in the Python of the library that is measured.

A job is JSON on the command line, what was found is a line of JSON on the last line of the output.
Needs NumPy and nothing of driftlearn. Start-up (the import of the library, for MOA the start of
Java) is timed apart; rows are read, and turned into what the library takes, while no clock runs.
"""

import json
import sys
import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time, "own": time.thread_time}


class Clock:
    """Seconds by the wall, of the process, and of the thread that calls, added up."""

    def __init__(self):
        self.seconds = dict.fromkeys(CLOCKS, 0.0)

    def __enter__(self):
        self.begun = {name: now() for name, now in CLOCKS.items()}
        return self

    def __exit__(self, *problem):
        for name, now in CLOCKS.items():
            self.seconds[name] += now() - self.begun[name]


def forget_peak():
    """Let the peak of memory begin anew, where the system can."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def peak():
    """Return the greatest memory of the process so far, in MB; nan where nobody tells.

    Linux has a figure of the process alone; in that of getrusage is also what the process that
    started it had.
    """
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def over_stream(model, X, y, way, limit):
    """Ask about the rows and teach them, a block at a time, until all are done or time is up.

    `way` is the rows of a block (None: all at once), what makes of a block what the library takes,
    and what asks and teaches: a function of model, rows, labels and whether the block is the first.
    Return what was said, -1 where nothing was, and the clock.
    """
    import numpy as np

    size, prepared, step = way
    said, clock, done = np.full(len(y), -1), Clock(), 0
    while done < len(y) and clock.seconds["wall"] < limit:
        end = min(done + (size or len(y)), len(y))
        rows, labels = prepared(X[done:end]), y[done:end]
        with clock:
            answers = step(model, rows, labels, done == 0)
        if answers is not None:
            said[done:end] = answers
        done = end
    return said[:done], clock


def again_and_again(once, limit):
    """Return the seconds of the fastest of many calls, by each clock."""
    best, end = dict.fromkeys(CLOCKS, float("inf")), time.perf_counter() + limit
    while time.perf_counter() < end or best["wall"] == float("inf"):
        with Clock() as clock:
            once()
        best = {name: min(best[name], clock.seconds[name]) for name in CLOCKS}
    return best


def curve(said, y, every):
    """Return how many answers were right after every so many rows, and how many there were."""
    right = (said == y[: len(said)]).cumsum()
    ends = [*range(every, len(said), every), len(said)]
    return [int(right[end - 1]) for end in ends], int((said >= 0).sum())


def ask_then_teach(model, X, y, first):
    """The chunks of all libraries that follow scikit-learn, whose learners know all classes."""
    said = None if first else model.predict(X)
    model.partial_fit(X, y)
    return said


def ask_then_fit(model, X, y, first):
    """A learner of one table, made anew from every chunk."""
    said = None if first else model.predict(X)
    model.fit(X, y)
    return said


def as_it_is(X):
    return X


def serve(begin, ways, fits=None):
    """Do the job of the command line.

    `begin` imports the library and makes the learner from its text; `ways` are those over a stream;
    `fits` are functions of model, X and y that give a function to be timed and one that predicts.
    """
    job = json.loads(sys.argv[1])
    with Clock() as start:
        model = begin(job)
    import numpy as np

    with np.load(job["rows"]) as file:
        X, y = file["X"], file["y"]
    forget_peak()
    before = peak()
    if job["way"] in (fits or {}):
        once, predict = fits[job["way"]](model, X, y)
        seconds = again_and_again(once, job["limit"])
        found = {"right": [int((predict(X) == y).sum())], "tested": len(y), "n_rows": len(y)}
    else:
        said, clock = over_stream(model, X, y, ways(job, y)[job["way"]], job["limit"])
        right, tested = curve(said, y, job["every"])
        seconds = clock.seconds
        found = {"right": right, "tested": tested, "n_rows": len(said)}
    found |= {"seconds": seconds, "start": start.seconds, "memory": peak() - before}
    print(json.dumps(found))
