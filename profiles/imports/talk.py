"""Messages of a chat with an assistant as the sessions of a history."""

import re
from collections.abc import Iterable
from typing import Any

from duologue.profiles.imports.person import DOMAIN
from duologue.tasks.personalens import Note

__all__ = ["sessions"]

_LABEL = re.compile(r"(user|assistant):\s+", re.IGNORECASE)


def sessions(messages: Iterable[Any], notes: list[Note]) -> list[dict[str, Any]]:
    """The sessions of `messages`: each system message begins one, and what it says is the summary where it is new."""
    found: list[dict[str, Any]] = []
    said = ""
    for message in messages:
        role, text = _role(message), _text(message, notes)
        if not text or role not in ("user", "assistant", "system"):
            notes.append(Note("dropped", "messages without words or without a known role", repr(role)))
        elif role == "system":
            found.append({"domain": DOMAIN, "summary": "" if text == said else text, "turns": []})
            said = text
        else:
            label = _LABEL.match(text)
            if label and label[1].lower() == role:
                notes.append(Note("repaired", "roles written again before the words"))
                text = text[label.end() :]
            if not found:
                found.append({"domain": DOMAIN, "summary": "", "turns": []})
            found[-1]["turns"].append({"role": role, "text": text})
    held = [each for each in found if each["summary"] or each["turns"]]
    notes.append(Note("read", "sessions", number=len(held)))
    return held


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


def _text(message: Any, notes: list[Note]) -> str:
    """The words of a message; pictures and other parts are left out."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        words = [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        notes.append(Note("dropped", "pictures and other parts of messages", number=len(content) - len(words)))
        content = "\n".join(words)
    return content.strip() if isinstance(content, str) else ""
