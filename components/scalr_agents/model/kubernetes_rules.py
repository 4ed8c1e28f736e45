"""Rules on the content of Kubernetes types beyond their schemas: what the API server refuses, or what no pod can start with.

The pods of runs stand in a custom resource, in which the API server reads no pod: without these rules a mistake there shows when a run
starts, hours after the deployment. What depends on the version or the features of a cluster, and what hardly anybody writes, is left out.

`RULES` has the rules of each type. A rule gets a value whose shape is valid, and yields problems with their places below it. It says
nothing about deferred values.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scalr_agents.model import pod_rules, quantities
from scalr_agents.model.findings import Path
from scalr_agents.model.forms import OUTSIDE_OF_NODE, integral, is_label_key, is_secret_key, is_subdomain
from scalr_agents.model.maps import is_deferred, is_set
from scalr_agents.model.pod_rules import LAST_ID, NO_PORT_NAME, NO_SIZE, PORT_NAME, Fields, Problems, known

Rule = Callable[[Any], Problems]

_LAST_PORT, _HEAVIEST, _LARGEST_MODE = 65535, 100, 0o777
_SHORTEST_TOKEN_SECONDS = 600
_IN_VOLUME = "not a path inside the volume: it must not start with '/' or contain '..'"
_OF_PROFILE = "not a path inside the kubelet's directory of profiles: it must not start with '/' or contain '..'"
_HANDLERS = ("exec", "httpGet", "tcpSocket")
_SOURCES = ("secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef", "fileKeyRef")


def check(kind: str, given: Any, at: Path) -> Problems:
    """The problems of a value of a Kubernetes type, or of a list of them (`[]Toleration`)."""
    for rule in RULES.get(kind, ()):
        yield from (((*at, *place), message) for place, message in rule(given))


def _within(field: str, least: int, most: int | None = None) -> Rule:
    """A whole number."""

    def rule(given: Fields) -> Problems:
        value = integral(known(given, field))
        if isinstance(value, int) and not (least <= value and (most is None or value <= most)):
            yield (field,), f"given {value}; allowed: {least} {'or more' if most is None else f'to {most}'}"

    return rule


def _mode(field: str) -> Rule:
    """The permissions of a file."""

    def rule(given: Fields) -> Problems:
        mode = integral(known(given, field))
        if not isinstance(mode, int) or 0 <= mode <= _LARGEST_MODE:
            return
        digits = str(mode)
        octal = f"; octal 0{digits} is {int(digits, 8)}" if set(digits) <= set("01234567") and int(digits, 8) <= _LARGEST_MODE else ""
        yield (field,), f"given {mode}; allowed: 0 to {_LARGEST_MODE} (octal 0777){octal}"

    return rule


def _one_of(*fields: str, needed: bool = True) -> Rule:
    """Exactly one of some fields, or at most one. Without fields: of all but the name."""

    def rule(given: Fields) -> Problems:
        found = [field for field in fields or (each for each in given if each != "name") if given.get(field) is not None]
        if needed and not found:
            yield (), f"missing; set one of {', '.join(fields)}"
        if found[1:]:
            yield (found[1],), f"not allowed together with {found[0]}; remove one of them"

    return rule


def _object(field: str, kind: str) -> Rule:
    """The name of an object, which is needed. One that cannot be there is no mistake where the object is optional."""

    def rule(given: Fields) -> Problems:
        name = given.get(field)
        if not is_set(name):
            yield (field,), f"missing; set the name of a {kind}"
        elif isinstance(name, str) and not is_subdomain(name) and given.get("optional") is not True:
            yield (field,), f"not a valid name of a {kind}: use lower case letters, digits, '-' and '.'"

    return rule


def _refused(field: str, message: str, test: Callable[[Any], bool] = lambda value: value == "") -> Rule:
    """A value that fails a test: the empty string, if there is no other."""

    def rule(given: Fields) -> Problems:
        value = known(given, field)
        if value is not None and test(value):
            yield (field,), message

    return rule


def _needed(field: str, message: str) -> Rule:
    def rule(given: Fields) -> Problems:
        if not is_set(given.get(field)):
            yield (field,), f"missing; {message}"

    return rule


def _relative(field: str, message: str = _IN_VOLUME) -> Rule:
    return _refused(field, message, lambda path: path.startswith("/") or ".." in path.split("/"))


def _distinct(what: str, *fields: str) -> Rule:
    """Items of a list of which each may be there once."""

    def rule(given: Sequence[Fields]) -> Problems:
        seen: dict[tuple[Any, ...], int] = {}
        for index, each in enumerate(given):
            names = () if is_deferred(each) else tuple(known(each, field) for field in fields)
            if names and all(names) and (first := seen.setdefault(names, index)) != index:
                yield (index, fields[0]), what.format(*names, first=first)

    return rule


_CONNECTION = (pod_rules.connection, _within("port", 1, _LAST_PORT))
_FILE = (_refused("path", "empty; set the path of a file in the volume"), _relative("path"))
_WEIGHT = _within("weight", 1, _HEAVIEST)

RULES: Mapping[str, Sequence[Rule]] = {
    # Where pods run
    "Toleration": (pod_rules.toleration,),
    "NodeSelector": (_refused("nodeSelectorTerms", "empty; add a term, or remove the node affinity", lambda terms: terms == []),),
    "NodeSelectorTerm": (pod_rules.expressions,),
    "LabelSelector": (pod_rules.labels, pod_rules.expressions),
    "PreferredSchedulingTerm": (_WEIGHT,),
    "WeightedPodAffinityTerm": (_WEIGHT,),
    "PodAffinityTerm": (
        _refused(
            "topologyKey",
            "not the key of a node's label, for instance kubernetes.io/hostname or topology.kubernetes.io/zone",
            lambda key: not is_label_key(key),
        ),
    ),
    "TopologySpreadConstraint": (
        _within("maxSkew", 1),
        _within("minDomains", 1),
        _refused("topologyKey", "empty; set the key of a node's label, for instance topology.kubernetes.io/zone"),
        pod_rules.domains,
    ),
    "[]TopologySpreadConstraint": (
        _distinct("{0} with {1} is already used by item {first}; Kubernetes allows it once", "topologyKey", "whenUnsatisfiable"),
    ),
    # Environment
    "EnvVar": (pod_rules.variable,),
    "EnvVarSource": (_one_of(*_SOURCES), pod_rules.field_of_pod),
    "EnvFromSource": (_one_of("secretRef", "configMapRef"),),
    **{
        f"{kind}KeySelector": (
            _object("name", kind),
            _refused("key", f"not a valid key of a {kind}: use letters, digits, '-', '_' and '.'", lambda key: not is_secret_key(key)),
        )
        for kind in ("Secret", "ConfigMap")
    },
    "SecretEnvSource": (_object("name", "Secret"),),
    "ConfigMapEnvSource": (_object("name", "ConfigMap"),),
    # Containers
    "Container": (pod_rules.probes,),
    "ContainerPort": (
        _within("containerPort", 1, _LAST_PORT),
        _within("hostPort", 0, _LAST_PORT),
        _refused("name", NO_PORT_NAME, lambda name: bool(name) and not PORT_NAME.fullmatch(name)),
    ),
    "[]ContainerPort": (_distinct("port {0!r} is already given as item {first}; remove one of them", "name"),),
    "[]LocalObjectReference": (_distinct("Secret {0!r} is already given as item {first}; remove one of them", "name"),),
    "ExecAction": (_needed("command", "set the command and its arguments, as a list"),),
    "GRPCAction": _CONNECTION,
    "HTTPGetAction": _CONNECTION,
    "TCPSocketAction": _CONNECTION,
    "LifecycleHandler": (_one_of(*_HANDLERS, "sleep"),),
    "Probe": (
        _one_of(*_HANDLERS, "grpc"),
        *(
            _within(field, 0)
            for field in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
        ),
        _within("terminationGracePeriodSeconds", 1),
    ),
    "ResourceRequirements": (pod_rules.resources,),
    # Security
    "PodSecurityContext": (*(_within(field, 0, LAST_ID) for field in ("runAsUser", "runAsGroup", "fsGroup")), pod_rules.groups),
    "SecurityContext": (_within("runAsUser", 0, LAST_ID), _within("runAsGroup", 0, LAST_ID), pod_rules.escalation),
    "SeccompProfile": (pod_rules.profile, _relative("localhostProfile", _OF_PROFILE)),
    "AppArmorProfile": (pod_rules.profile,),
    # Volumes. One without a source is an emptyDir.
    "Volume": (_one_of(needed=False),),
    "VolumeMount": (
        _refused(
            "mountPath",
            "hides all files of the image, so that nothing can start; mount the volume on another directory",
            lambda path: path == "/",
        ),
        pod_rules.sub_paths,
        _relative("subPath"),
        _relative("subPathExpr"),
    ),
    "ConfigMapVolumeSource": (_object("name", "ConfigMap"), _mode("defaultMode")),
    "SecretVolumeSource": (_object("secretName", "Secret"), _mode("defaultMode")),
    "PersistentVolumeClaimVolumeSource": (_object("claimName", "PersistentVolumeClaim"),),
    "ConfigMapProjection": (_object("name", "ConfigMap"),),
    "SecretProjection": (_object("name", "Secret"),),
    "ServiceAccountTokenProjection": (*_FILE, _within("expirationSeconds", _SHORTEST_TOKEN_SECONDS)),
    "VolumeProjection": (_one_of(needed=False),),
    "DownwardAPIVolumeFile": (*_FILE, _one_of("fieldRef", "resourceFieldRef")),
    "EphemeralVolumeSource": (pod_rules.claim_template,),
    "PersistentVolumeClaimSpec": (_needed("accessModes", "set for instance [ReadWriteOnce]"), pod_rules.claimed_size),
    "KeyToPath": (_refused("key", "empty; set the key of the content"), *_FILE, _mode("mode")),
    "ProjectedVolumeSource": (_mode("defaultMode"),),
    "DownwardAPIVolumeSource": (_mode("defaultMode"),),
    "EmptyDirVolumeSource": (
        _refused(
            "medium",
            "not a supported medium; allowed: Memory, HugePages, HugePages-<size>",
            lambda medium: medium not in ("", "Memory", "HugePages") and not medium.startswith("HugePages-"),
        ),
        _refused("sizeLimit", NO_SIZE, lambda size: quantities.parse(size) < 0),
    ),
    "HostPathVolumeSource": (
        _refused("path", "empty; set a directory or file of the node"),
        _refused("path", OUTSIDE_OF_NODE, lambda path: ".." in path.split("/")),
    ),
    "NFSVolumeSource": (
        _refused("server", "empty; set the address of the server"),
        _refused("path", "not an absolute path; use / for everything that the server exports", lambda path: not path.startswith("/")),
    ),
}
