"""The words that arguments of components may have.

Type checkers and editors see the words. At run time they are strings, because the component host turns annotations into a schema and
knows no `Literal`; what is given is checked by the models in any case.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalr_agents.caches import OnDelete
    from scalr_agents.caches.efs import ThroughputMode
    from scalr_agents.caches.filestore import ConnectMode, Protocol, ShareAccess, SquashMode, Tier
    from scalr_agents.caches.storage_class import Provisioner
    from scalr_agents.machines.settings import Architecture, CaScope, OnChange, Role, Runtime
    from scalr_agents.model.fields import AccessMode
    from scalr_agents.model.names import Naming
else:
    Architecture = CaScope = OnChange = Role = Runtime = str
    AccessMode = ConnectMode = Naming = OnDelete = Protocol = Provisioner = ShareAccess = SquashMode = ThroughputMode = Tier = str

__all__ = [
    "AccessMode",
    "Architecture",
    "CaScope",
    "ConnectMode",
    "Naming",
    "OnChange",
    "OnDelete",
    "Protocol",
    "Provisioner",
    "Role",
    "Runtime",
    "ShareAccess",
    "SquashMode",
    "ThroughputMode",
    "Tier",
]
