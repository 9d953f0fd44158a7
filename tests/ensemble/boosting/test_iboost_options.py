"""IBoost as printed, members trained on samples, and the warning of a collapse."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from driftlearn import (
    CARTClassifier,
    GaussianNBClassifier,
    IBoostClassifier,
    StumpClassifier,
    WindowedAdaBoostClassifier,
)
from driftlearn.base import draw_by_inversion
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from driftlearn.ensemble.boosting.iboost import FIXED
from driftlearn.io._upgrades import IBOOST_OPTIONS, upgrade
from driftlearn.streams import SEA
from tests.ensemble.boosting.boosted_cases import (
    Nearest,
    bands,
    check_failure,
    check_pickle,
    check_slicing,
    iboost,
)

WINDOW = 30


def row_by_row(model, X, y, w):
    """Train row by row; return the window, the older members and the newest after each row.

    The newest is None if no member was added; `rng` is the generator before the row, None if
    no rows were drawn.
    """
    before = 0
    for k in range(len(y)):
        rng = deepcopy(getattr(model, "rng_", np.random.default_rng(0)))
        model.partial_fit(X[[k]], y[[k]], sample_weight=w[[k]])
        drew = rng.bit_generator.state != model.rng_.bit_generator.state
        window = np.arange(max(0, k + 1 - WINDOW), k + 1)
        members = list(zip(model.members_["weight"], model.estimators_))
        came = model.committee_.n_admitted > before
        before = model.committee_.n_admitted
        yield (
            window,
            members[:-1] if came else members,
            members[-1] if came else None,
            (rng if drew else None),
        )


def sums(members, X, y):
    """Return the sums of confidences that are right and wrong about each row."""
    right, wrong = np.zeros(len(y)), np.zeros(len(y))
    for alpha, model in members:
        hit = model.predict(X) == y
        right, wrong = right + alpha * hit, wrong + alpha * ~hit
    return right, wrong


def confidence(model, X, y, w):
    """1/2 ln((1 - e) / e), the error at least half a row."""
    floor = 1 / (2 * max(2, len(y)))
    e = np.clip(w[model.predict(X) != y].sum() / w.sum(), floor, 1 - floor)
    return np.log((1 - e) / e) / 2


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("update_when", ["always", "before_add", "never"])
@pytest.mark.parametrize("convention", ["coherent", "literal"])
def test_a_new_member_has_the_confidence_and_weights_of_its_convention(
    convention, update_when, resample
):
    """Equation 3; weights by 9, but for literal ones by 15 where there are no updates."""
    X, y, w = bands(2, 150, noise=0.1)
    model = iboost(
        n_estimators=6,
        window_size=WINDOW,
        add="always",
        update_when=update_when,
        remove_negative=False,
        convention=convention,
        resample=resample,
        random_state=0,
    )
    literal, n_checked = convention == "literal", 0
    for rows, older, newest, rng in row_by_row(model, X, y, w):
        assert resample or rng is None
        if newest is None or not older:
            continue
        right, wrong = sums(older, X[rows], y[rows])
        weights = w[rows] * np.exp(wrong if literal and update_when == "never" else wrong - right)
        alpha, stump = newest
        expected = confidence(stump, X[rows], y[rows], weights)
        assert alpha == pytest.approx(2 * expected if literal else expected, rel=1e-9)
        if resample:
            drawn = rows[draw_by_inversion(weights, rng)]
            again = StumpClassifier().fit(X[drawn], y[drawn])
            np.testing.assert_array_equal(stump.predict(X), again.predict(X))
        else:  # the best stump, or one as good
            again = StumpClassifier().fit(X[rows], y[rows], weights)
            assert expected == pytest.approx(confidence(again, X[rows], y[rows], weights))
        n_checked += 1
    assert n_checked > 20


def test_literal_weights_go_from_member_to_member():
    """New row by equation 15, member added by 4, removed by 16: never recomputed."""
    X, y, _ = bands(2, 150, noise=0.1)
    model = iboost(n_estimators=6, window_size=WINDOW, update_when="never", convention="literal")
    weights, before, kinds = {}, {}, set()
    for k in range(len(y)):
        weights[k] = np.exp(sum(alpha * wrong[k] for alpha, wrong in before.values()))
        model.partial_fit(X[[k]], y[[k]])
        now = {
            number: (alpha, stump.predict(X) != y)
            for number, alpha, stump in zip(
                model.members_["id"], model.members_["weight"], model.estimators_
            )
        }
        for number in before.keys() - now.keys():
            alpha, wrong = before[number]
            weights = {i: v * np.exp(-alpha * wrong[i]) for i, v in weights.items()}
            kinds.add("removed")
        for number in now.keys() - before.keys():
            alpha, wrong = now[number]
            weights = {i: v * np.exp(alpha * wrong[i]) for i, v in weights.items()}
            kinds.add("added")
        expected = np.array([weights[i] for i in range(max(0, k + 1 - WINDOW), k + 1)])
        found = model.engine_.loss.row_weights()
        assert found / found.sum() == pytest.approx(expected / expected.sum(), rel=1e-9)
        before = now
    assert kinds == {"added", "removed"}


def test_the_literal_convention_is_for_two_classes_and_the_exponential_loss():
    X, y, _ = bands(0, 60, 3)
    with pytest.raises(
        ValueError, match=r'binary .* 3 classes.* convention="literal" supports only two'
    ):
        iboost(convention="literal").fit(X, y)
    model = iboost(convention="literal").partial_fit(X, y % 2)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="supports only two"):
        model.partial_fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match='"literal" requires loss="exponential"'):
        iboost(convention="literal", loss="logistic").fit(X, y % 2)


def test_states_of_0_1_0_become_variants_where_an_option_is_not_the_default():
    state = {"n_estimators": 7, **FIXED}
    assert FIXED == IBOOST_OPTIONS
    assert upgrade(IBoostClassifier, state) is None and state == {"n_estimators": 7}
    printed = {"n_estimators": 7, **FIXED, "rule": "printed"}
    state = dict(printed)
    assert upgrade(IBoostClassifier, state) == f"{IBoostVariant.__module__}:IBoostVariant"
    assert state == printed


BASES = {
    "stump": StumpClassifier(),
    "naive-bayes": GaussianNBClassifier(),
    "cart": CARTClassifier(max_depth=2),
    "no-weights": Nearest(),
}


@pytest.mark.parametrize("base", BASES.values(), ids=list(BASES))
def test_members_of_adaboost_are_trained_on_draws(base):
    """One round, so that rows have separate weights: the sample, the model, its confidence."""
    X, y, w = bands(4, 120, noise=0.1)
    model = WindowedAdaBoostClassifier(base, 1, window_size=WINDOW, resample=True, random_state=3)
    n_checked = 0
    for rows, _, newest, rng in row_by_row(model, X, y, w):
        assert (newest is None) == (rng is None)
        if newest is not None:
            drawn = rows[draw_by_inversion(w[rows], rng)]
            if len(set(y[drawn])) == 2:
                found = model.committee_.models.codes(X)[0]
                again = clone(base).fit(X[drawn], y[drawn])
                np.testing.assert_array_equal(model.classes_[found], again.predict(X))
                alpha = max(1e-6, confidence(again, X[rows], y[rows], w[rows]))
                assert newest[0] == pytest.approx(alpha, rel=1e-9)
                n_checked += 1
    assert n_checked > 5


@pytest.mark.parametrize("base", BASES.values(), ids=list(BASES))
@pytest.mark.parametrize("kind", [IBoostVariant, WindowedAdaBoostClassifier])
def test_draws_depend_on_rows_only(kind, base):
    """Neither slicing nor pickling moves the generator; the seed determines it."""

    def make(seed=0):
        return kind(base, 4, window_size=WINDOW, period=3, resample=True, random_state=seed)

    X, y, w = bands(5, 120, 3, noise=0.1)
    model = check_slicing(make, X, y, w)
    check_pickle(make, X, y, w, 70)
    other = make(1).partial_fit(X, y, sample_weight=w)
    assert not np.array_equal(model.predict_proba(X), other.predict_proba(X))


def test_where_a_base_learner_fails_its_draw_is_undone():
    def make(poison):
        base, seed = Nearest(poison), 0  # a seed with which the poisoned row is drawn at once
        return iboost(base, 4, add="always", period=5, resample=True, random_state=seed)

    X, y, _ = bands(1, 120)
    check_failure(make, X, y, 62, 7.25)


def warned(rows, **options):
    """Return the warnings of a run in calls of 100 rows."""
    stream = SEA(n_rows=rows, random_state=1)
    model = iboost(**{"n_estimators": 12, **options})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for batch in stream.chunks(100):
            model.partial_fit(batch.X, batch.y)
    return model, [(each.category, str(each.message), each.filename) for each in found]


@pytest.mark.parametrize("options", [{}, {"loss": "logistic"}], ids=str)
def test_a_collapse_is_reported_once(options):
    step = 0.3 if not options else 3.0
    model, found = warned(600, step=step, **options)
    assert model.n_members_ == 1
    [(category, message, where)] = found
    assert category is ConvergenceWarning
    assert f"step={step:g}" in message and "smaller 'step'" in message
    assert where == __file__


@pytest.mark.parametrize(
    "options",
    [{}, {"update": "batch"}, {"n_estimators": 1, "step": 0.3}, {"add": "never", "step": 0.3}],
    ids=str,
)
def test_no_collapse_no_word(options):
    assert not warned(600, **options)[1]


def test_a_collapse_that_is_an_error_leaves_all_rows_learned():
    batch = next(iter(SEA(n_rows=600, random_state=1).chunks(600)))
    model, other = (iboost(n_estimators=12, step=0.3) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match=r"step=0\.3"):
            model.partial_fit(batch.X, batch.y)
    with pytest.warns(ConvergenceWarning):
        other.partial_fit(batch.X, batch.y)
    assert model.n_rows_ == 600
    np.testing.assert_array_equal(model.predict_proba(batch.X), other.predict_proba(batch.X))
