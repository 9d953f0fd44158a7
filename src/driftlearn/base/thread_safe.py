"""One call at a time may change an object, whatever threads there are; and it can be saved."""

from __future__ import annotations

import os
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from inspect import signature
from operator import is_
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

from driftlearn.io.schema import Field
from driftlearn.utils.randomness import copy_generator

if TYPE_CHECKING:
    from typing_extensions import Self

    from driftlearn.utils.typing import BaseEstimator
else:
    from sklearn.base import BaseEstimator

FIRST = RLock()  # held while an object gets its own
PLAIN = {bool, int, float, str, type(None)}
PASSING = {"_lock", "_looked_at", "_bases", "_single_row"}  # what is neither copied nor saved
ROUTED = {"_sklearn_output_config", "_metadata_request"}  # what else `clone` hands on


class ThreadSafeEstimator(BaseEstimator):
    """An estimator with a lock under which it is changed; the lock is neither copied nor saved."""

    STATE: ClassVar[dict[str, Field]] = {}

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        compress: bool = False,
        allow: str | Iterable[str] = (),
        key: bytes | str | None = None,
    ) -> None:
        """Save everything this knows to a file, at one stroke; `driftlearn.load` reads it.

        Parameters
        ----------
        path : path
            The file; its folder must exist.
        compress : bool, default=False
            Make the file smaller, and saving slower.
        allow : str or iterable of str, default=()
            Packages, besides driftlearn, whose classes may be saved, such as "xgboost". Loading
            needs the same names.
        key : bytes or str, optional
            A secret of at least 16 bytes with which the file is signed.
        """
        from driftlearn import io as persist

        persist.save(self, path, compress=compress, allow=allow, key=key)

    def _locked(self) -> Any:
        """Return the lock under which one call at a time changes this estimator."""
        lock = self.__dict__.get("_lock")
        if lock is None:
            with FIRST:
                lock = self.__dict__.setdefault("_lock", RLock())
        return lock

    @classmethod
    @cache  # scikit-learn reads the signature each time, which costs more than learning a row
    def _get_param_names(cls) -> list[str]:
        return super()._get_param_names()

    def _validate_params(self) -> None:
        """Have scikit-learn look at the parameters, unless they are those that passed before."""
        known = self.__dict__
        now = [*map(known.get, self._get_param_names()), "classes_" in known]
        passed = known.get("_looked_at", ())
        if len(now) != len(passed) or not all(map(is_, now, passed)):
            self._look_at_params()
            known["_looked_at"] = now

    def _look_at_params(self) -> None:
        """Raise where a parameter is none that is allowed."""
        super()._validate_params()

    def __sklearn_clone__(self) -> Self:
        """Return a copy that has learned nothing: where parameters are plain values, at once.

        scikit-learn's way, which copies and compares them all, costs more than learning a chunk.
        """
        params = self.get_params(deep=False)
        if PLAIN.issuperset(map(type, params.values())) and not ROUTED & self.__dict__.keys():
            copy = type(self)(**params)
            if all(copy.__dict__.get(name, self) is params[name] for name in params):
                return copy
        return super().__sklearn_clone__()

    def _copied(self) -> Self:
        """Return one that knows the same and goes its own way."""
        return deepcopy(self)

    def _draft(self, start: bool) -> Self:
        """Return a copy that may be spoiled; a new start keeps the parameters only."""
        draft = object.__new__(type(self))
        kept = (name for name in self.__dict__ if not (start and name.endswith("_")))
        draft.__dict__ = {name: self.__dict__[name] for name in kept}
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
        """Return the parameters that have a default, with it."""
        given = signature(cls).parameters.values()
        return {each.name: each.default for each in given if each.default is not each.empty}

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in PASSING}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state; parameters that came later than the file have their defaults."""
        super().__setstate__(state)
        for name, default in self._defaults().items():
            self.__dict__.setdefault(name, default)
        self.__dict__["_lock"] = RLock()
