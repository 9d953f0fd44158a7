"""A tournament of learners: whoever does best lately has the say."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base._probabilities import normalize
from driftlearn.base.chunk import Chunk
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.prequential import test_then_train_chunks
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble.history import MOST_STEPS, History
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    a,
    dict_of,
    floats,
    integer,
    list_of,
    newer,
    word,
)
from driftlearn.model_selection.named_learners import NamedLearners
from driftlearn.model_selection.player import Player
from driftlearn.model_selection.players import default_learners
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.table import Table

WINDOW_CHUNKS = 3  # how far scores look back at least
FEWEST = 2  # players that stay, however far behind the second is


class AutoClassifier(NamedLearners):
    """A tournament: learners learn the same rows, and whoever does best lately has the say.

    Every player is asked about each row before it learns it; with a `chunk_size` about all rows of
    a chunk before it learns the first. Every `look_every` rows, or after each chunk, the shares of
    right answers are looked at, in which a row counts the less the older it is: one that is
    `window` rows old counts for 37 %. Then a player has a voice of ``exp(-behind / tolerance)``,
    where `behind` is what its share lacks of the highest one; with ``answer="leader"`` the leader
    speaks alone, and another takes its place when it is more than `tolerance` ahead. Who is more
    than `hopeless` behind after `window` rows, lately and in all, leaves for good, except for the
    best two. A player that fails leaves, too, and a warning says why; if it had the only voice, all
    have one until the next look. One that fails in `predict` says nothing there.

    It costs what its players cost, and answers from the first row on, or from the first chunk.

    Parameters
    ----------
    learners : dict of str to classifier, optional
        Who plays, by name; classifiers with `partial_fit`. Without it those of
        `driftlearn.model_selection.default_learners`. Learners of chunks need a ``chunk_size``,
        their own or this one, or they take each row for a chunk. One of another library leaves
        when a class comes that was not there in the first call. Their parameters are
        ``learners__name__parameter``, as in ``set_params(learners__bayes__var_smoothing=0.1)``.
    chunk_size : int, default=1
        Rows that come before anything is learned of them: 1 where labels come row by row, the
        rows of a table where there is a table at a time. Rows wait until a chunk is whole, so
        that it does not matter how they arrive; `flush` learns those that still wait.
    answer : {"vote", "leader"}, default="vote"
        Whether all have a voice, or the leader alone.
    window : int, default=500
        How far the scores look back, in rows; at least three chunks.
    look_every : int, default=100
        Rows from one look at the scores to the next; with a `chunk_size` each chunk is one.
    tolerance : float, default=0.02
        What it takes to matter, as a difference of two shares of right answers.
    hopeless : float or None, default=0.15
        Who is further behind than this leaves, if its share of all rows is as far behind the
        highest one, too: where classes come in runs it may be somebody else's turn tomorrow. With
        None nobody leaves.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
        The players learn rows of these weights, and rows count for them in the players' scores.
    random_state : int, RandomState instance or None
        Decides the seeds of the players that have none.

    Attributes
    ----------
    classes_ : ndarray
        The labels known, sorted.
    members_ : Table
        One row a player: ``id``, ``name``, ``accuracy`` (lately), ``weight`` (of its voice),
        ``leads``.
    leader_ : str
        Who is best lately.
    leaders_ : Table
        Who took the lead, and after how many rows.
    dropped_ : dict of str to str
        Who left, and why.
    learners_ : dict of str to classifier
        Those that play.
    n_members_, n_rows_ : int
        The number of players; of rows learned.
    history_ : History
        The voices, look by look.

    References
    ----------
    .. [1] N. Littlestone, M. K. Warmuth, "The Weighted Majority Algorithm", Information and
       Computation 108(2), 1994, doi:10.1006/inco.1994.1009 (voices that sink by mistakes).

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier, NoChangeClassifier
    >>> from driftlearn.streams import SEA
    >>> players = {"bayes": GaussianNBClassifier(), "last label": NoChangeClassifier()}
    >>> model = AutoClassifier(players)
    >>> for batch in SEA(n_rows=2_000, noise=0.0, random_state=0).chunks(500):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.leader_
    'bayes'
    """

    STATE: ClassVar[dict[str, Field]] = {
        **NamedLearners.STATE,
        "players_": list_of(a(Player), "players"),
        "ids_": list_of(integer(1), "players"),
        "voices_": floats("players", least=0),
        "led_": list_of(a(tuple)),
        "dropped_": dict_of(word()),
        "history_": a(History),
        "n_rows_": integer(0, MOST_STEPS),
        "waiting_": newer(a(Chunk, type(None))),
    }
    _in_place = True
    _parameter_constraints: dict[str, list[Any]] = {
        "learners": [dict, None],
        "chunk_size": [Interval(Integral, 1, None, closed="left")],
        "answer": [StrOptions({"vote", "leader"})],
        "window": [Interval(Integral, 1, None, closed="left")],
        "look_every": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "hopeless": [Interval(Real, 0, None, closed="neither"), None],
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
    }
    players_: list[Player]
    ids_: list[int]
    voices_: np.ndarray
    led_: list[tuple[int, str]]
    dropped_: dict[str, str]
    history_: History
    n_rows_: int
    waiting_: Chunk | None = None  # in older files, too

    def __init__(
        self,
        learners: Mapping[str, Any] | None = None,
        *,
        chunk_size: int = 1,
        answer: str = "vote",
        window: int = 500,
        look_every: int = 100,
        tolerance: float = 0.02,
        hopeless: float | None = 0.15,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.learners = learners
        self.chunk_size = chunk_size
        self.answer = answer
        self.window = window
        self.look_every = look_every
        self.tolerance = tolerance
        self.hopeless = hopeless
        self.class_weight = class_weight
        self.random_state = random_state

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless players fit, and leaders have a row and a name."""
        if "players_" in state and not state["players_"]:
            raise InvalidStateError("a tournament without players")
        for player in state.get("players_", ()):
            theirs = getattr(player.learner, "classes_", ())
            if not np.isin(theirs, state["classes_"]).all():
                raise InvalidStateError("a player with classes that the tournament does not know")
        waiting = state.get("waiting_")
        if waiting is not None and waiting.X.shape[1] != state["n_features_in_"]:
            raise InvalidStateError("rows wait that have other features than the learner")
        for each in state.get("led_", ()):
            if len(each) != 2 or type(each[0]) is not int or type(each[1]) is not str:
                raise InvalidStateError("a leader without a row or a name")

    @property
    def members_(self) -> Table:
        """One row a player: id, name, share of right answers lately, weight of its voice."""
        with self._locked():
            self._check_fitted()
            return Table({
                "id": list(self.ids_),
                "name": [player.name for player in self.players_],
                "accuracy": [player.accuracy for player in self.players_],
                "weight": self.voices_.tolist(),
                "leads": [player.name == self.leader_ for player in self.players_],
            })  # fmt: skip

    @property
    def n_members_(self) -> int:
        """The number of players."""
        self._check_fitted()
        return len(self.players_)

    @property
    def learners_(self) -> dict[str, Any]:
        """The learners that play, by name."""
        self._check_fitted()
        return {player.name: player.learner for player in self.players_}

    @property
    def leader_(self) -> str:
        """The name of the player that is best lately; before a look, of one of the loudest."""
        names = [*self.learners_]
        led = self.led_[-1][1] if self.led_ else None
        return led if led in names else names[int(self.voices_.argmax())]

    @property
    def leaders_(self) -> Table:
        """Who took the lead, and after how many rows."""
        self._check_fitted()
        rows, names = ([each[k] for each in self.led_] for k in (0, 1))
        return Table({"row": rows, "leader": names})

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "n_rows_", 0) > 0

    def _validate_params(self) -> None:
        super()._validate_params()
        for name, learner in (self.learners or {}).items():
            if not isinstance(name, str):
                raise ValueError(f"the learners of AutoClassifier go by names; {name!r} is none")
            if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
                raise ValueError(
                    f"{name!r} of AutoClassifier's learners must be a classifier with "
                    f"partial_fit, got {learner!r:.80}"
                )
        if self.learners is not None and not self.learners:
            raise ValueError("the learners of AutoClassifier must be at least one; got none")

    def _takes_missing(self) -> bool:
        learners = self._learners()
        return isinstance(learners, dict) and all(map(takes_missing, learners.values()))

    def _learners(self) -> Mapping[str, Any]:
        return self.learners or default_learners(self.chunk_size)

    def _begin(self) -> None:
        self.players_ = []
        for name, learner in self._learners().items():
            fresh = clone(learner)
            if fresh.get_params().get("random_state", 0) is None:
                fresh.set_params(random_state=self._seed())
            self.players_.append(Player(name, fresh))
        self.ids_ = [*range(1, len(self.players_) + 1)]
        self.voices_ = np.ones(len(self.players_))
        self.led_ = []
        self.dropped_ = {}
        self.history_ = History()
        self.n_rows_ = 0
        self.waiting_ = None

    def flush(self) -> AutoClassifier:
        """Learn the rows that wait for their chunk, however few; return self."""
        with self._locked():
            waiting: Chunk | None = getattr(self, "waiting_", None)
            if waiting is not None:
                self._receive(waiting.at(slice(0)).with_classes(self.classes_), finish=True)
        return self

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        if self.chunk_size == 1 and self.waiting_ is None:
            return super()._receive(chunk, finish, **how)
        if self.waiting_ is not None:
            chunk = self.waiting_.with_classes(chunk.classes).then(chunk)
        while len(chunk) >= self.chunk_size or (finish and len(chunk)):
            piece, chunk = chunk.at(slice(self.chunk_size)), chunk.at(slice(self.chunk_size, None))
            self._learn_chunk(piece, chunk)
        self.waiting_ = chunk.copied() if len(chunk) else None

    def _learn_chunk(self, piece: Chunk, rest: Chunk) -> None:
        """Play a chunk; the `rest` waits."""
        with uninterrupted():
            _, failed = self._play(piece, Player.play_chunk)
            self.n_rows_ += len(piece)
            self.waiting_ = rest.copied() if len(rest) else None
            self._look(len(piece))
        self._tell(failed)

    def _learn(self, chunk: Chunk, scores: np.ndarray | None = None) -> None:
        """Play piece by piece; a piece ends where the scores are looked at."""
        done = 0
        while done < len(chunk):
            rows = slice(done, done + self.look_every - self.n_rows_ % self.look_every)
            piece = chunk.at(rows)
            with uninterrupted():
                said, failed = self._play(piece, Player.play)
                if scores is not None:
                    scores[rows] = self._blend(said, len(piece))
                self.n_rows_ += len(piece)
                if self.n_rows_ % self.look_every == 0:
                    self._look(self.look_every)
            done += len(piece)
            self._tell(failed)

    def _tell(self, failed: dict[str, str]) -> None:
        for name, why in failed.items():  # when all is done: a filter may make an error of it
            warnings.warn(f"{name} fails and plays no longer. {why}", stacklevel=3)

    def _play(self, piece: Chunk, play: Callable[..., Any]) -> tuple[list[Any], dict[str, str]]:
        """Return what each player said of each row before it learned it, and who failed and left.

        Players that failed have left, and what they said is left out.
        """
        w = self._weigh(piece.y, piece.w)
        rows = piece.X, piece.y, w, self.classes_, None if self.class_weight is None else w
        try:
            said, failed = self._each(lambda player: play(player, *rows))
        except BaseException:
            self._uncount(piece.y)
            raise
        self.dropped_ = {**self.dropped_, **failed}
        stay = [k for k, player in enumerate(self.players_) if player.name not in failed]
        self._keep(stay)
        return [said[k] for k in stay], failed

    def _each(
        self, act: Callable[[Player], np.ndarray | None]
    ) -> tuple[list[np.ndarray | None], dict[str, str]]:
        """Return what each player gives, None where it fails, and why by name.

        Where all fail, the last error is raised.
        """
        given: list[np.ndarray | None] = []
        failed: dict[str, str] = {}
        for player in self.players_:
            try:
                given.append(act(player))
            except Exception as problem:
                if len(failed) + 1 == len(self.players_):
                    raise
                given.append(None)
                failed[player.name] = f"{type(problem).__name__}: {problem}"
        return given, failed

    def _look(self, n_rows: int) -> None:
        """Fade the scores of `n_rows` ago, drop who is hopeless, find the leader, give voices."""
        window = max(self.window, WINDOW_CHUNKS * self.chunk_size * (self.chunk_size > 1))
        for player in self.players_:
            player.fade(1.0 - min(1.0, n_rows / window))
        accuracy = np.array([player.accuracy for player in self.players_])
        if np.isnan(accuracy).all():
            return
        best = np.nanmax(accuracy)
        behind = best - np.where(np.isnan(accuracy), -np.inf, accuracy)
        if self.hopeless is not None and self.n_rows_ >= window:
            tried = np.array([player.tries for player in self.players_])
            whole = np.array([player.whole_accuracy for player in self.players_])
            lost = np.minimum(behind, np.nanmax(whole) - whole) > self.hopeless
            lost &= tried >= window / 2
            stay = ~lost | (np.argsort(np.argsort(behind, kind="stable")) < FEWEST)
            for k in np.flatnonzero(~stay):
                self.dropped_[self.players_[k].name] = (
                    f"{behind[k]:.3f} behind the leader after {self.n_rows_} rows"
                )
            self._keep(np.flatnonzero(stay).tolist())
            behind = behind[stay]
        self._choose_leader(behind)
        if self.answer == "vote":
            self.voices_ = np.exp(-behind / self.tolerance)
        else:
            leads = [player.name == self.leader_ for player in self.players_]
            self.voices_ = np.array(leads, dtype=float)
        look_every = self.look_every if self.chunk_size == 1 else self.chunk_size
        self.history_.record(-(-self.n_rows_ // look_every), self.ids_, self.voices_)

    def _choose_leader(self, behind: np.ndarray) -> None:
        """Let the best lead, if it is clearly ahead of who leads now."""
        names = [player.name for player in self.players_]
        best = int(behind.argmin())
        led = self.led_[-1][1] if self.led_ else None
        leads = names.index(led) if led in names else None
        if leads is None or behind[leads] - behind[best] > self.tolerance:
            self.led_ = [*self.led_, (self.n_rows_, names[best])]

    def _keep(self, places: list[int]) -> None:
        if len(places) < len(self.players_):
            self.players_ = [self.players_[k] for k in places]
            self.ids_ = [self.ids_[k] for k in places]
            self.voices_ = self.voices_[places]
            if not self.voices_.any():  # the leader left, and was the only one to speak
                self.voices_ = np.ones(len(places))

    def _blend(self, said: Sequence[np.ndarray | None], n_rows: int) -> np.ndarray:
        """Return the sum of what players said, each with its voice; silence counts for nothing."""
        votes = np.zeros((n_rows, len(self.classes_)))
        for voice, probas in zip(self.voices_.tolist(), said):
            if voice > 0.0 and probas is not None:
                votes += voice * np.where(np.isnan(probas), 0.0, probas)
        return votes

    def _scores(self, X: np.ndarray) -> np.ndarray:
        said, failed = self._each(lambda player: player.probas(X, self.classes_))
        for name, why in failed.items():
            warnings.warn(f"{name} fails and says nothing. {why}", stacklevel=2)
        return self._blend(said, len(X))

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        if self.chunk_size > 1:
            return test_then_train_chunks(self, chunk, probas)
        self._receive(chunk, False, scores=probas)
        probas[:] = normalize(probas)
