"""The page of a result: one file that needs no network."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from driftlearn._table import Table
from driftlearn.report._charts import sections
from driftlearn.report._style import needs

CSS = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1f2328; --soft: #59636e;
  --line: #d8dee4; --band: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --page: #15181d; --ink: #e6e9ed; --soft: #9aa4af; --line: #343b44; --band: #1d2127; }
}
body { background: var(--page); color: var(--ink); margin: 0 auto; padding: 1.5rem 1.25rem 4rem;
  max-width: 72rem; font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .4rem; }
p { color: var(--soft); margin: .3rem 0; max-width: 46rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; text-align: left; }
th, td { padding: .35rem 1.4rem .35rem 0; border-bottom: 1px solid var(--line); }
td strong { background: var(--band); border-radius: 4px; padding: .1rem .3rem; margin: 0 -.3rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr));
  gap: .5rem 2rem; }
.grid > div { min-width: 0; }
h3 { font-size: .9rem; font-weight: 500; margin: .8rem 0 0; }
"""


def page(result: Any, path: str | Path, *, title: str | None = None) -> Path:
    """Write a result as one self-contained HTML page.

    Parameters
    ----------
    result : Result or RepeatedResult
        What to show: the summary with the best of each metric marked, accuracy, recall of every
        class, member weights, ensemble sizes, parameters and versions.
    path : str or Path
        Where to write it.
    title : str, optional
        The heading; by default stream and protocol.

    Returns
    -------
    Path
        The file.
    """
    try:
        from bokeh.embed import components
        from bokeh.resources import Resources
    except ImportError as error:
        raise needs("bokeh") from error
    parts = sections(result)
    script, places = components([chart for part in parts for chart in part.charts.values()])
    library = Resources(mode="inline", components=["bokeh"]).render_js()
    title = f"{result.stream}, {result.settings.get('protocol', '')}" if title is None else title
    body = [f"<h1>{escape(title)}</h1>", f"<p>{escape(_subtitle(result))}</p>"]
    body += [_heading("Summary", _legend(result)), _scroll(result.table()._repr_html_())]
    place = iter(places)
    for part in parts:
        body.append(_heading(part.heading, part.note) + '<div class="grid">')
        for name in part.charts:
            body.append(f"<div>{f'<h3>{escape(name)}</h3>' if name else ''}{next(place)}</div>")
        body.append("</div>")
    body += [_heading("Learners"), _scroll(_parameters(result.params)._repr_html_())]
    settings = {**result.settings, **result.versions}
    about = Table({"setting": list(settings), "value": [str(value) for value in settings.values()]})
    body += [_heading("Settings and versions"), _scroll(about._repr_html_())]
    html = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{CSS}</style>\n{library}\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n{script}\n</body>\n</html>\n"
    )
    path = Path(path)
    path.write_text(html, encoding="utf-8")
    return path


def _heading(text: str, note: str = "") -> str:
    return f"<h2>{escape(text)}</h2>" + (f"<p>{escape(note)}</p>" if note else "")


def _scroll(html: str) -> str:
    return f'<div class="scroll">{html}</div>'


def _subtitle(result: Any) -> str:
    chunks = len(result.rows(result.names[0]))
    parts = [f"{int(result.rows(result.names[0])[-1]):,} rows in {chunks:,} chunks"]
    parts.append(f"{len(result.names)} learners, {len(result.classes)} classes")
    if result.drifts:
        parts.append(f"{len(result.drifts)} known drifts")
    seeds = getattr(result, "seeds", None)
    if seeds:
        parts.append(f"{len(seeds)} seeds")
    return "; ".join(parts) + "."


def _legend(result: Any) -> str:
    over = "seeds" if hasattr(result, "seeds") else "chunks"
    return (
        f"accuracy: mean over chunks, std: over {over}; the other metrics from all test rows "
        "together; recovery: mean accuracy over the first 600 rows after a drift; seconds: "
        "learning and predicting; rows/s: learnt."
    )


def _parameters(params: dict[str, dict[str, Any]]) -> Table:
    keys = list(dict.fromkeys(key for values in params.values() for key in values))
    columns = {
        key: [str(values[key]) if key in values else "" for values in params.values()]
        for key in keys
    }
    return Table({"learner": list(params), **columns})
