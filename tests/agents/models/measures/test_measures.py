"""Measures, on models made at random: what they tell is computed beside by hand."""

import math
from pathlib import Path
from typing import Any

import pytest

from duologue.agents.ending import Failure
from duologue.agents.message import Message
from duologue.agents.models.call import Request
from duologue.agents.models.door import ModelSpec, open_model
from duologue.tasks.written import BadInput

torch = pytest.importorskip("torch", reason="the extra nli is not installed")
transformers = pytest.importorskip("transformers", reason="the extra nli is not installed")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "</s>", "Yes", "No", "i", "have", "a", "dog", "cats", "tea", "?", "."]
SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}


def tokenizer(longest: int = 12) -> Any:
    import tokenizers
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import TemplateProcessing

    held = tokenizers.Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    held.pre_tokenizer = WhitespaceSplit()
    marks = [("[CLS]", 2), ("[SEP]", 3)]
    pair = "[CLS] $A [SEP] $B:1 [SEP]:1"
    held.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", pair=pair, special_tokens=marks)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "sep_token": "[SEP]", "cls_token": "[CLS]"}
    given = ["input_ids", "token_type_ids", "attention_mask"]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=held, model_max_length=longest, model_input_names=given, **names
    )


def bert(path: Path, head: str = "BertForSequenceClassification", **config: Any) -> Path:
    torch.manual_seed(3)
    made = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=12, **SIZE, **config)
    getattr(transformers, head)(made).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


async def figures(model: str, *texts: str) -> dict[str, float]:
    opened = open_model(ModelSpec(model=model))
    await opened.start()
    return dict((await opened.complete(Request(texts=texts))).figures)


async def fault(model: str) -> str:
    with pytest.raises(BadInput) as raised:
        await open_model(ModelSpec(model=model)).start()
    return str(raised.value)


async def test_a_classifier_tells_its_logits_by_label_and_reads_a_pair_as_a_pair(tmp_path: Path) -> None:
    named = {0: "contradiction", 1: "neutral", 2: "entailment"}
    path = bert(tmp_path / "nli", id2label=named, label2id={label: place for place, label in named.items()})
    told = await figures(f"classifier:{path}", "i have a dog", "cats")
    model = transformers.BertForSequenceClassification.from_pretrained(path).eval()
    ids = torch.tensor([[2, 7, 8, 9, 10, 3, 11, 3]])
    kinds = torch.tensor([[0, 0, 0, 0, 0, 0, 1, 1]])
    with torch.no_grad():
        wanted = model(input_ids=ids, token_type_ids=kinds).logits[0].tolist()
    assert told == pytest.approx(dict(zip(named.values(), wanted, strict=True)), abs=1e-5)
    assert told != await figures(f"classifier:{path}", "i have a dog cats")


async def test_a_single_label_is_a_score_and_messages_are_read_as_one_text(tmp_path: Path) -> None:
    path = bert(tmp_path / "reward", num_labels=1)
    opened = open_model(ModelSpec(model=f"classifier:{path}"))
    asked = (Message("user", "i have"), Message("assistant", "a dog"))
    told = (await opened.complete(Request(messages=asked))).figures
    assert told == pytest.approx(await figures(f"classifier:{path}", "user: i have\nassistant: a dog"))
    assert list(told) == ["score"]


async def test_what_is_too_long_fails_and_is_not_cut(tmp_path: Path) -> None:
    path = bert(tmp_path / "nli", num_labels=3)
    with pytest.raises(Failure, match="14 tokens, and nli takes 12") as raised:
        await figures(f"classifier:{path}", "i have a dog . " * 2 + "tea tea")
    assert raised.value.reason == "context_overflow"


async def test_an_encoder_matches_each_token_with_the_one_most_alike(tmp_path: Path) -> None:
    path = bert(tmp_path / "encoder", "BertModel")
    model = transformers.BertModel.from_pretrained(path).eval()
    with torch.no_grad():
        first, second = (
            model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[1][0]
            for ids in ([2, 7, 8, 3], [2, 10, 3])
        )
    alike = [[float(torch.cosine_similarity(a, b, dim=0)) for b in second] for a in first]
    precision = sum(map(max, alike)) / 4
    recall = sum(max(row[place] for row in alike) for place in range(3)) / 3
    cosine = float(torch.cosine_similarity(first.mean(0), second.mean(0), dim=0))
    wanted = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "cosine": cosine,
    }
    assert await figures(f"encoder:{path}?layer=1", "i have", "dog") == pytest.approx(wanted, abs=1e-5)
    same = await figures(f"encoder:{path}", "i have", "i have")
    assert same == pytest.approx(dict.fromkeys(same, 1.0), abs=1e-5)
    assert "no layer 3" in await fault(f"encoder:{path}?layer=3")


async def test_yes_by_yes_and_no_at_the_first_place(tmp_path: Path) -> None:
    torch.manual_seed(5)
    config = transformers.T5Config(
        vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=4,
    )  # fmt: skip
    path = tmp_path / "unieval"
    transformers.T5ForConditionalGeneration(config).save_pretrained(path)
    held = tokenizer(64)
    held.model_input_names = ["input_ids", "attention_mask"]
    from tokenizers.processors import TemplateProcessing

    held.backend_tokenizer.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 4)])
    held.save_pretrained(path)
    model = transformers.T5ForConditionalGeneration.from_pretrained(path).eval()
    with torch.no_grad():
        answer = model(input_ids=torch.tensor([[7, 8, 13, 4]]), decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    yes, no = (math.exp(float(answer[WORDS.index(word)])) for word in ("Yes", "No"))
    assert await figures(f"yesno:{path}", "i have ?") == pytest.approx({"yes": yes / (yes + no)}, abs=1e-5)


async def test_a_model_without_the_head_that_is_needed_is_refused(tmp_path: Path) -> None:
    path = bert(tmp_path / "bare", "BertModel")
    assert "holds no sequence classifier: its weights lack classifier" in await fault(f"classifier:{path}")
    assert "holds no model: it has no config.json" in await fault(f"classifier:{tmp_path}")
    (tmp_path / "config.json").write_text("{}")
    assert "holds no sequence classifier that can be read" in await fault(f"classifier:{tmp_path}")
