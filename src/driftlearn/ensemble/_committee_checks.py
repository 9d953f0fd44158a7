"""Checks of the models and columns of a committee."""

from driftlearn.base._online_model import OnlineModel
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.io.schema import InvalidStateError


def check_new(committee, model, row):
    """Raise an error if a model cannot be added to a committee with these columns."""
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


def check_columns(committee, columns):
    """Raise InvalidStateError unless a committee has these columns besides id and created_at."""
    if committee.columns[2:] != tuple(columns):
        raise InvalidStateError(
            f"the committee must have the columns {tuple(columns)}, got {committee.columns[2:]}"
        )


def check_detectors(committee, name):
    """Raise InvalidStateError unless every member has an ADWIN detector of this name."""
    detectors = committee.objects.get(name, [])
    if len(detectors) != len(committee) or not all(
        isinstance(detector, AdaptiveWindow) for detector in detectors
    ):
        raise InvalidStateError(f"every member must have an ADWIN window {name!r}")


def check_window(committee, window):
    """Raise InvalidStateError unless a window has the features and classes of its committee."""
    shape = committee.n_features, committee.n_classes
    if window is not None and (window.n_features, window.n_classes) != shape:
        raise InvalidStateError(
            f"the window has {window.n_features} features and {window.n_classes} classes, but its "
            f"committee has {shape[0]} and {shape[1]}"
        )
