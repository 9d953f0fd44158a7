"""`save` of a learner, an encoder and a pipeline, and `driftlearn.load`."""

import numpy as np
import pytest

import driftlearn as dl
from driftlearn import io as persist

TABLE = {"length": [120, 80, None, 90], "sender": ["ann", "shop", "ann", "shop"]}
LABELS = ["ham", "spam", "ham", "spam"]


def test_learners_encoders_and_pipelines(tmp_path):
    encoder = dl.TableEncoder().partial_fit(TABLE)
    learner = dl.HoeffdingTreeClassifier().partial_fit(encoder.transform(TABLE), LABELS)
    pipeline = dl.make_pipeline(dl.TableEncoder(), dl.DTELClassifier()).partial_fit(TABLE, LABELS)
    for model in (encoder, learner, pipeline):
        model.save(tmp_path / "model.npz")
        copy = dl.load(tmp_path / "model.npz")
        assert type(copy) is type(model)
        assert persist.dumps(copy) == persist.dumps(model) == (tmp_path / "model.npz").read_bytes()
    np.testing.assert_array_equal(copy.predict(TABLE), pipeline.predict(TABLE))


def test_load_reads_what_save_writes(tmp_path):
    """All options and errors of `io.save`."""
    key, path = "sixteen bytes and more", tmp_path / "model.npz"
    model = dl.NoChangeClassifier().fit([[0.0]], ["a"])
    model.save(path, compress=True, key=key)
    assert path.read_bytes() == persist.dumps(model, compress=True, key=key)
    with pytest.raises(persist.CorruptFile, match=r"model\.npz"):
        dl.load(path, key="another secret of bytes")
    strange = dl.SEAClassifier(Strange())
    with pytest.raises(persist.NotAllowed, match="allow="):
        strange.save(path)
    assert dl.load(path, key=key).predict([[1.0]]).tolist() == ["a"]


class Strange(dl.StumpClassifier):
    pass
