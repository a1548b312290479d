"""The keyring ends, starts again, locks itself, is slow, or answers garbage, at each answer."""

import os
import signal
import subprocess
import threading
import time

import dbus
from kills import Stage
from machine import Broken, DOCUMENTED
from proxy import Proxy

PASSWORD = "of the session"
# The longest wait that docs/faults.md promises: for a reading command, and for one that changes keys.
READING, WRITING = 5, 45
FAULTS = ("killed", "restarted", "locked", "late", "lost", "garbage", "noise", "cut")
UNREACHABLE = {65, 69, 74, 75, 77}


def alone(method):
    """The bus's proxy ends and starts the keyring while the case may look for it already."""
    def run(self):
        with self.turn:
            return method(self)
    return run


class Daemon:
    """The real keyring of the session, which this class may end and start."""

    def __init__(self, machine):
        self.machine = machine
        self.path = machine.bus.split("path=")[1]
        self.program = os.path.join(os.environ["TV_SESSION"], "gnome-keyring-daemon")
        if not os.path.exists(self.program):
            self.program = "gnome-keyring-daemon"
        self.process, self.control = None, dbus.Connection(self.path)
        self.turn = threading.RLock()
        self.end()
        keyrings = os.path.join(os.environ["XDG_DATA_HOME"], "keyrings")
        for name in os.listdir(keyrings):
            os.unlink(os.path.join(keyrings, name))
        self.start()

    def ask(self, member, signature, *arguments):
        return self.control.call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                                 "org.freedesktop.DBus", member, signature, *arguments)[0]

    def is_there(self):
        return self.ask("NameHasOwner", "s", dbus.SecretService.name)

    @alone
    def end(self):
        if self.is_there():
            os.kill(self.ask("GetConnectionUnixProcessID", "s", dbus.SecretService.name),
                    signal.SIGKILL)
        if self.process:
            self.process.wait()
        while self.is_there():
            time.sleep(0.005)

    @alone
    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--foreground", "--unlock", "--components=secrets"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process.stdin.write(PASSWORD.encode())
        self.process.stdin.close()
        end = time.monotonic() + 20
        while True:
            try:
                self.machine.keyring = dbus.SecretService(self.path)
                if not self.machine.keyring.property(
                        self.machine.keyring.collection, "Collection", "Locked"):
                    return
            except OSError:
                pass  # It has not taken its name, or has no collection yet.
            if time.monotonic() > end:
                raise Broken("the keyring did not start")
            time.sleep(0.01)

    @alone
    def restart(self):
        self.end()
        self.start()

    def lock(self):
        dbus.SecretService(self.path).lock()

    @alone
    def is_well(self):
        if not self.is_there():
            return False
        try:
            service = dbus.SecretService(self.path)
            return not service.property(service.collection, "Collection", "Locked")
        except OSError:
            return False


def answer_everywhere(machine, operation, report, faults=FAULTS, shard=(0, 1), step=1):
    daemon = Daemon(machine)
    stage = Stage(machine, operation)
    proxy = Proxy(os.path.join(machine.directory, "bus"), daemon.path)
    behind = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + proxy.path}
    proxy.plan(0, None)
    stage.run(environment=behind)
    total, count, slowest = proxy.number, 0, 0
    stage.reset()
    limit = READING if operation.reads else WRITING
    for fault in faults:
        for number in range(1 + shard[0], total + 1, shard[1] * step):
            count += 1
            action = {"killed": daemon.end, "restarted": daemon.restart,
                      "locked": daemon.lock}.get(fault, fault)
            proxy.plan(number, action)
            try:
                ran = stage.run(environment=behind)
                slowest = max(slowest, ran.seconds)
                if ran.status not in DOCUMENTED:
                    raise Broken(f"not a documented status: {ran}")
                if ran.status not in {0, *UNREACHABLE, *operation.ends}:
                    raise Broken(f"not a status of a keyring that fails: {ran}")
                if ran.seconds > limit:
                    raise Broken(f"{ran.seconds:.0f} s, promised are {limit} s: {ran}")
                proxy.plan(0, None)
                if not daemon.is_well():
                    daemon.restart()
                stage.expect_all(ran.status == 0)
            except Broken as error:
                report.broken(f"{fault} at answer {number}: {error}")
            proxy.plan(0, None)
            if not daemon.is_well():
                daemon.restart()
            stage.reset()
    report.seen(count, f"{count} faults at {total} answers; the longest took {slowest:.1f} s")
