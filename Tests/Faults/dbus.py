"""The D-Bus wire format, and a client of the Secret Service, in the standard library."""

import os
import socket
import struct

SIZES = {"y": 1, "b": 4, "n": 2, "q": 2, "i": 4, "u": 4, "x": 8, "t": 8, "d": 8}
CODES = {"y": "B", "b": "I", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d"}


def first_type(signature):
    """The first complete type of a signature, and the rest."""
    if signature[0] == "a":
        inner, rest = first_type(signature[1:])
        return "a" + inner, rest
    if signature[0] in "({":
        depth = 0
        for at, letter in enumerate(signature):
            depth += (letter in "({") - (letter in ")}")
            if depth == 0:
                return signature[:at + 1], signature[at + 1:]
    return signature[0], signature[1:]


def types(signature):
    while signature:
        one, signature = first_type(signature)
        yield one


def alignment(kind):
    if kind[0] in "({":
        return 8
    return {"v": 1, "g": 1, "s": 4, "o": 4, "a": 4}.get(kind[0]) or SIZES[kind[0]]


class Writer:
    def __init__(self):
        self.bytes = bytearray()

    def align(self, size):
        self.bytes.extend(bytes(-len(self.bytes) % size))

    def put(self, kind, value):
        self.align(alignment(kind))
        if kind in SIZES:
            self.bytes += struct.pack("<" + CODES[kind], value)
        elif kind in "so":
            self.bytes += struct.pack("<I", len(value.encode())) + value.encode() + b"\0"
        elif kind == "g":
            self.bytes += bytes([len(value)]) + value.encode() + b"\0"
        elif kind == "v":
            self.put("g", value[0])
            self.put(value[0], value[1])
        elif kind == "ay":
            self.bytes += struct.pack("<I", len(value)) + value
        elif kind[0] == "a":
            at = len(self.bytes)
            self.bytes += bytes(4)
            self.align(alignment(kind[1:]))
            start = len(self.bytes)
            for item in value.items() if isinstance(value, dict) else value:
                self.put(kind[1:], item)
            self.bytes[at:at + 4] = struct.pack("<I", len(self.bytes) - start)
        else:
            for inner, item in zip(types(kind[1:-1]), value):
                self.put(inner, item)


class Reader:
    def __init__(self, data, order="<"):
        self.data, self.at, self.order = data, 0, order

    def take(self, kind):
        self.at += -self.at % alignment(kind)
        if kind in SIZES:
            value = struct.unpack_from(self.order + CODES[kind], self.data, self.at)[0]
            self.at += SIZES[kind]
            return value
        if kind in "so":
            size = self.take("u")
            value = self.data[self.at:self.at + size].decode()
            self.at += size + 1
            return value
        if kind == "g":
            size = self.data[self.at]
            value = self.data[self.at + 1:self.at + 1 + size].decode()
            self.at += size + 2
            return value
        if kind == "v":
            return self.take(self.take("g"))
        if kind[0] == "a":
            size = self.take("u")
            self.at += -self.at % alignment(kind[1:])
            end, items = self.at + size, []
            if kind == "ay":
                self.at = end
                return self.data[end - size:end]
            while self.at < end:
                items.append(self.take(kind[1:]))
            return dict(items) if kind[1] == "{" else items
        return tuple(self.take(inner) for inner in types(kind[1:-1]))


def sizes(data):
    """The sizes of a message's header and body, or nothing if the data end before they are known."""
    if len(data) < 16:
        return None
    order = "<" if data[0:1] == b"l" else ">"
    body, _, fields = struct.unpack_from(order + "III", data, 4)
    return 16 + fields + -fields % 8, body


def parse(data):
    """A message's kind, serial number, header fields by their code, and body."""
    order = "<" if data[0:1] == b"l" else ">"
    header, body = sizes(data)
    reader = Reader(data, order)
    for kind in "yyyyu":
        reader.take(kind)
    serial = reader.take("u")
    return data[1], serial, dict(reader.take("a(yv)")), Reader(data[header:header + body], order)


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        name = str(os.getuid()).encode().hex()
        self.socket.sendall(b"\0AUTH EXTERNAL " + name.encode() + b"\r\n")
        if not self.socket.recv(1000).startswith(b"OK"):
            raise OSError("the bus refuses the connection")
        self.socket.sendall(b"BEGIN\r\n")
        self.data, self.serial = b"", 0
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")

    def call(self, to, path, interface, member, signature="", *arguments):
        self.serial += 1
        body = Writer()
        for kind, value in zip(types(signature), arguments):
            body.put(kind, value)
        fields = [(1, ("o", path)), (2, ("s", interface)), (3, ("s", member)), (6, ("s", to))]
        if signature:
            fields.append((8, ("g", signature)))
        message = Writer()
        for kind, value in zip("yyyyuu", (ord("l"), 1, 0, 1, len(body.bytes), self.serial)):
            message.put(kind, value)
        message.put("a(yv)", fields)
        message.align(8)
        self.socket.sendall(bytes(message.bytes + body.bytes))
        while True:
            kind, _, fields, answer = parse(self.receive())
            if fields.get(5) != self.serial:
                continue
            if kind == 3:
                raise OSError(fields[4])
            return [answer.take(one) for one in types(fields.get(8, ""))]

    def receive(self):
        while True:
            known = sizes(self.data)
            if known and len(self.data) >= sum(known):
                message, self.data = self.data[:sum(known)], self.data[sum(known):]
                return message
            part = self.socket.recv(65536)
            if not part:
                raise OSError("the bus closed the connection")
            self.data += part


class SecretService:
    """The keys of tokenvault's groups in the default collection."""

    name, root = "org.freedesktop.secrets", "/org/freedesktop/secrets"
    interface = "org.freedesktop.Secret."

    def __init__(self, path):
        self.bus = Connection(path)
        self.session = self.service("OpenSession", "sv", "plain", ("s", ""))[1]
        self.collection = self.service("ReadAlias", "s", "default")[0]

    def service(self, member, signature, *arguments):
        return self.bus.call(
            self.name, self.root, self.interface + "Service", member, signature, *arguments)

    def item(self, path, member, signature="", *arguments):
        return self.bus.call(
            self.name, path, self.interface + "Item", member, signature, *arguments)

    def property(self, path, interface, name):
        return self.bus.call(self.name, path, "org.freedesktop.DBus.Properties", "Get", "ss",
                             self.interface + interface, name)[0]

    def items(self, group=None):
        """Attributes (as sorted pairs), label, secret and content type of each key, by its path."""
        attributes = {"xdg:schema": "dev.tokenvault.GroupKey"}
        if group:
            attributes["group"] = group
        found = {}
        for path in self.service("SearchItems", "a{ss}", attributes)[0]:
            _, _, secret, content = self.item(path, "GetSecret", "o", self.session)[0]
            pairs = tuple(sorted(self.property(path, "Item", "Attributes").items()))
            found[path] = (pairs, self.property(path, "Item", "Label"), bytes(secret), content)
        return found

    def put(self, item):
        pairs, label, secret, content = item
        properties = {self.interface + "Item.Label": ("s", label),
                      self.interface + "Item.Attributes": ("a{ss}", dict(pairs))}
        self.bus.call(
            self.name, self.collection, self.interface + "Collection", "CreateItem",
            "a{sv}(oayays)b", properties, (self.session, b"", secret, content), True)

    def set(self, items):
        """Makes these keys the only ones."""
        present = self.items()
        for path, item in present.items():
            if item not in items:
                self.item(path, "Delete")
        for item in items:
            if item not in present.values():
                self.put(item)

    def lock(self):
        self.service("Lock", "ao", [self.collection])
