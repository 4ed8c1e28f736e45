"""GKE: pools of nodes, with the settings of an example."""

from copy import deepcopy
from typing import Any

from tests.clouds.gcp.discovery import Json
from tests.clouds.gcp.server import GoogleCloud, Request, fresh, location_operation


def _cluster(request: Request) -> str:
    return f"projects/{request.project}/locations/{request.names[1]}/clusters/{request.names[2]}"


def _pool(request: Request) -> str:
    return f"{_cluster(request)}/nodePools/{request.names[3]}"


def _operation(cloud: GoogleCloud, request: Request) -> Json:
    name = f"operation-{fresh()}"
    running = {"name": name, "status": "RUNNING", "operationType": "UPDATE_CLUSTER"}
    return cloud.operation(
        f"projects/{request.project}/locations/{request.names[1]}/operations/{name}", running, {**running, "status": "DONE"}
    )


def _create(cloud: GoogleCloud, request: Request) -> Json:
    made = deepcopy(request.body["nodePool"])
    name = f"{_cluster(request)}/nodePools/{made['name']}"
    cloud.demand_new(name)
    cloud.objects[name] = {"status": "RUNNING", "version": "1.35.1-gke.1", "locations": [f"{request.names[1]}-b"], **made}
    return _operation(cloud, request)


def _delete(cloud: GoogleCloud, request: Request) -> Json:
    cloud.find(_pool(request))
    del cloud.objects[_pool(request)]
    return _operation(cloud, request)


def _list(cloud: GoogleCloud, request: Request) -> Json:
    beginning = f"{_cluster(request)}/nodePools/"
    return {"nodePools": [pool for name, pool in cloud.objects.items() if name.startswith(beginning)]}


METHODS: dict[str, Any] = {
    "container.projects.locations.clusters.get": lambda cloud, request: {
        "name": request.names[2],
        "status": "RUNNING",
        "location": request.names[1],
    },
    "container.projects.locations.clusters.nodePools.create": _create,
    "container.projects.locations.clusters.nodePools.get": lambda cloud, request: cloud.find(_pool(request)),
    "container.projects.locations.clusters.nodePools.list": _list,
    "container.projects.locations.clusters.nodePools.delete": _delete,
    "container.projects.locations.operations.get": location_operation,
}
