"""The words of the stack file."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.charts import ChartName
from scalr_agents.model.fields import (
    Annotations,
    Flag,
    InputMap,
    InputText,
    Labels,
    OpenMap,
    Registry,
    SecretEnv,
    SecretKey,
    Text,
    Tolerations,
    VersionText,
    integral,
    unset,
)
from scalr_agents.model.findings import Finding, Path
from scalr_agents.model.names import Naming
from scalr_agents.model.section import Section, default
from scalr_agents.stack.pod_security import Level

PREFIX = "scalr-agents"


def place(name: str) -> Path:
    """Where an agent stands in the stack file."""
    return f"{PREFIX}:agents", name


def in_file(finding: Finding) -> Finding:
    """A finding on the words of our namespace, with its place in the stack file."""
    return replace(finding, at=(f"{PREFIX}:{finding.at[0]}", *finding.at[1:]))


"""Namespace of our keys in a stack's configuration."""

Positive = Annotated[int, Field(gt=0), BeforeValidator(integral)]


class Kubernetes(Section):
    """Which cluster, and how to talk to it."""

    context: Text = ""
    """Context of the kubeconfig. Default: the current one."""
    kubeconfig: Text = ""
    """Path of the kubeconfig. Default: what kubectl would use."""
    cluster_identifier: Text = ""
    """A name for the cluster that never changes. Without one, a changed address or authority in the kubeconfig makes Pulumi
    replace everything."""
    crds: Literal["install", "expect"] = "install"
    """Whether this stack installs the custom resource definitions, or expects them to be there."""
    upsert_existing: Flag = False
    """Take over objects that exist already, by server-side apply: for a migration off Helm."""
    await_rollout: Flag = True
    """Wait until the controllers are ready."""
    rollout_timeout_seconds: Positive = 300
    """How long to wait."""
    qps: Positive = 400
    """Requests per second that the provider sends at most."""
    burst: Positive = 800
    """Requests that it may send at once."""


class Proxy(Section):
    """An HTTP proxy for all connections to the outside."""

    http: Text = ""
    """URL of the proxy for http requests."""
    https: Text = ""
    """URL of the proxy for https requests."""
    except_: list[str] = Field([], alias="except")
    """Hosts, domains and networks to reach directly. The cluster's API and its domains are always among them."""


class Ca(Section):
    """Certificate authorities to trust instead of the public ones: a file, or an existing Secret."""

    file: Text = ""
    """PEM file, relative to the directory of the stack files."""
    secret: Text = ""
    """Name of a Secret that exists in every agent's namespace."""
    key: SecretKey = "ca-bundle.crt"
    """Key of that Secret."""


class Otel(Section):
    """Metrics and traces over OTLP."""

    endpoint: Text
    """The collector's gRPC endpoint."""
    metrics: Flag = True
    """Export metrics."""
    traces: Flag = False
    """Export traces."""


class Common(Section):
    """What all agents of the stack share, in words that every kind understands. An agent's own values win."""

    url: Text = ""
    """Address of the account, `https://<account>.scalr.io`."""
    agent_version: VersionText = ""
    """Version of all agents that do not name their own."""
    image_registry: Registry = ""
    """Registry to pull the agents' images from."""
    image_pull_secrets: list[str] = []
    """Names of pull secrets; they exist in every agent's namespace."""
    proxy: Proxy | None = None
    """HTTP proxy."""
    ca: Ca | None = None
    """Certificate authorities."""
    otel: Otel | None = None
    """OpenTelemetry."""
    labels: Labels = {}
    """Labels of all pods and service accounts."""
    pod_annotations: Annotations = {}
    """Annotations of all pods."""


class Namespace(Section):
    """A namespace of the cluster. One that this stack creates is never deleted by it."""

    create: Flag = True
    """Create it; false says that it exists, and `podSecurity` what it enforces."""
    pod_security: Level | None = None
    """Level that the namespace enforces on pods. Default: restricted where it is created, unknown where it exists."""
    labels: Labels = {}
    """Further labels of a namespace that is created."""


class Nodes(Section):
    """The nodes for an agent's controllers and tasks."""

    selector: Labels = {}
    """Labels that the nodes must have."""
    tolerations: Tolerations = []
    """Taints of the nodes to tolerate."""


class AgentEntry(Section):
    """One agent."""

    kind: ChartName
    """How it runs tasks: `agent-job` starts a Kubernetes Job for each, `agent-local` runs them in its own container, `agent-k8s` has
    a worker on every node."""
    role: Literal["runs", "vcs"] = "runs"
    """What it serves: runs, or a private VCS provider, which `agent-local` alone does. The two must share no nodes."""
    namespace: str
    """Namespace of its objects."""
    release: Text = ""
    """Name of the release, first part of its objects' names. Default: the agent's name."""
    names: Naming = "scoped"
    """`chart` gives objects the names of the Helm chart, to take a Helm release over."""
    agent_version: VersionText = ""
    """Version of the agent. Default: that of `common`, or of the kind."""
    cache: Text = ""
    """Name of the cache that its runs share. It turns the cache's persistence on and, of `agent-job`, the cache of providers."""
    nodes: Nodes | None = None
    """Nodes for its controllers and tasks."""
    identity: Annotations = {}
    """Annotations of its service account that give it a cloud identity."""
    values: OpenMap = {}
    """Values of the kind's chart."""
    values_files: list[str] = []
    """Values files of the kind's chart, relative to the directory of the stack files; later ones win, `values` wins over all."""


class AgentSecrets(Section):
    """The secrets of one agent. Set them with `pulumi config set --secret --path`."""

    token: InputText = ""
    """Token of the agent pool."""
    client_key: InputText = ""
    """Private key of the agent for mutual TLS, PEM; its certificate is among the values."""
    mirror_tokens: InputMap = {}
    """Tokens of provider network mirrors, by the mirror's host."""
    env: SecretEnv = {}
    """Secret environment variables. Runs get those that are not named `SCALR_*`."""


class StackFile(Section):
    """Everything that a stack file says to scalr-agents."""

    kubernetes: Kubernetes = default(Kubernetes)
    """The cluster."""
    common: Common = default(Common)
    """What all agents share."""
    namespaces: dict[str, Annotated[Namespace, unset({})]] = {}
    """Namespaces, by name."""
    caches: OpenMap = {}
    """Shared caches, by name. Their words are in `cache_model`, which is read when there are any."""
    agents: dict[str, Annotated[AgentEntry, unset({})]] = {}
    """Agents, by name."""
    machines: OpenMap = {}
    """Agents on virtual machines, by name. Their words are in `machines`, which is read when there are any."""
    secrets: dict[str, Annotated[AgentSecrets, unset({})]] = {}
    """Secrets, by the name of the agent or machine."""
