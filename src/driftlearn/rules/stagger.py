"""STAGGER: weighted Boolean descriptions, created after errors and kept while useful."""

from dataclasses import dataclass
from math import exp, log
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io import schema

MOST = 2**62  # no stream has more rows
ATOM, AND, OR, NOT = "atom", "and", "or", "not"
N_PARTS = {ATOM: 2, AND: 2, OR: 2, NOT: 1}
COMBINE = {AND: all, OR: any, NOT: lambda matches: not any(matches)}
STEEPEST = 500.0  # beyond these log odds, a probability is 0 or 1


@dataclass(eq=False)
class Element:
    """Boolean description of rows.

    Attributes
    ----------
    number, kind : int, {"atom", "and", "or", "not"}
        Running number, in the order of creation; kind of element.
    parts : tuple
        The feature and the value of an atom, otherwise the numbers of its component elements.
    size : int
        Number of atoms in the element.
    created_at : int
        Number of the row at which it was created.
    established : bool
        Whether it has passed its trial period.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "number": schema.integer(0, MOST),
        "kind": schema.word(*N_PARTS),
        "parts": schema.list_of(schema.number(), kind=tuple),
        "size": schema.integer(1),
        "created_at": schema.integer(0, MOST),
        "established": schema.flag(),
    }

    number: int
    kind: str
    parts: tuple[Any, ...]
    size: int
    created_at: int
    established: bool


@dataclass(eq=False, repr=False, kw_only=True)
class STAGGERClassifier(OnlineClassifier):
    """STAGGER: Boolean descriptions weighted by their evidence for and against a class.

    Features are nominal: values are only compared for equality. Elements are atoms ("feature 2 is
    0.0"), and conjunctions, disjunctions and negations of elements. Four counts of each element
    give its logical sufficiency LS and its logical necessity LN: the factors on the odds of the
    positive class if the element matches, and if it does not. The predicted odds are the prior odds
    times the LS of all matching elements and the LN of all other elements.

    Elements are created after errors: a false positive creates a conjunction, a false negative a
    disjunction, and either may create a negation. After a trial period, an element is kept as long
    as it is more informative than its parts, and votes in their place. Old counts fade, so that the
    model adapts to drift.

    Supports two classes; the second of ``classes_`` is the positive class. Row weights are ignored.

    Parameters
    ----------
    fading : float, default=0.96
        Factor by which counts are multiplied at each row. Paper settings:
        `STAGGERClassifier.as_published()` has ``fading=1.0``. With this setting, old counts never
        fade.
    trial : int, default=20
        Number of rows after which a new element is evaluated.
    max_atoms : int, default=100
        Maximum number of atoms (pairs of a feature and a value). Further values are ignored.
    max_elements : int, default=50
        Maximum number of composite elements; the oldest unused element is removed first.
    max_size : int, default=4
        Maximum number of atoms in an element.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    elements_ : list of tuple
        One tuple per element: text, whether it is established, whether it votes, LS, LN.
    n_atoms_, n_composites_ : int
        Number of atoms; number of composite elements.
    n_made_, n_dropped_ : int
        Number of composite elements created so far; number of composite elements removed.
    n_rows_ : int
        Number of rows trained on.

    References
    ----------
    .. [1] J. C. Schlimmer, R. H. Granger, "Incremental Learning from Noisy Data", Machine Learning
       1(3), 1986, doi:10.1007/BF00116895.

    Examples
    --------
    >>> from driftlearn.streams import STA
    >>> stream = STA(noise=0.0, random_state=0)
    >>> model = STAGGERClassifier().partial_fit(*stream.take(1_000))
    >>> model.score(*stream.test_set(999, 500, random_state=1))
    1.0
    >>> [text for text, *_ in model.elements_[model.n_atoms_ :]]
    ['(x2=0.0 and x0=0.0)', 'not x0=2.0']
    """

    fading: float = 0.96
    trial: int = 20
    max_atoms: int = 100
    max_elements: int = 50
    max_size: int = 4

    STATE: ClassVar[dict[str, schema.Field]] = {
        "pool_": schema.list_of(schema.a(Element), "pool"),
        "counts_": schema.floats("pool", 2, 2, least=0.0),
        "totals_": schema.floats(2, least=0.0),
        "came_": schema.flags(2),
        "n_made_": schema.integer(0, MOST),
    }
    PUBLISHED: ClassVar[dict[str, Any]] = {"fading": 1.0}
    _two_classes = True
    _poor_score = True  # on continuous features, whose values rarely repeat
    _parameter_constraints = {
        "fading": [Interval(Real, 0, 1, closed="right")],
        "trial": [Interval(Integral, 1, None, closed="left")],
        "max_atoms": [Interval(Integral, 1, None, closed="left")],
        "max_elements": [Interval(Integral, 0, None, closed="left")],
        "max_size": [Interval(Integral, 1, None, closed="left")],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless elements consist of features or of older elements."""
        if "pool_" not in state:
            return
        if len(state["classes_"]) > 2 or state["came_"][len(state["classes_"]) :].any():
            raise schema.InvalidStateError("'came_' has classes that 'classes_' does not have.")
        known: set[int] = set()
        for each in state["pool_"]:
            if len(each.parts) != N_PARTS[each.kind] or each.number <= max(known, default=-1):
                raise schema.InvalidStateError(
                    f"Element {each.number} has a wrong number of parts or is out of order."
                )
            if each.kind != ATOM:
                fits = known.issuperset(each.parts)
            else:
                fits = type(each.parts[0]) is int and 0 <= each.parts[0] < state["n_features_in_"]
            if not fits:
                raise schema.InvalidStateError(
                    f"Element {each.number} has parts that do not exist."
                )
            known.add(each.number)
        n_atoms = sum(each.kind == ATOM for each in state["pool_"])
        if max(known, default=-1) >= n_atoms + state["n_made_"]:
            raise schema.InvalidStateError("An element has a larger number than 'n_made_' allows.")

    @property
    def elements_(self) -> list[tuple[str, bool, bool, float, float]]:
        """One tuple per element: text, whether it is established, whether it votes, LS, LN."""
        with self._locked():
            self._check_fitted()
            odds, voting = self._odds(), set(self._voting())
            texts: dict[int, str] = {}
            found = []
            for each in self.pool_:
                texts[each.number] = text = _text(each, texts)
                factors = odds[each.number] if self.came_.all() else (np.nan, np.nan)
                found.append((text, each.established, each in voting, *factors))
        return found

    @property
    def n_atoms_(self) -> int:
        """The number of atoms."""
        self._check_fitted()
        return sum(each.kind == ATOM for each in self.pool_)

    @property
    def n_composites_(self) -> int:
        """The number of composite elements."""
        return len(self.pool_) - self.n_atoms_

    @property
    def n_dropped_(self) -> int:
        """The number of composite elements removed."""
        return self.n_made_ - self.n_composites_

    def _begin(self) -> None:
        super()._begin()
        self.pool_: list[Element] = []
        self.counts_ = np.zeros((0, 2, 2))  # indexed by element, match (no, yes) and class
        self.totals_ = np.zeros(2)  # number of rows of each class
        self.came_ = np.zeros(2, dtype=bool)  # whether each class has been seen
        self.n_made_ = 0

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        if positions[0] == 1:
            self.counts_ = self.counts_[..., ::-1].copy()
            self.totals_ = self.totals_[::-1].copy()
            self.came_ = self.came_[::-1].copy()

    def _learn_one(self, X: np.ndarray, i: int, y: int, w: float) -> None:
        [x] = _values(X[i : i + 1])
        wrong = self.came_.any() and self._predicted([x])[0] != y
        self._note_values(x)
        on = self._matches(x)
        self.totals_ *= self.fading
        self.totals_[y] += 1.0
        self.counts_ *= self.fading
        away = [0 if on[each.number] else 1 for each in self.pool_]
        self.counts_[np.arange(len(away)), away, y] += 1.0
        self.came_[y] = True
        if self.came_.all():
            self._end_trials()
            if wrong:
                self._create_after_error(on, y)

    def _predicted(self, rows: list[list[float]]) -> list[int]:
        """Return the class of each row."""
        if not self.came_.all():
            return [int(self.came_.argmax())] * len(rows)
        return [int(odds > 0.0) for odds in self._log_odds(rows)]

    def _note_values(self, x: list[float]) -> None:
        """Create atoms for new values, with the counts of an atom that has never matched."""
        known = {each.parts for each in self.pool_ if each.kind == ATOM}
        for pair in enumerate(x):
            if pair not in known and len(known) < self.max_atoms:
                known.add(pair)
                self._add(ATOM, pair, 1, np.array([[0.0, 0.0], self.totals_]))

    def _add(self, kind: str, parts: tuple[Any, ...], size: int, counts: np.ndarray) -> None:
        row = self.committee_.n_rows + 1
        n_made = self.n_atoms_ + self.n_made_
        self.pool_ = [*self.pool_, Element(n_made, kind, parts, size, row, kind == ATOM)]
        self.counts_ = np.concatenate([self.counts_, counts[None]])

    def _keep(self, kept: list[bool]) -> None:
        if not all(kept):
            self.pool_ = [each for each, stays in zip(self.pool_, kept) if stays]
            self.counts_ = self.counts_[kept]

    def _matches(self, x: list[float]) -> dict[int, bool]:
        """Return which elements match a row, by number."""
        on: dict[int, bool] = {}
        for each in self.pool_:
            if each.kind == ATOM:
                feature, value = each.parts
                on[each.number] = x[feature] == value
            else:
                on[each.number] = COMBINE[each.kind](on[part] for part in each.parts)
        return on

    def _odds(self) -> dict[int, tuple[float, float]]:
        """Return LS and LN of every element, by number."""
        # Half a row is added to each count, so that odds are finite and positive.
        shares = (self.counts_ + 0.5) / (self.counts_[:, :1] + self.counts_[:, 1:] + 1.0)
        odds = (shares[..., 1] / shares[..., 0]).tolist()
        return {each.number: (ls, ln) for each, (ls, ln) in zip(self.pool_, odds)}

    def _voting(self) -> list[Element]:
        """Return the voting elements: established and not part of another established element."""
        established = [each for each in self.pool_ if each.established]
        used = {part for each in established if each.kind != ATOM for part in each.parts}
        return [each for each in established if each.number not in used]

    def _end_trials(self) -> None:
        """Establish elements after their trial; remove elements not better than their parts."""
        if len(self.pool_) == self.n_atoms_:
            return
        odds, row = self._odds(), self.committee_.n_rows + 1
        staying: set[int] = set()
        for each in self.pool_:
            if each.kind == ATOM:
                staying.add(each.number)
            elif staying.issuperset(each.parts):
                # Elements follow their parts in the pool, so it is already known whether the parts
                # stay.
                due = each.established or row - each.created_at >= self.trial
                if not due or _better(each, odds):
                    each.established = due
                    staying.add(each.number)
        self._keep([each.number in staying for each in self.pool_])

    def _create_after_error(self, on: dict[int, bool], y: int) -> None:
        """Create elements after an error: more specific if `y` is 0, otherwise more general."""
        odds, voting = self._odds(), self._voting()
        here = [each for each in voting if on[each.number]]
        away = [each for each in voting if not on[each.number]]

        def ls(each: Element) -> float:
            return odds[each.number][0]

        def ln(each: Element) -> float:
            return odds[each.number][1]

        first = max(here, key=ls, default=None)
        if y == 0:
            self._make(AND, first, min(away, key=ln, default=None))
            third = max(away, key=ln, default=None)
            misleads = third is not None and ln(third) > 1.0
        else:
            self._make(OR, first, max(away, key=ls, default=None))
            third = min(here, key=ls, default=None)
            misleads = third is not None and ls(third) < 1.0
        if misleads:
            self._make(NOT, third)

    def _make(self, kind: str, *parts: Element | None) -> None:
        """Create a composite element on trial if it is new and the limits allow it."""
        there = [each for each in parts if each is not None and each in self.pool_]
        size = sum(each.size for each in there)
        numbers = tuple(each.number for each in there)
        composites = [each for each in self.pool_ if each.kind != ATOM]
        if len(there) < len(parts) or size > self.max_size or kind == there[0].kind == NOT:
            return
        if any(each.kind == kind and {*each.parts} == {*numbers} for each in composites):
            return
        if len(composites) >= self.max_elements:
            used = {*numbers, *(part for each in composites for part in each.parts)}
            free = [each for each in composites if each.number not in used]
            if not free:
                return
            self._keep([each is not free[0] for each in self.pool_])
        self._add(kind, numbers, size, np.zeros((2, 2)))
        self.n_made_ += 1

    def _log_odds(self, rows: list[list[float]]) -> list[float]:
        """Return the log odds of the positive class, rounded so that equal odds compare equal."""
        negative, positive = self.totals_.tolist()
        prior, odds = log((positive + 0.5) / (negative + 0.5)), self._odds()
        voting = [each.number for each in self._voting()]
        factors = [(log(odds[each][0]), log(odds[each][1])) for each in voting]
        found = []
        for x in rows:
            on, total = self._matches(x), prior
            for each, (ls, ln) in zip(voting, factors):
                total += ls if on[each] else ln
            # Rounding to nine decimals hides rounding errors of different summation orders.
            found.append(round(total, 9))
        return found

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.zeros((len(X), len(self.classes_)))
        if self.came_.all():
            odds = self._log_odds(_values(X))
            held = [min(max(each, -STEEPEST), STEEPEST) for each in odds]
            scores[:, 1] = [1.0 / (1.0 + exp(-each)) for each in held]
            scores[:, 0] = 1.0 - scores[:, 1]
        elif self.came_.any():
            scores[:, self.came_.argmax()] = 1.0
        return scores


def _values(X: np.ndarray) -> list[list[float]]:
    """Return rows as lists of values; -0.0 is 0.0."""
    return (X + 0.0).tolist()


def _better(each: Element, odds: dict[int, tuple[float, float]]) -> bool:
    """Return whether an element is more informative than each of its parts."""
    ls, ln = odds[each.number]
    if each.kind == OR:
        return all(ln < odds[part][1] for part in each.parts)
    return all(ls > odds[part][0] for part in each.parts)


def _text(each: Element, texts: dict[int, str]) -> str:
    if each.kind == ATOM:
        return f"x{each.parts[0]}={each.parts[1]!r}"
    parts = [texts[part] for part in each.parts]
    return f"not {parts[0]}" if each.kind == NOT else f"({parts[0]} {each.kind} {parts[1]})"
