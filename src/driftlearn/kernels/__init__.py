"""The compiled functions: arrays in, arrays out, no state and no Python objects in the loops."""

from driftlearn import _compiled as _compiled
