"""A `pulumi up` that is killed while Google Cloud creates a resource: the next one, and leftover resources."""

from pathlib import Path

import pytest

from tests.clouds.conftest import New
from tests.clouds.gcp.server import PROJECT, GoogleCloud
from tests.clouds.stacks import CloudStack
from tests.engine.stacks import up

NAME = "scalr-agents-gcp-machines-legacy"
SHORT = "legacy-cade7912"
"""Short names, for resources whose names are limited."""
DOCUMENT = Path(__file__).parents[2] / "docs" / "operations.md"
COMPUTE, OF_REGION = f"projects/{PROJECT}/global", f"projects/{PROJECT}/regions/europe-west1"
LEFT_BEHIND = {
    "iam.projects.serviceAccounts.create": {
        f"projects/{PROJECT}/serviceAccounts/{SHORT}@{PROJECT}.iam.gserviceaccount.com": "gcloud iam service-accounts delete <email>"
    },
    "secretmanager.projects.secrets.create": {f"projects/{PROJECT}/secrets/{NAME}": f"gcloud secrets delete {NAME}"},
    "compute.firewalls.insert": {
        f"{COMPUTE}/firewalls/{rule}": f"gcloud compute firewall-rules delete {rule}"
        for rule in (f"{SHORT}-egress", f"{SHORT}-egress-denied")
    },
    "compute.regionInstanceGroupManagers.insert": {
        f"{OF_REGION}/instanceGroupManagers/{SHORT}": f"gcloud compute instance-groups managed delete {SHORT} --region=europe-west1"
    },
    "compute.regionAutoscalers.insert": {
        f"{OF_REGION}/autoscalers/{SHORT}": f"gcloud compute instance-groups managed stop-autoscaling {SHORT} --region=europe-west1"
    },
}
"""What a method has created, by its name, and the command that deletes it."""


@pytest.fixture
def stack(on_google: New) -> CloudStack:
    made = on_google("gcp-machines")
    made.edit({"machines": {"legacy": {"gce": {"region": "europe-west1", "subnetwork": "agents", "machineType": "e2-standard-2"}}}})
    made.set_secrets({"legacy.token": "token-of-legacy"})
    return made


@pytest.mark.parametrize("method", LEFT_BEHIND)
def test_leftover_resources_are_found_and_not_created_twice(method: str, stack: CloudStack, google: GoogleCloud) -> None:
    left, empty = dict(LEFT_BEHIND[method]), set(google.objects)
    stack.killed_while(google.holding(method), len(left))
    while left:  # the engine may stop at the first of two before it asks about the other
        refused = stack.up()
        assert refused.failed
        assert "There already is a" in refused.output
        named = {name: advised for name, advised in left.items() if f"  {advised}\n" in refused.output}
        assert named, refused.output
        for name, advised in named.items():
            assert advised.partition(NAME)[0].partition(SHORT)[0] in DOCUMENT.read_text(encoding="utf-8")
            del google.objects[name], left[name]
    up(stack)
    assert stack.preview().steps == {}
    assert not stack.destroy().failed
    assert set(google.objects) == empty


def test_a_leftover_template_stays_unused(stack: CloudStack, google: GoogleCloud) -> None:
    """Machines have the next one. Its name is the provider's, because a template cannot change."""
    stack.killed_while(google.holding("compute.instanceTemplates.insert"))
    up(stack)
    assert stack.preview().steps == {}
    assert len(google.of_kind("instanceTemplates")) == 2
    assert not stack.destroy().failed
    assert len(google.of_kind("instanceTemplates")) == 1
