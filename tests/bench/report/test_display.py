"""Results in a notebook: a figure that can be restyled, and tables of bounded size."""

import subprocess
import sys

import numpy as np
import pytest

from driftlearn import SEAClassifier, TableEncoder, inspect, make_pipeline
from driftlearn.bench.report import ResultDisplay
from driftlearn.ensemble.history import History
from driftlearn.evaluate import prequential, repeat
from tests.doc_code import code_of
from tests.evaluate.fakes import Ensemble, Rows

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def result():
    learners = {"good": Ensemble(skill=0.9), "<b>": Ensemble(skill=0.5)}
    return prequential(learners, Rows(400), 10)


def test_a_display_has_what_scikit_learns_have(result, tmp_path):
    shown = result.plot(smooth=1)
    assert isinstance(shown, ResultDisplay) and shown.ax_ in shown.figure_.axes
    assert [line.get_label() for line in shown.lines_] == ["good", "<b>"]
    np.testing.assert_array_equal(shown.lines_[0].get_ydata(), result.scores("good"))
    picture, size = shown._repr_png_()
    assert picture.startswith(b"\x89PNG") and size == {"width": 800.0, "height": 380.0}
    shown.lines_[0].set_color("red")
    shown.save(tmp_path / "again.svg")
    assert "#ff0000" in (tmp_path / "again.svg").read_text("utf-8")


@pytest.mark.parametrize("kind", ["accuracy", "size"])
def test_figures_are_drawn_on_given_axes(result, kind):
    from matplotlib.figure import Figure

    left, right = Figure().subplots(1, 2)
    left.plot([1, 2], label="before")
    shown = result.plot(kind=kind, ax=left)
    assert shown.ax_ is left and shown.figure_ is left.figure and len(shown.lines_) == 2
    assert "good" in [text.get_text() for text in left.get_legend().get_texts()]
    assert shown._repr_png_() is None  # the caller created the figure and shows it
    assert shown.plot(ax=right, linewidth=7) is shown
    assert {line.get_linewidth() for line in right.lines if line in shown.lines_} == {7}
    assert shown.plot().figure_ is not left.figure


def test_figures_with_several_subplots_reject_axes(result):
    from matplotlib.figure import Figure

    with pytest.raises(
        ValueError, match="'recall' has several panels, so it does not support 'ax'"
    ):
        result.plot(kind="recall", ax=Figure().subplots())


def test_pyplot_is_not_imported():
    script = (
        "import sys\nfrom driftlearn import GaussianNBClassifier\n"
        "from driftlearn.evaluate import prequential\nfrom driftlearn.streams import SEA\n"
        "result = prequential(GaussianNBClassifier(), SEA(n_rows=500), 100)\n"
        "assert result.plot()._repr_png_()\nsys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_results_have_a_notebook_representation(result):
    html = result._repr_html_()
    assert html.count("<svg") == 2 and "prequential on" in html and "<strong>" in html
    assert "&lt;b&gt;" in html and "<b>" not in html
    longer = prequential({"good": Ensemble()}, Rows(40_000), 10)._repr_html_()
    assert len(longer) < 5000
    both = repeat(prequential, {"a": Ensemble()}, lambda seed: Rows(200), seeds=[0, 1])
    assert "2 seeds" in both._repr_html_() and both._repr_html_().count("<svg") == 1


def test_histories_have_a_notebook_representation(result):
    html = result.histories["good"]._repr_html_()
    assert html.startswith("<p>weights at") and html.count("<tr>") == 11 and len(html) < 5000


def test_histories_are_drawn(tmp_path):
    history = History().record(1, [1], [2.0]).record(2, [1, 2], [0.5, 1.5])
    shown = history.plot(tmp_path / "weights.svg")
    (axes,) = shown.figure_.axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["member 1", "member 2"]
    assert (tmp_path / "weights.svg").stat().st_size > 1000 and len(axes.patches) == 3
    with pytest.raises(ValueError, match="no steps yet"):
        History().plot()


def test_pipelines_inspections_and_explanations_have_a_notebook_representation():
    rng = np.random.default_rng(0)
    table = {"size": rng.random(300), "colour": np.array(["<b>red</b>"] * 300, dtype=object)}
    labels = np.where(table["size"] > 0.5, "<i>yes</i>", "no")
    model = make_pipeline(TableEncoder(), SEAClassifier())
    for _ in range(2):  # before and after training
        drawn = model._repr_html_()
        assert drawn.index("IncrementalPipeline") < drawn.index("TableEncoder")
        assert drawn.index("TableEncoder") < drawn.index("SEAClassifier")
        model.partial_fit(table, labels)
    why = model.explain({name: values[:7] for name, values in table.items()})._repr_html_()
    assert why.count("<details>") == 5 and "2 more rows" in why and "width:160px" in why
    found = inspect(model)._repr_html_()
    assert "<summary>Members (2)</summary>" in found
    for html in (why, found):
        assert "<i>" not in html and "<b>" not in html and "&lt;i&gt;" in html


def test_the_block_of_the_documentation_runs():
    from matplotlib.figure import Figure

    names = {"prequential": prequential, "learners": {"a": Ensemble()}, "stream": Rows(2000),
             "axes": Figure().subplots()}  # fmt: skip
    exec(code_of("workbench.rst"), names)
    assert names["display"].ax_.get_title() == "mine" and names["axes"].lines
