"""Stand-ins for GitHub and GitLab, written from their documentation and not from this project.

GitHub: docs.github.com, "Authorizing OAuth apps", "Generating a user access token for a GitHub App",
"Refreshing user access tokens". GitLab: docs.gitlab.com, "OAuth 2.0 identity provider API", "GitLab as
OpenID Connect identity provider".

Prints three ports: github.com with git and GitLab under /gitlab, api.github.com, and a stranger that
must never see a token. Ends when standard input closes. POST /control changes the settings, GET
/control prints the log.
"""
import base64, hashlib, json, os, secrets, subprocess, sys, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT, SECRET = "Iv1.0123456789abcdef", "0123456789abcdef0123456789abcdef01234567"
settings = {
    "pending": 0, "slowDown": 0, "deviceError": "", "expiring": False, "deviceLifetime": 899,
    "user": json.dumps({"login": "octocat", "id": 583231, "node_id": "MDQ6VXNlcjU4MzIzMQ==",
                        "type": "User", "name": "The Octocat", "email": None}),
    "userStatus": 200, "userLocation": "", "scope": None, "repository": "",
}
log, codes, devices, tokens, refreshes = [], {}, {}, {}, {}


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """The RSA key that signs GitLab's ID tokens; made by OpenSSL when it is first used."""
    file = None

    @classmethod
    def get(cls):
        if not cls.file:
            cls.file = tempfile.mkdtemp() + "/key.pem"
            subprocess.run(["openssl", "genrsa", "-out", cls.file, "2048"], check=True,
                           capture_output=True)
        return cls.file

    @classmethod
    def jwk(cls):
        text = subprocess.run(["openssl", "rsa", "-in", cls.get(), "-modulus", "-noout"],
                              check=True, capture_output=True, text=True).stdout
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "one", "e": "AQAB",
                "n": b64(bytes.fromhex(text.strip().split("=")[1]))}

    @classmethod
    def sign(cls, claims):
        head = b64(json.dumps({"typ": "JWT", "alg": "RS256", "kid": "one"}).encode())
        text = head + "." + b64(json.dumps(claims).encode())
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", cls.get()], check=True,
                                   capture_output=True, input=text.encode()).stdout
        return text + "." + b64(signature)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json; charset=utf-8", headers=()):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def oauth(self, members, status=200):
        # GitHub answers with a form unless JSON is asked for, and reports errors with the status 200.
        if "application/json" in self.headers.get("Accept", ""):
            self.reply(status, json.dumps(members))
        else:
            self.reply(status, urlencode(members), "application/x-www-form-urlencoded")

    def do_GET(self):
        self.handle_one({})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/control":
            settings.update(json.loads(body))
            return self.reply(200, "{}")
        self.handle_one({name: values[0] for name, values in parse_qs(body.decode()).items()})

    def handle_one(self, form):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/control":
            return self.reply(200, json.dumps(log))
        role = self.server.role
        log.append({"server": role, "method": self.command, "path": url.path, "form": form,
                    "query": query, "authorization": self.headers.get("Authorization", "")})
        if role == "stranger":
            return self.reply(200, settings["user"])
        if role == "api":
            return self.api(url.path)
        if url.path.startswith("/gitlab/"):
            return self.gitlab(url.path[7:], query, form)
        if url.path == "/login/oauth/authorize":
            return self.authorize(query)
        if url.path == "/login/device/code":
            return self.device(form)
        if url.path == "/login/oauth/access_token":
            return self.token(form)
        if ".git/" in url.path:
            return self.git(url.path)
        self.reply(404, "Not Found", "text/plain")

    # GitHub

    def authorize(self, query):
        code = secrets.token_hex(10)
        codes[code] = query
        self.reply(302, "", headers=[("Location", query["redirect_uri"] + "?" + urlencode(
            {"code": code, "state": query["state"]}))])

    def device(self, form, path="/login/device", name="GitHub"):
        if form.get("client_id") != CLIENT:
            return self.oauth({"error": "Not Found"}, 404)
        if settings["deviceError"] == "device_flow_disabled":
            return self.oauth({"error": "device_flow_disabled", "error_description":
                               "Device Flow must be explicitly enabled for this App"}, 400)
        code = secrets.token_hex(20)
        devices[code] = {"scope": form.get("scope", ""), "pending": settings["pending"],
                         "slow": settings["slowDown"]}
        self.oauth({"device_code": code, "user_code": "WDJB-MJHT",
                    "verification_uri": self.base() + path,
                    "expires_in": settings["deviceLifetime"], "interval": 1})

    def base(self):
        return "http://127.0.0.1:%d" % self.server.server_port

    def token(self, form):
        if form.get("client_id") != CLIENT:
            return self.oauth({"error": "incorrect_client_credentials"})
        kind = form.get("grant_type")
        if kind == "urn:ietf:params:oauth:grant-type:device_code":
            device = self.poll(form)
            return device and self.issue(device["scope"], False)
        if kind == "refresh_token":
            grant = refreshes.pop(form.get("refresh_token"), None)
            if not grant:
                return self.oauth({"error": "bad_refresh_token", "error_description":
                                   "The refresh token passed is incorrect or expired."})
            if grant["web"] and form.get("client_secret") != SECRET:
                return self.oauth({"error": "incorrect_client_credentials"})
            tokens.pop(grant["token"], None)
            return self.issue(grant["scope"], grant["web"])
        # The web flow needs the secret, with PKCE too.
        if form.get("client_secret") != SECRET:
            return self.oauth({"error": "incorrect_client_credentials", "error_description":
                               "The client_id and/or client_secret passed are incorrect."})
        request = codes.pop(form.get("code"), None)
        challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if not request or request.get("code_challenge") != challenge:
            return self.oauth({"error": "bad_verification_code", "error_description":
                               "The code passed is incorrect or expired."})
        self.issue(request.get("scope", ""), True)

    def poll(self, form):
        device = devices.get(form.get("device_code"))
        error = settings["deviceError"] if device else "incorrect_device_code"
        if not error and device["slow"] > 0:
            device["slow"] -= 1
            self.oauth({"error": "slow_down", "interval": 6})
            return None
        if not error and device["pending"] > 0:
            device["pending"] -= 1
            error = "authorization_pending"
        if error:
            self.oauth({"error": error, "error_description": "The authorization has not ended."})
            return None
        return devices.pop(form["device_code"])

    def issue(self, scope, web):
        token = ("ghu_" if settings["expiring"] else "gho_") + secrets.token_hex(18)
        tokens[token] = True
        answer = {"access_token": token, "token_type": "bearer",
                  "scope": "" if settings["expiring"] else
                  settings["scope"] if settings["scope"] is not None else
                  ",".join(scope.split())}
        if settings["expiring"]:
            refresh = "ghr_" + secrets.token_hex(38)
            refreshes[refresh] = {"scope": scope, "token": token, "web": web}
            answer |= {"expires_in": 28800, "refresh_token": refresh,
                       "refresh_token_expires_in": 15811200}
        self.oauth(answer)

    def bearer(self):
        words = self.headers.get("Authorization", "").split()
        return len(words) == 2 and words[0] in ("Bearer", "token") and words[1] in tokens

    def api(self, path):
        if not self.bearer():
            return self.reply(401, json.dumps({"message": "Bad credentials", "status": "401"}))
        if path == "/user":
            headers = [("Location", settings["userLocation"])] if settings["userLocation"] else []
            return self.reply(settings["userStatus"], settings["user"], headers=headers)
        self.reply(200, json.dumps([{"full_name": "octocat/Hello-World"}]))

    def git(self, path):
        """The dumb protocol of git, with the token as the password (RFC 7617)."""
        words = self.headers.get("Authorization", "").split()
        password = base64.b64decode(words[1]).decode().partition(":")[2] if len(words) == 2 else ""
        if password not in tokens:
            return self.reply(401, "", "text/plain",
                              [("WWW-Authenticate", 'Basic realm="GitHub"')])
        file = os.path.join(settings["repository"], path.partition(".git/")[2])
        if not os.path.isfile(file):
            return self.reply(404, "", "text/plain")
        with open(file, "rb") as content:
            self.reply(200, content.read(), "application/octet-stream")

    # GitLab

    def gitlab(self, path, query, form):
        base = self.base() + "/gitlab"
        if path == "/.well-known/openid-configuration":
            # Neither the device endpoint nor offline_access is announced.
            return self.reply(200, json.dumps({
                "issuer": base, "authorization_endpoint": base + "/oauth/authorize",
                "token_endpoint": base + "/oauth/token",
                "revocation_endpoint": base + "/oauth/revoke",
                "introspection_endpoint": base + "/oauth/introspect",
                "userinfo_endpoint": base + "/oauth/userinfo",
                "jwks_uri": base + "/oauth/discovery/keys",
                "scopes_supported": ["api", "read_api", "read_user", "read_repository",
                                     "write_repository", "openid", "profile", "email"],
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "code_challenge_methods_supported": ["plain", "S256"]}))
        if path == "/oauth/discovery/keys":
            return self.reply(200, json.dumps({"keys": [Key.jwk()]}))
        if path == "/oauth/authorize":
            if "offline_access" in query["scope"].split():
                return self.reply(302, "", headers=[("Location", query["redirect_uri"] + "?"
                                  + urlencode({"error": "invalid_scope", "state": query["state"]}))])
            return self.authorize(query)
        if path == "/oauth/authorize_device":
            return self.device(form, "/gitlab/oauth/device", "GitLab")
        if path == "/oauth/revoke":
            tokens.pop(form.get("token"), None)
            refreshes.pop(form.get("token"), None)
            return self.reply(200, "{}")
        if path == "/api/v4/user":
            known = self.bearer()
            return self.reply(200 if known else 401, json.dumps(
                {"id": 1, "username": "tanuki"} if known else {"message": "401 Unauthorized"}))
        if path != "/oauth/token":
            return self.reply(404, json.dumps({"error": "404 Not Found"}))
        kind = form.get("grant_type")
        if kind == "refresh_token":
            grant = refreshes.pop(form.get("refresh_token"), None)
            if not grant:
                return self.reply(400, json.dumps({"error": "invalid_grant"}))
            return self.gitlab_tokens(form, grant["scope"], None)
        if kind == "authorization_code":
            request = codes.pop(form.get("code"), {})
            challenge = b64(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if request.get("code_challenge") != challenge:
                return self.reply(400, json.dumps({"error": "invalid_grant"}))
            return self.gitlab_tokens(form, request["scope"], request.get("nonce"))
        device = devices.get(form.get("device_code"))
        if device and device["pending"] > 0:
            device["pending"] -= 1
            return self.reply(400, json.dumps({"error": "authorization_pending"}))
        if not device:
            return self.reply(400, json.dumps({"error": "invalid_grant"}))
        self.gitlab_tokens(form, device["scope"], None)

    def gitlab_tokens(self, form, scope, nonce):
        access, refresh, now = secrets.token_hex(32), secrets.token_hex(32), int(time.time())
        tokens[access] = True
        refreshes[refresh] = {"scope": scope}
        claims = {"iss": self.base() + "/gitlab", "sub": "1", "aud": form["client_id"],
                  "exp": now + 120, "iat": now, "auth_time": now, "sub_legacy": "f00d",
                  "name": "Tanuki", "nickname": "tanuki", "preferred_username": "tanuki"}
        if nonce:
            claims["nonce"] = nonce
        self.reply(200, json.dumps({
            "access_token": access, "token_type": "Bearer", "expires_in": 7200,
            "refresh_token": refresh, "scope": scope, "created_at": now,
            "id_token": Key.sign(claims)}))


servers = []
for role in ["github", "api", "stranger"]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.role = role
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    servers.append(server)
print(*(server.server_port for server in servers), flush=True)
sys.stdin.read()
