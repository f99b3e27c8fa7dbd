"""Campaigns against the loopback server."""

from collections.abc import Iterable
from typing import Any

from duologue.campaign import Campaign
from duologue.tasks.written import parse

LINES = ["I would like to see a film this week.", "On Friday, please.", "Thanks, that is all."]


def campaign(server: Any, names: Iterable[str] = ("helper",), **changes: Any) -> Campaign:
    """One scenario; a scripted user before models of the server, named as they are asked for."""
    at = {"base_url": server.base_url}
    written = {
        "name": "t",
        "user": {"script": LINES},
        "assistant": [{"name": name, "model": name, "tools": "off", **at} for name in names],
        "select": {"profiles": 1, "domains": ["Movies"], "sample": 1},
        **changes,
    }
    limits = {"concurrency": 8, "backoff": 0.01, **changes.get("limits", {})}
    return parse(Campaign, {**written, "limits": limits}, "test")


def played_by(server: Any, *roles: str) -> dict[str, dict[str, str]]:
    """Models of the server for `roles`, each called as its role."""
    return {role: {"model": role, "base_url": server.base_url} for role in roles}
