"""Cross-checks that every chart needs: URLs, tokens, certificates, images, sizes, containers, environment."""

import binascii
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from scalr_agents.charts.shared.values import CacheLimit, Image, PolicyRule, WorkerImage
from scalr_agents.model import quantities
from scalr_agents.model.characters import is_one_line
from scalr_agents.model.fields import LONGEST_LABEL, Deferred, is_deferred, is_dns_label, is_image, is_set, is_subdomain
from scalr_agents.model.findings import Finding, entry, error, nearest, warning
from scalr_agents.model.lines import Line
from scalr_agents.model.messages import describe, too_long

Findings = Iterator[Finding]

CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\s([^-]+)-----END CERTIFICATE-----")
_PLACEHOLDER = re.compile(
    r"<.*>|\[.*\]|\{.*\}|\$.*|%.*%|x{3,}|\*{3,}|\.{3,}|…|tbd|placeholder"
    r"|((change|replace)[-_ ]?(me|it|this)|to[-_ ]?do|fix[-_ ]?me)([ :].*|[-_]please)?|replace with .*"
    r"|(your|agent|insert|enter|paste|put|replace)([-_ ](your|the|with|real|scalr|agent|pool))*[-_ ]token([-_ ](goes[-_ ])?here)?",
    re.IGNORECASE | re.DOTALL,
)
"""Placeholders for a token in examples and templates: whole phrases, since a token may have any words in it."""
_LONGEST_PLACEHOLDER = 200
_DER_SEQUENCE = b"\x30"
_PUBLIC_ROOTS = (b"ISRG Root X1", b"DigiCert Global Root", b"Amazon Root CA", b"GTS Root R1", b"USERTrust", b"GlobalSign")
NO_REFERENCE = "not the reference of an image, for instance scalr/agent:1.4.0"
NO_REPOSITORY = "empty: set a repository, or remove the key"
_VERSION_TAG = re.compile(r"\d+\.\d+\.\d+")
LONGEST_RELEASE = 53
_MEBIBYTE = 1024 * 1024


def place(release: str, namespace: str) -> Findings:
    """Release and namespace, from which all other names are made."""
    if len(release) > LONGEST_RELEASE or not is_subdomain(release):
        yield error(
            "release",
            f"{release!r} is not a valid release name: use at most {LONGEST_RELEASE} lower case letters, digits, '-' and '.'"
            f"{too_long(release, LONGEST_RELEASE)}",
        )
    if not is_dns_label(namespace):
        message = f"{namespace!r} is not a valid namespace: use at most {LONGEST_LABEL} lower case letters, digits and '-'"
        yield error("namespace", f"{message}{too_long(namespace, LONGEST_LABEL)}")


def url(path: str, value: str | Deferred) -> Findings:
    """An agent's URL: scheme and host are required; plain http and an empty URL are warnings."""
    if is_deferred(value):
        return
    if not is_set(value):
        yield warning(path, "empty: the agent takes the address from its token; set it to https://<account>.scalr.io")
        return
    try:
        parts = urlsplit(str(value))
        host = re.fullmatch(r"[A-Za-z0-9.-]*[A-Za-z0-9]|[0-9a-f:]+", parts.hostname or "")
        valid = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and not re.search(r"\s", str(value))
    except ValueError:
        valid = False
    if not valid:
        yield error(path, "not a URL with scheme and host, for instance https://acme.scalr.io")
        return
    if parts.password:
        yield warning(path, "contains a password in plain text; remove it")
    elif parts.scheme == "http":
        yield warning(path, "http:// sends the agent's token unencrypted; use https://")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        yield warning(path, "has more than scheme and host; give only the address of the account: https://<account>.scalr.io")


def token(path: str, value: str | Deferred, existing_path: str, existing: str | Deferred) -> Findings:
    """The token: exactly one of the token itself and the name of an existing Secret with it."""
    if is_set(value) and is_set(existing):
        yield warning(path, f"has no effect: {existing_path} is set, and the existing Secret takes precedence")
    elif not is_set(value) and not is_set(existing):
        message = f"missing: set the token of the agent pool, or the name of an existing Secret in {existing_path}"
        yield error(path, message, presumes=(existing_path,))
    yield from token_text(path, value)


def token_text(path: str, value: str | Deferred) -> Findings:
    """The content of a token, if it is known."""
    if isinstance(value, str) and value != value.strip():
        yield warning(path, "begins or ends with white space, which becomes part of the token; remove it")
    if isinstance(value, str) and value == "null":
        yield error(path, 'is the word "null", which is not a token; set the token of the agent pool')
    elif isinstance(value, str) and len(value) <= _LONGEST_PLACEHOLDER and _PLACEHOLDER.fullmatch(value.strip()):
        yield error(path, "is a placeholder; set the token of the agent pool")


def ca_bundle(path: str, bundle: str | Deferred) -> Findings:
    if is_deferred(bundle) or not is_set(bundle):
        return
    try:
        blocks = ["".join(block.split()) for block in CERTIFICATE.findall(str(bundle))]
        certificates = [binascii.a2b_base64(block, strict_mode=True) for block in blocks]
        complete = len(certificates) == str(bundle).count("-----BEGIN ") > 0 and all(map(_is_der, certificates))
    except ValueError:
        complete = False
    if not complete:
        yield error(path, "not PEM: expected certificates between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----")
    elif not all(is_one_line(line) for line in re.split(r"\r?\n", str(bundle))):
        yield error(path, "contains control characters between the certificates; remove them")
    elif not any(root in certificate for root in _PUBLIC_ROOTS for certificate in certificates):
        yield warning(
            path,
            "contains no public root certificate, and it replaces the public ones: the agent will not trust public registries or "
            "scalr.io; add the public root certificates, unless a proxy re-signs all connections",
        )


def _is_der(data: bytes) -> bool:
    """Whether data is exactly one complete DER sequence."""
    if not data.startswith(_DER_SEQUENCE) or not data[1:]:
        return False
    size = data[1] & 0x7F if data[1] & 0x80 else 0
    length = int.from_bytes(data[2 : 2 + size], "big") if size else data[1]
    return len(data) == 2 + size + length


def image(path: str, settings: Image | WorkerImage, line: Line) -> Findings:
    yield from image_tag(f"{path}.tag", settings.tag)
    if isinstance(settings, Image) and not settings.repository:
        yield error(f"{path}.repository", NO_REPOSITORY)
    own = settings.repository.rpartition("/")[2] in ("", "agent", "agent-runner")
    if own and _VERSION_TAG.match(settings.tag) and not line.covers(settings.tag):
        yield warning(
            f"{path}.tag",
            f"{settings.tag} does not belong to this contract line ({line.chart} for agents {line.versions}); set the agent version "
            "to select another line, because the tag selects only the image",
        )


def image_tag(path: str, tag: str) -> Findings:
    if tag == "latest":
        yield warning(path, "latest: the image changes without notice; set a version")


def image_reference(path: str, reference: str | Deferred | None) -> Findings:
    """A complete image reference, given instead of repository and tag."""
    if isinstance(reference, str) and not is_image(reference):
        yield error(path, NO_REFERENCE)
    elif isinstance(reference, str):
        name = reference.partition("@")[0].rpartition("/")[2]
        yield from image_tag(path, name.partition(":")[2] or ("" if "@" in reference else "latest"))


def quantity(path: str, value: object) -> Findings:
    """A size: a quantity greater than zero."""
    if value is None or is_deferred(value):
        return
    if not quantities.is_quantity(value):
        yield error(path, _no_quantity(value))
    elif quantities.parse(str(value)) <= 0:
        yield error(path, "not a size greater than zero, for instance 512Mi or 40Gi")


def _no_quantity(given: object) -> str:
    return f"{quantities.refusal(given)}; given {describe(given, repeated=True)}"


def shared_cache(path: str, access_mode: str) -> Findings:
    """A warning if not every pod can mount the cache."""
    if access_mode != "ReadWriteMany":
        yield warning(
            path,
            f"{access_mode}, but the controllers and all task pods mount the cache: "
            "tasks can then run only on the controller's node, or not at all; use ReadWriteMany",
        )


def security_context(path: str, settings: Mapping[str, Any], pod: Mapping[str, Any]) -> Findings:
    """A container's securityContext together with its pod's: combinations that never start."""
    effective = {**pod, **settings}
    if effective.get("runAsUser") == 0 and effective.get("runAsNonRoot") is True:
        yield error(
            f"{path}.runAsUser", "0 (here or for the pod) while runAsNonRoot is true: the container would never start; set another user"
        )


def cache_limits(limits: Mapping[str, CacheLimit], volume_path: str, volume: object) -> Findings:
    """Sizes of the enabled caches: suffixes that the agent accepts, and enough room on the volume for all of them."""
    megabytes = 0
    if not any(limit.enabled for limit in limits.values()):
        return
    for path, limit in limits.items():
        if not limit.enabled:
            continue
        try:
            megabytes += quantities.megabytes(limit.size_limit)
        except ValueError as problem:
            yield error(f"{path}.sizeLimit", str(problem))
    if quantities.is_quantity(volume) and megabytes * _MEBIBYTE > quantities.parse(str(volume)):
        enabled = " and ".join(f"{path}.sizeLimit" for path, limit in limits.items() if limit.enabled)
        yield warning(
            enabled.partition(" and ")[0],
            f"caches may grow to {megabytes} MB ({enabled}), but the size of their volume ({volume_path}) is {volume}: "
            "it fills up before the agent removes anything, and the pod is evicted; lower the limits or enlarge the volume",
        )


def size(path: str, limit: str) -> Findings:
    """A size with a suffix that the agent accepts."""
    try:
        quantities.megabytes(limit)
    except ValueError as problem:
        yield error(path, str(problem))


def names_in(items: Sequence[Mapping[str, Any]]) -> list[str]:
    return [item["name"] for item in items if isinstance(item["name"], str)]


def additions(path: str, items: Sequence[Mapping[str, Any]], taken: Mapping[str, str], what: str) -> Findings:
    """Additional containers or volumes: each needs a valid name that is not in use."""
    seen = dict(taken)
    for index, item in enumerate(items):
        name = item["name"]
        if is_deferred(name):
            continue
        if not is_dns_label(name):
            yield error(f"{path}[{index}].name", f"not a valid name for a {what}: use at most 63 lower case letters, digits and '-'")
        elif name in seen:
            yield error(f"{path}[{index}].name", f"{name!r} is already used by {seen[name]}")
        else:
            seen[name] = f"{path}[{index}]"


def mounts(path: str, items: Sequence[Mapping[str, Any]], volumes: Sequence[str], taken: Mapping[str, str], *, added: str) -> Findings:
    """Additional volume mounts: the volume must exist, and the path must be free. `added` is the value that adds volumes."""
    seen, known = {posixpath.normpath(directory): owner for directory, owner in taken.items()}, {*volumes}
    for index, mount in enumerate(items):
        volume, directory = mount["name"], mount["mountPath"]
        if isinstance(volume, str) and volume not in known:
            yield error(f"{path}[{index}].name", f"no volume {volume!r}; {nearest(volume, volumes)}", presumes=(added,))
        if is_deferred(directory):
            continue
        if not directory.startswith("/"):
            yield error(f"{path}[{index}].mountPath", "not an absolute path")
        elif (normal := posixpath.normpath(directory)) in seen:
            yield error(f"{path}[{index}].mountPath", f"{directory} is already used by {seen[normal]}")
        else:
            seen[normal] = f"{path}[{index}]"


def environment(path: str, given: Mapping[str, object], own: Mapping[str, str | None]) -> Findings:
    """Additional variables. They override ours, which is a warning, because there is a better place to set them."""
    for name, value in given.items():
        place = own.get(name)
        allowed = _ALLOWED.get(name)
        if allowed and isinstance(value, str) and value not in allowed:
            yield error(entry(path, name), f"allowed: {', '.join(allowed)}")
        elif name == "SCALR_AGENT_TOKEN" and isinstance(value, str):
            yield warning(entry(path, name), f"puts the token into the pod in plain text; use {place}, which becomes a Secret")
        elif place is not None:
            yield warning(entry(path, name), f"overrides the variable of {place}; set that value instead")
        elif name in own:
            yield warning(entry(path, name), "overrides a variable that is part of the contract between controller and agent; remove it")


def switch(path: str, value: str) -> Findings:
    if value not in _SWITCH:
        yield error(path, f"allowed: {', '.join(_SWITCH)}")


_SWITCH = ("true", "false", "1", "0")
_ALLOWED = {
    "SCALR_AGENT_DEBUG": _SWITCH,
    "SCALR_AGENT_LOG_FORMAT": ("plain", "dev", "json"),
    "SCALR_AGENT_PROVIDER_CACHE_ENABLED": _SWITCH,
    "SCALR_AGENT_MODULE_CACHE_ENABLED": _SWITCH,
}


def policy_rules(path: str, rules: Sequence[PolicyRule], *, in_cluster: bool) -> Findings:
    """Rules of a Role, or of a ClusterRole, which alone may have rules for URL paths."""
    for index, rule in enumerate(rules):
        here = f"{path}[{index}]"
        if rule.non_resource_urls and not in_cluster:
            yield error(f"{here}.nonResourceURLs", "not allowed in a Role, which is for resources of a namespace; use rbac.clusterRules")
        elif rule.non_resource_urls and (rule.api_groups or rule.resources or rule.resource_names):
            yield error(f"{here}.nonResourceURLs", "not allowed together with resources; make it a rule of its own")
        elif not rule.non_resource_urls:
            for word, given in (("apiGroups", rule.api_groups), ("resources", rule.resources)):
                if not given:
                    hint = ' (the core group is "")' if word == "apiGroups" else ""
                    yield error(f"{here}.{word}", f"missing; a rule requires at least one{hint}")


def brought_account(*, create: bool, annotations: Mapping[str, object], labels: Mapping[str, object]) -> Findings:
    """Settings that have no effect on a service account that is not created here."""
    for word, given in (("annotations", annotations), ("labels", labels)):
        if given and not create:
            yield warning(f"serviceAccount.{word}", "has no effect: serviceAccount.create is false, so the account is managed elsewhere")
