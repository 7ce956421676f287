"""Signs a person up. One call creates the contact and records the event that starts a welcome."""

import json
import os
import sys

from dripline import Dripline

url = os.environ.get("DRIPLINE_URL", "http://localhost:3000")
dripline = Dripline(f"{url}/api/v1", os.environ["DRIPLINE_API_KEY"])

email, first_name = sys.argv[1:] or ("ada@example.com", "Ada")
list_id = os.environ.get("LIST_ID")  # The contact also joins this list.
result = dripline.events.send(
    {
        "name": "Signed up",
        "email": email,
        "contact": {"firstName": first_name, "metadata": {"plan": "free"}},
        "lists": [list_id] if list_id else [],
        "data": {"source": "website"},
    }
)
print(json.dumps({"contactId": result["contactId"], "matchingAutomations": result["matchingAutomations"]}))
