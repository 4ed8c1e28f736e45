"""Sections of values that more than one chart has."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from scalr_agents.model.fields import (
    AccessMode,
    Containers,
    DnsConfig,
    EmptyDir,
    Flag,
    HostAliases,
    ImageTag,
    InputName,
    InputText,
    LabelText,
    Name,
    PullPolicy,
    Quantity,
    Repository,
    SecretKey,
    StorageClassName,
    SubPath,
    Text,
    unset,
)
from scalr_agents.model.maps import Values, is_set
from scalr_agents.model.marks import variable
from scalr_agents.model.release import Labels
from scalr_agents.model.section import ChartSection, default

_KUBERNETES_GRACE_SECONDS = 30


def grace_seconds(given: int | None) -> int:
    """Seconds that Kubernetes waits before it kills a pod; 30 if none are given."""
    return _KUBERNETES_GRACE_SECONDS if given is None else given


class ReleaseValues(ChartSection):
    """Values of every chart: the names of its release."""

    name_override: LabelText = ""
    """Replaces the chart's name in object names and in the label `app.kubernetes.io/name`. Default: the chart's name."""
    fullname_override: Text = ""
    """Replaces the whole base of the object names (`<release>-<chart>`). Default: derived from release and chart."""

    @property
    def common_labels(self) -> Labels:
        """Labels that all objects get."""
        return {}

    @property
    def common_annotations(self) -> Mapping[str, Any]:
        """Annotations that all objects get."""
        return {}


class PodFields(ChartSection):
    """Further fields of pods, which no chart has."""

    priority_class_name: Name = ""
    """An existing PriorityClass for these pods. Not in the chart. Default: the cluster's default priority."""
    runtime_class_name: Name = ""
    """An existing RuntimeClass for these pods, for instance of gVisor or Kata. Not in the chart. Default: the default runtime of
    the node."""
    host_users: Flag = True
    """`false` runs these pods in a user namespace of their own, so that their users mean nothing on the node (Kubernetes `hostUsers`).
    Their volumes must support id mapping, which NFS does not. Not in the chart."""
    host_aliases: HostAliases = []
    """Kubernetes HostAlias list: further entries of `/etc/hosts`. Not in the chart."""
    dns_policy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"] = "ClusterFirst"
    """Where these pods look up names (Kubernetes field `dnsPolicy`). Not in the chart."""
    dns_config: DnsConfig = {}
    """Name servers, search domains and options (Kubernetes PodDNSConfig), merged with what `dnsPolicy` gives. Not in the chart."""
    init_containers: Containers = []
    """Containers that run, one after another, before the pod's own. Not in the chart."""


POD_FIELDS = tuple(field.alias or name for name, field in PodFields.model_fields.items())
"""Their names in values files."""


class SecretReference(ChartSection):
    """An existing Secret in the release's namespace."""

    name: InputName = ""
    """Name of the Secret. Default: a Secret is created."""
    key: SecretKey = "token"
    """Key of the value in the Secret. Has no effect without `name`."""


class PolicyRule(ChartSection):
    """One rule of a Role or ClusterRole (`rbac.authorization.k8s.io/v1` PolicyRule)."""

    api_groups: list[str] = []
    """API groups; `""` is the core group."""
    resources: list[str] = []
    """Resources and subresources, for instance `pods/log`."""
    resource_names: list[str] = []
    """Names of the objects that the rule applies to. Default: all."""
    non_resource_urls: list[str] = Field([], alias="nonResourceURLs")
    """URL paths that are not resources. Only for ClusterRoles."""
    verbs: list[str] = Field(min_length=1)
    """Allowed verbs, for instance `get`."""

    def plain(self) -> Values:
        """The rule as a value, without what is empty. Works without a validator, which takes long to build."""
        return {field.alias or name: given for name, field in type(self).model_fields.items() if (given := getattr(self, name))}


class Image(ChartSection):
    """A container image; the reference is `[registry/]repository:tag`."""

    repository: Repository = "scalr/agent"
    """Repository, without tag."""
    tag: ImageTag = ""
    """Tag, or `tag@sha256:...` to pin a digest. Default: the agent version."""
    pull_policy: PullPolicy = "IfNotPresent"
    """Kubernetes field `imagePullPolicy`."""


class CaBundleSecret(SecretReference):
    """An existing Secret with a CA bundle."""

    key: SecretKey = "ca-bundle.crt"
    """Key of the bundle, in the existing Secret and in the one created from `caBundle`."""


class ClientCertSecret(ChartSection):
    """An existing Secret with the agent's client certificate and private key, for mutual TLS."""

    name: InputName = ""
    """Name of the Secret. Default: a Secret is created from `clientCert` and `clientKey`."""
    cert_key: SecretKey = "tls.crt"
    """Key of the certificate, in the existing and in the created Secret."""
    key_key: SecretKey = "tls.key"
    """Key of the private key, in the existing and in the created Secret."""


class Tls(ChartSection):
    """Certificate authorities that the agent trusts, and its client certificate."""

    ca_bundle_secret: CaBundleSecret = default(CaBundleSecret)
    """An existing Secret with the CA bundle. Takes precedence over `caBundle`."""
    ca_bundle: Annotated[InputText, variable("SCALR_AGENT_CA_CERT", "SSL_CERT_FILE")] = ""
    """CA certificates in PEM format. They replace the public ones; include those as well if the agent needs them."""
    client_cert_secret: ClientCertSecret = default(ClientCertSecret)
    """An existing Secret with the client certificate and key. Takes precedence over `clientCert` and `clientKey`."""
    client_cert: Annotated[InputText, variable("SCALR_AGENT_TLS_CERT_FILE")] = ""
    """Client certificate of the agent in PEM format, for mutual TLS. Requires `clientKey`."""
    client_key: Annotated[InputText, variable("SCALR_AGENT_TLS_KEY_FILE")] = ""
    """Private key of the client certificate in PEM format. Becomes a Secret. In a stack file, set it under `secrets`."""

    @property
    def has_bundle(self) -> bool:
        return is_set(self.ca_bundle) or is_set(self.ca_bundle_secret.name)

    @property
    def has_certificate(self) -> bool:
        return is_set(self.client_cert) or is_set(self.client_cert_secret.name)


def resources(cpu: str, memory: str, cpu_limit: str, memory_limit: str) -> dict[str, Any]:
    """Default of a container's `resources`: requests, then limits."""
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"cpu": cpu_limit, "memory": memory_limit}}


class NetworkMirror(ChartSection):
    """A provider network mirror."""

    url: InputText
    """Base URL of the mirror, `https://.../`."""
    token: InputText = ""
    """Token for the mirror. If set, the list of mirrors becomes a Secret. Default: none."""
    include: list[str] = []
    """Providers to download from the mirror; patterns are allowed. Default: all."""


NetworkMirrors = Annotated[list[NetworkMirror], unset([])]
"""Mirrors, in the order in which they are tried."""


class Claim(ChartSection):
    """A PersistentVolumeClaim: an existing one, or one that is created."""

    claim_name: InputName = ""
    """Name of an existing claim. Default: a claim is created."""
    storage_class_name: StorageClassName = ""
    """Storage class of the created claim. `-` means none, for static volumes. Default: the cluster's default class."""
    storage: Quantity = "4Gi"
    """Size of the created claim."""
    access_mode: AccessMode = "ReadWriteOnce"
    """Access mode of the created claim."""
    sub_path: SubPath = ""
    """Directory inside the volume, so that several releases can share a volume. Default: the root of the volume."""


class Volume(ChartSection):
    """A volume of a pod."""

    enabled: Flag = False
    """Whether to use a claim. Default: an emptyDir, which is deleted with the pod."""
    empty_dir: EmptyDir = {}
    """Kubernetes EmptyDirVolumeSource, used if `enabled` is false."""
    persistent_volume_claim: Claim = default(Claim)
    """The claim, used if `enabled` is true."""
