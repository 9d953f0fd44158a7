"""Fourteen changed files: message, exit code and JSON in learn, predict, check, serve and Python.

Also with one model per key, and in the processes of engines.
"""

import json
import random
import warnings
from functools import partial

import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.keyed import KeyedModels, KeyStore
from driftlearn.ops.sources.files import size_and_time
from driftlearn.preprocessing import TableEncoder
from driftlearn.preprocessing._table_check import SchemaError, SchemaReport, sentence
from driftlearn.tables.csv_file import CSVFile
from driftlearn.tables.frames import frame_of
from driftlearn.utils.table import objects

HEAD = ["shop", "price", "pieces", "colour", "express", "day", "label"]
N = 200


def orders(n, seed):
    """Return rows of orders as strings."""
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        price, colour = rng.gauss(40, 8), rng.choice(["red", "blue", "green"])
        label = "yes" if price + 10 * (colour == "red") > 43 else "no"
        day = f"2024-0{1 + seed % 9}-{rng.randrange(1, 29):02}"
        pieces, express = str(rng.randrange(1, 30)), rng.choice(["true", "false"])
        found.append([f"s{rng.randrange(3)}", f"{price:.2f}", pieces, colour, express, day, label])
    return found


def column(name, change):
    """Return a function that changes the values of a column."""

    def changed(head, rows):
        j = head.index(name)
        return head, [[*row[:j], change(row[j]), *row[j + 1 :]] for row in rows]

    return changed


def renamed(old, new, head, rows):
    return [new if name == old else name for name in head], rows


def without(name, head, rows):
    j = head.index(name)
    return head[:j] + head[j + 1 :], [row[:j] + row[j + 1 :] for row in rows]


def one_cell(head, rows):
    rows[17] = [rows[17][0], "much", *rows[17][2:]]
    return head, rows


def german(day):
    year, month, number = day.split("-")
    return f"{number}.{month}.{year}"


#: The change of a file; the column and problem that are reported, and words of the message.
CHANGES = {
    "missing": (partial(without, "price"), "price", "missing column", "no column 'price'"),
    "new": (lambda head, rows: ([*head, "vat"], [[*row, "19"] for row in rows]), "vat",
            "new column", "column 'vat' is new; it is not used"),
    "renamed": (partial(renamed, "price", "Price_"), "price", "missing column",
                "did you mean 'Price_', which is new?"),
    "unit in text": (column("pieces", "{} pcs".format), "pieces", "no number",
                     "0 of 200 values are numbers; '"),
    "one cell": (one_cell, "price", "no number",
                 "199 of 200 values are numbers; 'much' in row 17 is treated as missing"),
    "date": (column("day", german), "day", "no date", "write dates as 2024-01-31"),
    "decimal comma": (column("price", lambda x: f'"{x.replace(".", ",")}"'), "price", "no number",
                      "write a decimal point"),
    "boolean": (column("express", lambda x: str(int(x == "true"))), "express", "other boolean",
                "200 of 200 values are 0 or 1"),
    "number as boolean": (column("pieces", lambda x: "true"), "pieces", "no number",
                          "it is a boolean: write 1 and 0"),
    "unit": (column("price", lambda x: f"{float(x) * 100:.0f}"), "price", "other scale",
             "does it have another unit?"),
    "all missing": (column("price", lambda x: ""), "price", "all missing",
                    "all 200 values of column 'price' are missing"),
    "unseen words": (column("colour", lambda x: f"new {x}"), "colour", "unseen words",
                     "200 of 200 values (100%) are new words"),
    "case": (column("colour", str.upper), "colour", "other spelling",
             "differ from known words only in case or spaces"),
    "too large": (column("price", lambda x: "1e90"), "price", "too large",
                  "200 of 200 values lie outside of -1e75 to 1e75"),
}  # fmt: skip


def write(path, head, rows):
    path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")


def run(*words):
    return CliRunner().invoke(main, [*words])


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """Return a folder with a single model, and one with a model per key."""
    here = tmp_path_factory.mktemp("states")
    (here / "days").mkdir()
    for day in range(4):
        write(here / "days" / f"{day}.csv", HEAD, orders(N, day))
    common = ["learn", str(here / "days"), "--target", "label", "--learner", "naive-bayes", "-q"]
    for state, more in (("one", []), ("keys", ["--key", "shop"])):
        done = run(*common, "--state", str(here / state), *more)
        assert done.exit_code == 0 and "warning" not in done.output.replace("no row", ""), done
    return here


@pytest.fixture
def changed(request, states, tmp_path):
    """Return a changed file in a folder with copies of the states."""
    change = CHANGES[request.param][0]
    write(tmp_path / "5.csv", *change([*HEAD], orders(N, 5)))
    for state in ("one", "keys"):
        (tmp_path / state).mkdir()
        for file in (states / state).iterdir():
            (tmp_path / state / file.name).write_bytes(file.read_bytes())
    return request.param, tmp_path


each_change = pytest.mark.parametrize("changed", [*CHANGES], indirect=True)


def commands(here, state):
    """Return the commands that use a table; the last learns it."""
    where = [str(here / "5.csv"), "--state", str(here / state)]
    return [["predict", *where, "--out", str(here / "p.csv")], ["learn", *where]]


@each_change
@pytest.mark.parametrize("state", ["one", "keys"])
def test_commands_stop_or_report_the_same(changed, state):
    name, here = changed
    _, column, problem, words = CHANGES[name]
    before = {path: path.read_bytes() for path in (here / state).glob("model.npz")}
    for command in commands(here, state):
        done = run(*command, "--json", "--on-schema-change", "stop")
        found = json.loads(done.stdout)
        assert done.exit_code == found["exit code"] == 5 and words in done.stderr, done.output
        assert not (here / "p.csv").exists()
    for command in commands(here, state):
        if command[0] == "predict":  # learn stores the policy
            noted = run(*command, "--on-schema-change", "note")
            assert (
                noted.exit_code == 0 and "note: 5.csv: " in noted.stderr and words in noted.stderr
            )
        done = run(*command, "--json", "-q", "--on-schema-change", "warn")
        assert done.exit_code == 4, done.output
        (line,) = [line for line in done.stderr.splitlines() if words in line]
        assert line.startswith("warning: 5.csv: ")
        found = json.loads(done.stdout)
        assert found["exit code"] == 4 and found["schema"]["policy"] == "warn"
        (change,) = [each for each in found["schema"]["changes"] if each["column"] == column]
        assert change["problem"] == problem and change["rows"] == N
        assert line == f"warning: {change['text']}"
    for path, content in before.items():
        assert path.read_bytes() != content


@each_change
def test_table_encoder_warns_or_stops(changed):
    name, here = changed
    _, column, _, _ = CHANGES[name]

    def table(rows, head=HEAD):
        return {each: objects(values) for each, values in zip(head, zip(*rows))}

    encoder = TableEncoder().fit(table([row for day in range(4) for row in orders(N, day)]))
    (piece, _) = CSVFile(str(here / "5.csv")).pieces(None, lambda: ())
    with pytest.warns(UserWarning) as found:
        encoder.transform(piece.table)
    assert any(repr(column) in str(each.message) for each in found), [*map(str, found)]
    encoder.set_params(on_schema_change="stop")
    with pytest.raises(ValueError, match=f"column '({column}|Price_)'"):
        encoder.transform(piece.table)
    assert [each.column for each in encoder.check(piece.table) if each.column == column]


@each_change
@pytest.mark.parametrize("state", ["one", "keys"])
@pytest.mark.parametrize(
    ("stored", "given"),
    [("stop", None), ("warn", None), ("note", None), ("stop", "warn"), ("warn", "stop")],
)
def test_service_rejects_or_reports_the_same(changed, state, stored, given):
    """Without an option of `serve`, the policy of the state folder is used."""
    for package in ("starlette", "prometheus_client", "uvicorn"):
        pytest.importorskip(package, reason="driftlearn serve needs it")
    from driftlearn.ops.serving.keyed_model import KeyedModel, SavedStates
    from driftlearn.ops.serving.request_rows import RequestError
    from driftlearn.ops.serving.single_model import SingleModel
    from tests.ops.serving.test_app import requested, service

    name, here = changed
    folder = here / state
    write(here / "4.csv", HEAD, orders(N, 4))
    words = "learn", str(here / "4.csv"), "--state", str(folder), "--on-schema-change", stored
    assert run(*words).exit_code == 0
    _, _, problem, words = CHANGES[name]
    if state == "one":
        model = SingleModel(folder)
    else:
        path = folder / "keyed.sqlite"
        model = KeyedModel(KeyStore(path), SavedStates(path))
    model.policy = given
    reader = model.reader()
    (piece, _) = CSVFile(str(here / "5.csv")).pieces(None, lambda: ())
    columns = frame_of(piece.table)
    table = {key: raw.values.tolist() for key, raw in zip(columns.names, columns.columns)}
    del table["label"]
    body = [{"type": "http.request", "body": json.dumps(table).encode(), "more_body": False}]
    app = service(folder)
    reader.at_once = 1 << 20
    app.writer.reader = reader
    status, _, answer = requested(app, "/predict", body)
    to_learn = json.dumps({**table, "label": ["yes"] * N}).encode()
    if (given or stored) == "stop":
        with pytest.raises(RequestError) as refused:
            app._checked(to_learn)
        assert refused.value.status == 422
        assert status == 422 and ("column" in answer["error"] or "row" in answer["error"].lower())
    else:
        assert status == 200 and len(answer["predictions"]) == N
        assert any(words in each for each in answer["warnings"])
        assert any(words in sentence(each) for each in app._checked(to_learn)[1])
        assert f'schema_changes_total{{problem="{problem}"}}' in prometheus(app).decode()


@each_change
@pytest.mark.parametrize("state", ["one", "keys"])
def test_check_reports_the_same_and_changes_nothing(changed, state):
    name, here = changed
    _, column, problem, words = CHANGES[name]
    # SQLite writes to its shared memory while it reads
    paths = [path for path in (here / state).iterdir() if not path.name.endswith("-shm")]
    before = {path: path.read_bytes() for path in paths}
    where = "check", str(here / "5.csv"), "--state", str(here / state)
    for policy, code in (("stop", 5), ("warn", 4), ("note", 0)):
        done = run(*where, "--json", "--on-schema-change", policy)
        found = json.loads(done.stdout)
        assert done.exit_code == found["exit code"] == code, done.output
        (change,) = [each for each in found["files"][0]["changes"] if each["column"] == column]
        assert change["problem"] == problem and words in change["text"]
    done = run(*where)
    assert done.exit_code == 4 and "warning: 5.csv: " in done.stderr and words in done.stderr
    assert {path: path.read_bytes() for path in paths} == before


def test_check_reports_drift_and_new_labels(states, tmp_path):
    (tmp_path / "days").mkdir()
    for day in range(8):
        write(tmp_path / "days" / f"{day}.csv", HEAD, orders(N, day))
    state = str(tmp_path / "m")
    given = "--target", "label", "--learner", "naive-bayes", "-q", "--state", state
    assert run("learn", str(tmp_path / "days"), *given).exit_code == 0
    write(tmp_path / "same.csv", HEAD, orders(N, 20))
    done = run("check", str(tmp_path / "same.csv"), "--state", state)
    assert (done.exit_code, done.stderr) == (0, "") and "200 rows, 0 changes" in done.stdout
    _, rows = column("price", lambda x: str(float(x) + 12))(HEAD, orders(N, 20))
    write(tmp_path / "other.csv", HEAD, rows)
    done = run("check", str(tmp_path / "other.csv"), "--state", state, "--json")
    (drift,) = json.loads(done.stdout)["files"][0]["drift"]
    assert done.exit_code == 0 and drift["feature"] == "price" and drift["outside"] > 0.3
    assert "column 'price' differs from recent files: median " in drift["text"]
    _, rows = column("price", lambda x: str(float(x) * 100))(HEAD, orders(N, 20))
    write(tmp_path / "cents.csv", HEAD, rows)
    done = run("check", str(tmp_path / "cents.csv"), "--state", state)
    assert done.exit_code == 4 and "does it have another unit?" in done.stderr
    _, rows = column("label", str.upper)(HEAD, orders(N, 20))
    write(tmp_path / "labels.csv", HEAD, rows)
    done = run("check", str(tmp_path / "labels.csv"), "--state", state)
    assert done.exit_code == 4 and "did you mean 'yes'?" in done.stderr


@each_change
@pytest.mark.parametrize("policy", ["stop", "warn"])
def test_engines_find_the_same(changed, policy):
    """The processes of an engine compare files with what the state folder knew at its start."""
    pytest.importorskip("pyarrow", reason="engines need it")
    from driftlearn.ops.keyed import engine_run
    from driftlearn.ops.keyed.new_labels import Labels
    from driftlearn.ops.keyed.reader import known_columns

    name, here = changed
    _, column, problem, words = CHANGES[name]
    models = KeyedModels(store=KeyStore(here / "keys" / "keyed.sqlite", read_only=True))
    settings = json.loads(models.store.about("settings"))
    about = {
        "settings": {**settings, "on_schema_change": policy}, "kinds": models.learner.kinds,
        "columns": [vars(each) for each in known_columns(models.learner)],
        "labels": Labels.stored(models.store, settings, models.learner).state(),
        "folder": str(here), "skip": False,
    }  # fmt: skip
    path = str(here / "5.csv")
    file = {"path": path, "place": 0, "at": None, "before": 0, "sample": N,
            "stat": size_and_time(path)}  # fmt: skip
    batches = engine_run.read_file(json.loads(json.dumps(about)), file)
    if policy == "stop":
        with pytest.raises(SchemaError, match=column):
            list(batches)
    else:
        batch, _ = batches
        assert len(batch.rows) == N
    report = SchemaReport("note")
    report.include(json.loads((here / "report-000000.json").read_text())["schema"])
    (change,) = [each for each in report.changes if each.column == column]
    assert change.problem == problem and change.rows == N
    assert any(words in text for text in report.texts())


def test_serve_passes_the_policy(states, monkeypatch):
    for package in ("starlette", "prometheus_client", "uvicorn"):
        pytest.importorskip(package, reason="driftlearn serve needs it")
    from driftlearn.ops.serving import server

    found = []
    monkeypatch.setattr(server, "serve", lambda *words: found.append(words[-1]))
    for words in ([], ["--on-schema-change", "note"]):
        assert run("serve", "--state", str(states / "one"), *words).exit_code == 0
    assert found == [None, "note"]
    with server._opener(states / "keys", 1 << 20, "stop") as opened:
        model = opened()
        assert model.reader().settings["on_schema_change"] == "stop"
        assert model.settings["on_schema_change"] != "stop"


def prometheus(app):
    """Return the counters of a service."""
    import prometheus_client

    app.metrics._registry.unregister(app.metrics)  # gauges need a writer
    return prometheus_client.generate_latest(app.metrics._registry)


def test_policy_is_remembered(states, tmp_path):
    for day in range(3):
        write(tmp_path / f"{day}.csv", HEAD, orders(N, day))
    given = "--target", "label", "--learner", "naive-bayes", "--on-schema-change", "stop"
    state = str(tmp_path / "m")
    assert run("learn", str(tmp_path / "0.csv"), "--state", state, *given).exit_code == 0
    write(tmp_path / "1.csv", *without("price", HEAD, orders(N, 1)))
    assert run("learn", str(tmp_path / "1.csv"), "--state", state).exit_code == 5
    assert run("predict", str(tmp_path / "1.csv"), "--state", state, "--out", "-").exit_code == 5
    more = "--on-schema-change", "note"
    assert run("learn", str(tmp_path / "1.csv"), "--state", state, *more).exit_code == 0
    assert run("predict", str(tmp_path / "1.csv"), "--state", state, "--out", "-").exit_code == 0


@pytest.mark.parametrize("state", ["one", "keys"])
def test_dry_run_reports_and_saves_nothing(states, tmp_path, state):
    write(tmp_path / "5.csv", *without("price", HEAD, orders(N, 5)))
    before = {path: path.read_bytes() for path in (states / state).iterdir()}
    where = "learn", str(tmp_path / "5.csv"), "--state", str(states / state)
    done = run(*where, "--dry-run", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 4 and found["state"] == str(states / state)
    assert found["schema"]["changes"][0]["problem"] == "missing column"
    assert "dry run: nothing was saved" in done.stderr
    assert {path: path.read_bytes() for path in (states / state).iterdir()} == before
    new = run("learn", str(tmp_path / "5.csv"), "--state", str(tmp_path / "new"), "--dry-run")
    assert new.exit_code == 2 and f"no saved model in {tmp_path / 'new'} yet" in new.output
    assert not (tmp_path / "new").exists()


def test_one_line_for_log_collectors(states, tmp_path):
    write(tmp_path / "5.csv", *without("price", HEAD, orders(N, 5)))
    for state in ("one", "keys"):
        where = str(tmp_path / "5.csv"), "--state", str(states / state)
        for command in (["learn", *where, "--dry-run"],
                        ["predict", *where, "--out", str(tmp_path / "p.csv")]):  # fmt: skip
            for policy, code in (("stop", 5), ("warn", 4), ("note", 0)):
                done = run(*command, "--log-line", "-q", "--on-schema-change", policy)
                (line,) = [x for x in done.stderr.splitlines() if x.startswith("{")]
                found = json.loads(line)
                assert found["exit code"] == done.exit_code == code
                assert found["command"] == command[0] and found["state"] == where[2]
                assert "no column 'price'" in found["schema changes"][0]
                assert ("error" in found) == (policy == "stop") and found["seconds"] >= 0
                assert policy == "stop" or found["rows"] >= N


def test_unchanged_tables_are_silent(states):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(10, 30):
            write(states / "6.csv", HEAD, orders(N, seed))
            where = str(states / "6.csv"), "--state", str(states / "one")
            done = run("predict", *where, "--out", str(states / "p.csv"), "-q")
            assert done.exit_code == 0 and not done.output
