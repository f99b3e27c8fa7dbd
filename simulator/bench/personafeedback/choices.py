"""What may be chosen of PersonaFeedback's protocol."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from duologue.bench.personafeedback.cases import FAMILIES, TIERS, Case
from duologue.tasks.written import Written

__all__ = ["RAG", "Choices"]

RAG = "RAG (our configuration)"
"""What results got with retrieval are marked with: how the paper retrieved is not public."""
RETRIEVERS = {
    "bm25": "bm25",
    "embedding": "vectors of the embedded model",
    "hybrid": "bm25 and vectors of the embedded model, ranks fused",
}


class Choices(Written):
    """`--set KEY=VALUE` of this bench."""

    setting: Literal["profile", "rag", "none"] = "profile"
    """What is told of the person: the whole persona, what is found in it for the question, or nothing."""
    style: Literal["choice", "score", "likelihood", "generate"] = "choice"
    """Whether to choose between two answers, to score each by itself, to weigh how much likelier the persona makes
    each, or to write one that is compared."""
    retriever: Literal["bm25", "embedding", "hybrid"] = "bm25"
    """Whether `rag` goes by words, by vectors of the embedded model, or by both."""
    k: int = Field(default=5, ge=1, le=100)
    """How many facts of the persona `rag` finds."""
    families: tuple[Literal["general", "specific"], ...] = Field(default=("general", "specific"), min_length=1)
    tiers: tuple[Literal["easy", "medium", "hard"], ...] = Field(default=("easy", "medium", "hard"), min_length=1)
    each: int | None = Field(default=None, ge=1)
    """How many cases of each family and tier, drawn by the seed; the follow-up took 50."""
    answer_tokens: int = Field(default=2000, ge=1, le=100_000)
    """How long an answer may become that `generate` has written."""
    annotations: str = ""
    """A file of votes on cases, and of facts that chosen answers rely on, in the data's folder or an absolute path."""

    @field_validator("families", "tiers", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return [part.strip() for part in value.split(",")] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _fits(self) -> "Choices":
        if self.style == "likelihood" and self.setting == "none":
            raise ValueError("style=likelihood weighs what the persona adds: take setting=profile or setting=rag")
        if self.setting != "rag" and (idle := self.model_fields_set & {"retriever", "k"}):
            raise ValueError(
                f"{' and '.join(sorted(idle))} say how facts are found: take setting=rag, or leave them out"
            )
        return self

    @property
    def seeks(self) -> bool:
        """Whether vectors are needed."""
        return self.setting == "rag" and self.retriever != "bm25"

    @property
    def roles(self) -> tuple[str, ...]:
        """Who is asked."""
        return ("model", "judge", "reference") if self.style == "generate" else ("model",)

    def marked(self, title: str) -> str:
        """The title of a table, marked where its figures rest on retrieval."""
        return f"{title}, {RAG}" if self.setting == "rag" else title

    def takes(self, case: Case) -> bool:
        """Whether the case is of a family and a tier that were chosen."""
        return case.family in self.families and case.tier in self.tiers

    @property
    def told(self) -> dict[str, str]:
        """What was chosen, in words."""
        styles = {
            "choice": "the better of two answers, in both orders",
            "score": "a score for each answer by itself",
            "likelihood": "how much likelier the persona makes each answer",
            "generate": "an answer of its own, judged against a reference's in both orders",
        }
        settings = {
            "profile": "the whole persona",
            "rag": f"{RAG}: {self.k} facts of the persona found for the question by {RETRIEVERS[self.retriever]}",
            "none": "nothing of the person",
        }
        few = {} if len(self.families) == len(FAMILIES) else {"families": ", ".join(self.families)}
        few |= {} if len(self.tiers) == len(TIERS) else {"tiers": ", ".join(self.tiers)}
        few |= {"each": f"{self.each} of each family and tier"} if self.each else {}
        few |= {"annotations": self.annotations} if self.annotations else {}
        return {"asked for": styles[self.style], "told": settings[self.setting], **few}
