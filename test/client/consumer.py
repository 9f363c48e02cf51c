"""What a typed program does with the package; checked by `mypy --strict`."""

from __future__ import annotations

from typing import Optional, Sequence

from certificate_registry import (
    Certificate,
    CertificateStore,
    MemoryStore,
    RegistryClient,
    SqliteStore,
    SyncPosition,
    WebhookMessage,
    WebhookReceiver,
    save_message,
    sync,
    verify_webhook,
)


class OwnStore:
    def load_position(self) -> Optional[SyncPosition]:
        return None

    def save(self, certificates: Sequence[Certificate], position: Optional[SyncPosition] = None) -> None: ...

    def remove_before(self, round: int) -> int:
        return 0


client = RegistryClient("https://registry.example", "crk_1", timeout=5)
serials: list[str] = [one["serial"] for one in client.certificates(status="active", email="ada@example.com")]
stores: list[CertificateStore] = [OwnStore(), MemoryStore(), SqliteStore("copy.db")]
read: int = sync(client, stores[0], full=True).read


def on_message(message: WebhookMessage) -> None:
    save_message(stores[0], message)
    if message["version"] == 2:
        edition = message["certificate"]["edition"]
        print(edition["formatted"] if edition else message["certificate"]["owner"]["name"])


status: int = WebhookReceiver(["crs_new", "crs_old"], on_message).receive(b"{}", {"X-Service-Signature": "sha256="})
is_genuine: bool = verify_webhook(b"{}", {"X-Service-Signature": "sha256="}, "crs_1")
client.certificates(state="active")  # type: ignore[call-arg]
client.certificates(status="valid")  # type: ignore[arg-type]
