"""Every experiment runs in a tiny size; shared computations are run once."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from driftlearn.bench.papers import EXPERIMENTS
from driftlearn.bench.papers.s1 import TransferTwice
from driftlearn.bench.papers.s1 import tables as s1
from driftlearn.bench.papers.s2 import tables as s2
from driftlearn.bench.papers.s3 import figures
from driftlearn.bench.papers.s3 import tables as s3
from driftlearn.streams import Checkerboard, Laser

ENOUGH = ("SEA200A", "ROT200A", "STA200G", "Electricity")
NEEDS_DATA = {
    "S1": ("table V", "table VI", "table VII", "figure 3"),
    "S2": ("tables 5 and 6", "section 4", "tables 8 and 9"),
    "S3": ("variant covertype",),
    "S4": ("table 5", "table 6"),
}


def cases():
    for experiment in EXPERIMENTS:
        data = experiment.item in NEEDS_DATA.get(experiment.paper, ())
        marks = [pytest.mark.data] if data else []
        yield pytest.param(experiment, id=f"{experiment.paper} {experiment.item}", marks=marks)


def tiny(make, n_rows, seed):
    """Return the first rows of a stream."""
    stream = make(seed)
    params = stream.params()
    if isinstance(stream, Checkerboard):
        params["n_steps"] = 12
    elif isinstance(stream, Laser):
        params |= {"series": np.sin(np.arange(700) / 10).tolist(), "ramp": 50, "holdout": 80}
    elif "n_rows" in params:
        if params.get("name") == "covertype":
            params["name"] = "electricity"  # which is read faster
        params["n_rows"] = n_rows
        if "drift_at" in params:
            params["drift_at"] = (n_rows // 2,)
    return type(stream)(**params)


def enough(experiment, stream):
    """Return the number of test rows of a stream."""
    return 2 * max(300, experiment.protocol_of(stream)[1].get("chunk_size", 0))


def weaker(learner):
    """Return a learner with few members per data set."""
    learner = clone(learner)
    keys = [key for key in learner.get_params() if key.endswith("n_per_chunk")]
    return learner.set_params(**dict.fromkeys(keys, 2))


@pytest.mark.compiled
@pytest.mark.parametrize("experiment", list(cases()))
def test_it_runs_through(experiment):
    quick = experiment.quick()
    small = replace(
        quick,
        streams={
            name: partial(tiny, make, enough(quick, name))
            for name, make in quick.streams.items()
            if quick.paper != "S1" or name in (*ENOUGH, "dealt hands")
        },
        learners={name: weaker(learner) for name, learner in quick.learners.items()},
    )
    outcome = small.run([0])
    assert list(outcome.results) == (list(small.streams) if small.learners else [])
    for stream, result in outcome.results.items():
        assert set(result.names) == set(small.learners)
        for learner in result.names:
            assert np.isfinite(outcome.accuracy(stream, learner))
    assert len(outcome.table()) == len(small.learners) * len(small.streams) * (
        len(small.tests) or 1
    )


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: f"{e.paper} {e.item}")
def test_the_title_describes_the_reduction(experiment):
    quick = experiment.quick()
    assert quick.item == experiment.item
    assert 1 <= quick.quick_seeds <= 2
    assert quick.is_quick and not experiment.is_quick
    assert set(quick.figures) == set(experiment.figures)
    if quick.title != experiment.title:
        assert "(reduced: " in quick.title
        assert "full size" in quick.notes["size"]
        assert "(reduced: " not in experiment.title
    else:
        same = quick.streams == experiment.streams and quick.learners == experiment.learners
        assert same, "a reduced version must be marked as such"


def keys(experiment, streams=None):
    """Return the cells of an experiment, for some of its streams."""
    chosen = [name for name in streams or experiment.streams if name in experiment.streams]
    return {cell.key for cell in experiment.cells([0], chosen)} if chosen else set()


@pytest.mark.parametrize("version", [lambda e: e, lambda e: e.quick()], ids=["full", "quick"])
def test_derived_items_cost_nothing(version):
    assert keys(version(s1.FIGURE_2)) == keys(version(s1.TABLE_III))
    assert keys(version(s3.FIGURE_2)) <= keys(version(s3.TABLE_2))
    archive, table = version(s1.FIGURE_4), version(s1.TABLE_III)
    assert len(keys(archive) & keys(table)) == 5, "an archive of 25 is that of Table III"
    assert version(s2.TABLES_2_3).cells([0])[0].protocol == "holdout"


@pytest.mark.data
@pytest.mark.parametrize("version", [lambda e: e, lambda e: e.quick()], ids=["full", "quick"])
def test_derived_items_with_data_cost_nothing(version):
    tables = (s1.TABLE_III, s1.TABLE_V, s1.TABLE_VI, s1.TABLE_VII, s1.FIGURE_3)
    iii, v, vi, vii, figure = (keys(version(table), ENOUGH) for table in tables)
    assert figure == v
    assert vi == iii | v
    assert vi < vii and len(vii - vi) == len(ENOUGH)
    both = keys(version(s3.FIGURE_3)) | keys(version(s3.FIGURE_4))
    assert both == keys(version(s3.TABLE_4))


def test_protocol_of_each_stream():
    assert s1.TABLE_VI.protocol_of("SEA200A") == ("holdout", {"log_loss": False})
    assert s1.TABLE_VI.protocol_of("Covertype") == s1.TABLE_V.protocol_of("Covertype")
    assert s1.TABLE_VI.protocol_of("Covertype")[0] == "prequential"
    assert figures.FIGURE_5.protocol_of("LED")[1] == {
        "chunk_size": 20,
        "every": 1_000,
        "log_loss": False,
    }


def test_transfer_twice_learns_the_same():
    """The control of Table VII differs in time only."""
    stream = s1.TABLE_III.quick().streams["ROT200A"](0)
    once, twice = (clone(s1.TABLE_VII.learners[name]).set_params(random_state=0)
                   for name in ("DTEL", "DTEL, transfer twice"))  # fmt: skip
    for batch, _ in zip(stream, range(6)):
        once.partial_fit(batch.X, batch.y)
        twice.partial_fit(batch.X, batch.y)
    X, _ = stream.test_set(1_199)
    assert (once.predict_proba(X) == twice.predict_proba(X)).all()
    assert all(isinstance(model, TransferTwice) for model in twice.archive_.models)


def test_transfer_twice_does_it_twice(monkeypatch):
    from driftlearn.tree import _grow_tree as tree

    counts = []
    real = tree.transfer_all

    def counted(trees, *args):
        counts.extend(trees)
        return real(trees, *args)

    monkeypatch.setattr(tree, "transfer_all", counted)
    stream = s1.TABLE_III.quick().streams["SEA200A"](0)
    model = clone(s1.TABLE_VII.learners["DTEL, transfer twice"]).set_params(random_state=0)
    for batch, _ in zip(stream, range(3)):
        model.partial_fit(batch.X, batch.y)
    assert len(counts) == 2 * (0 + 1 + 2)
