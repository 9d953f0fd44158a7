"""Files are complete or rejected; an interrupted write leaves the old file."""

import errno
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlearn import DTELClassifier, IBoostClassifier
from driftlearn.io import CorruptFile, _files, atomic_write, dumps, load, loads, save, sweep
from driftlearn.streams import SEA
from driftlearn.utils import atomic_files

SMALL = dumps({"a": np.arange(4.0), "b": "text"})
X, Y = SEA(n_rows=300, random_state=0).take(300)
OLD = Path(__file__).parent / "format-1"
LARGE = dumps(IBoostClassifier(n_estimators=20).partial_fit(X, Y))


def test_every_flipped_byte_is_found():
    for k in range(len(SMALL)):
        for mask in (1, 0x80, 0xFF):
            damaged = bytearray(SMALL)
            damaged[k] ^= mask
            with pytest.raises(CorruptFile):
                loads(bytes(damaged))


def test_every_truncation_is_found():
    for k in range(len(SMALL)):
        for part in (SMALL[:k], SMALL[k + 1 :], SMALL[:k] + SMALL[k + 1 :], SMALL + SMALL[: k + 1]):
            with pytest.raises(CorruptFile):
                loads(part)


@settings(max_examples=60)
@given(st.data())
def test_damage_of_a_learner_is_found(data):
    damaged = bytearray(LARGE)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(LARGE) - 1))
        stop = data.draw(st.integers(start, min(start + 600, len(LARGE))))
        damaged[start:stop] = data.draw(st.binary(max_size=600))
    if damaged != LARGE:
        with pytest.raises(CorruptFile):
            loads(bytes(damaged))


def other_zip():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "a")
    return out.getvalue()


def npz():
    out = io.BytesIO()
    np.savez(out, a=np.arange(3))
    return out.getvalue()


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is empty"),
        (b"hello", "was not saved by driftlearn"),
        (pickle.dumps(1), "was not saved by driftlearn"),
        (other_zip(), "no checksum"),
        (npz(), "no checksum"),
        (SMALL[:-1], "truncated"),
        (SMALL[:-200] + b"0" + SMALL[-199:], "damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_name_the_path(tmp_path, content, message):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(CorruptFile, match=message) as problem:
        load(path)
    assert str(path) in str(problem.value)
    assert isinstance(problem.value, ValueError)


def test_valid_checksum_without_document(tmp_path):
    """The checksum is correct, but there is no document."""
    content = bytearray(SMALL.replace(b"document.json", b"documenu.json"))
    digest = _files.sha256(bytes(content[:-64])).hexdigest()
    content[-64:] = digest.encode()
    with pytest.raises(CorruptFile, match="is not a model file"):
        loads(bytes(content))


def test_save_and_load(tmp_path):
    path = tmp_path / "model.npz"
    model = DTELClassifier(random_state=0).partial_fit(X, Y)
    save(model, str(path))
    assert path.read_bytes() == dumps(model)
    assert dumps(load(path)) == dumps(model)
    save(model, path, compress=True)
    assert path.stat().st_size < len(dumps(model))
    assert dumps(load(path)) == dumps(model)
    assert os.listdir(tmp_path) == ["model.npz"]


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError) as problem:
        save(1, tmp_path / "none" / "a.npz")
    assert problem.value.filename == str(tmp_path / "none" / "a.npz")


@pytest.mark.parametrize("broken", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_a_failing_write_changes_nothing(tmp_path, monkeypatch, broken, problem):
    path = tmp_path / "model.npz"
    save("old", path)

    def fail(*arguments, **how):
        raise problem

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(type(problem)) as raised:
        save("new", path)
    monkeypatch.undo()
    if isinstance(problem, OSError):
        assert raised.value.errno == errno.ENOSPC and raised.value.filename == str(path)
        assert str(path) in str(raised.value)
    assert os.listdir(tmp_path) == ["model.npz"]
    assert load(path) == "old"


def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "open", lambda *_: (_ for _ in ()).throw(OSError(errno.EINVAL, "no")))
    atomic_files._sync_folder(tmp_path)
    monkeypatch.undo()
    atomic_write(tmp_path / "a", b"a")
    assert (tmp_path / "a").read_bytes() == b"a"


FULL = """
import os, resource, sys
from driftlearn.io import load, save
path = sys.argv[1]
save("old", path)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    save(bytes(100_000), path)
except OSError as problem:
    print(problem.filename == path, load(path), os.listdir(os.path.dirname(path)))
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no limits of this kind")
def test_a_full_disk(tmp_path):
    path = str(tmp_path / "model.npz")
    out = subprocess.run(
        [sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "True old ['model.npz']"


def test_links_and_permissions_are_kept(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "model.npz", tmp_path / "link.npz"
    save("old", target)
    target.chmod(0o600)
    link.symlink_to(target)
    save("new", link)
    assert link.is_symlink() and load(target) == "new"
    assert target.stat().st_mode & 0o777 == 0o600


def part(folder, pid, host=None, age=0.0):
    path = Path(folder, f".model.npz.{host or atomic_files._host()}-{pid}-0123abcd.part")
    path.write_bytes(b"unfinished")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_sweep_removes_files_of_ended_processes(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    living = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        gone = [
            part(tmp_path, dead.pid),
            part(tmp_path, os.getpid()),
            part(tmp_path, living.pid, "ffffffff", 2 * 24 * 3600),
        ]
        stays = [
            part(tmp_path, living.pid),
            part(tmp_path, dead.pid, "eeeeeeee", 3600),
            tmp_path / ".something.part",
            tmp_path / "model.npz",
        ]
        for path in stays[2:]:
            path.write_bytes(b"")
        assert sorted(sweep(tmp_path)) == sorted(gone)
        assert sorted(tmp_path.iterdir()) == sorted(stays)
    finally:
        living.communicate(b"\n")


def test_sweep_leaves_the_writers_of_this_process_alone(tmp_path, monkeypatch):
    replace, swept = os.replace, []

    def sweep_first(source, target):
        thread = threading.Thread(target=lambda: swept.append(sweep(tmp_path)))
        thread.start()
        thread.join()
        replace(source, target)

    monkeypatch.setattr(os, "replace", sweep_first)
    save("new", tmp_path / "model.npz")
    assert swept == [[]] and load(tmp_path / "model.npz") == "new"


KILLS = """
import json, os, signal, sys, time
import numpy as np
from driftlearn.io import load, save, sweep
folder = sys.argv[1]
path = os.path.join(folder, "model.npz")
states = [{"n": k, "array": np.full(200_000, float(k))} for k in range(2)]
save(states[0], path)
good = 0
for kill in range(15):
    child = os.fork()
    if child == 0:
        while True:
            for state in states:
                save(state, path)
    time.sleep(0.01 + 0.007 * kill)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = load(path)
    good += bool((found["array"] == found["n"]).all())
    sweep(folder)
print(json.dumps([good, os.listdir(folder)]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_killed_writers(tmp_path):
    """The file always loads, and leftovers of killed processes are removed."""
    out = subprocess.run(
        [sys.executable, "-c", KILLS, tmp_path], capture_output=True, text=True, check=True
    )
    assert json.loads(out.stdout) == [15, ["model.npz"]]


@pytest.mark.parametrize("name", ["dtel", "dwm", "iboost"])
def test_files_of_the_first_format_that_cannot_be_read(name):
    """One sentence names the writer of the file and what to do."""
    with pytest.raises(CorruptFile) as refused:
        load(OLD / f"{name}.npz")
    output = str(refused.value)
    assert f"{name}.npz was made by driftlearn 0.1.0 in format 1" in output
    assert "or train again" in output and "\n" not in output


def test_files_of_the_first_format_that_can():
    """Files of format 1 load if no class has moved."""
    model = load(OLD / "cart.npz")
    assert model.predict([[0.2, 0.5], [0.8, 0.5]]).tolist() == [0, 1]
