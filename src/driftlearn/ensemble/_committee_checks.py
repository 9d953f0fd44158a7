"""Checks of what is added to a committee, or stored with one."""

from driftlearn.base._online_model import OnlineModel
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.io.schema import InvalidStateError


def check_new(committee, model, row):
    """Raise, before anything has changed, if a model cannot be added with these columns."""
    if not isinstance(model, OnlineModel):
        raise TypeError(
            f"A member must be an online model, such as _new_model() returns. Got {model!r:.50}."
        )
    if (model.n_features, model.n_classes) != (committee.n_features, committee.n_classes):
        raise ValueError(
            f"The model has {model.n_features} features and {model.n_classes} classes, but the "
            f"committee has {committee.n_features} and {committee.n_classes}."
        )
    for name in committee.columns:
        float(row.get(name, 0.0))


def check_detectors(committee, name):
    """Raise InvalidStateError unless every member has an ADWIN detector of this name."""
    detectors = committee.objects.get(name, [])
    if len(detectors) != len(committee) or not all(
        isinstance(detector, AdaptiveWindow) for detector in detectors
    ):
        raise InvalidStateError(f"every member must have an ADWIN window {name!r}")
