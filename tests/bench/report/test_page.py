import datetime
import json
import re
from itertools import pairwise

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier
from driftlearn.bench.report import page
from driftlearn.bench.report._comparison import compare, summary
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA
from tests.bench.report.pages import LEARNERS, cells, grid, made, one, repeated, visible
from tests.evaluate.fakes import Ensemble, Recorder, Rows

SMALL = 2_000_000


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    def write(result, **options):
        path = page(result, tmp_path_factory.mktemp("page") / "r.html", **options)
        return path.read_text("utf-8")

    return write


@pytest.fixture(scope="module")
def single():
    return one()


@pytest.fixture(scope="module")
def html(write, single):
    return write(single)


def charts(html):
    return re.findall(r'<svg class="plot"[^>]*aria-label="([^"]+)"', html)


def test_the_page_loads_nothing_from_elsewhere(html):
    tags = re.findall(r"<(?:script|link|img|iframe|source|object)\b[^>]*>", html)
    assert tags and not any("http" in tag or "src=" in tag for tag in tags)
    assert "<link" not in html and "default-src 'none'" in html
    style = re.search(r"<style>(.*?)</style>", html, re.S).group(1)
    assert "url(" not in style and "@import" not in style


def test_the_page_is_written_to_the_given_path(single, tmp_path):
    path = tmp_path / "r.html"
    assert single.report(path, title="Other") == path
    assert "<h1>Other</h1>" in path.read_text("utf-8")


def test_headings_come_in_order_and_the_page_can_be_found_a_way_through(html):
    text = visible(html)
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    targets = re.findall(r'href="#([^"]+)"', text)
    assert "main" in targets and all(f'id="{target}"' in text for target in targets)
    assert '<html lang="en">' in html and 'name="viewport"' in html
    names = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == len(set(names))


def test_every_chart_has_a_description_title_legend_and_concepts(html):
    reported = charts(html)
    # accuracy, member lifetimes of 3 ensembles, recalls of 4 learners, size, learning, predicting
    assert len(reported) == 11 and len(set(reported)) == 11
    assert reported[0].startswith("Accuracy of good, bad, plain, fair over 1,400 rows; at the end")
    assert html.count('<p class="title">') == 11 == html.count('<div class="ribbon"')
    assert html.count("<ul class=ends>") == 4


def test_every_learner_is_in_the_tables_and_the_best_are_marked(html, single):
    rows = cells(html, "Learners and metrics on the stream rows")
    assert [row[0] for row in rows[1:]] == ["plain", "good", "fair", "bad"]  # the best first
    assert 'aria-sort="descending"><button type="button">accuracy<' in html
    assert rows[0][:3] == ["learner", "accuracy", "balanced accuracy"]
    marked = [row[0] for row in rows[1:] if "★" in row[1]]
    assert marked == ["plain"] and "(best)" in rows[1][1]
    accuracy = single.summary("bad")
    assert rows[4][1] == f"{accuracy['accuracy']:.4f} ± {accuracy['std']:.4f}"
    assert [row[0] for row in cells(html, "Parameters of the learners")[1:]] == single.names
    assert "skill=0.6" in html and single.versions["numpy"] in visible(html)
    assert ["chunk_size", "20"] in cells(html, "Settings of the protocol")


def test_what_can_be_clicked_is_a_button_or_a_select(html):
    heads = re.findall(r"<thead>(.*?)</thead>", html, re.S)
    assert re.findall(r'<th scope="col"[^>]* aria-sort="none"><button type="button">', heads[0])
    assert len(re.findall(r'aria-pressed="true" data-learner="\d"', html)) == len(LEARNERS)
    for ident in re.findall(r'<(?:select|input type="range") id="([^"]+)"', html):
        assert f'<label for="{ident}">' in html


def test_the_summary_names_the_best_learner(html):
    lead = re.search(r'<p class="lead">(.*?)</p>', html).group(1)
    assert lead.startswith("The learner plain is best on the stream rows with an accuracy of 1.0")
    assert "ahead of good" in lead
    assert "One run cannot show whether the lead is significant; use several seeds." in lead
    assert "Wins, ties and losses" not in html


def test_one_run_supports_no_significance():
    text = summary(result := made({"a": [0.9] * 56, "b": [0.7] * 56}), compare(result))
    assert "use several seeds" in text and "significantly" not in text and "beats" not in text


def test_trivial_baselines_have_no_stars_for_speed_and_do_not_set_the_axis(tmp_path):
    stream = SEA(n_rows=2_000, random_state=0)
    result = prequential({"nb": GaussianNBClassifier()}, stream, 100, baselines=True)
    table = result.table(columns=["accuracy", "seconds", "rows/s"])
    assert [*table.marked["seconds"]] == [*table.marked["rows/s"]] == [0]
    lowest = {name: np.nanmin(result.scores(name)) for name in result.names}
    assert lowest["majority"] < lowest["nb"] - 0.1
    bottom, top = result.plot().ax_.get_ylim()
    assert lowest["majority"] < bottom < lowest["nb"] and top > np.nanmax(result.scores("nb"))
    html = page(result, tmp_path / "r.html").read_text("utf-8")
    scale = float(re.search(r'data-scale="([\d.]+)', html)[1])
    assert scale > lowest["majority"] and "Lines of baselines may leave the chart." in html


def test_confusion_matrices_hold_all_test_rows(html, single):
    parts = re.findall(r'<script type="application/json">(.*?)</script>', html, re.S)
    for name, part in zip(["plain", "good", "fair", "bad"], parts):
        rows = cells(html, f"Confusion matrix of the learner {name} on the stream rows")
        found = [[int(cell.replace(",", "")) for cell in row[1:]] for row in rows[1:]]
        assert found == single.confusion(name).tolist()
        slid = np.sum(json.loads(part)["counts"], axis=0)
        assert slid.tolist() == single.confusion(name).ravel().tolist()


def test_command_date_and_machine(write, single):
    text = write(
        single, command="run <x> && y", date=datetime.date(2026, 3, 1), machine={"cpu": "4 & 4"}
    )
    assert "<code>run &lt;x&gt; &amp;&amp; y</code>" in text
    assert "<time>2026-03-01</time>" in text
    assert ["cpu", "4 &amp; 4"] in cells(text, "Machine")


def test_command_and_machine_are_optional(html):
    assert "Made by" not in html
    assert f"<time>{datetime.date.today()}</time>" in html


def test_names_cannot_break_the_page(write):
    strange = "<b>&\"'</script><script>x()</script>"
    text = write({strange: made({strange: [0.5, 0.6], "b": [0.7, 0.8]})}, title=strange)
    assert "<b>" not in visible(text) and "<script>x" not in text
    assert "&lt;b&gt;&amp;&quot;" in text
    assert any("&lt;b&gt;&amp;&quot;" in chart for chart in charts(text))


def test_one_learner(write):
    text = write(prequential({"lonely": Ensemble()}, Rows(100)))
    assert "Only the learner lonely was run on the stream rows" in text
    assert "Significance" not in visible(text) and "★</span>" not in text


def test_one_chunk_without_tests(write):
    with pytest.warns(UserWarning, match="no row was tested"):
        result = prequential({"a": Ensemble(), "b": Recorder()}, Rows(10), chunk_size=10)
    text = write(result)
    assert "no rows were tested" in text and "Accuracy of" not in visible(text)
    assert cells(text, "Learners and metrics on the stream rows")[1][1] == "–"


def test_a_learner_without_scores_is_left_out_of_the_comparison(write):
    nan = np.full(20, np.nan)
    text = write(made({"a": np.linspace(0.5, 0.9, 20), "mute": nan, "b": np.full(20, 0.4)}))
    assert "mute could not be compared" in text
    assert cells(text, "Learners and metrics on the stream made")[3][:2] == ["mute", "–"]
    switches = re.findall(r'aria-pressed="true" data-learner="(\d)"', text)
    assert switches == ["0", "2"]


def test_parts_with_nothing_to_show_are_left_out(write):
    text = visible(write(prequential({"a": Recorder(), "b": Recorder()}, Rows(60))))
    assert "Members and their" not in text and "Ensemble size" not in text
    assert "known drift" not in text and "recovery" not in text


def test_memory_is_drawn_where_it_was_measured(write):
    assert "Memory, MB" in write(one(n_rows=200, memory_every=2))


def test_several_seeds(write):
    result = repeated(5)
    text = write(result)
    assert '<button type="button" aria-pressed="true" data-bands>' in text
    assert "5 seeds" in text and "Bands: one standard deviation over the seeds" in text
    spread = result.summary("bad")
    rows = cells(text, "Learners and metrics on the stream rows")
    assert f"{spread['accuracy']:.4f} ± {spread['std']:.4f}" in rows[4][1]
    assert "on 5 of 5 seeds" in text and "Mean ranks over 5 seeds" in text
    assert '<svg class="small"' in text and "Friedman" in text


def test_seeds_over_the_same_rows_are_one_repetition(write):
    result = repeated(5, drawn=False)
    text = write(result)
    assert "All 5 seeds are over the same rows and count as 1 repetition" in text
    assert (
        "Friedman" not in text and 'class="small"' not in text and "data-bands" not in visible(text)
    )
    row = result.summary("bad")
    shown = cells(text, "Learners and metrics on the stream rows")[4][1]
    assert shown == f"{row['accuracy']:.4f} ± {row['chunk_std']:.4f}"
    assert "use several seeds" in text and "5 % level" not in text
    grid = write({"a": result, "b": result})
    assert f"{row['accuracy']:.4f}" in [
        r[1] for r in cells(grid, "Accuracy of each learner on each stream")
    ]


def test_one_seed_has_a_deviation_over_the_chunks(write):
    result = repeated(1)
    row = result.summary("good")
    text = write(result)
    assert f"{row['accuracy']:.4f} ± {row['chunk_std']:.4f}" in text
    assert "standard deviation over the chunks" in text and "over the seeds" not in visible(text)


def test_too_few_blocks_for_ranks_are_reported(write):
    text = write(repeated(2))
    assert (
        "at least 3 learners and 5 seeds. There are 4 and 2" in text and 'class="small"' not in text
    )


def test_many_classes(write):
    text = write(repeated(2, 300, {"a": Ensemble(), "b": Ensemble(0.5)}, np.arange(30)))
    matrix = cells(text, "Confusion matrix of the learner a on the stream rows")
    assert matrix[0][-1] == "others" and len(matrix) == 22
    total = sum(int(cell.replace(",", "")) for row in matrix[1:] for cell in row[1:])
    assert total == 2 * (300 - 20)
    assert any(reported.startswith("Recall of 21 classes by a") for reported in charts(text))


def test_twenty_learners(write):
    learners = {f"n{i}": Ensemble(0.5 + i / 50) for i in range(20)}
    text = write(repeated(5, 120, learners))
    assert len(text.encode()) < SMALL
    assert len(re.findall("<button[^>]*data-learner=", text)) == 20
    assert len(re.findall('aria-pressed="true" data-learner', text)) == 5  # the best are in colour
    accuracy = text[: text.index('id="summary"')]
    assert len(re.findall('<path class="curve c', accuracy)) == 20
    assert len(re.findall('<path class="curve c[^"]* field"', accuracy)) == 15
    assert '<button type="button" aria-pressed="false" data-bands>' in text
    assert len(cells(text, "Learners and metrics on the stream rows")) == 21


def test_a_long_stream_is_thinned(write):
    rng = np.random.default_rng(0)
    scores = {f"n{i}": rng.random(50_000) for i in range(12)}
    text = write(made(scores, drifts=range(20_000, 1_000_000, 20_000)))
    assert len(text.encode()) < SMALL
    assert "1,000,000 rows in 50,000 chunks" in text and "37 others" in text
    assert "Each point is the mean of the last 850 chunks" in text


def test_a_grid(write):
    results = grid()
    text = write(results)
    rows = cells(text, "Accuracy of each learner on each stream")
    assert rows[0] == ["learner", *results, "mean rank"]
    assert [row[0] for row in rows[1:]] == ["plain", "good", "fair", "bad"]
    for column in range(1, 7):
        assert [row[0] for row in rows[1:] if "★" in row[column]] == ["plain"]
    assert rows[1][-1].startswith("1.00")
    assert text.count("<details open") == 5 == len(re.findall('href="#stream-', text))
    assert text.count("</i>") == 5 * len(LEARNERS)
    assert text.count("<details open") == 5 and "Mean ranks over 5 streams" in text
    assert "plain has the best mean rank over 5 streams (1.00), followed by good (2.00)" in text
    assert len(text.encode()) < SMALL and len(charts(text)) == 5 * 11


def test_a_grid_with_a_hole(write):
    first, second = repeated(2), repeated(2, learners={"good": Ensemble(0.95), "new": Ensemble()})
    text = write({"a": first, "b": second})
    rows = cells(text, "Accuracy of each learner on each stream")
    assert {row[0] for row in rows[1:]} == {*LEARNERS, "new"}
    new = next(row for row in rows if row[0] == "new")
    assert new[1] == "–" and new[2] != "–" and new[3] == "–"
    assert "bad, plain, fair and new could not be compared" in text


def test_large_grids_show_less_and_stay_small(write):
    scores = {f"n{i}": np.linspace(0.4, 0.5 + i / 50, 300) for i in range(20)}
    middle = write({f"s{i}": made(scores) for i in range(10)})
    assert len(middle.encode()) < SMALL and len(charts(middle)) == 10
    assert "only tables and accuracies for each stream" in middle
    large = write({f"s{i}": made(scores) for i in range(21)})
    assert len(large.encode()) < SMALL and not charts(large)


def test_an_empty_grid_is_refused(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        page({}, tmp_path / "r.html")
