"""Columns can be dropped or have another kind later, without a new model."""

import numpy as np
import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.preprocessing import TableEncoder

GIVEN = {"target": "label", "learner": "naive-bayes"}


def write(path, n, seed, x=str):
    rng = np.random.default_rng(seed)
    values, words = rng.normal(size=n), rng.choice(["red", "blue"], size=n)
    rows = [f"{x(round(value, 3))},{word},2024-01-{1 + i % 28:02},{'yes' if value > 0 else 'no'}"
            for i, (value, word) in enumerate(zip(values, words))]  # fmt: skip
    path.write_text("\n".join(["x,word,day,label", *rows]) + "\n")
    return str(path)


def learn(folder, file, **given):
    run = LearnRun(folder, [file], {**GIVEN, **given})
    return run, run.run()


@pytest.mark.parametrize("n", [300, 1_500])  # before and after the bins of the record are known
def test_drop_and_change_kinds_later(tmp_path, n):
    folder = tmp_path / "m"
    learn(folder, write(tmp_path / "1.csv", n, 1))
    run, saved = learn(folder, write(tmp_path / "2.csv", n, 2), kinds={"word": "drop"})
    assert saved.encoder.kinds_ == {"x": "number", "word": "drop", "day": "date"}
    assert [*saved.features.kinds] == ["x"] and not run.schema.texts()
    (tmp_path / "3.csv").write_text("x,day,label\n" + "0.5,2024-02-01,yes\n" * 60)
    run, saved = learn(folder, str(tmp_path / "3.csv"))  # the option is stored
    assert not run.schema.texts() and saved.settings["kinds"] == {"word": "drop"}
    learn(folder, write(tmp_path / "4.csv", n, 4, lambda x: f"c{x > 0}"), kinds={"x": "category"})
    saved = SavedModel.open(folder)
    assert saved.encoder.kinds_["x"] == "category" and not saved.features.kinds
    assert {*saved.encoder.categories_["x"]} == {"cTrue", "cFalse"}
    assert saved.record.n_rows == 3 * n + 60
    learn(folder, write(tmp_path / "5.csv", n, 5, lambda x: f"c{x > 0}"), kinds={"day": "drop"})
    assert SavedModel.open(folder).encoder.kinds_["day"] == "drop"


def test_errors_name_the_option(tmp_path):
    learn(tmp_path / "m", write(tmp_path / "1.csv", 100, 1))
    again = write(tmp_path / "2.csv", 100, 2)
    with pytest.raises(ValueError, match=r"Invalid --kind day=category: .* 5 columns"):
        learn(tmp_path / "m", again, kinds={"day": "category"})
    with pytest.raises(ValueError, match=r"Invalid --kind wrd=drop: .*did you mean 'word'"):
        learn(tmp_path / "m", again, kinds={"wrd": "drop"})
    with pytest.raises(ValueError, match="Invalid --kind x=float"):
        learn(tmp_path / "m", again, kinds={"x": "float"})


def test_encoder_keeps_its_output_columns():
    encoder = TableEncoder(missing="mean").fit({"x": [1.0, 3.0], "w": ["a", "b"]})
    encoder.change_kinds({"x": "drop"})
    assert encoder.transform({"w": ["b"]}).tolist() == [[2.0, 3.0]]
    assert encoder.get_feature_names_out().tolist() == ["x", "w"]
    encoder.change_kinds({"x": "category"}).partial_fit({"x": ["high", "low"], "w": ["a", "a"]})
    assert encoder.categories_ == {"x": ["high", "low"], "w": ["a", "b"]}
