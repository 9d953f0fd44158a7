"""Base class of stateful estimators: a lock for changes, cheap clones, saving."""

import os
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from inspect import signature
from operator import is_
from threading import RLock
from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field
from driftlearn.utils.arguments import BaseEstimator, Self
from driftlearn.utils.other_names import LEARNER, WithOtherNames, WithOtherParameters

CREATION = RLock()  # held while an estimator gets its own lock
IMMUTABLE = {bool, int, float, str, type(None)}
# attributes that are neither copied nor saved
TRANSIENT = {"_lock", "_checked_params", "_bases", "_single_row", "_predicted"}
ROUTING = {"_sklearn_output_config", "_metadata_request"}  # attributes that `clone` also copies


class ThreadSafeEstimator(WithOtherNames, WithOtherParameters, BaseEstimator):
    """Estimator that only one thread at a time can modify.

    The lock is neither copied nor saved. ``STATE`` describes the attributes that a saved file
    holds.
    """

    STATE: ClassVar[dict[str, Field]] = {}
    OTHER_NAMES = LEARNER

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        compress: bool = False,
        allow: str | Iterable[str] = (),
        key: bytes | str | None = None,
    ) -> None:
        """Save the estimator to a file atomically; read it with `driftlearn.load`.

        Parameters
        ----------
        path : path
            The file; its folder must exist.
        compress : bool, default=False
            Compress the file. Saving takes longer.
        allow : str or iterable of str, default=()
            Packages besides driftlearn whose classes may be saved, such as "xgboost". `load` needs
            the same names.
        key : bytes or str, optional
            A secret of at least 16 bytes with which the file is signed.
        """
        from driftlearn import io

        io.save(self, path, compress=compress, allow=allow, key=key)

    def _locked(self) -> Any:
        """Return the lock that a thread holds while it changes this estimator."""
        lock = self.__dict__.get("_lock")
        if lock is None:
            with CREATION:
                lock = self.__dict__.setdefault("_lock", RLock())
        return lock

    @classmethod
    # scikit-learn reads the signature on each call, which takes longer than training on a row
    @cache
    def _get_param_names(cls) -> list[str]:
        return super()._get_param_names()

    def _validate_params(self) -> None:
        """Validate the parameters, unless none changed since the last validation."""
        known = self.__dict__
        now = [*map(known.get, self._get_param_names()), "classes_" in known]
        before = known.get("_checked_params", ())
        if len(now) != len(before) or not all(map(is_, now, before)):
            self._check_params()
            known["_checked_params"] = now

    def _check_params(self) -> None:
        """Raise ValueError for invalid parameters."""
        super()._validate_params()

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy.

        Plain parameters are passed on directly. scikit-learn's `clone` copies and compares each of
        them, which takes longer than training on a chunk.
        """
        params = self.get_params(deep=False)
        if IMMUTABLE.issuperset(map(type, params.values())) and not ROUTING & self.__dict__.keys():
            copy = type(self)(**params)
            if all(copy.__dict__.get(name, self) is params[name] for name in params):
                return copy
        return super().__sklearn_clone__()

    def _copied(self) -> Self:
        """Return an independent copy with the same state."""
        return deepcopy(self)

    def _draft(self, start: bool) -> Self:
        """Return a working copy to be modified; with `start`, it has only the parameters."""
        draft = object.__new__(type(self))
        values = self.__dict__.items()
        draft.__dict__ = {k: v for k, v in values if not (start and k.endswith("_"))}
        if not start:
            for name, value in draft.__dict__.items():
                if name.endswith("_") and hasattr(value, "draft"):
                    draft.__dict__[name] = value.draft()
            if "rng_" in draft.__dict__:
                draft.__dict__["rng_"] = copy_generator(draft.__dict__["rng_"])
        return draft

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """Return the default values of the parameters that have one."""
        params = signature(cls).parameters.values()
        return {each.name: each.default for each in params if each.default is not each.empty}

    def __or__(self, other: Any) -> Self:
        raise TypeError(
            "steps are not combined with |: use driftlearn.make_pipeline(first, ..., learner)."
        )

    __ror__ = __or__

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in TRANSIENT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state; parameters missing from older files are set to their defaults."""
        super().__setstate__(state)
        for name, default in self._defaults().items():
            self.__dict__.setdefault(name, default)
        self.__dict__["_lock"] = RLock()


def copy_generator(rng: np.random.Generator) -> np.random.Generator:
    """Return a copy of a random generator that draws the same numbers."""
    bits: Any = rng.bit_generator
    copy = type(bits)(bits.seed_seq)
    copy.state = bits.state
    return np.random.Generator(copy)
