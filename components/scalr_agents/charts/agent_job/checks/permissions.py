"""Cross-checks of what the agents of agent-job may do: their service account, and the rules of their roles."""

from collections.abc import Sequence

from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.checks import access
from scalr_agents.charts.shared.values import PolicyRule
from scalr_agents.model.findings import Findings, error, warning

_SHORTEST_TOKEN_TTL = 600


def check(values: AgentJobValues) -> Findings:
    """All findings on permissions."""
    yield from _account(values)
    yield from _rules(values)


def _account(values: AgentJobValues) -> Findings:
    account = values.service_account
    if values.rbac.create and (account.name or ("" if account.create else "default")) == "default":
        yield error(
            "serviceAccount.name",
            "the Role would be bound to the namespace's default account, so that every pod of the namespace could start Jobs and "
            "exec into their pods; set another account, or set rbac.create to false",
        )
    yield from access.brought_account(create=account.create, annotations=account.annotations, labels=account.labels)
    if not account.automount_token:
        yield warning(
            "serviceAccount.automountToken", "the controller gets no token for the Kubernetes API and cannot start Jobs; set it to true"
        )
    if account.token_ttl is not None and account.token_ttl < _SHORTEST_TOKEN_TTL:
        yield error("serviceAccount.tokenTTL", f"must be at least {_SHORTEST_TOKEN_TTL} seconds, the minimum of Kubernetes")


def _rules(values: AgentJobValues) -> Findings:
    if values.rbac.create:
        yield from _policy_rules("rbac.rules", values.rbac.rules, in_cluster=False)
        yield from _policy_rules("rbac.clusterRules", values.rbac.cluster_rules, in_cluster=True)


def _policy_rules(path: str, rules: Sequence[PolicyRule], *, in_cluster: bool) -> Findings:
    """Rules of a Role, or of a ClusterRole, which alone may have rules for URL paths."""
    for index, rule in enumerate(rules):
        here = f"{path}[{index}]"
        if rule.non_resource_urls and not in_cluster:
            yield error(f"{here}.nonResourceURLs", "not allowed in a Role, which is for resources of a namespace; use rbac.clusterRules")
        elif rule.non_resource_urls and (rule.api_groups or rule.resources or rule.resource_names):
            yield error(f"{here}.nonResourceURLs", "not allowed together with resources; make it a rule of its own")
        elif not rule.non_resource_urls:
            for key, given in (("apiGroups", rule.api_groups), ("resources", rule.resources)):
                if not given:
                    hint = ' (the core group is "")' if key == "apiGroups" else ""
                    yield error(f"{here}.{key}", f"missing; a rule requires at least one{hint}")
