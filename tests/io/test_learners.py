"""Every learner continues after saving and loading as if uninterrupted."""

import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from driftlearn.drift import ADWIN, BlockTest, DeviationWindow
from driftlearn.evaluate import prequential
from driftlearn.io import NotAllowed, dumps, load, loads, save
from driftlearn.streams import SEA
from tests.chunk_streams import chunks

NAMES = [name for name in dl.__all__ if name.endswith("Classifier")]
SLOW = {
    "MLPGoalClassifier": {"max_iter": 30},
    "SMOTEClassifier": {"estimator": dl.CARTClassifier()},
    "WindowedAdaBoostClassifier": {"n_estimators": 10, "window_size": 60},
}
OPTIONS = {
    "iboost-batch": dl.IBoostClassifier(update="batch", n_estimators=30),
    "iboost-adwin": dl.IBoostClassifier(window_size="adwin", max_window=150, n_estimators=30),
    "iboost-bayes": dl.IBoostClassifier(dl.GaussianNBClassifier(), n_estimators=20, weight_clip=2),
    "iboost-external": dl.IBoostClassifier(GaussianNB(), n_estimators=4, window_size=30),
    "iboost-literal": IBoostVariant.as_published(
        n_estimators=9, convention="literal", resample=True
    ),
    "adaboost-draws": dl.WindowedAdaBoostClassifier(
        n_estimators=5, window_size=30, resample=True, random_state=0
    ),
    "boosting-m2": dl.BoostingClassifier(GaussianNB(), method="m2", resample=True),
    "sea-boosting": dl.SEAClassifier(dl.BoostingClassifier(method="arc-x4", n_estimators=3)),
    "nse-pruned": dl.LearnPPNSEClassifier(n_estimators=3, prune="error"),
    "dtel-waiting": dl.DTELClassifier(n_estimators=3, chunk_size=70),
    "nse-printed": dl.LearnPPNSEClassifier(weighting="printed", slope=8.0, crossing=0.4),
    "dtel-bounded": dl.DTELClassifier(n_estimators=3, diversity="entropy", n_transfers=1),
    "dynse-waiting": dl.DYNSEClassifier(n_estimators=3, selection="lca", chunk_size=70),
    "learnpp-tree": dl.LearnPPClassifier(DecisionTreeClassifier(max_depth=2), n_per_chunk=2),
    "learnpp-mlp": dl.LearnPPClassifier(MLPClassifier((3,), max_iter=8), n_per_chunk=2),
    "learnpp-forest": dl.LearnPPUDNCClassifier(RandomForestClassifier(2), n_per_chunk=2),
    "sea-logistic": dl.SEAClassifier(LogisticRegression()),
    "awe-neighbours": dl.AWEClassifier(KNeighborsClassifier(algorithm="kd_tree")),
    "aue2-hoeffding": dl.AUE2Classifier(dl.HoeffdingTreeClassifier(grace_period=20)),
    "boost-sgd": dl.OnlineBoostClassifier(SGDClassifier(loss="log_loss"), n_estimators=2),
    "bagging-bayes": dl.ADWINBaggingClassifier(GaussianNB(), n_estimators=2),
    "dwm-sgd": dl.DWMClassifier(SGDClassifier(), n_estimators=4, period=20),
    "bagging-hoeffding": dl.ADWINBaggingClassifier(
        dl.HoeffdingTreeClassifier(grace_period=20), n_estimators=3
    ),
    "leveraging-codes": dl.LeveragingBaggingClassifier(
        codes=True, draws="me", delta=0.5, n_estimators=3
    ),
    "leveraging-sgd": dl.LeveragingBaggingClassifier(
        SGDClassifier(loss="log_loss"), codes=True, vote="majority", n_estimators=2
    ),
    "ace-short": dl.ACEClassifier(chunk_size=20, window_size=5, n_estimators=3, alpha=0.5),
    "ace-external": dl.ACEClassifier(
        LogisticRegression(), 2, online=GaussianNB(), chunk_size=25, window_size=10
    ),
    "ace-bayes": dl.ACEClassifier(dl.GaussianNBClassifier(), chunk_size=25, vote="majority"),
    "ddd-ddm": dl.DDDClassifier(n_estimators=2, detector="ddm", high=0.5),
    "ddd-sgd": dl.DDDClassifier(SGDClassifier(), n_estimators=2, detector="adwin"),
    "oaue-window": dl.OAUEClassifier(window_size=25, n_estimators=2, weighting="nonlinear"),
    "rcd-eddm": dl.RCDClassifier(
        dl.GaussianNBClassifier(), detector="eddm", buffer_size=20, check_every=30, min_rows=5
    ),
    "rcd-sgd": dl.RCDClassifier(
        SGDClassifier(loss="log_loss"), buffer_size=30, check_every=20, min_rows=5
    ),
    "srp-bayes": dl.StreamingRandomPatchesClassifier(GaussianNB(), 2, subspace=2),
    "arf-warned": dl.AdaptiveRandomForestClassifier(
        dl.HoeffdingTreeClassifier(grace_period=20, max_features=1), 3, warning_delta=0.9
    ),
    "winnow-balanced": dl.WinnowClassifier("balanced", complements=False),
    "weighted-majority-drawn": dl.WeightedMajorityClassifier(
        [("bayes", GaussianNB()), ("sgd", SGDClassifier()), ("last", dl.NoChangeClassifier())],
        variant="wmr",
    ),
    "flora3-small": dl.FLORA3Classifier(min_window=5, max_window=30, max_items=8),
    "stagger-small": dl.STAGGERClassifier(trial=5, max_atoms=20, max_elements=3),
    "majority-window": dl.MajorityClassifier(window=50),
    "refit-logistic": dl.RefitClassifier(LogisticRegression(), n_chunks=2),
    "flb-waiting": dl.FLBClassifier(block_size=70),
}
QUIET = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def default(name):
    return getattr(dl, name)(**SLOW.get(name, {}))


def sea():
    return [(batch.X, batch.y) for batch in SEA(n_rows=240, random_state=0).chunks(30)]


def words():
    """Return string labels of three classes, one of which appears in the second half."""
    return [(X, y) for X, y, _ in chunks(8, rows=30)]


STREAMS = {"sea": sea(), "words": words()}


def teach(model, batches):
    learn = model.partial_fit if hasattr(model, "partial_fit") else model.fit
    for X, y in batches:
        learn(X, y)
    return model


def seeded(model):
    names = {"random_state", "estimator__random_state"} & set(model.get_params())
    return model.set_params(**dict.fromkeys(names, 7))


def content(thing, **how):
    """Return the content of the file."""
    with zipfile.ZipFile(io.BytesIO(dumps(thing, **how))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def members(model):
    """Return all numbers except memory sizes: loaded trees have no spare capacity."""
    return [repr({**row, "bytes": None}) for row in model.members_]


def check_alike(one, other, X, **how):
    assert one is not other
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert repr(one.get_params()) == repr(other.get_params())
    if hasattr(one, "members_"):
        assert members(one) == members(other)
    if hasattr(one, "history_"):
        for mine, its in zip(one.history_.matrix(), other.history_.matrix(), strict=True):
            np.testing.assert_array_equal(mine, its)
    assert content(one, **how) == content(other, **how)


def check_goes_on(model, batches, **how):
    if not get_tags(model).classifier_tags.multi_class:
        batches = [(X, np.where(y == "b", "c", y)) for X, y in batches]
    half = len(batches) // 2
    teach(model, batches[:half])
    before = dumps(model, **how)
    copy = loads(before, **how)
    assert dumps(copy, **how) == before == dumps(model, **how)
    check_alike(teach(model, batches[half:]), teach(copy, batches[half:]), batches[0][0], **how)


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", NAMES)
def test_every_learner_continues_identically(name, stream):
    check_goes_on(seeded(default(name)), STREAMS[stream])


@QUIET
@pytest.mark.parametrize("option", OPTIONS)
def test_special_states_continue_identically(option):
    check_goes_on(seeded(loads(dumps(OPTIONS[option]))), STREAMS["words"])


def test_a_refusal_names_the_file(tmp_path):
    save(SVC(), tmp_path / "strange.npz", allow=("sklearn",))
    with pytest.raises(
        NotAllowed, match=r"strange\.npz cannot be loaded: .*SVC is not a scikit-learn class"
    ):
        load(tmp_path / "strange.npz")


def test_unchecked_estimators_continue_if_allowed():
    model = dl.LearnPPNSEClassifier(SVC())
    with pytest.raises(NotAllowed, match=r"SVC is not a scikit-learn class .*allow=\('sklearn',\)"):
        dumps(model)
    check_goes_on(model, STREAMS["words"], allow="sklearn")


@pytest.mark.parametrize("name", NAMES)
def test_unfitted_learners_keep_their_parameters(name):
    model = default(name)
    copy = loads(dumps(model))
    assert repr(copy.get_params()) == repr(model.get_params())
    assert type(copy) is type(model)


def test_feature_names_are_kept():
    pd = pytest.importorskip("pandas")
    X, y = STREAMS["words"][0]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    copy = loads(dumps(dl.DTELClassifier().partial_fit(frame, y)))
    assert copy.feature_names_in_.dtype == object
    assert list(copy.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        copy.partial_fit(frame[["b", "a", "c"]], y)


@pytest.mark.parametrize("detector", [ADWIN(clock=4), BlockTest(), DeviationWindow(80)], ids=repr)
def test_detectors_continue(detector):
    errors = np.r_[np.tile([0.0, 0.0, 1.0], 60), np.ones(60)]
    more = (20,) if isinstance(detector, BlockTest) else ()
    for error in errors[:150]:
        detector.update(error, *more)
    copy = loads(dumps(detector))
    alarms = [[one.update(e, *more) for e in errors[150:]] for one in (detector, copy)]
    assert alarms[0] == alarms[1]
    assert dumps(detector) == dumps(copy)


def test_streams_and_results():
    stream = SEA(n_rows=400, random_state=0)
    result = prequential({"dtel": dl.DTELClassifier()}, stream, 50, keep_learners=True)
    copy = loads(dumps(result))
    assert str(copy.table()) == str(result.table())
    X = STREAMS["sea"][0][0]
    np.testing.assert_array_equal(
        copy.fitted["dtel"].predict_proba(X), result.fitted["dtel"].predict_proba(X)
    )
    for one, other in zip(stream.chunks(100), loads(dumps(stream)).chunks(100), strict=True):
        np.testing.assert_array_equal(one.X, other.X)


ELSEWHERE = """
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from driftlearn.io import load, save
from driftlearn.utils.compiled import compiled
rows = np.load(sys.argv[1] + "/rows.npz")
for name in sys.argv[2:]:
    model = load(f"{sys.argv[1]}/{name}.npz")
    probas = [model.predict_proba(rows["X"])]
    model.partial_fit(rows["X"], rows["y"])
    probas.append(model.predict_proba(rows["X"]))
    np.save(f"{sys.argv[1]}/{name}.npy", probas)
    save(model, f"{sys.argv[1]}/{name}.npz")
print(any(compiled().values()))
"""
TRAVELLERS = [
    "IBoostClassifier",
    "LearnPPNSEClassifier",
    "HoeffdingTreeClassifier",
    "FLCClassifier",
]


@pytest.mark.parametrize("pure", ["", "1"], ids=["as installed", "uncompiled"])
def test_another_process_continues(tmp_path, pure):
    """Round trip: a new process loads, trains and saves, possibly uncompiled."""
    X, y = STREAMS["words"][1]
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    models = {name: teach(seeded(default(name)), STREAMS["words"][:1]) for name in TRAVELLERS}
    for name, model in models.items():
        save(model, tmp_path / f"{name}.npz")
    there = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, tmp_path, *models], text=True, capture_output=True,
        check=True, env={**os.environ, "DRIFTLEARN_PURE": pure},
    )  # fmt: skip
    if pure:
        assert there.stdout.strip() == "False"
    for name, model in models.items():
        before, after = np.load(tmp_path / f"{name}.npy")
        np.testing.assert_array_equal(model.predict_proba(X), before)
        np.testing.assert_array_equal(model.partial_fit(X, y).predict_proba(X), after)
        check_alike(model, load(tmp_path / f"{name}.npz"), X)
        last = STREAMS["words"][5:]
        check_alike(teach(model, last), teach(load(tmp_path / f"{name}.npz"), last), X)
