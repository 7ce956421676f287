"""Sets up what the other programs use: a list, a welcome that starts when people sign up, and a segment. Run it once."""

import json
import os

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_API_KEY"])

newsletter = dripline.lists.create({"name": "Newsletter"})
hello = {"subject": 'Welcome, {{ contact.firstName | default: "friend" }}', "text": "Good to have you here."}
help_offer = {"subject": "How is it going?", "text": "Answer this email if you need help."}
welcome = dripline.automations.create(
    {
        "name": "Welcome",
        "trigger": "EVENT",
        "triggerConfig": {"eventName": "Signed up"},
        "exitOn": [{"event": "unsubscribed"}],
        "steps": [
            {"type": "EMAIL", **hello},
            {"type": "WAIT_FOR_EVENT", "eventName": "Project created", "timeoutMinutes": 3 * 24 * 60},
            {"type": "EMAIL", **help_offer},
        ],
    }
)
dripline.automations.update(welcome["id"], {"status": "ACTIVE"})
free = dripline.segments.create({"name": "Free plan", "condition": {"metadata": "plan", "is": "equal", "value": "free"}})
print(json.dumps({"listId": newsletter["id"], "automationId": welcome["id"], "segmentId": free["id"]}))
