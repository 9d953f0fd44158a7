"""`driftlearn learn` and `predict`, as used by a user or a script."""

import csv
import io
import json
import sqlite3
import sys

import pytest
from click.testing import CliRunner

from driftlearn.cli import main

ROWS = [
    f"{i},{x / 10},{'red' if i % 3 else 'blue'},{'yes' if x > 50 else 'no'}"
    for i, x in enumerate((i * 37) % 101 for i in range(120))
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def write(path, rows, head="id,x,colour,label"):
    path.write_text("\n".join([head, *rows]) + "\n")


def run(*words, **how):
    return CliRunner().invoke(main, [*words], **how)


def learned(tmp_path, *words, state="model"):
    write(tmp_path / "a.csv", ROWS[:80])
    done = run("learn", "a.csv", "--target", "label", "--state", state, "--drop", "id",
               "--learner", "leveraging-bagging:n_estimators=3", *words)  # fmt: skip
    assert done.exit_code == 0, done.output
    return done


def test_from_a_file_to_predictions(tmp_path):
    done = learned(tmp_path)
    assert "80 new rows learned, 80 in total" in done.output
    assert "no row was tested: the first file is used for training" in done.output
    by_row = learned(tmp_path, "--chunk", "1", state="rows").output
    assert "no-change" in by_row and "majority" in by_row and "\x1b" not in by_row
    write(tmp_path / "b.csv", ROWS[80:100])
    found = json.loads(run("learn", "a.csv", "b.csv", "--state", "model", "-q", "--json").stdout)
    assert found["new rows"] == 20 and found["rows"] == 100 and found["classes"] == ["no", "yes"]
    write(tmp_path / "c.csv", [row.rpartition(",")[0] for row in ROWS[100:]], "id,x,colour")
    message = run("predict", "c.csv", "--state", "model", "--out", "-", "--passthrough", "id", "-q")
    assert message.exit_code == 0, message.output
    rows = [*csv.DictReader(io.StringIO(message.stdout))]
    assert [row["id"] for row in rows] == [str(i) for i in range(100, 120)]
    for row in rows:
        assert float(row["p_no"]) + float(row["p_yes"]) == pytest.approx(1)
        assert row["predicted"] == ("yes" if float(row["p_yes"]) > 0.5 else "no")
        assert all(":" in each for each in row["votes"].split())
    assert any(row["votes"] for row in rows)
    done = run("predict", "c.csv", "--state", "model", "--out", "p.csv", "--no-votes")
    assert "20 rows predicted: p.csv" in done.output
    assert "votes" not in (tmp_path / "p.csv").read_text()


def test_predictions_as_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write(tmp_path / "a.csv", [f"{i},{i % 2}" for i in range(40)], "x,label")
    run("learn", "a.csv", "--target", "label", "--state", "m", "--learner", "naive-bayes")
    done = run("predict", "a.csv", "--state", "m", "--out", "p.parquet", "--passthrough", "x")
    assert done.exit_code == 0, done.output
    table = parquet.read_table(tmp_path / "p.parquet")
    assert table.column_names == ["x", "predicted", "p_0", "p_1", "votes"]
    assert str(table.schema.field("predicted").type) == "int64" and table.num_rows == 40
    assert [each.name for each in tmp_path.iterdir() if ".part" in each.name] == []


def test_standard_input(tmp_path):
    text = "x,label\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(30))
    for rows in (30, 60):
        done = run("learn", "-", "--target", "label", "--state", "m", "--learner", "naive-bayes",
                   "--json", "-q", input=text)  # fmt: skip
        assert json.loads(done.stdout)["rows"] == rows


def test_a_copy_of_a_learned_file(tmp_path):
    learned(tmp_path)
    write(tmp_path / "b.csv", ROWS[:80])
    done = run("learn", "b.csv", "--state", "model")
    assert "b.csv is a copy of" in done.stderr and "add --again" in done.stderr
    assert "0 new rows learned" in done.stdout
    assert json.loads(run("learn", "b.csv", "--state", "model", "--json").stdout)["files"] == 1
    write(tmp_path / "c.csv", ROWS[:80])
    assert "80 new rows learned" in run("learn", "c.csv", "--state", "model", "--again").stdout


def test_mistakes_are_one_sentence(tmp_path):
    learned(tmp_path)
    (tmp_path / "d").mkdir()
    write(tmp_path / "broken.csv", ["1,2"])
    write(tmp_path / "other.csv", ["1,2"], "height,width")
    learn = ("learn", "--state", "model")
    predict = ("predict", "--state", "model")
    for words, problem in (
        ((*learn, "missing.csv"), "there is no file missing.csv"),
        ((*learn, "d"), "0 new rows learned"),
        ((*learn, "broken.csv"), "line 2 of"),
        ((*learn, "a.csv", "--chunk", "some"), "expected a number of rows"),
        ((*learn, "a.csv", "--kind", "x"), "expected COLUMN=KIND"),
        ((*learn, "a.csv", "--target", "colour"), "Omit the option, or use a different --state"),
        (("learn", "a.csv", "--state", "new"), "Name the label column"),
        (("learn", "a.csv", "--state", "new", "--target", "lable"), "did you mean 'label'"),
        ((*predict, "a.csv", "--out", "p.txt"), "a .csv or .parquet file"),
        ((*predict, "other.csv", "--out", "p.csv"), "none of the columns"),
        ((*predict, "a.csv", "--out", "p.csv", "--passthrough", "ix"), "no column 'ix'"),
        (("predict", "a.csv", "--state", "new2", "--out", "p.csv"), "There is no saved model"),
        ((*predict, "a.csv", "--out", "a.csv/p.csv"), "a.csv/p.csv cannot be written"),
        ((*predict, "d", "--out", "p.csv"), "nothing to predict"),
    ):
        done = run(*words)
        assert problem in " ".join(done.output.split()), (words, done.output)
        assert "Traceback" not in done.output
        assert (done.exit_code == 0) == ("0 new rows" in problem), done.output
    assert not (tmp_path / "p.csv").exists()


def test_a_column_that_predictions_have_is_not_handed_through(tmp_path):
    write(tmp_path / "a.csv", [f"{i},{i % 7},{'ab'[i % 2]}" for i in range(40)], "p_a,x,label")
    words = ("--target", "label", "--learner", "naive-bayes", "--drop", "p_a", "-q")
    assert run("learn", "a.csv", "--state", "model", *words).exit_code == 0
    done = run("predict", "a.csv", "--state", "model", "--out", "p.csv", "--passthrough", "p_a")
    assert done.exit_code == 2 and "Invalid --passthrough 'p_a'" in done.output
    assert not (tmp_path / "p.csv").exists()


def test_a_file_that_cannot_be_read_is_the_one_that_is_named(tmp_path, monkeypatch):
    learned(tmp_path)

    def pieces(self, position):
        raise PermissionError(13, "Permission denied", "a.csv")
        yield

    monkeypatch.setattr("driftlearn.ops.sources.FileSource.pieces", pieces)
    done = run("predict", "a.csv", "--state", "model", "--out", "p.csv")
    assert done.exit_code == 2 and "a.csv: Permission denied" in done.output
    assert "p.csv" not in done.output


def test_the_same_file_through_the_workbench(tmp_path):
    write(tmp_path / "a.csv", ROWS)
    words = ("--learner", "naive-bayes", "--chunk-size", "40", "--on", "serial", "-q", "--json")
    done = run("run", "--stream", "a.csv:target=label,drop=(id)", *words)
    assert done.exit_code == 0, done.output
    first = json.loads(done.stdout)["results"]
    assert "naive-bayes" in next(iter(first.values()))
    write(tmp_path / "a.csv", [*ROWS[1:], *ROWS])
    again = json.loads(run("run", "--stream", "a.csv:target=label,drop=(id)", *words).stdout)
    assert again["results"] != first
    done = run("run", "--stream", "a.csv", *words)
    assert done.exit_code == 2 and "Use a.csv:target=COLUMN" in " ".join(done.output.split())
    done = run("run", "--stream", "a.csv:target=lable", *words)
    assert done.exit_code == 2 and "did you mean 'label'" in done.output


def test_the_same_files_through_the_workbench(tmp_path):
    """A folder is a stream; results depend on its content."""
    days = tmp_path / "days"
    days.mkdir()
    write(days / "1.csv", ROWS[:40])
    write(days / "2.csv", ROWS[40:80])
    command = ["run", "--stream", "days:target=label,drop=[id]", "--learner", "naive-bayes", "-q",
               "--chunk-size", "20", "--on", "serial", "--json", "--no-baselines"]  # fmt: skip

    def stored():
        done = run(*command)
        assert done.exit_code == 0, done.output
        with sqlite3.connect(next((tmp_path / "data").rglob("*.sqlite"))) as store:
            return [key for (key,) in store.execute("SELECT key FROM cells")], done

    first, done = stored()
    assert len(first) == 1
    again, same = stored()
    assert again == first
    assert json.loads(same.stdout)["results"] == json.loads(done.stdout)["results"]
    write(days / "3.csv", ROWS[80:])
    assert len(stored()[0]) == 2
    glob = run(*command[:2], "'day[s]/*.csv':target=label,drop=[id]", *command[3:])
    assert glob.exit_code == 0, glob.output
    lost = run("run", "--stream", "dais/:target=label", "--learner", "naive-bayes")
    assert lost.exit_code == 2 and "there is no file dais/" in lost.output
