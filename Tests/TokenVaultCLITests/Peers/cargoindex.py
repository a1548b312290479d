"""A sparse registry of Cargo that demands the token "cargo-token" (RFC 3139), without packages."""
import json
import loopback


class Handler(loopback.Handler):
    def do_GET(self):
        url = f"http://127.0.0.1:{self.port}"
        status, value = 404, {}
        if self.given() != "cargo-token":
            status, value = 401, {"errors": [{"detail": "no token"}]}
        elif self.path.endswith("/config.json"):
            status, value = 200, {"dl": url + "/dl", "api": url, "auth-required": True}
        elif self.path.endswith("/owners"):
            status, value = 200, {"users": [{"id": 1, "login": "ada", "name": None}]}
        self.reply(status, json.dumps(value).encode())


loopback.serve(Handler)
