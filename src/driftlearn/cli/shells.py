"""How bash, zsh and fish are answered when they ask what may come next.

click's classes know the three shells; what is here is where an answer of theirs would be wrong.
"""

from __future__ import annotations

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
    """Bash, which breaks words at ``=`` and ``:`` and puts a name in as it is given."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is begun, and this one, as they were typed."""
        before, begun = super().get_completion_args()
        words: list[str] = []
        for word in [*before, begun]:
            if words and (word in ("=", ":") or words[-1].endswith(("=", ":"))):
                words[-1] += word
            else:
                words.append(word)
        return words[:-1], words[-1]

    def format_completion(self, item: Item[Any]) -> str:
        """Return the line on a name, whose spaces are quoted: for ``read``, and for the line."""
        if item.type == "plain":
            item.value = item.value.replace(" ", r"\\ ")
        return super().format_completion(item)


class _WholeWord(ShellComplete):
    """A shell that puts a name in the place of the whole word, so of ``--option=``, too."""

    def get_completions(self, args: list[str], incomplete: str) -> list[Item[Any]]:
        """Return what may come next, with the option that it is the value of."""
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        for item in found if sign and option.startswith("--") else ():
            item.value = option + sign + item.value
        return found


class Zsh(_WholeWord, ZshComplete):
    """Zsh, which completes nothing before its ``compinit`` has run."""

    source_template = ZshComplete.source_template.replace(
        "\n", "\n(( $+functions[compdef] )) || { autoload -U compinit; compinit -i }\n", 1
    )


class Fish(_WholeWord, FishComplete):
    """Fish, whose line on a name may have commas in it."""

    source_template = FishComplete.source_template.replace('split ","', 'split -m 1 ","')
