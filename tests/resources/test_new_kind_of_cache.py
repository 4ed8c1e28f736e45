"""A new kind of cache touches its own module and one row: stack file, findings, graph and deployment find it by its name."""

import sys

import pytest
from scalr_agents import caches
from scalr_agents.stack import caches as of_stack, graph

from tests.helpers.plain import findings, load
from tests.helpers.programs import stack_with
from tests.resources import nfs_kind
from tests.stack.caches import with_cache


@pytest.fixture(autouse=True)
def _row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row, and a place for its resources. The keys of the stack file are made when their module is imported."""
    monkeypatch.setitem(caches.KINDS, "nfs_share", nfs_kind.__name__)
    monkeypatch.setitem(sys.modules, "scalr_agents.resources.nfs", nfs_kind)
    monkeypatch.setattr(of_stack, "CachesOfFile", of_stack._file())


def test_it_is_read_and_checked() -> None:
    assert findings(with_cache({"nfsShare": {"nfsServer": "nfs.acme"}})) == []
    assert findings(with_cache({"nfsShare": {}})) == [("error", "scalr-agents:caches.shared.nfsShare.nfsServer", "missing")]
    [(_, _, message)] = findings(with_cache({}))
    assert message == "set exactly one of efs, filestore, storageClass, nfsShare and claim; given none"
    [(_, path, message)] = findings(with_cache({"nfsShare": {"server": "a"}}))[:1]
    assert (path, message) == ("scalr-agents:caches.shared.nfsShare.server", "unknown key 'server'; did you mean 'nfsServer'?")


def test_it_is_rendered_and_drawn() -> None:
    loaded = load(with_cache({"nfsShare": {"nfsServer": "nfs.acme"}}))
    assert "runs-cache" in [manifest["metadata"]["name"] for manifest in loaded.objects()]
    assert "NFS" in graph.mermaid(graph.of(loaded))


def test_it_is_deployed() -> None:
    recording = stack_with({"shared": {"nfsShare": {"nfsServer": "nfs.acme"}}})
    assert recording.error is None
    assert [resource.name for resource in recording.resources if resource.type == "tests:index:NfsClaim"] == ["runs-cache"]
