import numpy as np
import pytest
from scipy import stats

from driftlearn.evaluate import (
    average_ranks,
    friedman,
    iman_davenport,
    nemenyi,
    prequential,
    rank_sum,
    signed_ranks,
    win_tie_loss,
)
from driftlearn.utils.table import Table
from tests.evaluate.fakes import Ensemble, Rows

# Tables III and V of the DTEL paper: mean accuracies of DTEL, SEA, Learn++.NSE, AUE2, TIX.
PRINTED = """
SEA200A 94.77 86.31 89.07 94.66 87.77
SEA200G 94.07 88.90 90.02 94.58 86.90
SEA500G 96.21 89.37 91.10 95.02 88.85
ROT200A 71.86 37.88 62.19 52.72 65.02
ROT200G 72.67 54.61 63.41 55.43 64.97
ROT500G 84.27 69.81 74.77 74.34 76.98
CIR200A 84.84 79.90 81.33 82.21 78.98
CIR200G 84.88 83.86 83.27 84.06 80.04
CIR500G 86.42 84.32 83.60 84.87 80.20
SIN200A 82.51 65.78 78.02 71.91 77.05
SIN200G 82.40 74.12 79.07 74.32 77.23
SIN500G 85.10 73.76 80.67 78.22 78.36
STA200A 89.48 70.07 82.74 86.06 89.85
STA200G 89.56 76.01 83.56 86.58 89.77
STA500G 90.00 76.43 84.78 87.47 90.00
Covertype 91.80 71.46 84.11 87.09 88.32
PokerHand 51.20 56.36 45.86 51.31 47.23
Electricity 75.05 72.35 75.54 76.47 73.55
CTRPrediction 82.02 66.08 77.13 80.57 80.57
"""
ROWS = [line.split() for line in PRINTED.split("\n") if line]
LEARNERS = ("DTEL", "SEA", "NSE", "AUE2", "TIX")
TABLE = Table(
    {"stream": [row[0] for row in ROWS]}
    | {name: [float(row[i + 1]) for row in ROWS] for i, name in enumerate(LEARNERS)}
)


def test_ranks_of_the_printed_tables():
    ranks = average_ranks(TABLE)
    assert {name: round(rank, 4) for name, rank in ranks.items()} == {
        "DTEL": 1.3947,
        "SEA": 4.4211,
        "NSE": 3.2632,
        "AUE2": 2.7632,
        "TIX": 3.1579,
    }


def test_friedman_of_the_printed_tables():
    test = friedman(TABLE)
    assert test.chi2 == pytest.approx(36.26, abs=0.005)
    assert test.p == pytest.approx(2.6e-7, abs=0.05e-7)


def test_ranks_of_a_mapping_and_with_ties():
    assert average_ranks({"a": [1, 5], "b": [1, 4], "c": [0, 4]}) == {
        "a": 1.25,
        "b": 2.0,
        "c": 2.75,
    }


def test_friedman_of_equal_learners_finds_nothing():
    assert friedman({"a": [1, 2], "b": [1, 2], "c": [1, 2]}) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)]
)  # Table 5 of Demšar 2006
def test_critical_difference_against_the_literature(k, q):
    n = 30
    assert nemenyi(k, n) == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * n)), abs=1e-3)
    assert nemenyi(k, n, alpha=0.1) < nemenyi(k, n)


def test_rank_sum_agrees_with_scipy_and_has_a_direction():
    rng = np.random.default_rng(0)
    for shift in (-0.02, 0.0, 0.004, 0.02):
        a = np.round(0.8 + shift + 0.02 * rng.normal(size=60), 2)
        b = np.round(0.8 + 0.02 * rng.normal(size=50), 2)
        p = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
        expected = "tie" if p >= 0.05 else ("win" if np.median(a) > np.median(b) else "loss")
        assert rank_sum(a, b) == expected
    opposite = {"win": "loss", "tie": "tie", "loss": "win"}
    assert rank_sum(b, a) == opposite[rank_sum(a, b)]


def test_rank_sum_ignores_nan_and_handles_ties():
    assert rank_sum([np.nan, 0.9, 0.9], [0.9, 0.9]) == "tie"
    with pytest.raises(ValueError, match="at least one score"):
        rank_sum([np.nan], [1.0])


def test_rank_sum_level():
    a, b = [5, 6, 7, 8, 9], [1, 2, 3, 4, 6.5]
    p = stats.mannwhitneyu(a, b).pvalue
    assert rank_sum(a, b, alpha=p * 1.01) == "win"
    assert rank_sum(a, b, alpha=p * 0.99) == "tie"


def test_win_tie_loss_counts_streams():
    high, low = np.linspace(0.9, 0.95, 20), np.linspace(0.5, 0.6, 20)
    streams = {
        "one": {"a": high, "b": low, "c": high},
        "two": {"a": low, "b": high, "c": low},
        "three": {"a": high, "b": low, "c": low},
    }
    table = win_tie_loss(streams, "a")
    assert table.to_dicts() == [
        {"against": "b", "win": 2, "tie": 0, "loss": 1},
        {"against": "c", "win": 1, "tie": 2, "loss": 0},
    ]
    assert win_tie_loss(streams["one"], "b").to_dicts()[0] == {
        "against": "a",
        "win": 0,
        "tie": 0,
        "loss": 1,
    }
    with pytest.raises(ValueError, match="'z'"):
        win_tie_loss(streams, "z")


def test_win_tie_loss_of_results():
    learners = {"good": Ensemble(skill=0.95), "bad": Ensemble(skill=0.6)}
    result = prequential(learners, Rows(n_rows=600), chunk_size=20)
    assert win_tie_loss([result, result], "good").to_dicts() == [
        {"against": "bad", "win": 2, "tie": 0, "loss": 0}
    ]


def test_bad_tables_are_named():
    with pytest.raises(ValueError, match="two learners"):
        average_ranks({"a": [1.0]})
    with pytest.raises(ValueError, match="nan"):
        average_ranks({"a": [1.0], "b": [np.nan]})
    with pytest.raises(ValueError, match="three learners"):
        friedman({"a": [1.0], "b": [2.0]})
    with pytest.raises(ValueError, match="k=1"):
        nemenyi(1, 5)


def test_repetitions_are_compared_separately():
    """A hundred equal repetitions count as one, and the median is used."""
    rng = np.random.default_rng(0)
    a, b = 0.8017 + 0.01 * rng.random((9, 30)), 0.8 + 0.01 * rng.random((9, 30))
    each = [rank_sum(x, y) for x, y in zip(a, b)]
    assert 5 <= each.count("win") < 9 and rank_sum(a, b) == "win"
    ties = [k for k, verdict in enumerate(each) if verdict == "tie"]
    assert rank_sum(a[ties], b[ties]) == "tie"
    copies = np.repeat(a[ties[:1]], 100, axis=0), np.repeat(b[ties[:1]], 100, axis=0)
    assert rank_sum(*copies) == "tie"
    assert stats.mannwhitneyu(*(side.ravel() for side in copies)).pvalue < 1e-6
    wins = [k for k, verdict in enumerate(each) if verdict == "win"]
    half = [wins[0], ties[0]]
    assert rank_sum(a[half], b[half]) == "tie"
    with pytest.raises(ValueError, match="repetitions: 9 and 8"):
        rank_sum(a, b[:8])


def test_iman_davenport_of_the_printed_tables():
    test = iman_davenport(TABLE)
    n, k, chi2 = 19, 5, friedman(TABLE).chi2
    assert test.f == pytest.approx((n - 1) * chi2 / (n * (k - 1) - chi2))
    assert test.p == pytest.approx(1 - stats.f.cdf(test.f, 4, 72), abs=1e-12)
    assert test.p < friedman(TABLE).p
    assert iman_davenport({"a": [3, 3], "b": [2, 2], "c": [1, 1]}) == (np.inf, 0.0)
    assert iman_davenport({"a": [1, 2], "b": [1, 2], "c": [1, 2]}) == (0.0, 1.0)


def test_signed_ranks_of_the_printed_tables():
    table = signed_ranks(TABLE, "DTEL")
    raw = [
        stats.wilcoxon(np.array(TABLE["DTEL"]) - TABLE[name], zero_method="zsplit").pvalue
        for name in LEARNERS[1:]
    ]
    np.testing.assert_allclose(table["p"], raw)
    order = np.argsort(raw)
    for rank, place in enumerate(order):  # Holm's definition, one at a time
        worst = max((4 - i) * raw[j] for i, j in enumerate(order[: rank + 1]))
        assert table["holm"][place] == pytest.approx(min(1.0, worst))
    assert list(table["verdict"]) == ["win"] * 4
    assert signed_ranks(TABLE, "SEA")["verdict"][0] == "loss"
    with pytest.raises(ValueError, match="'z'"):
        signed_ranks(TABLE, "z")
