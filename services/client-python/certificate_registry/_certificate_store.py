from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

from ._certificate import Certificate


@dataclass(frozen=True)
class SyncPosition:
    """The position up to which the list has been read into a copy. Store it unchanged.

    round: number of the round, starting at 1; each round begins with a full read of the list
    epoch: identifies the feed that the copy was read from; None before the first page, or if responses have no epoch
    watermark: newest `updatedAt` that was read from the list in this round; None before the first certificate
    is_complete: whether the full read of this round has ended and the certificates of earlier rounds have been deleted
    """

    round: int
    epoch: Optional[str]
    watermark: Optional[str]
    is_complete: bool


class CertificateStore(Protocol):
    """Keeps a copy of a store's certificates. Implement these methods to use `sync` with another database."""

    def load_position(self) -> Optional[SyncPosition]:
        """Returns the last saved position; None if none was saved."""

    def save(self, certificates: Sequence[Certificate], position: Optional[SyncPosition] = None) -> None:
        """Atomically saves certificates by id, together with the position. Without a position, as for a webhook
        message, the stored position remains unchanged, and the certificates belong to its round (0 if none is stored).

        A stored certificate is replaced if `replaces` returns True; with a position, they are from the list.

        Raises RuntimeError if the position belongs to an earlier round than the stored one; see `require_latest_round`.
        """

    def remove_before(self, round: int) -> int:
        """Deletes the certificates that belong to rounds before `round`. Returns their number."""


def require_latest_round(position: Optional[SyncPosition], stored: Optional[SyncPosition]) -> None:
    """Refuses a page of an earlier round: another call of `sync` has begun to read the whole list meanwhile. Without
    this check, the stored round would go back, and no later change would replace the certificates of the newer round.
    """
    if position is not None and stored is not None and position.round < stored.round:
        raise RuntimeError("another call of sync has begun to read the whole list; run one call at a time")


def replaces(
    round: int, updated_at: str, stored_round: int, stored_updated_at: str, *, is_from_list: bool = True
) -> bool:
    """Returns whether a certificate replaces the stored certificate with the same id: it does if it belongs to a later
    round, or to the same round and is newer. One of the list also does if it is equally old: a change of the store's
    settings changes `verifyUrl` and `edition.formatted`, but not `updatedAt`, and a message that was rendered before it
    can arrive later. All times have the same format, so string order is chronological order.
    """
    after, stored = (round, updated_at), (stored_round, stored_updated_at)
    return after >= stored if is_from_list else after > stored
