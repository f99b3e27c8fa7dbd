"""What the agenda-based user answers to the prose of many hands: one person, every domain, all that it must and must
not say.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from .agenda_cases import answered, domains
from .turns import outcome

LIKES = {
    "Alarm": "birdsong|slowly rising|nine minutes|amber glow|single tap|weather report",
    "Books": "memoir|on an island|open ending|doorstopper|hardback|bookmobile",
    "Buses": "minibus|teatime|coast road|viewpoint|back bench|paper slip",
    "Calendar": "midday|40 minutes|one hour ahead|emerald|video call|half an hour free",
    "Events": "poetry slam|riverboat|a few dozen|sundown|balcony|phone code",
    "Finance": "railways|cautious|Oceania|Grey Pelican|every month|spreadsheet",
    "Flights": "Brisa Air|overnight|nonstop|economy|window|lentil curry",
    "Games": "logic puzzle|claymation|cosy|deep sea|demanding|boxed copy",
    "Hotels": "guesthouse|sauna|waterfront|half board|futon|top-floor room",
    "Media": "sitcom|deadpan|Iceland|half an hour|two in a row|large yellow",
    "Messaging": "voice note|teasing|one sentence|cheers|hearts|after work",
    "Movies": "heist film|arthouse|matinee|dubbed version|middle rows|nachos",
    "Music": "cumbia|wistful|1970s|full choir|deep bass|shuffled",
    "Rental Cars": "hatchback|hybrid|red|partial cover|satnav|city office",
    "Restaurants": "Lebanese|noodles|quiet|cheap|booth|around 20:00",
    "Services": "jokey|cooperative|tidy work|over lunch|house call|cash",
    "Shopping": "mustard|striped|handmade|neighbour|next-day post|gift box",
    "Sports": "rugby|amateurs|singing|late afternoon|top tier|statistics",
    "Train": "river valleys|panorama cars|at midday|silent zone|single seat|ginger tea",
    "Travel": "lake country|pottery|autumn|small group|ten days|by bicycle",
}
"""One value of each preference type, in the order in which the domain has them."""


BOOK = {"Books": {"book length": ["doorstopper"]}}
LINES = (Path(__file__).parent / "turns" / "prose.jsonl").read_text(encoding="utf-8").splitlines()
TURNS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
"""Turns with what the answer must hold, one of each list, and nothing of what it must never hold."""


def _item(turn: dict[str, Any]) -> dict[str, Any]:
    preferences = {
        domain: {type: {"likes": [value]} for type, value in zip(_types(domain), values.split("|"), strict=True)}
        for domain, values in LIKES.items()
    }
    expected = {"says": turn.get("says", ()), "never": turn.get("never", ()), "stops": turn.get("stops", "")}
    if "leans" in turn:
        expected[turn["leans"]] = True
    plain = {"id": "somebody", "preferences": preferences, "patience": 4, "correction": "silent", "earlier": ()}
    return {**plain, **turn, "expect": expected}


def _types(domain: str) -> list[str]:
    return [type.name for type in domains()[domain].preferences]


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn["assistant"][:40])
async def test_the_answer_to_a_turn(turn: dict[str, Any]) -> None:
    found = await outcome(_item(turn))
    assert not found.faults, found.answer.text


NOT_DONE = [
    ("table-for-four", "I've noted down a table for four on Friday. Now, which cuisine?"),
    ("table-for-four", "I've put together a list of places for four on Friday."),
    ("table-for-four", "No table for four is free on Friday."),
    ("table-for-four", "After you confirm, it is booked: Friday, four people."),
    ("table-for-four", "Friday for four could be booked at Blue Samovar from half seven. Shall I?"),
    ("table-for-four", "I've emailed Blue Samovar to ask whether they have a table for four on Friday."),
    ("the-rent-is-short", "I've put your reminder to Anahita about the 140 euros into a draft. Shall I send it?"),
    (
        "three-seats-and-a-word-to-ines",
        "The invitation for Saturday has gone out to Ines. The three tickets are still open.",
    ),
    ("the-tap-mended-itself", "The Calm Tap has been cancelled, but nobody is free on Friday to tune a piano."),
    ("for-a-niece-called-noor", "It would be thirty-five euros a month in a child's account, right?"),
]


@pytest.mark.parametrize(("task", "text"), NOT_DONE)
async def test_what_is_not_all_done_is_never_taken_for_the_end(task: str, text: str) -> None:
    assert not (await outcome(_item({"task": task, "assistant": text}))).answer.stop


async def test_nothing_is_said_twice_in_one_answer() -> None:
    for turn in TURNS:
        sentences = [each for each in (await outcome(_item(turn))).answer.text.split(". ") if len(each) > 12]
        assert len(sentences) == len(set(sentences)), turn["assistant"]


async def test_a_wanted_cancellation_is_no_mistake_though_the_rest_failed() -> None:
    text = "I've called off The Calm Tap. No piano tuner is free on Friday, I'm afraid - would Monday be all right?"
    answer = (await outcome(_item({"task": "the-tap-mended-itself", "assistant": text}))).answer.text
    assert "cancel" not in answer
    assert "Friday" in answer


async def test_a_sentence_goes_on_in_small_letters_after_a_prefix() -> None:
    for seed in range(40):
        said = await answered("a-hammock-and-three-weeks", "How long a book do you like?", seed=seed, preferences=BOOK)
        assert "Well, As" not in said.text
        assert "doorstopper" in said.text
