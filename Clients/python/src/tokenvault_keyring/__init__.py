"""The vault of TokenVault as a backend of keyring.

The work is done by `tokenvault credential keyring`, the command line that pip and uv run. A secret
is never an argument of a process: a new password is its standard input, a stored one its output, and
a URL with user information, where a password or a token may be, is refused.
"""

import json
import re
import shutil
import subprocess

from keyring.backend import KeyringBackend
from keyring.credentials import SimpleCredential
from keyring.errors import KeyringError, PasswordDeleteError, PasswordSetError

__all__ = ["Keyring"]


class _Priority:
    """Above the Secret Service (5), which a chain of backends asks next."""

    def __get__(self, instance, owner):
        if shutil.which(owner.program) is None:
            raise RuntimeError(f"{owner.program} is not in PATH")
        return 6


class Keyring(KeyringBackend):
    """Passwords of TokenVault, by service and user name."""

    program = "tokenvault"
    priority = _Priority()

    def get_password(self, service, username):
        found = self._get("password", service, username)
        return found and found["password"]

    def get_credential(self, service, username):
        found = self._get("creds", service, *([username] if username else []))
        return found and SimpleCredential(found["username"], found["password"])

    def set_password(self, service, username, password):
        # The helper removes one line feed from the end.
        ended = self._run("set", service, username, input=password + "\n")
        if ended.returncode:
            raise PasswordSetError(self._reason(ended))

    def delete_password(self, service, username):
        ended = self._run("del", service, username)
        if ended.returncode:
            raise PasswordDeleteError(self._reason(ended))

    def _get(self, mode, service, *user):
        ended = self._run("get", service, *user, options=["--mode", mode, "--output", "json"])
        if ended.returncode == 0:
            return json.loads(ended.stdout)
        if ended.returncode == 1 and not ended.stderr:
            return None
        raise KeyringError(self._reason(ended))

    def _run(self, operation, service, *user, options=(), input=""):
        # Other users of the machine can read the arguments of a process.
        if re.match(r"[^/?#]*//[^/?#]*@", service):
            raise KeyringError("the URL of a service must not contain a user name, password or token")
        program = shutil.which(self.program)
        if program is None:
            raise KeyringError(f"{self.program} is not in PATH")
        return subprocess.run(
            [program, "credential", "keyring", operation, *options, "--", service, *user],
            input=input,
            capture_output=True,
            encoding="utf-8",
        )

    @staticmethod
    def _reason(ended):
        return ended.stderr.strip() or f"tokenvault ended with status {ended.returncode}"
