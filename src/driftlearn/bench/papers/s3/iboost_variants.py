"""IBoost variants: equations as published, and alternative update and member rules."""

from dataclasses import KW_ONLY, dataclass

from driftlearn.ensemble.boosting.iboost import EngineOptions, IBoostClassifier


@dataclass(eq=False, repr=False)
class IBoostVariant(IBoostClassifier):
    """IBoost classifier with options that are varied in the experiments.

    In driftlearn 0.1.0, these were options of `IBoostClassifier`; model files of that version with
    a non-default option load as this class. The other parameters are those of `IBoostClassifier`.

    Parameters
    ----------
    rule : {"implicit", "printed"}, default="implicit"
        "printed" applies equations 13 and 14 literally, multiplied by `step` (by default 3e-4, or
        5e-5 for batch updates).
    margin_clip : float, default=5.0
        Bound to which margins are clipped with ``rule="printed"``, at most 500.
    add : {"on_error", "always", "never"}, default="on_error"
        When to add a member: when the ensemble errs, at every row, or only at the first row.
    update_when : {"always", "before_add", "never"}, default="always"
        When to update confidences: after every row, only before a member is added, or never.
    remove_negative : bool, default=True
        Whether to remove members with negative confidence; the others are updated after each
        removal.
    min_window : int, default=30
        Minimum size of the window with ``window_size="adwin"``.
    delta : float, default=0.002
        Confidence parameter of ADWIN.
    convention : {"coherent", "literal"}, default="coherent"
        "literal" uses the paper's equations as printed: a new member has twice the confidence,
        ``ln((1 - e) / e)`` (equation 3), and the weight of a row is ``exp(-y F)`` (equation 9), or
        ``exp(sum alpha [f != y])`` (equations 4, 15, 16) if confidences are never updated. Requires
        two classes and the exponential loss.
    resample : bool, default=False
        Train each member on an unweighted sample of the window's size, drawn with replacement by
        the row weights. Errors are computed on the weighted window in either case.
    """

    _: KW_ONLY
    rule: str = "implicit"
    margin_clip: float = 5.0
    add: str = "on_error"
    update_when: str = "always"
    remove_negative: bool = True
    min_window: int = 30
    delta: float = 0.002
    convention: str = "coherent"
    resample: bool = False

    _parameter_constraints = EngineOptions._parameter_constraints

    @property
    def _for_two(self) -> str:
        return 'convention="literal"' if self.convention == "literal" else ""
