from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Literal, Optional, TypedDict

CertificateStatus = Literal["active", "revoked", "expired"]
"""The state of a certificate (INTERFACE.md §3)."""

_STATUSES = ("active", "revoked", "expired")


class Person(TypedDict):
    """A person's name and e-mail address."""

    name: str
    email: str


class Product(TypedDict):
    """The product that a certificate is about."""

    id: str
    title: str
    variant: str
    sku: str


class Edition(TypedDict):
    """The number of a certificate in its edition."""

    number: int
    total: int
    formatted: str


class Order(TypedDict):
    """Both are None for a certificate that was issued without an order."""

    id: Optional[str]
    name: Optional[str]


class Certificate(TypedDict):
    """A certificate as the API and the webhook messages contain it (INTERFACE.md §2.1). Times are ISO 8601 in UTC.

    id: permanent and unique; store the certificate under it
    serial: zero-padded to at least six digits
    edition: None for a certificate without an edition number
    updatedAt: when the certificate last changed; unique within the store
    expiresAt: None if the certificate never expires
    """

    id: str
    serial: str
    status: CertificateStatus
    product: Product
    edition: Optional[Edition]
    order: Order
    owner: Person
    originalBuyer: Person
    issuedAt: str
    updatedAt: str
    expiresAt: Optional[str]
    revokedAt: Optional[str]
    revokedReason: Optional[str]
    verifyUrl: str


def status_at(certificate: Certificate, now: Optional[datetime] = None) -> CertificateStatus:
    """Returns the status of a copied certificate at the given time. Call it whenever you need the status: expiry leaves
    `updatedAt` unchanged and sends no message.

    now: a time with a zone; default: the current time
    """
    status, expires_at = certificate["status"], certificate["expiresAt"]
    if status != "active" or expires_at is None:
        return status
    # `fromisoformat` knows `Z` from Python 3.11 on.
    expiry = datetime.fromisoformat(expires_at.replace("Z", "+00:00"))
    return "expired" if expiry <= (now or datetime.now(timezone.utc)) else status


def parse_json(body: bytes) -> object:
    """Parses JSON in UTF-8; returns None for invalid JSON."""
    try:
        return json.loads(body.decode("utf-8-sig", "replace"))
    # Deeply nested JSON exceeds the recursion limit.
    except (ValueError, RecursionError):
        return None


def as_certificate(value: object) -> Optional[Certificate]:
    """Returns a parsed JSON value as a certificate; None if it is not one. Checks only the members on which the
    consistency of a copy depends; the contract guarantees the others.
    """
    if not isinstance(value, dict):
        return None
    is_certificate = (
        isinstance(value.get("id"), str)
        and isinstance(value.get("updatedAt"), str)
        and value.get("status") in _STATUSES
        and isinstance(value.get("expiresAt", 0), (str, type(None)))
    )
    certificate: Certificate = value  # type: ignore[assignment]
    return certificate if is_certificate else None
