"""Cross-checks of provider network mirrors and of their tokens."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from scalr_agents.charts.shared.agent import AnyAgent
from scalr_agents.charts.shared.contract import MIRRORS_VARIABLE
from scalr_agents.charts.shared.environment import host_of
from scalr_agents.charts.shared.external_secrets import is_external
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import NetworkMirror
from scalr_agents.model import secret_patterns
from scalr_agents.model.findings import Findings, entry, error, nearest, warning
from scalr_agents.model.maps import Deferred, Placeholder, is_deferred, is_set

TOKENS = "mirror_tokens"
"""Name of the input with the tokens of mirrors."""
_BESIDE_A_STORE = (
    "cannot be in one Secret with variables from a store; put the whole list of mirrors into the store, as JSON, "
    f"and read it into the variable {MIRRORS_VARIABLE}"
)


def none_in(who: str, inputs: Inputs) -> Findings:
    """Errors on tokens for an agent that does not support mirrors."""
    for host in inputs.mirror_tokens:
        yield error(entry(TOKENS, host), f"{who} does not support provider mirrors; agent-job and agent-local of agents 1.3 or newer do")


def check(agent: AnyAgent, path: str, mirrors: Sequence[NetworkMirror]) -> Findings:
    """Mirrors, and the tokens that are given separately."""
    inputs = agent.inputs
    if not agent.supports(path):
        yield from none_in(f"{agent.kind} of agents {agent.versions.unsupported_range(agent.release.version, path)}", inputs)
        return
    tokens = inputs.mirror_tokens
    hosts = [host_of(mirror.url) for mirror in mirrors]
    for index, (mirror, host) in enumerate(zip(mirrors, hosts, strict=True)):
        here = f"{path}[{index}]"
        yield from _address(f"{here}.url", mirror.url)
        if is_deferred(mirror.token) and not isinstance(mirror.token, Placeholder):
            yield error(
                f"{here}.token", f"must be known before deployment, because the list of mirrors is one string; set it in {TOKENS}, by host"
            )
        elif is_set(mirror.token) and host in tokens:
            yield error(f"{here}.token", f"given together with {TOKENS} for {host}; keep one of them")
    for given, token in tokens.items():
        if given not in hosts:
            yield error(entry(TOKENS, given), f"no mirror has this host; {_meant(given, hosts)}", presumes=(path,))
        elif not is_set(token):
            yield error(entry(TOKENS, given), "empty: set the token of the mirror, or remove the entry")
    if tokens and MIRRORS_VARIABLE in inputs.secret_env:
        yield error(entry("secret_env", MIRRORS_VARIABLE), "would replace the list of mirrors and its tokens; keep one of them")
    if is_external(inputs.secret_env):
        own = [f"{path}[{index}].token" for index, mirror in enumerate(mirrors) if is_set(mirror.token)]
        yield from (error(here, _BESIDE_A_STORE) for here in [*own, *(entry(TOKENS, given) for given in tokens)])


def _meant(given: str, hosts: Sequence[str]) -> str:
    """Which host was probably meant: first of all, the same host on another port."""
    names = [host for host in dict.fromkeys(hosts) if host]
    return nearest(given, [host for host in names if host.partition(":")[0] == given.partition(":")[0]] or names)


def _address(path: str, url: str | Deferred) -> Findings:
    """An https address that ends with a slash, as the network mirror protocol requires."""
    if not isinstance(url, str):
        yield error(path, "must be known before deployment, because the list of mirrors is one string")
        return
    if not _is_address(url):
        yield error(path, "not a URL with scheme and host, for instance https://mirror.acme.internal/providers/")
        return
    if url.startswith("http://"):
        yield error(path, "uses http://, but OpenTofu and Terraform download providers only over https://; use https://")
    if secret_patterns.holds_password(url):
        yield warning(path, "contains a password in plain text; use a token for the mirror instead, which becomes a Secret")
    if not url.endswith("/"):
        yield warning(path, "does not end with a slash, which the network mirror protocol requires; add one")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        name = re.fullmatch(r"[A-Za-z0-9.-]+|[0-9a-f:]+", parts.hostname or "")
        return parts.scheme in ("http", "https") and bool(name) and parts.port != 0
    except ValueError:
        return False
