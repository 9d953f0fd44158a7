"""Job of `comparison.py` for river, whose learners predict and learn one row per call."""

from comparison_worker import serve


def begin(job):
    from river import ensemble, forest, naive_bayes, tree

    names = {"ensemble": ensemble, "forest": forest, "naive_bayes": naive_bayes, "tree": tree}
    return eval(job["text"], names)


def dicts(X):
    return [dict(enumerate(row)) for row in X.tolist()]


def ask_then_teach(model, rows, y, first):
    said = []
    for row, label in zip(rows, y.tolist()):
        answer = model.predict_one(row)
        said.append(-1 if answer is None else answer)
        model.learn_one(row, label)
    return said


def ways(job, y):
    return {"calls": (job["chunk"], dicts, ask_then_teach)}


if __name__ == "__main__":
    serve(begin, ways)
