"""Types of arguments that allow only certain strings.

Type checkers and editors see the allowed strings. At run time the types are `str`, because the component host turns annotations into a
schema and does not support `Literal`. The models check what is given.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scalr_agents.charts.shared.network.settings import EnforcedBy, Ingress
    from scalr_agents.charts.shared.secrets_from import StoreKind
    from scalr_agents.model.names import Naming
else:
    EnforcedBy = Ingress = Naming = StoreKind = str

__all__ = [
    "EnforcedBy",
    "Ingress",
    "Naming",
    "StoreKind",
]
