"""EC2 where moto is less strict than AWS: groups in use, images that are no longer listed, tags of templates."""

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2 import urls
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import EC2Backend
from moto.ec2.models.launch_templates import LaunchTemplateVersion
from moto.ec2.responses import EC2Response

DEPRECATED = "deprecated"
"""Tag of an image that AWS has deprecated: it still starts, and is listed only on request."""


class Network(EC2Backend):
    """Networks, security groups, images and launch templates."""

    _url_module: Any = urls  # which moto looks for beside the class

    def _delete_security_group(self, vpc_id: str | None, group_id: str) -> None:
        if any(group.id == group_id for interface in self.enis.values() for group in interface.group_set):
            raise EC2ClientError("DependencyViolation", f"resource {group_id} has a dependent object")
        super()._delete_security_group(vpc_id, group_id)

    def describe_launch_templates(self, *given: Any, **named: Any) -> Any:
        found = super().describe_launch_templates(*given, **named)
        for template in found:
            template.tags = template.get_tags()  # those of today
        return found


class TemplateVersion(LaunchTemplateVersion):
    """A version of a launch template. The tags of the template itself are not part of it."""

    def __init__(self, template: Any, number: int, data: dict[str, Any], description: str) -> None:
        super().__init__(template, number, data, description)
        if "TagSpecifications" in data:
            data["TagSpecifications"] = [each for each in data["TagSpecifications"] if each["ResourceType"] != "launch-template"]


def describe_images(response: EC2Response) -> ActionResult:
    """Images, as AWS lists them to accounts other than their owner."""
    words = {"ami_ids": "ImageIds", "exec_users": "ExecutableUsers", "owners": "Owners"}
    given = {word: response._get_param(name, []) for word, name in words.items()}
    images = response.ec2_backend.describe_images(**given, filters=response._filters_from_querystring())
    every = response._get_bool_param("IncludeDeprecated", if_none=False)
    return ActionResult({"Images": [image for image in images if every or not any(tag["key"] == DEPRECATED for tag in image.get_tags())]})
