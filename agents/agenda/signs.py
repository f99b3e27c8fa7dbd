"""Signs: the turns of phrase by which a clause of an assistant shows what it does, whatever it is about.

The turns of phrase are data, `signs.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from duologue.agents.agenda.claims import Deed, deed, is_firm
from duologue.agents.agenda.clauses import Clause, Kind
from duologue.agents.agenda.patterns import any_of
from duologue.agents.agenda.vocabulary import words as vocabulary

__all__ = ["Mood", "is_denied", "is_unavailable", "listed_names", "mood"]


class Mood:
    """What a clause of that text, its words and kind does, by its turns of phrase. Each sign is looked for once, when
    it is asked for.

    `deeds` are further forms in which something is told as made.
    """

    def __init__(self, text: str, words: tuple[str, ...], kind: Kind, deeds: tuple[re.Pattern[str], ...] = ()) -> None:
        self._text, self._words, self._deeds = text, words, deeds
        self._kind, self._asks = kind, kind != "statement"

    @cached_property
    def reports(self) -> Deed:
        """What it tells as done. A question tells nothing."""
        if self._kind == "question" or (self._asks and not is_firm(self._text)):
            return ""
        return deed(self._text, self._words, self._deeds)

    @cached_property
    def offers(self) -> bool:
        """It puts something forward."""
        return self._shows("offers")

    @cached_property
    def go_ahead(self) -> bool:
        """It asks whether to go on, or whether something is right."""
        if self.anything_else or self.small_talk:
            return False
        if self.or_go_on or self._shows("ready"):
            return True
        if not self._asks:
            return self._shows("invites")
        return self._shows("go_ahead") and not (self._shows("open") and not self._shows("about"))

    @cached_property
    def concludes(self) -> bool:
        """It asks whether to do now what has only been prepared."""
        return self._kind != "statement" and self.go_ahead and self._shows("concludes")

    @cached_property
    def choose(self) -> bool:
        """It asks to pick one of several."""
        return self._asks and not self.anything_else and self._shows("choose")

    @cached_property
    def at_large(self) -> bool:
        """It asks for preferences without saying which."""
        return (
            self._asks and not self.or_go_on and self._shows("at_large") and self._words[-2:] != ("your", "preference")
        )

    @cached_property
    def anything_else(self) -> bool:
        """It asks what more there is to do, or takes its leave."""
        return not self.at_large and not self.or_go_on and self._shows("anything_else")

    @cached_property
    def or_go_on(self) -> bool:
        """It asks whether to go on as things are."""
        return self._asks and self._shows("or_go_on")

    @cached_property
    def small_talk(self) -> bool:
        """It asks how one is, or nothing."""
        return self._kind == "question" and self._shows("small_talk")

    @cached_property
    def refuses(self) -> bool:
        """It says that something cannot or will not be done."""
        idle = not self.reports and not self.anything_else
        return idle and self._shows("refuses") and not self._shows("no_refusal")

    @cached_property
    def lacking(self) -> bool:
        """It says that there is none of the kind, or none free."""
        return not self.reports and (self.unavailable or self._shows("lacking"))

    @cached_property
    def unavailable(self) -> bool:
        """It says that something cannot be had."""
        return self._shows("unavailable")

    @cached_property
    def waits(self) -> bool:
        """It says that it is about to do something, or asks for a moment."""
        return not self._asks and not self.reports and self._shows("waits")

    @cached_property
    def sums_up(self) -> bool:
        """It says again what the user asked for."""
        return not self.reports and self._shows("sums_up")

    @cached_property
    def labelled(self) -> bool:
        """It gives a value under a label, such as "Day: Friday"."""
        return self._shows("labelled")

    def _shows(self, sign: str) -> bool:
        return _signs()[sign].search(self._text) is not None


@lru_cache(maxsize=8192)
def mood(text: str, words: tuple[str, ...], kind: Kind, deeds: tuple[re.Pattern[str], ...] = ()) -> Mood:
    """The mood of a clause. Kept for a while: an assistant says "You're welcome." again and again."""
    return Mood(text, words, kind, deeds)


def is_denied(words: Sequence[str], start: int) -> bool:
    """Whether the phrase that begins at `start` is denied by the words before it."""
    before = list(words[max(0, start - 4) : start])
    if not before:
        return False
    if before[-2:] in (["instead", "of"], ["rather", "than"], ["other", "than"], ["apart", "from"], ["except", "for"]):
        return True
    if before[-1] in vocabulary("denials"):
        return True
    if before[-1] in vocabulary("between") and before[-2:-1] and before[-2] in vocabulary("denials"):
        return True
    return "t" in before[-3:] and before[-1] in vocabulary("serving")


def is_unavailable(words: Sequence[str], start: int, end: int) -> bool:
    """Whether what stands at `start` up to `end` is what a clause says cannot be had, not what it offers instead."""
    marks = [at for at, word in enumerate(words) if word in vocabulary("gone") and not start <= at < end]
    turns = [at for at, word in enumerate(words) if word in vocabulary("turning")]
    return any(not any(min(at, start) < turn < max(at, start) for turn in turns) for at in marks)


def listed_names(parts: Sequence[Clause]) -> Iterator[str]:
    """What the items of a list, or bold words, name: the capitalised words at their head."""
    for part in parts:
        if part.kind != "statement":
            continue
        head = _HEAD.match(part.plain) if part.item else None
        bold = re.search(r"\*\*([^*:]{3,40})\*\*", part.quote)
        name = (bold[1] if bold else head[1] if head else "").strip(" .,:–-")
        if len(name) > 2 and name.split()[0].lower() not in vocabulary("labels"):
            yield name


@cache
def _signs() -> dict[str, re.Pattern[str]]:
    written = tomllib.loads((files("duologue.agents.agenda") / "signs.toml").read_text(encoding="utf-8"))
    act = f"(?:{'|'.join(written.pop('act'))})"
    return {name: any_of(way.replace("<act>", act) for way in ways) for name, ways in written.items()}


_HEAD = re.compile(
    r"\W*((?:(?:the|la|le|el|de|of|and|&)\s+)*[^\W\d_a-z][\w'’&.-]*"
    r"(?:\s+(?:(?:of|the|and|de|la|&)\s+)*[^\W\d_a-z][\w'’&.-]*)*)"
)
