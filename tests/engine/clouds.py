"""Stand-ins of AWS and Google Cloud: the behaviour of their providers, and the refusals of the clouds.

Which fields replace a resource is what the schemas of Terraform's providers say (`ForceNew`), and the rest what Pulumi's providers add
to them: `provider/resources.go` of pulumi-aws for mount targets and names, `nameRequiresDeleteBeforeReplace` of the Terraform bridge.
Where the real providers run, `tests/clouds` makes the same changes on them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from google.protobuf import struct_pb2
from google.protobuf.message import Message
from pulumi.runtime.proto import provider_pb2

from tests.engine.provider import UNKNOWN, Provider, among, changes, difference, plain, refuse, struct
from tests.helpers import mocked_clouds

_DEFAULTS = "__defaults"
"""Input that lists the properties which the provider has filled in."""


class Kind(NamedTuple):
    """The behaviour of a provider for a type."""

    fixed: tuple[str, ...] = ()
    """Properties whose change replaces the resource."""
    computed: tuple[str, ...] = ()
    """Properties that keep their value when the program no longer sets them."""
    named_by: str = ""
    """The property that the provider gives a unique value, unless the program has one. Of a resource whose value is the program's it
    assumes that two cannot exist, and asks for the old one to go first."""
    delete_first: bool = False
    """Whether the old resource is always deleted first."""
    taken: str = ""
    """The error of the cloud if another resource has the name."""
    counted: tuple[str, ...] = ()
    """Numbers that grow with each update, so that a preview does not know them."""


FILE_SYSTEM, MOUNT_TARGET = "aws:efs/fileSystem:FileSystem", "aws:efs/mountTarget:MountTarget"
MACHINES, TEMPLATE = "aws:autoscaling/group:Group", "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
KINDS: Mapping[str, Kind] = {
    FILE_SYSTEM: Kind(
        fixed=("availabilityZoneName", "creationToken", "encrypted", "kmsKeyId", "performanceMode"),
        computed=("creationToken", "kmsKeyId"),
        named_by="creationToken",
    ),
    MOUNT_TARGET: Kind(fixed=("fileSystemId", "ipAddress", "subnetId"), computed=("securityGroups",), delete_first=True),
    "aws:efs/accessPoint:AccessPoint": Kind(fixed=("fileSystemId", "posixUser", "rootDirectory")),
    "aws:efs/backupPolicy:BackupPolicy": Kind(fixed=("fileSystemId",)),
    "aws:efs/fileSystemPolicy:FileSystemPolicy": Kind(fixed=("fileSystemId",)),
    GROUP: Kind(fixed=("description", "name", "vpcId"), named_by="name", taken="InvalidGroup.Duplicate"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": Kind(fixed=("securityGroupId",)),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": Kind(fixed=("securityGroupId",)),
    MACHINES: Kind(
        fixed=("initialLifecycleHooks", "name"), named_by="name", taken="AlreadyExists: AutoScalingGroup by this name already exists"
    ),
    "aws:autoscaling/lifecycleHook:LifecycleHook": Kind(fixed=("name",)),
    "aws:autoscaling/policy:Policy": Kind(fixed=("autoscalingGroupName", "name"), named_by="name"),
    "aws:cloudwatch/logGroup:LogGroup": Kind(fixed=("name",), named_by="name", taken="ResourceAlreadyExistsException"),
    TEMPLATE: Kind(
        fixed=("name",),
        named_by="name",
        taken="InvalidLaunchTemplateName.AlreadyExistsException",
        counted=("defaultVersion", "latestVersion"),
    ),
    "aws:iam/instanceProfile:InstanceProfile": Kind(fixed=("name", "path"), named_by="name", taken="EntityAlreadyExists"),
    "aws:iam/role:Role": Kind(fixed=("name", "path"), named_by="name", taken="EntityAlreadyExists"),
    "aws:iam/rolePolicy:RolePolicy": Kind(fixed=("name", "role"), named_by="name"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": Kind(fixed=("policyArn", "role"), delete_first=True),
    "aws:secretsmanager/secret:Secret": Kind(fixed=("name",), named_by="name", taken="ResourceExistsException"),
    "aws:secretsmanager/secretVersion:SecretVersion": Kind(fixed=("secretId", "secretString")),
    "gcp:compute/firewall:Firewall": Kind(fixed=("direction", "name", "network", "project"), named_by="name", taken="Error 409"),
    "gcp:compute/instanceTemplate:InstanceTemplate": Kind(
        fixed=(
            *("disks", "labels", "machineType", "metadata", "name", "networkInterfaces", "project", "region", "scheduling"),
            *("serviceAccount", "shieldedInstanceConfig", "tags"),
        ),
        named_by="name",
    ),
    "gcp:compute/regionAutoscaler:RegionAutoscaler": Kind(fixed=("name", "project", "region"), named_by="name", taken="Error 409"),
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": Kind(
        fixed=("name", "project", "region"), named_by="name", taken="Error 409"
    ),
    "gcp:filestore/instance:Instance": Kind(
        fixed=("fileShares.name", "kmsKeyName", "location", "networks", "project", "protocol", "tier"), named_by="name"
    ),
    "gcp:secretmanager/secret:Secret": Kind(
        fixed=("project", "replication", "secretId"), named_by="secretId", delete_first=True, taken="Error 409"
    ),
    "gcp:secretmanager/secretIamMember:SecretIamMember": Kind(fixed=("member", "project", "role", "secretId")),
    "gcp:secretmanager/secretVersion:SecretVersion": Kind(fixed=("secret", "secretData")),
    "gcp:serviceaccount/account:Account": Kind(fixed=("accountId", "project"), named_by="accountId", taken="Error 409"),
}


@dataclass
class Live:
    """An existing resource."""

    type: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]


class Cloud(Provider):
    """A provider that Pulumi makes out of one of Terraform's, and the cloud behind it."""

    def __init__(self, objects: Mapping[str, Live] | None = None) -> None:
        super().__init__()
        self.objects = dict(objects or {})
        """Everything that exists, by its id."""

    def check(self, request: Any, context: Any) -> Message:
        inputs = struct_pb2.Struct()
        inputs.CopyFrom(request.news)
        name = KINDS.get(request.type, Kind()).named_by
        olds, filled_in = plain(request.olds), name and name not in request.news
        if filled_in:
            kept = olds.get(name) if name in olds.get(_DEFAULTS, []) else None
            inputs[name] = kept or f"{request.name}-{request.randomSeed.hex()[:7]}"
        inputs[_DEFAULTS] = [name] if filled_in else []
        failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in self.invalid(request.type, plain(inputs))]
        return provider_pb2.CheckResponse(inputs=inputs, failures=failures)

    def diff(self, request: Any, context: Any) -> Message:
        kind, ignored = KINDS.get(request.type, Kind()), tuple(request.ignoreChanges)
        new, old_inputs = plain(request.news), plain(request.old_inputs)
        named = bool(kind.named_by) and kind.named_by in new and kind.named_by not in new.pop(_DEFAULTS, [])
        given = {key: value for key, value in old_inputs.items() if key in new or key not in {*kind.computed, _DEFAULTS}}
        changed = [path for path in changes(_part(plain(request.olds), given, new), new) if not path.startswith(ignored or ("\0",))]
        return difference(changed, among(changed, kind.fixed), delete_first=kind.delete_first or named)

    def read(self, request: Any, context: Any) -> Message:
        found = self.objects.get(request.id)
        if found is None:
            return provider_pb2.ReadResponse()
        refreshed = bool(request.properties.fields)  # an import knows nothing but the id
        inputs = request.inputs if refreshed else struct({**found.inputs, _DEFAULTS: []})
        return provider_pb2.ReadResponse(id=request.id, properties=struct(found.outputs), inputs=inputs)

    def update(self, request: Any, context: Any) -> Message:
        if not request.preview:
            return super().update(request, context)
        unknown = dict.fromkeys(KINDS.get(request.type, Kind()).counted, UNKNOWN)
        return provider_pb2.UpdateResponse(properties=struct(plain(request.olds) | plain(request.news) | unknown))

    def made(self, request: Any, inputs: dict[str, Any], context: Any) -> tuple[str, dict[str, Any]]:
        kind = KINDS.get(request.type, Kind())
        names = {(other.get(kind.named_by), other.get("region")) for other in self.of_type(request.type).values()}
        if kind.taken and (inputs[kind.named_by], inputs.get("region")) in names:
            refuse(context, f"creating {request.urn}: {kind.taken}: {inputs[kind.named_by]}")
        for problem in self.refused(request.type, inputs):
            refuse(context, f"creating {request.urn}: {problem}")
        identity, outputs = mocked_clouds.created(request.type, request.name, inputs, uuid4().hex[:8])
        outputs = self.normalized(request.type, outputs)
        self.objects[identity] = Live(request.type, inputs, outputs)
        return identity, outputs

    def changed(self, request: Any, inputs: dict[str, Any], context: Any) -> dict[str, Any]:
        for problem in self.busy(request.id):
            refuse(context, f"updating {request.urn}: {problem}")
        kind, olds = KINDS.get(request.type, Kind()), plain(request.olds)
        gone = plain(request.old_inputs).keys() - inputs.keys() - {*kind.computed}
        grown = {name: olds[name] + 1 for name in kind.counted}
        outputs = self.normalized(request.type, {name: value for name, value in olds.items() if name not in gone} | inputs | grown)
        self.objects[request.id] = Live(request.type, inputs, outputs)
        return outputs

    def removed(self, request: Any, context: Any) -> None:
        for problem in self.held(request.id):
            refuse(context, f"deleting {request.urn}: {problem}")
        self.objects.pop(request.id, None)

    def of_type(self, token: str) -> dict[str, dict[str, Any]]:
        """Outputs of all that exists of a type, by id."""
        return {identity: live.outputs for identity, live in self.objects.items() if live.type == token}

    def invalid(self, token: str, inputs: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
        """Errors that the provider finds before it calls the cloud: properties and reasons."""
        return ()

    def refused(self, token: str, inputs: Mapping[str, Any]) -> Iterable[str]:
        """Why the cloud refuses to create a resource."""
        return ()

    def busy(self, identity: str) -> Iterable[str]:
        """Why the cloud refuses to change a resource now."""
        return ()

    def held(self, identity: str) -> Iterable[str]:
        """Why the cloud refuses to delete a resource."""
        return ()

    def normalized(self, token: str, outputs: dict[str, Any]) -> dict[str, Any]:
        """Outputs as the cloud returns them."""
        return outputs


class Aws(Cloud):
    """AWS."""

    package = "aws"

    def __init__(self, objects: Mapping[str, Live] | None = None) -> None:
        super().__init__(objects)
        self.refused_refreshes = 0
        """How often a group of machines cannot be changed yet, as a machine of an earlier change still waits for its runs."""

    def invalid(self, token: str, inputs: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
        key = inputs.get("kmsKeyId", "arn:")
        if not key.startswith("arn:"):
            yield "kmsKeyId", f'"kms_key_id" ({key}) is an invalid ARN: arn: invalid prefix'

    def refused(self, token: str, inputs: Mapping[str, Any]) -> Iterable[str]:
        for identity, other in self.of_type(token).items():
            if token == FILE_SYSTEM and other["creationToken"] == inputs["creationToken"]:
                yield f"FileSystemAlreadyExists: File system '{identity}' already exists with creation token '{other['creationToken']}'"
            if token == MOUNT_TARGET and _place(other) == _place(inputs):
                yield "MountTargetConflict: mount target already exists in this AZ"

    def busy(self, identity: str) -> Iterable[str]:
        if self.objects[identity].type == MACHINES and self.refused_refreshes:
            self.refused_refreshes -= 1
            yield "instance refresh cancel: timeout while waiting for state to become 'Cancelled'"

    def held(self, identity: str) -> Iterable[str]:
        for name, template in self.of_type(TEMPLATE).items():
            if any(identity in interface["securityGroups"] for interface in template["networkInterfaces"]):
                yield f"DependencyViolation: resource {identity} has a dependent object, machines of {name}"
        for target, outputs in self.of_type(MOUNT_TARGET).items():
            if outputs["fileSystemId"] == identity:
                yield f"FileSystemInUse: the file system has mount target {target}"
            if identity in outputs["securityGroups"]:
                yield f"DependencyViolation: resource {identity} has a dependent object, mount target {target}"

    def normalized(self, token: str, outputs: dict[str, Any]) -> dict[str, Any]:
        if token != FILE_SYSTEM:
            return outputs
        key = outputs.get("kmsKeyId", mocked_clouds.MANAGED_KEY)
        return outputs | {"kmsKeyId": mocked_clouds.ALIASES.get(key, key)}


class Gcp(Cloud):
    """Google Cloud."""

    package = "gcp"


def _place(target: Mapping[str, Any]) -> tuple[str, str]:
    """File system and zone of a mount target: there is one for both."""
    return target["fileSystemId"], mocked_clouds.zone(target["subnetId"])


def _part(state: Any, *shapes: Any) -> Any:
    """The part of the state that corresponds to inputs: clouds add fields, and Terraform compares only those that a program sets."""
    shapes = tuple(shape for shape in shapes if shape is not None)
    if isinstance(state, Mapping) and all(isinstance(shape, Mapping) for shape in shapes):
        keys = {key for shape in shapes for key in shape} & state.keys()
        return {key: _part(state[key], *(shape.get(key) for shape in shapes)) for key in keys}
    if isinstance(state, list) and all(isinstance(shape, list) and len(shape) == len(state) for shape in shapes):
        return [_part(*parts) for parts in zip(state, *shapes, strict=True)]
    return state
