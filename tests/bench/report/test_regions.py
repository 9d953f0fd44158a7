import json
import re

import numpy as np
import pytest
from PIL import Image

from driftlearn.bench.report import page, regions
from driftlearn.bench.report._regions import DIGITS, SIDE
from tests.bench.report.pages import one
from tests.evaluate.fakes import Recorder


class Half(Recorder):
    """Predicts "b" in the right half of the plane, after two chunks."""

    def predict(self, X):
        return np.where(X[:, 0] > 0, "b", "a") if self.seen_ > 20 else np.full(len(X), "a")


def chunks(n, wide=2):
    rng = np.random.default_rng(0)
    for _ in range(n):
        X = rng.uniform(-1, 1, size=(20, wide))
        yield X, np.where(X[:, 0] > 0, "b", "a")


@pytest.fixture(scope="module")
def found():
    return regions({"half": Half(), "other": Half()}, chunks(5))


def test_regions_are_predictions_on_the_grid(found):
    assert [frame.row for frame in found.frames] == [20, 40, 60, 80, 100]
    assert found.classes.tolist() == ["a", "b"]
    assert not found.codes(found.frames[0], "half").any()
    after = found.codes(found.frames[1], "half")
    right = np.linspace(*found.extent[:2], SIDE) > 0
    np.testing.assert_array_equal(after, np.tile(right, (SIDE, 1)))


def test_long_streams_keep_a_bounded_number_of_moments():
    kept = regions({"half": Half()}, chunks(50), most=10).frames
    assert [frame.row for frame in kept] == [20 * (8 * k + 1) for k in range(7)]


def test_rows_of_other_than_two_features_are_refused():
    with pytest.raises(ValueError, match="two features"):
        regions({"half": Half()}, chunks(1, wide=3))


def test_the_gif_moves(found, tmp_path):
    with Image.open(found.gif(tmp_path / "r.gif")) as picture:
        assert picture.n_frames >= 2 and picture.size[0] > 300


def test_the_page_holds_every_moment(found, tmp_path):
    text = page(one(n_rows=100), tmp_path / "r.html", regions=found).read_text("utf-8")
    part = text[text.index('<div class="regions">') :]
    data = json.loads(re.search(r"application/json\">(.*?)</script>", part).group(1))
    assert data["rows"] == [20, 40, 60, 80, 100] and len(data["planes"]) == 2
    codes = [DIGITS.index(sign) for sign in data["planes"][0][1]]
    assert codes == found.codes(found.frames[1], "half").ravel().tolist()
    assert "Decision regions of half at the end: " in text
