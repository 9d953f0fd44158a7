"""Benchmark regression test: instructions per row of compiled code and learners.

    python benchmarks/guard.py                  # marks changes of more than 5 %
    python benchmarks/guard.py --update         # stores the current counts
    python benchmarks/guard.py Bayes CSV        # only some entries

Valgrind counts instructions, so other load on the machine does not matter. The count per row is the
difference between runs of n and 2n rows, which cancels the cost of the call; it is reported for the
compiled files of driftlearn alone and for the whole process, including Python.

Counts depend on the compiler and on other installed packages, which are stored with them; if these
differ, nothing is compared. To compare on another machine, first store the counts of the version
before, there: ``--update --stored before.json``. The exit code is 1 if an entry is marked.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STORED = Path(__file__).with_name("guard.json")
LIMIT = 0.05
# a function of the C library that nothing else calls: counting stops where it begins
MARK = "getpgrp"
PARTS = "compiled", "all"
STEADY = {
    "LD_BIND_NOW": "1",  # otherwise valgrind attributes its first call to another function
    "PYTHONHASHSEED": "0",
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")},
}


def rows(n, n_classes=2):
    """Return ten features, two of which are relevant."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.random((n, 10))
    y = (X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=n)) * n_classes / 2
    return X, np.clip(y, 0, n_classes - 1).astype(np.intp), np.ones(n)


def model(module, name, predict):
    """Return a function that trains on n rows, or predicts them after training on 1,000."""

    def prepare(n):
        made = getattr(__import__(f"driftlearn.{module}", fromlist=[name]), name)(10, 2)
        X, y, w = rows(n)
        if not predict:
            return lambda: made.learn_many(X, y, w)
        out = w[:, None] * [0.0, 0.0]
        made.learn_many(*rows(1000))
        return lambda: made.scores_many(X, out)

    return prepare


def stump(n):
    from driftlearn.base._presort import presort
    from driftlearn.tree._fit_stump import fit_stump

    X, y, w = rows(n, 3)
    order = presort(X)
    return lambda: fit_stump(X, order, y, w, 3)


def tree_fit(n):
    from driftlearn.base._presort import presort
    from driftlearn.tree._grow_tree import grow

    X, y, w = rows(n, 3)
    return lambda: grow(X, presort(X), y, w, 3)


def tree_predict(n):
    from driftlearn.tree._packed_trees import apply

    X, _, _ = rows(n)
    tree = tree_fit(1000)()
    return lambda: apply(tree, X)


def votes(n):
    import numpy as np

    from driftlearn.ensemble._votes import tally

    labels = np.random.default_rng(0).integers(3, size=(20, n)).astype(np.int32)
    return lambda: tally(labels, np.ones(20), 3)


def learner(name, **parameters):
    """Evaluate prequentially in chunks of 100 rows, after the first 500."""

    def prepare(n):
        import driftlearn

        made = getattr(driftlearn, name)(**parameters)
        X, y, _ = rows(500 + n)
        chunks = [slice(start, start + 100) for start in range(0, 500 + n, 100)]
        for chunk in chunks[:5]:
            made.partial_fit(X[chunk], y[chunk])

        def run():
            for chunk in chunks[5:]:
                made.predict(X[chunk])
                made.partial_fit(X[chunk], y[chunk])

        return run

    return prepare


def csv_and_encoder(n):
    """Disable pyarrow, whose threads would change the counts."""
    sys.modules["pyarrow"] = None
    from driftlearn.ops.sources import CSVFile
    from driftlearn.preprocessing import TableEncoder

    folder = tempfile.TemporaryDirectory()
    X, y, _ = rows(n)
    lines = (",".join(f"{x:.4f}" for x in row) + f",{['no', 'yes'][c]}" for row, c in zip(X, y))
    path = Path(folder.name, "rows.csv")
    path.write_text("\n".join(["a,b,c,d,e,f,g,h,i,j,label", *lines]) + "\n")

    def run():
        encoder = TableEncoder()
        for piece in CSVFile(str(path)).pieces(None, lambda: "abcdefghij"):
            if piece.n_rows:
                encoder.transform_then_learn(piece.table)
        folder.cleanup()

    return run


ENTRIES = {  # with the number of rows
    "naive Bayes, learn": (
        500,
        model("naive_bayes._naive_bayes", "NaiveBayesModel", predict=False),
    ),
    "naive Bayes, predict": (
        500,
        model("naive_bayes._naive_bayes", "NaiveBayesModel", predict=True),
    ),
    "Hoeffding tree, learn": (
        1000,
        model("tree._hoeffding_model", "HoeffdingTreeModel", predict=False),
    ),
    "Hoeffding tree, predict": (
        500,
        model("tree._hoeffding_model", "HoeffdingTreeModel", predict=True),
    ),
    "stump, fit": (500, stump),
    "CART, fit": (500, tree_fit),
    "CART, predict": (500, tree_predict),
    "votes of 20 members": (500, votes),
    "OnlineBoost": (500, learner("OnlineBoostClassifier", random_state=0)),
    "leveraging bagging": (500, learner("LeveragingBaggingClassifier", random_state=0)),
    "adaptive random forest": (500, learner("AdaptiveRandomForestClassifier", random_state=0)),
    "IBoost": (500, learner("IBoostClassifier", random_state=0)),
    "DTEL": (500, learner("DTELClassifier", random_state=0)),
    "Learn++.NSE": (500, learner("LearnPPNSEClassifier", random_state=0)),
    "AUE2": (500, learner("AUE2Classifier", random_state=0)),
    "CSV and encoder": (500, csv_and_encoder),
}


def work(names):
    """Run the entries, with three marks each: before n rows, before 2n rows, after."""
    import gc

    gc.disable()
    for name in names:
        n, prepare = ENTRIES[name]
        prepare(n)()  # excludes objects that the first call creates and keeps
        for run in (prepare(n), prepare(2 * n)):
            os.getpgrp()
            run()
        os.getpgrp()


def count(names):
    """Return the instructions per row by name: in compiled files, and in total."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}"]
        valgrind.append(f"--callgrind-out-file={folder}/counts")
        words = [*valgrind, sys.executable, "-W", "ignore", __file__, "--work", *names]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **STEADY})
        if done.returncode:
            sys.exit(f"{done.stderr}\nthe work that was to be counted failed")
        files = sorted(Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        if len(files) < 3 * len(names):
            sys.exit(f"{len(files)} marks instead of {3 * len(names)}: valgrind missed {MARK}")
        ours = files[-3 * len(names) :]
        found = {}
        for k, name in enumerate(names):
            once, twice = (costs(path.read_text()) for path in ours[3 * k + 1 : 3 * k + 3])
            n, _ = ENTRIES[name]
            found[name] = {part: round((twice[part] - once[part]) / n, 1) for part in PARTS}
        return found


def costs(text):
    """Return the counts in a file of callgrind: in compiled files of driftlearn, and in total."""
    names, sums, of_a_call, here = {}, dict.fromkeys(PARTS, 0), False, ""
    for line in text.splitlines():
        named = re.match(r"(c?)ob=(\S+) ?(.*)", line)
        if named:  # a name follows the first use of its number, also if that is a call
            path = names.setdefault(named[2], named[3])
            here = here if named[1] else path
        elif line.startswith("calls="):
            of_a_call = True  # the next line is the cost of the callee, which is counted there
        elif re.match(r"[+*\-\d]", line):
            if not of_a_call:
                cost = int(line.split()[1])
                sums["all"] += cost
                sums["compiled"] += cost if "driftlearn" in here.split("/") else 0
            of_a_call = False
    return sums


def card():
    """Return the environment on which counts depend, apart from our code."""
    import numpy as np
    import sklearn
    from Cython import __version__ as cython

    import driftlearn.ensemble._votes as kernel

    content = Path(kernel.__file__).read_bytes()
    compilers = set(re.findall(rb"(?:GCC: |clang version )[ -~]+", content))
    valgrind = subprocess.run(["valgrind", "--version"], capture_output=True, text=True)
    return {
        "compiler": ", ".join(sorted(each.decode() for each in compilers)),
        "architecture": platform.machine(),
        "Python": platform.python_version(),
        "Cython": cython,
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "valgrind": valgrind.stdout.strip(),
    }


def differences(stored, here):
    """Describe the differences between two environments."""
    return [
        f"{name} {stored.get(name, 'unknown')} then, {here.get(name, 'unknown')} now"
        for name in {**stored, **here}
        if stored.get(name) != here.get(name)
    ]


def compared(stored, now):
    """Return the rows of the table, and whether any changed by more than the limit."""
    lines = []
    for name, parts in now.items():
        for part, found in parts.items():
            before = stored.get(name, {}).get(part)
            change = found / before - 1 if before else 0.0
            mark = "more" if change > LIMIT else "less" if change < -LIMIT else ""
            told = f"{change:+.1%}" if before else "new"
            lines.append((name, part, before or "", found, told, mark))
    return lines, any(line[-1] for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", help="run only entries whose name contains one of these"
    )
    parser.add_argument("--update", action="store_true", help="store the counts")
    parser.add_argument("--stored", type=Path, default=STORED, help="file of stored counts")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.names)
    names = [name for name in ENTRIES if not options.names or _named(name, options.names)]
    if not names:
        sys.exit(f"nothing is named like {options.names}; there are: {', '.join(ENTRIES)}")
    if shutil.which("valgrind") is None:
        return print("valgrind is not installed: nothing was counted")
    from driftlearn.utils.compiled import uncompiled
    from driftlearn.utils.table import Table

    if uncompiled():
        sys.exit(f"not compiled: {uncompiled()}; compile first (make bench-guard does)")
    here = card()
    kept = {"card": here, "counts": {}}
    if options.stored.exists():
        kept = json.loads(options.stored.read_text("utf-8"))
    elif not options.update:
        sys.exit(f"there is no {options.stored}; --update makes it")
    differ = differences(kept["card"], here)
    if differ and not options.update:
        return print(f"not comparable, nothing was counted: {'; '.join(differ)}")
    if differ:
        kept["counts"] = {}
    now = count(names)
    lines, marked = compared(kept["counts"], now)
    print(Table(dict(zip(("what", "of", "stored", "a row", "change", "mark"), zip(*lines)))))
    if options.update:
        every = {**kept["counts"], **now}
        counts = {name: every[name] for name in ENTRIES if name in every}
        text = json.dumps({"card": here, "counts": counts}, indent=1)
        options.stored.write_text(text + "\n", "utf-8")
        return print(f"stored in {options.stored}")
    return int(marked)


def _named(name, words):
    return any(word.lower() in name.lower() for word in words)


if __name__ == "__main__":
    sys.exit(main())
