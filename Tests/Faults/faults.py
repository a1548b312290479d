"""Breaks the machine under tokenvault, and compares each result with what is promised.

scripts/faults starts this program; see there for its options."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

import errors
import keyring
import kills
import power
import signin
import surroundings
from machine import Broken, GROUP, Machine
from operations import OPERATIONS, Operation

READS = [Operation("token --account ada --group " + GROUP, reads=True),
         Operation("list --all-groups", reads=True)]
SIGN_INS = ["sign-in", "sign-out", "token --force-refresh", "sign-in --device-code"]

PROMISES = {
    "kill": "entirely done or not at all; nothing acknowledged is lost, nothing erased returns; no "
            "plaintext, no temporary file and no key is left; the same command then works",
    "kill-sign-in": "the same; a kill between the provider's rotation and the commit loses this "
                    "account's sign-in and nothing else",
    "error": "status 73 or 74 and nothing lost or half done, or 0; EINTR is not seen; the same "
             "command then works",
    "power": "the group opens in the next boot; entirely done or not at all; nothing acknowledged is "
             "lost, nothing erased returns; no file but the draft of a replaced one is left; the "
             "same command then works",
    "keyring": f"a documented status; at most {keyring.READING} s for reading and {keyring.WRITING} s "
               "for a change of keys; nothing lost or half done; the same command then works",
    "clock": "no error, no wait, nothing lost",
    "tmp": "the command works: it needs no temporary file",
    "disk": "status 73 or 74 and nothing changed, or 0; the same command then works",
    "descriptors": "a documented status and nothing lost or half done; with 1,024, success",
    "suspend": f"another process waits at most {signin.SPARE} s if the stored token is still valid, "
               f"otherwise {signin.FORCED} s; no refresh token is sent twice",
    "network": "a vault on a network file system is refused with 77 and not changed; with "
               "TOKENVAULT_HOME on a disk everything works",
}


class Report:
    def __init__(self, name, case):
        self.row = {"class": name, "case": case, "count": 0, "seen": "", "broken": []}

    def seen(self, count, text):
        self.row["count"], self.row["seen"] = count, text

    def broken(self, text):
        self.row["broken"].append(text)


def of(text):
    """The operations whose command begins with this."""
    return [one for one in OPERATIONS if one.name.startswith(text)]


def jobs(quick, every):
    """The name of a class, the number of a case, and the options of the function for it."""
    if quick:
        add, out = OPERATIONS.index(of("add")[1]), OPERATIONS.index(of("sign-out")[0])
        return [("kill", add, {"step": 7}), ("kill", out, {"step": 101}),
                ("kill-sign-in", 2, {"step": 401}), ("error", add, {"kinds": ["ENOSPC"]}),
                ("power", add, {"most": 16}),
                ("keyring", -2, {"faults": ["killed", "garbage"]}),
                ("clock", add, {}), ("tmp", out, {}), ("disk", add, {}),
                ("descriptors", add, {"limits": [6, 10]}), ("suspend", 0, {"step": 300}),
                ("network", add, {})]
    indices = range(len(OPERATIONS))
    found = [("kill", index, {"step": every}) for index in indices]
    found += [("kill-sign-in", index, {"step": every * (20 if index == 3 else 1)})
              for index in range(4)]
    found += [("error", index, {"step": every}) for index in indices]
    found += [("power", index, {"most": 400 // every}) for index in indices]
    changing = [index for index in indices if OPERATIONS[index] in
                of("add")[:2] + of("sign-out")[:1] + of("group rekey")[:1] + of("group create")[:1]
                + of("group delete")]
    for index in range(-len(READS), len(changing)):
        # A slow keyring takes 10 s for each answer, so four sessions share the answers.
        number = changing[index] if index >= 0 else index
        found += [("keyring", number, {"shard": [part, 4], "step": every}) for part in range(4)]
    found += [(name, index, {}) for index in indices
              for name in ("clock", "tmp", "disk", "descriptors")]
    return found + [("suspend", 0, {}), ("suspend", 1, {"step": 400, "forced": True}), ("network", OPERATIONS.index(of("add")[1]), {})]


FUNCTIONS = {
    "kill": kills.kill_everywhere, "error": errors.fail_everywhere, "power": power.cut_everywhere,
    "keyring": keyring.answer_everywhere, "clock": surroundings.jump_clock,
    "tmp": surroundings.fill_tmp, "disk": surroundings.fill_home,
    "descriptors": surroundings.limit_descriptors, "network": surroundings.remote_home,
}


def operation_of(number):
    """An operation, or by a negative number a command that reads."""
    return READS[number] if number < 0 else OPERATIONS[number]


def name_of(name, number):
    if name == "kill-sign-in":
        return SIGN_INS[number]
    if name == "suspend":
        return " ".join(signin.REFRESH if number else signin.TOKEN)
    return operation_of(number).name


def work(name, number, options, paths):
    """One job, in a session of its own."""
    machine = Machine(paths)
    report = Report(name, name_of(name, number))
    try:
        if name in ("kill-sign-in", "suspend"):
            provider = signin.Provider(paths["provider"])
            machine.environment["PATH"] = os.environ["PATH"]
            try:
                if name == "suspend":
                    signin.suspend(machine, provider, report, **options)
                elif number < 2:
                    kills.kill_everywhere(
                        machine, signin.operations(provider)[number], report, **options)
                elif number == 2:
                    signin.kill_refresh(machine, provider, report, **options)
                else:
                    signin.kill_device(machine, provider, report, **options)
            finally:
                provider.end()
        else:
            FUNCTIONS[name](machine, operation_of(number), report, **options)
    except Broken as error:
        report.broken(str(error))
    print(json.dumps(report.row))


def start(job, paths):
    command = ["scripts/private-session", sys.executable, "-B", __file__, "--job", json.dumps(job),
               "--paths", json.dumps(paths)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        name, number, _ = job
        report = Report(name, name_of(name, number))
        report.broken(f"the case itself failed: {ran.stderr.strip()[-900:]}")
        return report.row
    return json.loads(ran.stdout.splitlines()[-1])


def show(row):
    result = "kept" if not row["broken"] else f"BROKEN in {len(row['broken'])}"
    print(f"| {row['class']} | `{row['case']}` | {row['seen']} | {result} |", flush=True)
    shown = set()
    for text in row["broken"]:
        # One example of each kind: what differs in numbers only is one kind.
        kind = "".join(letter for letter in text if not letter.isdigit())[-120:]
        if kind not in shown and len(shown) < 5:
            shown.add(kind)
            print(f"    {text[:1000]}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/faults")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="CLASS[:COMMAND]")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--paths", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    paths = json.loads(arguments.paths)
    if arguments.job:
        return work(*json.loads(arguments.job), paths)

    def is_chosen(job):
        for only in arguments.only:
            name, _, command = only.partition(":")
            if job[0] == name and name_of(job[0], job[1]).startswith(command):
                return True
        return not arguments.only

    chosen = [job for job in jobs(arguments.quick, arguments.every) if is_chosen(job)]
    if not chosen:
        parser.error("no such case; the classes are " + ", ".join(PROMISES))
    for name in dict.fromkeys(job[0] for job in chosen):
        print(f"{name}: promised is {PROMISES[name]}", flush=True)
    print("\n| class | command | seen | promise |\n| --- | --- | --- | --- |", flush=True)
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for future in concurrent.futures.as_completed(pool.submit(start, job, paths) for job in chosen):
            row = future.result()
            show(row)
            broken += bool(row["broken"])
    print(f"\n{len(chosen)} cases, {broken} with a broken promise")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
