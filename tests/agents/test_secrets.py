import pytest

from duologue.agents.secrets import looks_like_key, redact, secret


def test_a_key_that_was_read_is_masked_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVER", "plum-tart-7")
    assert redact("it was plum-tart-7") == "it was plum-tart-7"
    assert secret("MY_SERVER") == "plum-tart-7"
    monkeypatch.delenv("MY_SERVER")
    assert redact("it was plum-tart-7, plum-tart-7!") == "it was [secret], [secret]!"


def test_no_variable_or_an_empty_one_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY", " ")
    assert secret("EMPTY") is None
    assert secret("SURELY_NOT_SET") is None


def test_variables_named_like_secrets_are_masked_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "blueberry-muffin-1")
    assert redact("key blueberry-muffin-1") == "key [secret]"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abc123def456ghi789.",
        "sk-proj-abc_DEF-123456789",
        "sk-ant-api03-abcdef123456",
        "Authorization: Bearer abcdef.123456",
        '{"Authorization": "Bearer abcdef.123456"}',
        "authorization=abcdef123456",
        "x-api-key: abcdef123456",
        '"api_key": "abcdef123456"',
        "https://host/v1?key=abcdef123456&x=1",
        "http://user:abcdef123456@proxy:8080",
        "AIzaSyabcdef123456ABCDEFGHIJKLMNOPQ",
        "gsk_abcdef123456ABCDEF",
        "eyJhbGciOiJIUzI1.abcdef123456.abcdef123456",
        "it said: bearer abcdef123456",
        "Authorization: Basic abcdefgh",
        "Basic abcdefdXNlcjpwYXNz",
        "basic abcdefNlcjp=",
    ],
)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    shown = redact(text)
    assert "[secret]" in shown
    assert not any(part in shown for part in ("abc123", "abcdef", "abc_DEF"))


@pytest.mark.parametrize(
    "text",
    [
        "A table for two at eight, please.",
        "The task is risk-free; ask-me-anything.",
        "http://127.0.0.1:8000/v1 answered 401",
        "I hold a bearer bond. The key: turn it twice.",
        "see https://example.org/a:b@c",
        "Basic accommodation, basic understanding, BASIC ACCOMMODATION/BREAKFAST.",
        "A ring bearer outfit for the ring bearer 12-year-old; a bearer certificate.",
        "Basic 24-hour-reception in a Basic 1-bedroom-apartment",
        "Authorization: required. authorization = approved by mother",
        "xai-powered sk-learning, a pk-something",
    ],
)
def test_ordinary_words_pass(text: str) -> None:
    assert redact(text) == text


def test_a_key_is_told_from_a_name() -> None:
    assert looks_like_key("sk-abc123def456")
    assert looks_like_key("abc.def")
    assert looks_like_key("gsk_abcdef123456")
    assert not looks_like_key("OPENAI_API_KEY")
    assert not looks_like_key("my_key")
