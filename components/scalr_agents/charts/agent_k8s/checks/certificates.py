"""Cross-checks of CA bundles that the agent gets in a variable: in base64, or as a path in its image."""

import binascii
from dataclasses import replace

from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, error
from scalr_agents.model.forms import Deferred

_LONGEST_VARIABLE = 128 * 1024
"""The maximum size in bytes of a variable on Linux, name included, with pages of 4 KiB."""


def check(path: str, variable: str, bundle: str | Deferred) -> Findings:
    if not isinstance(bundle, str) or not bundle or bundle.startswith("/"):
        return
    if "-----BEGIN" in bundle:
        yield error(path, "PEM, but the agent requires base64 here; give the output of base64 -w0 <file>, or a path in the agent's image")
        return
    try:
        decoded = binascii.a2b_base64("".join(bundle.split()), strict_mode=True)
    except ValueError:
        yield error(path, "neither an absolute path nor base64; give the output of base64 -w0 <file>, or a path in the agent's image")
        return
    for finding in checks.ca_bundle(path, decoded.decode(errors="replace")):
        yield replace(finding, message=f"decoded from base64: {finding.message}") if finding.severity == "error" else finding
    if len(variable) + len(bundle) + len("=\0") > _LONGEST_VARIABLE:
        yield error(
            path,
            f"{len(bundle)} characters, but Linux allows only {_LONGEST_VARIABLE} in a variable: no container would start; "
            "add the bundle to a custom agent image and give its path",
        )
