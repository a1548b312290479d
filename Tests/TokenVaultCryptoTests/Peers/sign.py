"""Signs a message with each public-key algorithm of JWS, each time with a fresh key.

Prints one line per algorithm: its name, the parts of the public key, and the signature, in
hexadecimal.
"""

import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

message = sys.argv[1].encode()
digests = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}
curves = {"256": ec.SECP256R1(), "384": ec.SECP384R1(), "512": ec.SECP521R1()}


def emit(algorithm, *parts):
    print(algorithm, *(part.hex() for part in parts))


def number(value):
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


key = rsa.generate_private_key(65537, 2048)
public = key.public_key().public_numbers()
for name, digest in digests.items():
    pss = padding.PSS(padding.MGF1(digest), digest.digest_size)
    for family, scheme in (("RS", padding.PKCS1v15()), ("PS", pss)):
        signature = key.sign(message, scheme, digest)
        emit(family + name, number(public.n), number(public.e), signature)

for name, curve in curves.items():
    key = ec.generate_private_key(curve)
    public = key.public_key().public_numbers()
    size = (curve.key_size + 7) // 8
    der = key.sign(message, ec.ECDSA(digests[name]))
    r, s = decode_dss_signature(der)
    raw = r.to_bytes(size, "big") + s.to_bytes(size, "big")
    emit("ES" + name, public.x.to_bytes(size, "big"), public.y.to_bytes(size, "big"), raw, der)

key = ed25519.Ed25519PrivateKey.generate()
emit("EdDSA", key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw), key.sign(message))
