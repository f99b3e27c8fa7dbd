"""Two small domains of the tests' own: whatever ships, these stay as they are."""

import json
from pathlib import Path
from typing import Any

from duologue.profiles.inclination import Inclined, inclined
from duologue.tasks.library import certain

__all__ = ["EATING", "TEA", "domains", "write"]

EATING: dict[str, Any] = {
    "name": "Restaurants",
    "preferences": [
        {"name": "cuisine", "values": ["Thai", "Korean", "Polish"], "open": True},
        {"name": "price", "values": ["under 15", "15 to 30", "over 60"], "multiple": False},
    ],
}
"""Stands in for the shipped domain of that name, and keeps no records."""

TEA = {
    "domain.toml": """
name = "Tea"
[[preferences]]
name = "leaf"
values = ["oolong", "sencha", "assam", "rooibos", "mate", "pu-erh"]
ask = "Which leaf do you like?"
say = "I like {value}"
[[preferences]]
name = "strength"
values = ["weak", "brisk", "bitter", "tarry"]
multiple = false
[entity]
name = "tea"
plural = "teas"
attributes = [{ name = "leaf" }]
[[records]]
name = "tea_order"
tools = { create = "order_tea" }
fields = [{ name = "tea", kind = "entity" }, { name = "strength" }]
""",
    "people.toml": """
[leaf]
likes = [1, 2]
avoids = 0.5
[leaf.hints]
oolong = ["asked for the half-oxidised sort", "wanted what they pour in Fujian"]
sencha = ["asked for the steamed green one", "wanted a cup like grass after rain"]
assam = ["wanted the malty one for breakfast", "asked for leaves from the Brahmaputra"]
rooibos = ["asked for the red bush", "wanted no caffeine from the Cederberg"]
mate = ["asked for a gourd and a metal straw", "wanted to drink as they do in Rosario"]
pu-erh = ["wanted a brick that had aged for years", "asked for the earthy one that is fermented twice"]
[leaf.leans]
oolong = { pace = "calm", rhythm = "early" }
mate = { pace = "lively", budget = ["tight", "middling"] }
[leaf.never]
pu-erh = { budget = "tight" }
[strength]
sensitive = true
[strength.hints]
weak = ["took the leaves out at once", "could still read the paper through the cup"]
brisk = ["waited three minutes by the clock", "wanted it to tingle a little"]
bitter = ["left it standing until it bit", "pulled a face and asked for more of it"]
tarry = ["wanted the spoon to stand up in it", "boiled it down twice over"]
""",
}

BREAD = {
    "domain.toml": """
name = "Bread"
[[preferences]]
name = "crust"
values = ["pale", "golden", "charred", "seeded"]
""",
    "people.toml": """
[crust]
avoids = 0.3
[crust.hints]
pale = ["took it out before it coloured", "wanted it white all round"]
golden = ["wanted it the shade of honey", "asked for the oven to be opened in time"]
charred = ["liked the edges black", "asked for five minutes too long"]
seeded = ["wanted poppy and sesame on top", "picked the grains off one by one"]
""",
}


def domains(folder: Path) -> list[Inclined]:
    """Both domains, read from `folder`, where they are written."""
    for name, contents in (("tea", TEA), ("bread", BREAD)):
        (folder / name).mkdir()
        for file, text in contents.items():
            (folder / name / file).write_text(text, encoding="utf-8")
    return [each for name in ("tea", "bread") for each in certain(inclined(folder / name))]


def write(folder: Path, part: str, *records: object) -> None:
    """The lines of PART.jsonl."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / f"{part}.jsonl").write_text(text, encoding="utf-8")
