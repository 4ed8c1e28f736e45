"""The formats in which a machine's files are printed: cloud-init, systemd, Compose and a plain command."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scalr_agents.machines import CloudNames, Machine, environment, files, units
from scalr_agents.machines.units import OWN_SECRETS
from scalr_agents.model import yaml_io

LONGEST_USER_DATA = 16 * 1024
"""EC2's limit for user data, in bytes. Google's is 256 KiB."""
_LONGEST_NAMES = CloudNames("-" * 128, "-" * 64, "-" * 64)
"""As long as the longest names in the cloud, which are not known before the resources exist."""


def cloud_init(machine: Machine, names: CloudNames) -> str:
    """User data for cloud-init, for a new machine."""
    written = [
        {"path": file.path, "permissions": file.mode, "content": file.content}
        for file in (*files.setup(machine), *files.files(machine, names))
    ]
    content = {"write_files": written, "runcmd": [*files.setup_commands(machine, names), *files.commands(machine)]}
    return "#cloud-config\n" + yaml_io.dump([content]).removeprefix("---\n")


def user_data_size(machine: Machine) -> int:
    """The largest size of its user data, in bytes."""
    return len(cloud_init(machine, _LONGEST_NAMES).encode())


def fitted(machine: Machine) -> Machine:
    """A valid machine, which reads its certificates from its secret if they do not fit into its user data."""
    too_long = machine.platform == "aws" and machine.shared.ca_bundle and user_data_size(machine) > LONGEST_USER_DATA
    return replace(machine, fetches_certificates=bool(too_long))


def systemd(machine: Machine, names: CloudNames) -> str:
    """All files, each below a line with its path and mode. Docker must be installed already. The package is installed by one of them."""
    setup = [] if machine.in_docker else files.setup(machine)
    listed = (f"# {file.path} ({file.mode})\n{file.content}" for file in (*setup, *files.files(machine, names)))
    return "\n".join(listed)


def compose(machine: Machine, _names: CloudNames) -> str:
    """A Compose file, for Docker Compose 2.30 or newer."""
    own = replace(machine, platform="own")
    mounts = units.mounts(own)
    service: dict[str, Any] = {
        "image": environment.image(own),
        "command": ["run"],
        "container_name": units.CONTAINER,
        "restart": "unless-stopped",
        "pull_policy": units.pull_policy(own),
        "stop_grace_period": f"{environment.stop_seconds(own)}s",
        **({"user": "0:0"} if own.agent.root else {}),
        "environment": environment.variables(own),
        "env_file": [{"path": OWN_SECRETS, "format": "raw"}],  # raw: the format of docker run
        **({"volumes": mounts} if mounts else {}),
        "logging": {"driver": "local"},
    }
    return yaml_io.dump([{"services": {units.CONTAINER: _literal(service)}}]).removeprefix("---\n")


def _literal(value: Any) -> Any:
    """A value with each `$` escaped, which Compose would expand."""
    if isinstance(value, Mapping):
        return {key: _literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literal(item) for item in value]
    return value.replace("$", "$$") if isinstance(value, str) else value


def run(machine: Machine, _names: CloudNames) -> str:
    """One shell command that starts the agent."""
    own = replace(machine, platform="own")
    variables = [f"--env={name}={value}" for name, value in environment.variables(own).items()]
    options = ["--detach", "--restart=unless-stopped", *units.options(own), *variables, f"--env-file={OWN_SECRETS}"]
    lines = [*map(shlex.quote, options), f"{shlex.quote(environment.image(own))} run"]
    return "docker run \\\n  " + " \\\n  ".join(lines) + "\n"


FORMS: Mapping[str, Callable[[Machine, CloudNames], str]] = {"cloud-init": cloud_init, "compose": compose, "run": run, "systemd": systemd}

_OF_DOCKER = ("compose", "run")


def refusal(machine: Machine, form: str) -> str:
    """Why this format is not available for a machine. Empty if it is."""
    if machine.in_docker or form not in _OF_DOCKER:
        return ""
    others = [other for other in FORMS if other not in _OF_DOCKER]
    return f"runtime: package has no {' or '.join(_OF_DOCKER)} format; use {' or '.join(others)}"


def steps(machine: Machine, names: CloudNames, form: str) -> list[str]:
    """The remaining manual steps for a document of this format."""
    if machine.platform != "own" and form == "cloud-init":
        return ["`pulumi up` passes this to the machines as user data; no manual steps are needed"]
    token = environment.token_name(machine)
    write = f"(umask 077; mkdir -p /etc/scalr-agent; cat > {OWN_SECRETS})"
    write_token = [f"write the token on the host: run {write}, type `{token}=<token>`, press Enter, then Ctrl-D"]
    if machine.platform != "own" and form == "systemd":
        write_token = []
    task_image = [f"docker {command}" for command in units.named_task_image(machine)]
    match form:
        case "systemd":
            setup = [] if machine.in_docker else files.setup_commands(machine, names)
            run_on_host = "; ".join(shlex.join(command) for command in (*setup, *files.commands(machine)))
            return [*write_token, "write each file to the path above it, with the mode in brackets", f"run as root: {run_on_host}"]
        case "compose":
            return [*write_token, *_ca_step(machine), *task_image, "save this as compose.yaml and run: docker compose up --detach"]
        case "run":
            return [*write_token, *_ca_step(machine), *task_image, "run the command"]
    return ["start the machine with this as user data", *write_token]


def _ca_step(machine: Machine) -> list[str]:
    return [f"copy the certificates to {environment.CA_FILE}"] if machine.shared.ca_bundle else []
