"""HTML pages of explanations and of importances over time."""

from driftlearn.bench.report._html import document, of_table
from driftlearn.bench.report._inspection import importance_chart
from driftlearn.bench.report._svg import bar_chart
from driftlearn.inspection.explanation import Explanation
from driftlearn.inspection.importance_record import ImportanceRecord
from driftlearn.utils.table import Table

MOST_BARS = 12
MOST_ROWS = 50  # explained rows on a page


def explanation_page(explanation: Explanation, title: str) -> str:
    """Return the page of an explanation as HTML.

    Parameters
    ----------
    explanation : Explanation
        The explanation; of more than 50 rows, the first ones.
    title : str
        The heading.
    """
    parts = {}
    for bars in explanation.bars(MOST_BARS)[:MOST_ROWS]:
        table = Table({"column": bars.labels, "contribution": bars.values})
        sizes = {label: abs(value) for label, value in zip(bars.labels, bars.values)}
        chart = bar_chart(sizes, alt="Sizes of contributions, the largest first")
        parts[bars.title] = chart + of_table(table, bars.title)
    lead = (
        f"The contributions of a row and the average add up to the {explanation.output} of its "
        f"predicted label. The average is that of {explanation.n_background} recent rows."
    )
    return document(title, lead, parts)


def importance_page(record: ImportanceRecord, title: str) -> str:
    """Return the page of importances over time as HTML."""
    lead = (
        "The mean change of the predicted probabilities when the value of a column is replaced by "
        "that of another recent row."
    )
    part = importance_chart(record) + of_table(record.table(), "Importances over time")
    return document(title, lead, {"Importances over time": part})
