"""Words: whether two things said are alike, and whether a text holds a value or asks about one.

Pure functions. Texts are compared as tokens without case, punctuation or simple plurals.
"""

import calendar
import datetime
import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

__all__ = [
    "Value",
    "alike",
    "asks_about",
    "asks_at_large",
    "in_words",
    "mentions",
    "questions",
    "readable",
    "spoken",
    "tokens",
]

Value = str | int | float | bool
Words = tuple[str, ...]

# Scripts written without spaces count character by character, so that a value is found inside a sentence.
_TOKEN = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
_SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {
    **{word: str(number) for number, word in enumerate(_SMALL, 2)},
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
}
_DIGIT = re.compile(r"\d")
_QUADRATIC = 4_000_000
"""Up to how many pairs of letters two texts are compared in order: a word of 16,000 letters is no rarity."""
_LONG = 1000
"""Texts of up to so many letters are kept with their words: values and turns are compared again and again."""
_ALONE = ("one person", "for one", "just one", "just me", "only me", "by myself", "on my own", "alone")
_NEGATIONS = frozenset({"not", "no", "never", "don", "doesn", "isn", "without", "cannot", "won"})
_DATES = frozenset(name.casefold() for name in (*calendar.day_name, *calendar.month_name, "today", "tomorrow") if name)
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be by can choice choices do does favorite favourite favorites favourites for from "
        "have he her his how i in is it its kind like liked likes many most much of on or our people person prefer "
        "preference preferences preferred prefers she should some that the their them they this time to type types "
        "usual usually user users want wants what when where which who with would you your",
    )
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_REQUEST = re.compile(
    r"\?|\b(?:let me know|tell me|please (?:specify|provide|share|indicate|confirm|choose)|i need to know)\b",
    re.IGNORECASE,
)
_HEADS = frozenset({"party", "traveller", "guest", "passenger", "ticket", "seat"})
_HOW_MANY = re.compile(
    r"\bhow many (?:people|persons|guests|of you|travell?ers|passengers|seats|tickets)\b", re.IGNORECASE
)
_OPEN_QUESTION = re.compile(
    r"\b(?:any|your|specific|particular|other)\b[^?]*\bpreferences?\b|\bwhat (?:do|would) you (?:like|prefer)\s*\?",
    re.IGNORECASE,
)


def tokens(text: str) -> list[str]:
    """The words of `text`: case folded, number words from two to twelve as digits, plurals as singulars."""
    return list(_words(text))


def _words(text: str) -> Words:
    return _kept_words(text) if len(text) <= _LONG else _split(text)


def _split(text: str) -> Words:
    folded = (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")
    return tuple(map(_bare, _TOKEN.findall(folded)))


@lru_cache(maxsize=16384)
def _bare(word: str) -> str:
    return _singular(_NUMBERS.get(word, word))


_kept_words = lru_cache(maxsize=4096)(_split)


@lru_cache(maxsize=4096)
def alike(one: str, other: str) -> bool:
    """Whether both say nearly the same: 90 % of the characters, or one in the other with little beside it.

    Texts that differ in a number, a day, a month or a negation are not alike. Kept for a while: the last turns of a
    dialogue are compared after each turn.
    """
    if one == other:
        return True
    a, b = _words(one), _words(other)
    if not a or not b:
        return one.strip() == other.strip()
    short, long = sorted((a, b), key=len)
    held = len(short) >= 4 and len(short) >= 0.6 * len(long) and _holds(long, short)
    return (held or _are_near(a, b)) and _weighty(a) == _weighty(b)


def mentions(text: str, value: Value, name: str = "") -> bool:
    """Whether `text` holds `value` as whole words. A truth value is held where its `name` is."""
    if isinstance(value, bool):
        return mentions(text, readable(name)) if name else False
    said = _words(text)
    return any(_holds(said, form) if form else str(value).strip() in text for form in _wanted(str(value)))


def questions(text: str) -> str:
    """The sentences of `text` that ask something, joined; empty where none does."""
    return " ".join(sentence for sentence in _SENTENCE_END.split(text.strip()) if _REQUEST.search(sentence))


def asks_about(text: str, name: str, values: Iterable[Value] = (), description: str = "") -> bool:
    """Whether `text` asks about a thing of that name: a telling word of it, or one of its values, in a question."""
    asked = questions(text)
    said = set(tokens(asked))
    if said & _telling(f"{name} {description}") or any(mentions(asked, value) for value in values):
        return True
    return bool(_HEADS & set(tokens(readable(name)))) and bool(_HOW_MANY.search(asked))


def asks_at_large(text: str) -> bool:
    """Whether `text` asks about preferences without saying which."""
    return bool(_OPEN_QUESTION.search(questions(text)))


def readable(name: str) -> str:
    """A key such as `party_size` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").strip().lower()


def spoken(value: Value) -> str:
    """A slot's value as people say it: dates and clock times in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    forms = _forms(str(value))
    return forms[1] if len(forms) > 1 and str(value) != "1" else str(value)


def in_words(value: Value) -> str:
    """A fact's value as people write it: numbers from two to twelve, dates and clock times in words."""
    small = isinstance(value, int) and not isinstance(value, bool) and 2 <= value < 2 + len(_SMALL)
    return _SMALL[int(value) - 2] if small else spoken(value)


def _are_near(a: Words, b: Words) -> bool:
    """Whether 90 % are the same, of the characters in their order, in long texts of the words that they share."""
    if len(a) + len(b) > _LONG:
        return 2 * (Counter(a) & Counter(b)).total() >= 0.9 * (len(a) + len(b))
    one, other = " ".join(a), " ".join(b)
    if 2 * min(len(one), len(other)) < 0.9 * (len(one) + len(other)):
        return False
    if 2 * (_letters(one) & _letters(other)).total() < 0.9 * (len(one) + len(other)):
        return False  # in whatever order, too few of the letters are the same
    if len(one) * len(other) > _QUADRATIC:
        return True
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.9


@lru_cache(maxsize=1024)
def _letters(text: str) -> Counter[str]:
    return Counter(text)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _holds(long: Words, short: Words) -> bool:
    if len(short) < 2 or short[0] not in long:
        return not short or short[0] in long
    first, size = short[0], len(short)
    return any(word == first and long[at : at + size] == short for at, word in enumerate(long))


@lru_cache(maxsize=4096)
def _weighty(words: Words) -> frozenset[str]:
    return frozenset(word for word in words if word in _NEGATIONS or word in _DATES or _DIGIT.search(word))


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in tokens(readable(text)) if len(word) > 2) - _EMPTY_WORDS


@lru_cache(maxsize=4096)
def _forms(value: str) -> tuple[str, ...]:
    """The ways in which people write `value`, itself first, the most usual one second."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return _dates(value)
    clock = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", value)
    if clock:
        return (value, *_times(int(clock[1]), clock[2]))
    return (value, *_ALONE) if value == "1" else (value,)


@lru_cache(maxsize=16384)
def _wanted(value: str) -> tuple[Words, ...]:
    """The words of each of those ways."""
    return tuple(_words(form) for form in _forms(value))


def _dates(value: str) -> tuple[str, ...]:
    try:
        day = datetime.date.fromisoformat(value)
    except ValueError:
        return (value,)
    month = calendar.month_name[day.month]
    ending = "th" if 11 <= day.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    days = (str(day.day), f"{day.day}{ending}")
    return (value, *(f"{m} {d}" for m in (month, month[:3]) for d in days), *(
        f"{d} {of}{m}" for m in (month, month[:3]) for d in days for of in ("", "of ")
    ))  # fmt: skip


def _times(hour: int, minute: str) -> tuple[str, ...]:
    half, twelve = ("am" if hour < 12 else "pm"), hour % 12 or 12
    exact = tuple(f"{twelve}:{minute}{gap}{half}" for gap in (" ", ""))
    dotted = tuple(f"{twelve}:{minute} {half[0]}.m" for _ in (0,))
    short = (f"{twelve} {half}", f"{twelve}{half}", f"{twelve} {half[0]}.m") if minute == "00" else ()
    return (*short, *exact, *dotted)
