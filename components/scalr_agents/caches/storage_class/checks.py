"""The checks of storage classes, and of claims on them."""

from scalr_agents.caches.storage_class.settings import DRIVERS, StorageClassClaimSettings, StorageClassSettings
from scalr_agents.model import checks
from scalr_agents.model.findings import Findings, entry, error, unknown_key
from scalr_agents.model.forms import is_set


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
