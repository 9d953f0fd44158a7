"""The same small table in every supported form, and rows for property tests."""

import numpy as np


def columns():
    """Return a column of every kind, with missing values, as plain lists."""
    from datetime import datetime, timedelta

    return {
        "whole": [1, 2, 3],
        "amount": [1.5, None, 2.0],
        "open": [True, False, True],
        "word": ["a", "b", None],
        "day": [datetime(2024, 1, 31), datetime(2024, 2, 1, 12), None],
        "written": ["2024-01-01", "2024-01-02T10:00", "2024-01-03"],
        "span": [timedelta(days=1), timedelta(days=2), None],
        "maybe": [True, None, False],
        "nothing": [None, None, None],
    }


KINDS = {
    "whole": "number",
    "amount": "number",
    "open": "boolean",
    "word": "category",
    "day": "date",
    "written": "date",
    "span": "number",
    "maybe": "boolean",
    "nothing": "empty",
}

FORMS = (
    "lists", "pandas", "nullable", "polars", "polars, categorical", "pyarrow", "batch",
    "dictionary", "series", "array",
)  # fmt: skip


def forms():
    """Return the table in every form, by name; requires pandas, polars and pyarrow."""
    import pandas
    import polars
    import pyarrow

    lists = columns()
    frame = pandas.DataFrame(lists)
    nullable = frame.assign(
        whole=frame["whole"].astype("Int64"),
        maybe=frame["maybe"].astype("boolean"),
        word=frame["word"].astype("category"),
        day=frame["day"].dt.tz_localize("UTC"),
    )
    coded = polars.DataFrame(lists, strict=False).with_columns(
        polars.col("word").cast(polars.Categorical)
    )
    table = pyarrow.table(lists)
    return {
        "lists": lists,
        "pandas": frame,
        "nullable": nullable,
        "polars": polars.DataFrame(lists, strict=False),
        "polars, categorical": coded,
        "pyarrow": table,
        "batch": table.to_batches()[0],
        "dictionary": table.set_column(3, "word", table["word"].dictionary_encode()),
        "series": {name: frame[name] for name in frame},
        "array": np.array([*lists.values()], dtype=object).T,
    }
