"""The keys of the stack file."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from scalr_agents.charts import ChartName
from scalr_agents.charts.shared.external_secrets import SecretsFrom
from scalr_agents.charts.shared.inputs import Cidr, Network, Scaling
from scalr_agents.model.fields import (
    LARGEST,
    Annotations,
    Count,
    Flag,
    InputMap,
    InputText,
    Labels,
    Line,
    ObjectName,
    OpenMap,
    Quantity,
    Registry,
    Resources,
    SecretEnv,
    SecretKey,
    Text,
    Tolerations,
    VersionText,
    unset,
)
from scalr_agents.model.findings import Finding, Path
from scalr_agents.model.forms import integral, refuse
from scalr_agents.model.proxies import Exceptions
from scalr_agents.model.release import Naming
from scalr_agents.model.section import Section, default
from scalr_agents.stack.pod_security import Level

PREFIX = "scalr-agents"
"""Namespace of our keys in a stack's configuration."""


def place(name: str) -> Path:
    """The path of an agent in the stack file."""
    return f"{PREFIX}:agents", name


def in_file(finding: Finding) -> Finding:
    """A finding on the keys of our namespace, with its path in the stack file."""
    return replace(finding, at=(f"{PREFIX}:{finding.at[0]}", *finding.at[1:]))


def _path(value: str) -> str:
    if "\n" in value or value.lstrip().startswith("{"):
        refuse("path", "not a path; save the content in a file outside of the repository, and give its path")
    return value


Positive = Annotated[int, Field(gt=0, le=LARGEST), BeforeValidator(integral)]


class Kubernetes(Section):
    """The cluster to deploy to, and how Pulumi talks to it."""

    context: Text = ""
    """Context of the kubeconfig. Default: the current context."""
    kubeconfig: Annotated[str, AfterValidator(_path)] = ""
    """Path of the kubeconfig. Default: the one that kubectl uses."""
    cluster_identifier: Text = ""
    """A name for the cluster that never changes. Without it, a changed API server address or certificate authority in the
    kubeconfig makes Pulumi replace every object."""
    crds: Literal["install", "expect"] = "install"
    """`install` installs the custom resource definitions, and fails if another tool, for instance Helm, has installed different ones.
    `expect` requires that they exist in the cluster."""
    upsert_existing: Flag = False
    """Take over existing objects with server-side apply. Use it to migrate from Helm."""
    await_rollout: Flag = True
    """Whether a deployment waits until the agents are ready."""
    rollout_timeout_seconds: Positive = 300
    """Seconds that a deployment waits for each agent. Then it fails."""
    qps: Positive = 400
    """Maximum requests per second to the API server."""
    burst: Positive = 800
    """Maximum requests to the API server in a burst."""
    api_server: list[Cidr] = []
    """Networks of the cluster's API server, including the address of the Service `kubernetes`, for network policies that know no names.
    Default: `pulumi up` looks the addresses up in the cluster."""


class Proxy(Section):
    """An HTTP proxy for connections that leave the cluster."""

    http: Line = ""
    """URL of the proxy for HTTP requests."""
    https: Line = ""
    """URL of the proxy for HTTPS requests."""
    except_: Exceptions = Field([], alias="except")
    """Hosts, domains and networks to reach without the proxy. The cluster's API and the cluster's domains are always included."""


class Ca(Section):
    """Certificate authorities to trust instead of the public ones. Set exactly one of `file` and `secret`."""

    file: Text = ""
    """Path of a PEM file, relative to the directory of the stack files."""
    secret: Text = ""
    """Name of a Secret with the certificates. It must exist in every agent's namespace."""
    key: SecretKey = "ca-bundle.crt"
    """Key of that Secret that holds the certificates."""


class Otel(Section):
    """Export of metrics and traces over OTLP."""

    endpoint: Line
    """gRPC endpoint of the OpenTelemetry collector."""
    metrics: Flag = True
    """Export metrics."""
    traces: Flag = False
    """Export traces."""


class Observability(Section):
    """Alerts and a dashboard for agents on Kubernetes."""

    prometheus_rules: Flag = False
    """Create a PrometheusRule with alerts for each agent, which the Prometheus operator of the cluster reads."""
    labels: Labels = {}
    """Labels of the PrometheusRules, by which the operator selects them."""
    runbooks: Line = ""
    """Address under which your colleagues read `docs/alerts.md`, to which alerts link. Default: its path in the repository."""
    dashboard: Flag = False
    """Create a ConfigMap with a dashboard, which the sidecar of Grafana reads."""

    @property
    def deploys(self) -> bool:
        """Whether there are objects to create."""
        return self.prometheus_rules or self.dashboard


class Common(Section):
    """Settings of all agents of the stack, translated into the values of each kind. An agent's own values override them."""

    url: Line = ""
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    agent_version: VersionText = ""
    """Version of all agents that do not set their own. Default: that of each kind."""
    image_registry: Registry = ""
    """Registry to pull the agents' images from."""
    image_pull_secrets: list[ObjectName] = []
    """Names of image pull secrets. They must exist in every agent's namespace."""
    proxy: Proxy | None = None
    """HTTP proxy for connections that leave the cluster."""
    ca: Ca | None = None
    """Certificate authorities to trust."""
    otel: Otel | None = None
    """Export of metrics and traces."""
    observability: Observability | None = None
    """Alerts and a dashboard."""
    network: Network | None = None
    """What connects to the pods of all agents that do not set their own, and what these connect to."""
    labels: Labels = {}
    """Labels of all pods and service accounts."""
    pod_annotations: Annotations = {}
    """Annotations of all pods."""


class Quota(Section):
    """What the pods of a namespace may take together: those of runs, controllers, placeholders, and all others. Kubernetes creates a pod
    beyond it only when others have ended, and the run waits."""

    pods: Positive | None = None
    """Number of pods. Default: no limit."""
    cpu: Quantity | None = None
    """Sum of their CPU requests. Default: no limit."""
    memory: Quantity | None = None
    """Sum of their memory requests. Default: no limit."""
    disk: Quantity | None = None
    """Sum of their requests for the disk of nodes (`ephemeral-storage`). Default: no limit."""


class Namespace(Section):
    """A namespace of the cluster. The stack never deletes a namespace, even if it created it."""

    create: Flag = True
    """Whether the stack creates the namespace. If false, it must exist, and `podSecurity` states the level that it enforces."""
    pod_security: Level | None = None
    """Pod Security level that the namespace enforces. Default: restricted if the stack creates it, otherwise unknown."""
    labels: Labels = {}
    """Additional labels of a namespace that the stack creates."""
    quota: Quota | None = None
    """Limits what the pods of the namespace take together, also of one that the stack does not create. Default: no limit."""


class Nodes(Section):
    """The nodes that run an agent's controllers and tasks."""

    selector: Labels = {}
    """Labels that the nodes must have."""
    tolerations: Tolerations = []
    """Tolerations for taints of the nodes."""


class AgentClass(Section):
    """A size of agents, translated into the values of each kind. An agent's own values override it."""

    resources: Resources = {}
    """Kubernetes ResourceRequirements of a run, merged with those of the chart: of the runner (`agent-job`), the agent (`agent-local`), or
    the pod (`agent-k8s`: only cpu and memory)."""
    disk: Quantity | None = None
    """Size of a run's workspace on the disk of its node, from which the requests and limits of the pod are computed (not `agent-k8s`)."""
    nodes: Nodes | None = None
    """Nodes that run controllers and tasks."""
    deadline_seconds: Count = None
    """Seconds from the start of its Job after which Kubernetes ends a run (`agent-job` only)."""
    buffer: Count = None
    """Number of placeholders, which reserve room for runs to come (`agent-job` only)."""


class AgentEntry(Section):
    """An agent."""

    kind: ChartName
    """How the agent runs tasks: `agent-job` starts a Kubernetes Job for each task, `agent-local` runs tasks in its own container,
    `agent-k8s` has a worker on every node."""
    role: Literal["runs", "vcs"] = "runs"
    """What the agent serves: `runs`, or `vcs` for a private VCS provider (`agent-local` only). Agents of both roles must
    not share nodes."""
    namespace: str
    """Namespace of the agent's objects."""
    release: Text = ""
    """Name of the release, the first part of its objects' names. Default: the agent's name."""
    names: Naming = "scoped"
    """`chart` gives objects the names that the Helm chart gives them. Use it to take over a Helm release."""
    agent_version: VersionText = ""
    """Version of the agent, which also selects the default image tag. Default: that of `common`, otherwise that of the kind."""
    cache: Text = ""
    """Name of the cache that its runs share. Turns on persistence of the cache and, for `agent-job`, the provider cache."""
    class_: Text = Field("", alias="class")
    """Name of the class with its size. Its own values and `nodes` override those of the class."""
    nodes: Nodes | None = None
    """Nodes that run its controllers and tasks."""
    pre_pull: Flag = False
    """Whether its nodes get the images of runs before a run needs them (`agent-job` only). Default: with the first run."""
    scaling: Scaling | None = None
    """How the number of agents follows their load (`agent-local` only). Default: `values.replicaCount` agents."""
    identity: Annotations = {}
    """Annotations of its service account that give it a cloud identity, such as `eks.amazonaws.com/role-arn`."""
    secrets_from: SecretsFrom | None = None
    """Secrets that the External Secrets Operator of the cluster reads from a store, instead of `secrets.<agent>`."""
    network: Network | None = None
    """What connects to its pods, and what these connect to. Replaces that of `common` as a whole."""
    values: OpenMap = {}
    """Values of the Helm chart of this kind."""
    values_files: list[str] = []
    """Values files of the Helm chart of this kind, relative to the directory of the stack files. Later files override earlier ones, and
    `values` overrides them all."""


class AgentSecrets(Section):
    """The secrets of one agent. Set them with `pulumi config set --secret --path`."""

    token: InputText = ""
    """Token of the agent pool. Required unless `secretsFrom` has it, or the values name an existing Secret."""
    client_key: InputText = ""
    """Private key of the agent for mutual TLS, in PEM. Its certificate belongs in the values."""
    mirror_tokens: InputMap = {}
    """Tokens of provider network mirrors, by host name."""
    env: SecretEnv = {}
    """Secret environment variables, by name. Runs get all but those named `SCALR_*`."""


class StackFile(Section):
    """The keys of a stack file that belong to scalr-agents."""

    kubernetes: Kubernetes = default(Kubernetes)
    """The cluster."""
    common: Common = default(Common)
    """Settings of all agents."""
    namespaces: dict[str, Annotated[Namespace, unset({})]] = {}
    """Namespaces, by name."""
    caches: OpenMap = {}
    """Shared caches, by name. Their keys are in `stack.caches`, which is imported only if there are any."""
    classes: dict[str, Annotated[AgentClass, unset({})]] = {}
    """Sizes that agents take with `class`, by name."""
    agents: dict[str, Annotated[AgentEntry, unset({})]] = {}
    """Agents, by name."""
    machines: OpenMap = {}
    """Agents on virtual machines, by name. Their keys are in `machines`, which is imported only if there are any."""
    secrets: dict[str, Annotated[AgentSecrets, unset({})]] = {}
    """Secrets, by name of the agent or machine."""
