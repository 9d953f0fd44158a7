"""A job of `field.py` for stream-learn, with base learners of scikit-learn."""

from field_scikit_learn import knowing
from field_worker import as_it_is, serve


def begin(job):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier
    from strlearn import ensembles

    bases = {each.__name__: each for each in (GaussianNB, DecisionTreeClassifier)}
    return eval(job["text"], {**vars(ensembles), **bases})


def ways(job, y):
    return {"chunks": (job["chunk"], as_it_is, knowing(y))}


if __name__ == "__main__":
    serve(begin, ways)
