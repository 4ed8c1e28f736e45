"""What the API server says to the stack's objects, and to their pods: Pod Security, quotas, LimitRanges, policies and webhooks."""

import re
from collections import defaultdict
from http import HTTPStatus

from scalr_agents.cluster.answers import Answer
from scalr_agents.doctor import submissions
from scalr_agents.doctor.facts import Cluster
from scalr_agents.doctor.findings import error, note, warning
from scalr_agents.doctor.needs import Needs
from scalr_agents.doctor.objects import Namespace
from scalr_agents.doctor.submissions import Submission
from scalr_agents.model import quantities
from scalr_agents.model.findings import Finding, Findings
from scalr_agents.model.messages import listed
from scalr_agents.stack.namespaces import enforced

_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY)
_BEGINNING = re.compile(r'^\S+ "[^"]*" is (?:forbidden|invalid): ')
"""What every refusal begins with: the object, which is the finding's subject. Names of pods are random."""
_LONGEST = 500
_POD_SECURITY = "violates PodSecurity"
_EXCEEDED = re.compile(r"exceeded quota: \S+, requested: (\S+), used: \S+, limited: (\S+)$")


def check(needs: Needs, cluster: Cluster) -> Findings:
    planned, left_out = submissions.planned(needs, cluster)
    for reason, subjects in left_out.items():
        yield note("dry run", f"the API server cannot judge {listed(subjects)}: {reason}")
    warned = defaultdict[str, list[str]](list)
    for each in planned:
        answer = cluster.answers.get(each.subject)
        if answer and answer.message:
            yield from _refused(each, answer, needs, cluster)
        for text in answer.warnings if answer else ():
            warned[text].append(each.subject)
    for text, subjects in warned.items():
        yield note(listed(subjects), f"the API server warns: {_cut(text)}")


def _refused(each: Submission, answer: Answer, needs: Needs, cluster: Cluster) -> Findings:
    message = _cut(_BEGINNING.sub("", answer.message))
    if answer.status == HTTPStatus.NOT_FOUND or (_POD_SECURITY in message and _will_change(each.namespace, needs, cluster)):
        return  # what it names has a finding of its own; a level that changes, too
    if answer.status not in _REFUSED:
        advice = "Run doctor again; if the error persists, pulumi up or a run would also fail"
        yield warning(each.subject, f"the API server cannot judge now: {message}", advice)
    else:
        yield _judged(each, answer.status, message)


def _judged(each: Submission, status: int, message: str) -> Finding:
    refused = f"refused by the API server: {message}"
    if status == HTTPStatus.UNPROCESSABLE_ENTITY and each.manager not in ("", submissions.MANAGER):
        advice = "pulumi preview says whether it replaces the object, as it does if a field cannot change. Otherwise correct the values"
        return warning(each.subject, refused, advice)
    if _has_no_room_now(message):
        return warning(each.subject, refused, "Raise the quota, or wait until other pods have ended")
    return error(each.subject, refused, "Change the agent's values, or ask the cluster's administrator to change the rule that rejects it")


def _has_no_room_now(message: str) -> bool:
    """Whether a quota refuses it only because of what is there already."""
    found = _EXCEEDED.search(message)
    if not found:
        return False
    requested, limited = (dict(each.partition("=")[::2] for each in text.split(",")) for text in found.groups())
    known = requested.keys() == limited.keys() and all(map(quantities.is_quantity, (*requested.values(), *limited.values())))
    return known and all(quantities.parse(amount) <= quantities.parse(limited[name]) for name, amount in requested.items())


def _will_change(namespace: str, needs: Needs, cluster: Cluster) -> bool:
    """Whether pulumi up gives a namespace another Pod Security level. `check` compares pods with that one."""
    entry, found = needs.stack.namespaces.get(namespace), cluster.namespaces.get(namespace)
    return entry is not None and entry.create and isinstance(found, Namespace) and found.level != enforced(entry)


def _cut(message: str) -> str:
    """A message of the server or of a webhook in one line, and not too long."""
    text = " ".join(message.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
