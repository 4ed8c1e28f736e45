"""The arguments of the components for machines. `make schema` writes this file, from the models."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

import pulumi

if TYPE_CHECKING:
    Architecture = Literal["x86_64", "arm64"]
    CaScope = Literal["global", "tasks"]
    OnChange = Literal["roll", "keep"]
    Role = Literal["runs", "vcs"]
    Runtime = Literal["docker", "package"]
else:  # the component host does not support `Literal`
    Architecture = CaScope = OnChange = Role = Runtime = str


class MachinePackageArgs(TypedDict):
    """The repository of the `scalr-agent` package, for `runtime: package`."""

    apt: NotRequired[str]
    """For Ubuntu: `<URL> <suite> <component>`, as in a line of `sources.list`."""
    yum: NotRequired[str]
    """For Rocky Linux: the base URL."""
    key: str
    """URL of the key that signs the repository."""
    version: NotRequired[str]
    """Version of the package. Default: the newest in the repository."""


class MachineVolumeArgs(TypedDict):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    size: NotRequired[str]
    """Size as a quantity, at least 20 GB. Default: `30Gi`."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Key that encrypts the disk: an ARN on AWS, a full name on Google Cloud. Default: the key that the cloud manages. The disk is always
    encrypted."""


class Ec2AgentsArgs(TypedDict):
    """Arguments of `Ec2Agents`."""

    role: NotRequired[Role]
    """What the agent serves: `runs`, or `vcs` for a private VCS provider. A machine never serves both. Default: `runs`."""
    agent_version: NotRequired[str]
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: NotRequired[int]
    """Maximum number of concurrent runs on one machine, 1 to 5. Default: `5`."""
    memory_per_run: NotRequired[str]
    """Memory limit of each run, as a quantity. Default: `512Mi`."""
    image: NotRequired[str]
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version, from the image registry if there is one."""
    env: NotRequired[Mapping[str, str]]
    """Further environment variables of the agent. Every user of the machine can read them: set secret ones as secrets."""
    root: NotRequired[bool]
    """Run the agent as root, so that `local-exec` of a run can install software in its container. Default: `false`."""
    task_image: NotRequired[str]
    """Complete reference of an image for runs, based on Scalr's own. Agents before 0.61.3 require the version of Terraform as its tag."""
    ca_scope: NotRequired[CaScope]
    """Who trusts the certificate authorities: with `global` the machine, the agent and its runs, with `tasks` only the runs. Default:
    `global`."""
    runtime: NotRequired[Runtime]
    """Whether the agent runs as a container, or as the deprecated package of Scalr. Allowed: `docker`, `package`. Default: `docker`."""
    package: NotRequired[MachinePackageArgs]
    """Repository of the package. Required for `runtime: package`."""
    allow_metadata_service: NotRequired[bool]
    """Allow runs to reach the machine's metadata service, and to use its identity, which can read the agent's token. Default: `false`."""
    drain_seconds: NotRequired[int]
    """Maximum duration of a run, in seconds: 30 to 7200 on AWS, 30 to 3600 on Google Cloud. An agent that is being stopped waits this long
    for its runs. Default: `3600`."""
    on_change: NotRequired[OnChange]
    """`roll` replaces the machines, one after another, when something about them or their secrets changes. `keep` leaves them. Default:
    `roll`."""
    url: NotRequired[str]
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    image_registry: NotRequired[str]
    """Registry to pull the agent's image from."""
    http_proxy: NotRequired[str]
    """URL of the proxy for HTTP requests."""
    https_proxy: NotRequired[str]
    """URL of the proxy for HTTPS requests."""
    no_proxy: NotRequired[Sequence[str]]
    """Hosts, domains and networks to reach without the proxy."""
    ca_bundle: NotRequired[str]
    """Certificate authorities to trust instead of the public ones, in PEM."""
    otel_endpoint: NotRequired[str]
    """gRPC endpoint of the OpenTelemetry collector."""
    otel_metrics: NotRequired[bool]
    """Export metrics. Default: `true`."""
    otel_traces: NotRequired[bool]
    """Export traces. Default: `false`."""
    token: pulumi.Input[str]
    """Token of the agent pool."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables of the agent. Values have one line."""
    subnets: Sequence[pulumi.Input[str]]
    """IDs of private subnets, all in one VPC, with a NAT gateway or a proxy. The machines run in their zones."""
    instance_type: str
    """Instance type."""
    other_instance_types: NotRequired[Sequence[str]]
    """Further instance types that AWS may choose from, as Spot capacity of one type may not be available. Only with `spot`."""
    min: NotRequired[int]
    """Minimum number of machines. With 0 there may be no machine, and the group cannot scale with CPU use. Default: `1`."""
    max: NotRequired[int]
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    max_instance_lifetime: NotRequired[int]
    """Seconds after which AWS replaces a machine: a day (86400) to a year. New machines start from the newest image. Default: never."""
    architecture: NotRequired[Architecture]
    """Architecture of the default image. Allowed: `x86_64`, `arm64`. Default: `x86_64`."""
    ami: NotRequired[str]
    """ID of the machines' image, which must have cloud-init. Default: that of `ami_parameter`."""
    ami_parameter: NotRequired[str]
    """Name of an SSM parameter with the ID of an image. Machines read it when they start. Default: the public parameter of Ubuntu 22.04."""
    volume: NotRequired[MachineVolumeArgs]
    """Root volume of the machines. Its key also encrypts the secret."""
    security_groups: NotRequired[Sequence[pulumi.Input[str]]]
    """IDs of existing security groups. Default: a new group without ingress rules."""
    egress_ports: NotRequired[Sequence[int]]
    """Further TCP ports that the new security group opens for egress, for instance 80 for updates of Ubuntu's packages."""
    policies: NotRequired[Sequence[pulumi.Input[str]]]
    """ARNs of policies for the machines' role: what runs may do in AWS. Runs can use them only with `allow_metadata_service`."""
    permissions_boundary: NotRequired[pulumi.Input[str]]
    """ARN of the policy that limits what the machines' role may do. Default: no boundary."""
    role_path: NotRequired[str]
    """Path of the machines' role and instance profile, for instance `/scalr/`. Default: `/`."""
    ssm: NotRequired[bool]
    """Allow logins through SSM Session Manager. Default: `false`."""
    log_retention_days: NotRequired[int]
    """Send the agent's log to CloudWatch, and retain it for this number of days. Default: the log stays on the machine."""
    spot: NotRequired[bool]
    """Use Spot instances. AWS can reclaim them with two minutes' notice. Default: `false`."""
    tags: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Tags of all AWS resources that support them."""


class GceAgentsArgs(TypedDict):
    """Arguments of `GceAgents`."""

    role: NotRequired[Role]
    """What the agent serves: `runs`, or `vcs` for a private VCS provider. A machine never serves both. Default: `runs`."""
    agent_version: NotRequired[str]
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: NotRequired[int]
    """Maximum number of concurrent runs on one machine, 1 to 5. Default: `5`."""
    memory_per_run: NotRequired[str]
    """Memory limit of each run, as a quantity. Default: `512Mi`."""
    image: NotRequired[str]
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version, from the image registry if there is one."""
    env: NotRequired[Mapping[str, str]]
    """Further environment variables of the agent. Every user of the machine can read them: set secret ones as secrets."""
    root: NotRequired[bool]
    """Run the agent as root, so that `local-exec` of a run can install software in its container. Default: `false`."""
    task_image: NotRequired[str]
    """Complete reference of an image for runs, based on Scalr's own. Agents before 0.61.3 require the version of Terraform as its tag."""
    ca_scope: NotRequired[CaScope]
    """Who trusts the certificate authorities: with `global` the machine, the agent and its runs, with `tasks` only the runs. Default:
    `global`."""
    runtime: NotRequired[Runtime]
    """Whether the agent runs as a container, or as the deprecated package of Scalr. Allowed: `docker`, `package`. Default: `docker`."""
    package: NotRequired[MachinePackageArgs]
    """Repository of the package. Required for `runtime: package`."""
    allow_metadata_service: NotRequired[bool]
    """Allow runs to reach the machine's metadata service, and to use its identity, which can read the agent's token. Default: `false`."""
    drain_seconds: NotRequired[int]
    """Maximum duration of a run, in seconds: 30 to 7200 on AWS, 30 to 3600 on Google Cloud. An agent that is being stopped waits this long
    for its runs. Default: `3600`."""
    on_change: NotRequired[OnChange]
    """`roll` replaces the machines, one after another, when something about them or their secrets changes. `keep` leaves them. Default:
    `roll`."""
    url: NotRequired[str]
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    image_registry: NotRequired[str]
    """Registry to pull the agent's image from."""
    http_proxy: NotRequired[str]
    """URL of the proxy for HTTP requests."""
    https_proxy: NotRequired[str]
    """URL of the proxy for HTTPS requests."""
    no_proxy: NotRequired[Sequence[str]]
    """Hosts, domains and networks to reach without the proxy."""
    ca_bundle: NotRequired[str]
    """Certificate authorities to trust instead of the public ones, in PEM."""
    otel_endpoint: NotRequired[str]
    """gRPC endpoint of the OpenTelemetry collector."""
    otel_metrics: NotRequired[bool]
    """Export metrics. Default: `true`."""
    otel_traces: NotRequired[bool]
    """Export traces. Default: `false`."""
    token: pulumi.Input[str]
    """Token of the agent pool."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables of the agent. Values have one line."""
    region: str
    """Region of the group."""
    subnetwork: pulumi.Input[str]
    """Name of the subnetwork, or its full path or URL for a shared VPC. It needs Cloud NAT or a proxy."""
    machine_type: str
    """Machine type."""
    min: NotRequired[int]
    """Minimum number of machines. Default: `1`."""
    max: NotRequired[int]
    """Maximum number of machines. Default: as many as `min`. Between the two, the group scales with CPU use."""
    machine_image: NotRequired[str]
    """Image of the machines. It must have cloud-init. Default: Ubuntu 22.04 LTS, for the architecture of `machine_type`."""
    egress_ports: NotRequired[Sequence[int]]
    """Further TCP ports that the firewall rules open for egress, for instance 80 for updates of Ubuntu's packages."""
    volume: NotRequired[MachineVolumeArgs]
    """Boot disk of the machines."""
    service_account: NotRequired[pulumi.Input[str]]
    """Email of an existing service account, which may be the identity of runs. Default: a new account that can read only the agent's
    secret."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Labels of all Google Cloud resources that support them."""
