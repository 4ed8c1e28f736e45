"""Settings with an unexpected effect, or that a cluster or a cloud would refuse: reported before deployment."""

import pytest
from pydantic import BaseModel
from scalr_agents.caches.efs import EfsKind
from scalr_agents.caches.filestore.kind import FilestoreKind
from scalr_agents.caches.storage_class import StorageClassKind
from scalr_agents.charts.shared.external_secrets import SecretsFrom
from scalr_agents.charts.shared.inputs import Network
from scalr_agents.machines.aws import Ec2Settings, Ec2Volume
from scalr_agents.machines.gcp import GceSettings, GceVolume
from scalr_agents.stack.caches import CacheEntry
from scalr_agents.stack.machines import MachineEntry
from scalr_agents.stack.model import AgentSecrets, Common, Kubernetes, Namespace, Nodes, Proxy, StackFile

from tests.helpers.plain import PLAIN, load

SECTIONS: list[type[BaseModel]] = [
    *(StackFile, Kubernetes, Common, Proxy, Network, Namespace, Nodes, SecretsFrom, AgentSecrets),
    *(CacheEntry, EfsKind, FilestoreKind, StorageClassKind, MachineEntry, Ec2Settings, Ec2Volume, GceSettings, GceVolume),
]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_null_means_an_absent_key(section: type[BaseModel]) -> None:
    nothing = {field.alias or name: None for name, field in section.model_fields.items()}
    assert section.model_validate(nothing) == section.model_validate({})
    assert section.model_validate(nothing).model_fields_set == set()


def test_a_namespace_whose_creation_is_null_is_created() -> None:
    loaded = load({"namespaces": {"scalr": {"create": None}}, "kubernetes": {"awaitRollout": None}})
    assert (list(loaded.created_namespaces()), loaded.kubernetes.await_rollout) == (["scalr"], True)


def test_null_stays_in_values_where_it_unsets_a_default() -> None:
    values = {**PLAIN["values"], "agent": {"terminationGracePeriodSeconds": None}}
    [agent] = load({"agents": {"runs": {"values": values, "role": None}}}).agents
    assert "terminationGracePeriodSeconds" not in str([each for each in agent.objects if each["kind"] == "Deployment"])


NO_CLOUD = "gives no identity, because no cloud reads this annotation of a service account; known: eks.amazonaws.com/role-arn, "
NO_CLOUD += "iam.gke.io/gcp-service-account, azure.workload.identity/client-id"
