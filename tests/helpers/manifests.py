"""A few objects to print, with secrets that are known and some that are not."""

from typing import Any

from scalr_agents.stack.source import Sealed

Manifest = dict[str, Any]
ROLE: Manifest = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "scalr.runs"}, "rules": []}
ACCOUNT: Manifest = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runs", "namespace": "scalr"}}
SECRET: Manifest = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "runs", "namespace": "scalr"},
    "stringData": {"token": "s3cr3t", "ca.crt": "a\nb\n"},
}
SEALED: Manifest = SECRET | {
    "metadata": {"name": "runs-env", "namespace": "scalr"},
    "stringData": {"A": "known", "B": Sealed("scalr-agents:secrets.runs.env.B")},
}
OTHER: Manifest = SECRET | {
    "metadata": {"name": "more", "namespace": "scalr"},
    "stringData": {"token": Sealed("scalr-agents:secrets.more.token")},
}
