"""A plain HTTP client, to test a provider and the browser without tokenvault: raw_client.py CONFIG

CONFIG is JSON: issuer, authorityFile, clientID, port (of the redirect URI; 0 for any), scope,
browser (a command that takes the URL), flow (code or device), parameters (of the authorization
request), signsOut. Prints the results as JSON, without tokens."""

import base64
import hashlib
import http.server
import json
import secrets
import subprocess
import sys
import threading
import time
import urllib.parse

import requests

config = json.loads(sys.argv[1])
http_session = requests.Session()
http_session.trust_env = False
http_session.verify = config.get("authorityFile") or True
discovery = http_session.get(
    config["issuer"] + "/.well-known/openid-configuration", timeout=60).json()


def post(endpoint, **form):
    return http_session.post(
        discovery[endpoint], data={"client_id": config["clientID"], **form}, timeout=60)


def browse(url):
    return subprocess.run(config["browser"] + [url], check=False).returncode


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def code_flow():
    answers = []

    class Redirect(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            address = urllib.parse.urlsplit(self.path)
            if address.path == "/callback":
                answers.append(dict(urllib.parse.parse_qsl(address.query)))
            body = b"<title>Done</title><p>You may close this window.</p>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", config["port"]), Redirect)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    redirect = f"http://127.0.0.1:{server.server_port}/callback"
    verifier = secrets.token_urlsafe(48)
    state, nonce = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    url = discovery["authorization_endpoint"] + "?" + urllib.parse.urlencode({
        "client_id": config["clientID"], "response_type": "code", "redirect_uri": redirect,
        "scope": config["scope"], "state": state, "nonce": nonce,
        "code_challenge": challenge.decode().rstrip("="), "code_challenge_method": "S256",
        **config.get("parameters", {})})
    status = browse(url)
    server.shutdown()
    if status != 0 or not answers:
        raise SystemExit(f"the browser exited with {status} after {len(answers)} redirects")
    answer = answers[0]
    result = {"answer": sorted(answer), "stateMatches": answer.get("state") == state,
              "iss": answer.get("iss"), "error": answer.get("error")}
    if "code" not in answer:
        return result, None
    tokens = post("token_endpoint", grant_type="authorization_code", code=answer["code"],
                  redirect_uri=redirect, code_verifier=verifier)
    if tokens.ok and "id_token" in tokens.json():
        result["nonceMatches"] = claims(tokens.json()["id_token"]).get("nonce") == nonce
    return result, tokens


def device_flow():
    start = post("device_authorization_endpoint", scope=config["scope"])
    begun = start.json()
    result = {"device": sorted(begun), "interval": begun.get("interval")}

    def poll():
        return post("token_endpoint", device_code=begun["device_code"],
                    grant_type="urn:ietf:params:oauth:grant-type:device_code")

    first = poll()
    result["early"] = first.json().get("error")
    result["tooSoon"] = poll().json().get("error")
    url = begun["verification_uri_complete"]
    status = browse(url)
    if status != 0:
        raise SystemExit(f"the browser exited with {status}")
    interval = begun.get("interval", 5)
    end = time.monotonic() + 120
    while True:
        time.sleep(interval + 0.2)
        tokens = poll()
        error = None if tokens.ok else tokens.json().get("error")
        if error == "slow_down":
            interval += 5
        elif error != "authorization_pending":
            return result, tokens
        if time.monotonic() > end:
            raise SystemExit("no token after 120 s")


def shape(answer):
    try:
        body = answer.json()
    except ValueError:
        return {"status": answer.status_code, "empty": not answer.content}
    return {"status": answer.status_code, "fields": sorted(body), "error": body.get("error"),
            "scope": body.get("scope")}


def later(tokens):
    """The provider's answers to a refresh token that is used, revoked and used again."""
    found = {"tokens": shape(tokens)}
    body = tokens.json()
    if "id_token" in body:
        found["user"] = claims(body["id_token"]).get("sub")
    if "refresh_token" not in body:
        return found
    old = body["refresh_token"]
    refreshed = post("token_endpoint", grant_type="refresh_token", refresh_token=old)
    found["refreshed"] = shape(refreshed)
    new = refreshed.json().get("refresh_token", old)
    found["rotated"] = new != old
    if "revocation_endpoint" in discovery:
        revoked = post("revocation_endpoint", token=new, token_type_hint="refresh_token")
        found["revoked"] = shape(revoked)
        after = post("token_endpoint", grant_type="refresh_token", refresh_token=new)
        found["afterRevocation"] = shape(after)
    reused = post("token_endpoint", grant_type="refresh_token", refresh_token=old)
    found["reused"] = shape(reused)
    return found


def sign_out(token):
    """Ends the browser's session at the provider."""
    return browse(discovery["end_session_endpoint"] + "?" + urllib.parse.urlencode({
        "id_token_hint": token, "client_id": config["clientID"]}))


result, tokens = code_flow() if config["flow"] == "code" else device_flow()
if tokens is not None:
    result.update(later(tokens) if tokens.ok else {"tokens": shape(tokens)})
if config.get("signsOut"):
    result["signedOut"] = sign_out(tokens.json()["id_token"])
print(json.dumps(result))
