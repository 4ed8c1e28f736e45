"""What is true of the objects of every agent."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from scalr_agents import charts
from scalr_agents.charts.shared import external_secrets, volumes
from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.pods import WORKLOADS, claim_of, containers, template_of
from scalr_agents.model.findings import Finding
from scalr_agents.model.forms import is_subdomain
from scalr_agents.model.manifests import KINDS, Manifest, key_of
from scalr_agents.model.maps import Values, has, is_deferred, lookup, merge

CLUSTER_SCOPED = {kind.name for kind in KINDS if not kind.in_namespace}
_RUNS = "task"
_SHORTENED = 20
"""Characters that are left of a full name in the names of CronJobs, at least."""
_SELECTORS = ("selector", "podSelector", "endpointSelector")


def violations(agent: AnyAgent, given: Any, *, scoped: bool) -> Iterator[str]:
    """What is not true. `given` is all that its user has written, which has the names of objects that exist already."""
    yield from _names(agent, scoped=scoped)
    templates = {key_of(manifest).place: template for manifest in agent.objects if (template := _template(manifest))}
    yield from _selectors(agent, [template["metadata"]["labels"] for template in templates.values()])
    existing = set(_texts(given))
    made = {key for manifest in agent.objects for key in _made(manifest)}
    for place, template in templates.items():
        missing = ((kind, name) for kind, name in _references(template["spec"]) if name not in existing and (kind, name) not in made)
        yield from (f"{place}: no {kind} {name}" for kind, name in missing)
        yield from (f"{place}: {what} twice" for what in _repeated(template["spec"]))


def is_placed(finding: Finding, chart: str, args: Values) -> bool:
    """Whether a finding on the arguments of a component is where something is: only its last key may be missing."""
    here: Any = merge({"values": _defaults(chart)}, args)
    for key in finding.at[:-1]:
        if isinstance(here, list) and not (isinstance(key, int) and key < len(here)):
            return False
        if not isinstance(here, list) and not has(here, (key,)):
            return False
        here = here[key]
    return True


@cache
def _defaults(chart: str) -> Values:
    made: Values = charts.find(chart).model.model_validate({}).model_dump(by_alias=True)
    return made


def _template(manifest: Manifest) -> Manifest:
    return volumes.first_pod(manifest) if manifest["kind"] in WORKLOADS else template_of(manifest)


def _names(agent: AnyAgent, *, scoped: bool) -> Iterator[str]:
    """Every object has a name of its own, which contains the full name, and the namespace if it is in one."""
    release, keys = agent.release, [key_of(manifest) for manifest in agent.objects]
    for key in keys:
        in_cluster = key.kind in CLUSTER_SCOPED
        first = f"{release.namespace}.{release.full_name}" if in_cluster else release.full_name
        if not is_subdomain(key.name):
            yield f"{key.place}: not a valid name"
        if key.namespace != ("" if in_cluster else release.namespace):
            yield f"{key.place}: in another namespace"
        shortened = key.kind == "CronJob" and key.name.startswith(first[:_SHORTENED])
        own = shortened or f"{key.name}-".startswith((f"{first}-", f"{agent.names.service_account}-"))
        if scoped and not own:
            yield f"{key.place}: not named after {first}"
    yield from (f"{key.place}: made twice" for key in {key for key in keys if keys.count(key) > 1})


def _selectors(agent: AnyAgent, labels: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What selects pods selects some of the agent's. It starts those of runs itself."""
    pods = [*labels, agent.release.selector(_RUNS)] if agent.runs else labels
    for manifest in agent.objects:
        for wanted in filter(None, (lookup(manifest, "spec", key, "matchLabels") for key in _SELECTORS)):
            if not any(wanted.items() <= of_pod.items() for of_pod in pods):
                yield f"{key_of(manifest).place}: selects no pods of the agent"


def _made(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """An object and what is made of it, by kind and name."""
    yield manifest["kind"], manifest["metadata"]["name"]
    if manifest["kind"] == external_secrets.KIND:
        yield "Secret", manifest["spec"]["target"]["name"]
    if manifest["kind"] == "StatefulSet":
        yield from ((claim["kind"], claim["metadata"]["name"]) for claim in volumes.claims_of_first_pod(manifest).values())


def _references(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a pod needs, by kind and name. The account `default` and what is known only later exist."""
    found: list[tuple[str, Any]] = [("ServiceAccount", spec.get("serviceAccountName", "default"))]
    for each in containers(spec):
        found += (("volume", mount["name"]) for mount in each.get("volumeMounts", ()))
        found += (("Secret", lookup(variable, "valueFrom", "secretKeyRef", "name")) for variable in each.get("env", ()))
    for volume in spec.get("volumes", ()):
        found += [("PersistentVolumeClaim", claim_of(volume)), ("Secret", lookup(volume, "secret", "secretName"))]
    own = {("volume", volume["name"]) for volume in spec.get("volumes", ())} | {("ServiceAccount", "default")}
    return ((kind, name) for kind, name in found if isinstance(name, str) and (kind, name) not in own)


def _repeated(spec: Mapping[str, Any]) -> Iterator[str]:
    """What a pod has twice: volumes, and variables and mounts of a container."""
    names = [("volume", volume["name"]) for volume in spec.get("volumes", ())]
    for each in containers(spec):
        names += ((f"variable of {each['name']}", variable["name"]) for variable in each.get("env", ()))
        names += ((f"mount of {each['name']}", mount["mountPath"]) for mount in each.get("volumeMounts", ()))
    return (f"{what} {name}" for what, name in names if not is_deferred(name) and names.count((what, name)) > 1)


def _texts(given: Any) -> Iterator[str]:
    """All texts in what is given."""
    if isinstance(given, str):
        yield given
    inner = given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ()
    for item in inner:
        yield from _texts(item)
