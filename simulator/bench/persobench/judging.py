"""A judge's labels of a reply beside each sentence of the persona, the persona as a whole, and the context.

They stand in for two language-inference models that are not to be had, and never go by these models' names (C-score,
UE-score). Sources of what is made of them: Madotto et al. 2019, ACL (entailment +1, neutral 0, contradiction -1);
Afzoon et al. 2024, arXiv 2410.03198 (2 where persona and context are borne out, 1 for the persona alone, else 0).
"""

import re
from collections.abc import Mapping
from functools import cache

from duologue.agents.message import Message
from duologue.agents.models.call import Request, Schema
from duologue.agents.models.structured import Unreadable, read_object
from duologue.agents.prompt import render
from duologue.bench.persobench.choices import Prompt
from duologue.bench.persobench.replies import other
from duologue.bench.persobench.row import Row
from duologue.bench.question import Answer, Question

__all__ = ["LABELS", "entailment_score", "figures_of", "judge_id", "labels_of", "question", "same"]

LABELS = {"entailment": 1.0, "neutral": 0.0, "contradiction": -1.0}
TOKENS = 1000
_WORD = re.compile(r"\w+")


def question(row: Row, prompt: Prompt, reply: str) -> Question:
    """What the judge is asked of a reply."""
    facts = {
        "whose": row.persona_of,
        "speaker": row.speaker,
        "other": other(row),
        "persona": row.persona,
        "context": row.context,
        "reply": reply,
    }
    system = Message("system", render("bench/persobench_judge.md", whose=row.persona_of))
    asked = Message("user", render("bench/persobench_judge_case.md", **facts))
    id = judge_id(row, prompt)
    schema = _schema(len(row.persona))
    request = Request((system, asked), schema=schema, temperature=0, max_tokens=TOKENS, conversation=id, role="judge")
    return Question(id, "judge", request)


def judge_id(row: Row, prompt: Prompt) -> str:
    """What the judge's question about the reply to `row` is called."""
    return f"judge/{prompt}/{row.id}"


def labels_of(answer: Answer | None, row: Row) -> dict[str, str] | None:
    """The labels by key, `fact_1` and so on, `persona` and `context`; None where the judge gave not all of them."""
    if answer is None or answer.fault:
        return None
    try:
        held = read_object(answer.text, _schema(len(row.persona)))
    except Unreadable:
        return None
    found = {key: str(held[key]).strip().casefold() for key in _keys(len(row.persona))}
    return found if set(found.values()) <= set(LABELS) else None


def figures_of(labels: Mapping[str, str], row: Row) -> dict[str, float]:
    """What the labels show of one reply; `gold_fact_hit` only where the data name a sentence that should surface."""
    facts = [labels[f"fact_{place}"] for place in range(1, len(row.persona) + 1)]
    values = [LABELS[label] for label in facts]
    gold = [label for sentence, label in zip(row.persona, facts, strict=True) if same(sentence, row.surfacing)]
    return {
        "judged_consistency": LABELS[labels["persona"]],
        "judged_consistency_by_sentence": sum(values) / len(values),
        "judged_entailment": float(entailment_score(labels["persona"], labels["context"])),
        "contradiction_rate": float("contradiction" in facts),
        "coverage": facts.count("entailment") / len(facts),
        **({"gold_fact_hit": float("entailment" in gold)} if gold else {}),
    }


def entailment_score(persona: str, context: str) -> int:
    """2 where the reply is entailed by persona and context, 1 where by the persona alone, else 0."""
    return (1 + (context == "entailment")) if persona == "entailment" else 0


def same(sentence: str, sought: tuple[str, ...]) -> bool:
    """Whether a sentence of the persona is one of those sought, but for spelling."""
    return _WORD.findall(sentence.casefold()) in [_WORD.findall(each.casefold()) for each in sought]


def _keys(sentences: int) -> tuple[str, ...]:
    return (*(f"fact_{place}" for place in range(1, sentences + 1)), "persona", "context")


@cache
def _schema(sentences: int) -> Schema:
    keys = _keys(sentences)
    label = {"type": "string", "enum": list(LABELS)}
    shape = {"type": "object", "properties": dict.fromkeys(keys, label), "required": list(keys)}
    return Schema("labels", {**shape, "additionalProperties": False})
