"""agent-local as a StatefulSet: what Pulumi replaces, and in which order."""

from collections.abc import Callable

import pytest

from tests.engine.stacks import Deployment, up

DEPLOYMENT, STATEFUL_SET, CLAIM = "vcs-deployment", "vcs-stateful-set", "vcs-cache-claim"
VALUES = "agents.vcs.values"
STORAGE = f"{VALUES}.persistence.cache.persistentVolumeClaim.storage"
OBJECT = "StatefulSet/scalr-dev/vcs-agent-local"


@pytest.fixture
def deployed(fresh: Callable[[str], Deployment]) -> Deployment:
    """A stack with a StatefulSet whose agents have a cache each."""
    stack = fresh("local")
    stack.edit(
        {
            "namespaces": {"scalr-dev": {}},
            "agents": {"vcs": {"kind": "agent-local", "namespace": "scalr-dev", "agentVersion": "1.3.0"}},
            f"{VALUES}.workload.kind": "StatefulSet",
            f"{VALUES}.persistence.cache.enabled": True,
        }
    )
    stack.set_secrets({"vcs.token": "token-of-vcs"})
    first = stack.up()
    assert not first.failed, first.output
    assert {key for key in stack.cluster.objects if "vcs-agent-local" in key} == {OBJECT, "Secret/scalr-dev/vcs-agent-local-token"}
    return stack


def test_another_claim_replaces_a_stateful_set_and_the_old_one_goes_first(deployed: Deployment) -> None:
    """All else is updated in place."""
    deployed.edit({f"{VALUES}.replicaCount": 3, "agents.vcs.agentVersion": "1.4.0"})
    assert up(deployed).steps[STATEFUL_SET] == ("update",)
    deployed.edit({STORAGE: "40Gi"})
    assert up(deployed).steps == {STATEFUL_SET: ("delete-replaced", "replace", "create-replacement")}
    assert deployed.preview().steps == {}


def test_a_failed_replacement_is_completed_by_the_next_up(deployed: Deployment) -> None:
    for failed, then in (("40Gi", "40Gi"), ("60Gi", "40Gi")):  # completed, and taken back
        deployed.edit({STORAGE: failed})
        deployed.cluster.refused = {"StatefulSet/vcs-agent-local": "exceeded quota"}
        assert deployed.up().failed
        deployed.cluster.refused = {}
        deployed.edit({STORAGE: then})
        up(deployed)
        [template] = deployed.cluster.objects[OBJECT]["spec"]["volumeClaimTemplates"]
        assert template["spec"]["resources"]["requests"]["storage"] == then
        assert deployed.preview().steps == {}


def test_the_kind_changes_after_the_new_agents_are_ready(deployed: Deployment) -> None:
    """In both directions. Only a Deployment has a claim in the state."""
    deployed.edit({f"{VALUES}.workload.kind": "Deployment", f"{VALUES}.strategy.type": "Recreate"})
    first = deployed.up()
    assert not first.failed, first.output
    assert first.call("create", DEPLOYMENT).ended <= first.call("delete", STATEFUL_SET).began
    deployed.edit({f"{VALUES}.workload.kind": "StatefulSet"})
    back = deployed.up()
    assert not back.failed, back.output
    assert back.call("create", STATEFUL_SET).ended <= back.call("delete", DEPLOYMENT).began
    assert back.call("delete", DEPLOYMENT).ended <= back.call("delete", CLAIM).began


def test_a_rollout_that_fails_is_explained(deployed: Deployment) -> None:
    deployed.cluster.unready = {"StatefulSet/vcs-agent-local": ["0 out of 1 replicas succeeded readiness checks"]}
    deployed.edit({"agents.vcs.agentVersion": "1.4.0"})
    failed = deployed.up()
    assert failed.failed
    assert "The pods of 'vcs' did not become ready." in failed.output
