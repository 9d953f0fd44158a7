"""Pages for the outcome of an experiment: documentation page and self-contained HTML file."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

from driftlearn.bench.papers.claim import DECISIONS, KINDS
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.setting import ORIGINS, settings_table
from driftlearn.bench.report._html import document, made_by, of_table, pairs, write_document
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.show_versions import versions
from driftlearn.utils.table import Table

REDUCED = (
    "Reduced size: less than the paper ran, so the numbers are not to be held against its own."
)
RULE = (
    "A statement holds if the 95 % interval over seeds of every part of it lies above 0, and does "
    "not hold if one lies below, corrected for their number; *margin* is the part where that is "
    "least sure."
)


def file_name(outcome: Outcome) -> str:
    """Return the base name of the files for an outcome.

    Examples
    --------
    >>> from driftlearn.bench.papers import find
    >>> file_name(Outcome(find("S1", "table III")[0], {}))
    's1-table-iii'
    """
    text = f"{outcome.experiment.paper} {outcome.experiment.item}".lower()
    return "-".join("".join(c if c.isalnum() else " " for c in text).split())


def draw(outcome: Outcome, folder: Path) -> dict[str, list[str]]:
    """Draw the figures of an outcome as PNG and SVG; return the files of each."""
    import matplotlib.pyplot as plt

    found: dict[str, list[str]] = {}
    for name, function in outcome.experiment.figures.items():
        figure = function(outcome)
        if outcome.experiment.is_quick:
            figure.text(0.01, -0.02, REDUCED, va="top", color="#a8325e", fontsize=9)
        stem = "-".join([outcome.experiment.paper.lower(), *name.lower().split()])
        found[name] = [f"{stem}.png", f"{stem}.svg"]
        with plt.rc_context({"svg.hashsalt": stem, "svg.fonttype": "none"}):
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
    """Return metadata without dates and versions, so that equal figures give equal files."""
    return {"Date": None} if file.endswith(".svg") else {"Software": None}


def write_page(
    outcome: Outcome,
    folder: Path,
    n_seeds: int,
    command: str,
    machine: Mapping[str, str],
    figures: Mapping[str, list[str]],
) -> Path:
    """Write the page of an outcome: numbers, claims, figures, notes, machine and command."""
    experiment = outcome.experiment
    parts = [capital(escaped(experiment.title)) + ".", ""]
    parts += [f"**{REDUCED}**", ""] if experiment.is_quick else []
    parts += [
        "Written by this command, and changed by nothing else::", "", f"    {command}", "",
    ]  # fmt: skip
    parts += claim_sections(outcome.verdicts().to_dicts())
    for name, (png, _) in figures.items():
        parts += [
            *section(f"{capital(name)}, drawn"), f".. image:: {png}", f"   :alt: {name}", "",
        ]  # fmt: skip
    if outcome.results:
        parts += section("Accuracy")
        text = "in percent. *std* is over seeds, *chunk_std* over the chunks of a run."
        parts += [f"{seeds_of(n_seeds)}; {text}", "", *_table(outcome.table())]
    for heading, table in outcome.extra_tables().items():
        parts += [*section(capital(heading)), *_table(table)]
    parts += _settings(experiment)
    if experiment.notes:
        parts += section("Reasons and remarks")
        parts += [
            f"* **{escaped(k)}**: {escaped(reason)}" for k, reason in experiment.notes.items()
        ]
        parts.append("")
    parts += section("Made with")
    parts += [f"* {name}: {escaped(value)}" for name, value in facts(machine).items()]
    return write_rst(folder / f"{file_name(outcome)}.rst", str(experiment), parts)


def write_rst(path: Path, title: str, lines: Iterable[str]) -> Path:
    """Write a page as reStructuredText and return its path."""
    title = escaped(title)
    content = "\n".join([title, "=" * len(title), "", *lines])
    atomic_write(path, f"{content}\n".encode())
    return path


def facts(machine: Mapping[str, str]) -> dict[str, str]:
    """Return the section on the machine and the library versions."""
    found = versions()
    used = ("driftlearn", "kernels", "python", "numpy", "scikit-learn")
    return {**machine, **{name: found[name] for name in used}, "code": code_digest()}


def _settings(experiment: Experiment) -> list[str]:
    """Return the section on the origin of every setting."""
    words = "; ".join(f"*{origin}*: {what}" for origin, what in ORIGINS.items())
    return [
        *section("Settings, and where they come from"),
        f"{words}. What is not listed is the default of the library, and *ours*.", "",
        *_table(settings_table(experiment)),
    ]  # fmt: skip


def seeds_of(n_seeds: int) -> str:
    """Return the number of seeds in words."""
    return "One seed" if n_seeds == 1 else f"{n_seeds} seeds"


Rows = Sequence[Mapping[str, str]]


def by_origin(verdicts: Iterable[Mapping[str, str]]) -> tuple[Rows, Rows]:
    """Return the verdicts on statements of the paper, and the verdicts on other claims."""
    rows = [*verdicts]
    stated = [row for row in rows if row["kind"] == "paper"]
    return stated, [row for row in rows if row["kind"] != "paper"]


def claim_sections(verdicts: Sequence[Mapping[str, str]]) -> list[str]:
    """Return sections with the counted statements of the paper and with all other claims."""
    stated, others = by_origin(verdicts)
    size = ["size"] if any("size" in row for row in verdicts) else []
    found = {row["kind"] for row in others}
    kinds = "; ".join(f"*{kind}*: {what}" for kind, what in KINDS.items() if kind in found)
    parts = []
    if stated:
        table = _claims(stated, "verdict", "figure", "margin", *size, "sentence")
        parts += [*section("What the paper states"), f"{counted(stated)}. {RULE}", ""]
        parts += _table(table)
    if others:
        table = _claims(others, "kind", "verdict", "figure", "margin", *size)
        parts += [*section("Further claims, which are not counted"), f"{kinds}.", ""]
        parts += _table(table)
    return parts


def _claims(rows: Rows, *names: str) -> Table:
    return Table({name: [row[name] for row in rows] for name in ("claim", *names)})


def counted(rows: Iterable[Mapping[str, str]]) -> str:
    """Return the number of verdicts of each kind.

    Examples
    --------
    >>> counted([{"verdict": "holds"}, {"verdict": "undecided"}])
    'Of 2 statements 1 holds, 1 is undecided, 0 do not hold'
    """
    found = [row["verdict"] for row in rows]
    n = {decision: found.count(decision) for decision in DECISIONS}
    words = (
        f"{n['holds']} hold{'s' * (n['holds'] == 1)}",
        f"{n['undecided']} {'is' if n['undecided'] == 1 else 'are'} undecided",
        f"{n['does not hold']} do{'es' * (n['does not hold'] == 1)} not hold",
    )
    plural = "s" * (len(found) != 1)
    return f"Of {len(found)} statement{plural} {', '.join(words)}"


def read_claims(page: Path) -> dict[str, dict[str, str]]:
    """Return the claims in the tables of a page, by text.

    Claims on pages of earlier versions, which compared means, have no margin.
    """
    found: dict[str, dict[str, str]] = {}
    for block in page.read_text(encoding="utf-8").split(".. list-table::")[1:]:
        rows: list[list[str]] = []
        for line in block.splitlines():
            if line.startswith("   * -"):
                rows.append([])
            if line.startswith(("   * -", "     -")):
                rows[-1].append(re.sub(r"\\(.)", r"\1", line[6:].strip()))
        if rows[0][0] == "claim":
            names = ["verdict" if name == "holds" else name for name in rows[0]]
            found |= {row[0]: dict(zip(names, row)) for row in rows[1:]}
    return found


def capital(text: str) -> str:
    """Return text with its first letter capitalized."""
    return text[0].upper() + text[1:]


def section(title: str) -> list[str]:
    """Return a heading."""
    title = escaped(title)
    return [title, "-" * len(title), ""]


def _table(table: Table) -> list[str]:
    """Return a table as reStructuredText."""
    rows = [table.columns, *([row[name] for name in table.columns] for row in table)]
    return listed(map(_cell, row) for row in rows)


def listed(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return rows, of which the first contains the headings, as a reStructuredText table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {' ' if k else '*'} - {value}".rstrip() for k, value in enumerate(row)]
    return [*lines, ""]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.2f}"
    return escaped(str(value))


def escaped(value: str) -> str:
    """Return text with reStructuredText markup escaped."""
    return "".join("\\" + c if c in "*`|_\\" else c for c in value)


def write_html(
    outcome: Outcome,
    folder: Path,
    n_seeds: int,
    command: str,
    machine: Mapping[str, str],
    figures: Mapping[str, list[str]],
) -> Path:
    """Write the contents of `write_page` as HTML, with embedded figures and no network access."""
    experiment = outcome.experiment
    stated, others = by_origin(outcome.verdicts())
    lead = [capital(experiment.title), seeds_of(n_seeds), *([counted(stated)] if stated else [])]
    parts = {name.capitalize(): _figure(folder / files[0], name) for name, files in figures.items()}
    if stated:
        table = _claims(stated, "verdict", "figure", "margin", "sentence", *_size(stated))
        parts["What the paper states"] = of_table(table, "Claims")
    if others:
        words = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
        table = _claims(others, "kind", "verdict", "figure", "margin", *_size(others))
        note = f"<p>{escape(words)}.</p>"
        parts["Further claims, which are not counted"] = note + of_table(table, "Claims")
    if outcome.results:
        note = "<p>In percent; std is taken over seeds, chunk_std over the chunks of a run.</p>"
        parts["Accuracy"] = note + of_table(outcome.table(), "Accuracy, published and ours")
    for heading, table in outcome.extra_tables().items():
        parts[heading.capitalize()] = of_table(table, heading)
    parts["Settings"] = of_table(settings_table(experiment), "Settings, and where they come from")
    if experiment.notes:
        parts["Reasons and remarks"] = pairs(experiment.notes, "Reasons and remarks")
    parts["Made by"] = made_by(command, facts(machine), "Machine and versions")
    more = f"<p><strong>{REDUCED}</strong></p>" if experiment.is_quick else ""
    html = document(
        str(experiment), " ".join(f"{sentence}." for sentence in lead), parts, more=more
    )
    return write_document(folder / f"{file_name(outcome)}.html", html)


def _size(rows: Rows) -> list[str]:
    """Return the column of claims that need the full size, if there is one."""
    return ["size"] if any(row.get("size") for row in rows) else []


def _figure(path: Path, name: str) -> str:
    data = b64encode(path.read_bytes()).decode()
    return f'<figure><img alt="{escape(name)}, drawn" src="data:image/png;base64,{data}"></figure>'
