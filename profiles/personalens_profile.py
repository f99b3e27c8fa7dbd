"""One user of PersonaLens as a profile, and the domains as the profiles show them where no schema does."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from duologue.profiles.profile import Profile
from duologue.tasks.domain import Domain, PreferenceType
from duologue.tasks.personalens import NO_RESTRICTION, Note, domain_name, read_json, type_name
from duologue.tasks.written import BadInput, nearest, parse

__all__ = ["Vocabulary", "learn_domains", "profile_of"]

SECTIONS = ("affinities", "demographics", "interests", "interactions")
DEMOGRAPHICS = {
    "age": "age",
    "gender": "gender",
    "employment_status": "employment",
    "education": "education",
    "marital_status": "marital_status",
    "english_proficiency": "english_proficiency",
    "ethnicity": "ethnicity",
    "religion": "religion",
    "birth_country": "birth_country",
    "reside_country": "home_country",
}
NOT_SAID = ("", "n/a", "prefer not to say")


class Vocabulary:
    """The domains, and the listed spelling of each value that they know."""

    def __init__(self, domains: Mapping[str, Domain]) -> None:
        self.domains = domains
        self._listed = {
            (domain.name, type.name): {value.casefold(): value for value in type.values}
            for domain in domains.values()
            for type in domain.preferences
        }

    def listed(self, domain: str, type: str, value: str) -> tuple[str, Note | None]:
        """`value` in the spelling of its type's list, or as it is where the list lacks it."""
        values = self._listed[domain, type]
        spelt = values.get(value.casefold(), value)
        told = f"{domain}, {type}: {value!r}"
        if values and value.casefold() not in values:
            return value, Note("kept", "preference values outside the listed ones", told)
        if spelt != value:
            return spelt, Note("repaired", "preference values in another case", f"{told} is {spelt!r}")
        return spelt, None


def profile_of(id: str, data: Mapping[str, Any], known: Vocabulary, where: Path) -> tuple[Profile, list[Note]]:
    """A user's file as a profile. Raises BadInput where a section is missing.

    Preferences and history are those of the domains that the user is interested in; the source also
    fills in the others, which nothing here would ask for. The history has no dates: the source gives none.
    An empty list is no preference, but for dietary restrictions, where it says `none`.
    """
    for section in SECTIONS:
        if not isinstance(data.get(section), dict):
            raise BadInput(f"lacks the section {section!r}", where)
    notes: list[Note] = []
    interests = _interests(data["interests"], known, notes)
    profile = {
        "id": id,
        "demographics": _demographics(data["demographics"], notes),
        "interests": interests,
        "preferences": {
            domain: _preferences(domain, block, known, notes)
            for domain, block in _of_interest("preferences", data["affinities"], interests, known, notes)
        },
        "history": [
            {"domain": domain, "summary": text}
            for domain, text in _of_interest("past interactions", data["interactions"], interests, known, notes)
            if _is_text(f"past interaction in {domain}", text, notes)
        ],
    }
    return parse(Profile, profile, where), [Note("read", "users"), *notes]


def _interests(mask: dict[str, Any], known: Vocabulary, notes: list[Note]) -> list[str]:
    return [domain for domain, value in _by_domain("interests", mask, known, notes) if value in (1, "1")]


def _by_domain(what: str, section: dict[str, Any], known: Vocabulary, notes: list[Note]) -> list[tuple[str, Any]]:
    """The section's entries under the names of known domains; a key that is right wins over one that was repaired."""
    found: dict[str, Any] = {}
    for key, value in section.items():
        name = domain_name(key, known.domains)
        if name is None:
            notes.append(Note("dropped", f"{what} in unknown domains", repr(key) + nearest(key, known.domains)))
        elif name == key:
            found[name] = value
        else:
            notes.append(Note("repaired", "domain names with stray marks", f"{key!r} is {name}"))
            found.setdefault(name, value)
    return list(found.items())


def _of_interest(
    what: str, section: dict[str, Any], interests: list[str], known: Vocabulary, notes: list[Note]
) -> list[tuple[str, Any]]:
    entries = _by_domain(what, section, known, notes)
    kept = [(domain, value) for domain, value in entries if domain in interests]
    notes.append(Note("dropped", f"{what} in domains without interest", number=len(entries) - len(kept)))
    return kept


def _demographics(answers: dict[str, Any], notes: list[Note]) -> dict[str, str]:
    said = {}
    for key, answer in answers.items():
        if key == "user_id":
            continue
        if key not in DEMOGRAPHICS or not isinstance(answer, str | int):
            notes.append(Note("dropped", "demographic answers that have no place", f"{key!r}: {answer!r}"))
        elif str(answer).strip().casefold() in NOT_SAID:
            notes.append(Note("repaired", "demographic answers that say nothing (left empty)", f"{key}: {answer!r}"))
        else:
            said[DEMOGRAPHICS[key]] = str(answer).strip()
    return said


def _preferences(domain: str, block: Any, known: Vocabulary, notes: list[Note]) -> dict[str, list[str]]:
    if not isinstance(block, dict):
        notes.append(Note("dropped", "preferences that are no table", f"{domain}: {block!r}"))
        return {}
    found: dict[str, list[str]] = {}
    for key, value in block.items():
        type = type_name(key, known.domains[domain])
        if type is None:
            types = [t.name for t in known.domains[domain].preferences]
            what = f"{domain}: {key!r}{nearest(key, types)}"
            notes.append(Note("dropped", "preference types that their domain does not have", what))
            continue
        if type != key:
            notes.append(Note("repaired", "preference types spelt otherwise", f"{domain}: {key!r} is {type!r}"))
        if values := _values(domain, type, value, known, notes):
            found[type] = values
    return found


def _values(domain: str, type: str, value: Any, known: Vocabulary, notes: list[Note]) -> list[str]:
    """The values of one preference type, in the listed spelling, each once."""
    given = value if isinstance(value, list) else [value]
    texts = [v.strip() for v in given if _is_text(f"{domain}, {type}", v, notes)]
    said = [v for v in texts if v.casefold() not in NOT_SAID]
    if not said and (domain, type) == NO_RESTRICTION:
        notes.append(Note("repaired", "empty dietary restrictions (read as none)"))
        return ["none"]
    if not said:
        notes.append(Note("repaired", "empty preferences (read as no preference)", f"{domain}, {type}: {value!r}"))
    spelt = [known.listed(domain, type, v) for v in said]
    notes += [Note("read", "preference values", number=len(said)), *(note for _, note in spelt if note)]
    values = list(dict.fromkeys(v for v, _ in spelt))
    notes.append(Note("repaired", "preference values given twice", f"{domain}, {type}", len(spelt) - len(values)))
    return values


def _is_text(what: str, value: Any, notes: list[Note]) -> bool:
    """Whether `value` is text that says something; a note where it is no text at all."""
    if not isinstance(value, str):
        notes.append(Note("dropped", "values that are no text", f"{what}: {value!r}"))
    return isinstance(value, str) and bool(value.strip())


def learn_domains(files: Iterable[Path], names: Iterable[str]) -> dict[str, Domain]:
    """Domains without descriptions and lists, from the preferences in users' files, for the domains in `names`."""
    types: dict[str, dict[str, bool]] = {name: {} for name in names}
    for path in files:
        try:
            blocks = read_json(path, dict).get("affinities")
        except BadInput:
            continue
        for key, block in blocks.items() if isinstance(blocks, dict) else ():
            name = domain_name(key, types)
            if name and isinstance(block, dict):
                types[name].update({type: isinstance(value, list) for type, value in block.items()})
    return {
        name: Domain(
            name=name,
            preferences=tuple(PreferenceType(name=t, multiple=many, open=True) for t, many in found.items()),
        )
        for name, found in types.items()
    }
