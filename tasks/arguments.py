"""Arguments: what an assistant passes to a tool, checked against the tool and put into the world's own spelling.

A wrong one is told in a sentence from which the assistant can go on.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from duologue.tasks.tool import Tool
from duologue.tasks.written import nearest

__all__ = ["Refusal", "checked"]


class Refusal(Exception):
    """Why the world does not do what was asked, as the assistant is told it."""


def checked(tool: Tool, arguments: Mapping[str, Any] | str, *, whole: bool = True) -> dict[str, Any]:
    """The arguments with values as the schema spells them. Raises Refusal for the first that is wrong, or missing
    where they are to be `whole`."""
    given = _object(arguments)
    properties = tool.parameters["properties"]
    for name in given:
        if name not in properties:
            hint = nearest(name, properties) or "."
            raise Refusal(f"{tool.name} has no argument {name!r}{hint} It takes: {_listed(properties)}.")
    kept = {name: value for name, value in given.items() if value is not None and value != ""}
    missing = [name for name in tool.parameters["required"] if name not in kept]
    if missing and whole:
        raise Refusal(f"{tool.name} needs {_listed(missing)} as well.")
    return {name: _fitting(name, value, properties[name]) for name, value in kept.items()}


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise Refusal("The arguments are no JSON. Pass one JSON object.") from None
    if not isinstance(arguments, Mapping):
        raise Refusal("The arguments must be one JSON object.")
    return arguments


def _fitting(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    kind = schema["type"]
    if kind == "array":
        several = value if isinstance(value, list | tuple) else [value]
        return tuple(dict.fromkeys(_fitting(name, each, schema["items"]) for each in several))
    if kind == "boolean":
        return _truth(name, value)
    if kind in ("number", "integer"):
        return _number(name, value, schema)
    if not isinstance(value, str):
        if isinstance(value, bool | list | dict):
            raise Refusal(f"{name} must be a text, not {json.dumps(value)}.")
        value = str(value)
    if "enum" in schema:
        return _choice(name, value, schema["enum"])
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value.strip()):
        form = str(schema.get("description") or schema["pattern"]).rstrip(".")
        raise Refusal(f"{name} {value!r} does not have the right form: {form}.")
    return value.strip()


def _choice(name: str, value: str, known: list[str]) -> str:
    if value in known:
        return value
    folded = {each.casefold().replace("_", " "): each for each in known}
    found = folded.get(value.strip().casefold().replace("_", " "))
    if found is None:
        raise Refusal(f"{name} cannot be {value!r}. Possible: {_listed(known)}.")
    return found


def _truth(name: str, value: Any) -> bool:
    words = {"true": True, "yes": True, "false": False, "no": False}
    found = value if isinstance(value, bool) else words.get(str(value).strip().casefold())
    if found is None:
        raise Refusal(f"{name} must be true or false, not {value!r}.")
    return found


def _number(name: str, value: Any, schema: Mapping[str, Any]) -> int | float:
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not math.isfinite(number):
        shown = repr(value)[:40] if isinstance(value, bool | float | str) else "this"
        raise Refusal(f"{name} must be a number, not {shown}.")
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and number < least) or (most is not None and number > most):
        raise Refusal(f"{name} must lie between {_bound(least)} and {_bound(most)}, not {value}.")
    whole = int(number)
    if whole != number and schema["type"] == "integer":
        raise Refusal(f"{name} must be a whole number, not {value}.")
    return whole if whole == number else number


def _bound(bound: float | None) -> str:
    return "any number" if bound is None else f"{bound:g}"


def _listed(names: Any) -> str:
    return ", ".join(names) or "nothing"
