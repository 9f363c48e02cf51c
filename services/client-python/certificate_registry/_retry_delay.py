from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Optional

from ._errors import RegistryError

_SHORTEST_SECONDS = 1.0
_LONGEST_BACKOFF_SECONDS = 10.0


def parse_retry_after(header: Optional[str], now: datetime) -> Optional[float]:
    """Parses a `Retry-After` header (RFC 9110, section 10.2.3).

    Returns the wait in seconds; None for a missing or an invalid header.
    """
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,9}", header):
        return float(header)
    # The parser of dates also accepts other texts.
    if not re.match("[A-Z][a-z]{2,8},? ", header):
        return None
    try:
        date = parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    # Without a zone, the time is in UTC.
    return max(0.0, (date.replace(tzinfo=date.tzinfo or timezone.utc) - now).total_seconds())


def retry_delay(error: RegistryError, attempt: int) -> Optional[float]:
    """Returns how long to wait before the next attempt: the time in the response's `Retry-After`, but at least one
    second; without this header, an exponential backoff from 1 s to 10 s.

    attempt: number of the failed attempt, from 1

    Returns seconds; None if another attempt is pointless.
    """
    if not error.is_temporary:
        return None
    if error.retry_after is not None:
        return max(_SHORTEST_SECONDS, error.retry_after)
    return min(_LONGEST_BACKOFF_SECONDS, _SHORTEST_SECONDS * 2.0 ** min(attempt - 1, 10))
