"""The commands inspect and watch."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from driftlearn import SEAClassifier
from driftlearn import io as persist
from driftlearn.cli import main
from driftlearn.cli.watch import Server
from driftlearn.ops.serving.live_page import ModelWatcher
from tests import saved_models
from tests.services import until


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return saved_models.learn(tmp_path_factory.mktemp("kept"), range(3))


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_inspect_prints_tables(state):
    done = run("inspect", state)
    assert done.exit_code == 0, done.output
    for words in ("Accuracy over time", "Members", "2024-03-01", "No feature changed."):
        assert words in done.output


def test_inspect_gives_json_and_a_page(state, tmp_path):
    page = tmp_path / "page.html"
    done = run("inspect", state, "--json", "--html", page)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 1500
    html = page.read_text("utf-8")
    pictures = re.findall("<(?:svg|figure)[^>]*>", html)
    reported = [each for each in pictures if 'role="img"' in each and "aria-label=" in each]
    plain = [each for each in pictures if each not in reported and each.startswith("<svg")]
    assert len(reported) >= 3 and all("aria-hidden" in each for each in plain)
    assert "http://" not in html and "https://" not in html and "prefers-color-scheme" in html


def test_inspect_takes_the_file_of_a_learner(tmp_path):
    model = SEAClassifier().fit([[0.0], [1.0]] * 20, [0, 1] * 20)
    persist.save(model, tmp_path / "sea.npz")
    done = run("inspect", tmp_path / "sea.npz")
    assert done.exit_code == 0 and "SEAClassifier" in done.output


def test_one_class_and_no_times(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n" + "1,a\n" * 20)
    words = ("--target", "label", "--learner", "naive-bayes", "-q")
    assert run("learn", tmp_path / "a.csv", "--state", tmp_path / "m", *words).exit_code == 0
    done = run("inspect", tmp_path / "m")
    assert "1 class: a." in done.output and "of the last" not in done.output
    heading = done.output.split("Accuracy over time")[1].splitlines()[1].split()
    assert "file" in heading and "time" not in heading


@pytest.mark.parametrize("command", ["inspect", "watch"])
def test_where_there_is_no_model(tmp_path, command):
    done = run(command, tmp_path)
    assert done.exit_code == 2 and "There is no saved model in" in done.output
    assert run(command, tmp_path / "gone").exit_code == 2


def test_a_file_that_is_no_model(tmp_path):
    persist.save([1, 2], tmp_path / "list.npz")
    done = run("inspect", tmp_path / "list.npz")
    assert done.exit_code == 2 and "contains a list, not a model" in done.output


def test_looking_again_gives_the_same_until_the_file_is_another(tmp_path):
    state = saved_models.learn(tmp_path, range(1))
    looked = ModelWatcher(state)
    first = looked.inspection()
    assert looked.inspection() is first
    (state / "model.npz").rename(state / "away.npz")
    assert looked.inspection() is first  # a moment without a file
    (state / "away.npz").rename(state / "model.npz")
    saved_models.learn(tmp_path, range(2))
    second = looked.inspection()
    assert second is not first and second.facts["rows"] == 1000
    (state / "model.npz").write_bytes(b"half a file")
    assert looked.inspection() is second


@pytest.fixture
def server(state):
    with Server(ModelWatcher(state), 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server, path="/", host=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_the_page_and_its_data_are_served(server, state):
    before = {path.name: path.read_bytes() for path in state.iterdir()}
    status, html = ask(server)
    assert status == 200 and "Accuracy now" in html and "connect-src 'self'" in html
    assert not re.search(r"(?:src|href)=[\"'][^#]", html)
    status, text = ask(server, "/inspection.json", f"localhost:{server.server_port}")
    assert status == 200 and json.loads(text)["rows"] == 1500
    assert ask(server, "/etc/passwd")[0] == 404
    assert json.loads(ask(server, "/keys?order=rows")[1])["shown"] == "no keys"
    assert {path.name: path.read_bytes() for path in state.iterdir()} == before


def test_the_content_is_sent_only_if_it_is_new(server):
    first = json.loads(ask(server, "/live")[1])
    assert "Accuracy now" in first["html"]
    again = json.loads(ask(server, f"/live?since={first['version']}")[1])
    assert again == {"version": first["version"]}


def test_events_name_the_version_and_end_with_the_client(server, monkeypatch):
    page = server.live_page
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", "/events")
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert answer.readline() == f"data: {page.version}\n".encode() and page.n_readers == 1
    monkeypatch.setattr("driftlearn.ops.serving.live_page.READERS", 1)
    assert ask(server, "/events") == (503, "Too many pages are open.")
    answer.close()
    connection.close()
    until(lambda: page.n_readers == 0)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "[::1]:80"])
def test_other_hosts_are_refused(server, host):
    status, text = ask(server, host=host.format(port=server.server_port))
    assert status == 403 and "<html" not in text


def test_a_port_that_is_taken_is_one_sentence(server, state):
    done = run("watch", state, "--web", "--port", server.server_port)
    assert done.exit_code == 2 and "Choose another --port" in done.output


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send")
def test_watch_prints_lines_where_there_is_no_terminal_and_ends_by_ctrl_c(state):
    import signal

    words = [sys.executable, "-m", "driftlearn", "watch", str(state)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert line.startswith("Accuracy over 1,500 rows: model") and "\x1b" not in line
    assert process.returncode == 0
