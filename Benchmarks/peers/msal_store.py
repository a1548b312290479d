"""A small program with MSAL for Python whose cache is in the Secret Service, by msal-extensions.

usage: msal_store.py fill FILE | token USER | list | write USER | sign-out USER

`fill` takes a cache from a file. `token` prints an access token, `write` stores the tokens of another
account, as a sign-in does after the answer of the server, and `sign-out` removes an account.
"""
import os
import sys
import time

# PyGObject comes with the system's Python.
sys.path.append("/usr/lib/python3/dist-packages")
import msal  # noqa: E402
from msal_extensions import LibsecretPersistence, PersistedTokenCache  # noqa: E402

from no_network import NoNetwork  # noqa: E402

TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"
CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
AUTHORITY = "https://login.microsoftonline.com/" + TENANT

verb, *names = sys.argv[1:]
store = LibsecretPersistence(os.path.expanduser("~/msal-cache.signal"), "dev.tokenvault.Benchmark", {"app": "msal"})
if verb == "fill":
    with open(names[0]) as file:
        store.save(file.read())
    sys.exit()
cache = PersistedTokenCache(store)
if verb == "write":
    now = int(time.time())
    cache.add({
        "client_id": CLIENT, "scope": ["User.Read"], "environment": "login.microsoftonline.com",
        "token_endpoint": AUTHORITY + "/oauth2/v2.0/token",
        "response": {
            "access_token": "s" * 2048, "refresh_token": "r" * 1024, "expires_in": 86400,
            "token_type": "Bearer", "id_token_claims": {"sub": names[0], "preferred_username": names[0]},
        },
    }, now=now)
    sys.exit()
app = msal.PublicClientApplication(
    CLIENT, authority=AUTHORITY, token_cache=cache, http_client=NoNetwork(), instance_discovery=False)
if verb == "list":
    print("\n".join(account["username"] for account in app.get_accounts()))
    sys.exit()
account = app.get_accounts(names[0])[0]
if verb == "token":
    print(app.acquire_token_silent(["User.Read"], account=account)["access_token"])
else:
    app.remove_account(account)
