"""A package index of Python (PEP 503) with one wheel, hello 1.0. It demands HTTP authentication: ada's
password is "one". An upload (the API of PyPI) is noted."""
import io, zipfile
import loopback

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


class Handler(loopback.Handler):
    def do_GET(self):
        if self.user() != ("ada", "one"):
            self.reply(401, b"", ("WWW-Authenticate", 'Basic realm="index"'))
        elif self.path.endswith(".whl"):
            self.reply(200, buffer.getvalue())
        elif self.path == "/simple/hello/":
            page = b'<a href="/hello-1.0-py3-none-any.whl">hello-1.0-py3-none-any.whl</a>'
            self.reply(200, page, ("Content-Type", "text/html"))
        else:
            self.reply(404)

    do_HEAD = do_GET

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.user() == ("ada", "one"):
            self.note("uploaded")
            self.reply(200)
        else:
            self.reply(403)


loopback.serve(Handler)
