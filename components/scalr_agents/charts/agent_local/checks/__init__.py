"""Cross-checks of agent-local: values that are valid one by one but cannot work together, or work differently than expected."""

from collections.abc import Iterator

from scalr_agents.charts.agent_local import versions
from scalr_agents.charts.agent_local.checks import environment as environment_checks
from scalr_agents.charts.agent_local.checks import scaling, volumes, workload
from scalr_agents.charts.agent_local.manifests.policies import reaches_metadata_service
from scalr_agents.charts.agent_local.values import AgentLocalValues
from scalr_agents.charts.shared.checks import access, containers, mirrors
from scalr_agents.charts.shared.checks.tls import tls
from scalr_agents.charts.shared.inputs import Inputs
from scalr_agents.charts.shared.values import grace_seconds
from scalr_agents.model import checks
from scalr_agents.model.findings import Finding, Findings, error, warning
from scalr_agents.model.release import Release

_SHORTEST_GRACE = {"graceful": 30, "drain": 120, "force": 10}
"""Minimum grace period of each shutdown mode in seconds."""


def check(values: AgentLocalValues, release: Release, inputs: Inputs) -> Iterator[Finding]:
    """All findings of the second pass, on valid values."""
    agent = values.agent
    yield from checks.url("agent.url", agent.url)
    if inputs.token_needed:
        yield from checks.token("agent.token", agent.token, "agent.tokenExistingSecret.name", agent.token_existing_secret.name)
    yield from tls("agent.tls", agent.tls)
    yield from mirrors.check("agent.providerNetworkMirrors", agent.provider_network_mirrors, versions.TABLE, release, inputs)
    yield from _service_account(values)
    yield from _shutdown(values)
    yield from workload.check(values, release)
    yield from scaling.check(values, inputs)
    yield from _image(values, release, inputs)
    yield from containers.security_context("securityContext", values.security_context, values.pod_security_context)
    yield from volumes.check(values, release, inputs)
    yield from environment_checks.check(values, release, inputs)
    yield from _metadata_service(values, inputs)


def _service_account(values: AgentLocalValues) -> Findings:
    account = values.service_account
    if account.create and account.name == "default":
        yield error(
            "serviceAccount.name",
            "every namespace already has an account named default; set another name, or set serviceAccount.create: false",
        )
    yield from access.brought_account(create=account.create, annotations=account.annotations, labels=account.labels)
    if account.automount_token and not account.create and account.name in ("", "default"):
        yield warning(
            "serviceAccount.automountToken",
            "runs get the token of the namespace's default account, with all its permissions; create or name another account",
        )


def _image(values: AgentLocalValues, release: Release, inputs: Inputs) -> Findings:
    if inputs.agent_image is None:
        yield from containers.image("image", values.image, release.line)
    yield from checks.image_reference("agent_image", inputs.agent_image)


def _metadata_service(values: AgentLocalValues, inputs: Inputs) -> Findings:
    if not reaches_metadata_service(values, inputs):
        yield from access.metadata_service(
            "allowMetadataService: true",
            accounts={"serviceAccount.annotations": values.service_account.annotations},
            pods={"podAnnotations": values.pod_annotations},
            environments={"extraEnv": values.extra_env},
        )


def _shutdown(values: AgentLocalValues) -> Findings:
    """The grace period must be long enough for the shutdown mode."""
    mode, grace = values.agent.shutdown_mode, grace_seconds(values.termination_grace_period_seconds)
    if grace < _SHORTEST_GRACE[mode]:
        yield error("terminationGracePeriodSeconds", f"{grace}, but agent.shutdownMode: {mode} needs at least {_SHORTEST_GRACE[mode]}")
