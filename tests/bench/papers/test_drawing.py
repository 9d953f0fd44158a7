"""Every figure is drawn with its content; every claim is checked, every table is created."""

from functools import partial

import numpy as np
import pytest

from driftlearn.bench.papers import EXPERIMENTS, Outcome
from driftlearn.bench.papers.claim import DECISIONS, KINDS
from driftlearn.bench.papers.drawing import courses, dots, ranks, recalls
from driftlearn.bench.papers.s0 import figures as s0
from driftlearn.bench.papers.s1 import tables as s1
from driftlearn.bench.papers.s1.streams_and_learners import LEARNERS
from driftlearn.bench.papers.s2 import tables as s2
from driftlearn.bench.papers.s3 import figures
from driftlearn.bench.papers.s3 import tables as s3
from driftlearn.bench.papers.s4 import tables as s4
from tests.bench.papers.made import any_outcome, outcome, result

NAMES = [f"{e.paper} {e.item}" for e in EXPERIMENTS]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_every_figure_is_drawn(experiment):
    assert experiment.figures
    made = any_outcome(experiment)
    for name, draw in experiment.figures.items():
        figure = draw(made)
        panels = [axes for axes in figure.axes if axes.get_visible()]
        assert panels, name
        for axes in panels:
            assert axes.lines or axes.collections, name
        if name != "figure 2" or experiment.paper != "S0":
            assert figure.legends or name == "table VI", name


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_every_claim_is_checked(experiment):
    for version in (experiment, experiment.quick()):
        made = any_outcome(version)
        verdicts = made.verdicts()
        assert verdicts["claim"].tolist() == [claim.text for claim in version.claims]
        for row in verdicts:
            assert row["verdict"] in DECISIONS and row["kind"] in KINDS, row
            assert row["figure"] and row["margin"], row
            assert "nan" not in row["figure"] + row["margin"], row


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_every_extra_table_is_made(experiment):
    made = any_outcome(experiment)
    tables = made.extra_tables()
    n_expected = len(experiment.further) + len(experiment.extras) + bool(experiment.tests)
    assert len(tables) == (n_expected if made.results else 0)
    for heading, table in tables.items():
        assert len(table), heading


def test_nothing_ran_nothing_is_shown():
    empty = Outcome(s1.TABLE_III, {})
    assert empty.extra_tables() == {}
    assert len(empty.verdicts()) == 0


def lines(axes):
    """Return the curves of a subplot: lines of more than two points."""
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def test_panels_are_those_of_the_papers():
    figure = s0.FIGURE_2.figures["figure 2"](Outcome(s0.FIGURE_2, {}))
    assert len(figure.axes) == 6
    assert figure.axes[0].get_title("left") == "t = 0.00, turned by 0°"
    figure = s0.FIGURE_3.figures["figure 3"](any_outcome(s0.FIGURE_3))
    assert [axes.get_title("left") for axes in figure.axes] == [
        "network",
        "support vector machine",
        "naive Bayes",
    ]
    assert all(len(lines(axes)) == 2 for axes in figure.axes)
    assert figure.axes[0].get_xlim() == (0, 1)
    figure = s1.FIGURE_2.figures["figure 2"](any_outcome(s1.FIGURE_2))
    assert [axes.get_title("left") for axes in figure.axes] == list(s1.FIGURE_2.streams)
    assert all(len(lines(axes)) == 5 for axes in figure.axes)
    figure = s1.FIGURE_4.figures["figure 4"](any_outcome(s1.FIGURE_4))
    assert [len(line.get_xdata()) for line in figure.axes[0].lines] == [8] * 5
    figure = s3.FIGURE_2.figures["figure 2"](any_outcome(s3.FIGURE_2))
    assert len(lines(figure.axes[0])) == 5
    figure = figures.FIGURE_5.figures["figure 5"](any_outcome(figures.FIGURE_5))
    assert len(lines(figure.axes[0])) == 6


def test_published_levels_are_marked():
    """The printed mean is drawn beside each curve, in its color."""
    made = any_outcome(s3.FIGURE_4)
    (axes,) = courses(made).axes
    marks = {line.get_color() + line.get_linestyle(): line.get_ydata()
             for line in axes.lines if len(line.get_xdata()) == 1}  # fmt: skip
    levels = sorted(float(np.ravel(y)[0]) for y in marks.values())
    colours = {line.get_color() for line in lines(axes)}
    assert set(levels) <= set(s3.TABLE_4.numbers["Santa Fe"].values())
    assert len(levels) == len(colours)


def test_a_curve_shows_its_scores():
    course = np.linspace(0.5, 0.9, 20)
    made = outcome(s3.FIGURE_3, {"SEA": result({"FLC": course}, np.arange(1, 21) * 50)})
    (axes,) = courses(made, smooth=1).axes
    (line,) = lines(axes)
    assert line.get_ydata() == pytest.approx(100 * course)
    assert line.get_xdata().tolist() == list(range(50, 1_001, 50))


def test_dots_show_published_and_ours():
    made = any_outcome(s1.TABLE_V)
    figure = dots(made)
    assert [axes.get_title("left") for axes in figure.axes] == list(LEARNERS)
    axes = figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list(made.results)
    shown = {float(np.ravel(line.get_xdata())[0]) for line in axes.lines}
    assert {91.8, 51.2, 75.05} <= shown
    assert round(made.accuracy("Covertype", "DTEL"), 6) in {round(x, 6) for x in shown}
    assert len(dots(made, by="stream", learners=("DTEL", "TIX")).axes) == 3


def test_recalls_have_a_panel_a_class():
    made = any_outcome(s4.TABLES_2_3)
    figure = s4.TABLES_2_3.figures["table 2"](made)
    visible = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title("left") for axes in visible] == [
        *(f"class {c}" for c in "1234"),
        "overall",
    ]
    assert len(visible[0].lines) == 4 + 3
    ours = made.overall("experiment 1", "SMOTE").mean(axis=0)
    assert any(np.allclose(line.get_ydata(), ours) for line in visible[-1].lines)


def test_what_was_not_run_is_not_drawn():
    whole = any_outcome(s2.TABLES_8_9)
    part = Outcome(s2.TABLES_8_9, {"gas": whole.results["gas"]})
    drawn = {name: draw(part) for name, draw in s2.TABLES_8_9.figures.items()}
    assert drawn["tables 8 and 9 gas"] is not None
    assert drawn["tables 8 and 9 alcohol"] is None
    assert recalls(part, stream="gas", learners=("SMOTE",)) is None
    one = outcome(s1.TABLE_VI, {"SEA200A": result({"DTEL": np.ones(9)}, np.arange(1, 10))})
    assert ranks(one) is None
    assert "mean ranks" not in one.extra_tables()
    panels = {"a": ("SEA200A", ("DTEL",)), "b": ("SEA200A", ("TIX",)), "c": ("x", ("DTEL",))}
    assert len(courses(one, panels=panels).axes) == 1


@pytest.mark.parametrize("draw", [partial(courses, columns=2), dots], ids=["courses", "dots"])
def test_a_figure_can_be_saved(draw, tmp_path):
    path = tmp_path / "figure.svg"
    draw(any_outcome(s3.TABLE_4)).savefig(path)
    assert "IBoost" in path.read_text() or path.stat().st_size > 10_000
