"""What all pages share: one file that needs no network, in light and dark and on paper."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from driftlearn.bench.report._concepts import colour_css
from driftlearn.bench.report._markup import pairs
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.safe_text import printable

#: The page may run and show what it holds, and load nothing from anywhere.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def document(
    title: str,
    lead: str,
    sections: Mapping[str, str],
    *,
    about: str = "",
    date: object = "",
    more: str = "",
    refresh: float | None = None,
) -> str:
    """Return a whole page as HTML.

    Parameters
    ----------
    title : str
        The heading.
    lead : str
        What the page says, in a few sentences.
    sections : mapping of str to str
        The parts by their headings, as HTML; those with nothing in them are left out.
    about : str
        What it is about, between heading and lead.
    date : str or date
        Of the page, behind that.
    more : str
        What stands above the contents, as HTML: a picture.
    refresh : float, optional
        Seconds after which a browser asks for the page again.
    """
    shown = {_ident(heading): (heading, html) for heading, html in sections.items() if html}
    links = "".join(f'<a href="#{ident}">{escape(h)}</a>' for ident, (h, _) in shown.items())
    body = "\n".join(
        f'<section aria-labelledby="{ident}"><h2 id="{ident}">{escape(heading)}</h2>\n{html}\n'
        "</section>"
        for ident, (heading, html) in shown.items()
    )
    name = escape(printable(title))
    below = escape(printable(about)) + (f" <time>{escape(str(date))}</time>" if date else "")
    soft = f'<p class="soft">{below}</p>\n' if below else ""
    again = "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh:g}">\n'
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{again}'
        f"<title>{name}</title>\n<style>\n{colour_css()}{_asset('page.css')}</style>\n"
        '</head>\n<body>\n<a class="skip" href="#main">Skip to the results</a>\n'
        f'<header>\n<h1>{name}</h1>\n{soft}<p class="lead">{escape(printable(lead))}</p>\n'
        f'{more}\n</header>\n<nav aria-label="Contents">{links}</nav>\n'
        f'<main id="main" tabindex="-1">\n{body}\n</main>\n'
        f'<div id="tip" role="status" hidden></div>\n<script>\n{_asset("page.js")}</script>\n'
        "</body>\n</html>\n"
    )


def write_document(path: str | Path, html: str) -> Path:
    """Write a page at one stroke, whatever its names are made of; return its path."""
    atomic_write(path, html.encode("utf-8", "backslashreplace"))
    return Path(path)


def made_by(command: str | None, facts: Mapping[str, str] | None, caption: str) -> str:
    """Return how and on what the contents of a page were made."""
    shown = "" if command is None else f"<pre tabindex=0><code>{escape(command)}</code></pre>\n"
    return shown + (pairs(facts, caption) if facts else "")


def _ident(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.lower()).split())


def _asset(name: str) -> str:
    return files("driftlearn.bench.report").joinpath(name).read_text("utf-8")
