"""The command ``driftlearn completion``."""

import click

from driftlearn.cli.command import Command, echo


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in a shell.

    Names of learners, streams, papers and their tables are completed, too. Add the line for your
    shell to ~/.bashrc or ~/.zshrc, or run the third line once:

    \b
      eval "$(driftlearn completion bash)"
      eval "$(driftlearn completion zsh)"
      driftlearn completion fish > ~/.config/fish/completions/driftlearn.fish
    """  # noqa: D301
    from click.shell_completion import get_completion_class

    from driftlearn.cli import main

    complete = get_completion_class(shell)
    assert complete is not None  # registered in driftlearn.cli
    echo(complete(main, {}, "driftlearn", "_DRIFTLEARN_COMPLETE").source())
