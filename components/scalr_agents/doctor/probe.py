"""The probe: a Job whose pod is like that of a run and tries what only a pod can try. Pure: making the Job, and reading what it printed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from secrets import token_hex
from typing import Any, NamedTuple

from scalr_agents.charts.shared import contract
from scalr_agents.charts.shared.network import addresses
from scalr_agents.doctor import error, note, warning
from scalr_agents.doctor.needs import Pod
from scalr_agents.model.findings import Finding, Findings
from scalr_agents.model.manifests import Manifest
from scalr_agents.model.secret_patterns import REFERENCE

NAME = "scalr-agents-doctor-"
"""First part of the names of Jobs, and value of their label `managed-by`."""
_LINE = re.compile(r"^scalr-agents-probe\|([a-z]+)\|([^|\n]*)\|(ok|failed|untried)\|([^|\n]*)$", re.MULTILINE)
"""What the script prints."""
_KEPT_SECONDS = 60
"""How long Kubernetes keeps a Job that doctor could not delete."""
_MARGIN_SECONDS = 60
"""For doctor to read the logs, which are gone when Kubernetes has ended a Job."""
_PAUSE_SECONDS = 3
_REGISTRIES = ("https://registry.opentofu.org/", "https://registry.terraform.io/")
_CLUSTER_NAME = "kubernetes.default.svc"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_AUTHORITIES = ("SCALR_AGENT_CA_CERT", "SSL_CERT_FILE")
_URL = "SCALR_URL"
_METADATA_PAGE = "docs/operations.md#is-the-metadata-service-really-blocked"
_TASK_CONTAINERS = ("runner", "worker")
"""Containers of a task of agent-job. The others are the user's."""


class Result(NamedTuple):
    """One thing that the probe tried."""

    check: str
    """`write`, `dns`, `scalr`, `registry`, `metadata`, or `end`."""
    target: str
    outcome: str
    """`ok`, `failed` or `untried`."""
    detail: str = ""


def job(pod: Pod, image: str, seconds: int) -> Manifest:
    """The Job of a probe, with a name of its own. `image` replaces the runner's.

    If doctor is gone when its `seconds` are over, Kubernetes ends the Job a little later, and deletes its pod and then itself.
    """
    spec, given = pod.spec, pod.spec["containers"]
    containers = [each for each in given if each["name"] in _TASK_CONTAINERS] or list(given)
    runner = image or containers[0]["image"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{NAME}{token_hex(4)}",
            "namespace": pod.namespace,
            "labels": {"app.kubernetes.io/managed-by": NAME.removesuffix("-")},
        },
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds + _MARGIN_SECONDS,
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "template": {
                "metadata": pod.template["metadata"],
                "spec": {
                    **{key: value for key, value in spec.items() if key != "initContainers"},
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 1,
                    "containers": [_container(each, pod, runner) for each in containers],
                },
            },
        },
    }


def _container(given: Mapping[str, Any], pod: Pod, image: str) -> Manifest:
    """A container like the given one, with the same user, volumes and proxy. The agent's token is not among its variables."""
    kept = ("name", "imagePullPolicy", "securityContext", "resources", "volumeMounts")
    script = files(__package__).joinpath("probe.sh").read_text(encoding="utf-8")
    return {
        **{key: given[key] for key in kept if key in given},
        "image": image,
        "command": ["/bin/sh", "-c", script],
        "env": [*_environment(given), *_probe_variables(given, pod)],
    }


def _environment(container: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The variables of the proxy, and those that they refer to, a secret password for instance."""
    variables = {variable["name"]: variable for variable in container.get("env", ())}
    needed = [name for name in _PROXIES if name in variables]
    for name in needed:  # grows while it is read
        references = re.findall(REFERENCE, str(variables[name].get("value", "")))
        needed += [reference for reference in references if reference in variables and reference not in needed]
    return [variable for name, variable in variables.items() if name in needed]


def _probe_variables(container: Mapping[str, Any], pod: Pod) -> list[Manifest]:
    """What the script tries."""
    url = next(filter(None, (_plain(each, _URL) for each in pod.spec["containers"])), "")  # else the agent takes it from its token
    authorities = (_plain(container, name) for name in _AUTHORITIES)
    mirrors = getattr(getattr(pod.agent.values, "agent", None), "provider_network_mirrors", ())  # their tokens stay behind
    variables = {
        "PROBE_CONTAINER": container["name"],
        "PROBE_DIRECTORIES": _lines(mount["mountPath"] for mount in container.get("volumeMounts", ()) if not mount.get("readOnly")),
        "PROBE_NAMES": _lines(_names(container, url)),
        "PROBE_URL": url,
        "PROBE_REGISTRIES": _lines([*_REGISTRIES, *(mirror.url for mirror in mirrors if isinstance(mirror.url, str))]),
        "PROBE_METADATA": _lines(contract.METADATA_SERVICES),
        "PROBE_CA": next((path for path in authorities if path.startswith("/")), ""),
        "PROBE_PAUSE": str(_PAUSE_SECONDS),
    }
    return [{"name": name, "value": value} for name, value in variables.items()]


def _lines(items: Iterable[str]) -> str:
    return "\n".join(dict.fromkeys(items))


def _plain(container: Mapping[str, Any], name: str) -> str:
    """The value of a variable, if it is known here."""
    found = [variable.get("value") for variable in container.get("env", ()) if variable["name"] == name]
    return found[0] if found and isinstance(found[0], str) else ""


def _names(container: Mapping[str, Any], url: str) -> Iterator[str]:
    """Names that the pod itself must resolve: behind a proxy, that of the proxy in place of Scalr's."""
    yield _CLUSTER_NAME
    proxy = _plain(container, "HTTPS_PROXY") or _plain(container, "https_proxy")
    found = addresses.address(proxy or url)
    if found and not addresses.network_of(found.host):
        yield found.host


def parse(log: str) -> list[Result]:
    """What a container of the probe printed. Other lines are not from the probe."""
    return [Result(*found.groups()) for found in _LINE.finditer(log)]


_REASONS = {
    "no-ca": ("the CA bundle cannot be read in the pod", "Check the Secret or file behind common.ca"),
    "network": ("no connection", "Open the network for it: docs/operations.md#hosts-to-allow"),
    "proxy-407": ("the proxy asks for a login", "Put user and password into the proxy's address, the password as a secret variable"),
    "proxy-unresolved": ("the name of the proxy cannot be resolved", "Correct common.proxy, or the cluster's DNS"),
    "refused": ("the connection is refused", "Open the network for it, or correct the address: docs/operations.md#hosts-to-allow"),
    "timeout": ("no answer in time", "Open the network for it: docs/operations.md#hosts-to-allow"),
    "unresolved": ("the name cannot be resolved", "Check the address, the cluster's DNS, and that the network policy lets DNS through"),
    "untrusted": (
        "the certificate is not trusted",
        "Put the authority that signs it (a proxy that re-signs TLS has its own) into common.ca",
    ),
}


def findings(subject: str, results: Mapping[str, Sequence[Result]], *, closed: bool) -> Findings:
    """What the results of a probe mean. `results` are by container; `closed`: whether the metadata service has to be closed."""
    by_result: dict[Result, list[str]] = {}
    for container, found in results.items():
        for result in found:
            by_result.setdefault(result, []).append(container)
        if not any(result.check == "end" for result in found):
            advice = "Give it more time with --timeout, or an image with a shell with --image"
            yield error(f"{subject}, container {container}", "did not finish", advice)
    for result, containers in by_result.items():
        if result.check != "end":
            yield _finding(f"{subject}, container {' and '.join(containers)}", result, closed=closed)


def _finding(subject: str, result: Result, *, closed: bool) -> Finding:
    check, target, outcome, detail = result
    if outcome == "untried":
        return note(subject, f"{_tried(check, target)}: not tried, the image has no tool for it", "Name an image with curl with --image")
    if check == "metadata":
        return _metadata(subject, target, outcome, closed=closed)
    if outcome == "ok":
        return note(subject, f"{_tried(check, target)}: works{f' ({detail})' if detail else ''}")
    if check == "write":
        advice = "Make the user or a group of the pod its owner (fsGroup, the access point of EFS, hostPath.preparation): docs/caches.md"
        return error(subject, f"cannot write to {target}: {detail}", advice)
    problem, advice = _reason(check, detail)
    make = warning if check == "registry" else error
    return make(subject, f"{_tried(check, target)}: {problem}", advice)


def _reason(check: str, detail: str) -> tuple[str, str]:
    if check == "dns":
        return _REASONS["unresolved"]
    if detail.startswith("proxy-") and detail not in _REASONS:
        return (
            f"the proxy refuses the connection ({detail.removeprefix('proxy-')})",
            "Allow the host in the proxy: docs/operations.md#hosts-to-allow",
        )
    return _REASONS.get(detail, (f"failed ({detail})", "Open the network for it: docs/operations.md#hosts-to-allow"))


def _metadata(subject: str, target: str, outcome: str, *, closed: bool) -> Finding:
    if outcome == "ok":
        return note(subject, f"metadata service {target}: no answer")
    if not closed:
        return note(subject, f"metadata service {target}: answers, and the values allow it")
    advice = "The network plugin does not enforce the policy, or pulumi up has not created it yet"
    return error(
        subject, f"metadata service {target}: answers, so that runs get the credentials of their node", f"{advice}: {_METADATA_PAGE}"
    )


def _tried(check: str, target: str) -> str:
    return {"write": f"writing to {target}", "dns": f"DNS name {target}", "metadata": f"metadata service {target}"}.get(
        check, f"TLS to {target}"
    )
