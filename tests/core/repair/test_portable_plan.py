"""A plan without content does what the direct repair does, where the log lies, or nothing at all."""

import json
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from tests.core.formats import WRITABLE
from tests.core.repair.every_format import contents, write
from tests.core.repair.logs import written as cased
from tests.core.report.planted import written as planted
from tests.core.report.test_nothing_leaks import leaked
from tests.core.rules.each_rule import EACH_RULE, Example
from tests.robustness.properties.histories import damaged
from tests.robustness.properties.profiles import FEW
from tests.support import product
from tests.support.archives import zipped
from tests.support.notation import History, claude_code_records, lines, parse
from tests.support.product import Answer
from tests.support.thorough import every

BROKEN = "u | a{A@Bash} | u | a"
HISTORIES = (
    BROKEN,
    'u"go" | a"t"{A@Bash,B} | r(A="some output") | u"stop" | a"ok"',
    "u | a{A} | u | r(A=x) | a",
    "u | a{A} | r(A=x),r(A=y) | a | u | r(C=z) | a",
    "u | a{A} | r(A=x) | a{A} | r(A=y) | a{B}",
)
GROWN = " | u | a" * 500


def made(path: Path, plan: Path, *more: str) -> Answer:
    return product.repair(path, None, "--plan-out", str(plan), *more)


def applied(path: Path, plan: Path, out: Path) -> Answer:
    return product.repair(path, out, "--plan", str(plan))


def beside(path: Path, name: str) -> Path:
    folder = path.parent / name
    folder.mkdir()
    return folder / path.name


def check_same(path: Path, *more: str) -> None:
    """Where there is something to repair, the plan does just what the repair does."""
    plan, direct = path.parent / "plan.json", beside(path, "direct")
    told = product.repair(path, direct, *more)
    answer = made(path, plan, *more)
    if told.code or not told.edits:
        assert (answer.code, plan.exists()) == (told.code, False)
        return
    assert (answer.code, answer.report["plan"]) == (0, str(plan)), answer.report["reason"]
    out = beside(path, "applied")
    answer = applied(path, plan, out)
    assert answer.code == 0, answer.report["reason"]
    assert contents(out) == contents(direct)
    assert answer.edits == told.edits


@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("name", every(6, WRITABLE))
def test_it_writes_the_same_bytes_as_the_direct_repair(name: str, history: str, tmp_path: Path) -> None:
    check_same(write(WRITABLE[name], parse(history), tmp_path / "log"))


@pytest.mark.parametrize("name", every(4, WRITABLE))
def test_for_generated_logs(name: str) -> None:
    @settings(FEW, max_examples=FEW.max_examples // 4)
    @given(damaged())
    def check(history: History) -> None:
        with TemporaryDirectory() as folder:
            check_same(write(WRITABLE[name], history, Path(folder) / "log"))

    check()


def test_a_finding_of_two_passes_is_done_as_each_decides(tmp_path: Path, samples: Path) -> None:
    """What is done about a finding may be another thing in the next pass: the plan decides it as the repair does."""
    whole = (samples / "neovate-healthy.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(whole) + whole[-1][:44] + whole[2])
    check_same(path)


@pytest.mark.parametrize("code", EACH_RULE)
def test_for_every_rule(code: str, tmp_path: Path) -> None:
    example: Example = EACH_RULE[code]
    check_same(example.written(tmp_path), *(["--profile", example.profile] if example.profile else []))


@pytest.mark.parametrize(
    "more",
    [
        "--preset clean",
        "--preset minimal-loss --wording kimi-resume",
        "--strategy D2=drop-exchange --strategy R2=keep-as-note",
        "--session 0:D2=drop-call",
        "--session 0:clean",
        "--profile openai-chat",
        "--undo-placeholders",
        "--strategy R13:0:E:0=undo-placeholder",
        "--strategy D2:0:A:0=leave --strategy D2:0:B:0=drop-call",
    ],
)
def test_for_every_way_to_choose(more: str, tmp_path: Path) -> None:
    path = cased(tmp_path, "anthropic", "u | a{A} | u | a{B} | u | r(C=x) | a{E} | PH(E) | a | u | r(B=y) | a")
    check_same(path, *more.split())


def grown(name: str, broken: str, tmp_path: Path) -> tuple[Path, Path]:
    """A log, and itself after a thousand more lines, each in a folder of its own."""
    return (
        write(WRITABLE[name], parse(broken), tmp_path / "early"),
        write(WRITABLE[name], parse(broken + GROWN), tmp_path / "late"),
    )


@pytest.mark.parametrize("name", every(8, WRITABLE))
def test_it_is_applied_after_a_thousand_more_lines(name: str, tmp_path: Path) -> None:
    early, late = grown(name, BROKEN, tmp_path)
    plan = tmp_path / "plan.json"
    if made(early, plan).code:
        pytest.skip("there is nothing to repair in this log")
    out = beside(late, "applied")
    answer = applied(late, plan, out)
    assert answer.code == 0, answer.report["reason"]
    assert product.check(out).report["sessions"][0]["verdict"] in ("healthy", "waiting")


def test_an_interrupted_call_is_the_same_call_when_the_session_has_gone_on(tmp_path: Path) -> None:
    early, late = grown("claude-code", 'u"go" | a"t"{A@Bash}', tmp_path)
    plan, out = tmp_path / "plan.json", tmp_path / "out.jsonl"
    assert [finding["rule"] for finding in product.check(early).findings] == ["D1"]
    assert [finding["rule"] for finding in product.check(late).findings] == ["D2"]
    assert made(early, plan).code == 0
    answer = applied(late, plan, out)
    assert (answer.code, product.check(out).code) == (0, 0), answer.report["reason"]
    assert [edit["action"] for edit in answer.edits] == ["insert", "replace"]


def test_what_came_since_and_is_broken_too_is_told(tmp_path: Path) -> None:
    early = write(WRITABLE["claude-code"], parse(BROKEN), tmp_path / "early")
    late = write(WRITABLE["claude-code"], parse(f"{BROKEN} | u | a{{Z}} | u"), tmp_path / "late")
    plan, out = tmp_path / "plan.json", tmp_path / "out.jsonl"
    made(early, plan)
    answer = applied(late, plan, out)
    assert (answer.code, out.exists()) == (1, False)
    assert "has changed since the plan was made" in answer.report["reason"]


def test_only_what_it_names_is_done(tmp_path: Path) -> None:
    """Somebody chose to take placeholders of Claude Code out: one that came later stays."""
    words = "[Tool result missing due to internal error]"
    history = f'u | a{{A}} | r(A="{words}") | a'
    early = write(WRITABLE["claude-code"], parse(history), tmp_path / "early")
    late = write(WRITABLE["claude-code"], parse(f'{history} | u | a{{B}} | r(B="{words}") | a'), tmp_path / "late")
    plan, out = tmp_path / "plan.json", tmp_path / "out.jsonl"
    assert made(early, plan, "--undo-placeholders").code == 0
    assert applied(late, plan, out).code == 0
    told = out.read_text("utf-8").splitlines()
    assert [sum(said in line for line in told) for said in (words, "No result was recorded")] == [1, 1]


@pytest.mark.parametrize("name", WRITABLE)
def test_it_is_refused_after_one_byte_of_a_named_record(name: str, tmp_path: Path) -> None:
    path, plan = write(WRITABLE[name], parse('u | a"said"{A@Bash} | u"stopped" | a'), tmp_path / "log"), tmp_path / "p"
    if made(path, plan).code or not path.is_file() or path.suffix == ".db":
        pytest.skip("nothing to repair, or nothing to be changed by hand")
    for word, other in ((b"said", b"sbid"), (b"stopped", b"stooped")):
        data = path.read_bytes()
        path.write_bytes(data.replace(word, other))
        answer, out = applied(path, plan, tmp_path / "out"), tmp_path / "out"
        named = answer.code == 1
        assert named is not out.exists()
        assert not named or "since the plan was created, or it belongs to a different log" in answer.report["reason"]
        shutil.rmtree(out, ignore_errors=True) if out.is_dir() else out.unlink(missing_ok=True)
        path.write_bytes(data)


def test_each_named_record_binds_it(tmp_path: Path, samples: Path) -> None:
    path, plan, out = tmp_path / "log.jsonl", tmp_path / "plan.json", tmp_path / "out.jsonl"
    whole = (samples / "claude-code-broken.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole))
    made(path, plan)
    named = [each["record"] for each in json.loads(plan.read_bytes())["records"]]
    assert len(named) == 4
    for record in named:
        for line, said in (
            (whole[record].replace(b"e", b"i", 1), "or it belongs to a different log (line"),
            (b" " + whole[record], f"The record at line {record + 1} has changed since the plan was made"),
        ):
            path.write_bytes(b"".join([*whole[:record], line, *whole[record + 1 :]]))
            answer = applied(path, plan, out)
            assert (answer.code, out.exists()) == (1, False)
            assert said in answer.report["reason"] or "no record" in answer.report["reason"]
            assert "To get a new plan, send the current log" in answer.report["reason"]


def test_in_place_and_back(tmp_path: Path, samples: Path) -> None:
    path, plan = tmp_path / "log.jsonl", tmp_path / "plan.json"
    shutil.copy(samples / "codex-broken.jsonl", path)
    before = path.read_bytes()
    made(path, plan)
    told = product.run("repair", "--plan", str(plan), "--in-place", str(path))
    assert (told.exit_code, product.check(path).code) == (0, 0)
    backup = next(line.removeprefix("Backup: ")[:-1] for line in told.output.splitlines() if line.startswith("Backup"))
    assert product.run("restore", backup).exit_code == 0
    assert path.read_bytes() == before


def test_a_plan_for_a_log_of_an_archive_fits_the_log_itself(tmp_path: Path, samples: Path) -> None:
    """The desk has an archive with the log under another name; the ids that are made for it differ with the name."""
    name = "claude-code-broken.jsonl"
    archive = zipped(tmp_path, {f"customer/{name}": (samples / name).read_bytes()})
    plan, log = tmp_path / "plan.json", tmp_path / "5c1e.jsonl"
    assert product.repair(Path(f"{archive}/customer/{name}"), None, "--plan-out", str(plan)).code == 0
    shutil.copy(samples / name, log)
    answer = applied(log, plan, tmp_path / "out.jsonl")
    assert (answer.code, product.check(tmp_path / "out.jsonl").code) == (0, 0), answer.report["reason"]


def test_it_holds_nothing_of_the_log(tmp_path: Path) -> None:
    path, plan = planted(tmp_path), tmp_path / "plan.json"
    assert made(path, plan).code == 0
    text = plan.read_text("utf-8")
    assert leaked(text) == []
    assert "customer" not in text
    assert not any(word in text for word in ("toolu_", "Bash", "mcp__", "kunde", str(tmp_path)))


def test_a_session_is_found_among_others_by_its_id(tmp_path: Path) -> None:
    """In a store of many sessions another one can come before it."""
    early, late = tmp_path / "early.json", tmp_path / "late.json"
    sessions = []
    for number, history in enumerate((BROKEN, "u | a")):
        path = write(WRITABLE["opencode-export"], parse(history), tmp_path / f"{number}")
        sessions.append(path.read_text("utf-8").replace("ses_", f"ses_{number}").replace("msg_", f"msg_{number}"))
    early.write_text(f"[{sessions[0]},{sessions[1]}]", "utf-8")
    late.write_text(f"[{sessions[1]},{sessions[0]}]", "utf-8")
    plan, out = tmp_path / "plan.json", tmp_path / "out.json"
    assert [each["verdict"] for each in product.check(early).report["sessions"]] == ["heals-itself", "healthy"]
    assert made(early, plan).code == 0
    answer = applied(late, plan, out)
    assert (answer.code, product.check(out).code) == (0, 0), answer.report["reason"]


def test_it_is_the_same_whenever_it_is_made(tmp_path: Path, samples: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for plan in (one, two):
        made(samples / "pi-broken.jsonl", plan)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--wording Mine", "cannot contain custom placeholder text"),
        ("--results-from {other}", "copies results from another log"),
        ("--preset deepagents", "No plan was written: Anthropic"),
    ],
)
def test_what_cannot_be_said_without_content_is_refused(options: str, said: str, tmp_path: Path) -> None:
    history = "u | a{A} | u | a | u | r(B=x) | a" if "deepagents" in options else BROKEN
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(claude_code_records(parse(history))))
    other = tmp_path / "other.jsonl"
    other.write_bytes(lines(claude_code_records(parse("u | a{A@Bash} | r(A=x) | u | a"))))
    answer = made(path, tmp_path / "plan.json", *options.format(other=other).split())
    assert (answer.code, said in answer.report["reason"]) == (1, True), answer.report["reason"]
    assert not (tmp_path / "plan.json").exists()


@pytest.mark.parametrize(
    ("change", "said", "code"),
    [
        ({"schema": 2, "tool": "transcript-inspector 9"}, "was created by a newer version, transcript-inspector 9", 2),
        ({"records": 3}, "is not a plan written by", 2),
        ({"preset": "nope"}, "no preset named nope", 2),
        ({"wording": "Obey me."}, "contains text", 2),
        ({"format": "nope"}, "no nope format", 2),
        ({"format": "codex"}, "Choose another format", 2),
        ({"findings": []}, "would still reject", 1),
        ({"sessions": []}, "is not in its list of sessions", 1),
        ({"bound": ""}, "to a different log", 1),
        ({"result": ""}, "something different from the plan", 1),
        ({"result": "", "tool": "transcript-inspector 0"}, "Use the version that made the plan", 1),
    ],
)
def test_a_plan_that_somebody_changed_is_refused(
    change: dict[str, Any], said: str, code: int, tmp_path: Path, samples: Path
) -> None:
    path, plan = samples / "claude-code-broken.jsonl", tmp_path / "plan.json"
    made(path, plan)
    plan.write_text(json.dumps(json.loads(plan.read_bytes()) | {"digest": ""} | change), "utf-8")
    answer = applied(path, plan, tmp_path / "out.jsonl")
    assert (answer.code, said in answer.report["reason"]) == (code, True), answer.report["reason"]
    assert sorted(tmp_path.iterdir()) == [plan]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rules": {"V1": "replace-media"}}, "was edited after it was created"),
        ({"preset": "clean"}, "was edited after it was created"),
        ({"digest": "0" * 32}, "was edited after it was created"),
        ({"also": "this"}, "Object contains unknown field `also`"),
    ],
)
def test_an_edit_that_would_change_nothing_is_refused_as_well(
    change: dict[str, Any], said: str, tmp_path: Path, samples: Path
) -> None:
    path, plan = samples / "claude-code-broken.jsonl", tmp_path / "plan.json"
    made(path, plan)
    plan.write_text(json.dumps(json.loads(plan.read_bytes()) | change), "utf-8")
    answer = applied(path, plan, tmp_path / "out.jsonl")
    assert (answer.code, said in answer.report["reason"]) == (2, True), answer.report["reason"]
    assert sorted(tmp_path.iterdir()) == [plan]


def test_spaces_and_the_order_of_members_are_no_edit(tmp_path: Path, samples: Path) -> None:
    path, plan = samples / "claude-code-broken.jsonl", tmp_path / "plan.json"
    made(path, plan)
    plan.write_text(json.dumps(dict(reversed(json.loads(plan.read_bytes()).items()))), "utf-8")
    assert applied(path, plan, tmp_path / "out.jsonl").code == 0


SESSION = "88dd9faf-80e2-49f8-a338-f6d759acbce"


class Store:
    """A home in which Codex and Claude Code have kept sessions, and an archive with a repair for one of them."""

    def __init__(self, home: Path, samples: Path) -> None:
        self.folder, self.package = home / ".claude" / "projects" / "-tea", home / "b.zip"
        self.folder.mkdir(parents=True)
        rollout = home / ".codex" / "sessions" / "2026" / "01" / "01"
        rollout.mkdir(parents=True)
        shutil.copy(samples / "codex-broken.jsonl", rollout / "rollout-2026-01-01T10-00-00-1.jsonl")
        shutil.copy(samples / "claude-code-healthy.jsonl", self.folder / f"{SESSION}9.jsonl")
        self.broken = samples / "claude-code-broken.jsonl"
        assert product.run("repair", str(self.broken), "--send-back", str(self.package)).exit_code == 0

    def keep(self, name: str) -> Path:
        path = self.folder / f"{name}.jsonl"
        path.write_bytes(self.broken.read_bytes())
        return path

    def repair(self, *arguments: str) -> tuple[int, str]:
        done = product.run("repair", "--plan", str(self.package), *arguments)
        return done.exit_code, done.output


@pytest.fixture
def store(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name in ("CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return Store(tmp_path, samples)


def test_the_log_of_a_plan_is_found_in_the_stores(store: Store) -> None:
    path = store.keep(f"{SESSION}4")
    code, told = store.repair("--in-place")
    assert (code, told.splitlines()[0]) == (0, f"{path}: broken")
    assert product.check(path).code == 0
    code, told = store.repair("--in-place")
    assert (code, told) == (
        2,
        f"{store.package}: The plan matches none of the 2 logs that agents keep on this machine. The log may have "
        "changed since the plan was made. Give the path of the log: repair --plan PLAN LOG.\n",
    )


def test_of_several_copies_none_is_chosen(store: Store) -> None:
    one, two = store.keep(f"{SESSION}4"), store.keep(f"{SESSION}5")
    code, told = store.repair("--in-place")
    assert (code, "2 logs match the plan." in told, str(one) in told, str(two) in told) == (
        2,
        *[True] * 3,
    )
    assert {one.read_bytes(), two.read_bytes()} == {store.broken.read_bytes()}
    assert store.repair(str(one), "--in-place")[0] == 0


def test_a_zip_without_a_plan_is_refused(store: Store, tmp_path: Path) -> None:
    store.package = zipped(tmp_path, {"read-me.txt": b"x"}, "other.zip")
    assert store.repair() == (
        2,
        f"{store.package}: {store.package} contains no plan. Use the archive that `repair --send-back` wrote.\n",
    )


def test_only_a_plan_finds_its_log(store: Store) -> None:
    for arguments in ((), ("--plan", str(store.package), "--output-dir", "out")):
        done = product.run("repair", *arguments)
        assert (done.exit_code, "It can be omitted only with --plan." in done.output) == (2, True)


@pytest.mark.parametrize("options", ["--plan-out x -o y", "--plan x --plan-out y", "--plan x --preset clean"])
def test_what_does_not_go_together(options: str, samples: Path) -> None:
    assert product.repair_code(samples / "pi-broken.jsonl", *options.split()) == 2


def test_a_sound_log_has_none(samples: Path, tmp_path: Path) -> None:
    answer = made(samples / "pi-healthy.jsonl", tmp_path / "plan.json")
    assert (answer.code, answer.report["reason"]) == (0, "Nothing to repair.")
    assert not (tmp_path / "plan.json").exists()


def test_fix_carries_out_a_plan_as_a_new_session(store: Store) -> None:
    path = store.keep(f"{SESSION}4")
    os.utime(path, (0, 0))
    before = {each.name for each in store.folder.iterdir()}
    dry = product.run("fix", "--plan", str(store.package), "--dry-run")
    assert (dry.exit_code, dry.output.startswith(f"{path}  BROKEN  ")) == (1, True)
    assert {each.name for each in store.folder.iterdir()} == before
    done = product.run("fix", "--plan", str(store.package), "--yes")
    assert (done.exit_code, "The repaired session was saved and checked." in done.output) == (0, True), done.output
    (new,) = [each for each in store.folder.iterdir() if each.name not in before and each.suffix == ".jsonl"]
    assert product.check(new).code == 0
    assert path.read_bytes() == store.broken.read_bytes()
    assert product.run("fix", "--plan", str(store.package), "--agent", "codex").exit_code == 2
