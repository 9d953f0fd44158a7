"""Small versions of the experiments, and the judging of claims on made-up results."""

import numpy as np
import pytest

from driftlearn.evaluate import average_ranks, friedman
from driftlearn.papers import EXPERIMENTS, find, published
from driftlearn.papers.s1 import LEARNERS, TABLE_III, TABLE_V, printed


def test_published_numbers_rank_as_recomputed():
    """S1 table VI is off by one swap; the ranks follow from tables III and V."""
    rows = {**printed("III"), **printed("V")}
    table = {name: [cells[name] for cells in rows.values()] for name in LEARNERS}
    ranks = average_ranks(table)
    expected = {"DTEL": 1.3947, "SEA": 4.4211, "Learn++.NSE": 3.2632, "AUE2": 2.7632, "TIX": 3.1579}
    assert ranks == pytest.approx(expected, abs=5e-5)
    assert friedman(table).chi2 == pytest.approx(36.26, abs=0.005)


def test_every_printed_stream_can_be_made():
    assert set(TABLE_III.streams) == set(published()["S1"]["tables"]["III"]["rows"])
    for make in TABLE_III.streams.values():
        assert make(0).n_rows in (24_000, 60_000)
    assert set(TABLE_V.streams) <= set(TABLE_V.numbers)


def test_find():
    assert find("S1", "table V") == [TABLE_V]
    assert find("S0", "figure 4") == find("S0")
    assert len(find("S1")) == 2
    for experiment in EXPERIMENTS:
        assert experiment in find(experiment.paper, experiment.item)
    with pytest.raises(ValueError, match="there is no paper"):
        find("S9")
    with pytest.raises(ValueError, match="has no 'table 99'"):
        find("S1", "table 99")


@pytest.mark.compiled
def test_a_stream_of_table_iii_comes_near_the_print():
    """STA200A: DTEL, SEA and TIX within two points of the printed means, one seed."""
    outcome = TABLE_III.run([0], streams=["STA200A"], learners=["DTEL", "SEA", "TIX"])
    for learner in ("DTEL", "SEA", "TIX"):
        gap = outcome.accuracy("STA200A", learner) - TABLE_III.numbers["STA200A"][learner]
        assert abs(gap) < 2.0, (learner, gap)
    assert len(outcome.table()) == 3
    assert len(outcome.verdicts()) == 0, "no claim can be judged without all learners"


@pytest.mark.compiled
def test_claims_that_need_one_stream_are_judged():
    outcome = TABLE_III.run([0], streams=["ROT200A"])
    verdicts = outcome.verdicts().to_dicts()
    assert [v["claim"] for v in verdicts] == ["on ROT200A DTEL > TIX > Learn++.NSE > AUE2 > SEA"]
    assert outcome.accuracy("ROT200A", "DTEL") > outcome.accuracy("ROT200A", "SEA") + 20


@pytest.mark.data
@pytest.mark.compiled
def test_electricity_comes_near_the_print():
    outcome = TABLE_V.run([0], streams=["Electricity"])
    gaps = outcome.table()["difference"]
    assert np.abs(gaps).max() < 2.0


@pytest.mark.compiled
def test_learnpp_nse_uses_what_comes_back():
    """The checkerboard: the ensemble beats its newest member in the second half."""
    from driftlearn.evaluate import holdout
    from driftlearn.papers.s0 import LEARNERS as S0_LEARNERS
    from driftlearn.papers.s0 import board

    learners = {name: S0_LEARNERS[name] for name in ("ensemble NB", "single NB")}
    result = holdout(learners, board(0, n_steps=200), log_loss=False)
    ensemble, single = (result.scores(name)[100:].mean() for name in learners)
    assert ensemble > single + 0.04
