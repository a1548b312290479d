"""The median of MSAL for Python's acquire_token_silent over a cache in memory, in seconds.

usage: silent_peer.py CACHE CLIENT COUNT
"""
import statistics
import sys
import time

import msal

from no_network import NoNetwork

path, client, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
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
