"""The client of the Dripline API. It needs Python 3.9 and only the standard library."""

from ._core import Core, DriplineError
from ._resources import Resources
from ._webhooks import verify_webhook

__all__ = ["Dripline", "DriplineError", "verify_webhook"]


class Dripline(Resources, Core):
    """Calls the API: dripline.contacts.upsert({"email": "ada@example.com"}). A list iterates over all pages."""

    def __init__(self, base_url: str, api_key: str, timeout: float = 30, retries: int = 7) -> None:
        Core.__init__(self, base_url, api_key, timeout, retries)
        Resources.__init__(self, self)
