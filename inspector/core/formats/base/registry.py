"""The registry of formats: built-in ones, those of installed packages, and safe calls into either.

Installed packages add formats by entry points of `transcript_inspector.formats`. The name of an entry point is the name
of the format, its value a subclass of `Format`. What cannot be used is reported and left out. The current folder
installs nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.errors import InspectorError, describe_error_origin
from inspector.core.formats.base.format import Format, FormatInfo, MultiFileFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.model.views import RecordView
from inspector.core.storage.json_text import is_valid_json
from inspector.core.translation import tr

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path


BUILT_IN_ORIGIN = tr("built in")


class FormatEntry(NamedTuple):
    """What is known about a format before it is loaded.

    `place` is where it is written ("module:Class"), and a log with one of its `keys` is worth a try. `is_multi_file`:
    its logs may lie in many files or rows, so that it is asked whether it claims a path; `is_database`: it claims
    SQLite databases only. `origin` is the package that it comes from, with its version.
    """

    name: str
    place: str
    keys: str = ""
    is_multi_file: bool = False
    is_database: bool = False
    origin: str = BUILT_IN_ORIGIN


def entry_of(format: Format, origin: str = BUILT_IN_ORIGIN) -> FormatEntry:
    """Return the entry of a loaded format."""
    cls = type(format)
    is_database = isinstance(format, MultiFileFormat) and format.is_database
    return FormatEntry(
        format.name,
        f"{cls.__module__}:{cls.__name__}",
        format.keys,
        isinstance(format, MultiFileFormat),
        is_database,
        origin,
    )


def format_in_module(module: str) -> Format:
    """Return the format of a module: an instance of the one class in it with a format name."""
    classes = [cls for cls in vars(sys.modules[module]).values() if isinstance(cls, type) and issubclass(cls, Format)]
    return next(cls() for cls in classes if cls.__module__ == module and hasattr(cls, "name"))


# The program's own formats, listed so that none is loaded to be known. Written by python -m tests.docs.

# fmt: off
BUILT_IN_FORMATS = (
    FormatEntry("ai-sdk", "inspector.core.formats.ai_sdk:AiSdk", "role content messages input contents output choices candidates response body params"),  # noqa: E501
    FormatEntry("ai-sdk-ui", "inspector.core.formats.ai_sdk_ui:AiSdkUi", "role content messages input contents output choices candidates response body params parts toolInvocations"),  # noqa: E501
    FormatEntry("atif", "inspector.core.formats.atif:Atif", "schema_version"),
    FormatEntry("claude-code", "inspector.core.formats.claude_code:ClaudeCode", "parentUuid"),
    FormatEntry("claude-stream", "inspector.core.formats.claude_stream:ClaudeStream", "session_id loglines"),
    FormatEntry("cline-sdk", "inspector.core.formats.cline_sdk:ClineSdk", "updated_at"),
    FormatEntry("cline-task", "inspector.core.formats.cline_task:ClineTask"),
    FormatEntry("cline-ui", "inspector.core.formats.cline_ui_messages:ClineUiMessages"),
    FormatEntry("codex", "inspector.core.formats.codex:Codex", "payload record_type instructions"),
    FormatEntry("copilot-cli", "inspector.core.formats.copilot_cli:CopilotCli", "parentId data"),
    FormatEntry("crush", "inspector.core.formats.crush:Crush", "messages parts role", True, True),
    FormatEntry("dsh", "inspector.core.formats.dsh:DeepSeekHarness", "createdAt delegationDepth seq seq0 surfaceOp"),
    FormatEntry("gemini-cli", "inspector.core.formats.gemini_cli:GeminiCli", "projectHash $set $rewindTo"),
    FormatEntry("gemini-stream", "inspector.core.formats.gemini_stream:GeminiStream", "session_id tool_id"),
    FormatEntry("google-adk", "inspector.core.formats.google_adk:GoogleAdk", "author events invocationId invocation_id", True, True),  # noqa: E501
    FormatEntry("goose", "inspector.core.formats.goose:Goose", "conversation working_dir", True, True),
    FormatEntry("hermes", "inspector.core.formats.hermes:Hermes", "role content messages input contents output choices candidates response body params session_id session_start", True, True),  # noqa: E501
    FormatEntry("inspect-ai", "inspector.core.formats.inspect_ai:InspectAi", "epoch eval"),
    FormatEntry("kimi-cli", "inspector.core.formats.kimi_cli_context:KimiCliContext", "role"),
    FormatEntry("kimi-cli-wire", "inspector.core.formats.kimi_cli_wire:KimiCliWire", "protocol_version"),
    FormatEntry("kimi-code", "inspector.core.formats.kimi_code:KimiCode", "protocol_version event"),
    FormatEntry("kiro-cli", "inspector.core.formats.kiro_cli:KiroCli", "kind"),
    FormatEntry("kiro-cli-v3", "inspector.core.formats.kiro_cli_v3:KiroCliV3", "payload"),
    FormatEntry("langgraph", "inspector.core.formats.langgraph:LangGraph", "pending_calls", True, True),
    FormatEntry("mini-swe-agent", "inspector.core.formats.mini_swe_agent:MiniSweAgent", "trajectory_format info"),
    FormatEntry("neovate", "inspector.core.formats.neovate:Neovate", "role config"),
    FormatEntry("omp", "inspector.core.formats.omp:Omp", "parentId parentSession"),
    FormatEntry("openai-agents", "inspector.core.formats.openai_agents:OpenAIAgents", "agent_messages", True, True),
    FormatEntry("openai-agents-state", "inspector.core.formats.openai_agents_state:OpenAIAgentsState", "$schemaVersion"),  # noqa: E501
    FormatEntry("openclaw", "inspector.core.formats.openclaw:OpenClaw", "parentId parentSession", True, True),
    FormatEntry("opencode", "inspector.core.formats.opencode:OpenCode", "info", True),
    FormatEntry("openhands", "inspector.core.formats.openhands:OpenHands", "kind source history events", True),
    FormatEntry("otel", "inspector.core.formats.otel:OpenTelemetryTrace", "input_messages output_messages"),
    FormatEntry("pi", "inspector.core.formats.pi:Pi", "parentId parentSession"),
    FormatEntry("pydantic-ai", "inspector.core.formats.pydantic_ai:PydanticAi", "kind parts messages"),
    FormatEntry("qwen-code", "inspector.core.formats.qwen_code:QwenCode", "provenance systemPayload toolCallResult"),
    FormatEntry("strands", "inspector.core.formats.strands:Strands", "session_messages", True),
    FormatEntry("swe-agent", "inspector.core.formats.swe_agent:SweAgent", "trajectory history attempts"),
    FormatEntry("vscode-chat", "inspector.core.formats.vscode_chat:VsCodeChat", "kind requests"),
    FormatEntry("anthropic-messages", "inspector.core.formats.anthropic_messages:AnthropicMessages", "role content messages input contents output choices candidates response body params"),  # noqa: E501
    FormatEntry("bedrock-converse", "inspector.core.formats.bedrock_converse:BedrockConverse", "role content messages input contents output choices candidates response body params"),  # noqa: E501
    FormatEntry("gemini-contents", "inspector.core.formats.gemini_contents:GeminiContents", "role content messages input contents output choices candidates response body params"),  # noqa: E501
    FormatEntry("langchain", "inspector.core.formats.langchain:LangChain", "role content messages input contents output choices candidates response body params lc data values"),  # noqa: E501
    FormatEntry("litellm-log", "inspector.core.formats.litellm_log:LiteLLMLog", "messages raw_messages response"),
    FormatEntry("openai-chat", "inspector.core.formats.openai_chat:OpenAIChat", "role content messages input contents output choices candidates response body params"),  # noqa: E501
    FormatEntry("openai-responses", "inspector.core.formats.openai_responses:OpenAIResponses", "role content messages input contents output choices candidates response body params"),  # noqa: E501
)
# fmt: on


ENTRY_POINT_GROUP = "transcript_inspector.formats"


def plugin_formats(faults: list[str]) -> Iterator[tuple[Format, str]]:
    """Yield the formats of installed packages, each with the package and its version.

    A sentence for each one that is left out is added to `faults`.
    """
    here = ""
    with suppress(OSError):  # The current folder may have been removed.
        here = os.path.realpath(os.curdir)
    folders = [folder for folder in sys.path if folder and os.path.realpath(folder) != here]
    if not any(map(_may_hold_plugins, folders)):
        return
    from importlib.metadata import distributions  # noqa: PLC0415 - takes longer to load than a small log to check

    seen: set[str] = set()
    for package in distributions(path=folders):
        try:
            name, origin = package.name, f"{package.name} {package.version}"
            entries = package.entry_points.select(group=ENTRY_POINT_GROUP)
        except Exception as error:
            faults.append(
                tr(
                    "A package in {locate_file} is ignored because its metadata cannot be read: {error}",
                    locate_file=package.locate_file(""),
                    error=error,
                )
            )
            continue
        if name in seen:
            continue
        seen.add(name)
        for entry in entries:
            try:
                yield _load_plugin(entry), origin
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                why = (
                    ""
                    if isinstance(error, _InvalidPlugin)
                    else tr("loading failed ({name}): ", name=type(error).__name__)
                )
                faults.append(
                    tr(
                        "The {name} format from {origin} is ignored: {why}{error}",
                        name=entry.name,
                        origin=origin,
                        why=why,
                        error=error,
                    )
                )


class _InvalidPlugin(Exception):
    """The reason, in words, why an entry point cannot be a format."""


def _load_plugin(entry: EntryPoint) -> Format:
    """Load the format of an entry point. Raises _InvalidPlugin, and whatever the package raises."""
    cls = entry.load()
    if not (isinstance(cls, type) and issubclass(cls, Format)):
        raise _InvalidPlugin(tr("{value} is not a subclass of Format.", value=entry.value))
    lacking = sorted(
        {*cls.__abstractmethods__, *(member for member in FormatInfo.__annotations__ if not hasattr(cls, member))}
    )
    if lacking:
        raise _InvalidPlugin(tr("{value} does not define {lacking}.", value=entry.value, lacking=", ".join(lacking)))
    if cls.name != entry.name:
        raise _InvalidPlugin(tr("{value} has the name {name}.", value=entry.value, name=cls.name))
    return cls()


def _may_hold_plugins(folder: str) -> bool:
    """Return whether a package in a folder names the group. This is a hundred times as fast as reading metadata."""
    if os.path.isfile(folder):
        return True  # An archive: running the program from one is slow anyway.
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{folder}/{name}/entry_points.txt", "rb", buffering=0) as entry_points:
                    if ENTRY_POINT_GROUP.encode() in entry_points.read():
                        return True
    return False


_SHARED = "base"  # the one package of the formats that is no format


class FormatRegistry(Mapping[str, Format]):
    """The formats by name: modules of `inspector.core.formats`, and formats of installed packages.

    A format is loaded when it is first looked up, because a check of one log needs few of them. A module that is not
    listed yet, and formats of packages, are loaded to be known; `faults` says what is wrong with the latter.
    """

    def __init__(self, package: str, path: list[str]) -> None:
        self._package, self._path = package, path
        self._listed = {known.name: known for known in BUILT_IN_FORMATS}
        self._loaded: dict[str, Format] = {}
        self.faults: list[str] = []

    @cached_property
    def entries(self) -> dict[str, FormatEntry]:
        """The entry of every format: the program's own first, as they are listed."""
        rows = dict(self._listed)
        listed = {known.place.partition(":")[0] for known in BUILT_IN_FORMATS}
        for module in iter_modules(self._path):
            place = f"{self._package}.{module.name}"
            if place not in listed and module.name != _SHARED:
                import_module(place)
                self._add(rows, format_in_module(place), BUILT_IN_ORIGIN)
        for format, origin in plugin_formats(self.faults):
            if format.name in rows:
                taken = rows[format.name].origin
                self.faults.append(
                    tr(
                        "The {name} format from {origin} is ignored because a format with this name already exists "
                        "({taken}).",
                        name=format.name,
                        origin=origin,
                        taken=taken,
                    )
                )
            else:
                self._add(rows, format, origin)
        return rows

    @cached_property
    def _names_by_key(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for entry in self.entries.values():
            for key in entry.keys.split():
                names.setdefault(key, []).append(entry.name)
        return names

    def likely_names(self, head: Head) -> list[str]:
        """Return the names of the formats that have a key in the head of a log, sorted."""
        return sorted({name for key in head.keys for name in self._names_by_key.get(key, ())})

    def _add(self, rows: dict[str, FormatEntry], format: Format, origin: str) -> None:
        self._loaded[format.name] = format
        rows[format.name] = entry_of(format, origin)

    def __getitem__(self, name: str) -> Format:
        if name not in self._loaded and name in self._listed:
            module, _, kind = self._listed[name].place.partition(":")
            self._loaded[name] = getattr(import_module(module), kind)()
        elif name not in self._loaded:
            self.entries[name]
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._listed or name in self.entries


# Calls into a format whose exceptions are caught: the caller goes on without an answer, and the fault is reported. A
# sentence says what failed and where in the program, and holds nothing of the log.

UNREADABLE_RECORD = tr("unreadable record")


def safe_score(format: Format, head: Head) -> float:
    """Return how sure the format is of a log, 0 where it fails, which `head.faults` reports."""
    try:
        return format.score(head)
    except InspectorError:
        raise
    except Exception as error:
        _report_fault(head.faults, format, tr("determine whether it can read this log"), error)
        return 0.0


def safe_claims(format: Format, path: Path, faults: list[str]) -> bool:
    """Return whether a log of the format lies at `path` in many files or rows, False where the format fails."""
    try:
        return isinstance(format, MultiFileFormat) and format.claims(path)
    except Exception as error:
        _report_fault(faults, format, tr("check whether it can read a log that consists of several files"), error)
        return False


def safe_metadata(format: Format, head: Head) -> SessionMetadata:
    """Return project and title, empty where they cannot be read.

    `head.faults` reports a failure, unless it is an error of the operating system.
    """
    try:
        return format.metadata(head)
    except OSError:
        return SessionMetadata()
    except Exception as error:
        _report_fault(head.faults, format, tr("read the title of this log"), error)
        return SessionMetadata()


def safe_first_words(format: Format, raw: bytes, faults: list[str]) -> str:
    """Return the first line of a record, "" where that fails. A failure on valid JSON is a fault."""
    try:
        return format.first_words(raw)
    except Exception as error:
        if is_valid_json(raw):
            _report_fault(faults, format, tr("show a record of this log"), error)
        return ""


def safe_view(format: Format, raw: bytes, faults: list[str]) -> RecordView:
    """Return a record for showing, or a view that says it is unreadable. A failure on valid JSON is a fault."""
    try:
        return format.view(raw)
    except Exception as error:
        if is_valid_json(raw):
            _report_fault(faults, format, tr("show a record of this log"), error)
        return RecordView("", UNREADABLE_RECORD)


def _report_fault(faults: list[str], format: Format, action: str, error: Exception) -> None:
    origin = describe_error_origin(error)
    sentence = tr(
        "The {name} format module could not {action} ({origin}). Please report this error, and include the log "
        "if you can.",
        name=format.name,
        action=action,
        origin=origin,
    )
    if sentence not in faults:
        faults.append(sentence)
