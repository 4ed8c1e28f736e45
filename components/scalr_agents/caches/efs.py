"""Amazon EFS: where a file system goes and what it is like; the part of it that an agent mounts."""

import ipaddress
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from scalr_agents.caches import Spelling
from scalr_agents.charts.shared import checks
from scalr_agents.charts.shared.checks import Findings
from scalr_agents.model.fields import Deferred, Flag, InputList, InputMap, InputText, Text, integral, is_set, unset
from scalr_agents.model.findings import entry, error, warning
from scalr_agents.model.section import Section, default

OWNER = 1000
"""User and group of the agent's pods, unless their security context says otherwise."""
NFS_PORT = 2049

_LONGEST_PATH = 100
_LONGEST_TAG = 128
_DEEPEST_PATH = 4
_INFREQUENT_AFTER_DAYS = (1, 7, 14, 30, 60, 90, 180, 270, 365)
_EVERYWHERE = ("0.0.0.0/0", "::/0")
_KEY = re.compile(r"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})", re.ASCII)
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+", re.ASCII)

ThroughputMode = Literal["elastic", "bursting", "provisioned"]
PosixId = Annotated[int, Field(ge=0, lt=2**32), BeforeValidator(integral)]


class EfsClients(Section):
    """Who may mount a file system: every one of these gets an ingress rule."""

    model_config = ConfigDict(alias_generator=None)

    security_groups: InputList = []
    """Security groups of the nodes."""
    cidrs: Annotated[list[str], unset([])] = []
    """Networks of the nodes, IPv4 or IPv6."""


class EfsSettings(Section):
    """An EFS file system: a new one, or an existing one by its id."""

    model_config = ConfigDict(alias_generator=None)

    file_system_id: InputText = ""
    """Id of an existing file system. Alone it is taken as it is; with the words for where it goes, its network side is made."""
    eks_cluster: Text = ""
    """Name of an EKS cluster: its VPC, one of its subnets per zone, and its security group as client."""
    vpc_id: InputText = ""
    """VPC of the security group, instead of `eksCluster`."""
    subnets: InputMap = {}
    """Subnet of the mount target of each zone, zone to id, instead of `eksCluster`."""
    clients: EfsClients = default(EfsClients)
    """Who may mount it; with `eksCluster` beside the cluster's own security group."""
    mount_target_security_groups: InputList = []
    """Existing security groups of the mount targets, instead of one made here."""
    throughput_mode: ThroughputMode = "elastic"
    """How throughput is paid for: by use, by stored size, or by what is provisioned."""
    provisioned_throughput_mibps: Annotated[float | None, Field(gt=0, allow_inf_nan=False)] = None
    """MiB/s of throughput mode `provisioned`."""
    kms_key: InputText = ""
    """ARN of the KMS key. Default: the key that AWS manages. The file system is encrypted in any case."""
    infrequent_access_after_days: Annotated[int | None, BeforeValidator(integral)] = None
    """Days without a read after which a file moves to cheaper storage, which its next read leaves again. Default: never."""
    driver_role: InputText = ""
    """ARN of the role of the EFS CSI driver's node pods. The file system's policy then lets that role alone mount. Default: everybody who
    reaches a mount target. The policy of an existing file system is not changed."""
    tags: InputMap = {}
    """Tags of everything that AWS lets one tag."""


class EfsClaimSettings(Section):
    """The part of a file system that one agent mounts."""

    model_config = ConfigDict(alias_generator=None)

    namespace: str
    release: str
    file_system_id: InputText
    uid: PosixId = OWNER
    gid: PosixId = OWNER
    path: Text = ""
    iam: Flag = False
    tags: InputMap = {}


class EfsCsiDriverSettings(Section):
    """The CSI driver of an EKS cluster."""

    model_config = ConfigDict(alias_generator=None)

    cluster_name: InputText
    addon_version: Text = ""
    role_arn: InputText = ""
    tags: InputMap = {}


def check(efs: EfsSettings, say: Spelling) -> Findings:
    """What is valid word by word and still makes no file system, or not the one that was meant."""
    yield from _ids(efs, say)
    if is_set(efs.file_system_id):
        yield from _no_effect_on_existing(efs, say)
    else:
        yield from _key(say("kms_key"), efs.kms_key)
    yield from _role(say("driver_role"), efs.driver_role)
    yield from _network(efs, say)
    yield from _subnets(efs)
    yield from _clients(efs, say)
    provisioned = efs.throughput_mode == "provisioned"
    mibps = say("provisioned_throughput_mibps")
    if provisioned and efs.provisioned_throughput_mibps is None:
        yield error(say("throughput_mode"), f"provisioned needs {mibps}")
    if not provisioned and efs.provisioned_throughput_mibps is not None:
        yield error(mibps, f"has no effect: {say('throughput_mode')} is {efs.throughput_mode}, not provisioned")
    days = efs.infrequent_access_after_days
    if days is not None and days not in _INFREQUENT_AFTER_DAYS:
        yield error(say("infrequent_access_after_days"), f"given {days}; allowed: {', '.join(map(str, _INFREQUENT_AFTER_DAYS))}")
    yield from _tags("tags", efs.tags)


def _ids(efs: EfsSettings, say: Spelling) -> Findings:
    groups = {f"mount_target_security_groups[{index}]": group for index, group in enumerate(efs.mount_target_security_groups)}
    clients = {f"clients.security_groups[{index}]": group for index, group in enumerate(efs.clients.security_groups)}
    yield from _prefixed({say("file_system_id"): efs.file_system_id} if efs.file_system_id else {}, "fs")
    yield from _prefixed({say("vpc_id"): efs.vpc_id} if efs.vpc_id else {}, "vpc")
    yield from _prefixed({f"subnets.{zone}": subnet for zone, subnet in efs.subnets.items()}, "subnet")
    yield from _prefixed({say(path): group for path, group in (groups | clients).items()}, "sg")


def _prefixed(given: Mapping[str, str | Deferred], prefix: str) -> Findings:
    for path, value in given.items():
        if isinstance(value, str) and not re.fullmatch(rf"{prefix}-[0-9a-f]+", value):
            yield error(path, f"given {value!r}, which is no id of this kind: {prefix}-<hexadecimal digits>")


def _key(path: str, value: str | Deferred) -> Findings:
    """AWS takes other names of a key, answers with its ARN, and the provider would replace the file system for the difference."""
    if isinstance(value, str) and value and not _KEY.fullmatch(value):
        yield error(
            path,
            f"given {value!r}, which is not the ARN of a key: arn:<partition>:kms:<region>:<account>:key/<id>. AWS answers with the ARN, "
            "so an alias or an id would replace the file system in every deployment. Look it up: "
            f"aws kms describe-key --key-id {shlex.quote(value)} --query KeyMetadata.Arn --output text",
        )


def _role(path: str, value: str | Deferred) -> Findings:
    if isinstance(value, str) and value and not _ROLE.fullmatch(value):
        yield error(
            path,
            f"given {value!r}, which is not the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>. Look it up: "
            "aws iam get-role --role-name <name> --query Role.Arn --output text",
        )


def _no_effect_on_existing(efs: EfsSettings, say: Spelling) -> Findings:
    for word in ("throughput_mode", "provisioned_throughput_mibps", "kms_key", "infrequent_access_after_days", "on_delete"):
        if word in efs.model_fields_set:
            yield error(say(word), f"has no effect: {say('file_system_id')} names a file system that exists")


def has_network(efs: EfsSettings) -> bool:
    """Whether mount targets are made: for a new file system always, for an existing one if it is said where."""
    return bool(not is_set(efs.file_system_id) or efs.eks_cluster or efs.subnets)


def _network(efs: EfsSettings, say: Spelling) -> Findings:
    cluster, vpc, subnets = say("eks_cluster"), say("vpc_id"), "subnets"
    if efs.eks_cluster:
        for word, given in ((vpc, efs.vpc_id), (subnets, efs.subnets)):
            if is_set(given):
                yield error(word, f"given together with {cluster}, which it stands for; keep one of them")
    elif not has_network(efs):
        places = ("vpc_id", "clients", "mount_target_security_groups")
        for word in (word for word in places if word in efs.model_fields_set):
            yield error(say(word), f"has no effect without {subnets} or {cluster}: {say('file_system_id')} alone is taken as it is")
    elif not efs.subnets:
        yield error("", f"needs to know where the file system goes: {cluster}, or {vpc} and {subnets} (or {say('file_system_id')})")
    elif not is_set(efs.vpc_id) and not efs.mount_target_security_groups:
        yield error(vpc, f"missing: the security group of the mount targets needs it (or {say('mount_target_security_groups')})")
    elif is_set(efs.vpc_id) and efs.mount_target_security_groups:
        yield error(vpc, f"has no effect: {say('mount_target_security_groups')} exist, and none is made")


def _subnets(efs: EfsSettings) -> Findings:
    by_subnet: dict[str, str] = {}
    for zone, subnet in efs.subnets.items():
        if not re.fullmatch(r"[a-z]{2,}(-[a-z0-9]+)+(?<=[a-z])", zone) or zone.startswith("subnet-"):
            yield error(entry("subnets", zone), "not a zone, for instance eu-west-1a; every zone has one subnet")
        if isinstance(subnet, str) and by_subnet.setdefault(subnet, zone) != zone:
            yield error(
                entry("subnets", zone), f"{subnet!r} is the subnet of zone {by_subnet[subnet]!r} already; a subnet lies in one zone"
            )


def _clients(efs: EfsSettings, say: Spelling) -> Findings:
    given = [*efs.clients.security_groups, *efs.clients.cidrs]
    if efs.mount_target_security_groups and given:
        yield error("clients", f"has no effect: the rules of {say('mount_target_security_groups')} decide who may mount")
    elif efs.subnets and not given and not efs.mount_target_security_groups:
        yield error("clients", f"missing: nobody could mount it; give {say('clients.security_groups')} or clients.cidrs")
    for path, values in (("clients.security_groups", efs.clients.security_groups), ("clients.cidrs", efs.clients.cidrs)):
        for index, value in enumerate(values):
            if isinstance(value, str) and value in values[:index]:
                yield error(f"{say(path)}[{index}]", f"{value!r} is in the list already")
    for index, cidr in enumerate(efs.clients.cidrs):
        if not _is_network(cidr):
            yield error(f"clients.cidrs[{index}]", f"given {cidr!r}, which is no network, for instance 10.0.0.0/16 or fd00::/64")
        if cidr in _EVERYWHERE:
            yield warning(f"clients.cidrs[{index}]", "lets everybody mount who can reach a mount target")


def _is_network(text: str) -> bool:
    """Whether a network is written as AWS writes it."""
    try:
        return str(ipaddress.ip_network(text)) == text
    except ValueError:
        return False


def _tags(path: str, tags: Mapping[str, str | Deferred]) -> Findings:
    for key in tags:
        if key.lower().startswith("aws:") or not 0 < len(key) <= _LONGEST_TAG:
            yield error(entry(path, key), f"not a key for a tag: at most {_LONGEST_TAG} characters, not starting with aws:")


def access_path(namespace: str, release: str) -> str:
    """The directory of a file system that an agent gets for itself."""
    return f"/scalr-agent-cache/{namespace}/{release}"


def path_problems(path: str) -> Iterator[str]:
    """Why EFS would refuse a directory as the root of an access point."""
    if len(path) > _LONGEST_PATH:
        yield f"directory {path!r} has {len(path)} characters, and EFS allows {_LONGEST_PATH}; use shorter names"
    if not re.fullmatch(r"(/[^/\0]+)+", path):
        yield f"{path!r} is not the absolute path of a directory"
    elif path.count("/") > _DEEPEST_PATH:
        yield f"{path!r} is {path.count('/')} directories deep, and EFS makes at most {_DEEPEST_PATH}"


def claim_path(claim: EfsClaimSettings) -> str:
    return claim.path or access_path(claim.namespace, claim.release)


def check_claim(claim: EfsClaimSettings) -> Findings:
    yield from checks.place(claim.release, claim.namespace)
    if is_set(claim.file_system_id):
        yield from _prefixed({"file_system_id": claim.file_system_id}, "fs")
    else:
        yield error("file_system_id", "missing")
    yield from (error("path", problem) for problem in path_problems(claim_path(claim)))
    yield from _tags("tags", claim.tags)


def check_driver(driver: EfsCsiDriverSettings) -> Findings:
    if not is_set(driver.cluster_name):
        yield error("cluster_name", "missing")
    yield from _role("role_arn", driver.role_arn)
    yield from _tags("tags", driver.tags)
