"""Damaged stores of keys: a damaged state is named, a damaged store is rejected."""

import random
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from driftlearn.ops.keyed import KeyedModels, KeyStore
from driftlearn.ops.keyed.key_store import PAGE
from driftlearn.ops.keyed.predictions import predict_keyed
from tests.services import keyed_rows, learn_keyed, make_keyed_state, write_csv

N_KEYS = 40


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A state folder that tests copy but never change."""
    folder = tmp_path_factory.mktemp("made") / "models"
    return make_keyed_state(folder, 2_000, N_KEYS, learner="naive-bayes")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "new.csv"
    return write_csv(path, keyed_rows(300, seed=5, labels=False, n_keys=N_KEYS))


def predicted(folder, rows):
    """Return the predictions of a state folder, and the messages."""
    notes = []
    predict_keyed(folder, [str(rows)], str(folder / "out.csv"), note=notes.append)
    return (folder / "out.csv").read_text(), notes


def changed(path, command, *values):
    """Change a store without its checksums."""
    with sqlite3.connect(path) as base:
        assert base.execute(command, values).rowcount == 1
    base.close()


def test_no_damaged_store_predicts_in_silence(state, rows, tmp_path):
    content = (state / "keyed.sqlite").read_bytes()
    expected, notes = predicted(shutil.copytree(state, tmp_path / "good"), rows)
    assert not notes
    rng, n_pages = random.Random(0), len(content) // PAGE
    pages = [content[k * PAGE : (k + 1) * PAGE] for k in range(n_pages)]
    n_rejected = 0
    for i in range(60):
        damaged = pages.copy()
        a, b = rng.sample(range(n_pages), 2)
        if i % 4 == 0:
            page = bytearray(pages[a])
            page[rng.randrange(PAGE)] ^= 1 << rng.randrange(8)
            damaged[a] = bytes(page)
        elif i % 4 == 1:
            damaged[a], damaged[b] = pages[b], pages[a]
        else:
            damaged[a] = pages[b] if i % 4 == 2 else bytes(PAGE)
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "keyed.sqlite").write_bytes(b"".join(damaged))
        try:
            found, notes = predicted(folder, rows)
        except OSError as problem:
            assert "is damaged" in str(problem)
            n_rejected += 1
            continue
        assert notes or found == expected, (i, a, b)
    assert n_rejected >= 40


def test_a_damaged_state_is_named(state, rows, tmp_path):
    """Its rows are predicted by the shared models, and are not learned; other keys go on."""
    folder = shutil.copytree(state, tmp_path / "own")
    content = bytearray(KeyStore(folder / "keyed.sqlite", read_only=True).state("d3"))
    content[50] ^= 1
    update = "UPDATE states SET {} = ? WHERE key = ?"
    changed(folder / "keyed.sqlite", update.format("state"), bytes(content), "d3")
    changed(folder / "keyed.sqlite", update.format("right"), 1, "d4")
    _, (note,) = predicted(folder, rows)
    assert "the states of 2 keys are damaged" in note and "predicted by the shared models" in note
    assert "key 'd3'" in note and "checksum" in note
    assert "key 'd4': its counts do not match its content" in note
    labelled = write_csv(tmp_path / "more.csv", keyed_rows(300, seed=6, n_keys=N_KEYS))
    learn_keyed(folder, labelled, learner="naive-bayes")
    models = KeyedModels(store=folder / "keyed.sqlite")
    quarantined = models.store.quarantined()
    assert {row.key for row in quarantined} == {"d3", "d4"}
    assert models.counts["quarantined"] == len(quarantined)
    assert models.counts["learned"] == 2_300 - len(quarantined)


@pytest.mark.parametrize(
    "command",
    [
        "UPDATE about SET value = replace(value, '2000', '2001') WHERE name = 'stream'",
        "UPDATE positions SET position = replace(position, '2000', '1000')",
    ],
)
def test_damaged_positions_and_counts_are_rejected(state, rows, tmp_path, command):
    folder = shutil.copytree(state, tmp_path / "own")
    changed(folder / "keyed.sqlite", command)
    labelled = write_csv(tmp_path / "more.csv", keyed_rows(10, seed=6, n_keys=N_KEYS))
    with pytest.raises(OSError, match=r"is damaged.*checksum of its settings, positions and"):
        learn_keyed(folder, labelled, learner="naive-bayes")
    with pytest.raises(OSError, match="is damaged"):
        predicted(folder, rows)


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be moved there")
def test_a_store_that_is_removed_while_it_is_open(state, tmp_path):
    """SQLite would commit to the removed file, and the next process would find nothing."""
    folder = shutil.copytree(state, tmp_path / "own")
    with closing(KeyStore(folder / "keyed.sqlite")) as store:
        folder.rename(tmp_path / "away")
        store.put_about("any", b"1")
        with pytest.raises(OSError, match="was removed or replaced while it was in use"):
            store.commit()
        shutil.copytree(tmp_path / "away", folder)
        store.put_about("any", b"1")
        with pytest.raises(OSError, match="was removed or replaced"):
            store.commit()
        shutil.rmtree(folder)
        (tmp_path / "away").rename(folder)
        store.put_about("any", b"2")
        store.commit()
    assert KeyStore(folder / "keyed.sqlite", read_only=True).about("any") == b"2"
