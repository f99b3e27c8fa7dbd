"""Contexts: memories, controls, and how what is told holds what the user wants."""

import datetime
from collections.abc import Sequence

import pytest

from duologue.agents.context import Told, known, sessions, tell
from duologue.agents.memory import Reminded, gist, memory
from duologue.agents.script import ScriptedSpeaker
from duologue.agents.speaker import Speaker
from duologue.agents.transcript import Transcript
from duologue.profiles.profile import Evidence, Profile, Session
from duologue.tasks.task import Situation, Task
from duologue.tasks.wish import Wish
from duologue.tasks.written import BadInput

TASK = Task(id="t", domains=("Restaurants",), intent="Eat.", goal="Eaten.")
CUISINE = Wish("Restaurants", "cuisine", likes=("Uzbek", "Thai"))


def session(day: int, summary: str, domain: str = "Restaurants", **evidence: str) -> Session:
    shown = (Evidence(domain=domain, type="cuisine", **evidence),) if evidence else ()  # type: ignore[arg-type]
    return Session(date=datetime.date(2026, 1, day), domain=domain, summary=summary, evidence=shown)


HISTORY = (
    session(1, "Asked for plov with the family.", value="Uzbek", kind="implicit"),
    session(2, "Booked a table by the window for four."),
    session(3, "Wanted the film that everybody talks about.", "Movies"),
    session(4, "A colleague wanted Korean food.", value="Thai", kind="distractor"),
)
PROFILE = Profile(
    id="dana",
    name="Dana Kim",
    preferences={"Restaurants": {"cuisine": ["Uzbek"], "noise": ["quiet"]}, "Movies": {"genre": ["noir"]}},  # type: ignore[arg-type]
    history=HISTORY,
)


def told(*kinds: str, **more: object) -> Told:
    return tell(PROFILE, TASK, Situation(), kinds, **more)  # type: ignore[arg-type]


async def test_bm25_finds_what_shares_words_with_the_opener_and_nothing_else() -> None:
    found = await memory("bm25:2", never).recall(HISTORY, "I would like a table for four, at the window.")
    assert found == (HISTORY[1],)
    assert await memory("bm25", never).recall(HISTORY, "Nothing of the kind!") == ()
    assert await memory("bm25", never).recall((), "A table.") == ()


async def test_the_best_come_first_and_equally_good_ones_in_the_order_given() -> None:
    held = [session(1, "soup and bread"), session(2, "soup"), session(3, "soup"), session(4, "bread, bread, soup")]
    found = await memory("bm25:3", never).recall(held, "Bread soup")
    assert [each.date.day for each in found if each.date] == [4, 1, 2]


async def test_an_embedding_finds_by_likeness_of_vectors() -> None:
    vectors = {"noise": [1.0, 0.0], "Restaurants\nquiet": [0.8, 0.6], "Movies\nloud": [0.0, 1.0]}

    class Given:
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [vectors[text] for text in texts]

    held = [session(1, "loud", "Movies"), session(2, "quiet")]
    assert await memory("embedding:5", Given).recall(held, "noise") == (held[1],)


def test_of_a_session_its_summary_is_made_a_vector_or_else_its_turns() -> None:
    turns = [{"role": "user", "text": "At the window, please."}]
    held = {"domain": "Restaurants", "turns": turns}
    assert gist(Session.model_validate({**held, "summary": "quiet"})) == "Restaurants\nquiet"
    assert "At the window, please." in gist(Session.model_validate(held))


def never() -> None:  # type: ignore[misc]
    raise AssertionError("bm25 needs no vectors")


def test_an_unknown_memory_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown memory 'bm26'"):
        memory("bm26:5", never)


async def test_an_assistant_with_a_memory_is_seated_by_the_first_words_once() -> None:
    heard: list[str] = []

    async def seat(opener: str) -> Speaker:
        heard.append(opener)
        return ScriptedSpeaker(["One.", "Two."], "assistant")

    reminded, script = Reminded(seat, rebuildable=True), Transcript().and_then("user", "First.")
    assert (await reminded.speak(script)).text == "One."
    script = script.and_then("assistant", "One.").and_then("user", "Second.")
    assert (await reminded.speak(script)).text == "Two."
    assert heard == ["First."]
    await reminded.close()


def test_the_prompt_is_the_same_but_for_the_block() -> None:
    everything, some = told("history").text, told(recalled=HISTORY[1:2]).text
    assert "Earlier sessions with the user, the newest first:" in everything
    assert "Earlier sessions with the user that seem to matter here, the newest first:" in some
    assert "window" in some and "plov" not in some
    assert told(recalled=()).text == ""


def test_recalled_sessions_are_told_newest_first_and_the_worst_is_left_out_first() -> None:
    held = (HISTORY[1], HISTORY[3], HISTORY[0])
    text = told(recalled=held).text
    assert text.index("Korean") < text.index("window") < text.index("plov")
    assert told(recalled=held).within(len(text) // 4 - 1).sessions == held[:2]


def test_popular_values_stand_in_for_the_likes_as_many_as_there_are() -> None:
    popular = {("Restaurants", "cuisine"): ("Peruvian", "Thai"), ("Movies", "genre"): ("comedy",)}
    text = told("demographics", "preferences", popular=popular).text
    assert "likes Peruvian" in text and "Thai" not in text and "Uzbek" not in text
    assert "comedy" in text and "noir" not in text and "quiet" not in text and "Dana Kim" in text


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (told("preferences"), "verbatim"),
        (told(recalled=(session(1, "Loved the Thai place."),)), "verbatim"),
        (told(recalled=(session(1, "Loved the Thai place.", "Movies"),)), ""),
        (told(recalled=HISTORY[:1]), "evidence"),
        (told(recalled=HISTORY[3:]), ""),
        (told("demographics"), ""),
        (told("preferences", popular={("Restaurants", "cuisine"): ("Peruvian",)}), ""),
        (told("preferences", popular={("Restaurants", "cuisine"): ("Thai",)}), "verbatim"),
    ],
)
def test_how_what_is_told_holds_a_wish(given: Told, held: str) -> None:
    assert known(given, [CUISINE]) == {("Restaurants", "cuisine"): held}


def test_sessions_of_other_domains_are_left_out_by_scope() -> None:
    assert [each.domain for each in sessions(PROFILE, TASK, "task")] == ["Restaurants"] * 3
    assert len(sessions(PROFILE, TASK)) == 4
