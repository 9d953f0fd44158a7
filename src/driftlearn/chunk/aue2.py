"""AUE2, the accuracy-updated ensemble."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.chunk_classifier import ChunkClassifier
from driftlearn.base.models import updated
from driftlearn.base.threads import threads
from driftlearn.kernels.votes import blend
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.parts.member_weights import random_error, squared_error

EPS = 1e-10


class AUE2Classifier(ChunkClassifier):
    """AUE2: incremental members, weighted by their squared error, all taught every chunk.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; `HoeffdingTreeClassifier` by default. A foreign learner cannot take a
        class that it has not met: such a member starts again from the chunk that has it.
    n_estimators : int, default=10
        The most members kept; the lightest goes.
    chunk_size, random_state, n_jobs
        As in `LearnPPNSEClassifier`.

    Attributes
    ----------
    classes_, members_, history_
        As in `LearnPPNSEClassifier`.

    References
    ----------
    .. [1] D. Brzezinski, J. Stefanowski, "Reacting to Different Types of Concept Drift: The
       Accuracy Updated Ensemble Algorithm", IEEE Trans. Neural Networks and Learning Systems
       25(1), 2014, doi:10.1109/TNNLS.2013.2251352.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), AUE2Classifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(9_999, 1_000, random_state=1)) > 0.9
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 10,
        *,
        chunk_size: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.chunk_size = chunk_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _base_learner(self) -> Any:
        return HoeffdingTreeClassifier() if self.estimator is None else self.estimator

    def _validate_params(self) -> None:
        super()._validate_params()
        if not hasattr(self._base_learner(), "partial_fit"):
            raise ValueError(
                "AUE2 goes on teaching its members: the estimator needs partial_fit, which "
                f"{type(self.estimator).__name__} does not have"
            )

    def _learn(self, chunk: Chunk) -> None:
        team, y, w = self.team_, chunk.y, chunk.w
        guessing = random_error(y, w)
        if len(team):
            team["error"] = squared_error(team.probas(chunk.X), y, w)
            team["weight"] = 1.0 / (guessing + team["error"] + EPS)
        perfect = 1.0 / (guessing + EPS)
        room = self.n_estimators is None or len(team) < self.n_estimators
        if not room and team["weight"].min() < perfect:
            team.keep(np.delete(np.arange(len(team)), team["weight"].argmin()))
            room = True
        base, seeds = self._base_learner(), team["born"].astype(int)
        teach = partial(updated, base, chunk=chunk)
        team.exchange(threads(self.n_jobs, teach, team.models, seeds))
        if room:
            team.add(self._train(chunk), weight=perfect, born=self.step_)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return blend(self.team_.probas(X), self.team_["weight"])
