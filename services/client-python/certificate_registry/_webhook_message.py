from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union

from ._certificate import Certificate, as_certificate, parse_json


class ShortCertificate(TypedDict):
    """The certificate of a message in format v1."""

    id: str
    serial: str


class FullMessage(TypedDict):
    """A message in format v2, with the certificate after the change or, in a redelivery, in its current state.

    event: a name of INTERFACE.md §6, to which a later release may add others
    shop: the store's domain on the storefront platform
    """

    version: Literal[2]
    event: str
    shop: str
    occurredAt: str
    certificate: Certificate


class ShortMessage(TypedDict):
    """A message in format v1, with only the certificate's id and serial number."""

    version: Literal[1]
    event: str
    shop: str
    occurredAt: str
    certificate: ShortCertificate


WebhookMessage = Union[FullMessage, ShortMessage]
"""A webhook message (INTERFACE.md §4.2)."""


def is_test_message(message: WebhookMessage) -> bool:
    """Returns whether a message is a test, whose certificate is a sample that must not be stored."""
    return message["certificate"]["id"].startswith("smp_")


def parse_message(raw_body: bytes) -> Optional[WebhookMessage]:
    """Parses a message. Returns None if the body is not a message in format v1 or v2."""
    value = parse_json(raw_body)
    if not isinstance(value, dict):
        return None
    if not isinstance(value.get("event"), str) or not isinstance(value.get("occurredAt"), str):
        return None
    version, certificate = value.get("version"), value.get("certificate")
    if version == 2 and as_certificate(certificate) is not None:
        full: FullMessage = value  # type: ignore[assignment]
        return full
    if version != 1 or not isinstance(certificate, dict):
        return None
    if not isinstance(certificate.get("id"), str) or not isinstance(certificate.get("serial"), str):
        return None
    short: ShortMessage = value  # type: ignore[assignment]
    return short
