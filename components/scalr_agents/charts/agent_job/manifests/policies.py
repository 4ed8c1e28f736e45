"""The policies of an agent's pods, and what these connect to."""

from scalr_agents.charts.agent_job import versions
from scalr_agents.charts.agent_job.manifests import deployment, environment, task
from scalr_agents.charts.agent_job.names import of as names_of
from scalr_agents.charts.agent_job.values import AgentJobValues
from scalr_agents.charts.shared.agent import Group
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network import default_policy
from scalr_agents.charts.shared.network.destinations import PUBLIC, Pods
from scalr_agents.model.release import Release


def default(values: AgentJobValues, release: Release) -> Group:
    """The policy of the task pods, unless runs may reach the metadata service."""
    if values.task.allow_metadata_service:
        return {}
    return {"egress": default_policy.policy(release, task.COMPONENT, allow_nfs=values.task.allow_nfs)}


def pods(values: AgentJobValues, release: Release, inputs: Inputs) -> list[Pods]:
    """The controllers, and the pods of tasks, in which the worker with its token stands beside the runner."""
    names, loop = names_of(release), versions.of(release).downloaded_from
    return [
        Pods(
            "tasks",
            task.COMPONENT,
            "egress",
            names.network_policy,
            environment.worker(values, release, inputs),
            environment.runner(values, release, inputs),
            mirrors=[str(mirror.url) for mirror in values.agent.provider_network_mirrors],
            downloads=[*PUBLIC, *([(loop, "the loop of the runner")] if loop else [])],
            token=True,
            metadata_service=values.task.allow_metadata_service,
            nfs=values.task.allow_nfs,
        ),
        Pods(
            "controller",
            deployment.COMPONENT,
            "controller-egress",
            names.controller_policy,
            environment.controller(values, release, inputs),
            token=values.service_account.automount_token,
        ),
    ]
