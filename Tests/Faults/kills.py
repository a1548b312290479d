"""kill -9 at every system call of every command that writes, and after every change."""

from machine import Broken, DRAFT
from operations import standard


class Stage:
    """The state before a command, what a user sees before and after it, and how to return."""

    def __init__(self, machine, operation):
        self.machine, self.operation = machine, operation
        machine.restore({})
        machine.keyring.set([])
        machine.lists = operation.lists
        (operation.prepare or standard)(machine)
        self.facts_before = operation.facts(machine)
        self.image, self.keys = machine.image(), machine.keys()
        self.clean = self.run()
        if self.clean.status not in (0, *operation.ends):
            raise Broken(f"without a fault: {self.clean}")
        self.facts_after = operation.facts(machine)
        machine.expect_no_plaintext()
        self.repeat()
        # A restored group gets its log and index at the next reading.
        machine.verify()
        self.names, self.key_count = machine.names(), len(machine.keys())
        self.names |= {name.rsplit("/", 1)[0] for name in self.names}
        self.seen = set()
        self.reset()

    def run(self, trace=None, **options):
        return self.operation.execute(self.machine, trace, **options)

    def repeat(self):
        ran = self.run()
        if ran.status not in self.operation.again:
            raise Broken(f"the same command afterwards: {ran}")

    def reset(self):
        self.machine.restore(self.image)
        self.machine.keyring.set(self.keys)

    def is_untouched(self):
        """Whether all keys, and each byte of each file but SQLite's shared memory, are as before."""
        def durable(image):
            return {name: value for name, value in image.items() if not name.endswith("-shm")}
        return (durable(self.machine.image()) == durable(self.image)
                and sorted(self.machine.keys()) == sorted(self.keys))

    def expect_all(self, is_done, after_power_cut=False):
        """Everything that is promised after a command that a fault met."""
        machine = self.machine
        machine.expect_no_plaintext()
        now = self.operation.facts(machine)
        between = self.operation.between
        if is_done and now != self.facts_after:
            raise Broken(f"acknowledged, and not there: {difference(self.facts_after, now)}")
        if now not in (self.facts_before, self.facts_after) and not (
                between and between(self.facts_before, self.facts_after, now)):
            raise Broken(f"half done: {difference(self.facts_before, now)}")
        if not between:
            machine.verify()
        self.repeat()
        now = self.operation.facts(machine)
        if now != self.facts_after:
            raise Broken(f"half done when repeated: {difference(self.facts_after, now)}")
        machine.verify()
        left = {name for name in machine.names() - self.names
                if not (self.operation.leaves and name.endswith(self.operation.leaves))
                and not (after_power_cut and DRAFT.search(name))}
        if left:
            raise Broken(f"left behind: {sorted(left)}")
        count = len(machine.keys())
        # Keys that a power cut may have brought back are checked in two later boots.
        if count != self.key_count and not after_power_cut:
            raise Broken(f"the keyring has {count} keys in place of {self.key_count}")


def difference(expected, now):
    return "; ".join(f"{key} is {now.get(key)!r} in place of {expected.get(key)!r}"
                     for key in sorted({*expected, *now}) if expected.get(key) != now.get(key))[:400]


def kill_everywhere(machine, operation, report, step=1):
    """The numbers of the calls differ from run to run, by some ten, so a kill at each number misses a
    few calls. A kill after each change leaves every state that lies between two changes."""
    stage = Stage(machine, operation)
    stage.run(["-n"])
    stage.reset()
    kills = kill_each(stage, "-k", "at call", report, step)
    kills += kill_each(stage, "-K", "after change", report, max(1, step // 10))
    report.seen(kills, f"{kills} kills, {len(stage.seen)} states examined")


def kill_each(stage, option, place, report, step):
    machine, number, kills = stage.machine, 1, 0
    while True:
        ran = stage.run([option, str(number)])
        was_killed = ran.status in (137, -9)
        if not was_killed and ran.status not in (0, *stage.operation.ends):
            report.broken(f"kill {place} {number}: {ran}")
        effects = ran.trace[-1].split()[2] if ran.trace else "0"
        is_done = not was_killed or bool(ran.output) and ran.output == stage.clean.output
        state = (effects, is_done, machine.fingerprint())
        try:
            if state not in stage.seen:
                # Two kills with the same effects leave the same state; the first one is examined.
                stage.expect_all(is_done)
                stage.seen.add(state)
                stage.reset()
            elif not stage.is_untouched():
                machine.list()
                machine.expect_no_plaintext()
                stage.reset()
        except Broken as error:
            report.broken(f"kill {place} {number}, after {effects} effects "
                          f"({ran.trace[-2] if len(ran.trace) > 1 else ''}): {error}")
            stage.reset()
        if not was_killed:
            return kills
        kills += 1
        number += step
