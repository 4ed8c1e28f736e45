"""Words that would have another effect than they say, or that a cluster or a cloud would refuse: told before anything is deployed."""

import pytest
from pydantic import BaseModel
from scalr_agents.stack.cache_model import CacheEntry, EfsEntry, FilestoreEntry, StorageClassEntry
from scalr_agents.stack.machines import Ec2Entry, GceEntry, MachineEntry, VolumeEntry
from scalr_agents.stack.model import AgentSecrets, Common, Kubernetes, Namespace, Network, Nodes, Proxy, SecretsFromEntry, StackFile

from tests.stack.plain import PLAIN, findings, load

SECTIONS: list[type[BaseModel]] = [
    *(StackFile, Kubernetes, Common, Proxy, Network, Namespace, Nodes, SecretsFromEntry, AgentSecrets),
    *(CacheEntry, EfsEntry, FilestoreEntry, StorageClassEntry, MachineEntry, Ec2Entry, GceEntry, VolumeEntry),
]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_null_is_the_same_as_a_key_that_is_not_there(section: type[BaseModel]) -> None:
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


@pytest.mark.parametrize("level", [None, "restricted", "baseline"])
def test_the_namespace_of_the_clusters_own_pods_is_not_restricted(level: str | None) -> None:
    message = f"would enforce {level or 'restricted'} there, so that the cluster's own pods no longer start; set create: false"
    found = findings({"namespaces": {"kube-system": {"podSecurity": level} if level else {}}})
    assert ("error", "scalr-agents:namespaces.kube-system", message) in found


EVERYWHERE = [("default", "restricted"), ("kube-public", "baseline"), ("kube-node-lease", "restricted"), ("kube-system", "privileged")]


@pytest.mark.parametrize(("name", "level"), EVERYWHERE)
def test_a_namespace_that_every_cluster_has_is_not_taken_over_in_silence(name: str, level: str) -> None:
    message = f"exists in every cluster, and {level} would be enforced for everything that runs in it; set create: false"
    assert ("warning", f"scalr-agents:namespaces.{name}", message) in findings({"namespaces": {name: {"podSecurity": level}}})
    assert findings({"namespaces": {name: {"create": False, "podSecurity": level}}}) == findings({})
