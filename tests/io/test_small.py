"""Small contents: the same objects after the same checks as files, in fewer bytes."""

import json
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.io import CorruptFile, NotAllowed, _small, dumps, dumps_small, loads
from driftlearn.io._codec import DEPTH, Words, decoded, encoded
from driftlearn.ops.keyed import KeyedLearner
from tests.io import words_of_today

OLD = Path(__file__).parent / "small_0.1.0.zip"
WORDS = Words("large", "name size")
THINGS = [
    None, True, False, 0, 63, 64, -1, 2**53, -(2**53), 2**70, 0.0, -0.0, 1.0, 2.5, -3.0, 1e300,
    float("inf"), "", "large", "a b", "\ud800", "ü", [], [[1], {}], {"name": 1, "size": "large"},
    {"new": "keys"}, {1: 2}, (1, (2,)), {3, 4}, b"\0\1", np.float32(0.5), np.zeros((0, 3)),
    np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array("a"),
    np.array([("a", 1)], dtype=[("x", "U1"), ("y", "i4", (1,))]), np.array(["2024-01-01"], "M8[D]"),
    np.array([None, "x"], dtype=object), np.random.default_rng(7),
]  # fmt: skip


def a_state():
    learner = KeyedLearner("hoeffding:grace_period=20", kinds={"x": "number", "y": "category"})
    state = learner.new_state()
    x = np.random.default_rng(1).normal(size=80)
    table = {"x": x, "y": np.where(x > 0.3, "high", "low").astype(object)}
    learner.learn(state, table, np.where(x > 0, "yes", "no").tolist())
    return learner, state, table


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: repr(thing).split(" at ")[0][:30])
def test_small_contents_equal_files(thing):
    content = dumps_small([thing, thing])
    copy = loads(content)
    assert dumps(copy) == dumps([thing, thing]) and dumps_small(copy) == content


def test_old_states_continue():
    learner, state, table = a_state()
    old, new = dumps(state, compress=True), learner.dumps(state)
    assert len(new) < len(old) / 2
    copy = learner.loads(old)
    assert learner.dumps(copy) == new
    labels = ["no"] * len(table["x"])
    assert learner.learn(copy, table, labels) == learner.learn(state, table, labels)
    assert learner.dumps(copy) == learner.dumps(state)


def test_every_changed_byte_is_found():
    content = dumps_small(GaussianNBClassifier())
    for place in range(len(content)):
        for changed in (content[:place], content[:place] + b"\xff" + content[place + 1 :]):
            if changed != content:
                with pytest.raises(CorruptFile):
                    loads(changed)


def test_newer_formats_and_keys_are_reported():
    content = dumps_small([1])
    body = content[:3] + bytes([9]) + content[4 : -_small.SEAL]
    with pytest.raises(CorruptFile, match=r"newer version of driftlearn .state format 9"):
        loads(body + sha256(body).digest()[: _small.SEAL])
    with pytest.raises(CorruptFile, match="never signed"):
        loads(content, key="0123456789abcdef")


def test_the_word_list_of_a_released_format_never_changes():
    """The word list is part of the format: a change would make contents unreadable."""
    content = Path(_small.__file__).with_name("words-1.txt").read_bytes()
    digest = sha256(content).hexdigest()
    assert digest == "27756863f7765162f7a966aaf2a0409b29253c8a66bd6e15754028fd3def9eaf"
    assert _small.NUMBER == 2


@pytest.mark.parametrize("spec", words_of_today.KEYED)
def test_states_of_the_first_format_are_read_and_are_not_larger_in_this_one(spec):
    """The word list has the current names: `python tests/io/words_of_today.py` writes it."""
    with zipfile.ZipFile(OLD) as archive:
        content = archive.read(f"{spec}.dls")
        expected = json.loads(archive.read("expected.json"))[spec]
    learner, fresh = words_of_today.keyed(spec, 80)
    state = learner.loads(content)
    x = np.linspace(-1, 1, len(expected))
    table = {
        "a number": x,
        "a category": np.where(x > 0.3, "is high", "is low").astype(object),
    }
    assert learner.predict(state, table).labels == expected
    # Logistic regression has weights of each category now.
    more = {"logistic": 1.25, "no-change": 1.07, "artmap": 1.06}  # these have more state now
    assert len(learner.dumps(fresh)) <= len(content) * more.get(spec, 1.02)


def crafted(tree, arrays=(), tail=b""):
    document = {"format": 2, "made_by": {}, "tree": tree, "arrays": list(arrays)}
    return _small.sealed(encoded(document, _small.words(_small.NUMBER)) + tail)


@pytest.mark.parametrize(
    "content",
    [
        crafted({"array": ["f", 0, [2]]}, [["f", "|O", 16]], bytes(16)),
        crafted({"array": ["f", 0, [3]]}, [["f", "<f8", 16]], bytes(16)),
        crafted({"array": ["f", 0, [2]]}, [["f", "<f8", 24]], bytes(16)),
        crafted({"array": ["f", 0, [2]]}, [["f", "<f8", 15]], bytes(15)),
        crafted({"array": ["f", 0, [2]]}, [["f", "<f8", -8]], bytes(16)),
        crafted({"array": ["f", -1, [1]]}, [["f", "<f8", 16]], bytes(16)),
        crafted({"array": ["f", 0, []]}, [["f", "<f8", 0]]),
        crafted({"array": ["f", 0, [2**40, 2**40]]}, [["f", "<f8", 16]], bytes(16)),
        crafted({"objects": [10**9], "items": []}),
        crafted([{"ref": 1}]), crafted([{"ref": -1}]), crafted([{"ref": "a"}]), crafted({}),
        crafted(1, tail=b"more"),
        crafted({"new": "driftlearn.bench.workbench.store:Store", "state": {"dict": {}}}),
        crafted({"new": "builtins:bytes", "arguments": [10**10]}),
        _small.sealed(b""), _small.sealed(b"\x0f"), _small.sealed(b"\x08\xff\xff\xff\xff\x7f"),
        _small.sealed(b"\x06\xff\x7f"), _small.sealed(b"\x07\xff\x7f"),
        _small.sealed(b"\x0a\xff\x7f"), _small.sealed(b"\x09\x01\x10"),
        _small.sealed(b"\x03" + b"\xff" * 12), _small.sealed(b"\x0b\x50\xff\x7f"),
        _small.sealed(b"\x08\x01" * 10**6),
    ],
    ids=lambda content: content[10:40].hex(),
)  # fmt: skip
def test_crafted_contents_are_refused(content):
    with pytest.raises((CorruptFile, NotAllowed)):
        loads(content)


def test_states_are_validated():
    model = HoeffdingTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    model.n_features_in_ = "many"
    with pytest.raises(CorruptFile, match="n_features_in_"):
        loads(dumps_small(model))
    with pytest.raises(CorruptFile, match="above the limit"):
        loads(dumps_small(HoeffdingTreeClassifier(max_bytes=2**40)))


def test_large_expansion_needs_permission():
    content = dumps_small(np.zeros(2**26))
    with pytest.raises(CorruptFile, match="max_bytes="):
        loads(content)
    assert len(loads(content, max_bytes=2**30)) == 2**26
    lies = content[:4] + (100).to_bytes(_small.SIZE, "little") + content[10 : -_small.SEAL]
    with pytest.raises(CorruptFile, match="does not expand to"):
        loads(lies + sha256(lies).digest()[: _small.SEAL])


def test_deep_nesting_is_rejected():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        dumps_small(deep)
    with pytest.raises(RecursionError):
        decoded(b"\x08\x01" * (DEPTH + 1) + b"\0", WORDS, 10**6)


def test_values_are_counted():
    content = encoded([1, 2, 3], WORDS)
    assert decoded(content, WORDS, 4) == ([1, 2, 3], len(content))
    with pytest.raises(ValueError, match="too many values"):
        decoded(content, WORDS, 3)
