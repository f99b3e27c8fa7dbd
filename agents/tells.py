"""Tells: the phrases that only a broken user agent says. Each is one alternative of a pattern."""

import re

__all__ = ["INSTRUCTIONS", "LABEL", "NUMBERED", "REASONING", "STAGING", "STRUCTURED", "TURN", "VOICE", "VOICE_AT_START"]

_FLAGS = re.IGNORECASE | re.MULTILINE


def _any(*phrases: str, before: str = "") -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(phrases)})", _FLAGS)


REASONING = _any(
    r"</?\s*(?:seed:)?(?:think|thinking|thoughts?|reasoning|scratchpad|inner_monologue|reflection)\b[^<>\n]{0,80}>",
    r"</?(?:think|thinking|reasoning)\s*$",
    r"\[/?think\]",
    r"◁/?think▷",
    r"<\|[a-z_]+\|>",
    r"^\W{0,3}(?:thoughts?|thinking|reasoning|analysis|my reasoning|chain of thought)\W{0,3}:",
    r"^\s*(?:(?:okay|ok|alright|so|hmm|first),? )?(?:i need to|i should|i have to|let me|i will) (?:now )?"
    r"(?:respond|reply|write|act|continue|stay|speak|talk|think)\b[^.\n]{0,40}\b(?:as|like|in character|about how)\b",
    r"^\s*(?:okay|ok|alright|so|hmm),? (?:the user|the assistant) (?:is|has|wants|said|just|asked)\b",
)

INSTRUCTIONS = _any(
    r"\bas an? (?:ai|artificial intelligence|large language|language)\b(?: language)?(?: model| assistant|,)",
    r"\bi(?:['’]m| am) (?:just |only |actually )?an? (?:ai|artificial intelligence|(?:large )?language model"
    r"|chatbot|virtual"
    r" assistant)(?: (?:assistant|language model|model|chatbot|system))?(?=[.,;:!]| and | so | created "
    r"| trained |\s*$)",
    r"\b(?:as|i(?:['’]m| am)) (?:a|the) simulated (?:user|person|customer)\b",
    r"\buser agent (?:is|should|must|prompt)\b",
    r"\bi (?:cannot|can['’]t|won['’]t) (?:role-?play|pretend to be)\b",
    r"\brole-?playing as\b",
    r"\b(?:staying|stay|remain|remaining) in character\b",
    r"\b(?:my|the) (?:system prompt|instructions) (?:says?|tells?|states?) (?:me|that|to)\b",
)

VOICE = _any(
    r"\bhow (?:can|may|could) i (?:help|assist)\b",
    r"\bwhat can i (?:help you with|do for you)\b",
    r"\bi(?:['’]d| would|['’]m| am|['’]ll| will)(?: be)?(?: more than)? (?:happy|glad|delighted"
    r"|here) to (?:help|assist)\b",
    r"\banything else i can (?:help|assist|do)\b",
    r"\banything else (?:that )?(?:you(?:['’]d| would) like|you need) (?:help|assistance) with\b",
    r"\bi(?:['’]ll| will| can|['’]d be able to) (?:help|assist) you\b",
    r"\bi(?: (?:can['’]?t|cannot|am unable to)|['’]m unable to) (?:help|assist)(?: you)? with (?:that|this)\b",
    r"\b(?:thank you|thanks) for (?:contacting|reaching out|calling us|choosing us)\b",
    r"\bfeel free to (?:ask|reach out|contact|let me know)\b",
    r"\bas your (?:virtual |personal |ai )?assistant\b",
    r"\bbased on your (?:stated |past |previous |dietary )?(?:preferences?|profile|history|interests|tastes"
    r"|needs|request)\b",
    r"\bi(?:['’]ve| have)(?: just| now| already)? (?:booked|reserved|scheduled|found|added|updated|cancell?ed|sent|set)"
    r" (?:up )?(?:you|your|a \w+ for you|some \w+ for you|the following)\b",
    r"\byour (?:table|reservation|booking|order|flight|appointment|alarm|meeting|ticket)s? (?:has|have) been\b",
    r"\byour (?:reservation|booking|order|appointment) is (?:now )?(?:confirmed|booked|complete)\b",
    r"\bwhat (?:type|kind|sort)s? of [^.?!\n]{0,60}(?:are you looking for|do you prefer|would you (?:like|prefer))",
    r"\bdo you have any (?:dietary|specific preferences|particular preferences|preferences)\b",
    r"\b(?:could|can|would) you (?:please )?(?:provide|tell|share|give)(?: me)?(?: with)? (?:your"
    r"|more (?:details|information)"
    r" about your) (?:preferred|preferences?|budget|dietary|location|party size|departure|destination|travel dates)",
    r"\blet me know if you(?:['’]d like| need| have| want| would like) (?:any (?:help|assistance|questions"
    r"|other questions)"
    r"|any further|further|more help|me to)",
    r"\blet me know if there(?:['’]s| is) anything(?: else)? (?:i can|you(?:['’]d| would) like me)",
)

VOICE_AT_START = _any(
    r"here (?:are|is) (?:some|a few|a list of|the top|my top|several|\d+) [^.!?\n]{0,40}(?:recommendation"
    r"|suggestion|option)s?\b",
    r"i (?:can|would|['’]d) (?:also )?(?:recommend|suggest)\b",
    r"(?:would|do) you (?:like|want) me to (?!(?:give|send|tell|share|show|spell|repeat|provide|describe|explain)\b)",
    r"please (?:provide|specify|share) (?:me (?:with )?)?your\b",
    r"let me (?:check|look|search|find) (?:(?:that|this|it|some|the best) )?[^.!?\n]{0,30}\bfor you\b",
    before=r"(?:^|(?<=[.!?\n])\s*)"
    r"(?:(?:sure|certainly|of course|absolutely|great|okay|ok|yes|hello|hi|hey|alright"
    r"|thank you|thanks)\b[^.!?\n]{0,15}[,.!]\s*)*",
)

TURN = re.compile(r"^\W{0,4}(?:turn|step|phase) \d+\W{0,3}:", _FLAGS)
NUMBERED = re.compile(r"^\W{0,3}\d{1,2}[.)]\s+(.*)", _FLAGS)
STAGING = _any(
    r"\bthe (?:assistant|user)\b",
    r"\bask for\b",
    r"\bgreet\b",
    r"\bpersona\b",
    r"\b(?:the|end) (?:dialogue|conversation|chat)\b",
)
STRUCTURED = re.compile(
    r"[{\[]\s*[{\[]?\s*[\"'](?:message|stop|reason|turn|plan|intent|action|role|content|told)[\"']\s*:", _FLAGS
)
"""How a JSON object of ours begins, whole or cut off."""

LABEL = r"^\W{{0,4}}(?:{})\W{{0,3}}(?:\([^)\n]{{0,30}}\))?\W{{0,3}}:(?!//)"
