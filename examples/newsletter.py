"""Imports customers, and sends a newsletter to those with the plan "pro"."""

import json
import os
import time

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_API_KEY"])

created = dripline.imports.create(
    {
        "name": "customers.csv",
        "text": "email,first name,plan\nada@example.com,Ada,pro\nbob@example.com,Bob,free\n",
        "columns": [{"column": "plan", "field": "metadata.plan"}],
        "consent": "SUBSCRIBED",
    }
)
dripline.imports.start(created["id"])
while dripline.imports.get(created["id"])["status"] == "RUNNING":
    time.sleep(0.2)

pro = dripline.segments.create({"name": "Pro", "condition": {"metadata": "plan", "is": "equal", "value": "pro"}})
content = {"subject": 'News for {{ contact.firstName | default: "you" }}', "text": "New this month: a test clock."}
audience = {"segmentIds": [pro["id"]]}
campaign = dripline.campaigns.create({"name": "News in November", **content, "audience": audience})
dripline.campaigns.schedule(campaign["id"], {})
print(json.dumps({"importId": created["id"], "segmentId": pro["id"], "campaignId": campaign["id"]}))
