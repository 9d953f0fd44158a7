"""Files of earlier versions are loaded, and go on as in the version that made them."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from persist import make_old_files
from sklearn.utils import get_tags

from driftlearn.persist import loads

HERE = Path(__file__).parent / "old"
CASES = [
    (archive.stem, name[:-4])
    for archive in sorted(HERE.glob("*.zip"))
    for name in zipfile.ZipFile(archive).namelist()
    if name != "expected.npz"
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("version, name", CASES)
def test_an_old_file_goes_on(version, name):
    with zipfile.ZipFile(HERE / f"{version}.zip") as archive:
        model = loads(archive.read(f"{name}.npz"))
        expected = np.load(io.BytesIO(archive.read("expected.npz")))[name]
    X, y = make_old_files.rows()
    y = y if get_tags(model).classifier_tags.multi_class else make_old_files.for_two(y)
    make_old_files.teach(model, X[make_old_files.HALF :], y[make_old_files.HALF :])
    # Other machines have other functions exp and log, in the last digits.
    np.testing.assert_allclose(model.predict_proba(X[::4]), expected, rtol=1e-6, atol=1e-9)
