"""A network with one hidden layer that is trained until its error meets a goal."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, floats, integers, list_of, optional
from driftlearn.neural_network._network import TRANSFER, Network, by_rows, gdx, merged, scg, start
from driftlearn.utils.ranges import ranges


class MLPGoalClassifier(StreamClassifier):
    """A one-hidden-layer network, weak on purpose: training stops at an error goal.

    Ensembles of the Learn++ family want members that have learned the main features of their
    data and no more. This network has one output a class, target one for the row's class and
    zero for the others, and is trained on all rows at once until the mean squared error over
    rows and outputs is not larger than `goal`. Training starts anew with each `fit`.

    Parameters
    ----------
    hidden_layer_size : int, default=25
        Number of hidden units.
    activation : {"logistic", "tanh"}, default="logistic"
        What the hidden units do.
    output : {"logistic", "linear"}, default="logistic"
        What the output units do.
    solver : {"gdx", "scg"}, default="gdx"
        "gdx" is gradient descent with momentum and an adaptive rate [1]_: a step that makes the
        error more than 4 % larger is taken back and the rate falls by 30 %; one that makes it
        smaller lets the rate rise by 5 %. "scg" is scaled conjugate gradients [2]_, which needs
        no rate.
    init : {"normal", "nguyen-widrow"}, default="normal"
        How weights start: normal with variance one over the number of inputs and no biases, or so
        spread that the hidden units share the range of the inputs [3]_.
    goal : float, default=0.05
        Training stops at the first point whose error is not larger.
    max_iter : int, default=400
        The most steps tried, whether they are taken or not.
    scaling : {"minmax", None}, default="minmax"
        Scale each feature to [0, 1] by the rows it is trained on, or take it as it is.
    learning_rate : float, default=0.5
        The rate at the start; for "gdx" only.
    momentum : float, default=0.9
        Part of the last step that is kept; for "gdx" only.
    random_state : int, RandomState instance or None, default=None
        Seed of the weights at the start.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a call.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    outputs_ : ndarray of int
        Which of the classes have an output: those that were present.
    coefs_ : list of two ndarrays
        Weights into the hidden units and into the outputs. A network that saw a single class has
        none: it is a constant.
    intercepts_ : list of two ndarrays
        Their biases.
    loss_ : float
        The weighted mean squared error at the end.
    n_iter_ : int
        Number of steps tried.
    converged_ : bool
        Whether the goal was met.
    size_ : int
        Number of weights and biases.
    data_min_, data_range_ : ndarray of shape (n_features,)
        What ``scaling="minmax"`` subtracts and divides by.

    Notes
    -----
    Equal rows are merged and their weights added, so
    a row of weight two is two rows, the order of the rows does not matter, and a bootstrap draw
    takes a third less time than its size says.

    The label is the one of the largest output before its transfer function, where rounding
    cannot make two outputs equal. Probabilities are the outputs, negative ones as zero, divided
    by their sum.

    Up to 16,000 weights a layer the result has the same bits whatever the number of threads that
    matrix products may use. Larger networks may differ in the last digits.

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

    STATE: ClassVar[dict[str, Field]] = {
        **StreamClassifier.STATE,
        "outputs_": integers("outputs", least=0, below="classes"),
        "coefs_": list_of(floats(None, None, finite=False)),
        "intercepts_": list_of(floats(None, finite=False)),
        "data_min_": optional(floats("n_features_in_")),
        "data_range_": optional(floats("n_features_in_")),
    }
    _incremental = False
    coefs_: list[np.ndarray]
    intercepts_: list[np.ndarray]
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
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        hidden_layer_size: int = 25,
        activation: str = "logistic",
        output: str = "logistic",
        solver: str = "gdx",
        init: str = "normal",
        goal: float = 0.05,
        max_iter: int = 400,
        scaling: str | None = "minmax",
        learning_rate: float = 0.5,
        momentum: float = 0.9,
        random_state: Any = None,
        *,
        class_weight: Any = None,
    ):
        self.hidden_layer_size = hidden_layer_size
        self.activation = activation
        self.output = output
        self.solver = solver
        self.init = init
        self.goal = goal
        self.max_iter = max_iter
        self.scaling = scaling
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.class_weight = class_weight
        self.random_state = random_state

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the layers fit the features, the outputs and each other."""
        if "outputs_" not in state:
            return
        sizes = [part.shape for part in (*state["coefs_"], *state["intercepts_"])]
        d, o = state["n_features_in_"], len(state["outputs_"])
        h = sizes[0][1] if sizes else 0
        if o < 1 or sizes != ([(d, h), (h, o), (h,), (o,)] if o > 1 else []):
            raise InvalidStateError(f"the layers of a network have the sizes {sizes!s:.100}")
        if state["scaling"] is not None and not {"data_min_", "data_range_"} <= set(state):
            raise InvalidStateError("a network does not know the ranges by which it scales")

    @classmethod
    def network_a(cls, **changes: Any) -> MLPGoalClassifier:
        """Return the network of the experiments with Learn++ and Learn++.MT.

        Logistic units, gradient descent, inputs as they are (the experiments scale them).

        Examples
        --------
        >>> MLPGoalClassifier.network_a(hidden_layer_size=20)
        MLPGoalClassifier(hidden_layer_size=20, scaling=None)
        """
        return cls(**{"scaling": None, **changes})

    @classmethod
    def network_b(cls, **changes: Any) -> MLPGoalClassifier:
        """Return the network of the character experiments with Learn++.UDNC.

        Twenty tanh units, linear outputs, scaled conjugate gradients, inputs as they are.

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
        self.coefs_, self.intercepts_ = [], []
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
        # the least factor that breaks a tie which the transfer function made by rounding
        largest[outputs.argmax(axis=1) != label] *= 1.0 + 1e-15
        outputs[rows, label] = np.where(largest > 0.0, largest, 1.0)
        scores[:, self.outputs_] = outputs
        return scores
