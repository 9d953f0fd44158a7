"""The page in a real browser without a network: rendering, switches, sorting, no requests."""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from driftlearn import SEAClassifier
from driftlearn.bench.papers import Outcome, find
from driftlearn.bench.papers.page import page_sections, write_html
from driftlearn.bench.report import page, regions
from driftlearn.bench.report._inspection import inspection_page
from driftlearn.evaluate import prequential
from driftlearn.inspection import inspect
from driftlearn.streams import SEA, SIN
from tests.bench.report.pages import grid, one, repeated
from tests.bench.report.test_inspection import inspection
from tests.bench.report.test_keys_page import keys_inspection
from tests.evaluate.fakes import Ensemble

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium to open the page in")

PROBE = (Path(__file__).parent / "probe.js").read_text("utf-8")
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
LISTEN = """<script>
window.collectedErrors = [];
const note = (...what) => window.collectedErrors.push(what.map(String).join(" "));
addEventListener("error", (event) => note("error", event.message));
addEventListener("unhandledrejection", (event) => note("rejected", event.reason));
addEventListener("securitypolicyviolation", (event) => note("refused", event.blockedURI));
console.error = note;
console.warn = note;
</script>"""


def opened(path, *options, scripts=(PROBE,)):
    """Open a copy of the page with additional scripts; return their results."""
    text = path.read_text("utf-8").replace("<head>", f"<head>{LISTEN}", 1)
    head, end = text.rsplit("</body>", 1)
    added = "".join(f"<script>{script}</script>" for script in scripts)
    path.with_name("probed.html").write_text(f"{head}{added}</body>{end}", "utf-8")
    run = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={path.parent / 'profile'}",
            "--virtual-time-budget=30000", "--dump-dom", *options,
            path.with_name("probed.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="findings">(.*?)</pre>', run.stdout, re.S)
    assert found, run.stderr[-2000:]
    return json.loads(html.unescape(found.group(1)))


DARK = "--blink-settings=preferredColorScheme=0"


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """One result on a wide, light screen."""
    path = page(one(n_rows=400, memory_every=5), tmp_path_factory.mktemp("wide") / "r.html")
    return opened(path, "--window-size=1280,900")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """A grid on a narrow, dark screen."""
    path = page(grid(2, 2), tmp_path_factory.mktemp("narrow") / "r.html")
    return opened(path, "--window-size=500,900", DARK)


@pytest.fixture(params=["wide", "narrow"])
def found(request):
    return request.getfixturevalue(request.param)


def test_there_are_no_errors_and_no_requests(found):
    assert "failed" not in found, found["failed"]
    assert found["errors"] == [] and found["requests"] == []


def test_every_chart_has_a_size_and_the_first_is_above_the_fold(found):
    assert found["plots"] == found["sized"] > 5
    assert found["fold"] < 0.6


def test_the_page_itself_never_scrolls_sideways(found):
    assert found["overflow"] <= 0


def test_curves_are_switched_off_and_on(found):
    on, off = ["true", "true"], ["false", "false"]
    assert found["focus"] and found["switched"] == [on, off, on]
    assert found["none"] == 0 and found["all"] == on


def test_tables_are_sorted(found):
    (first, one_way), (second, other_way) = found["sorts"]
    assert {first, second} == {"descending", "ascending"}
    falling = one_way if first == "descending" else other_way
    values = [float(value) for value in falling]
    assert values == sorted(values, reverse=True) and one_way == other_way[::-1]
    assert found["names"] == ["bad", "fair", "good", "plain"]
    assert found["ariaSort"][0] == "ascending" and set(found["ariaSort"][1:]) == {"none"}


def test_a_choice_changes_what_is_shown(found):
    assert found["panels"] == [True, False, True]


def test_the_slider_is_labelled(found):
    whole, part, again = found["slid"]
    assert 0 < part < whole == again and re.fullmatch(r"rows \d+ to \d+", found["said"])


def test_tooltips_and_zooming(found):
    assert re.fullmatch(r"\w+: [\d.]+ at row \d+", found["tip"])
    assert found["enlarged"].startswith("25") and found["whole"] == "0 0 10000 10000"


def test_bands_are_switched_off_and_on(wide, narrow):
    assert wide["bands"] == [0] and narrow["bands"] == [4, 0, 4]


def test_a_dark_page_has_colours_of_its_own(wide, narrow):
    assert wide["page"] == "rgb(255, 255, 255)" and narrow["page"] == "rgb(21, 24, 29)"
    assert wide["stroke"] != narrow["stroke"]
    assert wide["folds"] == [0] and narrow["folds"] == [2, 0, 2]


def of_a_paper(path):
    outcome = Outcome(find("S1", "table III")[0].quick(), {})
    return write_html(
        outcome, path.parent, "as typed", page_sections(outcome, 1, {"cpu": "any"}, {})
    )


def of_a_model(path):
    model = SEAClassifier(random_state=0)
    X = np.random.default_rng(0).random((300, 3))
    path.write_text(inspection_page(inspect(model.fit(X, (X[:, 0] > 0.5).astype(int)))), "utf-8")
    return path


def of_a_kept_model(path):
    path.write_text(inspection_page(inspection("price"), title="kept"), "utf-8")
    return path


def of_keys(path):
    path.write_text(inspection_page(keys_inspection("fridge"), title="keys"), "utf-8")
    return path


POINT = """
const at = (plot, kind, share, on = plot) => {
  const box = plot.getBoundingClientRect();
  plot.setPointerCapture = () => {};
  on.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId: 1, button: 0,
    clientX: box.left + share * box.width, clientY: box.top + 20 }));
  return document.getElementById("tip").textContent;
};
const tell = (what) => {
  const out = document.createElement("pre");
  out.id = "findings";
  out.textContent = JSON.stringify(what);
  document.body.append(out);
};
"""


def test_lifelines_have_tooltips(tmp_path):
    result = prequential({"sea": SEAClassifier()}, SEA(n_rows=2000, random_state=0), 500)
    look = """
    const one = document.querySelector(".life");
    tell(at(one.ownerSVGElement, "pointermove", 0.1, one));
    """
    message = opened(page(result, tmp_path / "r.html"), scripts=[POINT, look])
    assert re.fullmatch(
        r"member 1, rows 0 to [\d,]+, created under concept 8; mean weight [\d.]+ of the heaviest; "
        r"last error 0\.\d+; trained on all 2 classes",
        message,
    )


def test_zooming_applies_to_charts_with_the_same_axis(tmp_path):
    look = """
    const [rows, sure] = document.querySelectorAll(".plot");
    const said = [at(rows, "pointermove", 0.5), at(sure, "pointermove", 0.5)];
    at(rows, "pointerdown", 0.25);
    at(rows, "pointermove", 0.5);
    at(rows, "pointerup", 0.75);
    tell([...said, rows.getAttribute("viewBox"), sure.getAttribute("viewBox")]);
    """
    found = opened(of_a_kept_model(tmp_path / "r.html"), scripts=[POINT, look])
    over_rows, over_confidence, enlarged, whole = found
    assert re.fullmatch(r"model: 0\.\d+ at row 15,\d+", over_rows)
    assert over_confidence.endswith("at confidence 55")
    assert enlarged.startswith("25") and whole == "0 0 10000 10000"


def test_a_page_with_columns_can_be_enlarged(tmp_path):
    look = """
    const plot = document.querySelector(".plot");
    at(plot, "pointerdown", 0.25);
    at(plot, "pointermove", 0.5);
    at(plot, "pointerup", 0.75);
    tell([plot.getAttribute("viewBox"), window.collectedErrors]);
    """
    enlarged, errors = opened(of_keys(tmp_path / "r.html"), scripts=[POINT, look])
    assert enlarged.startswith("25") and not errors


PAGES = {
    "one": lambda path: page(one(n_rows=400), path, command="as typed", machine={"cpu": "any"}),
    "seeds": lambda path: page(repeated(5), path),
    "grid": lambda path: page(grid(2, 2), path),
    "crowd": lambda path: page(
        repeated(2, 120, {f"n{i}": Ensemble(0.5 + i / 50) for i in range(20)}), path
    ),
    "plane": lambda path: page(
        one(n_rows=100), path, regions=regions(SEAClassifier(), SIN(n_rows=600, random_state=0))
    ),
    "paper": of_a_paper,
    "model": of_a_model,
    "kept": of_a_kept_model,
    "keys": of_keys,
}
LOOK = """axe.run().then(({ violations }) => {
  const out = document.createElement("pre");
  out.id = "findings";
  out.textContent = JSON.stringify(violations.map((one) => [one.id, one.nodes[0].html]));
  document.body.append(out);
});"""


@pytest.mark.skipif(
    not AXE.exists(), reason="there is no axe-core: npm install axe-core, AXE_CORE=its axe.min.js"
)
@pytest.mark.parametrize("how", [(), (DARK,)], ids=["light", "dark"])
@pytest.mark.parametrize("kind", PAGES)
def test_pages_are_accessible(kind, how, tmp_path):
    path = PAGES[kind](tmp_path / "r.html")
    scripts = [AXE.read_text("utf-8"), LOOK]
    assert opened(path, *how, "--window-size=1280,900", scripts=scripts) == []
