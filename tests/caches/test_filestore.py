"""The checks of Filestore instances: what each finds, where, and what it lets pass."""

from typing import Any

import pytest
from scalr_agents.caches.filestore.kind import volume_handle
from scalr_agents.caches.filestore.settings import FilestoreSettings, instance_parts, network

from tests.caches.settings import LATER, found, parsed

NODES: dict[str, Any] = {"ip_ranges": ["10.0.0.0/8"]}
OTHERS: dict[str, Any] = {"ip_ranges": ["11.0.0.0/8"]}
PLACE: dict[str, Any] = {"location": "europe-west1-b", "export_options": [NODES]}
REGIONAL: dict[str, Any] = {"tier": "REGIONAL", "location": "europe-west1", "export_options": [NODES]}
EXISTING: dict[str, Any] = {"instance_id": "projects/acme-infra/locations/europe-west1-b/instances/nfs-1"}
PRIVATE = {"connect_mode": "PRIVATE_SERVICE_ACCESS"}
KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
SOUND: dict[str, dict[str, Any]] = {
    "place": PLACE,
    "region": {**REGIONAL, "protocol": "NFS_V4_1", "kms_key": KEY},
    "existing": EXISTING,
    "existing-of-a-size": {**EXISTING, "capacity": "100Gi"},
    "output-of-an-instance": {"instance_id": LATER},
    "outputs": {**REGIONAL, "network": LATER, "reserved_ip_range": LATER, "kms_key": LATER, "labels": {"team": LATER}},
    "peering-range": {**PLACE, "reserved_ip_range": "10.0.0.0/29"},
    "allocated-range": {**PLACE, **PRIVATE, "reserved_ip_range": "filestore"},
    "longest-share": {**PLACE, "share_name": "a" * 16},
    "labels": {**PLACE, "labels": {"team-a_1": "", "k" * 63: "v" * 63}},
    "large-range": {**REGIONAL, "tier": "ZONAL", "location": "europe-west1-b", "capacity": "10Ti", "reserved_ip_range": "10.0.0.0/24"},
    "enterprise-range": {**REGIONAL, "tier": "ENTERPRISE", "reserved_ip_range": "10.0.0.0/26"},
    "clients": {**PLACE, "export_options": [{"ip_ranges": ["10.0.0.0/8", "11.1.2.3"]}, {"access_mode": "READ_ONLY"}]},
    "most-options": {**PLACE, "export_options": [{"ip_ranges": [f"10.{number}.0.0/16"]} for number in range(10)]},
    "most-clients": {**PLACE, "export_options": [{"ip_ranges": [f"10.{number}.0.0/16" for number in range(64)]}]},
}


@pytest.mark.parametrize("given", SOUND.values(), ids=SOUND)
def test_valid_settings_have_no_findings(given: dict[str, Any]) -> None:
    assert found(FilestoreSettings, given) == []


NO_EFFECT = "has no effect: instance_id refers to an existing instance"
SMALL_AND_LARGE = "100 to 10239 GiB, or 10240 to 102400 GiB in steps of 2560"
ERRORS: list[tuple[dict[str, Any], str, str]] = [
    ({"export_options": [NODES]}, "location", "missing: BASIC_HDD requires a zone, for instance europe-west1-b"),
    ({"tier": "ENTERPRISE", "export_options": [NODES]}, "location", "missing: ENTERPRISE requires a region, for instance europe-west1"),
    ({**PLACE, "location": "europe-west1"}, "location", "given 'europe-west1', but BASIC_HDD requires a zone, for instance europe-west1-b"),
    ({**PLACE, "tier": "BASIC_SSD", "capacity": "3Ti", "location": "eu"}, "location", "given 'eu', but BASIC_SSD requires a zone"),
    ({**REGIONAL, **PLACE}, "location", "given 'europe-west1-b', but REGIONAL requires a region, for instance europe-west1"),
    ({**PLACE, "capacity": "100Gi"}, "capacity", "given 100Gi, which is 100 GiB; BASIC_HDD allows 1024 to 65433 GiB"),
    ({**PLACE, "tier": "BASIC_SSD"}, "capacity", "given 1Ti, which is 1024 GiB; BASIC_SSD allows 2560 to 65433 GiB"),
    ({**PLACE, "tier": "ZONAL", "capacity": "10241Gi"}, "capacity", f"which is 10241 GiB; ZONAL allows {SMALL_AND_LARGE}"),
    ({**REGIONAL, "capacity": "99Gi"}, "capacity", f"which is 99 GiB; REGIONAL allows {SMALL_AND_LARGE}"),
    (
        {**REGIONAL, "tier": "ENTERPRISE", "capacity": "1100Gi"},
        "capacity",
        "given 1100Gi, which is 1100 GiB; ENTERPRISE allows 1024 to 10240 GiB in steps of 256",
    ),
    ({**PLACE, "capacity": 1024}, "capacity", "given 1024, which is not a whole number of GiB; BASIC_HDD allows 1024 to 65433 GiB"),
    ({**PLACE, "capacity": "1T"}, "capacity", "given 1T, which is not a whole number of GiB"),
    ({**PLACE, "capacity": "-1Ti"}, "capacity", "not a size greater than zero"),
    (
        {**PLACE, "protocol": "NFS_V4_1"},
        "protocol",
        "BASIC_HDD supports only NFS_V3; NFS_V4_1 requires one of ZONAL, REGIONAL, ENTERPRISE",
    ),
    ({**PLACE, "kms_key": LATER}, "kms_key", "BASIC_HDD does not support customer-managed keys; use one of ZONAL, REGIONAL, ENTERPRISE"),
    *(
        (
            {**REGIONAL, "kms_key": given},
            "kms_key",
            f"given {given!r}; expected the full name of a key, without a version: projects/<project>/locations/",
        )
        for given in ("k", f"{KEY}/cryptoKeyVersions/1", f"//cloudkms.googleapis.com/{KEY}")
    ),
    (
        {**PLACE, "share_name": "a" * 17},
        "share_name",
        "given 17 characters; expected at most 16 lower case letters, digits and '_', starting with a letter",
    ),
    (
        {**PLACE, "share_name": "vol-1"},
        "share_name",
        "given 'vol-1'; expected at most 16 lower case letters, digits and '_', starting with a letter; did you mean 'vol_1'?",
    ),
    ({**PLACE, "share_name": "1vol"}, "share_name", "given '1vol'; expected at most 16"),
    ({**PLACE, "share_name": ""}, "share_name", "given an empty string; expected at most 16"),
    *(({**PLACE, "project": given}, "project", "expected the ID of a project") for given in (" ", "Acme", "acme/prod")),
    *(
        ({**PLACE, "network": given}, "network", "expected the name of a network, or projects/<project>/global/networks/<name>")
        for given in ("", " ", "Main", "networks/main")
    ),
    (
        {**PLACE, "reserved_ip_range": "10.0.0.0/24"},
        "reserved_ip_range",
        "given '10.0.0.0/24', but BASIC_HDD of 1Ti requires a /29 network",
    ),
    ({**REGIONAL, "reserved_ip_range": "10.0.0.0/29"}, "reserved_ip_range", "but REGIONAL of 1Ti requires a /26 network"),
    (
        {**REGIONAL, "capacity": "10Ti", "reserved_ip_range": "10.0.0.0/29"},
        "reserved_ip_range",
        "but REGIONAL of 10Ti requires a /24 or /26 network",
    ),
    (
        {**PLACE, "reserved_ip_range": "filestore"},
        "reserved_ip_range",
        "given 'filestore', but DIRECT_PEERING requires a network, for instance 10.0.0.0/29",
    ),
    (
        {**PLACE, **PRIVATE, "reserved_ip_range": "10.0.0.0/29"},
        "reserved_ip_range",
        "given '10.0.0.0/29', but PRIVATE_SERVICE_ACCESS requires the name of an allocated range",
    ),
    (
        {**PLACE, "export_options": [{"ip_ranges": [f"10.{number}.0.0/16"]} for number in range(11)]},
        "export_options",
        "11 options, but Filestore allows at most 10",
    ),
    (
        {**PLACE, "export_options": [{"ip_ranges": [f"10.{half}.{number}.0/24" for number in range(33)]} for half in (1, 2)]},
        "export_options",
        "66 addresses and networks, but Filestore allows at most 64 in all options",
    ),
    (
        {**PLACE, "export_options": [NODES, {"ip_ranges": ["11.0.0.1", "10.1.0.0/16"]}]},
        "export_options[1].ip_ranges[1]",
        "given '10.1.0.0/16', which overlaps with 10.0.0.0/8 of export_options[0]; Filestore refuses that",
    ),
    (
        {**PLACE, "export_options": [{"ip_ranges": ["10.1.2.3", "10.1.2.3/32"]}]},
        "export_options[0].ip_ranges[1]",
        "given '10.1.2.3/32', which overlaps with 10.1.2.3 of export_options[0]",
    ),
    *(
        (
            {**PLACE, "export_options": [{"ip_ranges": ["11.0.0.0/8", given]}]},
            "export_options[0].ip_ranges[1]",
            f"given {given!r}; expected an IPv4 address or network, for instance 10.20.0.0/16",
        )
        for given in ("10.0.0.0/255.0.0.0", "10.0.0.1/8", "10.0.0.0/33", " 10.0.0.0/8", "010.0.0.1", "fd00::/64", "nodes")
    ),
    ({**PLACE, "export_options": [{"access_mode": "READ_ONLY"}] * 2}, "export_options", "no client may write"),
    (
        {**PLACE, "export_options": [NODES, {**OTHERS, "anon_uid": 1000}]},
        "export_options[1].anon_uid",
        "has no effect without squash_mode: ROOT_SQUASH",
    ),
    (
        {**PLACE, "export_options": [{**NODES, "anon_gid": 0}]},
        "export_options[0].anon_gid",
        "has no effect without squash_mode: ROOT_SQUASH",
    ),
    ({**PLACE, "labels": {"Team": "a"}}, "labels.Team", "expected the key of a label: at most 63 lower case letters"),
    ({**PLACE, "labels": {"k" * 64: "a"}}, f"labels.{'k' * 64}", "expected the key of a label"),
    ({**PLACE, "labels": {"team": "A"}}, "labels.team", "expected the value of a label: at most 63 lower case letters"),
    ({**PLACE, "labels": {"team": "v" * 64}}, "labels.team", "expected the value of a label"),
    (
        {"instance_id": "nfs-1"},
        "instance_id",
        "given 'nfs-1'; expected the ID of an instance: projects/<project>/locations/<location>/instances/<name>",
    ),
    ({**EXISTING, "capacity": "0"}, "capacity", "not a size greater than zero"),
    ({**EXISTING, "tier": "BASIC_HDD"}, "tier", NO_EFFECT),
    ({**EXISTING, "location": "nowhere"}, "location", NO_EFFECT),
    ({**EXISTING, "project": "acme"}, "project", NO_EFFECT),
    ({**EXISTING, "share_name": "vol1"}, "share_name", NO_EFFECT),
    ({**EXISTING, "network": "main"}, "network", NO_EFFECT),
    ({**EXISTING, **PRIVATE}, "connect_mode", NO_EFFECT),
    ({**EXISTING, "reserved_ip_range": LATER}, "reserved_ip_range", NO_EFFECT),
    ({**EXISTING, "protocol": "NFS_V4_1"}, "protocol", NO_EFFECT),
    ({**EXISTING, "export_options": [NODES]}, "export_options", NO_EFFECT),
    ({**EXISTING, "kms_key": "k"}, "kms_key", NO_EFFECT),
    ({"instance_id": LATER, "labels": {"a": "b"}}, "labels", NO_EFFECT),
    ({"tier": "HIGH_SCALE_SSD"}, "tier", "'BASIC_HDD', 'BASIC_SSD', 'ZONAL', 'REGIONAL' or 'ENTERPRISE'"),
    ({"protocol": "NFS_V4"}, "protocol", "'NFS_V3' or 'NFS_V4_1'"),
    ({"connect_mode": "PEERING"}, "connect_mode", "'DIRECT_PEERING' or 'PRIVATE_SERVICE_ACCESS'"),
    ({"capacity": "big"}, "capacity", "not a Kubernetes quantity"),
    ({"location": LATER}, "location", "must be known before deployment"),
    ({"export_options": [{"anon_uid": -1}]}, "export_options[0].anon_uid", "greater than or equal to 0"),
]


@pytest.mark.parametrize(("given", "path", "words"), ERRORS, ids=[f"{index}-{path[:40]}" for index, (_, path, _) in enumerate(ERRORS)])
def test_error_without_further_findings(given: dict[str, Any], path: str, words: str) -> None:
    [(severity, where, message)] = found(FilestoreSettings, given)
    assert (severity, where) == ("error", path)
    assert words in message


def test_all_findings_are_reported_at_once() -> None:
    wrong = {"capacity": "1Gi", "protocol": "NFS_V4_1", "kms_key": "k", "share_name": "", "reserved_ip_range": "r", "labels": {"A": "A"}}
    assert [path for _, path, _ in found(FilestoreSettings, wrong)] == [
        "share_name",
        "labels.A",
        "labels.A",
        "location",
        "kms_key",
        "protocol",
        "export_options",
        "capacity",
        "reserved_ip_range",
    ]


def test_a_squashed_root_is_a_warning() -> None:
    squashed = {**OTHERS, "squash_mode": "ROOT_SQUASH", "anon_uid": 1000, "anon_gid": 1000}
    [(severity, path, message)] = found(FilestoreSettings, {**PLACE, "export_options": [NODES, squashed]})
    assert (severity, path) == ("warning", "export_options[1].squash_mode")
    assert message.startswith("the kubelet, as root, cannot give the volume to the pods' group")


@pytest.mark.parametrize("word", ["anon_uid", "anon_gid"])
def test_anonymous_id_0_is_an_error(word: str) -> None:
    """Google's provider sends no zero, and Filestore's default is 65534."""
    told = found(FilestoreSettings, {**PLACE, "export_options": [{**NODES, "squash_mode": "ROOT_SQUASH", word: 0}]})
    [message] = [message for severity, path, message in told if (severity, path) == ("error", f"export_options[0].{word}")]
    assert message == "given 0, which the provider omits, so that it would be 65534; use NO_ROOT_SQUASH"


@pytest.mark.parametrize(
    ("given", "project", "expected"),
    [
        ("default", None, "default"),
        ("default", "acme", "default"),
        ("projects/acme/global/networks/default", "acme", "default"),
        ("https://www.googleapis.com/compute/v1/projects/acme/global/networks/default", "acme", "default"),
        ("projects/acme/global/networks/default", None, "projects/acme/global/networks/default"),
        ("https://www.googleapis.com/compute/v1/projects/host/global/networks/shared", "acme", "projects/host/global/networks/shared"),
    ],
)
def test_network_names_are_normalized(given: str, project: str | None, expected: str) -> None:
    assert network(given, project) == expected


@pytest.mark.parametrize(("capacity", "expected"), [("100Gi", "small"), ("9984Gi", "small"), ("10Ti", "large"), ("100Ti", "large")])
def test_capacity_ranges(capacity: str, expected: str) -> None:
    assert parsed(FilestoreSettings, {**REGIONAL, "capacity": capacity}).size_class == expected
    assert parsed(FilestoreSettings, {**PLACE, "capacity": capacity}).size_class is None


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ([], "export_options"),
        ([{}], "export_options[0].ip_ranges"),
        ([NODES, {"squash_mode": "NO_ROOT_SQUASH"}], "export_options[1].ip_ranges"),
        ([{"access_mode": "READ_ONLY", **NODES}, {}], "export_options[1].ip_ranges"),
        ([{"ip_ranges": ["0.0.0.0/0"]}], "export_options[0].ip_ranges[0]"),
    ],
)
def test_a_world_writable_share_is_a_warning(options: list[Any], path: str) -> None:
    [(severity, where, message)] = found(FilestoreSettings, {**PLACE, "export_options": options})
    assert (severity, where) == ("warning", path)
    assert "every client in the network can mount the share and write to it, even as root, and so can change what runs execute; " in message


def test_a_world_readable_share_is_accepted() -> None:
    read_only = {"access_mode": "READ_ONLY"}
    assert found(FilestoreSettings, {**PLACE, "export_options": [NODES, read_only, {**read_only, "ip_ranges": ["11.0.0.0/8"]}]}) == []


def test_the_parts_of_an_id_and_the_handle_of_its_share() -> None:
    identity = EXISTING["instance_id"]
    assert instance_parts(identity) == {"project": "acme-infra", "location": "europe-west1-b", "name": "nfs-1"}
    assert volume_handle(identity, "vol1") == "modeInstance/europe-west1-b/nfs-1/vol1"


@pytest.mark.parametrize("identity", ["nfs-1", "/projects/p/locations/l/instances/i", "projects/p/locations/l/instances/i/x"])
def test_invalid_ids_have_no_parts(identity: str) -> None:
    with pytest.raises(ValueError, match="is not the ID of a Filestore instance"):
        instance_parts(identity)


SHARED = "projects/acme-network/global/networks/shared"


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"network": SHARED}, True),
        ({"network": SHARED, "project": "acme-storage"}, True),
        ({"network": SHARED, "project": "acme-network"}, False),
        ({"network": SHARED, **PRIVATE}, False),
        ({"network": "shared", "project": "example.com:acme"}, False),
    ],
)
def test_a_shared_network_needs_private_service_access(given: dict[str, Any], refused: bool) -> None:
    told = [message for _, path, message in found(FilestoreSettings, {**PLACE, **given}) if path == "network"]
    message = "if this is a shared VPC of another project, Filestore refuses it; set connect_mode: PRIVATE_SERVICE_ACCESS"
    assert told == ([message] if refused else [])
