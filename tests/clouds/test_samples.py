"""Every sample stack and example of both clouds, from the first deployment to the last."""

from typing import Any

import pytest

from tests.clouds import samples
from tests.clouds.stacks import CloudStack
from tests.engine.stacks import REPOSITORY, up
from tests.helpers.example_programs import PROGRAMS

SAMPLES = {**samples.STACKS, **samples.EXAMPLES}


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest) -> tuple[CloudStack, Any]:
    """A sample, ready for its first deployment, and its cloud."""
    aws = samples.is_on_aws(request.param)
    cloud = request.getfixturevalue("aws" if aws else "google")
    stack: CloudStack = request.getfixturevalue("on_aws" if aws else "on_google")(request.param)
    SAMPLES[request.param](stack, cloud)
    return stack, cloud


def test_every_sample_is_tested() -> None:
    stacks = {path.stem.partition(".")[2] for path in (REPOSITORY / "stacks").glob("Pulumi.*.yaml")}
    assert {name for name in stacks if name.startswith(("aws-", "gcp-"))} == set(samples.STACKS)
    of_clouds = {name for name in PROGRAMS if {"aws", "gcp"} & _imported(name)}
    assert of_clouds == set(samples.EXAMPLES)


def _imported(example: str) -> set[str]:
    text = (REPOSITORY / "examples" / example / "__main__.py").read_text(encoding="utf-8")
    return {cloud for cloud in ("aws", "gcp") if f"import pulumi_{cloud}" in text}


def test_a_sample_is_deployed_unchanged_and_destroyed(sample: tuple[CloudStack, Any]) -> None:
    stack, cloud = sample
    up(stack)
    assert stack.preview().steps == {}
    refreshed = stack.refresh()
    assert not refreshed.failed, refreshed.output
    assert refreshed.steps == {}
    assert stack.preview().steps == {}
    gone = stack.destroy()
    assert not gone.failed, gone.output
    assert cloud.refused() == []
