"""The machines of a stack: their keys, findings and documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel

from scalr_agents.machines import CloudNames, Machine, Platform, checks, documents, environment
from scalr_agents.machines.aws import Ec2Settings
from scalr_agents.machines.gcp import GceSettings
from scalr_agents.machines.settings import AgentSettings, Package, Secrets, SharedSettings
from scalr_agents.model import parse as shapes
from scalr_agents.model.fields import AgentVersion, unset
from scalr_agents.model.findings import Finding, Findings, Path, dotted, error, errors, warning
from scalr_agents.model.judge import judge
from scalr_agents.model.maps import Placeholder, is_set
from scalr_agents.model.relations import Relations, exactly_one
from scalr_agents.model.section import Section, by_alias, by_name
from scalr_agents.stack import secrets
from scalr_agents.stack.model import PREFIX, AgentSecrets, Common, StackFile, in_file
from scalr_agents.stack.source import CloudValue, Source


class DockerEntry(Section):
    """Your own host. The stack creates nothing on it."""


class MachineEntry(AgentSettings):
    """Agents on virtual machines. Set exactly one of `ec2`, `gce` and `docker`."""

    agent_version: AgentVersion = ""
    """Version of the agent. Default: that of `common`, or the newest that this package was compared with."""
    ec2: Ec2Settings | None = None
    """Machines on AWS."""
    gce: GceSettings | None = None
    """Machines on Google Cloud."""
    docker: DockerEntry | None = None
    """Your own host. The stack creates nothing on it; `scalr-agents machine` prints its files."""
    package: Package | None = None
    """Repository of the package. Required for `runtime: package`."""

    relations: ClassVar[Relations] = (exactly_one("ec2", "gce", "docker"),)


class MachinesOfFile(Section):
    """The part of a stack file about machines."""

    machines: dict[str, Annotated[MachineEntry, unset({})]] = {}
    """Agents on virtual machines, by name."""


@dataclass(frozen=True)
class StackMachine:
    """One machine of a stack, or a group of identical machines."""

    entry: MachineEntry
    machine: Machine
    secrets: AgentSecrets

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def place(self) -> Path:
        return f"{PREFIX}:machines", self.name

    def _unknown(self, key: str) -> CloudValue:
        """A placeholder for a value that is known only to the cloud, for printed files."""
        return CloudValue(f"{dotted(self.place)}: {key}")

    @property
    def platform(self) -> str:
        """Where the machine is, if the stack file says it once."""
        given = [self.entry.ec2, self.entry.gce, self.entry.docker]
        return self.machine.platform if sum(each is not None for each in given) == 1 else ""

    def names(self) -> CloudNames:
        """Names of cloud resources for printed files, with placeholders for unknown ones."""
        if self.machine.platform == "own":
            return CloudNames()
        logs = self.entry.ec2 and self.entry.ec2.log_retention_days is not None
        group = str(self._unknown("group"))
        return CloudNames(str(self._unknown("secret")), group, group if logs else "")

    def document(self, form: str) -> str:
        return documents.FORMS[form](self.machine, self.names())

    def refusal(self, form: str) -> str:
        """Why this format is not available. Empty if it is."""
        return documents.refusal(self.machine, form)

    def steps(self, form: str) -> list[str]:
        """The remaining manual steps for a document, and its values that are known only to the cloud."""
        text, names = self.document(form), self.names()
        unknown = [name for name in (names.secret, names.group) if name and name in text]
        return [*(f"placeholder: {name} is known only to the cloud" for name in unknown), *documents.steps(self.machine, names, form)]

    def images(self) -> list[str]:
        """The images that the machine pulls, if the stack file names them."""
        own = [environment.image(self.machine)] if self.machine.in_docker else []
        return [*own, *([self.machine.agent.task_image] if self.machine.agent.task_image else [])]


def build(content: object, file: StackFile, bundle: str, *, demand_tokens: bool) -> tuple[list[StackMachine], list[Finding], list[Path]]:
    """The machines of the key `machines`, all findings on them, and the paths that were left out.

    `bundle` holds the certificates of `common`.
    """
    parsed, findings, left_out = shapes.parse(MachinesOfFile, {"machines": content})
    findings = [in_file(finding) for finding in findings]
    shared = _shared(file.common, bundle)
    built = [_build(name, entry, shared, file) for name, entry in parsed.machines.items()]
    for each in built:
        findings += _check(each, file, demand_tokens=demand_tokens)
    for platform in dict.fromkeys(each.platform for each in built):
        findings += judge(shared, _spelled, facts={"platform": platform})
    if not errors(findings):
        built = [replace(each, machine=documents.fitted(each.machine)) for each in built]
        findings += _shared_between_roles(built)
        findings += [finding.under(each.place) for each in built for finding in checks.sizes(each.machine)]
    return built, findings, left_out


def _shared(common: Common, bundle: str) -> SharedSettings:
    proxy, otel = common.proxy, common.otel
    settings: dict[str, Any] = {
        "url": common.url,
        "image_registry": common.image_registry,
        "ca_bundle": bundle,
        **({"http_proxy": proxy.http, "https_proxy": proxy.https, "no_proxy": proxy.except_} if proxy else {}),
        **({"otel_endpoint": otel.endpoint, "otel_metrics": otel.metrics, "otel_traces": otel.traces} if otel else {}),
    }
    return SharedSettings.model_validate(settings, by_name=True, by_alias=False)


def _build(name: str, entry: MachineEntry, shared: SharedSettings, file: StackFile) -> StackMachine:
    version = entry.agent_version or file.common.agent_version
    platform: Platform = "aws" if entry.ec2 else "gcp" if entry.gce else "own"
    agent = entry.model_copy(update={"agent_version": version})
    return StackMachine(entry, Machine(name, platform, agent, shared), file.secrets.get(name, AgentSecrets()))


def _check(each: StackMachine, file: StackFile, *, demand_tokens: bool) -> Iterator[Finding]:
    machine = each.machine
    found = [error("", problem) for _, problem in checks.NAME.problems(each.name)]
    found += judge(machine.agent, _spelled, beside=[machine.shared], facts={"platform": each.platform})
    if each.name in file.agents:
        found.append(error("", f"{PREFIX}:agents has the same name; rename one of them"))
    yield from (_located(finding, each) for finding in found)
    if file.common.ca and file.common.ca.secret:
        yield error(f"{PREFIX}:common.ca.secret", f"machine {each.name!r} cannot read a Kubernetes Secret; set the certificates as a file")
    yield from _check_secrets(each)
    if not errors(found):  # the variables and the place of the token depend on the machine's settings
        yield from (replace(finding, at=_place_of_secret(each, finding.at)) for finding in checks.duplicates(machine, each.secrets.env))
        if demand_tokens and machine.platform != "own" and not secrets.has_token(each.secrets):
            yield error(secrets.place_of(each.name), f"missing; run: {secrets.command(each.name)}")


_COMMON: Mapping[str | int, Path] = {
    "no_proxy": ("proxy", "except"),
    "http_proxy": ("proxy", "http"),
    "https_proxy": ("proxy", "https"),
    "otel_endpoint": ("otel", "endpoint"),
    "ca_bundle": ("ca",),
}
"""The keys of `common` for shared settings."""


def _spelled(model: type[BaseModel], path: Path) -> Path:
    """A path as the stack file has it: shared settings are under `common`."""
    if not issubclass(model, SharedSettings):
        return by_alias(model, path)
    return (f"{PREFIX}:common", *_COMMON.get(path[0], by_alias(model, path[:1])), *path[1:])


def _located(finding: Finding, each: StackMachine) -> Finding:
    """A finding with its place. A version that is not set for the machine is located in `common`."""
    if finding.at == ("agentVersion",) and not each.entry.agent_version:
        return replace(finding, at=(f"{PREFIX}:common", "agentVersion"))
    return finding.under(each.place)


def _check_secrets(each: StackMachine) -> Findings:
    given = each.secrets
    for key, value in (("clientKey", given.client_key), ("mirrorTokens", given.mirror_tokens)):
        if is_set(value):
            yield error(secrets.place_of(each.name, key), "not supported for agents on machines; set only token and env")
    if each.platform == "own" and (is_set(given.token) or given.env):
        message = "has no effect: the stack creates nothing on your own host; write the token to a file there"
        yield warning(secrets.place_of(each.name), message)
    token = given.token if secrets.has_token(given) and each.platform != "own" else Placeholder()
    found = judge(Secrets.model_construct(token=token, secret_env=given.env), by_name)
    yield from (replace(finding, at=_place_of_secret(each, finding.at)) for finding in found)


def _place_of_secret(each: StackMachine, path: Path) -> Path:
    """Where a stack file has the token or a secret variable, or a variable of the machine."""
    if path == ("token",):
        return f"{PREFIX}:secrets", each.name, "token"
    return secrets.located(each.name, path) or (*each.place, *path)


def _shared_between_roles(built: list[StackMachine]) -> Findings:
    """Warnings for machines of different roles that share a security group or an identity."""
    for one, other in combinations(built, 2):
        if one.machine.agent.role == other.machine.agent.role:
            continue
        vcs, runs = (one, other) if one.machine.agent.role == "vcs" else (other, one)
        for key, shared in ((key, shared) for key, shared in _shared_places(vcs.entry, runs.entry) if shared):
            yield warning(
                (*vcs.place, *key), f"{', '.join(shared)}: also used by machine {runs.name!r}, which serves runs; use different ones"
            )


def _shared_places(vcs: MachineEntry, runs: MachineEntry) -> Iterator[tuple[Path, list[str]]]:
    if vcs.ec2 and runs.ec2:
        yield ("ec2", "securityGroups"), checks.same_place(vcs.ec2.security_groups, runs.ec2.security_groups)
    if vcs.gce and runs.gce:
        yield ("gce", "serviceAccount"), checks.same_place([vcs.gce.service_account], [runs.gce.service_account])


def without_region(built: list[StackMachine], source: Source) -> Iterator[Finding]:
    """Warnings for machines if no file of the stack sets their region or project. None with an environment: it may set one."""
    for each in built if not source.environment else ():
        if each.entry.ec2 and not source.may_set_region:
            message = (
                "no region is set; run: pulumi config set aws:region <region>, unless AWS_REGION or a profile sets it wherever Pulumi runs"
            )
            yield warning((*each.place, "ec2"), message)
        if each.entry.gce and "gcp:project" not in source.others:
            message = "no project is set; run: pulumi config set gcp:project <project>, unless GOOGLE_PROJECT sets it wherever Pulumi runs"
            yield warning((*each.place, "gce"), message)
