"""The compiled objects: models, windows and committees that online algorithms are made of."""

from driftlearn import _compiled as _compiled
