#!/usr/bin/env python3
"""Opens, verifies and decrypts group files, from docs/vault-format.md alone. It changes nothing.

    reader.py list|read FILE... <KEYS

`list` leaves out the secrets. KEYS is a JSON object with hexadecimal keys: {"groupKey"} or {"keyringPart",
"devicePart"}, with "generation" if of a former one; {"passphrase"}, {"keyFile"} (its content) or {"recoveryCode"}.
It prints a JSON object for each file: `damaged` names all that is not authentic, `error` says why nothing can be used.
"""
import hmac
import json
import os
import sqlite3
import stat
import struct
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf import hkdf, scrypt

SCHEMA = [
    "CREATE TABLE meta(id INTEGER PRIMARY KEY, value BLOB NOT NULL)",
    "CREATE TABLE account(id INTEGER PRIMARY KEY, tag BLOB NOT NULL UNIQUE, sheet BLOB NOT NULL)",
    "CREATE TABLE account_key(id INTEGER PRIMARY KEY, key_id BLOB NOT NULL, wrapped BLOB NOT NULL)",
    "CREATE TABLE record(id INTEGER PRIMARY KEY, account INTEGER NOT NULL, sealed BLOB NOT NULL)",
    "CREATE INDEX record_account ON record(account)",
    "CREATE TABLE name(tag BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID",
]
HEADER, CHECK, LOOKUP, STATE, CUSTODY_SLOT, RECOVERY_SLOT, EXTRAS, ROTATION, NAME, HISTORY = range(10)
SUCCESSORS = 1000
CUSTODIES = {1: "secretService", 2: "passphrase", 3: "keyFile"}
CANONICAL = {"login.chinacloudapi.cn": "login.partner.microsoftonline.cn",
             "login.usgovcloudapi.net": "login.microsoftonline.us", **dict.fromkeys(
                 ("login.microsoftonline.com", "login.microsoft.com", "sts.windows.net"), "login.windows.net")}
BASE32, TYPED = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", str.maketrans("OIL", "011", " -\t\r\n")


class Refusal(Exception):
    """A file, or a part of one, cannot be used: a kind, and a reason."""


def require(condition, reason, kind="damaged"):
    if not condition:
        raise Refusal(kind, reason)


def number(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + number(value >> 7)


def encoded(*values):
    """Numbers, data and texts, one after the other."""
    values = [value.encode() if isinstance(value, str) else value for value in values]
    return b"".join(number(value) if isinstance(value, int) else number(len(value)) + value for value in values)


class Decoder:
    """Reads values that have exactly one encoding."""
    def __init__(self, content):
        self.content, self.at = content, 0

    def bytes(self, count):
        require(count <= len(self.content) - self.at, "a length is beyond the end")
        self.at += count
        return self.content[self.at - count : self.at]

    def number(self):
        longest = self.content[self.at : self.at + 10]
        digits = self.bytes(1 + next((at for at, byte in enumerate(longest) if byte < 128), len(longest)))
        value = sum((byte & 127) << 7 * at for at, byte in enumerate(digits))
        require(value < 1 << 64 and digits == number(value), "a number has another encoding")
        return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def data(self):
        return self.bytes(self.number())

    def text(self):
        return self.data().decode()

    def optional(self):
        found = self.read([Decoder.signed])
        require(len(found) < 2, "an optional has two elements")
        return found[0] if found else None

    def read(self, shape):
        """A value; a list whose elements have one shape; or values in a row, which may have names."""
        if isinstance(shape, list):
            return [self.read(shape[0]) for _ in range(self.number())]
        if isinstance(shape, dict):
            return dict(zip(shape, self.read(tuple(shape.values()))))
        return [self.read(part) for part in shape] if isinstance(shape, tuple) else shape(self)

    def read_all(self, shape):
        value = self.read(shape)
        require(self.at == len(self.content), "bytes follow the end")
        return value


NUMBER, SIGNED, DATA, TEXT, OPTIONAL = Decoder.number, Decoder.signed, Decoder.data, Decoder.text, Decoder.optional
# The account record, and what each further form of it adds.
ACCOUNT = [
    {"homeAccountID": TEXT, "environment": TEXT, "authorityType": TEXT, "orphanClient": TEXT, "alias": TEXT,
     "profiles": [(TEXT,) * 6], "clients": [(TEXT, NUMBER)],
     "credentials": [((TEXT,) * 10, (OPTIONAL,) * 5, SIGNED, DATA)]},
    {"authorities": [(TEXT, TEXT)], "throttled": [(DATA, SIGNED, TEXT, TEXT)]},
    {"servers": [(NUMBER, TEXT, TEXT)]}, {"issuer": TEXT},
]
PAST = {"accountsEver": NUMBER, "erasingClients": [TEXT], "importedFiles": [TEXT]}
TREE_STATE = {
    "commits": NUMBER, "accounts": NUMBER, "digests": (NUMBER, NUMBER, DATA), "current": DATA,
    "principals": [(TEXT, DATA)], "formerParts": [NUMBER], "pendingChecks": [(NUMBER, TEXT)]}
SUM_STATE = TREE_STATE | {
    "digests": [NUMBER], "principals": [(TEXT, DATA, [(TEXT,) * 3])], "slotKeys": [(SIGNED, DATA)]}
# By the version of the file and the form of the state.
STATES = {(1, 1): SUM_STATE, (1, 2): SUM_STATE | PAST,
          (2, 3): TREE_STATE | PAST, (2, 4): TREE_STATE | PAST | {"seals": [(SIGNED, DATA)]}}


def ascending(entries):
    require(all(a[0] < b[0] for a, b in zip(entries, entries[1:])), "a list is not in ascending order")
    return entries


class Rows:
    """Every row of the file, of one transaction."""
    def __init__(self, path):
        for place, is_kind in ((path.parent, stat.S_ISDIR), (path, stat.S_ISREG)):
            status = place.lstat()
            require(is_kind(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077,
                    "another kind of file, another owner, or a wide mode", "unsafe")
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as connection:
            connection.text_factory = bytes
            connection.execute("BEGIN")
            self.read(lambda query: connection.execute(query).fetchall())

    def read(self, rows):
        def blobs(columns, table):
            """The blobs of each row, by its number or tag."""
            found = {key: values for key, *values in rows(f"SELECT {columns} FROM {table}")}
            require(all(type(value) is bytes for values in found.values() for value in values), "no blob")
            return {key: values if len(values) > 1 else values[0] for key, values in found.items()}

        require(rows("PRAGMA application_id") == [(0x544B5654,)], "the application id is another", "not-a-group-file")
        require(rows("PRAGMA user_version") in ([(1,)], [(2,)]), "the user version is another", "unsupported-version")
        schema = rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        require(sorted(sql.decode() for sql, in schema) == sorted(SCHEMA), "the schema is another")
        self.meta, self.name = blobs("id, value", "meta"), blobs("tag, sealed", "name")
        self.account, self.account_key = blobs("id, tag, sheet", "account"), blobs("id, key_id, wrapped", "account_key")
        self.record, self.owner = blobs("id, sealed", "record"), dict(rows("SELECT id, account FROM record"))


class Reader:
    def __init__(self, rows, keys, with_secrets):
        self.rows, self.keys, self.with_secrets = rows, keys, with_secrets
        self.damaged, self.nodes, self.records, self.entries = [], 0, 0, {}
        header = self.header = self.meta(HEADER)
        require(len(header) == 65 and sha256(header[:33]).digest() == header[33:], "the header's digest is wrong")
        magic, self.version, self.group, self.generation, custody = struct.unpack(">4sI16sQB", header[:33])
        require(self.version in (1, 2), f"version {self.version}", "unsupported-version")
        require(magic == b"TKVT" and 1 <= self.generation <= 1 << 32 and custody in CUSTODIES, "the header is forged")
        self.custody, self.device = CUSTODIES[custody], bytes.fromhex(keys.get("devicePart", ""))
        # A row of another generation is forged.
        self.successors = sorted(row - SUCCESSORS for row in rows.meta if 0 < row - SUCCESSORS < self.generation)

    def meta(self, row):
        require(row in self.rows.meta, f"row {row} of meta is missing")
        return self.rows.meta[row]

    def derive(self, key, purpose, version=1):
        return hkdf.HKDF(hashes.SHA256(), 32, self.group, f"tokenvault/{version}/{purpose}".encode()).derive(key)

    def tag(self, *values):
        return hmac.digest(self.tags, encoded(*values), "sha256")

    def opens(self, key, sealed, kind, account=b"", record=b""):
        """The plaintext, or None if another key or place sealed it."""
        try:
            place = encoded(1, self.group, account, kind, record)
            return AESGCM(key).decrypt(sealed[:12], sealed[12:], place) if len(sealed) >= 28 else None
        except InvalidTag:
            return None

    def open(self, key, sealed, kind, *place):
        plain = self.opens(key, sealed, kind, *place)
        require(plain is not None, f"the {kind} does not open")
        return plain

    def open_padded(self, *arguments):
        padded = self.open(*arguments)
        end = 4 + int.from_bytes(padded[:4], "big")
        size = next((size for size in (256, 512, 1024, 2048) if end <= size), -(-end // 4096) * 4096)
        require(end <= 4 + (1 << 20) and padded == padded[:end].ljust(size, b"\0"), "the padding is another")
        return Decoder(padded[4:end])

    def slot(self, row):
        """Salt, scrypt's numbers, steps, and a function that opens the slot with its key."""
        decoder = Decoder(self.meta(row))
        salt, log_n, r, p, steps = decoder.read((DATA, NUMBER, NUMBER, NUMBER, NUMBER))
        record = number(2 * row) + decoder.content[: decoder.at]  # the row is a signed number
        sealed = decoder.read_all(DATA)
        require(steps < self.generation and steps <= 1 << 20, "a slot has too many steps")
        require((log_n, r, p) == (0, 0, 0) or log_n in range(1, 21) and r in range(1, 1025) and p in range(1, 17)
                and 128 * r << log_n <= 1 << 30, "scrypt's numbers are out of bounds")
        return salt, (log_n, r, p), steps, lambda key: self.opens(key, sealed, "slot", b"", record)

    def key_of_slot(self, row, secret, info=None):
        """The group's key, by HKDF if there is an info, otherwise by scrypt."""
        salt, (log_n, r, p), steps, open_slot = self.slot(row)
        require(info or log_n >= 17 and r >= 8, "scrypt's cost is lower than that of a new group", "wrong-key")
        derivation = hkdf.HKDF(hashes.SHA256(), 32, salt, info) if info else scrypt.Scrypt(salt, 32, 1 << log_n, r, p)
        key = derivation.derive(secret)
        for _ in range(steps):
            key = self.derive(key, "slot-step")
        return open_slot(key)

    def group_key(self):
        if "passphrase" in self.keys:
            return self.key_of_slot(CUSTODY_SLOT, self.keys["passphrase"].encode())
        if "keyFile" in self.keys:
            return self.key_of_slot(CUSTODY_SLOT, bytes.fromhex(self.keys["keyFile"]), b"tokenvault key file")
        if "recoveryCode" in self.keys:
            digits = self.keys["recoveryCode"].upper().translate(TYPED)
            require(len(digits) == 35 and set(digits) <= set(BASE32), "the recovery code is mistyped", "wrong-key")
            secret = bytes(map(BASE32.index, digits[:32]))  # the last three are a checksum for the user
            return self.key_of_slot(RECOVERY_SLOT, secret, b"tokenvault recovery code")
        key = bytes.fromhex(self.keys.get("groupKey") or self.keys["keyringPart"])
        for former in range(self.keys.get("generation", self.generation), self.generation):
            part = self.device and self.successor(self.derive(key, "bridge-part", 2), former)
            if part:
                return self.derive(part + self.device, "group-key", 2)
            # Of version 1, it leads to the next generation.
            key = self.opens(self.derive(key, "wrap"), self.meta(SUCCESSORS + former), "bridge", b"", number(former))
            require(key, "no wrapped successor key opens", "wrong-key")
        return self.derive(key + self.device, "group-key", 2) if self.device else key

    def successor(self, bridge_part, former):
        """P(g), of B(c) and D(g)."""
        key = self.derive(bridge_part + self.device, "bridge", 2)
        return self.opens(key, self.meta(SUCCESSORS + former), "bridge", b"", encoded(former, self.generation))

    def unlock(self):
        self.key = self.group_key()
        require(self.key, "the slot does not open", "wrong-key")
        self.wrap = self.derive(self.key, "wrap")
        check = self.opens(self.wrap, self.meta(CHECK), "check") == b"TokenVault group key"
        lookup = self.opens(self.wrap, self.meta(LOOKUP), "lookup-key", b"", self.header)
        require(lookup, "the lookup key does not open", "damaged" if check else "wrong-key")
        self.damaged += [] if check else ["check"]
        self.tags, self.row_key = self.derive(lookup, "tags"), self.derive(lookup, "rows")

    def read_state(self):
        decoder = self.open_padded(self.wrap, self.meta(STATE), "state")
        shape = STATES.get((self.version, decoder.number()))
        require(shape, "the state has another form")
        self.state = decoder.read_all(shape)
        self.seals, self.digests = dict(ascending(self.state.pop("seals", []))), self.state.pop("digests")
        self.state.pop("slotKeys", None)
        if self.version > 1:
            greatest, level, root = self.digests
            require(level == max(greatest.bit_length() - 1, 0) // 6 < 6, "the root is of another level")
            self.add_node(level, 0, root)

    def add_node(self, level, index, node):
        """Takes the entries of an authentic node, and of the nodes below it that are present."""
        require(len(node) in range(0, 1025, 16) and node[-16:] != bytes(16), "a node has another encoding")
        for at in range(0, len(node), 16):
            digest, below = node[at : at + 16], 64 * index + at // 16
            if level == 0:
                self.entries[below] = digest
            elif any(digest):
                child = self.rows.meta.get(-1 - ((level - 1 << 40) + below), b"")
                if self.tag("node", level - 1, below, child)[:16] == digest:
                    self.nodes += 1
                    self.add_node(level - 1, below, child)
                else:
                    self.damaged.append(f"node {level - 1}/{below}")

    def row_tag(self, row):
        (tag, sheet), (key_id, _) = self.rows.account[row], self.rows.account_key[row]
        return self.tag("row", tag, key_id, sheet[-16:])

    def account(self, row):
        require(row > 0 and row in self.rows.account and row in self.rows.account_key, "a row is missing")
        (tag, sheet), (key_id, wrapped) = self.rows.account[row], self.rows.account_key[row]
        require(self.version == 1 or self.entries.get(row) == self.row_tag(row)[:16], "not the present row")
        key = self.open(self.wrap, wrapped, "account-key", tag, key_id)
        decoder = self.open_padded(key, sheet, "sheet", tag)
        form = decoder.number()
        require(1 <= form <= 4, "the account record has another form")
        shape = {name: part for added in ACCOUNT[:form] for name, part in added.items()}
        account = {"issuer": "", "tag": tag} | decoder.read_all(shape)
        ascending(account.get("servers", []))
        account["clients"] = dict(account["clients"])
        account["credentials"] = [self.credential(row, tag, key, *entry) for entry in account["credentials"]]
        return account

    def credential(self, row, tag, key, identity, times, record, seal):
        sealed = self.rows.record.get(record, b"")
        require(self.rows.owner.get(record) == row and sealed[-16:] == seal, "a credential's row is missing or another")
        decoder = self.open_padded(key, sealed, "record", tag, self.tag("record", tag, *identity))
        secret, extra = decoder.read_all((DATA, TEXT))
        self.records += 1
        return {"identity": identity, "times": times, "extra": extra, "secret": secret if self.with_secrets else None}

    def is_found(self, account, directory):
        """Whether its identity and each of its names lead to the account."""
        # Of each scalar alone: Python's own rule for a final sigma looks at its neighbours.
        lower = lambda name: "".join(map(str.lower, name))
        home, issuer, host = account["homeAccountID"], account["issuer"], account["environment"].lower()
        identity = [lower(home) if account["authorityType"] == "MSSTS" else home, CANONICAL.get(host, host),
                    "" if home else account["orphanClient"].lower(), *([issuer] if issuer else [])]
        names = {account["alias"], home, *(profile[2] for profile in account["profiles"])} - {""}
        listed = [directory.get(self.tag("name", lower(name)), []) for name in names]
        return account["tag"] == self.tag("account", *identity) and all(account["tag"] in tags for tags in listed)

    def guarded(self, part, read, *arguments):
        """The value of a part, or None if it is damaged."""
        try:
            return read(*arguments)
        except (Refusal, UnicodeDecodeError) as reason:
            self.damaged.append(f"{part}: {reason}")
            return None

    def sealed(self, row, kind, key):
        """The content of a row that may be missing."""
        sealed = self.rows.meta.get(row, b"")
        require(row not in self.seals or self.seals[row] == sealed[-16:], "it is missing, or not the present one")
        return self.open_padded(key, sealed, kind).content if sealed else b""

    def history(self):
        decoder = Decoder(self.sealed(HISTORY, "history", self.row_key) or b"\1\0\0")
        form = decoder.number()
        require(form in (1, 2), "the history has another form")
        shape = {"backup": [(SIGNED, NUMBER, TEXT)], "recoveryCode": OPTIONAL}
        return decoder.read_all(shape | {"keys": NUMBER} if form == 2 else shape)

    def check_rotation_keys(self):
        content = self.open(self.wrap, self.meta(ROTATION), "rotation")
        require(len(content) % 41 == 0, "they have another size")
        entries = [(tuple(place), key) for *place, key in struct.iter_unpack(">BQ32s", content)]
        keys = dict(ascending(entries))
        require(self.custody != "secretService" or (2, self.generation) in keys, "the bridge part is missing")
        for row in (CUSTODY_SLOT, RECOVERY_SLOT):
            is_open = (1, row) in keys and self.slot(row)[-1](keys[1, row]) == self.key
            require(is_open == (row in self.rows.meta), f"slot {row} does not open")
        for former in self.successors if self.device else []:
            # Version 1 left rows that no bridge part belongs to.
            require((2, former) not in keys or self.successor(keys[2, former], former), f"row {former} does not open")

    def check_row_sum(self):
        """The sum has four words, the first the least significant."""
        value = lambda words: sum(word << 64 * place for place, word in enumerate(words))
        total = sum(value(struct.unpack(">4Q", self.row_tag(row))) for row in self.rows.account)
        require(total % (1 << 256) == value(self.digests), "a row is not the present one")

    def content(self):
        self.unlock()
        self.read_state()
        rows = set(self.rows.account) | {row for row, digest in self.entries.items() if any(digest)}
        accounts = [self.guarded(f"account {row}", self.account, row) for row in sorted(rows)]
        if len(rows) != self.state["accounts"] or rows != set(self.rows.account_key):
            self.damaged.append("the number of accounts")
        elif self.records != len(self.rows.record) or self.nodes != sum(row < 0 for row in self.rows.meta):
            self.damaged.append("a row belongs to no account or node")
        if self.version > 1:
            self.guarded("rotation keys", self.check_rotation_keys)
        elif None not in accounts:
            self.check_row_sum()
        accounts = [account for account in accounts if account]
        listed = lambda tag, row: self.open_padded(self.row_key, row, "name", b"", tag).read_all([DATA])
        directory = {tag: self.guarded("name", listed, tag, row) or [] for tag, row in self.rows.name.items()}
        self.damaged += [f"the names of {a['tag'].hex()}" for a in accounts if not self.is_found(a, directory)]
        as_text = lambda kind, row, key: (self.guarded(kind, self.sealed, row, kind, key) or b"").decode() or None
        return {
            "version": self.version, "group": self.group, "generation": self.generation, "custody": self.custody,
            "successors": self.successors, "state": self.state, "accounts": accounts,
            "extras": as_text("extras", EXTRAS, self.wrap), "name": as_text("group-name", NAME, self.row_key),
            "history": self.guarded("history", self.history), "damaged": self.damaged}


if len(sys.argv) < 3 or sys.argv[1] not in ("list", "read"):
    sys.exit(__doc__)
given = json.load(sys.stdin)
for file in sys.argv[2:]:
    try:
        result = Reader(Rows(Path(file).absolute()), given, sys.argv[1] == "read").content()
    except Refusal as refusal:
        result = dict(zip(("error", "reason"), refusal.args))
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        result = {"error": "damaged", "reason": str(error)}
    print(json.dumps(result, default=bytes.hex))
