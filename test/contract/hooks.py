"""What Schemathesis has to know that the document cannot say: see test/contract/main.ts."""

import ipaddress
import itertools
import os
import uuid

import schemathesis
from hypothesis import strategies as st

# JSON Schema's "email" leaves open which addresses those are. Mail can be sent to these.
local = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,20}(\.[A-Za-z0-9_+-]{1,20}){0,2}", fullmatch=True)
host = st.from_regex(r"([A-Za-z0-9][A-Za-z0-9-]{0,20}[A-Za-z0-9]\.){1,3}[A-Za-z]{2,10}", fullmatch=True)
schemathesis.openapi.format("email", st.builds("{}@{}".format, local, host).filter(lambda text: "--" not in text))

addresses = itertools.count(int(ipaddress.IPv4Address("10.0.0.1")))
keys = itertools.cycle(os.environ["DRIPLINE_KEYS"].split(","))


@schemathesis.auth()
class Keys:
    """Each request takes the next key: no window of one key hides how the API behaves."""

    def get(self, case, context):
        return next(keys)

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each request comes from another address, so that those without a key are not turned away by its limit. And an
    Idempotency-Key that is valid is made a new one: the same short one for two requests is a 422, and rightly so."""
    case.headers["X-Forwarded-For"] = str(ipaddress.IPv4Address(next(addresses)))
    given = case.headers.get("Idempotency-Key")
    if isinstance(given, str) and given and all("!" <= character <= "~" for character in given) and len(given) < 200:
        case.headers["Idempotency-Key"] = f"{given}{uuid.uuid4()}"
