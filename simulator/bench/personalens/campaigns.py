"""The campaigns of PersonaLens's protocol: one of tasks in one domain, one of tasks that cross several.

Source: Zhao et al. 2025, "PersonaLens: A Benchmark for Personalization Evaluation in Conversational AI Assistants",
Findings of ACL 2025. Its conditions, caps, user agent's and assistants' settings and four metrics; prompts are our own.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from duologue.agents.models.door import ModelSpec
from duologue.bench.plan import Plan
from duologue.campaign import Campaign
from duologue.profiles.dataset import Dataset, open_dataset
from duologue.tasks.written import BadInput, Written, parse

__all__ = ["FIFTY", "OWN", "RUBRIC", "Choices", "Part", "campaigns", "choices", "options", "seats"]

FIFTY = (
    7, 53, 66, 107, 132, 139, 167, 195, 207, 230, 251, 313, 340, 376, 386, 389, 415, 418, 428, 439, 517, 532, 597, 630,
    641, 660, 674, 701, 746, 774, 788, 802, 822, 854, 900, 1111, 1142, 1145, 1150, 1197, 1231, 1322, 1335, 1362, 1377,
    1439, 1458, 1492, 1493, 1495,
)  # fmt: skip
"""The users of the paper's experiments."""
TOLD = {"D": "demographics", "P": "history", "S": "situation"}
"""What an assistant is told under each letter: P is the summary of past interactions in the task's own domains."""
CONDITIONS = ("base", "D", "P", "S", "D+P", "D+S", "P+S", "D+P+S")
CAPS = {"single": 20, "multi": 30}
"""After how many turns of the user a dialogue is cut off."""
RUBRIC, OWN = "personalens", "preferences"
"""The paper's four metrics, one call each; and our own verdicts on each preference, in one more call."""

Part = Literal["single", "multi"]


class Choices(Written):
    """What `--set` may choose of the protocol."""

    conditions: tuple[str, ...] = CONDITIONS
    users: Literal["fifty", "all"] = "fifty"
    """The paper's fifty, as far as they are there, or everybody."""
    parts: tuple[Part, ...] = Field(default=("single", "multi"), min_length=1)
    preferences: bool = True
    """Whether to judge each preference as well."""

    @field_validator("conditions", "parts", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value

    @field_validator("conditions")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        stray = next((name for name in value if name not in CONDITIONS), None)
        if stray is not None or not value:
            raise ValueError(f"no condition {stray!r}; there are {', '.join(CONDITIONS)}")
        return tuple(dict.fromkeys(value))


def campaigns(plan: Plan) -> dict[Part, Campaign]:
    """The campaign of each part. Raises BadInput where the data or an option is wrong, or a part has no task."""
    chosen = choices(plan)
    data = open_dataset(f"personalens:{plan.data}")
    return {part: _campaign(plan, chosen, part, data) for part in chosen.parts}


def choices(plan: Plan) -> Choices:
    """What was chosen. Raises BadInput for what there is not."""
    return parse(Choices, plan.options, "--set")


def _campaign(plan: Plan, chosen: Choices, part: Part, data: Dataset) -> Campaign:
    tasks = sorted({key.task for key in data.scenarios() if (len(key.domains) > 1) == (part == "multi")})
    users = _users(chosen, data)
    if not tasks or not users:
        lacking = "task of this kind" if users else "user of the paper's fifty"
        raise BadInput(
            f"there is no {lacking} ({part})", plan.data, "Choose others: --set parts=single --set users=all"
        )
    sits = {role: spec.model_dump(mode="json", exclude_defaults=True) for role, spec in seats(plan).items()}
    told = {name: [TOLD[letter] for letter in name.split("+") if letter in TOLD] for name in chosen.conditions}
    table: dict[str, Any] = {
        "name": f"personalens-{part}",
        "seed": plan.seed,
        "data": f"personalens:{plan.data}",
        "user": {"temperature": 0.5, "max_tokens": 800, **sits["user"]},
        "judge": {**sits["judge"], "rubric": RUBRIC},
        "assistant": [
            {
                "temperature": 0, "max_tokens": 800, **sits["model"],
                "name": name, "context": context, "scope": "task", "tools": "off",
            }
            for name, context in told.items()
        ],
        "select": {"profiles": users, "tasks": tasks, "sample": plan.sample},
        "limits": {**plan.limits.model_dump(exclude_defaults=True, exclude={"budget"}), "turns": CAPS[part]},
        "prices": plan.prices.model_dump(),
    }  # fmt: skip
    return parse(Campaign, table, f"bench {plan.bench}")


def _users(chosen: Choices, data: Dataset) -> list[str]:
    known = sorted({key.profile for key in data.scenarios()})
    fifty = {f"user{number}" for number in FIFTY}
    return known if chosen.users == "all" else [user for user in known if user in fifty]


def seats(plan: Plan) -> Mapping[str, ModelSpec]:
    """The model of each seat: the user's is the judge's where none is named, and the judge's the one under test."""
    if stray := next((role for role in plan.models if role not in ("model", "user", "judge")), None):
        raise BadInput(f"no role {stray!r}", "--set", "There are: model, user, judge")
    judge = plan.models.get("judge", plan.models["model"])
    return {"model": plan.models["model"], "user": plan.models.get("user", judge), "judge": judge}


def options(plan: Plan, planned: Mapping[Part, Campaign]) -> dict[str, str]:
    """What was chosen, in words, defaults included."""
    chosen = choices(plan)
    users = {id for campaign in planned.values() if isinstance(ids := campaign.select.profiles, tuple) for id in ids}
    whose = "of the paper's fifty" if chosen.users == "fifty" else "all that are there"
    caps = ", ".join(f"{CAPS[part]} ({part})" for part in planned)
    return {
        "conditions": ", ".join(chosen.conditions),
        "users": f"{len(users)}, {whose}",
        "cut off after": f"{caps} turns of the user",
        "sample": f"{plan.sample} scenarios a part" if plan.sample else "every scenario",
    }
