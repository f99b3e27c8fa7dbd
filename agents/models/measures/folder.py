"""A folder in the layout of the transformers library: its tokenizer and its model, as they are on disk."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from duologue.agents.ending import Failure
from duologue.tasks.written import BadInput

__all__ = ["Folder", "encoded", "open_folder", "rendered"]

_ENDLESS = 100_000
"""A tokenizer that names a longer limit than this means that it has none."""


class Folder(NamedTuple):
    """What stands in a folder."""

    path: Path
    tokenizer: Any
    model: Any
    most: int
    """How many tokens it takes."""


def open_folder(path: Path, head: str, what: str) -> Folder:
    """The model in the folder, by the class `head` of transformers. Raises BadInput where it holds no `what`."""
    import transformers

    if not (path / "config.json").is_file():
        raise BadInput("holds no model: it has no config.json", path, f"Name the folder of a {what}")
    with _quiet(transformers):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
            model, told = getattr(transformers, head).from_pretrained(
                path, local_files_only=True, output_loading_info=True
            )
        except (OSError, ValueError, KeyError, ImportError, RuntimeError, json.JSONDecodeError) as error:
            why = str(error).strip().split("\n")[0][:200]
            raise BadInput(f"holds no {what} that can be read ({why})", path, f"Name the folder of a {what}") from None
    if missing := sorted(told["missing_keys"]):
        few = ", ".join(missing[:3])
        raise BadInput(f"holds no {what}: its weights lack {few}", path, f"Name the folder of a {what}")
    model.eval()
    return Folder(path, tokenizer, model, _most(tokenizer, model.config))


def encoded(folder: Folder, texts: Sequence[str]) -> Any:
    """The texts, one or a pair, as the model takes them. Raises Failure where they are too long for it."""
    tokens = folder.tokenizer(*texts, return_tensors="pt")
    if (length := tokens["input_ids"].shape[1]) > folder.most:
        raise Failure("context_overflow", f"{length} tokens, and {folder.path.name} takes {folder.most}")
    return tokens


def rendered(folder: Folder, messages: Sequence[tuple[str, str]]) -> str:
    """The messages by the tokenizer's chat template; a line for each where it has none."""
    if folder.tokenizer.chat_template:
        told = [{"role": role, "content": words} for role, words in messages]
        return str(folder.tokenizer.apply_chat_template(told, tokenize=False))
    return "\n".join(f"{role}: {words}" for role, words in messages)


def _most(tokenizer: Any, config: Any) -> int:
    """The tokenizer's limit or that of the positions, whichever is lower; relative positions have none."""
    padded = getattr(config, "pad_token_id", None) or 0
    positions = getattr(config, "max_position_embeddings", None) or _ENDLESS
    offset = padded + 1 if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert") else 0
    return int(min(tokenizer.model_max_length, positions - offset, _ENDLESS))


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without the library's bars and remarks: what is wrong is told by us."""
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
