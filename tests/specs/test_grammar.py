import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted

import driftlearn
from driftlearn.bench.workbench.plan import plan_of
from driftlearn.specs.catalogue import LEARNERS, find
from driftlearn.specs.grammar import read
from driftlearn.specs.spec import Spec
from driftlearn.streams import SEA


class Listener:
    """Neither a classifier nor a stream."""


def learner(text, seed=None):
    return read(text).make(seed)


def stream(text, seed=None):
    return read(text, "stream").make(seed)


def test_every_learner_of_the_package_has_a_name():
    classes = {name for name in driftlearn.__all__ if name.endswith("Classifier")}
    assert {entry.path.partition(":")[2] for entry in LEARNERS.values()} == classes


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_made(name):
    entry = LEARNERS[name]
    made = learner(name)
    assert type(made) is entry.make
    assert set(find("learner", name)[1]) == set(made.get_params(deep=False))


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("sea:noise=0.1,thresholds=(8,9,7,9.5),n_rows=50000",
         {"noise": 0.1, "thresholds": (8, 9, 7, 9.5), "n_rows": 50_000}),
        ("sea:n_rows=1_000_000, noise = 1e-1", {"n_rows": 1_000_000, "noise": 0.1}),
        ("sea(noise=0)", {"noise": 0}),
        ("sea[noise=0]", {"noise": 0}),
        ("sea:labels=(yes, 'no, not'),segment=None,noise_in_test=TRUE",
         {"labels": ("yes", "no, not"), "segment": None, "noise_in_test": True}),
        ("sea:thresholds=[1,]", {"thresholds": [1]}),
        ("sea:thresholds=(1)", {"thresholds": (1,)}),
        ("sea:thresholds=()", {"thresholds": ()}),
        ("sea:labels=('it''s',\"\"\"a\"\"\")", {"labels": ("it's", '"a"')}),
        ("sea:noise=inf,ramp=-3", {"noise": float("inf"), "ramp": -3}),
        ("gaussian:means=((0,0),(1,1.5))", {"means": ((0, 0), (1, 1.5))}),
    ],
)  # fmt: skip
def test_values(text, params):
    found = read(text, "stream")
    assert found.params == params and found.label == text
    assert [type(v) for v in found.params.values()] == [type(v) for v in params.values()]


def test_a_learner_inside_a_learner():
    found = read("learn++.mt:estimator=cart(max_depth=3),n_per_chunk=10")
    assert found.params == {"estimator": Spec("learner", "cart", {"max_depth": 3}),
                            "n_per_chunk": 10}  # fmt: skip
    assert found.make(7).get_params()["estimator__max_depth"] == 3
    assert found.make(7).random_state == 7
    for estimator in ("cart(max_depth=3)", {"name": "cart", "max_depth": 3}):
        table = {"name": "learn++.mt", "estimator": estimator, "n_per_chunk": 10}
        assert plan_of(["sea"], {"mt": table}).learners["mt"].params == found.params
    for text in ("dtel:estimator=naive-bayes", "dtel:estimator='naive-bayes'"):
        assert repr(learner(text).estimator) == "GaussianNBClassifier()"
    assert learner("dtel:estimator=none").estimator is None
    assert learner("sea:variant=original").variant == "original"


COMPOSED = (
    "drifting:concepts=(label-noise(stream=sine,noise=0.2),sine(function=2)),drift_at=(100,200),"
    "transition=linear,width=50,n_rows=300"
)


def test_streams_inside_streams():
    found = read(COMPOSED, "stream")
    noisy = Spec("stream", "label-noise", {"stream": Spec("stream", "sine"), "noise": 0.2})
    assert found.params["concepts"] == (noisy, Spec("stream", "sine", {"function": 2}))
    assert found.text == COMPOSED
    one, same, other = (found.make(seed) for seed in (5, 5, 6))
    assert repr(one) == repr(same) != repr(other) and one.order == (0, 1, 0)
    for values, expected in zip(one.take(300), same.take(300)):
        np.testing.assert_array_equal(values, expected)
    for concepts in (
        ["label-noise:stream=sine,noise=0.2", "sine:function=2"],
        [{"name": "label-noise", "stream": "sine", "noise": 0.2}, "sine(function=2)"],
    ):
        table = {"name": "drifting", "concepts": concepts}
        plan = plan_of({"mine": table}, ["dwm"])
        assert plan.streams["mine"].params["concepts"] == found.params["concepts"]
    with pytest.raises(ValueError, match=r"unknown stream 'cart' at column 20 of"):
        read("label-noise:stream=cart", "stream")
    with pytest.raises(ValueError, match="unknown stream 'sinee' at column 20"):
        read("drifting:concepts=(sinee)", "stream")


def test_labels():
    found = read("mine = dtel:n_estimators=10")
    assert (found.label, found.name, found.params) == ("mine", "dtel", {"n_estimators": 10})
    assert read("dtel").label == "dtel"
    assert Spec("stream", "sea", {"noise": 0.2}).text == "sea:noise=0.2"


def test_seeds():
    assert stream("sea", seed=4).random_state == 4
    assert stream("sea:random_state=1", seed=4).random_state == 1
    assert stream("SEA200A", seed=4).random_state == 4
    assert learner("dtel", seed=3).random_state == 3
    assert learner("dtel:random_state=9", seed=3).random_state == 9
    assert "random_state" not in learner("naive-bayes", seed=3).get_params()
    assert stream("wine:holdout=20", seed=2).random_state == 2


def test_classes_by_import_path():
    found = learner("sklearn.naive_bayes.GaussianNB:var_smoothing=0.1")
    assert isinstance(found, GaussianNB) and found.var_smoothing == 0.1
    nested = learner("learn++.nse:estimator=sklearn.svm.SVC(C=10)")
    assert repr(nested.estimator) == "SVC(C=10)"
    assert isinstance(stream("driftlearn.streams.SEA:noise=0", seed=1), SEA)
    for text in ("sklearn.naive_bayes:GaussianNB", "nb = sklearn.naive_bayes:GaussianNB()"):
        assert repr(learner(text)) == "GaussianNB()"
    found = learner("sklearn.naive_bayes:GaussianNB:var_smoothing=0.1")
    assert repr(found) == "GaussianNB(var_smoothing=0.1)"
    nested = learner("learn++.nse:estimator=sklearn.svm:SVC(C=10),slope=0.6")
    assert repr(nested.estimator) == "SVC(C=10)" and nested.slope == 0.6
    assert stream("mine=driftlearn.streams:SEA:noise=0.3", seed=1).noise == 0.3


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a name at column 1 of ''"),
        ("a=", "expected a name at column 3"),
        ("dtell", r"unknown learner 'dtell' \(did you mean 'dtel'"),
        ("DTEL", r"unknown learner 'DTEL' \(did you mean 'dtel'\?\)$"),
        ("xyzzy", r"unknown learner 'xyzzy': 'driftlearn list learners' shows all$"),
        ("x=learn++.ns", r"'learn\+\+.ns' at column 3 of .* \(did you mean 'learn\+\+.nse'"),
        ("dtel:n_estimator=3", r"unknown option 'n_estimator' of the learner dtel at column 6 of "
         r"'dtel:n_estimator=3' \(did you mean 'n_estimators'"),
        ("no-change:depth=1", r"option 'depth' of the learner no-change at .*11 .*known: none"),
        ("dtel:vote=hard,vote=soft", "option 'vote' is given twice at column 16"),
        ("dtel:vote", "option 'vote' has no '=' and value at column 6"),
        ("dtel:vote=", "expected a value at column 11"),
        ("dtel:vote=,n_jobs=1", "expected a value at column 11"),
        ("dtel:", "expected an option, name=value, at column 6"),
        ("dtel:vote=hard,", "expected an option, name=value, at column 16"),
        ("dtel:3", "expected an option, name=value, at column 6"),
        ("dtel:n_estimators=1.2.3", "malformed number '1.2.3' .*at column 19"),
        ("'dtel", "the quote ' is never closed at column 1"),
        ("dtel:vote='hard", "the quote ' is never closed at column 11"),
        ("dtel:estimator=cart(max_depth=3", r"'\(' is never closed at column 20"),
        ("dtel:estimator=cart(max_depth=3]", r"unexpected '\]' at column 32"),
        ("dtel:estimator=cart(max_depth=3))", r"unexpected '\)' at column 33"),
        ("sea:variant=(1,(2,3)", r"'\(' is never closed at column 13"),
        ("dtel:estimator=cart:max_depth=3", r"unexpected '=' \(write options inside options as"),
        ("a=b=dtel", "unexpected '='"),
        ("dtel:estimator=crt", "unknown learner 'crt' at column 16 .*did you mean 'cart'"),
        ("dtel:estimator=cart(depth=3)", "unknown option 'depth' .* cart at column 21 .*max_depth"),
        ("dtel:vote=hard(x=1)", "'hard' with options at column 11 .* only the option 'estimator'"),
        ("sklearn.naive_bayes.GaussNB", r"has no 'GaussNB' \(did you mean 'GaussianNB'"),
        ("no_such_module:Thing", "'no_such_module:Thing' at column 1 .*: No module named"),
        ("sklearn.svm:SCV:C=1", r"column 1 of .*: sklearn.svm has no 'SCV' \(did you mean .*'SVC'"),
        ("sklearn.svm:SVC:D=1", "unknown option 'D' of the learner sklearn.svm:SVC at column 17"),
        ("dtel:estimator=sklearn.svm:SCV", "'sklearn.svm:SCV' at column 16"),
        ("no_such_module.Thing", "'no_such_module.Thing': No module named"),
        ("learnpp.nse", r"did you mean 'learn\+\+.nse'.*: No module named"),
        (f"{__name__}.Listener", "Listener is not a class of a classifier"),
        ("sklearn.utils.check_array", "is not a class of a classifier"),
    ],
)  # fmt: skip
def test_mistakes_have_a_column(text, problem):
    with pytest.raises(ValueError, match=problem):
        read(text)


def test_mistakes_in_streams():
    with pytest.raises(ValueError, match="unknown stream 'sa'"):
        read("sa", "stream")
    with pytest.raises(ValueError, match=r"unknown stream 'sea200a'.*\(did you mean 'SEA200A'"):
        read("sea200a", "stream")
    with pytest.raises(ValueError, match=r"unknown option 'nois' of the stream sea.*'noise'"):
        read("sea:nois=0.1", "stream")
    with pytest.raises(ValueError, match="is not a class of a Stream"):
        read("sklearn.naive_bayes.GaussianNB", "stream")


def test_bad_values_are_found_when_it_is_made():
    with pytest.raises(
        ValueError, match=r"'n_estimators' parameter of dtel must be .* Got -1 instead"
    ):
        learner("dtel:n_estimators=-1")
    with pytest.raises(ValueError, match="'max_depth' parameter of cart must"):
        learner("learn++:estimator=cart(max_depth=deep)")
    with pytest.raises(ValueError, match="'var_smoothing' parameter of sklearn"):
        learner("sklearn.naive_bayes.GaussianNB:var_smoothing=-1")
    with pytest.raises(ValueError, match="'noise' parameter must be a float in the range"):
        stream("sea:noise=2")
    with pytest.raises(ValueError, match=r"the stream sea:thresholds=5 cannot be created: 'int'"):
        stream("sea:thresholds=5")


def test_a_data_set_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("DRIFTLEARN_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="'alcohol' was not found: there is no alcohol_qcm"):
        stream("alcohol")


def test_a_made_learner_is_not_fitted():
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(learner("dtel", seed=0))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=8,
)


@given(VALUES, VALUES)
def test_what_is_written_can_be_read(labels, segment):
    written = Spec("stream", "sea", {"labels": labels, "segment": segment})
    found = read(written.text, "stream")
    assert found.params == written.params
    assert repr(found.params) == repr(written.params)


def test_nested_learners_are_written_as_they_are_read():
    text = "learn++.mt:estimator=learn++(estimator=cart(max_depth=3),vote=class),n_per_chunk=2"
    assert read(text).text == text
