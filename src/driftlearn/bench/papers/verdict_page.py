"""Page of all verdicts and index page, built from the other pages in a folder."""

import re
from pathlib import Path

from driftlearn.bench.papers import EXPERIMENTS
from driftlearn.bench.papers import page as rst
from driftlearn.bench.papers.claim import DECISIONS
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.paper import PAPERS, Paper, read_data

NOT_JUDGED, MEANS = "not judged", "by means alone: "
SEEDS = re.compile(r"^(One seed|\d+ seeds);", re.MULTILINE)


def rows(folder: Path) -> list[dict[str, str]]:
    """Return one row per statement of the papers, with the verdict on its page.

    Statements without a full-size page have no verdict. Verdicts from pages of earlier versions,
    which have no confidence interval, are marked as based on means only.
    """
    found = []
    for experiment in EXPERIMENTS:
        name = rst.file_name(Outcome(experiment, {}))
        page = folder / f"{name}.rst"
        judged = rst.read_claims(page) if page.exists() else {}
        for claim in experiment.claims:
            if claim.kind != "paper":
                continue
            row = judged.get(claim.text, {})
            if row.get("size"):
                row = {}
            verdict = row.get("verdict", NOT_JUDGED)
            found.append(
                {
                    "paper": _short(PAPERS[experiment.paper]),
                    "sentence": claim.sentence,
                    "judged as": claim.text,
                    "on": name,
                    "verdict": MEANS + verdict if row and "margin" not in row else verdict,
                    "figure": row.get("figure", ""),
                    "margin": row.get("margin", ""),
                    "likely cause": (claim.cause or "unknown")
                    if verdict == "does not hold"
                    else "",
                    "what would settle it": claim.settle if verdict != "holds" else "",
                }
            )
    return found


def summary(found: list[dict[str, str]]) -> str:
    """Return the number of statements that hold, with a separate count for means only."""
    judged = [row for row in found if row["verdict"] in DECISIONS]
    means = [row["verdict"] for row in found if row["verdict"].startswith(MEANS)]
    parts = [f"{rst.counted(judged)}."] if judged else []
    if means:
        hold = means.count(MEANS + "holds")
        parts.append(
            f"By means alone, without an interval over seeds: {hold} of {len(means)} hold."
        )
    rest = len(found) - len(judged) - len(means)
    if rest:
        parts.append(f"Not judged in the full size: {rest}.")
    return " ".join(parts)


def write_verdicts(folder: Path) -> Path:
    """Write the verdict page for the pages in a folder."""
    found = rows(folder)
    parts = [
        summary(found), "", rst.RULE, "",
        "This table has sentences of the papers only. Our bands around printed numbers, our "
        "variants and comparisons are on the pages and are not counted. A *likely cause* is a "
        "guess.", "",
        *rst.section("Changed after a verdict was seen"),
        *(f"* {change}" for change in read_data("changed_claims.json")), "",
    ]  # fmt: skip
    papers = dict.fromkeys(row["paper"] for row in found)
    by_paper = [[name, summary([r for r in found if r["paper"] == name])] for name in papers]
    parts += [*rst.section("By paper"), *rst.listed([["paper", "verdicts"], *by_paper])]
    names = list(found[0])
    parts += rst.section("Every statement")
    parts += rst.listed([names, *([_cell(row, name) for name in names] for row in found)])
    pages = dict.fromkeys(row["on"] for row in found if row["verdict"] != NOT_JUDGED)
    parts += [*rst.section("Made of"), *(_source(folder, page) for page in pages)]
    return rst.write_rst(folder / "verdicts.rst", "What the papers state, and what came out", parts)


def write_index(folder: Path) -> Path:
    """Write the index of the pages in a folder, with seeds and numbers of statements that hold."""
    found = rows(folder)
    pages = sorted(page.stem for page in folder.glob("s[0-9]*.rst"))
    lines = [["item", "seeds", "what the paper states"]]
    for page in pages:
        content = (folder / f"{page}.rst").read_text("utf-8")
        seeds = SEEDS.search(content)
        n_seeds = seeds[1].split()[0].replace("One", "1") if seeds else ""
        stated = [row for row in found if row["on"] == page]
        size = "Reduced size. " if rst.REDUCED in content else ""
        lines.append([f":doc:`{page}`", n_seeds, size + (summary(stated) if stated else "")])
    parts = [
        "Each page was written by the command on it. Published numbers are shown beside ours; "
        "where they differ,", "the page gives the reason if it is known. Only statements of the "
        "papers are counted;", ":doc:`verdicts` has them in one table.", "",
        summary(found), "", *rst.listed(lines), ".. toctree::", "   :hidden:", "",
        *(f"   {page}" for page in ("verdicts", *pages)),
    ]  # fmt: skip
    return rst.write_rst(folder / "index.rst", "Tables and figures, reproduced", parts)


def _cell(row: dict[str, str], name: str) -> str:
    return f":doc:`{row[name]}`" if name == "on" else rst.escaped(row[name])


def _source(folder: Path, page: str) -> str:
    """Return the provenance of a page: seeds, versions and, if recorded, the code digest."""
    content = (folder / f"{page}.rst").read_text("utf-8")
    seeds = SEEDS.search(content)
    found = re.findall(r"^\* (driftlearn|kernels|code): (.*)$", content, re.MULTILINE)
    facts = {"code": "not noted", **dict(found)}
    words = [seeds[1].lower()] if seeds else []
    return f"* :doc:`{page}`: {', '.join([*words, *(f'{k} {v}' for k, v in facts.items())])}"


def _short(paper: Paper) -> str:
    """Return the short citation of a paper.

    Examples
    --------
    >>> _short(PAPERS["S1"]), _short(PAPERS["S3"])
    ('Sun et al. 2018', 'Grbovic and Vucetic 2011')
    """
    first, *more = paper.people.split(", ")
    return f"{first} et al. {paper.year}" if more else f"{paper.people} {paper.year}"
