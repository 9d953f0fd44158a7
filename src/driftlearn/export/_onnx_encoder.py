"""Nodes of a table encoder in an ONNX graph, and its description as JSON values."""

from typing import Any

import numpy as np

from driftlearn.export._fixed_trees import CannotExport
from driftlearn.export._onnx_graph import Graph
from driftlearn.preprocessing import TableEncoder
from driftlearn.preprocessing._columns import FIRST, OTHER, CategoryColumn, DateColumn

LARGEST = 1e75  # larger numbers are treated as missing; see `Knowledge.encoded`
DAY = 86_400_000_000  # microseconds
HOUR = 3_600_000_000
NAT = -(2**63)
MISSING = -1  # code of a missing category before it is encoded
TYPES = {"category": "STRING", "date": "INT64"}
# Days from the first of March of the year 0 to 1970, and in 400 years.
EPOCH, ERA = 719_468, 146_097


def encoded_columns(graph: Graph, encoder: TableEncoder) -> tuple[str, list[tuple[str, str, int]]]:
    """Add the nodes of an encoder; return the encoded rows and the inputs: name, type, width."""
    if encoder.scale or encoder.categories == "frequency":
        what = "scale=True" if encoder.scale else 'categories="frequency"'
        raise CannotExport(
            f"a TableEncoder with {what} cannot be exported. Train the pipeline without it."
        )
    known, native = encoder.known_, encoder.missing == "native"
    used = [each for each in known.columns if each.kind not in ("empty", "drop")]
    if not used:
        raise CannotExport("no column of the TableEncoder has values")
    inputs = [(input_name(each.name), TYPES.get(each.kind, "DOUBLE"), 1) for each in used]
    parts, indicators, begin = [], [], 0
    for column in known.columns:
        means = known.mean[begin : begin + column.width]
        begin += column.width
        name = input_name(column.name)
        if column not in used or (isinstance(column, DateColumn) and column.first is None):
            part = graph.repeated(inputs[0][0], np.full(column.width, np.nan))
        elif isinstance(column, CategoryColumn):
            part = _category(graph, column, name)
        elif isinstance(column, DateColumn):
            part = _date(graph, column, name)
        else:
            large = graph.node("Greater", graph.node("Abs", name), LARGEST)
            part = graph.node("Where", large, np.nan, name)
        first = graph.columns(part, [0])
        indicators.append(graph.cast(graph.node("IsNaN", first), "DOUBLE"))
        if not native:
            value = column.missing_as() if isinstance(column, CategoryColumn) else means
            part = graph.filled(part, value)
        parts.append(part)
    if begin < len(known.scaled):
        parts += indicators
    return graph.node("Concat", *parts, axis=1), inputs


def input_name(column: str) -> str:
    """Return the name of the input of a column; those of the outputs get an underscore."""
    return f"{column}_" if column in ("label", "probabilities") else column


def _category(graph: Graph, column: CategoryColumn, name: str) -> str:
    """Return the codes or the one-hot columns of a category, nan if it is missing."""
    places = graph.node(
        "LabelEncoder", name, domain="ai.onnx.ml", keys_strings=["", *column.places],
        values_int64s=[MISSING, *column.places.values()], default_int64=column.n_places,
    )  # fmt: skip
    gone = graph.node("Equal", places, np.array(MISSING))
    if column.encoding == "codes":
        rare = graph.node("Equal", places, np.array(column.n_places))
        codes = graph.node("Where", rare, np.array(OTHER - FIRST), places)
        found = graph.cast(graph.node("Add", codes, np.array(FIRST)), "DOUBLE")
    else:
        found = graph.cast(graph.node("Equal", places, np.arange(column.width)), "DOUBLE")
    return graph.node("Where", gone, np.nan, found)


def _date(graph: Graph, column: DateColumn, name: str) -> str:
    """Return the parts of a date; the calendar is computed as in C++'s `year_month_day`."""
    gone = graph.node("Equal", name, np.array(NAT))
    time = graph.node("Where", gone, np.array(0), name)

    def node(kind: str, *values: Any) -> str:
        return graph.node(kind, *(v if isinstance(v, str) else np.array(v) for v in values))

    def ratio(value: str, unit: int) -> str:
        return graph.node("Div", graph.cast(value, "DOUBLE"), float(unit))

    within = node("Mod", time, DAY)
    days = node("Div", node("Sub", time, within), DAY)
    from_march = node("Add", days, EPOCH)
    in_era = node("Mod", from_march, ERA)
    era = node("Div", node("Sub", from_march, in_era), ERA)
    leaps = node("Sub", node("Div", in_era, 36_524), node("Div", in_era, 1_460))
    leaps = node("Sub", leaps, node("Div", in_era, 146_096))
    year = node("Div", node("Add", in_era, leaps), 365)
    before = node("Sub", node("Div", year, 4), node("Div", year, 100))
    in_year = node("Sub", in_era, node("Add", node("Mul", year, 365), before))
    place = node("Div", node("Add", node("Mul", in_year, 5), 2), 153)
    start = node("Div", node("Add", node("Mul", place, 153), 2), 5)
    month = node("Add", node("Mod", node("Add", place, 2), 12), 1)
    is_new_year = graph.cast(node("Less", month, 3), "INT64")
    parts = {
        "year": node("Add", node("Add", year, is_new_year), node("Mul", era, 400)),
        "month": month,
        "day": node("Add", node("Sub", in_year, start), 1),
        "weekday": node("Mod", node("Add", days, 3), 7),
        "hour": ratio(within, HOUR),
        "age": ratio(node("Sub", time, column.first or 0), DAY),
    }
    found = [parts[part] for part in column.parts.split()]
    found = [graph.cast(part, "DOUBLE") for part in found]
    return graph.node("Where", gone, np.nan, graph.node("Concat", *found, axis=1))


def encoder_table(encoder: TableEncoder) -> dict[str, Any]:
    """Return how an encoder turns a table into the columns of a matrix, as JSON values."""
    known, begin, columns = encoder.known_, 0, []
    for column in known.columns:
        found: dict[str, Any] = {
            "column": column.name,
            "kind": column.kind,
            "features": [*range(begin, begin + column.width)],
            "mean": known.mean[begin : begin + column.width].tolist(),
        }
        begin += column.width
        if isinstance(column, CategoryColumn):
            found["encoding"] = column.encoding
            found["codes"] = {word: FIRST + k for word, k in column.places.items()}
            found |= {"other words": OTHER, "missing": column.missing_as()}
        elif isinstance(column, DateColumn):
            found |= {"parts": column.parts.split(), "first": column.first}
        columns.append(found)
    names = [str(name) for name in encoder.get_feature_names_out()]
    return {"missing": encoder.missing, "columns": columns, "features": names}
