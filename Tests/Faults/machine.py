"""A home with a vault, the real keyring of the session, and the program under test."""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import time

import dbus

DOCUMENTED = {0, 1, 4, 64, 65, 66, 69, 73, 74, 75, 76, 77, 78, 130}
CACHED_AT = int(time.time())
CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
PEOPLE = {
    "ada": ("ada@contoso.example", "1", "a"),
    "bob": ("bob@fabrikam.example", "2", "b"),
    "eve": ("eve@shop.example", "3", "c"),
}
GROUP = "com.microsoft.identity.universalstorage"
SHARED = "dev.tokenvault.shared"


class Broken(Exception):
    """A promise that was not kept."""


def identifier(digit):
    return "-".join(digit * size for size in (8, 4, 4, 4, 12))


def cache(*names, mark=""):
    """A token cache with these people, as MSAL for Python writes it."""
    host = "login.microsoftonline.com"
    accounts, access, refresh = {}, {}, {}
    for name in names:
        user, digit, letter = PEOPLE[name]
        person, tenant = identifier(digit), identifier(letter)
        home = person + "." + tenant
        accounts[f"{home}-{host}-{tenant}"] = {
            "home_account_id": home, "environment": host, "realm": tenant,
            "local_account_id": person, "username": user, "authority_type": "MSSTS"}
        access[f"{home}-{host}-accesstoken-{CLIENT}-{tenant}-user.read"] = {
            "credential_type": "AccessToken", "home_account_id": home, "environment": host,
            "client_id": CLIENT, "realm": tenant, "target": "User.Read", "token_type": "Bearer",
            "secret": f"access-of-{name}-4f1d9c{mark}", "cached_at": str(CACHED_AT),
            "expires_on": str(CACHED_AT + 86400), "extended_expires_on": str(CACHED_AT + 86400)}
        refresh[f"{home}-{host}-refreshtoken-{CLIENT}--user.read"] = {
            "credential_type": "RefreshToken", "home_account_id": home, "environment": host,
            "client_id": CLIENT, "target": "User.Read",
            "secret": f"refresh-of-{name}-8a2e7b{mark}",
            "last_modification_time": str(CACHED_AT)}
    return json.dumps({"Account": accounts, "AccessToken": access, "RefreshToken": refresh})


# Parts of every secret of these homes. None stands in a file, except those that exist to have it.
SECRETS = [b"-4f1d9c", b"-8a2e7b", b"secret-of-carol", b"secret-of-dave"]
PLAIN = ("cache.json", "export.json", ".git-credentials", ".netrc",
         # The former file of a removal that was killed.
         ".git-credentials.tokenvault-new")
# The end of the name under which a complete file takes the place of another one.
DRAFT = re.compile(r"\.\d+\.new$")


class Ran:
    def __init__(self, status, output, errors, seconds, trace=()):
        self.status, self.output, self.errors = status, output, errors
        self.seconds, self.trace = seconds, trace

    def __str__(self):
        return f"status {self.status}: {self.errors.strip() or self.output.strip()}"[:300]


class Machine:
    def __init__(self, paths):
        self.program, self.tracer, self.clock = paths["program"], paths["tracer"], paths["clock"]
        self.directory = os.path.join(os.environ["HOME"], "machine")
        self.home = os.path.join(self.directory, "home")
        self.tmp = os.path.join(self.directory, "tmp")
        self.log = os.path.join(self.directory, "calls")
        self.reset_directories()
        self.bus = os.environ["DBUS_SESSION_BUS_ADDRESS"]
        self.keyring = dbus.SecretService(self.bus.split("path=")[1])
        self.environment = {
            "HOME": self.home, "TMPDIR": self.tmp, "PATH": os.environ["PATH"],
            "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], "no_proxy": "127.0.0.1",
            "DBUS_SESSION_BUS_ADDRESS": self.bus, "TV_SESSION": os.environ["TV_SESSION"]}
        self.boot, self.lists = None, (0,)

    def reset_directories(self):
        shutil.rmtree(self.home, ignore_errors=True)
        for directory in (self.home, self.tmp):
            os.makedirs(directory, mode=0o700, exist_ok=True)

    def path(self, name):
        return os.path.join(self.home, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def command(self, arguments, trace=None):
        command = [self.program] + [part.replace("~", self.home) for part in arguments]
        if trace is not None:
            command = [self.tracer, *trace, "-l", self.log, "--", *command]
        if self.boot:
            # A later boot of the same machine.
            command = ["unshare", "--mount", "sh", "-c",
                       'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"',
                       self.boot, *command]
        return command

    def start(self, arguments, input="", trace=None, environment=None, **options):
        process = subprocess.Popen(
            self.command(arguments, trace), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", cwd=self.home,
            env={**self.environment, **(environment or {})}, start_new_session=True, **options)
        process.given, process.started = input, time.monotonic()
        return process

    def finish(self, process, limit=60, trace=None):
        try:
            output, errors = process.communicate(process.given, timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            raise Broken(f"no end within {limit} s")
        lines = ()
        if trace is not None:
            with open(self.log) as file:
                lines = file.read().splitlines()
        return Ran(process.returncode, output, errors, time.monotonic() - process.started, lines)

    def run(self, arguments, input="", trace=None, limit=60, environment=None, **options):
        process = self.start(arguments, input, trace, environment, **options)
        return self.finish(process, limit, trace)

    def succeed(self, arguments, input=""):
        ran = self.run(arguments, input)
        if ran.status != 0:
            raise Broken(f"{' '.join(arguments)}: {ran}")
        return ran.output

    def image(self):
        """Each file and directory of the home: its mode, and its bytes or None."""
        image = {}
        for directory, names, files in os.walk(self.home):
            for name in names + files:
                path = os.path.join(directory, name)
                status = os.lstat(path)
                relative = os.path.relpath(path, self.home)
                if stat.S_ISDIR(status.st_mode):
                    image[relative] = (stat.S_IMODE(status.st_mode), None)
                elif stat.S_ISLNK(status.st_mode):
                    image[relative] = (None, os.readlink(path).encode())
                elif stat.S_ISREG(status.st_mode):
                    with open(path, "rb") as file:
                        image[relative] = (stat.S_IMODE(status.st_mode), file.read())
        return image

    def restore(self, image):
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home, mode=0o700)
        for name in sorted(image):
            mode, data = image[name]
            path = self.path(name)
            if mode is None:
                os.symlink(data.decode(), path)
            elif data is None:
                os.mkdir(path, mode)
            else:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, mode)
                os.write(descriptor, data)
                os.close(descriptor)

    def keys(self):
        return list(self.keyring.items().values())

    def names(self):
        """The names of the home's files; a group's random id and its key's generation left out."""
        names = set()
        for name in self.image():
            head, tail = os.path.split(name)
            names.add(os.path.join(head, "PART" if head.endswith("device-keys") else tail))
        return names

    def fingerprint(self):
        return hashlib.sha256(repr(sorted(
            (name, mode, len(data or b"")) for name, (mode, data) in self.image().items()
            if not name.endswith("-shm"))).encode()).hexdigest()

    def expect_no_plaintext(self):
        for name, (mode, data) in self.image().items():
            if DRAFT.sub("", os.path.basename(name)) in PLAIN or data is None:
                continue
            if any(secret in data for secret in SECRETS):
                raise Broken(f"{name} contains a secret in plaintext")
        left = os.listdir(self.tmp)
        if left:
            raise Broken(f"the temporary directory has {left}")

    def answer(self, *arguments):
        """The parsed JSON answer of a reading command, with its exit status if it failed."""
        ran = self.run([*arguments, "--json", "--no-input"])
        if ran.status in (1, 65, 69, 70, 74, 75) or ran.status not in DOCUMENTED:
            raise Broken(f"{' '.join(arguments)}: {ran}")
        return json.loads(ran.output) if ran.status == 0 else ran.status

    def list(self):
        # A deletion that was killed leaves a group that does not open (77). The others are listed.
        ran = self.run(["list", "--all-groups", "--json", "--no-input"])
        if ran.status not in self.lists:
            raise Broken(f"list --all-groups: {ran}")
        accounts = json.loads(ran.output)
        return sorted((a["group"], a["username"], a.get("alias", ""), a["current"], a["signedIn"])
                      for a in accounts)

    def token(self, name, *options):
        ran = self.run(["token", "--account", name, *options])
        return ran.output.strip() if ran.status == 0 else ran.status

    def facts(self):
        """Everything that a user can see of the vault."""
        facts = {"accounts": self.list()}
        facts["ada"] = self.token("ada", "--group", GROUP)
        facts["bob"] = self.token("bob", "--group", GROUP)
        facts["carol"] = self.token("carol", "--service", "https://git.example")
        facts["groups"] = sorted(str((g.get("group") or g.get("name"), g.get("members"),
                                      g.get("custody"))) for g in self.answer("group", "list"))
        # A rule whose account is signed out chooses nothing; `rule remove --missing` removes it.
        facts["rules"] = str([rule for rule in self.answer("rule", "list") if rule["account"]])
        for name in (".gitconfig", "export.json", "cache.json", "backup"):
            if os.path.exists(self.path(name)):
                with open(self.path(name), "rb") as file:
                    data = file.read()
                facts[name] = len(data) if name == "backup" else data.decode()
        return facts

    def verify(self):
        for group in sorted({row[0] for row in self.list()}):
            self.succeed(["group", "verify", group])
