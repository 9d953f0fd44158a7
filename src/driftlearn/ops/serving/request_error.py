"""What is said to a client whose request is refused."""

from __future__ import annotations


class RequestError(Exception):
    """A request that is refused as a whole: a status and one sentence.

    Parameters
    ----------
    status : int
        The status of the answer.
    sentence : str
        What is the matter and what to do.
    after : float, optional
        Seconds after which it may be tried again.
    """

    def __init__(self, status: int, sentence: str, after: float | None = None):
        super().__init__(sentence)
        self.status, self.sentence, self.after = status, sentence, after
