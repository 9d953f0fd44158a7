"""Training loop of the Learn++ family."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from math import ceil
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from driftlearn.base.chunk import Chunk, stress, weighted_error
from driftlearn.base.validation import check_labels, check_range
from driftlearn.ensemble.chunk.attempts import Attempt, best_attempt
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import error_floor, odds
from driftlearn.ensemble.votes import default_to_newest
from driftlearn.io.schema import LARGEST, Field, InvalidStateError, floats, integer
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import Self
from driftlearn.utils.docstrings import inherit_docs

Labelled = tuple[np.ndarray, np.ndarray]  # rows and their class codes


@inherit_docs
@dataclass(eq=False, repr=False)
class LearnPPFamily(ChunkClassifier):
    """Base class of the Learn++ family: several boosted members per data set.

    Each member is trained on a sample drawn by a distribution over the rows of the data set. The
    distribution then shifts to rows that the composite hypothesis of the members misclassifies. A
    variant implements its own vote in `_vote`.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``. Paper settings:
        `LearnPPFamily.as_published()` has ``estimator=CARTClassifier(smoothing=0.0)``. The papers'
        own experiments use a small neural network, see `MLPGoalClassifier`.
    n_per_chunk : int, default=5
        Number of members trained on each data set.
    sample_size : int or float, optional
        Number of rows in each member's training sample, or their share of the data set. By default,
        samples have the size of the data set.
    replacement : bool, default=True
        Whether rows are drawn with replacement.
    resampling : bool, default=True
        Whether members are trained on a sample drawn by the distribution, which contains every
        class of the data set, or on all rows, weighted by the distribution.
    error_floor : "half_instance" or float, default="half_instance"
        Smallest error used for voting weights, which keeps them finite.
    max_retries : int, default=10
        Maximum number of times that a member with an error above 1/2 is retrained, if the result
        can differ.
    on_weak : {"clip", "drop", "raise"}, default="clip"
        Handling of a member whose error remains above 1/2: set its weight to zero, drop it, or
        raise an error.
    early_stop : bool, default=False
        Whether training on a data set ends when the composite hypothesis makes no error.
        Otherwise the distribution is reset.
    composite : {"sub", "all"}, default="sub"
        Whether the distribution depends on the composite hypothesis of the members of this
        data set, or of all members.
    initial : {"evaluate", "uniform"}, default="evaluate"
        Whether the first distribution emphasizes rows that the ensemble so far misclassifies.
    validation_share : float, optional
        Share of each class of a data set that is held out, at random, to choose the number of
        members kept. A validation set passed to `partial_fit` takes its place.
    ties : {"first", "last"}, default="first"
        Which number of members is kept if several are equally accurate on the validation rows:
        the smallest or the largest.
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s
    counts_ : ndarray of shape (data sets, classes)
        Weighted number of rows of each class in every data set so far.
    n_weak_ : int
        Number of members whose training error remained above 1/2.
    """

    n_per_chunk: int = 5
    _: KW_ONLY
    sample_size: int | float | None = None
    replacement: bool = True
    resampling: bool = True
    error_floor: str | float = "half_instance"
    max_retries: int = 10
    on_weak: str = "clip"
    early_stop: bool = False
    composite: str = "sub"
    initial: str = "evaluate"
    validation_share: float | None = None
    ties: str = "first"

    STATE: ClassVar[dict[str, Field]] = {
        "n_weak_": integer(0),
        "counts_": floats("chunks", "classes", least=0.0),
    }
    _parameter_constraints = {
        "n_per_chunk": [Interval(Integral, 1, None, closed="left")],
        "sample_size": [
            Interval(RealNotInt, 0, 1, closed="right"),
            Interval(Integral, 1, LARGEST, closed="both"),
            None,
        ],
        "replacement": ["boolean"],
        "resampling": ["boolean"],
        "error_floor": [StrOptions({"half_instance"}), Interval(Real, 0, 0.5, closed="neither")],
        "max_retries": [Interval(Integral, 0, None, closed="left")],
        "on_weak": [StrOptions({"clip", "drop", "raise"})],
        "early_stop": ["boolean"],
        "composite": [StrOptions({"sub", "all"})],
        "initial": [StrOptions({"evaluate", "uniform"})],
        "validation_share": [Interval(Real, 0, 1, closed="neither"), None],
        "ties": [StrOptions({"first", "last"})],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless members belong to data sets whose classes were counted."""
        committee = state.get("committee_")
        if not committee:
            return
        created_at = committee.numbers.get("created_at")
        if created_at is None or created_at.min() < 1 or created_at.max() > len(state["counts_"]):
            raise InvalidStateError("a member was created in a chunk that does not exist")
        for column in ("rows", "trained_on"):
            shape = np.shape(committee.numbers.get(column))
            if shape != (len(committee), len(state["classes_"])):
                raise InvalidStateError(
                    f"column {column!r} of the members must have one entry per member and class. "
                    f"Got shape {shape} instead."
                )

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, validation: Any = None
    ) -> Self:
        """Update the model with another data set.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels: numbers or strings.
        classes : array-like, optional
            Labels that may occur later. Optional, because a class may appear in any call.
        sample_weight : array-like of shape (n,), optional
            Row weights; a row of weight zero is ignored, but its class becomes known.
        validation : tuple (X, y), optional
            Rows used to choose the number of members kept for this data set: the first n members,
            with the n for which the ensemble is most accurate on these rows; see also `ties`. Rows
            with unknown labels count as errors.

        Returns
        -------
        self
        """
        return self._absorb(X, y, classes, sample_weight, fit=False, validation=validation)

    def _begin(self) -> None:
        super()._begin()
        self.n_weak_ = 0
        self.counts_ = np.zeros((0, len(self.classes_)))

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        committee, C = self.committee_, len(self.classes_)
        self.counts_ = widened(self.counts_, positions, C, axis=1)
        if len(committee):
            for column in ("rows", "trained_on"):
                committee[column] = widened(committee[column], positions, C, axis=1)

    def _learn(self, chunk: Chunk, validation: Any = None) -> None:
        if validation is None:
            chunk, validation_rows = self._held_out(chunk)
        else:
            validation_rows = self._validation_rows(*validation)
        committee, y, C = self.committee_, chunk.y, len(self.classes_)
        self.counts_ = np.vstack([self.counts_, np.bincount(y, chunk.w, minlength=C)])
        labels = committee.labels(chunk.X)
        floor = error_floor(self.error_floor, chunk.w.sum())
        D = uniform = chunk.w / chunk.w.sum()
        if len(committee) and self.initial == "evaluate":
            known = self._final(labels, np.arange(len(committee))).argmax(axis=1) == y
            D = stress(D, known, uniform)
        old = len(committee)
        for _ in range(self.n_per_chunk):
            make = partial(self._rows, chunk, D)
            new = best_attempt(self, chunk, D, make, self.resampling, self.max_retries)
            self.n_weak_ += new.weak
            if new.weak and not self._accept_weak(new):
                continue
            beta = odds(np.array(new.error), floor)
            committee.add(
                new.model,
                weight=np.log(1.0 / beta),
                created_at=self.step_,
                error=beta / (1.0 + beta),
                rows=np.bincount(new.rows.y, new.rows.w, minlength=C),
                trained_on=np.bincount(new.rows.y, minlength=C) > 0,
                first=old if self.composite == "sub" else 0,
            )
            labels = np.vstack([labels, new.labels[None].astype(np.int32)])
            positions = np.arange(int(committee["first"][-1]), len(committee))
            right = self._decide(labels[positions], positions).argmax(axis=1) == y
            composite_error = float(weighted_error(~right, D))
            self._record_composite(composite_error, floor)
            if composite_error == 0 and self.early_stop:
                break
            D = stress(D, right, uniform)
        if validation_rows is not None and len(committee) > old:
            committee.select(np.arange(self._best_size(old, validation_rows)))

    def _rows(self, chunk: Chunk, D: np.ndarray) -> Chunk:
        """Return the next member's training rows: a sample drawn by D, or all, weighted by D."""
        if not self.resampling:
            return chunk.weighted(D * chunk.w.sum())
        n, size = len(chunk), self.sample_size
        size = n if size is None else size if isinstance(size, Integral) else ceil(size * n)
        if not self.replacement:  # rows of weight zero cannot be drawn
            size = min(size, int((D > 0).sum()))
        return chunk.drawn(D, self.rng_, size=size, replace=self.replacement)

    def _accept_weak(self, new: Attempt) -> bool:
        if self.on_weak == "raise":
            raise ValueError(
                f"no member for data set {self.step_} has an error below 1/2 after "
                f"{self.max_retries} retries; the smallest error is {new.error:.3f}"
            )
        return self.on_weak == "clip"

    def _record_composite(self, error: float, floor: float) -> None:
        """Record the error of the composite hypothesis with the newest member."""

    def _validation_rows(self, X: Any, y: Any) -> Labelled:
        """Return validated rows and their class codes; -1 for unknown labels."""
        passed = X
        X = check_array(
            X, dtype=np.float64, order="C", ensure_all_finite="allow-nan", input_name="validation X"
        )
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"the validation set has {X.shape[1]} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features"
            )
        check_range(self, X, passed)
        labels = check_labels(y)
        if len(labels) != len(X):
            raise ValueError(f"the validation set has {len(X)} rows and {len(labels)} labels")
        codes = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        return X, np.where(self.classes_[codes] == labels, codes, -1)

    def _held_out(self, chunk: Chunk) -> tuple[Chunk, Labelled | None]:
        """Return the training rows and the validation rows, if a share is held out.

        For each class in order, the first rows of a random permutation are held out; their number
        is rounded down.
        """
        if self.validation_share is None or len(chunk) < 2:
            return chunk, None
        held = np.zeros(len(chunk), dtype=bool)
        for c in chunk.present:
            rows = self.rng_.permutation(np.flatnonzero(chunk.y == c))
            held[rows[: int(self.validation_share * len(rows))]] = True
        if not held.any():
            return chunk, None
        return chunk.at(~held), (chunk.X[held], chunk.y[held])

    def _best_size(self, old: int, validation_rows: Labelled) -> int:
        """Return the number of members with the best accuracy; at least one member is new."""
        X, y = validation_rows
        labels = self.committee_.labels(X)
        sizes = range(old + 1, len(self.committee_) + 1)
        if self.ties == "last":
            sizes = sizes[::-1]
        right = [(self._final(labels[:s], np.arange(s)).argmax(axis=1) == y).sum() for s in sizes]
        return sizes[int(np.argmax(right))]

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the class scores of these members' labels for each row."""
        raise NotImplementedError

    def _decide(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the vote; where all weights are zero, the newest member's vote is used."""
        return default_to_newest(self._vote(labels, members), labels)

    def _final(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the ensemble's scores, given the labels of its members."""
        return self._decide(labels, members)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._final(self.committee_.labels(X), np.arange(len(self.committee_)))
