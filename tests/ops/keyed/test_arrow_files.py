"""Rows of a run for the global model are sampled by row number, independent of batches."""

from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.arrow_files import MAX_SAMPLE, Sample, read_samples, shares
from driftlearn.ops.keyed.reader import Batch

KINDS = {"x": "number", "colour": "category", "day": "date", "gone": "drop"}


def batch(begin, end):
    """Return rows of a file; every seventh is malformed."""
    numbers = np.arange(begin, end)
    table = {"x": numbers / 2, "colour": [f"c{i % 3}" for i in numbers.tolist()],
             "day": np.array(["2024-01-01"] * len(numbers))}  # fmt: skip
    labels = [None if i % 7 == 0 else f"label {i}" for i in numbers.tolist()]
    rows = reading.read(table, KINDS, numbers, labels)
    return Batch(rows, np.zeros(len(rows)), 0, [("a.csv", i) for i in numbers.tolist()], [])


def sampled(path, cuts, most):
    sample = Sample(most)
    for begin, end in pairwise(cuts):
        sample.add(batch(begin, end))
    sample.write(path, KINDS)
    return path


def test_the_same_rows_whatever_the_batches(tmp_path):
    n, most = 3_000, 200
    ways = [[0, n], [0, 1, 150, 151, 2_000, n], [*range(0, n + 1, 50)]]
    paths = [sampled(tmp_path / f"{k}", cuts, most) for k, cuts in enumerate(ways)]
    assert len({path.read_bytes() for path in paths}) == 1
    found = read_samples(paths[:1], KINDS)
    numbers = [int(key) for key in found.keys]
    place = {i: i * 0x9E3779B97F4A7C15 % 2**64 for i in range(n) if i % 7}
    assert numbers == sorted(sorted(place, key=place.get)[:most])
    assert max(np.diff(numbers)) < 4 * n / most  # no long gap
    assert found.labels == [f"label {i}" for i in numbers] and not found.bad
    assert found.table["x"].tolist() == [i / 2 for i in numbers]
    assert found.table["colour"].tolist() == [f"c{i % 3}" for i in numbers]


def test_few_rows_none_and_several_files(tmp_path):
    few = sampled(tmp_path / "few", [10, 20], 200)
    assert read_samples([few], KINDS).keys == [str(i) for i in range(10, 20) if i % 7]
    for name, cuts, most in (("no share", [0, 100], 0), ("no good row", [7, 8], 5)):
        assert not sampled(tmp_path / name, cuts, most).exists()
    found = read_samples([tmp_path / "none", few, few], KINDS)
    assert len(found) == 18
    assert read_samples([tmp_path / "none"], KINDS) is None


def test_shares():
    assert shares([]) == [] and shares([0, 0]) == [0, 0]
    sizes = np.random.default_rng(0).integers(1, 10**9, 20_000).tolist()
    found = shares(sizes)
    assert sum(found) == MAX_SAMPLE and max(found) <= 2
    assert shares([5, 10**12], most=100) == [0, 100]
