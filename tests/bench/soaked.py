"""What a soaked run left on disk: whether it is whole, ended as it had to, and is the same as another."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duologue.tasks.chance import number

TURNS, DRAFTS, STEPS = 4, 3, 13
"""How often a user speaks, how often it is asked for a turn, and how many steps a turn of an assistant may have."""
UNFINISHED = ("interrupted", "budget")
"""How dialogues end that are gone on with."""
UNTIMED = ("time", "seconds", "retries")
PORT = re.compile(r"(?<=127\.0\.0\.1):\d+")

Line = dict[str, Any]


def records(folder: Path, kind: str) -> Iterator[Line]:
    """The lines of a record as they stand, but for a last one of a file that is cut off."""
    for path in sorted(folder.glob(f"{kind}-*.jsonl")):
        lines = path.read_bytes().split(b"\n")
        for line in lines[:-1]:
            yield json.loads(line)


@dataclass(slots=True)
class Record:
    """What is on disk of a run: the events and the last verdicts of each cell, and what is wrong with them."""

    cells: dict[str, list[Line]]
    verdicts: dict[tuple[str, str], Line]
    faults: list[str]


def read(folder: Path) -> Record:
    cells: defaultdict[str, list[Line]] = defaultdict(list)
    skipped: Counter[str] = Counter()
    faults = []
    for event in records(folder, "events"):
        held = cells[event["cell"]]
        if held and held[-1].get("ending", {}).get("reason") in UNFINISHED:
            held.pop()
            skipped[event["cell"]] += 1
        event["seq"] -= skipped[event["cell"]]
        if held and event["seq"] <= held[-1]["seq"]:
            if held[event["seq"] - 1] == event or held[event["seq"] - 1]["kind"] != "tool_call":
                faults.append(f"{event['cell']}: event {event['seq']} ({event['kind']}) twice")
            del held[event["seq"] - 1 :]
        if event["seq"] != len(held) + 1:
            faults.append(f"{event['cell']}: event {len(held) + 1} is missing before {event['seq']}")
        if held and held[-1]["kind"] == "cell_ended":
            faults.append(f"{event['cell']}: goes on with {event['kind']} after its end")
        held.append(event)
    verdicts: dict[tuple[str, str], Line] = {}
    for verdict in records(folder, "verdicts"):
        key = verdict["cell"], verdict["judge"]
        if (before := verdicts.get(key)) and before["owner"] != "infrastructure":
            faults.append(f"{key[0]}: judged twice by {key[1]}")
        verdicts[key] = verdict
    return Record(dict(cells), verdicts, faults + list(_misshapen(cells)))


def _misshapen(cells: Mapping[str, Sequence[Line]]) -> Iterator[str]:
    """What no dialogue may look like: turns twice or out of order, no end."""
    for cell, events in cells.items():
        turns = [(event["turn"], event["role"]) for event in events if event["kind"] in ("user_turn", "assistant_turn")]
        rightly = [(n // 2 + 1, ("user", "assistant")[n % 2]) for n in range(len(turns))]
        if turns != rightly:
            yield f"{cell}: turns {turns}"
        if events[-1]["kind"] != "cell_ended":
            yield f"{cell}: has no end"
        elif events[-1]["ending"]["reason"] in UNFINISHED:
            yield f"{cell}: was not gone on with"


def expected(root: int, begun: Line, events: Sequence[Line], final: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Why a dialogue must end, and at whom, by what the server gave it and what its user said; `root` is the campaign's
    seed."""
    turns = 1 + sum(event["kind"] in ("user_turn", "assistant_turn") for event in events) // 2
    met = [(role, final[place]) for role, place in _places(root, begun, turns) if place in final]
    if met:
        return met[0][1][0], met[0][0]
    ended = [event for event in events if event["kind"] != "cell_ended"]
    if [event["kind"] for event in ended[-DRAFTS:]] == ["user_draft"] * DRAFTS:
        return "user_broken", "user"
    stops = [event["reason"] for event in ended if event["kind"] == "user_turn" and event["stop"]]
    if stops:
        return stops[-1], "user"
    return ("turn_limit", "simulator") if turns > TURNS else ("", "")


def _places(root: int, begun: Line, turns: int) -> Iterator[tuple[str, str]]:
    """What the calls of a dialogue are known by, in their order: their role and model, seed, and assistant's desk."""

    def seed(role: str, turn: int, attempt: int, purpose: str) -> int:
        return number(root, begun["scenario"], role, begun["trial"], turn, attempt, purpose) % 2**31

    desk = begun["assistant"]
    for turn in range(1, turns + 1):
        for attempt in range(DRAFTS):
            for named in ("-", desk):
                yield "user", f"user {seed('user', turn, attempt, 'turn')} {named}"
        for step in range(STEPS):
            yield "assistant", f"{desk} {seed('assistant', turn, step, 'reply')} {desk}"


def _judge_place(root: int, begun: Line) -> str:
    seed = number(root, begun["scenario"], "judge", begun["trial"], 0, 0, "verdict") % 2**31
    return f"judge {seed} {begun['assistant']}"


OWNERS = {
    ("content_filter", "user"): "simulator", ("context_overflow", "user"): "simulator",
    ("content_filter", "assistant"): "assistant", ("context_overflow", "assistant"): "assistant",
    ("provider_error", "user"): "infrastructure", ("provider_error", "assistant"): "infrastructure",
    ("user_broken", "user"): "simulator", ("loop", "assistant"): "assistant", ("empty", "assistant"): "assistant",
    ("turn_limit", "simulator"): "limits", ("satisfied", "user"): "user", ("gave_up", "user"): "user",
}  # fmt: skip


def _rightly_blamed(owner: str, met: str) -> bool:
    """Whether who is blamed for a verdict's missing scores fits the final fault that the judge met, if it met one."""
    if not met:
        return owner != "infrastructure"
    return owner == ("judge" if met == "context_overflow" else "infrastructure")


def misjudged(root: int, record: Record, final: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Dialogues that ended for another reason than they should, or whose verdict is not what it should be."""
    for cell, events in record.cells.items():
        begun, last = events[0], events[-1]
        if last["kind"] != "cell_ended":
            continue
        end = last["ending"]
        found, wanted = (end["reason"], end["role"]), expected(root, begun, events, final)
        undecided = not wanted[0] and found in (("loop", "assistant"), ("empty", "assistant"))
        if found != wanted and not undecided:
            yield f"{cell}: ended with {found} ({end['detail']}), not {wanted}"
        if OWNERS.get(found) != end["owner"]:
            yield f"{cell}: {found} is blamed on {end['owner']}"
        verdict = record.verdicts.get((cell, "judge"))
        if end["reason"] not in ("satisfied", "gave_up", "turn_limit"):
            if verdict:
                yield f"{cell}: is judged, though it ended with {end['reason']}"
            continue
        if verdict is None:
            yield f"{cell}: has no verdict"
        elif not _rightly_blamed(verdict["owner"], met := final.get(_judge_place(root, begun), [""])[0]):
            yield f"{cell}: its judge met {met or 'no fault'}, and {verdict['owner']} is blamed: {verdict['unscored']}"
        if last["state"] is not None and (cell, "state") not in record.verdicts:
            yield f"{cell}: its end state was not read"


def stripped(held: Any) -> Any:
    """A record without times, without how often calls were made, and without the server's port."""
    if isinstance(held, dict):
        return {key: stripped(value) for key, value in held.items() if key not in UNTIMED}
    if isinstance(held, str):
        return PORT.sub("", held)
    return [stripped(each) for each in held] if isinstance(held, list) else held


def unlike(one: Record, other: Record) -> Iterator[str]:
    """What differs between two runs of the same campaign."""
    for cell in one.cells.keys() | other.cells.keys():
        pair = [stripped(record.cells.get(cell, [])) for record in (one, other)]
        if pair[0] != pair[1]:
            yield f"{cell}: {_difference(*pair)}"
    for key in one.verdicts.keys() | other.verdicts.keys():
        pair = [stripped(record.verdicts.get(key, {})) for record in (one, other)]
        if pair[0] != pair[1]:
            yield f"{key[0]}: the verdicts of {key[1]} differ: {_difference([pair[0]], [pair[1]])}"


def _difference(one: Sequence[Line], other: Sequence[Line]) -> str:
    for a, b in zip(one, other, strict=False):
        if a != b:
            keys = [key for key in a | b if a.get(key) != b.get(key)]
            return f"{a.get('kind', '')} {a.get('seq', '')}: " + ", ".join(
                f"{key} {str(a.get(key))[:300]} / {str(b.get(key))[:300]}" for key in keys
            )
    return f"{len(one)} events / {len(other)}"
