"""Error for subclasses that lack a required method."""


def unwritten(owner: object, hook: str, duty: str) -> NotImplementedError:
    """Return the error for a class that does not implement a method.

    Parameters
    ----------
    owner : object
        Instance of the class.
    hook : str
        Method with its arguments.
    duty : str
        What the method does, as an infinitive.

    Examples
    --------
    >>> raise unwritten(3, "_learn(chunk)", "learn a chunk")
    Traceback (most recent call last):
    NotImplementedError: the class int must implement _learn(chunk), to learn a chunk
    """
    return NotImplementedError(f"the class {type(owner).__name__} must implement {hook}, to {duty}")
