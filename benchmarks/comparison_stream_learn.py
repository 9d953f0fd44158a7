"""Job of `comparison.py` for stream-learn, with base learners of scikit-learn."""

from comparison_worker import as_it_is, serve


def begin(job):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier
    from strlearn import ensembles

    bases = {each.__name__: each for each in (GaussianNB, DecisionTreeClassifier)}
    return eval(job["text"], {**vars(ensembles), **bases})


def ways(job, y):
    import numpy as np

    classes = np.unique(y)

    def step(model, X, labels, first):
        predictions = None if first else model.predict(X)
        # stream-learn modifies the labels of a chunk that lacks a class, so it gets a copy
        model.partial_fit(X, labels.copy(), classes)
        return predictions

    return {"chunks": (job["chunk"], as_it_is, step)}


if __name__ == "__main__":
    serve(begin, ways)
