"""Origins of claims, and verdicts from the results of all seeds."""

import numpy as np
import pytest

from driftlearn.bench.papers import EXPERIMENTS, Outcome
from driftlearn.bench.papers.claim import KINDS, decide
from driftlearn.bench.papers.s1 import tables as s1
from driftlearn.bench.papers.s2 import tables as s2
from driftlearn.evaluate import RepeatedResult
from tests.bench.papers.made import any_outcome

CAUSES = (
    "data lost", "parameter unstated", "baseline of ours better", "noise", "compiled here",
    "unknown",
)  # fmt: skip
EVERY = [(f"{e.paper} {e.item}", claim) for e in EXPERIMENTS for claim in e.claims]


def check(outcome):
    return {"": 1.0}, "as it is"


def test_every_claim_has_an_origin():
    """Quotes are short, and their places can be looked up."""
    assert {claim.kind for _, claim in EVERY} == set(KINDS)
    for item, claim in EVERY:
        if claim.kind == "paper":
            assert 4 <= len(claim.quote.split()) <= 25, (item, claim.quote)
            assert claim.where.startswith("Section "), item
            assert claim.cause in ("", *CAUSES)
            assert claim.settle or not claim.cause, (item, claim.text)


def test_no_statement_is_counted_twice():
    counted = [(c.text, c.quote) for _, c in EVERY if c.kind == "paper"]
    assert len(set(counted)) == len(counted)


SEEDS = np.array([0.9, 1.0, 1.1, 1.0])


@pytest.mark.parametrize(
    "margins, answer",
    [
        ({"a": SEEDS}, "holds"),
        ({"a": SEEDS, "b": 2 * SEEDS}, "holds"),
        ({"a": -SEEDS}, "does not hold"),
        ({"a": SEEDS, "b": -SEEDS}, "does not hold"),
        ({"a": SEEDS, "b": SEEDS - 1}, "undecided"),
        ({"a": np.array([5.0])}, "undecided"),
        ({"a": np.array([-5.0])}, "undecided"),
    ],
)
def test_verdicts(margins, answer):
    assert decide(margins).decision == answer


def test_the_interval_is_students():
    from scipy import stats

    values = np.array([0.3, 0.5, 0.1, 0.9, 0.2])
    found = decide({"a": values})
    low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.margin == pytest.approx(values.mean())
    assert str(found) == f"a {values.mean():+.3g} [{low:+.3g}, {high:+.3g}]"


def test_many_parts_do_not_fail_by_chance():
    """One of twenty parts slightly below 0 may be chance; a single part is not."""
    below = -np.array([0.1, 1.0, 1.9, 1.0, 0.4, 1.6])
    assert decide({"a": below}).decision == "does not hold"
    parts = {f"part {k}": SEEDS.mean() + np.arange(6) for k in range(19)}
    found = decide({**parts, "a": below})
    assert (found.decision, found.part) == ("undecided", "a")
    assert found.low < 0 < found.high


def test_equal_values_need_six_seeds_or_no_chance():
    """Counts may be equal by chance; runs that are identical for every seed are not."""
    assert decide({"a": np.ones(5)}).decision == "undecided"
    assert decide({"a": np.ones(6)}).decision == "holds"
    assert decide({"a": np.ones(2)}, identical=True).decision == "holds"
    assert decide({"a": np.zeros(2)}, identical=True).decision == "does not hold"
    assert decide({"a": np.ones(1)}, identical=True).decision == "undecided"


def test_every_seed_is_checked_separately():
    made = any_outcome(s1.TABLE_III, seeds=3)
    ones = made.of_each_seed()
    for stream in made.results:
        alone = [one.accuracy(stream, "DTEL") for one in ones]
        assert np.mean(alone) == pytest.approx(made.accuracy(stream, "DTEL"))
    claim = next(c for c in made.experiment.claims if "TIX at least" in c.text)
    margins = np.array([list(claim.check(one)[0].values()) for one in ones])
    assert made.verdict(claim) == decide(dict(zip(claim.check(made)[0], margins.T)))


def test_a_stream_without_chance_needs_no_interval():
    made = any_outcome(s1.TABLE_V, seeds=1)
    twice = {
        stream: RepeatedResult([0, 1], result.results * 2)
        for stream, result in made.results.items()
    }
    assert set(made.verdicts()["verdict"]) == {"undecided"}
    assert "undecided" not in Outcome(s1.TABLE_V, twice).verdicts()["verdict"]


def test_spreads_are_compared_seed_by_seed():
    """The distance of each seed from the median of all."""
    made = any_outcome(s2.TABLES_5_6, seeds=5)
    claim = next(c for c in made.experiment.claims if "(f)" in c.text)
    far = {}
    for name in ("Learn++", "Learn++.MT"):
        last = made.overall("OCR", name)[:, -1]
        far[name] = np.abs(last - np.median(last))
    expected = far["Learn++"] - far["Learn++.MT"]
    assert made.verdict(claim).margin == pytest.approx(expected.mean())
