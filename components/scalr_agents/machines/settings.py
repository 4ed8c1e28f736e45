"""The settings of agents on machines, as programs write them. Stack files have the same settings in camelCase."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.model.fields import (
    EnvMap,
    Flag,
    InputList,
    InputMap,
    InputText,
    Line,
    Lines,
    Quantity,
    Registry,
    SecretEnv,
    Text,
    VersionText,
)
from scalr_agents.model.forms import integral
from scalr_agents.model.no_proxy import Exceptions
from scalr_agents.model.section import Section, default

Whole = Annotated[int, Field(ge=0), BeforeValidator(integral)]
Port = Annotated[int, Field(ge=1, le=65535), BeforeValidator(integral)]
Role = Literal["runs", "vcs"]
Runtime = Literal["docker", "package"]
CaScope = Literal["global", "tasks"]
OnChange = Literal["roll", "keep"]
Architecture = Literal["x86_64", "arm64"]

UBUNTU_ON_EC2 = "/aws/service/canonical/ubuntu/server/22.04/stable/current/{architecture}/hvm/ebs-gp2/ami-id"
"""The public SSM parameter with the ID of the newest image."""
MOST_EGRESS_PORTS = 20
"""A security group has at most 60 rules by default, and each port needs two, for IPv4 and IPv6."""


class Package(Section):
    """The repository of the `scalr-agent` package, and the version to install."""

    apt: Line = ""
    """For Ubuntu: `<URL> <suite> <component>`, as in a line of `sources.list`."""
    yum: Line = ""
    """For Rocky Linux: the base URL."""
    key: Line = ""
    """URL of the key that signs the repository. Required."""
    version: VersionText = ""
    """Version of the package. Default: the newest in the repository."""


class AgentSettings(Section):
    """The agent of a machine."""

    role: Role = "runs"
    """What the agent serves: `runs`, or `vcs` for a private VCS provider. A machine never serves both."""
    agent_version: VersionText = ""
    """Version of the agent. Default: that of `common`, or the newest that this package was compared with."""
    concurrency: Annotated[int, Field(ge=1, le=5), BeforeValidator(integral)] = 5
    """Maximum number of concurrent runs on one machine."""
    memory_per_run: Quantity = "512Mi"
    """Memory limit of each run."""
    image: Line = ""
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version, from the registry of `common`."""
    env: EnvMap = {}
    """Further environment variables of the agent. Secret ones belong under `secrets`."""
    root: Flag = False
    """Run the agent as root, so that `local-exec` of a run can install software in its container."""
    task_image: Line = ""
    """Complete reference of an image for runs, based on Scalr's own. Agents before 0.61.3 require the version of Terraform as its tag."""
    ca_scope: CaScope = "global"
    """Who trusts the certificates of `ca`: the machine, the agent and its runs, or only the runs."""
    runtime: Runtime = "docker"
    """Whether the agent runs as a container, or as the deprecated package of Scalr."""
    package: Package | None = None
    """Repository of the package. Required for `runtime: package`."""
    allow_metadata_service: Flag = False
    """Allow runs to reach the machine's metadata service, and to use its identity, which can read the agent's token."""
    drain_seconds: Annotated[int, Field(gt=0), BeforeValidator(integral)] = 3600
    """Maximum duration of a run, in seconds. An agent that is being stopped waits this long for its runs."""
    on_change: OnChange = "roll"
    """`roll` replaces the machines, one after another, when something about them or their secrets changes. `keep` leaves them."""


class SharedSettings(Section):
    """Settings that all agents of a stack share and that machines support."""

    url: Line = ""
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    image_registry: Registry = ""
    """Registry to pull the agent's image from."""
    http_proxy: Line = ""
    """URL of the proxy for HTTP requests."""
    https_proxy: Line = ""
    """URL of the proxy for HTTPS requests."""
    no_proxy: Exceptions = []
    """Hosts, domains and networks to reach without the proxy."""
    ca_bundle: Text = ""
    """Certificate authorities to trust instead of the public ones, in PEM."""
    otel_endpoint: Line = ""
    """gRPC endpoint of the OpenTelemetry collector."""
    otel_metrics: Flag = True
    """Export metrics."""
    otel_traces: Flag = False
    """Export traces."""


class Volume(Section):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    size: Quantity = "30Gi"
    """Size, at least 20 GB."""
    kms_key: InputText = ""
    """Key that encrypts the disk. Default: the key that the cloud manages. The disk is always encrypted."""


class Ec2Settings(Section):
    """Machines in an Auto Scaling group on AWS."""

    subnets: InputList = []
    """Private subnets of the machines, all in one VPC, with a NAT gateway or a proxy. The machines run in their zones. Required."""
    instance_type: Line = ""
    """Instance type. Required."""
    other_instance_types: Lines = []
    """Further instance types that AWS may choose from, as Spot capacity of one type may not be available. Only with `spot`."""
    min: Whole = 1
    """Minimum number of machines. With 0 there may be no machine, and the group cannot scale with CPU use."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    max_instance_lifetime: Annotated[int, Field(ge=86400, le=31536000), BeforeValidator(integral)] | None = None
    """Seconds after which AWS replaces a machine: a day (86400) to a year. New machines start from the newest image. Default: never."""
    architecture: Architecture = "x86_64"
    """Architecture of the default image."""
    ami: Line = ""
    """Image of the machines. Default: that of `amiParameter`."""
    ami_parameter: Line = ""
    """Name of an SSM parameter with the ID of an image. Default: the public parameter of Ubuntu 22.04."""
    volume: Volume = default(Volume)
    """Root volume of the machines. `kmsKey` is an ARN, and also encrypts the secret."""
    security_groups: InputList = []
    """Existing security groups. Default: a new group without ingress rules."""
    egress_ports: Annotated[list[Port], Field(max_length=MOST_EGRESS_PORTS)] = []
    """Further TCP ports that the new security group opens for egress, for instance 80 for updates of Ubuntu's packages."""
    policies: InputList = []
    """ARNs of policies for the machines' role: what runs may do in AWS. Runs can use them only with `allowMetadataService`."""
    permissions_boundary: InputText = ""
    """ARN of the policy that limits what the machines' role may do. Default: no boundary."""
    role_path: Line = ""
    """Path of the machines' role and instance profile, for instance `/scalr/`. Default: `/`."""
    ssm: Flag = False
    """Allow logins through SSM Session Manager."""
    log_retention_days: Annotated[int, BeforeValidator(integral)] | None = None
    """Send the agent's log to CloudWatch, and retain it for this number of days. Default: the log stays on the machine."""
    spot: Flag = False
    """Use Spot instances. AWS can reclaim them with two minutes' notice."""
    tags: InputMap = {}
    """Tags of all AWS resources that support them."""


class GceSettings(Section):
    """Machines in a regional managed instance group on Google Cloud."""

    region: Line = ""
    """Region of the group. Required."""
    subnetwork: InputText = ""
    """Name of the subnetwork, or its full path or URL for a shared VPC. It needs Cloud NAT or a proxy. Required."""
    machine_type: Line = ""
    """Machine type. Required."""
    min: Annotated[int, Field(ge=1), BeforeValidator(integral)] = 1
    """Minimum number of machines."""
    max: Annotated[int, Field(gt=0), BeforeValidator(integral)] | None = None
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    machine_image: Line = Field("", alias="image")
    """Image of the machines. It must have cloud-init. Default: Ubuntu 22.04 LTS, for the architecture of `machineType`."""
    egress_ports: Annotated[list[Port], Field(max_length=MOST_EGRESS_PORTS)] = []
    """Further TCP ports that the firewall rules open for egress, for instance 80 for updates of Ubuntu's packages."""
    volume: Volume = default(Volume)
    """Boot disk of the machines. `kmsKey` is the full name of a Cloud KMS key."""
    service_account: InputText = ""
    """Email of an existing service account, which may be the identity of runs. Default: a new account that can read only the agent's
    secret."""
    labels: InputMap = {}
    """Labels of all Google Cloud resources that support them."""


class Secrets(Section):
    """The secrets of an agent on machines."""

    token: InputText = ""
    """Token of the agent pool."""
    secret_env: SecretEnv = {}
    """Secret environment variables of the agent."""
