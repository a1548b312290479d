"""Power cuts: the recorded writes of a command, cut at each point, with each loss that syncs permit.

A write of a file is on the disk once the file was synced, and a name once its directory was. Until
then each of them is there or not, in any combination, and the last write may be torn. All
combinations are tried while they are few, otherwise a seeded sample of them."""

import hashlib
import itertools
import os
import random
import re

import dbus
from kills import Stage
from machine import Broken

EXHAUSTIVE = 5
SAMPLES = 12
SECTOR = 512


def read_record(path):
    """The operations of a record, as tuples: a name, fields, and the data of a write."""
    with open(path, "rb") as file:
        data = file.read()
    at, operations = 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        fields = [field.decode(errors="replace") for field in data[at:end].split(b"\0")]
        at = end + 1
        if fields[0] in ("write", "send"):
            size = int(fields[-1])
            fields.append(data[at:at + size])
            at += size
        operations.append(tuple(fields))
    return operations


class Disk:
    """Files by number, names of files and directories, and what of them is not yet synced."""

    def __init__(self, machine):
        self.home = machine.home
        self.files, self.names, self.modes = {}, {}, {}
        self.pending, self.numbers = [], {}
        for name, (mode, data) in machine.image().items():
            status = os.lstat(machine.path(name))
            number = f"{status.st_dev:x}.{status.st_ino:x}"
            self.modes[name] = mode
            self.names[name] = None if data is None else number
            self.files[number] = data

    def relative(self, path):
        return os.path.normpath(os.path.relpath(path, self.home))

    def number(self, text):
        return self.numbers.get(text, text)

    def current(self, name):
        """The file that a name has now, with everything that is pending."""
        names = dict(self.names)
        for kind, change in self.pending:
            if kind == "names":
                names.update(change)
        return names.get(name)

    def take(self, operation):
        kind, fields = operation[0], operation[1:]
        if kind == "create":
            fresh = f"new{len(self.numbers)}"
            self.numbers[fields[0]] = fresh
            self.files[fresh] = b""
            if fields[1]:
                self.pending.append(("names", {self.relative(fields[1]): fresh}))
        elif kind == "write":
            self.pending.append(("write", (self.number(fields[0]), int(fields[1]), fields[3])))
        elif kind == "truncate":
            self.pending.append(("truncate", (self.number(fields[0]), int(fields[1]))))
        elif kind == "mkdir":
            self.pending.append(("names", {self.relative(fields[0]): None}))
        elif kind in ("unlink", "rmdir"):
            self.pending.append(("names", {self.relative(fields[0]): "gone"}))
        elif kind == "link":
            source = self.number(fields[0])
            if fields[0].startswith("/"):
                source = self.current(self.relative(fields[0]))
            self.pending.append(("names", {self.relative(fields[1]): source}))
        elif kind == "rename":
            source, target = map(self.relative, fields)
            self.pending.append(("names", {source: "gone", target: self.current(source)}))
        elif kind == "sync":
            number = self.number(fields[0])
            self.settle(lambda kind, change: kind != "names" and change[0] == number)
        elif kind == "syncdir":
            directory = "" if fields[0] == self.home else self.relative(fields[0])
            self.settle(lambda kind, change: kind == "names" and any(
                os.path.dirname(name) == directory for name in change))

    def settle(self, is_synced):
        rest = []
        for kind, change in self.pending:
            if is_synced(kind, change):
                apply(self.files, self.names, kind, change)
            else:
                rest.append((kind, change))
        self.pending = rest

    def image(self, kept, torn=None):
        """The home after a cut that kept these of the pending changes."""
        files, names = dict(self.files), dict(self.names)
        for index, (kind, change) in enumerate(self.pending):
            if index in kept:
                if index == torn and kind == "write":
                    number, offset, data = change
                    size = len(data) // 2 // SECTOR * SECTOR or len(data) // 2
                    change = (number, offset, data[:size])
                apply(files, names, kind, change)
        image = {}
        for name in sorted(names):
            parent = os.path.dirname(name)
            if names[name] == "gone" or parent and (parent not in image or image[parent][1] is not None):
                continue
            if names[name] is None:
                image[name] = (self.modes.get(name, 0o700), None)
            elif names[name] in files:
                image[name] = (self.modes.get(name, 0o600), files[names[name]])
        return image

    def cuts(self, seed):
        """The images of a cut at this point."""
        everything = range(len(self.pending))
        if len(self.pending) <= EXHAUSTIVE:
            choices = [set(kept) for size in range(len(self.pending) + 1)
                       for kept in itertools.combinations(everything, size)]
        else:
            chance = random.Random(seed)
            choices = [set(), set(everything)]
            choices += [set(everything) - {chance.choice(everything)} for _ in range(SAMPLES // 3)]
            choices += [{index for index in everything if chance.random() < 0.5}
                        for _ in range(SAMPLES)]
        for kept in choices:
            yield self.image(kept)
        if self.pending and self.pending[-1][0] == "write":
            yield self.image(set(everything), torn=len(self.pending) - 1)


def apply(files, names, kind, change):
    if kind == "names":
        for name, number in change.items():
            names[name] = number
            if number == "gone":
                for below in [key for key in names if key.startswith(name + "/")]:
                    names[below] = "gone"
    elif kind == "truncate":
        number, size = change
        files[number] = files.get(number, b"")[:size].ljust(size, b"\0")
    else:
        number, offset, data = change
        old = files.get(number) or b""
        files[number] = old[:offset].ljust(offset, b"\0") + data + old[offset + len(data):]


def keyring_change(data):
    """The generation and group of a key that a message creates, or the path that it deletes."""
    while data[:1] in (b"l", b"B") and (known := dbus.sizes(data)) and len(data) >= sum(known):
        message, data = data[:sum(known)], data[sum(known):]
        kind, _, fields, body = dbus.parse(message)
        if kind != 1:
            continue
        if fields.get(3) == "CreateItem":
            found = re.search(rb"generation\0[\0-\x1f]*(\d+)\0", body.data)
            group = re.search(rb"group\0[\0-\x20]*([0-9a-f]{32})\0", body.data)
            if found and group:
                return "create", (found[1].decode(), group[1].decode())
        if fields.get(3) == "Delete":
            return "delete", fields[1]
    return None, None


class Keyring:
    """The keys at a point of the command, and those that a power cut may leave in their place."""

    def __init__(self, before, after):
        self.before = dict(before)
        self.now = dict(before)
        self.after = {key_id(item): item for item in after.values()}

    def take(self, data):
        kind, value = keyring_change(data)
        if kind == "create" and value in self.after:
            self.now[value] = self.after[value]
        elif kind == "delete":
            self.now.pop(value, None)

    def variants(self):
        now = list(self.now.values())
        yield now
        former = list(self.before.values())
        both = former + [item for item in now if item not in former]
        if both != now:
            yield both
        # A keyring that lost the new key; one that never had a former key of the group cannot help.
        groups = {key_id(item)[1] for item in former}
        lost = former + [item for item in now if key_id(item)[1] not in groups]
        if lost not in (now, both):
            yield lost


def key_id(item):
    attributes = dict(item[0])
    return attributes["generation"], attributes["group"]


def cut_everywhere(machine, operation, report, most=None):
    stage = Stage(machine, operation)
    before = machine.keyring.items()
    disk, record = Disk(machine), os.path.join(machine.directory, "record")
    stage.run(["-r", machine.home, record])
    keyring = Keyring(before, machine.keyring.items())
    boot = os.path.join(machine.directory, "boot")
    operations = read_record(record)
    # A command acknowledges with its last line on standard output, or with its end.
    said = [index for index, change in enumerate(operations, 1) if change[0] == "say"]
    acknowledged = said[-1] if said else len(operations)
    seen, cases = set(), []
    for index, change in enumerate([("start",), *operations]):
        if change[0] == "send":
            keyring.take(change[2])
        elif change[0] != "say":
            disk.take(change)
        done = index >= acknowledged
        for image in disk.cuts(index):
            for keys in keyring.variants():
                state = hashlib.sha256(repr((sorted(image.items()), sorted(map(key_id, keys)),
                                             done)).encode()).digest()
                if state not in seen:
                    seen.add(state)
                    cases.append((index, done, image, keys))
    total = len(cases)
    if most and total > most:
        # The cuts after the end are those that an acknowledgement depends on.
        last = [case for case in cases if case[1]]
        rest = [case for case in cases if not case[1]]
        cases = last[:most // 2] + random.Random(1).sample(rest, most - min(len(last), most // 2))
    for number, (index, done, image, keys) in enumerate(cases):
        with open(boot, "w") as file:
            file.write(f"00000000-0000-4000-8000-{number:012d}\n")
        machine.restore(image)
        machine.keyring.set(keys)
        machine.boot = boot
        try:
            stage.expect_all(done, after_power_cut=True)
        except Broken as error:
            before = operations[index - 1] if index else ("start",)
            text = " ".join(str(field) for field in before[:3]).replace(machine.home, "~")[:120]
            report.broken(f"cut {index} of {len(operations)}, after {text}, "
                          f"keys {sorted(map(key_id, keys))}: {error}")
        machine.boot = None
    report.seen(len(cases), f"{len(cases)} of {total} images of {len(operations)} operations")
