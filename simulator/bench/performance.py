"""A bench performed: what is not answered yet is asked, recorded, and told of."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import TypeAdapter

from duologue.agents.ending import Failure
from duologue.agents.models.call import Model, Request
from duologue.agents.models.door import Models
from duologue.agents.usage import Usage
from duologue.bench.findings import FILE, Found, Seeking, findings, keep
from duologue.bench.inquiry import Inquiry
from duologue.bench.plan import Plan, begin, check_same, is_bench, read_manifest
from duologue.bench.protocol import Bench, open_bench
from duologue.bench.question import Answer, Answers, Question
from duologue.bench.report import Report
from duologue.interrupts import interruptible
from duologue.money.budget import Purse
from duologue.money.prices import Prices, cost, own_prices, price_of
from duologue.record.store import Lock, Writer, appending, create_folder, new_files
from duologue.record.stored import records
from duologue.tasks.written import BadInput

__all__ = ["Watch", "perform", "reported"]

Watch = Callable[[int, int, Answer | None], None]
"""Told of every answer: how many of the stage's questions are answered, of how many, and the answer."""


async def perform(plan: Plan, folder: Path, watch: Watch = lambda done, of, answer: None) -> Report:
    """Ask what `plan` asks and is not answered in `folder` yet, and report.

    Raises BadInput where the data or an option is wrong, where a model cannot be opened, or where the folder holds
    another bench; StoreFault where the disk stops taking the record.
    """
    bench = open_bench(plan)
    plan = plan.model_copy(update={"prices": plan.prices.beside(_own_prices(plan))})
    if is_bench(folder):
        check_same(plan, bench.contents, folder)
    async with Models() as door:
        models = await _opened(plan, door)
        found = await _sought(bench, folder, watch)
        await _try_first(bench, models)
        if not is_bench(folder):
            create_folder(folder)
        with Lock(folder):
            begin(plan, bench.contents, folder)
            if found is not None:
                keep(found, folder)
            answers = _answered(folder)
            stopped = await _ask(plan, bench, folder, answers, watch, door, models)
    return _report(plan, bench, folder, answers, stopped)


def reported(folder: Path) -> Report:
    """What the bench in `folder` shows so far. Raises BadInput where its data is no longer what was asked about, or
    what was looked up for it is gone."""
    plan = read_manifest(folder).plan
    bench = open_bench(plan)
    check_same(plan, bench.contents, folder)
    if isinstance(bench, Seeking) and bench.seeks:
        if (kept := findings(folder)) is None:
            raise BadInput(f"has no {FILE}", folder, f"Look it all up again: duologue resume {folder}")
        bench.take(kept)
    return _report(plan, bench, folder, _answered(folder), "")


async def _opened(plan: Plan, door: Models) -> dict[str, Model]:
    """The models by role, ready. Raises BadInput where one cannot be opened."""
    models = {role: door.open(spec.model_copy(update={"limits": plan.limits})) for role, spec in plan.models.items()}
    for model in dict.fromkeys(models.values()):
        await model.start()
    return models


async def _sought(bench: Bench, folder: Path, watch: Watch) -> Found | None:
    """Have `bench` take what it must look up, from `folder` where that is kept; gives what is to be kept there now."""
    if not (isinstance(bench, Seeking) and bench.seeks):
        return None
    kept = findings(folder) if is_bench(folder) else None
    found = await bench.seek(lambda done, of: watch(done, of, None)) if kept is None else kept
    bench.take(found)
    return found if kept is None else None


async def _try_first(bench: Bench, models: Mapping[str, Model]) -> None:
    """Raises BadInput where a model cannot tell what is asked first."""
    first = next((question for stage in bench.stages[:1] for question in stage({})), None)
    if first and first.request.given:
        await _try_given(models[first.role])


async def _try_given(model: Model) -> None:
    """Raises BadInput where `model` cannot tell how likely a given text is."""
    try:
        told = (await model.complete(Request(prompt="One, two,", given=" three."))).given
        why = "" if told else f"{model.name} does not tell how likely a given text is"
    except Failure as failure:
        why = failure.detail
    if why:
        then = "Take local, or a server whose legacy completions echo their prompt with logprobs (vLLM does)"
        raise BadInput(why, "--model", then)


async def _ask(
    plan: Plan, bench: Bench, folder: Path, answers: dict[str, Answer], watch: Watch, door: Models,
    models: Mapping[str, Model],
) -> str:  # fmt: skip
    """Ask stage by stage; gives why it was stopped early, if it was."""
    inquiry = Inquiry(models, lambda answer: _take(answer, answers, writer, purse, tally))
    purse, tally = _purse(plan, inquiry, answers), _Tally(watch)
    file = new_files(folder, ["answers"])["answers"]
    with appending(file, inquiry.abandon) as writer, interruptible(inquiry, patient=True):
        for stage in bench.stages:
            left = tally.begin([q for q in stage(answers) if not _stands(answers.get(q.id))])
            if left and purse:
                purse.check_left(folder)
            await inquiry.ask(left, door.most_at_once(min(plan.limits.concurrency, len(left) or 1)))
            if inquiry.halted:
                break
    return inquiry.halted


class _Tally:
    """Counts the answers to a stage."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._done, self._of = watch, 0, 0

    def begin(self, questions: list[Question]) -> list[Question]:
        self._done, self._of = 0, len(questions)
        self._watch(0, self._of, None)
        return questions

    def count(self, answer: Answer) -> None:
        self._done += 1
        self._watch(self._done, self._of, answer)


def _take(answer: Answer, answers: dict[str, Answer], writer: Writer, purse: Purse | None, tally: _Tally) -> None:
    answers[answer.id] = answer
    writer.append(answer)
    if purse and answer.usage is not None:
        purse.watch(answer.role, answer.usage)
    tally.count(answer)


def _stands(answer: Answer | None) -> bool:
    return answer is not None and answer.settled


def _answered(folder: Path) -> dict[str, Answer]:
    """The latest answer to each question on record. Raises BadInput for a damaged line."""
    return {answer.id: answer for answer in records(folder, "answers", TypeAdapter(Answer), [])}


def _own_prices(plan: Plan) -> Prices:
    return own_prices().only(spec.model for spec in plan.models.values())


def _purse(plan: Plan, inquiry: Inquiry, answers: Answers) -> Purse | None:
    """Who watches the budget, if there is one. Raises BadInput where a model has no price."""
    if plan.limits.budget is None:
        return None
    tariff = {role: price_of(spec.model_dump(), plan.prices) for role, spec in plan.models.items()}
    if missing := next((role for role, price in tariff.items() if price is None), None):
        model = plan.models[missing].model
        raise BadInput(
            f"a budget needs the price of {model} ({missing})",
            "prices",
            f'Write it into your prices.toml: "{model}" = {{ input = 0.40, output = 1.60 }}',
        )
    purse = Purse(plan.limits.budget, plan.prices, tariff, inquiry.halt)
    for answer in answers.values():
        if answer.usage is not None:
            purse.pay(answer.role, answer.usage)
    return purse


def _report(plan: Plan, bench: Bench, folder: Path, answers: Answers, stopped: str) -> Report:
    questions = [question for stage in bench.stages for question in stage(answers)]
    held = [answers[question.id] for question in questions if question.id in answers]
    usage: dict[str, Usage] = {}
    seconds: dict[str, float] = defaultdict(float)
    for answer in held:
        seconds[answer.role] += answer.seconds
        if answer.usage is not None:
            usage[answer.role] = usage[answer.role] + answer.usage if answer.role in usage else answer.usage
    failed = Counter(f"{answer.owner}: {answer.fault}" for answer in held if answer.fault)
    return Report(
        bench=plan.bench,
        folder=str(folder),
        data=plan.data,
        models={role: spec.model for role, spec in plan.models.items()},
        options=dict(bench.options),
        items=bench.items,
        asked=len(questions),
        answered=sum(not answer.fault for answer in held),
        failed=dict(failed),
        tables=tuple(bench.tables(answers)),
        usage=usage,
        cost=_costs(plan, usage, held),
        currency=plan.prices.currency,
        seconds=dict(seconds),
        stopped=stopped,
        notes=tuple(bench.notes(answers)),
    )


def _costs(plan: Plan, usage: Mapping[str, Usage], held: list[Answer]) -> dict[str, float | None]:
    """What each role cost; None where that is unknown."""
    found: dict[str, float | None] = {}
    for role, used in usage.items():
        unknown = any(a.usage is not None and a.usage.paid is None for a in held if a.role == role)
        amount = cost(used, price_of(plan.models[role].model_dump(), plan.prices))
        found[role] = None if unknown and amount else amount
    return found
