from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Optional, Protocol

from ._certificate_store import CertificateStore, SyncPosition
from ._errors import ApiError
from ._registry_client import CertificatePage
from ._webhook_message import WebhookMessage, is_test_message

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._certificate_filter import PageQuery


class PageReader(Protocol):
    """The part of a RegistryClient that `sync` needs."""

    def get_page(self, **query: Unpack[PageQuery]) -> CertificatePage: ...


@dataclass(frozen=True)
class SyncResult:
    """The result of a call to `sync`.

    read: number of certificates read from the list
    removed: number of certificates deleted from the copy because they no longer exist
    was_restored: whether this call has detected that the feed was restored from a backup, or that the key is another
        store's
    """

    read: int
    removed: int
    was_restored: bool


def sync(client: PageReader, store: CertificateStore, *, full: bool = False) -> SyncResult:
    """Reads all changes since the last call and saves them page by page. After a crash or an error, the next call
    continues after the last saved page. If the feed was restored from a backup, the call reads the whole list again and
    then deletes the certificates that no longer exist; the copy stays readable meanwhile.

    Call it before the first webhook message, after downtime, and about once an hour. Do not run two calls for one store
    at the same time: a call raises RuntimeError once another one has begun to read the whole list.

    full: whether to read the whole list in any case, for example after the store changed its verification address,
        language or edition style. By default, `sync` does so only for a new copy or a restored feed.

    Raises RegistryError when the list cannot be read, and any error of the store.
    """
    position = store.load_position()
    if position is None or full:
        position = _next_round(position)
        store.save([], position)
    read = 0
    was_restored = False
    cursor: Optional[str] = None
    while True:
        page = _read_page(client, position, cursor)
        if page is None:
            cursor = None
            continue
        if position.epoch is not None and page.epoch != position.epoch:
            # The page was requested at a position in the lost feed, so it is discarded.
            position = replace(_next_round(position), epoch=page.epoch)
            store.save([], position)
            was_restored = True
            cursor = None
            continue
        watermark = page.certificates[-1]["updatedAt"] if page.certificates else position.watermark
        position = replace(position, epoch=page.epoch, watermark=watermark)
        store.save(page.certificates, position)
        read += len(page.certificates)
        cursor = page.next_cursor
        if cursor is None:
            break
    if position.is_complete:
        return SyncResult(read, 0, was_restored)
    removed = store.remove_before(position.round)
    store.save([], replace(position, is_complete=True))
    return SyncResult(read, removed, was_restored)


def save_message(store: CertificateStore, message: WebhookMessage) -> bool:
    """Saves the certificate of a verified webhook message, unless the copy already contains this or a newer version, or
    the list has been read beyond its time: what the list did not contain by then, a restore from a backup has undone.
    The next call to `sync` reads changes whose messages were lost.

    Returns False for a message without a certificate to save: a test message, or one in format v1.
    """
    if message["version"] != 2 or is_test_message(message):
        return False
    position, certificate = store.load_position(), message["certificate"]
    if position is None or position.watermark is None or certificate["updatedAt"] > position.watermark:
        store.save([certificate])
    return True


def _next_round(position: Optional[SyncPosition]) -> SyncPosition:
    if position is None:
        return SyncPosition(1, None, None, False)
    return SyncPosition(position.round + 1, position.epoch, None, False)


def _read_page(client: PageReader, position: SyncPosition, cursor: Optional[str]) -> Optional[CertificatePage]:
    """Reads the page at the cursor or, without a cursor, the first page after the watermark.

    Returns None for a cursor that has become invalid: the feed was restored, or the cursors' key was withdrawn. Reading
    continues from the watermark.
    """
    if cursor is None:
        return client.get_page() if position.watermark is None else client.get_page(updated_since=position.watermark)
    try:
        return client.get_page(cursor=cursor)
    except ApiError as error:
        if error.code != "bad_request":
            raise
        return None
