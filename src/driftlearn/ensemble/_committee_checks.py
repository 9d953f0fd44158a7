"""Checks of the models and columns of a committee."""

from driftlearn.base._online_model import OnlineModel
from driftlearn.io.schema import Field, InvalidStateError, a


def check_new(committee, model, row):
    """Raise an error if a model cannot be added to a committee with these columns."""
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


def committee_of(columns=None, kind="OnlineCommittee", **objects):
    """Return the schema field of a committee, or of an object of type `kind` with a committee.

    The field sets the sizes "members", "features" and "classes", which later fields must match.

    Parameters
    ----------
    columns : sequence of str, optional
        Required columns in addition to id and created_at; by default, any columns are accepted.
    kind : type or str
        The class of the value.
    **objects : type
        Classes of the objects that every member must have, by name.
    """
    is_kind = a(kind)

    def check(value, sizes):
        is_kind.check(value, sizes)
        committee = getattr(value, "committee", value)
        if columns is not None and committee.columns[2:] != tuple(columns):
            raise InvalidStateError(
                f"must have the columns {tuple(columns)}. Got {committee.columns[2:]}."
            )
        for name, each in objects.items():
            found = committee.objects.get(name, [])
            if [type(one) for one in found] != [each] * len(committee):
                raise InvalidStateError(f"must have an {each.__name__} {name!r} for each member.")
        sizes["members"] = len(committee)
        sizes["features"], sizes["classes"] = committee.n_features, committee.n_classes

    return Field(check)


def fitting(kind):
    """Return the schema field of a window or model that must match its committee's shape."""
    is_kind = a(kind)

    def check(value, sizes):
        is_kind.check(value, sizes)
        shape, expected = (value.n_features, value.n_classes), (sizes["features"], sizes["classes"])
        if shape != expected:
            raise InvalidStateError(
                f"must have {expected[0]} features and {expected[1]} classes, as its committee. "
                f"Got {shape[0]} and {shape[1]}."
            )

    return Field(check)
