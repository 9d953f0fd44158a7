"""Job of `comparison.py` for river, whose learners predict and learn one row per call."""

from comparison_worker import serve


def begin(job):
    from river import ensemble, forest, naive_bayes, tree

    names = {"ensemble": ensemble, "forest": forest, "naive_bayes": naive_bayes, "tree": tree}
    return eval(job["text"], names)


def dicts(X):
    return [dict(enumerate(row)) for row in X.tolist()]


def predict_then_train(model, rows, y, first):
    predictions = []
    for row, label in zip(rows, y.tolist()):
        prediction = model.predict_one(row)
        predictions.append(-1 if prediction is None else prediction)
        model.learn_one(row, label)
    return predictions


def ways(job, y):
    return {"calls": (job["chunk"], dicts, predict_then_train)}


if __name__ == "__main__":
    serve(begin, ways)
