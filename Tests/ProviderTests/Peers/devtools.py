"""A headless Chromium, controlled over the DevTools protocol."""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import websocket
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from serving import dies_with_parent

# Whether the element `e` is visible and enabled.
VISIBLE = "!!e && e.getClientRects().length > 0 && !e.disabled"
CANDIDATES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


class PageLost(Exception):
    """The page was replaced during a call; the caller repeats the call on the next page."""


class NotShown(PageLost):
    """The page changed before an element was used; the caller looks at the page again. Waiting for
    the element could take for ever: a script may have replaced the form by another one."""


def chromium():
    """The first browser that runs; Ubuntu's package may only point to a snap."""
    for name in CANDIDATES:
        path = shutil.which(name)
        if path and subprocess.run(
                [path, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False).returncode == 0:
            return path
    raise SystemExit("none of these browsers runs: " + ", ".join(CANDIDATES))


def key_of(authority):
    with open(authority, "rb") as file:
        certificate = x509.load_pem_x509_certificate(file.read())
    key = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()


class Browser:
    """A browser with one tab. All calls end at a deadline, `seconds` after the start."""

    def __init__(self, seconds, authority=None, profile=None):
        self.end = time.monotonic() + seconds
        self.temporary = None if profile else tempfile.mkdtemp(prefix="browser-")
        command = [
            chromium(), "--headless=new", "--remote-debugging-port=0", "--no-first-run",
            "--user-data-dir=" + (profile or self.temporary),
            # Chromium would download updates and lists, and use a proxy for 127.0.0.1.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--no-default-browser-check", "--no-proxy-server", "--password-store=basic",
            # /dev/shm is too small in containers.
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
            "--window-size=1024,900", "about:blank"]
        if os.getuid() == 0:
            command.insert(1, "--no-sandbox")
        if authority:
            command.insert(1, "--ignore-certificate-errors-spki-list=" + key_of(authority))
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace", preexec_fn=dies_with_parent, start_new_session=True)
        self.lines = []
        self.address = None
        self.heard = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            if not self.heard.wait(self._left()) or not self.address:
                raise TimeoutError("Chromium did not start:\n" + "".join(self.lines[-20:]))
            self.socket = websocket.create_connection(
                self.address, timeout=self._left(), suppress_origin=True,
                http_no_proxy=["127.0.0.1"])
            self.count = 0
            self.session = None
            target = next(
                target for target in self.command("Target.getTargets")["targetInfos"]
                if target["type"] == "page")
            self.session = self.command(
                "Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
            self.command("Page.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        """Allows `with`, which closes the browser."""
        return self

    def __exit__(self, *_):
        self.close()

    def _listen(self):
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"DevTools listening on (ws://\S+)", line)
            if found:
                self.address = found[1]
                self.heard.set()
        self.heard.set()

    def _left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the browser reached its deadline")
        return left

    def command(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.settimeout(self._left())
        self.socket.send(json.dumps(message))
        while True:
            self.socket.settimeout(self._left())
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.count:
                break
        if "error" in answer:
            raise PageLost(answer["error"]["message"])
        return answer["result"]

    def open(self, url):
        return self.command("Page.navigate", url=url).get("errorText")

    def evaluate(self, expression):
        result = self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise PageLost(result["exceptionDetails"].get("text"))
        return result["result"].get("value")

    def until(self, what, question):
        """Repeats a question until the answer is true, and returns the answer."""
        while True:
            try:
                answer = question()
                if answer:
                    return answer
            except PageLost:
                pass
            if time.monotonic() > self.end:
                raise TimeoutError(f"the browser never showed {what}")
            time.sleep(0.05)

    def shows(self, selector):
        """Whether an element is visible and enabled."""
        return self.evaluate(
            f"(e => {VISIBLE})"
            f"(document.querySelector({json.dumps(selector)}))")

    def fill(self, selector, text):
        """Types a text with input events, which the scripts of the page see."""
        self._use(selector, "(e.focus(), e.select())")
        self.command("Input.insertText", text=text)

    def value(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.value")

    def click(self, selector):
        self._use(selector, "e.click()")

    def _use(self, selector, action):
        """Checks and uses an element in one call, so that it cannot disappear in between."""
        if not self.evaluate(
                f"(e => {VISIBLE} && ({action}, true))"
                f"(document.querySelector({json.dumps(selector)}))"):
            raise NotShown(selector)

    def click_hidden(self, selector):
        """Clicks an element that may be invisible. Returns whether it exists."""
        return self.evaluate(f"(e => !!e && (e.click(), true))"
                             f"(document.querySelector({json.dumps(selector)}))")

    def click_text(self, selector, text):
        """Clicks the first of these elements with the text. Returns whether it exists."""
        return self.evaluate(
            f"(e => !!e && (e.click(), true))([...document.querySelectorAll("
            f"{json.dumps(selector)})].find(e => e.textContent.trim() == {json.dumps(text)}))")

    def url(self):
        return self.evaluate("location.href")

    def text(self):
        return self.evaluate("document.body ? document.body.innerText : ''")

    def is_loaded(self):
        return self.evaluate("document.readyState") == "complete"

    def screenshot(self, path):
        picture = self.command("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def close(self):
        """Ends the browser. With the caller's profile it exits normally and saves the cookies."""
        if not self.temporary:
            try:
                self.session = None
                self.command("Browser.close")
                self.process.wait(self._left())
            except (PageLost, OSError, subprocess.TimeoutExpired, websocket.WebSocketException):
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self.temporary:
            # Processes that are being killed may still write.
            while os.path.isdir(self.temporary):
                shutil.rmtree(self.temporary, ignore_errors=True)
