"""PersoBench's protocol as a bench."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from duologue.bench.persobench.choices import Choices
from duologue.bench.persobench.formats import form_of
from duologue.bench.persobench.judging import question
from duologue.bench.persobench.measuring import MEASURES, check_measure, measures
from duologue.bench.persobench.replies import questions, reply_id
from duologue.bench.persobench.row import Row
from duologue.bench.persobench.rows import Rows, read_data
from duologue.bench.persobench.tables import tables
from duologue.bench.plan import Plan
from duologue.bench.question import Answers, Question, Stage
from duologue.bench.report import Table
from duologue.tasks.chance import number
from duologue.tasks.written import BadInput, fingerprint, nearest, parse

__all__ = ["PersoBench", "open_bench"]

_REMEDY = "--set persona_of=responder corrects it."
TOLD = 3
"""How many rows that are left out are told of, of each data set."""


class PersoBench:
    """Rows drawn by the plan; replies first, then a judge's labels and what measures tell, where some are named."""

    def __init__(self, plan: Plan, held: Sequence[Rows], chosen: Choices) -> None:
        self._held, self._chosen, self._judged = held, chosen, "judge" in plan.models
        self._measured = [role for role in MEASURES if role in plan.models]
        self._rows = [row for data in held for row in data.rows]

    @property
    def contents(self) -> str:
        kinds = {(row.persona_of, row.told_of, bool(row.shown)): row for row in self._rows}
        asked = [*questions(list(kinds.values()), self._chosen)]
        asked += [question(row, "vanilla", "reply") for row in kinds.values()] if self._judged else []
        return fingerprint([list(row) for row in self._rows], [repr(each.request.messages) for each in asked])

    @property
    def items(self) -> int:
        return len(self._rows)

    @property
    def options(self) -> Mapping[str, str]:
        return self._chosen.told

    @property
    def stages(self) -> Sequence[Stage]:
        return (self._replies, self._beside) if self._judged or self._measured else (self._replies,)

    def tables(self, answers: Answers) -> Sequence[Table]:
        """The form by level; what is measured over every row, and over rows with a reply."""
        return tuple(tables(self._held, self._chosen, answers, self._judged, self._measured))

    def notes(self, answers: Answers) -> Sequence[str]:
        silent = sum(each.role == "model" and each.finish == "length" and not each.text for each in answers.values())
        return (*_notes(self._held, self._chosen, self._judged, silent), *_of_measures(self._measured))

    def _replies(self, answers: Answers) -> Iterator[Question]:
        return questions(self._rows, self._chosen)

    def _beside(self, answers: Answers) -> Iterator[Question]:
        """What the judge and the measures are asked of each reply that was read."""
        for prompt in self._chosen.prompts:
            for row in self._rows:
                answer = answers.get(reply_id(row, prompt))
                form = form_of(answer, self._chosen.level) if answer else None
                if form and not form.cause:
                    yield from [question(row, prompt, form.reply)] if self._judged else []
                    for role in self._measured:
                        yield from measures(role, row, prompt, form.reply)


def open_bench(plan: Plan) -> PersoBench:
    """The bench of `plan`. Raises BadInput where the data, an option or a role is wrong."""
    chosen = parse(Choices, plan.options, "--set")
    roles = ("model", "judge", *MEASURES)
    if stray := next((role for role in plan.models if role not in roles), None):
        raise BadInput(f"no role {stray!r}{nearest(stray, roles)}", "--set", f"There are: {', '.join(roles)}")
    for role in (role for role in MEASURES if role in plan.models):
        check_measure(role, plan.models[role].model)
    held = read_data(Path(plan.data), chosen.annotation, chosen.persona_of)
    return PersoBench(plan, _drawn(held, plan), chosen)


def _drawn(held: Sequence[Rows], plan: Plan) -> Sequence[Rows]:
    """As many rows as the plan asks for, data set by turns, in the order of the data."""
    if plan.sample is None:
        return held
    ranked = []
    for data in held:
        drawn = sorted((row.id for row in data.rows), key=lambda id: number(plan.seed, "sample", id))
        ranked += [(place, number(plan.seed, "data", data.name), id) for place, id in enumerate(drawn)]
    kept = {id for _, _, id in sorted(ranked)[: plan.sample]}
    left = (data._replace(rows=tuple(row for row in data.rows if row.id in kept)) for data in held)
    return [data for data in left if data.rows]


def _notes(held: Sequence[Rows], chosen: Choices, judged: bool, silent: int) -> Iterator[str]:
    for data in held:
        if data.faults:
            more = f"; and {len(data.faults) - TOLD} more" if len(data.faults) > TOLD else ""
            rows = "1 row" if len(data.faults) == 1 else f"{len(data.faults)} rows"
            yield f"{data.name}: {rows} left out: {'; '.join(data.faults[:TOLD])}{more}."
        if twice := len(data.rows) - len({(row.persona, row.context) for row in data.rows}):
            yield f"{data.name}: {twice} of its {len(data.rows)} rows ask what another one asks."
    yield "; ".join(f"{data.name}: the persona is {_whose(data.rows)}" for data in held) + "."
    if mislabelled := [data.name for data in held if any(_mislabelled(row) for row in data.rows)]:
        yield f"{', '.join(mislabelled)}: the model is told that the persona is the other speaker's, as in the paper."
    if any(data.form == "csv" for data in held):
        yield "A CSV is taken as it stands. That of BST calls the persona the other speaker's: " + _REMEDY
    yield "The data hold one reply of many that would fit; no figure here compares with it."
    yield "The prompts are our own. Figures that are got as in the paper are near its own, not the same."
    if len({chosen.cap(prompt) for prompt in chosen.prompts}) > 1:
        yield "The prompts differ in how many tokens an answer may have, too: --set tokens=N gives both as many."
    if silent:
        yield f"Answers cut off before they said anything: {silent}. Reasoning counts as tokens (--set tokens=N)."
    if judged:
        yield "The judge's labels are not the paper's C-score and UE-score."
        yield "Longer replies bear out more of a persona: read the judge's labels beside the words of a reply."


def _of_measures(roles: Sequence[str]) -> Iterator[str]:
    if roles:
        yield "What local models tell is near the paper's figures where they are the paper's models."
    if {"nli", "snli"} & set(roles):
        yield "For C-score and UE-score the paper's code joins two texts; pairs are what its models learnt from."
    if "unieval" in roles:
        yield "Engagingness is summed over sentences, which are told apart by their full stops; it may exceed 1."


def _whose(rows: Sequence[Row]) -> str:
    told = {"responder": "the one's who replies", "interlocutor": "the one's who is replied to", "both": "of both"}
    return ", ".join(told[whose] for whose in told if any(row.persona_of == whose for row in rows))


def _mislabelled(row: Row) -> bool:
    return row.told_of not in ("", row.persona_of)
