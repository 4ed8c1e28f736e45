"""The parts of an address: host, port and password."""

import re
from urllib.parse import urlsplit

from scalr_agents.model.forms import is_host

REFERENCES = r"(?:\$\([^()]+\))+"
"""Only references to other variables."""
_LOGIN = re.compile(r"(https?:)?//([^/@\s]*)@", re.IGNORECASE)
"""The user information of a URL."""


def is_address(url: str) -> bool:
    """Whether the host and the port of a URL, which may lack its scheme, are valid. References to variables are."""
    known = re.sub(REFERENCES, "1", url)
    try:
        parts = urlsplit(known if "://" in known else f"http://{known}")
        return is_host((parts.hostname or "").removesuffix(".")) and parts.port != 0 and not re.search(r"\s", known)
    except ValueError:
        return False


def has_port(url: str) -> bool:
    """Whether a URL, which may lack its scheme, has a port or may have one in a reference."""
    place = url.rpartition("//")[2].rpartition("@")[2].partition("/")[0]
    return bool(re.search(rf":[^]]+$|{REFERENCES}$", place))


def holds_password(url: object) -> bool:
    """Whether a string has a URL with a plain password, or a plain token as user name; references to variables do not count."""
    for web, login in _LOGIN.findall(url) if isinstance(url, str) else ():
        name, _, password = login.partition(":")
        secret = password or (name if web else "")
        if secret and not re.fullmatch(REFERENCES, secret):
            return True
    return False
