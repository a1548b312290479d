"""Runs glewlwyd until the standard input ends: glewlwyd_server.py CONFIG DIRECTORY

CONFIG is JSON: clients [{id, redirectURIs}], users [{name, password}], deviceInterval. PORT in a
redirect URI becomes a free port, because glewlwyd compares whole URIs. Prints issuer and
redirectPort as JSON.

Observed: a refused refresh is 400 and a revocation 401, both without a body; the answer to a
refresh has no ID token; the authorization response has `iss` although the discovery document does
not announce it; the discovery document does not list "none" among the client authentication
methods; a redirect URI without a path ends the process."""

import json
import os
import shutil
import sqlite3
import sys

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from serving import free_port, serve, start, wait_until_ready

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
MODULES = "/usr/lib/glewlwyd"
PAGES = "/usr/share/glewlwyd/webapp"
# The shipped database has this administrator. The server listens on loopback and runs for minutes.
ADMINISTRATOR = {"username": "admin", "password": "password"}

config = json.loads(sys.argv[1])
directory = sys.argv[2]
log = os.path.join(directory, "log")
database = os.path.join(directory, "database")
pages = os.path.join(directory, "pages")


def write(name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def settings(port):
    types = {
        ".html": "text/html", ".css": "text/css", ".js": "application/javascript",
        ".json": "application/json", ".png": "image/png", ".ttf": "font/ttf",
        ".woff": "font/woff", ".woff2": "font/woff2", ".ico": "image/x-icon"}
    mime = ",\n".join(
        f'{{ extension = "{ending}" mime_type = "{kind}" }}' for ending, kind in types.items())
    return f"""
port={port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:{port}"
login_url="login.html"
api_prefix="api"
static_files_path="{pages}"
static_files_mime_types = ({mime})
log_mode="file"
log_level="INFO"
log_file="{log}"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
allow_multiple_user_per_session=true
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="{MODULES}/user"
client_module_path="{MODULES}/client"
user_auth_scheme_module_path="{MODULES}/scheme"
plugin_module_path="{MODULES}/plugin"
hash_algorithm="SHA512"
database = {{ type = "sqlite3" path = "{database}" }}
"""


def plugin(issuer):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {
        "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True,
        "parameters": {
            "iss": issuer, "jwt-type": "rsa", "jwt-key-size": "256",
            "key": private.decode(), "cert": public.decode(),
            "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
            "refresh-token-rolling": True, "refresh-token-one-use": "always",
            "allow-non-oidc": True, "jwks-show": True,
            "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
            "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
            "auth-type-token-enabled": False, "auth-type-implicit-enabled": False,
            "auth-type-password-enabled": False, "auth-type-client-enabled": False,
            "auth-type-none-enabled": False,
            "pkce-allowed": True, "pkce-required": True, "pkce-method-plain-allowed": False,
            "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
            "session-management-allowed": True,
            # Without this, the script of the sign-out page fails.
            "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
            "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 3600,
            "device-authorization-expiration": 600,
            "device-authorization-interval": config["deviceInterval"],
            "oauth-as-iss-id": True,
        },
    }


def prepare():
    for leftover in (database, database + "-wal", database + "-shm"):
        if os.path.exists(leftover):
            os.remove(leftover)
    with open(SCHEMA, encoding="utf-8") as schema:
        connection = sqlite3.connect(database)
        # Without this, thousands of small transactions take seconds.
        connection.executescript("PRAGMA synchronous=OFF; BEGIN;" + schema.read() + "COMMIT;")
        connection.close()
    # The package has config.json as a directory that contains the file; its pages do not find it.
    shutil.copytree(PAGES, pages, dirs_exist_ok=True, ignore=shutil.ignore_patterns("config.json"))
    configuration = os.path.join(PAGES, "config.json")
    if os.path.isdir(configuration):
        configuration = os.path.join(configuration, "config.json")
    shutil.copyfile(configuration, os.path.join(pages, "config.json"))


def administer(origin, redirect_port):
    session = requests.Session()
    session.trust_env = False

    def call(method, path, body):
        answer = session.request(method, origin + "/api" + path, json=body, timeout=60)
        if not answer.ok:
            raise SystemExit(f"glewlwyd: {method} {path}: {answer.status_code} {answer.text}")

    call("POST", "/auth/", ADMINISTRATOR)
    for scope in ["offline", "mail.read"]:
        call("POST", "/scope/", {
            "name": scope, "display_name": scope, "description": scope,
            "password_required": False, "scheme": {}})
    for user in config["users"]:
        call("POST", "/user/?source=database", {
            "username": user["name"], "password": user["password"], "name": user["name"],
            "email": user["name"] + "@example.com", "enabled": True,
            "scope": ["g_profile", "openid", "offline", "mail.read"]})
    for client in config["clients"]:
        call("POST", "/client/?source=database", {
            "client_id": client["id"], "name": client["id"], "confidential": False,
            "enabled": True, "redirect_uri": [
                uri.replace("PORT", str(redirect_port)) for uri in client["redirectURIs"]],
            "authorization_type": ["code", "refresh_token", "device_authorization",
                                   "delete_token"],
            "token_endpoint_auth_method": ["none"],
            "scope": []})
    call("POST", "/mod/plugin/", plugin(origin + "/api/oidc"))


def attempt(port):
    prepare()
    origin = f"http://127.0.0.1:{port}"
    issuer = origin + "/api/oidc"
    file = write("glewlwyd.conf", settings(port))
    child = start(["glewlwyd", "--config-file=" + file], log)
    wait_until_ready(child, origin + "/config", lambda answer: "api_prefix" in answer.json())
    redirect_port = free_port()
    administer(origin, redirect_port)
    wait_until_ready(
        child, issuer + "/.well-known/openid-configuration",
        lambda answer: answer.json()["issuer"] == issuer)
    return child, {"issuer": issuer, "redirectPort": redirect_port}


serve(attempt, log)
