"""An OpenID provider on loopback that answers each refresh with the same refresh token, for oidc-gen.

It writes its port to the file `port`, and each form that the token endpoint gets to the file `log`.
"""
import http.server
import json


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        issuer = f"http://127.0.0.1:{self.server.server_port}/"
        self.answer({
            "issuer": issuer, "authorization_endpoint": issuer + "authorize",
            "token_endpoint": issuer + "token", "scopes_supported": ["openid", "offline_access"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "response_types_supported": ["code"],
        })

    def do_POST(self):
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open("log", "a") as log:
            log.write(form + "\n")
        self.answer({
            "access_token": "at-of-stub", "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "rt-of-stub", "scope": "openid offline_access",
        })


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
