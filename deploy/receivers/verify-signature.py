"""Receives webhook messages of the certificate registry and verifies their signatures. Requires only Python 3.8 or newer.

Try it: PORT=8000 WEBHOOK_SECRETS=crs_… python3 verify-signature.py
"""

import hashlib
import hmac
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SIGNATURE_HEADERS = ("X-Service-Signature", "X-Service-Signature-Next", "X-Service-Signature-Previous")
BODY_BYTES_MAX = 1024 * 1024


def is_genuine(raw_body, headers, secrets):
    """Returns whether a message was signed with one of the secrets.

    raw_body: the bytes as received, before any parsing
    headers: a case-insensitive mapping
    secrets: the whole text as displayed, including `crs_`; two during a rotation
    """
    given = [headers.get(name, "").encode("utf-8", "replace") for name in SIGNATURE_HEADERS]
    for secret in filter(None, secrets):
        digest = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
        expected = ("sha256=" + digest).encode()
        if any(hmac.compare_digest(value, expected) for value in given):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    # In seconds. Closes stalled connections, each of which would occupy a thread.
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length")
        if length is None:
            return self.reply(411)
        # `read` takes a negative length as "until the connection ends".
        if not re.fullmatch("[0-9]{1,9}", length):
            return self.reply(400)
        if int(length) > BODY_BYTES_MAX:
            return self.reply(413)
        raw_body = self.rfile.read(int(length))
        secrets = os.environ.get("WEBHOOK_SECRETS", "").split(",")
        if not is_genuine(raw_body, self.headers, secrets):
            return self.reply(401)
        # Parse the body only now. Queue the message, respond immediately, and process it afterwards.
        self.reply(204)

    def reply(self, status):
        self.send_response(status)
        self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
