"""The settings of a learner's own paper, where its defaults are others."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import clone

if TYPE_CHECKING:
    from typing_extensions import Self


class Published:
    """What a learner's own paper set otherwise than the defaults, in `PUBLISHED`.

    Defaults are what did best over the streams of the panel that are for choosing.
    """

    PUBLISHED: ClassVar[dict[str, Any]] = {}

    @classmethod
    def as_published(cls, *args: Any, **params: Any) -> Self:
        """Return the learner with the settings of its own paper instead of the defaults.

        Parameters
        ----------
        *args, **params
            What the constructor takes; it is set besides, or in the place of the paper's. An
            `estimator` of None is the paper's.

        Examples
        --------
        >>> from driftlearn import DWMClassifier
        >>> DWMClassifier.as_published(period=20)
        DWMClassifier(estimator=GaussianNBClassifier(), period=20, vote='majority')
        """
        kept = {name: clone(value, safe=False) for name, value in cls.PUBLISHED.items()}
        given = signature(cls).bind_partial(*args, **params).arguments
        if given.get("estimator") is None:
            given.pop("estimator", None)
        return cls(**{**kept, **given})

    @classmethod
    @cache  # to read a signature costs as much as to copy what was learned
    def _parameters(cls) -> frozenset[str]:
        return frozenset(signature(cls).parameters)

    @classmethod
    def _of_old(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state with the paper's settings, where it is older than other defaults.

        All that were given others then have been given `class_weight` as well.
        """
        newer = {*cls.PUBLISHED, *({"class_weight"} & cls._parameters())}
        if newer <= state.keys():
            return state
        old = {**cls.as_published().__dict__, **state}
        if old.get("estimator") is None and "estimator" in cls.PUBLISHED:
            old["estimator"] = clone(cls.PUBLISHED["estimator"])
        return {name: old[name] for name in old if name in state or name in cls.PUBLISHED}
