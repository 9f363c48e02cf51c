from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Optional

from ._certificate import Certificate
from ._certificate_store import SyncPosition, replaces, require_latest_round


class MemoryStore:
    """Keeps the copy of the list in memory: for tests, for small numbers of certificates, and as an example.

    Threads may share a store.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[str, tuple[int, Certificate]] = {}
        self._position: Optional[SyncPosition] = None

    @property
    def certificates(self) -> list[Certificate]:
        """All certificates in the copy, in no particular order."""
        with self._lock:
            return [certificate for _, certificate in self._rows.values()]

    def get(self, id: str) -> Optional[Certificate]:
        """Returns the certificate with this id; None if the copy does not contain it."""
        row = self._rows.get(id)
        return None if row is None else row[1]

    def load_position(self) -> Optional[SyncPosition]:
        return self._position

    def save(self, certificates: Sequence[Certificate], position: Optional[SyncPosition] = None) -> None:
        with self._lock:
            require_latest_round(position, self._position)
            self._position = position or self._position
            is_from_list = position is not None
            round = 0 if self._position is None else self._position.round
            for certificate in certificates:
                stored = self._rows.get(certificate["id"])
                if stored is None or replaces(
                    round, certificate["updatedAt"], stored[0], stored[1]["updatedAt"], is_from_list=is_from_list
                ):
                    self._rows[certificate["id"]] = (round, certificate)

    def remove_before(self, round: int) -> int:
        with self._lock:
            earlier = [id for id, (row_round, _) in self._rows.items() if row_round < round]
            for id in earlier:
                del self._rows[id]
            return len(earlier)
