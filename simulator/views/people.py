"""Profiles, tasks and what was found wrong in them."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from duologue.profiles.checks import Finding
from duologue.profiles.profile import Preference, Profile, Session
from duologue.tasks.task import Task
from duologue.views.text import safe

__all__ = ["check_line", "finding_list", "profile_card", "profile_table", "task_card", "task_table"]


def profile_table(profiles: Sequence[Profile]) -> RenderableType:
    """One line a profile."""
    table = _table("id", "name", "age", "home", "domains", "preferences", "sessions")
    for profile in profiles:
        who = profile.demographics
        home = ", ".join(filter(None, (who.home_city, who.home_country)))
        values = sum(len(held) for types in profile.preferences.values() for held in types.values())
        counts = (len(profile.preferences), values, len(profile.history))
        table.add_row(*map(_cell, (profile.id, profile.name, who.age, home)), *map(str, counts))
    return table


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
    table = _table("id", "domains", "intent")
    for task in tasks:
        table.add_row(*map(_cell, (task.id, ", ".join(task.domains), task.intent)))
    return table


def task_card(task: Task) -> RenderableType:
    """A task in full."""
    matters = [f"{each.domain}: {each.type}{' (ambiguous)' if each.ambiguous else ''}" for each in task.relevant]
    needs = [
        f"{each.record} where {', '.join(f'{key} = {value}' for key, value in each.where.items())}"
        for each in task.require
    ]
    facts = [
        ("domains", ", ".join(task.domains)),
        ("intent", task.intent),
        ("goal", task.goal),
        ("description", task.description),
        ("opener", task.opener),
        ("slots", ", ".join(f"{key} = {value}" for key, value in task.slots.items())),
        ("preferences", "\n".join(matters)),
        ("must exist", "\n".join(needs)),
    ]
    return Panel(_facts(facts), title=Text(safe(task.id), style="bold"), title_align="left")


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


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == "id", ratio=1 if column == "intent" else None)
    return table


def _cell(text: str) -> Text:
    return Text(safe(text))


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


def check_line(fine: bool, what: str, found: str) -> RenderableType:
    """One line of an examination."""
    mark = ("✓ ", "green") if fine else ("✗ ", "bold red")
    return Text.assemble(mark, (f"{safe(what)}  ", "bold"), safe(found))
