"""Auto Scaling as AWS documents it: machines take time to start, hooks hold those that have to go, and refreshes replace the others.

Requests are checked with AWS's own model of the API, in botocore. A machine goes when its lifecycle action is completed or its time is up.
What completes it in AWS is a program on the machine; here it is done after `drain_seconds`, if the machine's user data starts that program
for this group and its role may call for it.
"""

import base64
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any
from uuid import uuid4

from botocore.validate import ParamValidator
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult
from moto.core.utils import get_service_model
from moto.ec2 import ec2_backends
from moto.ec2.models.instances import Instance
from moto.iam import iam_backends
from moto.ssm import ssm_backends

ACCOUNT, REGION = "123456789012", "eu-west-1"
OPERATIONS = (
    "cancel_instance_refresh",
    "create_auto_scaling_group",
    "create_or_update_tags",
    "delete_auto_scaling_group",
    "delete_policy",
    "delete_tags",
    "describe_auto_scaling_groups",
    "describe_instance_refreshes",
    "describe_lifecycle_hooks",
    "describe_policies",
    "put_lifecycle_hook",
    "put_scaling_policy",
    "start_instance_refresh",
    "update_auto_scaling_group",
)
_TICK_SECONDS = 0.1
_LAUNCH_SECONDS = 0.5
"""Seconds until a machine is in service."""
_AT_ONCE = 1
"""Machines that a refresh replaces at a time: a tenth of a small group."""
_UNDER_WAY = ("Pending", "InProgress", "Cancelling")
_GOING = "Terminating"
_HEARTBEAT = range(30, 7201)
"""Seconds that a lifecycle hook may wait."""

Answer = dict[str, Any]


@dataclass
class Machine:
    """An instance of a group."""

    instance: Instance
    version: str
    began: float
    state: str = "Pending"
    left: float | None = None
    """When it had to go."""
    limit: float = 0
    """How long it is held after that."""

    @property
    def id(self) -> str:
        return str(self.instance.id)

    @property
    def stays(self) -> bool:
        return self.left is None


@dataclass
class Group:
    """An Auto Scaling group: what was asked for, and its machines."""

    name: str
    settings: Answer
    desired: int
    machines: list[Machine] = field(default_factory=list)
    hooks: dict[str, Answer] = field(default_factory=dict)
    policies: dict[str, Answer] = field(default_factory=dict)
    refreshes: list[Answer] = field(default_factory=list)
    arn: str = ""

    @property
    def template(self) -> Answer:
        mixed = self.settings.get("MixedInstancesPolicy")
        given: Answer = mixed["LaunchTemplate"]["LaunchTemplateSpecification"] if mixed else self.settings["LaunchTemplate"]
        return given

    @property
    def holds(self) -> list[Answer]:
        """The hooks that hold machines which have to go."""
        return [hook for hook in self.hooks.values() if hook["LifecycleTransition"] == "autoscaling:EC2_INSTANCE_TERMINATING"]

    @property
    def refresh(self) -> Answer | None:
        """The refresh that is under way."""
        return next((each for each in self.refreshes if each["Status"] in _UNDER_WAY), None)


class Scaling:
    """The service, for one account and region."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = {}
        self.drain_seconds: dict[str, float] = {}
        """Seconds until a machine completes its lifecycle action, by name of the group; 0.5 by default."""
        self.lock = threading.RLock()
        self._ended = threading.Event()

    @property
    def _ec2(self) -> Any:
        return ec2_backends[ACCOUNT][REGION]

    def install(self) -> None:
        """Replace moto's service from now on."""
        for operation in OPERATIONS:
            setattr(AutoScalingResponse, operation, _answering(self, operation))
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def forget(self) -> None:
        """Remove all groups and reset all delays of drains."""
        self.groups.clear()
        self.drain_seconds.clear()

    def scale(self, name: str, desired: int) -> None:
        """Change the desired number of machines, as a scaling policy does."""
        with self.lock:
            self.groups[name].desired = desired

    def machines(self, name: str) -> list[Machine]:
        """The machines of a group as they are now."""
        with self.lock:
            return list(self.groups[name].machines)

    def is_settled(self, name: str) -> bool:
        """Whether all machines of a group are in service, and none is being replaced."""
        with self.lock:
            group = self.groups[name]
            in_service = [machine for machine in group.machines if machine.state == "InService"]
            return not group.refresh and len(in_service) == len(group.machines) == group.desired

    # Operations

    def create_auto_scaling_group(self, given: Answer) -> None:
        name = given["AutoScalingGroupName"]
        if name in self.groups:
            message = f"AutoScalingGroup by this name already exists - A group with the name {name} already exists"
            raise _Refused("AlreadyExists", message)
        arn = f"arn:aws:autoscaling:{REGION}:{ACCOUNT}:autoScalingGroup:{uuid4()}:autoScalingGroupName/{name}"
        made = Group(name, {}, 0, arn=arn)
        self._set(made, {"HealthCheckGracePeriod": 300, "DefaultCooldown": 300, "HealthCheckType": "EC2", **given})
        self.groups[name] = made

    def update_auto_scaling_group(self, given: Answer) -> None:
        self._set(self._group(given), given)

    def delete_auto_scaling_group(self, given: Answer) -> None:
        group = self._group(given)
        if group.machines and not given.get("ForceDelete"):
            message = (
                "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group."
            )
            raise _Refused("ResourceInUse", message)
        for machine in list(group.machines):
            self._remove(group, machine)
        del self.groups[group.name]

    def describe_auto_scaling_groups(self, given: Answer) -> Answer:
        names = given.get("AutoScalingGroupNames")
        return {"AutoScalingGroups": [_described(group) for group in self.groups.values() if not names or group.name in names]}

    def create_or_update_tags(self, given: Answer) -> None:
        for tag in given["Tags"]:
            self.delete_tags({"Tags": [tag]})
            self.groups[tag["ResourceId"]].settings.setdefault("Tags", []).append(tag)

    def delete_tags(self, given: Answer) -> None:
        for tag in given["Tags"]:
            settings = self.groups[tag["ResourceId"]].settings
            settings["Tags"] = [other for other in settings.get("Tags", []) if other["Key"] != tag["Key"]]

    def put_lifecycle_hook(self, given: Answer) -> None:
        group = self._group(given)
        hook = {"HeartbeatTimeout": 3600, "DefaultResult": "ABANDON", **group.hooks.get(given["LifecycleHookName"], {}), **given}
        if hook["HeartbeatTimeout"] not in _HEARTBEAT:
            raise _Refused("ValidationError", "HeartbeatTimeout must be between 30 and 7200")
        group.hooks[given["LifecycleHookName"]] = {"GlobalTimeout": min(hook["HeartbeatTimeout"] * 100, 172800), **hook}

    def describe_lifecycle_hooks(self, given: Answer) -> Answer:
        names = given.get("LifecycleHookNames")
        hooks = self._group(given).hooks.values()
        return {"LifecycleHooks": [hook for hook in hooks if not names or hook["LifecycleHookName"] in names]}

    def put_scaling_policy(self, given: Answer) -> Answer:
        group = self._group(given)
        named = f"autoScalingGroupName/{group.name}:policyName/{given['PolicyName']}"
        arn = f"arn:aws:autoscaling:{REGION}:{ACCOUNT}:scalingPolicy:{uuid4()}:{named}"
        group.policies[given["PolicyName"]] = {"Enabled": True, "PolicyARN": arn, "Alarms": [], **given}
        return {"PolicyARN": arn, "Alarms": []}

    def describe_policies(self, given: Answer) -> Answer:
        names, group = given.get("PolicyNames"), self._group(given)
        return {"ScalingPolicies": [policy for name, policy in group.policies.items() if not names or name in names]}

    def delete_policy(self, given: Answer) -> None:
        self._group(given).policies.pop(given["PolicyName"], None)

    def start_instance_refresh(self, given: Answer) -> Answer:
        group = self._group(given)
        if group.refresh:
            message = "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh."
            raise _Refused("InstanceRefreshInProgress", message)
        preferences = given.get("Preferences", {})
        least, most = preferences.get("MinHealthyPercentage", 90), preferences.get("MaxHealthyPercentage")
        if most is not None and (most < 100 or most > 200 or most - least > 100):
            raise _Refused("ValidationError", "MaxHealthyPercentage must be 100 to 200, at most 100 above MinHealthyPercentage")
        begun = {"InstanceRefreshId": str(uuid4()), "AutoScalingGroupName": group.name, "Status": "Pending", "StartTime": datetime.now(UTC)}
        group.refreshes.insert(0, begun)
        return {"InstanceRefreshId": begun["InstanceRefreshId"]}

    def cancel_instance_refresh(self, given: Answer) -> Answer:
        refresh = self._group(given).refresh
        if not refresh or refresh["Status"] == "Cancelling":
            raise _Refused("ActiveInstanceRefreshNotFound", "No in progress or pending Instance Refresh found.")
        refresh["Status"] = "Cancelling"
        return {"InstanceRefreshId": refresh["InstanceRefreshId"]}

    def describe_instance_refreshes(self, given: Answer) -> Answer:
        ids = given.get("InstanceRefreshIds")
        refreshes = self._group(given).refreshes
        return {"InstanceRefreshes": [each for each in refreshes if not ids or each["InstanceRefreshId"] in ids]}

    # What changes with time

    def _run(self) -> None:
        while not self._ended.wait(_TICK_SECONDS):
            with self.lock:
                for group in list(self.groups.values()):
                    self._pass(group)

    def _pass(self, group: Group) -> None:
        """Advance a group to the present."""
        now = time.monotonic()
        for machine in list(group.machines):
            if machine.state == "Pending" and now - machine.began > _LAUNCH_SECONDS:
                machine.state = "InService"
            if machine.left is not None:
                drained = now - machine.left > self.drain_seconds.get(group.name, 0.5) and self._completes(group, machine)
                if drained or now - machine.left > machine.limit:
                    self._remove(group, machine)
        more = self._refresh(group)
        staying = [machine for machine in group.machines if machine.stays]
        for _ in range(group.desired + more - len(staying)):
            self._launch(group)
        for machine in staying[: max(0, len(staying) - group.desired - more)]:
            self._end(group, machine)

    def _refresh(self, group: Group) -> int:
        """Continue a refresh. Returns the number of machines that it needs above the desired number."""
        refresh = group.refresh
        if not refresh:
            return 0
        going = [machine for machine in group.machines if not machine.stays]
        old = [machine for machine in group.machines if machine.stays and machine.version != self._version(group)]
        if refresh["Status"] == "Cancelling":
            if not going and all(machine.state == "InService" for machine in group.machines):
                refresh |= {"Status": "Cancelled", "EndTime": datetime.now(UTC)}
            return 0
        refresh["Status"] = "InProgress"
        if not old and not going:
            refresh |= {"Status": "Successful", "EndTime": datetime.now(UTC)}
        if not old or going:
            return 0
        ready = sum(machine.state == "InService" for machine in group.machines)
        if ready < group.desired + _AT_ONCE:
            return _AT_ONCE
        self._end(group, old[0])
        return 0

    def _launch(self, group: Group) -> None:
        data = self._template(group).data
        image = data["ImageId"]
        if image.startswith("resolve:ssm:"):
            image = ssm_backends[ACCOUNT][REGION].get_parameter(image.removeprefix("resolve:ssm:").partition(":")[0]).value
        if not self._ec2.describe_images(ami_ids=[image]):
            return  # no such image
        count = {subnet: sum(each.instance.subnet_id == subnet for each in group.machines) for subnet in _subnets(group)}
        [instance] = self._ec2.run_instances(
            image,
            1,
            data.get("UserData"),
            [],
            instance_type=data["InstanceType"],
            is_instance_type_default=False,
            subnet_id=min(count, key=lambda subnet: (count[subnet], subnet)),
            security_group_ids=_security_groups(data),
            tags={"instance": {**self._template(group).instance_tags, "aws:autoscaling:groupName": group.name}},
        ).instances
        group.machines.append(Machine(instance, self._version(group), time.monotonic()))

    def _end(self, group: Group, machine: Machine) -> None:
        """Start the termination of a machine."""
        holds = group.holds
        machine.left = time.monotonic()
        machine.limit = max((hook["HeartbeatTimeout"] for hook in holds), default=0)
        machine.state = f"{_GOING}:Wait" if holds else _GOING

    def _completes(self, group: Group, machine: Machine) -> bool:
        """Whether a machine has the program that reports when it has drained, and the permission to report it."""
        text = base64.b64decode(str(machine.instance.user_data or "")).decode()
        data = self._template(group, machine.version).data
        return any(f"drain aws {group.name} {hook['LifecycleHookName']}" in text for hook in group.holds) and _may_complete(data, group.arn)

    def _remove(self, group: Group, machine: Machine) -> None:
        self._ec2.terminate_instances([machine.id])
        for interface in list(machine.instance.nics.values()):
            self._ec2.enis.pop(interface.id, None)
        group.machines.remove(machine)

    # Parts

    def _group(self, given: Mapping[str, Any]) -> Group:
        name = given["AutoScalingGroupName"]
        if name not in self.groups:
            raise _Refused("ValidationError", f"AutoScalingGroup name not found - AutoScalingGroup '{name}' not found")
        return self.groups[name]

    def _set(self, group: Group, given: Answer) -> None:
        """Change settings, all or none."""
        settings = {**group.settings, **given}
        for one, other in (("LaunchTemplate", "MixedInstancesPolicy"), ("MixedInstancesPolicy", "LaunchTemplate")):
            if one in given and other not in given:
                settings.pop(other, None)
        if ("LaunchTemplate" in settings) == ("MixedInstancesPolicy" in settings):
            raise _Refused("ValidationError", "Valid requests must contain either LaunchTemplate or MixedInstancesPolicy parameter.")
        least, most = settings["MinSize"], settings["MaxSize"]
        if least > most:
            raise _Refused("ValidationError", "Max bound, must be greater than or equal to min bound")
        requested = given.get("DesiredCapacity")
        if requested is not None and not least <= requested <= most:
            raise _Refused("ValidationError", f"New SetDesiredCapacity value {requested} is outside of {least} to {most}")
        desired = min(max(group.desired if requested is None else requested, least), most)
        zones = {subnet.availability_zone for subnet in self._ec2.describe_subnets(subnet_ids=settings["VPCZoneIdentifier"].split(","))}
        changed = Group(group.name, settings, desired)
        template = self._template(changed)
        profile = template.data.get("IamInstanceProfile", {}).get("Arn")
        if profile and not any(each.arn == profile for each in iam_backends[ACCOUNT]["aws"].get_instance_profiles()):
            raise _Refused("ValidationError", "You must use a valid fully-formed launch template. Invalid IAM Instance Profile name")
        specification = changed.template  # AWS also returns the name
        specification |= {"LaunchTemplateId": template.template.id, "LaunchTemplateName": template.template.name}
        group.settings, group.desired = settings | {"AvailabilityZones": sorted(zones)}, desired

    def _version(self, group: Group) -> str:
        return str(self._template(group).number)

    def _template(self, group: Group, version: str = "") -> Any:
        """The version of its template that a group uses."""
        given = group.template
        if "LaunchTemplateId" in given:
            template = self._ec2.get_launch_template(given["LaunchTemplateId"])
        else:
            template = self._ec2.get_launch_template_by_name(given["LaunchTemplateName"])
        requested = version or given.get("Version", "$Default")
        symbolic = {"$Default": template.default_version_number, "$Latest": template.latest_version_number}
        return template.get_version(symbolic[requested] if requested in symbolic else int(requested))


class _Refused(ServiceException):
    """A request that AWS refuses, with its own code."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def _answering(service: Scaling, operation: str) -> Callable[[AutoScalingResponse], ActionResult]:
    model = get_service_model("autoscaling").operation_model("".join(word.capitalize() for word in operation.split("_")))

    def answer(request: AutoScalingResponse) -> ActionResult:
        given = dict(request._get_params())
        found = ParamValidator().validate(given, model.input_shape)
        if found.has_errors():
            raise _Refused("ValidationError", found.generate_report())
        with service.lock:
            return ActionResult(getattr(service, operation)(given) or {})

    return answer


def _described(group: Group) -> Answer:
    machines = [
        {
            "InstanceId": machine.id,
            "InstanceType": machine.instance.instance_type,
            "AvailabilityZone": machine.instance.placement.zone,
            "LifecycleState": machine.state,
            "HealthStatus": "Healthy",
            "LaunchTemplate": {**group.template, "Version": machine.version},
            "ProtectedFromScaleIn": False,
        }
        for machine in group.machines
    ]
    defaults = {"LoadBalancerNames": [], "TargetGroupARNs": [], "TrafficSources": [], "TerminationPolicies": ["Default"]}
    tags = [{**tag, "ResourceId": group.name, "ResourceType": "auto-scaling-group"} for tag in group.settings.get("Tags", [])]
    known = {"AutoScalingGroupARN": group.arn, "DesiredCapacity": group.desired, "CreatedTime": datetime.now(UTC)}
    return {**defaults, **group.settings, **known, "Tags": tags, "Instances": machines}


def _subnets(group: Group) -> list[str]:
    subnets: list[str] = group.settings["VPCZoneIdentifier"].split(",")
    return subnets


def _security_groups(data: Mapping[str, Any]) -> list[str]:
    interfaces = data.get("NetworkInterfaces") or [{}]
    groups: list[str] = interfaces[0].get("Groups") or data.get("SecurityGroupIds") or []
    return groups


def _may_complete(data: Mapping[str, Any], group: str) -> bool:
    """Whether the role of a template may complete the lifecycle actions of a group."""
    iam, requested = iam_backends[ACCOUNT]["aws"], data["IamInstanceProfile"]["Arn"]
    roles = [role for profile in iam.get_instance_profiles() if profile.arn == requested for role in profile.roles]
    documents = [json.loads(document) for role in roles for document in role.policies.values()]
    return any(
        statement["Effect"] == "Allow"
        and statement["Action"] == "autoscaling:CompleteLifecycleAction"
        and fnmatchcase(group, statement["Resource"])
        for document in documents
        for statement in document["Statement"]
    )
