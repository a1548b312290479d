"""A bus between the program and the session bus, on which one answer is late, lost or garbage."""

import os
import random
import socket
import threading

import dbus


class Proxy:
    """Passes everything on, and does `action` to the answer with this number.

    late: the answer arrives after 10 s       lost: it never arrives
    garbage: its body is random bytes         noise: so is all of it
    cut: half of it arrives, and the connection ends
    or a function that is called before the answer is passed on
    """

    def __init__(self, path, upstream):
        self.path, self.upstream = path, upstream
        self.lock, self.number, self.at, self.action = threading.Lock(), 0, 0, None
        self.over = threading.Event()
        self.connections = []
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def plan(self, at, action):
        """Ends all connections; the next answer is the first."""
        self.over.set()
        for one in self.connections:
            one.close()
        self.connections, self.over = [], threading.Event()
        self.number, self.at, self.action = 0, at, action

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(self.upstream)
            self.connections += [client, bus]
            for target, first, second in ((self.pass_calls, client, bus),
                                          (self.pass_answers, bus, client)):
                threading.Thread(target=self.guarded, args=(target, first, second, self.over),
                                 daemon=True).start()

    @staticmethod
    def guarded(target, source, drain, over):
        try:
            target(source, drain, over)
        except OSError:
            pass  # The program, or the next plan, has ended the connection.
        for one in (source, drain):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It is closed already.

    @staticmethod
    def pass_calls(source, drain, over):
        while part := source.recv(65536):
            drain.sendall(part)

    def pass_answers(self, source, drain, over):
        data = b""
        while part := source.recv(65536):
            data += part
            while data:
                if data[:1] not in (b"l", b"B"):
                    line, found, rest = data.partition(b"\r\n")
                    if not found:
                        break
                    drain.sendall(line + found)
                    data = rest
                    continue
                known = dbus.sizes(data)
                if not known or len(data) < sum(known):
                    break
                message, data = data[:sum(known)], data[sum(known):]
                self.answer(drain, message, known, over)

    def answer(self, drain, message, known, over):
        with self.lock:
            self.number += 1
            action = self.action if self.number == self.at else None
        header, body = known
        if action == "late":
            over.wait(10)
        elif action == "lost":
            return
        elif action == "garbage":
            chance = random.Random(self.at)
            message = message[:header] + chance.randbytes(body)
        elif action == "noise":
            message = random.Random(self.at).randbytes(len(message))
        elif action == "cut":
            drain.sendall(message[:len(message) // 2])
            raise OSError
        elif action:
            action()
        drain.sendall(message)
