"""Write the word list of the current format of small contents.

    python tests/io/words_of_today.py        # writes src/driftlearn/io/words-2.txt

The list holds the elements of states of the current classes: names of classes, values of options
and rows of attribute names, the most frequent first, because the first ones take a byte each. Run
it again only before a release: once contents of a format exist, its list must not change any more.
"""

import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

KEYED = (
    "hoeffding:grace_period=20", "naive-bayes", "logistic", "arf:n_estimators=3",
    "leveraging-bagging:n_estimators=3", "oaue", "iboost", "onlineboost", "hat", "no-change",
    "majority", "ace", "dwm", "nsonlineboost", "stagger", "winnow", "artmap",
)  # fmt: skip
KINDS = {"a number": "number", "a category": "category", "a flag": "boolean", "a day": "date"}
WEIGHT = 5  # the state of a key: small contents are made for these
# The dtypes of labels of one to eight characters, which depend on the data.
STRINGS = [word for n in range(1, 9) for word in (f"str{32 * n}", f"<U{n}")]


def keyed(spec, n_rows, kinds=("a number", "a category")):
    """Return the learner of keyed models, and the state of a key after some rows."""
    from driftlearn.ops.keyed import KeyedLearner

    learner = KeyedLearner(spec, kinds={name: KINDS[name] for name in kinds})
    state = learner.new_state()
    x = np.random.default_rng(1).normal(size=n_rows)
    table = {
        "a number": x,
        "a category": np.where(x > 0.3, "is high", "is low").astype(object),
        "a flag": x > 0.1,
        "a day": np.datetime64("2024-01-01") + (10 * x).astype(int),
    }
    labels = np.where(x > 0, "the one", "the other").tolist()
    learner.learn(state, {name: table[name] for name in kinds}, labels)
    return learner, state


def learners():
    """Yield the name of each learner, a new learner, and one that has learned 120 rows."""
    import driftlearn

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] > 0, "the one", "the other")
    for name in sorted(driftlearn.__all__):
        if name.endswith("Classifier"):
            new, fitted = getattr(driftlearn, name)(), getattr(driftlearn, name)()
            if "random_state" in fitted.get_params():
                fitted.set_params(random_state=0)
            getattr(fitted, "partial_fit", fitted.fit)(X, y)
            yield name, new, fitted


def nodes(value):
    """Yield every list, dict and string of a document."""
    from driftlearn.io._codec import Piece

    if isinstance(value, Piece):
        yield value.name
    elif isinstance(value, (list, dict)):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from nodes(item)
    elif isinstance(value, str):
        yield value


def words_of_today():
    """Return the names and the rows of the list."""
    from driftlearn.drift import ADWIN, DDM, EDDM, KSWIN, PageHinkley
    from driftlearn.io import _packed, _small
    from driftlearn.io._names import names_of

    states = [(keyed(spec, n)[1], WEIGHT) for spec in KEYED for n in (3, 80)]
    states.append((keyed("hoeffding", 80, tuple(KINDS))[1], WEIGHT))
    states += [(model, 1) for _, *pair in learners() for model in pair]
    states += [(kind(), 1) for kind in (ADWIN, DDM, EDDM, KSWIN, PageHinkley)]
    things = [
        {1: 2},
        {3},
        frozenset([3]),
        (1,),
        b"a",
        1j,
        np.float32(1),
        float,
        2**70,
        float("nan"),
    ]
    things += [np.dtype(float), np.array([None]), np.random.RandomState(0)]
    states += [(thing, 1) for thing in things]
    names, rows = Counter(), Counter()
    for state, weight in states:
        found = set()
        for node in nodes(_packed(state, names_of(()), _small.document)[0]):
            found.add(tuple(node) if isinstance(node, dict) else str(node))
        for word in sorted(found, key=repr):
            if isinstance(word, tuple):
                if word and all(re.fullmatch(r"[\w-]+", key) for key in word):
                    rows[word] += weight
            elif re.fullmatch(r"(?!<U|str\d)[A-Za-z<>|][\w<>|.:-]*", word):
                names[word] += weight
    ordered = [name for name, _ in names.most_common()]
    return ordered[:40] + STRINGS + ordered[40:], [row for row, _ in rows.most_common()]


def main():
    from driftlearn.io import _small

    warnings.simplefilter("ignore")
    names, rows = words_of_today()
    path = Path(_small.__file__).with_name(f"words-{_small.NUMBER}.txt")
    path.write_text("\n".join([*names, "", *map(" ".join, rows), ""]), "utf-8")
    print(f"{len(names)} names and {len(rows)} rows of keys")


if __name__ == "__main__":
    sys.exit(main())
