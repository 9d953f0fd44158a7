"""Whether models, numbers and windows are such as a committee can have."""

from driftlearn.base._online_model import OnlineModel
from driftlearn.io.schema import InvalidStateError


def check_new(committee, model, row):
    """Raise, before anything has changed, if a model cannot be admitted with this row."""
    if not isinstance(model, OnlineModel):
        raise TypeError(
            f"a member must be an online model, as _new_model() makes one; got {model!r:.60}"
        )
    if (model.n_features, model.n_classes) != (committee.n_features, committee.n_classes):
        raise ValueError(
            f"a model of {model.n_features} features and {model.n_classes} classes for a "
            f"committee of {committee.n_features} and {committee.n_classes}"
        )
    for name in committee.columns:
        float(row.get(name, 0.0))


def check_columns(committee, columns):
    """Raise ValueError unless the table of a committee has these columns, in this order."""
    if committee.columns[2:] != tuple(columns):
        raise InvalidStateError(
            f"a committee that keeps {committee.columns[2:]} of its members, not {columns}"
        )


def check_window(committee, window):
    """Raise ValueError if a window is of another problem than the committee it is kept for."""
    if window is not None and (window.n_features, window.n_classes) != (
        committee.n_features,
        committee.n_classes,
    ):
        raise InvalidStateError("a window of other features or classes than its committee")
