"""Asking for replies: the next turn of a dialogue, as JSON."""

from collections.abc import Iterator, Sequence

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.prompt import render
from duologue.bench.persobench.choices import Choices, Prompt
from duologue.bench.persobench.row import Row
from duologue.bench.question import Question

__all__ = ["other", "questions", "reply_id"]


def _schema(*keys: str) -> Schema:
    properties = {key: {"type": "string"} for key in keys}
    return Schema(
        "reply",
        {"type": "object", "properties": properties, "required": list(keys), "additionalProperties": False},
    )


SCHEMAS: dict[Prompt, Schema] = {"vanilla": _schema("response"), "cot": _schema("reasoning", "response")}


def questions(rows: Sequence[Row], chosen: Choices) -> Iterator[Question]:
    """Every row under every prompt that was chosen."""
    for prompt in chosen.prompts:
        system = Message("system", render("bench/persobench_reply.md", cot=prompt == "cot", words=chosen.words))
        for row in rows:
            id = reply_id(row, prompt)
            request = Request(
                messages=(system, Message("user", _case(row))),
                schema=SCHEMAS[prompt] if chosen.form == "schema" else None,
                temperature=0,
                max_tokens=chosen.cap(prompt),
                conversation=id,
                role="model",
            )
            yield Question(id, "model", request)


def reply_id(row: Row, prompt: Prompt) -> str:
    """What the question for a reply to `row` is called."""
    return f"reply/{prompt}/{row.id}"


def other(row: Row) -> str:
    """Who is replied to."""
    return "User1" if row.speaker == "User2" else "User2"


def _case(row: Row) -> str:
    return render(
        "bench/persobench_case.md",
        whose=row.told_of,
        speaker=row.speaker,
        other=other(row),
        persona=row.shown or row.persona,
        context=row.context,
    )
