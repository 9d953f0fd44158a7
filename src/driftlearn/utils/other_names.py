"""Names that river, scikit-learn, CapyMOA and LightGBM use for what driftlearn names otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, ClassVar

_TRAIN = (
    "use partial_fit(X, y), where X has one row per label, or "
    "driftlearn.compat.river.to_river(...), which has learn_one and predict_one."
)
_PREDICT = "use predict(X), where X has one row per prediction, for example [[1.5, 2.0]]."
_PROBA = "use predict_proba(X), where X has one row per prediction, for example [[1.5, 2.0]]."
_COPY = "sklearn.base.clone(...) returns an untrained copy."
#: Hints for methods and attributes of classifiers.
LEARNER = {
    "learn_one": _TRAIN,
    "learn_many": "use partial_fit(X, y).",
    "train": "use partial_fit(X, y), or fit(X, y) to start again.",
    "update": "use partial_fit(X, y).",
    "predict_one": _PREDICT,
    "predict_many": "use predict(X).",
    "predict_proba_one": _PROBA,
    "predict_proba_many": "use predict_proba(X).",
    "predict_log_proba": "use numpy.log(predict_proba(X)).",
    "fit_predict": "use test_then_train(X, y), which predicts each row before training on it.",
    "evaluate": "use score(X, y), or driftlearn.evaluate.prequential for a stream.",
    "clone": _COPY,
    "reset": _COPY,
    "save_model": "use save(path).",
    "load_model": "use driftlearn.load(path).",
    "classes": "use classes_, which exists after training.",
    "n_classes_": "use len(classes_).",
    "feature_importance": "use feature_importances_.",
}
_ITERATE = "iterate over the stream, which yields batches (X, y); take(n) returns the first n rows."
#: Hints for methods and attributes of streams.
STREAM = {
    **dict.fromkeys(("next_sample", "next_instance", "has_more_samples", "has_more_instances"),
                    _ITERATE),
    "restart": "each iteration starts at the first row.",
    "shape": "use n_rows and n_features.",
}  # fmt: skip
#: Hints for methods and attributes of drift detectors.
DETECTOR = {
    "add_element": "use update(error), which returns whether a drift was detected.",
    "detected_change": "use drift_detected, an attribute.",
    "change_detected": "use drift_detected.",
}
#: Groups of names that libraries use for the same parameter; a learner has at most one of them.
PARAMETERS = [
    group.split()
    for group in (
        "n_estimators max_iter n_models n_trees num_trees ensemble_size num_iterations",
        "random_state seed random_seed rng",
        "estimator base_estimator base_learner base_model model learner classifier",
        "candidates estimators learners models",
        "n_jobs num_threads nthread n_threads",
        "delta split_confidence confidence",
        "tie_threshold tau",
        "nominal_features nominal_attributes categorical_feature categorical_features",
        "min_samples_leaf min_child_samples min_data_in_leaf",
        "max_leaf_nodes num_leaves",
        "chunk_size batch_size",
    )
]
#: Functions and classes of driftlearn, with the names that other libraries use for them.
_PUBLIC = {
    "driftlearn.evaluate.prequential": "progressive_val_score EvaluatePrequential "
    "prequential_evaluation",
    "driftlearn.streams.from_frame": "iter_pandas from_pandas DataStream",
    "driftlearn.streams.from_csv": "iter_csv CSVStream FileStream stream_from_file read_csv",
    "driftlearn.streams.from_arrays": "iter_array NumpyStream from_numpy",
    "driftlearn.make_pipeline": "Pipeline",
    "driftlearn.evaluate.metrics": "metrics",
    "sklearn.base.clone": "clone",
    "sklearn.metrics.accuracy_score": "accuracy_score",
    "model.save(path)": "save dump",
    "driftlearn.load": "load_model",
}
PUBLIC = {other: name for name, others in _PUBLIC.items() for other in others.split()}
#: Short names of learners, with names of similar learners of other libraries.
_SHORT_NAMES = {
    "boosted-trees": "xgboost lightgbm lgbm catboost gbm gradient-boosting",
    "arf": "randomforest random-forest rf adaptive-random-forest forest",
    "naive-bayes": "nb bayes gaussiannb",
    "logistic": "logreg logistic-regression sgd linear",
    "hoeffding": "vfdt hoeffding-tree htc ht",
    "cart": "tree decision-tree dt",
    "mlp": "nn neural-network",
}
SHORT_NAMES = {other: name for name, others in _SHORT_NAMES.items() for other in others.split()}


class OtherName:
    """Class attribute with the name that another library uses.

    Reading it raises AttributeError with a hint, so `hasattr` is false. A method `__getattr__`
    would make all other attributes slower.
    """

    def __init__(self, name: str, hint: str):
        self.name, self.hint = name, hint

    def __get__(self, instance: object, owner: type) -> Any:
        text = f"{owner.__name__!r} object has no attribute {self.name!r}: {self.hint}"
        raise AttributeError(text)


class WithOtherNames:
    """Base class that gives hints for `OTHER_NAMES`, which `dir` does not list."""

    OTHER_NAMES: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        for name, hint in vars(cls).get("OTHER_NAMES", {}).items():
            setattr(cls, name, OtherName(name, hint))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.OTHER_NAMES]


class InitSignature:
    """Signature of a class whose base class implements `__new__`: that of `__init__`."""

    def __get__(self, instance: object, owner: Any) -> Signature:
        found = signature(owner.__init__)
        return found.replace(parameters=[*found.parameters.values()][1:])


class WithOtherParameters:
    """Base class whose constructor gives hints for unknown parameters."""

    __signature__: Any = InitSignature()

    if not TYPE_CHECKING:

        def __init__(self):  # `object` would accept any arguments, since `__new__` does
            """Create an instance without parameters."""

        def __new__(cls, *args, **params):
            """Create an instance; raise TypeError with a hint for unknown parameters."""
            names = getattr(cls, "_get_param_names", cls._parameter_names)()
            if params.keys() - {*names}:
                _check_parameters(cls, params)
            return super().__new__(cls)

        @classmethod
        def _parameter_names(cls):
            return [*cls.__signature__.parameters]


def other_parameter(unknown: str, known: Iterable[str]) -> str | None:
    """Return the parameter for which another library uses a name, or None.

    Examples
    --------
    >>> other_parameter("seed", ["n_estimators", "random_state"])
    'random_state'
    """
    names = {name for group in PARAMETERS if unknown in group for name in group}
    return next((name for name in known if name in names), None)


def _check_parameters(cls: Any, params: Mapping[str, Any]) -> None:
    """Raise TypeError with a hint for the first unknown parameter."""
    known = cls.__signature__.parameters
    if any(each.kind is Parameter.VAR_KEYWORD for each in known.values()):
        return
    unknown = next(name for name in params if name not in known)
    same = other_parameter(unknown, known)
    near = [same] if same else get_close_matches(unknown, known, n=1)
    every = f". Its parameters are {', '.join(known)}." if known else ", and no others."
    hint = f" (did you mean {near[0]!r}?)" if near else every
    raise TypeError(f"{cls.__name__} has no parameter {unknown!r}{hint}")
