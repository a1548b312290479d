"""A stub of a Kubernetes API server, by https. It serves /version to bearers of "kube-token"."""
import json
import loopback


class Handler(loopback.Handler):
    def do_GET(self):
        allowed = self.given() == "Bearer kube-token"
        answer = {"major": "1", "minor": "32", "gitVersion": "v1.32.0"} if allowed else {
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized",
            "code": 401}
        self.reply(200 if allowed else 401, json.dumps(answer).encode(),
                   ("Content-Type", "application/json"))


loopback.serve(Handler, tls=True)
