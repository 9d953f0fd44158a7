"""Damaged stores, logs and model files; hostile tables."""

import bz2
import gzip
import io
import lzma
import os
import random
import resource
import shutil
import signal
import traceback
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np

from driftlearn import LearnPPNSEClassifier
from driftlearn.io import _files, dumps, loads
from driftlearn.ops.keyed import KeyedModels, KeyStore
from driftlearn.ops.keyed.inspection import inspect_keys
from driftlearn.ops.keyed.key_store import PAGE
from driftlearn.ops.keyed.predictions import predict_keyed
from driftlearn.ops.serving import write_ahead_log
from driftlearn.ops.sources.files import FileSource
from driftlearn.tables import csv_file
from tests.services import keyed_rows, make_keyed_state, write_csv

MEMORY, SECONDS = 4 << 30, 60  # of the process that reads a hostile file


def stores(siege):
    """Damage every page of a store of keys; predictions must be equal, or reported."""
    state = make_keyed_state(siege.folder / "models", 1_500, 40, learner="naive-bayes")
    rows = write_csv(siege.folder / "new.csv", keyed_rows(200, seed=5, labels=False, n_keys=40))
    content = (state / "keyed.sqlite").read_bytes()
    pages = [content[k : k + PAGE] for k in range(0, len(content), PAGE)]
    expected, notes = _predicted(shutil.copytree(state, siege.fresh("good")), rows)
    assert not notes
    while not siege.is_over:
        k = siege.tried // 4 % len(pages)
        how = ("a flipped bit", "zeros", "another page", "exchanged pages")[siege.tried % 4]
        damaged, other = pages.copy(), siege.rng.randrange(len(pages))
        if how == "a flipped bit":
            page = bytearray(pages[k])
            page[siege.rng.randrange(PAGE)] ^= 1 << siege.rng.randrange(8)
            damaged[k] = bytes(page)
        elif how == "zeros":
            damaged[k] = bytes(PAGE)
        else:
            damaged[k] = pages[other]
            damaged[other] = pages[k] if how == "exchanged pages" else pages[other]
        folder = siege.fresh("store")
        folder.mkdir()
        (folder / "keyed.sqlite").write_bytes(b"".join(damaged))
        with siege.attempt(f"{how} in page {k}, {other}"):
            try:
                found, notes = _predicted(folder, rows)
            except OSError as problem:
                assert str(folder) in str(problem), problem
            else:
                assert notes or found == expected, "other predictions without a message"
        shutil.rmtree(folder)


def _predicted(folder, rows):
    notes = []
    predict_keyed(folder, [str(rows)], str(folder / "out.csv"), note=notes.append)
    with closing(KeyStore(folder / "keyed.sqlite", read_only=True)) as store:
        counts = inspect_keys(KeyedModels(store=store)).facts
    return ((folder / "out.csv").read_text(), str(counts)), notes


def trust_stores():
    """Plant a defect: stores are opened without a check."""
    KeyStore._check_content = lambda self: None


def logs(siege):
    """Damage a log of requests; all entries but those of the last frame must be there."""
    path = siege.folder / "write-ahead.log"
    with closing(write_ahead_log.WriteAheadLog(path)) as log:
        ends = [log.size]
        for i in range(20):
            log.append([(f"key {k}", b'{"x": %d}' % (i * k)) for k in range(1, 4)])
            ends.append(log.size)
    content, entries = path.read_bytes(), [*write_ahead_log.entries_of(path)]
    while not siege.is_over:
        damaged, at = bytearray(content), siege.rng.randrange(len(content))
        how = ("a flipped bit", "a cut", "zeros")[siege.tried % 3]
        if how == "a flipped bit":
            damaged[at] ^= 1 << siege.rng.randrange(8)
        elif how == "a cut":
            del damaged[at:]
        else:
            damaged[at : at + 64] = bytes(len(damaged[at : at + 64]))
        path.write_bytes(damaged)
        intact = sum(end <= at for end in ends) - 1  # frames before the damage
        with siege.attempt(f"{how} at byte {at:,}"):
            try:
                with closing(write_ahead_log.WriteAheadLog(path)) as log:
                    found = [*log.entries()]
            except ValueError as problem:
                assert str(path) in str(problem)
            else:
                assert damaged == content or how == "a cut" or at >= ends[-2] - 64, "not reported"
                is_same = damaged == content
                assert found == (entries if is_same else entries[: 3 * intact]), "other entries"


def trust_logs():
    """Plant a defect: the log has no checksum."""
    write_ahead_log._checksum = lambda first, payload: 0


def models(siege):
    """Damage a model file; it must be rejected."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    content = dumps(LearnPPNSEClassifier().fit(X, X[:, 0] > 0))
    while not siege.is_over:
        damaged, at = bytearray(content), siege.rng.randrange(len(content))
        if siege.tried % 3 == 0:
            del damaged[at:]
        elif siege.tried % 3 == 1:
            damaged[at] ^= 1 << siege.rng.randrange(8)
        else:
            damaged[at : at + 40] = siege.rng.randbytes(40)
        with siege.attempt(f"a model file damaged at byte {at:,}"):
            try:
                loads(bytes(damaged))
            except ValueError:
                continue
            assert damaged == content, "a damaged file was loaded"


def trust_models():
    """Plant a defect: the checksum of model files is not verified."""
    _files._check_seal = lambda content, source: None


def tables(siege):
    """Read hostile tables in processes with limits; the result is rows or a message."""
    while not siege.is_over:
        path, content = _hostile(random.Random(siege.rng.getrandbits(64)))
        path = siege.folder / path
        path.write_bytes(content)
        with siege.attempt(f"{path.name}, number {siege.tried} of seed {siege.seed}"):
            code = _read(path, skip=siege.rng.random() < 0.5)
            assert code == 0, f"reading ended with {code}"


def _read(path, skip):
    """Read a file in a child process; return its exit code."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(SECONDS)
        for piece in FileSource([str(path)], skip=skip).pieces({}):
            dict(piece.table)
        code = 0
    except (ValueError, OSError):
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _hostile(rng):
    """Return the name and the content of a random table."""
    n = rng.choice([0, 1, 3, 50, 2_000])
    sep, end = rng.choice(",;\t|"), rng.choice(["\n", "\r\n"])
    cells = ["1", "-2.5", "", "red", "1e999", '"a, b"', '"', '""', "nan", "2024-01-01", "\x00",
             "é", "9" * 400, "x" * 5_000, "=1+1", " ", "\u2028"]  # fmt: skip
    lines = [sep.join(["x", "y", rng.choice(["label", "x", "", '"', "z" * 3_000])])]
    odd = rng.random() * 0.1
    for i in range(n):
        row = [rng.choice(cells) if rng.random() < odd else str(i), "red", "a"]
        lines.append(sep.join(row * (3 if rng.random() < odd / 10 else 1)))
    content = (end.join(lines) + end * rng.randrange(2)).encode()
    kind = rng.choice([".csv", ".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip", ".parquet"])
    content = _packed(kind, content, n, rng)
    damaged = bytearray(content)
    for _ in range(rng.choice([0, 1, 1, 3, 20])):
        at = rng.randrange(len(damaged) + 1)
        damaged[at : at + rng.choice([0, 1, 8])] = rng.randbytes(rng.choice([0, 1, 8]))
    if rng.random() < 0.2:
        del damaged[rng.randrange(len(damaged) + 1) :]
    return f"a{kind}", bytes(damaged)


def _packed(kind, content, n, rng):
    if kind == ".parquet":
        arrow, parquet = __import__("pyarrow"), __import__("pyarrow.parquet").parquet
        table = arrow.table({"x": [*range(n)], "label": ["a", None] * (n // 2) + ["b"] * (n % 2)})
        out = io.BytesIO()
        parquet.write_table(table, out, compression=rng.choice(["snappy", "gzip", "none", "zstd"]))
        return out.getvalue()
    if kind == ".csv.zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.csv", content)
        return out.getvalue()
    pack = {".csv.gz": gzip.compress, ".csv.bz2": bz2.compress, ".csv.xz": lzma.compress}
    return pack.get(kind, bytes)(content)


def stop_reading():
    """Plant a defect: some headers raise an error that is not for users."""

    def _header(self, start):
        raise KeyError(Path(self.path).name)

    csv_file.CSVFile._header = _header
