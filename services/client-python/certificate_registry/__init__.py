"""The Python client library of the certificate registry. It needs Python 3.9 or newer and has no dependencies."""

from ._certificate import (
    Certificate,
    CertificateStatus,
    Edition,
    Order,
    Person,
    Product,
    status_at,
)
from ._certificate_filter import CertificateFilter, PageQuery
from ._certificate_store import CertificateStore, SyncPosition, replaces, require_latest_round
from ._clock import Clock
from ._errors import ApiError, NoResponseError, RegistryError
from ._memory_store import MemoryStore
from ._registry_client import CertificatePage, RegistryClient
from ._sqlite_store import SqliteStore
from ._sync import SyncResult, save_message, sync
from ._verify_webhook import RequestHeaders, verify_webhook
from ._webhook_message import FullMessage, ShortMessage, WebhookMessage, is_test_message
from ._webhook_receiver import BODY_BYTES_MAX, WebhookReceiver

__all__ = [
    "BODY_BYTES_MAX",
    "ApiError",
    "Certificate",
    "CertificateFilter",
    "CertificatePage",
    "CertificateStatus",
    "CertificateStore",
    "Clock",
    "Edition",
    "FullMessage",
    "MemoryStore",
    "NoResponseError",
    "Order",
    "PageQuery",
    "Person",
    "Product",
    "RegistryClient",
    "RegistryError",
    "RequestHeaders",
    "ShortMessage",
    "SqliteStore",
    "SyncPosition",
    "SyncResult",
    "WebhookMessage",
    "WebhookReceiver",
    "is_test_message",
    "replaces",
    "require_latest_round",
    "save_message",
    "status_at",
    "sync",
    "verify_webhook",
]
