"""The advice for each reason for which a pod does not become ready."""

SELECTOR = "app.kubernetes.io/name=agent-job,app.kubernetes.io/instance=runs,app.kubernetes.io/component=agent"
PODS = f"-n scalr-agents -l {SELECTOR}"
EVENTS = "kubectl get events -n scalr-agents --field-selector type=Warning --sort-by=.lastTimestamp"
DESCRIPTION = f"kubectl describe pods {PODS}"
LOGS = f"kubectl logs {PODS} --all-containers --prefix --tail=50"
EXPECTED = {
    "no pod": ("The error does not give a reason.", [EVENTS, DESCRIPTION, LOGS]),
    "secret": ("A container needs the secret 'scalr-token', which does not exist in the namespace.", [DESCRIPTION]),
    "key": ("The Secret 'scalr-token' has no key 'token', which a container needs.", [DESCRIPTION]),
    "image": ("An image cannot be pulled.", [DESCRIPTION]),
    "pull secret": ("An image cannot be pulled.", [DESCRIPTION]),
    "memory": ("A container was stopped because it used more memory than its limit (OOMKilled).", [DESCRIPTION]),
    "exit": ("A container starts and exits; its log shows why.", [LOGS]),
    "claim": ("The claim 'runs-agent-job-cache' is not bound to a volume.", ["kubectl describe pvc -n scalr-agents runs-agent-job-cache"]),
    "starting": ("The pods have a node, but their containers are not ready.", [DESCRIPTION, LOGS]),
}
"""What is wrong and which commands show more, for each of `REASONS` in tests/helpers/provider_errors.py."""
