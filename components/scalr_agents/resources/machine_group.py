"""What groups of machines have in common, whatever their cloud: arguments, secret, user data."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NotRequired, TypedDict

import pulumi

from scalr_agents.machines import CloudNames, Machine, Platform, checks, documents, environment
from scalr_agents.machines.settings import AgentSettings, Package, Secrets, SharedSettings, Volume
from scalr_agents.model import quantities
from scalr_agents.model.characters import is_one_line
from scalr_agents.model.findings import Finding, error, errors, warning
from scalr_agents.model.forms import is_set
from scalr_agents.model.spelling import in_programs
from scalr_agents.resources.options import parsed, when_registered

STOP_MARGIN_SECONDS = 120
"""What a stop of the agent may take beside the drain: its last grace, and that of systemd."""
_START_SECONDS = 900
"""What a machine may take to start, and to be gone after its runs have ended."""
HTTPS = 443
_DIGEST, _LONGEST_SHORT_NAME = 8, 20
_NEEDS = {
    "no_proxy": ("http_proxy", "https_proxy"),
    "otel_metrics": ("otel_endpoint",),
    "otel_traces": ("otel_endpoint",),
}
"""Arguments that do nothing alone."""
_UNKNOWN = CloudNames("-" * 128, "-" * 64, "-" * 64)
"""As long as the names that the cloud may give."""


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


class Arguments(AgentSettings, SharedSettings, Secrets):
    """The arguments that groups in all clouds have."""


def described(name: str, platform: Platform, given: Arguments) -> Machine:
    """The machine that arguments describe."""
    return Machine(name, platform, given, given)


def check(machine: Machine, given: Arguments) -> Iterator[Finding]:
    """Findings on the arguments that all clouds have."""
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
        yield error("token", "missing: the token of the agent pool")
    for word, others in _NEEDS.items():
        if word in given.model_fields_set and getattr(given, word) and not any(getattr(given, other) for other in others):
            yield warning(word, f"has no effect without {' or '.join(others)}")
    if not errors(found):
        yield from checks.decided(machine, given.secret_env, in_programs)
        yield from checks.user_data(machine, documents.cloud_init(machine, _UNKNOWN))


def secret_content(owner: pulumi.Resource, machine: Machine, given: Secrets) -> pulumi.Output[str]:
    """The secret of the machines of the component `owner`: a JSON object of variables."""
    variables: dict[str, Any] = {environment.token_name(machine): given.token, **given.secret_env}

    def as_json(known: Mapping[str, Any]) -> str:
        unfit = [name for name, value in known.items() if not isinstance(value, str) or not value or not is_one_line(value)]
        if unfit:
            raise ValueError(f"machine {machine.name!r} cannot be deployed: empty, or no text of one line: {', '.join(unfit)}")
        return json.dumps(known)

    return pulumi.Output.secret(parsed(when_registered(owner, pulumi.Output.all(**variables)), as_json))


def in_cloud(name: str) -> str:
    """A name that no other stack's machines have."""
    return f"{pulumi.get_project()}-{pulumi.get_stack()}-{name}".replace(".", "-").lower()


def fixed_name(name: str, longest: int, variant: str = "") -> str:
    """A name for a resource of the machines `name`, known before the resource exists. Another `variant` has another name."""
    full = in_cloud(name)
    if len(full) <= longest and not variant:
        return full
    digest = hashlib.sha256(f"{full}{variant}".encode()).hexdigest()[:_DIGEST]
    return f"{full[: longest - _DIGEST - 1]}-{digest}"


def short_name(name: str, variant: str = "") -> str:
    """A name of at most 29 characters that no other stack's machines have, of letters, digits and hyphens."""
    return f"{name[:_LONGEST_SHORT_NAME]}-{hashlib.sha256(f'{in_cloud(name)}{variant}'.encode()).hexdigest()[:_DIGEST]}"


def replacement_seconds(machine: Machine) -> int:
    """How long it may take to replace one machine: a new one starts, and the old one waits for its runs."""
    return environment.stop_seconds(machine) + STOP_MARGIN_SECONDS + _START_SECONDS


def timeouts(machine: Machine) -> pulumi.CustomTimeouts:
    """How long an update or the removal of a group may take: until the runs of a machine that has to go have ended."""
    seconds = f"{replacement_seconds(machine)}s"
    return pulumi.CustomTimeouts(update=seconds, delete=seconds)


def gibibytes(volume: Volume) -> int:
    """The size of a disk in the unit of both clouds, rounded up."""
    return math.ceil(quantities.parse(volume.size) / 1024**3)


def ports(machine: Machine, further: Iterable[int] = ()) -> list[int]:
    """The ports that machines reach: HTTPS, those of the proxy, the collector, the account and the registries, and further ones."""
    agent, shared, package = machine.agent, machine.shared, machine.agent.package or Package()
    urls = {shared.http_proxy: 80, shared.https_proxy: 80, shared.otel_endpoint: 4317}
    urls |= {url: 80 if url.startswith("http:") else HTTPS for url in (shared.url, package.apt.partition(" ")[0], package.yum, package.key)}
    images = (f"{shared.image_registry}/", agent.image, agent.task_image)  # what stands before the first slash is a registry
    urls |= {f"https://{image.partition('/')[0]}": HTTPS for image in images if "/" in image}
    return sorted({HTTPS, *further, *(checks.port(url, default) for url, default in urls.items() if url)})
