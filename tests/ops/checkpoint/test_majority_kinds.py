"""One unreadable cell does not change the kind of a column."""

import numpy as np
import pytest

from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.keyed.settings import Request, run
from driftlearn.preprocessing import TableEncoder
from driftlearn.tables.frames import Raw
from driftlearn.tables.values import kind_of


def kind(values):
    return kind_of(Raw(np.array(values, dtype=object)), "x")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1.5"] * 19 + ["much"], "number"),
        (["1.5"] * 18 + ["much"], "category"),
        (["1.5"] * 38 + ["much", "inf"], "number"),
        (["1.5"] * 19 + ["0x10"], "number"),
        (["1.5"] * 19 + ["?"] + [None] * 50, "number"),
        (["1"] * 99 + ["007"], "category"),
        (["1"] * 99 + ["A7"] * 10, "category"),
        (["2024-01-31"] * 19 + ["31.01.2024"], "date"),
        (["2024-01-31"] * 10 + ["31.01.2024"], "category"),
    ],
)
def test_kinds_follow_a_clear_majority(values, expected):
    assert kind(values) == expected


def stream(path, n=4_000, key=False):
    """Write rows whose label depends on a number; one of them is unreadable."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(4).astype(object)
    y = np.where(x > 0, "yes", "no")
    x[500] = "much"
    keys = [f",{each}" for each in rng.integers(3, size=n)] if key else [""] * n
    rows = [f"{one},{label}{each}" for one, label, each in zip(x, y, keys)]
    head = f"x,label{',key' * key}"
    path.write_text("\n".join([head, *rows]) + "\n")
    return str(path)


def test_learn_reports_the_unreadable_cell_and_stays_accurate(tmp_path):
    given = {"target": "label", "learner": "naive-bayes", "chunk": 1}
    run = LearnRun(tmp_path / "m", [stream(tmp_path / "a.csv")], given)
    saved = run.run()
    assert saved.encoder.kinds_ == {"x": "number"}
    assert saved.record.accuracy()["model"] > 0.95
    expected = (
        "a.csv: column 'x': 3,999 of 4,000 values are numbers; 'much' in row 500 is treated as "
        "missing; --kind x=category to override"
    )
    assert run.schema.texts() == [expected]


def test_keyed_models_stay_accurate(tmp_path):
    files, given = [stream(tmp_path / "a.csv", key=True)], {"target": "label", "key": "key"}
    request = Request(tmp_path / "m", files, given)
    models = run(request)
    assert models.learner.kinds == {"x": "number"}
    assert models.counts["right"] > 0.95 * models.counts["tested"]
    assert models.counts["quarantined"] == 0
    (text,) = request.schema.texts()
    assert "3,999 of 4,000 values are numbers; 'much' in row 500 is treated as missing" in text


def test_table_encoder_warns_of_the_unreadable_cell():
    with pytest.warns(UserWarning, match="'much'"):
        encoder = TableEncoder().fit({"x": ["1"] * 500 + ["much"]})
    assert encoder.kinds_ == {"x": "number"} and encoder.report_["row"].tolist() == [500]
