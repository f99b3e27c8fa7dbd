"""What the agenda-based user does on single turns of assistants, in the many ways in which people and models write."""

import pytest

from .agenda_cases import answered, kinds, user

TABLE, MOVE, FAIR, GHENT = "table-for-four", "move-a-reservation", "trade-fair-in-porto", "long-weekend-in-ghent"
HOLIDAYS, ROOF, VIEWINGS, BANK = (
    "holidays-begin-with-a-flight",
    "a-roof-for-three",
    "two-viewings-in-one-day",
    "a-word-with-the-bank",
)
AUNT, BAGS, TALK, DUMPLINGS = (
    "aunt-wambui-flies-south",
    "more-bags-for-nairobi",
    "talk-in-tallinn",
    "sunday-dumpling-shift",
)

ACTS = {
    "close": [
        (TABLE, "It's all taken care of — Pewter Spoon is expecting your party of four on Friday at seven."),
        (TABLE, "Your reservation is confirmed:\n\n| Detail | Info |\n|---|---|\n| Date | Friday |\n| Guests | 4 |"),
        (TABLE, "I wasn't able to book Blue Samovar. I've booked Pewter Spoon instead, for four on Friday at 19:00."),
        (TABLE, "Ok done ur table is set for fri 4 ppl"),
        (TABLE, "As per your request, I've booked Blue Samovar for four on Friday."),
        (TABLE, "I managed to book you a table at Blue Samovar, Friday, 4 people."),
        (TABLE, '{"restaurant": "Blue Samovar", "party": 4, "day": "Friday", "status": "booked"}'),
        (TABLE, "We look forward to welcoming you and your three friends on Friday at Blue Samovar!"),
        (TABLE, "Your table at Luigi's Trattoria is booked for Friday at 7 PM for 4 guests."),
        (GHENT, "Done and dusted: Ivory Tram in Ghent, Fri–Mon (3 nights), double room for two."),
        (GHENT, "Please find attached the confirmation of your stay: Ghent, arrival Friday, 3 nights, 2 persons."),
        ("up-for-the-first-ferry", "Alarm 1: Wednesday 05:10 – active."),
        ("water-through-the-ceiling", "A plumber will come by on Thursday. I've also added it to your calendar."),
        (GHENT, "All booked! Ivory Tram, Ghent. Check-in Friday, 3 nights, two guests. Total: €420."),
        (HOLIDAYS, "All set! ✅ Weekday alarm: removed ✅ Monday 03:55: set"),
        (VIEWINGS, "I've added both viewings for Friday: Quarry Road at 10:00 and Mill Lane at 14:00."),
        (BANK, 'Added to your calendar ✅ "Bank talk with Ms Okonjo" – Friday, late morning, 30 min.'),
        (BAGS, "You're right, it's now three checked bags on Razorbill 251 this Saturday."),
        (BAGS, "Your booking now includes 3 checked bags, an aisle seat and the fruit plate."),
        (AUNT, "Wambui's ticket is booked: Lisbon–Nairobi, Wednesday, aisle seat, baked fish."),
        (DUMPLINGS, 'Now queued: "Tin Roof Almanac" in the kitchen, Sunday 11:00. Happy folding!'),
        ("two-more-days-in-oslo", "I've rebooked you on Lapwing 454 on Tuesday instead of Sunday."),
        ("dentist-at-ten-past-ten", "I've scheduled it for Tuesday at 10:10 AM, reminder one hour ahead."),
        ("a-new-job-with-mornings", "Your weekday alarm (Mon–Fri, 6:25 AM) is ready to go!"),
    ],
    "mend": [
        (TABLE, "Blue Samovar has space on Sunday only. Would that work instead?"),
        (TABLE, "Would it be a problem if we made it Saturday instead of Friday?"),
        (TABLE, "Here are the details I have so far:\n- Guests: 5\n- Day: Friday\nIs that right?"),
        (MOVE, "Your reservation for 6 at Pewter Spoon is now on Sunday at 19:00."),
        (FAIR, "I'd recommend **Amber Key** at €95 per night. Shall I book it for 3 nights?"),
        (FAIR, "I booked you a room in Porto from Monday, 4 nights, for 1 guest at €130 a night."),
        (GHENT, "I have reserved a room for you for 4 nights from Friday."),
        (HOLIDAYS, "I've removed the weekdays alarm and created a new one for Monday at 4:00 AM."),
        (ROOF, "I've put the roof talk in your calendar for Wednesday at 4pm."),
        (GHENT, "Your room in Ghent has been confirmed from Friday to Sunday, 2 nights."),
        (DUMPLINGS, '"Mangrove Letters" has been queued for Sunday, kitchen, 12:00.'),
        (TALK, "I've reserved seat 12A for you, Marseille → Tallinn, departing Wednesday."),
        (AUNT, "I can book Wambui on Razorbill 251, Lisbon to Nairobi on Wednesday, window seat. Shall I go ahead?"),
        (DUMPLINGS, 'I queued "Brass Buttons" for Sunday at 11 a.m. in the living room.'),
        ("peace-with-the-neighbour", "I've moved the bedroom session on Monday from 22:30 to 18:00."),
        ("glass-eyes-of-merida", "You're booked from Bogotá to Nairobi on Monday for one."),
        ("one-of-two-gives-way", "I've moved the kitchen tap appointment with Mr Haddad to Wednesday."),
        ("a-new-job-with-mornings", "I've created an alarm for 6:25 AM every day."),
        ("dinner-for-a-guest", "How about Blue Samovar for the two of you on Thursday? It's known for seafood."),
    ],
    "inform": [
        (TABLE, "Could you repeat the number of guests?"),
        (MOVE, "Of course! How many guests will there be in total?"),
        (FAIR, "Is there a spending limit?"),
        (FAIR, "How many nights will you be staying, and what's your budget per night?"),
        (HOLIDAYS, "I've deleted your weekday alarm. What time should I set the new one for on Monday?"),
        (ROOF, "Happy to. When do Bartosz and Leilani have time?"),
        (AUNT, "Where would your great-aunt like to sit, and does she have a meal preference?"),
        (BAGS, "How many pieces of luggage are we talking about?"),
        (TALK, "So, Marseille to Tallinn, one passenger. On what date would you like to depart?"),
        ("dinner-for-a-guest", "Does your guest have any dietary restrictions?"),
        ("one-of-two-gives-way", "Which should I move — the planning with Marisol or the tap with Mr Haddad?"),
        ("balcony-with-six-year-olds", "How long may the album be at most?"),
    ],
    "accept": [
        (TABLE, "How does the Blue Samovar sound? They have a table for four on Friday around 8 PM."),
        (TABLE, "I tried to book Blue Samovar for Friday but the booking failed. Shall I try Tamarind Ledger instead?"),
        (TABLE, "Pewter Spoon can't seat four on Friday. Good news: Blue Samovar can. Go for it?"),
        (TABLE, "I found Pewter Spoon and Blue Samovar. I'd lean towards Blue Samovar. Shall I reserve that one?"),
        (TABLE, "The reservation is for four, Friday, 19:00 at Blue Samovar. Confirm?"),
    ],
    "choose": [
        (TABLE, "I have Pewter Spoon at 7:00 PM and Blue Samovar at 8:30 PM. Which would you prefer?"),
        (TABLE, "Shall I book Pewter Spoon or Blue Samovar?"),
        (TALK, "Razorbill 251 leaves mid-morning and Lapwing 454 overnight; both have seats. Your preference?"),
        (TABLE, "Here are two ideas:\n- Luigi's: lively\n- Chez Marcel: French bistro\nWhich one do you like better?"),
        (TALK, "**Option 1: Razorbill 251** – nonstop\n**Option 2: Lapwing 454** – one stop\n\nLet me know which one!"),
    ],
    "go_ahead": [
        (TABLE, "Let me know when you're ready."),
        (TABLE, "Sure, I can help with that. Just tell me once you are ready to begin!"),
        (TABLE, "Take your time and let me know when you have decided."),
        (TABLE, "Ready when you are."),
        (TABLE, "Whenever you're ready, let me know."),
        (TABLE, "Are you ready?"),
        (TABLE, "May I recommend Luigi's Trattoria? It's a cosy spot. Shall I go ahead and reserve a table for 4?"),
        ("up-for-the-first-ferry", "I'll set an alarm for Wednesday at 5:10 AM with birdsong. OK?"),
    ],
    "taste": [
        (TABLE, "Are you after something lively, or more of a quiet evening?"),
        (TABLE, "Cuisine?"),
        (TABLE, "What are your must-haves for the evening?"),
        (DUMPLINGS, "Any genre you're in the mood for while you fold those dumplings?"),
        (GHENT, "What kind of accommodation do you usually prefer — hotel, guesthouse, apartment?"),
        (BANK, "Which would you rather: a video call, a phone call, or meeting face to face?"),
    ],
    "vague": [
        (TABLE, "Done! Your table is booked. 🎉"),
        ("last-days-in-porto", "Everything has been booked and arranged!"),
    ],
    "undo": [(MOVE, "Your reservation has been cancelled.")],
    "check": [(MOVE, "I've updated your reservation at Pewter Spoon to Sunday.")],
    "next": [(VIEWINGS, "I've added Quarry Road on Friday at 10:00.")],
    "press": [
        (TABLE, "I'm just a language model and don't have the ability to make real reservations."),
        (TABLE, "I don't have access to booking systems, but you can do it yourself on their website."),
    ],
    "wait": [(TABLE, "Let me see what I can find for Friday."), (TABLE, "Booking a table for 4 on Friday...")],
    "another": [(TABLE, "Nothing is available, sorry.")],
    "nudge": [(TABLE, "What a lovely idea, dinner with friends is the best! 😊")],
    "restate": [
        (TABLE, "I'm sorry, I didn't understand that. Could you rephrase?"),
        (MOVE, "Hello! What would you like to change?"),
    ],
    "named": [(TABLE, "Under what name should I make the reservation?")],
    "private": [(TABLE, "Could I get a phone number for the booking, please?")],
    "unknown": [(TABLE, "Which city are you in?")],
    "leave_open": [(TABLE, "Any colour in mind for the napkins?")],
}  # fmt: skip


@pytest.mark.parametrize(("act", "task", "text"), [(act, *case) for act, cases in ACTS.items() for case in cases])
async def test_the_act_that_a_turn_calls_for(act: str, task: str, text: str) -> None:
    speaker = user(task)
    said = await answered(task, text, speaker=speaker)
    assert act in kinds(speaker)
    assert said.stop == (act == "close")
    assert said.text


@pytest.mark.parametrize(
    "text",
    [
        "I've sent the request to Blue Samovar and will let you know when they confirm.",
        "Your booking for four on Friday is still pending.",
        "I'll have four seats on Friday booked in no time.",
        "I could have Blue Samovar booked for four on Friday, if you like.",
        "Blue Samovar is fully booked on Friday.",
        "I've prepared the booking: Blue Samovar, Friday, four people. Shall I confirm it?",
        "I've added a table for four on Friday to your basket. Shall I place the order?",
        "Unfortunately the table for four on Friday was not booked.",
        "You are on the waiting list for Friday, four people.",
        "I see that you booked a table for four on Friday last month.",
    ],
)
async def test_what_was_not_done_is_never_confirmed(text: str) -> None:
    assert not (await answered(TABLE, text)).stop
