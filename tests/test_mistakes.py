"""Each common mistake gives one error message with the place and a remedy.

``mistakes.txt`` has a paragraph per mistake: a name, a line of Python, a command or a request, and
the full text of the message, with the exit code or status in brackets. ``python -m
tests.test_mistakes`` writes the messages; docs/mistakes.rst shows them.
"""

import asyncio
import gzip
import json
import os
import re
import shlex
import shutil
import sqlite3
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main

TABLE = Path(__file__).parent / "mistakes.txt"
SETTING = """
import numpy as np
import sklearn.pipeline
import driftlearn
from driftlearn import *
from driftlearn import evaluate, streams
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, SGDRegressor
from sklearn.tree import DecisionTreeRegressor
X = np.arange(120.0).reshape(60, 2) % 17
y = (X[:, 0] > 8).astype(int)
stream = streams.from_arrays(X, y)
model = HoeffdingTreeClassifier().fit(X, y)
"""
FRAME = """
import pandas
frame = pandas.DataFrame({"x": X[:, 0], "colour": ["red", "blue"] * 30})
days = pandas.DataFrame({"x": X[:, 0], "day": pandas.date_range("2024", periods=60)})
"""
NEEDS = {
    "(frame": "pandas", "(days": "pandas", "from_csv(": "pandas", "polars": "polars",
    "p.xyz": "matplotlib", ".plot(": "matplotlib", "table.csv": "pyarrow",
    "text.parquet": "pyarrow", "POST": "prometheus_client", "GET": "prometheus_client",
}  # fmt: skip


class Mistake(NamedTuple):
    """A paragraph of the table; `how` begins with >, $, GET or POST."""

    section: str
    name: str
    how: str
    message: str

    @property
    def line(self):
        """The line of Python, command or request, without the comment."""
        return self.how.removeprefix("> ").removeprefix("$ ").partition("  # ")[0]

    @property
    def comment(self):
        """A package that is not installed, or the content type of a request."""
        return self.how.partition("  # ")[2].removeprefix("without ")


def mistakes():
    """Return the paragraphs of the table."""
    found, section = [], ""
    for paragraph in TABLE.read_text("utf-8").strip().split("\n\n"):
        if paragraph.startswith("=="):
            section = paragraph.strip("= ")
        else:
            found.append(Mistake(section, *[*paragraph.split("\n"), ""][:3]))
    return found


MISTAKES = {each.how: each for each in mistakes()}


def write(name, rows, head="x,colour,day,label", **how):
    Path(name).write_text("\n".join([head, *rows]) + "\n", **how)


def make_files():
    """Write the files that mistakes are made with into the working folder."""
    rows = [
        f"{i % 17},{'red' if i % 3 else 'blue'},2024-01-{i % 28 + 1:02},{'no' if i % 2 else 'yes'}"
        for i in range(60)
    ]
    write("a.csv", rows)
    write("b.csv", ["1,2"], "height,width")
    write("plain.csv", [f"{i % 17},{i % 2}" for i in range(60)], "x,label")
    write("header.csv", [])
    write("comma.csv", [f'"{i % 17},5",red,2024-01-01' for i in range(60)], "x,colour,day")
    write("noday.csv", [f"{i % 17},red" for i in range(60)], "x,colour")
    write("prices.csv", [f"{i % 17},{i * 1.25}" for i in range(60)], "x,price")
    write("broken.csv", [*rows[:3], "1,2"])
    write("open.csv", [row.rpartition(",")[0] + "," for row in rows])
    write("latin.csv", [*rows[:3], "1,größe,2024-01-01,yes"], encoding="latin-1")
    Path("photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    Path("day.parquet").write_bytes(b"")
    make_files_of_other_formats(Path("a.csv").read_bytes())
    done = run("driftlearn learn a.csv --target label --state model --learner naive-bayes -q")
    assert done.exit_code == 0, done.output


def make_files_of_other_formats(table):
    Path("real.xlsx").write_bytes(b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + bytes(99))
    Path("old.xls").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(99))
    Path("data.json").write_text('[\n {"x": 1, "label": "yes"},\n {"x": 2, "label": "no"}\n]\n')
    Path("lines.csv").write_text('{"x": 1, "label": "yes"}\n{"x": 2, "label": "no"}\n')
    with sqlite3.connect("orders.db") as connection:
        connection.execute("create table orders (x)")
    connection.close()
    Path("packed.csv").write_bytes(gzip.compress(table))
    with zipfile.ZipFile("zipped.csv", "w") as archive:
        archive.writestr("a.csv", table)
    Path("table.csv").write_bytes(b"PAR1" + bytes(99))
    Path("text.parquet").write_bytes(table)
    Path("page.csv").write_text("<!DOCTYPE html>\n<html><body></body></html>\n")
    Path("scan.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    Path("empty").mkdir()


def run(line):
    return CliRunner().invoke(main, shlex.split(line)[1:])


def reported(mistake):
    """Make a mistake; return the error message."""
    if mistake.how.startswith("$"):
        return reported_by_command(mistake.line)
    if not mistake.how.startswith(">"):
        return reported_by_service(mistake.line, mistake.comment or "application/json")
    names = {}
    exec(SETTING, names)
    for package, more in (("frame", FRAME), ("days", FRAME), ("polars", "import polars")):
        if package in mistake.line:
            exec(more, names)
    try:
        exec(mistake.line, names)
    except Exception as error:
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return f"{kind.__name__}: {error}"
    raise AssertionError(f"{mistake.line} is no mistake")


def reported_by_command(line):
    done = run(line)
    assert isinstance(done.exception, SystemExit | None), repr(done.exception)
    before, error, after = done.output.strip().rpartition("Error: ")
    assert "Error: " not in before, done.output
    message = " ".join(after.splitlines()) if error else after.splitlines()[-1]
    assert bool(error) == (done.exit_code in (2, 5)), done.output
    here = re.escape(os.path.realpath(".") + os.sep)
    return f"[{done.exit_code}] {re.sub(here, '', message)}".replace("\\", "/")


def reported_by_service(line, content_type):
    from driftlearn.ops.serving.app import Service
    from driftlearn.ops.serving.challenged_model import open_model
    from driftlearn.ops.serving.limits import Limits
    from driftlearn.ops.serving.writer import Writer

    method, path, body = [*line.split(" ", 2), ""][:3]
    sent = []

    async def receive():
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
        "headers": [(b"host", b"localhost"), (b"content-type", content_type.encode())],
        "scheme": "http", "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    shutil.copytree("model", "served", dirs_exist_ok=True)
    writer = Writer(Path("served"), lambda: open_model(Path("served")), save_seconds=1_000)
    writer.start()
    try:
        asyncio.run(Service(writer, Limits()).app()(scope, receive, send))
    finally:
        writer.stop()
    return f"[{sent[0]['status']}] {json.loads(sent[1]['body'])['error']}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mistakes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        make_files()
    return path


@pytest.mark.parametrize("how", MISTAKES)
def test_a_mistake(how, folder, monkeypatch):
    each = MISTAKES[how]
    for word, package in NEEDS.items():
        if word in how:
            pytest.importorskip(package)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    if "without" in how:
        block(each.comment, monkeypatch.setitem)
    message = reported(each)
    assert message == each.message, "python -m tests.test_mistakes writes the table"
    assert "\n" not in message and "Traceback" not in message and len(message) < 500


def test_the_table_is_complete():
    assert len(MISTAKES) >= 120
    assert len({each.name for each in MISTAKES.values()}) == len(MISTAKES)


def test_a_history_prints_itself():
    from driftlearn import DTELClassifier
    from driftlearn.ensemble import History

    history = History()
    assert repr(history) == "no steps recorded"
    for step in range(1, 2001):
        history.record(step, [1, step + 1], [1.0, 3.0])
    shown = repr(history)
    assert shown.splitlines()[-1].split() == ["2000", "2", "2001", "0.7500"]
    assert len(shown.splitlines()) == 12 and repr(history.sparse()) == shown
    X = np.arange(40.0)[:, None]
    learner = DTELClassifier(chunk_size=20).partial_fit(X, (X[:, 0] % 2).astype(int))
    assert "weights at 2 steps, 1 to 2" in repr(learner.history_)


def block(package, set_item):
    """Simulate that a package is not installed."""
    for name in [*sys.modules, package]:
        if name.partition(".")[0] == package:
            set_item(sys.modules, name, None)


def main_program():
    """Write the messages of this version to the table."""
    import tempfile

    lines, section = [], ""
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        make_files()
        for each in mistakes():
            if each.section != section:
                section = each.section
                lines.append(f"== {section} ==\n")
            with pytest.MonkeyPatch.context() as patch:
                if "without" in each.how:
                    block(each.comment, patch.setitem)
                lines.append(f"{each.name}\n{each.how}\n{reported(each)}\n")
        os.chdir(TABLE.parent)
    TABLE.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main_program()
