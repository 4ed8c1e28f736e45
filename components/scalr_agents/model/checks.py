"""Checks of what agents have wherever they run: names, URLs, tokens, certificates, images, sizes."""

import binascii
import re
from urllib.parse import urlsplit

from scalr_agents.model.fields import LONGEST_RELEASE, NAMESPACE, RELEASE, size_problem
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import LONGEST_LABEL, is_image
from scalr_agents.model.maps import Deferred, is_deferred, is_set
from scalr_agents.model.release import NEWEST
from scalr_agents.model.texts import is_one_line, too_long

CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\s([^-]+)-----END CERTIFICATE-----")
_PLACEHOLDER = (
    r"(?is)<.*>|\[.*\]|\{.*\}|\$.*|%.*%|x{3,}|\*{3,}|\.{3,}|…|tbd|placeholder"
    r"|((change|replace)[-_ ]?(me|it|this)|to[-_ ]?do|fix[-_ ]?me)([ :].*|[-_]please)?|replace with .*"
    r"|(your|agent|insert|enter|paste|put|replace)([-_ ](your|the|with|real|scalr|agent|pool))*[-_ ]token([-_ ](goes[-_ ])?here)?"
)
"""Placeholders for a token in examples and templates: whole phrases, since a token may have any words in it."""
_LONGEST_PLACEHOLDER = 200
_DER_SEQUENCE = b"\x30"
_PUBLIC_ROOTS = (b"ISRG Root X1", b"DigiCert Global Root", b"Amazon Root CA", b"GTS Root R1", b"USERTrust", b"GlobalSign")
NO_URL = "the agent takes the address from its token; set it to https://<account>.scalr.io"
NO_REFERENCE = f"not the reference of an image, for instance scalr/agent:{NEWEST}"


def place(release: str, namespace: str) -> Findings:
    """Release and namespace, from which all other names are made."""
    if not RELEASE.accepts(release):
        yield error(
            "release",
            f"{release!r} is not a valid release name: use at most {LONGEST_RELEASE} lower case letters, digits, '-' and '.'"
            f"{too_long(release, LONGEST_RELEASE)}",
        )
    if not NAMESPACE.accepts(namespace):
        message = f"{namespace!r} is not a valid namespace: use at most {LONGEST_LABEL} lower case letters, digits and '-'"
        yield error("namespace", f"{message}{too_long(namespace, LONGEST_LABEL)}")


def url(path: str, value: str | Deferred) -> Findings:
    """An agent's URL: scheme and host are required; plain http and an empty URL are warnings."""
    if is_deferred(value):
        return
    if not is_set(value):
        yield warning(path, f"missing: {NO_URL}")
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
    if isinstance(value, str):
        yield from (warning(path, problem) for problem in [padded(value)] if problem)
        yield from (error(path, problem) for problem in [no_token(value)] if problem)


def padded(token: str) -> str:
    return "begins or ends with white space, which becomes part of the token; remove it" if token != token.strip() else ""


def no_token(text: str) -> str:
    """Why a text is no token, if that is clear."""
    if text == "null":
        return 'is the word "null", which is not a token; set the token of the agent pool'
    placeholder = len(text) <= _LONGEST_PLACEHOLDER and re.fullmatch(_PLACEHOLDER, text.strip())
    return "is a placeholder; set the token of the agent pool" if placeholder else ""


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
    if value is not None and not is_deferred(value) and (problem := size_problem(value)):
        yield error(path, problem)
