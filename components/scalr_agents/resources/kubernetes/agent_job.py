"""The `AgentJob` component, and those that it is composed of."""

from collections.abc import Mapping

import pulumi

from scalr_agents.charts.agent_job import JobAgent
from scalr_agents.charts.shared import external_secrets
from scalr_agents.charts.shared.agent import with_digest
from scalr_agents.resources.arguments.agents import AgentJobArgs
from scalr_agents.resources.component import Validated, child, timeouts
from scalr_agents.resources.kubernetes import agents, late, objects
from scalr_agents.resources.kubernetes.agents import AgentComponent, AgentRequest
from scalr_agents.resources.kubernetes.rollouts import rollout, until_runs_end
from scalr_agents.resources.outputs import known_after

_NEEDED_BY_RUNS = ("Secret", external_secrets.KIND, "PodDisruptionBudget")
"""What runs need besides permissions and network policy."""


class AgentJob(AgentComponent[JobAgent]):
    """A Scalr agent that runs every task in its own Kubernetes Job.

    Composes `AgentRbac` (`<name>-rbac`), `AgentNetworkPolicy` (`<name>-network-policy`) and `AgentController`
    (`<name>-controller`). The custom resource definitions must exist: let it depend on an `AgentCrds`, unless the cluster has them.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of controller and task pods."""
    task_template_name: pulumi.Output[str]
    """Name of the AgentTask or AgentTaskTemplate that holds the template of the Jobs."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentJob", name, args), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentJob", name, {}, opts)

        rbac = AgentRbac.of(f"{name}-rbac", request, child(self, opts))
        policy = AgentNetworkPolicy.of(f"{name}-network-policy", request, child(self, opts))
        after = child(self, opts, [rbac, policy], custom_timeouts=timeouts(opts))
        controller = AgentController.of(f"{name}-controller", request, after)
        self.needed_by_runs = [rbac, policy, *controller.needed_by_runs]
        self.namespace = controller.namespace
        self.deployment_name = controller.deployment_name
        self.service_account_name = rbac.service_account_name
        self.task_template_name = controller.task_template_name
        self.controller_pod_selector = controller.controller_pod_selector
        self.task_pod_selector = controller.task_pod_selector
        self.publish()


class AgentRbac(Validated[AgentRequest[JobAgent]]):
    """Service account, Role and ClusterRole of an agent, with their bindings.

    Takes the arguments of `AgentJob`; the token is not needed. If a security team owns the permissions, it creates an `AgentRbac`,
    and others create an `AgentNetworkPolicy` and an `AgentController`, all with the same `release`, `namespace` and `values`.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    service_account_name: pulumi.Output[str]
    """Name of the service account of controller and task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentRbac", name, args, token_needed=False), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentRbac", name, {}, opts)

        release = request.agent.release
        registered = objects.register(request.agent.group("rbac"), self, name, opts)
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.service_account_name = known_after(registered.get("service-account", self), release.names.service_account)
        self.publish()


class AgentNetworkPolicy(Validated[AgentRequest[JobAgent]]):
    """The NetworkPolicy that blocks access of task pods to the cloud's metadata service and to NFS servers.

    With value `task.allowMetadataService: true` there is no such policy. With argument `network` there are policies for the controllers
    too, in the form that `egress.enforced_by` selects. Takes the arguments of `AgentJob`; the token is not needed. The
    cluster's network plugin must enforce egress policies.
    """

    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the pods that the policy selects."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentNetworkPolicy", name, args, token_needed=False), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentNetworkPolicy", name, {}, opts)

        agent = late.with_api_server(request.agent, self, name, opts)
        objects.register(agent.group("network-policy"), self, name, opts)
        self.task_pod_selector = pulumi.Output.from_input(request.agent.release.selector("task"))
        self.publish()


class AgentController(Validated[AgentRequest[JobAgent]]):
    """An agent's Secrets, claims, budgets, task template, controller Deployment, and workloads that prepare nodes.

    Takes the arguments of `AgentJob`. Custom resource definitions, service account and permissions must exist: let it depend on them.
    """

    namespace: pulumi.Output[str]
    """Namespace of the agent."""
    deployment_name: pulumi.Output[str]
    """Name of the controller's Deployment."""
    task_template_name: pulumi.Output[str]
    """Name of the AgentTask or AgentTaskTemplate that holds the template of the Jobs."""
    controller_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the controller's pods."""
    task_pod_selector: pulumi.Output[Mapping[str, str]]
    """Labels of the task pods."""

    def __init__(self, name: str, args: AgentJobArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.make(name, agents.agent_job("AgentController", name, args), opts)

    def make(self, name: str, request: AgentRequest[JobAgent], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__("scalr-agents:index:AgentController", name, {}, opts)

        agent, release = late.with_images(request.agent, self, name), request.agent.release
        group = with_digest(agent.group("controller"), late.digest(agent, self, name))
        awaited = rollout(name, request, group, "agent")
        registered = objects.register(group, self, name, opts, rollout=awaited, claim_timeouts=until_runs_end([agent]))
        self.needed_by_runs = [registered[role] for role, manifest in group.items() if manifest["kind"] in _NEEDED_BY_RUNS]
        # Not awaited: these become ready when the cluster has grown, which may never happen.
        # An autoscaler may have set the number of placeholders; a number in the values replaces its own.
        nodes = {role: objects.forced(manifest) if role == "buffer" else manifest for role, manifest in agent.group("nodes").items()}
        objects.register(nodes, self, name, opts)
        deployment = registered["deployment"]
        self.namespace = pulumi.Output.from_input(release.namespace)
        self.deployment_name = known_after(deployment, release.names.deployment)
        self.task_template_name = known_after(registered["task-template"], agent.names.task_template)
        self.controller_pod_selector = known_after(deployment, release.selector("agent"))
        self.task_pod_selector = known_after(deployment, release.selector("task"))
        self.publish()
