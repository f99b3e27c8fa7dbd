"""A loopback endpoint that costs next to nothing, for the engine's bench: `python tests/bench/endpoint.py SECONDS`.

Answers POST .../chat/completions as the user, the assistant or the judge, by the name of the model, so many seconds
later. Prints its address; when its standard input ends, what it saw, as one line of JSON.
"""

import asyncio
import json
import re
import resource
import sys
from collections import Counter
from itertools import count
from typing import Any

KEPT = 11
"""How many bodies of requests are kept: those of one dialogue."""
SPREAD = 40503
"""Odd, so that the words chosen for 65,536 answers running are never the same four."""
_MODEL = re.compile(rb'"model": ?"(\w+)"')
_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d+)", re.IGNORECASE)
_SPOKEN = b'"role":"assistant"', b'"role": "assistant"'
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
_BODY = (
    b'{"id":"c%d","object":"chat.completion","created":0,"model":"%b","choices":[{"index":0,"finish_reason":"stop",'
    b'"logprobs":null,"message":{"role":"assistant","content":%b}}],"usage":{"prompt_tokens":%d,"completion_tokens":'
    b'%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}'
)
_NOWHERE = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

LIKE, WHO, WHAT, WHERE = (
    tuple(words.encode().split())
    for words in (
        "quiet bright simple modest cheerful roomy early late lively plain small large cosy modern old warm",
        "sister brother mother father cousin neighbour friend aunt uncle teacher doctor boss partner son niece coach",
        "window garden terrace piano lift kitchen balcony fireplace pool library bar stage sauna bicycle desk lamp",
        "station harbour market museum theatre church river bridge park square school castle tower beach forest mill",
    )
)
"""Sixteen words each, to fill the gaps of what is said with."""

USER = (
    "I am looking for something %s, it is for my %s and me. A %s would be lovely, and please not far from the %s.",
    "That sounds %s enough. My %s asks whether there is a %s as well, since we come straight from the %s.",
    "Hm, rather not that one. The %s one you named first, could my %s have it with the %s? We know our way to the %s.",
    "Good. And is it %s in the afternoon too? Last year my %s sat beside the %s and heard every bus from the %s.",
    "Then let us take it, %s as it is. Write it down for my %s, mention the %s, and say how to walk from the %s.",
)
ASSISTANT = (
    "There are three places that fit. The first is %s and well liked, and your %s will know the street. The second has "
    "a %s and costs a little more. The third lies right behind the %s, which makes the way home short. Shall I look at "
    "one of them more closely, or would you like others to choose from?",
    "Yes, that can be done. It stays %s until ten, so your %s need not hurry. The %s is on the ground floor and free "
    "most evenings of the week. From the %s it is a walk of seven minutes along the main road. Do you want me to keep "
    "it for you until tomorrow at noon?",
    "I have changed that. The %s one is still free, and nothing has to be paid in advance. Your %s gets the corner, "
    "and the people there put the %s beside it without any charge. Whoever arrives by the %s finds the side door open. "
    "Is there something else that matters on that day?",
    "In the afternoon it is a bit less %s, I am afraid, because groups come in from two to four. If your %s minds, the "
    "upper floor is better, with a %s of its own. Nothing is heard there of the buses near the %s. Which of the two "
    "should it be, the upper floor or the one below?",
    "All is written down. You have the %s one, under the name of your %s, with the %s as you wished. Leave the %s on "
    "your left, go down the steps and ring at the green door. A message with the address follows in a minute, and it "
    "can be changed until the evening before. Have a very good time there.",
)


def _as_user(turn: int, words: str) -> bytes:
    """A user's structured answer as the text of a message; the first and third let a fact or a liking out."""
    told = [
        {"domain": "", "type": "place", "value": "%s", "wish": "fact"} if turn == 0 else
        {"domain": "", "type": "extra", "value": "%s", "wish": "likes"}
    ] if turn in (0, 2) else []  # fmt: skip
    return json.dumps(json.dumps({"message": words, "told": told, "stop": False, "reason": "none"})).encode()


_SAID = {
    b"user": [_as_user(turn, words) for turn, words in enumerate(USER)],
    b"assistant": [json.dumps(words).encode() for words in ASSISTANT],
}


class Endpoint:
    """What the connections share: how long an answer takes, and what was seen."""

    def __init__(self, seconds: float) -> None:
        self.loop, self.seconds, self.numbers = asyncio.get_running_loop(), seconds, count()
        self.asked: Counter[str] = Counter()
        self.kept: list[str] = []
        self.connections, self.under_way, self.peak = 0, 0, 0

    def answer(self, body: bytes) -> bytes:
        """The whole answer to a request with that body."""
        number, named = next(self.numbers), _MODEL.search(body)
        role = named[1] if named else b""
        if len(self.kept) < KEPT:
            self.kept.append(body.decode())
        self.asked[role.decode()] += 1
        said = verdict(body) if role == b"judge" else words(role, number, sum(map(body.count, _SPOKEN)))
        taken, given = len(body) // 4, len(said) // 4
        content = _BODY % (number, role, said, taken, given, taken + given, taken // 2)
        return _HEAD % len(content) + content

    def begin(self) -> None:
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)

    def seen(self) -> dict[str, Any]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "asked": self.asked, "peak": self.peak, "connections": self.connections,
            "cpu": used.ru_utime + used.ru_stime, "kept": self.kept,
        }  # fmt: skip


class Connection(asyncio.Protocol):
    """One connection, kept open: requests are answered one by one, in order."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint, self._heard = endpoint, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._endpoint.connections += 1

    def data_received(self, data: bytes) -> None:
        self._heard = self._heard + data if self._heard else data
        end = self._heard.find(b"\r\n\r\n") + 4
        if end < 4:
            return
        length = _LENGTH.search(self._heard, 0, end)
        whole = end + (int(length[1]) if length else 0)
        if len(self._heard) < whole:
            return
        body, self._heard = self._heard[end:whole], self._heard[whole:]
        endpoint = self._endpoint
        endpoint.begin()
        endpoint.loop.call_later(endpoint.seconds, self._give, endpoint.answer(body) if body else _NOWHERE)

    def _give(self, answer: bytes) -> None:
        self._endpoint.under_way -= 1
        if not self._transport.is_closing():
            self._transport.write(answer)  # type: ignore[attr-defined]


def words(role: bytes, number: int, turn: int) -> bytes:
    """What user or assistant say in that turn, counted from 0: as JSON, in other words each time."""
    mixed = number * SPREAD & 0xFFFF
    like, who, what, where = LIKE[mixed & 15], WHO[mixed >> 4 & 15], WHAT[mixed >> 8 & 15], WHERE[mixed >> 12]
    forms = _SAID.get(role) or _SAID[b"assistant"]
    told = {b"user": {0: (where,), 2: (what,)}}.get(role, {}).get(turn, ())
    return forms[turn % len(forms)] % (like, who, what, where, *told)


def verdict(body: bytes) -> bytes:
    """A valid verdict, which cites the first words of the dialogue."""
    asked = json.loads(body)
    quote = re.search(r"^\| (.{20,60})(?= )", asked["messages"][-1]["content"], re.MULTILINE)
    form = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return json.dumps(json.dumps(fill(form, quote[1] if quote else ""))).encode()


def fill(schema: dict[str, Any], quote: str, name: str = "") -> Any:
    """A value of that schema: the first of an enum, an integer in the middle, the quote where one is asked for."""
    if "properties" in schema:
        return {key: fill(inner, quote, key) for key, inner in schema["properties"].items()}
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "integer":
        return 1 if name == "turn" else (schema["minimum"] + schema["maximum"]) // 2
    return quote if name == "quote" else "The turns show it, all in all, and nothing in them speaks against it."


async def serve(seconds: float) -> None:
    """Answer until standard input ends."""
    endpoint = Endpoint(seconds)
    server = await endpoint.loop.create_server(lambda: Connection(endpoint), "127.0.0.1", 0, backlog=4096)
    heard = asyncio.StreamReader()
    await endpoint.loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(heard), sys.stdin)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await heard.read()
    print(json.dumps(endpoint.seen()))


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
