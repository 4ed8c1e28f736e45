"""The objects of an agent-k8s, for tests."""

import base64
from collections.abc import Mapping
from typing import Any

from scalr_agents.charts.shared.inputs import Inputs

from tests.helpers import changes as between
from tests.helpers.validated import by_role

VERSIONS = {"legacy": "0.53.0", "current": "1.4.0"}
MINIMUM = {"agent": {"token": "s3cr3t-token", "url": "https://acme.scalr.io"}}
EFS = "fs-582a03f3::fsap-01e050b7d9a3109d5"
FULL = {**MINIMUM, "efsVolumeHandle": EFS, "restrictMetadataService": True}
"""With the next, values with which everything is made that can be."""
SECRETS = Inputs(secret_env={"TF_TOKEN": "s3cr3t-variable"})
WORKLOADS = ("deployment", "daemon-set")
_SHORT = {
    "controller pod: spec.containers[agent-k8s].": "controller: ",
    "daemon-set.spec.template.spec.containers[agent-k8s].": "worker: ",
    "daemon-set.spec.template.": "worker pod: ",
}


def objects(
    given: Mapping[str, Any], inputs: Inputs | None = None, *, line: str = "current", naming: Any = "scoped", digest: str = ""
) -> dict[str, dict[str, Any]]:
    """All objects of a release `runs` in namespace `scalr`, by role."""
    return by_role("agent-k8s", given, agent_version=VERSIONS[line], naming=naming, inputs=inputs, digest=digest)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What differs, by path. Paths into pods are short, and what is the same in controller and workers stands once, under `both`."""
    found = {_shortened(path): _decoded(path, value) for path, value in between.changes(before, after).items()}
    for path in [path for path in found if path.startswith("controller")]:
        twin = path.replace("controller", "worker", 1)
        if twin in found and found[twin] == found[path]:
            found[path.replace("controller", "both", 1)] = found.pop(path)
            del found[twin]
    return found


def _shortened(path: str) -> str:
    return next((short + path.removeprefix(long) for long, short in _SHORT.items() if path.startswith(long)), path)


def _decoded(path: str, value: Any) -> Any:
    return decoded(value) if "env[SCALR_AGENT_KUBERNETES_TASK_" in path else value


def decoded(text: str) -> str:
    """What a variable holds in base64."""
    return base64.b64decode(text, validate=True).decode()
