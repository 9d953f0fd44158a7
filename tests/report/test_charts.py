import numpy as np
from report.pages import made, one, repeated

from driftlearn.report import _charts, _compare, _curves, _weight_map
from driftlearn.report._critical_difference_svg import critical_difference_svg


def test_blocks_hide_nothing():
    rng = np.random.default_rng(0)
    values = rng.random((3, 1000))
    np.testing.assert_allclose(_curves.block_means(values, 10).mean(axis=1), values.mean(axis=1))
    assert _curves.block_ends(11, 4).tolist() == [3, 7, 10]
    whole = _curves.block_means([np.nan, np.nan, 2.0], 2)
    assert np.isnan(whole[0]) and whole[1] == 2


def test_curves_are_thinned_and_keep_their_end():
    result = made({"a": np.linspace(0, 1, 2500)})
    found = _curves.curves(result, _curves.score("accuracy"))
    assert len(found.rows) == 834 <= _curves.MOST_POINTS and found.rows[-1] == 50_000
    assert found.chunks == 3 and found.note == "Each point is the mean of 3 chunks. "
    np.testing.assert_allclose(found.middle["a"][0], result.scores("a")[:3].mean())


def test_curves_of_several_seeds_have_a_band():
    result = repeated(3)
    found = _curves.curves(result, _curves.score("accuracy"))
    np.testing.assert_allclose(found.off["bad"][1:], result.scores("bad").std(axis=0, ddof=1)[1:])
    assert _curves.curves(one(n_rows=100), _curves.score("accuracy")).off == {}


def test_learners_that_stopped_early_are_padded():
    result = made({"a": np.full(10, 0.5), "b": np.full(4, 0.9)})
    found = _curves.curves(result, _curves.score("accuracy"))
    assert np.isnan(found.middle["b"][4:]).all() and not np.isnan(found.middle["b"][:4]).any()
    assert len(found.rows) == 10


def test_times_are_microseconds_a_row():
    result = made({"a": [np.nan, 0.5]})
    np.testing.assert_allclose(_curves.learning_time(result, "a"), [50, 50])
    np.testing.assert_allclose(_curves.testing_time(result, "a"), [np.nan, 25])


def test_memory_stays_until_it_is_measured_again():
    result = made({"a": [0.5] * 4})
    result.data["a"]["nbytes"] = np.array([np.nan, 2e6, np.nan, 5e6])
    np.testing.assert_array_equal(_curves.megabytes(result, "a"), [np.nan, 2, 2, 5])


def chart_of(result, **options):
    found = _curves.curves(result, _curves.score("accuracy"))
    return _charts.over_time(found, result.drifts, result.names, label="accuracy", **options)


def test_the_legend_stands_outside_the_plot_and_hides_lines():
    chart = chart_of(one(n_rows=200), legend=True)
    (legend,) = chart.legend
    assert legend in chart.right and legend.click_policy == "hide"
    labels = [item.label.value for item in legend.items]
    assert labels == ["good", "bad", "plain", "fair", "known drift"]


def test_lines_bands_and_drifts_are_drawn():
    result = repeated(2)
    chart = chart_of(result, band=True)
    kinds = [type(renderer.glyph).__name__ for renderer in chart.renderers]
    assert kinds == ["VArea", "Line"] * 4 + ["VSpan"]
    assert [renderer.tags for renderer in chart.renderers[:4]] == [
        [0, "band"], [0], [1, "band"], [1]
    ]  # fmt: skip
    assert chart.renderers[-1].data_source.data["row"].tolist() == [100]
    source = chart.renderers[0].data_source.data
    np.testing.assert_allclose(source["high1"] - source["y1"], source["y1"] - source["low1"], 1e-5)


def test_a_value_between_gaps_is_drawn_as_a_dot():
    chart = chart_of(made({"a": [0.5, np.nan, 0.5, 0.6]}))
    assert [type(r.glyph).__name__ for r in chart.renderers] == ["Line", "Scatter"]


def test_heat_maps_hold_every_learner_and_show_the_first():
    result = one(n_rows=400)
    chart = _weight_map.weight_map(result, ["good", "bad"], 10_000)
    first, second = (renderer for renderer in chart.renderers if renderer.tags)
    assert first.visible and not second.visible
    image = first.data_source.data["image"][0]
    absent = np.isnan(result.histories["good"].weights)
    assert image.dtype == np.uint8
    np.testing.assert_array_equal(image == 0, absent)
    assert image.max() == _weight_map.SHADES
    assert chart.x_range.start == 0.5 and chart.x_range.end == 20.5


def test_heat_maps_are_thinned():
    cells, members, steps = _weight_map.thinned(np.random.default_rng(0).random((70, 901)), 900)
    assert cells.shape == (24, 30) and (members, steps) == (3, 31)


def test_comparison_of_streams_uses_the_streams_as_blocks():
    low, high = np.linspace(0.3, 0.4, 20), np.linspace(0.7, 0.8, 20)
    results = {f"s{i}": made({"a": low, "b": high, "c": low + 0.1}) for i in range(6)}
    found = _compare.compare(results)
    assert found.kind == "streams" and found.best == "b"
    assert found.ranks == {"b": 1.0, "c": 2.0, "a": 3.0}
    assert found.counts.to_dicts()[0] == {"against": "a", "win": 6, "tie": 0, "loss": 0}
    assert found.ranking.p < 0.01 and found.ranking.gap > 1


def test_the_diagram_joins_what_cannot_be_told_apart():
    svg = critical_difference_svg({"a": 1.0, "b": 1.5, "c": 3.0}, 1.0)
    assert svg.count('class="bar"') == 1 and svg.count("<circle") == 3
    assert "a 1.00" in svg and "3.00 c" in svg
    assert "&lt;x&gt;" in critical_difference_svg({"<x>": 1.0, "b": 2.0}, 1.0)
