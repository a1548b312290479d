"""Makes nanoidp sign with a new key: rotate_keys.py ISSUER [AUTHORITY]"""

import sys

import requests

session = requests.Session()
session.trust_env = False
session.verify = sys.argv[2] or True
session.post(sys.argv[1] + "/api/keys/rotate", timeout=60).raise_for_status()
