"""An https server for git repositories below the working directory, by git's own http-backend.

Each repository OWNER/NAME.git demands HTTP authentication (RFC 7617). The file "users" has a line
`NAME:PASSWORD:OWNERS` for each user, read at every request; OWNERS are the owners whose repositories
the user reaches, separated by commas. Each request with an Authorization field is a line of the file
"log": the path's owner, and the user and password that were sent. "cert.pem" is the certificate.
The port is written to "port" as soon as the server listens.
"""
import base64, http.server, os, ssl, subprocess

DIRECTORY = os.getcwd()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def allowed(self, owner):
        given = self.headers.get("Authorization", "")
        if not given.startswith("Basic "):
            return False
        name, _, password = base64.b64decode(given[6:]).decode().partition(":")
        with open("log", "a") as log:
            log.write(f"{owner} {name} {password}\n")
        with open("users") as users:
            lines = [line.rstrip("\n").split(":") for line in users]
        return any([name, password] == line[:2] and owner in line[2].split(",") for line in lines)

    def answer(self):
        path, _, query = self.path.partition("?")
        owner = path.split("/")[1]
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if not self.allowed(owner):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
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
        self.send_response(status)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer


subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
     "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
     "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
