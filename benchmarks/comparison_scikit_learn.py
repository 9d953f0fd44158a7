"""Job of `comparison.py` for scikit-learn."""

from comparison_worker import as_it_is, predict_then_fit, predict_then_train, serve


def begin(job):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    return eval(job["text"], {each.__name__: each for each in (GaussianNB, DecisionTreeClassifier)})


def with_all_classes(y):
    """Return a training step that passes all classes with the first chunk."""

    import numpy as np

    classes = np.unique(y)

    def step(model, X, labels, first):
        if not first:
            return predict_then_train(model, X, labels, first)
        model.partial_fit(X, labels, classes=classes)
        return None

    return step


def ways(job, y):
    step = predict_then_fit if job["one_table"] else with_all_classes(y)
    return {"chunks": (job["chunk"], as_it_is, step)}


def public_fit(model, X, y):
    return lambda: model.fit(X, y), model.predict


def tree_alone(model, X, y):
    """Return the compiled tree builder, with the arguments that `fit` passes to it."""
    import numpy as np
    from sklearn.tree import _classes

    builder, handed = _classes.DepthFirstTreeBuilder, []

    class Overheard:
        def __init__(self, *settings):
            self.settings = settings

        def build(self, tree, *rows):
            handed.append((self.settings, rows))
            builder(*self.settings).build(tree, *rows)

    _classes.DepthFirstTreeBuilder = Overheard
    model.fit(X, y)
    _classes.DepthFirstTreeBuilder = builder
    settings, rows = handed[0]
    sizes = X.shape[1], np.array([int(y.max()) + 1], dtype=np.intp), 1
    return lambda: builder(*settings).build(_classes.Tree(*sizes), *rows), model.predict


if __name__ == "__main__":
    serve(begin, ways, {"fit": public_fit, "kernel": tree_alone})
