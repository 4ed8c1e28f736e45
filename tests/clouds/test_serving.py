"""Responses to clients that repeat a call."""

import http.client
from urllib.parse import urlencode, urlsplit

import pytest

from tests.clouds.aws.server import AwsCloud

_SIGNATURE = "AWS4-HMAC-SHA256 Credential=testing/20260101/eu-west-1/iam/aws4_request, SignedHeaders=host, Signature=0"


@pytest.mark.parametrize(
    ("invocations", "statuses"), [(["one", "one"], [200, 200]), (["one", "other"], [200, 409]), (["", ""], [200, 409])]
)
def test_retries_are_executed_once(aws: AwsCloud, invocations: list[str], statuses: list[int]) -> None:
    assert [_create_role(aws, invocation) for invocation in invocations] == statuses
    assert [call.status for call in aws.calls] == list(dict.fromkeys(statuses))


def _create_role(aws: AwsCloud, invocation: str) -> int:
    form = urlencode({"Action": "CreateRole", "Version": "2010-05-08", "RoleName": "it", "AssumeRolePolicyDocument": "{}"})
    headers = {"Authorization": _SIGNATURE, "Content-Type": "application/x-www-form-urlencoded"}
    connection = http.client.HTTPConnection(urlsplit(aws.url).netloc)
    connection.request("POST", "/", form, headers | ({"amz-sdk-invocation-id": invocation} if invocation else {}))
    status = connection.getresponse().status
    connection.close()
    return status
