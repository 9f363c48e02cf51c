from __future__ import annotations

import re
import socket
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler
from typing import Any
from unittest import TestCase, mock

from certificate_registry import ApiError, NoResponseError, RegistryClient
from certificate_registry._retry_delay import parse_retry_after

from .fixtures import (
    FakeClock,
    Registry,
    certificate_fixture,
    client_with,
    fail_with,
    page_with,
    reply_with,
)

ONE, TWO, THREE = (certificate_fixture(f"crt_{second}", second) for second in (1, 2, 3))
EMPTY = page_with([])


def break_off(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", "100")
    request.end_headers()
    request.wfile.write(b'{"certificates":[]')


def close_at_once(request: BaseHTTPRequestHandler) -> None:
    request.connection.shutdown(socket.SHUT_RDWR)


class Pages(TestCase):
    def test_iterates_over_all_pages_requesting_each_with_the_cursor_of_the_previous_one(self) -> None:
        client, registry, _ = client_with(self, [page_with([ONE, TWO], "c1"), page_with([], "c2"), page_with([THREE])])
        self.assertEqual(list(client.certificates(status="active")), [ONE, TWO, THREE])
        list_path = "/v1/certificates?limit=100"
        self.assertEqual(
            registry.paths, [f"{list_path}&status=active", f"{list_path}&cursor=c1", f"{list_path}&cursor=c2"]
        )
        self.assertEqual(registry.requests[0][1]["Authorization"], "Bearer crk_test")

    def test_requests_a_page_only_when_the_caller_reads_it(self) -> None:
        client, registry, _ = client_with(self, [page_with([ONE], "c1"), page_with([TWO])])
        self.assertEqual(next(client.certificates()), ONE)
        self.assertEqual(len(registry.requests), 1)

    def test_encodes_filters_and_keeps_the_page_size_and_a_path_in_the_base_url(self) -> None:
        client, registry, _ = client_with(self, [page_with([], "c"), EMPTY], "/registry/")
        since = datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
        list(client.pages(email="a b+c@example.test", order="#1001", updated_since=since, limit=7))
        self.assertEqual(
            registry.paths,
            [
                "/registry/v1/certificates?limit=7&email=a%20b%2Bc%40example.test&order=%231001"
                "&updated_since=1970-01-01T00%3A00%3A00.000Z",
                "/registry/v1/certificates?limit=7&cursor=c",
            ],
        )

    def test_refuses_an_unknown_filter_and_a_time_without_a_zone_without_a_request(self) -> None:
        client, registry, _ = client_with(self, [EMPTY])
        misspelt: Any = {"update_since": "2026-01-01T00:00:00Z"}
        with self.assertRaisesRegex(TypeError, "update_since is not a filter"):
            client.get_page(**misspelt)
        with self.assertRaisesRegex(ValueError, "updated_since has no time zone"):
            client.get_page(updated_since=datetime(2026, 1, 1))
        self.assertEqual(registry.requests, [])


class Errors(TestCase):
    def test_raises_an_error_with_code_request_id_and_message_at_once(self) -> None:
        for status, code in [(400, "bad_request"), (401, "unauthorized"), (403, "plan_required"), (418, "a_new_code")]:
            with self.subTest(code):
                client, _, clock = client_with(self, [fail_with(status, code, {"X-Request-Id": "req_1"})])
                with self.assertRaises(ApiError) as caught:
                    client.get_page()
                error = caught.exception
                self.assertEqual((error.status, error.code, error.request_id), (status, code, "req_1"))
                self.assertEqual((error.is_temporary, error.retry_after), (False, None))
                self.assertEqual(str(error), f"It failed. ({status} {code}, request req_1)")
                self.assertEqual(clock.sleeps, [])

    def test_reports_the_status_of_an_error_response_that_does_not_come_from_the_service(self) -> None:
        client, _, _ = client_with(self, [reply_with(404, b"<h1>Not here</h1>")])
        with self.assertRaises(ApiError) as caught:
            client.get_page()
        self.assertEqual(str(caught.exception), "the server responded with 404 Not Found (404 unexpected_response)")

    def test_rejects_a_successful_response_without_a_page(self) -> None:
        for body in [
            b"<h1>Welcome</h1>",
            {"certificates": [{}], "next_cursor": None},
            {"certificates": []},
            b"[" * 100_000,
        ]:
            client, registry, _ = client_with(self, [reply_with(200, body)])
            with self.assertRaisesRegex(ApiError, "check the base URL") as caught:
                client.get_page()
            self.assertEqual((caught.exception.status, caught.exception.code), (200, "unexpected_response"))
            self.assertEqual(len(registry.requests), 1)

    def test_requires_a_key_and_a_valid_base_url(self) -> None:
        for base_url, expected in [
            ("registry.test", "must begin with https:// or http://"),
            ("localhost:8080", "must begin with https:// or http://"),
            ("https://registry.test/a b", "contains a space"),
            ("https://registry.test\n", "contains a space"),
            ("https://registry.test:port", "no valid host and port"),
            ("https://", "no valid host and port"),
        ]:
            with self.subTest(base_url), self.assertRaisesRegex(ValueError, re.escape(expected)):
                RegistryClient(base_url, "crk_1")
        with self.assertRaisesRegex(ValueError, "api_key is missing"):
            RegistryClient("https://registry.test", " ")

    def test_refuses_a_key_that_cannot_be_sent_as_a_bearer_token_without_quoting_it(self) -> None:
        for api_key in ["crk_…", "crk_one two", "crk_1\ncrk_2", "“crk_1”", "Bearer crk_1"]:
            with self.subTest(api_key), self.assertRaises(ValueError) as caught:
                RegistryClient("https://registry.test", api_key)
            self.assertIn("api_key contains a character that no API key has", str(caught.exception))
            self.assertNotIn(api_key, str(caught.exception))

    def test_accepts_a_key_with_a_line_break_at_the_end_as_read_from_a_file(self) -> None:
        client, registry, _ = client_with(self, [EMPTY], api_key="crk_test\n")
        client.get_page()
        self.assertEqual(registry.requests[0][1]["Authorization"], "Bearer crk_test")


class OneCertificate(TestCase):
    def test_requests_one_certificate_by_its_id_percent_encoded_below_the_path_of_the_list(self) -> None:
        client, registry, _ = client_with(self, [reply_with(200, ONE)], "/registry")
        self.assertEqual(client.get("crt_1"), ONE)
        client.get("a/b?c=%#ü")
        self.assertEqual(
            registry.paths,
            ["/registry/v1/certificates/crt_1", "/registry/v1/certificates/a%2Fb%3Fc%3D%25%23%C3%BC"],
        )

    def test_raises_not_found_at_once_and_retries_a_temporary_failure(self) -> None:
        replies = [fail_with(404, "not_found"), fail_with(503, "unavailable"), reply_with(200, TWO)]
        client, _, clock = client_with(self, replies)
        with self.assertRaises(ApiError) as caught:
            client.get("crt_0")
        self.assertEqual((caught.exception.code, clock.sleeps), ("not_found", []))
        self.assertEqual(client.get("crt_2"), TWO)
        self.assertEqual(len(clock.sleeps), 1)

    def test_rejects_a_page_in_place_of_a_certificate_and_an_empty_id(self) -> None:
        client, registry, _ = client_with(self, [page_with([ONE])])
        with self.assertRaisesRegex(ApiError, "did not respond with a certificate; check the base URL"):
            client.get("crt_1")
        with self.assertRaises(ValueError):
            client.get("")
        self.assertEqual(len(registry.requests), 1)


class Retries(TestCase):
    def test_waits_after_a_temporary_failure_then_retries(self) -> None:
        for name, failure, wait in [
            ("a 429", fail_with(429, "rate_limited", {"Retry-After": "7"}), 7.0),
            ("a 503", fail_with(503, "unavailable", {"Retry-After": "2"}), 2.0),
            ("Retry-After: 0", fail_with(503, "unavailable", {"Retry-After": "0"}), 1.0),
            ("a 502 from a proxy", reply_with(502, b"bad gateway"), 1.0),
            ("a closed connection", close_at_once, 1.0),
            ("an incomplete response", break_off, 1.0),
        ]:
            with self.subTest(name):
                client, registry, clock = client_with(self, [failure, EMPTY])
                self.assertEqual(client.get_page().certificates, [])
                self.assertEqual((clock.sleeps, len(registry.requests)), ([wait], 2))

    def test_without_retry_after_doubles_the_wait_up_to_10_s_and_gives_up_before_max_wait(self) -> None:
        client, registry, clock = client_with(self, [close_at_once], max_wait=40.0)
        with self.assertRaisesRegex(NoResponseError, f"the connection failed: {registry.base_url}"):
            client.get_page()
        self.assertEqual(clock.sleeps, [1.0, 2.0, 4.0, 8.0, 10.0, 10.0])

    def test_gives_up_on_a_host_name_that_does_not_exist_after_three_attempts_and_says_so(self) -> None:
        clock = FakeClock()
        client = RegistryClient("http://registry.test", "crk_test", clock=clock)
        unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        with mock.patch("socket.getaddrinfo", side_effect=unknown):
            with self.assertRaisesRegex(NoResponseError, "the host name does not exist, check the base URL: http:"):
                client.get_page()
        self.assertEqual(clock.sleeps, [1.0, 2.0])

    def test_raises_at_once_on_a_429_whose_retry_after_exceeds_max_wait_and_reports_the_wait(self) -> None:
        client, _, clock = client_with(self, [fail_with(429, "rate_limited", {"Retry-After": "61"})], max_wait=60.0)
        with self.assertRaises(ApiError) as caught:
            client.get_page()
        error = caught.exception
        self.assertEqual((error.code, error.retry_after, error.is_temporary), ("rate_limited", 61.0, True))
        self.assertEqual(clock.sleeps, [])

    def test_gives_up_when_no_response_arrives_within_the_time_limit(self) -> None:
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        base_url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = RegistryClient(base_url, "crk_test", timeout=0.1, max_wait=0.0)
        with self.assertRaisesRegex(NoResponseError, f"no complete response within 0.1 s: {base_url}"):
            client.get_page()

    def test_gives_up_on_a_body_that_arrives_too_slowly(self) -> None:
        def drip(request: BaseHTTPRequestHandler) -> None:
            request.send_response(200)
            request.end_headers()
            try:
                while True:
                    request.wfile.write(b" ")
            except OSError:
                pass

        class Late:
            """Each look at this clock takes ten seconds."""

            time = 0.0

            def now(self) -> float:
                self.time += 10.0
                return self.time

            def sleep(self, _seconds: float) -> None:
                raise AssertionError("unreachable")

        client, _, _ = client_with(self, [drip], max_wait=0.0, clock=Late())
        with self.assertRaisesRegex(NoResponseError, "no complete response within 30 s"):
            client.get_page()

    def test_does_not_send_the_key_to_the_target_of_a_redirect(self) -> None:
        other = Registry(self, [EMPTY])
        client, _, clock = client_with(self, [reply_with(308, b"", {"Location": other.base_url})])
        with self.assertRaisesRegex(ApiError, r"\(308 unexpected_response\)"):
            client.get_page()
        self.assertEqual((other.requests, clock.sleeps), ([], []))

    def test_parses_retry_after(self) -> None:
        for header, expected in [
            ("3", 3.0),
            ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
            ("Wed, 31 Dec 2025 23:00:00 GMT", 0.0),
            ("Thu, 99 Jan 2026 00:00:30 GMT", None),
            ("soon", None),
            (None, None),
            ("1.5", None),
            ("-5", None),
            ("3\n", None),
        ]:
            with self.subTest(header):
                self.assertEqual(parse_retry_after(header, datetime(2026, 1, 1, tzinfo=timezone.utc)), expected)
