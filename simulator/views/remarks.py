"""What there is to know about the pairings of a comparison: of each one, and of several once."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from duologue.comparing.comparison import Difference, Pairing
from duologue.comparing.difference import LEVEL
from duologue.scoring.measures import EFFORT, SHARES, label
from duologue.statistics.interval import FEWEST
from duologue.views.difference import signed
from duologue.views.layout import QUIET, WARN, joined
from duologue.views.text import clip, count, plain, safe

__all__ = ["parted", "profiles_of", "remarks"]

Remark = tuple[str, Text]


def parted(pairings: Sequence[Pairing], beside: bool) -> tuple[list[list[Remark]], list[Remark]]:
    """The remarks that each pairing alone has, and once those of several, with the pairings where not all have it.

    What scores had to leave out is told in a line or two over all of them: whole it stands with two assistants.
    """
    known = [list(_general(pairing, "the first of the two")) for pairing in pairings]
    whose: dict[str, list[Pairing]] = defaultdict(list)
    for pairing, held in zip(pairings, known, strict=True):
        for _, told in held:
            whose[told.plain].append(pairing)
    common = {told.plain: (name, told) for held in known for name, told in held if len(whose[told.plain]) > 1}
    alone = [[remark for remark in held if remark[1].plain not in common] for held in known]
    names = list(dict.fromkeys(name for name, _ in common.values()))
    several = [(name, _of(whose[key], len(pairings)).append_text(told)) for key, (name, told) in common.items()]
    return alone, [*sorted(several, key=lambda remark: names.index(remark[0])), *_missing(pairings)]


def _of(some: Sequence[Pairing], all: int) -> Text:
    """For which pairings a remark holds; nothing where for all. More than two are counted."""
    if len(some) == all:
        return Text()
    if len(some) <= 2:
        return Text(f"{safe(', '.join(f'{each.a} against {each.b}' for each in some))}: ", style=QUIET)
    both = set.intersection(*({each.a, each.b} for each in some))
    told = f"{len(some)} of {all} comparisons" + (f", all with {safe(both.pop())}" if both else "")
    return Text(f"{told}: ", style=QUIET)


def _missing(pairings: Sequence[Pairing]) -> Iterator[Remark]:
    """What several pairings could not use, with the reason that there is most often."""
    scores = [(pairing, each) for pairing in pairings if pairing.pairs for each in pairing.differences]
    lacking = [(pairing, each) for pairing, each in scores if _reasons([each])]
    none = [(pairing, each) for pairing, each in lacking if not each.pairs]
    some = [(pairing, each) for pairing, each in lacking if each.pairs and each.metric not in EFFORT]
    for name, held, told in (("no pairs", none, "{} of {}"), ("left out", some, "pairs from {} of {}")):
        if held:
            apart = len({(pairing.a, pairing.b) for pairing, _ in held})
            kinds = count(len({each.metric for _, each in held}), "score")
            (why, _), *others = _reasons([each for _, each in held]).most_common()
            more = f", and {count(len(others), 'other reason')}" if others else ""
            line = f"{told.format(kinds, count(apart, 'comparison'))}; most often {clip(why, 60)}{more}"
            yield name, Text(line, style=QUIET)


def _reasons(differences: Iterable[Difference]) -> Counter[str]:
    """Why scores of two who both ran the scenario are missing, with how often."""
    return Counter(dropped.why for each in differences for dropped in each.dropped if "not run" not in dropped.why)


def profiles_of(pairing: Pairing) -> int:
    """With how many profiles the two were compared."""
    return max((each.profiles for each in pairing.differences), default=0)


def remarks(pairing: Pairing, first: str, beside: bool) -> Iterator[Remark]:
    """All there is to know about one pairing. `first` is what the first of the two is called."""
    yield from _general(pairing, first)
    if pairing.pairs:
        yield from _pairless(pairing.differences, beside)
        yield from _dropped(pairing.differences, beside)


def _general(pairing: Pairing, first: str) -> Iterator[Remark]:
    """How to read the scores of a pairing, and what to know about the two."""
    if not pairing.pairs:
        return
    profiles = profiles_of(pairing)
    if any(each.pairs and each.metric not in EFFORT for each in pairing.differences):
        told = f"wins/ties/losses: profiles with which {first} is higher, equal, lower on average"
        yield "w/t/l", Text(told, style=QUIET)
    for note in pairing.notes:
        yield "note", plain(note, WARN)
    if profiles < FEWEST:
        told = f"none is shown with {count(profiles, 'profile')}: below {FEWEST} it would be a guess"
    else:
        told = "95 %, from a bootstrap over whole profiles"
    yield "intervals", Text(told, style=WARN if profiles < FEWEST else QUIET)
    if any(each.p is not None for each in pairing.differences):
        told = (
            "by flipping whole profiles, adjusted for all the scores compared (Holm); a difference is shown where p is "
            f"at most {LEVEL:g} and the interval leaves out 0"
        )
        yield "p", Text(told, style=QUIET)
    if pairing.unpaired:
        yield "no pair", joined([f"{times} {safe(why)}" for why, times in pairing.unpaired.items()])


def _pairless(differences: Iterable[Difference], beside: bool) -> Iterator[Remark]:
    """The metrics that no pair has, those with the same reasons together."""
    alike: dict[tuple[tuple[str, int], ...], list[str]] = defaultdict(list)
    for each in differences:
        if not each.pairs:
            held = [dropped.why for dropped in each.dropped if "not run" not in dropped.why]
            alike[tuple(Counter(held).most_common())].append(label(each.metric, beside))
    for place, (reasons, names) in enumerate(alike.items()):
        told = [f"{times} × {clip(why, 110)}" for why, times in reasons[:2]] or ["they apply to none"]
        told += ["and others"] if len(reasons) > 2 else []
        yield "" if place else "no pairs", Text(f"{', '.join(names)} ({'; '.join(told)})", style=QUIET)


def _dropped(differences: Iterable[Difference], beside: bool) -> Iterator[Remark]:
    """The pairs that scores had to leave out, each set of reasons once, and what they could change at worst."""
    alike: dict[tuple[tuple[str, int], ...], list[Difference]] = defaultdict(list)
    for each in differences:
        if each.dropped and each.pairs and each.metric not in EFFORT:
            alike[tuple(Counter(dropped.why for dropped in each.dropped).most_common())].append(each)
    for reasons, held in alike.items():
        names = ", ".join(label(d.metric, beside) for d in held)
        told = Text(f"{count(sum(times for _, times in reasons), 'pair')} from {names}")
        for why, times in reasons[:3]:
            told.append(f"\n{times} × {clip(why, 110)}", style=WARN)
        if len(reasons) > 3:
            told.append(f"\nand {count(len(reasons) - 3, 'more reason')}: --json lists all", style=QUIET)
        worst = [f"{label(d.metric, beside)} {_range(d)}" for d in held if d.worst is not None]
        if worst:
            told.append("\nwhatever they had scored, the difference would lie in: ", style=QUIET).append_text(
                joined(worst)
            )
        yield "left out", told


def _range(each: Difference) -> str:
    assert each.worst is not None
    low, high = (signed(end, each.metric in SHARES) for end in each.worst)
    return f"{low} to {high}{' points' if each.metric in SHARES else ''}"
