"""Shared code of the groups of machines on AWS and Google Cloud: arguments, secret, user data."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pulumi

from scalr_agents.machines import Machine, Platform, checks, documents, environment
from scalr_agents.machines.aws import Ec2Volume
from scalr_agents.machines.gcp import GceVolume
from scalr_agents.machines.settings import Arguments, Package, Secrets
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding
from scalr_agents.model.texts import is_one_line
from scalr_agents.resources.outputs import parsed, when_registered
from scalr_agents.resources.validation import validate

STOP_MARGIN_SECONDS = 120
"""Time to stop the agent in addition to the drain: its grace period, and that of systemd."""
_START_SECONDS = 900
"""Time for a new machine to start, and for the old one to be removed after its runs have ended."""
HTTPS = 443
A = TypeVar("A", bound=Arguments)
_DIGEST, _LONGEST_SHORT_NAME = 8, 20


def described(name: str, platform: Platform, given: Arguments) -> Machine:
    """The machine that these valid arguments describe."""
    return documents.fitted(Machine(name, platform, given, given))


def validated(component: str, name: str, model: type[A], platform: Platform, args: Mapping[str, Any]) -> A:
    """The arguments of a group, checked."""

    def then(given: A) -> Iterator[Finding]:
        machine = described(name, platform, given)
        yield from checks.duplicates(machine, given.secret_env)
        yield from checks.sizes(machine)

    return validate(component, name, model, args, names=checks.NAME, then=then, facts={"platform": platform})


def secret_content(owner: pulumi.Resource, machine: Machine, given: Secrets) -> pulumi.Output[str]:
    """The secret of the machines of the component `owner`: a JSON object of variables, and of certificates if user data has no room."""
    certificates = environment.certificates(machine)
    variables: dict[str, Any] = {
        environment.token_name(machine): given.token,
        **given.secret_env,
        **({environment.CERTIFICATES: certificates} if certificates else {}),
    }

    def as_json(known: Mapping[str, Any]) -> str:
        invalid = [name for name, value in known.items() if not isinstance(value, str) or not value or not is_one_line(value)]
        if invalid:
            raise ValueError(
                f"machine {machine.name!r} cannot be deployed: these variables are empty or not a string of one line: {', '.join(invalid)}"
            )
        content = json.dumps(known)
        if len(content) > checks.LONGEST_SECRET:
            limit = f"its secret has {len(content)} bytes, but the cloud stores at most {checks.LONGEST_SECRET}"
            raise ValueError(f"machine {machine.name!r} cannot be deployed: {limit}; remove variables or certificates")
        return content

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


def gibibytes(volume: Ec2Volume | GceVolume) -> int:
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
