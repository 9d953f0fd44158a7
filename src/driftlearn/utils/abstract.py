"""What is said where a subclass lacks a method that it must write."""

from __future__ import annotations


def unwritten(owner: object, hook: str, duty: str) -> NotImplementedError:
    """Return the error for a class that does not write a hook.

    Parameters
    ----------
    owner : object
        Whose class should have written it.
    hook : str
        The method with its arguments.
    duty : str
        What it must do, as a verb and what follows it.

    Examples
    --------
    >>> raise unwritten(3, "_learn(chunk)", "learn a chunk")
    Traceback (most recent call last):
    NotImplementedError: the class int must write _learn(chunk), to learn a chunk
    """
    return NotImplementedError(f"the class {type(owner).__name__} must write {hook}, to {duty}")
