"""Check that learners, detectors, streams and the encoder give bit-identical results.

    python benchmarks/digests.py --out before.json        # before the code is changed
    python benchmarks/digests.py --compare before.json    # after; exit status 1 if any differ
    python benchmarks/digests.py --compare before.json --only DTEL --jobs 2

A case is, for example, a learner with certain options on a small stream. Its digest is the SHA-256
of all labels and of the bytes of all probabilities; an exception adds the name of its class.
Digests are comparable only on one machine with the same packages. Only public names are used, so
modules may move. If a public name changes, add it to `RENAMED`: the cases keep their names.
"""

import argparse
import inspect
import json
import pkgutil
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from multiprocessing import get_context
from numbers import Integral, Real
from pathlib import Path
from zlib import crc32

import numpy as np
import sklearn.naive_bayes
import sklearn.tree
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, Options
from threadpoolctl import threadpool_limits

import driftlearn

# Old names to new ones: of a class or function ("SEAClassifier",), of its parameter or constructor
# ("AutoClassifier", "look_every"), of a value of a parameter ("AutoClassifier", "answer", "vote").
# All names in a key are old; "*" in the first place stands for every class.
RENAMED = {
    ("Misfit",): "InvalidStateError",
    ("driftlearn.papers",): "driftlearn.bench.papers",
    ("AutoClassifier", "learners"): "candidates",
    ("AutoClassifier", "answer"): "combine",
    ("AutoClassifier", "answer", "leader"): "best",
    ("AutoClassifier", "look_every"): "eval_interval",
    ("AutoClassifier", "hopeless"): "drop_threshold",
    ("TableEncoder", "on_surprise"): "on_schema_change",
}

# values of options whose constraints list none, or whose other values have no effect here
VALUES = {
    "bounds": [(0, 1)],
    "chunk_size": [100],
    "class_weight": ["balanced"],
    "date_parts": [("year", "weekday")],
    "direction": ["falling", "both"],
    "kinds": [{"size": "category"}],
    "max_bytes": [5_000],
    "max_nodes": [5],
    "n_estimators": [3],
    "nominal_features": [[0, 2]],
    "rates": [(0.01, 0.1)],
    "transition": ["gradual", "incremental"],
}
BESIDE = {  # options that other options require
    "DWMClassifier": {"variant": "windowed"},
    "FLBClassifier": {"block_size": 40},
    "FLCClassifier": {"detector": "sd"},
    "HoeffdingAdaptiveTreeClassifier": {"grace_period": 20, "delta": 0.5},
    "HoeffdingTreeClassifier": {"grace_period": 20, "delta": 0.5},
    "IBoostClassifier": {"window_size": "adwin"},
    "LearnPPClassifier": {"validation_share": 0.3},
    "LearnPPMTClassifier": {"validation_share": 0.3},
    "RCDClassifier": {"min_rows": 6},
}
MEMBERS = ("CART", "GaussianNB", "HoeffdingAdaptiveTree", "HoeffdingTree", "Logistic", "Stump")
MIXED = ("GaussianNB", "HoeffdingTree", "Stump", "Stump")  # with other options
BASES = ("ChunkClassifier", "OnlineClassifier", "StreamClassifier")  # public, but no learners
NOMINAL = ("FLORA2Classifier", "FLORA3Classifier", "STAGGERClassifier", "WinnowClassifier")
STREAMS = ("sea", "blobs", "gaps", "nominal", "binary")
N_ROWS = 1200
BY_ROW = [160] * 6 + [7] * 24 + [1] * 72  # rows per call
SHORT = [160, 100, *[7] * 6, *[1] * 12]  # for slow learners
BY_CHUNK = [100, 250, 150, 100] * 2
METRICS = ("accuracy", "balanced_accuracy", "kappa", "g_mean", "f1", "auc", "log_loss", "brier")


def new_name(*path):
    """Return the current name of what used to be called ``path[-1]``."""
    return RENAMED.get(path, RENAMED.get(("*", *path[1:]), path[-1]))


def old_name(*path):
    """Return the former name of ``path[-1]``; the names before it are old ones."""
    for key, new in RENAMED.items():
        same = len(key) == len(path) and all(k in ("*", p) for k, p in zip(key[:-1], path[:-1]))
        if same and type(new) is type(path[-1]) and new == path[-1]:
            return key[-1]
    return path[-1]


def module(path):
    """Import a module by its old path."""
    return import_module(new_name(path))


def make(kind, name, *args, **params):
    """Construct an object or call a function, with parameters by their old names."""
    now = {}
    for key, value in params.items():
        renamed = new_name(name, key, value) if isinstance(value, str | bool) else value
        now[new_name(name, key)] = renamed
    return kind(*args, **now)


def public(package, name):
    """Return a class or function of a package by its old name."""
    return getattr(module(f"driftlearn.{package}"), new_name(name))


def generated(name, **params):
    """Return a stream, given old names."""
    return make(public("streams", name), name, **params)


def parameters(name, kind):
    """Return the parameters of a class by their old names, with their defaults."""
    found = inspect.signature(kind).parameters
    return {old_name(name, key): param.default for key, param in found.items()}


def other_values(name, kind):
    """Return triples: an option, a value other than its default, whether that is a category."""
    found, constraints = [], getattr(kind, "_parameter_constraints", None)
    for key, default in parameters(name, kind).items():
        number = isinstance(default, Real) and not isinstance(default, bool)
        allowed = [] if constraints is None else constraints.get(new_name(name, key), [])
        if constraints is None and number:
            whole, most = isinstance(default, int), 1 if default < 1 else None
            allowed = [Interval(Integral, 0, None, closed="left")]
            allowed = allowed if whole else [Interval(Real, 0, most, closed="neither")]
        words = [not default] if isinstance(default, bool) else []
        others = [value for value in VALUES.get(key, []) if value != default]
        for each in allowed if isinstance(allowed, list) and key != "n_jobs" else []:
            if isinstance(each, Options) or each is None:
                words += [None] if each is None else each.options
            elif isinstance(each, Interval) and key not in VALUES:
                near = default if number and default else 5 if each.type is Integral else 5.0
                tried = near * 10, near / 10
                if each.type is Integral:
                    tried = near // 5 or near * 2 + 1, near * 2 + 1
                others += [value for value in tried if each.is_satisfied_by(value)][:1]
        words = [old_name(name, key, word) for word in words if word != default]
        found += [(key, word, True) for word in sorted(words, key=str)]
        found += [(key, value, key == "nominal_features") for value in others]
    return found


def digest_of(steps):
    """Return the digest of all values of an iterator and of the class of the error it raises."""
    digest, raised = sha256(), ""
    try:
        for step in steps:
            array = np.asarray(step)
            digest.update(str(array.shape if array.dtype.kind == "f" else array.tolist()).encode())
            digest.update(array.astype(float).tobytes() if array.dtype.kind == "f" else b"")
    # a package or a file is missing, so that nothing could be compared
    except (ImportError, OSError):
        raise
    except Exception as error:
        raised = f" {old_name(type(error).__name__)}"
    return digest.hexdigest() + raised


@cache
def rows_of(stream):
    """Return 1,200 rows of a stream by name, with labels and weights."""
    rng = np.random.default_rng(0)
    X, part, weight = rng.random((N_ROWS, 3)), np.arange(N_ROWS) // 400, np.ones(N_ROWS)
    above = X[:, 0] + X[:, 1] > np.array([0.8, 1.2, 0.8])[part]
    # the first concept recurs
    y = np.where((part == 1) ^ above ^ (rng.random(N_ROWS) < 0.05), 2, 1)
    if stream == "gaps":
        X[rng.random(X.shape) < 0.15] = np.nan
    elif stream in ("blobs", "weighted"):  # they rotate, and the fourth class appears late
        c = rng.choice(4, N_ROWS, p=[0.4, 0.3, 0.1, 0.2])
        c[:650] = np.minimum(c[:650], 2)
        angle = 2 * np.pi * (c / 4 + np.arange(N_ROWS) / 2 / N_ROWS)
        centre = 0.5 + 0.25 * np.column_stack([np.cos(angle), np.sin(angle)])
        X[:, :2] = np.clip(centre + 0.1 * rng.normal(size=(N_ROWS, 2)), 0, 1)
        y, weight = np.array(["a", "b", "c", "d"])[c], rng.choice([0.5, 1.0, 3.0], N_ROWS)
    elif stream in ("nominal", "binary"):  # the STAGGER concepts
        values = rng.integers(3, size=(N_ROWS, 3))
        size, colour, shape = values.T
        rules = [(size == 0) & (colour == 0), (colour == 1) | (shape == 1), size > 0]
        X, y = values.astype(float), np.choose(part, rules)
        X = X if stream == "nominal" else np.eye(3)[values].reshape(N_ROWS, 9)
    return X, y, weight


def is_by_row(model):
    """Return whether a learner is trained row by row instead of in chunks."""
    params, key = model.get_params(), new_name("*", "chunk_size")
    chunked = any(name.split("__")[-1] == key and params[name] is None for name in params)
    return hasattr(model, "partial_fit") and not chunked


def answers(build, stream):
    """Predict the rows of each call, then learn them; weighted rows are also learned at once."""
    model, (X, y, weight), start = build(), rows_of(stream), 0
    sizes = BY_ROW if is_by_row(model) else BY_CHUNK
    parts = [model, *model.get_params().values()]
    slow = any(type(each).__module__.startswith("sklearn") for each in parts)
    if sizes is BY_ROW and (slow or old_name(type(model).__name__) == "WindowedAdaBoostClassifier"):
        sizes = SHORT
    for size in sizes:
        rows = slice(start, start + size)
        if start:
            yield model.predict(X[rows])
            yield model.predict_proba(X[rows]) if hasattr(model, "predict_proba") else []
        weights = {"sample_weight": weight[rows]} if stream == "weighted" else {}
        learn = model.partial_fit if hasattr(model, "partial_fit") else model.fit
        learn(X[rows], y[rows], **weights)
        start += size
    if stream == "weighted":
        yield clone(model).fit(X, y).predict_proba(X)


def scores(build):
    """Evaluate a learner."""
    model, prequential = build(), public("evaluate", "prequential")
    options = {"chunk_size": 1, "every": 100} if is_by_row(model) else {"chunk_size": 100}
    stream = generated("SEA", n_rows=800, random_state=0)
    result = make(prequential, "prequential", {"it": model}, stream, **options)
    yield from [result.confusion("it"), *(result.scores("it", metric) for metric in METRICS)]


def drift(build):
    """Return the changes found by a detector in mistakes, in losses and in block errors."""
    rng = np.random.default_rng(0)
    mistakes = (rng.random(6000) < np.repeat([0.2, 0.5, 0.1, 0.3], 1500)).astype(float)
    losses = np.clip(rng.normal(np.repeat([0.3, 0.5, 0.2], 1000), 0.1), 0, 1)
    for errors in (mistakes, losses, mistakes.reshape(-1, 25).mean(axis=1)):
        detector = build()
        n = [25] if "n" in inspect.signature(detector.update).parameters else []
        yield [i for i, error in enumerate(errors) if detector.update(error, *n)]
        yield build().update_many(errors) if hasattr(detector, "update_many") else []


def streams(build):
    """Return the first rows of a stream, its drifts, and test rows."""
    stream = build()
    yield from next(stream.chunks(500))[:2]
    yield stream.drifts
    yield from stream.test_set(400, 50)


def encoder(build):
    """Encode a table piece by piece, with missing and late values."""
    model, (X, y, _) = build(), rows_of("sea")
    colours = np.array(["red", "blue", "", "green", "late"])[np.arange(N_ROWS) // 400 + y]
    days = np.datetime64("2024-01-01") + np.arange(N_ROWS) // 3
    size = [None if x < 0.1 else x for x in X[:, 0]]
    size[900] = "big"
    table = {"size": size, "colour": list(colours), "day": list(days.astype(str)), "flag": y == 1}
    for start in range(0, N_ROWS, 200):
        rows = {name: column[start : start + 200] for name, column in table.items()}
        yield model.transform(rows) if start else []
        model.partial_fit(rows)


def described(model):
    """Format an estimator with old names."""
    if not hasattr(model, "get_params"):
        return repr(model)
    name, usual = old_name(type(model).__name__), inspect.signature(type(model)).parameters
    params = [
        f"{old_name(name, key)}={described(old_name(name, key, value))}"
        for key, value in model.get_params(deep=False).items()
        if repr(value) != repr(usual[key].default)
    ]
    return f"{name}({', '.join(sorted(params))})"


def seeded(model):
    """Return a copy whose seeds are 0."""
    seeds = [key for key in model.get_params() if key.split("__")[-1] == "random_state"]
    return clone(model).set_params(**dict.fromkeys(seeds, 0))


@cache
def learners():
    """Return the public learners by their old names, whatever their package."""
    found = {}
    for package in pkgutil.iter_modules(driftlearn.__path__, "driftlearn."):
        with suppress(ImportError):  # its package needs another one that is not installed
            there = import_module(package.name) if package.ispkg else driftlearn
            names = [each for each in getattr(there, "__all__", ()) if each.endswith("Classifier")]
            found |= {old_name(each): getattr(there, each) for each in names}
    return {name: found[name] for name in sorted(found) if name not in BASES}


def learner_cases(name, kind):
    """Return functions that run a learner with each value of each option, by case name."""
    cases, known, values = {}, parameters(name, kind), other_values(name, kind)
    seed = {"random_state": 0} if "random_state" in known else {}
    beside = BESIDE.get(name, {"n_estimators": 3})  # so few that some are replaced
    two = STREAMS[3:] if name in NOMINAL else STREAMS[:2]
    members = {each: make(learners()[f"{each}Classifier"], f"{each}Classifier") for each in MEMBERS}
    members["sklearn NB"] = sklearn.naive_bayes.GaussianNB()
    members["sklearn tree"] = sklearn.tree.DecisionTreeClassifier(random_state=0)
    members = [(each, {"estimator": members[each]}) for each in members if "estimator" in known]

    def add(variant, params, streams=two):
        build = partial(make, kind, name, **{**seed, **params})
        for stream in streams:
            cases[f"{name}/{variant}/{stream}"] = partial(answers, build, stream)

    add("defaults", {}, [*STREAMS, "weighted"])
    for n in (1, 2) if "n_jobs" in known else ():
        add(f"n_jobs={n}", {"n_jobs": n}, STREAMS)
    for key, value, category in values:
        add(f"{key}={value}", {key: value}, STREAMS if category else two)
        if known.keys() - {key} >= beside.keys():
            add(f"{key}={value} beside", {**beside, key: value})
    for each, member in members:
        add(f"over {each}", member)
    for k in range(10):  # half of the options at once, selected by their names
        mix = {**dict(members)[MIXED[k]]} if members and k < len(MIXED) else {}
        for key, value, _ in sorted(values, key=lambda each: crc32(f"{name}{each}{k}".encode())):
            drawn = crc32(f"{name} {key} {k}".encode()) % 2 and key != "nominal_features"
            mix |= {key: value} if drawn else {}
        add(f"mix {k}", mix)
    build = partial(getattr(kind, new_name(name, "as_published")), **seed)
    cases |= {f"{name}/published/{stream}": partial(answers, build, stream) for stream in STREAMS}
    return {**cases, f"{name}/evaluated": partial(scores, partial(make, kind, name, **seed))}


def other_cases(package, run, names):
    """Return functions that run detectors, streams or the encoder with each option value."""
    rows = public("streams", "from_arrays")(*rows_of("blobs")[:2])
    concepts = [generated("Agrawal", function=k, random_state=0) for k in (1, 2)]
    given = {"random_state": 0, "n_rows": 500, "concepts": concepts, "source": rows}
    given |= {"stream": generated("SEA", n_rows=900, random_state=0)}
    given |= {"counts": [(50, 50, 0, 0), (50, 50, 50, 1)], "test_counts": (9, 9, 9, 9)}
    given |= {"series": np.sin(np.arange(3000) ** 1.5)}
    builds = {}
    for name, kind in ((old_name(new), getattr(package, new)) for new in names):
        if not inspect.isclass(kind) or (run is streams and not hasattr(kind, "take")):
            continue
        params = {key: given[key] for key in parameters(name, kind) if key in given}
        params |= {"stream": rows} if name == "RandomRows" else {}
        builds[f"{name}/defaults"] = partial(make, kind, name, **params)
        for key, value, _ in other_values(name, kind):
            build = partial(make, kind, name, **{**params, key: value})
            builds[f"{name}/{key}={value}"] = build
        for way in dir(kind) if run is streams else ():
            if inspect.ismethod(getattr(kind, way)) and way[0] != "_":
                build = partial(getattr(kind, way), random_state=0)
                builds[f"{name}/{old_name(name, way)}"] = build
    return {f"{run.__name__}/{variant}": partial(run, builds[variant]) for variant in builds}


@cache
def all_cases():
    """Return a function for each case, by name."""
    cases = other_cases(driftlearn, encoder, [new_name("TableEncoder")])
    for run in (drift, streams):
        package = module(f"driftlearn.{run.__name__}")
        cases |= other_cases(package, run, package.__all__)
    for name, kind in learners().items():
        cases |= learner_cases(name, kind)
    for experiment in module("driftlearn.papers").EXPERIMENTS:
        for group in (experiment, *experiment.alternatives.values()):
            # versions before 0.2.0 have objects with learners in place of mappings
            named = getattr(group, "learners", group)
            for model in (each for each in named.values() if hasattr(each, "fit")):
                for stream in ("sea", "blobs"):
                    build = partial(seeded, model)
                    cases[f"papers/{described(model)}/{stream}"] = partial(answers, build, stream)
    return cases


def run(name):
    """Return the digest of a case."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        return digest_of(all_cases()[name]())


def digests(names, jobs):
    """Return the digests of cases; print the remaining time."""
    # a mixture of short and long cases
    names, found = sorted(names, key=lambda name: crc32(name.encode())), {}
    began = told = time.monotonic()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for name, digest in zip(names, pool.map(run, names, chunksize=4)):
            found[name] = digest
            if time.monotonic() > told + 5 or len(found) == len(names):
                told = time.monotonic()
                left = (told - began) / len(found) * (len(names) - len(found))
                print(f"{len(found)} of {len(names)} cases, {left:.0f} s left", file=sys.stderr)
    return {name: found[name] for name in sorted(found)}


def main():
    """Write the digests or compare them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, help="write digests to this file")
    parser.add_argument("--compare", type=Path, help="compare with the digests in this file")
    parser.add_argument(
        "--only", default="", help="run only cases whose name contains one of these"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    options = parser.parse_args()
    now = digests([name for name in all_cases() if options.only in name], options.jobs)
    wrong = []
    for name in now:
        if now.get(name.replace("/n_jobs=2/", "/n_jobs=1/"), now[name]) != now[name]:
            wrong.append(f"differs from n_jobs=1: {name}")
    if options.compare:
        stored = json.loads(options.compare.read_text("utf-8"))
        before = {name: stored[name] for name in stored if options.only in name}
        wrong += [f"differs: {name}" for name in now if before.get(name, now[name]) != now[name]]
        wrong += [f"missing: {name}" for name in before if name not in now]
        for name in now.keys() - before.keys():
            print(f"new: {name}")
    if options.out:
        options.out.write_text(json.dumps(now, indent=0) + "\n", "utf-8")
    print(*wrong, f"{len(now)} cases, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
