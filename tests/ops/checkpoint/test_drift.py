"""Drift in a state folder whose labels come late, for some rows only, from separate files."""

import numpy as np
import pytest
from scipy.stats import norm

from driftlearn.inspection import inspect
from driftlearn.inspection._tables import changes_of_error
from driftlearn.ops.checkpoint.learn_run import LearnRun

MONDAY = np.datetime64("2024-01-01")
N_DAYS, CHANGE = 42, 30


def write_days(folder, labels):
    """Write daily files without labels, and files with four fifths of the labels."""
    folder.mkdir()
    labels.mkdir()
    for day in range(N_DAYS):
        rng = np.random.default_rng(day)
        weekend = day % 7 > 4
        n = int(rng.integers(150, 200) if weekend else rng.integers(310, 530))
        y = rng.random(n) < 0.45
        x = rng.normal(np.where(y, 1.0, -1.0), 0.8, n)
        price = rng.normal(61 if day >= CHANGE else 40, 5, n)
        noise = (0.14 if day >= CHANGE else 0.02) + 0.1 * weekend
        label = np.where(y ^ (rng.random(n) < noise), "yes", "no")
        rows = [f"{day}-{i},{x[i]:.4f},{price[i]:.2f}" for i in range(n)]
        (folder / f"{MONDAY + day}.csv").write_text("\n".join(["id,x,price", *rows]) + "\n")
        known = [f"{day}-{i},{label[i]}" for i in range(n) if rng.random() < 0.8]
        (labels / f"{MONDAY + day}.csv").write_text("\n".join(["id,label", *known]) + "\n")


@pytest.mark.parametrize("delay", [0, 5])
def test_drift_is_dated_by_the_files_of_the_rows(tmp_path, delay):
    write_days(tmp_path / "days", tmp_path / "labels")
    given = {"target": "label", "by": "id", "learner": "naive-bayes", "delay": delay}
    words = [str(tmp_path / "days")], given
    saved = LearnRun(tmp_path / "m", *words, labels=str(tmp_path / "labels")).run()
    found = inspect(saved)
    (drift,) = found.facts["drifts"]
    assert drift["file"] == "2024-01-31.csv"
    text = "On 31 January 2024 'price' changed (median 40.11 to 61.14); the error rose from "
    assert drift["sentence"].startswith(text)
    rise = 0.12 * (1 - 2 * norm.cdf(-1 / 0.8))  # of a rule that is also wrong without noise
    (change,) = found.table("changes")  # weekends have more errors, but are no changes
    assert change["file"] == "2024-01-31.csv"
    assert abs(change["since"] - change["before"] - rise) < 0.03
    # of the rows before the change, only those with labels are in the record of accuracies
    assert change["training rows"] < change["after"]
    assert saved.record.where(change["training rows"])["file"] == "2024-01-31.csv"
    assert found.drift_rows == [change["training rows"]]
    assert sum(each["since"] > each["before"] for each in changes_of_error(saved)) == 1
    path = found.report(tmp_path / "page.html")
    assert "31 January 2024" in path.read_text("utf-8")
