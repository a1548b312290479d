"""Signs a user in with a headless Chromium; runs as the command that opens the browser:

  browse.py --user NAME --password-file FILE --result FILE [--authority FILE] [--profile DIRECTORY]
            [--code-file FILE] [--deny] [--screenshot FILE] [--seconds N] URL

Answers the provider's pages until the provider redirects the browser to the tool, or shows that a
device was authorized or denied or that the user is signed out. Writes the outcome and the last
page's URL and text to the result file as JSON. Exits with 0 if it reached an outcome, else with 1.

The password is read from a file, because every user can read arguments. The URL is written without
its query, which contains the code. With the profile of an earlier visit, a provider may sign in a
known user without a password. The user code of a device is typed if a page asks for it and the code
file exists by then; the URL may contain the code already."""

import argparse
import json
import os
import re
import sys
import time
import urllib.parse

from devtools import Browser, NotShown

# The order matters: the first visible element is used. Both providers have these two field names.
FIELD_USER, FIELD_PASSWORD = "#username", "#password"
SUBMITS = [
    "#loginbut",
    "button[name=action][value=authorize]",
    "form:has(#password) button[type=submit]",
]
DENY = "button[name=action][value=deny]"
# glewlwyd's check boxes for the scopes, the button below them, and the button to continue.
BOX, GRANT = "input[type=checkbox][id^=grant-]:not(:checked)", "button.btn-primary:not(#loginbut)"
GO_ON = "button.btn-success"
# glewlwyd's only field for a user code, and the button that its script enables.
DEVICE_CODE, DEVICE_GO_ON = 'input[maxlength="9"]', "button.btn-primary"
# nanoidp's field for a user code, on the page with the password.
DEVICE_CODE_TOO = "#user_code"
# The path of the listener's page that redirects to the provider.
START = "/start/"
# glewlwyd asks for confirmation. Other pages have the same button.
SIGN_OUT, SIGN_OUT_WORDS = "button.btn-danger:not(.dropdown-toggle)", "close the current session"
# glewlwyd's list of known users, and the greeting in its menu.
PICKER, GREETING = "[id^=select-user-]", r"^Hello (.+)$"
FINAL_WORDS = {
    "device": ["Authorization complete, you may close this window", "Device authorized"],
    "denied": ["Device authorization denied"],
    "signed out": ["logged out successfully", "You are disconnected"],
}


class Refused(Exception):
    """The provider refused the user."""


class SignIn:
    """Answers the present page."""

    def __init__(self, browser, options):
        self.browser = browser
        self.options = options
        # tokenvault starts the browser at its own listener, which redirects to the provider. Other
        # tools start it at the provider.
        start = urllib.parse.urlsplit(options.url)
        self.listener = start.port if start.path.startswith(START) else None
        self.provider = origin(options.url)
        self.has_signed_in = False

    def outcome(self):
        """The outcome that this page shows; None if it is not the last one."""
        url = self.browser.url()
        if url.startswith("chrome-error:"):
            raise Refused("the browser could not open the page")
        if not self.browser.is_loaded():
            return None
        if self.is_redirect(url):
            return "redirect"
        text = self.browser.text()
        for name, words in FINAL_WORDS.items():
            if any(word in text for word in words):
                return name
        return None

    def is_redirect(self, url):
        """Whether the provider has redirected the browser to the tool."""
        parts = urllib.parse.urlsplit(url)
        if not parts.scheme.startswith("http") or parts.path.startswith(START):
            return False
        # The listener may have another name in the redirect URI, but it has the same port.
        return parts.port == self.listener if self.listener else origin(url) != self.provider

    def step(self):
        """Answers the page once. Returns the outcome on the last page."""
        outcome = self.outcome()
        if outcome:
            return outcome
        # Wait for the complete page: the element that is checked first may load last.
        if not self.browser.evaluate(
                "location.protocol.startsWith('http') && document.readyState == 'complete'"):
            return None
        browser, options = self.browser, self.options
        if options.deny and browser.shows(DENY):
            self.act("deny", self.deny)
        elif browser.shows(FIELD_PASSWORD):
            self.sign_in()
        elif browser.shows(PICKER):
            self.pick()
        elif self.shows_another_user():
            self.act("change", self.change)
        elif browser.shows(BOX):
            while browser.shows(BOX):
                browser.click(BOX)
            browser.click(GRANT)
        elif browser.shows(DEVICE_CODE):
            self.act("code", self.type_code)
        elif browser.shows(SIGN_OUT) and SIGN_OUT_WORDS in browser.text():
            self.act("sign out", lambda: browser.click(SIGN_OUT))
        elif browser.shows(GO_ON):
            self.act("go on", lambda: browser.click(GO_ON))
        elif browser.evaluate("performance.now() > 20000") and not browser.text().strip():
            # On a busy machine a page of glewlwyd can stay empty. A person would load it again.
            browser.evaluate("location.reload()")
        return None

    def act(self, name, action):
        """Performs an action at most once in ten seconds. A second click would abort the request of
        the first; on a busy machine that could repeat for ever."""
        if self.browser.evaluate(
                "(acts => !(performance.now() - acts[%s] < 10000) &&"
                " (acts[%s] = performance.now(), true))(window.acts ||= {})"
                % (json.dumps(name), json.dumps(name))):
            try:
                action()
            except NotShown:
                self.forget(name)
                raise

    def forget(self, name):
        """Allows the action again, because it was not performed."""
        self.browser.evaluate("delete window.acts?.[%s]" % json.dumps(name))

    def change(self):
        known = f"a.dropdown-item[alt='{self.options.user}']"
        if not self.browser.click_hidden(known):
            self.browser.click_text("a.dropdown-item", "Add user")

    def type_code(self):
        self.browser.fill(DEVICE_CODE, contents(self.options.code_file))
        self.browser.click(DEVICE_GO_ON)

    def pick(self):
        """Picks the user's row, then returns to the authorization."""
        row = "#select-user-" + self.options.user
        browser = self.browser
        if browser.evaluate("performance.now() > 30000"):
            # On a busy machine the page can lose a click. A person would load it again.
            browser.evaluate("location.reload()")
        elif browser.shows("li.active " + row):
            self.act("back", lambda: browser.click_text("button", "Back"))
        elif browser.shows(row):
            self.act("pick", lambda: browser.click_hidden(row + " input"))
        else:
            self.act("new", lambda: browser.click_text("button", "New user"))

    def shows_another_user(self):
        greeted = re.search(GREETING, self.browser.text(), re.MULTILINE)
        return bool(greeted) and greeted[1].strip() != self.options.user

    def sign_in(self):
        # The mark disappears with its page. A form without it is a new one: the first was refused.
        if self.has_signed_in and not self.browser.evaluate("!!window.isFilledIn"):
            raise Refused("the provider asks for the password again")
        self.act("sign in", self.fill_in)

    def deny(self):
        self.fill_in_code()
        self.browser.click(DENY)

    def fill_in_code(self):
        if self.browser.shows(DEVICE_CODE_TOO + ":placeholder-shown"):
            self.browser.fill(DEVICE_CODE_TOO, contents(self.options.code_file))

    def fill_in(self):
        browser = self.browser
        password = contents(self.options.password_file)
        self.fill_in_code()
        browser.fill(FIELD_USER, self.options.user)
        browser.fill(FIELD_PASSWORD, password)
        # A script that redraws the form empties it; the next step fills it in again.
        if browser.value(FIELD_USER) != self.options.user or browser.value(
                FIELD_PASSWORD) != password:
            self.forget("sign in")
            return
        submit = next((submit for submit in SUBMITS if browser.shows(submit)), SUBMITS[0])
        browser.evaluate("window.isFilledIn = true")
        self.has_signed_in = True
        try:
            browser.click(submit)
        except NotShown:
            self.has_signed_in = False
            raise


def contents(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except (TypeError, FileNotFoundError) as problem:
        raise Refused(f"the page asks for a missing file: {problem}") from None


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return (parts.scheme, parts.netloc)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", required=True)
    parser.add_argument("--password-file", required=True)
    parser.add_argument("--result", required=True)
    parser.add_argument("--authority")
    parser.add_argument("--profile")
    parser.add_argument("--code-file")
    parser.add_argument("--deny", action="store_true")
    parser.add_argument("--screenshot")
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("url")
    return parser.parse_args()


def write(path, content):
    """Replaces the file atomically, because a test may be waiting for it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(path + ".new", path)


def main():
    options = arguments()
    with Browser(options.seconds, options.authority, options.profile) as browser:
        try:
            browser.open(options.url)
            outcome = browser.until("the last page", SignIn(browser, options).step)
            failure = None
        except (Refused, TimeoutError) as problem:
            outcome, failure = None, str(problem)
            # Allow time to read the last page.
            browser.end = time.monotonic() + 30
        if options.screenshot:
            browser.screenshot(options.screenshot)
        url = urllib.parse.urlsplit(browser.url())
        page = {
            "outcome": outcome,
            "url": f"{url.scheme}://{url.netloc}{url.path}",
            "text": browser.text(),
        }
        write(options.result, page)
    if failure:
        sys.exit(f"browse.py: {failure}, at {page['url']}: {page['text'][:300]!r}")


main()
