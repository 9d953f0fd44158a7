"""The live page of watch and of the service in a real browser: updates, keys, sizes, access."""

import os
import threading
from pathlib import Path

import pytest

from driftlearn.cli.watch import Server
from driftlearn.ops.serving.live_page import ModelWatcher
from tests import saved_models
from tests.browser import BROWSER, browser
from tests.services import make_keyed_state, make_state, post, service, some_rows

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no chromium to open the page in")
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
LIVE = "document.getElementById('state').dataset.state === 'live'"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def watched():
    """Return a function that serves the page of a state folder and returns its server."""
    servers = []

    def serve(folder, port=0):
        server = Server(ModelWatcher(folder), port)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return server

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    return saved_models.learn(tmp_path_factory.mktemp("single"))


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    return make_keyed_state(tmp_path_factory.mktemp("keyed") / "models", n=900, n_keys=30)


def text(tab, css):
    return tab.run(f"document.querySelector({css!r}).textContent")


def test_a_new_model_is_shown_without_a_reload(tab, watched, tmp_path):
    state = saved_models.learn(tmp_path, range(2))
    tab.open(watched(state).address)
    tab.until(LIVE)
    tab.run("window.notReloaded = true; document.querySelector('[data-part=members]').open = true")
    tab.run("document.querySelectorAll('[data-part=members] th button')[2].click()")
    order = "document.querySelectorAll('[data-part=members] th')[2].getAttribute('aria-sort')"
    before = tab.run(order)
    assert "1,000" in text(tab, ".tiles") and before in ("ascending", "descending")
    saved_models.learn(tmp_path, range(3))
    tab.until("document.querySelector('.tiles').textContent.includes('1,500')")
    assert tab.run("window.notReloaded && document.querySelector('[data-part=members]').open")
    assert tab.run(order) == before
    assert tab.problems == []


def test_the_page_requests_updates_where_there_are_no_events(tab, watched, single, monkeypatch):
    monkeypatch.setattr("driftlearn.ops.serving.live_page.READERS", 0)
    tab.open(watched(single).address)
    tab.until(LIVE)
    tab.problems.clear()  # the refused request of events


def test_the_page_says_when_the_server_has_gone_and_when_it_is_back(tab, watched, single):
    server = watched(single)
    tab.open(server.address)
    tab.until(LIVE)
    server.shutdown()
    server.server_close()
    page, server.live_page.watched = server.live_page, None  # streams of events end with an error
    tab.until("document.getElementById('state').dataset.state === 'lost'")
    assert "No connection" in text(tab, "#state")
    watched(single, server.server_port)
    tab.until(LIVE)
    tab.problems.clear()  # refused connections
    assert page.n_readers == 0


def test_keys_are_searched_and_paged(tab, watched, keyed):
    tab.open(watched(keyed).address)
    shown = "document.getElementById('keys-shown').textContent"
    tab.until(f"{shown} === '1 to 25 of 30'")
    tab.run("document.getElementById('keys-after').click()")
    tab.until(f"{shown} === '26 to 30 of 30'")
    tab.run("document.getElementById('keys-before').click()")
    tab.until(f"{shown} === '1 to 25 of 30'")
    search = "document.getElementById('keys-search')"
    tab.run(f"{search}.value = 'D1'; {search}.dispatchEvent(new Event('input'))")
    tab.until(f"{shown} === '1 to 11 of 11'")  # d1 and d10 to d19
    tab.run(f"{search}.value = '<b>'; {search}.dispatchEvent(new Event('input'))")
    tab.until(f"{shown} === 'no keys'")
    assert tab.problems == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("kind", ["single", "keyed"])
def test_the_page_fits_and_is_accessible(tab, watched, kind, width, dark, request):
    tab.open(watched(request.getfixturevalue(kind)).address, width, dark)
    tab.until(LIVE)
    tab.run("for (const part of document.querySelectorAll('details')) part.open = true")
    assert tab.run("document.documentElement.scrollWidth - innerWidth") <= 0
    page = tab.run("getComputedStyle(document.body).backgroundColor")
    assert page == ("rgb(21, 24, 29)" if dark else "rgb(255, 255, 255)")
    assert tab.run(
        "[...document.querySelectorAll('.plot')].every((each) => each.clientWidth > 100)"
    )
    if AXE.exists():
        tab.run(AXE.read_text("utf-8") + "; 0")
        found = tab.run(
            "axe.run().then((r) => r.violations.map((each) => [each.id, each.nodes[0].html]))"
        )
        assert found == []
    assert tab.problems == []


def test_the_page_of_the_service_shows_what_it_learns(tab, tmp_path):
    pytest.importorskip("uvicorn", reason="driftlearn serve needs it")
    state = make_state(tmp_path / "model", learner="adwin-bagging:n_estimators=3")
    with service(state) as process:
        tab.open(f"http://127.0.0.1:{process.port}/")
        tab.until(LIVE)
        assert "300" in text(tab, ".tiles")
        post(process.port, "/learn", some_rows(5))
        tab.until("document.querySelector('.tiles').textContent.includes('305')")
        tab.until("document.querySelector('.tiles').textContent.includes('/learn: 99%')")
    assert tab.problems == []
