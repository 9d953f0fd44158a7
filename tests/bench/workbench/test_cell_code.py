"""Cells are identified by their code: an edited learner gives other cells."""

import shutil
import sys
from pathlib import Path

import sklearn
from sklearn.naive_bayes import GaussianNB

import driftlearn
from driftlearn import DTELClassifier, GaussianNBClassifier
from driftlearn.bench.papers.s1.streams_and_learners import TransferTwice
from driftlearn.bench.workbench._code_digest import PACKAGES, code_digest
from driftlearn.bench.workbench.cell import Cell
from driftlearn.streams import SEA

LEARNER = """
from driftlearn import GaussianNBClassifier


class Mine(GaussianNBClassifier):
    pass
"""


def key(learner):
    return Cell.of("sea", SEA(n_rows=100, random_state=0), "mine", learner, 0).key


def test_the_key_follows_the_code(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    source = tmp_path / "own_learner.py"
    source.write_text(LEARNER)
    mine = __import__("own_learner").Mine()
    before = key(mine)
    assert key(mine) == before
    source.write_text(LEARNER + "    size = 3\n")
    assert key(mine) != before
    monkeypatch.delitem(sys.modules, "own_learner")


def test_library_classes_are_identified_by_the_code_digest(tmp_path):
    description = Cell.of("sea", SEA(), "nb", GaussianNBClassifier(), 0).description
    assert '"code"' not in description and code_digest() in description
    package = Path(driftlearn.__file__).parent
    for name in ("same", "edited"):
        shutil.copytree(package, tmp_path / name, ignore=shutil.ignore_patterns("*.so"))
    (tmp_path / "same" / "cli" / "run.py").write_text("what commands print is not computed")
    assert code_digest(tmp_path / "same") == code_digest()
    with (tmp_path / "edited" / "ensemble" / "weighted" / "dwm.py").open("a") as file:
        file.write("# another\n")
    assert code_digest(tmp_path / "edited") != code_digest()


def test_external_classes_are_identified_by_version():
    external = Cell.of("sea", SEA(), "nb", GaussianNB(), 0).description
    assert f'"scikit-learn": "{sklearn.__version__}"' in external
    of_a_paper = Cell.of("sea", SEA(), "x", DTELClassifier(TransferTwice()), 0).description
    assert '"driftlearn.bench.papers.s1.streams_and_learners": ' in of_a_paper


def test_every_package_is_covered_or_computes_nothing():
    package = Path(driftlearn.__file__).parent
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    without_results = {
        *("bench", "checks", "cli", "compat", "export", "inspection", "io", "ops", "specs")
    }
    assert packages - without_results == {*PACKAGES} - {"ops/sources"}
    assert all(any((package / name).glob("*.py")) for name in PACKAGES)


PACKAGE = {
    "__init__.py": "from own_package.learner import Mine",
    "learner.py": "from driftlearn import GaussianNBClassifier\nfrom . import steps\n"
    "from .deep.rates import RATE\n\nclass Mine(GaussianNBClassifier):\n    rate = RATE\n",
    "steps.py": "import own_package.far",
    "far.py": "",
    "deep/__init__.py": "",
    "deep/rates.py": "RATE = 1",
    "unused.py": "",
}


def test_the_key_follows_the_package(tmp_path, monkeypatch):
    """Files of its package that the learner's module imports count, also indirectly."""
    monkeypatch.syspath_prepend(tmp_path)
    for name, code in PACKAGE.items():
        (tmp_path / "own_package" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "own_package" / name).write_text(code)
    mine = __import__("own_package").Mine()
    counts = {}
    for name, code in PACKAGE.items():
        before = key(mine)
        (tmp_path / "own_package" / name).write_text(code + "\n")
        counts[name] = key(mine) != before
    assert counts == {name: name != "unused.py" for name in PACKAGE}
    for name in [name for name in sys.modules if name.startswith("own_package")]:
        monkeypatch.delitem(sys.modules, name)
