"""A container registry on loopback that demands HTTP authentication (RFC 7617), as the distribution
specification describes it: GET /v2/ answers 401 or 200, and there is one manifest.

ada's password is one. Each Authorization field that arrives is a line of the file "log". The port is
written to "port" as soon as the server listens.
"""
import base64, hashlib, http.server, json

CONFIG = b"{}"
MANIFEST = json.dumps({
    "schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(CONFIG),
               "digest": "sha256:" + hashlib.sha256(CONFIG).hexdigest()}, "layers": []}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Docker tries TLS first, and falls back to plain HTTP only at an answer in HTTP.
    default_request_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        if given:
            with open("log", "a") as log:
                log.write(base64.b64decode(given.split()[-1]).decode() + "\n")
        if given != "Basic " + base64.b64encode(b"ada:one").decode():
            return self.reply(401, b'{"errors":[{"code":"UNAUTHORIZED"}]}', "application/json",
                              ("WWW-Authenticate", 'Basic realm="registry"'))
        if "/manifests/" in self.path:
            return self.reply(200, MANIFEST, json.loads(MANIFEST)["mediaType"],
                              ("Docker-Content-Digest",
                               "sha256:" + hashlib.sha256(MANIFEST).hexdigest()))
        if "/blobs/" in self.path:
            return self.reply(200, CONFIG, "application/octet-stream")
        self.reply(200, b"{}", "application/json")

    do_HEAD = do_GET

    def reply(self, status, body, kind, *fields):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
