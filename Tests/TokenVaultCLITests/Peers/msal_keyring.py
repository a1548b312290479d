"""Keeps a token cache in the Secret Service with the real msal-extensions.

usage: msal_keyring.py save|load SCHEMA NAME=VALUE...; `save` reads the cache from standard input.
"""
import sys

# PyGObject comes with the system's Python.
sys.path.append("/usr/lib/python3/dist-packages")
from msal_extensions import LibsecretPersistence  # noqa: E402

verb, schema, *pairs = sys.argv[1:]
store = LibsecretPersistence("signal", schema, dict(pair.split("=", 1) for pair in pairs))
if verb == "save":
    store.save(sys.stdin.read())
else:
    sys.stdout.write(store.load())
