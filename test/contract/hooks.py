"""Settings of Schemathesis that the OpenAPI document cannot express: see test/contract/main.ts."""

import ipaddress
import itertools
import os
import uuid

import schemathesis
from hypothesis import strategies as st

# JSON Schema's "email" does not define the allowed addresses. Mail can be sent to these.
local = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,20}(\.[A-Za-z0-9_+-]{1,20}){0,2}", fullmatch=True)
host = st.from_regex(r"([A-Za-z0-9][A-Za-z0-9-]{0,20}[A-Za-z0-9]\.){1,3}[A-Za-z]{2,10}", fullmatch=True)
schemathesis.openapi.format("email", st.builds("{}@{}".format, local, host).filter(lambda text: "--" not in text))

addresses = itertools.count(int(ipaddress.IPv4Address("10.0.0.1")))
keys = itertools.cycle(os.environ["DRIPLINE_KEYS"].split(","))


@schemathesis.auth()
class Keys:
    """Rotates the keys, so that no request is limited by the rate of its key."""

    def get(self, case, context):
        return next(keys)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Sets another address for each request, so that requests without a key stay within the limit of an address. Replaces a
    valid Idempotency-Key by a unique one: the same short key for two different requests is correctly a 422."""
    case.headers["X-Forwarded-For"] = str(ipaddress.IPv4Address(next(addresses)))
    given = case.headers.get("Idempotency-Key")
    if isinstance(given, str) and given and all("!" <= character <= "~" for character in given) and len(given) < 200:
        case.headers["Idempotency-Key"] = f"{given}{uuid.uuid4()}"
