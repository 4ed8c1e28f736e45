"""The checks of claims on EFS and of its CSI driver."""

from typing import Any

import pytest
from scalr_agents.caches.efs.settings import EfsClaimSettings, EfsCsiDriverSettings
from scalr_agents.model import parse as shapes
from scalr_agents.model.judge import judge
from scalr_agents.model.spelling import by_name

CLAIM: dict[str, Any] = {"namespace": "scalr", "release": "runs", "file_system_id": "fs-00000a1b"}


def _claim(given: dict[str, Any]) -> EfsClaimSettings:
    claim, findings = shapes.parse_arguments(EfsClaimSettings, {**CLAIM, **given})
    assert claim is not None, findings
    return claim


DEEP = "/a" * 5
LONG = "/" + "d" * 100
PROBLEMS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({}, []),
    ({"file_system_id": object()}, []),
    ({"path": "/a/b/c/d"}, []),
    ({"path": LONG[:-1]}, []),
    ({"uid": 0, "gid": 2**32 - 1, "tags": {"team": object()}}, []),
    (
        {"release": "Runs"},
        [("release", "given 'Runs'; expected a release name: at most 53 lower case letters, digits, '-' and '.'; did you mean 'runs'?")],
    ),
    ({"namespace": "a.b"}, [("namespace", "given 'a.b'; expected a namespace")]),
    ({"file_system_id": ""}, [("file_system_id", "missing")]),
    (
        {"file_system_id": "fsap-0a"},
        [("file_system_id", "given 'fsap-0a'; expected the ID of a file system")],
    ),
    ({"path": "cache"}, [("path", "'cache' is not the absolute path of a directory")]),
    ({"path": "/"}, [("path", "'/' is not the absolute path of a directory")]),
    ({"path": "/a//b"}, [("path", "'/a//b' is not the absolute path of a directory")]),
    ({"path": "/a/"}, [("path", "'/a/' is not the absolute path of a directory")]),
    ({"path": DEEP}, [("path", f"{DEEP!r} is 5 directories deep, but EFS allows at most 4")]),
    ({"path": LONG}, [("path", f"directory {LONG!r} has 101 characters, but EFS allows at most 100; use shorter names")]),
    (
        {"namespace": "n" * 40, "release": "r" * 41},
        [("path", f"directory '/scalr-agent-cache/{'n' * 40}/{'r' * 41}' has 101 characters, but EFS allows at most 100")],
    ),
    ({"namespace": "n" * 40, "release": "r" * 40}, []),
    ({"namespace": "n" * 40, "release": "r" * 41, "path": "/short"}, []),
    ({"tags": {"aws:x": "y"}}, [("tags.aws:x", "given 'aws:x'; expected the key of a tag")]),
]


@pytest.mark.parametrize(("given", "expected"), PROBLEMS, ids=[str(index) for index, _ in enumerate(PROBLEMS)])
def test_a_claim_and_its_objects(given: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = list(judge(_claim(given), by_name))
    assert [(finding.severity, finding.path) for finding in found] == [("error", path) for path, _ in expected]
    for finding, (_, message) in zip(found, expected, strict=True):
        assert finding.message.startswith(message)


def test_every_agent_has_its_own_directory() -> None:
    assert _claim({}).directory == "/scalr-agent-cache/scalr/runs"
    assert _claim({"path": "/cache"}).directory == "/cache"


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        ({"uid": -1}, "uid", "greater than or equal to 0"),
        ({"gid": 2**32}, "gid", "less than 4294967296"),
        ({"uid": "1000"}, "uid", "expected a whole number"),
        ({"uid": 1000.5}, "uid", "expected a whole number"),
        ({"namespace": object()}, "namespace", "must be known before deployment"),
        ({"path": object()}, "path", "must be known before deployment"),
    ],
)
def test_types_of_claim_settings(given: dict[str, Any], path: str, words: str) -> None:
    claim, findings = shapes.parse_arguments(EfsClaimSettings, {**CLAIM, **given})
    assert claim is None
    assert [(finding.severity, finding.path) for finding in findings] == [("error", path)]
    assert words in findings[0].message


def test_required_claim_settings() -> None:
    claim, findings = shapes.parse_arguments(EfsClaimSettings, {})
    assert claim is None
    assert [str(finding) for finding in findings] == [f"error: {word}: missing" for word in CLAIM]


NO_ROLE = (
    "expected the ARN of a role: arn:<partition>:iam::<account>:role/<path and name>. "
    "Look it up: aws iam get-role --role-name <name> --query Role.Arn --output text"
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"cluster_name": "prod"}, []),
        ({"cluster_name": object(), "role_arn": object(), "addon_version": "v2.1.0-eksbuild.1"}, []),
        ({"cluster_name": "prod", "role_arn": "arn:aws-cn:iam::111122223333:role/storage/efs-csi"}, []),
        *(
            ({"cluster_name": "prod", "role_arn": given}, [f"error: role_arn: given {given!r}; {NO_ROLE}"])
            for given in ("efs-csi", "arn:aws:iam::111122223333:user/efs-csi", "arn:aws:sts::111122223333:assumed-role/efs-csi/node")
        ),
        ({"cluster_name": ""}, ["error: cluster_name: missing"]),
        (
            {"cluster_name": "prod", "tags": {"Aws:x": "y"}},
            ["error: tags.Aws:x: given 'Aws:x'; expected the key of a tag: at most 128 characters, not starting with aws:"],
        ),
    ],
)
def test_the_driver(given: dict[str, Any], expected: list[str]) -> None:
    driver, _ = shapes.parse_arguments(EfsCsiDriverSettings, given)
    assert driver is not None
    assert [str(finding) for finding in judge(driver, by_name)] == expected
