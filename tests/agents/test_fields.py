"""Every field that a person can write in a profile, a task or a situation reaches a prompt."""

import datetime

import pytest

from duologue.agents.case import case
from duologue.agents.context import KINDS, describe
from duologue.agents.questions import pose
from duologue.agents.rubric import read_rubric
from duologue.agents.transcript import Transcript
from duologue.agents.user import system_prompt
from duologue.profiles.profile import Demographics, Preference, Profile, Session, SessionTurn, Style
from duologue.profiles.scenario import Scenario
from duologue.tasks.task import Case, Relevance, Requirement, Situation, Task, Wanted

PREFERENCE = Preference(
    value="zz-value", polarity="avoids", strength=0.123, since=datetime.date(2021, 4, 5), sensitive=True
)
SESSION = Session(
    date=datetime.date(2022, 6, 7),
    domain="zz-domain",
    summary="zz-summary",
    turns=(SessionTurn(role="user", text="zz-text"),),
)
PROFILE = Profile(
    id="p",
    name="zz-name",
    demographics=Demographics(**{field: f"zz-{field}" for field in Demographics.model_fields}),
    style=Style(tone="zz-tone", verbosity="terse", formality="formal", patience=7, language="zz-language"),
    interests=("zz-interests",),
    preferences={"zz-domain": {"zz-type": (PREFERENCE,)}},
    history=(SESSION,),
)
SITUATION = Situation(**{field: f"zz-{field}" for field in Situation.model_fields})
TASK = Task(
    id="t",
    domains=("zz-domain",),
    intent="zz-intent",
    goal="zz-goal",
    description="zz-description",
    relevant=(Relevance(domain="zz-domain", type="zz-type"), Relevance(domain="zz-domain", type="zz-other")),
    slots={"zz-slot": "zz-fact", "zz_kept": "zz-secret"},
    require=(
        Requirement(record="zz-record", where={"zz-where": "zz-what"}, count=3, changes=True),
        Requirement(record="zz-old", gone=True),
    ),
    withheld=("zz_kept",),
    cases=(Case(situation=SITUATION, wants=(Wanted(domain="zz-domain", type="zz-other", value="zz-wanted"),)),),
)
FORMS = (Profile, Demographics, Style, Preference, Session, Task, Requirement, Relevance, Situation)
MARKS = {
    "Profile.preferences": "zz-value",
    "Profile.history": "zz-summary",
    "Profile.demographics": "zz-age",
    "Profile.style": "zz-tone",
    "Style.verbosity": "terse",
    "Style.formality": "formal",
    "Style.patience": "7 unhelpful",
    "Preference.polarity": "avoids",
    "Preference.strength": "0.123",
    "Preference.since": "2021",
    "Preference.sensitive": "private",
    "Session.date": "2022",
    "Session.turns": "zz-text",
    "Task.domains": "zz-domain",
    "Task.relevant": "zz-type",
    "Task.slots": "zz-fact",
    "Task.require": "zz-record",
    "Requirement.where": "zz-what",
    "Requirement.count": "3 of zz-record",
    "Requirement.changes": "an earlier one, changed",
    "Requirement.gone": "no longer a zz-old",
    "Task.withheld": "only when the assistant asks for them, or gets them wrong:\n- zz kept: zz-secret",
    "Task.cases": "zz-wanted",
}
"""What shows that a field was sent; other fields are marked by `zz-` and their name."""
UNSENT = {"Profile.id", "Task.id", "Task.opener", "Session.evidence", "Relevance.ambiguous"}
"""What names things, checks them, or is said by the user itself."""
UNSENT |= {"Task.requests", "Task.irrelevant", "Task.given", "Task.staged"}
"""What the world is made of, and what is read by a user and a judge that call no model."""
FIELDS = [f"{form.__name__}.{field}" for form in FORMS for field in form.__pydantic_fields__]


def prompts() -> str:
    """All that is sent to any model of this scenario."""
    scenario = Scenario(PROFILE, TASK, SITUATION)
    script = Transcript().and_then("user", "Hello.").and_then("assistant", "Hi.")
    posed = pose(read_rubric("default"), scenario)
    judged = case(posed, scenario, script, small=False, cut_short=False)
    told = describe(PROFILE, TASK, SITUATION, KINDS[1:])
    return "\n".join([system_prompt(scenario), told, *(message.text for message in judged)])


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in UNSENT])
def test_every_field_reaches_a_prompt(field: str) -> None:
    assert MARKS.get(field, f"zz-{field.rpartition('.')[2]}") in prompts().lower()
