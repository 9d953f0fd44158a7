"""Work is known by what it computes: a learner of one's own that was edited is other work."""

import sys

from driftlearn import GaussianNBClassifier
from driftlearn.streams import SEA
from driftlearn.workbench.cell import Cell

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


def test_our_own_are_known_by_version():
    assert '"code"' not in Cell.of("sea", SEA(), "nb", GaussianNBClassifier(), 0).description
