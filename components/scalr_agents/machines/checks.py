"""Checks of settings of machines: combinations that cannot work, have no effect, or are probably a mistake."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from scalr_agents.machines import Machine, Platform, documents, environment, forms, instance_types, versions
from scalr_agents.machines.settings import AgentSettings, Ec2Settings, GceSettings, Package, SharedSettings, Volume
from scalr_agents.model import addresses, checks, proxies, quantities, signs
from scalr_agents.model.characters import is_one_line
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import Deferred, is_deferred, is_image, is_set
from scalr_agents.model.lines import NEWEST, VERSION
from scalr_agents.model.messages import describe, too_long
from scalr_agents.model.spelling import Spelling

DRAIN_LIMITS: Mapping[Platform, tuple[int, str]] = {
    "aws": (7200, "an Auto Scaling group waits at most two hours"),
    "gcp": (3600, "Google waits at most one hour"),
}
_SHORTEST_DRAIN_SECONDS = 30
"""The shortest timeout of a lifecycle hook of an Auto Scaling group."""
_SMALLEST_DISK = 20 * 1000**3
_FOR_RUNS = ("concurrency", "memory_per_run", "task_image", "root", "drain_seconds", "allow_metadata_service")
_NOT_ON_OWN_HOST = {
    "on_change": "restart the agent there after a change",
    "allow_metadata_service": "if the host is in a cloud, block its metadata service for containers there",
}
_SYSTEM_BYTES = instance_types.GIB
"""Memory reserved for the operating system."""
_PACKAGE_VERSION = re.compile(r"[0-9][0-9A-Za-z.+~:_-]*")
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LONGEST_NAME = 32
"""Google allows 30 characters for service accounts and 63 for other names. Pulumi uses some of them to make a name unique."""
_POLICY_ARN = re.compile(r"arn:[\w-]+:iam::(aws|[0-9]{12}):policy/\S+")
_IMAGES: Mapping[str, tuple[str, ...]] = {"arm64": ("arm64", "aarch64"), "x86_64": ("ubuntu-2204-lts", "amd64", "x86-64")}
"""Parts of image names that identify their architecture."""
_ONE_LINE = "has several lines or control characters, but variables of machines have one line"


def name(given: str) -> Findings:
    """Findings on the name of a machine, which is part of the names of its cloud resources."""
    if len(given) > _LONGEST_NAME or not _NAME.fullmatch(given):
        message = f"not a valid machine name: use at most {_LONGEST_NAME} lower case letters, digits and '-', starting with a letter"
        yield error("", f"{message}{too_long(given, _LONGEST_NAME)}")


def agent(given: AgentSettings, platform: Platform, spell: Spelling) -> Findings:
    """Findings on the settings of the agent."""
    set_by_user = given.model_fields_set
    if given.agent_version and not VERSION.fullmatch(given.agent_version):
        yield error(spell("agent_version"), f"not a version of the form MAJOR.MINOR.PATCH, for instance {NEWEST}")
        return
    if given.role == "vcs":
        for setting in (setting for setting in _FOR_RUNS if setting in set_by_user and getattr(given, setting) is not False):
            yield error(spell(setting), f"has no effect: {spell('role')} is vcs, and it applies only to runs")
    yield from _versions(given, spell)
    yield from _memory(given, spell)
    yield from _drain(given, platform, spell)
    for setting in ("image", "task_image"):
        yield from _image(spell(setting), getattr(given, setting))
    yield from _package(given, spell)
    yield from _env(given, spell)


def without_effect(machine: Machine, spell: Spelling) -> Findings:
    """Findings on valid settings that have no effect on this machine."""
    set_by_user = machine.agent.model_fields_set
    if "ca_scope" in set_by_user and not is_set(machine.shared.ca_bundle):
        yield warning(spell("ca_scope"), "has no effect: no certificates are set")
    if machine.platform == "own":
        for setting, advice in _NOT_ON_OWN_HOST.items():
            if setting in set_by_user:
                yield warning(spell(setting), f"has no effect: the stack creates nothing on your own host; {advice}")


def _versions(given: AgentSettings, spell: Spelling) -> Findings:
    if not versions.NEW_NAMES.has(given.agent_version) and "concurrency" in given.model_fields_set:
        yield error(
            spell("concurrency"), f"requires agents {versions.NEW_NAMES.first} or newer; older agents always have five concurrent runs"
        )
    without_tag = given.task_image and ":" not in given.task_image.rpartition("/")[2]
    if without_tag and not versions.TASK_IMAGE.has(given.agent_version):
        yield error(
            spell("task_image"),
            "requires a tag with the version of Terraform: "
            f"agents before {versions.TASK_IMAGE.first} use the image scalr/terraform:<version>",
        )


def _memory(given: AgentSettings, spell: Spelling) -> Findings:
    path = spell("memory_per_run")
    try:
        quantities.megabytes(given.memory_per_run, "512Mi")
    except ValueError as problem:
        yield error(path, str(problem))


def _drain(given: AgentSettings, platform: Platform, spell: Spelling) -> Findings:
    longest, reason = DRAIN_LIMITS.get(platform, (0, ""))
    if longest and given.role == "runs" and not _SHORTEST_DRAIN_SECONDS <= given.drain_seconds <= longest:
        yield error(
            spell("drain_seconds"), f"given {given.drain_seconds}; allowed: {_SHORTEST_DRAIN_SECONDS} to {longest}, because {reason}"
        )


def _image(path: str, reference: str) -> Findings:
    if not reference:
        return
    if not is_image(reference):
        yield error(path, checks.NO_REFERENCE)
    elif environment.is_floating(reference):
        yield warning(path, "not a fixed version: machines of one group may run different versions; set a version or a digest")


def _package(given: AgentSettings, spell: Spelling) -> Findings:
    path = spell("package")
    if given.runtime == "docker":
        if given.package:
            yield error(path, f"has no effect: {spell('runtime')} is docker")
        return
    yield warning(spell("runtime"), "Scalr has deprecated its packages (end of March 2026); use docker")
    if given.image:
        yield error(spell("image"), f"has no effect: {spell('runtime')} is package")
    package = given.package or Package()
    if bool(package.apt) == bool(package.yum):
        yield error(path, "set exactly one of apt and yum, the repository of the scalr-agent package")
    elif package.apt and len(package.apt.split()) != len(("URL", "suite", "component")):
        yield error(f"{path}.apt", "expected <URL> <suite> <component>, for instance https://packages.example/scalr jammy main")
    elif package.yum and not package.yum.startswith("https://"):
        yield error(f"{path}.yum", "expected a URL that begins with https://")
    if package.version and not _PACKAGE_VERSION.fullmatch(package.version):
        yield error(f"{path}.version", "expected the version of a package, for instance 0.50.0")
    if not package.key.startswith("https://"):
        yield error(f"{path}.key", "expected the URL of the repository's key, which begins with https://")


def _env(given: AgentSettings, spell: Spelling) -> Findings:
    path = spell("env")
    for name_, value in given.env.items():
        place = entry(path, name_)
        if name_ in environment.TOKEN_NAMES:
            yield error(place, "the token would be stored in plain text on the machine and in its user data; set it as a secret")
        elif not is_one_line(str(value)):
            yield error(place, _ONE_LINE)
        elif signs.is_secret(name_, value):
            yield warning(place, "seems to contain a secret, which would be stored in plain text in user data; set it as a secret")


def duplicates(machine: Machine, secret_names: Iterable[str], spell: Spelling) -> Findings:
    """Findings on variables that are set twice."""
    derived, own = environment.derived(machine), machine.agent.env
    for name_ in sorted(own.keys() & derived.keys()):
        yield error(entry(spell("env"), name_), "is set by other settings of the machine; use those settings")
    for name_ in sorted(set(secret_names) & (derived.keys() | own.keys() | set(environment.TOKEN_NAMES))):
        yield error(entry("secret_env", name_), "is also set by env or another setting; keep one of them")


def token(path: str, given: str | Deferred) -> Findings:
    """Findings on a token. A token that is an output is not checked."""
    if isinstance(given, str) and not is_one_line(given):
        yield error(path, f"{_ONE_LINE}; remove the line break, also one at the end")
        return
    yield from checks.token_text(path, given)


def secret_env(given: Mapping[str, object]) -> Findings:
    """Findings on secret variables. Outputs are not checked."""
    for name_, value in given.items():
        if isinstance(value, str) and not is_one_line(value):
            yield error(entry("secret_env", name_), _ONE_LINE)
        elif value == "":
            yield error(entry("secret_env", name_), "empty; set it, or remove it")


def shared(given: SharedSettings, platform: Platform, spell: Spelling) -> Findings:
    """Findings on the settings that all agents share."""
    yield from checks.url(spell("url"), given.url)
    yield from checks.ca_bundle(spell("ca_bundle"), given.ca_bundle)
    for setting in ("http_proxy", "https_proxy"):
        yield from _proxy(spell(setting), getattr(given, setting), platform)
    yield from proxies.only_http(spell("http_proxy"), given.http_proxy, given.https_proxy)
    if given.http_proxy or given.https_proxy:
        yield from proxies.wildcards(spell("no_proxy"), given.no_proxy)
    yield from proxies.collector(spell("otel_endpoint"), given.otel_endpoint)
    services = {
        "aws": "secretsmanager.<region>.amazonaws.com, autoscaling.<region>.amazonaws.com and, for logs, logs.<region>.amazonaws.com",
        "gcp": "secretmanager.googleapis.com",
    }
    domain = {"aws": "amazonaws.com", "gcp": "googleapis.com"}.get(platform, "")
    if given.https_proxy and domain and not any(domain in host for host in given.no_proxy):
        yield warning(
            spell("https_proxy"),
            f"machines read their secrets through this proxy: allow {services[platform]} on it, or use private endpoints and list them "
            f"in {spell('no_proxy')}",
        )


def _proxy(path: str, url: str, platform: Platform) -> Findings:
    if not url:
        return
    if addresses.holds_password(url):
        yield error(
            path,
            "contains credentials, which would be stored in plain text on the machine and in its user data; allow the machines by address",
        )
        return
    scheme = url.partition("://")[0].lower()
    if scheme not in ("http", "https") or "$" in url or not addresses.is_address(url):
        yield error(path, "not a URL with scheme and host, for instance http://proxy.example:3128")
    elif scheme == "https" and platform != "own":
        yield error(path, "machines connect to a proxy only over http://; HTTPS traffic is tunnelled through it")
    elif not addresses.has_port(url):
        yield warning(path, proxies.NO_PORT)


def port(url: str, default: int) -> int:
    """The port of a valid URL."""
    try:
        return urlsplit(url).port or default
    except ValueError:
        return default


def ec2(given: Ec2Settings, runs: AgentSettings, spell: Spelling) -> Findings:
    """Findings on machines on AWS."""
    yield from _missing(given, ("subnets", "instance_type"), spell)
    yield from forms.aws(given, spell)
    yield from _count(given.min, given.max, spell)
    yield from _disk(given.volume, spell)
    for path, kind in forms.instance_types(given, spell):
        yield from _room(path, kind, instance_types.ec2_memory(kind), runs)
        known = instance_types.ec2_architecture(kind)
        if known and known != given.architecture:
            yield error(spell("architecture"), f"is {given.architecture}, but {kind} is {known}")
    if given.ami and given.ami_parameter:
        yield error(spell("ami_parameter"), f"has no effect: {spell('ami')} is set; keep one of them")
    yield from _ec2_identity(given, runs, spell)
    if given.other_instance_types and not given.spot:
        yield error(spell("other_instance_types"), f"has no effect without {spell('spot')}")
    if given.egress_ports and given.security_groups:
        yield error(spell("egress_ports"), f"has no effect: {spell('security_groups')} is set; open the ports there")
    if given.log_retention_days is not None and runs.runtime == "package":
        yield error(spell("log_retention_days"), f"requires {spell('runtime')}: docker")
    if given.spot and runs.role == "runs":
        yield warning(spell("spot"), "AWS reclaims Spot instances with two minutes' notice, also during runs; do not use them for runs")


def _ec2_identity(given: Ec2Settings, runs: AgentSettings, spell: Spelling) -> Findings:
    """Findings on the machines' role: its policies, and who can use it."""
    if given.policies and not runs.allow_metadata_service:
        yield warning(
            spell("policies"), f"runs cannot use them: set {spell('allow_metadata_service')}, which gives runs the machine's identity"
        )
    if given.ssm and runs.allow_metadata_service:
        message = (
            "its policy, AmazonSSMManagedInstanceCore, can read all parameters of Systems Manager, "
            f"and with {spell('allow_metadata_service')} so can runs; turn off one of the two"
        )
        yield warning(spell("ssm"), message)
    for index, policy in enumerate(given.policies):
        yield from _policy(f"{spell('policies')}[{index}]", policy)
    if given.permissions_boundary:
        yield from _policy(spell("permissions_boundary"), given.permissions_boundary)
    known = [policy for policy in given.policies if isinstance(policy, str)]
    for policy in sorted({policy for policy in known if known.count(policy) > 1}):
        yield error(spell("policies"), f"{policy} is listed twice")


def _policy(path: str, given: str | Deferred) -> Findings:
    if isinstance(given, str) and not _POLICY_ARN.fullmatch(given):
        yield error(path, "expected the ARN of a policy")


def gce(given: GceSettings, runs: AgentSettings, spell: Spelling) -> Findings:
    """Findings on machines on Google Cloud."""
    yield from _missing(given, ("region", "subnetwork", "machine_type"), spell)
    if given.region and not re.fullmatch(r"[a-z]+-[a-z]+[0-9]+", given.region):
        yield error(spell("region"), f"given {describe(given.region, repeated=True)}; expected a region, for instance europe-west1")
    yield from forms.google(given, spell)
    yield from _count(given.min, given.max, spell)
    yield from _disk(given.volume, spell)
    yield from _room(spell("machine_type"), given.machine_type, instance_types.gce_memory(given.machine_type), runs)
    yield from _gce_family(given, spell)


def _gce_family(given: GceSettings, spell: Spelling) -> Findings:
    """Findings on the family of the machine type, which determines image and disk."""
    family, path = instance_types.gce_family(given.machine_type), spell("machine_type")
    if given.machine_type and not family:
        known = ", ".join(instance_types.GOOGLE_FAMILIES)
        yield warning(path, f"unknown family: an x86_64 image and a pd-balanced disk are used; known: {known}")
    named = next((cpu for cpu, parts in _IMAGES.items() if any(part in given.machine_image for part in parts)), None)
    if family and named and named != family.architecture:
        message = (
            f"is an image for {named}, but {given.machine_type} is {family.architecture}; remove it to use Ubuntu, or set another image"
        )
        yield error(spell("machine_image"), message)


def _missing(given: Ec2Settings | GceSettings, settings: Iterable[str], spell: Spelling) -> Findings:
    yield from (error(spell(setting), "missing") for setting in settings if not is_set(getattr(given, setting)))


def _count(least: int, most: int | None, spell: Spelling) -> Findings:
    if most is not None and most < least:
        yield error(spell("max"), f"given {most}, which is less than {spell('min')}, {least}")
    if most is not None and not least:
        yield error(spell("min"), "given 0: a group without machines has no CPU use to scale with, so it never starts one; set at least 1")


def _disk(given: Volume, spell: Spelling) -> Findings:
    if quantities.parse(given.size) < _SMALLEST_DISK:
        yield error(f"{spell('volume')}.{spell('size')}", f"given {given.size}; set at least 20G, for images and the data of runs")


def _room(path: str, kind: str, memory: float | None, runs: AgentSettings) -> Findings:
    if memory is None or runs.role == "vcs":
        return
    needed = runs.concurrency * quantities.parse(runs.memory_per_run) + _SYSTEM_BYTES
    if needed > memory:
        available, required = memory / instance_types.GIB, float(needed) / instance_types.GIB
        message = (
            f"{kind} has {available:g} GiB of memory, but {runs.concurrency} runs of {runs.memory_per_run} and 1 GiB for the system "
            f"need {required:.1f} GiB; use a larger type, or fewer concurrent runs"
        )
        yield warning(path, message)


def user_data(machine: Machine, text: str) -> Findings:
    """Findings on the size of user data. EC2 limits it, also after compression."""
    if machine.platform == "aws" and len(documents.packed(text)) > documents.LONGEST_USER_DATA:
        size = len(machine.shared.ca_bundle)
        yield error(
            "",
            f"its user data exceeds EC2's limit of 16 KiB, even compressed; the certificates of ca have {size} bytes: remove some",
        )


def same_place(first: Iterable[object], second: Iterable[object]) -> list[str]:
    """Values that both lists contain. Outputs are not compared."""
    known = ({str(value) for value in values if is_set(value) and not is_deferred(value)} for values in (first, second))
    return sorted(set.intersection(*known))
