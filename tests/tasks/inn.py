"""A small domain for tests: inns with rooms, and stays in them."""

from typing import Any

from duologue.tasks.domain import Domain
from duologue.tasks.task import Task
from duologue.tasks.wish import Wish

VIEWS = ("sea", "hills", "street", "yard")
BREAKFASTS = ("porridge", "eggs", "fruit", "nothing cooked")
FLOORS = ("ground floor", "first floor", "attic", "annex")


def inns() -> Domain:
    """Twelve inns in two towns, every view and every breakfast three times, each with beds and nights."""
    rows = [
        {
            "name": f"Inn {chr(65 + number)}",
            "view": VIEWS[number % 4],
            "breakfast": [BREAKFASTS[number // 3 % 4]],
            "town": ("Aldern", "Brack")[number % 2],
            "beds": 2 + number % 3,
            "nights": ["Friday", "Saturday"] if number % 3 else ["Friday"],
        }
        for number in range(12)
    ]
    return Domain.model_validate(
        {
            "name": "Inns",
            "preferences": [
                {"name": "view", "values": VIEWS},
                {"name": "breakfast", "values": BREAKFASTS},
                {"name": "floor", "values": FLOORS},
            ],
            "entity": {
                "name": "inn",
                "plural": "inns",
                "newcomers": ["Inn V", "Inn W", "Inn X", "Inn Y", "Inn Z"],
                "attributes": [
                    {"name": "view"},
                    {"name": "breakfast", "kind": "choices"},
                    {"name": "town", "values": ["Aldern", "Brack"]},
                    {"name": "beds", "kind": "number", "search": "at_least"},
                    {"name": "nights", "kind": "choices", "values": ["Friday", "Saturday"]},
                ],
            },
            "records": [
                {
                    "name": "stay",
                    "done": "booked",
                    "tools": {
                        "create": "book_stay",
                        "change": "change_stay",
                        "cancel": "cancel_stay",
                        "list": "list_stays",
                    },
                    "fields": [
                        {"name": "inn", "kind": "entity", "required": True},
                        {
                            "name": "guests",
                            "kind": "number",
                            "required": True,
                            "least": 1,
                            "most": 9,
                            "at_most": "beds",
                        },
                        {"name": "night", "values": ["Friday", "Saturday"], "required": True, "among": "nights"},
                        {"name": "floor"},
                        {"name": "arrival", "kind": "text", "pattern": "[0-2][0-9]:[0-5][0-9]", "description": "HH:MM"},
                        {"name": "dog", "kind": "truth"},
                    ],
                }
            ],
            "catalogue": rows,
        }
    )


def task(**changes: Any) -> Task:
    """Two people want a night in Aldern; `changes` replace fields."""
    fields: dict[str, Any] = {
        "id": "a-night-in-aldern",
        "domains": ["Inns"],
        "intent": "You want a room in Aldern for two on Friday.",
        "goal": "A room in Aldern is booked for two on Friday.",
        "relevant": [["Inns", "view"], ["Inns", "breakfast"], ["Inns", "floor"]],
        "slots": {"town": "Aldern", "guests": 2, "night": "Friday"},
        "require": [{"record": "stay", "where": {"town": "Aldern", "guests": 2, "night": "Friday"}}],
    }
    return Task.model_validate({**fields, **changes})


def wishes(view: str = "sea", breakfast: str = "eggs", floor: str = "attic") -> tuple[Wish, ...]:
    """One liked value in each respect."""
    return (
        Wish("Inns", "view", likes=(view,), weight=0.9),
        Wish("Inns", "breakfast", likes=(breakfast,), weight=0.6),
        Wish("Inns", "floor", likes=(floor,), weight=0.5),
    )
