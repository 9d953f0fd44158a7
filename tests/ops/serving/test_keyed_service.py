"""Service with a model for each key: a real process, accessed over HTTP."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from itertools import pairwise

import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from tests.services import (
    any_bodies,
    ask,
    ended,
    keyed_rows,
    learn_keyed,
    make_keyed_state,
    metric,
    post,
    service,
    stored,
    until,
    write_csv,
)

pytest.importorskip("uvicorn", reason="driftlearn serve needs it")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
N = 300  # rows learned before
WAY = {"learner": "naive-bayes", "idle": "3d", "time": "day"}


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A state folder that tests copy but never change."""
    return make_keyed_state(tmp_path_factory.mktemp("made") / "models", N, **WAY)


@pytest.fixture
def own(state, tmp_path):
    return shutil.copytree(state, tmp_path / "own")


def test_rows_are_learned_as_from_a_file(own, tmp_path):
    """Requests of any size, and a kill, give the same bytes as a file; responses are complete."""
    rows = keyed_rows(130, seed=3, n_keys=9)
    copy = shutil.copytree(own, tmp_path / "copy")
    learn_keyed(copy, write_csv(tmp_path / "more.csv", rows))
    with service(own, "--save", "1000") as process:
        for begin, end in pairwise([0, 1, 2, 40]):
            status, found = post(process.port, "/learn", rows[begin:end])
            assert status == 200 and found["learned"] == found["rows"] == end - begin
            predicted = [each["label"] for each in found["predictions"]]
            truth = [row["label"] for row in rows[begin:end]]
            assert found["right"] == sum(a == b for a, b in zip(predicted, truth))
        process.kill()
        process.wait()
    with service(own, "--memory", "1MB") as process:
        assert any("3 requests from the log were learned again" in line for line in process.lines)
        for begin, end in pairwise([40, 41, 100, 130]):
            assert post(process.port, "/learn", rows[begin:end])[0] == 200
        until(lambda: ask(process.port, "GET", "/health")[2]["rows"] == N + 130)
        assert ended(process) == 0
    assert not (own / "keyed.sqlite-wal").exists()  # a single file, which can be copied
    assert stored(own) == stored(copy)
    assert (own / "write-ahead.log").stat().st_size == 0


def test_predictions_and_facts(own):
    row = keyed_rows(1, labels=False)[0]
    with service(own) as process:
        requested = [{**row, "device": device} for device in ("d1", "d2", "new")]
        status, found = post(process.port, "/predict", requested)
        assert status == 200 and found["model_rows"] == N
        for each in found["predictions"]:
            assert {*each} == {"label", "votes", "probabilities"}
            assert sum(each["probabilities"].values()) == pytest.approx(1.0)
        assert found["predictions"][0]["votes"] == "own" != found["predictions"][2]["votes"]
        columns = {name: [row[name] for row in requested] for name in row}
        assert post(process.port, "/predict", columns)[1] == found
        first = post(
            process.port, "/learn", {**keyed_rows(1)[0], "device": "new"}, Idempotency_Key="a"
        )
        again = post(
            process.port, "/learn", {**keyed_rows(1)[0], "device": "new"}, Idempotency_Key="a"
        )
        assert first[1]["sequence"] == again[1]["sequence"] and again[1]["repeated"]
        until(lambda: metric(process.port, "driftlearn_keys") == 8)
        assert metric(process.port, "driftlearn_model_rows") == N + 1
        assert 0 < metric(process.port, 'driftlearn_accuracy{source="model",window="all"}') < 1
        assert 0 < metric(process.port, 'driftlearn_accuracy{source="global",window="recent"}') < 1
        assert metric(process.port, 'driftlearn_events{kind="expired"}') == 0
        assert metric(process.port, "driftlearn_model_bytes") > 8_192
        status, _, html = ask(process.port, "GET", "/")
        assert status == 200 and "naive-bayes" in html and "keys" in html
        health = ask(process.port, "GET", "/health")[2]
        assert health["ready"] and health["rows"] == N + 1 and health["trouble"] is None
        assert ended(process) == 0


def test_nothing_is_learned_of_what_is_refused(own):
    good = keyed_rows(3)
    one = good[0]
    bad = [
        ([*good, {**one, "device": None}], 422, "Row 3: the key is missing"),
        ([*good, {**one, "device": " "}], 422, "Row 3: the key is missing"),
        ([*good, {**one, "device": 1.5}], 422, "Row 3: the key 1.5 is neither a string"),
        ([*good, {**one, "device": True}], 422, "Row 3: the key True is neither a string"),
        ([*good, {**one, "device": "a" * 1_000}], 422, "Row 3: the key has 1,000 characters"),
        ([*good, {**one, "x": "much"}], 422, "Row 3: column 'x' holds 'much', which is no"),
        ([*good, {**one, "day": "2024-02-31"}], 422, "Row 3: column 'day' .* not a date"),
        ([*good, {**one, "label": None}], 422, "Row 3: the label is missing"),
        ([*good, {**one, "label": ""}], 422, "Row 3: the label is missing"),
        ([*good, {**one, "label": "a\0"}], 422, "Row 3: the label contains a null"),
        ([*good, {**one, "label": "a" * 2_000}], 422, "1,000 characters"),
        ([{**row, "colr": 1} for row in good], 422, "has no column 'colr' .did you mean"),
        ([{name: row[name] for name in row if name != "device"} for row in good], 422,
         "no column 'device' for the keys"),
        ([{name: row[name] for name in row if name != "size"} for row in good], 422,
         "have no column 'size'. Write null"),
        ([{"label": "yes", "device": "d1"}], 422, "no column 'day' for times"),
        (keyed_rows(3, labels=False), 422, "no column 'label' for the labels"),
        ({**one, "x": 10**400}, 422, "column 'x' holds"),
        (b"[", 400, "not valid JSON"),
    ]  # fmt: skip
    before = stored(own, but=())
    with service(own) as process:
        for body, status, predicted in bad:
            found = post(process.port, "/learn", body)
            assert found[0] == status and re.search(predicted, found[1]["error"]), found
            assert [*found[1]] == ["error"]
        for body in ([*good, {**one, "device": None}], {**one, "colr": 1}, {**one, "x": "much"}):
            assert post(process.port, "/predict", body)[0] == 422
        assert post(process.port, "/predict", {**one, "day": None})[0] == 200
        assert ended(process) == 0
    assert stored(own, but=()) == before


def test_readers_while_keys_learn(own):
    """Readers always get a response; the number of rows of their models never decreases."""
    requested, problems, counts = keyed_rows(5, 1, labels=False, n_keys=20), [], []
    with service(own, "--save", "0.05", "--rate", "0", "--memory", "1MB") as process:
        done = threading.Event()

        def read():
            last = n = 0
            while not done.is_set():
                status, found = post(process.port, "/predict", requested)
                if status != 200 or found["model_rows"] < last:
                    problems.append(found)
                last, n = found.get("model_rows", last), n + 1
            counts.append(n)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for seed in range(10):
            assert post(process.port, "/learn", keyed_rows(20, seed, n_keys=20))[0] == 200
        done.set()
        for thread in threads:
            thread.join()
        until(lambda: ask(process.port, "GET", "/health")[2]["rows"] == N + 200)
        assert ended(process) == 0
    assert not problems and min(counts) > 0


def test_any_body_gets_a_response(own):
    """Random bodies, from parts of valid ones and other bytes, never cause an internal error."""
    names = ["x", "size", "colour", "day", "label", "device", "device", "new"]
    seen = set()
    with service(own, "--rate", "0") as process:
        for route, body in any_bodies(keyed_rows(2), names):
            status, found = post(process.port, route, body)
            seen.add(status)
            assert status in (200, 400, 422), (body, found)
            if status != 200:
                assert [*found] == ["error"] and "\n" not in found["error"], (body, found)
        assert ask(process.port, "GET", "/health")[0] == 200
    assert seen == {200, 400, 422}


def refused(*words):
    done = subprocess.run(
        [sys.executable, "-m", "driftlearn", *words], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr, done
    return done.stderr


def test_what_cannot_be_served(own):
    with service(own):
        assert "in use by process" in refused("serve", "--state", str(own), "--port", "0")
    (own / "bytewax").mkdir()
    about = {"on": "bytewax:2", "files": ["days"], "id": "7"}
    (own / "bytewax" / "run.json").write_text(json.dumps(about))
    predicted = refused("serve", "--state", str(own), "--port", "0")
    assert "has an unfinished run on bytewax:2 over days. Finish it first" in predicted


def test_memory_is_a_number_of_bytes(tmp_path):
    done = CliRunner().invoke(main, ["serve", "--state", str(tmp_path), "--memory", "much"])
    assert done.exit_code == 2 and "Invalid --memory 'much'" in done.output


def test_damaged_states_are_reported(state, tmp_path):
    """/health names keys with a damaged state; their rows are predicted by the shared models."""
    own = shutil.copytree(state, tmp_path / "own")
    with sqlite3.connect(own / "keyed.sqlite") as base:
        base.execute("UPDATE states SET right = right + 1 WHERE key = 'd3'")
    base.close()
    rows = keyed_rows(50, labels=False)
    with service(own) as process:
        assert ask(process.port, "GET", "/health")[2]["trouble"] is None
        status, found = post(process.port, "/predict", rows)
        assert status == 200
        votes = {row["device"]: each["votes"] for row, each in zip(rows, found["predictions"])}
        assert votes["d3"] != "own" and "own" in votes.values()
        assert "key 'd3'" in ask(process.port, "GET", "/health")[2]["trouble"]
        assert metric(process.port, 'driftlearn_events{kind="damaged"}') == 1
        assert ended(process) == 0
