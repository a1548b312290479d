"""Runs nanoidp until the standard input ends: nanoidp_server.py CONFIG DIRECTORY

CONFIG is JSON: clients [{id, redirectURIs}], users [{name, password}], tls, path, rotation,
tokenMinutes, deviceInterval, profile. Prints issuer and, with TLS, authorityFile as JSON.

Observed: a registered redirect URI on 127.0.0.1 matches any port, one on localhost does not; the
login page appears every time, even if a user is signed in; a device that polls too soon does not
get slow_down; the answer to a revocation is 200 without a body."""

import json
import os
import sys

import yaml

from serving import private_authority, serve, start, wait_until_ready

config = json.loads(sys.argv[1])
directory = sys.argv[2]
log = os.path.join(directory, "log")


def write(name, content):
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        yaml.safe_dump(content, file)


def attempt(port):
    tls, path = config["tls"], config["path"]
    origin = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    issuer = origin + path
    write("settings.yaml", {
        "config_version": 1,
        "server": {"host": "127.0.0.1", "port": port},
        "oauth": {
            "issuer": issuer,
            "audience": "tests",
            "token_expiry_minutes": config["tokenMinutes"],
            "refresh_token_rotation": config["rotation"],
            "require_pkce": True,
            "clients": [
                {
                    "client_id": client["id"],
                    "token_endpoint_auth_method": "none",
                    "redirect_uris": client["redirectURIs"],
                }
                for client in config["clients"]
            ],
        },
        "device_flow": {"polling_interval": config["deviceInterval"]},
        "jwt": {"keys_dir": os.path.join(directory, "keys")},
        # Without this, any password is accepted.
        "session": {"enforce_password_check": True},
        "security_profile": config["profile"],
    })
    write("users.yaml", {
        "config_version": 1,
        "users": {
            user["name"]: {"password": user["password"], "email": user["name"] + "@example.com"}
            for user in config["users"]
        },
    })
    facts = {"issuer": issuer}
    if tls or path:
        facts["authorityFile"], certificate, key = private_authority(directory)
        command = [
            sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--threads", "8",
            # Codes and tokens are kept in the process, so there must be only one.
            "--workers", "1", "--worker-tmp-dir", directory, "--no-control-socket",
            "nanoidp.app:create_app()"]
        if tls:
            command[3:3] = ["--certfile", certificate, "--keyfile", key]
    else:
        command = [sys.executable, "-m", "nanoidp", "--config", directory]
    child = start(command, log, NANOIDP_CONFIG_DIR=directory, SCRIPT_NAME=path)
    wait_until_ready(
        child, issuer + "/.well-known/openid-configuration",
        lambda answer: answer.json()["issuer"] == issuer,
        verify=facts.get("authorityFile", True))
    return child, facts


serve(attempt, log)
