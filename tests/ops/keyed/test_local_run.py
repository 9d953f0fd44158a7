"""Batches of ``driftlearn learn --key`` in one process."""

from contextlib import suppress

import pytest

from driftlearn.ops.keyed.local_run import LocalRun
from driftlearn.ops.keyed.settings import Request
from driftlearn.tables.csv_file import CSVFile
from tests.services import keyed_rows, stored, write_csv

SETTINGS = {"target": "label", "key": "device", "learner": "naive-bayes"}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file with malformed lines and rows, which is read in one piece."""
    path = write_csv(tmp_path_factory.mktemp("made") / "rows.csv", keyed_rows(7_000))
    lines = path.read_text().splitlines(keepends=True)
    for i in (1, 900, 1_001, 1_002, 5_500, 7_000):
        lines[i] += "too,few\n"
    lines[3_000] = "," + lines[3_000].partition(",")[2]
    path.write_text("".join(lines))
    return path


class Killed(Exception):
    pass


def run(folder, path, **options):
    """Train on a file; return the numbers of rows at each save, and what was stored."""
    saved = []

    class Counted(LocalRun):
        def _save(self):
            super()._save()
            saved.append(self.models.counts["rows"])
            if len(saved) == options.get("n_saves"):
                raise Killed

    how = {name: value for name, value in options.items() if name != "n_saves"}
    request = Request(folder, [str(path)], SETTINGS, skip=True)
    with suppress(Killed):
        Counted(request, **how).run().store.close()
    return saved, stored(folder)


def test_rows_are_saved_from_the_first_batch_on(path, tmp_path):
    """Not only at the end of a large batch; what is stored is the same, also after a kill."""
    _, expected = run(tmp_path / "whole", path, batch=100_000)
    saved, found = run(tmp_path / "parts", path, save_seconds=0.0)
    assert saved[0] == 1_000 and len(saved) > 3 and saved[-1] == 7_000
    assert found == expected
    for n_saves in (1, 3):
        folder = tmp_path / f"killed {n_saves}"
        run(folder, path, save_seconds=0.0, n_saves=n_saves)
        assert run(folder, path)[1] == expected


def test_pieces_are_split(path):
    """The parts have the rows, positions and broken lines of the whole."""
    piece = next(CSVFile(str(path)).pieces(None, lambda: (), skip=True))
    for k in (1, 899, 1_000, 1_001, 5_499, piece.n_rows - 1):
        first, rest = piece.split(k)
        assert (first.n_rows, rest.n_rows, rest.row) == (k, piece.n_rows - k, k)
        assert first.after(k) == piece.after(k) and rest.after(2) == piece.after(k + 2)
        lines = first.skipped(0, k) + rest.skipped(0, rest.n_rows)
        assert lines == piece.skipped(0, piece.n_rows) and len(lines) == 6
        again = next(CSVFile(str(path)).pieces(first.after(k), lambda: (), skip=True))
        assert [line for _, line in again.broken] == [line for _, line in rest.broken]
