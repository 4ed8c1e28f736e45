"""The table of Kubernetes' types that values are checked against, made from what Kubernetes itself publishes.

`python -m tests.helpers.kubernetes_types` writes it anew; Go fetches what it needs. Fields and their types are those of the OpenAPI
schemas of the newest Kubernetes in kubernetes-validate. The schemas do not have the values that a string may take: they are constants in
the Go modules of the same Kubernetes, of types that are marked `+enum`.
"""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kubernetes_validate import utils
from scalr_agents.model import kubernetes_types

FILE = Path(kubernetes_types.__file__).with_suffix(".json")
ROOTS = (
    *("Affinity", "Container", "EmptyDirVolumeSource", "EnvFromSource", "EnvVar", "HostAlias", "LocalObjectReference", "PodDNSConfig"),
    *("PodSecurityContext", "ResourceRequirements", "SecurityContext", "Toleration", "TopologySpreadConstraint", "Volume", "VolumeMount"),
)
"""The types of values."""
NOT_MARKED = (
    *("ContainerRestartPolicy", "ContainerRestartRuleAction", "ContainerRestartRuleOnExitCodesOperator", "LabelSelectorOperator"),
    *("PodSELinuxChangePolicy", "RecursiveReadOnlyMode", "ResourceResizeRestartPolicy"),
)
"""Types of which the API server accepts only a few values, although the schema has no enum."""
NOT_ENFORCED = ("Signal",)
"""Types with an enum of which the API server accepts any value, because the feature is off by default."""
NOT_REQUIRED = {
    "ClusterTrustBundleProjection": ("path",),
    "HTTPHeader": ("value",),
    "HostAlias": ("ip",),
    "ISCSIVolumeSource": ("lun",),
    "OwnerReference": ("apiVersion", "kind", "name", "uid"),
    "PersistentVolumeClaimTemplate": ("spec",),
    "PodCertificateProjection": ("keyType", "signerName"),
    "PreferredSchedulingTerm": ("preference",),
    "ScaleIOVolumeSource": ("secretRef",),
    "SleepAction": ("seconds",),
    "Sysctl": ("value",),
}
"""Fields that schemas require, and that it does without, or refuses with the whole struct."""

Fields = Mapping[str, Mapping[str, str]]
"""Types by field, by the struct that has it."""
Enums = Mapping[str, list[str]]

_GO_FILES = {"k8s.io/api": "core/v1/types.go", "k8s.io/apimachinery": "pkg/apis/meta/v1/types.go"}
_MULTILINE = re.MULTILINE | re.DOTALL


def structs(release: str) -> dict[str, dict[str, str]]:
    """The structs of a Kubernetes, `1.37` for instance, as far as values can have them."""
    schemas = utils.schema_contents(f"kubernetes-json-schema/v{release}.0-local-strict/_definitions.json", release)["$defs"]
    known = {name.rpartition(".")[2]: schema for name, schema in schemas.items() if re.search(r"\.api\.core\.v1\.|\.apimachinery\.", name)}
    found: dict[str, dict[str, str]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in found or "properties" not in known.get(name, {}):
            continue
        required = {*known[name].get("required", ())} - {*NOT_REQUIRED.get(name, ())}
        found[name] = {
            field: f"{_kind(schema)}{'!' if field in required else ''}" for field, schema in sorted(known[name]["properties"].items())
        }
        waiting += map(_bare, found[name].values())
    found["ResourceRequirements"] |= dict.fromkeys(("limits", "requests"), "ContainerResources")  # not of a volume, as others are
    return dict(sorted(found.items()))


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition(".")[2]
        return {"Time": "string", "FieldsV1": "any"}.get(name, name)
    kind = next(name for name in schema["type"] if name != "null") if isinstance(schema["type"], list) else schema["type"]
    if kind == "array":
        return f"[]{_kind(schema['items'])}"
    if kind == "object":
        return f"map {_kind(schema['additionalProperties'])}"
    return str(schema["format"] if kind == "integer" else kind)


def _bare(kind: str) -> str:
    return kind.removeprefix("[]").removeprefix("map ").removesuffix("!")


def enums(release: str) -> tuple[Enums, Fields]:
    """The enum types of a Kubernetes version, and the fields of these types."""
    source = "".join(_source(module, f"v0.{release.removeprefix('1.')}.0") for module in _GO_FILES)
    marked = re.findall(r"^// \+enum\n(?://[^\n]*\n)*type (\w+) string$", source, re.MULTILINE)
    constants = re.findall(r'^\t\w+\s+(\w+)\s+= "(.*)"', source, re.MULTILINE)
    found = {name: [value for kind, value in constants if kind == name and value] for name in {*marked, *NOT_MARKED} - {*NOT_ENFORCED}}
    bodies = re.findall(r"^type (\w+) struct \{$(.*?)^\}$", source, _MULTILINE)
    return found, {name: dict(_fields(body, found)) for name, body in bodies}


def _fields(body: str, known: Enums) -> Iterator[tuple[str, str]]:
    for kind, name in re.findall(r'^\t\w+\s+[*\[\]]*(\w+)\s+`json:"(\w+)', body, re.MULTILINE):
        if kind in known:
            yield name, kind


def _source(module: str, version: str) -> str:
    done = subprocess.run(["go", "mod", "download", "-json", f"{module}@{version}"], capture_output=True, text=True, check=True)
    return (Path(json.loads(done.stdout)["Dir"]) / _GO_FILES[module]).read_text(encoding="utf-8")


def newest() -> str:
    return str(utils.major_minor(utils.latest_version()))


def main() -> None:
    release = newest()
    known, fields = enums(release)
    types: dict[str, Any] = dict(structs(release))
    for name, kinds in structs(release).items():
        types[name] = {field: kind.replace("string", fields.get(name, {}).get(field, "string")) for field, kind in kinds.items()}
        types |= {kind: known[kind] for kind in map(_bare, types[name].values()) if kind in known}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(content)}" for name, content in sorted(types.items()))
    FILE.write_text(f'{{"kubernetes": "{release}", "types": {{\n{lines}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
