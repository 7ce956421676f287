"""Parses a received message, and prints its defects according to RFC 5322, 2045 and 2047, as Python implements them."""

import json
import sys
from email import message_from_bytes, policy
from email.utils import parsedate_to_datetime

raw = sys.stdin.buffer.read()
# With this policy, an invalid message raises an exception.
message = message_from_bytes(raw, policy=policy.strict)
longest = max(len(line) for line in raw.split(b"\r\n"))
text = message.get_body(("plain",))
html = message.get_body(("html",))
print(
    json.dumps(
        {
            "longest": longest,
            "bare": raw.replace(b"\r\n", b"").count(b"\n") + raw.replace(b"\r\n", b"").count(b"\r"),
            "defects": [str(defect) for part in message.walk() for defect in part.defects],
            "headerDefects": [f"{name}: {defect}" for name, value in message.items() for defect in getattr(value, "defects", [])],
            "once": sorted(name for name in ("from", "to", "subject", "date", "message-id", "list-unsubscribe") if len(message.get_all(name, [])) != 1),
            "to": [address.addr_spec for address in message["to"].addresses],
            "from": message["from"].addresses[0].display_name,
            "replyTo": message["reply-to"].addresses[0].addr_spec if message["reply-to"] else None,
            "subject": message["subject"],
            "messageId": message["message-id"],
            "date": parsedate_to_datetime(message["date"]).timestamp(),
            "bcc": message["bcc"],
            "text": text.get_content() if text else None,
            "html": html.get_content() if html else None,
        }
    )
)
