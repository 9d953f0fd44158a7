"""The field's usual protocol, test a row and learn it: before, after, and beside MOA, in one run.

    python benchmarks/bench_row_protocol.py [--jar moa.jar] [--rows 50000] [--only DWM] [--shared]

*Before* is `predict` and `partial_fit` of one row after the other, on the first rows only;
*after* is `test_then_train`, one call. Rows a second are by CPU time, since the machine may have
other work; the load at the end says how much. MOA's loop is its task
EvaluateInterleavedTestThenTrain on an ARFF file; by its own clock, which leaves out the start of
the Java machine, and by that of the system, which does not. Without a jar, or Java, it is left out;
CapyMOA brings a jar along (``capymoa/jar/moa.jar``). Electricity needs its file.
"""

import argparse
import csv
import os
import resource
import shutil
import subprocess
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.base import clone

from driftlearn import (
    GaussianNBClassifier,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    online,
)
from driftlearn._table import Table
from driftlearn.streams import SEA, load

FEW = 2_000  # rows for the slow way
MEMBERS = 10
BASES = {
    "naive Bayes": GaussianNBClassifier,
    "Hoeffding tree": HoeffdingTreeClassifier,
    "Hoeffding adaptive tree": HoeffdingAdaptiveTreeClassifier,
}
ALONE = "Hoeffding adaptive tree"  # no base of ensembles here
OWN = "its own tree"
FORESTS = "AdaptiveRandomForest", "StreamingRandomPatches"
MOA_BASES = {
    "naive Bayes": "bayes.NaiveBayes",
    "Hoeffding tree": "trees.HoeffdingTree",
    "Hoeffding adaptive tree": "trees.HoeffdingAdaptiveTree",
}
MOA = {  # class, and the option that is the number of members
    "OnlineBoost": ("meta.OzaBoost", "s"),
    "OnlineBagging": ("meta.OzaBag", "s"),
    "ADWINBagging": ("meta.OzaBagAdwin", "s"),
    "LeveragingBagging": ("meta.LeveragingBag", "s"),
    "OAUE": ("meta.OnlineAccuracyUpdatedEnsemble", "n"),
    "DWM": ("meta.DynamicWeightedMajority", "e"),
    "AdaptiveRandomForest": ("meta.AdaptiveRandomForest", "s"),
    "StreamingRandomPatches": ("meta.StreamingRandomPatches", "s"),
}


def learners():
    """Yield name, base and a learner: alone, and every online ensemble of it."""
    for base, make in BASES.items():
        yield "alone", base, make()
        for each in online.__all__:
            name = each.removesuffix("Classifier")
            if name != each and name not in FORESTS and base != ALONE:
                yield name, base, getattr(online, each)(make(), MEMBERS, random_state=0)
    for name in FORESTS:
        kind = getattr(online, f"{name}Classifier")
        yield name, OWN, kind(n_estimators=MEMBERS, random_state=0)


def slowly(learner, X, y):
    right = 0
    for i in range(len(y)):
        if i:
            right += learner.predict(X[i : i + 1])[0] == y[i]
        learner.partial_fit(X[i : i + 1], y[i : i + 1])
    return right


def at_once(learner, X, y):
    return (learner.test_then_train(X, y) == y).sum()


def measured(run, learner, X, y):
    """Return rows a CPU second, and the share of rows that were right."""
    begun = time.process_time()
    right = run(learner, X, y)
    return len(y) / (time.process_time() - begun), right / len(y)


def moa(jar, name, base, arff, n_rows):
    """Return rows a second by MOA's clock and by the system's, and the share that was right."""
    if name == "alone":
        learner = MOA_BASES[base]
    else:
        kind, size = MOA[name]
        of = "" if base == OWN else f"-l ({MOA_BASES[base]}) "
        learner = f"({kind} {of}-{size} {MEMBERS})"
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        task = (
            f"EvaluateInterleavedTestThenTrain -l {learner} -s (ArffFileStream -f {arff}) "
            f"-f {n_rows} -q {n_rows} -d {out.name}"
        )
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = ["java", "-XX:ActiveProcessorCount=1", "-cp", str(jar), "moa.DoTask", task]
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = list(csv.DictReader(Path(out.name).read_text().splitlines()))
    if not lines:
        print(f"MOA: {name} of {base}: {done.stderr.strip()[-200:]}")
        return np.nan, np.nan, np.nan
    last = lines[-1]
    own = float(last["evaluation time (cpu seconds)"])
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    right = float(last["classifications correct (percent)"]) / 100
    return n_rows / own, n_rows / whole, right


def write_arff(path, X, y):
    lines = ["@relation rows", *(f"@attribute x{j} numeric" for j in range(X.shape[1]))]
    lines += [f"@attribute y {{{','.join(map(str, np.unique(y)))}}}", "@data"]
    lines += [",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y.tolist())]
    path.write_text("\n".join(lines) + "\n")


def found_jar(given):
    if given is None:
        try:
            import capymoa
        except ImportError:
            return None
        given = Path(capymoa.__file__).parent / "jar" / "moa.jar"
    return Path(given) if Path(given).exists() and shutil.which("java") else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jar", help="MOA's jar")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--only", help="a learner's name")
    parser.add_argument("--shared", action="store_true", help="only learners that MOA has, too")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    jar = found_jar(chosen.jar)
    if jar is None:
        print("MOA is left out: there is no jar, or no Java")
    for make in (
        partial(load, "electricity"),
        partial(SEA, n_rows=50_000, noise=0.1, random_state=0),
    ):
        try:
            stream = make()
            X, y = stream.take(min(chosen.rows, stream.n_rows))
        except OSError as problem:
            print(f"electricity is left out: {problem}")
            continue
        columns = {}
        with tempfile.TemporaryDirectory() as folder:
            arff = Path(folder) / "rows.arff"
            write_arff(arff, X, y)
            for name, base, learner in learners():
                in_moa = name == "alone" or name in MOA
                if chosen.only not in (None, name) or (chosen.shared and not in_moa):
                    continue
                before, _ = measured(slowly, clone(learner), X[:FEW], y[:FEW])
                after, accuracy = measured(at_once, learner, X, y)
                line = {
                    "learner": name,
                    "base": base,
                    "before, rows/s": round(before),
                    "after, rows/s": round(after),
                    "times": round(after / before, 1),
                    "accuracy": round(accuracy, 4),
                }
                asked = jar is not None and in_moa
                theirs = moa(jar, name, base, arff, len(y)) if asked else [np.nan] * 3
                line["MOA's clock, rows/s"] = np.round(theirs[0])
                line["MOA with start, rows/s"] = np.round(theirs[1])
                line["MOA accuracy"] = np.round(theirs[2], 4)
                for key, value in line.items():
                    columns.setdefault(key, []).append(value)
                print(name, base, *list(line.values())[2:], flush=True)
        print(f"\n{stream.name}, {len(y):,} rows, {MEMBERS} members\n{Table(columns)}\n")
    print("load:", *(round(value, 1) for value in os.getloadavg()))


if __name__ == "__main__":
    main()
