from __future__ import annotations

import sqlite3
import tempfile
import threading
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable
from unittest import TestCase

from certificate_registry import (
    Certificate,
    CertificateStore,
    MemoryStore,
    SqliteStore,
    SyncPosition,
    status_at,
)

from .fixtures import certificate_fixture, time_at


def position(round: int, second: int, is_complete: bool = False) -> SyncPosition:
    return SyncPosition(round, "0", time_at(second), is_complete)


def certificate(id: str, second: int, status: str = "active") -> Certificate:
    return certificate_fixture(id, second, status=status)


class StoreTest(TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "copy.db")

    def open(self) -> SqliteStore:
        store = SqliteStore(self.file)
        self.addCleanup(store.close)
        return store

    def read(self) -> dict[str, str]:
        """Returns the current status of each certificate in the file."""
        with closing(sqlite3.connect(self.file)) as connection:
            return dict(connection.execute("SELECT id, status FROM certificate_now ORDER BY id").fetchall())


class BothStores(StoreTest):
    def stores(self) -> tuple[tuple[CertificateStore, Callable[[], dict[str, str]]], ...]:
        memory = MemoryStore()
        in_memory = lambda: {one["id"]: str(one["status"]) for one in memory.certificates}  # noqa: E731
        return ((self.open(), self.read), (memory, in_memory))

    def test_have_no_position_at_first_and_return_the_last_saved_one(self) -> None:
        for store, _ in self.stores():
            self.assertIsNone(store.load_position())
            store.save([], position(1, 1))
            store.save([certificate("a", 2)], position(1, 2, True))
            self.assertEqual(store.load_position(), position(1, 2, True))
        self.assertEqual(self.open().load_position(), position(1, 2, True))

    def test_replace_a_certificate_by_a_newer_one_of_a_message_and_by_an_equally_old_one_of_the_list(self) -> None:
        for store, read in self.stores():
            store.save([certificate("a", 5), certificate("b", 5), certificate("c", 5)], position(1, 5))
            # The list was read after a change of the store's settings, and the message was rendered before it.
            store.save([certificate("a", 4, "revoked"), certificate("b", 5, "revoked"), certificate("c", 6, "revoked")])
            store.save([certificate("d", 1)])
            self.assertEqual(read(), {"a": "active", "b": "active", "c": "revoked", "d": "active"})
            self.assertEqual(store.load_position(), position(1, 5))
            store.save([certificate("a", 4, "revoked"), certificate("b", 5, "revoked")], position(1, 5))
            self.assertEqual(read(), {"a": "active", "b": "revoked", "c": "revoked", "d": "active"})

    def test_replace_even_a_newer_certificate_of_an_earlier_round_and_remove_what_is_not_in_the_new_one(self) -> None:
        for store, read in self.stores():
            store.save([certificate("a", 9), certificate("b", 9), certificate("c", 9)], position(1, 9))
            store.save([certificate("a", 3, "revoked")], position(2, 3))
            # Saved without a position, as for a webhook message: the certificate belongs to the current round.
            store.save([certificate("b", 4, "revoked")])
            self.assertEqual(store.remove_before(2), 1)
            self.assertEqual(read(), {"a": "revoked", "b": "revoked"})

    def test_refuse_a_page_of_an_earlier_round_after_which_nothing_would_be_replaced(self) -> None:
        for store, read in self.stores():
            store.save([certificate("a", 5)], position(2, 5, True))
            with self.assertRaisesRegex(RuntimeError, "another call of sync"):
                store.save([certificate("a", 9, "revoked"), certificate("b", 1)], position(1, 9, True))
            self.assertEqual((read(), store.load_position()), ({"a": "active"}, position(2, 5, True)))
            store.save([certificate("a", 9, "revoked")], position(2, 9, True))
            self.assertEqual(read(), {"a": "revoked"})

    def test_save_certificates_of_messages_before_the_first_round_which_replaces_or_removes_them(self) -> None:
        for store, read in self.stores():
            store.save([certificate("a", 9), certificate("b", 9)])
            self.assertIsNone(store.load_position())
            store.save([certificate("b", 2, "revoked")], position(1, 2))
            self.assertEqual(store.remove_before(1), 1)
            self.assertEqual(read(), {"b": "revoked"})


class Sqlite(StoreTest):
    def test_shows_an_active_certificate_as_expired_once_its_expiry_has_passed(self) -> None:
        soon = (datetime.now(timezone.utc) + timedelta(minutes=1)).isoformat(timespec="milliseconds")
        certificates = [
            certificate_fixture("a", 1, expiresAt=time_at(1)),
            certificate_fixture("b", 2, expiresAt=soon.replace("+00:00", "Z")),
            certificate_fixture("c", 3, expiresAt=time_at(1), status="revoked"),
        ]
        self.open().save(certificates)
        expected = {"a": "expired", "b": "active", "c": "revoked"}
        self.assertEqual(self.read(), expected)
        self.assertEqual({one["id"]: status_at(one) for one in certificates}, expected)

    def test_saves_the_certificates_and_the_position_together_or_not_at_all(self) -> None:
        store = self.open()
        store.save([], position(1, 1))
        broken = certificate_fixture("b", 2, owner={"name": "", "email": None})
        with self.assertRaises(sqlite3.IntegrityError):
            store.save([certificate("a", 1), broken], position(1, 2))
        self.assertEqual((self.read(), store.load_position()), ({}, position(1, 1)))
        store.save([certificate("a", 1)], position(1, 2))
        self.assertEqual(self.read(), {"a": "active"})

    def test_opens_a_new_file_while_another_connection_is_writing_to_it(self) -> None:
        writer = sqlite3.connect(self.file, isolation_level=None, check_same_thread=False)
        self.addCleanup(writer.close)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("CREATE TABLE other (id)")
        timer = threading.Timer(0.3, lambda: writer.execute("COMMIT"))
        timer.start()
        self.addCleanup(timer.join)
        store = self.open()
        store.save([certificate("a", 1)], position(1, 1))
        self.assertEqual(self.read(), {"a": "active"})

    def test_keeps_the_newest_version_that_threads_save_through_several_stores(self) -> None:
        stores = [self.open() for _ in range(2)]
        failures: list[Any] = []

        def save(store: SqliteStore, start: int) -> None:
            try:
                for second in range(start, 40, 2):
                    store.save([certificate("a", second)], None if second % 10 else position(1, second))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=save, args=(store, start)) for store in stores for start in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        with closing(sqlite3.connect(self.file)) as connection:
            self.assertEqual(connection.execute("SELECT updated_at FROM certificate").fetchall(), [(time_at(39),)])
