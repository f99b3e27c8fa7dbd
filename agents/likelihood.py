"""The expected score: what a judge's endpoint tells of the probabilities at the place where a score stands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from duologue.agents.answers import Unclear, read_score
from duologue.agents.dimension import Dimension, Scale
from duologue.agents.models.call import Token
from duologue.agents.verdict import Score

__all__ = ["with_expected"]

_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_WHOLE = re.compile(r"[^a-z0-9]|$")


def with_expected(
    scores: Mapping[str, Score], dimensions: Sequence[Dimension], tokens: Sequence[Token]
) -> dict[str, Score]:
    """`scores` with the expected one and the mass behind it, where `tokens`, the answer as it was made, tell them.

    They tell it where the first letter of each point differs from all others', and where what stands in the answer
    at that place is the score that was read.
    """
    if not tokens:
        return dict(scores)
    text = "".join(token.text for token in tokens)
    ends = list(accumulate(len(token.text) for token in tokens))
    places = _places(text)
    told = dict(scores)
    for dimension in dimensions:
        place = places.get(dimension.name)
        if place is None or not _stands(told[dimension.name], dimension, text[slice(*place)].strip('"')):
            continue
        start = place[0] + (text[place[0]] == '"')
        at = next(index for index, end in enumerate(ends) if end > start)
        before = text[ends[at] - len(tokens[at].text) : start]
        if found := _expected(tokens[at], before, dimension):
            update = {"expected": found[0], "mass": found[1]}
            told[dimension.name] = told[dimension.name].model_copy(update=update)
    return told


def _stands(score: Score, dimension: Dimension, written: str) -> bool:
    """Whether what is `written` is the score that was read."""
    try:
        return score.value is not None and read_score(written, dimension) == score.value
    except Unclear:
        return False


def _expected(token: Token, before: str, dimension: Dimension) -> tuple[float, float] | None:
    """The expected point and the mass on all points, by the likeliest tokens in the place of `token`, of which
    `before` stands before the score. None where points cannot be told apart by their first letters."""
    points = dimension.points
    if len({point[0] for point in points}) < len(points):
        return None
    mass = dict.fromkeys(points, 0.0)
    for text, probability in token.likely:
        if point := _point(text, before, points):
            mass[point] += probability
    whole = sum(mass.values())
    if not whole:
        return None
    weights = range(len(points)) if not isinstance(dimension.scale, Scale) else map(int, points)
    return sum(weight * mass[point] for weight, point in zip(weights, points, strict=True)) / whole, min(whole, 1.0)


def _point(text: str, before: str, points: Sequence[str]) -> str | None:
    """The point that a token begins with or is the beginning of, once what stands before the score is gone."""
    if before.strip(' \n"') and not text.startswith(before):
        return None
    rest = text.removeprefix(before).lstrip(' \n"').casefold()
    for point in points:
        if (rest.startswith(point) and _WHOLE.match(rest, len(point))) or (rest and point.startswith(rest)):
            return point
    return None


def _places(text: str) -> dict[str, tuple[int, int]]:
    """Where the score of each dimension stands in an answer, by the name; of several places the last."""
    places = {}
    for path, start, end in _scalars(text):
        name = path[-2] if len(path) > 1 and path[-1] == "score" else path[-1]
        if path[-1] not in ("reason", "quote", "turn"):
            places[name] = (start, end)
    return places


def _scalars(text: str) -> Iterator[tuple[list[str], int, int]]:
    """The words and numbers of the objects in `text`: the keys that lead there, and where they stand."""
    path: list[str] = []
    key, after = "", False
    for part in _PARTS.finditer(text):
        sign = part[0]
        if sign == "{":
            path.append(key)
            after = False
        elif sign == "}":
            path = path[:-1]
            after = False
        elif sign == ":":
            after = True
        elif sign == ",":
            after = False
        elif after:
            yield [*path[1:], key], part.start(), part.end()
            after = False
        elif sign[0] == '"':
            key = sign[1:-1]
