"""Measures how long `tokenvault ui` takes from a key to the screen, in a pseudo-terminal.

Usage: ui_keys.py PROGRAM KEYS, in the session of Benchmarks/run. It reads the default group as it
is, and prints the figures without judging them.
"""

import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import time
import fcntl
import termios

PROGRAM, KEYS = sys.argv[1], int(sys.argv[2])
SLOWEST = 120.0


class Screen:
    """The full-screen view in a pseudo-terminal of 80x24."""

    def __init__(self):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "xterm"
            os.execv(PROGRAM, [PROGRAM, "ui"])
        size = struct.pack("HHHH", 24, 80, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def wait(self, *texts):
        """Waits until one of the texts was drawn."""
        seen, end = b"", time.monotonic() + SLOWEST
        while not any(text in seen for text in texts):
            if time.monotonic() > end:
                sys.exit(f"never drawn: {texts}; drawn: {seen[-2000:]}")
            if select.select([self.terminal], [], [], 1)[0]:
                seen += os.read(self.terminal, 1 << 16)
        return seen

    def settle(self):
        """Discards what is drawn until nothing was drawn for a moment."""
        while select.select([self.terminal], [], [], 0.2)[0]:
            os.read(self.terminal, 1 << 16)

    def time(self, key, *texts):
        start = time.monotonic()
        os.write(self.terminal, key)
        self.wait(*texts)
        return time.monotonic() - start


def row(name, figures):
    ordered = sorted(figures)
    print(
        f"{name:<52} median {statistics.median(ordered) * 1e3:.1f} ms, "
        f"slowest {ordered[-1] * 1e3:.1f} ms", flush=True)


def moves(screen, count):
    """Alternates between two keys that each draw the selected row."""
    return [screen.time(key, b">") for key in [b"j", b"k"] * (count // 2)]


screen = Screen()
start = time.monotonic()
screen.wait(b"user")
row("ui: start to the first row", [time.monotonic() - start])
screen.settle()
row("ui: key to screen", moves(screen, KEYS))

os.write(screen.terminal, b"/")
screen.wait(b" of ")
row("ui: key of a search to screen", [screen.time(bytes([c]), b" of ") for c in b"user99"])
os.write(screen.terminal, b"\x1b")
screen.settle()

# Another tool changes the group: the keys after it arrive while the group is read again, which may
# happen until some seconds after the change.
subprocess.run(
    [PROGRAM, "switch", "user0@example.com"], check=True, stdout=subprocess.DEVNULL)
end, figures = time.monotonic() + 8, []
while time.monotonic() < end:
    figures += moves(screen, 2)
row("ui: key to screen, for 8 s after a change", figures)
screen.settle()
os.write(screen.terminal, b"q")
os.waitpid(screen.process, 0)
