"""Multilayer perceptron that is trained until an error goal is met."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, integers, list_of, optional
from driftlearn.neural_network._network import TRANSFER, Network, by_rows, gdx, merged, scg, start
from driftlearn.utils.ranges import ranges


@dataclass(eq=False, repr=False)
class MLPGoalClassifier(StreamClassifier):
    """Multilayer perceptron with one hidden layer, trained until an error goal is met.

    It is a weak learner for ensembles of the Learn++ family, whose members should not fit every
    detail of their data. This network has one output per class, with target one for the row's class
    and zero for the others. It is trained on all rows at once until the mean squared error over
    rows and outputs is at most `goal`. Each `fit` starts with new weights.

    Parameters
    ----------
    hidden_layer_size : int, default=25
        Number of hidden units.
    activation : {"logistic", "tanh"}, default="logistic"
        Activation function of the hidden units.
    output : {"logistic", "linear"}, default="logistic"
        Activation function of the output units.
    solver : {"gdx", "scg"}, default="gdx"
        "gdx" is gradient descent with momentum and an adaptive rate [1]_: a step that increases the
        error by more than 4 % is undone and the rate is reduced by 30 %; a step that decreases the
        error raises the rate by 5 %. "scg" is scaled conjugate gradients [2]_, which needs no rate.
    init : {"normal", "nguyen-widrow"}, default="normal"
        Initial weights: "normal" draws them with variance one over the number of inputs, with zero
        biases; "nguyen-widrow" distributes the hidden units over the range of the inputs [3]_.
    goal : float, default=0.05
        Training stops when the error is at most this value.
    max_iter : int, default=400
        Maximum number of steps tried, including undone ones.
    scaling : {"minmax", None}, default="minmax"
        Scaling of each feature: to [0, 1] by the range of the training rows ("minmax"), or no
        scaling (None).
    learning_rate : float, default=0.5
        Initial learning rate; for "gdx" only.
    momentum : float, default=0.9
        Momentum: the fraction of the last step that is added to the next; for "gdx" only.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial weights.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        of a call.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    outputs_ : ndarray of int
        Codes of the classes that have an output: those in the training rows.
    coefs_ : list of two ndarrays
        Weights of the hidden units and of the outputs. Empty if there was a single class, which is
        then always predicted.
    intercepts_ : list of two ndarrays
        Biases of the hidden units and of the outputs.
    loss_ : float
        The final weighted mean squared error.
    n_iter_ : int
        Number of steps tried.
    converged_ : bool
        Whether the goal was met.
    size_ : int
        Number of weights and biases.
    data_min_, data_range_ : ndarray of shape (n_features,)
        Minimum and range of the features, used by ``scaling="minmax"``.

    Notes
    -----
    Equal rows are merged and their weights added. A row of weight two is therefore equivalent to
    two rows, the order of rows does not matter, and training on a bootstrap sample takes about a
    third less time.

    The predicted class has the largest output before the activation function, where rounding cannot
    make two outputs equal. Probabilities are the outputs, with negative ones set to zero, divided
    by their sum.

    With up to 16,000 weights per layer, results are bit-identical for any number of BLAS threads.
    Results of larger networks may differ in the last digits.

    References
    ----------
    .. [1] T. P. Vogl, J. K. Mangis, A. K. Rigler, W. T. Zink, D. L. Alkon, "Accelerating the
       Convergence of the Back-Propagation Method", Biological Cybernetics 59, 1988.
    .. [2] M. F. Møller, "A Scaled Conjugate Gradient Algorithm for Fast Supervised Learning",
       Neural Networks 6(4), 1993.
    .. [3] D. Nguyen, B. Widrow, "Improving the Learning Speed of 2-Layer Neural Networks by
       Choosing Initial Values of the Adaptive Weights", IJCNN 1990.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPGoalClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y), model.converged_, model.loss_ <= 0.05
    (0.96, True, True)
    """

    hidden_layer_size: int = 25
    activation: str = "logistic"
    output: str = "logistic"
    solver: str = "gdx"
    init: str = "normal"
    goal: float = 0.05
    max_iter: int = 400
    scaling: str | None = "minmax"
    learning_rate: float = 0.5
    momentum: float = 0.9
    class_weight: Any = field(default=None, kw_only=True)
    random_state: Any = None

    STATE: ClassVar[dict[str, Field]] = {
        "outputs_": integers("outputs", least=0, below="classes"),
        "coefs_": list_of(floats(None, None, finite=False)),
        "intercepts_": list_of(floats(None, finite=False)),
        "data_min_": optional(floats("n_features_in_")),
        "data_range_": optional(floats("n_features_in_")),
    }
    _incremental = False
    _parameter_constraints = {
        "hidden_layer_size": [Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"logistic", "tanh"})],
        "output": [StrOptions({"logistic", "linear"})],
        "solver": [StrOptions({"gdx", "scg"})],
        "init": [StrOptions({"normal", "nguyen-widrow"})],
        "goal": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "scaling": [StrOptions({"minmax"}), None],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the layers match the features, the outputs and each other."""
        if "outputs_" not in state:
            return
        sizes = [part.shape for part in (*state["coefs_"], *state["intercepts_"])]
        d, o = state["n_features_in_"], len(state["outputs_"])
        h = sizes[0][1] if sizes else 0
        if o < 1 or sizes != ([(d, h), (h, o), (h,), (o,)] if o > 1 else []):
            raise InvalidStateError(
                f"The layers of a network have inconsistent shapes: {sizes!s:.100}."
            )
        if state["scaling"] is not None and not {"data_min_", "data_range_"} <= set(state):
            raise InvalidStateError(
                "'data_min_' or 'data_range_' is missing: scaling='minmax' needs the ranges."
            )

    @classmethod
    def network_a(cls, **changes: Any) -> MLPGoalClassifier:
        """Return the network used in the experiments with Learn++ and Learn++.MT.

        Logistic units, gradient descent, inputs without scaling (the experiments scale them).

        Examples
        --------
        >>> MLPGoalClassifier.network_a(hidden_layer_size=20)
        MLPGoalClassifier(hidden_layer_size=20, scaling=None)
        """
        return cls(**{"scaling": None, **changes})

    @classmethod
    def network_b(cls, **changes: Any) -> MLPGoalClassifier:
        """Return the network used in the character recognition experiments with Learn++.UDNC.

        Twenty tanh units, linear outputs, scaled conjugate gradients, inputs without scaling.

        Examples
        --------
        >>> MLPGoalClassifier.network_b().solver
        'scg'
        """
        settings = {
            "hidden_layer_size": 20,
            "activation": "tanh",
            "output": "linear",
            "solver": "scg",
            "init": "nguyen-widrow",
            "scaling": None,
        }
        return cls(**{**settings, **changes})

    def _learn(self, chunk: Chunk) -> None:
        X = chunk.X
        if self.scaling == "minmax":
            self.data_min_ = X.min(axis=0)
            self.data_range_ = ranges(X)
            X = (X - self.data_min_) / self.data_range_
        self.outputs_ = chunk.present
        self.coefs_, self.intercepts_ = list[np.ndarray](), list[np.ndarray]()
        self.loss_, self.n_iter_ = 0.0, 0
        if len(self.outputs_) > 1:
            with np.errstate(all="ignore"):
                self._train(*merged(X, chunk.y, chunk.w))
        self.converged_ = self.loss_ <= self.goal
        self.size_ = sum(part.size for part in (*self.coefs_, *self.intercepts_))

    def _train(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        targets = (y[:, None] == self.outputs_).astype(float)
        network = Network(X, targets, w, self.hidden_layer_size, self.activation, self.output)
        point = start(X, self.hidden_layer_size, len(self.outputs_), self.init, self.rng_)
        if self.solver == "gdx":
            rates = self.learning_rate, self.momentum
            trained = gdx(network, point, self.goal, self.max_iter, *rates)
        else:
            trained = scg(network, point, self.goal, self.max_iter)
        point, self.loss_, self.n_iter_ = trained
        into_hidden, into_outputs = network.layers(point)
        self.coefs_ = [into_hidden[:-1].copy(), into_outputs[:-1].copy()]
        self.intercepts_ = [into_hidden[-1].copy(), into_outputs[-1].copy()]

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.zeros((len(X), len(self.classes_)))
        if len(self.outputs_) == 1:
            scores[:, self.outputs_] = 1.0
            return scores
        if self.scaling == "minmax":
            X = (X - self.data_min_) / self.data_range_
        hidden = by_rows(X, self.coefs_[0], self.intercepts_[0])
        TRANSFER[self.activation](hidden)
        outputs = by_rows(hidden, self.coefs_[1], self.intercepts_[1])
        label = outputs.argmax(axis=1)
        TRANSFER[self.output](outputs)
        np.maximum(outputs, 0.0, out=outputs)
        rows = np.arange(len(X))
        largest = outputs[rows, label]
        # A small factor breaks ties that rounding of the activation function has created.
        largest[outputs.argmax(axis=1) != label] *= 1.0 + 1e-15
        outputs[rows, label] = np.where(largest > 0.0, largest, 1.0)
        scores[:, self.outputs_] = outputs
        return scores
