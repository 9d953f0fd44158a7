"""Columns of the first file that leak the label, or are numbers or dates in another form."""

import numpy as np

from driftlearn.ops.checkpoint.learn_run import LearnRun

GIVEN = {"target": "label", "learner": "naive-bayes"}


def test_notes_about_the_first_file(tmp_path):
    rng = np.random.default_rng(0)
    x, label = rng.normal(size=400), rng.choice(["yes", "no"], size=400)
    rows = [
        f'{v:.3f},"{abs(v):.2f}",{1 + i % 28:02}.01.2024,{one}-done,{one == "yes":d}.5,{one}'
        for i, (v, one) in enumerate(zip(x, label))
    ]
    rows = [row.replace(f'"{abs(v):.2f}"', f'"{abs(v):.2f}"'.replace(".", ","))
            for row, v in zip(rows, x)]  # fmt: skip
    (tmp_path / "1.csv").write_text("\n".join(["x,price,day,state,paid,label", *rows]) + "\n")
    run = LearnRun(tmp_path / "m", [str(tmp_path / "1.csv")], GIVEN)
    run.run()
    begins = [
        "column 'price' is treated as a category, e.g. '",
        "column 'day' is treated as a category, e.g. '01.01.2024': write dates as 2024-01-31",
        "column 'state' alone predicts 100.0% of 400 labels: if it is not known before the label, "
        "omit it with --drop state",
        "column 'paid' alone predicts 100.0% of 400 labels",
    ]
    found = [text for text in run.notes if "treated as" in text or "alone" in text]
    assert len(found) == 4
    assert all(text.startswith(begin) for text, begin in zip(found, begins))
    assert "write a decimal point" in found[0]


def test_ordinary_columns_are_silent(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    label = np.where(x + rng.normal(scale=0.3, size=400) > 0, "yes", "no")
    rows = [f"{v:.3f},a{i % 5},{one}" for i, (v, one) in enumerate(zip(x, label))]
    (tmp_path / "1.csv").write_text("\n".join(["x,word,label", *rows]) + "\n")
    run = LearnRun(tmp_path / "m", [str(tmp_path / "1.csv")], GIVEN)
    run.run()
    assert not [text for text in run.notes if "column" in text] and not run.schema.texts()
