"""Learn++, and the training loop that its whole family shares."""

from __future__ import annotations

from functools import partial
from math import ceil
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from driftlearn.base.chunk import Chunk
from driftlearn.base.chunk_classifier import Attempt, ChunkClassifier
from driftlearn.base.input import plain_labels
from driftlearn.kernels.votes import tally
from driftlearn.parts.member_weights import error_floor, odds, weighted_error
from driftlearn.parts.row_weights import draw, stress

if TYPE_CHECKING:
    from typing_extensions import Self


class LearnPPFamily(ChunkClassifier):
    """The training loop of the Learn++ family: several members a data set, boosted.

    Each member is trained on a draw by a distribution over the rows of the data set; the
    distribution then shifts to the rows that the composite of the members still gets wrong. A
    variant states its own vote in `_vote`, and what it must know of a member in `_facts`.
    """

    _parameter_constraints = {
        "estimator": ChunkClassifier._parameter_constraints["estimator"],
        "n_per_chunk": [Interval(Integral, 1, None, closed="left")],
        "sample_size": [
            Interval(RealNotInt, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
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
        "chunk_size": ChunkClassifier._parameter_constraints["chunk_size"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_per_chunk: int = 5,
        *,
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
        self.estimator = estimator
        self.n_per_chunk = n_per_chunk
        self.sample_size = sample_size
        self.replacement = replacement
        self.resampling = resampling
        self.error_floor = error_floor
        self.max_retries = max_retries
        self.on_weak = on_weak
        self.early_stop = early_stop
        self.composite = composite
        self.initial = initial
        self.validation_share = validation_share
        self.chunk_size = chunk_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        validation: Any = None,
    ) -> Self:
        """Learn one more data set.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in every learner.
        validation : tuple (X, y), optional
            Rows by which the number of members is chosen: of those generated for this data set
            the shortest prefix is kept with which the ensemble is most accurate on them. A label
            that nobody has met counts as a row that nobody gets right.

        Returns
        -------
        self
        """
        self._validation = validation
        try:
            super().partial_fit(X, y, classes, sample_weight)
        finally:
            del self._validation
        return self

    def _begin(self) -> None:
        super()._begin()
        self.n_weak_ = 0
        self.counts_ = np.zeros((0, len(self.classes_)))

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        self.counts_ = widened(self.counts_, positions, len(self.classes_))
        if len(self.team_):
            for column in ("rows", "knows"):
                self.team_[column] = widened(self.team_[column], positions, len(self.classes_))

    def _learn(self, chunk: Chunk) -> None:
        chunk, validation = self._with_validation(chunk)
        team, y, C = self.team_, chunk.y, len(self.classes_)
        self.counts_ = np.vstack([self.counts_, np.bincount(y, chunk.w, minlength=C)])
        labels = team.labels(chunk.X) if len(team) else np.zeros((0, len(y)), dtype=np.int32)
        floor = error_floor(self.error_floor, chunk.w.sum())
        D = uniform = chunk.w / chunk.w.sum()
        if len(team) and self.initial == "evaluate":
            known = self._final(labels, np.arange(len(team))).argmax(axis=1) == y
            D = stress(D, known, uniform)
        old = len(team)
        for _ in range(self.n_per_chunk):
            born = self._attempt(chunk, D, partial(self._rows, chunk, D), self.resampling)
            if born.error > 0.5 and not self._accept_weak(born):
                continue
            beta = odds(np.array(born.error), floor)
            team.add(
                born.model,
                weight=np.log(1.0 / beta),
                born=self.step_,
                error=beta / (1.0 + beta),
                rows=np.bincount(born.rows.y, born.rows.w, minlength=C),
                knows=np.bincount(born.rows.y, minlength=C) > 0,
                first=old if self.composite == "sub" else 0,
            )
            labels = np.vstack([labels, born.said[None].astype(np.int32)])
            judged = np.arange(int(team["first"][-1]), len(team))
            right = self._decide(labels[judged], judged).argmax(axis=1) == y
            composite_error = float(weighted_error(~right, D))
            self._note_composite(composite_error, floor)
            if composite_error == 0 and self.early_stop:
                break
            D = stress(D, right, uniform)
        if validation is not None and len(team) > old:
            team.keep(np.arange(self._best_size(old, *validation)))

    def _rows(self, chunk: Chunk, D: np.ndarray) -> Chunk:
        """Return what the next member is trained on: a draw by D, or all rows weighted by D."""
        if not self.resampling:
            return chunk.weighted(D * chunk.w.sum())
        n, size = len(chunk), self.sample_size
        size = n if size is None else size if isinstance(size, Integral) else ceil(size * n)
        if not self.replacement:
            size = min(size, int((D > 0).sum()))
        rows = draw(D, chunk.y, self.rng_, size, self.replacement)
        return chunk.at(rows).weighted(np.ones(len(rows)))

    def _accept_weak(self, born: Attempt) -> bool:
        if self.on_weak == "raise":
            raise ValueError(
                f"no member of data set {self.step_} has an error below 1/2 after "
                f"{self.max_retries} retries; the best has {born.error:.3f}"
            )
        return self.on_weak == "clip"

    def _note_composite(self, error: float, floor: float) -> None:
        """Take note of the composite that the newest member has led to."""

    def _with_validation(self, chunk: Chunk) -> tuple[Chunk, tuple[np.ndarray, np.ndarray] | None]:
        """Return the rows to learn, and the validation rows with their class codes.

        A share is the first rows of a permutation of each class, in order, rounded down.
        """
        given = getattr(self, "_validation", None)
        if given is not None:
            X = check_array(given[0], dtype=np.float64, order="C", input_name="validation X")
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"the validation set has {X.shape[1]} features, expected {self.n_features_in_}"
                )
            labels = plain_labels(given[1])
            if len(labels) != len(X):
                raise ValueError(f"the validation set has {len(X)} rows and {len(labels)} labels")
            codes = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
            return chunk, (X, np.where(self.classes_[codes] == labels, codes, -1))
        if self.validation_share is None or len(chunk) < 2:
            return chunk, None
        held = np.zeros(len(chunk), dtype=bool)
        for c in chunk.present:
            rows = self.rng_.permutation(np.flatnonzero(chunk.y == c))
            held[rows[: int(self.validation_share * len(rows))]] = True
        if not held.any():
            return chunk, None
        return chunk.at(~held), (chunk.X[held], chunk.y[held])

    def _best_size(self, old: int, X: np.ndarray, y: np.ndarray) -> int:
        """Return the size, at least one new member, with the best accuracy; ties: the smallest."""
        labels = self.team_.labels(X)
        sizes = range(old + 1, len(self.team_) + 1)
        right = [(self._final(labels[:s], np.arange(s)).argmax(axis=1) == y).sum() for s in sizes]
        return sizes[int(np.argmax(right))]

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the scores that these members' labels give each row."""
        raise NotImplementedError

    def _decide(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Vote; on a row for which nobody has any weight the newest speaks alone."""
        return newest_if_mute(self._vote(labels, members), labels)

    def _final(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        """Return the ensemble's scores, given the labels of its members."""
        return self._decide(labels, members)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._final(self.team_.labels(X), np.arange(len(self.team_)))


def newest_if_mute(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Give the rows on which all scores are zero to the newest member."""
    mute = np.flatnonzero(scores.max(axis=1) <= 0)
    if len(mute) and len(labels):
        scores[mute, labels[-1, mute]] = 1.0
    return scores


def widened(table: np.ndarray, positions: np.ndarray, n_classes: int) -> np.ndarray:
    """Return a table with a column a class after the class list grew."""
    wide = np.zeros((len(table), n_classes))
    wide[:, positions] = table
    return wide


class LearnPPClassifier(LearnPPFamily):
    """Learn++: boosting over data sets that are seen once, all members kept.

    A member's vote is the logarithm of one over its normalised error. Classes that appear later
    are out-voted by the members that cannot know them; `LearnPPMTClassifier` and
    `LearnPPNCClassifier` repair that.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; `CARTClassifier` by default. The papers use a small network, see
        `MLPGoalClassifier`.
    n_per_chunk : int, default=5
        Members generated for each data set.
    sample_size : int or float, optional
        Rows drawn for a member, or their share of the data set; as many as it has by default.
    replacement : bool, default=True
        Whether a row may be drawn more than once.
    resampling : bool, default=True
        Whether members are trained on a draw by the distribution, in which every class of the
        data set is present, or on all rows weighted by it.
    error_floor : "half_instance" or float, default="half_instance"
        The smallest error that counts, so that no vote is infinite.
    max_retries : int, default=10
        How often a member whose error exceeds 1/2 is trained again, where training again can
        give another result.
    on_weak : {"clip", "drop", "raise"}, default="clip"
        What happens to a member that is still worse: it stays without a vote, it is dropped, or
        an error is raised.
    early_stop : bool, default=False
        Whether a composite without error ends the data set; otherwise the distribution starts
        again.
    composite : {"sub", "all"}, default="sub"
        Whose composite the distribution follows: that of this data set's members, or of all.
    initial : {"evaluate", "uniform"}, default="evaluate"
        Whether the first distribution stresses what the ensemble so far gets wrong.
    validation_share : float, optional
        Share of each class of a data set that is held out, at random, to choose how many members
        are kept. A validation set that is given to `partial_fit` takes its place.
    chunk_size, random_state, n_jobs
        As in `LearnPPNSEClassifier`.

    Attributes
    ----------
    classes_, members_, history_
        As in `LearnPPNSEClassifier`.
    counts_ : ndarray of shape (data sets, classes)
        Weighted rows of each class in every data set so far.
    n_weak_ : int
        Members that stayed above an error of 1/2 when they were trained.

    Other Parameters
    ----------------
    vote : {"member", "hypothesis"}, default="member"
        Whether the members vote by their own errors, as from 2002 on, or the composite
        hypotheses by theirs, as in 2001.

    References
    ----------
    .. [1] R. Polikar, L. Udpa, S. S. Udpa, V. Honavar, "Learn++: An incremental learning
       algorithm for supervised neural networks", IEEE Trans. Systems, Man and Cybernetics C
       31(4), 2001, doi:10.1109/5326.983933.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LearnPPClassifier(random_state=0)
    >>> model.partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2]).score(X, y)
    0.99
    """

    _parameter_constraints = {
        **LearnPPFamily._parameter_constraints,
        "vote": [StrOptions({"member", "hypothesis"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_per_chunk: int = 5,
        *,
        vote: str = "member",
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
        self.vote = vote

    def _note_composite(self, error: float, floor: float) -> None:
        team = self.team_
        beta = odds(np.array(error), floor)
        weight = team["composite_weight"] if len(team) > 1 else np.zeros(1)
        weight[-1] = np.log(1.0 / beta)
        team["composite_weight"] = weight

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        return tally(labels, self.team_["weight"][members], len(self.classes_))

    def _final(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        if self.vote == "member":
            return self._decide(labels, members)
        first = self.team_["first"].astype(int)
        said = [
            self._decide(labels[first[t] : t + 1], np.arange(first[t], t + 1)).argmax(axis=1)
            for t in members
        ]
        composites = np.array(said, dtype=np.int32)
        weight = self.team_["composite_weight"][members]
        return newest_if_mute(tally(composites, weight, len(self.classes_)), composites)
