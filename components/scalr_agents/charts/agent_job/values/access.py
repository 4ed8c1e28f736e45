"""Sections `serviceAccount` and `rbac`: the account of the pods and its permissions."""

from pydantic import Field

from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model.fields import Annotations, Count, Flag, Labels, Name
from scalr_agents.model.section import ChartSection


class ServiceAccount(ChartSection):
    """The service account of both pods (Kubernetes field `spec.serviceAccountName`)."""

    create: Flag = True
    """Whether to create the service account."""
    name: Name = ""
    """Name of the service account. Default: the release's full name if `create` is true, else the namespace's `default`,
    which is an error with `rbac.create`."""
    automount_token: Flag = True
    """Whether to mount the account's token into the controller's pod. The controller needs it to start Jobs."""
    token_ttl: Count = Field(3600, alias="tokenTTL")
    """Lifetime in seconds of the API token of a task's worker, at least 600. The kubelet renews it."""
    annotations: Annotations = {}
    """Annotations of the account, for instance an IAM role (`eks.amazonaws.com/role-arn`)."""
    labels: Labels = {}
    """Labels of the account, added to the common ones."""


def _rule(group: str, resource: str, verbs: str) -> PolicyRule:
    return PolicyRule.model_construct(api_groups=[group], resources=[resource], verbs=verbs.split())


_MANAGE = "get list watch create delete deletecollection patch update"
LEGACY_RULES = [
    _rule("", "pods", _MANAGE),
    _rule("", "pods/log", "get"),
    _rule("", "pods/exec", "get create"),
    _rule("", "pods/status", "get patch update"),
    _rule("apps", "deployments", "get list watch"),
    _rule("batch", "jobs", _MANAGE),
    _rule("batch", "jobs/status", "get patch update"),
]
LEGACY_CLUSTER_RULES = [_rule("scalr.io", "atasks", "get list watch")]


class Rbac(ChartSection):
    """Roles of the controller and their bindings."""

    create: Flag = True
    """Whether to create Role, ClusterRole and their bindings. If false, create them yourself."""
    rules: list[PolicyRule] = [*LEGACY_RULES, _rule("", "events", "list")]
    """Rules of the Role in the release's namespace. A list given here replaces the default. Default: those in docs/agent-job.md."""
    cluster_rules: list[PolicyRule] = [_rule("scalr.io", "agenttasktemplates", "get list watch")]
    """Rules of the ClusterRole. A list given here replaces the default. With `[]`, no ClusterRole and no binding are created.
    Default: those in docs/agent-job.md."""
