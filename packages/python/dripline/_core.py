from __future__ import annotations

import json
import logging
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Iterator, Mapping, Optional

LOG = logging.getLogger("dripline")
MAX_RETRY_AFTER_SECONDS = 90
PASSING = {429, 502, 503, 504}
NOT_BEGUN = {"rate_limited", "busy"}
ONE_BY_ID = re.compile(r"/v\d+/[a-z]+/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$", re.IGNORECASE)


class DriplineError(Exception):
    """The error of a failed request. If there was no response, it has no status."""

    def __init__(
        self,
        message: str,
        code: str,
        status: Optional[int] = None,
        param: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """A stable code, such as "contact_not_found"."""
        self.status = status
        """The status of the response."""
        self.param = param
        """A JSON pointer to the wrong field."""
        self.request_id = request_id
        """The ID of the request in the log of the instance."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Core:
    """Sends requests, and retries temporary failures."""

    def __init__(self, base_url: str, api_key: str, timeout: float = 30, retries: int = 7) -> None:
        self._base_url, self._api_key, self._timeout, self._retries = base_url.rstrip("/"), api_key, timeout, retries
        self._opener = urllib.request.build_opener(_NoRedirect)

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
    ) -> Any:
        """Sends a request until it has a final response. Returns the JSON of the response."""
        url = self._base_url + path
        if query:
            url += "?" + urllib.parse.urlencode({name: _text_of(value) for name, value in query.items() if value is not None})
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        if method in ("POST", "PATCH"):
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if if_match is not None:
            headers["If-Match"] = if_match
        # A DELETE has no key. Another resource with the same name may exist by now.
        may_repeat = method != "DELETE" or ONE_BY_ID.search(urllib.parse.urlsplit(url).path) is not None
        for attempt in range(self._retries + 1):
            request = urllib.request.Request(url, data, headers, method=method)
            pause = min(0.25 * 2.0**attempt, 30) * random.uniform(0.5, 1)
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    text = response.read()
                    if response.headers.get("X-Warning"):
                        LOG.warning("%s %s: %s", method, path, response.headers["X-Warning"])
                    return json.loads(text) if text else None
            except urllib.error.HTTPError as error:
                code = error.headers.get("X-Error-Code")
                in_progress = code == "idempotency_key_in_progress"
                passing = error.code in PASSING and (may_repeat or code in NOT_BEGUN)
                if attempt == self._retries or not (passing or in_progress):
                    raise _error_of(error) from None
                after = error.headers.get("Retry-After", "")
                pause += min(int(after), MAX_RETRY_AFTER_SECONDS) if after.isdigit() else 0
            except (OSError, ValueError) as error:
                if attempt == self._retries or not may_repeat:
                    raise DriplineError(f"{self._base_url} sent no valid response ({error})", "network_error") from error
            time.sleep(pause)
        raise AssertionError("The last attempt returns or raises")


class Resource:
    """Methods that call the API."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def _call(self, method: str, path: str, **options: Any) -> Any:
        return self._core.request(method, path, **options)["data"]

    def _pages(self, path: str, query: Optional[Mapping[str, Any]]) -> Iterator[Any]:
        query = {"limit": 100, **(query or {})}
        while True:
            page = self._core.request("GET", path, query)
            yield from page["data"]
            pagination = page["pagination"]
            if pagination.get("nextCursor"):
                query["cursor"] = pagination["nextCursor"]
            elif pagination.get("page", 0) < pagination.get("totalPages", 0):
                query["page"] = pagination["page"] + 1
            else:
                return


def path_of(template: str, **ids: str) -> str:
    """Inserts IDs into a path. An empty ID would call another endpoint: DELETE /contacts/."""
    for name, value in ids.items():
        if not isinstance(value, str) or value == "":
            raise TypeError(f"{name} must be a string that is not empty")
    return template.format(**{name: urllib.parse.quote(value, safe="") for name, value in ids.items()})


def _text_of(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _error_of(error: urllib.error.HTTPError) -> DriplineError:
    try:
        message = json.loads(error.read())["error"]
    except (ValueError, KeyError, TypeError, OSError):
        message = f"The service returned {error.code}"
    headers = error.headers
    code = headers.get("X-Error-Code") or f"http_{error.code}"
    return DriplineError(message, code, error.code, headers.get("X-Error-Param"), headers.get("X-Request-Id"))
