"""How deployments wait for workloads, how long a removal waits for runs, and why pods did not become ready.

That is explained from the error of the Kubernetes provider, with what to do.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import pulumi

from scalr_agents.charts.shared import external_secrets
from scalr_agents.charts.shared.agent import AnyAgent, Group
from scalr_agents.model.release import Release
from scalr_agents.resources.component import error_hook
from scalr_agents.resources.kubernetes.agents import AgentRequest
from scalr_agents.resources.kubernetes.objects import DELETE_MARGIN_SECONDS, Rollout

_NAME = r"(?P<name>[-.a-z0-9]+)"
_AWAITED = re.compile(r"timed out waiting|Resource operation was cancelled")
"""Errors of a workload that the API server accepted and that was awaited. In all other cases there are no pods yet."""

_EVENTS = "kubectl get events -n {namespace} --field-selector type=Warning --sort-by=.lastTimestamp"
_DESCRIPTION = "kubectl describe pods -n {namespace} -l {selector}"
_EXTERNAL = "kubectl describe externalsecret -n {namespace} {name}"
_LOGS = "kubectl logs -n {namespace} -l {selector} --all-containers --prefix --tail=50"


class _Cause(NamedTuple):
    pattern: re.Pattern[str]
    """Message of the kubelet or the provider. Only names of objects are repeated from it: the rest may be output of a container."""
    meaning: str
    commands: tuple[str, ...]


_CAUSES = (
    _Cause(
        re.compile(rf'\[CreateContainerConfigError\] (?P<kind>secret|configmap) "{_NAME}" not found'),
        "A container needs the {kind} {name!r}, which does not exist in the namespace. Create it, or correct its name in the values.",
        (_DESCRIPTION,),
    ),
    _Cause(
        re.compile(
            rf"\[CreateContainerConfigError\] couldn't find key (?P<key>[-._a-zA-Z0-9]+) in (?P<kind>Secret|ConfigMap) [-a-z0-9]+/{_NAME}"
        ),
        "The {kind} {name!r} has no key {key!r}, which a container needs. Add the key, or correct it in the values.",
        (_DESCRIPTION,),
    ),
    _Cause(
        re.compile(r"\[(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable)\]"),
        "An image cannot be pulled. Check its repository and tag, that the nodes can reach the registry, and that the pull secret exists "
        "in the namespace and is valid.",
        (_DESCRIPTION,),
    ),
    _Cause(
        re.compile(r"[(\[]OOMKilled\b"),
        "A container was stopped because it used more memory than its limit (OOMKilled). Raise its memory limit.",
        (_DESCRIPTION,),
    ),
    _Cause(
        re.compile(rf'Failed to bind PersistentVolumeClaim\(s\): "{_NAME}'),
        "The claim {name!r} is not bound to a volume. Check its storage class, size and access mode, and what provides volumes for it.",
        ("kubectl describe pvc -n {namespace} {name}",),
    ),
    _Cause(
        re.compile(r'\[CrashLoopBackOff\]|container "[^"]+" (terminated at|completed with exit code)'),
        "A container starts and exits; its log shows why. Check that the token of the agent pool is valid: with a wrong or revoked token "
        "the agent exits soon after it starts.",
        (_LOGS,),
    ),
    _Cause(
        re.compile(r"\[Pod [^]]+\]: "),
        "The pods have a node, but their containers are not ready. A volume may not be mounted (a Secret or a claim is missing), an image "
        "may still be downloading, or a container cannot start.",
        (_DESCRIPTION, _LOGS),
    ),
)
"""The first one that matches is reported."""
_UNKNOWN = _Cause(
    re.compile(""),
    "The error does not give a reason. Kubernetes may refuse to create the pods (the service account is missing, PodSecurity or another "
    "admission plugin rejects them, a quota is used up), no node may fit them (node selector, tolerations, resource requests), "
    "or a claim of theirs has no volume.",
    (_EVENTS, _DESCRIPTION, _LOGS),
)
_NO_EXTERNAL = re.compile(r'no matches for kind "ExternalSecret"')


def rollout(name: str, request: AgentRequest[Any], group: Group, component: str | None = None) -> Rollout:
    """How a deployment waits for the workloads of a component, and for its ExternalSecrets. `group` is what the component registers.

    `component` is the component label of the workloads' pods, if they have one.
    """
    release = request.agent.release
    external = {f"{name}-{role}": each["metadata"]["name"] for role, each in group.items() if each["kind"] == external_secrets.KIND}

    def explanation_of(failed: pulumi.ErrorHookArgs) -> str | None:
        if failed.name in external:
            return explanation_of_external(failed.errors, release, external[failed.name])
        return explanation(failed.errors, release, component, external.values())

    def explain(failed: pulumi.ErrorHookArgs) -> bool:
        explanation = explanation_of(failed) if failed.failed_operation != "delete" else None
        if explanation:
            pulumi.log.error(explanation)
        return False  # no retry: the user must fix the cause

    return Rollout(
        await_ready=request.await_rollout,
        timeout_seconds=request.rollout_timeout_seconds,
        on_failure=error_hook(f"{name}-rollout", explain),
        mounts=request.mounts,
    )


def until_runs_end(agents: Sequence[AnyAgent]) -> pulumi.CustomTimeouts | None:
    """Timeouts of claims that runs of these agents mount. Kubernetes deletes such a claim only when no run uses it any more.

    A deletion may take as long as the longest run, if runs have a time limit.
    """
    limits = [agent.runs.longest_seconds for agent in agents if agent.runs]
    known = [seconds for seconds in limits if seconds is not None]
    limited = known and len(known) == len(limits)
    return pulumi.CustomTimeouts(delete=f"{max(known) + DELETE_MARGIN_SECONDS}s") if limited else None


def explanation_of_external(errors: Sequence[str], release: Release, name: str) -> str | None:
    """What to do about an ExternalSecret that failed with these errors. `None` if the API server refused it for another reason."""
    error = "\n".join(errors)
    if _NO_EXTERNAL.search(error):
        return (
            f"The cluster does not know ExternalSecrets, from which the Secret {name!r} of {release.name!r} is made. "
            "Install the External Secrets Operator, version 0.16 or newer, or set the secrets with pulumi instead of secretsFrom."
        )
    if not _AWAITED.search(error):
        return None
    return _not_ready(release, name, "the operator does not run")


def _not_ready(release: Release, name: str, otherwise: str) -> str:
    """The provider does not repeat the condition's reason. It logs the operator's events as warnings, if there are any."""
    sentence = (
        f"The ExternalSecret {name!r} of {release.name!r} is not ready, so its Secret is missing or incomplete: the store, the secret in "
        f"it or a property does not exist or cannot be read, or {otherwise}. Its condition Ready and its events show why."
    )
    return f"{sentence}\n  {_EXTERNAL.format(namespace=release.namespace, name=name)}"


def explanation(errors: Sequence[str], release: Release, component: str | None = None, external: Collection[str] = ()) -> str | None:
    """What to do about a workload that failed with these errors. `None` if it failed before it had pods.

    `component` is the component label of its pods, if they have one. `external` has the names of Secrets that an operator creates. Output
    of containers is never repeated.
    """
    error = "\n".join(errors)
    if not _AWAITED.search(error):
        return None
    cause, details = _cause(error)
    if details.get("kind", "").lower() == "secret" and details["name"] in external:
        return _not_ready(release, details["name"], "the operator has not read a change yet")
    who = "The controllers" if component == "agent" else "The pods"
    selector = ",".join(f"{key}={value}" for key, value in release.selector(component).items())
    commands = [command.format(namespace=release.namespace, selector=selector, **details) for command in cause.commands]
    return "\n  ".join([f"{who} of {release.name!r} did not become ready. {cause.meaning.format(**details)}", *commands])


def _cause(error: str) -> tuple[_Cause, dict[str, str]]:
    for cause in _CAUSES:
        if found := cause.pattern.search(error):
            return cause, found.groupdict()
    return _UNKNOWN, {}
