"""Sends a receipt with an attachment. If the program runs again for the same order, nothing is sent twice."""

import base64
import json
import os
import sys

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_API_KEY"])

to, order_id = sys.argv[1:] or ("ada@example.com", "A-17")
receipt = base64.b64encode(b"Total: 49.00").decode()
email = dripline.emails.send(
    {
        "to": to,
        "subject": f"Your receipt for order {order_id}",
        "html": "<p>Thank you. Your receipt is attached.</p>",
        "attachments": [{"filename": "receipt.txt", "content": receipt}],
        "tags": ["receipt"],
    },
    idempotency_key=f"receipt-{order_id}",
)
print(json.dumps({"id": email["id"], "status": email["status"]}))
