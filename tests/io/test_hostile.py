"""Crafted files are rejected with a message, or are harmless."""

import io
import pkgutil
import warnings
import zipfile
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

import driftlearn
from driftlearn import (
    AUE2Classifier,
    CARTClassifier,
    DICClassifier,
    DTELClassifier,
    DYNSEClassifier,
    FuzzyARTMAPClassifier,
    GaussianNBClassifier,
    IBoostClassifier,
    LearnPPClassifier,
    LearnPPUDClassifier,
    MLPGoalClassifier,
    OnlineBaggingClassifier,
    OnlineBoostClassifier,
    SEAClassifier,
    TIXClassifier,
)
from driftlearn.compat.capymoa import MOAClassifier
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.ensemble._row_window import RowWindow
from driftlearn.io import CorruptFile, NotAllowed, _files, dumps, loads
from driftlearn.io.schema import Field, InvalidStateError, check, is_stored
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.preprocessing import Frozen
from driftlearn.streams import Stream
from tests.io import fuzzing

N_FILES = 400


def sealed(tree, blocks=None):
    return _files.pack("crafted", tree, blocks or {}, False)


def packages():
    skipped = {"driftlearn.__main__", "driftlearn.cli._demo_page"}
    engines = {"bytewax": ("bytewax", "bytewax_run"), "pyspark": ("spark", "spark_run")}
    for library, names in engines.items():  # which no saved object is built from
        if find_spec(library) is None:
            skipped |= {f"driftlearn.ops.keyed.{name}" for name in names}
    for module in pkgutil.walk_packages(driftlearn.__path__, "driftlearn."):
        if module.name not in skipped:
            yield import_module(module.name)


def stored_classes():
    """Return the classes that can be saved, and their parts."""
    ours = [
        thing
        for module in packages()
        for thing in vars(module).values()
        if isinstance(thing, type) and thing.__module__ == module.__name__
    ]
    kinds = BaseEstimator, Stream
    return {kind for kind in ours if hasattr(kind, "get_state") or issubclass(kind, kinds)}


def test_every_stored_class_declares_its_state():
    kinds = stored_classes()
    assert len(kinds) > 50
    elsewhere = {kind for kind in kinds if issubclass(kind, MOAClassifier)}  # external states
    forgotten = [kind for kind in kinds - elsewhere if not is_stored(kind)]
    assert not forgotten and not any(map(is_stored, elsewhere))
    for kind in kinds - elsewhere:
        assert all(isinstance(field, Field) for field in kind.STATE.values()), kind


def test_engines_declare_every_stored_attribute():
    X, y = fuzzing.rows()
    X = np.where(X > 0.9, np.nan, X)  # naive Bayes stores more once it has met a missing value
    model = IBoostClassifier(window_size="adwin", max_window=30).partial_fit(X, y)
    chain = OnlineBoostClassifier(n_estimators=2).partial_fit(X, y)
    for thing in (
        model.engine_, model.committee_, model.committee_.window, model.committee_.models,
        model.engine_.adwin, chain.engine_, chain.committee_, *chain.committee_.models,
    ):  # fmt: skip
        assert list(type(thing).STATE) and set(thing.get_state()) == set(type(thing).STATE)


@pytest.mark.parametrize(
    "tree",
    [
        {"scalar": ["|O", "41" * 8]}, {"scalar": ["O,O", "41" * 16]}, {"dtype": "|O"},
        {"dtype": [{"tuple": ["a", "|O"]}]}, {"scalar": ["<f8", "41"]},
        {"objects": [10**9], "items": []}, {"array": ["f", 0, [10**12]]},
        {"array": ["f", 0, [0, 2**62]]}, {"array": ["f", 0, [2**40, 2**40]]},
        {"call": "collections:deque", "arguments": [{"call": "builtins:range", "arguments": [9]}]},
        {"new": "builtins:bytes", "arguments": [10**10]},
        {"new": "numpy:bytes_", "arguments": [10**10]},
        {"new": "driftlearn.naive_bayes._naive_bayes:NaiveBayesModel"},
        {"call": "driftlearn.naive_bayes._naive_bayes:NaiveBayesModel", "arguments": [2, 2]},
        {"restore": "driftlearn.base._online_model:OnlineModel", "state": {"dict": {}}},
        {"new": "driftlearn.bench.workbench.store:Store"},
        {"int": "0x" + "f" * 2**20},
        {"entropy": 1, "spawn_key": {"tuple": []}, "pool_size": 10**9, "spawned": 0},
        [[{"new": "driftlearn.tree.cart:CARTClassifier", "state": {"dict": {"predict": 3}}}]],
    ],
    ids=lambda tree: str(tree)[:60],
)  # fmt: skip
def test_crafted_documents_are_refused(tree):
    with pytest.raises((CorruptFile, NotAllowed)):
        loads(sealed(tree, {"f": (np.dtype("f8"), [bytes(24)])}))


def test_arrays_of_objects_are_not_made_from_bytes():
    content = sealed({"array": ["f", 0, [1]]}, {"f": (np.dtype("O"), [b"A" * 8])})
    with pytest.raises(CorruptFile, match="dtype"):
        loads(content)


def test_generators_do_not_read_outside_of_themselves():
    content = dumps(np.random.Generator(np.random.MT19937(1)))
    tree, blocks = fuzzing.opened(content)
    state = tree["generator"]["state"]["dict"]["state"]["dict"]
    state["pos"] = 10**6
    with pytest.raises(CorruptFile, match=r"'pos' of MT19937 must be an int .* Got 1000000"):
        loads(sealed(tree, {name: (a.dtype, [a.tobytes()]) for name, a in blocks.items()}))


def test_large_expansion_needs_permission():
    content = dumps(np.zeros(2**26), compress=True)
    assert len(content) < 2**20
    with pytest.raises(CorruptFile, match="max_bytes=") as refusal:
        loads(content)
    most = int(str(refusal.value).split("max_bytes=")[1].rstrip("."))
    assert len(loads(content, max_bytes=most)) == 2**26


def test_a_document_of_too_many_values_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_files.DOCUMENT, "[" + "[]," * 2**22 + "1]")
        archive.comment = _files.SEAL + b"0" * _files.DIGITS
    body = out.getvalue()[: -_files.DIGITS]
    with pytest.raises(CorruptFile, match="values"):
        loads(body + sha256(body).hexdigest().encode())


@pytest.mark.parametrize(
    "thing, change",
    [
        (AdaptiveWindow(), {"count": np.array([7], dtype=np.int32)}),
        (AdaptiveWindow(), {"width": 5}),
        (AdaptiveWindow(), {"clock": 0}),
        (AdaptiveWindow(), {"bucket_sum": np.zeros((1, 2))}),
        (RowWindow(2, 2, 3), {"size": 10**9}),
        (RowWindow(2, 2, 3), {"n_classes": 2**31 - 1}),
        (RowWindow(2, 2, 3), {"codes": np.zeros((0, 1))}),
        (NaiveBayesModel(2, 2), {"mean": np.zeros((2, 3))}),
        (NaiveBayesModel(2, 2), {"weight": np.array([1.0, np.nan])}),
        (NaiveBayesModel(2, 2), {"weight_seen": 3.0}),
        (NaiveBayesModel(2, 2), {"n_classes": 2**40}),
    ],
    ids=lambda x: str(x)[:30],
)
def test_states_that_do_not_fit(thing, change):
    state = thing.get_state()
    check(type(thing), state)
    with pytest.raises(InvalidStateError):
        check(type(thing), {**state, **change})


def test_a_number_in_the_place_of_a_model():
    X, y = fuzzing.rows()
    tree, blocks = fuzzing.opened(dumps(OnlineBoostClassifier(n_estimators=2).fit(X, y)))
    packed = {name: (a.dtype, [a.tobytes()]) for name, a in blocks.items()}
    loads(sealed(tree, packed))
    for owner, key in fuzzing.places(tree, []):
        if key == "models":
            owner[key][1] = 5
            break
    with pytest.raises(CorruptFile, match="'models' of OnlineCommittee must be an OnlineModel"):
        loads(sealed(tree, packed))


def test_nothing_compiled_is_made_of_what_is_around_it():
    model = NaiveBayesModel(2, 2)
    model.learn_many(np.array([[0.0, np.nan]]), np.zeros(1, dtype=np.intp), np.ones(1))
    tree, blocks = fuzzing.opened(dumps([model]))
    tree[0]["state"]["dict"]["more"] = {"ref": 0}
    packed = {name: (a.dtype, [a.tobytes()]) for name, a in blocks.items()}
    assert set(model.get_state()) == set(NaiveBayesModel.STATE)
    with pytest.raises(CorruptFile, match="refers to an object that contains it"):
        loads(sealed(tree, packed))


def test_methods_are_no_state():
    assert isinstance(GaussianNBClassifier.fit, FunctionType)
    with pytest.raises(InvalidStateError, match="'fit' of GaussianNBClassifier is a method"):
        check(GaussianNBClassifier, {"fit": 3})


@pytest.mark.parametrize(
    "learner, work",
    [
        (LearnPPUDClassifier(), {"n_per_chunk": 2**31}),
        (LearnPPClassifier(), {"sample_size": 2**31 - 1}),
        (FuzzyARTMAPClassifier(), {"epochs": 10**6}),
        (IBoostClassifier(), {"n_estimators": 10**5, "window_size": 10**5}),
        (MLPClassifier(), {"hidden_layer_sizes": (5, 2**15)}),
        (SEAClassifier(CARTClassifier()), {"n_jobs": 10**6}),
    ],
    ids=lambda x: str(x)[:40],
)
def test_work_requested_by_files_is_limited(learner, work):
    loads(dumps(learner))
    content = dumps(clone(learner).set_params(**work))
    name = next(iter(work))
    with pytest.raises(CorruptFile, match=f"'{name}' of .* above the limit .* set max_work="):
        loads(content)
    assert loads(content, max_work=2**31).get_params()[name] == work[name]
    loads(dumps(DTELClassifier(random_state=2**32 - 1)))


def test_engine_options_have_the_limits_of_learners():
    X, y = fuzzing.rows()
    tree, blocks = fuzzing.opened(dumps(IBoostClassifier(n_estimators=5).fit(X, y)))
    options = next(o for o, key in fuzzing.places(tree, []) if key == "options")["options"]
    options["dict"]["n_updates"] = 10**6
    packed = {name: (a.dtype, [a.tobytes()]) for name, a in blocks.items()}
    with pytest.raises(CorruptFile, match="'n_updates' of IBoost is 1000000"):
        loads(sealed(tree, packed))


def without(name):
    return lambda state: state.pop(name)


def cut(name):
    return lambda state: state.update({name: state[name][:-1]})


def above(name):
    return lambda state: state.update({name: state[name] + 99})


@pytest.mark.parametrize(
    "learner, spoil, problem",
    [
        (MLPGoalClassifier(max_iter=5), cut("coefs_"), "layers of a network"),
        (MLPGoalClassifier(max_iter=5), cut("outputs_"), "layers of a network"),
        (MLPGoalClassifier(max_iter=5), without("data_min_"), "ranges"),
        (MLPGoalClassifier(max_iter=5), cut("data_range_"), "'data_range_' .* Got 1"),
        (DTELClassifier(), without("archive_"), "'archive_' of DTELClassifier is missing"),
        (
            DTELClassifier(),
            lambda state: state["archive_"].numbers.pop("seed"),
            "created_at and seed",
        ),
        (
            DTELClassifier(),
            lambda state: state["committee_"].numbers.pop("weight"),
            "an id and a weight",
        ),
        (DTELClassifier(), without("rng_"), "no random generator"),
        (DICClassifier(), cut("validation_weight_"), "'validation_weight_' .* must have length"),
        (DICClassifier(), cut("correct_"), "missing or incomplete"),
        (DYNSEClassifier(), cut("validation_weight_"), "'validation_weight_' .* must have length"),
        (DYNSEClassifier(), cut("correct_"), "missing or incomplete"),
        (DYNSEClassifier(), without("validation_y_"), "have no classes"),
        (DYNSEClassifier(), without("validation_step_"), "have no classes"),
        (DYNSEClassifier(), above("validation_y_"), "'validation_y_' .* numbers below"),
        (LearnPPClassifier(), cut("counts_"), "chunk that does not exist"),
        (
            LearnPPClassifier(),
            lambda state: state["committee_"].numbers.pop("trained_on"),
            "trained_on",
        ),
        (TIXClassifier(), without("sources_"), "model that predicts is missing"),
        (TIXClassifier(recursive=True), without("known_"), "classes of the source models"),
        (
            SEAClassifier(),
            lambda state: state.update(newest_=3),
            "'newest_' .* must have the method 'predict'",
        ),
    ],
    ids=lambda x: "" if callable(x) else str(x)[:40],
)
def test_further_attributes_of_learners_are_validated(learner, spoil, problem):
    X, y = fuzzing.rows()
    model = clone(learner).set_params(random_state=0)
    getattr(model, "partial_fit", model.fit)(X, y)
    state = dict(model.__getstate__())
    check(type(model), state)
    spoil(state)
    with pytest.raises(InvalidStateError, match=problem):
        check(type(model), state)


def no_classes(model):
    del model.classes_


def no_numbers(model):
    for name in ("theta_", "coef_", "mean_"):
        if hasattr(model, name):
            setattr(model, name, "none")


@pytest.mark.parametrize("spoil", [no_classes, no_numbers])
@pytest.mark.parametrize(
    "ensemble",
    [
        SEAClassifier(GaussianNB()),
        AUE2Classifier(SGDClassifier()),
        OnlineBaggingClassifier(SGDClassifier(), 2),
        OnlineBaggingClassifier(GaussianNB(), 2),
        IBoostClassifier(GaussianNB(), n_estimators=3, window_size=30),
    ],
    ids=lambda model: str(model)[:40],
)
def test_an_external_member_that_lacks_something(ensemble, spoil):
    """Rejected with the file, or later with a message that names the member."""
    X, y = fuzzing.rows()
    model = clone(ensemble).set_params(random_state=0).fit(X, y)
    members = external_members(model)
    assert members
    for member in members:
        spoil(member)
    try:
        again = loads(dumps(model))
    except CorruptFile:
        return
    for use in (again.predict, again.predict_proba):
        with pytest.raises(ValueError, match=type(members[0]).__name__):
            use(X)
    with pytest.raises((ValueError, RuntimeError)):
        again.partial_fit(X, y)


def external_members(model):
    """Return the scikit-learn models in an ensemble."""
    return [each for each in model.estimators_ if type(each).__module__.startswith("sklearn")]


def test_a_transformer_that_lacks_something():
    X, _ = fuzzing.rows()
    frozen = Frozen(StandardScaler(), rows=20).partial_fit(X)
    frozen.transformer_.scale_ = "none"
    again = loads(dumps(frozen))
    for use in (again.transform, again.transform_then_learn):
        with pytest.raises(
            ValueError, match=r"transform of StandardScaler failed with .*train it again"
        ):
            use(X)


def test_external_models_without_classes():
    """Members with buffered rows and without classes abstain."""
    X, y = fuzzing.rows()
    model = OnlineBaggingClassifier(SEAClassifier(chunk_size=500), 2, random_state=0)
    again = loads(dumps(model.partial_fit(X[:8], y[:8])))
    assert again.predict(X[:2]).tolist() == model.classes_[[0, 0]].tolist()


@pytest.mark.compiled
def test_changed_files_are_refused_or_harmless():
    """A small part of the command's runs; here a crash ends the test run."""
    files = fuzzing.originals()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = [fuzzing.trial(files, 0, number)[1] for number in range(N_FILES)]
    assert 0.5 * N_FILES < outcomes.count("refused") < N_FILES
    assert not [outcome for outcome in outcomes if outcome.startswith("loading")]
