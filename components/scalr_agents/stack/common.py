"""What agents get from `common`, from their class and from the keys that all kinds have, as values of their charts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scalr_agents.charts.shared.settings import Settings, translated
from scalr_agents.model.findings import Finding, Path as KeyPath, error, nearest, warning
from scalr_agents.model.maps import Deferred, Values
from scalr_agents.model.origins import Layer, combine
from scalr_agents.stack.model import PREFIX, AgentClass, AgentEntry, Ca, Common, Nodes, Proxy, place
from scalr_agents.stack.source import SourceError, read_text

_PLACE = (f"{PREFIX}:common",)
_CLASSES = f"{PREFIX}:classes"
_LONGEST_PATH = 1024
_ALWAYS_DIRECT = ["$(KUBERNETES_SERVICE_HOST)", "localhost", "127.0.0.1", ".svc", ".cluster.local"]
"""Never reached through a proxy: the cluster's API, by its address, and names inside the cluster."""


def layers(common: Common, bundle: str, settings: Settings, agent: str) -> tuple[list[Layer], list[Finding]]:
    """The keys of `common` as layers of an agent's values, and errors for those that its chart or contract line has no value for."""
    return _for_agent(_PLACE, _given(common, bundle, settings), agent)


def _for_agent(above: KeyPath, settings: Iterable[tuple[str, Callable[[], Values]]], agent: str) -> tuple[list[Layer], list[Finding]]:
    """Keys that agents share as layers of values, with how each becomes values, and errors for those that have no value."""
    layers, findings = translated(above, settings)
    return layers, [replace(finding, message=f"for agent {agent!r}: {finding.message}") for finding in findings]


def _given(common: Common, bundle: str, settings: Settings) -> Iterator[tuple[str, Callable[[], Values]]]:
    """The keys that are set, and how each becomes values."""
    ca = common.ca
    proxy = common.proxy if common.proxy and _has_address(common.proxy) else None
    otel = common.otel if common.otel and common.otel.endpoint else None
    translations: dict[str, tuple[object, Callable[[], Values]]] = {
        "url": (common.url, lambda: settings.url(common.url)),
        "imageRegistry": (common.image_registry, lambda: settings.registry(common.image_registry)),
        "imagePullSecrets": (common.image_pull_secrets, lambda: settings.pull_secrets(common.image_pull_secrets)),
        "proxy": (proxy, lambda: settings.proxy(proxy.http, proxy.https, _direct(proxy)) if proxy else {}),
        "ca": (ca, lambda: settings.ca_bundle(bundle) if bundle else settings.ca_secret(ca.secret, ca.key) if ca and ca.secret else {}),
        "otel": (otel, lambda: settings.otel(otel.endpoint, metrics=otel.metrics, traces=otel.traces) if otel else {}),
        "labels": (common.labels, lambda: settings.labels(common.labels)),
        "podAnnotations": (common.pod_annotations, lambda: settings.pod_annotations(common.pod_annotations)),
    }
    return ((key, translate) for key, (given, translate) in translations.items() if given)


def without_effect(common: Common, *, only_machines: bool) -> Iterator[Finding]:
    """Warnings on keys that are set, and lack what they are for."""
    of_pods = {
        "network": common.network,
        "observability": common.observability,
        "imagePullSecrets": common.image_pull_secrets,
        "labels": common.labels,
        "podAnnotations": common.pod_annotations,
    }
    for key, given in of_pods.items():
        if given and only_machines:
            yield warning((*_PLACE, key), "has no effect: it is for agents on Kubernetes, and this stack has machines only")
    if common.proxy and not _has_address(common.proxy):
        yield warning((*_PLACE, "proxy"), "has no effect: neither http nor https is set")
    if common.otel and not common.otel.endpoint:
        yield warning((*_PLACE, "otel", "endpoint"), "empty, so otel has no effect; set it, or remove otel")


def bundle(ca: Ca | None, directory: Path) -> tuple[str, list[Finding]]:
    """The content of the certificate file that `ca` names."""
    if ca is None:
        return "", []
    if bool(ca.file) == bool(ca.secret):
        return "", [error((*_PLACE, "ca"), "set exactly one of file and secret")]
    if "-----" in ca.file or len(ca.file) > _LONGEST_PATH:
        message = "not a path; save the certificates in a file, in the directory of the stack files or below it, and give its path"
        return "", [error((*_PLACE, "ca", "file"), message)]
    try:
        return _certificates(ca.file, directory) if ca.file else "", []
    except SourceError as problem:
        return "", [error((*_PLACE, "ca", "file"), str(problem))]


def _certificates(file: str, directory: Path) -> str:
    """The text of a file, which is more than nothing: an empty bundle is none."""
    text = read_text(directory / file)
    if not text.strip():
        raise SourceError(f"{file} is empty; save the certificates in it, or remove ca")
    return text


def _has_address(proxy: Proxy) -> bool:
    return bool(proxy.http or proxy.https)


def _direct(proxy: Proxy) -> str:
    return ",".join(dict.fromkeys([*_ALWAYS_DIRECT, *proxy.except_]))


def class_layers(agent: str, entry: AgentEntry, classes: Mapping[str, AgentClass], settings: Settings) -> tuple[list[Layer], list[Finding]]:
    """An agent's class as layers of its values, and errors for keys that its chart or contract line has no value for."""
    if not entry.class_:
        return [], []
    here, given = (_CLASSES, entry.class_), classes.get(entry.class_)
    if given is None:
        message = f"no class {entry.class_!r}; {nearest(entry.class_, classes)}"
        return [], [error((*place(agent), "class"), message, [here])]
    sized, findings = _for_agent(here, _given_by_class(given, settings), agent)
    return [*sized, *nodes(here, given.nodes, settings)], findings


def _given_by_class(size: AgentClass, settings: Settings) -> Iterator[tuple[str, Callable[[], Values]]]:
    """The keys that are set, and how each becomes values."""
    if size.resources:
        yield "resources", lambda: settings.resources(size.resources)
    if (disk := size.disk) is not None:
        yield "disk", lambda: settings.disk(disk)
    if (deadline := size.deadline_seconds) is not None:
        yield "deadlineSeconds", lambda: settings.deadline(deadline)
    if (replicas := size.buffer) is not None:
        yield "buffer", lambda: settings.buffer(replicas)


def unused_classes(classes: Mapping[str, AgentClass], agents: Mapping[str, AgentEntry]) -> Iterator[Finding]:
    """Warnings for classes that no agent has."""
    used = {agent.class_ for agent in agents.values()}
    for name in (name for name in classes if name not in used):
        message = f"no agent uses this class; set {PREFIX}:agents.<name>.class to its name"
        yield warning((_CLASSES, name), message, [(f"{PREFIX}:agents",)])


def nodes(above: KeyPath, given: Nodes | None, settings: Settings) -> list[Layer]:
    """An agent's nodes, as a layer that overrides its values."""
    if given is None:
        return []
    values: Values = {
        **({"nodeSelector": given.selector} if given.selector else {}),
        **({"tolerations": given.tolerations} if given.tolerations else {}),
    }
    return [Layer((*above, "nodes"), settings.nodes(values), from_setting=True)]


def identity(above: KeyPath, annotations: Mapping[str, str | Deferred], settings: Settings, below: Sequence[Layer]) -> list[Layer]:
    """An agent's cloud identity, as a layer that overrides its values."""
    return [Layer((*above, "identity"), settings.identity(annotations, combine(below)), from_setting=True)] if annotations else []
