"""Sections of `agent` with the limits of its caches."""

from typing import Annotated

from scalr_agents.model.fields import Count, Flag, Quantity
from scalr_agents.model.quantities import megabytes
from scalr_agents.model.section import ChartSection
from scalr_agents.model.variables import variable


class CacheLimit(ChartSection):
    """A cache of the agent in the cache directory."""

    enabled: Flag = False
    """Whether to cache."""
    size_limit: Quantity = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""


class ModuleCache(CacheLimit):
    """The cache of modules. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: Annotated[Flag, variable("SCALR_AGENT_MODULE_CACHE_ENABLED")] = False
    """Whether to cache modules."""
    size_limit: Annotated[Quantity, variable("SCALR_AGENT_MODULE_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""
    concurrency: Annotated[Count, variable("SCALR_AGENT_MODULE_CACHE_CONCURRENCY")] = 10
    """Maximum number of concurrent downloads."""


class ProviderCache(CacheLimit):
    """The cache of providers. Its limits are checked and sent to the agent only if it is enabled."""

    enabled: Annotated[Flag, variable("SCALR_AGENT_PROVIDER_CACHE_ENABLED")] = False
    """Whether to cache providers."""
    size_limit: Annotated[Quantity, variable("SCALR_AGENT_PROVIDER_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "40Gi"
    """Soft limit of the size, in Gi, Mi, G or M. Keep it below the size of the cache volume."""
    concurrency: Annotated[Count, variable("SCALR_AGENT_PROVIDER_CACHE_CONCURRENCY")] = 10
    """Maximum number of concurrent downloads."""
    drop_kernel_pages: Annotated[Flag, variable("SCALR_AGENT_PROVIDER_CACHE_DROP_KERNEL_PAGES")] = True
    """Whether to drop unpacked providers from the page cache, which counts as memory of the pod."""


class BinaryCache(ChartSection):
    """The cache of binaries (OpenTofu, Terraform, ...), which is always enabled."""

    size_limit: Annotated[Quantity, variable("SCALR_AGENT_BINARY_CACHE_SIZE_LIMIT_MB", convert=megabytes)] = "5Gi"
    """Soft limit of the size, in Gi, Mi, G or M."""
    threshold_days: Annotated[Count, variable("SCALR_AGENT_BINARY_CACHE_THRESHOLD_DAYS")] = 10
    """Days without use after which a binary may be removed."""
