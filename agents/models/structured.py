"""Structured answers: one JSON object out of a model's text, or why there is none."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from duologue.agents.models.call import Schema
from duologue.agents.models.reasoning import separate

__all__ = ["Unreadable", "end_of", "parsed", "read_object", "strict", "unbounded"]

_BOUNDS = ("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "pattern")
_STARTS = re.compile(r'\{(?=\s*(?:["}]|\Z))')
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_UNCLOSED = re.compile(r"\A\s*<(?:think|thinking|thought|thoughts|reasoning)\b[^>]*>", re.IGNORECASE)

Form = Schema | Mapping[str, Any] | type[BaseModel] | None


class Unreadable(Exception):
    """A text without one object to read in it; `why` says so in a few words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def read_object(text: str, form: Form = None) -> dict[str, Any]:
    """The one JSON object in `text`: bare, in a fence, or amid prose; reasoning is passed over.

    With a `form` (a JSON schema or a pydantic model), objects that share no key with it are passed over,
    keys that it requires must be there, and a model must accept the object, which is returned as it was written.
    Raises Unreadable: empty, cut off, no object, two that differ, not valid JSON, NaN or Infinity, not in the form.
    """
    said = separate(text)[0]
    if not said.strip():
        raise Unreadable("empty")
    if _UNCLOSED.match(said):
        raise Unreadable("cut off inside its reasoning")
    found = _relevant(_whole(said) or list(_objects(said)), form)
    if any(canonical != _canonical(found[0]) for canonical in map(_canonical, found[1:])):
        raise Unreadable("two objects that differ")
    _check(found[0], form)
    return found[0]


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` in the shape that strict endpoints take: every key required, no others, no defaults."""
    shaped = {key: _strict(value, key) for key, value in schema.items() if key != "default"}
    if isinstance(shaped.get("properties"), dict):
        shaped |= {"additionalProperties": False, "required": list(shaped["properties"])}
    return shaped


def unbounded(schema: Any) -> Any:
    """`schema` without lengths, ranges and patterns, which some endpoints refuse."""
    if isinstance(schema, list):
        return [unbounded(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _BOUNDS or isinstance(value, Mapping)}
    return {key: unbounded(value) for key, value in kept.items()}


def _strict(value: Any, key: str) -> Any:
    if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
        return {name: strict(inner) if isinstance(inner, Mapping) else inner for name, inner in value.items()}
    if key in ("enum", "const", "required", "examples"):
        return value
    if isinstance(value, Mapping):
        return strict(value)
    return [_strict(item, "") for item in value] if isinstance(value, list) else value


def _whole(text: str) -> list[dict[str, Any]]:
    """The object that all of `text` is, as it mostly is; nothing where it is not."""
    text = text.strip()
    value = _loaded(text) if text.startswith("{") and text.endswith("}") else ""
    return [value] if isinstance(value, dict) else []


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost objects in `text`. Raises Unreadable where one is cut off or none can be read."""
    slices: list[str] = []
    fault, at = "no object", 0
    while start := _STARTS.search(text, at):
        end = end_of(text, start.start())
        if end is None:
            rest = text[start.start() :].rstrip().rstrip("`").rstrip()
            if not any(whole.startswith(rest) for whole in slices):
                raise Unreadable("cut off")
            break
        slices.append(text[start.start() : end])
        at = end
    read = 0
    for whole in slices:
        value = parsed(whole)
        if isinstance(value, str):
            fault = value
        else:
            read += 1
            yield value
    if not read:
        raise Unreadable(fault if slices or "{" not in text else "not valid JSON")


def end_of(text: str, start: int) -> int | None:
    """Where the object that starts at `start` ends, or None where it does not."""
    depth = 0
    for token in _TOKENS.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None


def parsed(text: str) -> dict[str, Any] | str:
    """The object that `text` is, or what is wrong with it. Raises Unreadable where it holds what JSON cannot mean."""
    return _loaded(_TRAILING.sub(lambda found: found[1] or "", text))


def _loaded(text: str) -> dict[str, Any] | str:
    try:
        value = json.loads(
            text, strict=False, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_no_twins
        )
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}" if not isinstance(error, RecursionError) else "nested too deep"
    return value if isinstance(value, dict) else "no object"


def _no_number(name: str) -> NoReturn:
    raise Unreadable(f"holds {name}, which is no number")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number("Infinity")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for key, value in pairs:
        if key in whole and _canonical(whole[key]) != _canonical(value):
            raise Unreadable(f"says {key!r} twice, differently")
        whole[key] = value
    return whole


def _relevant(found: list[dict[str, Any]], form: Form) -> list[dict[str, Any]]:
    """Those that share a key with the form; an empty object counts where there is nothing else."""
    known = set(_shape(form).get("properties", {}))
    close = [value for value in found if (known & set(value) if known else value)]
    return close or found


def _check(value: dict[str, Any], form: Form) -> None:
    missing = [key for key in _shape(form).get("required", ()) if key not in value]
    if missing:
        raise Unreadable(f"lacks {', '.join(map(repr, missing))}")
    if form is not None and not isinstance(form, Schema | Mapping):
        try:
            form.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            raise Unreadable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _shape(form: Form) -> Mapping[str, Any]:
    if form is None:
        return {}
    if isinstance(form, Schema):
        return form.schema
    return form if isinstance(form, Mapping) else form.model_json_schema()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
