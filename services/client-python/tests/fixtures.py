"""Certificates, a clock, and a server whose replies a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional
from unittest import TestCase

from certificate_registry import Certificate, RegistryClient


def time_at(second: int) -> str:
    """Returns a time in ISO 8601. second: seconds since the start of 2026"""
    time = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=second)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def certificate_fixture(id: str, second: int, **changes: Any) -> Certificate:
    """Returns a certificate. second: sets `issuedAt` and `updatedAt`; see `time_at`"""
    certificate: dict[str, Any] = {
        "id": id,
        "serial": "000001",
        "status": "active",
        "edition": None,
        "owner": {"name": "Ada", "email": "ada@example.test"},
        "originalBuyer": {"name": "Ada", "email": "ada@example.test"},
        "product": {"id": "1", "title": "Print", "variant": "", "sku": "P"},
        "order": {"id": "10", "name": "#1001"},
        "issuedAt": time_at(second),
        "updatedAt": time_at(second),
        "expiresAt": None,
        "revokedAt": None,
        "revokedReason": None,
        "verifyUrl": "https://registry.test/verify/x",
    }
    certificate.update(changes)
    return certificate  # type: ignore[return-value]


class FakeClock:
    """A clock that advances only through `sleep`, which returns immediately."""

    def __init__(self) -> None:
        self.sleeps: list[float] = []

    def now(self) -> float:
        return sum(self.sleeps)

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)


Reply = Callable[[BaseHTTPRequestHandler], None]


def reply_with(status: int, body: object, headers: Optional[Mapping[str, str]] = None) -> Reply:
    """Returns a reply with a body: bytes, or a JSON value."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    return reply


def fail_with(status: int, code: str, headers: Optional[Mapping[str, str]] = None) -> Reply:
    """Returns a reply with an error document."""
    return reply_with(status, {"error": code, "message": "It failed."}, headers)


def page_with(certificates: Sequence[Certificate], next_cursor: Optional[str] = None, epoch: str = "0") -> Reply:
    """Returns a reply with a page of certificates."""
    return reply_with(200, {"certificates": certificates, "next_cursor": next_cursor}, {"X-Feed-Epoch": epoch})


class Registry:
    """A server that gives these replies in turn; the last one answers all further requests."""

    def __init__(self, test: TestCase, replies: Sequence[Reply]) -> None:
        self.requests: list[tuple[str, Mapping[str, str]]] = []
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry.requests.append((self.path, dict(self.headers.items())))
                replies[min(len(registry.requests), len(replies)) - 1](self)

            def log_message(self, *_arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        test.addCleanup(server.server_close)
        test.addCleanup(server.shutdown)
        self.base_url = f"http://127.0.0.1:{server.server_port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]


def client_with(
    test: TestCase, replies: Sequence[Reply], path: str = "/", **options: Any
) -> tuple[RegistryClient, Registry, FakeClock]:
    """Creates a client of a server with these replies. path: of the base URL"""
    registry, clock = Registry(test, replies), FakeClock()
    options = {"api_key": "crk_test", "clock": clock, **options}
    return RegistryClient(registry.base_url + path, **options), registry, clock
