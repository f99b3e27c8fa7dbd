"""What may be chosen of PersonaFeedback's protocol."""

from typing import Any, Literal

from pydantic import Field, field_validator

from duologue.bench.personafeedback.cases import FAMILIES, TIERS, Case
from duologue.tasks.written import Written

__all__ = ["Choices"]


class Choices(Written):
    """`--set KEY=VALUE` of this bench."""

    setting: Literal["profile", "rag", "none"] = "profile"
    """What is told of the person: the whole persona, what is found in it for the question, or nothing."""
    style: Literal["choice", "score", "generate"] = "choice"
    """Whether to choose between two answers, to score each by itself, or to write one that is compared."""
    retriever: Literal["bm25"] = "bm25"
    k: int = Field(default=5, ge=1, le=100)
    """How many facts of the persona `rag` finds."""
    families: tuple[Literal["general", "specific"], ...] = Field(default=("general", "specific"), min_length=1)
    tiers: tuple[Literal["easy", "medium", "hard"], ...] = Field(default=("easy", "medium", "hard"), min_length=1)

    @field_validator("families", "tiers", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return value.split(",") if isinstance(value, str) else value

    def takes(self, case: Case) -> bool:
        """Whether the case is of a family and a tier that were chosen."""
        return case.family in self.families and case.tier in self.tiers

    @property
    def told(self) -> dict[str, str]:
        """What was chosen, in words."""
        styles = {"choice": "the better of two answers, in both orders", "score": "each answer by itself"}
        settings = {
            "profile": "the whole persona",
            "rag": f"{self.k} facts of the persona found by {self.retriever} for the question (our configuration)",
            "none": "nothing of the person",
        }
        few = {} if len(self.families) == len(FAMILIES) else {"families": ", ".join(self.families)}
        few |= {} if len(self.tiers) == len(TIERS) else {"tiers": ", ".join(self.tiers)}
        return {"asked for": styles.get(self.style, "an answer of its own"), "told": settings[self.setting], **few}
