#!/usr/bin/python3 -I
"""Runs on the machine, with what every image for cloud-init has: Python 3.8 or newer, and nothing that has to be installed.

host secrets SECRET FILE [--quoted]   write the agent's secret variables, out of the cloud's secret, into FILE
host certificates SECRET FILE         write the certificates, out of the cloud's secret, into FILE
host drain aws GROUP HOOK             when AWS takes the machine away: stop the agent, then let AWS go on
host drain gcp                        when Google does: stop the agent, then the machine

A message on stderr and exit code 1 say what is wrong; systemd tries again.
A machine has only the parts of this file that are for its cloud.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import http.client
import json
import os
import re
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

CONTROL = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]"
METADATA = ("169.254.169.254", 80)
HTTPS = 443
POLL_SECONDS = 5
TOKENS = {"SCALR_AGENT_TOKEN", "SCALR_TOKEN"}
CERTIFICATES = "ca-certificates"


# Something is missing or refused; the text says what.
class HostError(Exception): ...


def main(arguments: list[str]) -> None:
    if arguments[0] in ("secrets", "certificates"):
        secret, file = arguments[1:3]
        content = from_aws(secret) if secret.startswith("arn:") else from_gcp(secret)
        if arguments[0] == "secrets":
            write(file, lines(content, quoted="--quoted" in arguments), 0o600)
        else:
            write(file, pem(content), 0o644)
    elif arguments[1] == "aws":
        drain_aws(*arguments[2:4])
    else:
        drain_gcp()


def lines(content: str, *, quoted: bool) -> str:
    """The secret's variables as lines of an environment file: as they are for Docker, quoted for systemd."""
    variables = {name: value for name, value in parsed(content).items() if name != CERTIFICATES}
    for name, value in variables.items():
        if not isinstance(value, str) or re.search(CONTROL, value) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name):
            raise HostError(f"the secret's variable {name} is not a string of one line")
    if not any(variables.get(name) for name in TOKENS):
        raise HostError("the secret does not contain a token of an agent pool")
    escaped = {name: re.sub(r'(["\\$`])', r"\\\1", value) for name, value in variables.items()}
    return "".join(f'{name}="{escaped[name]}"\n' if quoted else f"{name}={value}\n" for name, value in variables.items())


def parsed(content: str) -> dict[str, Any]:
    try:
        return dict(json.loads(content))
    except (ValueError, TypeError):
        raise HostError("the secret is not a JSON object of environment variables") from None


def pem(content: str) -> str:
    """The secret's certificates, which it holds without headers and line breaks."""
    found = parsed(content).get(CERTIFICATES)
    if not found:
        raise HostError("the secret does not contain certificates")
    return "".join(ssl.DER_cert_to_PEM_cert(base64.b64decode(each)) for each in str(found).split(","))


def write(file: str, text: str, mode: int) -> None:
    """Write a file that only root can change. It takes its place when it is complete."""
    new = Path(f"{file}.new")
    if new.exists():
        new.unlink()
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as stream:
        stream.write(text)
    new.replace(file)


def stop_agent() -> None:
    """Returns when the agent's runs have ended."""
    subprocess.run(["/usr/bin/systemctl", "stop", "scalr-agent.service"], check=True)


def metadata(method: str, path: str, headers: dict[str, str], default: str | None = None) -> str:
    """Ask the metadata service. What does not exist is the default."""
    connection = http.client.HTTPConnection(*METADATA, timeout=10)
    status, content = answer(connection, method, path, headers, "", "the metadata service")
    if status == http.client.NOT_FOUND and default is not None:
        return default
    if status != http.client.OK:
        raise HostError(f"the metadata service answers {status} to {path}")
    return content.strip()


def https(host: str, method: str, path: str, headers: dict[str, str], body: str, subject: str) -> str:
    """Ask a service of the cloud, through the proxy if there is one."""
    proxy = urllib.request.getproxies_environment().get("https")
    if proxy and not urllib.request.proxy_bypass(host):
        address = urllib.parse.urlsplit(proxy)
        connection = http.client.HTTPSConnection(str(address.hostname), address.port or 3128, timeout=30)
        connection.set_tunnel(host, HTTPS)
    else:
        connection = http.client.HTTPSConnection(host, HTTPS, timeout=30)
    status, content = answer(connection, method, path, headers, body, host)
    if status != http.client.OK:
        reason = re.search(r"\w+Exception|AccessDenied|[A-Z]+(?:_[A-Z]+)+", content)
        raise HostError(f"{host} answers {status} ({reason.group() if reason else 'no reason'}) for {subject}")
    return content


def answer(
    connection: http.client.HTTPConnection, method: str, path: str, headers: dict[str, str], body: str, whom: str
) -> tuple[int, str]:
    try:
        connection.request(method, path, body.encode(), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (OSError, http.client.HTTPException) as problem:
        raise HostError(f"cannot reach {whom}: {problem}") from None
    finally:
        connection.close()


# Only aws.


def from_aws(arn: str) -> str:
    reply = aws("secretsmanager", arn.split(":")[3], arn, {"SecretId": arn}, "secretsmanager.GetSecretValue")
    return str(json.loads(reply).get("SecretString"))


def drain_aws(group: str, hook: str) -> None:
    while aws_metadata("autoscaling/target-lifecycle-state", "InService") != "Terminated":
        time.sleep(POLL_SECONDS)
    stop_agent()
    call = {"Action": "CompleteLifecycleAction", "Version": "2011-01-01", "LifecycleActionResult": "CONTINUE"}
    which = {"AutoScalingGroupName": group, "LifecycleHookName": hook, "InstanceId": aws_metadata("instance-id")}
    aws("autoscaling", aws_metadata("placement/region"), group, {**call, **which})


def aws_metadata(path: str, default: str | None = None) -> str:
    session = metadata("PUT", "/latest/api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    return metadata("GET", f"/latest/meta-data/{path}", {"X-aws-ec2-metadata-token": session}, default)


def aws(service: str, region: str, subject: str, body: dict[str, str], target: str = "") -> str:
    """Call a service with the identity of the machine: JSON for a target, a form without."""
    role = aws_metadata("iam/security-credentials/").partition("\n")[0]
    keys = json.loads(aws_metadata(f"iam/security-credentials/{role}"))
    host = f"{service}.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"
    headers = {"host": host, "x-amz-security-token": keys["Token"]}
    if target:
        headers.update({"content-type": "application/x-amz-json-1.1", "x-amz-target": target})
    else:
        headers["content-type"] = "application/x-www-form-urlencoded; charset=utf-8"
    content = json.dumps(body) if target else urllib.parse.urlencode(body)
    now = dt.datetime.now(dt.timezone.utc)
    return https(host, "POST", "/", sign(headers, content, (service, region), keys, now), content, subject)


def sign(headers: dict[str, str], body: str, where: tuple[str, str], keys: dict[str, str], now: dt.datetime) -> dict[str, str]:
    """The headers of a POST request, with Signature Version 4 over all of them."""
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    service, region = where
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    headers = {**headers, "x-amz-date": stamp}
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join(["POST", "/", "", listed, names, hashlib.sha256(body.encode()).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{keys['SecretAccessKey']}".encode()
    for part in [*scope.split("/"), text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    credential = f"Credential={keys['AccessKeyId']}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


# Only gcp.


def from_gcp(name: str) -> str:
    token = json.loads(gcp_metadata("instance/service-accounts/default/token"))["access_token"]
    path = f"/v1/{name}/versions/latest:access"
    reply = https("secretmanager.googleapis.com", "GET", path, {"Authorization": f"Bearer {token}"}, "", name)
    return base64.b64decode(json.loads(reply)["payload"]["data"]).decode()


def drain_gcp() -> None:
    while gcp_metadata("instance/shutdown-details/stop-state", "") != "PENDING_STOP":
        time.sleep(POLL_SECONDS)
    stop_agent()
    subprocess.run(["/usr/bin/systemctl", "poweroff"], check=True)


def gcp_metadata(path: str, default: str | None = None) -> str:
    return metadata("GET", f"/computeMetadata/v1/{path}", {"Metadata-Flavor": "Google"}, default)


# All.


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except HostError as error:
        sys.exit(f"scalr-agent: {error}")
