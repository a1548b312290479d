"""Commands that speak with the project's own identity provider."""

import json
import os
import subprocess
import time
import urllib.parse
import urllib.request

from kills import kill_everywhere
from machine import Broken, GROUP, PEOPLE, cache
from operations import Operation

CLIENT = "11111111-2222-3333-4444-555555555555"
ADA, BOB = PEOPLE["ada"][0], PEOPLE["bob"][0]
# The longest waits that docs/faults.md promises for a token that another process is renewing: if the
# stored token is still valid, and if it is not.
SPARE, FORCED = 10, 140


class Provider:
    def __init__(self, program, **settings):
        self.process = subprocess.Popen(
            [program, "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[1]
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.post("config", {"autoSignIn": ADA, "accessTokenLifetime": 7200, **settings})

    def open(self, path, data=None):
        return json.loads(self.opener.open(self.url + "/control/" + path, data, 10).read() or "null")

    def post(self, path, value=None):
        self.opener.open(self.url + "/control/" + path, json.dumps(value or {}).encode(), 10).read()

    def count(self, name):
        return self.open("counters").get(name, 0)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


SIGN_IN = ["sign-in", "--browser", "curl -sSLo /dev/null %s"]
REFRESH = ["token", "--account", "ada", "--scope", "User.Read", "--force-refresh"]
TOKEN = ["token", "--account", "ada", "--scope", "User.Read"]


def configured(provider):
    """A home with one account that has nothing to do with the provider."""
    def prepare(machine):
        machine.write(".config/tokenvault/config.json", json.dumps({"signIn": {
            "clientId": CLIENT, "authority": provider.url + "/organizations/v2.0",
            "scopes": ["User.Read"]}}))
        machine.write("cache.json", cache("bob"))
        machine.succeed(["import", "~/cache.json"])
    return prepare


def signed_in(provider):
    def prepare(machine):
        configured(provider)(machine)
        machine.succeed(SIGN_IN)
    return prepare


def facts(machine):
    ran = machine.run(TOKEN)
    return {"accounts": [row[:2] for row in machine.list()], "ada": ran.status,
            "bob": machine.token(BOB, "--group", GROUP)}


def operations(provider):
    one = Operation(" ".join(SIGN_IN), prepare=configured(provider), facts=facts)
    one.arguments = SIGN_IN
    two = Operation(f"sign-out {ADA}", prepare=signed_in(provider), facts=facts, again=(0, 66))
    return [one, two]


def device(machine, provider, trace=None):
    """A sign-in with a code on another device, which the user enters as soon as it is shown."""
    known = set(provider.open("devices"))
    process = machine.start(["sign-in", "--device-code"], trace=trace)
    while process.poll() is None:
        for code in set(provider.open("devices")) - known:
            known.add(code)
            provider.post("device/approve?" + urllib.parse.urlencode(
                {"user_code": code, "username": ADA}))
    return machine.finish(process, trace=trace)


def kill_device(machine, provider, report, step):
    """The sign-in waits a second for the device, so this command is not killed at all calls."""
    operation = Operation("sign-in --device-code", prepare=configured(provider), facts=facts)
    operation.execute = lambda machine, trace, **_: device(machine, provider, trace)
    provider.post("config", {"deviceInterval": 1})
    kill_everywhere(machine, operation, report, step)


def kill_refresh(machine, provider, report, step=1):
    """A refresh whose token rotates, killed at each call. The provider has ended the former refresh
    token as soon as it has answered: until the new one is stored, a kill loses this sign-in."""
    prepare = signed_in(provider)

    def fresh():
        machine.restore({})
        machine.keyring.set([])
        prepare(machine)
        return machine.image(), machine.keys(), provider.count("refreshes")

    image, keys, refreshes = fresh()
    number, kills, lost = 1, 0, 0
    while True:
        ran = machine.run(REFRESH, trace=["-k", str(number)])
        was_killed = ran.status in (137, -9)
        try:
            machine.expect_no_plaintext()
            was_sent = provider.count("refreshes") != refreshes
            now = facts(machine)
            if now["bob"] != "access-of-bob-4f1d9c" or len(now["accounts"]) != 2:
                raise Broken(f"another account is affected: {now}")
            again = machine.run(REFRESH)
            if again.status not in ((0, 4) if was_killed and was_sent else (0,)):
                raise Broken(f"the sign-in is lost: {again}")
            lost += again.status == 4
            machine.succeed(["group", "verify", GROUP])
        except Broken as error:
            report.broken(f"kill at call {number}: {error}")
        if not was_killed:
            break
        kills += 1
        if provider.count("refreshes") != refreshes:
            image, keys, refreshes = fresh()
        else:
            machine.restore(image)
            machine.keyring.set(keys)
        number += step
    report.seen(kills, f"{kills} kills; {lost} lost the sign-in of this account, and no other")


def suspend(machine, provider, report, step=40, forced=False):
    """A refresh that is stopped at a call, while another process needs the same token: one that it
    would like to renew, an hour later, or one that it must."""
    command, limit = (REFRESH, FORCED) if forced else (TOKEN, SPARE)
    offset = os.path.join(machine.directory, "offset")
    with open(offset, "w") as file:
        file.write("0" if forced else "3600")
    later = {"LD_PRELOAD": machine.clock, "FAULTS_CLOCK": offset}
    prepare = signed_in(provider)
    count, slowest, statuses = 0, 0, {}
    calls = 1
    number = 0
    while number < calls:
        machine.restore({})
        machine.keyring.set([])
        prepare(machine)
        if calls == 1:
            machine.run(REFRESH, trace=["-n"])
            calls = int(open(machine.log).read().split("\n")[-2].split()[1])
            machine.restore({})
            machine.keyring.set([])
            prepare(machine)
        number += step
        count += 1
        if os.path.exists(machine.log):
            os.unlink(machine.log)
        stopped = machine.start(REFRESH, trace=["-s", str(number)])
        program = wait_until_stopped(machine, stopped)
        try:
            second = machine.run(command, limit=limit + 30, environment=later)
            third = machine.run(TOKEN)
            slowest = max(slowest, second.seconds)
            statuses[second.status] = statuses.get(second.status, 0) + 1
            if second.seconds > limit:
                raise Broken(f"another process waited {second.seconds:.0f} s: {second}")
            if second.status not in ((0, 69, 75) if forced else (0,)):
                raise Broken(f"another process: {second}")
            if third.status != 0:
                raise Broken(f"the stored token is not returned meanwhile: {third}")
        except Broken as error:
            report.broken(f"stopped at call {number}: {error}")
        if program:
            os.kill(program, 18)
        ran = machine.finish(stopped, trace=["-s"])
        try:
            if ran.status not in (0, 75):
                raise Broken(f"the stopped process: {ran}")
            if provider.count("reuses"):
                raise Broken("a refresh token was sent twice")
            machine.succeed(TOKEN)
        except Broken as error:
            report.broken(f"stopped at call {number}: {error}")
    report.seen(count, f"stopped at {count} calls; the other process waited at most "
                f"{slowest:.0f} s, statuses {statuses}")


def wait_until_stopped(machine, tracer):
    """The process that the tracer has stopped; None if it ended before."""
    while tracer.poll() is None:
        if os.path.exists(machine.log):
            with open(machine.log) as file:
                last = file.read().split("\n")[-2:]
            if last[0].startswith("stopped "):
                return int(last[0].split()[1])
        time.sleep(0.005)
    return None
