"""The CustomResourceDefinitions of the agent."""

from scalr_agents.model.manifests import Manifest
from scalr_agents.model.release import Line

FIELD_MANAGER = "scalr-agents"
"""Who maintains definitions in a cluster. Under another name, those that earlier versions have left would be somebody else's."""
_BASENAME = {"basename": {"description": "First part of the names of the Jobs.", "type": "string"}}


def objects(line: Line) -> dict[str, Manifest]:
    """The definitions that a line's agents need."""
    resource = line.task_resource
    if resource is None:
        return {}
    return {
        resource.plural: {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": resource.crd_name},
            "spec": {
                "group": resource.group,
                "scope": "Namespaced",
                "names": {
                    "kind": resource.kind,
                    "listKind": f"{resource.kind}List",
                    "plural": resource.plural,
                    "singular": resource.singular,
                    "shortNames": list(resource.short_names),
                },
                "versions": [
                    {
                        "name": resource.version,
                        "served": True,
                        "storage": True,
                        "subresources": {"status": {}},
                        "schema": {
                            "openAPIV3Schema": {
                                "description": f"{resource.kind} holds the template of the Jobs that a Scalr agent starts.",
                                "type": "object",
                                "properties": {
                                    "spec": {
                                        "type": "object",
                                        "required": ["jobTemplate"],
                                        "properties": {
                                            **(_BASENAME if resource.named_jobs else {}),
                                            "jobTemplate": {
                                                "description": "Template of the Job (batch/v1 JobTemplateSpec).",
                                                "type": "object",
                                                "x-kubernetes-preserve-unknown-fields": True,
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    }
                ],
            },
        }
    }
