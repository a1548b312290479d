"""Signs a person in, in a real Chromium without a screen, as the command that opens a browser:

  browse.py --user NAME --password-file FILE --result FILE [--authority FILE] [--profile DIRECTORY]
            [--code-file FILE] [--deny] [--screenshot FILE] [--seconds N] URL

Goes through whatever pages the provider shows until the browser is back at the tool, or until the
provider says that a device may go on or that somebody is signed out. Writes where it came to, and
the last page's text, as JSON to the result's file, and ends with 0; with 1 if it did not get there.

The password is read from a file, because everybody can read arguments; an address is written
without its query, which has the code. A provider may let a person in without a password who is
known to the browser: that takes the same profile again. A device's code is typed where a page asks
for it, if its file is there by then: the URL may have the code already."""

import argparse
import json
import os
import re
import sys
import time
import urllib.parse

from devtools import Browser

# The order matters: what comes first is done first. Both providers name these two fields alike.
FIELD_USER, FIELD_PASSWORD = "#username", "#password"
SUBMITS = [
    "#loginbut",
    "button[name=action][value=authorize]",
    "form:has(#password) button[type=submit]",
]
DENY = "button[name=action][value=deny]"
# glewlwyd's boxes for the scopes, its button under them, and the one that goes on.
BOX, GRANT = "input[type=checkbox][id^=grant-]:not(:checked)", "button.btn-primary:not(#loginbut)"
GO_ON = "button.btn-success"
# glewlwyd's only field for a device's code, and the button that its script enables.
DEVICE_CODE, DEVICE_GO_ON = 'input[maxlength="9"]', "button.btn-primary"
# nanoidp's, beside the password.
DEVICE_CODE_TOO = "#user_code"
# glewlwyd asks whether the person means it. The same button is on other pages too.
SIGN_OUT, SIGN_OUT_WORDS = "button.btn-danger:not(.dropdown-toggle)", "close the current session"
# glewlwyd's picker of people who are known to the browser, and its menu for another one.
PICKER, GREETING = "[id^=select-user-]", r"^Hello (.+)$"
FINAL_WORDS = {
    "device": ["Authorization complete, you may close this window", "Device authorized"],
    "denied": ["Device authorization denied"],
    "signed out": ["logged out successfully", "You are disconnected"],
}


class Refused(Exception):
    """The provider did not take the person."""


class SignIn:
    """What to do on the page that is shown."""

    def __init__(self, browser, options):
        self.browser = browser
        self.options = options
        self.provider = origin(options.url)
        self.has_signed_in = False

    def outcome(self):
        """What this page means, if it is the last one."""
        url = self.browser.url()
        if url.startswith("chrome-error:"):
            raise Refused("the browser could not open the page")
        if not self.browser.is_loaded():
            return None
        if origin(url) != self.provider and url.startswith("http"):
            return "redirect"
        text = self.browser.text()
        for name, words in FINAL_WORDS.items():
            if any(word in text for word in words):
                return name
        return None

    def step(self):
        """Does what the page asks for, if it asks.
        Returns the outcome on the last page."""
        outcome = self.outcome()
        if outcome:
            return outcome
        # Not before a page is whole: what is looked for first may be what comes last.
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
        elif self.is_somebody_else():
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
        return None

    def act(self, name, action):
        """Does it, but not again before the page had time to follow: a second click would stop
        what the first one began, and so on for ever on a busy machine."""
        if self.browser.evaluate(
                "(acts => !(performance.now() - acts[%s] < 10000) &&"
                " (acts[%s] = performance.now(), true))(window.acts ||= {})"
                % (json.dumps(name), json.dumps(name))):
            action()

    def change(self):
        known = f"a.dropdown-item[alt='{self.options.user}']"
        if not self.browser.click_hidden(known):
            self.browser.click_text("a.dropdown-item", "Add user")

    def type_code(self):
        self.browser.fill(DEVICE_CODE, contents(self.options.code_file))
        self.browser.click(DEVICE_GO_ON)

    def pick(self):
        """The person picks a row, then goes back to what was asked for."""
        row = "#select-user-" + self.options.user
        browser = self.browser
        if browser.shows("li.active " + row):
            self.act("back", lambda: browser.click_text("button", "Back"))
        elif browser.shows(row):
            self.act("pick", lambda: browser.click_hidden(row + " input"))
        else:
            self.act("new", lambda: browser.click_text("button", "New user"))

    def is_somebody_else(self):
        greeted = re.search(GREETING, self.browser.text(), re.MULTILINE)
        return bool(greeted) and greeted[1].strip() != self.options.user

    def sign_in(self):
        # Its mark goes with the page: a form without it is a new one, so the first was refused.
        if self.has_signed_in and not self.browser.evaluate("!!window.isFilledIn"):
            raise Refused("the provider asks again")
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
        # A script that draws its form anew empties it: then once more.
        if browser.value(FIELD_USER) != self.options.user or browser.value(
                FIELD_PASSWORD) != password:
            browser.evaluate("delete window.acts['sign in']")
            return
        browser.evaluate("window.isFilledIn = true")
        self.has_signed_in = True
        browser.click(next(submit for submit in SUBMITS if browser.shows(submit)))


def contents(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except (TypeError, FileNotFoundError) as problem:
        raise Refused(f"the page asks for what is not at hand: {problem}") from None


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
    """Whole or not at all: a test may be waiting for the file."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(path + ".new", path)


def main():
    options = arguments()
    with Browser(options.seconds, options.authority, options.profile) as browser:
        try:
            browser.open(options.url)
            outcome = browser.until("the end of the pages", SignIn(browser, options).step)
            failure = None
        except (Refused, TimeoutError) as problem:
            outcome, failure = None, str(problem)
            # Time to look at what it came to.
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
