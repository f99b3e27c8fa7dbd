"""Lives: demographics, way of talking and hobbies that fit a person's traits, as plain data of a profile."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from duologue.profiles.drawing import Draws
from duologue.profiles.names import Country, countries, names
from duologue.tasks.noun import article
from duologue.tasks.written import read_toml

__all__ = ["life"]

PRONOUNS = {"woman": "she/her", "man": "he/him", "non-binary": "they/them"}
ADULT, YOUNG, RETIRED, OLDEST = 19, 27, 67, 86


def life(traits: Mapping[str, str], draws: Draws) -> dict[str, Any]:
    """`name`, `demographics`, `style` and `interests` of a person of these traits. Nothing of it bears on tastes."""
    gender = draws.one(("woman", "man")) if draws.unit() > 0.04 else "non-binary"
    home = draws.one(countries())
    born = home if draws.unit() > 0.15 else draws.one(countries())
    age = _age(traits["company"], draws)
    household, status = _household(age, traits["company"], draws)
    employment, education = _work(age, traits, draws)
    return {
        "name": names()[born.name].draw(gender, draws),
        "demographics": {
            "age": str(age),
            "gender": gender,
            "pronouns": PRONOUNS[gender],
            "employment": employment,
            "education": education,
            "household": household,
            "marital_status": status,
            **_languages(home, born, draws),
            **({"religion": draws.one(born.faiths)} if draws.unit() < 0.4 else {}),
            "birth_country": born.name,
            "home_country": home.name,
            "home_city": draws.one(home.places[traits["place"]]),
        },
        "style": _style(draws),
        "interests": draws.several(_lives()["interests"]["hobbies"], draws.between(2, 4)),
    }


def _age(company: str, draws: Draws) -> int:
    """Families are mostly in the middle of life, shared flats mostly young, and both have exceptions."""
    if company == "family" and draws.unit() < 0.75:
        return draws.between(28, 58)
    if company == "friends" and draws.unit() < 0.6:
        return draws.between(19, 39)
    return draws.between(ADULT, OLDEST)


def _household(age: int, company: str, draws: Draws) -> tuple[str, str]:
    homes = _lives()["household"]
    if company == "alone":
        return draws.one(homes["alone"]), draws.one(_alone_since(age))
    if company == "couple":
        return draws.one(homes["couple"][:3] if age < 50 else homes["couple"]), _paired(age, draws)
    if company == "friends":
        return draws.one(homes["friends"]), draws.one(_friendly(age))
    if age < 27:
        return draws.one(homes["child"]), "single"
    if age >= 62:
        return draws.one(homes["grandparent"]), draws.one(("widowed", "divorced"))
    if draws.unit() < 0.25:
        return draws.one(homes["parent"]), draws.one(("separated", "divorced", "widowed"))
    return draws.one(homes["family"]), _paired(age, draws)


def _alone_since(age: int) -> tuple[str, ...]:
    return ("single",) if age < 30 else ("single", "divorced", "separated") if age < 60 else ("widowed", "divorced")


def _friendly(age: int) -> tuple[str, ...]:
    return ("single",) if age < 30 else ("single", "single", "separated") if age < 60 else ("widowed", "divorced")


def _paired(age: int, draws: Draws) -> str:
    return draws.one(("unmarried", "engaged", "married") if age < 35 else ("married", "married", "registered partners"))


def _work(age: int, traits: Mapping[str, str], draws: Draws) -> tuple[str, str]:
    """What a person does, and what they learned for it."""
    budget = traits["budget"]
    if age >= RETIRED:
        work = draws.one(_works("retired"))
        return f"retired {draws.one(work['jobs'])}", draws.one(work["learned"])
    if age < YOUNG:
        work = draws.one(_works("young", "budget", budget))
        return draws.one(work["jobs"]), draws.one(work["learned"][: 1 if age < 23 else 2])
    by = "rhythm" if budget != "ample" and draws.unit() < 0.4 else "budget"
    work = draws.one(_works("work", by, traits[by]))
    job, learned = draws.one(work["jobs"]), draws.one(work["learned"])
    if budget == "tight" and draws.unit() < 0.12:
        return f"between jobs, last {article(job)} {job}", learned
    return job, learned


def _languages(home: Country, born: Country, draws: Draws) -> dict[str, str]:
    tongues = dict.fromkeys(f"{born.languages}, {home.languages}, English".split(", "))
    well = home.native or born.native or draws.one(_lives()["english"]["learned"])
    return {"languages": ", ".join(tongues), "english_proficiency": well}


def _style(draws: Draws) -> dict[str, Any]:
    ways = _lives()["style"]
    style: dict[str, Any] = {key: draws.one(ways[key]) for key in ("tone", "verbosity", "formality")}
    patience = draws.between(2, 6)
    return style if patience == 3 else {**style, "patience": patience}


@cache
def _lives() -> dict[str, Any]:
    return read_toml(files("duologue.profiles") / "lives.toml")


@cache
def _works(part: str, key: str = "", level: str = "") -> tuple[dict[str, Any], ...]:
    """The tables of work in `part` that are for that level of the trait `key`."""
    return tuple(table for table in _lives()[part] if not key or table.get(key) == level)
