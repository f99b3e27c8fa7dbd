"""What may be chosen of PersoBench's protocol."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import AliasChoices, Field, field_validator

from duologue.bench.persobench.formats import Level
from duologue.bench.persobench.row import Annotation, PersonaOf
from duologue.tasks.written import Written

__all__ = ["TOKENS", "WORDS", "Choices", "Prompt"]

Prompt = Literal["vanilla", "cot"]
TOKENS: Mapping[Prompt, int] = {"vanilla": 110, "cot": 220}
"""How many an answer may have in the paper, reasoning among them."""
WORDS = 110


class Choices(Written):
    """`--set KEY=VALUE` of this bench."""

    prompts: tuple[Prompt, ...] = Field(
        default=("vanilla",), min_length=1, validation_alias=AliasChoices("prompts", "prompt")
    )
    """To reply at once, or (`cot`) to think first, within the answer."""
    tokens: int | None = Field(default=None, ge=1)
    """How many an answer may have under either prompt; where it is left out as many as in the paper."""
    words: int = Field(default=WORDS, ge=1)
    """How many a reply is allowed to have by the prompt."""
    level: Level = "first_object"
    """How strictly the replies are read that are measured. The form is told at all levels."""
    form: Literal["asked", "schema"] = "asked"
    """Whether JSON is asked for in words, which is what the form measures, or forced by a schema."""
    annotation: Annotation = "corrected"
    """Whether the data are prepared as the paper did, flaws and all, or without these."""
    persona_of: PersonaOf | None = None
    """Whose the persona of a CSV is; where it is left out as its label says."""
    cohort: tuple[float, ...] = ()
    """Failure ratios of the models compared, for instructability."""

    @field_validator("prompts", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        listed = value.split(",") if isinstance(value, str) else value
        return tuple(dict.fromkeys(map(str.strip, listed))) if isinstance(value, str) else listed

    @field_validator("cohort", mode="before")
    @classmethod
    def _ratios(cls, value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else (value,)

    @field_validator("cohort")
    @classmethod
    def _shares(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if stray := [ratio for ratio in value if not 0 <= ratio <= 1]:
            raise ValueError(f"{stray[0]} is no share from 0 to 1")
        return value

    def cap(self, prompt: Prompt) -> int:
        """How many tokens an answer to `prompt` may have."""
        return self.tokens or TOKENS[prompt]

    @property
    def as_published(self) -> bool:
        """Whether replies are asked for and read as the paper did of open models, wording of prompts aside."""
        usual = self.tokens is None and self.words == WORDS
        return usual and self.form == "asked" and self.level == "first_object" and self.persona_of is None

    @property
    def told(self) -> dict[str, str]:
        """What was chosen, in words."""
        caps = ", ".join(f"{self.cap(prompt)} ({prompt})" for prompt in self.prompts)
        few = {"persona of a CSV": f"the {self.persona_of}'s" if self.persona_of != "both" else "of both"}
        return {
            "prompts": ", ".join(self.prompts),
            "tokens": f"at most {caps}{'' if self.tokens else ', as in the paper'}",
            "words": f"at most {self.words} by the prompt",
            "JSON": "asked for in words" if self.form == "asked" else "forced by a schema",
            "measured replies": f"those read at level {self.level}",
            "annotation": {"faithful": "as in the paper", "corrected": "corrected"}[self.annotation],
            **(few if self.persona_of else {}),
            **({"cohort": f"failure ratios {', '.join(map(str, self.cohort))}"} if self.cohort else {}),
        }
