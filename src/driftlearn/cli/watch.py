"""The command ``driftlearn watch``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import click

from driftlearn.cli.command import FOLDER, Command, say

if TYPE_CHECKING:
    from driftlearn.inspection.inspection import Inspection

PORT = 8765


@click.command(cls=Command)
@click.argument("model", type=FOLDER)
@click.option("--web", is_flag=True, help="Show it in a browser instead, at 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
              help="Of the page; 0 takes one that is free.")  # fmt: skip
@click.option("--every", type=click.FloatRange(min=0.1), default=1.0, show_default=True,
              metavar="SECONDS", help="How often to look at the model.")  # fmt: skip
@click.option("--allow", multiple=True, metavar="PACKAGE", help="A package whose classes may be "
              "loaded; may be repeated.")  # fmt: skip
def watch(model: Path, web: bool, port: int, every: float, allow: tuple[str, ...]) -> None:
    """Watch a kept model while somebody else teaches it; Ctrl-C ends that.

    Nothing is locked: whoever learns is not disturbed.

    \b
      driftlearn watch model/
      driftlearn watch model/ --web
    """  # noqa: D301
    looked = ModelWatcher(model, allow)
    looked.now()  # a mistake is told at once
    try:
        if web:
            from driftlearn.cli.watch_web import serve

            serve(looked, port, every)
        else:
            _on_screen(looked, every)
    except KeyboardInterrupt:
        say("", err=True)


class ModelWatcher:
    """A kept model, looked at again when its file is another.

    Parameters
    ----------
    folder : Path
        The state folder.
    allow : tuple of str
        Packages whose classes may be loaded.
    """

    def __init__(self, folder: Path, allow: tuple[str, ...] = ()):
        self.folder = folder
        self.allow = allow
        self._seen: tuple[int, int] | None = None
        self._found: Inspection | None = None

    def now(self) -> Inspection:
        """Return what is known of the model: the same object as long as that is the same.

        A file that is gone, or cannot be read, for a moment, is looked at the next time.
        """
        from driftlearn.cli.inspect import inspection_of
        from driftlearn.ops.checkpoint.saved_model import MODEL

        path = self.folder / MODEL
        if self._found is None:
            self._found = inspection_of(self.folder, self.allow)
        try:
            at = path.stat()
            state = at.st_mtime_ns, at.st_size
            if state != self._seen:
                self._found, self._seen = inspection_of(self.folder, self.allow), state
        except (OSError, ValueError):
            pass
        return self._found


def _on_screen(looked: ModelWatcher, every: float) -> None:
    """Show the model on the terminal; elsewhere a line whenever it is another."""
    from driftlearn.bench.report._inspection_terminal import live_view
    from driftlearn.bench.report._terminal import console

    screen = console()
    if not screen.is_terminal:
        _repeat(looked, every, lambda found: say(" ".join(found.sentences[1:])))
        return
    from rich.live import Live

    note = f"{looked.folder}; Ctrl-C ends this"
    with Live(console=screen, screen=True, auto_refresh=False) as live:
        _repeat(looked, every, lambda found: live.update(live_view(found, note), refresh=True))


def _repeat(looked: ModelWatcher, every: float, show: Callable[[Inspection], None]) -> None:
    shown = None
    while True:
        found = looked.now()
        if found is not shown:
            show(found)
            shown = found
        sleep(every)
