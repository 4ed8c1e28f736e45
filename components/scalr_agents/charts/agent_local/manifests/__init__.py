"""The objects of agent-local, grouped by the component that owns them."""

from scalr_agents.charts.agent_local import versions
from scalr_agents.charts.agent_local.manifests import scaling
from scalr_agents.charts.agent_local.manifests.environment import secret_data
from scalr_agents.charts.agent_local.manifests.policies import objects as network_policies
from scalr_agents.charts.agent_local.manifests.policies import pods
from scalr_agents.charts.agent_local.manifests.workload import cache_claim, is_stateful, workload
from scalr_agents.charts.agent_local.values import AgentLocalValues, effective
from scalr_agents.charts.agent_local.values.persistence import Claim
from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.chart import Group
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.manifests import rbac, secrets, volumes
from scalr_agents.model.manifests import Manifest, present
from scalr_agents.model.release import CACHE_VOLUME, Release

__all__ = ["agent", "network_policies", "pods", "secret_data", "service_account"]


def service_account(values: AgentLocalValues, release: Release, _inputs: Inputs) -> Group:
    """The service account of the pods, if it is created here. It has no permissions: the agent needs none."""
    account = values.service_account
    if not account.create:
        return {}
    made = rbac.service_account(release, account.annotations, account.labels, automountServiceAccountToken=account.automount_token)
    return {"service-account": made}


def agent(values: AgentLocalValues, release: Release, inputs: Inputs) -> Group:
    """Secrets, claims and, last, the Deployment or StatefulSet with its autoscaler."""
    agents = workload(values, release, inputs)
    scaler = scaling.objects(agents, inputs.scaling, release) if inputs.scaling else {}
    return {**_secrets(values, release, inputs), **_claims(values, release), **agents, **scaler}


def _secrets(values: AgentLocalValues, release: Release, inputs: Inputs) -> Group:
    """All Secrets get the user's annotations; the one with the token also gets the labels."""
    labels = {"token-secret": values.secret.labels}
    return {
        role: secret | {"metadata": _metadata(secret["metadata"], values, labels.get(role, {}))}
        for role, secret in secrets.objects(secret_data(values, inputs), release).items()
    }


def _metadata(metadata: Manifest, values: AgentLocalValues, labels: dict[str, str]) -> Manifest:
    return present(metadata | {"annotations": dict(values.secret.annotations), "labels": metadata["labels"] | labels})


def _claims(values: AgentLocalValues, release: Release) -> Group:
    """The claims that are created here, which all agents share. A StatefulSet creates those of its agents itself."""
    created = {} if is_stateful(values) else effective.created(values.persistence)
    made = {
        contract.DATA_VOLUME: ("data-claim", release.names.data_claim, "data"),
        CACHE_VOLUME: ("cache-claim", cache_claim(values, release), versions.TABLE.row(release.version).cache_component),
    }
    return {
        role: _claim(name, label, created[volume].persistent_volume_claim, release)
        for volume, (role, name, label) in made.items()
        if volume in created
    }


def _claim(name: str, component: str | None, settings: Claim, release: Release) -> Manifest:
    made = volumes.claim(name, component, settings, release)
    return made | {"metadata": present(made["metadata"] | {"annotations": dict(settings.annotations)})}
