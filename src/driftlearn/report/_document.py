"""What all pages share: one file that needs no network, in light and dark and on paper."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files

from driftlearn._safe_text import printable
from driftlearn.report._concepts import colour_css

#: The page may run and show what it holds, and load nothing from anywhere.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def document(title: str, head: str, sections: Mapping[str, str], extra: str = "") -> str:
    """Return a whole page as HTML.

    Parameters
    ----------
    title : str
        The heading.
    head : str
        What stands between it and the contents, as HTML.
    sections : mapping of str to str
        The parts by their headings, as HTML; those with nothing in them are left out.
    extra : str
        More for the head of the file.
    """
    shown = {_ident(heading): (heading, html) for heading, html in sections.items() if html}
    links = "".join(f'<a href="#{ident}">{escape(h)}</a>' for ident, (h, _) in shown.items())
    body = "\n".join(
        f'<section aria-labelledby="{ident}"><h2 id="{ident}">{escape(heading)}</h2>\n{html}\n'
        "</section>"
        for ident, (heading, html) in shown.items()
    )
    name = escape(printable(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{extra}'
        f"<title>{name}</title>\n<style>\n{colour_css()}{_asset('page.css')}</style>\n"
        '</head>\n<body>\n<a class="skip" href="#main">Skip to the results</a>\n'
        f'<header>\n<h1>{name}</h1>\n{head}</header>\n<nav aria-label="Contents">{links}</nav>\n'
        f'<main id="main" tabindex="-1">\n{body}\n</main>\n'
        f'<div id="tip" role="status" hidden></div>\n<script>\n{_asset("page.js")}</script>\n'
        "</body>\n</html>\n"
    )


def _ident(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.lower()).split())


def _asset(name: str) -> str:
    return files("driftlearn.report").joinpath(name).read_text("utf-8")
