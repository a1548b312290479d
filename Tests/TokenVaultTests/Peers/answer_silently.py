"""Serves tokens from a cache with MSAL for Python, without a network: answer_silently.py CACHEFILE

For each public client and authority of make_cache.py it prints, as JSON, the accounts of
get_accounts() and the results of acquire_token_silent(). Then it signs every account of the first
client out, in memory only, and prints what is left. Tokens are printed in full: they are made up.
MSAL may fetch a tenant's openid-configuration, which this program supplies; any other request ends
the program with an error.
"""

import json
import sys

import msal

import make_cache as made


class Offline:
    """An HTTP client that returns discovery documents and refuses every other request."""

    def __init__(self):
        self.requests = []

    class Answer:
        status_code = 200
        headers = {}

        def __init__(self, value):
            self.text = json.dumps(value)

        def raise_for_status(self):
            pass

    def get(self, url, **_):
        suffix = "/v2.0/.well-known/openid-configuration"
        if not url.endswith(suffix):
            self.refuse("GET", url)
        authority = url[: -len(suffix)]
        self.requests.append(url)
        return self.Answer({
            "issuer": authority + "/v2.0",
            "authorization_endpoint": authority + "/oauth2/v2.0/authorize",
            "token_endpoint": authority + "/oauth2/v2.0/token",
        })

    def post(self, url, **_):
        self.refuse("POST", url)

    def close(self):
        pass

    def refuse(self, method, url):
        # Not an Exception, which MSAL could mistake for a network failure.
        print("unexpected request: %s %s" % (method, url), file=sys.stderr)
        raise SystemExit(3)


def questions():
    login = "https://" + made.LOGIN + "/"
    shop = "https://" + made.SHOP_HOST + "/shop.onmicrosoft.com/"
    yield made.AZURE_CLI, login + made.CONTOSO, [made.ARM]
    yield made.AZURE_CLI, login + made.CONTOSO, [made.GRAPH]
    yield made.AZURE_CLI, login + made.FABRIKAM, [made.ARM]
    yield made.SHOP_APP, shop + "b2c_1_signin", [made.ORDERS]


def main(path):
    cache = msal.SerializableTokenCache()
    with open(path, encoding="utf-8") as file:
        cache.deserialize(file.read())
    offline = Offline()
    applications = []
    for client, authority, scopes in questions():
        application = msal.PublicClientApplication(
            client, authority=authority, token_cache=cache, http_client=offline,
            instance_discovery=False)
        answers = []
        for account in application.get_accounts():
            # Without a token in this tenant, MSAL would use the network.
            held = list(cache.search(
                cache.CredentialType.ACCESS_TOKEN, target=scopes, query={
                    "home_account_id": account["home_account_id"],
                    "environment": application.authority.instance,
                    "realm": application.authority.tenant,
                    "client_id": client,
                }))
            result = application.acquire_token_silent(scopes, account) if held else None
            answers.append({
                "username": account["username"],
                "identifier": account["home_account_id"],
                "access_token": (result or {}).get("access_token"),
                "source": (result or {}).get("token_source"),
            })
        applications.append({
            "client_id": client,
            "authority": authority,
            "scopes": scopes,
            "accounts": sorted(answers, key=lambda answer: answer["identifier"]),
            "families": [app.get("family_id") for app in cache.search(
                cache.CredentialType.APP_METADATA, query={"client_id": client})],
            "family_refresh_tokens": len(list(cache.search(
                cache.CredentialType.REFRESH_TOKEN, query={"family_id": "1"}))),
        })
    without_account = list(cache.search(
        cache.CredentialType.ACCESS_TOKEN, target=["api://fake/read"],
        query={"home_account_id": None, "client_id": made.DEVICE_APP}))
    with_empty_account = list(cache.search(
        cache.CredentialType.ACCESS_TOKEN, target=["api://fake/write"],
        query={"home_account_id": "", "client_id": made.DEVICE_APP}))
    # MSAL finds entries by fields but removes them by key: a sign-out shows whether the keys are
    # those of MSAL.
    client, authority, _ = next(questions())
    application = msal.PublicClientApplication(
        client, authority=authority, token_cache=cache, http_client=offline,
        instance_discovery=False)
    for account in application.get_accounts():
        application.remove_account(account)
    json.dump({
        "left_after_sign_out": {
            name: len(entries) for name, entries in json.loads(cache.serialize()).items()
        },
        "applications": applications,
        "tokens_without_account": len(without_account),
        "tokens_with_empty_account": len(with_empty_account),
        "requests": offline.requests,
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main(sys.argv[1])
