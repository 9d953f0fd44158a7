"""Learn++.UDNC."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.chunk.learnpp_family import LearnPPFamily
from driftlearn.chunk.learnpp_ud import LearnPPUDClassifier
from driftlearn.chunk.smote import oversampled
from driftlearn.parts.class_votes import ensemble_decision


class LearnPPUDNCClassifier(LearnPPUDClassifier):
    """Learn++.UDNC: new classes and rare classes at once.

    The members of a data set form a sub-ensemble. It speaks for a class by the share of all rows
    of that class that it has seen, so that a new class belongs to those who know it; and its
    confidence in a class that is abundant in its data set is held back, so that a rare one is
    not drowned.

    Parameters
    ----------
    estimator, n_per_chunk, and the other parameters of the training loop
        As in `LearnPPClassifier`.

    Attributes
    ----------
    classes_, members_, history_, counts_, n_weak_
        As in `LearnPPClassifier`.

    Other Parameters
    ----------------
    transfer : {"power", None}, default="power"
        Whether the confidence in abundant classes is held back, by raising it to the power of how
        many times more rows they have than the rarest. None leaves it as it is.
    oversample : {"smote", None}, default=None
        Whether the rare classes of each member's rows are brought to the size of the largest with
        synthetic rows, which the paper names as future work. A member is then trained on equal
        rows of its draw once only: the nearest neighbours of a repeated row would be its own
        copies. Needs the extra ``imbalance``.

    References
    ----------
    .. [1] G. Ditzler, M. Muhlbaier, R. Polikar, "Incremental Learning of New Classes in
       Unbalanced Datasets: Learn++.UDNC", MCS 2010, LNCS 5997, doi:10.1007/978-3-642-12127-2_4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> old = y < 2
    >>> model = LearnPPUDNCClassifier(random_state=0).partial_fit(X[old][::2], y[old][::2])
    >>> model.partial_fit(X[1::2], y[1::2]).score(X, y) > 0.9
    True
    """

    _parameter_constraints = {
        **LearnPPFamily._parameter_constraints,
        "transfer": [StrOptions({"power"}), None],
        "oversample": [StrOptions({"smote"}), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_per_chunk: int = 5,
        *,
        transfer: str | None = "power",
        oversample: str | None = None,
        sample_size: int | float | None = None,
        replacement: bool = True,
        resampling: bool = True,
        error_floor: str | float = "half_instance",
        max_retries: int = 10,
        on_weak: str = "clip",
        early_stop: bool = False,
        composite: str = "sub",
        initial: str = "evaluate",
        validation_share: float | None = None,
        chunk_size: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator,
            n_per_chunk,
            sample_size=sample_size,
            replacement=replacement,
            resampling=resampling,
            error_floor=error_floor,
            max_retries=max_retries,
            on_weak=on_weak,
            early_stop=early_stop,
            composite=composite,
            initial=initial,
            validation_share=validation_share,
            chunk_size=chunk_size,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.transfer = transfer
        self.oversample = oversample

    def _train(self, chunk: Chunk) -> Any:
        if self.oversample == "smote":
            if self.resampling:
                rows = np.column_stack([chunk.X, chunk.y])
                chunk = chunk.at(np.sort(np.unique(rows, axis=0, return_index=True)[1]))
            chunk = oversampled(chunk, self.rng_)
        return super()._train(chunk)

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        group = self.committee_["born"][members].astype(int) - 1
        weights = self._class_weights(members)
        return ensemble_decision(labels, weights, group, self.counts_, self.transfer == "power")
