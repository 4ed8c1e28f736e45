"""Checks of machines as a whole: their names, their variables, the size of their user data."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from scalr_agents.machines import Machine, documents, environment, versions
from scalr_agents.model.declarations import Form
from scalr_agents.model.findings import Findings, entry, error
from scalr_agents.model.forms import is_deferred, is_set

NAME = Form(
    expected="the name of a machine: at most 32 lower case letters, digits and '-', starting with a letter",
    test=r"[a-z]([-a-z0-9]*[a-z0-9])?",
    longest=32,
)
"""Google allows 30 characters for service accounts and 63 for other names. Pulumi uses some of them to make a name unique."""


def duplicates(machine: Machine, secret_names: Iterable[str]) -> Findings:
    """Findings on variables that are set twice."""
    derived, own = environment.derived(machine), machine.agent.env
    for name_ in sorted(own.keys() & derived.keys()):
        yield error(entry("env", name_), "is set by other settings of the machine; use those settings")
    for name_ in sorted(set(secret_names) & (derived.keys() | own.keys() | set(versions.TOKEN_NAMES))):
        yield error(entry("secret_env", name_), "is also set by env or another setting; keep one of them")


def port(url: str, default: int) -> int:
    """The port of a valid URL."""
    try:
        return urlsplit(url).port or default
    except ValueError:
        return default


def user_data(machine: Machine, text: str) -> Findings:
    """Findings on the size of user data. EC2 limits it, also after compression."""
    if machine.platform == "aws" and len(documents.packed(text)) > documents.LONGEST_USER_DATA:
        size = len(machine.shared.ca_bundle)
        yield error(
            "",
            f"its user data exceeds EC2's limit of 16 KiB, even compressed; the certificates of ca have {size} bytes: remove some",
        )


def same_place(first: Iterable[object], second: Iterable[object]) -> list[str]:
    """Values that both lists contain. Outputs are not compared."""
    known = ({str(value) for value in values if is_set(value) and not is_deferred(value)} for values in (first, second))
    return sorted(set.intersection(*known))
