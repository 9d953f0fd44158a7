"""The page in a real browser without a network: it draws, switches, sorts, asks for nothing."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from report.pages import grid, one

from driftlearn.report import page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium to open the page in")

LISTEN = """<script>
window.collectedErrors = [];
const note = (...what) => window.collectedErrors.push(what.map(String).join(" "));
addEventListener("error", (event) => note("error", event.message));
addEventListener("unhandledrejection", (event) => note("rejected", event.reason));
addEventListener("securitypolicyviolation", (event) => note("refused", event.blockedURI));
console.error = note;
console.warn = note;
</script>"""


def opened(path, *options):
    """Open a copy of the page with the probe in it, and return what the probe found."""
    probe = (Path(__file__).parent / "probe.js").read_text("utf-8")
    text = path.read_text("utf-8").replace("<head>", f"<head>{LISTEN}", 1)
    head, end = text.rsplit("</body>", 1)
    path.with_name("probed.html").write_text(f"{head}<script>{probe}</script></body>{end}", "utf-8")
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


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """One result on a wide, light screen."""
    path = page(one(n_rows=400, memory_every=5), tmp_path_factory.mktemp("wide") / "r.html")
    return opened(path, "--window-size=1280,900")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """A grid on a narrow, dark one that is touched."""
    path = page(grid(2, 2), tmp_path_factory.mktemp("narrow") / "r.html")
    dark_and_touched = "--blink-settings=preferredColorScheme=0,primaryPointerType=2"
    return opened(path, "--window-size=500,900", dark_and_touched)


@pytest.fixture(params=["wide", "narrow"])
def found(request):
    return request.getfixturevalue(request.param)


def test_there_are_no_errors_and_no_requests(found):
    assert "failed" not in found, found["failed"]
    assert found["errors"] == [] and found["requests"] == []


def test_every_chart_is_drawn(found):
    assert found["plots"] == found["charts"] == found["drawn"] == found["sized"] == found["again"]
    assert found["plots"] > 5


def test_the_page_itself_never_scrolls_sideways(found):
    assert found["overflow"] <= 0


def test_curves_are_switched_off_and_on(found):
    on, off = ["true", "true"], ["false", "false"]
    assert found["focus"] and found["switched"] == [on, off, on]
    assert found["byLegend"] == off and found["all"] == on and found["none"] is False


def test_tables_are_sorted(found):
    (first, falling), (second, rising) = found["sorts"]
    assert (first, second) == ("descending", "ascending")
    values = [float(value) for value in falling]
    assert values == sorted(values, reverse=True) and rising == falling[::-1]
    assert found["names"] == ["bad", "fair", "good", "plain"]
    assert found["ariaSort"][0] == "ascending" and set(found["ariaSort"][1:]) == {"none"}


def test_a_choice_changes_what_is_shown(found):
    assert found["recall"] is True
    assert found["weights"] == [False, True, False]
    assert found["panels"] == [True, False, True, True]


def test_bands_are_switched_off_and_on(wide, narrow):
    assert wide["bands"] == [0] and narrow["bands"] == [4, 0, 4]


def test_screens_differ(wide, narrow):
    assert wide["legend"] and not narrow["legend"]
    assert narrow["dark"] and not wide["dark"]
    assert wide["drags"] == ["BoxZoomTool"] and narrow["drags"] == []
    assert wide["folds"] == [0] and narrow["folds"] == [2, 0, 2]
