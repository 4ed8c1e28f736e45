"""AWS on loopback, in the tests' own process: moto with the services of this folder, what a stack needs to find, and a record of calls."""

import io
import json
import os
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import boto3
from moto.core.base_backend import BackendDict
from moto.core.exceptions import ServiceException
from moto.core.request import Request
from moto.core.routing import get_service_router
from moto.ec2 import ec2_backends
from moto.ec2.models import launch_templates
from moto.ec2.responses import EC2Response
from moto.efs import efs_backends
from moto.eks import eks_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.ssm import ssm_backends
from moto.ssm.models import Parameter
from werkzeug.serving import make_server

from tests.clouds.aws import clusters, file_systems, network
from tests.clouds.aws.scaling import ACCOUNT, REGION, Scaling
from tests.clouds.serving import Served

_SERVICES = {"elasticfilesystem": "efs"}
"""Names of services in signatures, where AWS's own SDK calls them otherwise."""
_READS = ("Describe", "Get", "List")
_PARAMETER = "/aws/service/canonical/ubuntu/server/22.04/stable/current/{0}/hvm/ebs-gp2/ami-id"


class Call(NamedTuple):
    """A call that was answered."""

    service: str
    operation: str
    status: int
    request: str
    answer: str

    @property
    def writes(self) -> bool:
        return not self.operation.startswith(_READS)

    @property
    def action(self) -> str:
        """The action that a policy must allow."""
        return f"{self.service}:{self.operation}"


@dataclass(frozen=True)
class Place:
    """The network of an EKS cluster."""

    vpc: str
    private: list[str]
    """A subnet of each zone."""
    nodes: str
    """The security group of nodes."""


class AwsCloud(Served):
    """An account, its region `eu-west-1`, and whatever is in them."""

    def __init__(self) -> None:
        _install()
        self.scaling = Scaling()
        self.scaling.install()
        self.calls: list[Call] = []
        self.places: dict[str, Place] = {}
        """Clusters by name."""
        self.images: dict[str, str] = {}
        """The images of Ubuntu, by architecture as its makers call it."""
        self._lock = threading.Lock()
        self._answers: dict[str, tuple[list[Any], bytes]] = {}
        """Answers by the id that all attempts of one call of an SDK have."""
        application = DomainDispatcherApplication(create_backend_app)
        server = make_server("127.0.0.1", 0, self._recording(application), threaded=True, request_handler=_Handler)
        super().__init__(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.reset()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        self.scaling.stop()

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables that direct AWS clients to this server."""
        return {
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_ENDPOINT_URL": self.url,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def client(self, service: str) -> Any:
        """A client of a service's API."""
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        return boto3.client(service, endpoint_url=self.url, region_name=REGION, **keys)

    def reset(self) -> None:
        """Remove everything except the clusters `dev` and `prod`, and the images of Ubuntu."""
        with self.scaling.lock:
            BackendDict.reset()
            self.scaling.forget()
        self.images = {name: self._image(name, architecture) for name, architecture in (("amd64", "x86_64"), ("arm64", "arm64"))}
        trust = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}]})
        role = self.client("iam").create_role(RoleName="eks", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        self.places = {name: self._cluster(name, number, role) for number, name in enumerate(("dev", "prod"), 1)}
        self.calls.clear()
        self._answers.clear()

    def security_groups(self, name: str) -> list[str]:
        """The security groups with this value of the tag `Name`."""
        groups = self._ec2.describe_security_groups()
        return [str(group.id) for group in groups if ("Name", name) in [(tag["key"], tag["value"]) for tag in group.get_tags()]]

    def rules(self, group: str) -> list[int]:
        """The ports that a security group lets out, one for each rule; none if there is no such group."""
        found = self._ec2.get_security_group_from_id(group)
        return sorted(rule.from_port for rule in found.egress_rules) if found else []

    def machines_with(self, group: str) -> list[str]:
        """The machines that have a security group."""
        return [str(each.instance.id) for each in self._ec2.enis.values() if any(one.id == group for one in each.group_set)]

    @property
    def _ec2(self) -> Any:
        return ec2_backends[ACCOUNT][REGION]

    def refused(self) -> list[Call]:
        """The calls that were refused, except lookups of missing resources."""
        return [call for call in self.calls if call.status >= 400 and call.writes]

    def _image(self, name: str, architecture: str) -> str:
        ec2 = self._ec2
        first = next(iter(ec2.amis))
        [instance] = ec2.run_instances(first, 1, None, [], instance_type="t3.micro", is_instance_type_default=False).instances
        image = ec2.create_image(instance.id, name=f"ubuntu-jammy-22.04-{name}-server", description="", tag_specifications=[])
        image.architecture, image.root_device_name = architecture, "/dev/sda1"
        ec2.terminate_instances([instance.id])
        parameter = Parameter(ACCOUNT, _PARAMETER.format(name), image.id, "String", None, None, None, 0, 1, data_type="aws:ec2:image")
        ssm_backends[ACCOUNT][REGION]._parameters[parameter.name].append(parameter)
        return str(image.id)

    def _cluster(self, name: str, number: int, role: str) -> Place:
        ec2, eks = self.client("ec2"), self.client("eks")
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.{number}.{index}.0/24", AvailabilityZone=f"{REGION}{zone}")["Subnet"]["SubnetId"]
            for index, zone in enumerate("abcabc")
        ]
        nodes = ec2.create_security_group(GroupName=f"{name}-nodes", Description="nodes", VpcId=vpc)["GroupId"]
        eks.create_cluster(name=name, roleArn=role, resourcesVpcConfig={"subnetIds": subnets, "securityGroupIds": [nodes]})
        return Place(vpc, subnets[:3], nodes)

    def _recording(self, application: Any) -> Any:
        """An application that records requests, and holds back selected responses.

        Attempts of one call get one answer, unless the first one failed here. The SDK for Go closes what it sends when the first line of
        an answer is there, and takes it for a broken connection if it only then finds that nothing more is to be sent. With a network in
        between it has always found that before; here one answer in a thousand is lost, and the call would be carried out twice.
        """

        def called(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            body = environ["wsgi.input"].read(length)
            service, operation = _name({**environ, "wsgi.input": io.BytesIO(body)}, body)  # first: clients repeat what has failed
            environ["wsgi.input"] = io.BytesIO(body)
            attempted = environ.get("HTTP_AMZ_SDK_INVOCATION_ID", "")
            given, content = self._answers.get(attempted) or self._answered(application, environ)
            status = int(given[0].split()[0])
            if attempted not in self._answers:
                call = Call(service, operation, status, body.decode(errors="replace"), content.decode(errors="replace"))
                with self._lock:
                    self.calls.append(call)
            if attempted and status < HTTPStatus.INTERNAL_SERVER_ERROR:
                self._answers[attempted] = given, content
            self._hold(operation)
            start(*given)
            return [content]

        return called

    def _answered(self, application: Any, environ: dict[str, Any]) -> tuple[list[Any], bytes]:
        """Moto's response: status, headers and content."""
        started: list[Any] = []
        with self.scaling.lock:  # moto's dictionaries are not for many threads, of which the groups' machines have one
            content = b"".join(application(environ, lambda *given: started.extend(given)))
        return started[:2], content


class _Handler(MotoRequestHandler):
    def log(self, *_: Any) -> None:
        pass


def _install() -> None:
    """Replace moto's services with those of this folder."""
    os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
    ec2_backends.backend, efs_backends.backend, eks_backends.backend = network.Network, file_systems.FileSystems, clusters.Clusters
    launch_templates.LaunchTemplateVersion = network.TemplateVersion
    EC2Response.describe_images = network.describe_images
    file_systems.install()
    clusters.install()


def _name(environ: dict[str, Any], body: bytes) -> tuple[str, str]:
    """The service and the operation that a request is for."""
    scope = re.search(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/", environ.get("HTTP_AUTHORIZATION", ""))
    service = scope[1] if scope else ""
    if target := environ.get("HTTP_X_AMZ_TARGET"):
        return service, target.rpartition(".")[2]
    if action := parse_qs(body.decode(errors="replace")).get("Action"):
        return service, action[0]
    try:
        operation, _ = get_service_router(_SERVICES.get(service, service)).match(Request(environ))
    except (ServiceException, LookupError, NotImplementedError):
        return service, ""
    return service, str(operation.name)
