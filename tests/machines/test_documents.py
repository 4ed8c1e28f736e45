"""The files of machines: documents match their snapshots, contain no secret, and follow Scalr's documentation."""

import json
import ssl
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from scalr_agents.cli import main
from scalr_agents.machines import documents, environment, on_machine
from scalr_agents.model.maps import merge
from scalr_agents.model.release import NEWEST

from tests.helpers.machines import CA, EC2, EVERYTHING, GCE, STACKS, URL, load
from tests.machines import cases
from tests.machines.cases import PRINTED


@pytest.mark.parametrize(("name", "form"), PRINTED)
def test_documents_match_their_snapshots(name: str, form: str) -> None:
    assert cases.document(name, form) == cases.snapshot(name, form).read_text()


@pytest.mark.parametrize("place", [{"ec2": EC2}, {"gce": GCE}, {"docker": {}}], ids=["ec2", "gce", "docker"])
def test_no_secret_is_in_any_document_or_finding(place: dict[str, Any]) -> None:
    loaded = load(place, EVERYTHING, secrets={"it": {"token": "s3cr3t-token", "env": {"TF_TOKEN_acme": "s3cr3t-variable"}}})
    [made] = loaded.machines
    for form in documents.FORMS:
        assert "s3cr3t" not in made.document(form) + str(loaded.findings) + str(made.steps(form))


def unit(name: str) -> str:
    return cases.document(name, "systemd").partition("# /etc/systemd/system/scalr-agent.service")[2].partition("\n# /")[0]


def test_vcs_agents_get_no_socket_data_or_limits() -> None:
    for form in documents.FORMS:
        text = cases.document("aws-vcs", form).replace("<on_machine.py>", "")
        assert [word for word in ("docker.sock", "/var/lib/scalr-agent", "CONCURRENCY", "MEM_LIMIT") if word in text] == []


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.52.9", {"SCALR_DATA_HOME", "SCALR_CA_CERT", "SCALR_CONTAINER_TASK_MEM_LIMIT", "SCALR_WORKER_DRAIN_TIMEOUT"}),
        ("0.53.0", {"SCALR_AGENT_DATA_DIR", "SCALR_AGENT_CA_CERT", "SCALR_AGENT_CONTAINER_TASK_MEM_LIMIT", "SCALR_AGENT_CONCURRENCY"}),
    ],
)
def test_variable_names_depend_on_the_agent_version(version: str, expected: set[str]) -> None:
    built = load({"docker": {}, "agentVersion": version}, {"ca": {"file": CA}}).machines[0].machine
    names = environment.variables(built).keys()
    assert expected <= names
    assert "SCALR_URL" in names
    assert all(name.startswith("SCALR_AGENT_") == (version == "0.53.0") for name in names - {"SCALR_URL"})
    assert environment.token_name(built) == ("SCALR_AGENT_TOKEN" if version == "0.53.0" else "SCALR_TOKEN")


@pytest.mark.parametrize(("scope", "variable"), [("global", "SCALR_AGENT_CA_CERT"), ("tasks", "SCALR_AGENT_CONTAINER_TASK_CA_CERT")])
def test_ca_scope_selects_who_trusts_certificates(scope: str, variable: str) -> None:
    built = load({"docker": {}, "caScope": scope}, {"ca": {"file": CA}}).machines[0]
    named = {name for name in environment.variables(built.machine) if name.endswith("CA_CERT")}
    assert named == {variable}
    assert f"{environment.CA_FILE}:{environment.CA_FILE}:ro" in built.document("run")
    assert (["/usr/local/lib/scalr-agent/trust", environment.CA_FILE] in _commands(built.document("cloud-init"))) == (scope == "global")


def _commands(cloud_init: str) -> list[list[str]]:
    return list(yaml.safe_load(cloud_init)["runcmd"])


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("", "missing"),
        ("scalr/agent:latest", "always"),
        ("registry.acme:5000/scalr/agent", "always"),
        ("scalr/agent@sha256:" + "0" * 64, "missing"),
    ],
)
def test_images_without_a_fixed_version_are_always_pulled(image: str, policy: str) -> None:
    text = load({"docker": {}, **({"image": image} if image else {})}).machines[0].document("compose")
    assert yaml.safe_load(text)["services"]["scalr-agent"]["pull_policy"] == policy


def test_containers_reach_only_dns_of_google_s_metadata_service() -> None:
    assert "DOCKER-USER -d 169.254.169.254 -p tcp ! --dport 53 -j REJECT" in unit("gcp-plain")
    assert "iptables" not in unit("gcp-metadata") + unit("aws-plain")


def test_units_escape_specifiers_of_systemd() -> None:
    text = load({"docker": {}}, {"proxy": {"https": "http://proxy.acme:3128/%41"}}).machines[0].document("systemd")
    assert 'Environment="HTTPS_PROXY=http://proxy.acme:3128/%%41"' in text


@pytest.mark.parametrize(("common", "fetched"), [({}, False), ({"ca": {"file": CA}}, True), (EVERYTHING, True)])
def test_certificates_without_room_in_user_data_come_from_the_secret(common: dict[str, Any], fetched: bool) -> None:
    """On AWS: Google Cloud has room."""
    machines = {place: load({place: settings}, common).machines[0].machine for place, settings in (("ec2", EC2), ("gce", GCE))}
    assert {place: machine.fetches_certificates for place, machine in machines.items()} == {"ec2": fetched, "gce": False}
    assert documents.user_data_size(machines["ec2"]) < documents.LONGEST_USER_DATA - 1024
    if fetched:
        made = ssl.create_default_context(cadata=on_machine.pem(json.dumps({"ca-certificates": environment.certificates(machines["ec2"])})))
        assert made.get_ca_certs() == ssl.create_default_context(cadata=(STACKS / CA).read_text()).get_ca_certs() != []


@pytest.mark.parametrize("quoted", [False, True])
def test_secret_lines_are_read_by_docker_and_systemd(quoted: bool) -> None:
    content = json.dumps({"SCALR_AGENT_TOKEN": "t", "A": 'x "y" $z `q` \\ #'})
    plain = 'SCALR_AGENT_TOKEN=t\nA=x "y" $z `q` \\ #\n'
    escaped = 'SCALR_AGENT_TOKEN="t"\nA="x \\"y\\" \\$z \\`q\\` \\\\ #"\n'
    assert on_machine.lines(content, quoted=quoted) == (escaped if quoted else plain)


STACK = {"config": {"scalr-agents:machines": {"host": {"docker": {}, "role": "vcs"}, "fleet": {"ec2": EC2}}, "aws:region": "eu-west-1"}}


@pytest.fixture
def stack_file(tmp_path: Any) -> str:
    file = tmp_path / "Pulumi.it.yaml"
    file.write_text(yaml.safe_dump(merge(STACK, {"config": {"scalr-agents:common": {"url": URL}}})))
    return str(file)


@pytest.mark.parametrize("form", sorted(documents.FORMS))
def test_machine_prints_a_document_and_the_remaining_steps(stack_file: str, form: str) -> None:
    done = CliRunner().invoke(main, ["machine", "host", stack_file, "-o", form])
    assert done.exit_code == 0, done.output
    assert done.stdout == load({"docker": {}, "role": "vcs"}).machines[0].document(form).replace("agent it (", "agent host (")
    assert "SCALR_AGENT_TOKEN=<token>" in done.stderr


def test_machine_names_values_known_only_to_the_cloud(stack_file: str) -> None:
    done = CliRunner().invoke(main, ["machine", "fleet", stack_file])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("#cloud-config\n")
    assert "placeholder: <cloud scalr-agents:machines.fleet: secret> is known only to the cloud" in done.stderr


def test_machine_suggests_the_nearest_name(stack_file: str) -> None:
    done = CliRunner().invoke(main, ["machine", "hots", stack_file])
    assert done.exit_code == 2
    assert "no machine 'hots'; did you mean 'host'?" in done.stderr


def test_render_and_images_mention_machines(stack_file: str) -> None:
    rendered = CliRunner().invoke(main, ["render", stack_file])
    assert (rendered.exit_code, rendered.stdout) == (0, "")
    assert "scalr-agents machine NAME prints their files" in rendered.stderr
    assert CliRunner().invoke(main, ["images", stack_file]).stdout == f"scalr/agent:{NEWEST}\n"


PACKAGE = {"apt": "https://packages.acme/apt jammy main", "key": "https://packages.acme/key.asc", "version": "1.4.0"}


def with_package(directory: Any) -> str:
    file = directory / "Pulumi.package.yaml"
    host = {"docker": {}, "role": "vcs", "runtime": "package", "package": PACKAGE}
    file.write_text(yaml.safe_dump({"config": {"scalr-agents:common": {"url": URL}, "scalr-agents:machines": {"host": host}}}))
    return str(file)


def test_systemd_documents_install_the_package(tmp_path: Any) -> None:
    done = CliRunner().invoke(main, ["machine", "host", with_package(tmp_path), "-o", "systemd"])
    assert done.exit_code == 0, done.output
    assert "# /usr/local/lib/scalr-agent/install (0755)\n#!/bin/sh\n" in done.stdout
    install = f"env SCALR_PACKAGE_KEY={PACKAGE['key']} /usr/local/lib/scalr-agent/install 1.4.0"
    assert f"run as root: {install}; systemctl daemon-reload" in done.stderr


@pytest.mark.parametrize("form", ["compose", "run"])
def test_a_package_has_no_docker_formats(tmp_path: Any, form: str) -> None:
    done = CliRunner().invoke(main, ["machine", "host", with_package(tmp_path), "--output", form])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "runtime: package has no compose or run format; use cloud-init or systemd" in done.stderr
