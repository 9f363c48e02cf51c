"""Uses the installed package against a registry, and prints the results as JSON."""

import json
import sqlite3
import sys
from datetime import datetime, timedelta, timezone

from certificate_registry import (
    ApiError,
    RegistryClient,
    SqliteStore,
    WebhookReceiver,
    save_message,
    status_at,
    sync,
)

options = json.loads(sys.argv[1])
client = RegistryClient(options["baseUrl"], options["apiKey"])
store = SqliteStore(options["file"])
results = [sync(client, store) for _ in range(2)]
# A copy that the JavaScript library has made.
results.append(sync(client, SqliteStore(options["other"])))

pages = list(client.pages(limit=10, status="active"))
first = pages[0].certificates[0]
recent = datetime.now(timezone.utc) - timedelta(days=1)

receiver = WebhookReceiver(options["secret"], lambda message: save_message(store, message))
body = options["body"].encode()
statuses = [receiver.receive(body, {"x-service-signature": one}) for one in (options["signature"], "sha256=0")]
store.close()


def error_of(call):
    try:
        call()
    except ApiError as error:
        return [error.status, error.code, bool(error.request_id), error.is_temporary]


with sqlite3.connect(options["file"]) as copy:
    owners = copy.execute(
        "SELECT owner_email, status, count(*) FROM certificate_now GROUP BY 1, 2 ORDER BY 1"
    ).fetchall()

print(
    json.dumps(
        {
            "read": [result.read for result in results],
            "pages": [len(page.certificates) for page in pages],
            "epochs": len({page.epoch for page in pages}),
            "one": client.get(first["id"]) == first,
            "status": status_at(first),
            "recent": len(list(client.certificates(updated_since=recent, email=first["owner"]["email"].upper()))),
            "statuses": statuses,
            "owners": owners,
            "errors": [
                error_of(lambda: client.get("crt_unknown")),
                error_of(lambda: client.get_page(order="not an order")),
                error_of(lambda: RegistryClient(options["baseUrl"], "crk_wrong").get_page()),
            ],
        }
    )
)
