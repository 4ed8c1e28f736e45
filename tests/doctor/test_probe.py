"""The probe: the pod that is made, what its results mean, and the script itself, run by a shell."""

import itertools
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from scalr_agents.doctor import probe
from scalr_agents.doctor.needs import Needs, Pod
from scalr_agents.doctor.probe import Result
from scalr_agents.model.manifests import Manifest
from scalr_agents.stack import pod_security

from tests.doctor.clusters import needs_of
from tests.helpers import samples, stand_ins

SCRIPT = str(files("scalr_agents.doctor") / "probe.sh")
PASSWORD = "hidden-password"
TOOLS = ("grep", "id", "rm", "sh", "sleep", "stat")
"""What an image surely has."""


def tasks(needs: Needs) -> list[Pod]:
    pods = [needs.task_pod(agent) for agent in needs.stack.agents]
    return [pod for pod in pods if pod]


def pod_of(job: Manifest) -> Manifest:
    template: Manifest = job["spec"]["template"]
    return template


ALL = {f"{name}-{pod.agent.name}": pod for name in samples.STACKS for pod in tasks(Needs.of(samples.sample(name)))}


@pytest.mark.parametrize("pod", ALL.values(), ids=ALL)
def test_a_probe_is_like_a_task(pod: Pod) -> None:
    job = probe.job(pod, "", 60)
    made, task = pod_of(job)["spec"], pod.spec
    assert pod_of(job)["metadata"] == pod.template["metadata"]
    alike = ("serviceAccountName", "securityContext", "nodeSelector", "tolerations", "affinity", "volumes", "imagePullSecrets")
    assert {key: made.get(key) for key in alike} == {key: task.get(key) for key in alike}
    for level in ("restricted", "baseline"):
        assert set(pod_security.violations(made, level)) <= set(pod_security.violations(task, level))
    for container in made["containers"]:
        [given] = [each for each in task["containers"] if each["name"] == container["name"]]
        same = ("securityContext", "volumeMounts", "resources")
        assert {key: container.get(key) for key in same} == {key: given.get(key) for key in same}
        assert container["image"] == task["containers"][0]["image"]
    assert "SCALR_AGENT_TOKEN" not in json.dumps(made, default=str)
    assert (job["spec"]["activeDeadlineSeconds"], job["spec"]["backoffLimit"], made["restartPolicy"]) == (120, 0, "Never")


def environment(needs: Needs, container: str = "runner", image: str = "") -> dict[str, Any]:
    [pod] = tasks(needs)
    containers = {each["name"]: each for each in pod_of(probe.job(pod, image, 60))["spec"]["containers"]}
    return {variable["name"]: variable.get("value", variable.get("valueFrom")) for variable in containers[container]["env"]}


def test_the_script_is_told_what_the_agent_uses() -> None:
    mirror = {"providerNetworkMirrors": [{"url": "https://mirror.acme.example/p/"}]}
    secrets = {"secrets": {"runs": {"mirrorTokens": {"mirror.acme.example": PASSWORD}}}}
    needs = needs_of(secrets, agentVersion="1.4.0", values={"agent": mirror})
    given = environment(needs)
    assert given["PROBE_URL"] == samples.URL
    assert given["PROBE_NAMES"].split() == ["kubernetes.default.svc", "example.scalr.io"]
    assert given["PROBE_REGISTRIES"].split() == [
        "https://registry.opentofu.org/",
        "https://registry.terraform.io/",
        "https://mirror.acme.example/p/",
    ]
    assert given["PROBE_METADATA"].split()[0] == "169.254.169.254"
    assert given["PROBE_DIRECTORIES"].split() == ["/opt/workdir", "/opt/data", "/opt/providers", "/tmp"]
    assert "/var/lib/scalr-agent/cache" in environment(needs, "worker")["PROBE_DIRECTORIES"].split()
    assert PASSWORD not in json.dumps(given)


@pytest.mark.parametrize("proxy", ["http://[fd00::1]:3128", "http://10.0.12.5:3128", "http://$(HOST):3128"])
def test_an_address_is_no_name_to_resolve(proxy: str) -> None:
    needs = needs_of(values={"task": {"runner": {"extraEnv": {"HTTPS_PROXY": proxy}}}})
    assert environment(needs)["PROBE_NAMES"].split() == ["kubernetes.default.svc"]


def test_a_proxy_keeps_its_password_in_its_secret() -> None:
    proxy = {"http": "http://u:$(PROXY_PASSWORD)@proxy.acme:3128", "https": "http://u:$(PROXY_PASSWORD)@proxy.acme:3128"}
    needs = needs_of(
        {
            "common": {"url": samples.URL, "proxy": proxy, "ca": {"secret": "corp"}},
            "secrets": {"runs": {"env": {"PROXY_PASSWORD": PASSWORD, "OTHER": PASSWORD}}},
        }
    )
    given = environment(needs)
    assert list(given)[:4] == ["PROXY_PASSWORD", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]
    assert given["PROXY_PASSWORD"] == {"secretKeyRef": {"name": "runs-agent-job-env", "key": "PROXY_PASSWORD", "optional": False}}
    assert given["PROBE_NAMES"].split() == ["kubernetes.default.svc", "proxy.acme"]
    assert given["PROBE_CA"] == "/etc/ssl/certs/scalr-ca-bundle.crt"
    assert PASSWORD not in json.dumps(given)


def test_another_image_is_that_of_all_containers() -> None:
    [pod] = tasks(needs_of(values={"task": {"sidecars": [{"name": "extra", "image": "x", **_hardened()}]}}))
    made = pod_of(probe.job(pod, "curlimages/curl:8.11.1", 60))["spec"]["containers"]
    assert [(each["name"], each["image"]) for each in made] == [(name, "curlimages/curl:8.11.1") for name in ("runner", "worker")]


def _hardened() -> Manifest:
    return {"securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}


RESULTS = {
    Result("write", "/cache", "ok", "user 1000"): "note: p, container c: writing to /cache: works (user 1000)",
    Result("write", "/cache", "failed", "user 1000, groups 1000; directory mode 755 of 0:0"): (
        "error: p, container c: cannot write to /cache: user 1000, groups 1000; directory mode 755 of 0:0. Make the user or a group of the "
        "pod its owner (fsGroup, the access point of EFS, hostPath.preparation): docs/caches.md"
    ),
    Result(
        "dns", "kubernetes.default.svc", "failed"
    ): "error: p, container c: DNS name kubernetes.default.svc: the name cannot be resolved. ",
    Result("scalr", "https://a", "failed", "untrusted"): "error: p, container c: TLS to https://a: the certificate is not trusted. ",
    Result("scalr", "https://a", "failed", "proxy-407"): "error: p, container c: TLS to https://a: the proxy asks for a login. ",
    Result(
        "scalr", "https://a", "failed", "proxy-403"
    ): "error: p, container c: TLS to https://a: the proxy refuses the connection (403). ",
    Result("scalr", "https://a", "failed", "refused"): "error: p, container c: TLS to https://a: the connection is refused. ",
    Result("scalr", "https://a", "failed", "curl-35"): "error: p, container c: TLS to https://a: failed (curl-35). ",
    Result("scalr", "https://a", "ok", "http-200"): "note: p, container c: TLS to https://a: works (http-200)",
    Result("scalr", "https://a", "untried"): "note: p, container c: TLS to https://a: not tried, the image has no tool for it. ",
    Result("registry", "https://r", "failed", "timeout"): "warning: p, container c: TLS to https://r: no answer in time. ",
    Result("metadata", "169.254.169.254", "ok", "closed"): "note: p, container c: metadata service 169.254.169.254: no answer",
    Result("metadata", "169.254.169.254", "failed", "open"): (
        "error: p, container c: metadata service 169.254.169.254: answers, so that runs get the credentials of their node. "
    ),
}
END = Result("end", "c", "ok")


@pytest.mark.parametrize(("result", "expected"), RESULTS.items(), ids=[" ".join(result) for result in RESULTS])
def test_what_a_result_means(result: Result, expected: str) -> None:
    [finding] = probe.findings("p", {"c": [result, END]}, closed=True)
    assert str(finding).startswith(expected)


def test_a_metadata_service_that_is_allowed_is_no_error() -> None:
    [finding] = probe.findings("p", {"c": [Result("metadata", "a", "failed", "open"), END]}, closed=False)
    assert str(finding) == "note: p, container c: metadata service a: answers, and the values allow it"


def test_what_several_containers_find_is_said_once() -> None:
    same = [Result("dns", "a", "ok"), END]
    assert [finding.subject for finding in probe.findings("p", {"c": same, "d": same}, closed=True)] == ["p, container c and d"]


def test_a_probe_that_was_cut_off_is_an_error() -> None:
    [finding] = probe.findings("p", {"c": []}, closed=True)
    assert (finding.severity, finding.message) == ("error", "did not finish")


def test_lines_of_others_are_not_results() -> None:
    log = "starting\nscalr-agents-probe|dns|a|ok|\nscalr-agents-probe|dns|a|strange|\nscalr-agents-probe|end|c|ok|\n"
    assert probe.parse(log) == [Result("dns", "a", "ok"), Result("end", "c", "ok")]


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="no shellcheck here")
def test_the_script_is_clean() -> None:
    done = subprocess.run(["shellcheck", "--shell=sh", SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


Script = Callable[..., list[Result]]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Runs the script with some tools and nothing else on its PATH."""

    def run(*tools: str, **given: str) -> list[Result]:
        path = tmp_path / "bin"
        path.mkdir(exist_ok=True)
        for tool in (*TOOLS, *tools):
            found = shutil.which(tool)
            if found and not (path / tool).exists():
                (path / tool).symlink_to(found)
        empty = dict.fromkeys(("DIRECTORIES", "NAMES", "URL", "REGISTRIES", "METADATA", "CA"), "")
        variables = {f"PROBE_{name}": value for name, value in empty.items()} | {"PROBE_CONTAINER": "c", "PROBE_PAUSE": "0"}
        done = subprocess.run(
            ["/bin/sh", "-c", Path(SCRIPT).read_text()],
            env={"PATH": str(path), **variables, **given},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert PASSWORD not in done.stdout
        *results, end = probe.parse(done.stdout)
        assert len(done.stdout.splitlines()) == len(results) + 1, done.stdout
        assert end == END
        return results

    return run


def fake(directory: Path, tool: str, *lines: str) -> None:
    """A tool that does what a test says."""
    (directory / "bin").mkdir(exist_ok=True)
    file = directory / "bin" / tool
    file.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    file.chmod(0o755)


def test_nothing_is_tried_without_a_tool(script: Script) -> None:
    given = {"PROBE_NAMES": "a", "PROBE_URL": "https://a", "PROBE_REGISTRIES": "https://b\nhttps://c", "PROBE_METADATA": "169.254.169.254"}
    tried = [(result.check, result.target, result.outcome) for result in script(**given)]
    everything = [
        ("dns", "a"),
        ("scalr", "https://a"),
        ("registry", "https://b"),
        ("registry", "https://c"),
        ("metadata", "169.254.169.254"),
    ]
    assert tried == [(*each, "untried") for each in everything]


@pytest.mark.parametrize(
    ("status", "codes", "expected"),
    [
        (0, "200 000", ("ok", "http-200")),
        (0, "403 200", ("ok", "http-403")),
        (5, "000 000", ("failed", "proxy-unresolved")),
        (6, "000 000", ("failed", "unresolved")),
        (7, "000 000", ("failed", "refused")),
        (28, "000 000", ("failed", "timeout")),
        (35, "000 200", ("failed", "curl-35")),
        (56, "000 407", ("failed", "proxy-407")),
        (56, "000 403", ("failed", "proxy-403")),
        (60, "000 200", ("failed", "untrusted")),
        (77, "000 000", ("failed", "no-ca")),
    ],
)
def test_what_curl_says(status: int, codes: str, expected: tuple[str, str], script: Script, tmp_path: Path) -> None:
    fake(tmp_path, "curl", f"echo '{codes}'", f"exit {status}")
    assert [result[2:] for result in script(PROBE_URL="https://a")] == [expected]


def test_curl_gets_proxy_exceptions_and_authorities(script: Script, tmp_path: Path) -> None:
    fake(tmp_path, "curl", f'for word; do echo "$word"; done >{tmp_path}/words', "echo '200 200'")
    proxy = f"http://u:{PASSWORD}@proxy:3128"
    script(PROBE_URL="https://a", PROBE_CA="/ca.crt", HTTPS_PROXY=proxy, NO_PROXY=".svc,10.0.0.1")
    words = (tmp_path / "words").read_text().splitlines()
    pairs = dict(itertools.pairwise(words))
    assert (pairs["-x"], pairs["--noproxy"], pairs["--cacert"], words[-1]) == (proxy, ".svc,10.0.0.1", "/ca.crt", "https://a")


def test_a_metadata_service_gets_time_to_close(script: Script, tmp_path: Path) -> None:
    """It answers twice, before the network plugin has applied the policy."""
    fake(tmp_path, "curl", f"echo x >>{tmp_path}/tries", f'[ "$(grep -c x {tmp_path}/tries)" -le 2 ] || exit 28')
    assert script(PROBE_METADATA="169.254.169.254") == [Result("metadata", "169.254.169.254", "ok", "closed")]
    assert (tmp_path / "tries").read_text() == "x\n" * 3


@pytest.mark.parametrize("tool", ["curl", "python3", "wget"])
def test_an_open_metadata_service_is_found(tool: str, script: Script, tmp_path: Path) -> None:
    fake(tmp_path, tool, "echo HTTP/1.1 200 OK", "exit 0")
    assert [result[2:] for result in script(PROBE_METADATA="169.254.169.254")] == [("failed", "open")]


def test_directories_are_written_and_left_as_they_were(script: Script, tmp_path: Path) -> None:
    (tmp_path / "with space").mkdir()
    (tmp_path / "file").touch()
    directories = [str(tmp_path / name) for name in ("with space", "missing", "file")]
    results = script(PROBE_DIRECTORIES="\n".join(directories))
    assert [(result.target, result.outcome) for result in results] == list(zip(directories, ("ok", "failed", "failed"), strict=True))
    assert list((tmp_path / "with space").iterdir()) == []


@pytest.fixture
def serve() -> Iterator[Callable[..., int]]:
    """Starts servers that have nothing, and as proxies ask everybody for a password."""
    servers = []

    def start(certificate: Path | None = None) -> int:
        servers.append(stand_ins.serve(lambda method, *_: (407 if method == "CONNECT" else 404, ""), certificate=certificate))
        return servers[-1].server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for localhost that nobody trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here")
    return stand_ins.certificate(tmp_path_factory.mktemp("tls") / "both.pem", "DNS:localhost", "IP:127.0.0.1")


@pytest.mark.parametrize("tool", ["curl", "python3", "wget", "openssl"])
def test_tools_find_what_is_wrong_with_tls(tool: str, script: Script, serve: Callable[..., int], certificate: Path, tmp_path: Path) -> None:
    """The real tools, on this machine's own address."""
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    url, asking = f"https://localhost:{serve(certificate)}/", f"http://localhost:{serve()}"
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed = f"https://localhost:{unused.getsockname()[1]}/"
    if tool == "python3":
        fake(tmp_path, tool, f'exec {sys.executable} "$@"')
    run = partial(script, tool)
    trusting = {"PROBE_CA": str(certificate)}
    assert [result.outcome for result in run(PROBE_URL=url, **trusting)] == ["ok"]
    assert [result[2:] for result in run(PROBE_URL=url)] == [("failed", "untrusted")]
    assert [result.outcome for result in run(PROBE_URL=closed, **trusting)] == ["failed"]
    refused = run(PROBE_URL=url, HTTPS_PROXY=asking, https_proxy=asking, **trusting)
    assert [result.outcome for result in refused] == ["failed"]
    if tool in ("curl", "python3"):
        assert refused[0].detail == "proxy-407"
        assert run(PROBE_URL=closed, **trusting)[0].detail == "refused"
        assert run(PROBE_URL=url, HTTPS_PROXY=asking, NO_PROXY="localhost", no_proxy="localhost", **trusting)[0].outcome == "ok"
