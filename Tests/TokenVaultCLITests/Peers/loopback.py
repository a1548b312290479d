"""The common part of the servers of the credential helpers' tests.

A server listens on 127.0.0.1, writes its port to the file "port" of the working directory as soon as it
does, and notes what clients send in their Authorization fields in the file "log".
"""
import base64, http.server, ssl, subprocess


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Docker tries TLS first, and falls back to plain HTTP only at an answer in HTTP.
    default_request_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def note(self, text):
        with open("log", "a") as log:
            log.write(text + "\n")

    def given(self):
        """The Authorization field, empty for none; it is noted."""
        text = self.headers.get("Authorization", "")
        if text:
            self.note(text)
        return text

    def user(self):
        """The user and the password of HTTP authentication (RFC 7617), noted; None for none."""
        text = self.headers.get("Authorization", "")
        if not text.startswith("Basic "):
            return None
        pair = base64.b64decode(text[6:]).decode()
        self.note(pair)
        return tuple(pair.split(":", 1))

    def reply(self, status, body=b"", *fields):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def serve(handler, tls=False):
    """With TLS, "cert.pem" is the certificate."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.port = server.server_port
    if tls:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem",
             "-out", "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
             "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("cert.pem", "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open("port", "w") as port:
        port.write(f"{server.server_port}\n")
    server.serve_forever()
