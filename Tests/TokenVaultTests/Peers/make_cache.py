"""Writes a token cache with MSAL for Python: make_cache.py [--accounts-only] OUTFILE

With --accounts-only it leaves out the tokens that MSAL keeps without an account.
Each token response goes through TokenCache.add(), as in MSAL's own flows. Every name, id and token
is made up. Prints the expected content of the cache as JSON, without tokens.
"""

import base64
import json
import os
import sys
import time

import msal

ADA = "11111111-1111-4111-8111-111111111111"
BOB = "22222222-2222-4222-8222-222222222222"
EVE = "33333333-3333-4333-8333-333333333333"
CONTOSO = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
FABRIKAM = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
SHOP = "cccccccc-cccc-4ccc-8ccc-cccccccccccc"
DEVICE_TENANT = "dddddddd-dddd-4ddd-8ddd-dddddddddddd"

AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
SHOP_APP = "99999999-9999-4999-8999-999999999999"
DEVICE_APP = "88888888-8888-4888-8888-888888888888"

LOGIN = "login.microsoftonline.com"
SHOP_HOST = "shop.b2clogin.com"
ARM = "https://management.core.windows.net//.default"
GRAPH = "https://graph.microsoft.com/.default"
ORDERS = "https://shop.onmicrosoft.com/orders/read"

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"


def encoded(value):
    text = json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def id_token(**claims):
    now = int(time.time())
    claims = dict({"iat": now, "nbf": now, "exp": now + 3600, "ver": "2.0"}, **claims)
    return ".".join([encoded({"alg": "none", "typ": "JWT"}), encoded(claims), "made-up"])


def answer(label, client_info=None, claims=None, **fields):
    response = {
        "token_type": "Bearer",
        "expires_in": 86400,
        "ext_expires_in": 172800,
        "access_token": "fake-access-token-" + label,
    }
    if client_info:
        response["client_info"] = encoded(client_info)
    if claims:
        response["id_token"] = id_token(**claims)
    response.update(fields)
    return response


def events():
    """The events that MSAL's flows pass to the cache, one for each token response."""

    def entra(client, realm, scope, response, grant="authorization_code"):
        return {
            "client_id": client,
            "scope": [scope],
            "token_endpoint": "https://%s/%s/oauth2/v2.0/token" % (LOGIN, realm),
            "grant_type": grant,
            "params": {},
            "data": {},
            "response": response,
        }

    ada = {"uid": ADA, "utid": CONTOSO}
    # Ada in her home tenant, with the refresh token of the Microsoft family.
    yield entra(AZURE_CLI, CONTOSO, ARM, answer(
        "ada-contoso-arm", ada,
        dict(aud=AZURE_CLI, iss="https://%s/%s/v2.0" % (LOGIN, CONTOSO), tid=CONTOSO, oid=ADA,
             sub="ada-at-contoso", preferred_username="ada@contoso.example",
             name="Ada L\u00f6velace"),
        refresh_token="fake-family-refresh-token-ada", foci="1", refresh_in=43200))
    # A token from her refresh token: MSAL then leaves the account unchanged.
    yield dict(
        entra(AZURE_CLI, CONTOSO, GRAPH, answer("ada-contoso-graph", ada), "refresh_token"),
        skip_account_creation=True)
    # Ada as a guest of another tenant.
    yield entra(AZURE_CLI, FABRIKAM, ARM, answer(
        "ada-fabrikam-arm", ada,
        dict(aud=AZURE_CLI, iss="https://%s/%s/v2.0" % (LOGIN, FABRIKAM), tid=FABRIKAM,
             oid="44444444-4444-4444-8444-444444444444", sub="ada-at-fabrikam",
             preferred_username="ada@contoso.example",
             name="Ada (guest)"),
        refresh_token="fake-family-refresh-token-ada", foci="1"))
    # Bob, signed in with a device code.
    yield entra(AZURE_CLI, FABRIKAM, ARM, answer(
        "bob-fabrikam-arm", {"uid": BOB, "utid": FABRIKAM},
        dict(aud=AZURE_CLI, iss="https://%s/%s/v2.0" % (LOGIN, FABRIKAM), tid=FABRIKAM, oid=BOB,
             sub="bob-at-fabrikam", preferred_username="Bob@fabrikam.example", name="Bob"),
        refresh_token="fake-family-refresh-token-bob", foci="1"), grant=DEVICE_CODE)

    # Eve, a customer of a shop, under two policies: one person with two accounts.
    for policy in ("b2c_1_signin", "b2c_1_edit"):
        yield {
            "client_id": SHOP_APP,
            "scope": [ORDERS],
            "environment": SHOP_HOST,
            "token_endpoint": "https://%s/shop.onmicrosoft.com/%s/oauth2/v2.0/token"
            % (SHOP_HOST, policy),
            "grant_type": "authorization_code",
            "params": {},
            "data": {},
            "response": answer(
                "eve-" + policy, {"uid": "%s-%s" % (EVE, policy), "utid": SHOP},
                dict(aud=SHOP_APP, iss="https://%s/%s/v2.0/" % (SHOP_HOST, SHOP), tid=SHOP,
                     oid=EVE, sub=EVE, tfp=policy, preferred_username="eve@mail.example",
                     name="Eve"),
                refresh_token="fake-refresh-token-eve-" + policy),
        }

    # A device flow without an ID token, for which MSAL stores null as the account.
    yield entra(DEVICE_APP, DEVICE_TENANT, "api://fake/read", answer(
        "device", refresh_token="fake-refresh-token-device"), grant=DEVICE_CODE)


def orphan():
    """A token from a refresh without an ID token, which has an empty account."""
    now = int(time.time())
    return {
        "credential_type": "AccessToken",
        "secret": "fake-access-token-refreshed",
        "home_account_id": "",
        "environment": LOGIN,
        "client_id": DEVICE_APP,
        "target": "api://fake/write",
        "realm": DEVICE_TENANT,
        "token_type": "Bearer",
        "cached_at": str(now),
        "expires_on": str(now + 3600),
        "extended_expires_on": str(now + 3600),
    }


def main(path, accounts_only=False):
    cache = msal.SerializableTokenCache()
    for event in events():
        if accounts_only and event["client_id"] == DEVICE_APP:
            continue
        cache.add(event)
    if not accounts_only:
        entry = orphan()
        cache.modify(msal.TokenCache.CredentialType.ACCESS_TOKEN, entry, entry)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w") as file:
        file.write(cache.serialize())
    json.dump({
        "msal": msal.__version__,
        "accounts": [
            {"username": "ada@contoso.example", "identifier": "%s.%s" % (ADA, CONTOSO)},
            {"username": "Bob@fabrikam.example", "identifier": "%s.%s" % (BOB, FABRIKAM)},
            {"username": "eve@mail.example",
             "identifier": "%s-b2c_1_signin.%s" % (EVE, SHOP)},
            {"username": "eve@mail.example", "identifier": "%s-b2c_1_edit.%s" % (EVE, SHOP)},
        ],
        "entities": {
            name: len(entries) for name, entries in json.loads(cache.serialize()).items()
        },
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main(sys.argv[-1], accounts_only="--accounts-only" in sys.argv[1:-1])
