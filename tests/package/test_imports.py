"""Programs import the SDK of a cloud for what is in that cloud, whose import takes up to half a second."""

from tests.helpers.imported import modules_after, of_libraries


def _stack(given: str) -> str:
    return f"from tests.helpers.programs import stack_with; assert stack_with({given}).error is None"


def test_the_sdk_of_a_cloud_is_imported_for_what_is_in_that_cloud() -> None:
    """Components never import the typed classes of Kubernetes."""
    clouds = {"pulumi_aws", "pulumi_gcp", "pulumi_kubernetes"}
    of_aws = modules_after(
        "import scalr_agents.resources.deploy",
        _stack("{}"),
        _stack("{'shared': {'claim': 'nfs'}}"),
        _stack("{'shared': {'storageClass': {'name': 'nfs'}}}"),
        _stack("{}, {}, machines={'it': {'docker': {}}}, secrets={}"),
        _stack("{'shared': {'efs': {'eksCluster': 'prod'}}}"),
    )
    assert [of_libraries(each) & clouds for each in of_aws] == [*[set[str]()] * 5, {"pulumi_aws"}]
    machine = "{}, {}, secrets={'it': {'token': 't'}}, machines={'it': %s}"
    of_google = modules_after(
        _stack("{'shared': {'filestore': {'location': 'europe-west1-b'}}}"),
        _stack(machine % "{'gce': {'region': 'europe-west1', 'subnetwork': 'agents', 'machineType': 'e2-standard-2'}}"),
    )
    assert [of_libraries(each) & clouds for each in of_google] == [{"pulumi_gcp"}] * 2
    [ec2] = modules_after(_stack(machine % "{'ec2': {'subnets': ['subnet-0a'], 'instanceType': 't3.large'}}"))
    assert of_libraries(ec2) & clouds == {"pulumi_aws"}
