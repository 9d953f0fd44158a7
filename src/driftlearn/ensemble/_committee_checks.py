"""Checks of what is added to a committee, or stored with one."""

from driftlearn.base._online_model import OnlineModel
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.io.schema import InvalidStateError


def check_new(committee, model, row):
    """Raise, before anything has changed, if a model cannot be added with these columns."""
    if not isinstance(model, OnlineModel):
        raise TypeError(
            "A member must be an online model, such as those returned by _new_model(). Got "
            f"{model!r:.50}."
        )
    if (model.n_features, model.n_classes) != (committee.n_features, committee.n_classes):
        raise ValueError(
            f"The model has {model.n_features} features and {model.n_classes} classes, but the "
            f"committee has {committee.n_features} and {committee.n_classes}."
        )
    for name in committee.columns:
        float(row.get(name, 0.0))


def check_columns(committee, columns):
    """Raise InvalidStateError unless a committee has these columns besides id and created_at."""
    if committee.columns[2:] != tuple(columns):
        raise InvalidStateError(
            f"the committee must have the columns {tuple(columns)}. Got {committee.columns[2:]} "
            "instead."
        )


def check_detectors(committee, name):
    """Raise InvalidStateError unless every member has an ADWIN detector of this name."""
    detectors = committee.objects.get(name, [])
    if len(detectors) != len(committee) or not all(
        isinstance(detector, AdaptiveWindow) for detector in detectors
    ):
        raise InvalidStateError(f"every member must have an ADWIN window in column {name!r}")


def check_window(committee, window):
    """Raise InvalidStateError if a window has other features or classes than its committee."""
    shape = committee.n_features, committee.n_classes
    if window is not None and (window.n_features, window.n_classes) != shape:
        raise InvalidStateError(
            f"the window has {window.n_features} features and {window.n_classes} classes, but its "
            f"committee has {shape[0]} and {shape[1]}"
        )
