import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from driftlearn.bench import report
from driftlearn.bench.report import _curves, _figures, _lifelines, _style
from driftlearn.bench.report._rank_diagram import indistinct
from driftlearn.evaluate import WeightHistory, nemenyi, prequential, repeat
from tests.evaluate.fakes import Ensemble, Recorder, Rows

KINDS = ["accuracy", "recall", "weights", "size"]
LEARNERS = {"good": Ensemble(0.95), "bad": Ensemble(0.6, size=3), "plain": Recorder()}


@pytest.fixture(scope="module")
def result():
    return prequential(LEARNERS, Rows(1400, drifts=[500, 900]), chunk_size=20)


@pytest.fixture(scope="module")
def repeated():
    def make_stream(seed):
        return Rows(200, classes=np.arange(15))

    return repeat(prequential, {"a": Ensemble(), "b": Ensemble()}, make_stream, seeds=[0, 1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_figures_are_written(result, tmp_path, kind, ending):
    assert isinstance(result.plot(kind, path=tmp_path / f"f.{ending}").figure_, Figure)
    assert (tmp_path / f"f.{ending}").stat().st_size > 5000
    if ending == "png":
        assert imread(tmp_path / "f.png").std() > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_figures_of_several_seeds(repeated, kind):
    assert repeated.plot(kind=kind).figure_.axes


def test_the_style_does_not_leak(result):
    import matplotlib

    before = dict(matplotlib.rcParams)
    result.plot()
    assert dict(matplotlib.rcParams) == before


def test_unknown_figures_and_learners_without_history_are_named(result):
    with pytest.raises(ValueError, match=r"'pie'.*accuracy"):
        result.plot(kind="pie")
    with pytest.raises(ValueError, match="plain"):
        result.plot(kind="weights", learner="plain")


def test_accuracy_draws_a_line_a_learner_a_label_each_and_the_drifts(result):
    (axes,) = result.plot(smooth=1).figure_.axes
    curves = [line for line in axes.lines if len(line.get_xdata()) == 70]
    np.testing.assert_array_equal(curves[1].get_ydata(), result.scores("bad"))
    np.testing.assert_array_equal(curves[1].get_xdata(), result.rows("bad"))
    assert [line.get_xdata()[0] for line in axes.lines[3:]] == [500, 900]
    assert {text.get_text() for text in axes.texts} >= {"good", "bad", "plain", "drift"}
    assert axes.get_ylabel() == "accuracy"


def test_smoothing_is_stated(result):
    assert result.plot(smooth=5).ax_.get_ylabel() == "accuracy (mean of 5 chunks)"
    assert result.plot(metric="kappa", learners=["bad"], smooth=1).ax_.get_ylabel() == "kappa"


def test_several_seeds_are_drawn_as_mean_and_band(repeated):
    (axes,) = repeated.plot(smooth=1).figure_.axes
    np.testing.assert_allclose(axes.lines[0].get_ydata(), repeated.scores("a").mean(axis=0))
    assert len(axes.collections) == 2


def test_smoothing_uses_past_values_only():
    np.testing.assert_allclose(_curves.moving_average([0, 0, 3, 0, 0.0], 3), [0, 0, 1, 1, 1])
    both = _curves.moving_average([[0, 2.0], [np.nan, 4.0]], 2)
    np.testing.assert_allclose(both, [[0, 1], [np.nan, 4]])


def test_labels_are_moved_apart_as_little_as_possible():
    np.testing.assert_allclose(_style.moved_apart([0, 10, 20], 5), [0, 10, 20])
    np.testing.assert_allclose(_style.moved_apart([1, 1, 1], 2), [-1, 1, 3])
    placed = _style.moved_apart([0.3, 0.1, 0.2, 5], 1)
    assert placed[1] < placed[2] < placed[0] < placed[3] == 5
    assert np.diff(np.sort(placed)).min() == pytest.approx(1)


def test_learners_have_distinct_styles():
    names = [f"n{i}" for i in range(20)]
    assert len(set(_style.line_styles(names).values())) == 20


def test_weights_that_are_all_zero_or_negative_do_not_divide_by_zero():
    history = WeightHistory.of([1, 2], [[1], [1]], [[0.0], [-2.0]])
    (life,) = _lifelines.lives(history, 100, 10).lives
    assert life.shares.tolist() == [0.0, 0.0]


def test_an_svg_has_text_and_a_title(result, tmp_path):
    result.plot(path=tmp_path / "f.svg")
    content = (tmp_path / "f.svg").read_text("utf-8")
    assert "<dc:title>rows, each chunk predicted before it is learned</dc:title>" in content
    assert ">row of the stream</text>" in content


def test_at_most_twelve_classes_are_drawn(repeated):
    assert len(_figures.frequent_classes(repeated, 12)) == 12
    visible = [axes for axes in repeated.plot(kind="recall").figure_.axes if axes.get_visible()]
    assert len(visible) == 12


def test_indistinct_groups():
    assert indistinct([1, 2, 3], 0.5) == []
    assert indistinct([1, 1.2, 3], 0.5) == [(0, 1)]
    assert indistinct([1, 2, 3, 4], 10) == [(0, 3)]
    assert indistinct([1.0, 2.0], 1.0) == []


def test_critical_difference_diagram(tmp_path):
    ranks = {"DTEL": 1.3947, "SEA": 4.4211, "NSE": 3.2632, "AUE2": 2.7632, "TIX": 3.1579}
    figure = report.critical_difference(ranks, 19, tmp_path / "cd.png")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert f"critical difference {nemenyi(5, 19):.2f}" in texts
    assert "DTEL 1.39" in texts and "4.42 SEA" in texts
    assert (tmp_path / "cd.png").stat().st_size > 5000
