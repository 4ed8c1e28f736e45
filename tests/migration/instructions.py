"""Commands that `adopt` prints for what `pulumi up` does not do."""

from tests.cluster.kubectl import FORGETS

RESTART_POLICY = (
    "kubectl patch atasks.scalr.io scalr-agent-task -n scalr --type=merge "
    """-p '{"spec":{"jobTemplate":{"spec":{"restartPolicy":null}}}}'"""
)
FORGET = (
    "kubectl get serviceaccount/runs-agent-job role/runs-agent-job-role rolebinding/runs-agent-job-role-binding "
    "clusterrole/runs-agent-job-clusterrole clusterrolebinding/runs-agent-job-clusterrole-binding "
    "networkpolicy/runs-agent-job-task-network-policy secret/runs-agent-job poddisruptionbudget/runs-agent-job-task "
    "atasks.scalr.io/scalr-agent-task deployment/scalr-agent -n scalr --ignore-not-found --show-managed-fields -o json | jq "
    f"'{FORGETS}' | kubectl replace -f -"
)
