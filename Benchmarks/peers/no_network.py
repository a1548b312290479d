"""The HTTP client of an MSAL that has all it needs in its cache."""
import json

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
