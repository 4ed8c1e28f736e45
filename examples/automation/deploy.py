"""The agents of every environment from one dictionary, with Pulumi's Automation API: see README.md."""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import automation
from scalr_agents import AgentCrds, AgentJob, AgentJobValues

PROJECT = "scalr-agents-automation"
NAMESPACE = "scalr-runs"


@dataclass(frozen=True)
class Environment:
    """What differs between environments."""

    context: str
    """Context of the cluster in the kubeconfig."""
    url: str
    """URL of the Scalr account."""
    replicas: int
    """Controllers. With two, one keeps running while the other's node is drained."""
    deadline: int
    """Seconds that a run may take. One that hangs ends then, and its node can be drained."""


ENVIRONMENTS = {
    "dev": Environment("dev", "https://acme-dev.scalr.io", replicas=1, deadline=3600),
    "prod": Environment("prod", "https://acme.scalr.io", replicas=2, deadline=14400),
}
"""By the name of the stack, in the order in which they are deployed."""


def token_variable(name: str) -> str:
    """The environment variable with the token of an environment's agent pool, as `SCALR_TOKEN_DEV`."""
    return f"SCALR_TOKEN_{name.upper()}"


def agents(name: str) -> None:
    """The Pulumi program of an environment."""
    environment = ENVIRONMENTS[name]
    cluster = kubernetes.Provider(
        "cluster",
        context=environment.context,
        cluster_identifier=environment.context,
        enable_secret_mutable=True,
    )
    opts = pulumi.ResourceOptions(provider=cluster)
    namespace = kubernetes.core.v1.Namespace(
        NAMESPACE,
        metadata={"name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}},
        opts=opts,
    )
    crds = AgentCrds("agent-crds", opts=opts)
    values: AgentJobValues = {
        "agent": {
            "replicaCount": environment.replicas,
            "minReadySeconds": 15,  # an agent with a wrong token is ready for a few seconds before it gives up
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "kubernetes.io/hostname",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": {
                        "matchLabels": {
                            "app.kubernetes.io/name": "agent-job",
                            "app.kubernetes.io/instance": "runs",
                            "app.kubernetes.io/component": "agent",
                        }
                    },
                }
            ],
        },
        "task": {"job": {"activeDeadlineSeconds": environment.deadline}},
    }
    runs = AgentJob(
        "runs",
        {
            "namespace": NAMESPACE,
            "agent_version": "0.57.0",
            "url": environment.url,
            "token": pulumi.Output.secret(os.environ[token_variable(name)]),  # encrypted in the state
            "values": values,
        },
        pulumi.ResourceOptions(provider=cluster, depends_on=[crds, namespace]),
    )
    pulumi.export("serviceAccountName", runs.service_account_name)


def select(name: str) -> automation.Stack:
    """The stack of an environment, which is created the first time. Its Pulumi.<name>.yaml is written beside this file: commit it."""
    here = automation.LocalWorkspaceOptions(work_dir=str(Path(__file__).parent))
    return automation.create_or_select_stack(name, project_name=PROJECT, program=partial(agents, name), opts=here)


OPERATIONS: dict[str, Callable[[automation.Stack], object]] = {
    "preview": lambda stack: stack.preview(on_output=print),
    "up": lambda stack: stack.up(on_output=print),
    "destroy": lambda stack: stack.destroy(on_output=print),
}


def main() -> None:
    """Run an operation on one environment after another. The first that fails ends it, so that prod is not reached when dev fails."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("operation", choices=OPERATIONS)
    parser.add_argument("environments", nargs="*", metavar="environment", help=f"default: all, which are {', '.join(ENVIRONMENTS)}")
    given = parser.parse_args()
    names: list[str] = given.environments or list(ENVIRONMENTS)
    if unknown := [name for name in names if name not in ENVIRONMENTS]:
        parser.error(f"unknown environments: {', '.join(unknown)}; there are {', '.join(ENVIRONMENTS)}")
    missing = [token_variable(name) for name in names if token_variable(name) not in os.environ]
    if missing and given.operation != "destroy":
        parser.error(f"set the tokens of the agent pools in the environment: {', '.join(missing)}")
    for name in names:
        try:
            OPERATIONS[given.operation](select(name))
        except automation.CommandError:  # the CLI has said what is wrong
            parser.exit(1, f"{given.operation} of {name} failed\n")


if __name__ == "__main__":
    main()
