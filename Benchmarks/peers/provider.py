"""A provider on loopback, also as a proxy that answers for the host of a request over TLS.

usage: provider.py TOKEN [CERTIFICATE KEY]

It prints its address. oidc-agent makes its accounts with it: each refresh grants TOKEN. az reads the
provider's metadata before it returns a token from its cache; the proxy answers, without a network.
"""
import http.server
import json
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    scheme = "http"

    def log_message(self, *_):
        pass

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        self.close_connection, self.scheme = True, "https"
        try:
            self.connection = context.wrap_socket(self.connection, server_side=True)
        except ssl.SSLError:
            return  # The certificate is not for this host, from which az wants nothing that it needs.
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
        self.handle_one_request()

    def do_GET(self):
        base = f"{self.scheme}://{self.headers['Host']}" + self.path.partition(".well-known/")[0]
        self.answer({
            "issuer": base, "authorization_endpoint": base + "authorize", "token_endpoint": base + "token",
            "scopes_supported": ["openid", "offline_access"],
            "grant_types_supported": ["authorization_code", "refresh_token"], "response_types_supported": ["code"],
            "metadata": [{"aliases": [self.headers["Host"]]}]})

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer({
            "access_token": sys.argv[1], "token_type": "Bearer", "expires_in": 86400, "refresh_token": "rt",
            "scope": "openid offline_access"})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
