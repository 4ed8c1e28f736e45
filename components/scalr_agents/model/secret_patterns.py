"""Signs of a secret in the name of a variable or in a text.

In case of doubt, a variable counts as secret: a false alarm costs a command, a miss is a leak.
"""

import re
from typing import Any

from scalr_agents.model.maps import is_set

REFERENCES = r"(?:\$\([^()]+\))+"
"""Only references to other variables."""
_USER_INFORMATION = re.compile(r"(https?:)?//([^/@\s]*)@", re.IGNORECASE)
"""The user information of a URL."""
_WORD_BEGINS = r"(?<=[a-z0-9])(?=[A-Z])"
_NAMED_SO = (
    r"(?i)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?<!BY)(?<!COM)PASS|PWD|(?<!APPLICATION_)CREDENTIAL|CRED|KEY|AUTHORIZATION|COOKIE)S?(?![A-Z])"
    r"|(?<![A-Z])(PAT|SAS|JWT|DSN|AUTH)(?![A-Z])|CONN(ECTION)?_?STR(ING)?(?![A-Z])|HEADERS$"
)
_BESIDE = (
    r"(?i)(?<![A-Z])((?<!SECRET_)ID|FILE(NAME)?|PATH|DIR(ECTORY)?|UR[IL]|ENDPOINT|HOST|PORT|NAME|ARN|REGION|TYPE|METHOD|MODE|TTL|LIFETIME|EXPIRY"
    r"|TIMEOUT|SECONDS|INTERVAL|LENGTH|SIZE|LIMIT|COUNT|PREFIX|SUFFIX|ALIAS|AUDIENCE|FINGERPRINT|ENABLED|DISABLED|SOCK(ET)?)$"
)
"""Suffixes of names that describe a secret without containing it: its location, its lifetime, for whom it is."""
_NAMED_ADDRESS = r"(?i)(?<![A-Z])WEBHOOK(_UR[IL])?S?$|(?<![A-Z])SAS_UR[IL]$"
"""Names of addresses that are secrets themselves: whoever knows one has access."""
_PUBLIC = r"(?i)PUBLIC_?KEYS?"
_PRIVATE_KEY = r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
_ISSUED = (
    r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|xapp-|hvs\.|npm_|pypi-|dckr_pat_|ATATT|SG\.[\w-]{22}\.|"
    r"\w{14}\.atlasv1\.|eyJ[\w-]{8,512}\.)\w"
)
"""Tokens with a recognizable prefix."""
_SIGNED = r"(?i)[?&](?:X-(?:Amz|Goog)-)?Sig(?:nature)?=(?!\$\()[^&\s]"
_WEBHOOK = r"(?i)//(?:hooks\.slack(?:-gov)?\.com/|discord(?:app)?\.com/api/webhooks/|[\w-]+\.webhook\.office\.com/)\w"
_LOGIN = r"\blogin\s+\S+\s+password\s+(?!\$\()\S"
"""An entry of a netrc file."""
_ANNOUNCEMENT = (
    r"""(?:\bAuthorization["']?\s*[:=](?!["'\s]*Bearer)|\bBearer(?:\s|%20)"""
    r"""|(?:token|secret|passw(?:or)?d|pwd|(?:api|access|account|private)[-_]?key)["']?\s*[:=])\s*"""
)
"""The text before a secret: a header or an assignment."""
_ANNOUNCED = rf"""(?i){_ANNOUNCEMENT}(?!["']?{REFERENCES}(?:\W|$))["']?[^\s"',;]"""
_REFERRED = rf"""(?i)//([^/\s]*)@|{_ANNOUNCEMENT}["']?({REFERENCES})"""
REFERENCE = r"\$\(([^()]+)\)"
"""A reference to another variable, with its name."""


def named_like_a_secret(name: str) -> bool:
    words = re.sub(_WORD_BEGINS, "_", name)
    if re.search(_NAMED_ADDRESS, words):
        return True
    return bool(re.search(_NAMED_SO, re.sub(_PUBLIC, "", words))) and not re.search(_BESIDE, words)


def is_scalar(value: Any) -> bool:
    """Whether a value can be that of a variable."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def is_plain(value: Any) -> bool:
    """Whether the value of a variable is literal text, not just a reference to other variables."""
    return is_set(value) and is_scalar(value) and not re.fullmatch(REFERENCES, str(value))


def is_secret(name: str, value: Any) -> bool:
    """Whether a variable contains a secret."""
    if not is_plain(value) or str(value).lower() in ("true", "false"):
        return False
    return named_like_a_secret(name) or looks_secret(str(value))


def looks_secret(text: str) -> bool:
    """Whether a text contains a secret, or announces one."""
    return bool(in_text(text)) or announces_secret(text)


def announces_secret(text: str) -> bool:
    """Whether a text announces a secret that follows."""
    return bool(re.search(_ANNOUNCED, text))


def in_text(text: str) -> str:
    """A description of the secret that a text contains, or the empty string."""
    if re.search(_PRIVATE_KEY, text):
        return "a private key"
    if holds_password(text):
        return "a URL with a password"
    if re.search(_SIGNED, text) or re.search(_WEBHOOK, text):
        return "a URL that grants access to whoever knows it"
    if re.search(_LOGIN, text):
        return "a password"
    return "a token" if re.search(_ISSUED, text) else ""


def references(text: Any) -> set[str]:
    """The variables that a text refers to."""
    return set(re.findall(REFERENCE, text)) if isinstance(text, str) else set()


def secret_references(text: str) -> set[str]:
    """The variables that a text refers to in places where secrets stand."""
    return {name for found in re.findall(_REFERRED, text) for part in found for name in references(part)}


def holds_password(url: object) -> bool:
    """Whether a string has a URL with a plain password, or a plain token as user name; references to variables do not count."""
    for web, login in _USER_INFORMATION.findall(url) if isinstance(url, str) else ():
        name, _, password = login.partition(":")
        secret = password or (name if web else "")
        if secret and not re.fullmatch(REFERENCES, secret):
            return True
    return False
