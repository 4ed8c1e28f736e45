"""The settings of a StorageClass for a known driver, and of a claim on any class."""

from scalr_agents.caches.drivers import Provisioner
from scalr_agents.model.fields import AccessMode, InputMap, InputName, Name, Quantity
from scalr_agents.model.section import Section


class StorageClassSettings(Section):
    """A StorageClass for a known driver."""

    storage_class_name: Name
    provisioner: Provisioner
    parameters: InputMap = {}


class StorageClassClaimSettings(Section):
    """The claim of one agent, provisioned by a StorageClass."""

    namespace: str
    release: str
    storage_class_name: InputName
    storage: Quantity = "90Gi"
    access_mode: AccessMode = "ReadWriteMany"
