"""The pods of an agent, and what they connect to."""

from scalr_agents.charts.agent_k8s import names
from scalr_agents.charts.agent_k8s.manifests import environment
from scalr_agents.charts.agent_k8s.values import AgentK8sValues
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.network.destinations import PUBLIC, Pods
from scalr_agents.model.release import Release


def pods(values: AgentK8sValues, release: Release, inputs: Inputs) -> list[Pods]:
    """Run pods, workers and controllers. How the agent configures run pods is not known: they are assumed to get its proxy."""
    own, metadata = names.of(release), reaches_metadata_service(values, inputs)
    of_worker = environment.environment("worker", values, release, inputs)
    token = values.service_account.automount_token
    return [
        Pods(
            "tasks",
            environment.RUNS,
            "egress",
            own.network_policy,
            of_worker,
            downloads=PUBLIC,
            token=values.agent.automount_service_account_token in ("true", "1"),
            metadata_service=metadata,
        ),
        Pods(
            "worker",
            "worker",
            "worker-egress",
            own.worker_policy,
            of_worker,
            downloads=PUBLIC,
            token=token,
            metadata_service=metadata,
        ),
        Pods(
            "controller",
            environment.CONTROLLER,
            "controller-egress",
            own.controller_policy,
            environment.environment(environment.CONTROLLER, values, release, inputs),
            token=token,
            metadata_service=metadata,
        ),
    ]


def reaches_metadata_service(values: AgentK8sValues, inputs: Inputs) -> bool:
    """Whether the pods may reach the metadata service. If egress is restricted, only a value opens it, not its default."""
    return not values.restrict_metadata_service and (inputs.egress is None or "restrict_metadata_service" in values.model_fields_set)
