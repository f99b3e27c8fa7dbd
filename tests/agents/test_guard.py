"""The guard: what never reaches the assistant, and what must."""

import pytest

from duologue.agents.guard import faults, looping
from duologue.agents.instructions import user_lines
from duologue.agents.transcript import Transcript

from .speaking import SCENARIO, talk

BEFORE = talk(
    "I would like a table on Friday, please.",
    "Do you have a favourite cuisine?",
    "I'd leave that to you if that is fine.",
    "Shall I book Lotus House?",
)

CAUGHT = {
    "empty": ["", "  \n ", '""', "...", "``", "\u200b", "*"],
    "repeats": [
        "I would like a table on Friday, please.",
        "I would like a table on Friday please!",
        "i'd leave that to you, if that is fine",
        "Hello, I would like a table on Friday, please.",
        "I would like a tabel on Friday, please.",
    ],
    "reasoning": [
        "<think>I should ask about the price first. What does it cost?",
        "What does it cost?</think>",
        "<thinking>hm",
        "</reasoning> Yes, please.",
        "Yes <|im_end|>",
        "◁think▷ well",
        "[THINK] What now",
        "Thought: the assistant wants my cuisine.\nI like soup.",
        "**Reasoning:** ask next",
        "Okay, the user wants me to answer. Yes.",
        "I need to respond as Dana would. Yes please.",
    ],
    "instructions": [
        "As an AI language model, I have no favourite food.",
        "As a language model I cannot eat.",
        "I'm just an AI, so any place will do.",
        "I am an AI assistant.",
        "As a simulated user, I would say yes.",
        "I can't role-play that.",
        "I will stay in character from here on.",
        "# What you want\nA table",
        "You are the one who needs something. Never offer help, never recommend.",
    ],
    "plan": [
        '{"message": "Yes", "stop": false}',
        '```json\n{"message": "Yes"}\n```',
        '[{"turn": 1, "say": "Hi"}]',
        '{"message": "Yes, and then I wou',
        "1. Greet the assistant\n2. Say the day\n3. Thank the assistant",
        "Turn 1: I greet.\nTurn 2: I say the day.",
    ],
    "assistant_voice": [
        "How can I help you today?",
        "Hello! How may I assist you?",
        "I'd be happy to assist you with the booking.",
        "I’d be happy to help!",
        "Sure, I can help you book a table for two.",
        "Is there anything else I can help you with?",
        "Let me know if you need any further help.",
        "Your reservation has been made for four.",
        "Your booking is confirmed.",
        "I have booked your table for Friday.",
        "Great! Would you like me to book it?",
        "Here are some recommendations for you.",
        "What type of cuisine do you prefer?",
        "Do you have any dietary restrictions?",
        "Based on your preferences, Lotus House is a good choice.",
        "Could you please tell me your budget?",
        "Thank you for reaching out.",
        "Hey, I'm sorry, but I can't help you with that.",
    ],
    "script": [
        "User: Yes please.\nAssistant: Done.",
        "User: Yes please.",
        "**User:** Yes please.",
        "Dana: Yes please.",
        "Dana Kim: Yes please.",
        "Yes please.\nAssistant: Booked.\nUser: Thanks.",
        "(Dana thinks about it for a while.)",
        "[The customer says yes to it]",
    ],
}

PASSES = [
    "Yes, please go ahead.",
    "a < b and b > a, so take the cheaper one",
    "Put {curly} braces in the title",
    "My answer: yes",
    "I said 'STOP' the alarm",
    "Terminate my subscription please",
    "The title is <Untitled>, with the brackets.",
    "Run `SELECT * FROM t;` and tell me the count",
    '{"a": 1} is what the app shows me, what does it mean?',
    "Is the <b> tag allowed in the note?",
    "Please buy:\n1. milk\n2. eggs\n3. bread",
    "I need three things: a table, a taxi, a ticket.",
    "https://example.org/user:dana is my page",
    "Are you an AI?",
    "I'm an AI researcher, so I know how that works.",
    "Could you tell me your opening hours?",
    "Can you help me with that?",
    "Would you like me to send you the address?",
    "I think I can do 7 pm.",
    "Sure, I can do Friday.",
    "What do you recommend?",
    "Here are my dates: 3 May, 5 May.",
    "Thinking about it, Friday suits me better.",
    "I think: why not?",
    "👍",
    "?",
    "No.",
    "好的，请帮我订位。",
    "نعم، من فضلك",
    "Re: the table — yes",
    "Note: we are four.",
    "I would like a table on Saturday, please.",
    "Let me know when it is done.",
    "Is there anything else you need from me?",
    "My assistant said she'd call you.",
    "The user manual says step 1 is to press Start.",
    "Based on your suggestion, I'd take Lotus House.",
    "Thank you for your help so far!",
    "(sorry, typo) I meant Friday",
    "I don't want a table on Friday, please.",
    "Is the system prompt to respond?",
]


@pytest.mark.parametrize(("fault", "text"), [(fault, text) for fault, texts in CAUGHT.items() for text in texts])
def test_a_broken_draft_is_caught_and_its_fault_named(fault: str, text: str) -> None:
    assert fault in faults(SCENARIO, BEFORE, text)


@pytest.mark.parametrize("text", PASSES)
def test_ordinary_text_passes(text: str) -> None:
    assert faults(SCENARIO, BEFORE, text) == ()


def test_every_fixed_sentence_of_the_prompts_is_known_again() -> None:
    long = [line for line in user_lines() if len(line.split()) >= 12]
    assert len(long) >= 10
    missed = [line for line in long if "instructions" not in faults(SCENARIO, Transcript(), f"Well. {line}")]
    assert missed == []


def test_the_lines_of_other_prompts_can_be_given() -> None:
    own = ["Never ever tell anybody the colour of the door."]
    assert faults(SCENARIO, BEFORE, "They said never ever tell anybody the colour of it.", own) == ("instructions",)


@pytest.mark.parametrize("short", ["Yes.", "Thank you!"])
def test_a_short_turn_repeats_only_when_the_assistant_does_too(short: str) -> None:
    varied = talk("Hello there, a table please", "For when?", short, "For how many?")
    same = talk("Hello there, a table please", "For when?", short, "For when?")
    assert faults(SCENARIO, varied, short) == ()
    assert faults(SCENARIO, same, short) == ("repeats",)


def test_an_answer_that_adds_a_value_is_no_repeat() -> None:
    before = talk("I would like a nice quiet table at some place for us", "Any wishes?")
    assert faults(SCENARIO, before, "I would like a nice quiet table at some Uzbek place for us") == ()
    assert "repeats" in faults(SCENARIO, before, "I would like a nice quiet table at such a place for us")


def test_the_third_thank_you_of_both_sides_is_a_loop_of_the_user() -> None:
    lines = ["Thank you!", "Thank you!"]
    assert looping(talk("I need a table.", "Booked.", *lines * 2)) is None
    assert looping(talk("I need a table.", "Booked.", *lines * 3)) == "user"


def test_the_side_that_says_the_same_three_times_running_is_named() -> None:
    told = ["Four of us.", "On Friday, if you can.", "As I said, Friday it is."]
    asked = "I am sorry, could you say that again?"
    assert looping(talk(told[0], asked, told[1], asked, told[2], asked)) == "assistant"
    user = "I want a table for us tonight!"
    assert looping(talk(user, "Where?", user, "When is that?", user + "!", "For whom is it?")) == "user"


def test_turns_that_go_round_in_twos_are_a_loop() -> None:
    pair = ["Hello, is anybody there?", "Yes.", "Then book me a table now.", "No."]
    assert looping(talk(*pair * 3)) == "user"


def test_short_answers_to_different_questions_are_no_loop() -> None:
    assert looping(talk("A table.", "For two?", "Yes.", "Indoors?", "Yes.", "By the window?", "Yes.")) is None


def test_numbers_that_differ_are_no_loop() -> None:
    at = "Book the table for {} o'clock please"
    assert looping(talk(at.format(6), "Full.", at.format(7), "Full too.", at.format(8), "Booked.")) is None


def test_silence_is_no_loop() -> None:
    assert looping(talk("One.", "", "Two.", "", "Three.", "")) is None
