"""Properties that every component keeps, so that upgrades do not break programs and stacks."""

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, assert_type, cast

import pulumi
import pytest
import scalr_agents
from pulumi.provider.experimental.analyzer import Analyzer, PropertyType
from pulumi.provider.experimental.util import camel_case

from tests.helpers.mocked_clouds import INSTANCE
from tests.helpers.recording import Recording, Registration, run
from tests.resources import host

NETWORK = {"ingress": "deny", "egress": {"only": [{"host": "github.acme.internal"}], "enforced_by": "gke"}}
FULL: dict[str, Any] = {
    "namespace": "scalr",
    "url": "https://acme.scalr.io",
    "token": "s3cr3t-token",
    "secret_env": {"TF_TOKEN_acme": "x"},
    "ca_bundle": "-----BEGIN CERTIFICATE-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END CERTIFICATE-----\n",
    "network": NETWORK,
    "pre_pull": True,
    "values": {
        "agent": {"replicaCount": 2, "affinity": {"podAntiAffinity": {}}},
        "task": {"buffer": {"replicas": 1}},
        "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
    },
}
"""Arguments with which a component makes everything that it can make."""
CERTIFICATE, KEY = FULL["ca_bundle"], "-----BEGIN PRIVATE KEY-----\nMBMGA1UEAwwMSVNSRyBSb290IFgx\n-----END PRIVATE KEY-----\n"

CONNECTION = {word: FULL[word] for word in ("namespace", "url", "token", "secret_env")}
AGENT_LOCAL: dict[str, Any] = {
    **CONNECTION,
    "agent_version": "1.4.0",
    "ca_bundle": FULL["ca_bundle"],
    "network": NETWORK,
    "values": {
        "serviceAccount": {"create": True, "automountToken": True},
        "allowMetadataService": False,
        "agent": {"tls": {"clientCert": CERTIFICATE, "clientKey": KEY}},
        "persistence": {"data": {"enabled": True}, "cache": {"enabled": True}},
    },
}
AGENT_K8S: dict[str, Any] = {
    **CONNECTION,
    "network": NETWORK,
    "values": {"efsVolumeHandle": "fs-00000a1b", "restrictMetadataService": True},
}

CONNECTED = {word: FULL[word] for word in ("url", "token", "secret_env")}

ARGS: dict[str, dict[str, Any]] = {
    "AgentController": FULL,
    "AgentCrds": {},
    "AgentJob": FULL,
    "AgentK8s": AGENT_K8S,
    "AgentLocal": AGENT_LOCAL,
    "AgentNetworkPolicy": FULL,
    "AgentRbac": FULL,
    "CacheStorageClass": {"storage_class_name": "agents", "provisioner": "efs.csi.aws.com", "parameters": {"fileSystemId": "fs-00000a1b"}},
    "Ec2Agents": {
        **CONNECTED,
        "subnets": ["subnet-0a"],
        "instance_type": "t3.large",
        "max": 2,
        "ssm": True,
        "log_retention_days": 30,
        "policies": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
        "allow_metadata_service": True,
    },
    "EfsCache": {"eks_cluster": "prod", "clients": {"security_groups": ["sg-0a1b"], "cidrs": ["10.0.0.0/16", "fd00::/64"]}},
    "EfsClaim": {"namespace": "scalr", "release": "runs", "file_system_id": "fs-00000a1b"},
    "EfsCsiDriver": {"cluster_name": "prod"},
    "FilestoreCache": {"location": "europe-west1-b"},
    "FilestoreClaim": {"namespace": "scalr", "release": "shared", "instance_id": INSTANCE, "ip_address": "10.9.8.7"},
    "GceAgents": {**CONNECTED, "region": "europe-west1", "subnetwork": "agents", "machine_type": "e2-standard-2", "max": 2},
    "StorageClassClaim": {"namespace": "scalr", "release": "runs", "storage_class_name": "agents"},
}
CLUSTER_SCOPED = ("ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "PersistentVolume", "PriorityClass", "StorageClass")
COMPONENTS = sorted(
    name
    for name in scalr_agents.__all__
    if isinstance(getattr(scalr_agents, name), type) and issubclass(getattr(scalr_agents, name), pulumi.ComponentResource)
)


@cache
def record(component: str, *, protect: bool | None = None) -> Recording:
    """What a component registers. Every test looks at the same recording, and changes nothing in it."""
    recording = run(lambda: make(component, pulumi.ResourceOptions(protect=protect)))
    assert recording.error is None
    return recording


def make(component: str, opts: pulumi.ResourceOptions) -> None:
    cast(Callable[..., Any], getattr(scalr_agents, component))("it", dict(ARGS[component]), opts)


def test_every_component_is_under_contract() -> None:
    assert sorted(ARGS) == COMPONENTS


@pytest.mark.parametrize("component", COMPONENTS)
def test_type_token(component: str) -> None:
    assert record(component)["it"].type == f"scalr-agents:index:{component}"


@pytest.mark.parametrize("component", COMPONENTS)
def test_children_are_named_after_their_parent(component: str) -> None:
    recording = record(component)
    for child in recording.resources[1:]:
        assert child.name.startswith(f"{child.parent}-")
        assert child.parent in recording.names
    assert len(set(recording.names)) == len(recording.names)


@pytest.mark.parametrize("component", COMPONENTS)
def test_nothing_is_registered_as_input_of_a_component(component: str) -> None:
    assert {resource.name for resource in record(component).resources if not resource.custom and resource.inputs} == set()


@pytest.mark.parametrize("component", COMPONENTS)
def test_outputs_are_annotated(component: str) -> None:
    annotated = [name for name in inspect.get_annotations(getattr(scalr_agents, component)) if not name.startswith("_")]
    assert set(record(component).outputs["it"]) == {camel_case(name) for name in annotated}


@pytest.mark.parametrize("component", COMPONENTS)
def test_objects_have_explicit_names_and_namespaces(component: str) -> None:
    for resource in _objects(record(component)):
        metadata = resource.inputs["metadata"]
        assert metadata["name"]
        assert metadata.get("namespace") == (None if resource.inputs["kind"] in CLUSTER_SCOPED else "scalr")


@pytest.mark.parametrize("component", COMPONENTS)
def test_objects_request_the_installed_plugin_version(component: str) -> None:
    from importlib.metadata import version

    assert {resource.version for resource in _objects(record(component))} <= {version("pulumi-kubernetes")}


@pytest.mark.parametrize("component", COMPONENTS)
def test_protection_reaches_the_children(component: str) -> None:
    assert {resource.protect for resource in record(component, protect=True).resources} == {True}


@pytest.mark.parametrize("component", COMPONENTS)
def test_dependencies_and_providers_reach_the_children(component: str) -> None:
    def program() -> None:
        other = pulumi.CustomResource("test:index:Other", "other")
        providers: list[pulumi.ProviderResource] = [pulumi.ProviderResource(name, name, {}) for name in ("aws", "gcp", "kubernetes")]
        make(component, pulumi.ResourceOptions(depends_on=other, providers=providers))

    recording = run(program)
    assert recording.error is None
    children = [resource for resource in recording.resources if resource.custom and resource.parent.startswith("it")]
    assert children
    assert [resource.name for resource in children if "other" not in resource.dependencies] == []
    of_plugins = [resource for resource in children if not resource.type.startswith("pulumi:")]  # the engine's own
    assert [resource.provider for resource in of_plugins] == [resource.type.partition(":")[0] for resource in of_plugins]


@pytest.mark.parametrize("form", [lambda other: [other], lambda other: pulumi.Output.from_input([other])], ids=["list", "output"])
def test_dependencies_have_several_forms(form: Callable[[pulumi.Resource], Any]) -> None:
    def program() -> None:
        make("AgentLocal", pulumi.ResourceOptions(depends_on=form(pulumi.CustomResource("test:index:Other", "other"))))

    assert [made.name for made in _objects(run(program)) if "other" not in made.dependencies] == []


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_is_documented(component: str) -> None:
    cls = getattr(scalr_agents, component)
    assert cls.__doc__
    assert list(inspect.signature(cls.__init__).parameters) == ["self", "name", "args", "opts"]


def _objects(recording: Recording) -> list[Registration]:
    return [resource for resource in recording.resources if resource.type.startswith("kubernetes:")]


def test_types_names_and_parents_are_unchanged() -> None:
    """The list is what deployed stacks remember. A change here needs an alias in the component, and a line in the changelog."""
    recordings = [record(component) for component in COMPONENTS]
    made = [(r.parent, r.name, r.type) for each in recordings for r in each.resources]
    read = [(r.parent, r.name, r.type) for each in recordings for r in each.readings]
    lines = [f"{parent if name != 'it' else ''}/{name} {kind}" for parent, name, kind in (*made, *read)]
    known = (Path(__file__).parent / "resources.txt").read_text().splitlines()
    assert sorted(lines) == known


def test_literals_are_strings_for_the_component_host() -> None:
    """The first half is checked by mypy. The second is what the schemas of other languages have."""
    agent: scalr_agents.AgentJobArgs = {"namespace": "scalr", "names": "chart"}
    cache: scalr_agents.EfsCacheArgs = {"on_delete": "keep"}
    assert_type(agent["names"], Literal["scoped", "chart"])
    assert_type(cache["on_delete"], Literal["keep", "delete"])
    inputs = Analyzer("scalr-agents").analyze([scalr_agents.AgentJob, scalr_agents.EfsCache])["component_definitions"]
    assert inputs["AgentJob"].inputs["names"].type == inputs["EfsCache"].inputs["onDelete"].type == PropertyType.STRING


def test_the_component_host_offers_every_component() -> None:
    assert [component.__name__ for component in host.load().COMPONENTS] == COMPONENTS
