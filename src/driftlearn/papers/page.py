"""An experiment's outcome as a page of the documentation, written by the command that ran it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path

from driftlearn._table import Table
from driftlearn._versions import versions
from driftlearn.papers.outcome import Outcome
from driftlearn.persist import atomic_write


def file_name(outcome: Outcome) -> str:
    """Return a name for the files of an outcome.

    Examples
    --------
    >>> from driftlearn.papers import find
    >>> file_name(Outcome(find("S1", "table III")[0], {}))
    's1-table-iii'
    """
    text = f"{outcome.experiment.paper} {outcome.experiment.item}".lower()
    return "-".join("".join(c if c.isalnum() else " " for c in text).split())


def draw(outcome: Outcome, folder: Path) -> dict[str, list[str]]:
    """Draw an outcome's figures as PNG and SVG; return the files of each."""
    import matplotlib.pyplot as plt

    found = {}
    for name, function in outcome.experiment.figures.items():
        figure = function(outcome)
        stem = "-".join([outcome.experiment.paper.lower(), *name.lower().split()])
        found[name] = [f"{stem}.png", f"{stem}.svg"]
        with plt.rc_context({"svg.hashsalt": stem}):
            for file in found[name]:
                content = BytesIO()
                kind = file.rpartition(".")[2]
                figure.savefig(
                    content, format=kind, dpi=120, bbox_inches="tight", metadata=_dateless(file)
                )
                atomic_write(folder / file, content.getvalue())
        plt.close(figure)
    return found


def _dateless(file: str) -> dict[str, str | None]:
    """Leave out what would make two equal drawings different files."""
    return {"Date": None} if file.endswith(".svg") else {"Software": None}


def write_page(
    outcome: Outcome,
    folder: Path,
    n_seeds: int,
    command: str,
    machine: Mapping[str, str],
    figures: Mapping[str, list[str]],
) -> Path:
    """Write the page of an outcome: numbers, claims, figures, reasons, machine and command."""
    experiment = outcome.experiment
    title = _text(str(experiment))
    parts = [title, "=" * len(title), "", _capital(_text(experiment.title)) + ".", ""]
    parts += [
        "Written by this command, and changed by nothing else::", "", f"    {command}", "",
    ]  # fmt: skip
    verdicts = outcome.verdicts()
    if len(verdicts):
        hold = sum(row["holds"] == "holds" for row in verdicts)
        parts += _section("Claims")
        parts += [f"{hold} of {len(verdicts)} hold.", "", *_table(verdicts)]
    for name, (png, _) in figures.items():
        parts += [
            *_section(f"{_capital(name)}, drawn"), f".. image:: {png}", f"   :alt: {name}", "",
        ]  # fmt: skip
    if outcome.results:
        seeds = "One seed" if n_seeds == 1 else f"{n_seeds} seeds"
        parts += _section("Accuracy")
        parts += [
            f"{seeds}; in percent. *std* is over seeds, *chunk_std* over the chunks of a run.", "",
            *_table(outcome.table()),
        ]  # fmt: skip
    for heading, table in outcome.extra_tables().items():
        parts += [*_section(_capital(heading)), *_table(table)]
    if experiment.notes:
        parts += _section("Reasons and remarks")
        parts += [f"* **{_text(k)}**: {_text(reason)}" for k, reason in experiment.notes.items()]
        parts.append("")
    parts += _section("Made with")
    found = versions()
    used = ("driftlearn", "kernels", "python", "numpy", "scikit-learn")
    facts = {**machine, **{name: found[name] for name in used}}
    parts += [f"* {name}: {_text(value)}" for name, value in facts.items()]
    path = folder / f"{file_name(outcome)}.rst"
    atomic_write(path, ("\n".join(parts) + "\n").encode())
    return path


def write_index(folder: Path) -> Path:
    """Write the index of all pages in a folder: seeds, and how many claims hold."""
    rows: dict[str, list[str]] = {"item": [], "seeds": [], "claims that hold": []}
    pages = sorted(page for page in folder.glob("s[0-9]*.rst"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        seeds = re.search(r"^(One seed|\d+ seeds);", text, re.MULTILINE)
        holds = re.search(r"^(\d+ of \d+) hold\.$", text, re.MULTILINE)
        rows["item"].append(f":doc:`{page.stem}`")
        rows["seeds"].append(seeds[1].split()[0].replace("One", "1") if seeds else "")
        rows["claims that hold"].append(holds[1] if holds else "")
    title = "Tables and figures, reproduced"
    lines = [
        title, "=" * len(title), "",
        "Each page was written by the command that stands on it. Published numbers stand beside "
        "ours; where one", "is not met the page says why, as far as that is known.", "",
        *_listed([[*rows], *zip(*rows.values())]),
    ]  # fmt: skip
    lines += [".. toctree::", "   :hidden:", "", *(f"   {page.stem}" for page in pages)]
    path = folder / "index.rst"
    atomic_write(path, ("\n".join(lines) + "\n").encode())
    return path


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _section(title: str) -> list[str]:
    title = _text(title)
    return [title, "-" * len(title), ""]


def _table(table: Table) -> list[str]:
    """Return a table as reStructuredText."""
    rows = [table.columns, *([row[name] for name in table.columns] for row in table)]
    return _listed(map(_cell, row) for row in rows)


def _listed(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return rows, the first of which are headings, as a table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {' ' if k else '*'} - {value}".rstrip() for k, value in enumerate(row)]
    return [*lines, ""]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.2f}"
    return _text(str(value))


def _text(value: str) -> str:
    """Return text with what reStructuredText would take for markup escaped."""
    return "".join("\\" + c if c in "*`|_\\" else c for c in value)
