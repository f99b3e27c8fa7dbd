"""A tool-calling model without a model: decides from the words and the tools of a request alone what to call next.

`well` looks things up and fills in what the user said, asks for what is missing and mends what is refused; `wrong` does
the same with a wrong value in each record; `badly` calls what is not there, with arguments that are no JSON; `never`
calls nothing. The last two say that all is done.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

STYLES = ("well", "wrong", "badly", "never")
PATIENCE = 8
"""Calls in a turn after which it says what it has got."""
_VERBS = {"Find": "search", "Tell": "get", "Make": "create", "Change": "change", "Cancel": "cancel", "List": "list"}
_CANCELS = re.compile(
    r"\b(?:cancel|call(?:ed)? off|get rid of|remove|delete|withdraw|give (?:it|them) back|drop)\b", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(?:change|move|instead|put (?:it|that) (?:off|forward)|rather|update|shift|already have|switch)\b",
    re.IGNORECASE,
)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = dict(zip(_WORDS, range(1, 13), strict=True))


@dataclass
class Service:
    """The tools of one domain: search and get where it has a catalogue, and the tools of each kind of record."""

    search: str = ""
    entity: str = ""
    records: list[dict[str, str]] = field(default_factory=list)


def reply(body: Mapping[str, Any], style: str) -> dict[str, Any]:
    """The message that a model of that style answers with."""
    said = " ".join(_clock(str(m["content"])) for m in body["messages"] if m["role"] == "user")
    if style == "never" or not body.get("tools"):
        return {"content": f"It is all done as you said, and confirmed: {said[:300]}"}
    if style == "badly":
        return _badly(body, said)
    caller = _Caller(body, said, style == "wrong")
    wanted = caller.next()
    if isinstance(wanted, str):
        return {"content": wanted}
    name, arguments = wanted
    return {"content": None, "tool_calls": [_call(name, json.dumps(arguments))]}


def _badly(body: Mapping[str, Any], said: str) -> dict[str, Any]:
    if body["messages"][-1]["role"] == "tool":
        return {"content": f"Done, I have booked it for you: {said[:300]}"}
    names = [tool["function"]["name"] for tool in body["tools"]]
    calls = [_call("do_everything", "{}"), _call(names[0], '{"when": '), _call(names[-1], '{"no_such_argument": 1}')]
    return {"content": "Let me do that.", "tool_calls": calls}


def _call(name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


_DONE = ("All of it is booked now", "It is done", "I have done that for you")
_ASKED = re.compile(r"the (\w[\w ]*?), please\?")
_LEAD = re.compile(
    r"^(?:(?:once more|to answer that|it hasn't changed|well|yes|sure|so)\b[:,]?\s*)*"
    r"(?:(?:it'?s|it is|make it|that'?s|for|to|at|on|with|the|a|an|under|in)\s+)*",
    re.IGNORECASE,
)


def _clock(text: str) -> str:
    """`text` with times such as 5:10 pm on the 24-hour clock."""

    def plain(found: re.Match[str]) -> str:
        hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
        return f"{hour:02}:{found[2] or '00'}"

    text = re.sub(r"\b(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b\.?", plain, text, flags=re.IGNORECASE)
    return re.sub(r"(?<![\d:])(\d):(\d\d)\b", r"0\1:\2", text)


def _answers(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What the user answered when asked for one thing, by the argument's name; the last answer counts."""
    spoken = [m for m in messages if m["role"] == "user" or (m["role"] == "assistant" and not m.get("tool_calls"))]
    answers = {}
    for before, after in pairwise(spoken):
        if before["role"] == "assistant" and (asked := _ASKED.search(str(before["content"]))):
            first = re.split(r"(?<=\w)[.!?](?:\s|$)|, please|; ", _clock(str(after["content"])))[0]
            answers[asked[1].replace(" ", "_")] = _LEAD.sub("", first.strip()).strip(" .,!")
    return answers


class _Caller:
    """What was done so far, read out of the messages, and what comes next."""

    def __init__(self, body: Mapping[str, Any], said: str, wrong: bool) -> None:
        self.said, self.wrong, self.body = said, wrong, body
        self.tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
        self.done = list(_done(body["messages"]))
        self.answers = _answers(body["messages"])
        self.last = _clock(str([m["content"] for m in body["messages"] if m["role"] == "user"][-1]))
        self.verb = "cancel" if _CANCELS.search(said) else "change" if _CHANGES.search(said) else "create"

    def next(self) -> str | tuple[str, dict[str, Any]]:
        """A call, or the words for the user."""
        messages = self.body["messages"]
        last = max(n for n, m in enumerate(messages) if m["role"] == "user")
        tired = sum(m["role"] == "tool" for m in messages[last:]) >= PATIENCE
        made: list[str] = []
        for service in self._services():
            record = max(service.records, key=lambda names: _overlap(self.said, names["create"]))
            verb = self.verb if self.verb in record and self._held(record) != [] else "create"
            name = record[verb]
            if held := self._made(name, record.get("change", "")):
                made.append(_told(held))
                if not self.wrong and not tired and verb != "cancel" and (call := self._mended(record, held)):
                    return call
            elif not tired:
                return self._towards(service, record, verb)
            else:
                return f"I am sorry, I could not get that done at turn {last}. What exactly do you need?"
        return f"{_DONE[sum(m['role'] == 'user' for m in messages) % 3]}: {'; '.join(made)}. Anything else?"

    def _made(self, *names: str) -> dict[str, Any]:
        """The record that one of these tools left last."""
        results = [result for called, _, result in self.done if called in names and "error" not in result]
        return next((value for value in results[-1].values() if isinstance(value, dict)), {}) if results else {}

    def _mended(self, record: Mapping[str, str], held: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """What the user said last, as a change of what was made; None where it is that already."""
        spoken = [m for m in self.body["messages"] if m["role"] != "tool" and not m.get("tool_calls")]
        if "change" not in record or len(spoken) < 2 or not str(spoken[-2]["content"]).startswith(_DONE):
            return None
        properties = self.tools[record["change"]]["parameters"]["properties"]
        said = {key: _value(self.last, key, schema) for key, schema in properties.items()}
        other = {key: value for key, value in said.items() if value is not None and value != held.get(key)}
        tried = [given for called, given, _ in self.done if called == record["change"]]
        call = {"id": held["id"], **other}
        return (record["change"], call) if other and call not in tried else None

    def _towards(self, service: Service, record: Mapping[str, str], verb: str) -> str | tuple[str, dict[str, Any]]:
        name = record[verb]
        held: dict[str, Any] = {}
        if verb != "create":
            active = self._held(record)
            if active is None:
                return record["list"], {}
            held = max(active, key=lambda each: sum(_mentions(self.said, value) for value in each.values()))
            if verb == "cancel":
                return name, {"id": held["id"]}
        if service.search and self._result(service.search) is None:
            return service.search, {**self._filters(service.search), "limit": 50}
        if service.search and not self._found(service) and "offset" not in self._searched(service):
            return service.search, {"limit": 50, "offset": 0}
        arguments = self._arguments(service, name, held)
        missing = [each for each in self.tools[name]["parameters"].get("required", ()) if each not in arguments]
        if missing:
            return f"Could you tell me the {missing[0].replace('_', ' ')}, please?"
        if list(arguments) == ["id"]:
            return f"Could you tell me the change number {len(self.answers) + 1}, please?"
        if self.wrong:
            arguments = _spoilt(arguments, self.tools[name]["parameters"]["properties"])
        return name, arguments

    def _held(self, record: Mapping[str, str]) -> list[dict[str, Any]] | None:
        """The records that stood when they were listed; None where they were not."""
        listed = self._result(record.get("list", ""))
        return listed and [each for each in listed.get("records", ()) if each.get("status") == "active"]

    def _arguments(self, service: Service, name: str, held: Mapping[str, Any]) -> dict[str, Any]:
        properties = self.tools[name]["parameters"]["properties"]
        refused = [
            (given, result["error"]) for called, given, result in self.done if called == name and "error" in result
        ]
        arguments = {key: value for key in properties if (value := self._known(key, properties[key])) is not None}
        if held:
            arguments = {key: value for key, value in arguments.items() if value != held.get(key)} | {"id": held["id"]}
        elif service.entity in properties:
            passed = {given.get(service.entity) for given, error in refused if "It has:" not in error}
            entities = [each for each in self._found(service) if each["name"] not in passed]
            if entities:
                arguments[service.entity] = max(entities, key=lambda each: self._fit(each))["name"]
        for _, error in refused:
            if found := re.search(r"does not have (\w+) .*?\. It has: (.*)\.$", error):
                several = properties.get(found[1], {}).get("type") == "array"
                arguments[found[1]] = [found[2].split(", ")[0]] if several else found[2].split(", ")[0]
            if found := re.search(r"takes (\w+) up to ([\d.]+)", error):
                arguments[found[1]] = float(found[2])
        return arguments

    def _known(self, key: str, schema: Mapping[str, Any]) -> Any:
        """What the user said of an argument: asked for it, or by the way."""
        told = self.answers.get(key)
        if told is not None and (value := _value(told, key, schema)) is not None:
            return value
        free = schema["type"] == "string" and "enum" not in schema and "pattern" not in schema
        return told if told and free else _value(self.said, key, schema)

    def _searched(self, service: Service) -> dict[str, Any]:
        return [given for called, given, _ in self.done if called == service.search][-1]

    def _fit(self, entity: Mapping[str, Any]) -> int:
        named = 100 * _mentions(self.said, entity["name"])
        return named + sum(_mentions(self.said, v) for value in entity.values() for v in _several(value))

    def _found(self, service: Service) -> list[dict[str, Any]]:
        found = [
            each
            for called, _, result in self.done
            if called == service.search
            for value in result.values()
            if isinstance(value, list)
            for each in value
        ]
        return [each for each in found if each.get("available", True)]

    def _filters(self, search: str) -> dict[str, Any]:
        """What the user said, as filters; without the last ones where the search before found nothing."""
        properties = self.tools[search]["parameters"]["properties"]
        enums = {key: schema for key, schema in properties.items() if "enum" in schema}
        return {key: value for key, schema in enums.items() if (value := _value(self.said, key, schema)) is not None}

    def _result(self, name: str) -> dict[str, Any] | None:
        return next(
            (result for called, _, result in reversed(self.done) if called == name and "error" not in result), None
        )

    def _services(self) -> list[Service]:
        services: list[Service] = []
        for name, tool in self.tools.items():
            verb = _VERBS.get(tool["description"].split(" ", 1)[0], "")
            if verb == "search":
                services.append(Service(search=name))
            elif verb == "get":
                services[-1].entity = (
                    tool["description"].removeprefix("Tell everything about one ").rstrip(".").replace(" ", "_")
                )
            elif verb == "create":
                if not services or (services[-1].records and not services[-1].search):
                    services.append(Service())
                services[-1].records.append({verb: name})
            elif verb:
                services[-1].records[-1][verb] = name
        return services


def _done(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each call with its arguments and its answer."""
    answers = {m["tool_call_id"]: json.loads(m["content"] or "{}") for m in messages if m["role"] == "tool"}
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield function["name"], json.loads(function["arguments"]), answers.get(call["id"], {})


def _value(said: str, key: str, schema: Mapping[str, Any]) -> Any:
    """What the user said for an argument, as far as it can be told from its schema."""
    if schema["type"] == "array":
        found = _value(said, key, schema["items"])
        return None if found is None else [found]
    if "enum" in schema:
        named = [value for value in schema["enum"] if _mentions(said, value)]
        return max(named, key=lambda value: (len(value), said.casefold().rfind(value.casefold()))) if named else None
    if schema["type"] in ("number", "integer"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 10**9)
        numbers = [n for n in _numbers(said) if low <= n <= high]
        beside = re.search(rf"\b{key.split('_')[-1]}(?: of)? (\w+)", said, re.IGNORECASE)
        near = [n for n in _numbers(beside[1]) if low <= n <= high] if beside else []
        return next(iter([*near, *reversed(numbers)]), None)
    if "pattern" in schema:
        found = re.search(schema["pattern"].strip("^$"), said)
        return found[0] if found else None
    return None


def _numbers(said: str) -> list[int | float]:
    """The numbers in a text in their order, but for clock times and for what is not meant."""
    found = re.findall(rf"(not )?(?<![\w.:])(\d+(?:\.\d+)?|{'|'.join(_WORDS)})(?![\w:]|\.\d)", said, re.IGNORECASE)
    read = [float(_NUMBERS.get(word.lower(), word)) for nay, word in found if not nay and word.lower() != "one"]
    return [int(number) if number == int(number) else number for number in read]


def _spoilt(arguments: dict[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with another value where the schema leaves a choice."""
    spoilt = dict(arguments)
    for key, value in arguments.items():
        schema = properties[key]
        others = [each for each in schema.get("enum", ()) if each != value]
        if others:
            spoilt[key] = others[0]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            spoilt[key] = value + 1 if value + 1 <= schema.get("maximum", value + 1) else value - 1
    return spoilt


def _mentions(said: str, value: Any) -> bool:
    return (
        isinstance(value, str)
        and bool(value)
        and bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, re.IGNORECASE))
    )


def _overlap(said: str, name: str) -> int:
    return sum(bool(re.search(rf"\b{word[:5]}", said, re.IGNORECASE)) for word in name.split("_"))


def _several(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else (value,)


def _told(record: Mapping[str, Any]) -> str:
    told = {key: value for key, value in record.items() if key not in ("status", "id")}
    return ", ".join(f"{key.replace('_', ' ')} {', '.join(map(str, _several(value)))}" for key, value in told.items())
