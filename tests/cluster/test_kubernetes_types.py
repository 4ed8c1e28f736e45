"""Errors on Kubernetes types match the API server: it refuses reported values, and its fields and values are not reported."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError
from scalr_agents.model import kubernetes_types

from tests.cluster.client import ApiError, Client
from tests.helpers.kubernetes_types import structs
from tests.helpers.pod_specs import FIELDS as POD
from tests.tools import MODULES

Path = tuple[str | int, ...]

SERVER = next(module.version for module in MODULES if module.name == "kubernetes").removeprefix("v").rpartition(".")[0]
TABLE: dict[str, Any] = kubernetes_types.table()["types"]
SCALARS = {"any": {}, "boolean": True, "int32": 1, "int64": 1, "string": "x", "ContainerResources": {}, "IntOrString": 1, "Quantity": "1"}
WRONG = "Wrong"
DROPPED = {("GRPCAction", "mode"), ("HTTPGetAction", "protocol")}
"""Fields of features that are off in this version: the API server drops them."""


def bare(kind: str) -> str:
    return kind.removesuffix("!").removeprefix("[]").removeprefix("map ")


def fields(struct: str) -> dict[str, str]:
    """The fields of a struct that the API server knows: values may have newer ones."""
    known = structs_of_server()[struct]
    return {field: kind for field, kind in TABLE[struct].items() if field in known}


@cache
def structs_of_server() -> dict[str, dict[str, str]]:
    return structs(SERVER)


def places() -> Iterator[tuple[str, str, Path]]:
    """Every field of every struct: the struct, the field, and one place in a pod where it stands."""
    waiting: list[tuple[str, Path]] = [(bare(kind), (field, *([0] if "[]" in kind else []))) for field, kind in POD.items()]
    seen = set()
    for struct, path in waiting:
        if struct in seen:
            continue
        seen.add(struct)
        for field, kind in fields(struct).items():
            here = (*path, field, *([0] if kind.startswith("[]") else []))
            yield struct, field, here
            if isinstance(TABLE.get(bare(kind)), dict):
                waiting.append((bare(kind), here))


def sample(kind: str) -> Any:
    """A minimal value of this type."""
    if kind.startswith("[]"):
        return [sample(bare(kind))]
    if kind.startswith("map "):
        return {}
    if kind in SCALARS:
        return SCALARS[kind]
    content = TABLE[kind]
    return content[-1] if isinstance(content, list) else least(fields(kind))


def least(content: dict[str, str]) -> dict[str, Any]:
    return {field: sample(kind.removesuffix("!")) for field, kind in content.items() if kind.endswith("!")}


def grown(content: dict[str, str], path: Path, leaf: Any) -> dict[str, Any]:
    """A struct with as little as possible beside the leaf at a path."""
    field, rest = str(path[0]), path[1:]
    kind = content[field].removesuffix("!")
    if rest[:1] == (0,):
        return {**least(content), field: [grown(fields(bare(kind)), rest[1:], leaf) if rest[1:] else leaf]}
    return {**least(content), field: grown(fields(kind), rest, leaf) if rest else leaf}


def answer(cluster: Client, spec: dict[str, Any]) -> str:
    """The API server's error for a pod, empty if it is accepted."""
    containers = [{"image": "x", **container} for container in spec["containers"]]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "default"}, "spec": {**spec, "containers": containers}}
    try:
        cluster.create(pod, dry_run=True)
    except ApiError as problem:
        return str(problem)
    return ""


def test_values_outside_an_enum_are_refused(cluster: Client) -> None:
    enums = [(struct, field, path) for struct, field, path in places() if isinstance(TABLE.get(bare(TABLE[struct][field])), list)]
    assert enums
    accepted = {(struct, field) for struct, field, path in enums if f'value: "{WRONG}"' not in answer(cluster, grown(POD, path, WRONG))}
    assert accepted == DROPPED


def test_missing_required_fields_are_refused(cluster: Client) -> None:
    required = [(struct, field, path) for struct, field, path in places() if TABLE[struct][field].endswith("!")]
    assert required
    assert [(struct, field) for struct, field, path in required if not is_missed(cluster, path, TABLE[struct][field])] == []


def is_missed(cluster: Client, path: Path, kind: str) -> bool:
    """Whether the API server reports an error only if the field is missing."""
    path = path[:-1] if path[-1] == 0 else path
    without, beside = (answer(cluster, grown(POD, path, leaf)) for leaf in (None, sample(kind.removesuffix("!"))))
    return without not in ("", beside)


def container(**given: Any) -> dict[str, Any]:
    return {"name": "x", **given}


def limits(**given: Any) -> dict[str, Any]:
    return container(resources={"limits": given, "requests": given})


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("Affinity", {"nodeAfinity": {}}),
        ("Container", container(securityContext={"runAsUser": "1000"})),
        ("Container", container(securityContext={"runAsUser": 2**63})),
        ("Container", container(ports=[{"containerPort": 2**31}])),
        ("Container", container(tty="yes")),
        ("Container", container(env=[{"name": "A", "value": 5}])),
        ("Container", container(args="x")),
        ("Container", container(resources="x")),
        ("Container", container(livenessProbe={"tcpSocket": {"port": True}})),
        ("Container", limits(memroy="1Gi")),
        ("Container", limits(storage="1Gi")),
        ("Container", limits(memory="1GB")),
    ],
)
def test_reported_errors_are_refused_by_the_api_server(cluster: Client, kind: str, given: Any) -> None:
    with pytest.raises(ValidationError):
        kubernetes_types.demand(kind, given)
    assert answer(cluster, spec_with(kind, given)) != ""


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("Container", limits(**{"cpu": 0.5, "memory": 1e9, "ephemeral-storage": "1Gi", "hugepages-2Mi": "2Mi", "nvidia.com/gpu": 1})),
        ("Container", container(env=[{"name": "A", "value": None, "valueFrom": None}], securityContext=None, imagePullPolicy="")),
        ("Container", container(lifecycle={"stopSignal": "SIGWRONG"})),
        ("Toleration", {"operator": "Exists", "effect": "", "tolerationSeconds": None}),
        ("Volume", {"name": "x", "hostPath": {"path": "/x", "type": ""}}),
    ],
)
def test_accepted_values_are_not_reported(cluster: Client, kind: str, given: Any) -> None:
    kubernetes_types.demand(kind, given)
    assert answer(cluster, spec_with(kind, given)) == ""


def spec_with(kind: str, given: Any) -> dict[str, Any]:
    field = next(field for field, content in POD.items() if bare(content) == kind)
    return {**least(POD), field: [given] if POD[field].startswith("[]") else given}


def test_the_table_has_all_published_fields_and_values(cluster: Client) -> None:
    published = cluster._json("GET", "/openapi/v3/api/v1")["components"]["schemas"]
    for name, schema in published.items():
        struct = name.rpartition(".")[2]
        known = TABLE.get(struct)
        if not isinstance(known, dict) or not name.startswith(("io.k8s.api.core.v1.", "io.k8s.apimachinery.")):
            continue
        assert schema["properties"].keys() - known.keys() == set(), struct
        for field, content in schema["properties"].items():
            allowed = {*content.get("enum", ()), *content.get("items", {}).get("enum", ())} - {""}
            mine = TABLE.get(bare(known[field]), [])
            assert not isinstance(mine, list) or mine == [] or allowed <= {*mine}, (struct, field)
