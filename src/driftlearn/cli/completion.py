"""The command ``driftlearn completion``."""

from __future__ import annotations

import click

from driftlearn.cli.command import Command, say


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what teaches a shell to complete commands, options and names.

    Learners, streams, papers and their tables are among the names. Put one of these lines at the
    end of ~/.bashrc or ~/.zshrc, or run the third:

    \b
      eval "$(driftlearn completion bash)"
      eval "$(driftlearn completion zsh)"
      driftlearn completion fish > ~/.config/fish/completions/driftlearn.fish
    """  # noqa: D301
    from click.shell_completion import get_completion_class

    from driftlearn.cli import main

    made = get_completion_class(shell)
    assert made is not None  # click knows these three
    say(made(main, {}, "driftlearn", "_DRIFTLEARN_COMPLETE").source())
