"""Overrides: single values of a campaign changed from the command line."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from duologue.tasks.written import BadInput, nearest

__all__ = ["overridden"]


def overridden(table: Mapping[str, Any], sets: Iterable[str]) -> dict[str, Any]:
    """The campaign's table with each `KEY=VALUE` of `sets` applied.

    A key is dotted (`limits.turns`, `user.model`, `assistant.NAME.context`); `*.model` means every role
    that has a model. A value is TOML, or text where it is not. Raises BadInput for a key that leads nowhere.
    """
    changed: dict[str, Any] = dict(table)
    for entry in sets:
        key, sign, text = entry.partition("=")
        path = key.strip().split(".")
        if not sign or not all(path) or path == ["*"]:
            raise BadInput(f"{entry!r} is no KEY=VALUE", "--set", "Write it like --set limits.concurrency=50")
        changed = _set(changed, path, _value(text.strip()), entry)
    return changed


def _set(table: Mapping[str, Any], path: list[str], value: Any, entry: str) -> dict[str, Any]:
    first, rest = path[0], path[1:]
    if first == "*":
        return _everywhere(table, rest, value, entry)
    if first == "assistant":
        return {**table, "assistant": _in_assistants(table.get("assistant", []), rest, value, entry)}
    if not rest:
        return {**table, first: value}
    held = table.get(first, {})
    if not isinstance(held, Mapping):
        raise BadInput(f"{first!r} holds no table", f"--set {entry}")
    return {**table, first: _set(held, rest, value, entry)}


def _everywhere(table: Mapping[str, Any], path: list[str], value: Any, entry: str) -> dict[str, Any]:
    def role(held: Any) -> Any:
        return _set(held, path, value, entry) if isinstance(held, Mapping) and "model" in held else held

    roles = {name: role(table[name]) for name in ("user", "judge") if name in table}
    assistants = table.get("assistant", [])
    return {
        **table,
        **roles,
        "assistant": [role(each) for each in assistants] if isinstance(assistants, list) else assistants,
    }


def _in_assistants(held: list[dict[str, Any]], path: list[str], value: Any, entry: str) -> list[dict[str, Any]]:
    *name, last = path if len(path) > 1 else ["", *path]
    wanted, names = ".".join(name), [str(each.get("name") or each.get("reference")) for each in held]
    if wanted not in names:
        raise BadInput(f"no assistant {wanted!r}{nearest(wanted, names)}", f"--set {entry}", "Write assistant.NAME.KEY")
    return [{**each, last: value} if own == wanted else each for own, each in zip(names, held, strict=True)]


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
