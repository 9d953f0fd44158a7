"""Equation 6 as printed compared with the sliding mean: experiment and claims."""

import numpy as np
import pytest

from driftlearn.bench.papers.s0.figures import BASES, EQUATION_6, FIGURE_3, FIGURE_4
from tests.bench.papers.made import any_outcome, met, outcome, result

CLAIMS = {claim.text: claim for claim in EQUATION_6.claims}


def made(stream, ensemble, printed, single, n=80):
    """Return an outcome of given accuracies, the same over every base learner."""
    levels = {"ensemble": ensemble, "printed": printed, "single": single}
    courses = {name: np.broadcast_to(levels[name.split()[0]], n).astype(float)
               for name in EQUATION_6.learners}  # fmt: skip
    return outcome(EQUATION_6, {stream: result(courses, np.arange(1, n + 1) * 100)})


def test_only_the_weighting_differs_and_the_rest_costs_nothing():
    for base in BASES:
        sliding, printed = (
            EQUATION_6.learners[f"{kind} {base}"].get_params(deep=False)
            for kind in ("ensemble", "printed")
        )
        assert (sliding.pop("weighting"), printed.pop("weighting")) == ("sliding", "printed")
        assert {k: str(v) for k, v in sliding.items()} == {k: str(v) for k, v in printed.items()}
    shared = {cell.key for cell in (*FIGURE_3.cells([0]), *FIGURE_4.cells([0]))}
    new = {cell.key for cell in EQUATION_6.cells([0])} - shared
    assert len(new) == 2 * len(BASES)


@pytest.mark.parametrize("stream", ["checkerboard", "SEA"])
def test_claims_on_levels(stream):
    mean = CLAIMS[f"{stream}: the sliding mean better than the printed sum"]
    total = CLAIMS[f"{stream}: the printed sum better than the newest member"]
    assert met(mean.check(made(stream, 0.9, 0.8, 0.7)))
    assert met(total.check(made(stream, 0.9, 0.8, 0.7)))
    assert not met(mean.check(made(stream, 0.8, 0.9, 0.7)))
    assert not met(total.check(made(stream, 0.9, 0.7, 0.8)))


def test_claim_on_the_rise_after_half_a_turn():
    claim = CLAIMS["checkerboard: after half a turn the sliding mean gains more"]
    rising = np.where(np.arange(80) < 40, 0.7, 0.8)
    assert met(claim.check(made("checkerboard", rising, 0.7, 0.7)))
    assert not met(claim.check(made("checkerboard", 0.7, rising, 0.7)))


def test_panels():
    figure = EQUATION_6.figures["variant equation 6"](any_outcome(EQUATION_6))
    assert [axes.get_title("left") for axes in figure.axes][:2] == [
        "checkerboard, network",
        "SEA, network",
    ]
    assert len(figure.axes) == 6
