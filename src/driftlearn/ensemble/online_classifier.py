"""Base class of ensembles that are trained row by row."""

from functools import cache
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn.base._online_model import OnlineModel
from driftlearn.base._probabilities import check_scores, normalize
from driftlearn.base.chunk import Chunk
from driftlearn.base.external_model import ClassBook, ExternalModel
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import n_threads
from driftlearn.base.validation import check_labels, check_sample_weight, takes_missing
from driftlearn.ensemble._online_committee import OnlineCommittee
from driftlearn.ensemble._stopped import Stopped, not_learned
from driftlearn.ensemble._thread_pool import COMPILED, thread_pool
from driftlearn.ensemble.committee import HasCommittee, check_members
from driftlearn.ensemble.history import History
from driftlearn.io.schema import Field, InvalidStateError, a
from driftlearn.tables.passthrough import (
    PassthroughRows,
    passthrough,
    rows_at_once,
    takes_sparse,
    wanted,
)
from driftlearn.tree.hoeffding_tree import quick_tree
from driftlearn.utils.arguments import Self, unwritten
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import Table

# parameters that are not passed to engines
OWN = "estimator", "online", "nominal_features", "class_weight", "random_state", "n_jobs"
RECORDED_EVERY = 200  # initial number of rows between entries of the history
MAX_ROWS = 2048  # rows per call of the loop, which limits the memory for random numbers
MIN_WORK = 500  # in rows times members: with less work, starting threads takes longer than training


class OnlineClassifier(HasCommittee, StreamClassifier):
    """Base class of ensembles that are trained row by row.

    The members are in ``committee_``, an `OnlineCommittee` of models of the base learner:
    driftlearn's own models are compiled, and any other classifier with `partial_fit` is wrapped. A
    subclass has the parameters `estimator`, `n_estimators` and `random_state`, and optionally
    `class_weight`, which is then included in the row weights `w`. It implements

    * ``_begin()``: call ``super()._begin()``, which creates an empty committee, and add members
      created by ``self._new_model()``;
    * ``_learn_one(X, i, y, w)``: train on row `i` of `X`, with class code `y` and weight `w`, using
      the methods of the committee. All random numbers must be drawn from ``self.rng_``;
    * ``_scores(X)``, if votes are not weighted by the column ``"weight"``.

    One call with n rows and n calls with one row then give bit-identical results, and new classes
    may appear in any call. This class handles members, history and model files. An ensemble with a
    compiled loop stores it in ``engine_``, an object with the methods ``scores``, ``describe`` and
    ``widen`` of a committee, and overrides ``_learn_rows(X, y, w, scores=None)`` to train on many
    rows at once; `scores`, if given, is filled with the ``_scores`` of each row before training on
    it. (Without this parameter, `test_then_train` processes rows one at a time.)

    A learner without members has none of the three parameters. It initializes its state in
    ``_begin()`` after ``super()._begin()``, declares it in ``STATE``, and implements
    ``_scores(X)``; its committee stays empty and counts the rows.

    A learner that supports two classes only sets ``_two_classes = True``. A learner that passes
    rows only to its models sets ``_only_members_use_rows = True``: external base learners then get
    data frames or sparse matrices as passed by the user.

    If training a member fails during a call, the preceding rows remain trained on and the error
    names the failing row; members trained before the failing member have also been trained on that
    row.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "committee_": a(OnlineCommittee),
        "class_book_": a(ClassBook),
        "history_": a(History),
    }
    _in_place = True
    _tests_every_row = True
    _only_members_use_rows = False
    _two_classes = False
    _columns: ClassVar[tuple[str, ...]] = ("weight", "error")
    _parameter_constraints: dict[str, list[Any]] = {
        "estimator": [HasMethods(["partial_fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
    }

    n_estimators: Any
    n_jobs: int | None = None  # default for learners without this parameter
    committee_: OnlineCommittee  # type: ignore[assignment]
    engine_: Any

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless committee, engine and labels match."""
        committee = state.get("committee_")
        if committee is None:
            return
        check_members(committee, state)
        if "engine_" in state and state["engine_"].committee is not committee:
            raise InvalidStateError("the engine and its learner have different committees")
        alone = "engine_" not in state and isinstance(committee, OnlineCommittee)
        if alone and not {"weight", "error"} <= {*committee.columns}:
            raise InvalidStateError("the committee must have the columns weight and error")
        if not np.array_equal(state["class_book_"].labels, state["classes_"]):
            raise InvalidStateError("the class book and the learner have different classes")

    @property
    def members_(self) -> Table:
        """One row per member: id, row of creation, weight, error, classes, size, bytes.

        ``size`` is the number of nodes and ``bytes`` the memory of models that grow, such as trees.
        """
        with self._locked():
            self._check_fitted()
            columns, classes = self._voters.describe(), self.classes_
        trained_on = np.asarray(columns["classes"], dtype=bool)
        return Table({**columns, "classes": [classes[row].tolist() for row in trained_on]})

    @property
    def n_rows_(self) -> int:
        """Number of rows trained on so far."""
        self._check_fitted()
        return int(self.committee_.n_rows)

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, compiled or external; None for external models not yet trained."""
        self._check_fitted()
        return [getattr(model, "model", model) for model in self.committee_.models]

    @property
    def _for_two(self) -> str:
        """Name of the learner if it supports two classes only; otherwise an empty string."""
        return type(self).__name__ if self._two_classes else ""

    def _check_number(self, classes: np.ndarray) -> None:
        super()._check_number(classes)
        if self._for_two and len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"there are {len(classes)} classes, beginning with {classes[:3].tolist()}, and "
                f"{self._for_two} supports only two."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._for_two
        bases = self._base_learners()
        tags.input_tags.sparse = self._passes_rows() and all(map(takes_sparse, bases))
        return tags

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        raise unwritten(
            self, "_learn_one(X, i, y, w)", "train on row i of X, which has class code y"
        )

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        """Train on rows in order; ``committee_.n_rows`` is incremented after each row."""
        committee = self.committee_
        for i, (code, weight) in enumerate(zip(y.tolist(), w.tolist())):
            committee.observe_class(code)
            self._learn_one(X, i, code, weight)
            committee.n_rows += 1

    def _default_base_learner(self) -> Any:
        return quick_tree()

    def _base_learners(self) -> list[Any]:
        """Return all base learners; subclasses with several base learners override this."""
        return [self._base_learner()]

    def _takes_missing(self) -> bool:
        """Return whether all base learners accept missing values; False if there are no members."""
        with_members = "estimator" in self.__dict__ or "estimators" in self.__dict__
        return with_members and all(map(takes_missing, self._base_learners()))

    def _passes_rows(self) -> bool:
        """Return whether members may get data frames and sparse matrices as passed to `fit`."""
        ours = [isinstance(base, StreamClassifier) for base in self._base_learners()]
        return self._only_members_use_rows and not any(ours)

    def _passthrough(self, X: Any, *y: Any, reset: bool) -> Any:
        bases = self._base_learners() if self._passes_rows() else []
        if not bases or not all(wanted(base, X) for base in bases):
            return None
        return passthrough(self, bases[0], X, *y, reset=reset)

    def _new_model(self, seed: int | None = None) -> OnlineModel:
        """Return an untrained model of the base learner, seeded from ``rng_``."""
        return self._model_of(self._base_learner(), seed)

    def _model_of(
        self,
        base: Any,
        seed: int | None = None,
        book: ClassBook | None = None,
        n_features: int | None = None,
    ) -> OnlineModel:
        """Return an untrained model of `base`, by default for all classes and features."""
        seed = self._seed() if seed is None else seed
        book = self.class_book_ if book is None else book
        n_features = self.n_features_in_ if n_features is None else n_features
        if isinstance(base, OneModelClassifier):
            return base._make(n_features, len(book.labels), seed)
        return ExternalModel(base, seed, n_features, book)

    def _options(self) -> dict[str, Any]:
        """Return the parameters for the engine as a dict."""
        params = self.get_params(deep=False)
        return {name: params[name] for name in params if name not in OWN}

    def _new_committee(self, *columns: str) -> OnlineCommittee:
        """Return an empty committee with these columns."""
        return OnlineCommittee(self.n_features_in_, len(self.classes_), columns)

    def _begin(self) -> None:
        for base in self._base_learners():
            if isinstance(base, StreamClassifier):
                base._validate_params()
        for base in (*self._base_learners(), getattr(self, "estimator", None)):
            if isinstance(base, StreamClassifier) and base.class_weight is not None:
                raise ValueError(
                    f"class_weight of the base learner {type(base).__name__} has no effect in an "
                    "ensemble that is trained row by row: set it on the ensemble"
                )
        self.history_ = History()
        self.history_.stride = RECORDED_EVERY
        self.class_book_ = ClassBook(self.classes_)
        self.committee_ = self._new_committee(*self._columns)

    def _widen(self, positions: np.ndarray) -> None:
        self._voters.widen(positions, len(self.classes_))
        self.class_book_.labels = self.classes_

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._voters.scores(X)

    def _n_threads(self, n_rows: int) -> int:
        """Return the number of threads for training on this number of rows; 1 for few rows."""
        m = len(self.committee_)
        return min(n_threads(self.n_jobs), m) if COMPILED and n_rows * m >= MIN_WORK else 1

    def _probas(self, X: Any) -> np.ndarray:
        if not isinstance(X, PassthroughRows):
            return super()._probas(X)
        probas = np.empty((len(X), len(self.classes_)))
        size = rows_at_once(X, MAX_ROWS)
        for k in range(0, len(X), size):
            with self.class_book_.as_arrays(X[k : k + size]) as rows:
                probas[k : k + size] = super()._probas(rows)
        return probas

    @property
    def _voters(self) -> Any:
        """The object that computes scores and describes members: the engine or the committee."""
        return getattr(self, "engine_", self.committee_)

    def _weights_now(self) -> tuple[Any, Any]:
        """Return the ids and voting weights of the members, for the history."""
        now = self._voters.describe()
        return now["id"], now["weight"]

    def _check_features(self, X: np.ndarray) -> None:
        bases = self.__dict__.get("_bases")
        if bases is None:
            bases = self.__dict__["_bases"] = self._base_learners()
        for base in bases:
            if isinstance(base, StreamClassifier):
                base._check_features(X)

    def _check_params(self) -> None:
        super()._check_params()
        self.__dict__.pop("_bases", None)

    def _learn(self, chunk: Chunk, scores: np.ndarray | None = None) -> None:
        """Train on rows in pieces that end at the rows where the history is recorded.

        Pieces depend only on the number of rows so far, not on how rows are split into calls. If
        `scores` is given, the scores of each row before training on it are written to it.
        """
        before, n = self.n_rows_, len(chunk)
        done = stop = 0
        try:
            while done < n:
                to_mark = self.history_.stride - (before + done) % self.history_.stride
                stop = min(n, done + rows_at_once(chunk.X, MAX_ROWS), done + to_mark)
                piece = chunk if stop - done == n else chunk.at(slice(done, stop))
                with self.class_book_.as_arrays(piece.X) as X:
                    out = None if scores is None else scores[done:stop]
                    self._learn_piece(X, piece.y, piece.w, out)
                done = stop
        except Exception as problem:
            learned = self.n_rows_ - before
            self._uncount(chunk.y[learned:stop])
            raise Stopped(learned) from problem

    def _learn_piece(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        """Train on a piece, uninterrupted by Ctrl-C, and record the weights in the history."""
        with uninterrupted():
            w = self._weigh(y, w)
            if scores is None:
                self._learn_rows(X, y, w)
            elif self._loop_tests():
                learn: Any = self._learn_rows
                learn(X, y, w, scores=scores)
            else:
                self._test_and_learn_rows(X, y, w, scores)
            n_rows = self.n_rows_
            if n_rows % self.history_.stride == 0:
                self.history_.record(n_rows, *self._weights_now())

    def _test_and_learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray
    ) -> None:
        for i in range(len(X)):
            row = slice(i, i + 1)
            scores[row] = check_scores(self, X[row], self._scores(X[row]), "_scores")
            self._learn_rows(X[row], y[row], w[row])

    @classmethod
    @cache
    def _loop_tests(cls) -> bool:
        """Return whether `_learn_rows` has the parameter `scores`."""
        return "scores" in signature(cls._learn_rows).parameters

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        n = self._n_threads(len(chunk))
        if n == 1:
            return super()._receive(chunk, finish, **how)
        with thread_pool(n - 1) as self.engine_.thread_pool:
            try:
                super()._receive(chunk, finish, **how)
            finally:
                self.engine_.thread_pool = None

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        self._receive(chunk, False, scores=probas)
        probas[:] = normalize(probas)

    def _test_then_train(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
    ) -> np.ma.MaskedArray:
        with self._locked():
            before = self.n_rows_ if self.__sklearn_is_fitted__() else 0
            try:
                return super()._test_then_train(X, y, classes, sample_weight, proba)
            except Stopped as stopped:
                raise not_learned(
                    self.n_rows_ - before, y, sample_weight, stopped.__cause__
                ) from stopped.__cause__

    def _absorb(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, fit: bool, **how: Any
    ) -> Self:
        """Declare the labels in `classes` to the models; `fit` declares those in `y`."""
        if fit and y is not None:
            classes = y
        try:
            return super()._absorb(X, y, classes, sample_weight, fit, **how)
        except Stopped as stopped:
            problem = stopped.__cause__
            raise not_learned(stopped.args[0], y, sample_weight, problem) from problem

    def _learn_row(self, X: np.ndarray, code: int) -> None:
        y, before, kind = np.array([code]), self.n_rows_, type(self)
        usual = OnlineClassifier._receive, OnlineClassifier._learn
        try:
            if (kind._receive, kind._learn) == usual and self._n_threads(1) == 1:
                self._learn_piece(X, y, check_sample_weight(None, 1))
            else:
                super()._learn_row(X, code)
        except Exception as problem:
            cause = problem.__cause__ if isinstance(problem, Stopped) else problem
            raise not_learned(self.n_rows_ - before, y, None, cause) from cause

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        chunk = super()._validated(X, y, classes, sample_weight, start)
        if classes is not None:
            self._announce(check_labels(classes))
        return chunk

    def _announce(self, labels: np.ndarray) -> None:
        self.class_book_.announce(labels)
