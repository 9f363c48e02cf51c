"""Supplies valid cursors: the filters sent with a cursor must be those of the list request that returned it."""

import os

import requests
import schemathesis
from schemathesis import GenerationMode

TIMEOUT_SECONDS = 20


def conforms_to_document(case):
    return case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces a generated cursor with one that the list returned, in cases that the API must accept."""
    query = case.query
    if query is None or "cursor" not in query or not conforms_to_document(case):
        return
    filters = {name: value for name, value in query.items() if name not in ("cursor", "limit")}
    del query["cursor"]
    reply = requests.get(
        os.environ["CHECK_API_URL"] + case.path,
        params={**filters, "limit": 1},
        headers={"Authorization": "Bearer " + os.environ["CHECK_API_KEY"]},
        timeout=TIMEOUT_SECONDS,
    )
    cursor = reply.json().get("next_cursor")
    if cursor is not None:
        query["cursor"] = cursor
