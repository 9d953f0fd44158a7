"""Each common mistake gives one error message with the place and a remedy.

docs/mistakes.rst shows them; ``python tests/test_mistakes.py`` writes its tables.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "mistakes.rst"
SETTING = """
import numpy as np
import driftlearn
from driftlearn import *
from driftlearn import evaluate, streams
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.tree import DecisionTreeRegressor
X = np.arange(120.0).reshape(60, 2) % 17
y = (X[:, 0] > 8).astype(int)
"""
FRAME = """
import pandas
frame = pandas.DataFrame({"x": X[:, 0], "colour": ["red", "blue"] * 30})
days = pandas.DataFrame({"x": X[:, 0], "day": pandas.date_range("2024", periods=60)})
"""


NEEDS = {
    "(frame": "pandas", "(days": "pandas", "from_csv(": "pandas", "polars": "polars",
    "p.xyz": "matplotlib",
}  # fmt: skip


class Mistake(NamedTuple):
    """A line of Python or a command, the expected message, and a package that is not installed."""

    text: str
    message: tuple[str, ...]
    without: str = ""


def mistake(text, *message, without=""):
    return Mistake(text, message, without)


NEW = "--target label --state new"
BAYES = f"{NEW} --learner naive-bayes"
TREE = "HoeffdingTreeClassifier()"
PIPELINE = f"make_pipeline(TableEncoder(), {TREE})"
SECTIONS = {
    "Names": [
        mistake("from driftlearn import DTELClasifier", "did you mean 'DTELClassifier'"),
        mistake("from driftlearn import stream", "did you mean 'streams'"),
        mistake("from driftlearn.streams import from_cvs", "did you mean 'from_csv'"),
        mistake("driftlearn.make_pipelin", "did you mean 'make_pipeline'"),
    ],
    "Base learners": [
        mistake("DTELClassifier(CARTClassifier).fit(X, y)", "estimator", "class",
                "CARTClassifier()"),
        mistake(
            "OnlineBaggingClassifier(HoeffdingTreeClassifier).partial_fit(X, y)",
            "estimator", "class", "HoeffdingTreeClassifier()",
        ),
        mistake(
            "DTELClassifier(DecisionTreeRegressor()).fit(X, y)",
            "estimator", "predicts numbers", "DecisionTreeClassifier()",
        ),
        mistake(
            "OnlineBaggingClassifier(SGDRegressor()).partial_fit(X, y)",
            "estimator", "predicts numbers", "SGDClassifier()",
        ),
        mistake(
            "OnlineBaggingClassifier(LogisticRegression()).partial_fit(X, y)",
            "'estimator'", "implementing 'partial_fit'", "LogisticRegression()",
        ),
        mistake(
            "make_pipeline(TableEncoder(), SGDRegressor()).fit(X, y)",
            "last step, 'sgdregressor'", "SGDClassifier()",
        ),
        mistake(
            "make_pipeline(PCA(), DTELClassifier()).fit(X, y)",
            "step 'pca' has no partial_fit", "Frozen(PCA(...))",
        ),
        mistake("SEAClassifier(n_estimators=-5).fit(X, y)", "'n_estimators'", "[1, inf)", "-5"),
    ],
    "Tables": [
        mistake("DTELClassifier().fit(frame, y)", "'colour'", "'red' in row 0", "TableEncoder()"),
        mistake("DTELClassifier().fit(days, y)", "column 'day'", "dates", "TableEncoder()"),
        mistake(f"{TREE}.fit([['a', 1.0], ['b', 2.0]], [0, 1])", "column 0", "'a' in row 0",
                "TableEncoder()"),
        mistake(f"{TREE}.fit({{'x': [1.0, 2.0]}}, [0, 1])", "dict of columns", "TableEncoder()"),
        mistake(f"{PIPELINE}.fit({{'a': 1}}, [1])", "column 'a'", "Got 1", "{'a': [1], ...}"),
        mistake(f"{PIPELINE}.fit(polars.LazyFrame({{'a': [1]}}), [1])", "LazyFrame", "X.collect()"),
        mistake(f"{TREE}.fit(polars.LazyFrame({{'a': [1]}}), [1])", "LazyFrame", "X.collect()"),
        mistake(f"{TREE}.fit('a.csv', 'label')", "'a.csv'", "Read the file first"),
        mistake(
            "FuzzyARTMAPClassifier().fit([[1.0], [np.nan]], [0, 1])",
            "column 0", "row 1", "missing", "TableEncoder()",
        ),
        mistake(f"{TREE}.fit([[1.0], [np.inf]], [0, 1])", "column 0", "row 1", "inf",
                "Correct the value"),
        mistake(f"{TREE}.fit([[1.0], [1e99]], [0, 1])", "column 0", "row 1", "Scale or clip"),
        mistake(f"{TREE}.fit(X, y).predict(X[:, :1])", "has 1 features", "expecting 2"),
        mistake(f"{TREE}.predict(X)", "is not fitted yet", "call fit or partial_fit"),
    ],
    "Labels": [
        mistake(f"{TREE}.fit(X[:3], ['a', None, 'b'])", "row 1 has no label", "Remove rows"),
        mistake(f"{TREE}.fit(X[:3], [0, np.nan, 1])", "row 1 has no label", "Remove rows"),
        mistake(f"{TREE}.fit(X[:2], [1, 'a'])", "mixed type", "either numbers or strings"),
        mistake(f"{TREE}.fit(X, y).partial_fit(X, y.astype(str))", "numbers so far",
                "a new learner"),
        mistake(f"{TREE}.fit(X, y, sample_weight=[1.0])", "shape (1,)", "expected (60,)"),
    ],
    "Streams and evaluation": [
        mistake("streams.from_frame(frame, 'label')", "no column 'label'", "are 'x', 'colour'"),
        mistake("streams.from_frame(X, 'label')", "Got ndarray", "from_arrays"),
        mistake("streams.from_csv('a.csv', 'lable')", "a.csv", "did you mean 'label'"),
        mistake("streams.from_arrays(X, y[:5])", "X has 60 rows", "y has 5 labels"),
        mistake("evaluate.prequential(DTELClassifier, streams.from_arrays(X, y))",
                "partial_fit", "Pass DTELClassifier()"),
        mistake("evaluate.prequential(DTELClassifier(), X)", "batch 0", "from_arrays(X, y)"),
        mistake("driftlearn.load('a.csv')", "a.csv", "was not saved by driftlearn"),
        mistake("driftlearn.inspect('model')", "Got str", "SavedModel.open"),
    ],
    "driftlearn learn": [
        mistake("driftlearn lern a.csv", "did you mean 'learn'"),
        mistake(f"driftlearn learn brokn.csv {NEW}", "no file brokn.csv",
                "did you mean 'broken.csv'"),
        mistake("driftlearn learn a.csv --state new", "Name the label column", "--target"),
        mistake("driftlearn learn a.csv --target lable --state new", "a.csv",
                "did you mean 'label'"),
        mistake(f"driftlearn learn a.csv {NEW} --learner dtell", "did you mean 'dtel'"),
        mistake(f"driftlearn learn a.csv {NEW} --learner dtel --chunk 1", "chunks of rows",
                "--chunk 500"),
        mistake(f"driftlearn learn a.csv {NEW} --chunk many", "'--chunk'", "'many'", "e.g. 1000"),
        mistake(
            "driftlearn learn a.csv --target label --state once --learner dtel --chunk 1000 -q",
            "no row was tested", "--chunk 1000", "only 60 rows",
        ),
        mistake(f"driftlearn learn a.csv {BAYES} --every 1d", "--time COLUMN"),
        mistake(f"driftlearn learn a.csv {BAYES} --every 1d --time colour", "a.csv, row 0",
                "'blue' in column 'colour'", "e.g. 2024-01-31"),
        mistake(f"driftlearn learn a.csv {BAYES} --kind x=float", "x=float", "number, boolean"),
        mistake(f"driftlearn learn a.csv {BAYES} --drop colur", "did you mean 'colour'"),
        mistake(f"driftlearn learn broken.csv {BAYES}", "line 5 of broken.csv", "2 fields",
                "--on-error skip"),
        mistake("driftlearn learn prices.csv --target price --state new", "prices.csv", "'price'",
                "60 distinct numeric values", "classes"),
        mistake(f"driftlearn learn header.csv {BAYES}", "no rows in header.csv"),
        mistake(f"driftlearn learn latin.csv {BAYES}", "latin.csv", "--encoding"),
        mistake(f"driftlearn learn photo.png {BAYES}", "photo.png"),
        mistake(
            "driftlearn learn open.csv --target label --state open --learner naive-bayes -q",
            "60 rows have no label in column 'label'", "--target",
        ),
        mistake("driftlearn learn a.csv --state model --learner dtel", "--learner",
                "use a different --state"),
        mistake(f"driftlearn learn day.parquet {BAYES}", "day.parquet",
                "pip install pyarrow", without="pyarrow"),
    ],
    "driftlearn predict, inspect and run": [
        mistake("driftlearn predict a.csv --state nowhere --out p.csv",
                "no saved model in nowhere", "driftlearn learn"),
        mistake("driftlearn predict a.csv --state model --out p.txt", "p.txt", ".parquet"),
        mistake("driftlearn predict b.csv --state model --out p.csv", "b.csv",
                "none of the columns", "Check the --state folder"),
        mistake("driftlearn predict a.csv --state model --out p.csv --passthrough colur",
                "a.csv", "did you mean 'colour'"),
        mistake("driftlearn predict noday.csv --state model --out p.csv --on-schema-change stop",
                "noday.csv", "no column 'day'", "--on-schema-change warn"),
        mistake("driftlearn predict comma.csv --state model --out p.csv --on-schema-change stop",
                "column 'x'", "decimal comma", "--kind x=category"),
        mistake("driftlearn predict a.csv --state model --out a.csv/p.csv", "a.csv/p.csv",
                "cannot be written"),
        mistake("driftlearn predict a.csv --state model --out p.parquet", "pip install pyarrow",
                without="pyarrow"),
        mistake("driftlearn inspect nowhere", "nowhere does not exist",
                "a state folder or a model file"),
        mistake("driftlearn run --stream sea:noise=abc --learner dtel", "noise", "sea", "'abc'"),
        mistake("driftlearn run --stream sea:nose=0.1 --learner dtel", "column 5",
                "did you mean 'noise'"),
        mistake("driftlearn run --stream see --learner dtel", "'see'", "did you mean 'sea'"),
        mistake("driftlearn run --stream a.csv --learner naive-bayes", "a.csv:target=COLUMN"),
        mistake("driftlearn run --stream sea --learner dtel --protocol prequental",
                "did you mean 'prequential'"),
        mistake("driftlearn run --stream sea --learner dtel --plot p.xyz", "p.xyz", ".png"),
        mistake("driftlearn run --stream sea --learner dtel --plot p.png", "p.png",
                "pip install matplotlib", without="matplotlib"),
        mistake(
            "driftlearn run --stream plain.csv:target=label --learner naive-bayes --chunk-size 500 "
            "--no-baselines --on serial --store runs.sqlite -q",
            "no row of plain.csv:target=label was tested", "--chunk-size",
        ),
    ],
}  # fmt: skip
MISTAKES = {each.text: each for section in SECTIONS.values() for each in section}


def write(name, rows, head="x,colour,day,label", **how):
    Path(name).write_text("\n".join([head, *rows]) + "\n", **how)


def make_files():
    """Write the files that mistakes are made with into the working folder."""
    rows = [
        f"{i % 17},{'red' if i % 3 else 'blue'},2024-01-{i % 28 + 1:02},{'no' if i % 2 else 'yes'}"
        for i in range(60)
    ]
    write("a.csv", rows)
    write("b.csv", ["1,2"], "height,width")
    write("plain.csv", [f"{i % 17},{i % 2}" for i in range(60)], "x,label")
    write("header.csv", [])
    write("comma.csv", [f'"{i % 17},5",red,2024-01-01' for i in range(60)], "x,colour,day")
    write("noday.csv", [f"{i % 17},red" for i in range(60)], "x,colour")
    write("prices.csv", [f"{i % 17},{i * 1.25}" for i in range(60)], "x,price")
    write("broken.csv", [*rows[:3], "1,2"])
    write("open.csv", [row.rpartition(",")[0] + "," for row in rows])
    write("latin.csv", [*rows[:3], "1,größe,2024-01-01,yes"], encoding="latin-1")
    Path("photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    Path("day.parquet").write_bytes(b"")
    done = run("driftlearn learn a.csv --target label --state model --learner naive-bayes -q")
    assert done.exit_code == 0, done.output


def run(line):
    return CliRunner().invoke(main, shlex.split(line)[1:])


def reported(mistake):
    """Make a mistake; return the error message."""
    if mistake.text.startswith("driftlearn "):
        done = run(mistake.text)
        assert isinstance(done.exception, SystemExit | None), repr(done.exception)
        lines = done.output.strip().rpartition("Error: ")[2].splitlines()
        message = lines[-1] if done.exit_code == 0 else " ".join(lines)
        is_warning = re.match("(warning: )?(no row|60 rows)", message)
        expected = 5 if "--on-schema-change stop" in mistake.text else 0 if is_warning else 2
        assert done.exit_code == expected, done.output
        here = re.escape(os.path.realpath(".") + os.sep)
        return re.sub(here, "", message).replace("\\", "/")
    names = {}
    exec(SETTING, names)
    for package, more in (("frame", FRAME), ("days", FRAME), ("polars", "import polars")):
        if package in mistake.text:
            exec(more, names)
    try:
        exec(mistake.text, names)
    except Exception as error:
        return str(error)
    raise AssertionError(f"{mistake.text} is no mistake")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mistakes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        make_files()
    return path


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake(text, folder, monkeypatch):
    each = MISTAKES[text]
    for word, package in NEEDS.items():
        if word in text:
            pytest.importorskip(package)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    if each.without:
        block(each.without, monkeypatch.setitem)
    message = reported(each)
    for piece in each.message:
        assert piece in message, message
    assert "\n" not in message and "Traceback" not in message and len(message) < 500
    assert row(each, message) in PAGE.read_text("utf-8"), "python tests/test_mistakes.py"


def test_the_page_has_no_other():
    assert len(MISTAKES) >= 40
    assert PAGE.read_text("utf-8").count("\n   * - ``") == len(MISTAKES)


def test_a_history_prints_itself():
    from driftlearn import DTELClassifier
    from driftlearn.ensemble import History

    history = History()
    assert repr(history) == "no steps recorded"
    for step in range(1, 2001):
        history.record(step, [1, step + 1], [1.0, 3.0])
    shown = repr(history)
    assert shown.splitlines()[-1].split() == ["2000", "2", "2001", "0.7500"]
    assert len(shown.splitlines()) == 12 and repr(history.sparse()) == shown
    X = np.arange(40.0)[:, None]
    learner = DTELClassifier(chunk_size=20).partial_fit(X, (X[:, 0] % 2).astype(int))
    assert "weights at 2 steps, 1 to 2" in repr(learner.history_)


def block(package, set_item):
    """Simulate that a package is not installed."""
    for name in [*sys.modules, package]:
        if name.partition(".")[0] == package:
            set_item(sys.modules, name, None)


def row(mistake, message):
    """Return a row of the page's tables."""
    without = f" (without {mistake.without})" if mistake.without else ""
    return f"   * - ``{mistake.text}``{without}\n     - ``{message}``\n"


if __name__ == "__main__":
    import tempfile

    parts = [PAGE.read_text("utf-8").partition("\n.. mistakes\n")[0], ".. mistakes\n"]
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        make_files()
        for title, mistakes in SECTIONS.items():
            parts.append(f"{title}\n{'-' * len(title)}\n")
            head = "   * - mistake\n     - error message\n"
            table = f".. list-table::\n   :header-rows: 1\n   :widths: 45 55\n\n{head}"
            for each in mistakes:
                with pytest.MonkeyPatch.context() as patch:
                    if each.without:
                        block(each.without, patch.setitem)
                    table += row(each, reported(each))
            parts.append(table)
        os.chdir(Path(__file__).parent)
    PAGE.write_text("\n".join(parts), "utf-8")
