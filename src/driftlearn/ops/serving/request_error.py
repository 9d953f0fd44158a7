"""The error that rejects a request."""


class RequestError(Exception):
    """A request that is rejected as a whole.

    Parameters
    ----------
    status : int
        The HTTP status.
    message : str
        What is wrong and what to do.
    retry_after : float, optional
        Seconds after which the client may try again.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None):
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after
