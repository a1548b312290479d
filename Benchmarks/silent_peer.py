"""The median of MSAL for Python's acquire_token_silent over a cache in memory, in seconds.

usage: silent_peer.py CACHE CLIENT COUNT
"""
import json
import statistics
import sys
import time

import msal

path, client, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


class Answer:
    def __init__(self, text):
        self.status_code, self.text, self.headers = 200, text, {}

    def raise_for_status(self):
        pass


class NoNetwork:
    """Answers the requests that MSAL makes before it reads its cache, and refuses all others."""

    def get(self, url, **_):
        suffix = "/v2.0/.well-known/openid-configuration"
        if not url.endswith(suffix):
            raise RuntimeError("unexpected network request: " + url)
        tenant = url[: -len(suffix)]
        return Answer(json.dumps({
            "issuer": tenant + "/v2.0",
            "authorization_endpoint": tenant + "/oauth2/v2.0/authorize",
            "token_endpoint": tenant + "/oauth2/v2.0/token",
        }))

    def post(self, url, **_):
        raise RuntimeError("unexpected network request: " + url)

    def close(self):
        pass


cache = msal.SerializableTokenCache()
with open(path) as file:
    cache.deserialize(file.read())
app = msal.PublicClientApplication(
    client, authority="https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47",
    token_cache=cache, http_client=NoNetwork(), instance_discovery=False)
account = app.get_accounts("user50@example.com")[0]
times = []
for _ in range(count):
    start = time.perf_counter()
    result = app.acquire_token_silent(["User.Read"], account=account)
    times.append(time.perf_counter() - start)
    assert result["access_token"]
print(statistics.median(times))
