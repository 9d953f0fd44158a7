"""Malformed rows are quarantined with a reason; the others are learned."""

import datetime

import numpy as np
import pytest

from driftlearn import io as persist
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyStore, key_store

TWO = "flora2"  # supports two classes only
KINDS = {"x": "number", "on": "boolean", "when": "date", "colour": "category"}
GOOD = {"x": 1.0, "on": True, "when": "2024-01-31", "colour": "red"}


def learned(rows, keys, labels, **how):
    models = KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS), **how)
    table = {}
    for name in KINDS:
        table[name] = np.empty(len(rows), dtype=object)
        table[name][:] = [row[name] for row in rows]
    answers = models.learn(keys, table, labels)
    models.commit()
    return models, answers


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"x": "high"}, "column 'x' holds 'high', which is not a number"),
        ({"x": np.inf}, "numbers lie between -1e75 and 1e75"),
        ({"x": -1e80}, "numbers lie between -1e75 and 1e75"),
        ({"on": "maybe"}, "neither true nor false"),
        ({"when": "2024-02-31"}, "which is not a date"),
        ({"key": None}, "the key is missing"),
        ({"key": ""}, "the key is missing"),
        ({"key": "  "}, "the key is missing"),
        ({"key": np.nan}, "the key is missing"),
        ({"key": 3.5}, "the key 3.5 is neither a string nor an integer"),
        ({"key": True}, "the key True is neither a string nor an integer"),
        ({"key": datetime.date(2024, 1, 31)}, "neither a string nor an integer"),
        ({"key": b"k"}, "neither a string nor an integer"),
        ({"key": ("a", "b")}, "neither a string nor an integer"),
        ({"key": "k" * 1_000}, "the key has 1,000 characters or more"),
        ({"key": "a\ud800"}, "cannot be encoded as UTF-8"),
        ({"label": None}, "the label is missing"),
        ({"label": ""}, "the label is missing"),
        ({"label": np.inf}, "the label is infinite"),
        ({"label": "l" * 1_000}, "the label has 1,000 characters or more"),
        ({"label": [1]}, "neither a string nor a number"),
    ],
)
def test_a_malformed_row_is_quarantined(change, reason):
    rows = [{**GOOD}, {**GOOD, **{k: v for k, v in change.items() if k in GOOD}}, {**GOOD}]
    keys, labels = ["a", change.get("key", "a"), "a"], ["yes", change.get("label", "no"), "yes"]
    models, answers = learned(rows, keys, labels)
    without, _ = learned([rows[0], rows[2]], ["a", "a"], ["yes", "yes"])
    (row,) = models.store.quarantined()
    assert reason in row.reason and (row.at, row.row) == (1, 1)
    assert models.counts["quarantined"] == 1 and models.counts["learned"] == 2
    assert answers.labels == [None, None, "yes"]
    assert models.store.state("a") == without.store.state("a")


def test_rows_with_missing_values_are_learned():
    gaps = [{**GOOD, name: value} for name in KINDS for value in (None, "", np.nan)]
    models, _ = learned(gaps, ["a"] * len(gaps), ["yes", "no", "no"] * len(KINDS))
    assert not models.counts["quarantined"] and models.counts["learned"] == len(gaps)


def test_keys_of_several_types_are_one():
    models, _ = learned([GOOD] * 6, [3, 3.0, "3", np.int64(3), np.float64(3), "3.0"], ["y"] * 6)
    assert not models.counts["quarantined"]
    assert {key: models.state(key).record.n_rows for key in ("3", "3.0")} == {"3": 5, "3.0": 1}


@pytest.mark.parametrize(
    "key", ["a\nb", "\x1b[31m", "né", "日本", "a'b\"; DROP TABLE states", "\x00", "a\x00b", " a"]
)
def test_keys_of_odd_signs_are_kept_apart(key):
    models, _ = learned([GOOD] * 4, [key, "a", key, "b"], ["y"] * 4)
    assert not models.counts["quarantined"]
    again = KeyedModels(store=models.store)
    assert again.state(key).record.n_rows == 2 and len(again) == 3


def test_all_are_counted_and_the_newest_kept(monkeypatch):
    monkeypatch.setattr(key_store, "MAX_QUARANTINED", 5)
    models = KeyedModels(KeyedLearner("naive-bayes", kinds={"x": "number"}))
    for _ in range(4):
        models.learn([None, "a", None, None], {"x": [1.0] * 4}, ["y"] * 4)
        models.commit()
    assert models.counts["quarantined"] == 12
    assert [each.at for each in models.store.quarantined()] == [10, 11, 12, 14, 15]


def test_unreadable_states_are_not_changed():
    models, _ = learned([GOOD] * 20, ["a", "b"] * 10, ["y", "n"] * 10)
    store = models.store
    content = store.state("a")
    broken = content[:-70] + b"x" + content[-69:]
    other = persist.dumps({"no": "state"})
    for bad in (broken, b"", b"junk", other, other[:40]):
        store.put_state(bad, store.summary("a"))
        store.commit()
        again = KeyedModels(store=store)
        table = {name: np.array([GOOD[name]] * 4, dtype=object) for name in KINDS}
        before = again.counts["quarantined"]
        answers = again.learn(["a", "b", "a", "c"], table, ["y"] * 4)
        again.commit()
        assert [label is None for label in answers.labels] == [True, False, True, False]
        assert again.counts["quarantined"] == before + 2
        assert "the state of its key" in again.store.quarantined()[-1].reason
        assert store.state("a") == bad, "the state was changed"
        found = again.predict(["a", "b"], {name: values[:2] for name, values in table.items()})
        assert found.votes[0] == "global" and found.labels[0] is not None


def test_states_that_fail_in_use_are_not_changed(monkeypatch):
    models, _ = learned([GOOD] * 20, ["a", "b"] * 10, ["y", "n"] * 10)
    before = models.store.state("a")
    plain = KeyedLearner.learn_frame

    def failing(self, state, frame, labels, predictions):
        if state.record.most == "y":
            raise TypeError("crafted")
        return plain(self, state, frame, labels, predictions)

    monkeypatch.setattr(KeyedLearner, "learn_frame", failing)
    again = KeyedModels(store=models.store)
    table = {name: np.array([GOOD[name]] * 2, dtype=object) for name in KINDS}
    again.learn(["a", "b"], table, ["y"] * 2)
    again.commit()
    assert again.store.quarantined()[-1].reason == "the state of its key cannot be used: crafted"
    assert again.store.state("a") == before and again.state("b").record.n_rows == 11


def test_a_state_of_another_learner_raises():
    tree = KeyedLearner("hoeffding", kinds={"x": "number"})
    bayes = KeyedLearner("naive-bayes", kinds={"x": "number"})
    with pytest.raises(
        ValueError, match="contains a HoeffdingTreeClassifier, but the learner of the keys is a Gau"
    ):
        bayes.loads(tree.dumps(tree.new_state()))


def test_a_learner_that_refuses_a_row_learns_the_others(monkeypatch):
    learner = KeyedLearner("naive-bayes", kinds={"x": "number"})
    models = KeyedModels(learner)
    kind = type(learner._learner)
    plain = kind.test_then_train

    def picky(self, X, y, *more, **how):
        if (X == 13).any():
            raise ValueError("13 is refused")
        return plain(self, X, y, *more, **how)

    monkeypatch.setattr(kind, "test_then_train", picky)
    models.learner.shared.global_model = None
    answers = models.learn(["a"] * 5, {"x": [1.0, 2.0, 13.0, 4.0, 5.0]}, ["y", "n"] * 2 + ["y"])
    models.commit()
    assert [each.reason for each in models.store.quarantined()] == ["13 is refused"]
    assert models.state("a").record.n_rows == 4 and answers.labels[2] is None
    other = KeyedModels(KeyedLearner("naive-bayes", kinds={"x": "number"}))
    other.learner.shared.global_model = None
    other.learn(["a"] * 4, {"x": [1.0, 2.0, 4.0, 5.0]}, ["y", "n", "n", "y"])
    other.commit()
    assert other.store.state("a") == models.store.state("a")


@pytest.mark.parametrize("sizes", [[60], [1], [7, 20]])
def test_a_class_too_many_is_quarantined(sizes):
    kinds = {"x": "number"}
    models = KeyedModels(KeyedLearner(TWO, kinds=kinds))
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    labels = np.where(x > 0, "yes", "no").astype(object)
    labels[[9, 10, 30]] = "perhaps"
    keys = rng.choice(["a", "b"], size=60)
    done, k = 0, 0
    while done < 60:
        size = sizes[k % len(sizes)]
        models.learn(keys[done : done + size], {"x": x[done : done + size]},
                     labels[done : done + size])  # fmt: skip
        done, k = done + size, k + 1
    models.commit()
    assert [each.at for each in models.store.quarantined()] == [9, 10, 30]
    assert models.counts["learned"] == 57
    other = KeyedModels(KeyedLearner(TWO, kinds=kinds))
    good = labels != "perhaps"
    other.learn(keys[good], {"x": x[good]}, labels[good])
    other.commit()
    for key in ("a", "b"):
        assert other.state(key).record.n_rows == models.state(key).record.n_rows
        assert persist.dumps(other.state(key).learner) == persist.dumps(models.state(key).learner)


def test_rows_with_other_columns_are_reported():
    models = KeyedModels(KeyedLearner("naive-bayes", kinds={"x": "number"}))
    with pytest.raises(
        ValueError, match="none of the columns that the model was trained with \\('x'\\)"
    ):
        models.learn(["a"], {"y": [1.0]}, ["n"])
    with pytest.raises(ValueError, match="Found 1 rows but 2 keys"):
        models.learn(["a", "b"], {"x": [1.0]}, ["n"])
    assert models.counts["rows"] == 0


def test_a_store_of_another_version_raises(tmp_path):
    store = KeyStore(tmp_path / "keyed.sqlite")
    store._base.execute("PRAGMA user_version=7")
    store.close()
    with pytest.raises(ValueError, match="made by a newer version \\(format 7"):
        KeyStore(tmp_path / "keyed.sqlite")
    (tmp_path / "text.sqlite").write_text("hello, this is no database " * 100)
    with pytest.raises(OSError, match="is damaged or is not a store of keys"):
        KeyStore(tmp_path / "text.sqlite")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        KeyStore(tmp_path / "none.sqlite", read_only=True)


@pytest.mark.parametrize("name", ["learner", "shared", "stream"])
def test_stores_without_settings_raise(name):
    models, _ = learned([GOOD] * 4, ["a", "b"] * 2, ["y", "n"] * 2)
    for bad in (b"", b"junk", b"[]", b"{}", persist.dumps({}), persist.dumps([1])):
        models.store.put_about(name, bad)
        with pytest.raises(ValueError, match=r"damaged|was not saved by driftlearn|is empty|cut"):
            KeyedModels(store=models.store)


def test_a_key_of_many_digits_and_a_label_that_no_array_holds():
    learner = KeyedLearner("naive-bayes", kinds={"x": "number"})
    rows = learner.read({"x": [1.0, 1.0]}, keys=[10**400, "a"], labels=["y", "y\0"])
    assert rows.keys[0] == str(10**400)
    assert rows.bad == {1: "the label contains a null character"}
