"""Rehearses an automation for a contact: what would happen, and when. Nothing is sent."""

import json
import os
import sys

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_API_KEY"])

automation_id, contact_id = sys.argv[1:]
rehearsal = dripline.automations.rehearse(
    automation_id,
    {
        "contactId": contact_id,
        "startAt": "2027-03-01T09:00:00Z",
        "events": [{"eventName": "order.placed", "afterMinutes": 3 * 24 * 60, "data": {"total": 49}}],
    },
)
emails = [f"{email['at']} {email['subject']}" for email in rehearsal["rendered"]]
print(json.dumps({"outcome": rehearsal["outcome"], "emails": ", ".join(emails)}))
