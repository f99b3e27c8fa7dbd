"""The paper's model-based metrics, by local models that the user names: what is asked of them, and what it shows.

Let P be the persona, R the reply, Q the data's own reply and C the context. Sources: Afzoon et al. 2024, arXiv
2410.03198 and its released code; Madotto et al. 2019, ACL (C-score); Zhong et al. 2022, EMNLP (UniEval: the questions
are the input that its model was trained on); Zhang et al. 2020, ICLR (BERTScore).

- `c_score`: entailment 1, neutral 0, contradiction -1, for R and P joined by a space into one text, as the paper's
  code has it. `c_score_pairs` takes P and R as the pair that such a model was trained on.
- `ue_score`: 2 where P and Q entail R, 1 where P alone does, else 0; the two joined by a mark within one text, as in
  the paper's code, and `ue_score_pairs` as a pair.
- `nli_*`: each sentence of P beside R: whether one is contradicted, the share that R entails, and whether the sentence
  that the data name is entailed.
- `unieval_*`: P(Yes) / (P(Yes) + P(No)); engagingness is summed over the sentences of R, and overall is the mean of
  the five, so that both may exceed 1.
- `bertscore_*` of R beside Q; `persona_similarity`, the cosine of P and R without stop words.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from duologue.agents.models.call import Request
from duologue.bench.persobench.choices import Prompt
from duologue.bench.persobench.judging import LABELS, entailment_score, same
from duologue.bench.persobench.row import Row
from duologue.bench.question import Answers, Question
from duologue.tasks.written import BadInput

__all__ = ["MEASURES", "check_measure", "figures", "measures"]

NUMBERED: Mapping[str, Sequence[str]] = {
    "nli": ("contradiction", "neutral", "entailment"),
    "snli": ("entailment", "neutral", "contradiction"),
}
"""What the numbers of labels without names mean: as in Dialogue NLI and in SNLI, which the paper's models learnt."""
DIMENSIONS = ("naturalness", "coherence", "engagingness", "groundedness", "understandability")
"""UniEval's of a reply."""
_SENTENCE = re.compile(r"[^.!?]*[.!?]+[\"')\]]*|[^.!?]+\Z")
"""A sentence by its full stop: a rule of our own, where the paper takes NLTK's."""


Told = Mapping[str, Mapping[str, float]]
"""What a measure told of a reply, by the names of what it was asked."""


class Asked(NamedTuple):
    """One thing that a measure is asked of a reply: under which name, and which texts it reads."""

    name: str
    texts: tuple[str, ...]


class Measuring(NamedTuple):
    """A metric, or several of one model: the kinds of model that it takes, what is asked, and what is made of it."""

    kinds: tuple[str, ...]
    worst: Mapping[str, float]
    """By figure, what the paper counts a row as where no reply was read."""
    asks: Callable[[Row, str], Iterator[Asked]]
    reads: Callable[[Told, Row], dict[str, float]]


def check_measure(role: str, model: str) -> None:
    """Raises BadInput where `model` is not of the kind that the role takes."""
    kinds = MEASURES[role].kinds
    if model.partition(":")[0] not in kinds:
        told = " or ".join(f"{kind}:PATH" for kind in kinds)
        raise BadInput(f"{role} takes {told}, not {model}", "--set", f"Type: --set {role}.model={kinds[0]}:PATH")


def measures(role: str, row: Row, prompt: Prompt, reply: str) -> Iterator[Question]:
    """What the measure of `role` is asked of a reply."""
    for asked in MEASURES[role].asks(row, reply):
        id = _id(role, prompt, row, asked.name)
        yield Question(id, role, Request(texts=asked.texts, conversation=id, role=role))


def figures(roles: Sequence[str], row: Row, prompt: Prompt, reply: str, answers: Answers) -> dict[str, float]:
    """What the measures tell of one reply; nothing of a measure that did not answer all that it was asked of it."""
    found: dict[str, float] = {}
    for role in roles:
        asked = [each.name for each in MEASURES[role].asks(row, reply)]
        held = {name: answers.get(_id(role, prompt, row, name)) for name in asked}
        told = {name: answer.figures for name, answer in held.items() if answer is not None and not answer.fault}
        if len(told) == len(asked):
            found |= MEASURES[role].reads(told, row)
    return found


def _inferences(row: Row, reply: str) -> Iterator[Asked]:
    yield Asked("joined", (f"{reply} {_persona(row)}",))
    yield Asked("pair", (_persona(row), reply))
    yield from (Asked(f"fact_{place}", (reply, sentence)) for place, sentence in enumerate(row.persona, 1))


def _entailments(row: Row, reply: str) -> Iterator[Asked]:
    for name, premise in (("persona", _persona(row)), ("reference", row.reply)):
        yield Asked(f"{name}_joined", (f"{premise} [SEP] {reply}",))
        yield Asked(f"{name}_pair", (premise, reply))


def _questions(row: Row, reply: str) -> Iterator[Asked]:
    history = "\n".join(turn.text for turn in row.context) + "\n\n"
    fact = _persona(row)
    yield Asked("naturalness", (f"question: Is this a natural response in the dialogue? </s> response: {reply}",))
    question = "question: Is this a coherent response given the dialogue history?"
    yield Asked("coherence", (f"{question} </s> response: {reply} </s> dialogue history: {history}",))
    question = "question: Is this an engaging and informative response according to the dialogue history and fact?"
    for place, sentence in enumerate(_sentences(reply), 1):
        words = f"{question} </s> response: {sentence} </s> dialogue history: {history} </s> fact: {fact}"
        yield Asked(f"engagingness_{place}", (words,))
    question = "question: Is this response consistent with knowledge in the fact?"
    yield Asked("groundedness", (f"{question} </s> response: {reply} </s> fact: {fact}",))
    question = "question: Is this an understandable response in the dialogue?"
    yield Asked("understandability", (f"{question} </s> response: {reply}",))


def _alike(row: Row, reply: str) -> Iterator[Asked]:
    yield Asked("reference", (reply, row.reply))


def _near(row: Row, reply: str) -> Iterator[Asked]:
    yield Asked("persona", (_telling(_persona(row)), _telling(reply)))


def _inferred(told: Told, row: Row) -> dict[str, float]:
    labels = {name: _label("nli", held) for name, held in told.items()}
    facts = [labels[f"fact_{place}"] for place in range(1, len(row.persona) + 1)]
    gold = [label for sentence, label in zip(row.persona, facts, strict=True) if same(sentence, row.surfacing)]
    return {
        "c_score": LABELS[labels["joined"]],
        "c_score_pairs": LABELS[labels["pair"]],
        "nli_contradiction_rate": float("contradiction" in facts),
        "nli_coverage": facts.count("entailment") / len(facts),
        **({"nli_gold_fact_hit": float("entailment" in gold)} if gold else {}),
    }


def _entailed(told: Told, row: Row) -> dict[str, float]:
    labels = {name: _label("snli", held) for name, held in told.items()}
    return {
        "ue_score": float(entailment_score(labels["persona_joined"], labels["reference_joined"])),
        "ue_score_pairs": float(entailment_score(labels["persona_pair"], labels["reference_pair"])),
    }


def _answered(told: Told, row: Row) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, held in told.items():
        dimension = name.partition("_")[0]
        found[dimension] = found.get(dimension, 0.0) + held["yes"]
    found["overall"] = sum(found.values()) / len(found)
    return {f"unieval_{name}": value for name, value in found.items()}


def _matched(told: Told, row: Row) -> dict[str, float]:
    return {f"bertscore_{name}": told["reference"][name] for name in ("precision", "recall", "f1")}


def _similar(told: Told, row: Row) -> dict[str, float]:
    return {"persona_similarity": told["persona"]["cosine"]}


def _zeros(of: str, *names: str) -> dict[str, float]:
    return {f"{of}_{name}": 0.0 for name in names}


MEASURES: Mapping[str, Measuring] = {
    "nli": Measuring(("classifier",), {"c_score": -1, "c_score_pairs": -1}, _inferences, _inferred),
    "snli": Measuring(("classifier",), {"ue_score": 0, "ue_score_pairs": 0}, _entailments, _entailed),
    "unieval": Measuring(("yesno",), _zeros("unieval", *DIMENSIONS, "overall"), _questions, _answered),
    "bertscore": Measuring(("encoder",), _zeros("bertscore", "precision", "recall", "f1"), _alike, _matched),
    "similarity": Measuring(("vectors", "encoder"), {"persona_similarity": 0}, _near, _similar),
}
"""By the role that is asked."""


def _label(role: str, logits: Mapping[str, float]) -> str:
    """The likeliest label: by its name where it has one, else by its number."""
    best = max(logits, key=lambda name: logits[name])
    folded = best.casefold()
    for start, label in (("entail", "entailment"), ("contra", "contradiction"), ("neutral", "neutral")):
        if start in folded:
            return label
    signs = {"positive": "entailment", "negative": "contradiction"}
    return signs.get(folded) or NUMBERED[role][list(logits).index(best) % len(LABELS)]


def _persona(row: Row) -> str:
    """The persona as one text, as the model was shown it."""
    return " ".join(row.shown or row.persona)


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.findall(text) if part.strip()] or [text]


def _telling(text: str) -> str:
    """The words of a text in small letters, but for stop words; punctuation stays, as in the paper's code."""
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    return " ".join(word for word in text.lower().split() if word not in STOPWORDS_EN_PLUS)


def _id(role: str, prompt: Prompt, row: Row, name: str) -> str:
    return f"{role}/{prompt}/{row.id}/{name}"
