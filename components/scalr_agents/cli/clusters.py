"""The commands that read the cluster of a stack. What needs a client of Kubernetes is imported only when they run."""

import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from scalr_agents.cli.loading import project_option, stack_argument, stack_names, usable
from scalr_agents.model.checks import NO_REFERENCE
from scalr_agents.model.findings import errors, nearest, warnings
from scalr_agents.model.forms import is_image
from scalr_agents.model.texts import escaped
from scalr_agents.printing import FINDINGS, counted, format_option, note, progress

if TYPE_CHECKING:
    from scalr_agents.cluster.api import Api
    from scalr_agents.stack import Stack
    from scalr_agents.stack.source import Source

_INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ends, as shells have it."""
_WATCH_SECONDS = 5.0

_allow_exec_option = click.option(
    "--allow-exec", is_flag=True, help="Run the programs that a kubeconfig in the project names to get a credential."
)


@click.command(short_help="Check whether the cluster is ready for a stack.")
@stack_argument
@project_option
@format_option("text", "json")
@click.option("--probe", is_flag=True, help="Also start a pod like that of a run, for each agent. It is deleted afterwards.")
@click.option("--image", default="", help="Image of the probe, with /bin/sh.  [default: the runner's]")
@click.option("--timeout", type=click.IntRange(min=1), default=300, show_default=True, help="Seconds after which a probe is stopped.")
@_allow_exec_option
def doctor(stack: str, project: Path | None, form: str, *, probe: bool, image: str, timeout: int, allow_exec: bool) -> None:
    """Check whether the cluster of a STACK (default: local) is ready for it; exit 1 if there is an error.

    It creates nothing: it reads, and submits the stack's objects with a dry run, through the kubeconfig and context of the stack file. It
    needs the package's extra [live]. Each finding is one line: severity, subject, what is wrong, what to do. JSON output is an object
    with `findings`, a list of objects with the keys `severity`, `subject`, `problem` and `advice`, and the counts `errors`, `warnings` and
    `notes`. See docs/doctor.md.
    """
    from scalr_agents.doctor import command

    if image and not is_image(image):
        raise click.BadParameter(NO_REFERENCE, param_hint="--image")
    source, loaded = usable(project, stack)
    if not loaded.on_kubernetes:
        note(f"{stack}: nothing on Kubernetes, so there is nothing to check")
        return
    if image and not probe:
        note("--image has no effect without --probe")
    with _cluster(source, loaded, allow_exec=allow_exec) as api, progress("running probes" if probe else "asking the cluster"):
        found = command.examined(api, loaded, probe=probe, image=image, seconds=timeout)
    bad, odd = len(errors(found)), len(warnings(found))
    if form == "json":
        counts = {"errors": bad, "warnings": odd, "notes": len(found) - bad - odd}
        click.echo(json.dumps({"findings": [finding.as_json() for finding in found], **counts}, indent=2))
    else:
        click.echo("".join(f"{finding}\n" for finding in found), nl=False)
    note(f"cluster of {stack}: {counted(bad, 'error')}, {counted(odd, 'warning')}")
    sys.exit(FINDINGS if bad else 0)


@click.command(short_help="Print what the agents of a stack do right now.")
@stack_argument
@project_option
@format_option("text", "json")
@click.option("-w", "--watch", is_flag=True, help="Print it again every 5 seconds, until Ctrl-C.")
@_allow_exec_option
def status(stack: str, project: Path | None, form: str, *, watch: bool, allow_exec: bool) -> None:
    """Print what the agents of a STACK (default: local) do right now; exit 1 if the pods of an agent are not all ready.

    For each agent: its version, pods that are ready, runs that are running or pending and why, the last failures, claims, and what differs
    from the stack file. Runs that wait or fail do not change the exit code. It only reads, through the kubeconfig and context of the stack
    file, and needs the package's extra [live]. JSON output is an object with `agents` and `notes`; docs/operations.md lists the keys.
    """
    from scalr_agents.day2 import status as of_agents

    source, loaded = usable(project, stack)
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        for _ in _again(every=_WATCH_SECONDS if watch else None):
            view = of_agents.look(api, loaded.agents)
            found = of_agents.of(loaded.agents, view)
            if watch:
                click.clear()
            click.echo(of_agents.as_json(found, view.notes) if form == "json" else _lines(of_agents.as_text(found, view.notes)), nl=False)
    sys.exit(0 if all(each.ready for each in found) else FINDINGS)


@click.command(short_help="Show what a deployment will do to agents and runs.")
@stack_argument
@project_option
@format_option("text", "json")
@_allow_exec_option
def impact(stack: str, project: Path | None, form: str, *, allow_exec: bool) -> None:
    """Show what `pulumi up` of a STACK (default: local) will do; exit 1 if the API server rejects an object, or something cannot be judged.

    For each agent: which controllers restart, which runs are in progress, whether they continue, the deployment waits for them, or they
    end, and the longest wait. Then the objects that are created, replaced (claims are empty afterwards), removed or changed. It changes
    nothing: the API server compares, by a dry run, through the kubeconfig and context of the stack file. It needs the package's extra
    [live]. JSON output is an object with `agents`, `objects` and `notes`; docs/operations.md lists the keys.
    """
    from scalr_agents.day2 import impact as of_deployment

    source, loaded = usable(project, stack)
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        with progress("asking the cluster"):
            found = of_deployment.examine(api, loaded)
        click.echo(of_deployment.as_json(found) if form == "json" else _lines(of_deployment.as_text(found)), nl=False)
    sys.exit(0 if found.is_complete else FINDINGS)


@click.command(short_help="Print the logs of an agent, or of one of its runs.")
@click.argument("agent")
@click.option("--run", default="", help="Print the logs of this run: its id, or the name of its Job or pod.  [default: the agent's pods]")
@click.option("-f", "--follow", is_flag=True, help="Print new lines as they come, until the containers end.")
@click.option("-s", "--stack", default="local", show_default=True, shell_complete=stack_names, help="Stack that has the agent.")
@project_option
@_allow_exec_option
def logs(agent: str, run: str, stack: str, project: Path | None, *, follow: bool, allow_exec: bool) -> None:
    """Print the logs of the pods of AGENT: its controllers and workers, or with --run all containers of one of its runs.

    If there are several containers, each line starts with the names of pod and container. Pods of finished runs are soon deleted; the log
    of the run itself is in Scalr. It needs the package's extra [live].
    """
    from scalr_agents.day2 import logs as of_pods

    source, loaded = usable(project, stack)
    found = {each.name: each for each in loaded.agents}.get(agent)
    if found is None:
        raise click.BadParameter(f"no agent {agent!r}; {nearest(agent, [each.name for each in loaded.agents])}", param_hint="AGENT")
    with _cluster(source, loaded, allow_exec=allow_exec) as api:
        try:
            sources = of_pods.sources(found, run, of_pods.look(api, found))
        except of_pods.LogsError as problem:
            _end(problem)
        for line in of_pods.printed(api, sources, follow=follow):
            click.echo(line)


@contextmanager
def _cluster(source: "Source", loaded: "Stack", *, allow_exec: bool) -> "Iterator[Api]":
    """The cluster of a stack. The command ends here if it cannot be reached, or on Ctrl-C."""
    from scalr_agents.cluster import kubeconfig
    from scalr_agents.cluster.api import ClusterError

    kubernetes, untrusted = loaded.kubernetes, [] if allow_exec else kubeconfig.checkouts(source)
    try:
        with kubeconfig.connect(kubernetes.kubeconfig, kubernetes.context, untrusted) as api:
            yield api
    except ClusterError as problem:
        _end(problem)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _end(problem: Exception) -> NoReturn:
    note(f"error: {problem}")
    sys.exit(FINDINGS)


def _again(every: float | None) -> Iterator[None]:
    """Once, or again and again with pauses of some seconds."""
    yield
    while every:
        gc.enable()  # as the process is not a short one
        time.sleep(every)
        yield


def _lines(texts: Iterable[str]) -> str:
    """Lines for people, with escapes for what moves a cursor."""
    return "".join(f"{escaped(text)}\n" for text in texts)


COMMANDS = (doctor, status, impact, logs)
