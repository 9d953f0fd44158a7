"""Learners of the benchmark of tables: ours, batch learners that are retrained, and river's.

A learner has two methods: `predict_proba(frame)` returns probabilities of the codes of all labels,
and `learn(frame, y)` is called with each table in order, once its labels are known.
"""

from collections import deque
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.ensemble import HistGradientBoostingClassifier

FIRST = 7  # tables before the first training
WEEK = 7  # tables between two trainings
WINDOW = 56  # tables of a window
STOPPED = 14  # tables of the models that are never retrained


class Setting(NamedTuple):
    """What is known before the first table: columns, number of classes, delay."""

    words: list
    numbers: list
    n_classes: int
    delay: int


class Frequencies:
    """Class frequencies of the last tables."""

    def __init__(self, n_classes, n_tables=28):
        self.n_classes, self.counts = n_classes, deque(maxlen=n_tables)

    def learn(self, frame, y):
        self.counts.append(np.bincount(y, minlength=self.n_classes))

    def predict_proba(self, frame):
        counts = np.ones(self.n_classes) + sum(self.counts)
        return np.tile(counts / counts.sum(), (len(frame), 1))


class Codes:
    """Numbers for words, in order of appearance; words that were never trained on are missing."""

    def __init__(self, setting):
        self.numbers, self.known = setting.numbers, {name: {} for name in setting.words}

    def learn(self, frame):
        for name, known in self.known.items():
            for word in frame[name].dropna().unique():
                known.setdefault(word, len(known))

    def matrix(self, frame):
        words = [frame[name].map(known) for name, known in self.known.items()]
        return np.column_stack([frame[self.numbers], *words]).astype(float)


class Retrained:
    """A batch learner that is retrained every few tables, on the last tables or on all.

    Until the first training it predicts the class frequencies.
    """

    def __init__(self, make, setting, window=WINDOW, every=WEEK, stop=None):
        self.make, self.setting, self.every = make, setting, every
        self.stop = stop or np.inf
        self.codes, self.tables = Codes(setting), deque(maxlen=window)
        self.frequencies, self.model, self.n_tables = (
            Frequencies(setting.n_classes, WINDOW),
            None,
            0,
        )
        make(setting)  # imports the library, which is not to be timed

    def learn(self, frame, y):
        self.n_tables += 1
        self.frequencies.learn(frame, y)
        if self.n_tables > self.stop:
            return
        self.codes.learn(frame)
        self.tables.append((self.codes.matrix(frame), y))
        if self.n_tables >= FIRST and self.n_tables % self.every == 0:
            self.train()

    def train(self):
        X, y = (np.concatenate(parts) for parts in zip(*self.tables))
        X[:, np.isnan(X).all(axis=0)] = 0  # scikit-learn cannot bin a column without values
        self.present, y = np.unique(y, return_inverse=True)
        if len(self.present) > 1:
            self.model = self.make(self.setting).fit(X, y)

    def predict_proba(self, frame):
        if self.model is None:
            return self.frequencies.predict_proba(frame)
        probas = np.zeros((len(frame), self.setting.n_classes))
        probas[:, self.present] = self.model.predict_proba(self.codes.matrix(frame))
        return probas


class Calibrated:
    """Another learner with a temperature and a bias per class, fitted to what it predicted.

    They minimize the log loss of the last 28 tables, discounted by age, with a ridge towards no
    change; a ridge keeps them there when few labels are known.
    """

    def __init__(self, learner, n_tables=28, discount=0.97, ridge=20.0):
        self.learner, self.discount, self.ridge = learner, discount, ridge
        self.predicted, self.labeled = deque(), deque(maxlen=n_tables)
        self.n_known, self.parameters = 0, None

    def learn(self, frame, y):
        self.n_known += 1
        logs = self.predicted.popleft()
        if self.n_known > FIRST:
            self.labeled.append((logs, y))
        if self.n_known >= FIRST + 3:
            self.fit()
        self.learner.learn(frame, y)

    def fit(self):
        logs = np.concatenate([logs for logs, _ in self.labeled])
        y = np.concatenate([y for _, y in self.labeled])
        ages = np.repeat(np.arange(len(self.labeled))[::-1], [len(y) for _, y in self.labeled])
        weights, hits = self.discount**ages, np.eye(logs.shape[1])[y]
        neutral = np.r_[1.0, np.zeros(logs.shape[1])]

        def loss(parameters):
            z = parameters[0] * logs + parameters[1:]
            errors = weights[:, None] * (softmax(z, axis=1) - hits)
            gap = parameters - neutral
            total = -weights @ (log_softmax(z, axis=1) * hits).sum(1) + self.ridge / 2 * gap @ gap
            return total, np.r_[(errors * logs).sum(), errors.sum(axis=0)] + self.ridge * gap

        start = neutral if self.parameters is None else self.parameters
        self.parameters = minimize(loss, start, jac=True, method="BFGS").x

    def predict_proba(self, frame):
        logs = np.log(np.clip(self.learner.predict_proba(frame), 1e-3, 1))
        self.predicted.append(logs)
        if self.parameters is None:
            return softmax(logs, axis=1)
        return softmax(self.parameters[0] * logs + self.parameters[1:], axis=1)


class Ours:
    """A learner of driftlearn behind a `TableEncoder`; it is trained on one or more tables."""

    def __init__(self, learner, setting, n_tables=1):
        from driftlearn import TableEncoder, make_pipeline

        self.model = make_pipeline(TableEncoder(), learner)
        self.setting, self.n_tables, self.waiting, self.is_fitted = setting, n_tables, [], False

    def learn(self, frame, y):
        self.waiting.append((frame, y))
        if len(self.waiting) == self.n_tables:
            frames, labels = zip(*self.waiting)
            self.model.partial_fit(pd.concat(frames, ignore_index=True), np.concatenate(labels))
            self.waiting, self.is_fitted = [], True

    def predict_proba(self, frame):
        n_classes = self.setting.n_classes
        if not self.is_fitted:
            return np.full((len(frame), n_classes), 1 / n_classes)
        probas = np.zeros((len(frame), n_classes))
        probas[:, self.model.classes_] = self.model.predict_proba(frame)
        return probas


class RowByRow:
    """A model of river, which predicts a whole table and is then trained row by row."""

    def __init__(self, model, setting):
        self.model, self.n_classes = model, setting.n_classes

    def rows(self, frame):
        """Yield the rows without missing values, which river expects to be left out."""
        for row in frame.to_dict("records"):
            yield {name: v for name, v in row.items() if v is not None and v == v}

    def learn(self, frame, y):
        for row, label in zip(self.rows(frame), y.tolist()):
            self.model.learn_one(row, label)

    def predict_proba(self, frame):
        probas = np.zeros((len(frame), self.n_classes))
        for place, row in zip(probas, self.rows(frame)):
            for label, share in self.model.predict_proba_one(row).items():
                place[int(label)] = share  # a regression predicts booleans
        probas[~(probas.sum(axis=1) > 0)] = 1.0  # untrained models predict nothing
        return probas / probas.sum(axis=1, keepdims=True)


class WithCategories:
    """A boosting library's own treatment of categories, given the numbers of words."""

    def __init__(self, model, setting, as_frame):
        self.model, self.as_frame = model, as_frame
        first = len(setting.numbers)
        self.categories = list(range(first, first + len(setting.words)))

    def rows(self, X):
        if not self.as_frame:
            return X
        frame = pd.DataFrame(X)
        for k in self.categories:
            frame[k] = frame[k].fillna(-1).astype(int)
        return frame

    def fit(self, X, y):
        name = "cat_features" if self.as_frame else "categorical_feature"
        self.model.fit(self.rows(X), y, **{name: self.categories})
        return self

    def predict_proba(self, X):
        return self.model.predict_proba(self.rows(X))


def lightgbm(setting):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)


def lightgbm_categories(setting):
    return WithCategories(lightgbm(setting), setting, as_frame=False)


def hist_gradient_boosting(setting):
    return HistGradientBoostingClassifier(random_state=0)


def catboost(setting):
    from catboost import CatBoostClassifier

    # The default of 1,000 trees would take hours on the larger sets; the learning rate, which
    # CatBoost chooses, follows the number of trees.
    model = CatBoostClassifier(
        iterations=200, thread_count=1, random_seed=0, verbose=False, allow_writing_files=False
    )
    return WithCategories(model, setting, as_frame=True)


def xgboost(setting):
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0)


def river(name, setting):
    from river import compose, forest, linear_model, preprocessing, tree

    if name == "adaptive random forest":
        return RowByRow(forest.ARFClassifier(seed=0), setting)
    if name == "Hoeffding adaptive tree":
        return RowByRow(tree.HoeffdingAdaptiveTreeClassifier(seed=0), setting)
    regression = linear_model.LogisticRegression if setting.n_classes == 2 else (
        linear_model.SoftmaxRegression
    )  # fmt: skip
    words = compose.SelectType(str) | preprocessing.OneHotEncoder()
    numbers = compose.SelectType(float) | preprocessing.StandardScaler()
    return RowByRow((words + numbers) | regression(), setting)


def auto(setting, **options):
    from driftlearn import AutoClassifier

    return Ours(AutoClassifier(delay=setting.delay, random_state=0, **options), setting)


def stacking(setting):
    from driftlearn import OnlineStackingClassifier

    model = OnlineStackingClassifier(keep_rows=0, delay=setting.delay, random_state=0)
    return Ours(model, setting)


def archive(make):
    """Return how an ensemble that keeps a model for each week is made."""

    def made(setting):
        import driftlearn as dl

        return Ours(make(dl).set_params(random_state=0), setting, WEEK)

    return made


class Entry(NamedTuple):
    """A learner: its group, the package whose version counts, and how it is made."""

    group: str
    package: str
    make: object


OURS, ARCHIVE, RIVAL, BASELINE = "ours", "archive", "rival", "baseline"
BATCH = {
    "LightGBM": ("lightgbm", lightgbm),
    "HistGradientBoosting": ("scikit-learn", hist_gradient_boosting),
    "XGBoost": ("xgboost", xgboost),
    "CatBoost": ("catboost", catboost),
}
SCHEDULES = {
    "weekly": {},
    "weekly, all tables": {"window": None},
    "never retrained": {"window": None, "stop": STOPPED},
}
# DTEL adapts its old models, which only trees of its own allow
ARCHIVES = {
    "SEA, boosted trees": lambda dl: dl.SEAClassifier(dl.BoostedTreesClassifier()),
    "AWE, boosted trees": lambda dl: dl.AWEClassifier(dl.BoostedTreesClassifier()),
    "Learn++.NSE, boosted trees": lambda dl: dl.LearnPPNSEClassifier(dl.BoostedTreesClassifier()),
    "DTEL, CART": lambda dl: dl.DTELClassifier(),
}
WEEKLY, STRONG = "LightGBM, weekly", "LightGBM, every table, calibrated"
AUTO, FREE_OF_ROWS = "AutoClassifier", "OnlineStacking, no rows"
BUDGETS = {1: f"{AUTO}, budget 1", 2: f"{AUTO}, budget 2", 3: AUTO, 5: f"{AUTO}, budget 5"}


def retrained(make, **options):
    return lambda setting: Retrained(make, setting, **options)


def entries():
    """Return all learners by name, the most important ones first."""
    found = {
        AUTO: Entry(OURS, "driftlearn", auto),
        WEEKLY: Entry(RIVAL, "lightgbm", retrained(lightgbm)),
        STRONG: Entry(
            RIVAL, "lightgbm", lambda setting: Calibrated(Retrained(lightgbm, setting, every=1))
        ),
        "class frequencies, 28 tables": Entry(
            BASELINE, "numpy", lambda setting: Frequencies(setting.n_classes)
        ),
    }
    for name, (library, make) in BATCH.items():
        for schedule, options in SCHEDULES.items():
            found.setdefault(
                f"{name}, {schedule}", Entry(RIVAL, library, retrained(make, **options))
            )
    found["LightGBM, weekly, categories"] = Entry(RIVAL, "lightgbm", retrained(lightgbm_categories))
    for budget, name in BUDGETS.items():
        found.setdefault(
            name,
            Entry(OURS, "driftlearn", lambda setting, budget=budget: auto(setting, budget=budget)),
        )
    found[FREE_OF_ROWS] = Entry(OURS, "driftlearn", stacking)
    for name in ("adaptive random forest", "Hoeffding adaptive tree", "logistic regression"):
        found[f"river, {name}"] = Entry(
            RIVAL, "river", lambda setting, name=name: river(name, setting)
        )
    for name, make in ARCHIVES.items():
        found[name] = Entry(ARCHIVE, "driftlearn", archive(make))
    return found


LEARNERS = entries()


def version_of(name):
    """Return the version of a learner's code, by which results count as the same."""
    package = LEARNERS[name].package
    if package != "driftlearn":
        return f"{package} {version(package)}"
    from driftlearn.bench.workbench._code_digest import code_digest

    return f"driftlearn {code_digest()}"
