from __future__ import annotations

from typing import Optional


class RegistryError(Exception):
    """Base class of the errors that requests raise.

    is_temporary: whether the same request can succeed later
    retry_after: how long to wait before the next attempt, in seconds; None if the service has not stated it
    """

    is_temporary: bool
    retry_after: Optional[float]


class ApiError(RegistryError):
    """A response with a status other than 200, or without certificates, for example from a wrong base URL.

    status: HTTP status
    code: a code of INTERFACE.md §7, to which a later release may add others; `unexpected_response` for a response that
        does not come from the service, such as a proxy's error page
    request_id: the `X-Request-Id` of the response, to quote when you contact support; None if the response has none
    """

    def __init__(
        self, *, status: int, code: str, message: str, request_id: Optional[str], retry_after: Optional[float]
    ) -> None:
        quote = "" if request_id is None else f", request {request_id}"
        super().__init__(f"{message} ({status} {code}{quote})")
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after
        self.is_temporary = status in (408, 429) or status >= 500


class NoResponseError(RegistryError):
    """The connection failed, or no complete response arrived in time; `__cause__` is the underlying error."""

    is_temporary = True
    retry_after = None
