"""Values of the alpha of `agent-job`, which had two forms, and where they are now."""

from collections.abc import Mapping

from scalr_agents.charts.shared.moved import Moved

_EFS = "the alpha never mounted this file system; define one under `caches` of a stack, or set an existing claim in persistence.cache"
_DEFAULTS = "with the alpha's defaults"

MOVED: Mapping[str, Moved] = {
    # the published alpha
    "agent.tokenExistingSecret": Moved(("agent.tokenExistingSecret.name",), is_section=True),
    "agent.tokenExistingSecretKey": Moved(("agent.tokenExistingSecret.key",)),
    "imagePullSecrets": Moved(("global.imagePullSecrets",)),
    "podAnnotations": Moved(("global.podAnnotations",)),
    "controllerPodAnnotations": Moved(("agent.podAnnotations",)),
    "workerPodAnnotations": Moved(("task.podAnnotations",)),
    "controllerNodeSelector": Moved(("agent.nodeSelector",)),
    "controllerTolerations": Moved(("agent.tolerations",)),
    "workerNodeSelector": Moved(("task.nodeSelector",)),
    "workerTolerations": Moved(("task.tolerations",)),
    "worker.image": Moved(("task.worker.image",)),
    "worker.runner.image": Moved(("task.runner.image",)),
    "podSecurityContext": Moved(("global.podSecurityContext",), _DEFAULTS),
    "securityContext": Moved(("agent.controller.securityContext",), _DEFAULTS),
    "resources": Moved(("agent.resources",), _DEFAULTS),
    "extraEnv": Moved(("agent.extraEnv",)),
    "terminationGracePeriodSeconds": Moved(("agent.terminationGracePeriodSeconds",)),
    "efsVolumeHandle": Moved(note=_EFS),
    "efsMountOptions": Moved(note=_EFS),
    # both
    **{f"controller.image.{field}": Moved((f"agent.image.{field}",)) for field in ("repository", "tag", "pullPolicy")},
    "restrictMetadataService": Moved(("task.allowMetadataService",), "inverted"),
    "persistence.enabled": Moved(("persistence.cache.enabled",)),
    "persistence.emptyDir": Moved(("persistence.cache.emptyDir",)),
    "persistence.persistentVolumeClaim": Moved(("persistence.cache.persistentVolumeClaim",)),
    # the unpublished state
    "agent.auth.token": Moved(("agent.token",)),
    "controller.nodeSelector": Moved(("agent.nodeSelector",)),
    "controller.tolerations": Moved(("agent.tolerations",)),
    "controller.affinity": Moved(("agent.affinity",)),
    "controller.podAnnotations": Moved(("agent.podAnnotations",)),
    "controller.podSecurityContext": Moved(("agent.podSecurityContext",)),
    "controller.terminationGracePeriodSeconds": Moved(("agent.terminationGracePeriodSeconds",)),
    "controller.resources": Moved(("agent.resources",)),
    "controller.extraEnv": Moved(("agent.controller.extraEnv",), "a list of names and values"),
    "controller.securityContext": Moved(("agent.controller.securityContext",)),
    "agent.securityContext": Moved(
        ("agent.controller.securityContext", "task.worker.securityContext"), "where they have none of their own"
    ),
    "global.extraEnv": Moved(note="the alpha never read it; use agent.extraEnv for controller and worker, task.runner.extraEnv for runs"),
}
