"""Names of a release and of its objects."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Naming = Literal["scoped", "chart"]
Labels = dict[str, str]

_LONGEST = 63


class Identity(NamedTuple):
    """The parts that object names are made of."""

    full_name: str
    base_name: str
    """Label `app.kubernetes.io/name`."""
    namespace: str
    service_account: str
    naming: Naming
    """`scoped` names contain the full name, and for cluster-scoped objects also the namespace, so that releases never conflict.

    `chart` names are those of the Helm chart, for taking over a release; two such releases may conflict.
    """

    @property
    def scoped(self) -> bool:
        return self.naming == "scoped"


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names of a release's objects, including those that its values disable; empty for objects that its chart never has.

    Charts add the names that only they have.
    """

    deployment: str
    service_account: str
    token_secret: str
    env_secret: str
    network_policy: str
    ingress_policy: str
    ca_bundle_secret: str = ""
    client_cert_secret: str = ""
    data_claim: str = ""
    cache_claim: str = ""
    controller_policy: str = ""
    """Name of the policy of the controller's pods, if egress is restricted."""
    role: str = ""
    role_binding: str = ""


def full_name(base: str, release: str, override: str = "") -> str:
    """Helm's full name: the override, or `<release>-<base name>`, or the release's name if it contains the base name."""
    return cut(override or (release if base in release else f"{release}-{base}"))


def cut(name: str) -> str:
    """A name cut to the maximum length of a label."""
    return name[:_LONGEST].removesuffix("-")
