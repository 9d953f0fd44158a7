"""Base class of ensembles that boost any base learner on a weighted window of rows."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods

from driftlearn.base.chunk import Chunk
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.ensemble._engine_classifier import EngineClassifier
from driftlearn.ensemble._fixed_model import ExternalTrainer
from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble.boosting._boosted_committee import BoostedCommittee
from driftlearn.ensemble.boosting._boosted_engine import BoostedEngine
from driftlearn.ensemble.boosting._boosted_votes import soften
from driftlearn.ensemble.boosting._external_models import ExternalModels
from driftlearn.ensemble.boosting._fixed_models import FixedModels, FixedOnlineModels, FixedStumps
from driftlearn.ensemble.boosting._watch import Watchable
from driftlearn.io.schema import Field, a
from driftlearn.tree.stump import StumpClassifier


class BoostedClassifier(Watchable, EngineClassifier):
    """Base class of ensembles that boost on a window of recent rows.

    Stumps, naive Bayes and Hoeffding trees are trained and evaluated in the compiled loop. For any
    other classifier the loop calls back into Python: to train it on the weighted window (or on a
    sample drawn by the weights, if `fit` takes no weights) and to predict the rows of the window
    and the upcoming rows. If such a classifier raises an error, the state before the current row is
    restored.

    Subclasses define `_window_rows`, the number of rows in the window, and `_new_engine`, which
    returns the engine that trains the committee.
    """

    STATE: ClassVar[dict[str, Field]] = {"committee_": a(BoostedCommittee)}
    _parameter_constraints = {"estimator": [HasMethods(["fit", "predict"]), None]}

    # Members' predictions are stored as 16-bit codes; 32 bits would slow training by about 10 %.
    _most_classes = 2**15

    committee_: BoostedCommittee  # type: ignore[assignment]
    engine_: BoostedEngine

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, oldest first."""
        self._check_fitted()
        models = self.committee_.models
        if not isinstance(models, FixedStumps):
            return list(models.models)
        numbers = models.keys()
        return [_stump(self.classes_, self.n_features_in_, *each) for each in numbers]

    @property
    def _sharpness(self) -> float:
        """Factor by which votes are multiplied to obtain log-probabilities."""
        # The exponential loss is minimized by half the log-odds, hence p(c) ~ exp(2 V_c).
        return 2.0

    def _window_rows(self) -> int:
        raise NotImplementedError

    def _new_engine(self) -> BoostedEngine:
        raise NotImplementedError

    def _default_base_learner(self) -> Any:
        return StumpClassifier()

    def _n_initial(self) -> int:
        return 0

    def _new_committee(self, *columns: str) -> Any:
        window = RowWindow(self.n_features_in_, len(self.classes_), self._window_rows())
        return BoostedCommittee(window, self._new_models())

    def _new_models(self) -> FixedModels:
        base = self._base_learner()
        if type(base) is StumpClassifier:
            return FixedStumps()
        if isinstance(base, OneModelClassifier):
            return FixedOnlineModels(base._make(self.n_features_in_, len(self.classes_)))
        return ExternalModels(self.class_book_)

    def _trainer(self) -> ExternalTrainer:
        return ExternalTrainer(self._base_learner(), self.classes_, self.rng_)

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        super()._receive(chunk, finish, **how)
        trouble = self._trouble()
        if trouble:
            # points at the caller of `fit`
            warnings.warn(trouble, ConvergenceWarning, stacklevel=5)

    def _trouble(self) -> str:
        """Return a warning to issue after a training call, or an empty string."""
        return ""

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        self.engine_.learn(X, y, w, self._trainer(), scores, self._sharpness)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        votes = self.engine_.scores(X)
        soften(votes, self._sharpness)
        return votes

    def _count(self, predicted: np.ndarray, where: np.ndarray) -> np.ndarray:
        votes = self.committee_.count(predicted, where)
        soften(votes, self._sharpness)
        return votes

    def _terms(self) -> tuple[Any, ...]:
        return *self.committee_.terms(), self._sharpness


def _stump(
    classes: np.ndarray, n_features: int,
    feature: int, threshold: float, left: int, right: int, missing_left: int,
) -> StumpClassifier:  # fmt: skip
    model = StumpClassifier()
    model.classes_, model.n_features_in_ = classes, n_features
    model.feature_, model.threshold_, model.missing_left_ = feature, threshold, missing_left
    model.value_ = np.zeros((2, len(classes)))
    model.value_[0, left] = model.value_[1, right] = 1.0
    return model
