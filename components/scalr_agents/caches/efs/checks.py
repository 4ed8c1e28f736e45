"""The checks of EFS file systems, of the parts of them that agents mount, and of the CSI driver."""

import ipaddress
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from scalr_agents.caches.efs.settings import EfsClaimSettings, EfsCsiDriverSettings, EfsSettings
from scalr_agents.model import checks, clouds
from scalr_agents.model.findings import Findings, entry, error, warning
from scalr_agents.model.forms import Deferred, is_set
from scalr_agents.model.merge import lookup
from scalr_agents.model.release import CACHE_VOLUME
from scalr_agents.model.spelling import Spelling

_FEWEST_DIGITS = 8
"""Of the id of a file system."""
_LONGEST_PATH = 100
_DEEPEST_PATH = 4
_INFREQUENT_AFTER_DAYS = (1, 7, 14, 30, 60, 90, 180, 270, 365)
_CLUSTER = re.compile(r"[0-9A-Za-z][\w-]{0,99}", re.ASCII)
_ZONE = re.compile(r"[a-z]{2,}(-[a-z0-9]+)+(?<=[a-z])")
_EVERYWHERE = ("0.0.0.0/0", "::/0")
_KEY = re.compile(r"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})", re.ASCII)


def check(efs: EfsSettings, spell: Spelling) -> Findings:
    """Cross-checks of settings that are valid one by one but do not work together."""
    yield from _ids(efs, spell)
    if is_set(efs.file_system_id):
        yield from _no_effect_on_existing(efs, spell)
    else:
        yield from _key(spell("kms_key"), efs.kms_key)
    yield from _role(spell("driver_role"), efs.driver_role)
    yield from _network(efs, spell)
    yield from _subnets(efs)
    yield from _clients(efs, spell)
    provisioned = efs.throughput_mode == "provisioned"
    mibps = spell("provisioned_throughput_mibps")
    if provisioned and efs.provisioned_throughput_mibps is None:
        yield error(spell("throughput_mode"), f"provisioned requires {mibps}")
    if provisioned and (efs.provisioned_throughput_mibps or 1) < 1:
        yield error(mibps, f"given {efs.provisioned_throughput_mibps:g}, but EFS provisions at least 1 MiB/s")
    if not provisioned and efs.provisioned_throughput_mibps is not None:
        yield error(mibps, f"has no effect: {spell('throughput_mode')} is {efs.throughput_mode}, not provisioned")
    days = efs.infrequent_access_after_days
    if days is not None and days not in _INFREQUENT_AFTER_DAYS:
        yield error(spell("infrequent_access_after_days"), f"given {days}; allowed: {', '.join(map(str, _INFREQUENT_AFTER_DAYS))}")
    yield from clouds.tags("tags", efs.tags)


def _ids(efs: EfsSettings, spell: Spelling) -> Findings:
    groups = {f"mount_target_security_groups[{index}]": group for index, group in enumerate(efs.mount_target_security_groups)}
    clients = {f"clients.security_groups[{index}]": group for index, group in enumerate(efs.clients.security_groups)}
    yield from clouds.ids({spell("file_system_id"): efs.file_system_id} if efs.file_system_id else {}, "fs", _FEWEST_DIGITS)
    yield from clouds.ids({spell("vpc_id"): efs.vpc_id} if efs.vpc_id else {}, "vpc")
    yield from clouds.ids({f"subnets.{zone}": subnet for zone, subnet in efs.subnets.items()}, "subnet")
    yield from clouds.ids({spell(path): group for path, group in (groups | clients).items()}, "sg")


def _key(path: str, value: str | Deferred) -> Findings:
    """AWS accepts an alias or an ID but returns the ARN, and the provider would replace the file system because of the difference."""
    if isinstance(value, str) and value and not _KEY.fullmatch(value):
        yield error(
            path,
            f"given {value!r}, which is not the ARN of a key: arn:<partition>:kms:<region>:<account>:key/<id>. An alias or a key ID "
            "would replace the file system on every deployment, because AWS returns the ARN. Look it up: "
            f"aws kms describe-key --key-id {shlex.quote(value)} --query KeyMetadata.Arn --output text",
        )


def _role(path: str, value: str | Deferred) -> Findings:
    if isinstance(value, str) and value and not clouds.ROLE_ARN.fullmatch(value):
        yield error(
            path,
            f"given {value!r}, which is not the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>. Look it up: "
            "aws iam get-role --role-name <name> --query Role.Arn --output text",
        )


def _no_effect_on_existing(efs: EfsSettings, spell: Spelling) -> Findings:
    for key in ("zone", "throughput_mode", "provisioned_throughput_mibps", "kms_key", "infrequent_access_after_days", "on_delete"):
        if key in efs.model_fields_set:
            yield error(spell(key), f"has no effect: {spell('file_system_id')} refers to an existing file system")


def _network(efs: EfsSettings, spell: Spelling) -> Findings:
    cluster, vpc, subnets = spell("eks_cluster"), spell("vpc_id"), "subnets"
    if efs.eks_cluster:
        if not _CLUSTER.fullmatch(efs.eks_cluster):
            yield error(cluster, "not the name of an EKS cluster; give only the name, not an ARN")
        for key, given in ((vpc, efs.vpc_id), (subnets, efs.subnets)):
            if is_set(given):
                yield error(key, f"given together with {cluster}, which sets it too; keep one of them")
    elif not efs.has_network:
        places = ("vpc_id", "clients", "mount_target_security_groups")
        for key in (key for key in places if key in efs.model_fields_set):
            yield error(
                spell(key),
                f"has no effect without {subnets} or {cluster}: an existing file system ({spell('file_system_id')}) is then used as it is",
            )
    elif not efs.subnets:
        yield error("", f"network missing: set {cluster}, or {vpc} and {subnets}, or {spell('file_system_id')}")
    elif not is_set(efs.vpc_id) and not efs.mount_target_security_groups:
        yield error(
            vpc, f"missing: the security group of the mount targets requires it; set it, or set {spell('mount_target_security_groups')}"
        )
    elif is_set(efs.vpc_id) and efs.mount_target_security_groups:
        yield error(vpc, f"has no effect: {spell('mount_target_security_groups')} is set, so no security group is created")


def _zone(zone: str) -> Findings:
    if zone and not _is_zone(zone):
        yield error("zone", f"given {zone!r}, which is not an availability zone such as eu-west-1a")


def _is_zone(text: str) -> bool:
    return bool(_ZONE.fullmatch(text))


def _subnets(efs: EfsSettings) -> Findings:
    by_subnet: dict[str, str] = {}
    yield from _zone(efs.zone)
    if _is_zone(efs.zone) and efs.subnets and set(efs.subnets) != {efs.zone}:
        yield error("subnets", f"a file system of zone {efs.zone} has a mount target in this zone only; give its subnet, and no other")
    for zone, subnet in efs.subnets.items():
        if not _is_zone(zone) or zone.startswith("subnet-"):
            yield error(entry("subnets", zone), "not an availability zone such as eu-west-1a; give one subnet per zone")
        if isinstance(subnet, str) and by_subnet.setdefault(subnet, zone) != zone:
            yield error(
                entry("subnets", zone), f"{subnet!r} is already the subnet of zone {by_subnet[subnet]!r}; give each zone its own subnet"
            )


def _clients(efs: EfsSettings, spell: Spelling) -> Findings:
    given = [*efs.clients.security_groups, *efs.clients.cidrs]
    if efs.mount_target_security_groups and given:
        yield error(
            "clients", f"has no effect: {spell('mount_target_security_groups')} is set, and the rules of those groups decide who may mount"
        )
    elif efs.subnets and not given and not efs.mount_target_security_groups:
        yield error("clients", f"missing: no client could mount the file system; set {spell('clients.security_groups')} or clients.cidrs")
    for path, values in (("clients.security_groups", efs.clients.security_groups), ("clients.cidrs", efs.clients.cidrs)):
        for index, value in enumerate(values):
            if isinstance(value, str) and value in values[:index]:
                yield error(f"{spell(path)}[{index}]", f"{value!r} is already in the list")
    for index, cidr in enumerate(efs.clients.cidrs):
        if not _is_network(cidr):
            yield error(f"clients.cidrs[{index}]", f"given {cidr!r}, which is not a network such as 10.0.0.0/16 or fd00::/64")
        if cidr in _EVERYWHERE:
            yield warning(
                f"clients.cidrs[{index}]", "allows every client that can reach a mount target to mount; give the networks of the nodes"
            )


def _is_network(text: str) -> bool:
    """Whether a network is in the form in which AWS returns it."""
    try:
        return str(ipaddress.ip_network(text)) == text
    except ValueError:
        return False


def path_problems(path: str) -> Iterator[str]:
    """Why EFS would reject a directory as the root of an access point."""
    if len(path) > _LONGEST_PATH:
        yield f"directory {path!r} has {len(path)} characters, but EFS allows at most {_LONGEST_PATH}; use shorter names"
    if not re.fullmatch(r"(/[^/\0]+)+", path):
        yield f"{path!r} is not the absolute path of a directory"
    elif path.count("/") > _DEEPEST_PATH:
        yield f"{path!r} is {path.count('/')} directories deep, but EFS allows at most {_DEEPEST_PATH}"


def check_claim(claim: EfsClaimSettings) -> Findings:
    yield from checks.place(claim.release, claim.namespace)
    if is_set(claim.file_system_id):
        yield from clouds.ids({"file_system_id": claim.file_system_id}, "fs", _FEWEST_DIGITS)
    else:
        yield error("file_system_id", "missing")
    yield from (error("path", problem) for problem in path_problems(claim.directory))
    yield from _zone(claim.zone)
    yield from clouds.tags("tags", claim.tags)


def check_driver(driver: EfsCsiDriverSettings) -> Findings:
    if not is_set(driver.cluster_name):
        yield error("cluster_name", "missing")
    yield from _role("role_arn", driver.role_arn)
    yield from clouds.tags("tags", driver.tags)


def check_users(pod: Mapping[str, Any], what: str, place: str, owner: int) -> Findings:
    """An error for a pod that mounts the cache as another user than the owner of its files."""
    users = sorted(_users(pod) - {owner})
    if users:
        yield error(
            "",
            f"its {what} run as user {' and '.join(map(str, users))}, but all files of the cache belong to user {owner}; "
            f"set {place}.efs.uid, or change the agent's securityContext",
        )


def _users(pod: Mapping[str, Any]) -> set[int]:
    """The user ids of the containers that mount the cache, as far as the pod sets them."""
    mounting = [
        container
        for container in pod["containers"]
        if any(mount.get("name") == CACHE_VOLUME for mount in container.get("volumeMounts", ()))
    ]
    of_pod = lookup(pod, "securityContext", "runAsUser")
    users = [container.get("securityContext", {}).get("runAsUser", of_pod) for container in mounting]
    return {user for user in users if isinstance(user, int)}
