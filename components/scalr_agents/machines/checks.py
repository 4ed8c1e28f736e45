"""Checks of machines as a whole: their names, their variables, and what fits into their user data and secrets."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from scalr_agents.machines import Machine, documents, environment, versions
from scalr_agents.machines.settings import has_cloud
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import Form
from scalr_agents.model.maps import is_deferred, is_set

NAME = Form(
    expected="the name of a machine: at most 32 lower case letters, digits and '-', starting with a letter",
    test=r"[a-z]([-a-z0-9]*[a-z0-9])?",
    longest=32,
)
"""Google allows 30 characters for service accounts and 63 for other names. Pulumi uses some of them to make a name unique."""
LONGEST_SECRET = 64 * 1024
"""The limit of both clouds for the content of a secret, in bytes."""
_LONGEST_CERTIFICATES = LONGEST_SECRET - 4 * 1024
"""Leaves room for the token and for secret variables."""


def duplicates(machine: Machine, secret_names: Iterable[str]) -> Findings:
    """Findings on variables that are set twice."""
    derived, own = environment.derived(machine), machine.agent.env
    for name_ in sorted(own.keys() & derived.keys()):
        yield error(entry("env", name_), "is set by other settings of the machine; use those settings")
    for name_ in sorted(set(secret_names) & (derived.keys() | own.keys() | {*versions.TOKEN_NAMES, environment.CERTIFICATES})):
        yield error(entry("secret_env", name_), "is also set by env or another setting; keep one of them")


def port(url: str, default: int) -> int:
    """The port of a valid URL."""
    try:
        return urlsplit(url).port or default
    except ValueError:
        return default


def sizes(machine: Machine) -> Findings:
    """Findings on the size of a fitted machine's user data and certificates."""
    if machine.platform == "aws" and (size := documents.user_data_size(machine)) > documents.LONGEST_USER_DATA:
        limit = f"its user data may have {size} bytes, but EC2 allows {documents.LONGEST_USER_DATA}"
        yield error("", f"{limit}; move long variables from env to the machine's secrets, or shorten the proxy's exceptions")
    if (size := len(environment.certificates(machine))) > _LONGEST_CERTIFICATES:
        stored = f"the certificates of ca do not fit into EC2's user data, and have {size} bytes in the machine's secret"
        yield error("", f"{stored}, which has room for {_LONGEST_CERTIFICATES}; remove some, or put them into the agent's image")
    elif size and machine.agent.ca_scope == "global" and not _reaches_cloud(machine):
        message = (
            "the certificates of ca do not fit into EC2's user data, so the machine reads them from its secret, before it trusts them; let "
            "the proxy pass connections to secretsmanager.<region>.amazonaws.com through without inspecting them"
        )
        yield warning("", message)


def _reaches_cloud(machine: Machine) -> bool:
    """Whether the machine reaches its secret without the proxy."""
    return not machine.shared.https_proxy or has_cloud(machine.platform, machine.shared.no_proxy)


def same_place(first: Iterable[object], second: Iterable[object]) -> list[str]:
    """Values that both lists contain. Outputs are not compared."""
    known = ({str(value) for value in values if is_set(value) and not is_deferred(value)} for values in (first, second))
    return sorted(set.intersection(*known))
