"""What a Filestore cache makes in Google's cloud, tier by tier, and what it looks up."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import pulumi
import pulumi_gcp as gcp
import pytest
import scalr_agents

from tests.helpers.components import Args, inputs, record
from tests.helpers.mocked_clouds import INSTANCE
from tests.helpers.recording import run

PLACE = {"location": "europe-west1-b"}
NETWORK = {"network": "default", "modes": ["MODE_IPV4"], "connectMode": "DIRECT_PEERING"}
PLAIN: dict[str, Any] = {
    "description": "Cache of Scalr agents",
    "tier": "BASIC_HDD",
    "location": "europe-west1-b",
    "protocol": "NFS_V3",
    "networks": [NETWORK],
    "fileShares": {"name": "cache", "capacityGb": 1024},
    "labels": {},
}


def instance(args: Args) -> Mapping[str, Any]:
    made = inputs(record("FilestoreCache", args))
    assert made.keys() == {"instance"}
    return made["instance"]


def test_cache_with_defaults() -> None:
    assert instance(PLACE) == PLAIN


TIERS: dict[str, dict[str, Any]] = {
    "BASIC_HDD": {"location": "europe-west1-b", "capacity": "1Ti"},
    "BASIC_SSD": {"location": "europe-west1-b", "capacity": "2560Gi"},
    "ZONAL": {"location": "europe-west1-b", "capacity": "100Gi", "protocol": "NFS_V4_1"},
    "REGIONAL": {"location": "europe-west1", "capacity": "10Ti", "protocol": "NFS_V4_1"},
    "ENTERPRISE": {"location": "europe-west1", "capacity": "1280Gi"},
}
GIBIBYTES = {"BASIC_HDD": 1024, "BASIC_SSD": 2560, "ZONAL": 100, "REGIONAL": 10240, "ENTERPRISE": 1280}


@pytest.mark.parametrize("on_delete", ["keep", "delete"])
@pytest.mark.parametrize("tier", TIERS)
def test_inputs_and_outputs_per_tier(tier: str, on_delete: str) -> None:
    args = TIERS[tier]
    recording = record("FilestoreCache", {"tier": tier, **args, "on_delete": on_delete})
    protocol = args.get("protocol", "NFS_V3")
    protection = {} if tier.startswith("BASIC") else {"deletionProtectionEnabled": on_delete == "keep"}
    assert recording["it-instance"].inputs == {
        **PLAIN,
        "tier": tier,
        "location": args["location"],
        "protocol": protocol,
        "fileShares": {"name": "cache", "capacityGb": GIBIBYTES[tier]},
        **protection,
    }
    assert recording.outputs["it"] == {
        "instanceId": f"projects/acme-infra/locations/{args['location']}/instances/it-instance-eb1037f0",
        "shareName": "cache",
        "ipAddress": "10.20.30.2",
        "capacity": args["capacity"],
        "protocol": protocol,
    }


FULL: dict[str, Any] = {
    "tier": "REGIONAL",
    "location": "europe-west1",
    "project": "acme-storage",
    "capacity": "1.5Ti",
    "share_name": "vol1",
    "network": "projects/acme-network/global/networks/shared",
    "connect_mode": "PRIVATE_SERVICE_ACCESS",
    "reserved_ip_range": "filestore",
    "protocol": "NFS_V4_1",
    "export_options": [
        {"ip_ranges": ["10.0.0.0/8"]},
        {"ip_ranges": ["11.1.2.3"], "access_mode": "READ_ONLY", "squash_mode": "ROOT_SQUASH", "anon_uid": 1000, "anon_gid": 1},
        {},
    ],
    "kms_key": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
    "labels": {"team": "web"},
}


def test_cache_with_all_arguments() -> None:
    everywhere = {"accessMode": "READ_WRITE", "squashMode": "NO_ROOT_SQUASH"}
    squashed = {"accessMode": "READ_ONLY", "squashMode": "ROOT_SQUASH", "anonUid": 1000, "anonGid": 1}
    assert instance(FULL) == {
        "description": "Cache of Scalr agents",
        "tier": "REGIONAL",
        "location": "europe-west1",
        "project": "acme-storage",
        "protocol": "NFS_V4_1",
        "networks": [
            {
                "network": "projects/acme-network/global/networks/shared",
                "modes": ["MODE_IPV4"],
                "connectMode": "PRIVATE_SERVICE_ACCESS",
                "reservedIpRange": "filestore",
            }
        ],
        "fileShares": {
            "name": "vol1",
            "capacityGb": 1536,
            "nfsExportOptions": [
                {**everywhere, "ipRanges": ["10.0.0.0/8"]},
                {**squashed, "ipRanges": ["11.1.2.3"]},
                everywhere,
            ],
        },
        "kmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
        "labels": {"team": "web"},
        "deletionProtectionEnabled": True,
    }


def test_arguments_may_be_outputs() -> None:
    def args() -> dict[str, Any]:
        later = pulumi.Output.from_input
        return {
            "tier": "ZONAL",
            **PLACE,
            "network": later("main"),
            "reserved_ip_range": later("10.0.0.0/29"),
            "kms_key": later("key"),
            "labels": {"team": later("web")},
        }

    assert instance(args) == {
        **PLAIN,
        "tier": "ZONAL",
        "networks": [{**NETWORK, "network": "main", "reservedIpRange": "10.0.0.0/29"}],
        "kmsKeyName": "key",
        "labels": {"team": "web"},
        "deletionProtectionEnabled": True,
    }


FOUND = {"instanceId": INSTANCE, "shareName": "vol1", "ipAddress": "10.9.8.7", "capacity": "2048Gi", "protocol": "NFS_V4_1"}


@pytest.mark.parametrize("later", [False, True], ids=["plain", "output"])
def test_an_existing_instance_is_looked_up(*, later: bool) -> None:
    recording = record("FilestoreCache", lambda: {"instance_id": pulumi.Output.from_input(INSTANCE) if later else INSTANCE})
    assert recording.names == ["it"]
    assert recording.outputs["it"] == FOUND
    assert record("FilestoreCache", {"instance_id": INSTANCE, "capacity": "2Ti"}).outputs["it"] == FOUND  # the size is that of the instance


OWN, SHARED = (f"projects/{project}/global/networks/agents" for project in ("acme-storage", "acme-network"))


def network(program: Callable[[], None], configuration: dict[str, str] | None = None) -> str:
    recording = run(program, configuration=configuration)
    assert recording.error is None
    return str(recording["it-instance"].inputs["networks"][0]["network"])


@pytest.mark.parametrize("later", [False, True], ids=["plain", "output"])
@pytest.mark.parametrize("url", ["", "https://www.googleapis.com/compute/v1/"])
def test_a_network_of_the_project_is_given_by_name(url: str, *, later: bool) -> None:
    """Whoever writes the path of what was a name gets no other instance, as far as the project is known here."""
    wrapped: Any = pulumi.Output.from_input if later else str

    def cache(**words: Any) -> Callable[[], None]:
        return lambda: made(PLACE | {"network": wrapped(f"{url}{OWN}")} | words)

    def with_provider() -> None:
        provider = gcp.Provider("google", project="acme-storage")
        made(PLACE | {"network": wrapped(f"{url}{OWN}")}, pulumi.ResourceOptions(provider=provider))

    assert network(cache(project="acme-storage")) == "agents"
    assert network(cache(), {"gcp:project": "acme-storage"}) == "agents"
    assert network(with_provider, {"gcp:project": "acme-web"}) == "agents"
    assert network(cache(), {"gcp:project": "acme-web"}) == OWN


def test_a_network_of_another_project_is_given_by_path() -> None:
    def with_provider() -> None:
        provider = gcp.Provider("google", project="acme-storage")
        made(PLACE | {"network": SHARED}, pulumi.ResourceOptions(provider=provider))

    assert network(with_provider, {"gcp:project": "acme-network"}) == SHARED
    assert network(lambda: made(PLACE | {"network": SHARED, "project": "acme-storage"}), {"gcp:project": "acme-network"}) == SHARED


def made(args: dict[str, Any], opts: pulumi.ResourceOptions | None = None, name: str = "it") -> None:
    scalr_agents.FilestoreCache(name, cast(scalr_agents.FilestoreCacheArgs, args), opts)


def test_changing_the_capacity_range_replaces_the_instance() -> None:
    found = {}
    for capacity in ("1Ti", "9Ti", "10Ti"):
        recording = record("FilestoreCache", {"tier": "REGIONAL", "location": "europe-west1", "capacity": capacity})
        found[capacity] = recording["it-instance"].replaced_by_change_of
    assert found == {"1Ti": "small", "9Ti": "small", "10Ti": "large"}  # these words stay: others would replace every instance
    assert record("FilestoreCache", PLACE)["it-instance"].replaced_by_change_of is None


@pytest.mark.parametrize("name", ["Cache", "1cache", "team.cache", "c" * 34, "cache-"])
def test_an_invalid_instance_name_is_an_error(name: str) -> None:
    recording = run(lambda: made(dict(PLACE), name=name))
    assert isinstance(recording.error, scalr_agents.ArgsError)
    assert "expected at most 33 lower case letters, digits and '-', starting with a letter" in str(recording.error)
    assert recording.resources == []
