"""The settings of agents on machines, wherever these are, as programs write them. Stack files have the same settings in camelCase."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from scalr_agents.machines import versions
from scalr_agents.model import checks, proxies, quantities, secret_patterns
from scalr_agents.model.fields import (
    IMAGE_REFERENCE,
    AgentVersion,
    EnvName,
    EnvText,
    Flag,
    InputText,
    Line,
    Quantity,
    Registry,
    Text,
    VersionText,
    unset,
)
from scalr_agents.model.findings import Findings, error, warning
from scalr_agents.model.forms import REQUIRED, Form, Required, Rule, caution, integral
from scalr_agents.model.proxies import Exceptions
from scalr_agents.model.relations import Is, Relations, check, exactly_one, excludes, needs, no_effect, risky
from scalr_agents.model.section import Section
from scalr_agents.model.texts import is_one_line

Whole = Annotated[int, Field(ge=0), BeforeValidator(integral)]
Port = Annotated[int, Field(ge=1, le=65535), BeforeValidator(integral)]
Role = Literal["runs", "vcs"]
Runtime = Literal["docker", "package"]
CaScope = Literal["global", "tasks"]
OnChange = Literal["roll", "keep"]

_DRAIN_LIMITS = {"aws": (7200, "an Auto Scaling group waits at most two hours"), "gcp": (3600, "Google waits at most one hour")}
_SHORTEST_DRAIN_SECONDS = 30
"""The shortest timeout of a lifecycle hook of an Auto Scaling group."""
MOST_EGRESS_PORTS = 20
"""A security group has at most 60 rules by default, and each port needs two, for IPv4 and IPv6."""
_SMALLEST_DISK = 20 * 1000**3
_ONE_LINE = "has several lines or control characters, but variables of machines have one line"
_SERVICES = {
    "aws": "secretsmanager.<region>.amazonaws.com, autoscaling.<region>.amazonaws.com and, for logs, logs.<region>.amazonaws.com",
    "gcp": "secretmanager.googleapis.com",
}
_DOMAINS = {"aws": "amazonaws.com", "gcp": "googleapis.com"}
_IN_CLOUD, _ON_OWN_HOST = Is("platform", "aws", "gcp"), Is("platform", "own")


def _one_line(value: str) -> str:
    return "" if is_one_line(value) else f"{_ONE_LINE}; remove the line break, also one at the end"


def _memory(value: str) -> str:
    try:
        quantities.megabytes(value, "512Mi")
    except ValueError as problem:
        return str(problem)
    return ""


def _disk(size: str) -> str:
    small = quantities.parse(size) < _SMALLEST_DISK
    return f"given {size}; set at least 20G, for images and the data of runs" if small else ""


def is_floating(reference: str) -> bool:
    """Whether an image reference has no fixed version: no digest, and the tag `latest` or none."""
    if "@" in reference:
        return False
    _, colon, tag = reference.rpartition("/")[2].partition(":")
    return not colon or tag == "latest"


def _fixed(reference: str) -> str:
    floating = is_floating(reference)
    return "not a fixed version: machines of one group may run different versions; set a version or a digest" if floating else ""


def _no_token(name: str) -> str:
    plain = "the token would be stored in plain text on the machine and in its user data; set it as a secret"
    return plain if name in versions.TOKEN_NAMES else ""


def _no_login(url: str) -> str:
    login = secret_patterns.holds_password(url)
    plain = "contains credentials, which would be stored in plain text on the machine and in its user data; allow the machines by address"
    return plain if login else ""


def _is_proxy(url: str) -> bool:
    return url.partition("://")[0].lower() in ("http", "https") and "$" not in url and proxies.is_address(url)


Variables = Annotated[
    dict[Annotated[EnvName, Rule(_no_token)], Annotated[EnvText, Rule(lambda value: "" if is_one_line(value) else _ONE_LINE)]], unset({})
]
SecretVariables = Annotated[
    dict[
        EnvName,
        Annotated[
            InputText,
            Rule(lambda value: "" if is_one_line(value) else _ONE_LINE),
            Rule(lambda value: "" if value else "empty; set it, or remove it"),
        ],
    ],
    unset({}),
]
Token = Annotated[InputText, Required("set the token of the agent pool"), Rule(_one_line), Rule(checks.no_token), caution(checks.padded)]
FixedImage = Annotated[Line, IMAGE_REFERENCE, caution(_fixed)]
ProxyUrl = Annotated[
    Line,
    Rule(_no_login),
    Form(
        expected="a URL with scheme and host, for instance http://proxy.example:3128",
        test=_is_proxy,
        repeated=False,
    ),
    caution(lambda url: "" if proxies.has_port(url) else proxies.NO_PORT),
]
_HTTPS = Form(expected="a URL that begins with https://", test=r"https://.*", repeated=False)
_APT = Form(
    expected="<URL> <suite> <component>, for instance https://packages.example/scalr jammy main",
    test=r"\s*\S+\s+\S+\s+\S+\s*",
    repeated=False,
)
_PACKAGE_VERSION = Form(expected="the version of a package, for instance 0.50.0", test=r"[0-9][0-9A-Za-z.+~:_-]*")


def _tag_of_terraform(image: str, version: str) -> Findings:
    if ":" not in image.rpartition("/")[2] and not versions.TASK_IMAGE.has(version):
        first = versions.TASK_IMAGE.first
        message = f"requires a tag with the version of Terraform: agents before {first} use the image scalr/terraform:<version>"
        yield error("task_image", message)


def _drain(seconds: int, platform: str) -> Findings:
    longest, reason = _DRAIN_LIMITS[platform]
    if not _SHORTEST_DRAIN_SECONDS <= seconds <= longest:
        yield error("drain_seconds", f"given {seconds}; allowed: {_SHORTEST_DRAIN_SECONDS} to {longest}, because {reason}")


def _no_plain_secrets(env: Mapping[str, str]) -> Findings:
    for name, value in env.items():
        if secret_patterns.is_secret(name, value):
            yield warning(("env", name), "seems to contain a secret, which would be stored in plain text in user data; set it as a secret")


def _plain_http(setting: str, url: str) -> Findings:
    if url.lower().startswith("https:"):
        yield error(setting, "machines connect to a proxy only over http://; HTTPS traffic is tunnelled through it")


def has_cloud(platform: str, exceptions: Sequence[str]) -> bool:
    """Whether the proxy's exceptions have a host of the cloud."""
    return any(_DOMAINS[platform] in host for host in exceptions)


def _reaches_secrets(_url: str, exceptions: Sequence[str], platform: str, exceptions_name: str) -> Findings:
    if not has_cloud(platform, exceptions):
        message = (
            f"machines read their secrets through this proxy: allow {_SERVICES[platform]} on it, or use private endpoints and list them "
            f"in {exceptions_name}"
        )
        yield warning("https_proxy", message)


def count(most: int, least: int, least_name: str) -> Findings:
    """Findings on the largest and the smallest number of machines of a group."""
    if most < least:
        yield error("max", f"given {most}, which is less than {least_name}, {least}")
    if not least:
        yield error("min", "given 0: a group without machines has no CPU use to scale with, so it never starts one; set at least 1")


class Volume(Section):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    size: Annotated[Quantity, Rule(_disk)] = "30Gi"
    """Size as a quantity, at least 20 GB."""
    kms_key: InputText = ""
    """Key that encrypts the disk: an ARN on AWS, a full name on Google Cloud. Default: the key that the cloud manages. The disk is always
    encrypted."""


class Package(Section):
    """The repository of the `scalr-agent` package, for `runtime: package`."""

    apt: Annotated[Line, _APT] = ""
    """For Ubuntu: `<URL> <suite> <component>`, as in a line of `sources.list`."""
    yum: Annotated[Line, _HTTPS] = ""
    """For Rocky Linux: the base URL."""
    key: Annotated[Line, REQUIRED, _HTTPS] = ""
    """URL of the key that signs the repository. Required."""
    version: Annotated[VersionText, _PACKAGE_VERSION] = ""
    """Version of the package. Default: the newest in the repository."""

    relations: ClassVar[Relations] = (exactly_one("apt", "yum"),)


class AgentSettings(Section):
    """The agent of a machine."""

    role: Role = "runs"
    """What the agent serves: `runs`, or `vcs` for a private VCS provider. A machine never serves both."""
    agent_version: AgentVersion = ""
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: Annotated[int, Field(ge=1, le=5), BeforeValidator(integral)] = 5
    """Maximum number of concurrent runs on one machine, 1 to 5."""
    memory_per_run: Annotated[Quantity, Rule(_memory)] = "512Mi"
    """Memory limit of each run, as a quantity."""
    image: FixedImage = ""
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version, from the image registry if there
    is one."""
    env: Variables = {}
    """Further environment variables of the agent. Every user of the machine can read them: set secret ones as secrets."""
    root: Flag = False
    """Run the agent as root, so that `local-exec` of a run can install software in its container."""
    task_image: FixedImage = ""
    """Complete reference of an image for runs, based on Scalr's own. Agents before 0.61.3 require the version of Terraform as its tag."""
    ca_scope: CaScope = "global"
    """Who trusts the certificate authorities: with `global` the machine, the agent and its runs, with `tasks` only the runs."""
    runtime: Runtime = "docker"
    """Whether the agent runs as a container, or as the deprecated package of Scalr."""
    package: Package | None = None
    """Repository of the package. Required for `runtime: package`."""
    allow_metadata_service: Flag = False
    """Allow runs to reach the machine's metadata service, and to use its identity, which can read the agent's token."""
    drain_seconds: Annotated[int, Field(gt=0), BeforeValidator(integral)] = 3600
    """Maximum duration of a run, in seconds: 30 to 7200 on AWS, 30 to 3600 on Google Cloud. An agent that is being stopped waits this long
    for its runs."""
    on_change: OnChange = "roll"
    """`roll` replaces the machines, one after another, when something about them or their secrets changes. `keep` leaves them."""

    relations: ClassVar[Relations] = (
        no_effect(
            *("concurrency", "memory_per_run", "task_image", "root", "drain_seconds", "allow_metadata_service"),
            when=Is("role", "vcs"),
            because="{role} is vcs, and it applies only to runs",
        ),
        no_effect(
            "on_change",
            when=_ON_OWN_HOST,
            because="the stack creates nothing on your own host; restart the agent there after a change",
            severity="warning",
        ),
        no_effect(
            Is("allow_metadata_service", True, False),
            when=_ON_OWN_HOST,
            because="the stack creates nothing on your own host; if it is in a cloud, block its metadata service for containers there",
            severity="warning",
        ),
        no_effect("ca_scope", unless="ca_bundle", severity="warning"),
        no_effect("package", when=Is("runtime", "docker")),
        no_effect("image", when=Is("runtime", "package")),
        needs("package", when=Is("runtime", "package")),
        risky(Is("runtime", "package"), because="Scalr has deprecated its packages (end of March 2026); use docker"),
        excludes(
            "concurrency",
            unless=Is("agent_version", versions.NEW_NAMES.has),
            because=f"requires agents {versions.NEW_NAMES.first} or newer; older agents always have five concurrent runs",
        ),
        check("task_image", "agent_version", by=_tag_of_terraform),
        check("drain_seconds", "platform", when=_IN_CLOUD, unless=Is("role", "vcs"), by=_drain),
        check("env", by=_no_plain_secrets),
    )


class SharedSettings(Section):
    """Settings that all agents of a stack share and that machines support."""

    url: Line = ""
    """URL of the Scalr account, `https://<account>.scalr.io`."""
    image_registry: Registry = ""
    """Registry to pull the agent's image from."""
    http_proxy: ProxyUrl = ""
    """URL of the proxy for HTTP requests."""
    https_proxy: ProxyUrl = ""
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

    relations: ClassVar[Relations] = (
        needs("url", because=checks.NO_URL, severity="warning"),
        check("url", by=partial(checks.url, "url")),
        check("ca_bundle", by=partial(checks.ca_bundle, "ca_bundle")),
        check("otel_endpoint", by=partial(proxies.collector, "otel_endpoint")),
        check("http_proxy", when=_IN_CLOUD, by=partial(_plain_http, "http_proxy")),
        check("https_proxy", when=_IN_CLOUD, by=partial(_plain_http, "https_proxy")),
        risky("http_proxy", unless="https_proxy", because=proxies.ONLY_HTTP),
        check("no_proxy", when=("http_proxy", "https_proxy"), by=partial(proxies.wildcards, "no_proxy")),
        check("https_proxy", "no_proxy", "platform", when=_IN_CLOUD, by=_reaches_secrets, named="no_proxy"),
    )


class Secrets(Section):
    """The secrets of an agent on machines."""

    token: Token = ""
    """Token of the agent pool."""
    secret_env: SecretVariables = {}
    """Secret environment variables of the agent. Values have one line."""


class Arguments(Secrets, SharedSettings, AgentSettings):
    """The arguments that the groups in all clouds share."""

    relations: ClassVar[Relations] = (
        no_effect("no_proxy", unless=("http_proxy", "https_proxy"), severity="warning"),
        no_effect("otel_metrics", "otel_traces", unless="otel_endpoint", severity="warning"),
    )
