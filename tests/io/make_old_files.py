"""Make files of every learner of the installed version; later versions must load them.

    git worktree add ../old v0.1.0
    PYTHONPATH=../old/src python tests/io/make_old_files.py tests/io/old/0.1.0.zip

A zip holds a model file for each learner, trained on the first rows, and ``expected.npz``: the
probabilities of that version for every fourth row after training on the other rows. The script also
runs where that version is not compiled (``DRIFTLEARN_PURE=1``). A version's files are made once.
"""

import io
import sys
import warnings
import zipfile

import numpy as np

ROWS, HALF, A_CALL = 120, 60, 20
SIZES = {"n_estimators": 3, "n_per_chunk": 2, "window_size": 60, "max_iter": 20}


def rows():
    """Return rows and labels without random numbers; one class occurs only in the second half."""
    n = np.arange(ROWS)
    X = np.column_stack([n * 37 % 101, n * 53 % 97, n * 71 % 89]) / 100
    y = np.where(X[:, 0] + X[:, 1] > 1, "spam", "ham")
    y[HALF + 7 :: 9] = "list"
    return X, y


def for_two(y):
    """Return the same labels for a learner of two classes."""
    return np.where(y == "list", "ham", y)


def teach(model, X, y):
    learn = getattr(model, "partial_fit", model.fit)
    for k in range(0, len(X), A_CALL):
        learn(X[k : k + A_CALL], y[k : k + A_CALL])
    return model


def models():
    """Yield every learner of the installed version by name; small, and seeded."""
    import driftlearn as dl

    for name in dl.__all__:
        if name.endswith("Classifier"):
            tree = {"estimator": dl.CARTClassifier()} if name == "SMOTEClassifier" else {}
            model = getattr(dl, name)(**tree)
            given = model.get_params(deep=False)
            small = {key: n for key, n in SIZES.items() if type(given.get(key)) is int}
            yield (
                name,
                model.set_params(**small, **{key: 7 for key in ("random_state",) if key in given}),
            )


def main(path):
    from sklearn.utils import get_tags

    from driftlearn.io import dumps

    warnings.simplefilter("ignore")
    X, y = rows()
    expected = {}
    with zipfile.ZipFile(path, "w") as archive:
        for name, model in models():
            labels = y if get_tags(model).classifier_tags.multi_class else for_two(y)
            teach(model, X[:HALF], labels[:HALF])
            archive.writestr(zipfile.ZipInfo(f"{name}.npz"), dumps(model, compress=True))
            expected[name] = teach(model, X[HALF:], labels[HALF:]).predict_proba(X[::4])
        content = io.BytesIO()
        np.savez_compressed(content, **expected)
        archive.writestr(zipfile.ZipInfo("expected.npz"), content.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])
