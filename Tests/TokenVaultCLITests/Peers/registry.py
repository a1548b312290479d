"""A container registry that demands HTTP authentication, as the distribution specification describes it:
GET /v2/ answers 401 or 200, and there is one manifest. ada's password is "one"."""
import hashlib, json
import loopback

CONFIG = b"{}"
MANIFEST = json.dumps({
    "schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
    "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(CONFIG),
               "digest": "sha256:" + hashlib.sha256(CONFIG).hexdigest()}, "layers": []}).encode()


class Handler(loopback.Handler):
    def do_GET(self):
        if self.user() != ("ada", "one"):
            self.reply(401, b'{"errors":[{"code":"UNAUTHORIZED"}]}',
                       ("WWW-Authenticate", 'Basic realm="registry"'))
        elif "/manifests/" in self.path:
            self.reply(200, MANIFEST, ("Content-Type", json.loads(MANIFEST)["mediaType"]),
                       ("Docker-Content-Digest",
                        "sha256:" + hashlib.sha256(MANIFEST).hexdigest()))
        elif "/blobs/" in self.path:
            self.reply(200, CONFIG)
        else:
            self.reply(200, b"{}", ("Docker-Distribution-Api-Version", "registry/2.0"))

    do_HEAD = do_GET


loopback.serve(Handler)
