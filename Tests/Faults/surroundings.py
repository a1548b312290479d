"""The machine around a command: its clock, its disks, and its limit of descriptors."""

import os
import resource
import socket
import subprocess
import time

from kills import Stage
from machine import Broken, DOCUMENTED

DAY = 86_400


def jump_clock(machine, operation, report):
    """The clock is a day ahead or behind during the command, before it, or from a call on."""
    stage = Stage(machine, operation)
    offset = os.path.join(machine.directory, "offset")
    fake = {"LD_PRELOAD": machine.clock, "FAULTS_CLOCK": offset}
    with open(offset, "w") as file:
        file.write("0")
    total = int(stage.run(["-n"], environment=fake).trace[-1].split()[1])
    stage.reset()

    def set_clock(seconds):
        with open(offset, "w") as file:
            file.write(str(seconds))

    count = 0
    for seconds in (DAY, -DAY):
        for call in (0, *range(total // 8, total, total // 8)):
            count += 1
            set_clock(0 if call else seconds)
            try:
                if call:
                    ran = jump_at(machine, stage, call, fake, lambda: set_clock(seconds))
                else:
                    ran = stage.run(environment=fake)
                if ran.status not in (0, *operation.ends):
                    raise Broken(str(ran))
                if ran.seconds > 20:
                    raise Broken(f"{ran.seconds:.0f} s: {ran}")
                stage.expect_all(True)
            except Broken as error:
                report.broken(f"{seconds:+d} s at call {call}: {error}")
            stage.reset()
    report.seen(count, f"{count} jumps")


def jump_at(machine, stage, call, environment, jump):
    from signin import wait_until_stopped
    if os.path.exists(machine.log):
        os.unlink(machine.log)
    process = machine.start(stage.operation.arguments, stage.operation.input, ["-s", str(call)],
                            environment)
    # The input is small, and a stopped program does not read it.
    process.stdin.write(process.given)
    process.stdin.close()
    process.stdin, process.given = None, None
    program = wait_until_stopped(machine, process)
    jump()
    if program:
        os.kill(program, 18)
    return machine.finish(process)


# The session and the program may be below /tmp: they are mounted there again.
FULL_TMP = """
set -e
shopt -s inherit_errexit
parts=("$TV_SESSION" "$PROGRAMS")
exec 8<"$TV_SESSION" 9<"$PROGRAMS"
mount -t tmpfs -o size=64k none /tmp
for part in 8 9; do
  mkdir -p "${parts[$part - 8]}"
  mount --no-canonicalize --bind "/proc/self/fd/$part" "${parts[$part - 8]}"
done
mount -t tmpfs -o size=64k none /var/tmp
mount -t tmpfs -o size=64k none "$TMPDIR"
for directory in /tmp /var/tmp "$TMPDIR"; do
  head -c 1M /dev/zero >"$directory/fill" 2>/dev/null || true
done
cd "$HOME"
exec "$@"
"""

FULL_HOME = """
set -e
cp -a "$HOME" "$TMPDIR/copy"
mount -t tmpfs -o size=8m none "$HOME"
cp -a "$TMPDIR/copy/." "$HOME/"
rm -r "$TMPDIR/copy"
chmod 700 "$HOME"
head -c 16M /dev/zero >"$HOME/fill" 2>/dev/null || true
status=0
"$@" || status=$?
rm "$HOME/fill"
cp -a "$HOME/." "$SAVED/"
exit $status
"""


def in_mounts(machine, script, stage, environment=None):
    command = ["unshare", "--mount", "bash", "-c", script, "bash",
               *machine.command(stage.operation.arguments)]
    started = time.monotonic()
    ran = subprocess.run(command, input=stage.operation.input, capture_output=True, text=True,
                         cwd=machine.directory, timeout=60,
                         env={**machine.environment, **(environment or {})})
    from machine import Ran
    return Ran(ran.returncode, ran.stdout, ran.stderr, time.monotonic() - started)


def fill_tmp(machine, operation, report):
    stage = Stage(machine, operation)
    try:
        ran = in_mounts(machine, FULL_TMP, stage,
                        {"PROGRAMS": os.path.dirname(os.path.dirname(machine.program))})
        if ran.status not in (0, *operation.ends):
            raise Broken(str(ran))
        stage.expect_all(True)
    except Broken as error:
        report.broken(str(error))
    report.seen(1, "done")


def fill_home(machine, operation, report):
    stage = Stage(machine, operation)
    saved = os.path.join(machine.directory, "saved")
    os.makedirs(saved, exist_ok=True)
    try:
        ran = in_mounts(machine, FULL_HOME, stage, {"SAVED": saved})
        if ran.status not in (0, 73, 74, *operation.ends):
            raise Broken(str(ran))
        subprocess.run(["rm", "-rf", machine.home], check=True)
        os.rename(saved, machine.home)
        os.chmod(machine.home, 0o700)
        stage.expect_all(ran.status == 0)
    except Broken as error:
        report.broken(str(error))
    report.seen(1, f"status {ran.status}")


def limit_descriptors(machine, operation, report, limits=range(3, 24)):
    """Few descriptors, and a limit of 1,024 of which 990 are taken."""
    stage = Stage(machine, operation)
    statuses = {}
    for limit in (*limits, 1024):
        def prepare():
            if limit == 1024:
                for descriptor in range(10, 1000):
                    os.dup2(0, descriptor)
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        try:
            ran = machine.run(operation.arguments, operation.input, preexec_fn=prepare,
                              close_fds=False)
            statuses[ran.status] = statuses.get(ran.status, 0) + 1
            if ran.status not in DOCUMENTED and ran.status != 127:
                raise Broken(f"not a documented status: {ran}")
            # The dynamic loader needs descriptors before the program runs.
            if ran.status in (65, 66) or limit == 1024 and ran.status not in (0, *operation.ends):
                raise Broken(str(ran))
            stage.expect_all(ran.status == 0)
        except Broken as error:
            report.broken(f"{limit} descriptors: {error}")
        stage.reset()
    report.seen(len(limits) + 1, f"statuses {statuses}")


class RemoteDirectory:
    """A directory that sshfs mounts, from an SFTP server at the other end of a socket."""

    def __init__(self, directory):
        self.directory = directory
        self.source, self.mount = (os.path.join(directory, name) for name in ("source", "mount"))
        for path in (directory, self.source, self.mount):
            os.makedirs(path, mode=0o700, exist_ok=True)
        near, far = socket.socketpair()
        with near, far:
            self.server = subprocess.Popen(["/usr/lib/openssh/sftp-server"], stdin=far, stdout=far)
            self.client = subprocess.Popen(
                ["sshfs", "-f", "-o", "passive", ":" + self.source, self.mount],
                stdin=near, stdout=near, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while not os.path.ismount(self.mount):
            if self.client.poll() is not None or time.monotonic() > end:
                raise SystemExit("faults: sshfs does not mount a directory of this machine")
            time.sleep(0.01)

    def end(self):
        subprocess.run(["fusermount3", "-u", self.mount], check=True)
        for process in (self.client, self.server):
            process.wait(10)


def remote_home(machine, operation, report):
    """A vault on a network file system is refused, and a backup may go there."""
    remote = RemoteDirectory(os.path.join(machine.directory, "remote"))
    try:
        stage = Stage(machine, operation)
        home = os.path.join(remote.mount, "home")
        subprocess.run(["cp", "-a", machine.home, home], check=True)
        before = sorted(os.listdir(os.path.join(home, ".local/share/tokenvault/groups")))
        for arguments in (operation.arguments, ["list"], ["token", "--account", "ada"]):
            ran = machine.run(arguments, operation.input, environment={"HOME": home})
            if ran.status != 77 or "network file system" not in ran.errors:
                report.broken(f"{' '.join(arguments)} with a home on sshfs: {ran}")
        if sorted(os.listdir(os.path.join(home, ".local/share/tokenvault/groups"))) != before:
            report.broken("a refused command has changed the vault")
        # The vault on a local disk, and everything else of the home on the other machine.
        vault = machine.path(".local/share/tokenvault")
        local = {"HOME": home, "TOKENVAULT_HOME": vault}
        backup = os.path.join(remote.mount, "backup")
        for arguments in (operation.arguments, ["list"],
                          ["group", "backup", "dev.tokenvault.shared", backup]):
            ran = machine.run(arguments, operation.input, environment=local)
            if ran.status != 0:
                report.broken(f"{' '.join(arguments)} with TOKENVAULT_HOME on a disk: {ran}")
    finally:
        remote.end()
    report.seen(6, "refused with 77; works with TOKENVAULT_HOME on a disk")
