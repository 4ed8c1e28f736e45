"""The checks of storage classes, and of claims on them."""

from scalr_agents.caches.drivers import DRIVERS
from scalr_agents.caches.storage_class.settings import StorageClassClaimSettings, StorageClassSettings
from scalr_agents.model import checks, quantities
from scalr_agents.model.findings import Findings, entry, error, unknown_key, warning
from scalr_agents.model.forms import is_set


def check(name: str, storage: str) -> Findings:
    """Findings on the class and the size of the claims of a stack."""
    if not name:
        yield error("name", "missing; give the name of an existing StorageClass")
    yield from checks.quantity("storage", storage)
    if 0 < quantities.parse(storage) < quantities.MEBIBYTE:
        yield warning("storage", f"given {storage}, which is less than 1 MiB; sizes without a unit are bytes, write 90Gi")


def check_class(settings: StorageClassSettings) -> Findings:
    driver = DRIVERS[settings.provisioner]
    if not settings.storage_class_name:
        yield error("storage_class_name", "missing")
    for key in settings.parameters:
        if key not in driver.parameters:
            yield error(entry("parameters", key), unknown_key(key, driver.parameters))
    for key, other in (("gidRangeStart", "gidRangeEnd"), ("gidRangeEnd", "gidRangeStart")):
        if key in settings.parameters and other not in settings.parameters:
            yield error(f"parameters.{key}", f"requires {other}")
    for key in driver.needed:
        if not is_set(settings.parameters.get(key)):
            yield error(f"parameters.{key}", f"missing: {settings.provisioner} requires it")


def check_claim(claim: StorageClassClaimSettings) -> Findings:
    yield from checks.place(claim.release, claim.namespace)
    if not is_set(claim.storage_class_name):
        yield error("storage_class_name", "missing")
    yield from checks.quantity("storage", claim.storage)
    yield from checks.shared_cache("access_mode", claim.access_mode)
