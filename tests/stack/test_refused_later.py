"""Words that would have another effect than they say, or that a cluster or a cloud would refuse: told before anything is deployed."""

import pytest

from tests.stack.plain import findings


@pytest.mark.parametrize("level", [None, "restricted", "baseline"])
def test_the_namespace_of_the_clusters_own_pods_is_not_restricted(level: str | None) -> None:
    message = f"would enforce {level or 'restricted'} there, so that the cluster's own pods no longer start; set create: false"
    found = findings({"namespaces": {"kube-system": {"podSecurity": level} if level else {}}})
    assert ("error", "scalr-agents:namespaces.kube-system", message) in found


EVERYWHERE = [("default", "restricted"), ("kube-public", "baseline"), ("kube-node-lease", "restricted"), ("kube-system", "privileged")]


@pytest.mark.parametrize(("name", "level"), EVERYWHERE)
def test_a_namespace_that_every_cluster_has_is_not_taken_over_in_silence(name: str, level: str) -> None:
    message = f"exists in every cluster, and {level} would be enforced for everything that runs in it; set create: false"
    assert ("warning", f"scalr-agents:namespaces.{name}", message) in findings({"namespaces": {name: {"podSecurity": level}}})
    assert findings({"namespaces": {name: {"create": False, "podSecurity": level}}}) == findings({})
