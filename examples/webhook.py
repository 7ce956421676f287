"""Receives events of a webhook. Create it for the address of this server, and pass its secret."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from dripline import DriplineError, verify_webhook

seen: set[str] = set()


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        payload = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(payload, self.headers, os.environ["DRIPLINE_WEBHOOK_SECRET"])
        except DriplineError:
            return self.send_error(400)
        # An event can arrive twice. A real server keeps the IDs in its database.
        if event["id"] not in seen:
            print(event["type"], json.dumps(event["data"]), flush=True)
        seen.add(event["id"])
        self.send_response_only(204)
        self.end_headers()


server = HTTPServer(("", int(os.environ.get("PORT", "8080"))), Webhook)
print("Listening on port", server.server_port, flush=True)
server.serve_forever()
