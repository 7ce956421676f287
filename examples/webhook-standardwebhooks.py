"""Receives events of a webhook. Create it for the address of this server, and pass its secret. Needs only "standardwebhooks"."""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

seen: set[str] = set()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        payload = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = Webhook(os.environ["DRIPLINE_WEBHOOK_SECRET"]).verify(payload, dict(self.headers))
        except WebhookVerificationError:
            return self.send_error(400)
        # An event can arrive twice. A real server keeps the IDs in its database.
        if event["id"] not in seen:
            print(event["type"], json.dumps(event["data"]), flush=True)
        seen.add(event["id"])
        self.send_response_only(204)
        self.end_headers()


server = HTTPServer(("", int(os.environ.get("PORT", "8080"))), Handler)
print("Listening on port", server.server_port, flush=True)
server.serve_forever()
