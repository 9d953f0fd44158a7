import json

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from driftlearn import CARTClassifier, DTELClassifier, FuzzyARTMAPClassifier, LearnPPNSEClassifier
from driftlearn.bench.papers import EXPERIMENTS
from driftlearn.specs.catalogue import LEARNERS
from driftlearn.specs.grammar import read
from driftlearn.specs.spec import Spec
from driftlearn.streams import (
    SEA,
    STREAMS,
    ClassSchedule,
    GaussianClasses,
    LabelNoise,
    Laser,
    Sine,
    Stream,
    from_arrays,
    from_csv,
    load,
    make_stream,
)

GENERATED = [
    *("sea", "checkerboard", "rot", "cir", "sin", "sta", "gaussian", "rbf", "led", "agrawal"),
    *("hyperplane", "sine", "mixed", "random-tree", "waveform", "asset-negotiation"),
]
PARTS = {
    "drifting": {
        "concepts": (Sine(1), LabelNoise(Sine(2), noise=0.2)),
        "order": (0, 1, 0),
        "transition": "sigmoid",
        "width": 20,
        "n_rows": 90,
    },
    "label-noise": {"stream": SEA()},
    "class-imbalance": {"stream": SEA(), "ratios": ((1, 3), (3, 1)), "drift_at": (20,)},
    "class-runs": {"stream": SEA(), "span": 30},
    "missing-values": {"stream": GaussianClasses()},
    "irrelevant-features": {"stream": load("wine")},
    "random-rows": {"stream": load("wine", holdout=20)},
}
WITHOUT_FILES = {*GENERATED, *PARTS, "poker-hands", "wine", "schedule-wine"}
PAPER_STREAMS = [
    pytest.param(make, id=f"{experiment.paper}-{experiment.item}-{name}", marks=[
        pytest.mark.data for _ in range(name in (
            "Covertype", "PokerHand", "Electricity", "OCR", "gas", "alcohol", "Santa Fe"
        ))
    ])
    for experiment in EXPERIMENTS
    for name, make in experiment.streams.items()
]  # fmt: skip


def describe(made):
    return Spec.of(made).json()


def build(description):
    return Spec.of_json(description).make()


def text(description):
    return json.dumps(description, sort_keys=True)


def rebuilt(obj):
    """Return an object after a round trip through JSON, and check its new description."""
    description = describe(obj)
    made = build(json.loads(json.dumps(description)))
    assert text(describe(made)) == text(description)
    return made


def assert_same_stream(one, other):
    assert repr(one) == repr(other) and one.name == other.name
    for values, expected in zip(one.take(40), other.take(40)):
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: f"{e.paper}-{e.item}")
def test_learners_of_the_papers(experiment):
    for learner in experiment.learners.values():
        assert repr(rebuilt(learner)) == repr(learner)


@pytest.mark.parametrize("make", PAPER_STREAMS)
def test_streams_of_the_papers(make):
    stream = make(3)
    assert_same_stream(rebuilt(stream), stream)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in WITHOUT_FILES or name[3:6].isdigit()
                     else pytest.mark.data)
        for name in STREAMS
    ],
)  # fmt: skip
def test_streams_by_name(name):
    stream = make_stream(name, **PARTS.get(name, {}), random_state=2)
    assert_same_stream(rebuilt(stream), stream)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_by_name(name):
    made = read(name).make()
    assert describe(made) == {"class": LEARNERS[name].path, "params": {}}
    assert type(rebuilt(made)) is LEARNERS[name].make
    assert Spec.of(made).text == name


@pytest.mark.parametrize(
    "learner",
    [
        FuzzyARTMAPClassifier(bounds=(-3, 3)),
        FuzzyARTMAPClassifier(bounds=np.array([[0.0, 1.0], [2.0, np.inf]])),
        SVC(class_weight={0: 1.0, 1: 5.0}, gamma=2.0),
        DecisionTreeClassifier(max_features=1),
        DecisionTreeClassifier(max_features=1.0),
        KNeighborsClassifier(metric_params={"w": [1, 2]}),
        make_pipeline(StandardScaler(), LearnPPNSEClassifier(CARTClassifier(max_depth=2))),
    ],
    ids=repr,
)
def test_kinds_of_parameters(learner):
    made = rebuilt(learner)
    assert repr(made) == repr(learner)
    for key, value in learner.get_params(deep=False).items():
        assert type(getattr(made, key)) is type(value)


def test_arrays_keep_type_and_shape():
    bounds = np.array([[0, 1, 2], [3, 4, 5]], dtype=np.float32)
    made = rebuilt(FuzzyARTMAPClassifier(bounds=bounds)).bounds
    assert made.dtype == bounds.dtype and made.shape == (2, 3)
    np.testing.assert_array_equal(made, bounds)
    assert rebuilt(FuzzyARTMAPClassifier(bounds=np.empty((2, 0)))).bounds.shape == (2, 0)
    stream = GaussianClasses(labels=np.array(["a", "b", "c", "d"]), random_state=0)
    np.testing.assert_array_equal(rebuilt(stream).labels, stream.labels)


def test_only_what_is_not_the_default():
    assert describe(DTELClassifier(n_estimators=25)) == describe(DTELClassifier())
    assert describe(SEA(n_rows=50_000, random_state=0))["params"] == {"random_state": 0}
    whole, share = (describe(DecisionTreeClassifier(max_features=m)) for m in (1, 1.0))
    assert text(whole) != text(share)


def test_equal_objects_have_equal_descriptions():
    pairs = [
        (SVC(class_weight={0: 1, 1: 2}), SVC(class_weight={1: 2, 0: 1})),
        (SVC(gamma=np.float64(0.5)), SVC(gamma=0.5)),
        (DTELClassifier(n_estimators=np.int64(25)), DTELClassifier()),
        (SEA(thresholds=[8, 9], random_state=1), SEA(thresholds=(8, 9), random_state=np.int64(1))),
    ]
    for one, other in pairs:
        assert text(describe(one)) == text(describe(other))
    assert text(describe(SEA(random_state=1))) != text(describe(SEA(random_state=2)))


def test_streams_without_a_seed_are_described_with_the_one_they_drew():
    stream = SEA()
    assert_same_stream(rebuilt(stream), stream)


def test_files_and_data_sets(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,label\n" + "1,2,x\n3,4,y\n" * 30)
    stream = from_csv(path, "label", name="mine")
    assert_same_stream(rebuilt(stream), stream)
    stream = load("wine", n_rows=100, holdout=0.2, random_state=3)
    assert_same_stream(rebuilt(stream), stream)


class Mine(Stream):
    """A user's own stream."""

    name = "mine"

    def __init__(self, width: int = 2) -> None:
        self.width = width


def test_custom_streams():
    stream = Mine(width=5)
    stream.name = "wide"
    assert describe(stream) == {"class": f"{__name__}:Mine", "params": {"width": 5}, "name": "wide"}


def test_what_cannot_be_described():
    rows = from_arrays(np.zeros((5, 2)), np.arange(5), name="own")
    with pytest.raises(ValueError, match=r"the stream 'own' holds rows in memory.*from_csv"):
        describe(rows)
    with pytest.raises(ValueError, match="the stream 'arrays' holds rows in memory"):
        describe(ClassSchedule(from_arrays(np.zeros((4, 1)), [0, 0, 1, 1]), [[1, 1]], [1, 1]))
    with pytest.raises(
        ValueError, match=r"series of .*Laser is an array of 4009 values, above the limit"
    ):
        describe(Laser(series=np.sin(np.arange(4_009.0)), random_state=0))
    with pytest.raises(ValueError, match=r"func of .*FunctionTransformer is a function. Only"):
        describe(make_pipeline(FunctionTransformer(func=np.testing.assert_equal)))
    with pytest.raises(ValueError, match=r"random_state of .* is a RandomState"):
        describe(SGDClassifier(random_state=np.random.RandomState(0)))
    for thing in ([(np.zeros((2, 2)), [0, 1])], SVC, 3):
        with pytest.raises(ValueError, match="only estimators with get_params and streams"):
            describe(thing)

    class Local(SVC):
        pass

    with pytest.raises(
        ValueError, match="cannot be imported: define it at the top level of a module"
    ):
        describe(Local())


@pytest.mark.parametrize(
    ("description", "problem"),
    [
        (None, "None does not describe a learner or stream"),
        ({"params": {}}, "does not describe a learner or stream: 'class'"),
        ({"class": "sklearn.svm:SVC"}, "does not describe a learner or stream: 'params'"),
        ({"class": 3, "params": {}}, "does not describe"),
        ({"class": "", "params": {}}, "does not describe"),
        ({"class": "no_such:Thing", "params": {}}, "No module named 'no_such'"),
        ({"class": "sklearn.svm:SCV", "params": {}}, "has no attribute 'SCV'"),
        ({"class": "sklearn.svm:SVC", "params": {"C": {"odd": 1}}}, "does not describe"),
        ({"class": "os:getcwd", "params": {}}, "'os:getcwd' is neither an estimator class"),
        ({"class": "fractions:Fraction", "params": {}}, "is neither an estimator class"),
        ({"class": "sklearn.svm:SVC", "params": {"D": 1}}, "SVC:D=1 cannot be created: .*'D'"),
    ],
)
def test_what_cannot_be_built(description, problem):
    with pytest.raises(ValueError, match=problem):
        build(description)


def test_as_text():
    assert Spec.of(SVC(C=10, gamma=2.0)).text == "sklearn.svm:SVC:C=10,gamma=2.0"
    text = "driftlearn.streams:SEA:noise=0.2,random_state=4"
    assert Spec.of(SEA(noise=0.2, random_state=4)).text == text
    for made in (
        LearnPPNSEClassifier(CARTClassifier(max_depth=3), slope=0.6, random_state=1),
        LearnPPNSEClassifier(SVC(C=10)),
    ):
        assert repr(read(Spec.of(made).text).make()) == repr(made)
    wine = make_stream("wine", n_rows=50)
    assert_same_stream(read(Spec.of(wine).text, "stream").make(), wine)


def test_paths_are_public_and_outlive_files():
    """Stored descriptions contain public names, not the modules that define them."""
    assert describe(DTELClassifier())["class"] == "driftlearn:DTELClassifier"
    assert describe(SEA(random_state=0))["class"] == "driftlearn.streams:SEA"
    assert describe(SVC())["class"] == "sklearn.svm:SVC"
    assert describe(load("wine"))["class"] == "driftlearn.streams:RealStream"
    old = {
        "class": "driftlearn.ensemble.chunk.moved_since:LearnPPNSEClassifier",
        "params": {
            "estimator": {"class": "driftlearn.trees:CARTClassifier", "params": {"max_depth": 3}}
        },
    }
    made = LearnPPNSEClassifier(CARTClassifier(max_depth=3))
    assert repr(build(old)) == repr(made) and Spec.of_json(old).json() == describe(made)
    old = {"class": "driftlearn.streams._old:SEA", "params": {"random_state": 3}, "name": "mine"}
    assert_same_stream(build(old), build(describe(build(old))))
    with pytest.raises(ValueError, match=r"does not describe a learner or stream: .*never"):
        build({"class": "driftlearn.never:NeverClassifier", "params": {}})
