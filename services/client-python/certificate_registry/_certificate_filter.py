from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Literal, TypedDict, Union
from urllib.parse import quote, urlencode

_PAGE_SIZE_MAX = 100


class CertificateFilter(TypedDict, total=False):
    """Which certificates to list; all members are optional and can be combined (INTERFACE.md §4.1).

    email: e-mail address of the current owner, in any letter case
    order: an order's name, such as `#1001`, or its numeric id
    updated_since: only certificates that changed after this time; a string must be ISO 8601 with a zone
    """

    email: str
    order: str
    serial: str
    status: Literal["active", "revoked", "expired", "all"]
    updated_since: Union[str, datetime]


class PageQuery(CertificateFilter, total=False):
    """A filter, and the page to return.

    limit: certificates per page, 1 to 100; default: 100
    cursor: `next_cursor` of the previous page; a cursor carries its filter, which need not be sent again
    """

    limit: int
    cursor: str


_NAMES = ("email", "order", "serial", "status", "updated_since", "limit", "cursor")


def query_string_of(query: Mapping[str, object]) -> str:
    """Returns the query string of a request.

    Raises TypeError for an unknown name, and ValueError for a time without a zone.
    """
    parameters = {"limit": str(_PAGE_SIZE_MAX)}
    for name, value in query.items():
        if name not in _NAMES:
            raise TypeError(f"{name} is not a filter of the list: use {', '.join(_NAMES)}")
        if isinstance(value, datetime):
            value = _text_of(name, value)
        if value is not None:
            parameters[name] = str(value)
    # `%20` rather than `+`, which the service takes for a plus sign.
    return urlencode(parameters, quote_via=quote, safe="")


def _text_of(name: str, time: datetime) -> str:
    if time.utcoffset() is None:
        raise ValueError(f"{name} has no time zone: pass a datetime such as datetime.now(timezone.utc)")
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
