"""`encoder:PATH`: how alike two texts are by the vectors of their tokens. `encoder:PATH?layer=17` takes that layer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from duologue.agents.models.measures.folder import Folder, encoded, open_folder, rendered
from duologue.tasks.written import BadInput

__all__ = ["Encoder", "load"]


class Encoder:
    """BERTScore's `precision`, `recall` and `f1` of the first text beside the second, and the `cosine` of their means.

    Each token is matched with the one most alike in the other text, by the cosine of their vectors; precision is the
    mean over the first text's tokens, recall over the second's, f1 their harmonic mean. No idf, no rescaling; the
    tokenizer's marks of beginning and end count, as in the reference implementation (Zhang et al. 2020, ICLR).
    """

    def __init__(self, folder: Folder, layer: int) -> None:
        self._folder, self._layer = folder, layer

    def figures(self, texts: Sequence[str]) -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            first, second = (self._vectors(text) for text in texts)
            alike = torch.nn.functional.normalize(first, dim=1) @ torch.nn.functional.normalize(second, dim=1).T
            precision, recall = (float(alike.max(dim=side).values.mean()) for side in (1, 0))
            cosine = float(torch.nn.functional.cosine_similarity(first.mean(0), second.mean(0), dim=0))
        both = precision + recall
        f1 = 2 * precision * recall / both if both > 0 else 0.0
        return {"precision": precision, "recall": recall, "f1": f1, "cosine": cosine}

    def _vectors(self, text: str) -> Any:
        found = self._folder.model(**encoded(self._folder, [text]), output_hidden_states=True)
        return found.hidden_states[self._layer][0]

    def rendered(self, messages: Sequence[tuple[str, str]]) -> str:
        return rendered(self._folder, messages)


def load(path: Path, layer: int | None = None) -> Encoder:
    """The encoder in a folder, and which of its layers is read: by default the last, of RoBERTa's large form the 17th,
    as the reference implementation of BERTScore has it. Raises BadInput."""
    folder = open_folder(path, "AutoModel", "encoder")
    layers = int(getattr(folder.model.config, "num_hidden_layers", 0))
    large = folder.model.config.model_type == "roberta" and layers == 24
    chosen = (17 if large else layers) if layer is None else layer
    if not 0 <= chosen <= layers:
        raise BadInput(f"has {layers} layers, and no layer {chosen}", path, f"Write layer=0 to layer={layers}")
    return Encoder(folder, chosen)
