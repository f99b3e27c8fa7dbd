"""Writing down whom another format's data tell of, one person at a time, with a tally of what became of the rows."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from duologue.profiles.imports.formats import FORMATS
from duologue.profiles.imports.person import DOMAIN, Person, Read
from duologue.profiles.profile import Profile
from duologue.profiles.tally import Tally, Tallying
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.personalens import Note
from duologue.tasks.written import BadInput, parse, read_records, written_whole

__all__ = ["Imported", "import_people"]

ABOUT = "What a persona says of the person."


class Imported(NamedTuple):
    """What an import wrote, and what it met."""

    profiles: int
    file: Path
    domains: Path
    """The file that the domain of the personas stands in."""
    tally: Tally


def import_people(name: str, path: Path, to: Path) -> Imported:
    """Write whom the data at `path`, of the format `name`, tell of into the folder or `.jsonl` file `to`.

    Of whom was written no more is kept in memory than a number each. Raises BadInput where nobody can be taken, or
    where the data are of another format; then nothing is written.
    """
    import jsonlines

    if not path.exists():
        raise BadInput("no such file or folder", path, f"Expected {FORMATS[name].what}")
    file = to if to.suffix == ".jsonl" else to / "profiles.jsonl"
    if path.is_file() and file.resolve() == path.resolve():
        raise BadInput("would be written over itself", path, "Name another file or folder in --to")
    tallying, taking, types = Tallying(), _Taking(), dict[str, None]()
    with _writable(file), written_whole(file) as text, jsonlines.Writer(text, compact=True) as lines:
        for profile in taking.people(FORMATS[name].people(path), tallying):
            types.update(dict.fromkeys(profile.preferences.get(DOMAIN, ())))
            lines.write(profile.model_dump(mode="json", exclude_defaults=True))
        if not taking.taken:
            raise BadInput(f"holds nobody who can be taken{_why(tallying.tally())}", path)
        _add_domain(file.with_name("domains.jsonl"), types)
    return Imported(taking.taken, file, file.with_name("domains.jsonl"), tallying.tally())


class _Taking:
    """Takes people, each once and each under an id of their own."""

    def __init__(self) -> None:
        self.taken = 0
        self._ids: set[int] = set()
        self._known: set[int] = set()

    def people(self, read: Iterable[Read], tallying: Tallying) -> Iterator[Profile]:
        """The people of `read` who can be taken; what became of the others goes to `tallying`."""
        for each in read:
            if isinstance(each, BadInput):
                tallying.count([_unread(each)])
            elif isinstance(each, list):
                tallying.count(each)
            elif profile := self._profile(each, tallying):
                self.taken += 1
                tallying.count([*each.notes, Note("read", "people")])
                yield profile

    def _profile(self, person: Person, tallying: Tallying) -> Profile | None:
        if person.data is None:
            tallying.count([*person.notes, Note("dropped", "people of whom nothing is said", person.where)])
            return None
        try:
            profile = parse(Profile, {"id": person.id, **person.data}, person.where)
            mark = _mark(profile.model_dump(mode="json", exclude={"id"}, exclude_defaults=True))
        except UnicodeEncodeError:
            tallying.count([_unread(BadInput("holds half a character, which cannot be written", person.where))])
            return None
        except BadInput as fault:
            tallying.count([_unread(fault)])
            return None
        if mark in self._known:
            tallying.count([Note("dropped", "people who were read before, word for word", person.where)])
            return None
        self._known.add(mark)
        if _mark(person.id) not in self._ids:
            self._ids.add(_mark(person.id))
            return profile
        tallying.count([Note("repaired", "ids that somebody else had", person.id)])
        return profile.model_copy(update={"id": f"{person.id}~{self.taken + 1}"})


def _unread(fault: BadInput) -> Note:
    return Note("dropped", "rows that cannot be read", str(fault))


def _mark(what: Any) -> int:
    """Eight bytes that stand for `what`: the texts themselves would fill the memory.

    Raises UnicodeEncodeError where it holds half a character.
    """
    text = json.dumps(what, ensure_ascii=False, sort_keys=True)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _why(tally: Tally) -> str:
    left = "; ".join(f"{count.number:,} {kind}" for kind, count in tally.dropped.items())
    return f" (left out: {left})" if left else ""


@contextmanager
def _writable(file: Path) -> Iterator[None]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise BadInput(f"cannot be written ({error.strerror})", file) from None


def _add_domain(path: Path, types: Iterable[str]) -> None:
    """The domain of the personas, with these types, beside the domains that `path` holds already."""
    import jsonlines

    held = list(read_records(path, Domain)) if path.is_file() else []
    before = next((each.preferences for each in held if each.name == DOMAIN), ())
    known = {type.name for type in before}
    added = (PreferenceType(name=name, open=True) for name in types if name not in known)
    domain = Domain(name=DOMAIN, description=ABOUT, preferences=(*before, *added))
    with written_whole(path) as text, jsonlines.Writer(text, compact=True) as lines:
        for each in (*(each for each in held if each.name != DOMAIN), domain):
            lines.write(each.model_dump(mode="json", exclude_defaults=True))
