"""Names of a release and of its objects."""

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


class Names(NamedTuple):
    """The names of a release's objects, including those that its values disable; empty for objects that its kind never has."""

    deployment: str
    service_account: str
    token_secret: str
    env_secret: str
    network_policy: str
    ingress_policy: str
    task_template: str = ""
    worker: str = ""
    ca_bundle_secret: str = ""
    client_cert_secret: str = ""
    data_claim: str = ""
    cache_claim: str = ""
    deprecated_cache_claim: str = ""
    """Name of the cache's claim if deprecated values enable it."""
    controller_policy: str = ""
    """Name of the policy of the controller's pods, if egress is restricted."""
    worker_policy: str = ""
    """The same for the workers' pods."""
    role: str = ""
    role_binding: str = ""
    cluster_role: str = ""
    cluster_role_binding: str = ""
    controller_budget: str = ""
    task_budget: str = ""
    persistent_volume: str = ""
    storage_class: str = ""
    buffer: str = ""
    buffer_priority: str = ""
    cache_preparation: str = ""


def full_name(base: str, release: str, override: str = "") -> str:
    """Helm's full name: the override, or `<release>-<base name>`, or the release's name if it contains the base name."""
    return cut(override or (release if base in release else f"{release}-{base}"))


def cut(name: str) -> str:
    """A name cut to the maximum length of a label."""
    return name[:_LONGEST].removesuffix("-")
