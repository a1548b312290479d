"""A stub of a Kubernetes API server on loopback, by https. It serves /version to bearers of "kube-token".

Each Authorization field that arrives is a line of the file "log". "cert.pem" is the certificate. The
port is written to "port" as soon as the server listens.
"""
import http.server, json, ssl, subprocess


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *ignored):
        pass

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        if given:
            with open("log", "a") as log:
                log.write(given + "\n")
        allowed = given == "Bearer kube-token"
        body = json.dumps({"major": "1", "minor": "32", "gitVersion": "v1.32.0"} if allowed else {
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized",
            "code": 401}).encode()
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
     "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
     "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
with open("port", "w") as port:
    port.write(f"{server.server_port}\n")
server.serve_forever()
