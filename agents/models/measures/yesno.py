"""`yesno:PATH`: how surely a sequence-to-sequence model such as T5 begins its answer with Yes rather than No."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from duologue.agents.models.measures.folder import Folder, encoded, open_folder, rendered
from duologue.tasks.written import BadInput

__all__ = ["YesNo", "load"]


class YesNo:
    """`yes` = P(Yes) / (P(Yes) + P(No)) at the first place of the answer (Zhong et al. 2022, UniEval, EMNLP)."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._yes, self._no = (_token(folder, word) for word in ("Yes", "No"))
        if self._yes == self._no:
            raise BadInput("cannot tell Yes from No by their first tokens", folder.path, "Name another model")

    def figures(self, texts: Sequence[str]) -> Mapping[str, float]:
        import torch

        model = self._folder.model
        begun = torch.tensor([[model.config.decoder_start_token_id or 0]])
        with torch.inference_mode():
            logits = model(**encoded(self._folder, texts), decoder_input_ids=begun).logits[0, 0]
        return {"yes": float(torch.sigmoid(logits[self._yes] - logits[self._no]))}

    def rendered(self, messages: Sequence[tuple[str, str]]) -> str:
        return rendered(self._folder, messages)


def _token(folder: Folder, word: str) -> Any:
    return folder.tokenizer(word)["input_ids"][0]


def load(path: Path) -> YesNo:
    """The model in a folder. Raises BadInput."""
    return YesNo(open_folder(path, "AutoModelForSeq2SeqLM", "sequence-to-sequence model"))
