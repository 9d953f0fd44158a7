"""What the boosted ensembles share: members trained on a weighted window, by any base learner."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import validate_data

from driftlearn.base.chunk import Chunk
from driftlearn.base.models import codes, columns_of, takes_weights, trained
from driftlearn.engines.fixed_models import Learners, Members, Stumps
from driftlearn.engines.foreign_models import Guests
from driftlearn.engines.hoeffding_leaves import check_codes
from driftlearn.kernels.boosted_votes import soften
from driftlearn.learners._one_model import OneModelClassifier
from driftlearn.learners.stump import StumpClassifier
from driftlearn.online._watch import WatchableClassifier
from driftlearn.parts.row_weights import draw


class BoostedClassifier(WatchableClassifier):
    """Base of the boosted ensembles.

    Stumps, naive Bayes and Hoeffding trees are trained and asked in the compiled loop. Any other
    classifier is a guest: the loop calls back to have it trained on the weighted window (on a
    draw by the weights, if it takes none) and asked about the window and the rows to come. If it
    raises, the row in hand leaves no trace.
    """

    _parameter_constraints: dict[str, list] = {
        **WatchableClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
    }

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, oldest first."""
        self._check_fitted()
        return self._models(self.team_.members)

    @property
    def _sharpness(self) -> float:
        """What votes are multiplied by to be logarithms of probabilities."""
        return 2.0

    def _base_learner(self) -> Any:
        return StumpClassifier() if self.estimator is None else self.estimator

    def _members(self) -> Members:
        base = self._base_learner()
        if type(base) is StumpClassifier:
            return Stumps()
        if isinstance(base, OneModelClassifier):
            return Learners(base._make(self.n_features_in_, len(self.classes_)))
        return Guests()

    def _models(self, members: Members) -> list[Any]:
        if isinstance(members, Guests):
            return list(members.models)
        if isinstance(members, Learners):
            return list(members.learners)
        return [
            _stump(self.classes_, self.n_features_in_, *numbers)
            for numbers in zip(*members.get_state().values())
        ]

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self.team_.learn(X, y, w, Host(self))

    def _scores(self, X: np.ndarray) -> np.ndarray:
        votes = self.team_.scores(X, Host(self))
        soften(votes, self._sharpness)
        return votes

    def _keys(self) -> list[Any]:
        return self.team_.members.keys()

    def _say(self, which: list[int], X: np.ndarray) -> np.ndarray:
        said = self.team_.members.ask(X, Host(self), which)
        return said.astype(np.int8) if len(self.classes_) < 128 else said

    def _count(self, said: np.ndarray, where: np.ndarray) -> np.ndarray:
        votes = self.team_.count(said, where)
        soften(votes, self._sharpness)
        return votes

    def _terms(self) -> tuple:
        return *self.team_.terms(), self._sharpness

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        base = self._base_learner()
        if getattr(base, "nominal_features", None) is not None:
            rows = validate_data(self, X, reset=start, dtype=np.float64)
            check_codes(rows[:, base._nominal(rows.shape[1])])
        return super()._validated(X, y, classes, sample_weight, start)


class Host:
    """Trains and asks guests on behalf of a compiled loop, which knows class codes only."""

    def __init__(self, ensemble: BoostedClassifier):
        self.ensemble = ensemble
        self.base = ensemble._base_learner()
        self.by_draw = not takes_weights(self.base)

    def train(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
        """Return a new model, trained on these rows."""
        rng = self.ensemble.rng_
        chunk = Chunk(X, y, w, self.ensemble.classes_).weighted(w)
        if self.by_draw and (chunk.w != chunk.w[0]).any():
            chunk = chunk.at(draw(chunk.w, chunk.y, rng)).weighted(np.ones(len(chunk)))
        return trained(self.base, chunk, self.ensemble._seed())

    def ask(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class code that a model gives each row."""
        return codes(model, X, columns_of(model, self.ensemble.classes_))

    def mark(self) -> Any:
        """Return where the generator is now."""
        return self.ensemble.rng_.bit_generator.state

    def back_to(self, mark: Any) -> None:
        """Put the generator back to where it was."""
        self.ensemble.rng_.bit_generator.state = mark


def _stump(
    classes: np.ndarray, n_features: int, feature: int, threshold: float, left: int, right: int
) -> StumpClassifier:
    model = StumpClassifier()
    model.classes_, model.n_features_in_ = classes, n_features
    model.feature_, model.threshold_ = int(feature), float(threshold)
    model.value_ = np.zeros((2, len(classes)))
    model.value_[0, left] = model.value_[1, right] = 1.0
    return model
