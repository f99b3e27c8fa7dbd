"""Hearing: assistant turns of every kind, as people and language models write them, and what is in them."""

import pytest

from duologue.agents.agenda.hearing import hear, named, proposed, reports, types_asked
from duologue.agents.agenda.lexicon import Lexicon, build

from .agenda_cases import domains


def lexicon(*names: str) -> Lexicon:
    return build(domains()[name] for name in names)


ASKS = [
    ("Restaurants", "What kind of food do you like?", {"cuisine"}),
    (
        "Restaurants",
        "Sure! Which cuisine are you in the mood for, and where in the room would you like to sit?",
        {"cuisine", "seating"},
    ),
    ("Restaurants", "When would you like to dine?", {"dining time"}),
    ("Restaurants", "Do you prefer Thai or Italian food?", {"cuisine"}),
    ("Restaurants", "Would you like a window table?", {"seating"}),
    ("Restaurants", "What's your budget per head?", {"price"}),
    ("Restaurants", "Are you after something lively, or more of a quiet evening?", {"ambience"}),
    (
        "Restaurants",
        "To help you best, could you tell me:\n- any **cuisine** preference\n- your budget\n- the atmosphere you like",
        {"cuisine", "price", "ambience"},
    ),
    ("Restaurants", "Quick questions:\n1) Any cuisine you're craving?\n2) Preferred time?", {"cuisine", "dining time"}),
    ("Restaurants", "Great! Let me know what sort of vibe you'd like. 😊", {"ambience"}),
    ("Restaurants", "How much would you like to spend on the meal?", {"price"}),
    ("Restaurants", "Shall I book Pewter Spoon, a Polish place, for Friday?", set()),
    (
        "Restaurants",
        "Here are some options: **Pewter Spoon** (Polish) and **Blue Samovar** (Senegalese). Which one?",
        set(),
    ),
    ("Restaurants", "Is there anything else I can help you with?", set()),
    ("Restaurants", "I've booked it, is that okay?", set()),
    ("Alarm", "What should it sound like, and how loud should it be?", {"alarm sound", "alarm volume"}),
    ("Alarm", "Do you want a snooze?", {"snooze length"}),
    ("Alarm", "How would you like to switch it off?", {"dismissal"}),
    ("Calendar", "Will that be online or in person?", {"meeting form"}),
    ("Calendar", "How long should I block for it, and when should I remind you?", {"event length", "reminder"}),
    ("Flights", "Which airline do you prefer, and would you like a window or an aisle seat?", {"airline", "seat"}),
    ("Flights", "Are you okay with a layover?", {"layover"}),
    ("Flights", "Is morning or evening better for you to leave?", {"departure time"}),
    ("Hotels", "What kind of accommodation do you have in mind?", {"lodging"}),
    ("Hotels", "Do you want breakfast included?", {"meal plan"}),
    ("Music", "Any genre you fancy?", {"music genre"}),
    ("Music", "Should there be any singing on it?", {"vocals"}),
]


@pytest.mark.parametrize(("domain", "text", "types"), ASKS)
def test_the_preference_types_that_are_asked_about(domain: str, text: str, types: set[str]) -> None:
    assert {type for _, type in types_asked(text, lexicon(domain))} == types


@pytest.mark.parametrize(
    "text",
    [
        "Do you have any preferences?",
        "Is there anything specific you'd like?",
        "What sort of place are you looking for?",
        "What do you usually like?",
        "Tell me about your tastes, please.",
        "Any special requests I should know of?",
        "What else should I know?",
    ],
)
def test_preferences_asked_for_at_large(text: str) -> None:
    heard = hear(text, lexicon("Restaurants"))
    assert heard.at_large
    assert len(types_asked(text, lexicon("Restaurants"))) == len(domains()["Restaurants"].preferences)


REPORTS = [
    ("I've booked a table for 4 at Pewter Spoon on Friday.", "made"),
    ("✅ **Reservation confirmed!**\n- Restaurant: Pewter Spoon\n- Party: 4", "made"),
    ("Your table has been reserved.", "made"),
    ("Your reservation has been made at Blue Samovar.", "made"),
    ("Booked: Blue Samovar, Fri, 4 pax, 20:00. Ref #A83K2.", "made"),
    ("Done! Blue Samovar is booked for four.", "made"),
    ("I went ahead and grabbed you a table at Blue Samovar.", "made"),
    ("Great news! You're booked at Blue Samovar.", "made"),
    ("Status: CONFIRMED", "made"),
    ("Table's booked!", "made"),
    ("I've gone ahead and reserved a table, is that okay?", "made"),
    ("I have moved your reservation to Sunday.", "changed"),
    ("Your reservation is now on Sunday.", "changed"),
    ("The booking has been updated.", "changed"),
    ("Your table has been cancelled.", "cancelled"),
    ("I've gone ahead and canceled it for you.", "cancelled"),
    ("All done!", "done"),
    ("You're all set!", "done"),
    ("That's taken care of.", "done"),
    ("It's sorted.", "done"),
]


@pytest.mark.parametrize(("text", "deed"), REPORTS)
def test_what_is_told_as_done(text: str, deed: str) -> None:
    assert [report.deed for report in reports(text, lexicon("Restaurants"))][:1] == [deed]


@pytest.mark.parametrize(
    "text",
    [
        "Shall I book a table for you?",
        "I can have a table reserved for you.",
        "I'll book it right away.",
        "Once you confirm, I'll have it booked within minutes.",
        "Your table has not been booked yet.",
        "I haven't reserved anything so far.",
        "I couldn't get it booked.",
        "Pewter Spoon is fully booked.",
        "If you'd like it booked, just say so.",
        "I would have booked it, but the place is closed.",
        "Do you want it cancelled?",
        "It needs to be confirmed first.",
        "I see that you have a table booked at Pewter Spoon on Saturday.",
        "Ready to be booked whenever you are.",
        "I'm going to reserve it now.",
        "Let me get that booked for you.",
        "I was unable to have it moved.",
        "You can book it by phone.",
        "Letters Never Sent is a good read.",
        "",
    ],
)
def test_what_is_only_planned_asked_or_failed_is_no_report(text: str) -> None:
    assert not reports(text, lexicon("Restaurants"))


def test_each_deed_of_one_sentence_is_told() -> None:
    told = reports("I've removed the weekday alarm and set a new one for Monday.", lexicon("Alarm"))
    assert [report.deed for report in told] == ["cancelled", "made"]
    assert told[0].quote == "I've removed the weekday alarm"


def test_a_name_that_sounds_like_a_refusal_is_only_a_name() -> None:
    told = reports("Letters Never Sent to Ulan Bator is borrowed from Friday on.", lexicon("Books"))
    assert [report.deed for report in told] == ["made"]


LIST = """Here are some options:

1. **Pewter Spoon** – Polish, artsy, lavish
2. *Blue Samovar* – Senegalese, candlelit

Which one would you like?"""


def test_a_list_of_offers_with_what_is_said_of_each() -> None:
    heard = hear(LIST, lexicon("Restaurants"))
    assert [offer.entity for offer in heard.offers] == ["Pewter Spoon", "Blue Samovar"]
    assert heard.offers[0].said_of("cuisine") == ("Polish",)
    assert heard.offers[1].said_of("ambience") == ("candlelit",)
    assert heard.choose
    assert not heard.reports


def test_what_is_said_after_an_offer_is_said_of_it() -> None:
    text = "How about Pewter Spoon? It's Polish and artsy. Blue Samovar would be the other choice: it is Senegalese."
    first, second = hear(text, lexicon("Restaurants")).offers
    assert first.said_of("ambience") == ("artsy",)
    assert second.said_of("cuisine") == ("Senegalese",)


def test_what_is_sold_out_is_no_offer() -> None:
    text = "Unfortunately Pewter Spoon is sold out on Friday, but Blue Samovar has a table. Shall I take that?"
    heard = hear(text, lexicon("Restaurants"))
    assert heard.unavailable == ("Pewter Spoon",)
    assert [offer.entity for offer in heard.offers if offer.available] == ["Blue Samovar"]
    assert heard.go_ahead


def test_the_modes_in_which_things_are_named() -> None:
    text = "I've booked Blue Samovar, which is Senegalese. There was no Thai place. Do you like candlelit rooms?"
    modes = {each.value: each.mode for each in named(text, lexicon("Restaurants"))}
    assert modes == {"Blue Samovar": "reported", "Senegalese": "reported", "Thai": "denied", "candlelit": "asked"}
    assert {each.value for each in proposed(text, lexicon("Restaurants"))} == {"Blue Samovar", "Senegalese"}


def test_quotes_stand_in_the_turn_as_they_are() -> None:
    for text in (LIST, "✅ **Reservation confirmed!**\n\n| Date | Friday |\n|---|---|\n| Cuisine | Thai |"):
        heard = hear(text, lexicon("Restaurants"))
        assert heard.clauses
        assert all(clause.quote in text for clause in heard.clauses)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a table around 7 pm", "around 19:00"),
        ("a table around 7:00 p.m.", "around 19:00"),
        ("before 6pm", "before 18:00"),
        ("a family friendly place", "family-friendly"),
        ("a MID-RANGE place", "mid-range"),
    ],
)
def test_values_in_other_spellings(text: str, value: str) -> None:
    assert value in [each.value for each in named(f"It has {text}.", lexicon("Restaurants"))]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I'm sorry, but I can't make reservations directly.", "refuses"),
        ("As an AI, I am unable to do that. You'll need to call the restaurant.", "refuses"),
        ("The booking failed because of a technical error.", "refuses"),
        ("I couldn't find any matching restaurants.", "lacking"),
        ("Nothing is available, sorry.", "lacking"),
        ("Is there anything else I can help you with?", "anything_else"),
        ("Let me know if you need anything else!", "anything_else"),
        ("Hello! How can I help you today?", "anything_else"),
        ("One moment please.", "waits"),
        ("I'll look into that for you.", "waits"),
        ("Shall I go ahead?", "go_ahead"),
        ("Does that sound good?", "go_ahead"),
        ("Would you like me to book it?", "go_ahead"),
        ("I can book Blue Samovar for four on Friday. Just say the word.", "go_ahead"),
        ("How does Blue Samovar sound?", "go_ahead"),
        ("Do any of these appeal to you?", "choose"),
        ("Which of them do you prefer?", "choose"),
    ],
)
def test_signs(text: str, sign: str) -> None:
    assert getattr(hear(text, lexicon("Restaurants")), sign)


@pytest.mark.parametrize("text", ["", "  \n\n", "🎉🎉", "---", "* * *"])
def test_nothing_said(text: str) -> None:
    assert hear(text, lexicon("Restaurants")).empty


def test_a_hostile_text_is_read_in_good_time() -> None:
    heard = hear("I " * 2000 + "book " * 500 + "?" * 500 + "(" * 500, lexicon("Restaurants", "Hotels"))
    assert not heard.reports


@pytest.mark.parametrize("domain", sorted(domains()))
@pytest.mark.parametrize("done", ["made", "done", "entered", "set up", ""])
def test_whatever_a_domain_keeps_is_told_as_done(domain: str, done: str) -> None:
    for kind in domains()[domain].records:
        name = kind.name.replace("_", " ")
        told = [f"The {name} is {done or kind.done}: for two.", f"Your {name} has been {done or kind.done}."]
        if entities := domains()[domain].entities:
            told.append(f"{entities[0].name} is {done or kind.done}.")
        assert [text for text in told if not reports(text, lexicon(domain))] == []
