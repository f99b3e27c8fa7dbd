"""LangChain: every other provider, and any runnable."""

from typing import Any, Mapping
from duologue.agents.models.call import CallLimits, Model

PROVIDERS: dict[str, str] = {}


def open_langchain(provider: str, name: str, limits: CallLimits, given: Mapping[str, Any]) -> Model:
    raise NotImplementedError
