"""A sparse registry of Cargo on loopback that demands a token (RFC 3139), without packages.

The token is "cargo-token". Each Authorization field that arrives is a line of the file "log". The port
is written to "port" as soon as the server listens.
"""
import http.server, json


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored):
        pass

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        if given:
            with open("log", "a") as log:
                log.write(given + "\n")
        if given != "cargo-token":
            return self.reply(401, {"errors": [{"detail": "no token"}]})
        url = f"http://127.0.0.1:{server.server_port}"
        if self.path.endswith("/config.json"):
            self.reply(200, {"dl": url + "/dl", "api": url, "auth-required": True})
        elif self.path.endswith("/owners"):
            self.reply(200, {"users": [{"id": 1, "login": "ada", "name": None}]})
        else:
            self.reply(404, {})

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
