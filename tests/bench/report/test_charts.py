import re
from dataclasses import replace
from html import unescape
from importlib.resources import files

import numpy as np
import pytest

from driftlearn import AutoClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.bench.report import (
    _comparison,
    _curves,
    _lifelines,
    _page,
    _style,
    _svg,
    page,
)
from driftlearn.bench.report._rank_diagram import critical_difference_svg
from driftlearn.ensemble.history import MemberInfo
from driftlearn.evaluate import WeightHistory, prequential
from driftlearn.streams import SEA
from tests.bench.report.pages import made, one, repeated


def test_blocks_hide_nothing():
    rng = np.random.default_rng(0)
    values = rng.random((3, 1000))
    np.testing.assert_allclose(_curves.block_means(values, 10).mean(axis=1), values.mean(axis=1))
    result = made({"a": np.linspace(0, 1, 11)})
    assert _curves.curves(result, _curves.score("accuracy"), 3).rows.tolist() == [80, 160, 220]
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
    np.testing.assert_allclose(_curves.training_time(result, "a"), [50, 50])
    np.testing.assert_allclose(_curves.prediction_time(result, "a"), [np.nan, 25])


def test_memory_stays_until_it_is_measured_again():
    result = made({"a": [0.5] * 4})
    result.data["a"]["nbytes"] = np.array([np.nan, 2e6, np.nan, 5e6])
    np.testing.assert_array_equal(_curves.megabytes(result, "a"), [np.nan, 2, 2, 5])


def chart_of(result, **options):
    found = _curves.curves(result, _curves.score("accuracy"))
    axis = _page.axis_of(result)
    return _svg.line_chart(found, axis, result.names, title="Accuracy", **options)


def test_lines_have_a_colour_and_a_dash_and_their_names_at_the_end():
    html = chart_of(one(n_rows=200))
    kinds = re.findall(r'<path class="curve (c\d d\d)" data-learner="(\d)" data-name="(\w+)"', html)
    assert [name for _, _, name in kinds] == ["good", "bad", "plain", "fair"]
    assert len({kind for kind, _, _ in kinds}) == 4
    ends = re.findall(r'<li class="(c\d d\d)" data-learner="(\d)" title="(\w+)"', html)
    assert ends == kinds


def test_points_stand_where_the_values_are():
    result = made({"a": [0.5, 0.75, 1.0]}, rows_a_chunk=20)
    html = chart_of(result)
    low, high = (float(v) for v in re.search(r'data-scale="(\S+) (\S+) "', html).groups())
    points = re.search(r'data-name="a" d="M([^"]+)"', html).group(1).split()
    x, y = np.array([[int(v) for v in point.split(",")] for point in points]).T
    assert x.tolist() == [3333, 6667, 10000]
    np.testing.assert_allclose(low + (1 - y / 1e4) * (high - low), [0.5, 0.75, 1.0], atol=1e-4)


def test_bands_drifts_and_concepts_are_drawn():
    html = chart_of(repeated(2), band=True)
    assert html.count('<path class="band ') == 4
    assert re.search(r'class="drift" d="M4167,0v10000"', html)  # row 100 of 240
    assert re.findall(r'title="concept (\d), rows (\d+) to (\d+)"', html) == [
        ("1", "0", "99"), ("2", "100", "239")
    ]  # fmt: skip


def test_a_value_between_gaps_is_a_dot():
    assert 'd="M2500,' in chart_of(made({"a": [0.5, np.nan, 0.5, 0.6]}))
    line = re.search(
        r'data-name="a" d="M(\S+) (\S+)M', chart_of(made({"a": [0.5, np.nan, 0.5, 0.6]}))
    )
    assert line.group(1) == line.group(2)


def test_concepts_keep_their_colour_when_they_return():
    result = made({"a": [0.5] * 4}, rows_a_chunk=100, drifts=[150, 300])
    result.concepts = [6.0, 12.0, 12.0, 6.0]
    found = _style.concepts(result)
    assert found.names == ["6", "12"]
    assert [tuple(span) for span in found.spans] == [(0, 150, 0), (150, 300, 1), (300, 400, 0)]
    assert [found.at(row) for row in (0, 149, 150, 399, 400)] == [0, 0, 1, 0, 0]
    many = _style.Concepts([str(k) for k in range(30)], [])
    assert len({many.css(k) for k in range(30)}) == 30 == len({many.color(k) for k in range(30)})


def history(n_born, alive, n_steps):
    """Each step creates members; each exists as long as there are `alive` members."""
    rate = n_born // n_steps
    steps = range(1, n_steps + 1)
    members = [list(range(max(0, rate * k - alive), rate * k)) for k in steps]
    return WeightHistory.of(list(steps), members, [[1.0 + m % 3 for m in each] for each in members])


@pytest.mark.parametrize(
    "n_born, alive, n_lanes, together", [(50, 5, 5, 1), (100, 100, 100, 1), (5000, 5000, 79, 64)]
)
def test_lifelines_of_few_and_of_many_members(n_born, alive, n_lanes, together):
    found = _lifelines.lives(history(n_born, alive, 50), 10_000, 100)
    assert (found.n_lanes, found.together) == (n_lanes, together)
    assert len(found.lives) == -(-n_born // together) <= _lifelines.MOST_LIVES
    assert found.edges[0] == 0 and found.edges[-1] == 10_000
    for lane in range(found.n_lanes):  # no two members of a lane overlap in time
        there = [~np.isnan(life.shares) for life in found.lives if life.lane == lane]
        assert np.sum(there, axis=0).max() == 1
    widest = np.nanmax([life.shares for life in found.lives], axis=0)
    np.testing.assert_allclose(widest, 1.0)


def test_lifelines_have_the_color_of_the_concept_at_creation():
    result = one(n_rows=400)
    axis = _page.axis_of(result)._replace(last=400)
    html = _lifelines.lifelines(result, "good", axis, 100_000)
    assert html.count('<path class="life"') == 20
    assert "member 1, rows 0 to 100; mean weight" in html


def tips(result, name="good"):
    html = _lifelines.lifelines(result, name, _page.axis_of(result), 100_000)
    return [unescape(tip) for tip in re.findall(r'data-tip="([^"]*)"', html)]


def noted(result, **changes):
    """Add notes of 20 members to a result of `one`; the second knows half of the classes."""
    notes = {
        "errors": np.append(0.125, np.full(19, np.nan)), "class_set": np.array([0, 1] + [2] * 18),
        "class_sets": [[0, 1], [1], []], "names": [],
    }  # fmt: skip
    history = result.histories["good"]
    result.histories["good"] = replace(history, notes=MemberInfo(**notes | changes))
    return result


def test_tooltips_of_lifelines():
    first, second, third, *_ = tips(noted(one(n_rows=400)))
    assert re.fullmatch(
        r"member 1, rows 0 to 100; mean weight 0\.\d\d of the heaviest; last error 0\.125; "
        "trained on all 2 classes",
        first,
    )
    assert second.endswith("of the heaviest; trained on 1 of 2 classes: 1")
    assert third.endswith("of the heaviest")
    result = one()
    assert ", created under concept 2; " in tips(result)[30]
    named = tips(noted(one(n_rows=400), names=["<b>\x1b"] + [""] * 19))
    assert named[0].startswith("member 1 (<b>\\x1b), rows") and named[1].startswith("member 2, ")


def test_tooltips_of_grouped_lifelines():
    result = one(n_rows=400)
    result.classes = np.arange(30)
    many = history(5000, 5000, 50)
    notes = MemberInfo(
        np.linspace(0.0, 0.5, 5000), np.arange(5000) % 20, [[k] for k in range(20)], []
    )
    result.histories["good"] = replace(many, notes=notes)
    first, *_ = found = tips(result)
    assert first.startswith("members 0 to 63, ") and "; last mean error 0.003; " in first
    assert first.endswith("trained on 20 of 30 classes: 0, 1, 2, 3, 4, 5 and 14 others")
    assert len(found) <= _lifelines.MOST_LIVES and max(map(len, found)) < 250


def test_ensembles_without_members_have_no_lifelines():
    result = one(n_rows=400)
    result.histories["good"] = WeightHistory.of([1, 2], [[], []], [[], []])
    html = _page.members(result, _page.Page(result.names), _page.axis_of(result))
    assert "Members of bad" in html and "Members of good" not in html


def contrast(one, other):
    def light(colour):
        parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)

    a, b = (light(colour) @ [0.2126, 0.7152, 0.0722] + 0.05 for colour in (one, other))
    return max(a, b) / min(a, b)


@pytest.mark.parametrize(
    "palette, page",
    [(_style.PALETTE, "#ffffff"), (_style.DARK_PALETTE, "#15181d")],
    ids=["light", "dark"],
)
def test_lines_stand_out_from_the_page_and_from_each_other(palette, page):
    css = files("driftlearn.bench.report").joinpath("page.css").read_text("utf-8")
    assert f"--page: {page}" in css
    assert min(contrast(colour, page) for colour in palette) >= 3
    linear = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in palette])
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    # Machado, Oliveira and Fernandes 2009: eyes without green
    without_green = np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    )
    for seen in (linear, np.clip(linear @ without_green.T, 0, 1)):
        apart = np.linalg.norm(oklab(seen)[:, None] - oklab(seen)[None], axis=-1)
        assert apart[np.triu_indices(len(palette), 1)].min() > 0.05


def oklab(linear):
    cones = linear @ np.array(
        [[0.4122, 0.2119, 0.0883], [0.5363, 0.6807, 0.2817], [0.0514, 0.1074, 0.6300]]
    )
    return np.cbrt(cones) @ np.array(
        [[0.2105, 1.9780, 0.0259], [0.7936, -2.4286, 0.7828], [-0.0041, 0.4506, -0.8087]]
    )


def test_a_learner_has_the_same_colour_on_every_page():
    for names in (["mine", "sea"], ["sea", "awe", "x", "mine"], ["dtel", "mine"]):
        found = _style.color_and_dash(names)
        assert found["mine"][0] == _style.color_and_dash(["mine"])["mine"][0]
        assert found.get("sea", (1, 0)) == (1, 0)


def test_comparison_of_streams_uses_the_streams_as_blocks():
    low, high = np.linspace(0.3, 0.4, 20), np.linspace(0.7, 0.8, 20)
    results = {f"s{i}": made({"a": low, "b": high, "c": low + 0.1}) for i in range(6)}
    found = _comparison.compare(results)
    assert found.kind == "streams" and found.best == "b"
    assert found.ranks == {"b": 1.0, "c": 2.0, "a": 3.0}
    assert found.counts.to_dicts()[0] == {"against": "a", "win": 6, "tie": 0, "loss": 0}
    assert found.ranking.p < 0.01 and found.ranking.gap > 1


def test_the_diagram_joins_indistinct_ranks():
    svg = critical_difference_svg({"a": 1.0, "b": 1.5, "c": 3.0}, 1.0)
    assert svg.count('class="bar"') == 1 and svg.count("<circle") == 3
    assert "a 1.00" in svg and "3.00 c" in svg
    assert "&lt;x&gt;" in critical_difference_svg({"<x>": 1.0, "b": 2.0}, 1.0)


def test_integer_axes_have_integer_ticks():
    for values in ([10.0, 10.0], [3.0, 4.0], [0.0, 120.0]):
        _, _, marks = _svg._value_range(np.array(values), log=False)
        assert marks and all(at % 1 == 0 for at, _ in marks)
    assert any(at % 1 for at, _ in _svg._value_range(np.array([0.5, 0.9]), log=False)[2])


def test_lanes_of_candidates_have_their_names(tmp_path):
    stream = SEA(thresholds=(6, 12), n_rows=2_000, random_state=0)
    auto = AutoClassifier({"nb": GaussianNBClassifier(), "<tree>": HoeffdingTreeClassifier()})
    result = prequential({"auto": auto}, stream, 100)
    figure = result.plot(kind="weights").figure_
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[:2] == ["nb", "<tree>"]
    html = page(result, tmp_path / "r.html").read_text("utf-8")
    lanes = html.split("Members of auto")[1].split("<svg")[0]
    assert ">nb</span>" in lanes and ">&lt;tree&gt;</span>" in lanes
