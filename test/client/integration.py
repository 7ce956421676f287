"""An integration in Python with the generated client. It makes a few typical calls, and then one call of each operation.

The arguments are the base URL, a key, and a JSON file with the calls. It prints one line of JSON.
"""

import inspect
import json
import sys
import typing
import uuid

import dripline_client as dripline
from urllib3 import Retry

base_url, key, plan = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
retries = Retry(total=6, allowed_methods=None, status_forcelist=[429, 502, 503], backoff_factor=0.1, raise_on_status=False)
client = dripline.ApiClient(dripline.Configuration(host=base_url, access_token=key, retries=retries))
contacts, events, lists = dripline.ContactsApi(client), dripline.EventsApi(client), dripline.ListsApi(client)


def once():
    return {"idempotency_key": str(uuid.uuid4())}


ada = contacts.upsert_contact(dripline.ContactInput(email="ada@example.com", first_name="Ada"), **once()).data
fired = events.fire_event(str(ada.id), dripline.FireEventRequest(name="trial started", data={"plan": "pro"}), **once()).data
joined = lists.add_to_list(plan["listId"], dripline.AddToListRequest(dripline.JoinOne(contact_id=str(ada.id))), **once()).data
try:
    contacts.get_contact("none")
    raise AssertionError("A contact with this ID exists")
except dripline.ApiException as error:
    refused = [error.status, error.headers["X-Error-Code"], json.loads(error.body)["error"]]


def model_of(annotation):
    """Returns the model of a parameter, or None."""
    if hasattr(annotation, "from_dict"):
        return annotation
    return next(filter(None, map(model_of, typing.get_args(annotation))), None)


apis = [getattr(dripline, name)(client) for name in dir(dripline) if name.endswith("Api")]
done = []
for call in plan["calls"]:
    method = next(getattr(api, call["method"]) for api in apis if hasattr(api, call["method"]))
    arguments = dict(call["arguments"])
    for name, parameter in inspect.signature(method).parameters.items():
        model = model_of(parameter.annotation)
        if model is not None and "body" in call and not name.startswith("_"):
            arguments[name] = model.from_dict(call["body"])
    answer = method(**arguments)
    # In Python, IDs are UUIDs and timestamps are datetimes.
    written = json.loads(json.dumps(answer.to_dict(), default=str))
    done.append({"method": call["method"], "answer": written})

print(json.dumps({"matching": fired.matching_automations, "added": joined.added, "refused": refused, "done": done}))
