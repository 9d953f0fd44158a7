"""Online stacking: probabilities of candidates, combined by how good they were when predicted.

The weights of the candidates are fitted in `stacking_weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from driftlearn.base._probabilities import normalize
from driftlearn.base.chunk import Chunk
from driftlearn.base.chunked import ChunkedClassifier
from driftlearn.base.nominal_features import HasNominalFeatures
from driftlearn.base.threads import N_JOBS, n_threads
from driftlearn.base.validation import validate_rows
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
from driftlearn.model_selection.class_frequencies import ClassFrequencies
from driftlearn.model_selection.decision import Decision
from driftlearn.model_selection.defaults import BUDGETS, default_table_candidates
from driftlearn.model_selection.expected_performance import PerformanceRecord
from driftlearn.model_selection.nested_params import NestedParams
from driftlearn.model_selection.prediction_sets import PredictionSets, PredictsSets
from driftlearn.model_selection.stacking_weights import (
    FEWEST_CHUNKS,
    SMALLEST,
    Combination,
    LabeledPredictions,
)
from driftlearn.utils.arguments import Floats, Ints, Self
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import Table

MOST_CHUNKS = 10_000  # maximum of `delay` and `window`
FREQUENCIES = "class frequencies"  # name of the candidate that is always added


@dataclass(eq=False, repr=False)
class OnlineStackingClassifier(
    HasNominalFeatures, ChunkedClassifier, Decision, PredictsSets, NestedParams
):
    """Online stacking: candidates of several kinds, combined by an online logistic regression.

    Use it for a table a day or a week. Each table is predicted as a whole, then its labels become
    known and all candidates are trained on it. The default candidates are boosted trees over
    several windows, a logistic regression, and online learners; some are best when the world
    changes, others when it does not. How they are combined is learned from the probabilities that
    they predicted before they knew the labels: by logistic regressions with a short and a long
    memory [1]_, and by fixed share [2]_. The combined probabilities are therefore calibrated.

    Parameters
    ----------
    candidates : dict of str to classifier, optional
        Candidate classifiers by name. Each needs `partial_fit`; `RefitClassifier` gives it to any
        classifier. The default depends on `budget` and `keep_rows`; see
        `driftlearn.model_selection.default_table_candidates`. Nested parameters are set as
        ``candidates__<name>__<parameter>``.
    budget : {1, 2, 3, 5}, default=3
        Approximate training time of the default candidates, in multiples of the time in which
        LightGBM is retrained every seven tables.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` call is a chunk, and `fit` splits a
        table of 2,500 rows or more into 5 to 20 chunks.
    delay : int, default=0
        Number of chunks by which labels are late: 0 if the labels of a chunk are known before the
        next chunk is predicted. Candidates are evaluated on what they predicted then.
    window : int, default=56
        Number of chunks whose predictions the logistic regressions are fitted to; at least 3.
    decays : sequence of float, default=(0.9, 0.97)
        Memories of the logistic regressions: the factor by which a chunk counts less with every
        later chunk.
    keep_rows : int, default=100_000
        Maximum number of rows that each default candidate stores to be retrained on. With 0, the
        default candidates store models only.
    decision : {"balanced"}, dict or None, default=None
        How labels follow from probabilities, which it does not change. By default the most probable
        class is predicted. "balanced" divides the probabilities by the recent class frequencies,
        so that rare classes are predicted more often. A dict holds costs of errors, 1 for those
        not listed: by label, or by pair of a true and a predicted label, which has priority.
    nominal_features : array-like, optional
        Columns that contain codes of categories, integers from 0 to 65535: indices, or a boolean
        mask. They are passed to all candidates that have such a parameter. A pipeline with a
        `TableEncoder` sets them.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied, in training and in the combination. A
        dict maps labels to weights; other classes have weight 1. "balanced" uses
        n / (k * rows of the class), with the n rows and k classes of a chunk.
    random_state : int, RandomState instance or None
        Seed from which candidates without a `random_state` get theirs.
    n_jobs : int, optional
        Number of threads in which candidates are trained. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    candidates_ : dict of str to classifier
        The trained candidates by name. The last one predicts the recent class frequencies.
    members_ : Table
        One row per candidate: ``id``, ``name``, ``accuracy`` (recent), ``weight``, ``best``.
    weights_ : ndarray of shape (n_candidates,)
        Weights of the candidates' log-probabilities.
    best_candidate_ : str
        Name of the candidate with the highest weight.
    dropped_ : dict of str to str
        Errors of candidates that failed in training and were dropped, by name.
    seen_ : ndarray of int
        Codes of the classes that occurred; others were only announced.
    step_, n_rows_ : int
        Number of chunks and number of rows trained on.
    history_ : History
        The weights after each chunk.
    sets_ : PredictionSets
        What `predict_set` is calibrated with: the predictions of recent rows.
    performance_ : PerformanceRecord
        Estimates of `expected_performance` for the last 60 chunks, beside the truths.

    See Also
    --------
    driftlearn.AutoClassifier : Uses this class for tables, and votes for single rows.

    References
    ----------
    .. [1] D. H. Wolpert, "Stacked Generalization", Neural Networks 5(2), 1992,
       doi:10.1016/S0893-6080(05)80023-1.
    .. [2] M. Herbster, M. K. Warmuth, "Tracking the Best Expert", Machine Learning 32(2), 1998,
       doi:10.1023/A:1007424614876.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier, MajorityClassifier
    >>> from driftlearn.streams import SEA
    >>> candidates = {"bayes": GaussianNBClassifier(), "majority": MajorityClassifier()}
    >>> model = OnlineStackingClassifier(candidates)
    >>> for batch in SEA(n_rows=5_000, noise=0.0, random_state=0).chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.best_candidate_
    'bayes'
    """

    candidates: Mapping[str, Any] | None = None
    _: KW_ONLY
    budget: int = 3
    chunk_size: int | None = None
    delay: int = 0
    window: int = 56
    decays: Sequence[float] = (0.9, 0.97)
    keep_rows: int = 100_000
    decision: Any = None
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    STATE: ClassVar[dict[str, schema.Field]] = {
        "versions_": schema.list_of(schema.list_of(schema.a(Candidate))),
        "seen_": schema.integers("seen", least=0, below="classes"),
        "combination_": schema.a(Combination, n_classes="seen"),
        "dropped_": schema.dict_of(schema.word()),
        "history_": schema.a(History),
        "step_": schema.integer(0, MOST_STEPS),
        "n_rows_": schema.integer(0, MOST_STEPS),
        "sets_": schema.newer(schema.a(PredictionSets, n_classes="classes")),
        "performance_": schema.newer(schema.a(PerformanceRecord)),
    }
    _parameter_constraints = {
        "candidates": [dict, None],
        "budget": [Options(Integral, set(BUDGETS))],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "delay": [Interval(Integral, 0, MOST_CHUNKS, closed="both")],
        "window": [Interval(Integral, FEWEST_CHUNKS, MOST_CHUNKS, closed="both")],
        "decays": ["array-like"],
        "keep_rows": [Interval(Integral, 0, None, closed="left")],
        "decision": [StrOptions({"balanced"}), dict, None],
        "nominal_features": ["array-like", None],
        "n_jobs": N_JOBS,
    }

    _in_place = True

    def _begin(self) -> None:
        super()._begin()
        if FREQUENCIES in self._candidates():
            raise ValueError(
                f"{type(self).__name__}: {FREQUENCIES!r} in 'candidates' is the name of the "
                "candidate that is always added. Use another name."
            )
        fresh = new_candidates(
            {**self._candidates(), FREQUENCIES: ClassFrequencies(self.window)},
            self._seed,
            self.nominal_features,
        )
        self.versions_ = [fresh] * (self.delay + 1)
        self.seen_ = np.zeros(0, dtype=np.intp)
        self.combination_ = Combination(len(fresh), 0, self.window, self.decays)
        self.dropped_: dict[str, str] = {}
        self.history_ = History()
        self.n_rows_ = 0
        self.sets_ = PredictionSets(len(self.classes_))
        self.performance_ = PerformanceRecord()

    def _candidates(self) -> Mapping[str, Any]:
        return self.candidates or default_table_candidates(self.budget, self.keep_rows)

    def _widen(self, positions: np.ndarray) -> None:
        self.seen_ = positions[self.seen_]
        self._predicted: list[Any] = []
        self.sets_ = self.sets_.widened(positions, len(self.classes_))

    def _see(self, codes: np.ndarray) -> None:
        """Extend the classes that occurred; results do not depend on when others are announced."""
        seen = np.union1d(self.seen_, codes)
        if len(seen) > len(self.seen_):
            positions = np.searchsorted(seen, self.seen_)
            self.seen_ = seen
            self.combination_ = self.combination_.widened(positions, len(seen))

    @property
    def _by_row(self) -> bool:
        return False

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        """Train on a validated chunk; if nothing is learned, rows buffered earlier stay so."""
        n_rows, waiting = self.n_rows_, self.waiting_
        try:
            super()._receive(chunk, finish, **how)
        except BaseException:
            if self.n_rows_ == n_rows:
                self.waiting_ = waiting
            raise

    def _step(self, chunk: Chunk, follow: Callable[[Self], None] | None = None, **how: Any) -> None:
        """Train on a chunk, which counts only if it is learned; then call `follow`."""
        n_rows = self.n_rows_
        with uninterrupted():
            try:
                super()._step(chunk, **how)
            finally:  # a warnings filter may raise after the chunk is learned
                if self.n_rows_ == n_rows:
                    self.step_ -= 1
                elif follow is not None:
                    follow(self)

    def _learn(self, chunk: Chunk) -> None:
        """Compare what was predicted with the labels, then train all candidates on a chunk."""
        with uninterrupted():
            self._see(chunk.present)
            y, w = np.searchsorted(self.seen_, chunk.y), chunk.w
            probas = [p[:, self.seen_] for p in self._probas_of(self.versions_[0], chunk.X)]
            combined = normalize(self._of_all_classes(self.combination_.probas(probas)))
            combination = self.combination_.updated(LabeledPredictions.of(probas, y, w))
            # Copying costs more than training: only versions that are needed later are copied.
            deep = len(self.versions_) > 1
            candidates = [each.copied(deep) for each in self.candidate_list_]
            for candidate, found in zip(candidates, probas):
                candidate.score(found, y, w)
                candidate.decay(1.0 - 1.0 / self.window)
            *others, frequencies = candidates
            _, failed = results_of(
                lambda each: each.train(chunk.X, chunk.y, w, self.classes_),
                others,
                n_threads(self.n_jobs),
            )
            frequencies.train(chunk.X, chunk.y, w, self.classes_)
            self.versions_ = [*self.versions_[1:], candidates]
            self.combination_ = combination
            if self.step_ > self.delay + 1:  # earlier chunks were predicted by untrained candidates
                self.sets_.update(combined, chunk.y, self.delay)
                self.performance_.update(chunk.X, combined[:, self.seen_], probas[:-1], y)
            self._drop(failed)
            self.n_rows_ += len(chunk)
            ids = [each.id for each in self.candidate_list_]
            self.history_.record(self.step_, ids, self.weights_)
            self._predicted = []
        warn_of(failed, DROPPED)  # at the end, because a warnings filter may raise

    def _drop(self, failed: dict[str, str]) -> None:
        """Drop candidates whose training failed."""
        if not failed:
            return
        members = [each.name for each in self.versions_[-1]]
        kept = [k for k, name in enumerate(members) if name not in failed]
        self.versions_ = [[version[k] for k in kept] for version in self.versions_]
        self.combination_ = self.combination_.selected(kept)
        self.dropped_ = {**self.dropped_, **failed}

    def _probas_of(self, candidates: list[Candidate], X: np.ndarray) -> list[Floats]:
        """Return the candidates' probabilities of all classes.

        Where a candidate is untrained, fails or abstains, the class frequencies replace it.
        """
        last = self.__dict__.get("_predicted")  # not saved
        if last and last[0] is candidates:
            _, rows, probas = last
            if np.array_equal(rows, X, equal_nan=True):
                return probas
        results, failed = results_of(
            lambda each: each.predict_if_trained(X, self.classes_), candidates
        )
        warn_of(failed, ABSTAINS)
        shares = results[-1]
        if shares is None:
            shares = np.full((len(X), len(self.classes_)), 1.0 / len(self.seen_))
        results = [shares if found is None else found for found in results]
        return [np.where(np.isnan(p), shares, p) for p in results]

    def _balanced_codes(self, probas: Floats) -> Ints:
        X = np.zeros((1, self.n_features_in_))
        frequencies = self._probas_of(self.candidate_list_[-1:], X)[-1]
        codes: Ints = (probas / self._of_all_classes(frequencies[0, self.seen_])).argmax(axis=1)
        return codes

    def _scores(self, X: np.ndarray) -> np.ndarray:
        probas = self._probas_of(self.candidate_list_, X)
        # The next chunk usually has these rows: their predictions are needed again.
        if "_predicted" in self.__dict__:
            self._predicted[:] = self.candidate_list_, X.copy(), probas
        return self._of_all_classes(self.combination_.probas([p[:, self.seen_] for p in probas]))

    def _of_all_classes(self, probas: Floats) -> Floats:
        """Return probabilities of all known classes; those that never occurred are improbable."""
        wide = np.full((*probas.shape[:-1], len(self.classes_)), SMALLEST)
        wide[..., self.seen_] = probas
        return wide

    def expected_performance(self, X: Any) -> dict[str, Any]:
        """Return the accuracy, log loss and AUC that are expected for rows without labels.

        The estimates follow from the predicted probabilities and from the disagreement of the
        candidates; both are compared with the truths of earlier chunks, and so are the intervals,
        which are wider if features have shifted. A change that affects neither features nor
        disagreement, such as labels that mean something else from now on, cannot be seen without
        labels. The accuracy is that of the most probable label, whatever the `decision`.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows of a chunk; of a few rows, hardly anything is known.

        Returns
        -------
        dict
            ``rows``; for ``accuracy``, ``log loss`` and ``auc`` the ``expected`` value and its
            ``interval`` (None before five chunks), which holds 90 % of the errors of earlier
            estimates; ``disagreement``, the share of the candidates' predictions that differ from
            the model's; ``wider by drift``, the factor by which a shift of features widened the
            intervals. ``performance_.table()`` has earlier estimates beside the truths.
        """
        with self._locked():
            probas, _ = self._proba_with_classes(X)
            X = validate_rows(self, X)
            members = [p[:, self.seen_] for p in self._probas_of(self.candidate_list_, X)]
            return self.performance_.estimate(X, probas[:, self.seen_], members[:-1])

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state, possibly from a version without expected performance."""
        super().__setstate__(state)
        if "classes_" in state:
            self.__dict__.setdefault("performance_", PerformanceRecord())

    @property
    def candidate_list_(self) -> list[Candidate]:
        """The trained candidates."""
        return self.versions_[-1]

    @property
    def candidates_(self) -> dict[str, Any]:
        """The trained candidates by name."""
        self._check_fitted()
        return {each.name: each.classifier for each in self.candidate_list_}

    @property
    def weights_(self) -> np.ndarray:
        """Weights of the candidates' log-probabilities."""
        self._check_fitted()
        return self.combination_.weights

    @property
    def best_candidate_(self) -> str:
        """Name of the candidate with the highest weight."""
        best = int(self.weights_[:-1].argmax())
        return self.candidate_list_[best].name

    @property
    def n_members_(self) -> int:
        """Number of candidates that have not been dropped."""
        self._check_fitted()
        return len(self.candidate_list_)

    @property
    def members_(self) -> Table:
        """Table with one row per candidate, by weight: id, name, recent accuracy, weight, best."""
        with self._locked():
            best, candidates = self.best_candidate_, self.candidate_list_
            names = "id", "name", "accuracy"
            columns = {name: [getattr(each, name) for each in candidates] for name in names}
            best_ones = [each.name == best for each in candidates]
            weights = self.weights_.tolist()
            return Table({**columns, "weight": weights, "best": best_ones}).sort(
                "weight", descending=True
            )

    def _validate_params(self) -> None:
        super()._validate_params()
        decays = np.asarray(self.decays, dtype=float)
        if decays.ndim != 1 or not len(decays) or not ((decays > 0) & (decays <= 1)).all():
            raise ValueError(
                "decays must be numbers above 0 and at most 1, at least one. "
                f"Got {self.decays!r} instead."
            )

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless all versions have the members of the combination."""
        if "versions_" not in state:
            return
        names = {tuple(each.name for each in version) for version in state["versions_"]}
        n_members = state["combination_"].n_members
        if len(names) != 1 or {len(each) for each in names} != {n_members}:
            raise schema.InvalidStateError("versions have other candidates than the combination")
        for candidate in state["versions_"][-1]:
            classes = getattr(candidate.classifier, "classes_", ())
            if not np.isin(classes, state["classes_"]).all():
                raise schema.InvalidStateError(f"candidate {candidate.name!r} has unknown classes")
