"""Secrets in plain text, wherever a stack can have them."""

import base64
import gzip
import re
from typing import Any

import pytest

from tests.promises.stacks import EC2, GCE, SECRET, agent, broken, changed, resources, runs


def user_data(text: str, *, zipped: bool = False) -> str:
    return base64.b64encode(gzip.compress(text.encode()) if zipped else text.encode()).decode()


WRAPPED = "\n".join(re.findall(".{1,20}", user_data(f"#!/bin/sh\nexport API_TOKEN={SECRET}\n")))
"""As `base64` prints it."""


@pytest.mark.parametrize(
    ("what", "fields", "place"),
    [
        ("Deployment", {"metadata": {"annotations": {"note": f"token: {SECRET}"}}}, "the secret in annotation 'note'"),
        (
            "AgentTaskTemplate",
            {"spec": {"jobTemplate": {"spec": {"template": {"metadata": {"annotations": {"note": SECRET}}}}}}},
            "the secret in annotation of the pods 'note'",
        ),
        ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\nexport API_TOKEN={SECRET}\n")}, "line 2 of the user data"),
        ("LaunchTemplate", {"userData": user_data(f"a\nb\n  {SECRET}\n", zipped=True)}, "line 3 of the user data"),
        *(
            ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\n{line}\n")}, "line 2 of the user data")
            for line in (
                "docker run -e API_TOKEN=hunter2 acme/tool",
                'docker run "--env=api_token=hunter2" acme/tool',
                "curl https://example.com/?api_key=hunter2",
                "tool --password='hunter2 & more'",
                "  - api-token: hunter2  # of the tool",
                "password = hunter2",
                '{"user": "a", "dbPassword": "hunter2"}',
            )
        ),
        *(
            ("LaunchTemplate", {"userData": user_data(f"#!/bin/sh\n{line}\n")}, "")
            for line in (
                'API_TOKEN=$(cat /run/token) API_SECRET=$SECRET PASSWORD="$1"',
                "curl -H 'X-aws-ec2-metadata-token-ttl-seconds: 60'",
                '{"Authorization": f"Bearer {token}"}',
                "def sign(token: str, key: bytes) -> str:",
                "echo 'the key: use another one'",
                "gpgkey=https://example.com/gpg USE_TOKEN=true",
            )
        ),
        ("LaunchTemplate", {"userData": WRAPPED}, "line 2 of the user data"),
        ("LaunchTemplate", {"userData": "no base64"}, ""),
        ("LaunchTemplate", {"userData": "nötig"}, ""),
        ("LaunchTemplate", {"userData": base64.b64encode(gzip.compress(b"text" * 99)[:12] + b"\xff" * 9).decode()}, ""),
        ("LaunchTemplate", {"userData": object()}, ""),
        ("InstanceTemplate", {"metadata": {"startup": "", "user-data": "X_PASSWORD='hunter2'"}}, "line 1 of the user data"),
    ],
)
def test_secrets_in_plain_text(what: str, fields: dict[str, Any], place: str) -> None:
    stack = changed(resources(agents={"runs": agent()}, machines={"aws": EC2, "gcp": GCE}), what, **fields)
    found = broken(stack).get("no-plain-tokens", [])
    assert [place in message for message in found] == ([True] if place else [])
    assert SECRET not in str(found)
    assert "hunter2" not in str(found)


def test_secrets_in_config_maps_are_found() -> None:
    [network_policy] = [each for each in runs() if each.what == "NetworkPolicy"]
    made = network_policy._replace(
        type="kubernetes:core/v1:ConfigMap",
        inputs={"metadata": {"name": "settings"}, "data": {"api_token": "hunter2", "log": "debug", "more": f"password={SECRET}"}},
    )
    packed = made._replace(
        inputs={"metadata": {"name": "settings"}, "binaryData": {"packed": user_data(f"password={SECRET}"), "b": "/w=="}}
    )
    assert broken([made])["no-plain-tokens"] == [
        "ConfigMap settings: the secret in key 'api_token' is in plain text. Move it into a Secret.",
        "ConfigMap settings: the secret in key 'more' is in plain text. Move it into a Secret.",
    ]
    assert broken([packed])["no-plain-tokens"] == [
        "ConfigMap settings: the secret in binary key 'packed' is in plain text. Move it into a Secret.",
    ]


def test_excepted_variables_are_judged_by_the_form_of_their_value() -> None:
    settings = {"TF_VAR_key_pair": "prod", "TF_VAR_partition_key": SECRET}
    stack = changed(
        resources(agents={"runs": agent(values={"agent": {"extraEnv": settings}})}, machines={"aws": EC2}),
        "LaunchTemplate",
        userData=user_data("GPG_KEY=0123abcd tool\n"),
    )
    found = {"TF_VAR_key_pair", "TF_VAR_partition_key", "line 1 of the user data"}

    def named(*excepted: str) -> set[str]:
        messages = broken(stack, {"exceptVariables": [*excepted]}).get("no-plain-tokens", [])
        return {each for each in found if each in str(messages)}

    assert named() == found
    assert named("TF_VAR_key_pair") == found - {"TF_VAR_key_pair"}
    assert named(*settings, "GPG_KEY") == {"TF_VAR_partition_key"}
