"""What a check finds, and figures that must keep to a bound."""

from typing import Literal, NamedTuple

from duologue.tasks.written import BadInput, Written

__all__ = ["Bounded", "Fault", "Finding", "refused"]


class Fault(NamedTuple):
    """What is wrong, wherever it stands: `error`, or `note` for what is probably not meant."""

    what: str
    then: str = ""
    level: Literal["error", "note"] = "error"


class Finding(NamedTuple):
    """Something that is wrong (`error`) or probably not meant (`note`)."""

    where: str
    what: str
    then: str = ""
    level: Literal["error", "note"] = "error"


class Bounded(Written):
    """A figure, the bound that it must keep to, and whether it does; where it need not, no bound and None."""

    name: str
    value: str
    bound: str = ""
    met: bool | None = None


def refused(fault: BadInput) -> Finding:
    """What cannot be read, as a finding."""
    return Finding(fault.where, fault.what, fault.then)
