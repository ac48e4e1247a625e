"""Nothing of what was planted is in any report that leaves the house, in whatever way it is spelled."""

import html
import re
from pathlib import Path

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings

from inspector.core.redaction.redactor import Redactor
from inspector.core.report.shareable.builder import safe_version
from inspector.core.report.shareable.model import REPORT_FORMATS, REPORT_LANGUAGES
from tests.core.report.planted import PLANTED, SECRETS, TELLING, written
from tests.support import product

pytestmark = pytest.mark.usefixtures("watched")


def report(path: Path, form: str, *more: str) -> str:
    told = product.run("check", str(path), "--format", form, *more)
    assert told.exit_code == 1, told.output
    return told.output


def leaked(text: str) -> list[str]:
    """What of the planted a report holds, as it stands there or behind the escapes of its format."""
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), html.unescape(text)).replace("\\", "")
    return [each for each in TELLING if each in text or each.replace("\\", "") in plain]


def test_there_is_something_to_leak(tmp_path: Path) -> None:
    assert len(PLANTED) >= 200
    assert leaked(report(written(tmp_path), "json")), "the report as it is for the house tells what the log says"


@pytest.mark.parametrize("form", REPORT_FORMATS)
@pytest.mark.parametrize("more", ["--content-free", "--content-free --accepted-by all", "--with-content"])
def test_nothing_planted_leaves(form: str, more: str, tmp_path: Path) -> None:
    text = report(written(tmp_path), form, *more.split(), "--names", "none")
    assert leaked(text) == []
    assert str(tmp_path) not in text
    assert "kunde" not in text or more == "--with-content", "a tool that no known agent has is told by a pseudonym"


def test_content_is_there_when_it_is_asked_for(tmp_path: Path) -> None:
    assert "[email-1]" in report(written(tmp_path), "text", "--with-content")
    assert "[email-1]" not in report(written(tmp_path), "text", "--content-free")


def test_a_word_is_hidden_that_a_person_names(samples: Path) -> None:
    path = samples / "claude-code-broken.jsonl"
    assert "npm test -- timer" in report(path, "text", "--with-content")
    told = report(path, "text", "--with-content", "--hide", "Timer")
    assert "npm test -- [word-1]" in told
    assert "timer" not in told.partition("npm test")[2].partition("\n")[0]


@pytest.mark.parametrize("options", ["--content-free --with-content", "--hide x", "--language zh"])
def test_options_that_do_not_fit_are_refused(options: str, samples: Path) -> None:
    assert product.run("check", str(samples / "codex-healthy.jsonl"), *options.split()).exit_code == 2


@pytest.mark.parametrize("language", REPORT_LANGUAGES)
@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_the_same_bytes_give_the_same_report(form: str, language: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    more = ("--with-content", "--language", language)
    assert report(path, form, *more) == report(path, form, *more)


def test_what_cannot_be_read_is_told_without_its_name(tmp_path: Path) -> None:
    for form in REPORT_FORMATS:
        names = ("--names", "none") if form in ("sarif", "github") else ()
        told = product.run("check", str(tmp_path / "customer.jsonl"), "--format", form, "--content-free", *names)
        assert told.exit_code == 2
        assert "customer" not in told.output
        assert "log-1" in told.output


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("/home/alice/x, then alice said", "/home/[user-1]/x, then [user-1] said"),
        (r"C:\\Users\\nora\\x and nora", r"C:\Users\[user-1]\x and [user-1]"),
        (r'{"path":"\/home\/al\u0069ce\/x"}', '{"path":"/home/[user-1]/x"}'),
        (r"C:\home\alice\nalice", r"C:\home\[user-1]\n[user-1]"),
        ("file:///home/alice%2Fx", "file:///home/[user-1]/x"),
        ("-home-alice-acme-", "-home-[user-1]-acme-"),
        ("/home/ubuntu/x as user", "/home/[user-1]/x as user"),
        ("bob@corp.example.com\\nbob@corp.example.com", "[email-1]\\n[email-1]"),
        ("bob%40corp.example.com, BOB@corp.example.com", "[email-1], [email-1]"),
        ("https://u:pw123456@git.acme.io/x", "https://[secret-1]@[host-1]/x"),
        ("ping db-07.corp.internal, main.py, README.md", "ping [host-1], main.py, README.md"),
        ("10.0.0.12, 2001:db8::1, ::1, 2.1.112, 12:30:45", "[ip-1], [ip-2], [ip-3], 2.1.112, 12:30:45"),
        ("+49 30 1234567, (415) 555-2671, 13812345678", "[phone-1], [phone-2], [phone-3]"),
        ('"api_key": "abcd1234", token=[x]', '"api_key": "[secret-1]", token=[x]'),
        ("password: [hunter2-secret!, --token [hunter2-secret", "password: [secret-1], --token [secret-2]"),
        ('"api_key": "[abcdefgh12345"', '"api_key": "[secret-1]"'),
        ("password: [user-1]hunter2", "password: [secret-1]"),
        ("[token=sk-ant-0123456789abcdef01]", "[token=[secret-1]]"),
        ("login: token, token=abcd1234", "login: [user-1], [user-1]=[secret-1]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- x", "[secret-1] x"),
        ("toolu_01ABCDEFGHIJKLMNOPQRSTUV", "[token-1]"),
        ("messages.132: tool_use ids were found without", "messages.132: tool_use ids were found without"),
        ("half \ud800 of a sign", "half \ufffd of a sign"),
        ("card 4111 1111 1111 1111, 378282246310005", "card [card-1], [card-2]"),
        ("5555-5555-5555-4444, 5555555555554444", "[card-1], [card-1]"),
        (
            "4111111111111112, 4503599627370496 at 1764000000000",
            "4111111111111112, 4503599627370496 at 1764000000000",
        ),
        ("DE89 3704 0044 0532 0130 00 BIC, GB82WEST12345698765432", "[iban-1] BIC, [iban-2]"),
        ("360426199101010071, 536-90-4399, 390.533.447-05", "[id-2], [id-3], [id-1]"),
        ("131052-308T, X-2482300W, 756.9217.0769.85, RCCMNL83S18D969H", "[id-3], [id-2], [id-1], [id-4]"),
        ("2025-11-24, 2.1.330, 390.533.447-06", "2025-11-24, 2.1.330, 390.533.447-06"),
        ("at 48.858370, 2.294481 or geo:48.85,2.29", "at [position-1] or geo:[position-2]"),
        ("48°51'29.6\"N 2°17'40.2\"E", "[position-1] [position-2]"),
        ('{"latitude": 48.8583, "lng": 2.2944}', '{"latitude": [position-1], "lng": [position-2]}'),
        ("密码是hunter22，口令：s3cret! 密码是什么问题", "密码是[secret-1]，口令：[secret-2] 密码是什么问题"),
        ("req_011CUoGJq9x, x-request-id: 7f3a9c2b1d4e", "[request-1], x-request-id: [request-2]"),
        ("Co-authored-by: Nora Weber, asked Nora Weber", "Co-authored-by: [user-1], asked [user-1]"),
    ],
)
def test_what_is_replaced_and_what_stays(text: str, redacted: str) -> None:
    assert Redactor().redact(text) == redacted


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "github"])
def test_a_report_with_content_says_what_it_cannot_hide(form: str, language: str, tmp_path: Path) -> None:
    path, limits = written(tmp_path), {"en": "Read the excerpts before you share them", "zh": "分享摘录前请先阅读"}
    assert limits[language] in report(path, form, "--with-content", "--language", language)
    assert limits[language] not in report(path, form, "--content-free", "--language", language)


@pytest.mark.usefixtures("ends")
def test_no_text_makes_the_redaction_wait() -> None:
    words = (
        "a a. a- 1. %25 +1 pwd pwd=[ [a-1] \\ ://a b@b. / //x 1 1- 4-1 AB12 req_ 密码 密码是 1.2345, 48° lat:1".split()
    )
    for text in (*words, "host ", " ", "1 ", "DE89 "):
        assert Redactor().redact(text * 10_000)


def test_a_pseudonym_holds_through_all_texts() -> None:
    redactor = Redactor(["Adler"])
    first = redactor.redact("mail a@x.com from 10.1.1.1 for project ADLER")
    assert first == redactor.redact("mail a@x.com from 10.1.1.1 for project adler")
    assert redactor.replacements == {"[word-1]": "adler", "[email-1]": "a@x.com", "[ip-1]": "10.1.1.1"}


@pytest.mark.parametrize("word", ["model", "Root", "王", "app", "Home", "user", "word", "🦊", " İzmir.", "it%27s"])
def test_a_word_that_a_person_names_is_hidden_whatever_it_is(word: str) -> None:
    name = word.strip(" .").replace("%27", "'")
    told = Redactor([word]).redact(f"{name} of {name.upper()}: C:/Users/alice/{name}")
    assert told == "[word-1] of [word-1]: C:/Users/[user-1]/[word-1]"


def test_of_two_words_the_longer_is_hidden_first() -> None:
    assert Redactor(["acme", "Acme Corp"]).redact("Acme Corp, ACME") == "[word-1], [word-2]"


def test_someone_elses_detector_finds_nothing_more() -> None:
    found: dict[str, type] = get_mapping_from_secret_type_to_class()
    named = [each.__name__ for each in found.values()]
    plugins = [{"name": name} for name in named if "Entropy" not in name]
    lines = [Redactor().redact(line) for line in SECRETS]
    with transient_settings({"plugins_used": plugins}):
        assert len([line for line in SECRETS if list(scan_line(line))]) >= len(SECRETS) / 2
        assert [line for line in lines if list(scan_line(line))] == []


def test_an_address_is_no_version() -> None:
    assert [safe_version(text) for text in ("2.1.112", "v0.9.0-rc.1", "192.168.10.5")] == ["2.1.112", "v0.9.0-rc.1", ""]
