"""`classifier:PATH`: the logits of a sequence classifier for a text, or for two as a pair."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from duologue.agents.models.measures.folder import Folder, encoded, open_folder, rendered

__all__ = ["Classifier", "load"]


class Classifier:
    """Logits by label, as its configuration names them; `score` where it has a single one, as reward models do."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        config = folder.model.config
        named = [str(config.id2label[place]) for place in range(config.num_labels)]
        self._labels = named if len(named) > 1 else ["score"]

    def figures(self, texts: Sequence[str]) -> Mapping[str, float]:
        import torch

        with torch.inference_mode():
            logits = self._folder.model(**encoded(self._folder, texts)).logits[0]
        return dict(zip(self._labels, map(float, logits), strict=True))

    def rendered(self, messages: Sequence[tuple[str, str]]) -> str:
        return rendered(self._folder, messages)


def load(path: Path) -> Classifier:
    """The classifier in a folder. Raises BadInput."""
    return Classifier(open_folder(path, "AutoModelForSequenceClassification", "sequence classifier"))
