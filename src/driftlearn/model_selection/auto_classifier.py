"""Online model selection: votes of candidates for single rows, stacking for tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base._probabilities import normalize
from driftlearn.base.chunk import Chunk
from driftlearn.base.nominal_features import HasNominalFeatures
from driftlearn.base.prequential import test_then_train_chunks
from driftlearn.ensemble.history import MOST_STEPS, History
from driftlearn.io import schema
from driftlearn.model_selection.candidate import (
    ABSTAINS,
    DROPPED,
    Candidate,
    new_candidates,
    results_of,
    warn_of,
)
from driftlearn.model_selection.class_thresholds import ClassThresholds
from driftlearn.model_selection.decision import Decision
from driftlearn.model_selection.defaults import default_candidates, default_table_candidates
from driftlearn.model_selection.nested_params import NestedParams
from driftlearn.model_selection.online_stacking import OnlineStackingClassifier
from driftlearn.model_selection.prediction_sets import PredictionSets, PredictsSets
from driftlearn.utils.arguments import Floats, Ints
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import Table

WINDOW_CHUNKS = 3  # minimum number of chunks per accuracy; a single chunk would be too noisy
THRESHOLD_ROWS = 5_000  # memory of thresholds; a rare class has few rows in a shorter one
MIN_CANDIDATES = 2  # minimum number of candidates that are never dropped for their accuracy
# parameters of `OnlineStackingClassifier` that are passed on
PASSED = "chunk_size", "delay", "nominal_features", "class_weight", "n_jobs"
CHANGEABLE = "chunk_size", "class_weight", "n_jobs"  # those that may change between calls


@dataclass(eq=False, repr=False)
class AutoClassifier(HasNominalFeatures, Decision, PredictsSets, NestedParams):
    """Online model selection: candidates weighted by how well they predicted recently.

    All candidates are trained on the same stream. They predict rows before they are trained on them
    and are weighted by these predictions. Use it when you do not know which classifier suits your
    data, or when the best classifier may change. Rows that are predicted before any of their labels
    is known form a chunk; how candidates are combined depends on it.

    **Tables.** If the first call has several rows, every call is a chunk, such as the table of a
    day. The candidates are those of `OnlineStackingClassifier`, which also describes how they are
    combined.

    **Single rows.** If the first call has a single row, or the chunk size is 1, labels arrive row
    by row, and the candidates vote. The weights are updated every `eval_interval` rows. The weight
    of a candidate is ``exp(-d / tolerance)``, where d is the best recent accuracy minus the
    accuracy of the candidate. Accuracies are exponentially weighted: a row that is `window` rows
    old counts 37 %. Candidates whose accuracy is more than `drop_threshold` below the best, both
    recently and overall, are dropped permanently; the best two are always kept. A candidate that
    raises an exception during training is dropped with a warning; a candidate that raises in
    `predict` abstains. `test_then_train` processes rows in this way unless the first call was a
    table.

    Training cost is the sum of the candidates' costs. Predictions are available after the first
    row or chunk.

    Parameters
    ----------
    candidates : dict of str to classifier, optional
        Candidate classifiers by name. Each needs `partial_fit`. The defaults are
        `driftlearn.model_selection.default_candidates` for single rows and for chunks, and
        `driftlearn.model_selection.default_table_candidates` for tables and with a `delay`. In a
        vote, chunk learners
        need a ``chunk_size`` of their own or of this class; otherwise each row is a chunk. A
        third-party classifier is dropped when a class appears that was not in its first call.
        Nested parameters are set as ``candidates__<name>__<parameter>``, for example
        ``set_params(candidates__bayes__var_smoothing=0.1)``.
    chunk_size : int, optional
        Number of rows that are predicted before training on them. By default the first call
        decides: a single row means 1, and a table means that every call is a chunk. With a
        number, rows are buffered until a chunk is complete, so results do not depend on how rows
        are split into calls; `flush` trains on an incomplete chunk.
    combine : {"auto", "stack", "vote", "best"}, default="auto"
        How candidates are combined: "stack" as in `OnlineStackingClassifier`; "vote" by weighted
        votes, where rows are processed singly unless there is a `chunk_size`; "best" as "vote",
        but only the best candidate predicts, which is replaced when the accuracy of another one is
        more than `tolerance` higher. "auto" is "vote" for single rows and "stack" for tables.
    window : int, default=500
        In a vote, number of rows over which accuracies are averaged; at least three chunks.
    eval_interval : int, default=100
        In a vote, number of rows between two evaluations; with a `chunk_size`, evaluations follow
        each chunk.
    tolerance : float, default=0.02
        In a vote, the difference at which two accuracies are considered different; also the scale
        of the weights.
    drop_threshold : float or None, default=0.15
        In a vote, the difference from the best accuracy beyond which candidates are dropped. The
        accuracy over all rows must also be this far below the best, because the best recent
        candidate may soon change if classes occur in runs. With None, no candidates are dropped.
    budget : {1, 2, 3, 5}, default=3
        For tables, the approximate training time of the default candidates, in multiples of the
        time in which LightGBM is retrained every seven tables.
    delay : int, default=0
        Number of chunks by which labels are late. If it is not 0, candidates are stacked, because
        a vote evaluates candidates as if each label were known before the next row. If labels of
        single rows are n rows late, use for example ``chunk_size=n // 4, delay=4``.
    keep_rows : int, default=100_000
        For tables, the maximum number of rows that each default candidate stores.
    decision : {"balanced"}, dict or None, default=None
        How labels follow from probabilities, which it does not change; see
        `OnlineStackingClassifier`. In a vote, "balanced" uses thresholds that would have maximized
        the product of sensitivity and specificity on recent rows.
    nominal_features : array-like, optional
        Columns that contain codes of categories, integers from 0 to 65535: indices, or a boolean
        mask. They are passed to all candidates that have such a parameter. A pipeline with a
        `TableEncoder` sets them.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, which multiply the row weights: a dict by label (1 for missing labels), or
        "balanced": n / (k * rows of the class) for n rows and k classes, of the chunk for tables,
        so far in a vote (at most 100). The weights are used in training and in accuracies.
    random_state : int, RandomState instance or None
        Seed from which candidates without a `random_state` get theirs.
    n_jobs : int, optional
        Number of threads in which candidates are trained on tables. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    candidates_ : dict of str to classifier
        The candidates that have not been dropped, by name.
    weights_ : ndarray of shape (n_candidates,)
        Current weights of the candidates.
    members_ : Table
        One row per candidate: ``id``, ``name``, ``accuracy`` (recent), ``weight``, ``best``.
    stacking_ : OnlineStackingClassifier or None
        The classifier for tables; None if candidates vote.
    best_candidate_ : str
        Name of the best candidate.
    leaders_ : Table
        Sequence of best candidates, with the row numbers at which they became the best.
    dropped_ : dict of str to str
        Reasons why candidates were dropped, by name.
    n_members_, n_rows_ : int
        Number of candidates; number of training rows.
    history_ : History
        The weights after each evaluation.
    sets_ : PredictionSets
        What `predict_set` is calibrated with: the predictions of recent rows.

    References
    ----------
    .. [1] N. Littlestone, M. K. Warmuth, "The Weighted Majority Algorithm", Information and
       Computation 108(2), 1994, doi:10.1006/inco.1994.1009 (weights that decrease with mistakes).

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier, NoChangeClassifier
    >>> from driftlearn.streams import SEA
    >>> candidates = {"bayes": GaussianNBClassifier(), "last label": NoChangeClassifier()}
    >>> model = AutoClassifier(candidates)
    >>> for batch in SEA(n_rows=2_000, noise=0.0, random_state=0).chunks(500):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.best_candidate_
    'bayes'
    """

    candidates: Mapping[str, Any] | None = None
    _: KW_ONLY
    chunk_size: int | None = None
    combine: str = "auto"
    window: int = 500
    eval_interval: int = 100
    tolerance: float = 0.02
    drop_threshold: float | None = 0.15
    budget: int = 3
    delay: int = 0
    keep_rows: int = 100_000
    decision: Any = None
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    STATE: ClassVar[dict[str, schema.Field]] = {
        "candidate_list_": schema.list_of(schema.a(Candidate), "candidates"),
        "leader_changes_": schema.list_of(schema.a(tuple)),
        "dropped_": schema.dict_of(schema.word()),
        "history_": schema.a(History),
        "n_rows_": schema.integer(0, MOST_STEPS),
        "waiting_": schema.optional(schema.a(Chunk, n_features="n_features_in_")),
        "thresholds_": schema.newer(schema.a(ClassThresholds)),
        "stacking_": schema.optional(schema.a(OnlineStackingClassifier)),
        "sets_": schema.newer(schema.a(PredictionSets, n_classes="classes")),
    }
    _in_place = True
    _parameter_constraints = {
        **OnlineStackingClassifier._parameter_constraints,
        "combine": [StrOptions({"auto", "stack", "vote", "best"})],
        "window": [Interval(Integral, 1, None, closed="left")],
        "eval_interval": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "drop_threshold": [Interval(Real, 0, None, closed="neither"), None],
    }
    waiting_ = stacking_ = None  # defaults for files of earlier versions

    @property
    def _by_row(self) -> bool:
        if self.__dict__.get("candidate_list_"):
            return self.stacking_ is None
        return not self._stacks(2)

    def _stacks(self, n_rows: int) -> bool:
        """Return whether candidates are to be stacked if the first call has `n_rows`."""
        is_table = n_rows > 1 if self.chunk_size is None else self.chunk_size != 1
        return self.combine == "stack" or (self.combine == "auto" and (is_table or self.delay > 0))

    def _begin(self) -> None:
        self.candidate_list_: list[Candidate] = []
        self.leader_changes_: list[tuple[int, str]] = []
        self.dropped_: dict[str, str] = {}
        self.history_ = History()
        self.n_rows_ = 0
        self.thresholds_ = ClassThresholds(len(self.classes_))
        self.sets_ = PredictionSets(len(self.classes_))
        self.waiting_ = self.stacking_ = None

    def _start(self, n_rows: int) -> None:
        """Create the candidates at the first call."""
        if self.candidate_list_:
            return
        if self._stacks(n_rows):
            params = {name: getattr(self, name) for name in PASSED}
            self.stacking_ = OnlineStackingClassifier(
                self._candidates(n_rows), **params, random_state=self._seed()
            )
            self.stacking_.n_features_in_ = self.n_features_in_
            self.stacking_._meet(self.classes_)
            self._follow(self.stacking_)
        else:
            self.candidate_list_ = new_candidates(
                self._candidates(n_rows), self._seed, self.nominal_features
            )

    def _candidates(self, n_rows: int = 2) -> Mapping[str, Any]:
        if self.candidates is not None:
            return self.candidates
        # With late labels, boosted trees over long windows are more accurate than online learners.
        if (self.chunk_size is None or self.delay > 0) and self._stacks(n_rows):
            return default_table_candidates(self.budget, self.keep_rows)
        return default_candidates(self.chunk_size or 1, self.keep_rows)

    def _widen(self, positions: np.ndarray) -> None:
        self.thresholds_ = self.thresholds_.widened(positions, len(self.classes_))
        if self.stacking_ is not None:
            self.stacking_._meet(self.classes_)
            self.sets_ = self.stacking_.sets_
        else:
            self.sets_ = self.sets_.widened(positions, len(self.classes_))

    def _balanced_codes(self, probas: Floats) -> Ints:
        if self.stacking_ is not None:
            return self.stacking_._balanced_codes(probas)
        return self.thresholds_.codes(probas)

    def _learn(self, chunk: Chunk, scores: np.ndarray | None = None) -> None:
        """Train on single rows, in pieces that end where candidates are evaluated.

        If `scores` is given, it receives the votes on each row before training on the row.
        """
        done = 0
        while done < len(chunk):
            rows = slice(done, done + self.eval_interval - self.n_rows_ % self.eval_interval)
            piece = chunk.at(rows)
            with uninterrupted():
                probas, failed = self._test_then_train_candidates(piece, Candidate.test_then_train)
                votes = self._vote(probas, len(piece))
                if scores is not None:
                    scores[rows] = votes
                self._compare(piece, votes, self.sets_.update_rows)
                self.n_rows_ += len(piece)
                if self.n_rows_ % self.eval_interval == 0:
                    self._evaluate(self.eval_interval)
            done += len(piece)
            warn_of(failed, DROPPED)  # at the end, because a warnings filter may raise

    def _learn_chunk(self, chunk: Chunk, rest: Chunk) -> None:
        """Predict a chunk, then train on it, and buffer the rows after it."""
        with uninterrupted():
            probas, failed = self._test_then_train_candidates(
                chunk, Candidate.test_then_train_chunk
            )
            self._compare(chunk, self._vote(probas, len(chunk)), self.sets_.update)
            self.n_rows_ += len(chunk)
            self.waiting_ = rest.copied() if len(rest) else None
            self._evaluate(len(chunk))
        warn_of(failed, DROPPED)  # at the end, because a warnings filter may raise

    def _test_then_train_candidates(
        self, piece: Chunk, test_then_train: Callable[..., Any]
    ) -> tuple[list[Any], dict[str, str]]:
        """Return the candidates' prequential predictions, and the errors of dropped candidates."""
        w = self._weigh(piece.y, piece.w)
        rows = piece.X, piece.y, w, self.classes_
        try:
            probas, failed = results_of(
                lambda candidate: test_then_train(candidate, *rows), self.candidate_list_
            )
        except BaseException:
            self._uncount(piece.y)
            raise
        self.dropped_ = {**self.dropped_, **failed}
        keep = [k for k, each in enumerate(self.candidate_list_) if each.name not in failed]
        self._select(keep)
        return [probas[k] for k in keep], failed

    def _compare(
        self, piece: Chunk, votes: Floats, update_sets: Callable[[Floats, Ints], None]
    ) -> None:
        """Update thresholds, if the decision needs them, and prediction sets with the votes."""
        probas, tested = normalize(votes), votes.any(axis=1)
        update_sets(probas[tested], piece.y[tested])
        if self.decision == "balanced":
            self.thresholds_ = self.thresholds_.updated(probas, piece.y, piece.w)

    def _evaluate(self, n_rows: int) -> None:
        """Update accuracies and weights, `n_rows` after the last evaluation; drop candidates."""
        size = self.chunk_size or 1
        window = max(self.window, WINDOW_CHUNKS * size * (size > 1))
        for candidate in self.candidate_list_:
            candidate.decay(1.0 - min(1.0, n_rows / window))
        self.thresholds_ = self.thresholds_.decayed(1.0 - min(1.0, n_rows / THRESHOLD_ROWS))
        accuracy = np.array([candidate.accuracy for candidate in self.candidate_list_])
        if np.isnan(accuracy).all():
            return
        behind = np.nanmax(accuracy) - np.where(np.isnan(accuracy), -np.inf, accuracy)
        if self.drop_threshold is not None and self.n_rows_ >= window:
            behind = behind[self._drop_candidates(behind, window)]
        self._choose_leader(behind)
        if self.combine == "best":
            weights = np.array([each.name == self.best_candidate_ for each in self.candidate_list_])
        else:
            weights = np.exp(-behind / self.tolerance)
        for candidate, weight in zip(self.candidate_list_, weights.tolist()):
            candidate.weight = float(weight)
        interval = self.eval_interval if size == 1 else size
        ids = [candidate.id for candidate in self.candidate_list_]
        self.history_.record(-(-self.n_rows_ // interval), ids, self.weights_)

    def _drop_candidates(self, behind: np.ndarray, window: int) -> list[int]:
        """Drop candidates beyond `drop_threshold`; return the positions of the others."""
        tested = np.array([candidate.tested for candidate in self.candidate_list_])
        total = np.array([candidate.total_accuracy for candidate in self.candidate_list_])
        drop = np.minimum(behind, np.nanmax(total) - total) > self.drop_threshold
        drop &= tested >= window / 2  # an accuracy over few rows is too noisy
        drop &= np.argsort(np.argsort(behind, kind="stable")) >= MIN_CANDIDATES
        for k in np.flatnonzero(drop):
            self.dropped_[self.candidate_list_[k].name] = (
                f"accuracy {behind[k]:.3f} below the best one after {self.n_rows_} rows"
            )
        keep: list[int] = np.flatnonzero(~drop).tolist()
        self._select(keep)
        return keep

    def _choose_leader(self, behind: np.ndarray) -> None:
        """Make a candidate the leader if it is better by more than `tolerance`."""
        names = [candidate.name for candidate in self.candidate_list_]
        best = int(behind.argmin())
        leader = self.leader_changes_[-1][1] if self.leader_changes_ else None
        if leader not in names or behind[names.index(leader)] - behind[best] > self.tolerance:
            self.leader_changes_ = [*self.leader_changes_, (self.n_rows_, names[best])]

    def _select(self, positions: list[int]) -> None:
        """Keep the candidates at these positions; if all their weights are 0, set them to 1."""
        if len(positions) < len(self.candidate_list_):
            self.candidate_list_ = [self.candidate_list_[k] for k in positions]
            if not any(candidate.weight for candidate in self.candidate_list_):
                for candidate in self.candidate_list_:
                    candidate.weight = 1.0

    def _vote(self, probas: Sequence[np.ndarray | None], n_rows: int) -> np.ndarray:
        """Return the weighted sum of the candidates' probabilities; abstentions count as zero."""
        votes = np.zeros((n_rows, len(self.classes_)))
        for candidate, found in zip(self.candidate_list_, probas):
            if candidate.weight > 0.0 and found is not None:
                votes += candidate.weight * np.where(np.isnan(found), 0.0, found)
        return votes

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if self.stacking_ is not None:
            return self.stacking_._scores(X)
        probas, failed = results_of(
            lambda each: each.predict_proba(X, self.classes_), self.candidate_list_
        )
        warn_of(failed, ABSTAINS)
        return self._vote(probas, len(X))

    def flush(self) -> AutoClassifier:
        """Train on the buffered rows of an incomplete chunk; return self."""
        with self._locked():
            waiting: Chunk | None = getattr(self, "waiting_", None)
            if waiting is not None:
                self._receive(waiting.at(slice(0)).with_classes(self.classes_), finish=True)
        return self

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        self._start(len(chunk))
        if self.stacking_ is not None:
            return self._stack(self.stacking_, chunk, finish)
        size = self.chunk_size or 1
        if size == 1 and self.waiting_ is None:
            return super()._receive(chunk, finish, **how)
        if self.waiting_ is not None:
            chunk = self.waiting_.with_classes(chunk.classes).then(chunk)
        while len(chunk) >= size or (finish and len(chunk)):
            piece, chunk = chunk.at(slice(size)), chunk.at(slice(size, None))
            self._learn_chunk(piece, chunk)
        self.waiting_ = chunk.copied() if len(chunk) else None

    def _stack(self, stacking: OnlineStackingClassifier, chunk: Chunk, finish: bool) -> None:
        """Train the stacked candidates on rows of a table."""
        stacking.set_params(**{name: getattr(self, name) for name in CHANGEABLE})
        try:
            stacking._receive(chunk, finish, follow=self._follow)
        finally:
            self.waiting_ = stacking.waiting_

    def _follow(self, stacking: OnlineStackingClassifier) -> None:
        """Adopt what the stacked candidates have learned."""
        self.n_rows_ = stacking.n_rows_
        self.dropped_, self.history_ = stacking.dropped_, stacking.history_
        self.sets_ = stacking.sets_
        self.candidate_list_ = stacking.candidate_list_
        leader = self.leader_changes_[-1][1] if self.leader_changes_ else None
        if stacking.step_ and stacking.best_candidate_ != leader:
            change = self.n_rows_, stacking.best_candidate_
            self.leader_changes_ = [*self.leader_changes_, change]

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        self._start(1)
        if self.stacking_ is not None or (self.chunk_size or 1) > 1:
            return test_then_train_chunks(self, chunk, probas)
        self._receive(chunk, False, scores=probas)
        probas[:] = normalize(probas)

    def expected_performance(self, X: Any) -> dict[str, Any]:
        """Return the accuracy, log loss and AUC that are expected for rows without labels.

        See `OnlineStackingClassifier.expected_performance`. Only for tables: votes are not
        calibrated.
        """
        self._check_fitted()
        if self.stacking_ is None:
            raise ValueError(
                "expected_performance requires calibrated probabilities, which votes are not. "
                "Train on tables, or set combine='stack'."
            )
        return self.stacking_.expected_performance(X)

    @property
    def members_(self) -> Table:
        """Table with one row per candidate, by weight: id, name, recent accuracy, weight, best."""
        with self._locked():
            self._check_fitted()
            if self.stacking_ is not None:
                return self.stacking_.members_
            candidates, best = self.candidate_list_, self.best_candidate_
            names = "id", "name", "accuracy", "weight"
            columns = {name: [getattr(each, name) for each in candidates] for name in names}
            best_ones = [each.name == best for each in candidates]
            return Table({**columns, "best": best_ones}).sort("weight", descending=True)

    @property
    def n_members_(self) -> int:
        """Number of candidates that have not been dropped."""
        self._check_fitted()
        return len(self.candidate_list_)

    @property
    def candidates_(self) -> dict[str, Any]:
        """The candidates that have not been dropped, by name."""
        self._check_fitted()
        return {candidate.name: candidate.classifier for candidate in self.candidate_list_}

    @property
    def weights_(self) -> np.ndarray:
        """Current weights of the candidates."""
        self._check_fitted()
        if self.stacking_ is not None:
            return self.stacking_.weights_
        return np.array([candidate.weight for candidate in self.candidate_list_])

    @property
    def best_candidate_(self) -> str:
        """Name of the best candidate; before the first evaluation, name of the first candidate."""
        self._check_fitted()
        if self.stacking_ is not None:
            return self.stacking_.best_candidate_
        names = [candidate.name for candidate in self.candidate_list_]
        leader = self.leader_changes_[-1][1] if self.leader_changes_ else None
        return leader if leader in names else names[int(self.weights_.argmax())]

    @property
    def leaders_(self) -> Table:
        """Sequence of best candidates, with the row numbers at which they became the best."""
        self._check_fitted()
        rows, names = ([each[k] for each in self.leader_changes_] for k in (0, 1))
        return Table({"row": rows, "leader": names})

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "n_rows_", 0) > 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state, possibly from a version without thresholds."""
        super().__setstate__(state)
        if "classes_" in state:
            self.__dict__.setdefault("thresholds_", ClassThresholds(len(self.classes_)))
            if self.stacking_ is not None:
                self.sets_ = self.stacking_.sets_

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless candidates, buffered rows and leaders fit the learner."""
        candidates = state.get("candidate_list_", [None])
        if not candidates:
            raise schema.InvalidStateError(
                "'candidate_list_' is empty; it must have at least one candidate"
            )
        for candidate in filter(None, candidates):
            classes = getattr(candidate.classifier, "classes_", ())
            if not np.isin(classes, state["classes_"]).all():
                raise schema.InvalidStateError(f"candidate {candidate.name!r} has unknown classes")
        for each in state.get("leader_changes_", ()):
            if len(each) != 2 or type(each[0]) is not int or type(each[1]) is not str:
                raise schema.InvalidStateError(
                    "each entry of 'leader_changes_' must be a row number and a name"
                )
