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
