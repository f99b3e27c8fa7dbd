"""Naming: the values and entities that some clauses of what was heard name. Pure."""

from collections.abc import Sequence

from duologue.agents.agenda.heard import Heard, Named

__all__ = ["entities_in", "pairs_in", "values_in"]


def values_in(heard: Heard, clauses: Sequence[int]) -> tuple[Named, ...]:
    """The values that those clauses state, propose or report."""
    wanted = set(clauses)
    return tuple(
        each for each in heard.named if each.clause in wanted and each.kind == "value" and each.mode != "denied"
    )


def entities_in(heard: Heard, clauses: Sequence[int], domain: str) -> list[str]:
    """The entities of a domain that those clauses name as had or to be had."""
    wanted = set(clauses)
    found = (
        each.value
        for each in heard.named
        if each.clause in wanted and each.kind == "entity" and each.domain == domain
        and each.mode not in ("denied", "unavailable")
    )  # fmt: skip
    return list(dict.fromkeys(found))


def pairs_in(heard: Heard, span: Sequence[int]) -> list[tuple[str, str, str]]:
    """The (domain, key, value) of what those clauses name as had or to be had."""
    wanted = set(span)
    return [
        (each.domain, each.key, each.value)
        for each in heard.named
        if each.clause in wanted and each.mode not in ("denied", "unavailable")
    ]
