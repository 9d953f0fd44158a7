"""Export to ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.dummy.baselines import BlindClassifier
from driftlearn.dummy.refit import RefitClassifier
from driftlearn.export._boosted import trees_of
from driftlearn.export._fixed_trees import CannotExport, fixed_trees
from driftlearn.export._onnx_encoder import encoded_columns
from driftlearn.export._onnx_graph import OPSETS, Graph
from driftlearn.linear_model._one_hot_model import OneHotModel
from driftlearn.linear_model.logistic import LogisticClassifier
from driftlearn.linear_model.one_hot_logistic import OneHotLogisticClassifier
from driftlearn.model_selection.auto_classifier import AutoClassifier
from driftlearn.model_selection.class_frequencies import ClassFrequencies
from driftlearn.model_selection.defaults import default_table_candidates
from driftlearn.model_selection.online_stacking import OnlineStackingClassifier
from driftlearn.model_selection.stacking_weights import SMALLEST
from driftlearn.naive_bayes._nominal_bayes import NominalBayesModel
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.preprocessing import IncrementalPipeline, TableEncoder
from driftlearn.tree.boosted_trees import BoostedTreesClassifier
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

IR_VERSION = 8  # IR version that belongs to the opsets; readers reject newer versions
FARTHEST = 1e6  # largest standardized value in `LogisticModel`
LOG_2PI = np.log(2.0 * np.pi)
SHARPEST = 1e300  # largest precision in `NaiveBayesModel`
PLACES, MOST_CODES = 64, 65_536  # columns per nominal feature in `OneHotModel`, and valid codes


def to_onnx(model: Any) -> Any:
    """Return a model as an ONNX model.

    The outputs are ``label`` and ``probabilities``, with a column for each of ``classes_``. The
    input ``X`` of a learner is a matrix of 64-bit floats, so that no value is rounded across a
    threshold; missing values are nan. A pipeline that begins with a `TableEncoder` is exported with
    the encoder: there is an input of shape (rows, 1) for each column of the table. Numbers and
    booleans are 64-bit floats, nan if missing; categories are strings, "" if missing; dates are
    64-bit integers, microseconds since 1970 in UTC, and -2**63 if missing.

    Parameters
    ----------
    model : learner or IncrementalPipeline
        Fitted ensemble of `CARTClassifier`, `StumpClassifier` or Hoeffding trees with
        ``leaf_prediction="majority"``, a single tree, `BoostedTreesClassifier`,
        `LogisticClassifier`, `OneHotLogisticClassifier`, `GaussianNBClassifier`, a baseline, a
        `RefitClassifier` of one of these, or an `AutoClassifier` or `OnlineStackingClassifier` all
        of whose candidates can be exported; or a pipeline of a `TableEncoder` and one of these.

    Returns
    -------
    onnx.ModelProto
        Model; ``to_onnx(model).SerializeToString()`` returns the bytes of a file.

    Raises
    ------
    CannotExport
        If the model, or a part of it, cannot be exported; the message names the part and, if there
        is one, a setting with which it can.
    """
    graph = Graph(needed("onnx"))
    learner, inputs = model, [("X", "DOUBLE", 0)]
    X = "X"
    if isinstance(model, IncrementalPipeline):
        model._check_fitted()
        steps = [step for _, step in model.steps_]
        if len(steps) != 2 or not isinstance(steps[0], TableEncoder):
            names = ", ".join(type(step).__name__ for step in steps[:-1])
            raise CannotExport(
                f"a pipeline with the steps {names} cannot be exported. Export its learner, "
                "pipeline.steps_[-1][1], and apply the other steps before it."
            )
        learner = steps[1]
        X, inputs = encoded_columns(graph, steps[0])
    if not isinstance(learner, StreamClassifier):
        raise CannotExport(f"{type(learner).__name__} is not a driftlearn learner")
    learner._check_fitted()
    graph.n_features = learner.n_features_in_
    n = len(learner.classes_)
    if X == "X":
        inputs = [("X", "DOUBLE", graph.n_features)]
    probas = graph.node("Identity", probabilities(graph, learner, X), out="probabilities")
    best = _best(graph, learner, probas)
    labels = graph.constant(_plain(learner.classes_))
    label_type = graph.constants[-1].data_type
    graph.node("Gather", labels, best, out="label")
    helper, types = graph.onnx.helper, graph.onnx.TensorProto
    info = helper.make_tensor_value_info
    built = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "driftlearn",
            [info(name, getattr(types, kind), ["rows", width]) for name, kind, width in inputs],
            [info("label", label_type, ["rows"]), info(probas, types.DOUBLE, ["rows", n])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid(*each) for each in OPSETS],
        producer_name="driftlearn",
        producer_version=__version__,
        ir_version=IR_VERSION,
    )
    graph.onnx.checker.check_model(built)
    return built


def _best(graph: Graph, learner: Any, probas: str) -> str:
    """Return the code of the predicted label of each row."""
    decision = getattr(learner, "decision", None)
    if isinstance(decision, str):
        raise CannotExport(
            f"labels by decision={decision!r} cannot be exported, because they follow from class "
            "frequencies. With learner.set_params(decision=None), the most probable label is "
            "exported; the probabilities are the same."
        )
    if decision is None:
        return graph.node("ArgMax", probas, axis=1, keepdims=0)
    costs = graph.node("MatMul", probas, learner._costs(learner.classes_))
    return graph.node("ArgMin", costs, axis=1, keepdims=0)


def probabilities(graph: Graph, learner: Any, X: str) -> str:
    """Add the nodes of a learner; return its probabilities, a column for each of its classes."""
    for kind, add in BUILDERS.items():
        if isinstance(learner, kind):
            return add(graph, learner, X)
    fixed = fixed_trees(learner)
    votes = graph.votes(X, fixed.trees)
    if fixed.sharpness is None:
        return graph.shares(votes, len(fixed.classes))
    return graph.node("Softmax", graph.node("Mul", votes, fixed.sharpness), axis=1)


def _constant(graph: Graph, learner: Any, X: str) -> str:
    return graph.repeated(X, learner.predict_proba(np.zeros((1, graph.n_features)))[0])


def _boosted(graph: Graph, model: BoostedTreesClassifier, X: str) -> str:
    n = len(model.classes_)
    if len(model.present_) == 1:
        return graph.repeated(X, np.eye(n)[model.present_[0]])
    scores: str = graph.constant(model.baseline_[None])
    if len(model.root_):
        scores = graph.node("Add", graph.scores(X, trees_of(model)), scores)
    else:
        scores = graph.repeated(X, model.baseline_)
    if len(model.baseline_) == 1:  # those of the first class are 0
        scores = graph.node("Concat", graph.node("Sub", scores, scores), scores, axis=1)
    return graph.placed(graph.node("Softmax", scores, axis=1), model.present_, n)


def _logistic(graph: Graph, learner: LogisticClassifier, X: str) -> str:
    model: Any = learner.model_
    if isinstance(model, OneHotModel):
        X, model = _one_hot(graph, model, X), model.inner
    known, m2 = np.asarray(model.known), np.asarray(model.m2)
    spread = np.sqrt(np.maximum(m2, 0.0) / np.where(known > 0, known, 1.0))
    z = graph.node("Sub", X, np.asarray(model.mean))
    z = graph.filled(graph.node("Div", z, np.where(spread > 0, spread, np.inf)), 0.0)
    z = graph.node("Min", graph.node("Max", z, -FARTHEST), FARTHEST)
    mistakes = np.asarray(model.mistakes)
    shares = np.exp(mistakes.min() - mistakes)
    unseen = np.where(np.asarray(model.weight) > 0, 0.0, -np.inf)
    total = ""
    for k, share in enumerate(shares / shares.sum()):
        weights = np.asarray(model.coef)[:, k]
        scores = graph.node(
            "Add", graph.node("MatMul", z, weights[:, 1:].T), weights[:, 0] + unseen
        )
        part = graph.node("Mul", graph.node("Softmax", scores, axis=1), share)
        total = graph.node("Add", total, part) if total else part
    return total


def _one_hot(graph: Graph, model: Any, X: str) -> str:
    """Return the columns of `OneHotModel`."""
    parts = []
    for f, n_places in enumerate(np.asarray(model.places).tolist()):
        column = graph.columns(X, [f])
        if n_places:
            code = graph.codes(X, f, MOST_CODES)
            valid = graph.node("Less", code, np.array(MOST_CODES))
            place = graph.node(
                "Where", valid, graph.node("Mod", code, np.array(PLACES)), np.array(-1)
            )
            place = graph.node("Unsqueeze", place, np.array([1]))
            hot = graph.cast(graph.node("Equal", place, np.arange(n_places)), "DOUBLE")
            column = graph.node("Where", graph.node("IsNaN", column), np.nan, hot)
        parts.append(column)
    return graph.node("Concat", *parts, axis=1)


def _refitted_logistic(graph: Graph, model: OneHotLogisticClassifier, X: str) -> str:
    parts = []
    if len(model.numeric_):
        numbers = graph.node("Sub", graph.columns(X, model.numeric_), model.mean_)
        parts.append(graph.filled(graph.node("Div", numbers, model.scale_), 0.0))
    for f, values in zip(model.nominal_.tolist(), model.categories_):
        column = graph.columns(X, [f])
        # nan is a category, but is equal to nothing: both are replaced by an unused number
        unused = min(values[~np.isnan(values)].min(initial=0.0), 0.0) - 1.0
        column = graph.filled(column, unused)
        known = graph.node("Equal", column, np.where(np.isnan(values), unused, values)[None])
        hot = graph.cast(known, "DOUBLE")
        other = graph.node("Sub", 1.0, graph.node("ReduceSum", hot, np.array([1]), keepdims=1))
        parts += (
            [hot, other]
            if len(values)
            else [graph.node("Add", graph.node("Mul", column, 0.0), 1.0)]
        )
    scores = graph.node("MatMul", graph.node("Concat", *parts, axis=1), model.coef_.T)
    return graph.node("Softmax", graph.node("Add", scores, model.intercept_), axis=1)


def _bayes(graph: Graph, learner: GaussianNBClassifier, X: str) -> str:
    model, more, numbers = learner.model_, [], X
    if isinstance(model, NominalBayesModel):
        counts, columns = np.asarray(model.counts), np.asarray(model.columns)
        is_nominal = np.isin(np.arange(graph.n_features), columns)
        numbers = graph.node("Where", is_nominal, np.nan, X)
        for f, count, known in zip(columns.tolist(), counts, np.asarray(model.known)):
            seen = (count > 0).any(axis=1)
            logs = np.log((count + 1.0) / (known + seen.sum()))
            table = np.vstack([np.where(seen[:, None], logs, 0.0), np.zeros(len(known))])
            more.append(graph.node("Gather", table, graph.codes(X, f, len(count))))
        model = model.numeric
    state = model.get_state()
    weight, m2 = state["weight"], state["m2"]
    known = state.get("known", np.repeat(weight[:, None], m2.shape[1], axis=1))
    known_all = state.get("known_all", np.full(m2.shape[1], state["weight_seen"]))
    variances = np.divide(
        state["m2_all"], known_all, out=np.zeros(m2.shape[1]), where=known_all > 0
    )
    smoothing = state["var_smoothing"] * variances.max(initial=0.0) or state["var_smoothing"]
    sums = np.where(known > 0, np.maximum(m2, 0.0) + known * smoothing, 1.0)
    precision = np.minimum(known / sums, SHARPEST)
    counted = (precision > 0) & ((m2 > 0) | (state["constant"] == "density"))
    logs = np.where(counted, LOG_2PI - np.log(np.where(counted, precision, 1.0)), 0.0)
    far = graph.node("Sub", graph.node("Unsqueeze", numbers, np.array([1])), state["mean"][None])
    terms = graph.node("Add", graph.node("Mul", graph.node("Mul", far, far), precision), logs)
    total = graph.node("ReduceSum", graph.filled(terms, 0.0), np.array([2]), keepdims=0)
    with np.errstate(divide="ignore"):
        prior = np.log(weight / state["weight_seen"])
    exponents = graph.node("Sub", prior, graph.node("Mul", total, 0.5))
    for each in more:
        exponents = graph.node("Add", exponents, each)
    return graph.node("Softmax", exponents, axis=1)


def _refitted(graph: Graph, learner: RefitClassifier, X: str) -> str:
    (model,) = learner.committee_.models
    return _member(graph, model, X, learner.classes_)


def _member(graph: Graph, model: Any, X: str, classes: np.ndarray) -> str:
    """Return the probabilities of a model in the columns of other classes."""
    if not isinstance(model, StreamClassifier):
        raise CannotExport(
            f"{type(model).__name__} is not a driftlearn learner; use the exporter of its library"
        )
    places = np.searchsorted(classes, model.classes_)
    return graph.placed(probabilities(graph, model, X), places, len(classes))


def _candidates(graph: Graph, candidates: list[Any], X: str, classes: np.ndarray) -> list[str]:
    """Return the probabilities of the candidates; raise CannotExport with all obstacles."""
    found, obstacles = [], {}
    for each in candidates:
        try:
            found.append(_member(graph, each.classifier, X, classes))
        except CannotExport as why:
            obstacles[each.name] = str(why)
    if obstacles:
        raise CannotExport(
            f"{len(obstacles)} of {len(candidates)} candidates cannot be exported, and the "
            "prediction depends on all of them. Train the model with candidates=driftlearn."
            "export.exportable_candidates() or, on the command line, with --learner "
            "refit:estimator=boosted-trees,n_chunks=28. "
            + " ".join(f"Candidate {name!r}: {why}." for name, why in obstacles.items())
        )
    return found


def _stacking(graph: Graph, model: OnlineStackingClassifier, X: str) -> str:
    trained = [each for each in model.candidate_list_ if hasattr(each.classifier, "classes_")]
    found = dict(
        zip((id(each) for each in trained), _candidates(graph, trained, X, model.classes_))
    )
    combination, total = model.combination_, ""
    for weight, each in zip(combination.weights.tolist(), model.candidate_list_):
        # the last candidate, the class frequencies, replaces those that are not trained yet
        probas = found.get(id(each), found[id(trained[-1])])
        seen = graph.columns(probas, model.seen_)
        clipped = graph.node("Min", graph.node("Max", seen, SMALLEST), 1.0 - SMALLEST)
        part = graph.node("Mul", graph.node("Log", clipped), weight)
        total = graph.node("Add", total, part) if total else part
    scores = graph.node("Add", total, combination.biases)
    n = len(model.classes_)
    probas = graph.placed(graph.node("Softmax", scores, axis=1), model.seen_, n)
    unseen = np.where(np.isin(np.arange(n), model.seen_), 0.0, SMALLEST)
    return graph.shares(graph.node("Add", probas, unseen), n)


def _auto(graph: Graph, model: AutoClassifier, X: str) -> str:
    if model.stacking_ is not None:
        return _stacking(graph, model.stacking_, X)
    voting = [each for each in model.candidate_list_ if each.weight > 0.0]
    total = ""
    for each, probas in zip(voting, _candidates(graph, voting, X, model.classes_)):
        part = graph.node("Mul", probas, each.weight)
        total = graph.node("Add", total, part) if total else part
    return graph.shares(total, len(model.classes_))


#: Functions that add the nodes of a learner, by its class; all others must be sums of trees.
BUILDERS: dict[type, Callable[[Graph, Any, str], str]] = {
    AutoClassifier: _auto,
    OnlineStackingClassifier: _stacking,
    RefitClassifier: _refitted,
    BoostedTreesClassifier: _boosted,
    LogisticClassifier: _logistic,
    OneHotLogisticClassifier: _refitted_logistic,
    GaussianNBClassifier: _bayes,
    BlindClassifier: _constant,
    ClassFrequencies: _constant,
}


def exportable_candidates() -> dict[str, Any]:
    """Return the default candidates for tables that `to_onnx` supports, by name.

    They are boosted trees over several windows and logistic regressions; an `AutoClassifier` with
    these candidates is trained on tables and can be exported.
    """
    candidates = default_table_candidates()
    linear = RefitClassifier, LogisticClassifier
    return {name: each for name, each in candidates.items() if isinstance(each, linear)}


def _plain(classes: np.ndarray) -> np.ndarray:
    """Return labels in a dtype of ONNX: 64-bit numbers, bools or strings."""
    kind = classes.dtype.kind
    wide = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}
    return classes.astype(wide.get(kind, object))
