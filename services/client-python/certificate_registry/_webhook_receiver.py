from __future__ import annotations

import inspect
import logging
from collections.abc import Sequence
from typing import Callable, Optional, Union

from ._verify_webhook import RequestHeaders, verify_webhook
from ._webhook_message import WebhookMessage, parse_message

BODY_BYTES_MAX = 1024 * 1024
"""Larger bodies are refused with 413. A message is at most about 20 KiB long."""

_ASYNCHRONOUS = "on_message is asynchronous: pass a function that saves or queues the message and returns"


def _log_error(_error: Exception) -> None:
    logging.getLogger("certificate_registry").exception("a webhook message was not processed")


class WebhookReceiver:
    """Verifies webhook messages, for any web framework: `status = receiver.receive(raw_body, headers)`."""

    def __init__(
        self,
        secret: Union[str, Sequence[str]],
        on_message: Callable[[WebhookMessage], object],
        on_error: Optional[Callable[[Exception], object]] = None,
    ) -> None:
        """
        secret: the signing secret as displayed, or several secrets during a rotation
        on_message: called with each verified message, including test messages, before the response; the service waits 8
            seconds, so save or queue the message here and do slow work later
        on_error: called with the error that `on_message` raises; default: logs it as `certificate_registry`

        Raises ValueError if every secret is missing or empty, for example because an environment variable is not set,
        and TypeError if `on_message` is asynchronous: nothing would await it, and the message would be lost.
        """
        self._secrets = [text for text in ([secret] if isinstance(secret, str) else secret or []) if text]
        if not self._secrets:
            raise ValueError(
                "secret is missing: pass the signing secret that the store's settings showed when creating it"
            )
        if inspect.iscoroutinefunction(on_message):
            raise TypeError(_ASYNCHRONOUS)
        self._on_message = on_message
        self._on_error = on_error or _log_error

    def receive(self, raw_body: bytes, headers: RequestHeaders) -> int:
        """Verifies the message in a request and passes it to `on_message`.

        raw_body: the bytes as received, at most one byte more than BODY_BYTES_MAX of them

        Returns the status of the response: 204; 401 without a valid signature; 400 if the body is not a message; 413 if
        it is too long; 500 if `on_message` has failed, or has returned a coroutine.
        """
        if len(raw_body) > BODY_BYTES_MAX:
            return 413
        if not verify_webhook(raw_body, headers, self._secrets):
            return 401
        message = parse_message(raw_body)
        if message is None:
            return 400
        try:
            result = self._on_message(message)
            # Such as that of `lambda message: queue.put(message)` with a queue of asyncio. Nothing would await it.
            if inspect.iscoroutine(result):
                result.close()
                raise TypeError(_ASYNCHRONOUS)
        except Exception as error:
            self._on_error(error)
            return 500
        return 204
