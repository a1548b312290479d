"""Common parts of the provider scripts: free ports, certificates, child processes that do not
outlive their parent, waiting until a server is ready, and ending with the test process."""

import ctypes
import datetime
import ipaddress
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DEADLINE = 120


class NotStarted(Exception):
    """The server ended before it was ready, most likely because its port was taken."""


def free_port():
    """A free port outside of the ephemeral range, so that the kernel does not assign it to another
    process before it is used."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first = int(file.read().split()[0])
    while True:
        port = random.randrange(first // 2, first)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def dies_with_parent():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def start(command, log, **environment):
    with open(log, "ab") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env={**os.environ, **environment}, preexec_fn=dies_with_parent)


def wait_until_ready(child, url, is_ready, verify=True):
    """Requests the URL until the answer is the expected one; another server may have the port."""
    end = time.monotonic() + DEADLINE
    while True:
        if child.poll() is not None:
            raise NotStarted(url)
        try:
            if is_ready(requests.get(url, timeout=10, verify=verify)):
                return
        except (requests.RequestException, ValueError):
            pass
        if time.monotonic() > end:
            child.kill()
            raise SystemExit(f"{url} was not ready within {DEADLINE} s")
        time.sleep(0.02)


def serve(attempt, log):
    """Starts a server with `attempt(port)`, which returns a child process and facts for the test.
    Prints the facts as one line of JSON. When the standard input ends, kills the process group."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    for _ in range(5):
        try:
            _, facts = attempt(free_port())
            break
        except NotStarted:
            continue
    else:
        with open(log, encoding="utf-8", errors="replace") as text:
            raise SystemExit("the server did not start:\n" + text.read()[-4000:])
    print(json.dumps(facts), flush=True)
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)


def private_authority(directory):
    """Creates a certificate authority and its certificate for 127.0.0.1 and localhost. Returns the
    paths of the authority's certificate, the server's certificate and the server's key."""
    names = [os.path.join(directory, name) for name in ("ca.pem", "server.pem", "server.key")]
    now = datetime.datetime.now(datetime.timezone.utc)

    def certificate(subject, key, issuer, issuer_key, extensions):
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2)))
        authority_key = x509.SubjectKeyIdentifier.from_public_key(issuer_key.public_key())
        extensions = extensions + [
            (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(authority_key), False)]
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(issuer_key, hashes.SHA256())

    def named(name):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

    usage = dict.fromkeys(
        ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
         "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"], False)
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = certificate(named("Authority of the tests"), authority_key,
        named("Authority of the tests"), authority_key,
        [(x509.BasicConstraints(ca=True, path_length=0), True),
         (x509.KeyUsage(**{**usage, "key_cert_sign": True, "crl_sign": True}), True)])
    key = ec.generate_private_key(ec.SECP256R1())
    server = certificate(named("127.0.0.1"), key, authority.subject, authority_key,
        [(x509.BasicConstraints(ca=False, path_length=None), True),
         (x509.KeyUsage(**{**usage, "digital_signature": True}), True),
         (x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), False),
         (x509.SubjectAlternativeName([
             x509.DNSName("localhost"),
             x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)])
    pem = serialization.Encoding.PEM
    contents = [
        authority.public_bytes(pem),
        # The complete chain, so that a browser can accept the authority by its key.
        server.public_bytes(pem) + authority.public_bytes(pem),
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())]
    for name, content in zip(names, contents):
        with open(name, "wb") as file:
            file.write(content)
    return names
