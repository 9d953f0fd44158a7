"""`driftlearn learn --key`, `predict` and `inspect`, as used by a user or a script."""

import csv
import json
import os
import random
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.cli.learn import is_beaten
from driftlearn.ops.keyed import KeyedModels, KeyStore

HEAD = "device,x,colour,day,label"


def rows(n, seed=0):
    rng = random.Random(seed)
    for i in range(n):
        x, device = rng.gauss(0, 1), rng.randrange(5)
        label = "yes" if (x > 0) ^ device % 2 else "no"
        day = f"2024-01-{1 + i * 28 // n:02}"
        yield f"d{device},{x:.3f},{rng.choice(['red', 'blue'])},{day},{label}"


def write(name, lines, head=HEAD):
    with open(name, "w") as file:
        file.write("\n".join([head, *lines]) + "\n")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    write("a.csv", rows(300))


def run(*words, **how):
    return CliRunner().invoke(main, [*words], **how)


def learned(*words):
    done = run("learn", "a.csv", "--target", "label", "--key", "device", "--state", "m",
               "-l", "naive-bayes", *words)  # fmt: skip
    assert done.exit_code == 0, done.output
    return done


def store():
    return KeyStore("m/keyed.sqlite", read_only=True)


def reported(done, *words, code=2):
    """Check that the output is a single sentence."""
    assert done.exit_code == code, done.output
    message = done.stderr.strip()
    assert all(word in message for word in words), message
    assert "Traceback" not in message and len(message) < 400


def test_learn_predict_and_inspect(tmp_path):
    done = learned("--out", "predictions.csv")
    assert "300 rows of 5 keys learned in total" in done.output
    lines = [" ".join(line.split()[:-1]) for line in done.output.splitlines()[2:]]
    assert lines == ["models per key", "one global model", "own model of each key", "no-change",
                     "majority"]  # fmt: skip
    with open("predictions.csv") as file:
        message = [*csv.DictReader(file)]
    assert len(message) == 300 and {row["votes"] for row in message} <= {"", "own", "global"}
    right = sum(row["predicted"] == row["label"] for row in message)
    assert right > 200
    write("b.csv", rows(50, 1))
    found = json.loads(run("learn", "a.csv", "b.csv", "--state", "m", "-q", "--json").stdout)
    assert found["counts"]["learned"] == 350 and found["keys"] == 5 and found["files"] == 2
    write("c.csv", [row.rpartition(",")[0] for row in rows(20, 2)], HEAD.rpartition(",")[0])
    done = run("predict", "c.csv", "--state", "m", "--out", "p.csv", "--passthrough", "x")
    assert done.exit_code == 0, done.output
    with open("p.csv") as file:
        message = [*csv.DictReader(file)]
    assert [*message[0]] == ["device", "x", "predicted", "p_no", "p_yes", "votes"]
    for row in message:
        assert float(row["p_no"]) + float(row["p_yes"]) == pytest.approx(1.0)
    assert {row["predicted"] for row in message} == {"yes", "no"} and len(message) == 20
    write("c.csv", [*rows(3), ",1.0,red,2024-01-01,yes"])
    done = run("predict", "c.csv", "--state", "m", "--out", "p.csv")
    assert (
        "1 malformed rows were not predicted, the first because the key is missing" in done.stderr
    )
    with open("p.csv") as file:
        assert [*csv.reader(file)][-1] == [""] * 5
    done = run("inspect", "m")
    assert done.exit_code == 0 and "5 keys have learned 350 rows." in done.output
    assert "Keys with the lowest accuracy" in done.output
    assert "Sources of predictions" in done.output
    done = run("inspect", "m", "--key", "d1")
    assert done.exit_code == 0 and "rows of d1: predictions 0." in done.output
    found = json.loads(run("inspect", "m", "--key", "d1", "--json").stdout)
    assert found["key"] == "d1" and found["accuracy"]["predictions"] > 0.6
    found = json.loads(run("inspect", "m", "--json").stdout)
    assert found["tables"]["worst"] and found["counts"]["rows"] == 350
    for words in ([], ["--key", "d1"]):
        done = run("inspect", "m", *words, "--html", "page.html")
        assert done.exit_code == 0 and done.stderr == "page: page.html\n" and not done.stdout
        with open("page.html") as file:
            assert f"<h1>{words[-1] if words else 'm'}</h1>" in file.read()


def test_the_same_as_keyed_models_by_hand():
    learned()
    with open("a.csv") as file:
        table = [*csv.DictReader(file)]
    columns = {name: [row[name] for row in table] for name in ("x", "colour", "day")}
    models = KeyedModels("naive-bayes")
    models.learn([row["device"] for row in table], columns, [row["label"] for row in table])
    models.commit()
    for key in ("d0", "d4"):
        assert models.store.state(key) == store().state(key)


def test_malformed_rows_are_quarantined_with_file_and_row():
    lines = [*rows(40)]
    lines[7] = ",1.0,red,2024-01-01,yes"
    lines[9] = "d1,high,red,2024-01-01,yes"
    lines[11] = "d1,1.0,red,2024-01-01,"
    lines[12] = "d1,inf,red,2024-01-01,yes"
    write("a.csv", lines)
    done = learned("--kind", "x=number", "--on-schema-change", "note")
    assert "2 malformed rows were quarantined, most recently a.csv, row 11" in done.output
    found = [(each.file, each.row, each.key) for each in store().quarantined()]
    assert found == [("a.csv", 7, None), ("a.csv", 11, "d1")]
    assert sum(each.rows for each in store().keys("key")) == 38
    assert "39 of 40 values are numbers; 'high' in row 9 is treated as missing" in done.output
    assert "1 of 40 values lie outside of -1e75 to 1e75" in done.output


def test_a_file_of_other_columns_is_quarantined():
    learned()
    write("b.csv", ["1,2"] * 3, "u,v")
    write("c.csv", [row.replace("d1", "d9") for row in rows(30)])
    done = run("learn", "b.csv", "c.csv", "--state", "m")
    assert done.exit_code == 4 and "3 malformed rows were quarantined" in done.output
    assert "b.csv: no column 'x', which the model uses" in done.output
    assert store().quarantined()[-1].reason == "the file has no column 'label'"
    assert store().summary("d9") is not None


def test_broken_lines_are_quarantined_where_they_may_be():
    learned()
    write("b.csv", ["d1,1,red", *rows(5)])
    reported(run("learn", "b.csv", "--state", "m"), "line 2", "--on-error skip")
    done = run("learn", "b.csv", "--state", "m", "--on-error", "skip")
    assert done.exit_code == 0 and "is broken" in store().quarantined()[-1].reason


def test_keys_keep_their_zeros():
    write("a.csv", [f"00{i % 3},1.{i},red,2024-01-01,{'yn'[i % 2]}" for i in range(30)])
    learned()
    assert [each.key for each in store().keys("key")] == ["000", "001", "002"]


def test_idle_keys_expire():
    write("a.csv", [*(f"old,{i},red,2024-01-01,yes" for i in range(20)), *rows(200)])
    done = learned("--idle", "100")
    assert "1 idle keys were dropped" in done.output
    assert store().summary("old") is None and store().expired() == {0: 1}


def test_outlying_times_do_not_expire_keys():
    lines = [f"d{i % 5},{i % 7},red,2024-01-{1 + i // 100:02},{'yn'[i % 2]}" for i in range(2_500)]
    lines[1_200] = "d1,1,red,2199-01-01,y"
    write("a.csv", lines)
    done = learned("--idle", "30d", "--time", "day")
    assert "contains 2199-01-01T00:00:00, more than --idle 30d ahead of the rows" in done.output
    assert "2,500 rows of 5 keys" in done.output and "forgotten" not in done.output


MISTAKES = [
    (("learn", "a.csv", "--key", "device", "--state", "n"), ("--target label",)),
    (("learn", "a.csv", "--target", "label", "--key", "devise", "--state", "n"),
     ("no column 'devise' for the keys", "did you mean 'device'")),
    (("learn", "a.csv", "--target", "lable", "--key", "device", "--state", "n"),
     ("did you mean 'label'?",)),
    (("learn", "a.csv", "--target", "label", "--key", "label", "--state", "n"),
     ("must be different",)),
    (("learn", "a.csv", "--state", "m", "--key", "x"), ("--key cannot be 'x': ",)),
    (("learn", "a.csv", "--state", "m", "--target", "x"), ("--target cannot be 'x': ",)),
    (("learn", "a.csv", "--state", "m", "-l", "hoeffding"), ("--learner cannot be 'hoeffding': ",)),
    (("learn", "a.csv", "--state", "m", "--idle", "5"), ("--idle cannot be '5': ",)),
    (("learn", "a.csv", "--state", "m", "--on", "bytewaxx:2"), ("Invalid --on",)),
    (("learn", "a.csv", "--state", "m", "--on", "moon"), ("--on 'moon'", "local")),
    (("learn", "a.csv", "--state", "m", "--memory", "much"), ("500MB", "'much'")),
    (("learn", "a.csv", "--state", "m", "--memory", "-1"), ("500MB",)),
    (("learn", "a.csv", "--state", "m", "--delay", "5"), ("--delay cannot be combined",)),
    (("learn", "a.csv", "--state", "m", "--labels", "l.csv"), ("cannot be combined with --key",)),
    (("learn", "a.csv", "--state", "m", "--out", "predictions.txt"), ("expected a .csv file",)),
    (("learn", "a.csv", "--state", "m", "--out", "a.csv"), ("exists, but was not written",)),
    (("learn", "a.csv", "--state", "m", "--reprocess", "z.csv"), ("no rows of it have been read",)),
    (("learn", "none.csv", "--state", "m"), ("there is no file none.csv",)),
    (("learn", "a.csv", "--target", "label", "--state", "n", "--idle", "5"), ("--key COLUMN",)),
    (("learn", "a.csv", "--target", "label", "--state", "n", "--memory", "1GB"), ("--key COLUMN",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--idle", "3d"),
     ("--time COLUMN",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--time", "day"),
     ("--idle 30d",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--idle", "soon"),
     ("must be a number of rows", "'soon'")),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "-l", "awe"),
     ("is trained on chunks of rows", "--chunk 100")),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "-l", "cart"),
     ("cannot be trained row by row",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--chunk", "9",
      "-l", "naive-bayes"), ("omit --chunk",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--chunk", "file",
      "-l", "awe"), ("--chunk file cannot be combined with --key",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--kind",
      "size=number"), ("no column 'size'",)),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--kind",
      "x=numbre"), ("'numbre'", "number, boolean, category, date or drop")),
    (("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n", "--drop", "x",
      "--drop", "colour", "--drop", "day"), ("All columns are dropped",)),
    (("predict", "a.csv", "--state", "m", "--out", "p.csv", "--passthrough", "z"),
     ("--passthrough", "'z'")),
    (("predict", "none.csv", "--state", "m", "--out", "p.csv"), ("there is no file",)),
    (("inspect", "m", "--key", "dd1"), ("There is no key 'dd1'", "did you mean 'd")),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=lambda each: " ".join(each)[-50:])
def test_a_mistake_is_one_sentence_and_loses_nothing(words, message):
    learned()
    before = store().state("d1")
    reported(run(*words), *message)
    assert store().state("d1") == before
    done = run("learn", "a.csv", "--state", "m", "-q")
    assert done.exit_code == 0 and done.output == "", done.output
    if "n" in words:  # a run that was started by mistake does not block a new one
        done = run("learn", "a.csv", "--target", "label", "--key", "device", "--state", "n")
        assert done.exit_code == 0, done.output


def test_one_model_and_keys_do_not_share_a_folder():
    assert run("learn", "a.csv", "--target", "label", "--state", "one").exit_code == 0
    done = run("learn", "a.csv", "--target", "label", "--key", "device", "--state", "one")
    reported(done, "one contains a single model", "different --state")
    reported(run("inspect", "one", "--key", "d1"), "has no models by key")


def test_changed_files_are_reported():
    learned()
    write("a.csv", rows(300, seed=5))
    reported(run("learn", "a.csv", "--state", "m"), "was changed", "--reprocess")
    done = run("learn", "a.csv", "--state", "m", "--reprocess", "a.csv")
    assert done.exit_code == 0 and "600 rows of 5 keys" in done.output


def test_two_processes_on_one_folder():
    learned()
    held = subprocess.Popen(
        [sys.executable, "-c",
         "import time\nfrom pathlib import Path\nfrom driftlearn.utils.locks import Locks\n"
         "locks = Locks(Path('m')); print(locks.take('model'), flush=True); time.sleep(60)"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert held.stdout.readline() == "True\n"
        reported(run("learn", "a.csv", "--state", "m"), f"in use by process {held.pid}")
        assert run("inspect", "m", "--key", "d1").exit_code == 0
    finally:
        held.kill()
        held.wait()
        held.stdout.close()


def test_a_full_disk_leaves_the_last_save(monkeypatch):
    learned()
    before = {each.key: store().state(each.key) for each in store().keys("key")}
    write("b.csv", [row.replace("d", f"e{i}", 1) for i, row in enumerate(rows(200, 3))])
    plain = KeyStore._check_format

    def check(self, read_only):
        plain(self, read_only)
        (n,) = self._base.execute("PRAGMA page_count").fetchone()
        self._base.execute(f"PRAGMA max_page_count={n}")

    monkeypatch.setattr(KeyStore, "_check_format", check)
    reported(
        run("learn", "b.csv", "--state", "m"),
        "Free disk space",
        "run the same command again",
    )
    monkeypatch.setattr(KeyStore, "_check_format", plain)
    assert {each.key: store().state(each.key) for each in store().keys("key")} == before
    assert "500 rows of 205 keys" in run("learn", "b.csv", "--state", "m").output


def test_damaged_stores_are_reported():
    learned()
    for name in os.listdir("m"):
        if name.startswith("keyed.sqlite"):
            os.remove(f"m/{name}")
    with open("m/keyed.sqlite", "w") as file:
        file.write("no database at all " * 500)
    reported(run("learn", "a.csv", "--state", "m"), "is damaged or is not a store of keys")
    reported(run("inspect", "m"), "is damaged or is not a store of keys")


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_ctrl_c_saves_and_the_next_run_continues(monkeypatch):
    write("b.csv", rows(3_000, 3))
    learned()
    plain, calls = KeyedModels.learn_rows, []

    def learn_rows(self, *more):
        calls.append(0)
        signal.raise_signal(signal.SIGINT)
        return plain(self, *more)

    monkeypatch.setattr(KeyedModels, "learn_rows", learn_rows)
    done = run("learn", "b.csv", "--state", "m")
    assert done.exit_code == 130 and "run the same command again to continue" in done.stderr
    monkeypatch.setattr(KeyedModels, "learn_rows", plain)
    assert sum(each.rows for each in store().keys("key")) == 1_300, "the first batch is saved"
    assert "3,300 rows of 5 keys" in run("learn", "b.csv", "--state", "m").output


def test_truncated_prediction_files_are_reported():
    learned("--out", "predictions.csv")
    with open("predictions.csv", "r+b") as file:
        file.truncate(100)
    write("b.csv", rows(20, 1))
    reported(
        run("learn", "b.csv", "--state", "m", "--out", "predictions.csv"),
        "has 100 bytes, fewer than",
        "Restore it",
    )


def test_new_rows_of_a_file_that_grows():
    learned()
    with open("a.csv", "a") as file:
        file.write("\n".join(rows(10, 9)) + "\n")
    assert "310 rows of 5 keys" in run("learn", "a.csv", "--state", "m").output


def test_copies_are_learned_once():
    learned()
    write("b.csv", rows(300))
    done = run("learn", "b.csv", "--key", "device", "--state", "m", "--json")
    assert "b.csv is a copy of" in done.stderr and store().positions()[os.path.realpath("b.csv")]
    assert json.loads(done.stdout)["counts"]["learned"] == 300
    write("c.csv", rows(300))
    done = run("learn", "c.csv", "--key", "device", "--state", "m", "--json", "--again")
    assert json.loads(done.stdout)["counts"]["learned"] == 600


def test_commands_for_single_models():
    learned()
    for words in (("promote", "--state", "m"), ("rollback", "--state", "m", "--list"),
                  ("compare", "m", "m", "a.csv")):  # fmt: skip
        reported(run(*words), f"m has one model per key, which '{words[0]}' does not support.")
    again = ("learn", "a.csv", "--key", "device", "--state", "m")
    for option in ("--challenger", "--label-time"):
        reported(run(*again, option, "x"), f"{option} cannot be combined with --key")
    for words in ([*again, "--challenger", "x"], ["promote", "--state", "m"]):
        reported(run(*words), "different --state folder on the same files", "accuracy of both")


def test_kinds_of_columns_change_later():
    """A column is dropped, another becomes a category, in the models of old and new keys."""
    learned()
    before = store().state("d1")
    done = run("learn", "a.csv", "--state", "m", "--kind", "size=number")
    reported(done, "Invalid --kind size=number: 'size' is not a column of the models")
    reported(run("learn", "a.csv", "--state", "m", "--drop", "x", "--drop", "colour", "--drop",
                 "day"), "All columns are dropped")  # fmt: skip
    assert store().state("d1") == before
    write("b.csv", [row.replace("d1,", "new,") for row in rows(100, 1)])
    done = run("learn", "b.csv", "--state", "m", "--drop", "colour", "--kind", "x=category",
               "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    models = KeyedModels(store=store())
    kinds = {"x": "category", "colour": "drop", "day": "date"}
    assert models.learner.kinds == kinds
    shared = models.learner.shared
    for model in (shared.global_model, *shared.model_pool, models.state("d2").own):
        assert model.steps_[0][1].kinds_ == kinds
    assert models.state("new").encoder.kinds_ == {"x": "category", "day": "date"}
    write("c.csv", [row.replace("red", "green") for row in rows(100, 2)])
    assert "colour" not in run("learn", "c.csv", "--state", "m", "-q").output
    assert run("learn", "c.csv", "--state", "m", "--drop", "colour").exit_code == 0
    done = run("learn", "c.csv", "--state", "m", "--drop", "day", "--again")
    assert done.exit_code == 0 and KeyedModels(store=store()).learner.kinds["day"] == "drop"
    assert run("predict", "c.csv", "--state", "m", "--out", "p.csv").exit_code == 0


def test_check_reports_labels_and_keys():
    learned()
    lines = [*rows(50, 1)]
    lines[3], lines[4] = lines[3].rpartition(",")[0] + ",YES", "," + lines[4].partition(",")[2]
    write("b.csv", lines)
    done = run("check", "b.csv", "--state", "m")
    assert done.exit_code == 4 and "b.csv: 50 rows, 2 changes of the schema" in done.stdout
    assert "'YES' (1 row, did you mean 'yes'?)" in done.stderr
    assert "column 'device': 1 of 50 rows have no key, the first row 4" in done.stderr
    write("c.csv", [row.rpartition(",")[0] for row in rows(20, 2)], HEAD.rpartition(",")[0])
    done = run("check", "c.csv", "--state", "m", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["files"][0]["changes"] == []


def test_a_single_model_is_recommended_if_it_is_more_accurate(monkeypatch):
    compared = {"model": 0.691, "global": 0.7}
    assert is_beaten(compared, "global", 100_000) and not is_beaten(compared, "global", 1_000)
    assert not is_beaten({"model": 0.5}, "global", 100_000)
    what = "more accurate (0.9500) than with a model per key"
    assert what not in learned().stderr
    monkeypatch.setattr(KeyedModels, "comparison", lambda _: {"model": 0.7, "global": 0.95})
    assert what in run("learn", "a.csv", "--state", "m").stderr
    found = json.loads(run("learn", "a.csv", "--state", "m", "-q", "--json").stdout)
    assert what in found["warnings"][0] and found["compared"] == {"model": 0.7, "global": 0.95}
