"""Values, arrays, identities and generators are restored; external objects are rejected."""

import collections
import fractions
import gc
import io
import json
import math
import struct
import sys
import zipfile
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from driftlearn import CARTClassifier, DTELClassifier, HoeffdingTreeClassifier, StumpClassifier
from driftlearn.io import CorruptFile, NotAllowed, _files, dumps, loads
from driftlearn.io._graph import Writer
from driftlearn.io._rebuild import Reader

NAN = struct.unpack("<d", bytes.fromhex("efbeadde0000f8ff"))[0]


def again(thing, **how):
    content = dumps(thing, **how)
    copy = loads(content, **({"allow": how["allow"]} if "allow" in how else {}))
    assert dumps(copy, **how) == content
    return copy


def exact(x):
    """Return a value with its types and bits, for exact comparison."""
    if type(x) is float:
        return "float", struct.pack("<d", x)
    if type(x) is complex:
        return "complex", exact(x.real), exact(x.imag)
    if isinstance(x, np.generic):
        return type(x), x.dtype.str, x.tobytes()
    if isinstance(x, list | tuple):
        return type(x), [exact(item) for item in x]
    if isinstance(x, dict):
        return type(x), [(exact(key), exact(item)) for key, item in x.items()]
    if isinstance(x, set | frozenset):
        return type(x), {exact(item) for item in x}
    if isinstance(x, np.ndarray):
        return x.dtype.str, x.shape, x.flags.fnc, x.tobytes(), x.flags.writeable
    return type(x), x


keys = st.one_of(st.text(), st.integers(), st.tuples(st.integers(), st.text()), st.booleans())
plain = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(width=64), st.binary(),
    st.text(st.characters()), st.complex_numbers(),
    st.sampled_from([-0.0, NAN, math.inf, -(2**53), 2**53 + 1, "\ud800", "", 5e-324]),
)  # fmt: skip
hashable = st.one_of(st.integers(), st.text(), st.floats(allow_nan=False))
values = st.recursive(
    st.one_of(plain, st.sets(hashable), st.frozensets(hashable)),
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(st.text(), inner),
        st.dictionaries(keys, inner),
    ),
    max_leaves=12,
)


@settings(max_examples=80)
@given(values)
def test_values(value):
    assert exact(again(value)) == exact(value)


@settings(max_examples=80)
@given(
    hnp.arrays(
        st.one_of(hnp.scalar_dtypes(), hnp.unicode_string_dtypes(), hnp.byte_string_dtypes()),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    st.sampled_from("CF"),
    st.booleans(),
)
def test_arrays_and_scalars(array, order, compress):
    array = np.asarray(array, order=order)
    copy = again([array, *array.ravel()[:1]], compress=compress)
    assert exact(copy) == exact([array, *array.ravel()[:1]])


def test_arrays_of_other_kinds():
    view = np.arange(12.0).reshape(3, 4)[:, ::2]
    names = np.array(["a", 1, None], dtype=object)
    record = np.zeros((2, 3), dtype=np.dtype([("a", "i1"), ("b", "f8")], align=True), order="F")
    record["b"] = 7.5
    copy = again({"view": view, "names": names, "record": record, "none": np.empty((0, 3))})
    np.testing.assert_array_equal(copy["view"], view)
    assert copy["names"].tolist() == ["a", 1, None]
    assert copy["record"].dtype == record.dtype and copy["record"].flags.fnc
    np.testing.assert_array_equal(copy["record"], record)
    assert copy["none"].shape == (0, 3)


def test_nothing_of_the_memory_leaks_between_fields():
    kind = np.dtype([("a", "i1"), ("b", "f8")], align=True)
    record = np.frombuffer(b"*secret!" + bytes(8), dtype=kind)
    assert b"secret" in record.tobytes() and b"secret" not in dumps(record)


def test_integers_have_no_limit():
    assert again([10**5000, -(10**5000)]) == [10**5000, -(10**5000)]


def test_numpy_scalars_are_not_python_numbers():
    assert [type(x) for x in again([np.float64(1), 1.0, np.bool_(True), True, np.int64(1), 1])] == [
        np.float64, float, np.bool_, bool, np.int64, int,
    ]  # fmt: skip


class Pair(NamedTuple):
    left: object
    right: object


class Slotted:
    __slots__ = ("here", "there")


class Caught:
    """Object with constructor arguments that contain it."""

    def __init__(self, inside):
        self.inside = inside

    def __reduce__(self):
        return Caught, (self.inside,)


def test_what_is_shared_stays_shared():
    array, rng, words = np.arange(3), np.random.default_rng(0), ["a"]
    both = Pair({"array": array, "rng": rng, "words": words}, [array, rng, words])
    copy = again(both, allow=__name__)
    assert type(copy) is Pair
    for one, other in zip(copy.left.values(), copy.right, strict=True):
        assert one is other
    assert copy.left["array"] is not array


def test_equal_is_not_the_same():
    one, other = again([[1], [1]])
    assert one == other and one is not other


def test_cycles():
    ring = [1]
    ring.append({"ring": ring, "tuple": (ring,)})
    copy = loads(dumps(ring))
    assert copy[1]["ring"] is copy and copy[1]["tuple"][0] is copy
    model = CARTClassifier()
    model.itself_ = model
    copy = loads(dumps(model))
    assert copy.itself_ is copy
    caught = Caught([])
    caught.inside.append(caught)
    with pytest.raises(ValueError, match="Caught has constructor arguments that contain itself"):
        dumps(caught, allow=__name__)


def test_deep_nesting_is_rejected():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        dumps(deep)


def test_other_containers():
    thing = Slotted()
    thing.here = [1]
    copy = again([thing, thing], allow=__name__)
    assert copy[0] is copy[1] and copy[0].here == [1] and not hasattr(copy[0], "there")
    some = [
        collections.OrderedDict(b=1, a=2), collections.deque([1, 2], 3), slice(1, None), range(5),
        collections.Counter("aab"), collections.defaultdict(list, {"a": [1]}),
        np.dtype("<U3"), np.dtype([("a", "i4")]), np.float32, int, CARTClassifier,
    ]  # fmt: skip
    copy = again(some)
    assert copy == some and [type(x) for x in copy] == [type(x) for x in some]
    assert copy[1].maxlen == 3 and copy[5]["new"] == []


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_generators(name):
    rng = np.random.Generator(getattr(np.random, name)(np.random.SeedSequence(5, spawn_key=(1,))))
    rng.spawn(2)
    rng.integers(10, dtype=np.uint32)
    copy, bits = again([rng, rng.bit_generator])
    assert copy.bit_generator is bits
    assert exact(copy.random(5)) == exact(rng.random(5))
    for mine, its in zip(copy.spawn(2), rng.spawn(2), strict=True):
        assert mine.random() == its.random()


def test_random_states():
    for rng in (np.random.RandomState(3), np.random.RandomState(np.random.PCG64(4))):
        rng.normal()
        copy = again(rng)
        assert exact(copy.normal(size=5)) == exact(rng.normal(size=5))


def test_same_state_same_bytes():
    assert dumps({f"{i}" for i in range(50)}) == dumps({f"{i}" for i in reversed(range(50))})


def test_files_are_readable_by_numpy_and_humans():
    content = dumps({"a": np.arange(3.0), "b": np.arange(2.0), "c": np.array(["x"])})
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        assert arrays["float64"].tolist() == [0, 1, 2, 0, 1]
        document = json.loads(arrays["document.json"])
    assert document["kind"] == "builtins:dict" and document["format"] == _files.FORMAT
    assert document["made_by"]["numpy"] == np.__version__
    assert document["tree"]["dict"]["b"] == {"array": ["float64", 3, [2]]}


def test_compressed():
    zeros = np.zeros(10_000)
    assert len(dumps(zeros, compress=True)) < 2_000 < len(dumps(zeros))


STRANGERS = [
    (lambda: 1, "builtins:function"),
    (print, "builtins:builtin_function_or_method"),
    (np.frompyfunc(len, 1, 1), "ufunc len .*cannot be saved"),
    (sys, "builtins:module"),
    (fractions.Fraction(1, 2), r"fractions:Fraction .* allow=\('fractions',\)"),
    (fractions.Fraction, r"fractions:Fraction .* allow=\('fractions',\)"),
    (np.ma.array([1]), "numpy.ma:MaskedArray|numpy.ma.core:MaskedArray"),
    ({object()}, "only sets of numbers"),
    (type("Inner", (), {})(), "not a class"),
]


@pytest.mark.parametrize("thing, message", STRANGERS)
def test_external_objects_are_not_saved(thing, message):
    with pytest.raises(NotAllowed, match=message):
        dumps(thing)


def test_the_location_of_an_external_object_is_named():
    model = make_pipeline(FunctionTransformer(print), LogisticRegression())
    with pytest.raises(NotAllowed, match=r"builtin_function.*\(found at estimator.steps.func\)"):
        dumps(DTELClassifier(model))


def test_local_classes_cannot_be_found_again():
    class Local(CARTClassifier):
        pass

    with pytest.raises(NotAllowed, match="inside a function"):
        dumps(Local(), allow=__name__)


def rebuilt(inside):
    return Odd(inside)


class Odd:
    """Object that would call a function on loading."""

    def __init__(self, inside):
        self.inside = inside

    def __reduce__(self):
        return rebuilt, (self.inside,)


def test_functions_are_not_called_even_if_their_package_is_allowed():
    with pytest.raises(
        NotAllowed, match=r"rebuilt by the function .*:rebuilt .*does not call functions"
    ):
        dumps(Odd(1), allow=__name__)


def test_allowed_external_objects():
    half = fractions.Fraction(1, 2)
    content = dumps(half, allow="fractions")
    assert loads(content, allow=("fractions",)) == half
    with pytest.raises(NotAllowed, match=r"fractions:Fraction .*allow=\('fractions',\)"):
        loads(content)


def test_scikit_learn_parameters_that_are_classes():
    encoder = OneHotEncoder(dtype=np.float32)
    assert again(encoder, allow="sklearn").dtype is np.float32


def crafted(tree, blocks=None):
    return _files.pack("crafted", tree, blocks or {}, False)


FORBIDDEN = [
    {"class": "os:system"},
    {"class": "os:_wrap_close"},
    {"class": "builtins:eval"},
    {"class": "builtins:type"},
    {"class": "numpy:ndarray"},
    {"class": "numpy:lib.npyio.NpzFile"},
    {"class": "driftlearn.x:os.system"},
    {"class": "driftlearn.base.threads:ThreadPoolExecutor"},
    {"class": "driftlearn.base.stream_classifier:np.random.Generator"},
    {"class": "driftlearn.base.stream_classifier:generator"},
    {"class": "driftlearn.__main__:main"},
    {"class": "driftlearnx:Thing"},
    {"class": "sklearn.conftest:pytest"},
    {"class": "sklearn.base:clone"},
    {"class": "sklearn.callback._scoring_monitor:ScoringMonitor"},
    {"new": "subprocess:Popen", "arguments": ["true"]},
    {"call": "sklearn.utils.parallel:Parallel", "arguments": [2]},
    {"call": "sklearn.svm._classes:SVC"},
    {"call": "builtins:list", "arguments": [{"tuple": [1]}]},
    {"restore": "os:_Environ", "state": {"dict": {}}},
    {"restorer": "sklearn.base:clone", "arguments": [1]},
    {"restorer": "os:system", "arguments": ["true"]},
    {"restorer": "sklearn.neighbors._kd_tree:KDTree", "arguments": [1]},
    {"new": "sklearn.svm._classes:SVC"},
    {"restorer": "sklearn._loss._loss:__pyx_unpickle_CyLossFunction", "arguments": [1]},
    {"bits": "default_rng", "seed": None, "state": None},
]


@pytest.mark.parametrize("tree", FORBIDDEN, ids=lambda tree: str(next(iter(tree.values()))))
def test_files_cannot_reach_what_is_not_allowed(tree):
    with pytest.raises((NotAllowed, ImportError)) as refusal:
        loads(crafted(tree))
    if tree.get("class") != "driftlearn.x:os.system":
        assert refusal.type is NotAllowed
    assert "driftlearn.__main__" not in sys.modules


@pytest.mark.parametrize(
    "tree",
    [
        {}, {"unknown": 1}, {"ref": 0}, [{"ref": -1}], {"array": ["float64", 0, [1]]},
        {"array": ["f", 1, [3]]}, {"array": ["f", -1, [1]]}, {"array": ["f", 0, [-1, -2]]},
        {"dict": 3}, {"int": "x"}, {"generator": 3}, {"restore": "sklearn.dummy:DummyClassifier"},
        {"new": "driftlearn.tree.cart:CARTClassifier", "state": 3}, {"scalar": ["O", ""]},
        {"generator": {"bits": "PCG64", "seed": {"int": "0x0"}, "state": None}},
    ],
    ids=str,
)  # fmt: skip
def test_senseless_documents(tree):
    with pytest.raises(CorruptFile, match="the content does not describe a valid object"):
        loads(crafted(tree, {"f": (np.dtype("f8"), [bytes(24)])}))


def test_a_newer_format(monkeypatch):
    monkeypatch.setattr(_files, "FORMAT", _files.FORMAT + 1)
    content = dumps(1)
    monkeypatch.undo()
    with pytest.raises(CorruptFile, match="saved by a newer version"):
        loads(content)


def test_a_class_that_is_gone():
    with pytest.raises(ImportError, match=r"driftlearn\.tree\.cart:OldClassifier does not exist"):
        loads(crafted({"new": "driftlearn.tree.cart:OldClassifier"}))


X = np.random.default_rng(0).random((200, 2))
Y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)
TREES = {"skl": DecisionTreeClassifier(), "cart": CARTClassifier()}


def opened(content):
    """Return the document text and the long arrays, for repacking."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
        blocks = {name[:-4]: np.load(io.BytesIO(archive.read(name))) for name in arrays}
        text = archive.read("document.json").decode()
    return text, {name: (array.dtype, [array.tobytes()]) for name, array in blocks.items()}


def edited(model, old, new):
    """Return the content of a model with one part of its document replaced."""
    text, blocks = opened(dumps(model))
    assert old in text
    return crafted(json.loads(text.replace(old, new))["tree"], blocks)


@pytest.mark.parametrize(
    "field, value", [("left_child", 10**7), ("right_child", -5), ("left_child", 0), ("feature", 2)]
)
def test_crafted_scikit_learn_trees(field, value):
    model = clone(TREES["skl"]).fit(X, Y)
    state = model.tree_.__getstate__()
    state["nodes"][field][0] = value
    model.tree_.__setstate__(state)
    with pytest.raises(CorruptFile, match="a tree node"):
        loads(dumps(model))


def test_crafted_sizes_of_scikit_learn_trees():
    model = clone(TREES["skl"]).fit(X, Y)
    count = model.tree_.node_count
    with pytest.raises(CorruptFile, match=f"'node_count' of Tree is 999, but it has {count} nodes"):
        loads(edited(model, f'"node_count":{count}', '"node_count":999'))
    with pytest.raises(CorruptFile, match="does not match its trees"):
        loads(edited(model, '"n_features_in_":2', '"n_features_in_":1'))


@pytest.mark.parametrize(
    "attribute, value, message",
    [
        ("left_", 10**6, "child"), ("right_", 0, "child"), ("feature_", 2, "feature"),
        ("left_", None, "length"), ("threshold_", None, "length"), ("value_", None, "value_"),
    ],
)  # fmt: skip
def test_crafted_cart(attribute, value, message):
    model = clone(TREES["cart"]).fit(X, Y)
    if value is None:
        setattr(model, attribute, getattr(model, attribute)[:-1])
    else:
        getattr(model, attribute)[0] = value
    with pytest.raises(CorruptFile, match=message):
        loads(dumps(model))


@pytest.mark.parametrize(
    "name, change",
    [
        ("feature", lambda a: a + 9), ("child", lambda a: a + 99), ("child", lambda a: a - 99),
        ("mean", lambda a: a[:-1]), ("counts", lambda a: a[:, :1]), ("depth", lambda a: a[:1]),
        ("offset", lambda a: a - 1), ("n_values", lambda a: a + 1), ("nominal", lambda a: a[:1]),
        ("slot", lambda a: a - 1), ("slot", lambda a: a * 0), ("slot", lambda a: a + 1),
        ("slot", lambda a: a[:-1]), ("slot", lambda a: a * 0 - 1), ("slot", lambda a: None),
        ("slot", lambda a: a * 0.5), ("max_nodes", lambda n: 0), ("max_nodes", lambda n: 2**31),
        ("max_nodes", lambda n: None), ("max_bytes", lambda n: -1), ("max_bytes", lambda n: 2**70),
        ("max_bytes", lambda n: 1e9),
    ],
)  # fmt: skip
def test_crafted_hoeffding_trees(name, change):
    model = HoeffdingTreeClassifier(grace_period=10, tie_threshold=1.0).fit(X, Y)
    assert model.size_ > 1
    state = model.model_.get_state()
    assert loads(as_tree(state)).get_state()["child"].tolist() == state["child"].tolist()
    with pytest.raises(CorruptFile, match=r"(?i)tree|nominal"):
        loads(as_tree({**state, name: change(state[name])}))


def as_tree(state):
    """Return the content of a Hoeffding tree with any state."""
    text, blocks = opened(dumps(state))
    name = "driftlearn.tree._hoeffding_model:HoeffdingTreeModel"
    return crafted({"restore": name, "state": json.loads(text)["tree"]}, blocks)


def test_no_reference_cycles():
    """Written and loaded objects are freed immediately, without garbage collection."""
    state = {"many": [np.arange(1000) for _ in range(3)], "model": StumpClassifier()}
    content = dumps(state)

    def at_work():
        return sum(isinstance(thing, Writer | Reader) for thing in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = at_work()
        dumps(state)
        loads(content)
        assert at_work() == before
    finally:
        gc.enable()
