"""Types of arguments that allow only certain strings.

Type checkers and editors see the allowed strings. At run time the types are `str`, because the component host turns annotations into a
schema and does not support `Literal`. The models check what is given.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalr_agents.caches import OnDelete
    from scalr_agents.caches.efs import ThroughputMode
    from scalr_agents.caches.filestore import ConnectMode, Protocol, ShareAccess, SquashMode, Tier
    from scalr_agents.caches.storage_class import Provisioner
    from scalr_agents.charts.shared.network.settings import EnforcedBy, Ingress
    from scalr_agents.charts.shared.secrets_from import StoreKind
    from scalr_agents.machines.settings import Architecture, CaScope, OnChange, Role, Runtime
    from scalr_agents.model.fields import AccessMode
    from scalr_agents.model.names import Naming
else:
    Architecture = CaScope = OnChange = Role = Runtime = StoreKind = str
    EnforcedBy = Ingress = str
    AccessMode = ConnectMode = Naming = OnDelete = Protocol = Provisioner = ShareAccess = SquashMode = ThroughputMode = Tier = str

__all__ = [
    "AccessMode",
    "Architecture",
    "CaScope",
    "ConnectMode",
    "EnforcedBy",
    "Ingress",
    "Naming",
    "OnChange",
    "OnDelete",
    "Protocol",
    "Provisioner",
    "Role",
    "Runtime",
    "ShareAccess",
    "SquashMode",
    "StoreKind",
    "ThroughputMode",
    "Tier",
]
