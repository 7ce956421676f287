from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Iterable, Protocol, Tuple, Union, cast

from ._core import DriplineError

if TYPE_CHECKING:
    from .types import WebhookEvent

TOLERANCE_SECONDS = 300


class Headers(Protocol):
    """The headers of a request: a dictionary, or the headers of a web framework."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


def verify_webhook(payload: Union[str, bytes], headers: Headers, secret: str) -> WebhookEvent:
    """Verifies that a webhook comes from Dripline (Standard Webhooks). Returns the parsed body, or None if it is empty.

    The payload is the body before it is parsed. A webhook can arrive twice: use the header webhook-id to ignore repeated
    requests. Raises a DriplineError with the code "webhook_signature_invalid", or "webhook_too_old" after five minutes.
    """
    if not isinstance(payload, (str, bytes)):
        raise TypeError("payload must be the body as text or bytes, before it is parsed")
    found = {str(name).lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not found.get(name):
            raise _invalid(f"The header {name} is missing.")
    timestamp = str(found["webhook-timestamp"])
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise _invalid("The header webhook-timestamp is not a time.")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise DriplineError("The webhook is more than five minutes old, or a clock is wrong.", "webhook_too_old")
    body = payload.encode() if isinstance(payload, str) else payload
    signed = f"{found['webhook-id']}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(_key_of(secret), signed, hashlib.sha256).digest())
    signatures = str(found["webhook-signature"]).split(" ")
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in signatures):
        raise _invalid("No signature of the webhook matches. Check the secret, and pass the body before it is parsed.")
    return cast("WebhookEvent", json.loads(body) if body else None)


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        # The error does not contain the value, because it is a secret.
        raise TypeError("secret must look like whsec_…")
    return key


def _invalid(message: str) -> DriplineError:
    return DriplineError(message, "webhook_signature_invalid")
