"""A bundle yields exactly the findings of the log that it was made of, and nothing of what that says."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from inspector.core.providers.media import detect_media_type, image_size
from inspector.core.redaction.anonymizer import Anonymizer
from tests.core.formats import FORMATS, WRITABLE
from tests.core.redaction.bundles.properties import Tried, tried
from tests.core.repair.every_format import write
from tests.core.report.planted import written
from tests.core.report.test_nothing_leaks import leaked
from tests.core.rules.each_rule import EACH_RULE, HI, Example, messages
from tests.robustness.properties.histories import damaged
from tests.robustness.properties.profiles import FEW
from tests.support import paths, product
from tests.support.archives import zipped
from tests.support.notation import History, claude_code_records, lines, parse
from tests.support.thorough import every

SAMPLES = sorted(path.name for path in paths.SAMPLES.iterdir())
HISTORIES = (
    "u | a{A} | r(A=x) | a",
    'u"go" | a"t"{A@Bash,B} | r(A="some output") | u"stop" | a"ok"',
    "u | a{A} | u | r(A=x) | a",
    "u | a{A} | r(A=x),r(A=x) | a{B} | r(B=y)",
    "u | a{A} | r(A=x),r(A=y) | a",
    "u | r(A=x) | a{A} | u",
    "u | a{A} | PH(A) | a{B} | r(B=1)",
    "u | a{A} | a{B} | u",
)


def check_same(path: Path, out: Path, profile: str = "") -> Tried:
    """A bundle holds what is promised of it."""
    done = tried(path, out, profile)
    assert (done.refusal, done.faults) == ("", [])
    return done


@pytest.fixture(autouse=True, scope="module")
def nobody_writes() -> Iterator[None]:
    """Whether another program has a log open is no matter of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspector.core.engine.activity.is_open_for_writing", lambda path: False)
        yield


@pytest.mark.parametrize("name", every(3, SAMPLES))
def test_samples(name: str, samples: Path, tmp_path: Path) -> None:
    check_same(samples / name, tmp_path / "b.zip")


@pytest.mark.parametrize("code", EACH_RULE)
def test_every_rule(code: str, tmp_path: Path) -> None:
    example: Example = EACH_RULE[code]
    check_same(example.written(tmp_path), tmp_path / "b.zip", example.profile)


EVERY = FORMATS | WRITABLE


EVERY = FORMATS | WRITABLE


@pytest.mark.parametrize(("name", "history"), every(3, [(name, history) for name in EVERY for history in HISTORIES]))
def test_every_format(name: str, history: str, tmp_path: Path) -> None:
    check_same(EVERY[name].write(parse(history), tmp_path), tmp_path / "b.zip")


@pytest.mark.parametrize("name", every(4, EVERY))
def test_generated_logs(name: str) -> None:
    @settings(FEW, max_examples=FEW.max_examples // 4)
    @given(damaged())
    def check(history: History) -> None:
        with TemporaryDirectory() as folder:
            path = write(EVERY[name], history, Path(folder) / "log")
            check_same(path, Path(folder) / "b.zip")

    check()


def test_nothing_planted_survives(tmp_path: Path) -> None:
    members = check_same(written(tmp_path), tmp_path / "b.zip").members
    text = "\n".join(f"{name}\n{data.decode('utf-8', 'replace')}" for name, data in members.items())
    assert leaked(text) == []
    assert "customer" not in text
    assert set(members) >= {"report.txt", "report.json", "report.md", "manifest.json"}


def test_what_yields_others_is_refused(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Anonymizer, "anonymize", lambda masker, data: data.replace(b"tool_result", b"tool_resulx"))
    told = product.run("bundle", str(samples / "claude-code-broken.jsonl"), "-o", str(tmp_path / "b.zip"))
    assert (told.exit_code, "different findings" in told.output, list(tmp_path.iterdir())) == (1, True, [])


@pytest.mark.parametrize(
    "said",
    [
        "I see the network errors. Let me continue to check the system status of the request.",
        "Error: the tool call failed, and the message of the user is not valid",
        "API Error: 429 rate limit of the messages that follow the user",
    ],
)
def test_what_speaks_of_errors_is_no_error(said: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(claude_code_records(parse(f'u"{said}" | a"{said}"{{A@Bash}} | r(A="{said}") | a"ok"'))))
    skeleton = check_same(path, tmp_path / "b.zip").skeleton.decode("utf-8", "replace")
    kept = set(re.findall(r"\w+", skeleton.split('"text":')[-1]))
    assert not [word for word in re.findall(r"\w{5,}", said) if word in kept]


def test_of_an_error_the_words_stay_that_tell_what_it_is_about(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(
        (samples / "claude-code-broken.jsonl").read_bytes().replace(b"API Error:", b"API Error of Jane Roe, limit:")
    )
    skeleton = check_same(path, tmp_path / "b.zip").skeleton.decode("utf-8", "replace")
    assert re.search(r"messages\.3: `tool_use` ids were found without `tool_result` \w{6}", skeleton)
    assert not re.search("Jane|Roe|limit|immediately", skeleton)


def jpeg(width: int, height: int) -> bytes:
    """One whose size stands behind a preview."""
    preview = b"\xff\xe1\x10\x00" + bytes(range(256)) * 15 + bytes(254)
    size = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return b"\xff\xd8" + preview + b"\xff\xc0\x00\x11\x08" + size + bytes(200)


def test_of_an_image_there_are_its_type_and_its_size_alone(tmp_path: Path) -> None:
    data = base64.b64encode(jpeg(9000, 20)).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}}
    path = tmp_path / "log.json"
    path.write_bytes(messages({"role": "user", "content": [image]}).data)
    done = check_same(path, tmp_path / "b.zip")
    assert [finding["rule"] for finding in product.check(tmp_path / "b.zip" / done.manifest["log"]).findings] == ["V1"]
    masked = json.loads(done.skeleton)["messages"][1]["content"][0]["source"]["data"]
    assert (base64.b64decode(masked)[:2], image_size(masked)) == (b"\xff\xd8", (9000, 20))
    assert not set(re.findall(".{8}", masked)) & set(re.findall("(?=(.{8}))", data))


@pytest.mark.parametrize(
    ("kind", "form", "data"),
    [
        ("image", "image/jpeg", jpeg(30, 40)),
        ("image", "image/jpeg", b"\xff\xd8\xff" + bytes(100)),
        ("image", "image/gif", b"GIF89a\x03\0\x04\0" + bytes(100)),
        ("image", "image/webp", b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x09\0\0\x0c\0\0" + bytes(100)),
        ("document", "application/pdf", b"%PDF-1.4\n" + b"1 0 obj\n" * 20),
        ("image", "image/png", b"a page of words, whatever it is called" * 3),
        ("image", "image/png", jpeg(30, 40)),
    ],
)
def test_a_medium_keeps_its_type(kind: str, form: str, data: bytes, tmp_path: Path) -> None:
    """What is judged by its first bytes is found in the bundle, too, or not there either."""
    source = {"type": "base64", "media_type": form, "data": base64.b64encode(data).decode()}
    path = tmp_path / "log.json"
    path.write_bytes(messages({"role": "user", "content": [{"type": kind, "source": source}]}).data)
    done = check_same(path, tmp_path / "b.zip")
    masked = json.loads(done.skeleton)["messages"][1]["content"][0]["source"]["data"]
    assert detect_media_type(masked) == detect_media_type(source["data"])


def test_what_is_spelled_by_numbers_is_known(tmp_path: Path) -> None:
    data = messages(HI).data.replace(b'"role"', rb'"r\u006fle"').replace(b'"user"', rb'"us\u0065r"')
    path = tmp_path / "log.json"
    path.write_bytes(b"\xef\xbb\xbf" + data)
    assert check_same(path, tmp_path / "b.zip").skeleton.count(rb'"r\u006fle"') == 2


def test_a_name_by_which_a_log_is_known_stays(tmp_path: Path) -> None:
    path = FORMATS["cline-ui"].write(parse("u | a"), tmp_path)
    assert check_same(path, tmp_path / "b.zip").manifest["log"] == "ui_messages.json"


def test_what_packs_too_well_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(messages({"role": "assistant", "content": "["}).data.replace(b'["', b'["' + b" " * 900_000))
    check_same(path, tmp_path / "b.zip")


def test_a_log_of_an_archive_has_a_bundle_too(samples: Path, tmp_path: Path) -> None:
    log = (samples / "codex-broken.jsonl").read_bytes()
    path = zipped(tmp_path, {"customer/rollout.jsonl": log})
    told = product.run("bundle", f"{path}/customer/rollout.jsonl", "-o", str(tmp_path / "b.zip"))
    assert told.exit_code == 0, told.output
    assert len(product.check(tmp_path / "b.zip").findings) == len(
        product.check(samples / "codex-broken.jsonl").findings
    )


def test_it_is_the_same_whenever_it_is_made(samples: Path, tmp_path: Path) -> None:
    made = []
    for name in ("one.zip", "two.zip"):
        product.run("bundle", str(samples / "pi-broken.jsonl"), "-o", str(tmp_path / name))
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "Jürgen 中文 😀 \\u00fc\\u4e2d\\ud83d\\ude00\\n\\t\\"quoted\\" \\\\ C:\\\\new"}',
        '{"arguments": "{\\"city\\": \\"Chengdu\\", \\"n\\": 12345678901, \\"ok\\": true}"}',
        '{"torn": "Jürgen sa',
        '{"first": 1700000000123, "second": 1.5e10, "third": -123456789.25, "fourth": [true, null, NaN]}',
    ],
)
def test_length_and_shape_stay(text: str) -> None:
    data = text.encode()
    made = Anonymizer(data).anonymize(data)
    assert len(made) == len(data)
    assert not re.search(rb"J\xc3\xbcrgen|Chengdu|quoted|12345678|\xe4\xb8\xad", made)
    if text.endswith("}"):
        assert [type(value) for value in json.loads(made).values()] == [type(v) for v in json.loads(data).values()]
    if "arguments" in text:
        (nested,) = json.loads(made).values()
        assert [type(value) for value in json.loads(nested).values()] == [str, int, bool]


def test_ids_keep_their_order_and_equals_stay_equal() -> None:
    data = b'["toolu_01b9", "toolu_01a7", "some text", "toolu_01b9", "some text", "other text"]'
    one, two, text, three, again, other = json.loads(Anonymizer(data).anonymize(data))
    assert (one, text) == (three, again)
    assert two < one
    assert text != other
    assert one.startswith("toolu_") and "01b9" not in one  # noqa: PT018


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"10.20.30.40"', "10.20.30.40"),
        ('"2026-01-02T03:04:05Jane_Doe"', "Jane_Doe"),
        ('"API Error: 429 rate limit of Müller 张三"', "Müller|ller|张三"),
        ('"API Error: 429 rate limit of \\u5020\\u4e09"', r"\\u5020|\\u4e09"),
        ("[491512345678, -491512345678]", "-4|4915|5026"),
        ('"[no list: paypal_30248 of 30248 \\"paid"', "30248|paypal"),
    ],
)
def test_nothing_is_taken_for_a_word_of_ours(text: str, said: str) -> None:
    made = Anonymizer(text.encode()).anonymize(text.encode()).decode()
    assert len(made) == len(text)
    assert not re.search(said, made)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude-fix-acme-payroll-login", "claude-[^-]{3}-[^-]{4}-[^-]{7}-[^-]{5}"),
        ("codex-bigcorp-merger.internal", "[^-]{5}-[^-]{7}-[^-.]{6}[.][^-]{8}"),
        ("o1.secret-host.example:8080", ".{2}[.].{6}-.{4}[.].{7}:.{4}"),
        ("gpt-4915123456789", "gpt-.{13}"),
    ],
)
def test_no_name_is_taken_for_that_of_a_model(name: str, said: str) -> None:
    made = Anonymizer(b"").anonymize_text(name)
    assert re.fullmatch(said, made)
    assert not set(re.findall(r"\w{4,}", name)) & set(re.findall(r"\w{4,}", made)) - {"claude"}


@pytest.mark.parametrize(
    "name",
    """claude-opus-4-5 claude-3-5-sonnet@20240620 eu.anthropic.claude-sonnet-4-5-20250929-v1:0 gpt-4o-mini o4-mini
    gpt-4.1-2025-04-14 gpt-5.5-codex gpt-oss-120b codex-mini-latest gemini-2.5-pro-preview-06-05 models/gemini-2.0-flash
    deepseek/deepseek-chat deepseek-r1-0528 qwen/qwen3-coder-480b-a35b-instruct kimi-k2-0905-preview glm-4.5-air
    mistral-large-2411""".split(),
)
def test_the_name_of_a_model_stays(name: str) -> None:
    assert Anonymizer(b"").anonymize_text(name) == name


@pytest.mark.parametrize("text", ['"{}"', "no JSON {}", "[{}"])
@pytest.mark.parametrize("word", ["attack at dawn", "\\u0430\\u0431\\u0432 \\ud83d\\ude00", "4915123456789 times"])
def test_who_does_not_have_the_log_cannot_try_out_texts(text: str, word: str) -> None:
    data = text.format(word).encode()
    made = {Anonymizer(data + end).anonymize(data) for end in (b"", b" ", b"\n")}
    assert len(made) == 3


def test_no_step_comes_twice_in_a_long_text() -> None:
    for data in (b'"' + b"a " * 400 + b'"', b"a " * 400, rb'"' + rb"\u0430" * 400 + b'"'):
        made = Anonymizer(data).anonymize(data)
        assert not any(made.count(made[at : at + 60]) > 1 for at in range(1, 700, 7))
