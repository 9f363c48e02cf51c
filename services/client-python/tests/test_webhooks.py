from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from typing import Any
from unittest import TestCase

from certificate_registry import (
    BODY_BYTES_MAX,
    WebhookMessage,
    WebhookReceiver,
    verify_webhook,
)

from .fixtures import certificate_fixture, time_at

# The messages with which all receivers and libraries are tested.
VECTORS = Path(__file__).parents[3] / "deploy" / "receivers" / "test-vectors.json"
SECRET = "crs_" + "b" * 52


def signed(body: bytes, secret: str = SECRET) -> Mapping[str, str]:
    return {"X-Service-Signature": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}


def body_of(version: int, certificate: object) -> bytes:
    message = {"version": version, "event": "issued", "shop": "s.example", "occurredAt": time_at(4)}
    return json.dumps({**message, "certificate": certificate}).encode()


class Verification(TestCase):
    def setUp(self) -> None:
        vectors: Any = json.loads(VECTORS.read_text("utf-8"))
        self.secrets: list[str] = vectors["secrets"]
        self.messages: list[Any] = vectors["messages"]

    def test_accepts_exactly_the_published_messages_whose_expected_status_is_204(self) -> None:
        self.assertGreater(len(self.messages), 5)
        for message in self.messages:
            with self.subTest(message["name"]):
                expected = message["status"] == 204
                body, headers = message["body"].encode(), message["headers"]
                lower_case = {name.lower(): value for name, value in headers.items()}
                parsed = Message()
                for name, value in headers.items():
                    parsed[name] = value
                for given in (headers, lower_case, parsed):
                    self.assertIs(verify_webhook(body, given, [*self.secrets, ""]), expected)

    def test_accepts_the_value_of_the_header_in_place_of_the_headers_and_refuses_any_other_value(self) -> None:
        message = next(one for one in self.messages if one["status"] == 204)
        signature, secret, body = message["headers"]["X-Service-Signature"], self.secrets[0], message["body"]
        self.assertTrue(verify_webhook(body, signature, secret))
        for other in (None, "", "sha256=", signature[7:], signature + "0", signature + "\n", signature.upper()):
            self.assertFalse(verify_webhook(body, other, secret))
        self.assertFalse(verify_webhook(body, signature, ""))
        self.assertFalse(verify_webhook(body + " ", signature, secret))


class Receiver(TestCase):
    def setUp(self) -> None:
        self.received: list[Any] = []
        self.receiver = WebhookReceiver([SECRET, ""], self.received.append)

    def test_passes_verified_messages_on_and_refuses_the_others(self) -> None:
        short, full = body_of(1, {"id": "crt_1", "serial": "1"}), body_of(2, certificate_fixture("crt_2", 2))
        for body in (short, full):
            self.assertEqual(self.receiver.receive(body, signed(body)), 204)
            self.assertEqual(self.receiver.receive(body, signed(body, "another")), 401)
            self.assertEqual(self.receiver.receive(body, {}), 401)
        self.assertEqual([one["certificate"]["id"] for one in self.received], ["crt_1", "crt_2"])

    def test_refuses_a_body_that_is_not_a_message_or_too_long(self) -> None:
        for body in (
            b"\xff",
            b'"issued"',
            b"[" * 100_000,
            body_of(1, {"id": "crt_1"}),
            body_of(1, {"serial": "1"}),
            body_of(2, {"id": "crt_1", "serial": "1"}),
            body_of(3, {"id": "crt_1", "serial": "1"}),
        ):
            self.assertEqual(self.receiver.receive(body, signed(body)), 400)
        long = b" " * (BODY_BYTES_MAX + 1)
        self.assertEqual(self.receiver.receive(long, signed(long)), 413)
        self.assertEqual(self.received, [])

    def test_answers_500_and_reports_the_error_when_the_message_cannot_be_processed(self) -> None:
        body = body_of(1, {"id": "crt_1", "serial": "1"})
        errors: list[Exception] = []

        def failing(message: WebhookMessage) -> None:
            raise KeyError(message["event"])

        self.assertEqual(WebhookReceiver(SECRET, failing, errors.append).receive(body, signed(body)), 500)
        self.assertIsInstance(errors[0], KeyError)
        with self.assertLogs("certificate_registry", "ERROR"):
            self.assertEqual(WebhookReceiver(SECRET, failing).receive(body, signed(body)), 500)

    def test_requires_a_secret(self) -> None:
        missing: Any = None
        for secret in (missing, "", [], ["", ""]):
            with self.assertRaisesRegex(ValueError, "secret is missing"):
                WebhookReceiver(secret, print)

    def test_refuses_an_asynchronous_function_whose_message_would_be_lost(self) -> None:
        async def on_message(message: WebhookMessage) -> None:
            raise AssertionError(message)

        with self.assertRaisesRegex(TypeError, "asynchronous"):
            WebhookReceiver(SECRET, on_message)

    def test_answers_500_if_on_message_returns_a_coroutine_which_nothing_awaits(self) -> None:
        async def save(message: WebhookMessage) -> None:
            self.received.append(message)

        body = body_of(1, {"id": "crt_1", "serial": "1"})
        errors: list[Exception] = []
        receiver = WebhookReceiver(SECRET, lambda message: save(message), errors.append)
        self.assertEqual(receiver.receive(body, signed(body)), 500)
        self.assertRegex(str(errors[0]), "asynchronous")
        self.assertEqual(self.received, [])
