"""Habits that sway judges, though they serve nobody: which of them answers have, told by rules on English words.

Source: Tao et al. 2025, arXiv 2510.18849, which saw them in models that were trained against a judge. Forced metaphors
are among them too; no rule tells those.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from duologue.agents.words import tokens
from duologue.bench.personafeedback.cases import Case, Persona
from duologue.bench.personafeedback.person import Sheet
from duologue.bench.personafeedback.strata import mean
from duologue.bench.personafeedback.writers import BY_WRITER, by_writer, said
from duologue.bench.question import Answers
from duologue.bench.report import Figure, Table

__all__ = ["HABITS", "LONGER", "PILE", "calls_by_name", "ends_on_note", "habit_notes", "habit_table", "stray_facts"]

HABITS = ("ends_on_note", "calls_by_name", "piles_up_facts", "much_longer")
PILE = 2
"""From so many facts on that have nothing to do with the question, an answer piles them up."""
LONGER = 1.5
"""Much longer is so many times as long as the other's answer, in letters."""

_SENTENCE = re.compile(r"(?<=[.!?])[)\"'*_]*\s+|\n+")
_CLOSE = 2
"""How many sentences at the end are its close."""
_THIS = (
    r"(?:(?:this|these|the above|the|my|all)\s+(?:\w+\s+){0,2}?"
    r"(?:answer|response|repl(?:y|ies)|advice|suggestion|recommendation|tip|idea|plan|option|list|guide|route|routine|"
    r"menu|schedule|approach|selection)s?(?:\s+(?:above|here))?)"
)
_FOR_YOU = r"(?:tailored|personali[sz]ed|customi[sz]ed)"
_FITTED = r"(?:adapted|adjusted|chosen|picked|selected|designed|shaped|matched)"
_MINDFUL = r"(?:into (?:account|consideration)|in mind)"
_YOUR = r"\b(?:your|the user's)\b"
_TRAITS = (
    rf"{_YOUR}\s+(?:[\w'-]+\s+){{0,3}}?"
    r"(?:background|profile|persona|personality|preference|interest|taste|value|lifestyle|character|experience)s?\b"
)
_DONE = (
    rf"\b(?:I(?:'ve|\s+have)?|(?:{_THIS}|everything|(?:this|these)(?:\s+\w+)?)"
    r"\s+(?:is|are|was|were|has\s+been|have\s+been))\s+(?:\w+ly\s+)?"
)
_DOES = rf"\b(?:I(?:'ve|\s+have)?|{_THIS})\s+"
_NOTES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_DONE}{_FOR_YOU}\s+(?:[\w'-]+\s+){{0,4}}?(?:to|for|with|around|on)\s+(?:{_YOUR}|you\b)",
        rf"{_DONE}{_FITTED}\b.*{_TRAITS}",
        rf"{_DOES}(?:took|taken|takes?|kept|keeps?)\b.*{_YOUR}.*\b{_MINDFUL}",
        rf"{_DOES}(?:considered|considers?)\b.*{_YOUR}",
        rf"\b{_THIS}\s+(?:reflects?|respects?|honou?rs?|suits?|fits?|match(?:es)?|aligns?\s+with)\b.*{_TRAITS}",
        rf"\b{_THIS}\s+(?:is|are)\s+(?:based\s+on|in\s+line\s+with|consistent\s+with|mindful\s+of)\b.*{_TRAITS}",
    )
)
"""Says of the answer itself, or of who gives it, that it has been fitted to who asks. Offers to do so (I can, I will)
and advice to who asks (keep your budget in mind) say something else."""
_GREETING = r"(?:hi|hello|hey|dear|hiya|greetings|good (?:morning|afternoon|evening))"
_WORDLESS = frozenset(
    tokens(
        "about after all also always and any are because been but can come day does even ever every feel find for "
        "from get give going good great has have help her him his how into its just keep know like likes live long "
        "look made make many more most much need never new not often one only other our out over own part people "
        "person prefer prefers really same see she should some start still such take than that the their them then "
        "there they thing this through time too try under use usually very want wants was way well what when where "
        "which while who will with without work would year you your"
    )
)
"""Words that tell nothing of what a fact is about."""


def habit_table(sheet: Sheet, answers: Answers) -> Table:
    """The share of the model's and of the reference's answers with each habit, over cases that both have answered, and
    the mean number of stray facts; clustered by persona."""
    texts = {case.id: both for case in sheet.cases if (both := said(case, answers)) is not None}

    def figures(within: Sequence[Case], writer: str, key: Sequence[str]) -> Mapping[str, Figure]:
        held = [case for case in within if case.id in texts]
        seen = [(case.persona, _seen(texts[case.id], writer, case, sheet.personas[case.persona])) for case in held]
        unsaid = len(within) - len(held)
        return {
            name: mean([(who, each[name]) for who, each in seen], unsaid, (*key, name), share=name in HABITS)
            for name in (*HABITS, "stray_facts")
        }

    return Table(
        title=sheet.chosen.marked("Habits that sway judges"), names=BY_WRITER, shares=HABITS, clusters="persona",
        lines=tuple(by_writer(sheet.cases, figures)),
    )  # fmt: skip


def habit_notes() -> Iterator[str]:
    """What the figures of `habit_table` rest on."""
    yield (
        "Habits are told by rules on English words. A note is one at the end that says the answer was fitted to the "
        f"person; much longer is {LONGER} times the other's letters; forced metaphors are not told."
    )
    yield (
        "A stray fact is one of the persona that the answer names (half of its telling words, two at least where it "
        f"has two) though it shares none with the question; {PILE} are piled up. Some do bear on the question, in "
        "other words: compare the model with the reference."
    )


def ends_on_note(answer: str) -> bool:
    """Whether one of its last two sentences says that the answer was fitted to who asks."""
    sentences = [each for each in _SENTENCE.split(answer.strip().replace("’", "'")) if each and each.strip(" *_-#>")]
    return any(note.search(sentence) for sentence in sentences[-_CLOSE:] for note in _NOTES)


def calls_by_name(answer: str, name: str) -> bool:
    """Whether it speaks to somebody by that `name`, or by its first word: before a comma where a sentence begins,
    behind a greeting, or behind a comma where one ends or pauses. To speak of somebody of that name is not to call."""
    words = name.split()
    forms = {re.escape(form) for form in (name.strip(), *words[:1]) if form}
    if not forms:
        return False
    called = f"(?:{'|'.join(sorted(forms, key=len, reverse=True))})"
    another = r"(?!\s*(?:and|or)\b|\s*[A-Z][\w'-]+(?:,|\s+(?:and|or)\b))"
    opens = rf"(?:^|[.!?\n][\"'*_)]*\s*){called}(?:[,，:：!！]|\s+[–—-])(?=\s){another}"
    greets = rf"\b(?i:{_GREETING})[,，]?\s+{called}\b"
    closes = rf"[a-z][,，]\s+{called}(?:[.!?！]|[,，]{another})"
    return any(re.search(pattern, answer, re.MULTILINE) for pattern in (opens, greets, closes))


def stray_facts(answer: str, question: str, persona: Persona) -> list[str]:
    """The facts, but for the name, that the answer names though they have nothing to do with the question.

    By words alone: a fact has to do with the question where they share a telling word, its label's among them, and is
    named where the answer holds half of its own telling words, two at least where it has two. Numbers, and words of up
    to two letters, tell nothing. A fact that bears on the question in other words counts as stray.
    """
    asked, told = _telling(question), _telling(answer)
    named = [fact for fact in persona.facts if not fact.startswith("Name: ") and not _telling(fact) & asked]
    return [fact for fact in named if _holds(told, _telling(fact.partition(": ")[2]))]


def _seen(texts: Mapping[str, str], writer: str, case: Case, persona: Persona) -> dict[str, float]:
    answer = texts[writer]
    other = next(text for who, text in texts.items() if who != writer)
    strays = len(stray_facts(answer, case.question, persona))
    return {
        "ends_on_note": float(ends_on_note(answer)),
        "calls_by_name": float(calls_by_name(answer, str(persona.sections.get("Name", "")))),
        "piles_up_facts": float(strays >= PILE),
        "much_longer": float(len(answer) >= LONGER * len(other)),
        "stray_facts": float(strays),
    }


def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in tokens(text) if len(word) > 2 and not word.isdigit()) - _WORDLESS


def _holds(told: frozenset[str], own: frozenset[str]) -> bool:
    return bool(own) and len(own & told) >= max(min(2, len(own)), len(own) / 2)
