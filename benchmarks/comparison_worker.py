"""Shared code of the jobs of `comparison.py`, for the Python of the measured library.

A job is JSON on the command line; its result is a line of JSON on the last line of the output.
Requires only NumPy. Start-up (the import of the library, for MOA the start of Java) is timed
separately; reading rows and converting them for the library is not timed.
"""

import json
import sys
import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time, "own": time.thread_time}


class Clock:
    """Wall time, CPU time of the process, and CPU time of the calling thread, accumulated."""

    def __init__(self):
        self.seconds = dict.fromkeys(CLOCKS, 0.0)

    def __enter__(self):
        self.begun = {name: now() for name, now in CLOCKS.items()}
        return self

    def __exit__(self, *problem):
        for name, now in CLOCKS.items():
            self.seconds[name] += now() - self.begun[name]


def reset_peak():
    """Reset the peak of the memory, if the system supports it."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def peak():
    """Return the peak memory of the process in MB; nan if unknown.

    Linux provides the peak of this process only; that of getrusage includes the parent process.
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
    """Predict and train on the rows, block by block, until all are done or the time is up.

    `way` consists of the rows per block (None for all at once), a function that converts a block
    for the library, and a function of model, rows, labels and whether the block is the first, which
    predicts and trains. Returns the predictions, -1 for none, and the clock.
    """
    import numpy as np

    size, prepared, step = way
    predictions, clock, done = np.full(len(y), -1), Clock(), 0
    while done < len(y) and clock.seconds["wall"] < limit:
        end = min(done + (size or len(y)), len(y))
        rows, labels = prepared(X[done:end]), y[done:end]
        with clock:
            outcomes = step(model, rows, labels, done == 0)
        if outcomes is not None:
            predictions[done:end] = outcomes
        done = end
    return predictions[:done], clock


def again_and_again(once, limit):
    """Return the seconds of the fastest of several calls, by each clock."""
    best, end = dict.fromkeys(CLOCKS, float("inf")), time.perf_counter() + limit
    while time.perf_counter() < end or best["wall"] == float("inf"):
        with Clock() as clock:
            once()
        best = {name: min(best[name], clock.seconds[name]) for name in CLOCKS}
    return best


def curve(predictions, y, every):
    """Return the number of correct predictions after each interval of rows, and their number."""
    right = (predictions == y[: len(predictions)]).cumsum()
    ends = [*range(every, len(predictions), every), len(predictions)]
    return [int(right[end - 1]) for end in ends], int((predictions >= 0).sum())


def predict_then_train(model, X, y, first):
    """Predict and train on chunks with a scikit-learn API, whose learners know all classes."""
    predictions = None if first else model.predict(X)
    model.partial_fit(X, y)
    return predictions


def predict_then_fit(model, X, y, first):
    """Retrain a batch learner on every chunk."""
    predictions = None if first else model.predict(X)
    model.fit(X, y)
    return predictions


def as_it_is(X):
    return X


def serve(begin, ways, fits=None):
    """Run the job on the command line.

    `begin` imports the library and creates the learner from its description; `ways` are the modes
    for a stream; `fits` are functions of model, X and y that return a function to be timed and one
    that predicts.
    """
    job = json.loads(sys.argv[1])
    with Clock() as start:
        model = begin(job)
    import numpy as np

    with np.load(job["rows"]) as file:
        X, y = file["X"], file["y"]
    reset_peak()
    before = peak()
    if job["way"] in (fits or {}):
        once, predict = fits[job["way"]](model, X, y)
        seconds = again_and_again(once, job["limit"])
        found = {"right": [int((predict(X) == y).sum())], "tested": len(y), "n_rows": len(y)}
    else:
        predictions, clock = over_stream(model, X, y, ways(job, y)[job["way"]], job["limit"])
        right, tested = curve(predictions, y, job["every"])
        seconds = clock.seconds
        found = {"right": right, "tested": tested, "n_rows": len(predictions)}
    found |= {"seconds": seconds, "start": start.seconds, "memory": peak() - before}
    print(json.dumps(found))
