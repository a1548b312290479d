"""Measures tokenvault beside the programs that people use today, and prints one table.

usage: table.py, in scripts/private-session, started by Benchmarks/run

Every program has ten accounts or entries, with a token of 2,048 bytes each. Each figure is the median
of interleaved rounds, so that a change of the machine's speed affects all programs. The ratio in
brackets is that of tokenvault to the program: below 1, tokenvault is faster or smaller.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from peers import all_peers

COLUMNS = ["token", "list", "start", "write", "sign-out"]
HEADINGS = ["program", "cold token, ms", *(f"{column}, ms" for column in COLUMNS[1:]), "memory, MiB", "size, MiB"]
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "20"))
# A program that takes longer than this does fewer rounds, in turn with the others.
SLOW_SECONDS, SLOW_SHARE = 0.3, 4


class Failed(Exception):
    pass


def run(call):
    """Runs a program to its end. Returns the seconds that it took."""
    given = os.memfd_create("input")
    os.write(given, call.input.encode())
    os.lseek(given, 0, os.SEEK_SET)
    null = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, given, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    start = time.perf_counter()
    child = os.posix_spawnp(call.arguments[0], call.arguments, os.environ | call.environment, file_actions=actions)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - start
    os.close(given)
    os.close(null)
    if os.waitstatus_to_exitcode(status) not in call.statuses:
        raise Failed(f"{' '.join(call.arguments)}: exit status {os.waitstatus_to_exitcode(status)}")
    return seconds


def memory(peer):
    """The largest memory of the program and of those that it starts, in KiB.

    It is started by `time`, because a process that this interpreter starts counts its memory, too.
    """
    call = peer.call("token", 0)
    with tempfile.NamedTemporaryFile() as report:
        timed = ["time", "--output", report.name, "--format", "%M", *call.arguments]
        run(call._replace(arguments=timed))
        return int(report.read())


def measure(peers, column):
    """Adds the figures of a column to each peer that has the command.

    Each round has another order: a program is faster if one that uses the same bus and keyring has
    just run, and slower after one that takes its pages out of the caches.
    """
    having = [peer for peer in peers if column in peer.commands]
    slow = set()
    for number in range(-1, ROUNDS):
        for peer in random.Random(number).sample(having, len(having)):
            if number > 0 and peer in slow and number % SLOW_SHARE:
                continue
            if column in peer.before:
                peer.before[column](number + 1)
            seconds = run(peer.call(column, number + 1))
            if number < 0:
                if seconds > SLOW_SECONDS:
                    slow.add(peer)
                continue
            peer.seconds.setdefault(column, []).append(seconds)


def check(peers):
    """Each program returns the whole token, or its figure would be that of a failure."""
    for peer in peers:
        call = peer.call("token", 0)
        done = subprocess.run(
            call.arguments, input=call.input, env=os.environ | call.environment, text=True,
            stdout=subprocess.PIPE, check=True)
        if peer.result not in done.stdout:
            raise Failed(f"{peer.name} printed another token")


def cell(own, other, digits, unit=1):
    if other is None:
        return "-"
    figure = f"{other * unit:,.{digits}f}"
    return figure if own is other else f"{figure} ({own / other:.2f})"


def rows(peers):
    def figures(peer):
        times = [statistics.median(peer.seconds[c]) if c in peer.seconds else None for c in COLUMNS]
        return [*times, peer.memory, peer.size]

    own = figures(peers[0])
    units = [(1, 1000)] * len(COLUMNS) + [(1, 1 / 1024), (1, 1 / (1 << 20))]
    for peer in peers:
        cells = [cell(o, f, *unit) for o, f, unit in zip(own, figures(peer), units)]
        yield f"| {peer.name} | " + " | ".join(cells) + " |"


def main():
    peers = all_peers()
    try:
        check(peers)
        for column in COLUMNS:
            measure(peers, column)
        for peer in peers:
            peer.memory = statistics.median(memory(peer) for _ in range(5))
        print("| " + " | ".join(HEADINGS) + " |")
        print("|" + " --- |" * len(HEADINGS))
        print("\n".join(rows(peers)))
    except Failed as failed:
        sys.exit(f"table.py: {failed}")
    finally:
        for peer in peers:
            peer.end()


main()
