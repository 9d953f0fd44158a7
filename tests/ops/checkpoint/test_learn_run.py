"""A saved model: each row is predicted, then learned, exactly once."""

import gzip
import json
import os
import random
import shutil
import signal
import threading

import numpy as np
import pytest
from sklearn.base import clone

from driftlearn import AutoClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn import io as persist
from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint import chunks as chunks_module
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.progress import Progress, ProgressBar, ProgressLines
from driftlearn.ops.sources import ChangedFile
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.utils.locks import Locks
from driftlearn.utils.safe_text import can_redraw

SETTINGS = {"target": "label", "learner": "hoeffding:grace_period=20", "chunk": 1}

BY_FILE = {**SETTINGS, "chunk": None}


def rows(n, seed=0):
    """Return rows with words, missing values and dates; two columns determine the label."""
    rng = random.Random(seed)
    found = []
    for i in range(n):
        x, colour = rng.gauss(0, 1), rng.choice(["red", "blue", "green"])
        label = "yes" if x + (colour == "red") > 0.3 else "no"
        size = "" if rng.random() < 0.1 else f"{rng.gauss(0, 1):.3f}"
        day = f"2024-01-{1 + i * 28 // max(n, 1):02}"
        found.append([f"k{i}", f"{x:.4f}", size, colour, day, label])
    return found


HEAD = ["id", "x", "size", "colour", "day", "label"]


def write(path, some, head=HEAD):
    path.write_text("\n".join(",".join(row) for row in [head, *some]) + "\n")
    return str(path)


def keep(folder, files, given=SETTINGS, **how):
    files = [files] if isinstance(files, str) else [str(each) for each in files]
    return LearnRun(folder, files, {"kinds": {"id": "drop"}, **given}, **how).run()


def bits(folder):
    return (folder / "model.npz").read_bytes()


@pytest.mark.parametrize(
    ("learner", "model"),
    [
        ("naive-bayes", GaussianNBClassifier()),
        (
            "auto:decision=balanced",
            AutoClassifier(decision="balanced", combine="vote", random_state=0),
        ),
    ],
)
def test_it_is_the_pipeline_row_by_row(tmp_path, learner, model):
    """Record and model equal those of `predict` and `partial_fit` of a pipeline, row by row."""
    table = rows(300)
    kept = keep(tmp_path / "m", write(tmp_path / "a.csv", table), {"target": "label",
                "learner": learner, "chunk": 1})  # fmt: skip
    columns = {name: np.array([row[j] or None for row in table], dtype=object)
               for j, name in enumerate(HEAD[:-1])}  # fmt: skip
    y = np.array([row[-1] for row in table])
    kinds = {"id": "drop", "x": "number", "size": "number", "colour": "category", "day": "date"}
    encoder = TableEncoder(kinds=kinds, on_schema_change="note")
    model = make_pipeline(encoder, model)
    predicted = model.test_then_train(columns, y)
    right = (predicted == y).filled(False)
    assert kept.record.right.sum() == right.sum() and kept.record.tested.sum() == 299
    assert kept.record.no_change.sum() == (y[1:] == y[:-1]).sum()
    assert np.array_equal(kept.model.predict_proba(columns), model.predict_proba(columns))
    counts = [{"yes": 0, "no": 0}]
    for label in y:
        counts.append({**counts[-1], label: counts[-1][label] + 1})
    most = [max(c, key=lambda k: (c[k], k == y[0])) for c in counts]
    assert kept.record.majority.sum() == sum(most[i] == y[i] for i in range(1, 300))
    assert kept.record.confusion.trace() == right.sum()
    assert kept.record.calibration[:, 0].sum() == 299
    assert kept.record.where(120) == {"file": "a.csv", "row": 120, "time": None}
    assert kept.features.n_rows == 300


@pytest.mark.parametrize(
    "given",
    [{}, {"chunk": 37, "learner": "awe"},
     {"every": "1w", "time": "day", "learner": "awe", "chunk": None},
     {"delay": 25}, {"delay": 25, "chunk": 30}, {"chunk": 40, "learner": "aue2:chunk_size=40"},
     {"chunk": None}, {"chunk": "file", "delay": 1, "time": "day"}],
    ids=["rows", "chunks", "days", "delay", "delayed chunks", "own chunks", "files", "late files"],
)  # fmt: skip
def test_cut_anywhere_it_has_the_same_bits(tmp_path, monkeypatch, given):
    """A run that is stopped anywhere and continued gives the bytes of an uninterrupted run."""
    given = {**SETTINGS, **given}
    monkeypatch.setattr(chunks_module, "SLICE", 40)
    files = [write(tmp_path / f"{k}.csv", rows(150, k)) for k in range(2)]
    keep(tmp_path / "reference", files, given)
    rng = random.Random(1)
    for _ in range(30):
        left = [rng.randint(1, 4)]

        class Stop(Progress):
            def rows(self, kept, file, left=left):
                left[0] -= 1
                if not left[0]:
                    raise SystemExit

        try:
            keep(tmp_path / "cut", files, given, progress=Stop(), save_seconds=0)
        except SystemExit:
            continue
        break
    assert bits(tmp_path / "cut") == bits(tmp_path / "reference")
    again = keep(tmp_path / "cut", files, {})
    assert again.counts["read"] == 300
    assert bits(tmp_path / "cut") == bits(tmp_path / "reference")


def test_later_runs_read_new_rows_only(tmp_path):
    table = rows(200)
    path = tmp_path / "a.csv"
    write(path, table[:120])
    assert keep(tmp_path / "m", str(path)).record.n_rows == 120
    write(path, table[:150])
    write(tmp_path / "b.csv", table[150:])
    assert keep(tmp_path / "m", tmp_path.glob("?.csv"), {"target": None}).record.n_rows == 200
    write(tmp_path / "all.csv", table)
    whole = keep(tmp_path / "w", str(tmp_path / "all.csv"))
    kept = SavedModel.open(tmp_path / "m")
    assert kept.record.right.tolist() == whole.record.right.tolist()
    assert kept.record.where(160) == {"file": "b.csv", "row": 10, "time": None}
    for given, problem in (
        ({"target": "x"}, "--target cannot be 'x': .*m was created with 'label'. Omit the option"),
        ({"chunk": 10}, "--chunk cannot be 10: .*m was created without it"),
    ):
        with pytest.raises(ValueError, match=problem):
            keep(tmp_path / "m", str(path), given)


def test_files_that_change(tmp_path):
    path = tmp_path / "a.csv"
    write(path, rows(50))
    keep(tmp_path / "m", str(path))
    before = bits(tmp_path / "m")
    write(path, rows(50, seed=1))
    write(tmp_path / "0.csv", rows(10))
    with pytest.raises(ValueError, match=f"was changed since it was read.*--reprocess {path}"):
        keep(tmp_path / "m", [tmp_path / "0.csv", path], {})
    assert bits(tmp_path / "m") == before
    kept = keep(tmp_path / "m", str(path), {}, reprocess=(str(path),))
    assert kept.record.n_rows == 100
    with pytest.raises(ValueError, match="no rows of it have been read"):
        keep(tmp_path / "m", str(path), {}, reprocess=("b.csv",))


def test_files_that_lie_somewhere_else_now(tmp_path, capsys):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here, there = tmp_path / "here", tmp_path / "there"
    table = rows(60)
    write(here / "a.csv", table[:50])
    write(here / "b.csv", table[:20])
    keep(tmp_path / "m", str(here))
    write(there / "a.csv", table)  # moved, and ten rows were added
    write(there / "b.csv", rows(20, seed=1))  # another file of the same name
    for name in ("a.csv", "b.csv"):
        (here / name).unlink()
    kept = keep(tmp_path / "m", str(there), {}, progress=ProgressLines())
    assert kept.record.n_rows == 70 + 10 + 20
    predicted = f"{there / 'a.csv'} was read as {here / 'a.csv'}, which no longer exists"
    assert predicted in capsys.readouterr().err
    known = (there / "a.csv", here / "b.csv", there / "b.csv")
    assert {*kept.position["files"]} == {*map(str, known)}
    (tmp_path / "m").rename(tmp_path / "n")
    assert keep(tmp_path / "n", str(there), {}).record.n_rows == 100


@pytest.mark.parametrize("given", [SETTINGS, BY_FILE, {**SETTINGS, "chunk": 7, "learner": "awe"}])
def test_copies_are_learned_once(tmp_path, capsys, given):
    """State and data are copied together; the copies may be renamed, compressed or continued."""
    parquet = pytest.importorskip("pyarrow.parquet")
    csv = pytest.importorskip("pyarrow.csv")
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    tables = [rows(30, seed=k) for k in range(4)]
    for k, name in enumerate("abc"):
        write(here / f"{name}.csv", tables[k])
    parquet.write_table(csv.read_csv(write(tmp_path / "d.csv", tables[3])), here / "d.parquet")
    write(here / "e.csv", tables[0])  # a second copy in the first run
    keep(tmp_path / "m", [here], given)
    assert "e.csv is a copy of" not in capsys.readouterr().err  # without a display
    shutil.copytree(here, there)
    shutil.copytree(tmp_path / "m", tmp_path / "n")
    (there / "a.csv").rename(there / "renamed.csv")
    write(there / "b.csv", [*tables[1], *rows(5, seed=9)])
    (there / "c.csv.gz").write_bytes(gzip.compress((there / "c.csv").read_bytes()))
    (there / "c.csv").unlink()
    (there / "d.parquet").rename(there / "f.parquet")
    kept = keep(tmp_path / "n", [there], {}, progress=ProgressLines())
    assert kept.record.n_rows == 4 * 30 + 5
    assert "5 files are copies of files that were read, e.g. " in capsys.readouterr().err
    keep(tmp_path / "n", [there], {}, progress=ProgressLines())
    assert "copies" not in capsys.readouterr().err  # they are known from now on
    write(there / "renamed.csv", rows(30, seed=8))
    with pytest.raises(ValueError, match=r"renamed.csv (was changed|has become shorter) since"):
        keep(tmp_path / "n", [there], {})
    assert keep(tmp_path / "m", [there / "f.parquet"], {}, again=True).record.n_rows == 5 * 30


def test_a_damaged_copy_is_no_copy(tmp_path):
    """Rows before the damage are learned, as those of any other file."""
    path = write(tmp_path / "a.csv", rows(400))
    keep(tmp_path / "m", path)
    packed = gzip.compress((tmp_path / "a.csv").read_bytes() + os.urandom(50).hex().encode())
    (tmp_path / "b.csv.gz").write_bytes(packed[:-40])
    with pytest.raises(ValueError, match=r"b.csv.gz cannot be read as CSV"):
        keep(tmp_path / "m", [tmp_path / "b.csv.gz"], {})


def test_chunks(tmp_path):
    """Chunks span files; the rest is a smaller chunk; files and days are chunks, too."""
    files = [write(tmp_path / f"{k}.csv", rows(25, k)) for k in range(3)]
    nse = {"target": "label", "learner": "learn++.nse"}
    kept = keep(tmp_path / "a", files, {**nse, "chunk": 20})
    assert [n for _, n in kept.record.chunk_starts] == [0, 20, 40, 60]
    assert kept.learner.step_ == 4 and kept.record.row_of(2) == 20
    assert kept.record.tested.sum() == 55
    kept = keep(tmp_path / "b", files, {**nse, "chunk": "file"})
    assert [n for _, n in kept.record.chunk_starts] == [0, 25, 50]
    auto = keep(tmp_path / "auto", files[0], {"target": "label", "chunk": 20})
    assert auto.learner.stacking_.step_ == 2 and auto.learner.n_rows_ == 25
    days = write(tmp_path / "days.csv", rows(140))
    kept = keep(tmp_path / "c", days, {**nse, "every": "1w", "time": "day"})
    mondays = [0] + [next(i for i, r in enumerate(rows(140)) if r[4] == f"2024-01-{d:02}")
                     for d in (8, 15, 22)]  # fmt: skip
    assert [n for _, n in kept.record.chunk_starts] == mondays
    assert kept.record.where(0)["time"] == "2024-01-01"
    late = rows(20)
    late[15][4] = "2024-01-01"
    kept = keep(tmp_path / "d", write(tmp_path / "l.csv", late), {**nse, "every": "1d",
                "time": "day"})  # fmt: skip
    assert kept.counts["late"] == 1 and kept.counts["read"] == 20


@pytest.mark.parametrize(
    ("delay", "size", "n_chunks", "combine"), [(199, None, 0, "vote"), (400, 100, 4, "auto")]
)
def test_late_rows_are_chunks_of_the_default_learner(tmp_path, delay, size, n_chunks, combine):
    """What is predicted before any of its labels is known is a chunk."""
    file = write(tmp_path / "a.csv", rows(1_000))
    saved = keep(tmp_path / "m", file, {"target": "label", "chunk": 1, "delay": delay})
    learner = saved.learner
    assert (learner.chunk_size, learner.delay, learner.combine) == (size, n_chunks, combine)
    assert learner.n_rows_ == 1_000 - delay and len(saved.waiting) == delay
    assert saved.record.accuracy()["model"] > 0.7


def test_delay_learns_later(tmp_path):
    """With a delay of n rows, a row is predicted by the model trained up to n rows before."""
    table = rows(60)
    given = {"target": "label", "learner": "naive-bayes", "delay": 10, "chunk": 1}
    kept = keep(tmp_path / "m", write(tmp_path / "a.csv", table), given)
    assert kept.record.n_rows == 50 and len(kept.waiting) == 10
    assert kept.waiting.tags == [row[-1] for row in table[50:]]
    assert kept.record.tested.sum() == 50 - 11  # untrained before the first row
    encoder = clone(kept.encoder)
    columns = {name: np.array([row[j] or None for row in table], dtype=object)
               for j, name in enumerate(HEAD[:-1])}  # fmt: skip
    X, y = encoder.transform_then_learn(columns), np.array([row[-1] for row in table])
    model, right = clone(kept.learner), 0
    for i in range(60):
        if i > 10:
            right += i < 50 and model.predict(X[i : i + 1])[0] == y[i]
        if i >= 10:
            model.partial_fit(X[i - 10 : i - 9], y[i - 10 : i - 9])
    assert kept.record.right.sum() == right


def test_labels_by_key(tmp_path):
    table = rows(80)
    data = write(tmp_path / "a.csv", [row[:-1] for row in table], HEAD[:-1])
    labels = tmp_path / "labels.csv"
    write(labels, [[row[0], row[-1]] for row in [*table[:30], *table[40:50]]], ["id", "label"])
    given = {**SETTINGS, "by": "id", "kinds": None}
    kept = keep(tmp_path / "m", data, given, labels=str(labels))
    assert kept.record.n_rows == 40 and len(kept.waiting) == 40
    assert "id" not in kept.encoder.kinds_
    write(labels, [[row[0], row[-1]] for row in [*table[:30], *table[40:50], *table[30:40]]]
          + [["k99", "yes"]], ["id", "label"])  # fmt: skip
    kept = keep(tmp_path / "m", data, {"kinds": None}, labels=str(labels))
    assert kept.record.n_rows == 50 and kept.waiting.early_labels == {"k99": "yes"}
    assert kept.record.where(45)["file"] == "a.csv"
    more = rows(1, seed=5)
    more[0][0] = "k99"
    later = write(tmp_path / "b.csv", [row[:-1] for row in more], HEAD[:-1])
    kept = keep(tmp_path / "m", later, {"kinds": None}, labels=str(labels))
    assert kept.record.n_rows == 51 and not kept.waiting.early_labels
    kept = keep(tmp_path / "few", data, {**given, "wait": 10}, labels=str(tmp_path / "none.csv")
                if (tmp_path / "none.csv").write_text("id,label\n") else "")  # fmt: skip
    assert len(kept.waiting) == 10 and kept.counts["given up"] == 70
    with pytest.raises(ValueError, match="require both --labels WHERE and --by KEY"):
        keep(tmp_path / "none", data, {**given, "kinds": None})
    assert keep(tmp_path / "m", data, {"kinds": None}).settings["labels"] == str(labels)


@pytest.mark.parametrize("to", ["moved/labels.csv", "old.csv", "moved/old.csv"])
def test_labels_that_were_moved_or_renamed(tmp_path, to):
    """Rows get labels from a later run, although their file was moved in the meantime."""
    table = rows(60)
    data = write(tmp_path / "a.csv", [row[:-1] for row in table], HEAD[:-1])
    given = {**SETTINGS, "by": "id", "kinds": None}
    pairs = [[row[0], row[-1]] for row in table]
    found = []
    for name, there in (("stayed", "labels.csv"), ("went", to)):
        labels = tmp_path / name / "labels.csv"
        labels.parent.mkdir()
        keep(tmp_path / f"{name} m", data, given, labels=write(labels, pairs[:25], ["id", "label"]))
        later = tmp_path / name / there
        later.parent.mkdir(exist_ok=True)
        labels.rename(later)
        with open(later, "a") as file:
            file.writelines(f"{key},{label}\n" for key, label in pairs[25:])
        kept = keep(tmp_path / f"{name} m", data, {"kinds": None}, labels=str(later))
        assert (
            kept.record.n_rows == 60 and not len(kept.waiting) and kept.waiting.early_labels == {}
        )
        assert [*kept.position["labels"]] == [os.path.realpath(later)]
        found.append(persist.dumps(kept.model))
    assert found[0] == found[1]


def test_labels_that_were_changed(tmp_path):
    """Changed labels are reported before training, and can be reprocessed."""
    table = rows(40)
    data = write(tmp_path / "a.csv", [row[:-1] for row in table], HEAD[:-1])
    pairs = [[row[0], row[-1]] for row in table]
    labels = write(tmp_path / "l.csv", pairs[:10], ["id", "label"])
    given = {**SETTINGS, "by": "id", "kinds": None}
    keep(tmp_path / "m", data, given, labels=labels)
    before = bits(tmp_path / "m")
    write(tmp_path / "l.csv", pairs[1:20], ["id", "label"])
    more = write(tmp_path / "b.csv", [row[:-1] for row in rows(5, seed=2)], HEAD[:-1])
    with pytest.raises(ChangedFile, match=r"l\.csv was changed .*--reprocess"):
        keep(tmp_path / "m", [data, more], {"kinds": None}, labels=labels)
    assert bits(tmp_path / "m") == before
    kept = keep(tmp_path / "m", data, {"kinds": None}, labels=labels, reprocess=(labels,))
    assert kept.record.n_rows == 20


def test_labels_in_order_need_no_room(tmp_path, monkeypatch):
    """In long files of rows and labels, rows are learned as soon as their labels are available."""
    monkeypatch.setattr(chunks_module, "SLICE", 20)
    table = rows(200)
    data = write(tmp_path / "a.csv", [row[:-1] for row in table], HEAD[:-1])
    labels = write(tmp_path / "l.csv", [[row[0], row[-1]] for row in table], ["id", "label"])
    given = {**SETTINGS, "by": "id", "kinds": None, "wait": 20}
    kept = keep(tmp_path / "m", data, given, labels=labels)
    assert kept.record.n_rows == 200 and not kept.counts["given up"]


def test_what_is_noted(tmp_path):
    table = rows(60)
    table[20][5] = ""
    table[30][5] = "perhaps"
    table[40][1] = "much"
    path = tmp_path / "a.csv"
    write(path, table)
    path.write_text(path.read_text() + "broken\n")
    with pytest.raises(ValueError, match=r"line 62 of .* is broken"):
        keep(tmp_path / "m", str(path))
    assert not (tmp_path / "m" / "model.npz").exists()
    kept = keep(tmp_path / "m", str(path), {**SETTINGS, "kinds": {"id": "drop", "x": "number"}},
                skip=True)  # fmt: skip
    counts = {"read": 60, "unlabelled": 1, "broken": 1, "late": 0, "given up": 0, "corrected": 0,
              "held back": 0}  # fmt: skip
    assert kept.counts == counts
    predicted = {event["kind"]: event for event in kept.events}  # the last of each
    assert predicted["class"]["text"] == "the first 'perhaps'" and predicted["class"]["after"] == 29
    assert "row 40: column 'x' holds 'much'" in predicted["schema_change"]["text"]
    assert "line 62" in predicted["broken"]["text"]
    log = [json.loads(line) for line in (tmp_path / "m" / "log.jsonl").read_text().splitlines()]
    assert {"begin", "end", "note"} <= {line["event"] for line in log}


def test_slices_do_not_matter(tmp_path, monkeypatch):
    """The size of slices depends on the clock; the results do not."""
    table = rows(120)
    for i, (column, value) in enumerate(((5, "perhaps"), (1, "much"), (5, ""), (2, "big"))):
        table[25 * i + 20][column] = value
    path = tmp_path / "a.csv"
    write(path, [*table[:70], ["half"], *table[70:]])
    given = {**SETTINGS, "kinds": {"id": "drop", "x": "number", "size": "number"}}
    for size in (2_000, 7):
        monkeypatch.setattr(chunks_module, "SLICE", size)
        monkeypatch.setattr(chunks_module, "FIRST_SLICE", size)
        kept = keep(tmp_path / f"m{size}", str(path), given, skip=True)
        assert len(kept.events) == 6 and kept.counts["broken"] == 1
    assert bits(tmp_path / "m7") == bits(tmp_path / "m2000")


@pytest.mark.parametrize(
    "content, given, problem",
    [
        ("x,lable\n1,a\n", {}, r"no column 'label' for the labels \(did you mean 'lable'\?\)"),
        ("label\na\n", {}, "no feature columns"),
        ("", {}, "There are no rows in"),
        ("x,label\n", {}, "There are no rows in"),
        (
            "x,label\n1,a\n",
            {"learner": "dtel", "chunk": 1},
            "trained on chunks of rows: set .* --chunk 500",
        ),
        ("x,label\n1,a\n", {"learner": "hofding"}, "unknown learner 'hofding'"),
        ("x,label\n1,a\n", {"learner": "cart"}, "'cart': it cannot be updated"),
        ("x,label\n1,a\n", {"every": "1d"}, "--every requires a time column"),
        ("x,label\n1,a\n", {"every": "1day", "time": "x"}, "time span, e.g. 1h"),
        (
            "x,label\n1,a\n",
            {"every": "1d", "time": "x", "chunk": 5},
            "--chunk and --every cannot be combined",
        ),
        ("x,label\n1,a\n", {"every": "1d", "time": "x"}, "row 0: '1' in column 'x' is not a time"),
        ("x,label\n1,a\n", {"learner": "sklearn.naive_bayes:GaussianNB"}, "cannot be updated"),
        ("x,label\n1,a\n", {"kinds": {"y": "drop"}}, "no column 'y'"),
        ("x,label\n1,a\n", {"kinds": {"x": "text"}}, "--kind x=text"),
        (
            "x,label\n1,a\n",
            {"delay": 3, "by": "x", "chunk": 50},
            "--delay and --labels cannot be combined",
        ),
        ("x,label\n1," + "a" * 2000 + "\n", {}, "Is 'label' the label column"),
    ],
)
def test_mistakes(tmp_path, content, given, problem):
    path = tmp_path / "a.csv"
    path.write_text(content)
    given = {"target": "label", "learner": "hoeffding", **given}
    with pytest.raises(ValueError, match=problem):
        LearnRun(tmp_path / "m", [str(path)], given).run()


def test_another_schema_and_another_process(tmp_path):
    keep(tmp_path / "m", write(tmp_path / "a.csv", rows(20)))
    other = tmp_path / "b.csv"
    other.write_text("height,label\n1,yes\n")
    with pytest.raises(
        ValueError, match=r"none of the columns that the model in .*m was trained with"
    ):
        keep(tmp_path / "m", str(other), {})
    with Locks(tmp_path / "m") as locks:
        assert locks.take("model")
        with pytest.raises(ValueError, match="is in use by process"):
            keep(tmp_path / "m", str(other), {})
    with pytest.raises(FileNotFoundError, match=r"There is no saved model in .*driftlearn learn"):
        SavedModel.open(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"Name the label column, e.g. --target label"):
        LearnRun(tmp_path / "n", [str(other)], {}).run()


def test_a_full_disk(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write(path, rows(40))
    keep(tmp_path / "m", str(path))
    before = bits(tmp_path / "m")
    write(path, rows(80))

    def full(*_, **__):
        raise OSError(28, "No space left on device", "model.npz")

    monkeypatch.setattr(SavedModel, "save", full)
    path.write_text(path.read_text())
    write(tmp_path / "b.csv", rows(10, 1))
    with pytest.raises(
        OSError, match=r"No space left on device. The last saved model is unchanged"
    ):
        keep(tmp_path / "m", str(tmp_path / "b.csv"), {})
    assert bits(tmp_path / "m") == before


def test_ctrl_c_saves_complete_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks_module, "SLICE", 20)
    path = write(tmp_path / "a.csv", rows(100))
    learned = HoeffdingTreeClassifier.test_then_train
    calls = []

    def slow(self, *given, **how):
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return learned(self, *given, **how)

    monkeypatch.setattr(HoeffdingTreeClassifier, "test_then_train", slow)
    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path / "m", path)
    assert SavedModel.open(tmp_path / "m").record.n_rows == 60
    assert keep(tmp_path / "m", path, {}).record.n_rows == 100
    keep(tmp_path / "reference", path)
    assert bits(tmp_path / "m") == bits(tmp_path / "reference")


def test_follow_waits_for_more_and_ends_by_ctrl_c(tmp_path, monkeypatch):
    """New rows, files and incomplete lines are learned; at the end, so is the incomplete chunk."""
    monkeypatch.setattr("driftlearn.ops.sources.source.WAIT", 0.0)
    table = rows(30)
    path = tmp_path / "a.csv"
    write(path, table[:10])
    path.write_text(path.read_text() + "k10,0.5")
    looks = []

    def look(_):
        looks.append(1)
        if len(looks) == 2:
            path.write_text(path.read_text() + ",,red,2024-01-09,yes\n")
        if len(looks) == 4:
            write(tmp_path / "b.csv", table[11:])
        if len(looks) == 6:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("driftlearn.ops.sources.source.time.sleep", look)
    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path / "m", [str(tmp_path / "*.csv")], {**SETTINGS, "chunk": 8}, follow=True)
    kept = SavedModel.open(tmp_path / "m")
    assert kept.record.n_rows == 30
    assert [n for _, n in kept.record.chunk_starts] == [0, 8, 16, 24]


def test_keys_and_free_text_are_reported(tmp_path, capsys):
    data = write(tmp_path / "a.csv", rows(150))
    keep(tmp_path / "m", data, {**SETTINGS, "kinds": None}, progress=ProgressLines())
    predicted = capsys.readouterr().err
    assert "nearly all values of column 'id' are distinct" in predicted and "--drop id" in predicted
    assert "'colour'" not in predicted and "'day'" not in predicted
    for kind in ("drop", "category"):
        keep(tmp_path / kind, data, {**SETTINGS, "kinds": {"id": kind}}, progress=ProgressLines())
        assert "nearly all" not in capsys.readouterr().err


def test_identifiers_are_dropped(tmp_path, capsys):
    data = write(tmp_path / "a.csv", rows(600))
    for name, kinds in [("m", None), ("n", {"id": "category"})]:
        keep(tmp_path / name, data, {**SETTINGS, "kinds": kinds}, progress=ProgressLines())
        predicted = capsys.readouterr().err
        assert ("column 'id' is dropped" in predicted) == (kinds is None)
        encoder = SavedModel.open(tmp_path / name).model.named_steps["tableencoder"]
        assert ("id" in encoder.kinds_) == (kinds is not None)


def test_progress_lines(tmp_path, capsys):
    import io

    out = io.StringIO()
    keep(
        tmp_path / "m",
        write(tmp_path / "a.csv", rows(40)),
        progress=ProgressLines(out, interval=0.0),
    )
    assert "40 rows" in out.getvalue() and "no change" in out.getvalue()
    assert "\x1b" not in out.getvalue()
    files = [write(tmp_path / f"{k}.csv", rows(20, k)) for k in range(3)]
    out = io.StringIO()
    keep(tmp_path / "f", files, BY_FILE, progress=ProgressLines(out, interval=0.0))
    lines = out.getvalue().splitlines()
    assert "left" not in lines[0] and "; 2 of 3 files, about 0 s left" in lines[1]


def test_progress_on_terminals(tmp_path, monkeypatch):
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    screen = Terminal()
    assert can_redraw(screen) and not can_redraw(io.StringIO())
    bar = ProgressBar(screen)
    bar.n_files = 3
    with bar:
        assert "reading, 0 s" in drawn(bar)
        keep(tmp_path / "m", write(tmp_path / "a.csv", rows(40)), BY_FILE)
        saved = SavedModel.open(tmp_path / "m")
        for file in ("a.csv", "b.csv"):
            bar.rows(saved, file)
        first, second = drawn(bar).splitlines()
        assert first.startswith("file 3 of 3 ━") and first.endswith("67%, about 0 s left")
        assert second.startswith("40 rows") and max(map(len, (first, second))) <= 80
        bar.whole_files = False
        bar.predicted(70, "c.csv")
        assert drawn(bar).startswith("file 3 of 3, c.csv ━")
    monkeypatch.setenv("TERM", "dumb")
    assert not can_redraw(screen)


def drawn(bar):
    """Return what a progress bar draws, without colors."""
    from rich.console import Console

    screen = Console(width=80, color_system=None)
    with screen.capture() as captured:
        screen.print(bar._picture())
    return captured.get()


def test_readers_need_no_lock(tmp_path):
    """Readers of a model that is being updated always see a consistent one."""
    path = write(tmp_path / "a.csv", rows(200))
    keep(tmp_path / "m", write(tmp_path / "0.csv", rows(20, 3)))
    done, seen = threading.Event(), []

    def watch():
        while not done.is_set():
            seen.append(SavedModel.open(tmp_path / "m").record.n_rows)

    reader = threading.Thread(target=watch)
    reader.start()
    try:
        keep(tmp_path / "m", path, {}, save_seconds=0)
    finally:
        done.set()
        reader.join()
    assert seen == sorted(seen)
    assert "seen.json" in {each.name for each in (tmp_path / "m").iterdir()}


def test_labels_by_key_cut_anywhere(tmp_path, monkeypatch):
    """Rows and labels in separate files, stopped repeatedly, give the same bytes."""
    monkeypatch.setattr(chunks_module, "SLICE", 40)
    table = rows(200)
    order = random.Random(0).sample(range(200), 190)
    data = write(tmp_path / "a.csv", [row[:-1] for row in table], HEAD[:-1])
    pairs = [[table[i][0], table[i][-1]] for i in sorted(order, key=lambda i: i + order[i % 9] / 4)]
    labels = write(tmp_path / "l.csv", pairs, ["id", "label"])
    given = {**SETTINGS, "by": "id", "kinds": None}
    reference = keep(tmp_path / "reference", data, given, labels=labels)
    assert reference.record.n_rows == 190 and len(reference.waiting) == 10
    rng = random.Random(1)
    stops = 0
    while stops < 40:
        left = [rng.randint(1, 6)]

        class Stop(Progress):
            def rows(self, kept, file, left=left):
                left[0] -= 1
                if not left[0]:
                    raise SystemExit

        try:
            keep(tmp_path / "cut", data, given, labels=labels, progress=Stop(), save_seconds=0)
            break
        except SystemExit:
            stops += 1
    assert stops and bits(tmp_path / "cut") == bits(tmp_path / "reference")
