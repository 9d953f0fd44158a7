"""Files as chunks: a file is predicted before any of its labels is used, then learned."""

import csv
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score

from driftlearn.io import dumps
from driftlearn.ops.checkpoint.file_record import FileRecord, one_vs_rest_auc, score
from driftlearn.ops.checkpoint.label_history import hash_of
from driftlearn.ops.checkpoint.predict import predict_files
from driftlearn.ops.checkpoint.progress import Progress, ProgressLines
from tests.ops.checkpoint.test_learn_run import HEAD, bits, rows, write
from tests.ops.checkpoint.test_learn_run import keep as keep_files

BAYES = {"target": "label", "learner": "naive-bayes"}


def keep(folder, files, given, **how):
    return keep_files(folder, files if isinstance(files, list) else [files], given, **how)


def columns(table):
    return {
        name: np.array([row[j] or None for row in table], dtype=object)
        for j, name in enumerate(HEAD[:-1])
    }


def days(folder, n_files=6, n=40, **how):
    """Write files with a new word each; return their rows."""
    folder.mkdir(exist_ok=True)
    tables = []
    for k in range(n_files):
        table = rows(n, k)
        for i, row in enumerate(table):
            row[0] = f"{k}-{i}"
            row[3] = f"new{k}" if i % 9 == 0 else row[3]
        write(folder / f"{k}.csv", table)
        tables.append(table)
    return tables


def delayed_predictions(tables, delay, encoder, model):
    """Return probabilities, labels and known labels; table k - delay is learned after table k."""
    encoded, known, found = [], [], []
    for k, table in enumerate(tables):
        y = np.array([row[-1] for row in table])
        if known:
            probas = model.predict_proba(encoder.transform(columns(table)))
            found.append((probas, y, np.concatenate(known[-28:])))
        encoded.append((encoder.transform_then_learn(columns(table)), y))
        if k >= delay:
            X, learned = encoded[k - delay]
            model.partial_fit(X, learned)
            known.append(learned)
    return found


@pytest.mark.parametrize("delay", [0, 2])
def test_figures_are_those_of_a_model_that_waits_for_labels(tmp_path, delay):
    tables = days(tmp_path / "days")
    saved = keep(tmp_path / "m", tmp_path / "days", {**BAYES, "delay": delay})
    found = delayed_predictions(tables, delay, clone(saved.encoder), clone(saved.learner))[
        : len(tables) - delay - (delay + 1)
    ]
    assert saved.files.n_files == len(found) and len(saved.predicted) == delay
    labels = np.array(["no", "yes"])
    assert saved.files.names == [f"{k + delay + 1}.csv" for k in range(len(found))]
    for (probas, y, known), sums in zip(found, saved.files.scores):
        reported = dict(zip(("rows", "correct", "majority", "baseline", "loss", "base", "n", "auc"),
                        sums))  # fmt: skip
        assert reported["correct"] == (labels[probas.argmax(axis=1)] == y).sum()
        assert reported["loss"] == pytest.approx(log_loss(y, probas) * len(y))
        assert reported["auc"] == pytest.approx(roc_auc_score(y, probas[:, 1]) * len(y))
        shares = np.array([(known == label).sum() + 1 for label in labels]) / (len(known) + 2)
        assert reported["majority"] == reported["baseline"] == (y == labels[shares.argmax()]).sum()
        assert reported["base"] == pytest.approx(log_loss(y, np.tile(shares, (len(y), 1))) * len(y))
    life = saved.files.all_files()
    assert life["rows"] == saved.record.tested.sum() == sum(len(y) for _, y, _ in found)
    assert life["model"]["accuracy"] == saved.record.accuracy()["model"]
    assert life["majority"]["accuracy"] == saved.record.accuracy()["majority"]


@pytest.mark.parametrize("learner", ["naive-bayes", "online-stacking:budget=1,decision=balanced"])
def test_no_prediction_knows_a_label_or_a_word_of_its_file(tmp_path, learner):
    """The predictions are those that ``predict`` writes before the file is learned."""
    days(tmp_path / "days", 3)
    new, given = str(tmp_path / "days" / "2.csv"), {**BAYES, "learner": learner}
    keep(tmp_path / "m", [tmp_path / "days" / "0.csv", tmp_path / "days" / "1.csv"], given)
    predict_files(tmp_path / "m", [new], str(tmp_path / "p.csv"))
    keep(tmp_path / "m", new, {}, out=str(tmp_path / "predictions.csv"))
    reported, predicted = (
        [*csv.DictReader((tmp_path / name).read_text().splitlines())]
        for name in ("predictions.csv", "p.csv")
    )
    assert [each["predicted"] for each in reported] == [each["predicted"] for each in predicted]
    sure = [float(each[f"p_{each['predicted']}"]) for each in predicted]
    assert [float(each["p"]) for each in reported] == sure


@pytest.mark.parametrize("delay", [0, 1])
def test_a_run_a_day_and_one_run_are_the_same(tmp_path, delay):
    days(tmp_path / "days")
    given = {**BAYES, "delay": delay, "time": "day"}
    keep(tmp_path / "one", tmp_path / "days", given)
    for k in range(6):
        keep(tmp_path / "daily", tmp_path / "days" / f"{k}.csv", given)
    assert bits(tmp_path / "daily") == bits(tmp_path / "one")


@pytest.mark.parametrize("delay", [0, 2])
def test_late_labels_in_one_run_or_daily(tmp_path, delay):
    """All labels at once, or a file of labels each day: the same model and metrics."""
    tables = days(tmp_path / "days")
    (tmp_path / "rows").mkdir()
    (tmp_path / "labels").mkdir()
    keys = ["id", "label"]
    given = {**BAYES, "by": "id", "kinds": None, "delay": delay}
    for k, table in enumerate(tables):
        write(tmp_path / "rows" / f"{k}.csv", [row[:-1] for row in table], HEAD[:-1])
    write(tmp_path / "all.csv", [["nobody", "yes"]] + [
        [row[0], row[-1]] for table in tables for row in reversed(table) if row[0] != "3-7"
    ], keys)  # fmt: skip
    history = keep(tmp_path / "history", tmp_path / "rows", given, labels=str(tmp_path / "all.csv"))
    assert history.files.n_files == 6 - delay - (delay + 1)
    for k, table in enumerate(tables):
        day = str(tmp_path / "rows" / f"{k}.csv")
        life = keep(tmp_path / "life", day, given, labels=str(tmp_path / "labels"))
        pairs = [[row[0], row[-1]] for row in table if row[0] != "3-7"]
        write(tmp_path / "labels" / f"{k}.csv", pairs, keys)
    if delay:  # without a delay, labels of the last day are known after its run only
        assert np.array_equal(life.files.totals, history.files.totals)
        assert life.record.right.tolist() == history.record.right.tolist()
    else:
        life = keep(tmp_path / "life", day, given, labels=str(tmp_path / "labels"))
        assert np.array_equal(life.files.totals, history.files.totals)
    assert history.n_waiting == 40 * delay + 1  # rows that are not due, and one without label


def test_rows_whose_labels_come_after_those_of_their_file(tmp_path, capsys):
    """Rows with late labels are learned with the next file; each file is learned in one call."""
    tables = days(tmp_path / "days", 3)
    (tmp_path / "rows").mkdir()
    pairs = [[row[0], row[-1]] for table in tables for row in table]
    given = {**BAYES, "by": "id", "kinds": None}
    labels = tmp_path / "labels.csv"
    for k, table in enumerate(tables):
        write(tmp_path / "rows" / f"{k}.csv", [row[:-1] for row in table], HEAD[:-1])
    write(labels, pairs[:30] + pairs[40:70], ["id", "label"])
    first = [str(tmp_path / "rows" / f"{k}.csv") for k in range(2)]
    saved = keep(tmp_path / "m", first, given, labels=str(labels), progress=ProgressLines())
    assert "the labels of a file count as known before the next file" in capsys.readouterr().err
    assert saved.record.n_rows == 60 and saved.n_waiting == 20
    write(labels, pairs[:30] + pairs[40:70] + pairs[30:40] + pairs[70:], ["id", "label"])
    saved = keep(tmp_path / "m", tmp_path / "rows", {"kinds": None}, labels=str(labels))
    assert saved.record.n_rows == 120 and not saved.predicted
    assert [n for _, n in saved.record.chunk_starts] == [0, 30, 60]
    assert saved.waiting.early_labels == {}


def test_scores():
    rng = np.random.default_rng(0)
    probas = rng.dirichlet([1, 1, 1], 300)
    y = np.array([rng.choice(3, p=p) for p in probas])
    areas = [roc_auc_score(y == k, probas[:, k]) for k in range(3)]
    assert one_vs_rest_auc(y, probas) == pytest.approx(np.mean(areas))
    assert one_vs_rest_auc(np.zeros(5, dtype=int), probas[:5]) is None
    tied = np.round(probas, 1)
    areas = [roc_auc_score(y == k, tied[:, k]) for k in range(3)]
    assert one_vs_rest_auc(y, tied) == pytest.approx(np.mean(areas))
    new = np.append(y, 3)  # a class that the model has not seen
    sums = score(new, np.append(probas.argmax(1), 0), np.vstack([probas, probas[:1]]), 1,
                 np.array([0.2, 0.8]))  # fmt: skip
    assert sums[:4].tolist() == [
        301, (probas.argmax(1) == y).sum(), (y == 1).sum(), (y == 1).sum()
    ]  # fmt: skip
    eps = np.finfo(float).eps
    assert sums[4] == pytest.approx(log_loss(y, probas) * 300 - np.log(eps))


def test_warnings_are_rare_by_chance_and_certain_for_a_useless_model():
    def record(chances, seed, n=28):
        rng, found = np.random.default_rng(seed), FileRecord()
        for _ in range(n):
            correct = 110 if rng.random() < chances else 90
            found.add("a", np.array([200, correct, 100, 100, 140, 138, 0, 0.0]))
        return found

    assert not record(0.0, 0, n=6).warnings()
    assert all(record(0.0, seed, n=7).warnings() for seed in range(5))
    assert "better than the majority class in only 0 of the last 7" in record(0, 0).warnings()[0]
    assert sum(len(record(0.75, seed).warnings()) for seed in range(300)) <= 3
    calibrated = FileRecord()  # same predictions as the majority, but a lower log loss
    for _ in range(28):
        calibrated.add("a", np.array([200, 190, 190, 190, 20, 30, 200, 180.0]))
    assert not calibrated.warnings()


def test_old_folders_keep_their_protocol(tmp_path):
    """A folder without the setting learns single rows; with a delay, files are learned by rows."""
    days(tmp_path / "days")
    for name, given in (("rows", {"chunk": 1}), ("file", {"chunk": "file", "delay": 50})):
        old = keep(tmp_path / name, tmp_path / "days" / "0.csv", {**BAYES, **given, "delay": 0})
        old.settings = {**old.settings, **given, "chunk": None if name == "rows" else "file"}
        del old.settings["protocol"], old.files, old.predicted
        old.save(tmp_path / name)
        saved = keep(tmp_path / name, tmp_path / "days", {})
        assert saved.settings.get("protocol") is None
        assert not saved.files.n_predicted and saved.n_waiting == (0 if name == "rows" else 50)
        assert saved.record.n_rows == (240 if name == "rows" else 190)


def test_auto_stacks_and_scores_what_was_predicted_then(tmp_path):
    days(tmp_path / "days")
    auto = {"target": "label", "learner": "auto:budget=1", "delay": 2}
    saved = keep(tmp_path / "m", tmp_path / "days", auto)
    assert saved.learner.delay == 2 and len(saved.learner.stacking_.versions_) == 3
    one = write(tmp_path / "one.csv", rows(1))
    assert keep(tmp_path / "one", one, {**auto, "delay": 0}).learner.stacking_ is not None
    rowwise = keep(tmp_path / "rows", one, {**auto, "delay": 0, "chunk": 1})
    assert rowwise.learner.stacking_ is None


def test_late_labels_cut_anywhere(tmp_path):
    """A run that is stopped after any file continues with the same result."""
    tables = days(tmp_path / "days", 8)
    (tmp_path / "rows").mkdir()
    for k, table in enumerate(tables):
        write(tmp_path / "rows" / f"{k}.csv", [row[:-1] for row in table], HEAD[:-1])
    pairs = [[row[0], row[-1]] for table in tables for row in table]
    mixed = sorted(pairs[:300], key=lambda pair: (len(pair[0]) + pairs.index(pair) // 3, pair[0]))
    labels = write(tmp_path / "labels.csv", mixed, ["id", "label"])
    given = {**BAYES, "by": "id", "kinds": None, "delay": 1}
    keep(tmp_path / "reference", tmp_path / "rows", given, labels=labels)
    left = [0]

    class Stop(Progress):
        def rows(self, saved, file):
            left[0] -= 1
            if not left[0]:
                raise SystemExit

    for stops in range(20):
        left[0] = 1 + stops % 3
        try:
            keep(tmp_path / "cut", tmp_path / "rows", given, labels=labels, progress=Stop(),
                 save_seconds=0)  # fmt: skip
            break
        except SystemExit:
            pass
    assert stops > 3 and bits(tmp_path / "cut") == bits(tmp_path / "reference")


def test_the_limit_of_waiting_rows_counts_those_whose_labels_are_due(tmp_path):
    tables = days(tmp_path / "days")
    (tmp_path / "rows").mkdir()
    for k, table in enumerate(tables):
        write(tmp_path / "rows" / f"{k}.csv", [row[:-1] for row in table], HEAD[:-1])
    pairs = [[row[0], row[-1]] for table in tables for i, row in enumerate(table) if i % 2]
    labels = write(tmp_path / "labels.csv", pairs, ["id", "label"])
    given = {**BAYES, "by": "id", "kinds": None, "delay": 2, "wait": 30}
    saved = keep(tmp_path / "m", tmp_path / "rows", given, labels=labels)
    assert saved.record.n_rows == 80 and saved.counts["given up"] == 50
    assert [len(file) for file in saved.predicted] == [10, 20, 40, 40]


def late_labels(tmp_path, n_files=8):
    """Write files of rows with times; return [key, label, time] with delays of 0 to 5 days."""
    (tmp_path / "rows").mkdir()
    rng, labels = np.random.default_rng(0), []
    for k, table in enumerate(days(tmp_path / "days", n_files)):
        for i, row in enumerate(table):
            row[4] = f"2024-01-{k + 1:02}T{i % 24:02}:30:00"
            known = k + 1 + int(rng.integers(6) ** 2 // 5)
            labels.append([row[0], row[-1], f"2024-01-{known:02}T{rng.integers(24):02}:00:00"])
        write(tmp_path / "rows" / f"2024-01-{k + 1:02}.csv", [r[:-1] for r in table], HEAD[:-1])
    return labels


BY_TIME = {**BAYES, "by": "id", "kinds": None, "time": "day", "label_time": "known"}


@pytest.mark.parametrize("order", ["rows", "times", "random"])
def test_history_waits_for_labels_as_life_did(tmp_path, order):
    """One run over all labels equals a run a day with the labels of that day."""
    labels = late_labels(tmp_path)
    if order != "rows":
        key = {"times": lambda each: each[2], "random": lambda each: hash_of(each[0])}[order]
        labels.sort(key=key)
    everything = write(tmp_path / "all.csv", labels, ["id", "label", "known"])
    history = keep(tmp_path / "history", tmp_path / "rows", BY_TIME, labels=everything)
    (tmp_path / "labels").mkdir()
    days_of_rows = sorted((tmp_path / "rows").iterdir())
    for k, path in enumerate(days_of_rows):
        newest = f"2024-01-{k + 1:02}T23:30:00"
        # labels of the future do no harm: they are read and not used
        some = [each for each in labels if each[2] <= newest or int(each[0][-1]) == 3]
        write(tmp_path / "labels" / f"{k}.csv", some, ["id", "label", "known"])
        given = {"labels": str(tmp_path / "labels" / "*.csv")} if not k else {}
        life = keep(tmp_path / "life", str(path), {"kinds": None} if k else BY_TIME, **given)
    assert life.record.n_rows == history.record.n_rows > 200
    assert dumps(life.model) == dumps(history.model)
    assert np.array_equal(life.files.scores, history.files.scores)
    assert not life.counts["corrected"]
    assert history.files.names == [path.name for path in days_of_rows[1:]]
    due = sum(each[2] <= newest for each in labels)
    assert history.record.n_rows == due and history.n_waiting == len(labels) - due


def test_label_times_and_labels_in_the_rows(tmp_path):
    """Rows that contain their labels and times are learned like those with labels elsewhere."""
    times = {key: time for key, _, time in late_labels(tmp_path)}
    labels = write(tmp_path / "all.csv", [
        [row["id"], row["label"], times[row["id"]]]
        for path in sorted((tmp_path / "days").iterdir())
        for row in csv.DictReader(path.read_text().splitlines())
    ], ["id", "label", "known"])  # fmt: skip
    elsewhere = keep(tmp_path / "m", tmp_path / "rows", BY_TIME, labels=labels)
    for k, path in enumerate(sorted((tmp_path / "rows").iterdir())):
        with open(path) as file:
            table = [*csv.DictReader(file)]
        with open(tmp_path / "days" / f"{k}.csv") as file:
            known = {row["id"]: row["label"] for row in csv.DictReader(file)}
        write(tmp_path / "days" / f"{k}.csv", [
            [*row.values(), times[row["id"]], known[row["id"]]] for row in table
        ], [*HEAD[:-1], "known", "label"])  # fmt: skip
    given = {**BY_TIME, "by": None, "kinds": {"id": "drop"}}
    inside = keep(tmp_path / "n", tmp_path / "days", given)
    assert inside.record.n_rows == elsewhere.record.n_rows
    assert np.array_equal(inside.files.scores, elsewhere.files.scores)
    assert "known" not in inside.encoder.kinds_


def test_order_of_label_files(tmp_path):
    """With ``--label-time file``, the labels of a day come with the rows of that day."""
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow_csv = pytest.importorskip("pyarrow.csv")
    labels = late_labels(tmp_path)
    (tmp_path / "labels").mkdir()
    for k in range(8):
        day = f"2024-01-{k + 1:02}"
        some = [each for each in labels if each[2].startswith(day)] or [["none", "yes", day]]
        path = write(tmp_path / f"{k}.csv", some, ["id", "label", "known"])
        parquet.write_table(
            arrow_csv.read_csv(path), tmp_path / "labels" / f"returns {day}.parquet"
        )
    for each in labels:
        each[2] = each[2][:10] + "T00:00:00"
    everything = write(tmp_path / "all.csv", labels, ["id", "label", "known"])
    by_time = keep(tmp_path / "m", tmp_path / "rows", BY_TIME, labels=everything)
    given = {**BY_TIME, "label_time": "file"}
    found = keep(tmp_path / "n", tmp_path / "rows", given, labels=str(tmp_path / "labels"))
    assert np.array_equal(found.files.scores, by_time.files.scores)
    assert dumps(found.model) == dumps(by_time.model)
    write(tmp_path / "labels" / "returns 2024-01-09T10.csv", labels[:3], ["id", "label", "known"])
    with pytest.raises(ValueError, match=r"must have the same form\. Got 2024010910 and 20240108"):
        keep(tmp_path / "n", tmp_path / "rows", {"kinds": None})
    (tmp_path / "labels" / "returns 2024-01-09T10.csv").rename(tmp_path / "labels" / "x.csv")
    with pytest.raises(ValueError, match=r"x.csv has no date in its name"):
        keep(tmp_path / "n", tmp_path / "rows", {"kinds": None})


def test_label_times_cut_anywhere(tmp_path):
    labels = write(tmp_path / "all.csv", late_labels(tmp_path), ["id", "label", "known"])
    keep(tmp_path / "reference", tmp_path / "rows", BY_TIME, labels=labels)

    class Stop(Progress):
        def rows(self, saved, file):
            raise SystemExit

    for _ in range(7):
        with pytest.raises(SystemExit):
            keep(tmp_path / "cut", tmp_path / "rows", BY_TIME, labels=labels, progress=Stop(),
                 save_seconds=0)  # fmt: skip
    keep(tmp_path / "cut", tmp_path / "rows", BY_TIME, labels=labels)
    assert bits(tmp_path / "cut") == bits(tmp_path / "reference")


def test_corrected_labels(tmp_path, capsys):
    """Corrections of learned rows are counted and reported; repeated labels are not stored."""
    labels = late_labels(tmp_path)
    folder = tmp_path / "labels"
    folder.mkdir()
    # a row without a label makes the run read all labels
    write(folder / "0.csv", [each for each in labels if each[0] != "0-9"], ["id", "label", "known"])
    files = sorted(map(str, (tmp_path / "rows").iterdir()))
    before = keep(tmp_path / "m", files[:6], BY_TIME, labels=str(folder))
    other = {"yes": "no", "no": "yes"}
    fixed = [[key, other[y], "2024-01-05"] if key in ("0-1", "0-2") else [key, y, time]
             for key, y, time in labels if key[0] in "012" and key != "0-9"]  # fmt: skip
    write(folder / "1.csv", fixed, ["id", "label", "known"])
    after = keep(tmp_path / "m", files, {"kinds": None}, progress=ProgressLines())
    assert before.counts["corrected"] == 0 and after.counts["corrected"] == 2
    said = f"2 labels were corrected after .* from '{labels[1][1]}' to '{fixed[1][1]}' for '0-1'"
    assert re.search(said, capsys.readouterr().err)
    assert not after.waiting.early_labels and len(after.label_history.keys) == after.record.n_rows


@pytest.mark.parametrize(
    ("given", "problem"),
    [({"chunk": 10}, "requires files as chunks"), ({"time": None}, "add --time COLUMN"),
     ({"label_time": "file", "by": None}, "requires --labels WHERE and --by KEY")],
)  # fmt: skip
def test_settings_that_do_not_fit_label_times(tmp_path, given, problem):
    path = write(tmp_path / "a.csv", rows(10))
    with pytest.raises(ValueError, match=problem):
        keep(tmp_path / "m", path, {**BY_TIME, **given})
