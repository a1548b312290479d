"""A real dovecot as IMAP and submission server, in a private directory.

It asks the identity provider about each token (RFC 7662). Sent mail goes to a stand-in for the next mail
server, which puts it into the folder that dovecot shows. The argument is the URL of introspection, with
the name and the secret of the resource server. Writes the ports of IMAP and of submission, both with
TLS, to the file "port" of the working directory, dovecot's log to "log" and its certificate, which is
also an authority of its own, to "cert.pem". The host is localhost.
"""
import grp, mailbox, os, pwd, shutil, signal, socket, socketserver, ssl
import subprocess, sys, tempfile, threading

# Short, because of the sockets in it.
directory = tempfile.mkdtemp(prefix="mail-", dir="/tmp")
user = pwd.getpwuid(os.getuid()).pw_name
group = grp.getgrgid(os.getgid()).gr_name
# Dovecot serves nobody's mail as root.
is_root = os.getuid() == 0
owner = pwd.getpwnam("nobody")[2:4] if is_root else (os.getuid(), os.getgid())


class NextServer(socketserver.StreamRequestHandler):
    """As little SMTP (RFC 5321) as dovecot needs to hand a message over."""

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def deliver(self, home, message):
        os.makedirs(home, exist_ok=True)
        mailbox.Maildir(home + "/Maildir").add(message)
        for folder, _, files in os.walk(home):
            for path in [folder] + [os.path.join(folder, file) for file in files]:
                os.chown(path, *owner)

    def handle(self):
        self.say("220 localhost")
        recipients = []
        while True:
            line = self.rfile.readline().decode().strip()
            verb = line.upper()
            if verb.startswith("RCPT TO:"):
                recipients.append(line[8:].split("<")[1].split(">")[0].lower())
            elif verb == "DATA":
                self.say("354 go on")
                message = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    message += part.removeprefix(b".").replace(b"\r\n", b"\n")
                for name in recipients:
                    self.deliver(f"{directory}/mail/{name}", message)
                recipients = []
            self.say("221 bye" if verb == "QUIT" else "250 fine")
            if verb in ("QUIT", ""):
                return


def port():
    """A port that was free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


os.chmod(directory, 0o755)
os.mkdir(directory + "/mail")
os.chown(directory + "/mail", *owner)
next_server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), NextServer)
next_server.daemon_threads = True
threading.Thread(target=next_server.serve_forever, daemon=True).start()
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
     "-keyout", directory + "/key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
     "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
shutil.copy("cert.pem", directory)
with open(directory + "/oauth2", "w") as file:
    file.write(f"""introspection_mode = post
introspection_url = {sys.argv[1]}
username_attribute = username
active_attribute = active
active_value = true
""")
os.chmod(directory + "/oauth2", 0o600)
def start():
    """Dovecot, and its ports; None if another process was faster and has one of them."""
    imap, submission = port(), port()
    configuration = f"""base_dir = {directory}/run
state_dir = {directory}/state
log_path = {os.getcwd()}/log
auth_verbose = yes
protocols = imap submission
listen = 127.0.0.1
default_internal_user = {"dovecot" if is_root else user}
default_internal_group = {"dovecot" if is_root else group}
default_login_user = {"dovenull" if is_root else user}
ssl = required
ssl_cert = <{directory}/cert.pem
ssl_key = <{directory}/key.pem
auth_mechanisms = xoauth2 oauthbearer plain
auth_cache_size = 0
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer plain
  args = {directory}/oauth2
}}
userdb {{
  driver = static
  args = uid={owner[0]} gid={owner[1]} home={directory}/mail/%u
}}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:~/Maildir
mail_fsync = never
namespace {{
  inbox = yes
}}
hostname = localhost
submission_relay_host = 127.0.0.1
submission_relay_port = {next_server.server_address[1]}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {imap}
    ssl = yes
  }}
}}
service submission-login {{
  chroot =
  inet_listener submission {{
    port = 0
  }}
  inet_listener submissions {{
    port = {submission}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""
    with open(directory + "/dovecot.conf", "w") as file:
        file.write(configuration)
    server = subprocess.Popen(["dovecot", "-F", "-c", directory + "/dovecot.conf"], stdout=sys.stderr)
    # A connection waits until dovecot accepts it. Another process has no certificate of this server.
    context = ssl.create_default_context(cafile="cert.pem")
    while server.poll() is None:
        try:
            for number in (imap, submission):
                with socket.create_connection(("127.0.0.1", number), 20) as connection:
                    context.wrap_socket(connection, server_hostname="localhost").close()
            if server.poll() is None:
                return server, imap, submission
        except ConnectionRefusedError:
            threading.Event().wait(0.02)
        except OSError:
            server.terminate()
            server.wait()
    return None


def end(*ignored):
    server.terminate()
    try:
        server.wait(10)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0)


running = next(filter(None, (start() for _ in range(5))), None)
if not running:
    sys.exit("dovecot does not start")
server, imap, submission = running
signal.signal(signal.SIGTERM, end)
with open("port", "w") as file:
    file.write(f"{imap} {submission}\n")
while True:
    signal.pause()
