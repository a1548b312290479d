"""A calendar of one event behind HTTP authentication: ada's password is "one"."""
import loopback

EVENT = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:x
BEGIN:VEVENT
UID:one
DTSTAMP:20260101T000000Z
DTSTART:20260101T000000Z
SUMMARY:New year
END:VEVENT
END:VCALENDAR
"""


class Handler(loopback.Handler):
    def do_GET(self):
        if self.user() != ("ada", "one"):
            self.reply(401, b"", ("WWW-Authenticate", 'Basic realm="calendar"'))
        else:
            self.reply(200, EVENT.replace(b"\n", b"\r\n"), ("Content-Type", "text/calendar"))


loopback.serve(Handler)
