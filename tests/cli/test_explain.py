"""The command explain."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.checkpoint.saved_model import SavedModel

LEARNER = "refit:estimator=naive-bayes"


def write(path, n, seed):
    rng = np.random.default_rng(seed)
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["price", "size", "colour", "day", "bought"])
        for _ in range(n):
            price, size, colour = rng.normal(10, 2), rng.random(), rng.choice(["red", "blue"])
            label = "yes" if size + 0.4 * (colour == "red") > 0.7 else "no"
            rows.writerow([f"{price:.2f}", f"{size:.3f}", colour, f"2026-01-{seed + 1:02}", label])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    here = tmp_path_factory.mktemp("explain")
    (here / "days").mkdir()
    for k in range(8):
        write(here / "days" / f"{k}.csv", 300, k)
    with open(here / "new.csv", "w", encoding="utf-8") as file:
        file.write("price,size,colour,day\n9.5,0.9,red,2026-01-20\n9.5,0.1,blue,2026-01-20\n"
                   ",0.9,violet,2026-01-20\n")  # fmt: skip
    done = run("learn", here / "days", "--target", "bought", "--state", here / "m", "--time", "day",
               "--learner", LEARNER, "-q")  # fmt: skip
    assert done.exit_code == 0, done.output
    return here


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_rows_are_explained_by_columns_and_words(place):
    done = run("explain", place / "new.csv", "--row", 2, "--row", 0, "--state", place / "m")
    assert done.exit_code == 0, done.output
    assert "row 2:" in done.output and "colour = violet (unknown word)" in done.output
    assert done.output.index("row 2:") < done.output.index("row 0: yes")
    assert "price = missing" in done.output
    short = run("explain", place / "new.csv", "--top", 1, "--state", place / "m").output
    assert "3 other columns" in short and "row 0: yes" in short


@pytest.mark.parametrize("output", ["probability", "log-odds"])
def test_json_adds_up(place, output):
    done = run("explain", place / "new.csv", "--row", 1, "--state", place / "m", "--json",
               "--output", output)  # fmt: skip
    found = json.loads(done.stdout)
    (row,) = found["rows"]
    total = row["average"] + sum(each["contribution"] for each in row["contributions"])
    p = row["probabilities"][row["label"]]
    assert total == pytest.approx(p if output == "probability" else np.log(p / (1 - p)))
    assert row["row"] == 1 and found["background rows"] == 64
    saved = SavedModel.open(place / "m")
    table = {"price": [9.5], "size": [0.1], "colour": ["blue"], "day": ["2026-01-20"]}
    assert row["label"] == saved.model.predict(table)[0]


def test_importances_over_time(place):
    done = run("explain", "--state", place / "m")
    assert done.exit_code == 0, done.output
    assert "until 2026-01-06" in done.output and done.output.splitlines()[1].startswith("size")
    found = json.loads(run("explain", "--state", place / "m", "--json").stdout)
    assert found["after"] == [900, 1800] and found["file"] == ["2.csv", "5.csv"]
    assert {*found["importances"]} == {"price", "size", "colour", "day"}
    assert "Importances over time" in run("inspect", place / "m").output


def test_importances_of_rows_that_are_learned_one_by_one(place, tmp_path):
    words = "--target", "bought", "--state", tmp_path / "m", "--chunk", 1, "-q"
    done = run("learn", place / "days" / "1.csv", *words, "--learner", "naive-bayes")
    assert done.exit_code == 0, done.output
    assert run("explain", "--state", tmp_path / "m").output.splitlines()[1].startswith("size")
    assert run("explain", place / "new.csv", "--state", tmp_path / "m").exit_code == 0


@pytest.mark.parametrize("what", [["new.csv", "--row", "1"], []])
def test_figures_and_pages(place, tmp_path, what):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    words = [place / what[0], *what[1:]] if what else []
    for name in ("x.png", "x.html"):
        done = run("explain", *words, "--state", place / "m", "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "size" in page and 'role="img"' in page


def test_the_state_does_not_depend_on_interruptions(place, tmp_path):
    words = "--target", "bought", "--time", "day", "--learner", LEARNER, "-q"
    for k in range(8):
        done = run("learn", place / "days" / f"{k}.csv", "--state", tmp_path / "m", *words)
        assert done.exit_code == 0, done.output
    one, other = SavedModel.open(place / "m"), SavedModel.open(tmp_path / "m")
    assert one.importances.to_dict() == other.importances.to_dict()
    np.testing.assert_array_equal(one.model.recent_.rows, other.model.recent_.rows)


def test_errors_name_the_row_and_the_file(place):
    done = run("explain", place / "new.csv", "--row", 7, "--state", place / "m")
    assert done.exit_code == 2 and "has no row 7. The last row is 2." in done.output
    done = run("explain", "--row", 7, "--state", place / "m")
    assert done.exit_code == 2 and "--row requires a FILE" in done.output
    done = run("explain", place / "new.csv", "--state", place / "none")
    assert done.exit_code == 2 and "no saved model" in done.output
