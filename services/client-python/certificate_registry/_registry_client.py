from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING, Optional
from urllib.parse import quote, urlsplit

from ._certificate import Certificate, as_certificate
from ._certificate_filter import CertificateFilter, PageQuery, query_string_of
from ._clock import Clock, SystemClock
from ._errors import ApiError
from ._get_json import Transport, get_json

if TYPE_CHECKING:
    # Type checkers know this module without its package; at run time, nothing imports it.
    from typing_extensions import Unpack

# The characters of a bearer token (RFC 6750, section 2.1).
_BEARER_TOKEN = "[A-Za-z0-9._~+/-]+=*"


@dataclass(frozen=True)
class CertificatePage:
    """One page of the list.

    certificates: least recently changed first
    next_cursor: None on the last page
    epoch: identifies the feed; changes when the feed is restored from a backup; None if the response has no epoch
    """

    certificates: list[Certificate]
    next_cursor: Optional[str]
    epoch: Optional[str]


class RegistryClient:
    """Reads the certificates of a store. Failed requests raise a RegistryError. Threads may share a client."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        max_wait: float = 120.0,
        clock: Optional[Clock] = None,
    ) -> None:
        """
        base_url: URL of the service, such as `https://registry.example`, with or without a path
        api_key: begins with `crk_`
        timeout: time limit of connecting, of each wait for bytes and, from the start of an attempt, of the body, in
            seconds
        max_wait: latest start of a retry, in seconds after the first attempt began; 0 disables retries
        clock: default: the system's clock; replace it in tests

        Raises ValueError for an invalid URL, or a key that is missing or cannot be sent.
        """
        # A key that was read from a file ends with a line break.
        key = api_key.strip() if isinstance(api_key, str) else ""
        if key == "":
            raise ValueError("api_key is missing or not a string: create an API key in the store's settings")
        # The key is a header: an invalid one would fail like a lost connection, and the request would be retried.
        if not re.fullmatch(_BEARER_TOKEN, key):
            raise ValueError(
                "api_key contains a character that no API key has: use a key from the store's settings as it is"
            )
        self._list_url = _list_url_of(base_url)
        self._transport = Transport(key, clock or SystemClock(), timeout, max_wait)

    def get(self, id: str) -> Certificate:
        """Requests one certificate, such as the one that a webhook message names.

        Raises ApiError with the code `not_found` if the store has no certificate with this id.
        """
        # An empty id would be the path of the list.
        if not isinstance(id, str) or id == "":
            raise ValueError("id is missing or not a string")
        body, headers = get_json(self._transport, f"{self._list_url}/{quote(id, safe='')}")
        certificate = as_certificate(body)
        if certificate is None:
            raise self._unexpected_response("a certificate", headers)
        return certificate

    def get_page(self, **query: Unpack[PageQuery]) -> CertificatePage:
        """Requests the first page of a query or, with `cursor`, the next page."""
        body, headers = get_json(self._transport, f"{self._list_url}?{query_string_of(query)}")
        page = _page_of(body, headers)
        if page is None:
            raise self._unexpected_response("a page of certificates", headers)
        return page

    def pages(self, *, limit: int = 100, **filter: Unpack[CertificateFilter]) -> Iterator[CertificatePage]:
        """Reads all pages of a query, one request per page, when the caller gets there."""
        page = self.get_page(limit=limit, **filter)
        yield page
        while page.next_cursor is not None:
            page = self.get_page(limit=limit, cursor=page.next_cursor)
            yield page

    def certificates(self, **filter: Unpack[CertificateFilter]) -> Iterator[Certificate]:
        """Reads all certificates that match a filter, least recently changed first."""
        for page in self.pages(**filter):
            yield from page.certificates

    def _unexpected_response(self, expected: str, headers: Message) -> ApiError:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(self._list_url))
        return ApiError(
            status=200,
            code="unexpected_response",
            message=f"{origin} did not respond with {expected}; check the base URL",
            request_id=headers.get("X-Request-Id"),
            retry_after=None,
        )


def _list_url_of(base_url: str) -> str:
    if not isinstance(base_url, str) or not re.match("https?://", base_url):
        raise ValueError("base_url must begin with https:// or http://")
    # urllib reports these errors like a lost connection, and the request would be retried.
    if not re.fullmatch("[!-~]+", base_url):
        raise ValueError("base_url contains a space or a character outside ASCII: percent-encode it")
    try:
        has_host = urlsplit(base_url).port != 0 and bool(urlsplit(base_url).hostname)
    except ValueError:
        has_host = False
    if not has_host:
        raise ValueError("base_url has no valid host and port")
    return base_url.rstrip("/") + "/v1/certificates"


def _page_of(body: object, headers: Message) -> Optional[CertificatePage]:
    members: dict[str, object] = body if isinstance(body, dict) else {}
    items, next_cursor = members.get("certificates"), members.get("next_cursor", 0)
    if not isinstance(items, list) or not isinstance(next_cursor, (str, type(None))):
        return None
    certificates = [one for one in map(as_certificate, items) if one is not None]
    if len(certificates) < len(items):
        return None
    return CertificatePage(certificates, next_cursor, headers.get("X-Feed-Epoch"))
