"""Job of `comparison.py` for driftlearn."""

from comparison_worker import as_it_is, predict_then_fit, predict_then_train, serve


def begin(job):
    import driftlearn

    names = {name: getattr(driftlearn, name) for name in driftlearn.__all__ if name in job["text"]}
    model = eval(job["text"], names)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=job["seed"])
    return model


def at_once(model, X, y, first):
    return model.test_then_train(X, y)


def one_by_one(model, X, y, first):
    predictions = [
        predict_then_train(model, X[i : i + 1], y[i : i + 1], first and not i)
        for i in range(len(y))
    ]
    return [-1 if prediction is None else prediction[0] for prediction in predictions]


def ways(job, y):
    step = predict_then_fit if job["one_table"] else predict_then_train
    return {
        "chunks": (job["chunk"], as_it_is, step),
        "rows": (None, as_it_is, at_once),
        "calls": (job["chunk"], as_it_is, one_by_one),
    }


def public_fit(model, X, y):
    return lambda: model.fit(X, y), model.predict


def tree_alone(model, X, y):
    import numpy as np

    from driftlearn.base._presort import presort
    from driftlearn.tree._grow_tree import grow

    weights, n_classes = np.ones(len(y)), int(y.max()) + 1
    codes = y.astype(np.intp)
    predict = model.fit(X, y).predict
    return lambda: grow(X, presort(X), codes, weights, n_classes, 10), predict


if __name__ == "__main__":
    serve(begin, ways, {"fit": public_fit, "kernel": tree_alone})
