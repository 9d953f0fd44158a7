"""Access to the parameters of candidates as nested parameters."""

from collections.abc import Mapping
from typing import Any

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import takes_missing
from driftlearn.utils.arguments import Self

PREFIX = "candidates__"


class NestedParams(StreamClassifier):
    """Base class of classifiers with `candidates`, a dict of classifiers by name.

    Nested parameters are ``candidates__<name>`` and ``candidates__<name>__<parameter>``.
    """

    candidates: Any

    def _candidates(self) -> Mapping[str, Any]:
        """Return the candidates, or the default ones."""
        raise NotImplementedError

    def _takes_missing(self) -> bool:
        candidates = self._candidates()
        return isinstance(candidates, dict) and all(map(takes_missing, candidates.values()))

    def _validate_params(self) -> None:
        super()._validate_params()
        kind = type(self).__name__
        if self.candidates is not None and not self.candidates:
            raise ValueError(f"{kind}: 'candidates' must not be empty.")
        for name, classifier in (self.candidates or {}).items():
            if not isinstance(name, str):
                raise ValueError(
                    f"{kind}: keys of 'candidates' must be strings. "
                    f"Got {name!r} ({type(name).__name__})."
                )
            if isinstance(classifier, type) or not hasattr(classifier, "partial_fit"):
                raise ValueError(
                    f"{kind}: candidate {name!r} must be a classifier with partial_fit. "
                    f"Got {classifier!r:.80} instead."
                )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, also the candidates and their parameters."""
        found: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.candidates, dict):
            for name, candidate in self.candidates.items():
                found[f"{PREFIX}{name}"] = candidate
                nested = candidate.get_params() if hasattr(candidate, "get_params") else {}
                found.update({f"{PREFIX}{name}__{key}": nested[key] for key in nested})
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, candidates and their parameters, with names as in `get_params`."""
        nested = {key: params.pop(key) for key in [*params] if key.startswith(PREFIX)}
        super().set_params(**params)
        for key in sorted(nested, key=len):  # set a candidate before its parameters
            self._set_nested(key, nested[key])
        return self

    def _set_nested(self, key: str, value: Any) -> None:
        names = [*self.candidates] if isinstance(self.candidates, dict) else []
        matching = [name for name in names if f"{key}__".startswith(f"{PREFIX}{name}__")]
        if not matching:
            valid = ", ".join(map(repr, names)) or "none; set 'candidates' first"
            raise ValueError(
                f"Invalid parameter {key!r} for {type(self).__name__}. Its candidates are: {valid}."
            )
        name = max(matching, key=len)  # names may contain two underscores
        parameter = key[len(PREFIX) + len(name) + 2 :]
        if parameter:
            self.candidates[name].set_params(**{parameter: value})
        else:
            self.candidates = {**self.candidates, name: value}
