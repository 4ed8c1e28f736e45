"""Error messages of the Kubernetes provider for failed objects.

The texts have the shape of those in pulumi-kubernetes: `provider/pkg/provider/provider.go` (`Create`, `Update`, `partialError`),
`provider/pkg/await/deployment.go` (`errorMessages`), `daemonset.go`, `error.go`, `internal/awaiter.go` and `checker/pod/check.go`.
What it repeats of a pod is the kubelet's (`pkg/kubelet/images`, `kuberuntime`, `kubelet_pods.go`, `status/generate.go`). It does not
repeat why a pod is not scheduled, which is no warning to it, and does not see why a ReplicaSet makes no pods; of a DaemonSet it repeats
nothing at all.
"""

from collections.abc import Sequence

_POD = "[Pod scalr-agents/runs-agent-job-5d8c-x7k2p]: containers with unready status: [agent]"
NO_POD = ["[MinimumReplicasUnavailable] Deployment does not have minimum availability.", "Minimum number of live Pods was not attained"]
"""No pod was made, none has a node, or the one that there is has not been ready for long enough."""
OUTPUT = "panic: password hunter2"
"""What a container has printed, with a message policy that falls back to its log."""


def _with_pod(what: str) -> list[str]:
    return [*NO_POD, f"{_POD}{what}"]


REASONS = {
    "no pod": NO_POD,
    "secret": _with_pod('[CreateContainerConfigError] secret "scalr-token" not found'),
    "key": _with_pod("[CreateContainerConfigError] couldn't find key token in Secret scalr-agents/scalr-token"),
    "image": _with_pod('[ErrImagePull] failed to pull and unpack image "docker.io/scalr/agent:9": failed to resolve reference: not found'),
    "pull secret": _with_pod('[ImagePullBackOff] Back-off pulling image "r.example/agent:1": ErrImagePull: 403 Forbidden'),
    "memory": _with_pod(
        "[CrashLoopBackOff] back-off 40s restarting failed container=agent pod=runs-agent-job-5d8c-x7k2p_scalr-agents(0c1f)\n"
        'container "agent" terminated at 2026-07-01T07:52:50Z (OOMKilled: exit code 137)'
    ),
    "exit": _with_pod(
        "[CrashLoopBackOff] back-off 40s restarting failed container=agent pod=runs-agent-job-5d8c-x7k2p_scalr-agents(0c1f)\n"
        f'container "agent" terminated at 2026-07-01T07:52:50Z (Error: exit code 1)\n{OUTPUT}'
    ),
    "claim": ['Failed to bind PersistentVolumeClaim(s): "runs-agent-job-cache"', *NO_POD],
    "starting": _with_pod(""),
}
"""What follows the first reason of a Deployment that is not ready in time."""
_SELECTOR = "app.kubernetes.io/name=agent-job,app.kubernetes.io/instance=runs,app.kubernetes.io/component=agent"
_PODS = f"-n scalr-agents -l {_SELECTOR}"
_EVENTS = "kubectl get events -n scalr-agents --field-selector type=Warning --sort-by=.lastTimestamp"
_DESCRIBE = f"kubectl describe pods {_PODS}"
_LOGS = f"kubectl logs {_PODS} --all-containers --prefix --tail=50"
ADVICE = {
    "no pod": ("The error does not give a reason.", [_EVENTS, _DESCRIBE, _LOGS]),
    "secret": ("A container needs the secret 'scalr-token', which does not exist in the namespace.", [_DESCRIBE]),
    "key": ("The Secret 'scalr-token' has no key 'token', which a container needs.", [_DESCRIBE]),
    "image": ("An image cannot be pulled.", [_DESCRIBE]),
    "pull secret": ("An image cannot be pulled.", [_DESCRIBE]),
    "memory": ("A container was stopped because it used more memory than its limit (OOMKilled).", [_DESCRIBE]),
    "exit": ("A container starts and exits; its log shows why.", [_LOGS]),
    "claim": ("The claim 'runs-agent-job-cache' is not bound to a volume.", ["kubectl describe pvc -n scalr-agents runs-agent-job-cache"]),
    "starting": ("The pods have a node, but their containers are not ready.", [_DESCRIBE, _LOGS]),
}
"""What is wrong and which commands show more, for each of `REASONS`."""


def not_created(urn: str, why: str) -> str:
    """The message if the API server refuses a new object."""
    return f'resource "{urn}" was not successfully created by the Kubernetes API server: {why}'


def conflict(manager: str, version: str, fields: Sequence[str]) -> str:
    """Server-side apply would change fields that another manager maintains, and may not."""
    found = f'conflict with "{manager}" using {version}: .{fields[0]}'
    if len(fields) > 1:
        listed = "".join(f"\n- .{field}" for field in fields)
        found = f'conflicts with "{manager}" using {version}:{listed}'
    number = "1 conflict" if len(fields) == 1 else f"{len(fields)} conflicts"
    return f"server-side apply field conflict detected\nApply failed with {number}: {found}"


def not_initialized(operation: str, urn: str, identity: str, why: str) -> str:
    """The message if an object exists and did not become ready, and for an update that the API server has refused."""
    if operation == "create":
        what = f'resource "{urn}" was successfully created, but the Kubernetes API server reported that it'
    else:
        what = f'the Kubernetes API server reported that "{identity}"'
    return f"{what} failed to fully initialize or become live: {why}"


def timed_out(kind: str, name: str) -> str:
    """The message if an object is not ready in time."""
    if kind in ("DaemonSet", "ExternalSecret"):
        return "timed out waiting for the condition"
    return f"'{name}' timed out waiting to be Ready" if kind in ("Deployment", "StatefulSet") else f"Timeout occurred polling for '{name}'"


def joined(reasons: Sequence[str]) -> str:
    """Reasons as the engine hands them to a hook: `InitError` in its `provider_plugin.go`, by hashicorp/go-multierror."""
    count = "1 error" if len(reasons) == 1 else f"{len(reasons)} errors"
    return f"{count} occurred:\n\t" + "\n\t".join(f"* {reason}" for reason in reasons) + "\n\n"
