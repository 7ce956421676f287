"""Tries a month in a test workspace: a reminder of a renewal and a welcome to a plan, by moving the clock."""

import json
import os
from datetime import date, timedelta

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_TEST_KEY"])

pro = dripline.segments.create({"name": "Pro", "condition": {"metadata": "plan", "is": "equal", "value": "pro"}})
week, day, welcome = (
    {"type": "EMAIL", "subject": subject, "text": "Answer this email if you need help."}
    for subject in ("Your plan renews in a week", "Renews tomorrow", "Welcome to Pro")
)
in_time = {"field": "contact.metadata.renewsAt", "repeat": "ONCE", "offsetDays": -7}
steps = [week, {"type": "WAIT", "delayMinutes": 6 * 24 * 60}, day]
renewal = {"name": "Renewal", "trigger": "DATE", "triggerConfig": in_time, "steps": steps}
entered = {"trigger": "SEGMENT_ENTERED", "triggerConfig": {"segmentId": pro["id"]}}
for automation in (renewal, {"name": "Welcome to Pro", **entered, "steps": [welcome]}):
    dripline.automations.create({"status": "ACTIVE", **automation})

renews_at = (date.today() + timedelta(days=28)).isoformat()
ada = dripline.contacts.upsert({"email": "ada@example.com", "metadata": {"plan": "pro", "renewsAt": renews_at}})
dripline.workspace.move_clock({"minutes": 22 * 24 * 60})
print(json.dumps({"contactId": ada["id"], "segmentId": pro["id"]}))
