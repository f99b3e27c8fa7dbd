"""Effort: what is counted of a dialogue's events: turns, questions, tokens, seconds."""

from collections.abc import Iterable, Iterator, Sequence

from duologue.agents.events import AssistantTurn, Event, ToolCalled, UserDraft, UserTurn
from duologue.agents.usage import Usage

__all__ = ["questions", "replies", "spent_by_role", "tokens", "user_turns"]

WRITTEN = ("agenda", "script", "person", "reused", "task")
"""Where a user's words come from when no model is called for them."""
_CLOSERS = "\"'”’»)]*_"


def user_turns(events: Iterable[Event]) -> int:
    """How many turns the user has said. Leaving without a word is none."""
    said = (event for event in events if isinstance(event, UserTurn))
    return sum(1 for event in said if event.text.strip() or not event.stop)


def replies(events: Iterable[Event]) -> Iterator[AssistantTurn | ToolCalled]:
    """Each time that the assistant was asked: its turns, and the first call of each step, which bears the usage and
    the seconds of the whole step."""
    steps: set[tuple[int, int]] = set()
    for event in events:
        if isinstance(event, ToolCalled):
            if (event.turn, event.step) not in steps:
                steps.add((event.turn, event.step))
                yield event
        elif isinstance(event, AssistantTurn):
            yield event


def spent_by_role(
    events: Sequence[Event], spoken: Sequence[AssistantTurn | ToolCalled]
) -> Iterator[tuple[str, Usage | None, int, float]]:
    """Of user and assistant, who was asked for `spoken`: tokens (None where no model was called), calls that told none,
    and seconds."""
    heard = [event for event in events if isinstance(event, UserDraft | UserTurn)]
    for role, calls in (("user", heard), ("assistant", spoken)):
        if not calls:
            continue
        made = [each.usage or Usage() for each in calls if each.usage is not None or not _uncalled(each)]
        total = sum(made[1:], start=made[0]) if made else None
        yield role, total, sum(tokens(each) is None for each in made), float(sum(each.seconds for each in calls))


def _uncalled(one: UserDraft | UserTurn | AssistantTurn | ToolCalled) -> bool:
    """Whether no model was called for it: written words."""
    return isinstance(one, UserTurn) and one.source in WRITTEN


def tokens(usage: Usage | None) -> int | None:
    """Those that went in and out; None where they are unknown."""
    if usage is None or usage.input is None or usage.output is None:
        return None
    return usage.input + usage.output


def questions(text: str) -> int:
    """Sentences that end in a question mark. `?!` and `??` are one, a mark inside an address is none."""
    words = (word.rstrip(_CLOSERS).rstrip("!") for word in text.split())
    return sum(word.endswith(("?", "؟")) for word in words) + text.count("？")
