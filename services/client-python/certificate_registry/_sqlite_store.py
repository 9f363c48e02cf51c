from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Optional, Union

from ._certificate import Certificate
from ._certificate_store import SyncPosition, require_latest_round

# The tables of the JavaScript library, which can open the same file; without STRICT, which SQLite knows from 3.37 on.
# `certificate_now` shows the status at the time of the query: expiry changes no row.
_SCHEMA = (
    """
CREATE TABLE IF NOT EXISTS certificate (
  id TEXT PRIMARY KEY,
  serial TEXT NOT NULL,
  status TEXT NOT NULL,
  owner_email TEXT NOT NULL,
  order_name TEXT,
  updated_at TEXT NOT NULL,
  expires_at TEXT,
  round INTEGER NOT NULL,
  json TEXT NOT NULL
) WITHOUT ROWID
""",
    "CREATE INDEX IF NOT EXISTS certificate_serial ON certificate (serial)",
    "CREATE INDEX IF NOT EXISTS certificate_owner ON certificate (owner_email)",
    "CREATE TABLE IF NOT EXISTS sync_position (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), json TEXT NOT NULL)",
    """
CREATE VIEW IF NOT EXISTS certificate_now AS
SELECT id, serial, owner_email, order_name, updated_at, expires_at, json,
  CASE WHEN status = 'active' AND expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') THEN 'expired' ELSE status END
    AS status
FROM certificate
""",
)

# `>=` for certificates of the list, `>` for one of a message: see `replaces`.
_UPSERT = """
INSERT INTO certificate (id, serial, status, owner_email, order_name, updated_at, expires_at, round, json)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
  serial = excluded.serial, status = excluded.status, owner_email = excluded.owner_email,
  order_name = excluded.order_name, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
  round = excluded.round, json = excluded.json
WHERE (excluded.round, excluded.updated_at) {} (certificate.round, certificate.updated_at)
"""

_SAVE_POSITION = "INSERT INTO sync_position VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET json = excluded.json"

_BUSY_TIMEOUT_SECONDS = 10.0


class SqliteStore:
    """Keeps a copy in the table `certificate` of an SQLite file (SQLite 3.24 or newer). Query the view
    `certificate_now`, which computes the current status. Threads may share a store, and processes a file.
    """

    def __init__(self, file: Union[str, PathLike[str]]) -> None:
        """Opens the file, switches it to a write-ahead log, and creates what is missing."""
        self._lock = threading.Lock()
        # Without an isolation level, the module begins no transactions of its own.
        self._connection = sqlite3.connect(
            file, timeout=_BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._use_write_ahead_log()
        with self._transaction():
            for statement in _SCHEMA:
                self._connection.execute(statement)

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def load_position(self) -> Optional[SyncPosition]:
        with self._lock:
            return self._load_position()

    def save(self, certificates: Sequence[Certificate], position: Optional[SyncPosition] = None) -> None:
        with self._transaction():
            stored = self._load_position()
            require_latest_round(position, stored)
            current = position or stored
            round = 0 if current is None else current.round
            upsert = _UPSERT.format(">" if position is None else ">=")
            self._connection.executemany(upsert, [_row_of(one, round) for one in certificates])
            if position is not None:
                self._connection.execute(_SAVE_POSITION, [_text_of(position)])

    def remove_before(self, round: int) -> int:
        with self._lock:
            return self._connection.execute("DELETE FROM certificate WHERE round < ?", [round]).rowcount

    def _load_position(self) -> Optional[SyncPosition]:
        row = self._connection.execute("SELECT json FROM sync_position").fetchone()
        if row is None:
            return None
        # Not validated, because only `save` writes the position.
        stored = json.loads(row[0])
        return SyncPosition(stored["round"], stored["epoch"], stored["watermark"], stored["isComplete"])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # After some errors, SQLite has rolled back by itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _use_write_ahead_log(self) -> None:
        """Switches the file to a write-ahead log, with which reads and writes do not wait for each other. While another
        process writes, SQLite refuses the switch immediately, regardless of the busy timeout. The store works without
        the log, and the next process that opens the file tries again.
        """
        try:
            self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError:
            # If the file cannot be used at all, the next statement raises an error.
            pass


def _row_of(certificate: Certificate, round: int) -> Sequence[Union[str, int, None]]:
    return (
        certificate["id"],
        certificate["serial"],
        certificate["status"],
        certificate["owner"]["email"],
        certificate["order"]["name"],
        certificate["updatedAt"],
        certificate["expiresAt"],
        round,
        json.dumps(certificate, ensure_ascii=False, separators=(",", ":")),
    )


def _text_of(position: SyncPosition) -> str:
    return json.dumps(
        {
            "round": position.round,
            "epoch": position.epoch,
            "watermark": position.watermark,
            "isComplete": position.is_complete,
        }
    )
