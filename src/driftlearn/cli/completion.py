"""The command ``driftlearn completion``, and fixes for click's shell classes."""

from typing import Any

import click
from click import shell_completion as completing

from driftlearn.cli.command import Command, echo

Item = completing.CompletionItem


@completing.add_completion_class
class Bash(completing.BashComplete):
    """Completion for Bash, which splits words at ``=`` and ``:`` and does not quote completions."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the complete words and the incomplete word, as typed."""
        before, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in [*before, incomplete]:
            if words and (word in ("=", ":") or words[-1].endswith(("=", ":"))):
                words[-1] += word
            else:
                words.append(word)
        return words[:-1], words[-1]

    def format_completion(self, item: Item[Any]) -> str:
        """Return the line for a completion, with spaces escaped for ``read`` and for the shell."""
        if item.type == "plain":
            item.value = item.value.replace(" ", r"\\ ")
        return super().format_completion(item)


class _WholeWord(completing.ShellComplete):
    """Base class for shells that replace the whole word, including ``--option=``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[Item[Any]]:
        """Return the completions, each prefixed with its option."""
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        for item in found if sign and option.startswith("--") else ():
            item.value = option + sign + item.value
        return found


@completing.add_completion_class
class Zsh(_WholeWord, completing.ZshComplete):
    """Completion for Zsh, which requires that ``compinit`` has run."""

    source_template = completing.ZshComplete.source_template.replace(
        "\n", "\n(( $+functions[compdef] )) || { autoload -U compinit; compinit -i }\n", 1
    )


@completing.add_completion_class
class Fish(_WholeWord, completing.FishComplete):
    """Completion for Fish; descriptions may contain commas."""

    source_template = completing.FishComplete.source_template.replace('split ","', 'split -m 1 ","')


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands, options and names in a shell.

    The names of learners, streams, papers and their tables are also completed. Add the line for
    your shell to ~/.bashrc or ~/.zshrc, or run the third line once:

    \b
      eval "$(driftlearn completion bash)"
      eval "$(driftlearn completion zsh)"
      driftlearn completion fish > ~/.config/fish/completions/driftlearn.fish
    """  # noqa: D301
    from driftlearn.cli.command import main

    complete = completing.get_completion_class(shell)
    assert complete is not None  # registered above
    echo(complete(main, {}, "driftlearn", "_DRIFTLEARN_COMPLETE").source())
