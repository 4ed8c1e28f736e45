"""Evaluates IAM policies, as far as ours need it."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any


def allows(policy: str, action: str, resource: str = "*", principal: Mapping[str, str] | None = None, **context: str) -> bool:
    """Whether these policies alone allow a request. A denial takes precedence.

    Context keys have `__` for the colon; a key that is missing is one that the request does not have.
    """
    return _effects(policy, action, resource, principal or {}, context) == {"Allow"}


def denies(policy: str, action: str, resource: str = "*", principal: Mapping[str, str] | None = None, **context: str) -> bool:
    """Whether these policies deny a request that another policy allows."""
    return "Deny" in _effects(policy, action, resource, principal or {}, context)


def _effects(policy: str, action: str, resource: str, principal: Mapping[str, str], context: Mapping[str, str]) -> set[str]:
    facts = {key.replace("__", ":"): value for key, value in context.items()}
    document = json.loads(policy)
    assert document["Version"] == "2012-10-17"
    return {statement["Effect"] for statement in document["Statement"] if _applies(statement, action, resource, principal, facts)}


def _applies(statement: Mapping[str, Any], action: str, resource: str, principal: Mapping[str, str], facts: Mapping[str, str]) -> bool:
    assert statement.keys() <= {"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}
    return (
        _matches(statement["Action"], action)
        and _matches(statement.get("Resource", "*"), resource)
        and _concerns(statement.get("Principal"), principal)
        and all(_holds(operator, tests, facts) for operator, tests in statement.get("Condition", {}).items())
    )


def _concerns(named: Mapping[str, Any] | None, principal: Mapping[str, str]) -> bool:
    """Whether a statement applies to a principal. A statement of an identity's policy has no principal and applies to the identity."""
    return named is None or any(kind in principal and _matches(allowed, principal[kind]) for kind, allowed in named.items())


def _matches(patterns: str | list[str], value: str) -> bool:
    return any(fnmatchcase(value, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns))


def _holds(operator: str, tests: Mapping[str, str], facts: Mapping[str, str]) -> bool:
    """Whether all tests of a condition are true. For a key that the request does not have, only negated tests are true."""
    match operator:
        case "Bool":
            return all(facts.get(key) == value for key, value in tests.items())
        case "StringEquals":
            return all(facts.get(key) == value for key, value in tests.items())
        case "StringNotLike":
            return all(key not in facts or not fnmatchcase(facts[key], pattern) for key, pattern in tests.items())
    raise AssertionError(f"unexpected operator {operator}")
