"""New labels are reported, and learned once they are frequent; numbers are no labels."""

import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun

GIVEN = {"target": "label", "learner": "naive-bayes"}


def write(path, labels):
    rows = [f"{i % 7},{label}" for i, label in enumerate(labels)]
    path.write_text("\n".join(["x,label", *rows]) + "\n")
    return str(path)


def learn(folder, file, given=GIVEN, **how):
    run = LearnRun(folder, [file], given, **how)
    run.run()
    return run


def test_rare_new_labels_are_held_back_until_they_are_frequent(tmp_path):
    folder = tmp_path / "m"
    learn(folder, write(tmp_path / "1.csv", ["yes", "no"] * 50))
    run = learn(folder, write(tmp_path / "2.csv", ["yes", "no"] * 50 + ["YES"] * 3))
    expected = (
        "2.csv: column 'label': 3 of 103 rows have new labels: 'YES' (3 rows, did you mean 'yes'?)"
    )
    assert run.schema.texts() == [expected] and run.schema.exit_code == 4
    saved = SavedModel.open(folder)
    assert saved.record.classes == ["yes", "no"] and saved.record.n_rows == 200
    assert saved.counts["held back"] == 3 and saved.held_back == {"YES": 3} and not saved.n_waiting
    learn(folder, write(tmp_path / "3.csv", ["YES", "YES", "no"]))
    saved = SavedModel.open(folder)
    assert saved.record.classes == ["yes", "no", "YES"] and saved.held_back == {}
    assert saved.record.n_rows == 203


def test_rows_until_a_label_is_learned_can_be_set(tmp_path):
    folder = tmp_path / "m"
    learn(folder, write(tmp_path / "1.csv", ["yes", "no"] * 50))
    given = {**GIVEN, "new_label_rows": 1}
    learn(folder, write(tmp_path / "2.csv", ["maybe"]), given)
    assert SavedModel.open(folder).record.classes == ["yes", "no", "maybe"]


@pytest.mark.parametrize(
    ("labels", "refused"),
    [
        ([i * 1.37 for i in range(200)], True),
        ([i % 150 for i in range(3_000)], True),
        ([i % 90 for i in range(3_000)], False),
        ([f"c{i % 150}" for i in range(3_000)], False),
        ([0, 1, 2], False),
    ],
)
def test_numeric_targets_are_refused(tmp_path, labels, refused):
    path = write(tmp_path / "1.csv", labels)
    if not refused:
        learn(tmp_path / "m", path)
        return
    message = rf"'label' has {len({*labels})} distinct numeric values in {len(labels):,} rows"
    with pytest.raises(ValueError, match=message):
        learn(tmp_path / "m", path)
    assert not (tmp_path / "m" / "model.npz").exists()


def test_rows_without_a_key_are_reported(tmp_path):
    rows = [f"{i},{'' if i % 10 == 3 else f'k{i}'}" for i in range(100)]
    (tmp_path / "1.csv").write_text("\n".join(["x,id", *rows]) + "\n")
    (tmp_path / "l.csv").write_text("id,label\n" + "".join(f"k{i},{i % 2}\n" for i in range(100)))
    given = {**GIVEN, "by": "id"}
    run = learn(tmp_path / "m", str(tmp_path / "1.csv"), given, labels=str(tmp_path / "l.csv"))
    (text,) = run.schema.texts()
    assert "column 'id': 10 of 100 rows have no key, the first row 3" in text
