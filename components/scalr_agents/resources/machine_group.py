"""Shared code of the groups of machines on AWS and Google Cloud: arguments, secret, user data."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from scalr_agents.machines import CloudNames, Machine, Platform, checks, documents, environment
from scalr_agents.machines.settings import AgentSettings, Package, Secrets, SharedSettings, Volume
from scalr_agents.model import quantities
from scalr_agents.model.characters import is_one_line
from scalr_agents.model.findings import Finding, error, errors, warning
from scalr_agents.model.forms import is_set
from scalr_agents.model.spelling import in_programs
from scalr_agents.resources import literals
from scalr_agents.resources.options import parsed, when_registered

STOP_MARGIN_SECONDS = 120
"""Time to stop the agent in addition to the drain: its grace period, and that of systemd."""
_START_SECONDS = 900
"""Time for a new machine to start, and for the old one to be removed after its runs have ended."""
HTTPS = 443
_DIGEST, _LONGEST_SHORT_NAME = 8, 20
_NEEDS = {
    "no_proxy": ("http_proxy", "https_proxy"),
    "otel_metrics": ("otel_endpoint",),
    "otel_traces": ("otel_endpoint",),
}
"""Arguments that have no effect without one of the others."""
_UNKNOWN = CloudNames("-" * 128, "-" * 64, "-" * 64)
"""As long as the longest names in the cloud, to check the size of user data."""


class MachineVolumeArgs(TypedDict):
    """The machine's disk. It holds the system, Docker's images and the data of runs."""

    size: NotRequired[str]
    """Size as a quantity, at least 20 GB. Default: `30Gi`."""
    kms_key: NotRequired[pulumi.Input[str]]
    """Key that encrypts the disk: an ARN on AWS, a full name on Google Cloud. Default: the key that the cloud manages."""


class MachinePackageArgs(TypedDict):
    """The repository of the `scalr-agent` package, for `runtime: package`."""

    apt: NotRequired[str]
    """For Ubuntu: `<URL> <suite> <component>`."""
    yum: NotRequired[str]
    """For Rocky Linux: the base URL."""
    key: str
    """URL of the key that signs the repository."""
    version: NotRequired[str]
    """Version of the package. Default: the newest in the repository."""


class MachineAccountArgs(TypedDict):
    """The arguments of the groups in all clouds that connect the agent to Scalr."""

    token: pulumi.Input[str]
    """Token of the agent pool."""
    secret_env: NotRequired[Mapping[str, pulumi.Input[str]]]
    """Secret environment variables of the agent. Values have one line."""
    url: NotRequired[str]
    """URL of the Scalr account, `https://<account>.scalr.io`."""


class MachineAgentArgs(TypedDict):
    """The arguments of the groups in all clouds that describe the agent."""

    role: NotRequired[literals.Role]
    """What the agent serves: `runs` (default), or `vcs` for a private VCS provider."""
    agent_version: NotRequired[str]
    """Version of the agent. Default: the newest that this package was compared with."""
    concurrency: NotRequired[int]
    """Maximum number of concurrent runs on one machine, 1 to 5. Default: 5."""
    memory_per_run: NotRequired[str]
    """Memory limit of each run, as a quantity. Default: `512Mi`."""
    image: NotRequired[str]
    """Complete reference of the agent's image. Default: `scalr/agent` with the agent's version."""
    image_registry: NotRequired[str]
    """Registry to pull the agent's image from."""
    env: NotRequired[Mapping[str, str]]
    """Further environment variables of the agent. Every user of the machine can read them."""
    root: NotRequired[bool]
    """Run the agent as root. Default: false."""
    task_image: NotRequired[str]
    """Complete reference of an image for runs, based on Scalr's own."""
    ca_bundle: NotRequired[str]
    """Certificate authorities to trust instead of the public ones, in PEM."""
    ca_scope: NotRequired[literals.CaScope]
    """Who trusts `ca_bundle`: `global` (default) is the machine, the agent and its runs; `tasks` is only the runs."""
    http_proxy: NotRequired[str]
    """URL of the proxy for HTTP requests."""
    https_proxy: NotRequired[str]
    """URL of the proxy for HTTPS requests."""
    no_proxy: NotRequired[Sequence[str]]
    """Hosts, domains and networks to reach without the proxy."""
    otel_endpoint: NotRequired[str]
    """gRPC endpoint of the OpenTelemetry collector."""
    otel_metrics: NotRequired[bool]
    """Export metrics. Default: true."""
    otel_traces: NotRequired[bool]
    """Export traces. Default: false."""
    runtime: NotRequired[literals.Runtime]
    """`docker` (default), or `package`, the deprecated package of Scalr."""
    package: NotRequired[MachinePackageArgs]
    """Repository of the package."""


class Arguments(AgentSettings, SharedSettings, Secrets):
    """The arguments that the groups in all clouds share."""


def described(name: str, platform: Platform, given: Arguments) -> Machine:
    """The machine that these arguments describe."""
    return Machine(name, platform, given, given)


def check(machine: Machine, given: Arguments) -> Iterator[Finding]:
    """Findings on the arguments that the groups in all clouds share."""
    found = [
        *checks.name(machine.name),
        *checks.agent(given, machine.platform, in_programs),
        *checks.shared(given, machine.platform, in_programs),
        *checks.secret_env(given.secret_env),
        *checks.without_effect(machine, in_programs),
    ]
    yield from found
    if is_set(given.token):
        yield from checks.token("token", given.token)
    else:
        yield error("token", "missing: set the token of the agent pool")
    for setting, others in _NEEDS.items():
        if setting in given.model_fields_set and getattr(given, setting) and not any(getattr(given, other) for other in others):
            yield warning(setting, f"has no effect without {' or '.join(others)}")
    if not errors(found):
        yield from checks.duplicates(machine, given.secret_env, in_programs)
        yield from checks.user_data(machine, documents.cloud_init(machine, _UNKNOWN))


def secret_content(owner: pulumi.Resource, machine: Machine, given: Secrets) -> pulumi.Output[str]:
    """The secret of the machines of the component `owner`: a JSON object of variables."""
    variables: dict[str, Any] = {environment.token_name(machine): given.token, **given.secret_env}

    def as_json(known: Mapping[str, Any]) -> str:
        invalid = [name for name, value in known.items() if not isinstance(value, str) or not value or not is_one_line(value)]
        if invalid:
            raise ValueError(
                f"machine {machine.name!r} cannot be deployed: these variables are empty or not a string of one line: {', '.join(invalid)}"
            )
        return json.dumps(known)

    return pulumi.Output.secret(parsed(when_registered(owner, pulumi.Output.all(**variables)), as_json))


def in_cloud(name: str) -> str:
    """A name that is unique among stacks."""
    return f"{pulumi.get_project()}-{pulumi.get_stack()}-{name}".replace(".", "-").lower()


def fixed_name(name: str, longest: int, variant: str = "") -> str:
    """A name for a resource of the machines `name`, known before the resource exists. Each `variant` has its own name."""
    full = in_cloud(name)
    if len(full) <= longest and not variant:
        return full
    digest = hashlib.sha256(f"{full}{variant}".encode()).hexdigest()[:_DIGEST]
    return f"{full[: longest - _DIGEST - 1]}-{digest}"


def short_name(name: str, variant: str = "") -> str:
    """A name that is unique among stacks: at most 29 letters, digits and hyphens."""
    return f"{name[:_LONGEST_SHORT_NAME]}-{hashlib.sha256(f'{in_cloud(name)}{variant}'.encode()).hexdigest()[:_DIGEST]}"


def replacement_seconds(machine: Machine) -> int:
    """Maximum time to replace one machine: a new one starts, and the old one waits for its runs."""
    return environment.stop_seconds(machine) + STOP_MARGIN_SECONDS + _START_SECONDS


def timeouts(machine: Machine) -> pulumi.CustomTimeouts:
    """Timeouts of updates and of the removal of a group: until a removed machine has waited for its runs."""
    seconds = f"{replacement_seconds(machine)}s"
    return pulumi.CustomTimeouts(update=seconds, delete=seconds)


def gibibytes(volume: Volume) -> int:
    """The size of a disk in GiB, rounded up."""
    return math.ceil(quantities.parse(volume.size) / quantities.GIBIBYTE)


def ports(machine: Machine, further: Iterable[int] = ()) -> list[int]:
    """The ports that machines connect to: HTTPS, those of the proxy, the collector, the account and the registries, and further ones."""
    agent, shared, package = machine.agent, machine.shared, machine.agent.package or Package()
    urls = {shared.http_proxy: 80, shared.https_proxy: 80, shared.otel_endpoint: 4317}
    urls |= {url: 80 if url.startswith("http:") else HTTPS for url in (shared.url, package.apt.partition(" ")[0], package.yum, package.key)}
    images = (f"{shared.image_registry}/", agent.image, agent.task_image)  # the part before the first slash is a registry
    urls |= {f"https://{image.partition('/')[0]}": HTTPS for image in images if "/" in image}
    return sorted({HTTPS, *further, *(checks.port(url, default) for url, default in urls.items() if url)})
