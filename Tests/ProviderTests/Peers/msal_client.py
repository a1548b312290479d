"""The real MSAL for Python: msal_client.py sign-in|silent CONFIG

CONFIG is JSON: issuer, clientID, scopes, cache (its file, read and written), and for
  sign-in  flow (code or device), browser (a command that takes the URL)
  silent   force (always refreshes); without it a POST is an error, so that an answer can only come
           from the cache
and dropsIDToken, which removes the ID token from the provider's answers.
REQUESTS_CA_BUNDLE names the certificate of a private authority. Prints JSON with digests in place
of tokens."""

import hashlib
import http.server
import json
import subprocess
import sys
import threading
import urllib.parse

import msal
import requests

verb, config = sys.argv[1], json.loads(sys.argv[2])


class Session(requests.Session):
    """MSAL's transport, which counts POST requests."""

    def __init__(self):
        super().__init__()
        self.posts = 0

    def request(self, method, url, **options):
        if method.upper() == "POST":
            self.posts += 1
            if verb == "silent" and not config.get("force"):
                raise SystemExit("msal_client.py: a POST instead of an answer from the cache")
        answer = super().request(method, url, timeout=60, **options)
        if config.get("dropsIDToken") and answer.ok and "id_token" in answer.json():
            body = answer.json()
            del body["id_token"]
            answer._content = json.dumps(body).encode()
        return answer


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest() if text else None


def browse(url):
    if subprocess.run(config["browser"] + [url], check=False).returncode != 0:
        raise SystemExit("msal_client.py: the browser failed")


def code_flow(application):
    answers = []

    class Redirect(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            address = urllib.parse.urlsplit(self.path)
            if address.path == "/callback":
                answers.append(dict(urllib.parse.parse_qsl(address.query)))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Redirect)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flow = application.initiate_auth_code_flow(
        config["scopes"], redirect_uri=f"http://127.0.0.1:{server.server_port}/callback")
    browse(flow["auth_uri"])
    server.shutdown()
    return application.acquire_token_by_auth_code_flow(flow, answers[0])


def device_flow(application):
    flow = application.initiate_device_flow(config["scopes"])
    browse(flow.get("verification_uri_complete") or flow["verification_uri"])
    return application.acquire_token_by_device_flow(flow)


def silently(application, account):
    return application.acquire_token_silent_with_error(
        config["scopes"], account, force_refresh=bool(config.get("force")))


cache = msal.SerializableTokenCache()
try:
    with open(config["cache"], encoding="utf-8") as file:
        cache.deserialize(file.read())
except FileNotFoundError:
    pass
session = Session()
client = msal.PublicClientApplication(
    config["clientID"], oidc_authority=config["issuer"], token_cache=cache, http_client=session)
if verb == "sign-in":
    result = code_flow(client) if config["flow"] == "code" else device_flow(client)
else:
    accounts = client.get_accounts()
    result = silently(client, accounts[0]) if accounts else {"error": "no account"}
with open(config["cache"], "w", encoding="utf-8") as file:
    file.write(cache.serialize())

accounts = client.get_accounts()
kinds = msal.TokenCache.CredentialType
stored = list(cache.search(kinds.REFRESH_TOKEN))
print(json.dumps({
    "error": (result or {"error": "nothing"}).get("error"),
    "accessToken": digest((result or {}).get("access_token")),
    "source": (result or {}).get("token_source"),
    "refreshToken": digest(stored[0]["secret"]) if stored else None,
    "posts": session.posts,
    "accounts": [
        {"username": account["username"], "identifier": account["home_account_id"]}
        for account in accounts],
}))
