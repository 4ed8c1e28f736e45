"""systemd units for an agent on a machine.

No unit contains the token. Units refer to files; the file with secrets is on a tmpfs and is deleted when the unit stops.
"""

from collections.abc import Iterable, Mapping

from scalr_agents.machines import CloudNames, Machine, environment, versions
from scalr_agents.machines.environment import CA_FILE, DATA_DIR
from scalr_agents.machines.settings import is_floating
from scalr_agents.model.texts import lines

AGENT, DRAIN = "scalr-agent.service", "scalr-agent-drain.service"
HOST_PROGRAM = "/usr/local/lib/scalr-agent/host"
ENVIRONMENT_FILE = "/etc/scalr-agent/agent.env"
OWN_SECRETS = "/etc/scalr-agent/secret.env"
"""The file to which users write the agent's secrets on their own host."""
HOOK = "drain"
"""Name of the lifecycle hook of an Auto Scaling group."""
CONTAINER = "scalr-agent"
EMBEDDED_DOCKER = "/opt/scalr-agent/embedded/bin/docker"
"""The Docker of the package."""

_RUNTIME_DIRECTORY = "scalr-agent-secret"
_FETCHED_SECRETS = f"/run/{_RUNTIME_DIRECTORY}/secret.env"
_NAME = "SCALR_AGENT_NAME"
_LOCAL_LOGS = ["--log-driver=local"]
_STOP_MARGIN_SECONDS = 30
_START_SECONDS = 900
"""Allows for a large image and a slow network."""


def secrets_file(machine: Machine) -> str:
    """The file with the agent's secrets."""
    return OWN_SECRETS if machine.platform == "own" else _FETCHED_SECRETS


def agent(machine: Machine, names: CloudNames) -> str:
    """The unit of an agent that runs as a container."""
    task_image = (f"/usr/bin/docker {command}" for command in named_task_image(machine))
    start = [*_fetch(machine, names), *_closed_metadata(machine), f"-/usr/bin/docker rm --force {CONTAINER}", *task_image]
    return _unit(
        {
            "Description": f"Scalr agent {machine.name} ({machine.agent.role})",
            "Requires": "docker.service",
            "After": "docker.service network-online.target",
            "Wants": "network-online.target",
            "StartLimitIntervalSec": "0",  # retry without limit: a secret or a registry may become available later
        },
        [
            "Type=exec",
            *_environment(machine),
            f"RuntimeDirectory={_RUNTIME_DIRECTORY}",
            "RuntimeDirectoryMode=0700",
            *(f"ExecStartPre={command}" for command in start),
            f"ExecStart={' '.join(run_in_unit(machine, names))}",
            f"ExecStop=-/usr/bin/docker stop {CONTAINER}",
            "Restart=always",
            "RestartSec=10",
            f"TimeoutStartSec={_START_SECONDS}",
            f"TimeoutStopSec={environment.stop_seconds(machine) + _STOP_MARGIN_SECONDS}",
        ],
        enabled=True,
    )


def run_in_unit(machine: Machine, names: CloudNames) -> list[str]:
    """`docker run` under systemd: in the foreground, without a terminal. systemd restarts it."""
    by_host = versions.NEW_NAMES.has(machine.agent.agent_version) and _NAME not in machine.agent.env
    named = [f"--env={_NAME}=%H"] if by_host else []  # by default, the agent is named after its container
    files = [f"--env-file={file}" for file in (ENVIRONMENT_FILE, secrets_file(machine))]
    logs = _logs(names)
    return ["/usr/bin/docker", "run", "--rm", *options(machine, logs), *named, *files, quoted(environment.image(machine)), "run"]


def _logs(names: CloudNames) -> list[str]:
    """The log options of Docker. awslogs uses the region of the machine."""
    if not names.log_group:
        return _LOCAL_LOGS
    return ["--log-driver=awslogs", f"--log-opt={quoted(f'awslogs-group={names.log_group}')}", "--log-opt=awslogs-stream=%H"]


def options(machine: Machine, logs: list[str] | None = None) -> list[str]:
    """Options of `docker run` that all formats share."""
    return [
        f"--name={CONTAINER}",
        f"--pull={pull_policy(machine)}",
        f"--stop-timeout={environment.stop_seconds(machine)}",
        *(logs or _LOCAL_LOGS),
        *(["--user=0:0"] if machine.agent.root else []),
        *(f"--volume={mount}" for mount in mounts(machine)),
    ]


def pull_policy(machine: Machine) -> str:
    """`always` for an image without a fixed version, otherwise `missing`."""
    return "always" if is_floating(environment.image(machine)) else "missing"


def mounts(machine: Machine) -> list[str]:
    """Mounts of the container. Docker's socket is equivalent to root on the host, so an agent for a VCS provider does not get it."""
    runs = ["/var/run/docker.sock:/var/run/docker.sock", f"{DATA_DIR}:{DATA_DIR}"] if machine.serves_runs else []
    return [*runs, *([f"{CA_FILE}:{CA_FILE}:ro"] if machine.shared.ca_bundle else [])]


def package_drop_in(machine: Machine, names: CloudNames) -> str:
    """The drop-in for the agent's unit, which the package installs."""
    return _unit(
        {"StartLimitIntervalSec": "0"},
        [
            f"RuntimeDirectory={_RUNTIME_DIRECTORY}",
            "RuntimeDirectoryMode=0700",
            *(f"ExecStartPre=+{command}" for command in (*_fetch(machine, names, "--quoted"), *_closed_metadata(machine))),
            f"EnvironmentFile={ENVIRONMENT_FILE}",
            f"EnvironmentFile=-{secrets_file(machine)}",  # optional, because the commands above get it too, before the file exists
            "Restart=always",
            "RestartSec=10",
            f"TimeoutStopSec={environment.stop_seconds(machine) + _STOP_MARGIN_SECONDS}",
        ],
    )


def proxy_drop_in(machine: Machine) -> str:
    """The drop-in with the proxy, for a unit that is installed by others."""
    return _unit({}, _environment(machine))


def drain(machine: Machine, names: CloudNames) -> str:
    """The unit that stops the agent before the cloud removes the machine."""
    arguments = f"aws {quoted(names.group)} {HOOK}" if machine.platform == "aws" else "gcp"
    return _unit(
        {
            "Description": f"Drains Scalr agent {machine.name} before its machine goes",
            "After": f"network-online.target {AGENT}",
            "Wants": "network-online.target",
            "StartLimitIntervalSec": "0",
        },
        [*_environment(machine), f"ExecStart={HOST_PROGRAM} drain {arguments}", "Restart=on-failure", "RestartSec=5"],
        enabled=True,
    )


def quoted(text: str) -> str:
    """A text as one argument in a unit, escaped so that systemd expands nothing."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if set(text) & set(" '\";") else text


def _environment(machine: Machine) -> list[str]:
    """The variables of the proxy in a unit. systemd expands only `%` there."""
    given = environment.proxy(machine).items()
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")) for name, value in given)
    return [f'Environment="{name}={value}"' for name, value in escaped]


def _fetch(machine: Machine, names: CloudNames, *more: str) -> list[str]:
    """The commands that provide the secrets, and certificates from the same place, before the agent starts."""
    if machine.platform == "own":
        missing = f"{OWN_SECRETS} is missing or empty: write {environment.token_name(machine)}=<token> into it, mode 0600"
        return [f"/bin/sh -c 'test -s {OWN_SECRETS} || {{ echo \"{missing}\" >&2; exit 1; }}'"]
    certificates = [" ".join([HOST_PROGRAM, "certificates", quoted(names.secret), CA_FILE])] if machine.fetches_certificates else []
    return [*certificates, " ".join([HOST_PROGRAM, "secrets", quoted(names.secret), _FETCHED_SECRETS, *more])]


def _closed_metadata(machine: Machine) -> list[str]:
    """The command that blocks containers from Google's metadata service, except DNS. On AWS, the hop limit does this."""
    if machine.platform != "gcp" or machine.agent.allow_metadata_service:
        return []
    rule = "DOCKER-USER -d 169.254.169.254 -p tcp ! --dport 53 -j REJECT"
    return [f"/bin/sh -c 'iptables -C {rule} 2>/dev/null || iptables -I {rule}'"]


def named_task_image(machine: Machine) -> list[str]:
    """The commands of Docker that tag the custom image for runs with the fixed name that older agents use."""
    image = machine.agent.task_image
    if not image or versions.TASK_IMAGE.has(machine.agent.agent_version):
        return []
    return [f"pull {quoted(image)}", f"tag {quoted(image)} {quoted('scalr/terraform:' + image.rpartition(':')[2])}"]


def _unit(head: Mapping[str, str], service: Iterable[str], *, enabled: bool = False) -> str:
    sections = {
        "Unit": [f"{key}={value}" for key, value in head.items()],
        "Service": list(service),
        "Install": ["WantedBy=multi-user.target"] if enabled else [],
    }
    return "\n".join(lines([f"[{name}]", *entries]) for name, entries in sections.items() if entries)
