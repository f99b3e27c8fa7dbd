"""The rows of PersoBench: a persona, a dialogue so far, and the reply that somebody gave; from four published forms.

Source: Afzoon et al. 2024, arXiv 2410.03198, over Blended Skill Talk (Smith et al. 2020, ACL), FoCus (Jang et al. 2022,
AAAI) and IT-ConvAI2. Whose the persona is differs among them, which `persona_of` says.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duologue.bench.persobench.annotated import read_annotated
from duologue.bench.persobench.row import Annotation, PersonaOf, Row, Turn, Unfit, checked, clean
from duologue.tasks.written import BadInput, read_lines, reading

__all__ = ["FORMS", "Rows", "read_data"]

KINDS = (".json", ".jsonl", ".csv")


class Rows(NamedTuple):
    """One data set: a file."""

    name: str
    form: str
    rows: tuple[Row, ...]
    faults: tuple[str, ...]
    """A sentence for each row that is left out."""


def read_data(path: Path, annotation: Annotation, persona_of: PersonaOf | None = None) -> tuple[Rows, ...]:
    """The data set of a file, or of every file in a folder, by name.

    `annotation` is `faithful` to the paper's own preparation or `corrected`; `persona_of` says whose the persona of a
    CSV is, whatever it says. Rows that cannot be used are left out and told in `faults`. Raises BadInput: no such
    file, one of no known form, or one without a row that can be used.
    """
    files = sorted(each for each in path.iterdir() if each.suffix.lower() in KINDS) if path.is_dir() else [path]
    if not files:
        raise BadInput("holds no .json, .jsonl or .csv file", path, f"Put files of these forms there: {_FORMS}")
    stems = [file.stem for file in files]
    names = [stem if stems.count(stem) == 1 else file.name for stem, file in zip(stems, files, strict=True)]
    return tuple(_read(file, name, annotation, persona_of) for name, file in zip(names, files, strict=True))


def _read(path: Path, name: str, annotation: Annotation, persona_of: PersonaOf | None) -> Rows:
    if path.suffix.lower() == ".csv":
        form, made = "csv", read_annotated(path, name, persona_of)
    else:
        held = list(_numbered(path))
        form = _form(path, [data for _, data in held])
        make = FORMS[form][1]
        made = ((number, _made(make, data, f"{name}/{number}", annotation)) for number, data in held)
    rows, faults = [], []
    for number, each in made:
        if isinstance(each, Row):
            rows.append(each)
        else:
            faults.append(f"{path.name}, row {number}: {each}")
    if not rows:
        first = faults[0] if faults else "it is empty"
        raise BadInput(f"has no row that can be used ({first})", path, "Give the file as it was published")
    return Rows(name, form, tuple(rows), tuple(faults))


def _made(make: "Make", data: Any, id: str, annotation: Annotation) -> Row | Unfit:
    try:
        if not isinstance(data, Mapping):
            raise Unfit("it is no object")
        return checked(make(data, id, annotation))
    except Unfit as fault:
        return fault


def _form(path: Path, held: Sequence[Any]) -> str:
    """The form of a file, told by the keys of its first row of any form."""
    objects = [data for data in held if isinstance(data, Mapping)]
    form = next((name for data in objects for name, (key, _) in FORMS.items() if key in data), None)
    if form is None:
        keys = f" (keys {', '.join(sorted(map(str, objects[0]))[:6])})" if objects and objects[0] else ""
        raise BadInput(f"holds no rows of a known form{keys}", path, f"The known forms are {_FORMS}")
    return form


def _numbered(path: Path) -> Iterator[tuple[int, Any]]:
    """The rows of a file of JSON, numbered from 1; of JSON Lines by their lines."""
    if path.suffix.lower() == ".jsonl":
        yield from ((int(line.where.rpartition(":")[2]), line.data()) for line in read_lines(path))
        return
    with reading(path):
        text = path.read_text(encoding="utf-8-sig")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"is not valid JSON: {fault}", path, "Give the file as it was published") from None
    held = data.get("data") if isinstance(data, dict) else data
    if not isinstance(held, list):
        raise BadInput("holds no list of rows", path, f"The known forms are {_FORMS}")
    yield from enumerate(held, 1)


def _blended(data: Mapping[str, Any], id: str, annotation: Annotation) -> Row:
    """Two lines said before and the first free message, and the first guided one as the reply. The persona is that of
    whoever gives it; the paper's own preparation labels it as the other's."""
    said = (*_texts(data, "previous_utterance"), _texts(data, "free_messages")[0])
    context, speaker = _alternating(said)
    told: PersonaOf = "interlocutor" if annotation == "faithful" else "responder"
    return Row(
        id, _texts(data, "personas"), "responder", context, speaker, _texts(data, "guided_messages")[0], told_of=told
    )


def _focus(data: Mapping[str, Any], id: str, annotation: Annotation) -> Row:
    """The whole dialogue up to the machine's last turn, which is the reply; the persona is the human's, whose turn is
    the first. The paper's own preparation joins its sentences without a space, does not say whose they are, and
    drops apostrophes."""
    last = data.get("utterance")
    if not isinstance(last, list) or not last or not isinstance(last[-1], Mapping):
        raise Unfit("it has no utterance")
    name = next((name for name in last[-1] if name.startswith("dialogue")), "dialogue")
    said = _texts(last[-1], name)
    if len(said) % 2:
        raise Unfit("its dialogue does not end with a turn of the machine")
    context, speaker = _alternating(said[:-1])
    row = Row(id, _texts(data, "persona"), "interlocutor", context, speaker, said[-1], told_of="interlocutor")
    return _stripped(row, "", "") if annotation == "faithful" else row


def _single(data: Mapping[str, Any], id: str, annotation: Annotation) -> Row:
    """One line said; the persona is the responder's, and the data name the sentence that the reply uses. The paper's
    own preparation joins the sentences by full stops and drops apostrophes."""
    context, speaker = _alternating(_texts(data, "input"))
    persona, reply = _texts(data, "full_personas"), _texts(data, "label")[0]
    surfacing = _texts(data, "rm_persona") if data.get("rm_persona") else ()
    row = Row(id, persona, "responder", context, speaker, reply, surfacing, told_of="responder")
    return _stripped(row, ".", "responder") if annotation == "faithful" else row


Make = Callable[[Mapping[str, Any], str, Annotation], Row]
FORMS: Mapping[str, tuple[str, Make]] = {
    "bst": ("guided_messages", _blended),
    "focus": ("utterance", _focus),
    "it-convai2": ("full_personas", _single),
}
"""By form the key that tells it, and how a row is made of it. A fourth, `csv`, is PersoBench's own."""
_FORMS = "Blended Skill Talk, FoCus and IT-ConvAI2 as they were published, and PersoBench's CSV"


def _stripped(row: Row, between: str, told_of: PersonaOf | str) -> Row:
    """The row as the paper's own preparation leaves it, for the eyes of the model."""
    turns = tuple(Turn(turn.speaker, _bare(turn.text)) for turn in row.context)
    return row._replace(context=turns, shown=(_bare(between.join(row.persona)),), told_of=told_of)


def _bare(text: str) -> str:
    return text.replace("'", "").replace("’", "")


def _alternating(said: Sequence[str]) -> tuple[tuple[Turn, ...], str]:
    """What was said by turns, and who speaks next."""
    return tuple(Turn(f"User{place % 2 + 1}", text) for place, text in enumerate(said)), f"User{len(said) % 2 + 1}"


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The texts under a key, of which there is at least one. Raises Unfit."""
    held = data.get(name)
    if held in (None, "", []):
        raise Unfit(f"it has no {name}")
    listed = [held] if isinstance(held, str) else held
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise Unfit(f"its {name} is no list of texts")
    return tuple(clean(each) for each in listed)
