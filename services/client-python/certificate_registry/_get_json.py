from __future__ import annotations

import socket
from dataclasses import dataclass
from datetime import datetime, timezone
from email.message import Message
from http.client import HTTPException, HTTPResponse, IncompleteRead
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._certificate import parse_json
from ._clock import Clock
from ._errors import ApiError, NoResponseError, RegistryError
from ._retry_delay import parse_retry_after, retry_delay

# A page has at most 100 certificates of about 20 KiB.
_BODY_BYTES_MAX = 32 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
# A host name that does not exist is usually misspelt, and seldom a fault of DNS that ends by itself.
_UNKNOWN_HOST_ATTEMPTS_MAX = 3


@dataclass(frozen=True)
class Transport:
    """Settings for all requests of a client.

    timeout: time limit of connecting, of each wait for bytes and, from the start of an attempt, of the body, in seconds
    max_wait: the latest start of a retry, in seconds after the start of the first attempt
    """

    api_key: str
    clock: Clock
    timeout: float
    max_wait: float


class _NoRedirects(HTTPRedirectHandler):
    # urllib would send the API key to the host that a redirect names.
    def redirect_request(self, *_arguments: object) -> None:
        return None


_opener = build_opener(_NoRedirects)


def get_json(transport: Transport, url: str) -> tuple[object, Message]:
    """Sends a GET request. After a temporary failure, waits for the time from `retry_delay` and tries again, unless the
    next attempt would start more than `max_wait` after the first. A host name that does not exist is tried only three
    times.

    Returns the parsed body, None if it is not JSON, and the headers. Raises the RegistryError of the last attempt.
    """
    clock = transport.clock
    started_at = clock.now()
    attempt = 1
    while True:
        try:
            return _attempt_once(transport, url)
        except RegistryError as error:
            if attempt >= _UNKNOWN_HOST_ATTEMPTS_MAX and _is_unknown_host(error.__cause__):
                raise
            wait = retry_delay(error, attempt)
            if wait is None or clock.now() - started_at + wait > transport.max_wait:
                raise
        clock.sleep(wait)
        attempt += 1


def _attempt_once(transport: Transport, url: str) -> tuple[object, Message]:
    headers = {"Accept": "application/json", "Authorization": f"Bearer {transport.api_key}"}
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    deadline = transport.clock.now() + transport.timeout
    try:
        try:
            with _opener.open(Request(url, headers=headers), timeout=transport.timeout) as response:
                return parse_json(_read(response, transport.clock, deadline)), response.headers
        except HTTPError as error:
            with error:
                raise _error_of(error, _read(error.fp, transport.clock, deadline)) from None
    except (OSError, HTTPException) as cause:
        # urllib wraps the errors of connecting.
        is_late = isinstance(cause, socket.timeout) or isinstance(getattr(cause, "reason", None), socket.timeout)
        message = f"no complete response within {transport.timeout:g} s" if is_late else "the connection failed"
        if _is_unknown_host(cause):
            message = "the host name does not exist, check the base URL"
        raise NoResponseError(f"{message}: {origin}") from cause


def _is_unknown_host(error: object) -> bool:
    reason = getattr(error, "reason", None)
    # Not every platform has EAI_NODATA.
    codes = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None))
    return isinstance(reason, socket.gaierror) and reason.errno in codes


def _read(response: object, clock: Clock, deadline: float) -> bytes:
    """Reads a body of bounded length. The time limit of the socket alone would hold for each piece of it only."""
    assert isinstance(response, HTTPResponse)
    # Some versions of Python end `read1` silently when the connection breaks, others leave `length` as it was.
    length, body = response.length, bytearray()
    while length is None or len(body) < length:
        chunk = response.read1(_CHUNK_BYTES)
        if not chunk and length is not None:
            raise IncompleteRead(bytes(body), length - len(body))
        if not chunk:
            break
        body += chunk
        if len(body) > _BODY_BYTES_MAX:
            raise HTTPException("the body is too long")
        if clock.now() > deadline:
            raise socket.timeout
    return bytes(body)


def _error_of(response: HTTPError, body: bytes) -> ApiError:
    document = parse_json(body)
    members = document if isinstance(document, dict) else {}
    code, message = members.get("error"), members.get("message")
    is_ours = isinstance(code, str) and isinstance(message, str)
    return ApiError(
        status=response.code,
        code=str(code) if is_ours else "unexpected_response",
        message=str(message) if is_ours else f"the server responded with {response.code} {response.reason}".strip(),
        request_id=response.headers.get("X-Request-Id"),
        retry_after=parse_retry_after(response.headers.get("Retry-After"), datetime.now(timezone.utc)),
    )
