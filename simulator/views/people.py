"""Profiles, tasks and what was found wrong in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from duologue.profiles.finding import Finding
from duologue.profiles.profile import Preference, Profile, Session
from duologue.tasks.task import Bound, Case, Relevance, Requirement, Task
from duologue.views.text import safe

__all__ = ["check_line", "finding_list", "profile_card", "profile_table", "task_card", "task_table"]


def profile_table(profiles: Sequence[Profile]) -> RenderableType:
    """One line a profile."""
    rows = []
    for profile in profiles:
        who = profile.demographics
        home = ", ".join(filter(None, (who.home_city, who.home_country)))
        values = sum(len(held) for types in profile.preferences.values() for held in types.values())
        counts = (len(profile.preferences), values, len(profile.history))
        rows.append((profile.id, profile.name, str(who.age or ""), home, *map(str, counts)))
    return _table(("id", "name", "age", "home", "domains", "preferences", "sessions"), rows)


def profile_card(profile: Profile) -> RenderableType:
    """A profile in full."""
    who = [(key.replace("_", " "), str(value)) for key, value in profile.demographics if value]
    how = [(key, str(value)) for key, value in profile.style if value]
    parts: list[RenderableType] = [_facts([*who, *how, ("interests", ", ".join(profile.interests))])]
    for domain, types in profile.preferences.items():
        parts += [
            Text(),
            Text(safe(domain), style="bold"),
            _facts([(type, _values(held)) for type, held in types.items()]),
        ]
    if profile.history:
        parts += [Text(), Text("history", style="bold"), *(_session(session) for session in profile.history)]
    title = f"{profile.name} ({profile.id})" if profile.name else profile.id
    return Panel(Group(*parts), title=Text(safe(title), style="bold"), title_align="left")


def task_table(tasks: Sequence[Task]) -> RenderableType:
    """One line a task."""
    return _table(("id", "domains", "intent"), [(task.id, ", ".join(task.domains), task.intent) for task in tasks])


def task_card(task: Task) -> RenderableType:
    """A task in full."""
    facts = [
        ("domains", ", ".join(task.domains)),
        ("intent", task.intent),
        ("goal", task.goal),
        ("description", task.description),
        ("opener", task.opener),
        ("requests", "\n".join(task.requests)),
        ("slots", ", ".join(f"{key} = {value}" for key, value in task.slots.items())),
        ("told when asked", ", ".join(task.withheld)),
        ("preferences", _pairs(task.relevant)),
        ("not to be used", _pairs(task.irrelevant)),
        ("at the start", "\n".join(f"{each.record} with {_listed(each.fields)}" for each in task.given)),
        ("must exist", "\n".join(_need(each) for each in task.require if not each.gone)),
        ("must be gone", "\n".join(_need(each) for each in task.require if each.gone)),
        ("staged", task.staged.replace("_", " ")),
        ("situations", "\n".join(_case(case) for case in task.cases)),
    ]
    return Panel(_facts(facts), title=Text(safe(task.id), style="bold"), title_align="left")


def _pairs(pairs: Sequence[Relevance]) -> str:
    return "\n".join(f"{each.domain}: {each.type}{' (ambiguous)' if each.ambiguous else ''}" for each in pairs)


def _need(need: Requirement) -> str:
    count = f"{need.count} x " if need.count > 1 else ""
    how = ", changed from the start's" if need.changes else ""
    return f"{count}{need.record}{how}{f' where {_listed(need.where)}' if need.where else ''}"


def _case(case: Case) -> str:
    where = ", ".join(value for _, value in case.situation if value)
    wants = ", ".join(f"{want.domain}: {want.type} = {want.value}" for want in case.wants)
    return f"{where}: {wants or 'as the user likes it'}"


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_told(value)}" for key, value in values.items())


def _told(value: Any) -> str:
    if not isinstance(value, Bound):
        return f"= {value}"
    bounds = (("at least", value.least), ("at most", value.most), ("one of", ", ".join(map(str, value.any)) or None))
    return " and ".join(
        f"{name} {bound:g}" if isinstance(bound, float) else f"{name} {bound}"
        for name, bound in bounds
        if bound is not None
    )


def finding_list(findings: Sequence[Finding], what: str) -> RenderableType:
    """What a check found, or that it found nothing."""
    if not findings:
        return Text(f"{what}: nothing wrong", style="green")
    lines = []
    for finding in findings:
        style = "bold red" if finding.level == "error" else "yellow"
        line = Text.assemble((finding.level, style), "  ", safe(f"{finding.where}: {finding.what}"))
        lines.append(line.append(f". {safe(finding.then)}" if finding.then else ""))
    errors = sum(finding.level == "error" for finding in findings)
    return Group(*lines, Text(f"{what}: {errors} errors, {len(findings) - errors} notes", style="bold"))


def _table(heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    """One line a row: words are cut where room is short, ids and numbers never. Empty columns are left out."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    shown = [place for place in range(len(heads)) if not rows or any(row[place] for row in rows)]
    numbers = {place for place in shown if rows and all(row[place].isdigit() for row in rows)}
    for place in shown:
        whole = place in numbers or heads[place] == "id"
        table.add_column(heads[place], no_wrap=whole, justify="right" if place in numbers else "left")
    for row in rows:
        table.add_row(*(_cell(row[place]) for place in shown))
    return table


def _cell(text: str) -> Text:
    return Text(" ".join(safe(text).split()), no_wrap=True, overflow="ellipsis")


def _facts(facts: Sequence[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in facts:
        if value:
            grid.add_row(Text(safe(name)), Text(safe(value)))
    return grid


def _values(held: Sequence[Preference]) -> str:
    return ", ".join(_value(preference) for preference in held)


def _value(preference: Preference) -> str:
    marks = [
        f"{preference.strength:g}" if preference.strength is not None else "",
        f"since {preference.since}" if preference.since else "",
        "sensitive" if preference.sensitive else "",
    ]
    told = "; ".join(mark for mark in marks if mark)
    return f"{'not ' if preference.polarity == 'avoids' else ''}{preference.value}{f' ({told})' if told else ''}"


def _session(session: Session) -> RenderableType:
    head = Text.assemble((f"{session.date or 'undated'}  {safe(session.domain)}", "cyan"), "  ", safe(session.summary))
    said = [Text(f"    {turn.role}: {safe(turn.text)}", style="dim") for turn in session.turns]
    shows = "; ".join(f"{each.type} = {each.value} ({each.kind})" for each in session.evidence)
    return Group(head, *said, *([Text(f"    shows {safe(shows)}", style="italic dim")] if shows else []))


def check_line(fine: bool | None, what: str, found: str) -> RenderableType:
    """One line of an examination; None stands for what is not there and may not be needed."""
    mark = ("– ", "dim") if fine is None else ("✓ ", "green") if fine else ("✗ ", "bold red")
    return Text.assemble(mark, (f"{safe(what)}  ", "bold"), safe(found))
