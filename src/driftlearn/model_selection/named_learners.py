"""Learners in a dict, whose parameters are parameters of the estimator that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftlearn.base.stream_classifier import StreamClassifier

if TYPE_CHECKING:
    from typing_extensions import Self

PREFIX = "learners__"


class NamedLearners(StreamClassifier):
    """A classifier with `learners`, a dict: ``learners__name``, ``learners__name__parameter``."""

    learners: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` the learners and theirs, too."""
        found: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.learners, dict):
            for name, learner in self.learners.items():
                found[f"{PREFIX}{name}"] = learner
                theirs = learner.get_params() if hasattr(learner, "get_params") else {}
                found.update({f"{PREFIX}{name}__{key}": theirs[key] for key in theirs})
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and learners or theirs by the names that `get_params` gives them."""
        nested = {key: params.pop(key) for key in [*params] if key.startswith(PREFIX)}
        super().set_params(**params)
        for key in sorted(nested, key=len):  # a learner comes before its parameters
            self._set_of_learner(key, nested[key])
        return self

    def _set_of_learner(self, key: str, value: Any) -> None:
        names = [*self.learners] if isinstance(self.learners, dict) else []
        fitting = [name for name in names if f"{key}__".startswith(f"{PREFIX}{name}__")]
        if not fitting:
            told = ", ".join(map(repr, names)) or "none that was given: pass `learners` first"
            raise ValueError(f"{key} names no learner of {type(self).__name__}; it has {told}")
        name = max(fitting, key=len)  # names may contain the two underscores
        own = key[len(PREFIX) + len(name) + 2 :]
        if own:
            self.learners[name].set_params(**{own: value})
        else:
            self.learners = {**self.learners, name: value}
