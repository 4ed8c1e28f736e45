"""EKS: the network of a cluster, and the add-ons and identities that moto lacks."""

import re
import time
from collections.abc import Callable
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.core.responses import ActionResult
from moto.ec2 import ec2_backends
from moto.eks import urls
from moto.eks.models import Cluster, EKSBackend, Nodegroup
from moto.eks.responses import EKSResponse

Answer = dict[str, Any]
_WORDS = (
    "name",
    "addonName",
    "addonVersion",
    "associationId",
    "clusterName",
    "namespace",
    "podIdentityAssociations",
    "roleArn",
    "serviceAccount",
    "tags",
)
_PATHS = (
    "/addons$",
    "/addons/(?P<addonName>[^/]+)$",
    "/pod-identity-associations$",
    "/pod-identity-associations/(?P<associationId>[^/]+)$",
)


class MissingError(JsonRESTError):
    """A missing resource."""

    code = 404

    def __init__(self, message: str) -> None:
        super().__init__("ResourceNotFoundException", message)


class Clusters(EKSBackend):
    """Clusters, add-ons and identities of pods."""

    _url_module: Any = urls  # which moto looks for beside the class

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.addons: dict[tuple[str, str], Answer] = {}
        self.associations: dict[str, Answer] = {}

    def create_cluster(self, name: str, role_arn: str, resources_vpc_config: Answer, **given: Any) -> Cluster:
        """A cluster with a security group of its own, in the VPC of its subnets."""
        made = super().create_cluster(name, role_arn, resources_vpc_config, **given)
        ec2 = ec2_backends[self.account_id][self.region_name]
        vpc = ec2.get_subnet(resources_vpc_config["subnetIds"][0]).vpc_id
        group = ec2.create_security_group(f"eks-cluster-sg-{name}", "made by EKS", vpc)
        access = {"endpointPublicAccess": True, "endpointPrivateAccess": False, "publicAccessCidrs": ["0.0.0.0/0"]}
        made.resources_vpc_config = {**access, **resources_vpc_config, "vpcId": vpc, "clusterSecurityGroupId": group.id}
        return made

    def create_nodegroup(self, *args: Any, **given: Any) -> Nodegroup:
        """A node group without remote access, unless it is requested."""
        made = super().create_nodegroup(*args, **given)
        made.remote_access = given.get("remote_access")
        return made

    def create_addon(self, given: Answer) -> Answer:
        cluster, name = given["name"], given["addonName"]
        self.describe_cluster(name=cluster)
        owned = [
            self.create_pod_identity_association({"name": cluster, "namespace": "kube-system", **each})["association"]["associationArn"]
            for each in given.get("podIdentityAssociations", [])
        ]
        made = {
            "addonName": name,
            "clusterName": cluster,
            "status": "ACTIVE",
            "addonVersion": given.get("addonVersion", "v2.1.0-eksbuild.1"),
            "health": {"issues": []},
            "addonArn": self._arn(f"addon/{cluster}/{name}/0"),
            "createdAt": time.time(),
            "modifiedAt": time.time(),
            "tags": given.get("tags", {}),
            "podIdentityAssociations": owned,
        }
        self.addons[cluster, name] = made
        return {"addon": made}

    def describe_addon(self, given: Answer) -> Answer:
        if (key := (given["name"], given["addonName"])) not in self.addons:
            raise MissingError(f"No addon: {given['addonName']} found in cluster: {given['name']}")
        return {"addon": self.addons[key]}

    def delete_addon(self, given: Answer) -> Answer:
        gone = self.describe_addon(given)["addon"]
        del self.addons[given["name"], given["addonName"]]
        return {"addon": {**gone, "status": "DELETING"}}

    def create_pod_identity_association(self, given: Answer) -> Answer:
        cluster, number = given["name"], len(self.associations) + 1
        self.describe_cluster(name=cluster)
        identity = f"a-{number:017d}"
        self.associations[identity] = {
            "clusterName": cluster,
            "namespace": given["namespace"],
            "serviceAccount": given["serviceAccount"],
            "roleArn": given["roleArn"],
            "associationArn": self._arn(f"podidentityassociation/{cluster}/{identity}"),
            "associationId": identity,
            "tags": given.get("tags", {}),
            "createdAt": time.time(),
            "modifiedAt": time.time(),
        }
        return {"association": self.associations[identity]}

    def describe_pod_identity_association(self, given: Answer) -> Answer:
        if given["associationId"] not in self.associations:
            raise MissingError(f"No association found: {given['associationId']}")
        return {"association": self.associations[given["associationId"]]}

    def delete_pod_identity_association(self, given: Answer) -> Answer:
        gone = self.describe_pod_identity_association(given)
        del self.associations[given["associationId"]]
        return gone

    def _arn(self, resource: str) -> str:
        return f"arn:aws:eks:{self.region_name}:{self.account_id}:{resource}"


def install() -> None:
    """Delegate other requests to moto."""
    for operation in (
        "create_addon",
        "describe_addon",
        "delete_addon",
        *(f"{verb}_pod_identity_association" for verb in ("create", "describe", "delete")),
    ):
        setattr(EKSResponse, operation, _answering(getattr(Clusters, operation)))
    for path in _PATHS:
        urls.url_paths["{0}/clusters/(?P<name>[^/]+)" + path] = urls.response.dispatch


def _answering(method: Callable[[Any, Answer], Answer]) -> Callable[[EKSResponse], ActionResult]:
    def answer(response: EKSResponse) -> ActionResult:
        given = {word: value for word in _WORDS if (value := response._get_param(word)) is not None}
        found = re.search(r"/clusters/([^/]+)/", response.uri)
        return ActionResult(method(response.eks_backend, {**given, "name": found[1]} if found else given))

    return answer
