"""An https server for git repositories below the working directory, by git's own http-backend.

Each repository OWNER/NAME.git demands HTTP authentication. The file "users" has a line
`NAME:PASSWORD:OWNERS` for each user, read at every request; OWNERS are the owners whose repositories
the user reaches, separated by commas.
"""
import os, subprocess
import loopback

DIRECTORY = os.getcwd()


class Handler(loopback.Handler):
    def allowed(self, owner):
        user = self.user()
        with open("users") as users:
            lines = [line.rstrip("\n").split(":") for line in users]
        return user and any(
            list(user) == line[:2] and owner in line[2].split(",") for line in lines)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if not self.allowed(path.split("/")[1]):
            return self.reply(401, b"", ("WWW-Authenticate", 'Basic realm="git"'))
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": DIRECTORY, "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
            "REMOTE_USER": "somebody", "CONTENT_LENGTH": str(length),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        out = subprocess.run(
            ["git", "-c", "http.receivepack=true", "-c", "safe.directory=*", "http-backend"],
            input=body, env=environment, capture_output=True).stdout
        head, _, content = out.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.reply(status, content, *[field for field in fields if field[0] != "Status"])

    do_POST = do_GET


loopback.serve(Handler, tls=True)
