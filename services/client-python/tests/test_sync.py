from __future__ import annotations

from typing import Any, Callable, Optional
from unittest import TestCase

from certificate_registry import (
    ApiError,
    Certificate,
    CertificatePage,
    MemoryStore,
    SyncResult,
    save_message,
    sync,
)

from .fixtures import certificate_fixture, time_at

PAGE_SIZE = 2


class Feed:
    """An in-memory certificate list that follows the paging rules of INTERFACE.md §4.1."""

    def __init__(self, certificates: list[Certificate]) -> None:
        self.certificates = certificates
        self.epoch = "0"
        self.requests: list[str] = []
        self.before_page: Callable[[int], None] = lambda _number: None

    def set(self, id: str, second: int) -> None:
        self.certificates = [one for one in self.certificates if one["id"] != id] + [certificate_fixture(id, second)]

    def get_page(self, **query: Any) -> CertificatePage:
        cursor: Optional[str] = query.get("cursor")
        since: str = query.get("updated_since", "")
        self.requests.append((since or "start") if cursor is None else "cursor")
        self.before_page(len(self.requests))
        epoch, after = (self.epoch, since) if cursor is None else cursor.split("|")
        if epoch != self.epoch:
            raise ApiError(status=400, code="bad_request", message="", request_id=None, retry_after=None)
        rest = [one for one in self.certificates if one["updatedAt"] > after]
        page = rest[:PAGE_SIZE]
        next_cursor = f"{self.epoch}|{page[-1]['updatedAt']}" if len(rest) > PAGE_SIZE else None
        return CertificatePage(page, next_cursor, self.epoch)


def some(*seconds: int) -> list[Certificate]:
    return [certificate_fixture(f"crt_{second}", second) for second in seconds]


def ids(store: MemoryStore) -> list[str]:
    return sorted(one["id"] for one in store.certificates)


def message_of(certificate: Certificate, version: int = 2) -> Any:
    return {"version": version, "event": "issued", "shop": "s", "occurredAt": time_at(0), "certificate": certificate}


class Sync(TestCase):
    def setUp(self) -> None:
        self.feed, self.store = Feed(some(1, 2, 3, 4, 5)), MemoryStore()

    def test_copies_the_whole_list_and_then_requests_only_what_has_changed(self) -> None:
        self.assertEqual(sync(self.feed, self.store), SyncResult(5, 0, False))
        self.feed.set("crt_2", 6)
        self.assertEqual(sync(self.feed, self.store), SyncResult(1, 0, False))
        self.assertEqual(self.feed.requests, ["start", "cursor", "cursor", time_at(5)])
        self.assertEqual(self.store.get("crt_2"), certificate_fixture("crt_2", 6))

    def crash_at(self, number: int) -> None:
        def crash(requests: int) -> None:
            if requests == number:
                raise RuntimeError("crashed")

        self.feed.before_page = crash

    def test_continues_after_the_last_saved_page_when_the_first_copy_was_interrupted(self) -> None:
        self.crash_at(2)
        with self.assertRaisesRegex(RuntimeError, "crashed"):
            sync(self.feed, self.store)
        self.assertEqual(ids(self.store), ["crt_1", "crt_2"])
        self.assertEqual(sync(self.feed, self.store).read, 3)
        self.assertEqual(self.feed.requests, ["start", "cursor", time_at(2), "cursor"])
        self.assertEqual(len(ids(self.store)), 5)

    def test_continues_from_the_watermark_when_the_cursor_has_become_invalid(self) -> None:
        get_page = self.feed.get_page
        refused: list[Any] = []

        def refuse_once(**query: Any) -> CertificatePage:
            if "cursor" in query and not refused:
                refused.append(query)
                return get_page(cursor="another epoch|")
            return get_page(**query)

        self.feed.get_page = refuse_once  # type: ignore[method-assign]
        self.assertEqual(sync(self.feed, self.store), SyncResult(5, 0, False))

    def test_after_a_restore_reverts_lost_changes_and_removes_lost_certificates_only_after_the_last_page(self) -> None:
        self.feed.set("crt_1", 9)
        sync(self.feed, self.store)
        self.feed.certificates, self.feed.epoch = some(1, 2, 3, 4), "restored"
        copies: list[bool] = []
        self.feed.before_page = lambda _number: copies.append(self.store.get("crt_5") is not None)
        self.assertEqual(sync(self.feed, self.store), SyncResult(4, 1, True))
        self.assertEqual(set(copies), {True})
        self.assertEqual(sorted(self.store.certificates, key=lambda one: one["id"]), self.feed.certificates)
        self.assertEqual(sync(self.feed, self.store), SyncResult(0, 0, False))

    def test_detects_a_restore_between_two_pages_and_removes_lost_certificates_even_after_a_crash(self) -> None:
        def restore_then_crash(number: int) -> None:
            if number == 2:
                self.feed.certificates, self.feed.epoch = some(1, 3, 4), "restored"
            if number == 5:
                raise RuntimeError("crashed")

        self.feed.before_page = restore_then_crash
        with self.assertRaisesRegex(RuntimeError, "crashed"):
            sync(self.feed, self.store)
        self.assertEqual(sync(self.feed, self.store).removed, 1)
        self.assertEqual(ids(self.store), ["crt_1", "crt_3", "crt_4"])

    def test_a_full_read_replaces_certificates_that_changed_without_a_new_updated_at(self) -> None:
        self.feed.certificates = [certificate_fixture("crt_1", 1)]
        sync(self.feed, self.store)
        moved = certificate_fixture("crt_1", 1, verifyUrl="https://new.test/x")
        self.feed.certificates = [moved]
        sync(self.feed, self.store)
        self.assertNotEqual(self.store.get("crt_1"), moved)
        self.assertEqual(sync(self.feed, self.store, full=True), SyncResult(1, 0, False))
        self.assertEqual(self.store.get("crt_1"), moved)


class Messages(TestCase):
    def test_saving_a_message_does_not_advance_the_watermark(self) -> None:
        feed, store = Feed(some(1, 2, 3, 4, 5)), MemoryStore()
        sync(feed, store)
        feed.set("crt_6", 6)
        feed.set("crt_7", 7)
        self.assertTrue(save_message(store, message_of(certificate_fixture("crt_7", 7))))
        self.assertEqual(sync(feed, store).read, 2)
        self.assertEqual(len(ids(store)), 7)

    def test_a_message_from_before_a_restore_does_not_bring_back_a_certificate_once_a_later_change_was_read(self) -> None:
        feed, store = Feed(some(1, 2, 3, 4, 5)), MemoryStore()
        sync(feed, store)
        feed.certificates, feed.epoch = some(1, 2, 3, 4), "restored"
        # A restored feed continues after all lost times.
        feed.set("crt_1", 6)
        sync(feed, store)
        self.assertTrue(save_message(store, message_of(certificate_fixture("crt_5", 5))))
        self.assertEqual(ids(store), ["crt_1", "crt_2", "crt_3", "crt_4"])

    def test_an_older_message_replaces_nothing_and_tests_and_messages_in_format_v1_are_not_saved(self) -> None:
        feed, store = Feed([certificate_fixture("crt_1", 5)]), MemoryStore()
        sync(feed, store)
        save_message(store, message_of(certificate_fixture("crt_1", 4)))
        self.assertEqual(store.certificates, [certificate_fixture("crt_1", 5)])
        self.assertFalse(save_message(store, message_of(certificate_fixture("smp_1", 6))))
        self.assertFalse(save_message(store, message_of(certificate_fixture("crt_2", 6), version=1)))
        self.assertEqual(ids(store), ["crt_1"])
