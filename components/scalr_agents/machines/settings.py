"""The words for agents on machines, as programs write them. Stack files have the same words in camelCase."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from scalr_agents.model.fields import (
    EnvMap,
    Flag,
    InputList,
    InputMap,
    InputText,
    Quantity,
    Registry,
    Text,
    Texts,
    VersionText,
    integral,
    unset,
)
from scalr_agents.model.section import Section, default

Whole = Annotated[int, Field(ge=0), BeforeValidator(integral)]
Role = Literal["runs", "vcs"]
Runtime = Literal["docker", "package"]
CaScope = Literal["global", "tasks"]
OnChange = Literal["roll", "keep"]
Architecture = Literal["x86_64", "arm64"]

UBUNTU_ON_GCE = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2204-lts"
UBUNTU_ON_EC2 = "/aws/service/canonical/ubuntu/server/22.04/stable/current/{architecture}/hvm/ebs-gp2/ami-id"
"""The public parameter that has the id of the newest image."""
DEFAULT_VERSION = "1.4.0"
"""The newest agent that the charts of this package were compared with."""


class Package(Section):
    """The repository of the `scalr-agent` package, and the version to install."""

    model_config = ConfigDict(alias_generator=None)

    apt: Text = ""
    """For Ubuntu: `<URL> <suite> <component>`, as in a line of `sources.list`."""
    yum: Text = ""
    """For Rocky Linux: the base URL."""
    key: Text = ""
    """URL of the key that signs the repository."""
    version: VersionText = ""
    """Version of the package. Default: the newest of the repository."""


class AgentSettings(Section):
    """The agent of a machine."""

    model_config = ConfigDict(alias_generator=None)

    role: Role = "runs"
    """What it serves: runs, or a private VCS provider. Never both on one machine."""
    agent_version: VersionText = ""
    """Version of the agent. Default: that of `common`, or the newest that this package was compared with."""
    concurrency: Annotated[int, Field(ge=1, le=5), BeforeValidator(integral)] = 5
    """Runs at a time on one machine."""
    memory_per_run: Quantity = "512Mi"
    """Memory that a run may take."""
    image: Text = ""
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version, from the registry of `common`."""
    env: EnvMap = {}
    """Further environment variables of the agent. Secret ones belong under `secrets`."""
    root: Flag = False
    """Run the agent as root, so that `local-exec` of a run may install software in its container."""
    task_image: Text = ""
    """Complete reference of an image for runs, based on Scalr's own. Agents before 0.61.3 want its tag to be the version of Terraform."""
    ca_scope: CaScope = "global"
    """Who trusts the certificates of `ca`: the machine, the agent and its runs, or the runs alone."""
    runtime: Runtime = "docker"
    """Whether the agent runs as a container, or as the package that Scalr has deprecated."""
    package: Package | None = None
    """Where the package comes from; `runtime: package` needs it."""
    allow_metadata_service: Flag = False
    """Let runs reach the metadata service of the machine, and with it the machine's identity, which reads the agent's token."""
    drain_seconds: Annotated[int, Field(gt=0), BeforeValidator(integral)] = 3600
    """The longest time that a run may take. So long the agent waits for its runs when it is stopped."""
    on_change: OnChange = "roll"
    """`roll` replaces the machines, one after another, when something about them or their secrets changes. `keep` leaves them."""


class SharedSettings(Section):
    """What all agents of a stack share, as far as machines can use it."""

    model_config = ConfigDict(alias_generator=None)

    url: Text = ""
    """Address of the account, `https://<account>.scalr.io`."""
    image_registry: Registry = ""
    """Registry to pull the agent's image from."""
    http_proxy: Text = ""
    """URL of the proxy for http requests."""
    https_proxy: Text = ""
    """URL of the proxy for https requests."""
    no_proxy: Texts = []
    """Hosts, domains and networks to reach directly."""
    ca_bundle: Text = ""
    """Certificate authorities to trust instead of the public ones, PEM."""
    otel_endpoint: Text = ""
    """The OpenTelemetry collector's gRPC endpoint."""
    otel_metrics: Flag = True
    """Export metrics."""
    otel_traces: Flag = False
    """Export traces."""


class Volume(Section):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    model_config = ConfigDict(alias_generator=None)

    size: Quantity = "30Gi"
    """Size, 20 GB at least."""
    kms_key: InputText = ""
    """The key to encrypt it with. Default: the one that the cloud manages; the disk is encrypted in any case."""


class Ec2Settings(Section):
    """Machines in an Auto Scaling group on AWS."""

    model_config = ConfigDict(alias_generator=None)

    subnets: InputList = []
    """Subnets of the machines, all in one VPC. Their zones are the group's. Private ones, with a NAT gateway or a proxy."""
    instance_type: Text = ""
    """Instance type."""
    min: Whole = 1
    """Machines at least."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Machines at most. Default: as many as `min`. In between the number follows the use of the CPUs."""
    architecture: Architecture = "x86_64"
    """Architecture of the default image."""
    ami: Text = ""
    """Image of the machines. Default: that of `ami_parameter`."""
    ami_parameter: Text = ""
    """Name of an SSM parameter that holds an image's id. Default: Ubuntu 22.04's public one."""
    volume: Volume = default(Volume)
    """The root volume; `kms_key` is an ARN and encrypts the secret too."""
    security_groups: InputList = []
    """Existing security groups, instead of one without ingress that is made here."""
    policies: InputList = []
    """ARNs of policies for the machines' role: what runs may do in AWS. Runs reach them with `allow_metadata_service` only."""
    ssm: Flag = False
    """Let people log in by SSM Session Manager."""
    spot: Flag = False
    """Spot instances: cheaper, and gone two minutes after AWS wants them back."""
    tags: InputMap = {}
    """Tags of everything that AWS lets one tag."""


class GceSettings(Section):
    """Machines in a regional managed instance group on Google Cloud."""

    model_config = ConfigDict(alias_generator=None)

    region: Text = ""
    """Region of the group."""
    subnetwork: InputText = ""
    """Subnetwork: its name, or its full path where the VPC is shared. It needs Cloud NAT or a proxy."""
    machine_type: Text = ""
    """Machine type."""
    min: Whole = 1
    """Machines at least."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Machines at most. Default: as many as `min`. In between the number follows the use of the CPUs."""
    machine_image: Text = UBUNTU_ON_GCE
    """Image of the machines, which has cloud-init. Default: Ubuntu 22.04 LTS."""
    volume: Volume = default(Volume)
    """The boot disk; `kms_key` is the full name of a Cloud KMS key."""
    service_account: InputText = ""
    """Email of an existing service account, which may be the identity of runs. Default: one is made that can read one secret."""
    labels: InputMap = {}
    """Labels of everything that Google lets one label."""


class Secrets(Section):
    """The secrets of an agent on machines."""

    model_config = ConfigDict(alias_generator=None)

    token: InputText = ""
    """Token of the agent pool."""
    secret_env: Annotated[InputMap, unset({})] = {}
    """Secret environment variables of the agent."""
