"""The programs in the table: what prepares each, and the command for each column."""
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME = Path(os.environ["HOME"])
TOKEN = "s" * 2048
TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47"
CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
ENTRIES = 10
Call = namedtuple("Call", ["arguments", "input", "environment", "statuses"])


def call(*arguments, input="", environment={}, statuses=(0,)):
    return Call([str(argument) for argument in arguments], input, environment, statuses)


class Peer:
    """A program with its commands: functions from the number of the round to a call.

    `before` has functions that run before each call of a column and are not measured.
    """

    def __init__(self, name, size, result=TOKEN, environment={}, before={}, end=lambda: None, **commands):
        self.name, self.size, self.result, self.before, self.end = name, size, result, before, end
        self.environment, self.seconds, self.memory = environment, {}, 0
        self.commands = {column.replace("_", "-"): make for column, make in commands.items()}

    def call(self, column, number):
        made = self.commands[column](number)
        return made._replace(environment=self.environment | made.environment)


def run(*arguments, input="", environment={}):
    done = subprocess.run(
        [str(argument) for argument in arguments], input=input, env=os.environ | environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


# Sizes, in bytes


def size_of_packages(*packages):
    """The files of installed packages of the distribution."""
    files = {Path(line) for package in packages for line in run("dpkg", "-L", package).splitlines()}
    return sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())


def size_of_distributions(*names):
    """The files of Python packages and of those that they require, without the interpreter."""
    found, names = {}, list(names)
    while names:
        name = names.pop().lower()
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # It is required on other systems only.
        if distribution.metadata["Name"] not in found:
            found[distribution.metadata["Name"]] = sum(
                file.locate().stat().st_size for file in distribution.files or [] if file.locate().exists())
            for required in distribution.requires or []:
                if "extra ==" not in required:
                    names.append("".join(c if c.isalnum() or c in "-_." else " " for c in required).split()[0])
    return sum(found.values())


def size_of_tree(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file() and not file.is_symlink())


# Accounts


def cache(host, client, target):
    """An MSAL cache of invented accounts with tokens that are valid for a day."""
    now = int(time.time())
    accounts, tokens, refresh = {}, {}, {}
    for number in range(ENTRIES):
        home, user = f"uid{number}.{TENANT}", f"user{number}@example.com"
        common = {"home_account_id": home, "environment": host}
        accounts[f"{home}-{host}-{TENANT}"] = common | {
            "realm": TENANT, "local_account_id": f"uid{number}", "username": user, "authority_type": "MSSTS"}
        tokens[f"{home}-{host}-accesstoken-{client}-{TENANT}-{target.lower()}"] = common | {
            "credential_type": "AccessToken", "client_id": client, "realm": TENANT, "target": target,
            "token_type": "Bearer", "cached_at": str(now), "expires_on": str(now + 86400),
            "extended_expires_on": str(now + 86400), "secret": TOKEN}
        refresh[f"{home}-{host}-refreshtoken-{client}--"] = common | {
            "credential_type": "RefreshToken", "client_id": client, "secret": "r" * 1024, "target": "",
            "last_modification_time": str(now)}
    return json.dumps({"Account": accounts, "AccessToken": tokens, "RefreshToken": refresh})


def user(number):
    return f"user{number}@example.com"


def start_provider(*certificate):
    """A provider on loopback, and its address."""
    arguments = [sys.executable, "-B", HERE / "provider.py", TOKEN, *certificate]
    provider = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    return provider, provider.stdout.readline().strip()


def stop(provider):
    provider.kill()
    provider.wait()


# The programs


def tokenvault():
    program = os.environ["TOKENVAULT_PROGRAM"]
    group = ("--group", "com.microsoft.identity.universalstorage")
    file = HOME / "cache.json"
    file.write_text(cache("login.microsoftonline.com", CLIENT, "User.Read"))
    run(program, "import", file)
    file.unlink()
    return Peer(
        "tokenvault", size_of_tree(Path(program).parent) + size_of_tree(Path(program).parent.parent / "libexec"),
        token=lambda n: call(program, "token", "--scope", "User.Read", "--account", user(5)),
        list=lambda n: call(program, "list"),
        write=lambda n: call(
            program, "add", *group, "--service", "git.example.com", "--username", f"w{n}", input=TOKEN),
        sign_out=lambda n: call(program, "sign-out", f"w{n}"),
        start=lambda n: call(program, "--version"))


def secret_tool():
    def store(number):
        name = ("app", "bench", "user", f"u{number}")
        return call("secret-tool", "store", "--label=bench", *name, input=TOKEN)

    for number in range(ENTRIES):
        run(*store(number).arguments, input=TOKEN)
    return Peer(
        "secret-tool", size_of_packages("libsecret-tools", "libsecret-1-0"),
        token=lambda n: call("secret-tool", "lookup", "app", "bench", "user", "u5"),
        list=lambda n: call("secret-tool", "search", "--all", "app", "bench"),
        write=lambda n: store(f"w{n}"),
        sign_out=lambda n: call("secret-tool", "clear", "app", "bench", "user", f"uw{n}"),
        start=lambda n: call("secret-tool", "--version", statuses=(0, 2)))


def msal_extensions():
    program = (sys.executable, "-B", HERE / "msal_store.py")
    file = HOME / "cache.json"
    file.write_text(cache("login.microsoftonline.com", CLIENT, "User.Read"))
    run(*program, "fill", file)
    file.unlink()
    return Peer(
        "MSAL for Python, msal-extensions", size_of_distributions("msal", "msal-extensions"),
        token=lambda n: call(*program, "token", user(5)),
        list=lambda n: call(*program, "list"),
        write=lambda n: call(*program, "write", f"w{n}@example.com"),
        sign_out=lambda n: call(*program, "sign-out", f"w{n}@example.com"),
        start=lambda n: call(sys.executable, "-B", "-c", "import msal, msal_extensions"))


def python_keyring():
    program = Path(sys.executable).parent / "keyring"
    for number in range(ENTRIES):
        run(program, "set", "bench", f"u{number}", input=TOKEN)
    return Peer(
        "Python keyring", size_of_distributions("keyring"),
        token=lambda n: call(program, "get", "bench", "u5"),
        write=lambda n: call(program, "set", "bench", f"w{n}", input=TOKEN),
        sign_out=lambda n: call(program, "del", "bench", f"w{n}"),
        start=lambda n: call(program, "--help"))


def git_libsecret():
    program = os.environ["BENCH_GIT_HELPER"]
    # It refuses a line of 1,024 bytes.
    secret = TOKEN[:1000]

    def ask(verb, name, password=""):
        text = f"protocol=https\nhost=git.example.com\nusername={name}\n{password}\n"
        return call(program, verb, input=text)

    def store(name):
        return ask("store", name, f"password={secret}\n")

    for number in range(ENTRIES):
        run(*store(f"u{number}").arguments, input=store(f"u{number}").input)
    return Peer(
        "git-credential-libsecret", Path(program).stat().st_size + size_of_packages("libsecret-1-0"), result=secret,
        token=lambda n: ask("get", "u5"),
        write=lambda n: store(f"w{n}"),
        sign_out=lambda n: ask("erase", f"w{n}"),
        start=lambda n: call(program, statuses=(1,)))


def gh():
    config = HOME / "gh"
    config.mkdir(mode=0o700)

    def fill(_):
        hosts = [f"git{n}.example.com:\n    oauth_token: {TOKEN}\n    user: ada\n" for n in range(ENTRIES)]
        (config / "hosts.yml").write_text("".join(hosts))

    fill(0)
    return Peer(
        "gh", size_of_packages("gh"), before={"sign-out": fill},
        environment={"GH_CONFIG_DIR": str(config), "GH_NO_UPDATE_NOTIFIER": "1"},
        token=lambda n: call("gh", "auth", "token", "--hostname", "git5.example.com"),
        sign_out=lambda n: call("gh", "auth", "logout", "--hostname", "git7.example.com"),
        start=lambda n: call("gh", "--version"))


def password_store():
    environment = {"GNUPGHOME": str(HOME / "gnupg"), "PASSWORD_STORE_DIR": str(HOME / "pass")}
    (HOME / "gnupg").mkdir(mode=0o700)
    run("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-generate-key",
        "bench", "default", "default", "never", environment=environment)
    run("pass", "init", "bench", environment=environment)
    for number in range(ENTRIES):
        run("pass", "insert", "--multiline", "--force", f"u{number}", input=TOKEN, environment=environment)
    return Peer(
        "pass", size_of_packages("pass"), environment=environment,
        token=lambda n: call("pass", "show", "u5"),
        list=lambda n: call("pass", "ls"),
        write=lambda n: call("pass", "insert", "--multiline", "--force", f"w{n}", input=TOKEN),
        sign_out=lambda n: call("pass", "rm", "--force", f"w{n}"),
        start=lambda n: call("pass", "version"),
        end=lambda: run("gpgconf", "--kill", "all", environment=environment))


def oidc_agent():
    directory = HOME / "oidc-agent"
    directory.mkdir(mode=0o700)
    provider, issuer = start_provider()
    environment = {
        "OIDC_CONFIG_DIR": str(directory), "OIDC_ENCRYPTION_PW": "pw", "OIDC_REFRESH_TOKEN": "rt",
        "no_proxy": "127.0.0.1"}
    started = run("oidc-agent", "--json", environment=environment)
    agent = json.loads(started)
    environment["OIDC_SOCK"] = agent["socket"]
    for number in range(ENTRIES):
        run("oidc-gen", "--rt-env", "--flow=refresh", "--client-id=bench", "--client-secret=", f"--issuer={issuer}",
            "--scope=openid offline_access", "--redirect-uri=http://localhost:8080", "--confirm-yes", "--pw-env",
            "--prompt=none", f"u{number}", environment=environment)

    def end():
        os.kill(int(agent["dpid"]), 15)
        stop(provider)

    return Peer(
        "oidc-agent", size_of_packages("oidc-agent-cli", "liboidc-agent4"), environment=environment, end=end,
        before={"sign-out": lambda n: run("oidc-add", "--pw-env", "u7", environment=environment)},
        token=lambda n: call("oidc-token", "u5"),
        list=lambda n: call("oidc-add", "--list"),
        sign_out=lambda n: call("oidc-add", "--remove", "u7"),
        start=lambda n: call("oidc-token", "--version"))


def azure_cli():
    program = Path(os.environ["BENCH_AZ"])
    directory = HOME / "azure"
    directory.mkdir(mode=0o700)
    # It reads the provider's metadata before its cache: a certificate of this run alone answers.
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=benchmark",
        "-addext", "subjectAltName=DNS:login.microsoftonline.com", "-keyout", key, "-out", certificate)
    provider, proxy = start_provider(certificate, key)
    environment = {
        "AZURE_CONFIG_DIR": str(directory), "AZURE_CORE_COLLECT_TELEMETRY": "no", "HTTPS_PROXY": proxy,
        "REQUESTS_CA_BUNDLE": str(certificate)}
    target = "https://management.core.windows.net//user_impersonation https://management.core.windows.net//.default"

    def fill(_):
        (directory / "msal_token_cache.json").write_text(cache("login.microsoftonline.com", CLIENT, target))
        subscriptions = [{
            "id": f"00000000-0000-4000-8000-{n:012}", "name": f"subscription {n}", "state": "Enabled",
            "user": {"name": user(n), "type": "user"}, "isDefault": n == 5, "tenantId": TENANT,
            "homeTenantId": TENANT, "managedByTenants": [], "environmentName": "AzureCloud",
        } for n in range(ENTRIES)]
        (directory / "azureProfile.json").write_text(json.dumps({"subscriptions": subscriptions}))

    fill(0)
    return Peer(
        "az", size_of_tree(program.parent.parent / "lib"), environment=environment, before={"sign-out": fill},
        end=lambda: stop(provider),
        token=lambda n: call(program, "account", "get-access-token"),
        list=lambda n: call(program, "account", "list"),
        sign_out=lambda n: call(program, "logout", "--username", user(7)),
        start=lambda n: call(program, "--help"))


def all_peers():
    return [
        tokenvault(), secret_tool(), git_libsecret(), gh(), password_store(), oidc_agent(), python_keyring(),
        msal_extensions(), azure_cli()]
