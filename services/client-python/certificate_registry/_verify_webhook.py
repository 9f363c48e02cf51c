from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from typing import Protocol, Union

_HEADER_NAMES = ("x-service-signature", "x-service-signature-next", "x-service-signature-previous")


class RequestHeaders(Protocol):
    """Request headers: a dict, or what a framework has in its place. The letter case of names does not matter."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(
    raw_body: Union[bytes, str],
    signature: Union[str, RequestHeaders, None],
    secret: Union[str, Sequence[str]],
) -> bool:
    """Returns whether a webhook message was signed with one of the secrets. Compares in constant time.

    raw_body: the bytes as received, before any parsing; a string is encoded as UTF-8
    signature: the value of `X-Service-Signature`, or all headers of the request; with all headers, signatures made with
        the old or the new secret are accepted during a rotation
    secret: one or more secrets, exactly as displayed, including the prefix `crs_`
    """
    body = raw_body.encode("utf-8", "surrogatepass") if isinstance(raw_body, str) else raw_body
    given = [bytes.fromhex(digest) for text in _signatures_in(signature) for digest in _digest_in(text)]
    secrets = [secret] if isinstance(secret, str) else secret
    genuine = False
    for text in secrets:
        if text:
            digest = hmac.new(text.encode(), body, hashlib.sha256).digest()
            for one in given:
                genuine |= hmac.compare_digest(one, digest)
    return genuine


def _signatures_in(signature: Union[str, RequestHeaders, None]) -> list[str]:
    if signature is None:
        return []
    if isinstance(signature, str):
        return [signature]
    return [value for name, value in signature.items() if name.lower() in _HEADER_NAMES and isinstance(value, str)]


def _digest_in(signature: str) -> list[str]:
    """Returns the hexadecimal digest in `sha256=<hex>`; nothing for any other text."""
    match = re.fullmatch("sha256=([0-9a-f]{64})", signature)
    return [] if match is None else [match[1]]
