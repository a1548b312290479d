"""Each call about a file of the home fails once, with each error that it may have."""

import errno

from kills import Stage
from machine import Broken

# Statuses of a failure that the manual explains: a file that cannot be made, and input or output.
FAILED = {73, 74}
WRITES = {"write", "pwrite64", "writev", "ftruncate", "fallocate", "fsync", "fdatasync"}
NAMES = {"mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "unlink",
         "unlinkat", "symlinkat", "rmdir"}
READS = {"read", "pread64", "getdents64"}


def errors(name):
    """The errors with which a call is tried."""
    found = []
    if name in WRITES | NAMES | READS | {"openat", "open"}:
        found.append("EIO")
    if name in WRITES | NAMES - {"unlink", "unlinkat", "rmdir"} | {"openat"}:
        found += ["ENOSPC", "EDQUOT"]
    if name in NAMES | {"openat", "open", "ftruncate", "fallocate"}:
        found.append("EROFS")
    if name in WRITES | READS | {"openat", "open"} - {"fallocate"}:
        found.append("EINTR")
    return found


def fail_everywhere(machine, operation, report, kinds=None, step=1):
    stage = Stage(machine, operation)
    root = ["-u", machine.home]
    calls = [line.split(" ", 3) for line in stage.run([*root, "-n"]).trace[:-1]]
    stage.reset()
    cases = [(*call, kind) for call in calls for kind in errors(call[1])
             if not kinds or kind in kinds][::step]
    statuses, seen = {}, set()
    for number, name, _, path, kind in cases:
        where = f"{kind} of {name} {path.replace(machine.home, '~')} (call {number})"
        try:
            ran = stage.run([*root, "-e", f"{number}:{getattr(errno, kind)}"])
            statuses[ran.status] = statuses.get(ran.status, 0) + 1
            expect_status(ran, kind, operation)
            # A failure that changed nothing needs no further look.
            if ran.status != 0 and stage.is_untouched():
                continue
            state = (ran.status, name, kind, machine.fingerprint())
            if state not in seen:
                stage.expect_all(ran.status == 0)
                seen.add(state)
        except Broken as error:
            report.broken(f"{where}: {error}")
        stage.reset()
    report.seen(len(cases), f"{len(cases)} errors; statuses "
                + ", ".join(f"{status}: {statuses[status]}" for status in sorted(statuses)))


def expect_status(ran, kind, operation):
    if ran.status in (0, *operation.ends):
        return
    if kind == "EINTR":
        raise Broken(f"an interrupted call is not repeated: {ran}")
    if ran.status not in FAILED:
        raise Broken(f"not a status of a failed disk: {ran}")
    if "group delete" in ran.errors:
        raise Broken(f"the advice is a deletion: {ran}")
