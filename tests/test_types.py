"""A type checker sees the real classes, and finds mistakes in code that uses them."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import driftlearn

PACKAGE = Path(driftlearn.__file__).parent
LEARNERS = [name for name in driftlearn.__all__ if name.endswith("Classifier")]

USES = """
from typing import Any
import numpy as np
from typing_extensions import assert_type
import driftlearn
from driftlearn import DTELClassifier, DWMClassifier, GaussianNBClassifier, show_versions
from driftlearn import DTELClasifier  # error: attr-defined
from driftlearn.ensemble import OnlineClassifier, OnlineCommittee
from driftlearn.drift import ADWIN, BlockTest, DeviationWindow
from driftlearn.evaluate import Evaluation, RepeatedResult, Result, Step
from driftlearn.evaluate import delayed, holdout, metrics, prequential, repeat
from driftlearn.bench.report import accuracy, critical_difference, page
from driftlearn.streams import SEA, CIR, Batch, from_arrays, load, make_stream
from driftlearn.tree import CARTClassifier
from driftlearn.tree import CARTClasifier  # error: attr-defined

X, y = np.zeros((4, 2)), np.zeros(4)
driftlearn.no_such_name  # error: attr-defined
assert_type(driftlearn.tree.CARTClassifier().fit(X, y), CARTClassifier)
driftlearn.evaluate.prequentil  # error: attr-defined
show_versions(verbose=True)  # error: call-arg

DTELClassifier(n_estimators=3)
DTELClassifier(n_estimatorz=3)  # error: call-arg
DTELClassifier(n_estimators="three")  # error: arg-type
model = DTELClassifier(GaussianNBClassifier())
assert_type(model.fit(X, y).partial_fit(X, y), DTELClassifier)
model.partial_fit(X)  # error: call-arg
model.partial_fit(X, y).predict(X).mean()
model.predict(X).meen()  # error: attr-defined
assert_type(model.set_params(vote="hard").score(X, y), float)
model.n_member_  # error: attr-defined

stream = SEA(n_rows=1000, random_state=0)
SEA(n_row=1000)  # error: call-arg
SEA(n_rows="1000")  # error: arg-type
assert_type(CIR.dtel(), CIR)
assert_type(next(stream.chunks(100)), Batch)
stream.chunks(100, begin=3)  # error: call-arg
from_arrays(X, y, chunksize=2)  # error: call-arg
make_stream("sea").chunkz()  # error: attr-defined

result = prequential({"dtel": model, "dwm": DWMClassifier()}, stream, chunk_size=100)
assert_type(result, Result)
assert_type(holdout(model, stream), Result)
assert_type(delayed([model], [(X, y)], delay=100), Result)
assert_type(repeat(prequential, model, lambda seed: SEA(random_state=seed)), RepeatedResult)
assert_type(Result.load("result.json"), Result)
prequential(model, stream, chunksize=100)  # error: call-arg
prequential(DTELClassifier, stream)  # error: arg-type
prequential(SEA(), stream)  # error: arg-type
prequential(model, 1000)  # error: arg-type
prequential(model, stream, on_step=lambda step: step.accuracyy)  # error: attr-defined
result.scores("dtel", metrik="kappa")  # error: call-arg
result.tables()  # error: attr-defined
assert_type(result.recovery("dtel"), float)
Evaluation.start("prequential", model, stream).results()  # error: attr-defined

accuracy(result, "accuracy.png", smooth=3)
accuracy(result, smoth=3)  # error: call-arg
accuracy(stream)  # error: arg-type
critical_difference({"dtel": 1.2}, 3, alfa=0.1)  # error: call-arg
page({"sea": result}, "page.html", titel="SEA")  # error: call-arg

assert_type(ADWIN(delta=0.01).reset(), ADWIN)
assert_type(BlockTest().reset(), BlockTest)
assert_type(DeviationWindow().update(error=1.0), bool)
ADWIN(detla=0.01)  # error: call-arg
ADWIN().update()  # error: call-arg
BlockTest().update(error=0.1)  # error: call-arg

class Mine(OnlineClassifier):
    def _learn_one(self, X: Any, i: int, y: int, w: float) -> None:
        assert_type(self.committee_, OnlineCommittee)
        self.committee_.add(self._new_model(), weight=0.5)
        self.committee_.add("a model")  # error: arg-type
        self.committee_.update(X, i, y)  # error: call-arg
        self.committee_.update_row(0, X, i, y, w)  # error: attr-defined
        assert_type(self.committee_.predict_one(0, X, i), int)
        self.committee_.models[0].predict_one(X)  # error: call-arg
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return a function that runs mypy on a text and returns the wrong lines with their errors."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    folder = tmp_path_factory.mktemp("types")

    def check(text):
        (folder / "uses.py").write_text(text)
        found = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary",
             "--follow-imports=silent", "--ignore-missing-imports", "uses.py"],
            cwd=folder, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode in (0, 1), found.stdout + found.stderr
        return set(re.findall(r"^uses\.py:(\d+): error: .*\[([\w-]+)\]$", found.stdout, re.M))

    return check


def test_mistakes_are_found(checked):
    """mypy reports every marked line, with that kind of error, and no other line."""
    marked = {
        (str(number), mark[1])
        for number, line in enumerate(USES.splitlines(), 1)
        if (mark := re.search(r"# error: ([\w-]+)$", line))
    }
    assert checked(USES) == marked


def test_learners_have_types_of_their_own(checked):
    """`fit` and `partial_fit` return the learner's own class; unknown parameters are errors."""
    lines = [
        "from typing import Any",
        "import driftlearn",
        "from typing_extensions import assert_type",
        "def uses(X: Any, y: Any) -> None:",
    ]
    for name in LEARNERS:
        kind = f"driftlearn.{name}"
        lines.append(f"    assert_type({kind}().fit(X, y).partial_fit(X, y), {kind})")
    begin = len(lines) + 1
    lines += [f"    driftlearn.{name}(no_such_parameter=1)" for name in LEARNERS]
    wrong = {(str(begin + k), "call-arg") for k in range(len(LEARNERS))}
    assert checked("\n".join(lines)) == wrong
