"""A package index of Python (PEP 503) on loopback that demands HTTP authentication: ada's password is
"one". It has one wheel, hello 1.0.

Each user and password that arrives is a line of the file "log". The port is written to "port" as soon
as the server listens.
"""
import base64, http.server, io, zipfile

INFO = "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n"
FILES = {
    "hello.py": "text = 'hello'\n", "hello-1.0.dist-info/METADATA": INFO,
    "hello-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\n"
                                 "Tag: py3-none-any\n",
}
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w") as archive:
    for name, text in FILES.items():
        archive.writestr(name, text)
    archive.writestr("hello-1.0.dist-info/RECORD", "".join(
        f"{name},,\n" for name in [*FILES, "hello-1.0.dist-info/RECORD"]))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored):
        pass

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        if given:
            with open("log", "a") as log:
                log.write(base64.b64decode(given.split()[-1]).decode() + "\n")
        if given != "Basic " + base64.b64encode(b"ada:one").decode():
            return self.reply(401, b"", ("WWW-Authenticate", 'Basic realm="index"'))
        if self.path.endswith(".whl"):
            return self.reply(200, buffer.getvalue())
        if self.path == "/simple/hello/":
            page = b'<a href="/hello-1.0-py3-none-any.whl">hello-1.0-py3-none-any.whl</a>'
            return self.reply(200, page, ("Content-Type", "text/html"))
        self.reply(404, b"")

    do_HEAD = do_GET

    def reply(self, status, body, *fields):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
