"""Completion in bash, zsh and fish: corrections of click's classes for these shells."""

from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

Item = CompletionItem


class Bash(BashComplete):
    """Bash, which splits words at ``=`` and ``:`` and inserts completions without quoting."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the incomplete one, and that one, as typed."""
        before, incomplete = super().get_completion_args()
        words: list[str] = []
        for word in [*before, incomplete]:
            if words and (word in ("=", ":") or words[-1].endswith(("=", ":"))):
                words[-1] += word
            else:
                words.append(word)
        return words[:-1], words[-1]

    def format_completion(self, item: Item[Any]) -> str:
        """Return the line for a completion; spaces are escaped for ``read`` and for the shell."""
        if item.type == "plain":
            item.value = item.value.replace(" ", r"\\ ")
        return super().format_completion(item)


class _WholeWord(ShellComplete):
    """A shell that replaces the whole word, including ``--option=``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[Item[Any]]:
        """Return the completions, each with the option whose value it is."""
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        for item in found if sign and option.startswith("--") else ():
            item.value = option + sign + item.value
        return found


class Zsh(_WholeWord, ZshComplete):
    """Zsh, where completion requires that ``compinit`` has run."""

    source_template = ZshComplete.source_template.replace(
        "\n", "\n(( $+functions[compdef] )) || { autoload -U compinit; compinit -i }\n", 1
    )


class Fish(_WholeWord, FishComplete):
    """Fish; descriptions of completions may contain commas."""

    source_template = FishComplete.source_template.replace('split ","', 'split -m 1 ","')
