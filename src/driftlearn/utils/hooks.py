"""Hooks through which lower packages call functions of higher packages.

A package may import only packages below it. Methods such as `explain` of a learner or `plot` of a
result are implemented in a higher package; they look up the implementation here when called.
"""

from pkgutil import resolve_name
from typing import Any

#: Module and function of each hook.
HOOKS = {
    "explain": "driftlearn.inspection.explanation:Explanation",
    "tree_importances": "driftlearn.inspection.importances:tree_importances",
    "result_display": "driftlearn.bench.report._figures:ResultDisplay",
    "result_page": "driftlearn.bench.report._page:page",
    "figure_display": "driftlearn.bench.report._figures:FigureDisplay",
    "explanation_figure": "driftlearn.bench.report._figures:draw_explanation",
    "explanation_page": "driftlearn.bench.report._explanation:explanation_page",
    "history_figure": "driftlearn.bench.report._figures:draw_history",
    "importance_figure": "driftlearn.bench.report._figures:draw_importances",
    "importance_page": "driftlearn.bench.report._explanation:importance_page",
    "inspection_figure": "driftlearn.bench.report._figures:draw_inspection",
    "inspection_page": "driftlearn.bench.report._inspection:inspection_page",
    "write_document": "driftlearn.bench.report._html:write_document",
    "table_file": "driftlearn.ops.sources.table_file:TableFile",
    "names_files": "driftlearn.ops.sources.files:names_files",
}


def hook(name: str) -> Any:
    """Return the function or class registered for a hook.

    Examples
    --------
    >>> hook("explain").__name__
    'Explanation'
    """
    return resolve_name(HOOKS[name])
