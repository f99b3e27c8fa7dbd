"""Kinship: whether a judge is the model of an assistant that it judges, or of the same family.

Such judges tend to favour what is like their own words.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from duologue.record.run import Run
from duologue.scoring.judging import Judging

__all__ = ["Kinship", "cautions", "kin", "kinship"]

Kinship = Literal["", "self", "family"]

_FAMILIES = {
    "chatgpt": "gpt", "o": "gpt", "davinci": "gpt", "gemma": "gemini", "bard": "gemini", "qwq": "qwen", "qvq": "qwen",
    "mixtral": "mistral", "ministral": "mistral", "codestral": "mistral", "magistral": "mistral", "devstral": "mistral",
    "pixtral": "mistral", "codellama": "llama", "smolvlm": "smollm", "command": "command-r", "titan": "nova",
}  # fmt: skip
"""Names of models whose first word does not tell their family."""


def kinship(judge: str, assistant: str) -> Kinship:
    """How the model of a judge and that of an assistant are related, by their names, with or without provider."""
    ours, theirs = _bare(judge), _bare(assistant)
    if ours == theirs:
        return "self" if ours else ""
    if "scripted" in (judge.partition(":")[0], assistant.partition(":")[0]):
        return ""
    family = _family(ours)
    return "family" if family and family == _family(theirs) else ""


def kin(runs: Sequence[Run], used: Judging) -> tuple[str, ...]:
    """A sentence for each judge of `used` that is the model of an assistant of `runs`, or akin to it."""
    tables = [table for run in runs for table in run.manifest.campaign.get("assistant", ())]
    return () if used.of_state else tuple(cautions(used.judges, tables))


def cautions(judges: Iterable[str], assistants: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The same of judges by name, and of assistants as they are written."""
    for judge in judges:
        akin: dict[Kinship, dict[str, None]] = defaultdict(dict)
        for table in assistants:
            akin[kinship(judge, _model(table))][str(table.get("name"))] = None
        if akin["self"]:
            yield f"The judge {judge} is {_own(akin['self'])}: it may favour its own words."
        if akin["family"]:
            yield f"The judge {judge} is of the same family as {_own(akin['family'])}: it may favour its like."


def _model(table: Mapping[str, Any]) -> str:
    """An assistant's model; one that spoke elsewhere is mostly named after it."""
    return str(table.get("name" if table.get("elsewhere") else "model") or "")


def _own(names: Collection[str]) -> str:
    return f"the model of the assistant{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _bare(model: str) -> str:
    """A model's name without provider, folder and file ending; a script is all that it says."""
    kind, between, rest = model.partition(":")
    if kind == "scripted":
        return rest.rpartition("/")[2] if rest.endswith((".toml", ".jsonl")) else rest
    name = (rest if between else kind).replace("\\", "/").rpartition("/")[2].casefold()
    if kind == "local":
        return name.removesuffix(".gguf") or "local"
    return name


def _family(name: str) -> str:
    """The first word of a model's name, or what it is a name for."""
    word = re.match(r"[a-z]+", name)
    return _FAMILIES.get(word[0], word[0]) if word else ""
