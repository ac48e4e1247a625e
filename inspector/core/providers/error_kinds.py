"""The kinds of errors that a person pastes, and the wordings that show a kind although no rule finds the cause.

An error of kind `history` has rules (`error_wordings`); those of the other kinds lead elsewhere. A wording names its
source: a public report, the source of a program, or the version of an agent that was seen to print it. A pattern is for
a flat text, as in `error_wordings`, and the first match counts.
"""

from typing import NamedTuple

from inspector.core.translation import tr

HISTORY, FILE, STORE, TOO_LONG, MEDIA = "history", "file", "store", "too-long", "media"
TEMPLATE, TOOL_REFERENCE, REQUEST, OPAQUE = "template", "tool-reference", "request", "opaque"


class ErrorKindAdvice(NamedTuple):
    """What an error of a kind is about, in a sentence, and the next step, "" where a report has it."""

    sentence: str
    step: str


ERROR_KINDS: dict[str, ErrorKindAdvice] = {
    HISTORY: ErrorKindAdvice(tr("The provider or the agent rejects the history."), ""),
    FILE: ErrorKindAdvice(
        tr("The agent cannot read the session file."),
        tr("`transcript-inspector check FILE` shows what is damaged in the file."),
    ),
    STORE: ErrorKindAdvice(
        tr("The agent cannot find the session, or cannot open it where it is stored."),
        tr("`transcript-inspector doctor` lists the problems in the agents' stores."),
    ),
    TOO_LONG: ErrorKindAdvice(
        tr("The request is longer than the model's context window."),
        tr("`transcript-inspector trim LOG --fit MODEL` shortens the history and keeps calls and results together."),
    ),
    MEDIA: ErrorKindAdvice(
        tr("The provider does not accept an image or a document in the history."),
        tr("`transcript-inspector explain --error TEXT LOG` shows the affected record. For repairs, see rule V1."),
    ),
    TEMPLATE: ErrorKindAdvice(
        tr("The server's chat template cannot turn these messages into a prompt."),
        tr(
            "`transcript-inspector check LOG --profile NAME` shows what a model's template rejects. To "
            "repair the log, use `repair` with the same option. `transcript-inspector profiles` lists the "
            "templates."
        ),
    ),
    TOOL_REFERENCE: ErrorKindAdvice(
        tr("A result contains a tool reference, which this server does not accept."),
        tr(
            "`transcript-inspector explain --error TEXT LOG` shows the affected record. For possible repairs, see "
            "rule X3."
        ),
    ),
    REQUEST: ErrorKindAdvice(
        tr("The error is about the tools or parameters of the request, not about the history."),
        tr("The session does not need to be repaired. Change the tool, parameter or model named in the error."),
    ),
    OPAQUE: ErrorKindAdvice(
        tr("The provider reports that the request is invalid, but does not explain why."),
        tr("`transcript-inspector check LOG` shows what a provider could reject in the history."),
    ),
}

_KINDS_BY_RULE = {"V1": MEDIA, "X3": TOOL_REFERENCE, "K13": OPAQUE, "G8": FILE}


def kind_of_rules(rules: tuple[str, ...]) -> str:
    """Return the kind of an error that leads to rules. The first rule decides."""
    if not rules:
        return HISTORY
    damage = rules[0].startswith("F") and rules[0] != "F7"
    return FILE if damage else _KINDS_BY_RULE.get(rules[0], HISTORY)


class KindWording(NamedTuple):
    """A known wording of a kind: its pattern, where it was seen, the format of the agent that says it, a sentence.

    `agent` is "" where any program may say it, and `sentence` is "" where that of the kind says enough.
    """

    pattern: str
    kind: str
    source: str
    agent: str = ""
    sentence: str = ""


# Other programs that fail in words which agents use as well: such a text is nothing that a session explains.
OTHER_PROGRAMS = (
    r"\bnpm (ERR!|error|WARN|warn)\s|\bEJSONPARSE\b|\bERR_PNPM_|\byarn (error|install)\b|\berror TS\d{4}\b|"
    r"\berror\[E\d{4}\]|\bpip\S* install\b|\bERROR: (Could not|Failed building|No matching)|"
    r"\bfatal: (unable|not a git|refusing|Authentication)|\bModuleNotFoundError\b|\bCMake Error\b|"
    r"\bcargo\b.{0,40}error|\bmake(\[\d+\])?: \*\*\*|\bdocker: |\bBUILD FAILED\b|"
    r"\bTraceback .{0,400}\bjson\.decoder\.JSONDecodeError"
)

_SEEN_CLAUDE, _SEEN_CODEX, _SEEN_GEMINI = (
    "seen in Claude Code 2.1.330",
    "seen in Codex 0.169.0",
    "seen in Gemini CLI 0.61.0",
)
_SEEN_DSH = "seen in @deepseek-ai/dsh-session-persistence-jsonl 0.1.0-rc.8"
_SEEN_VSCODE = "seen in the code of VS Code 1.128.1"
_SEEN_COPILOT = "seen in Copilot CLI 1.0.102"
_SEEN_KIMI, _SEEN_QWEN, _SEEN_PI = "seen in Kimi Code 2.1.0", "seen in Qwen Code 0.24.4", "seen in pi 0.87.1"
_SEEN_OPENCODE = "seen in opencode 1.18.33"

_NOT_FOUND = tr("The agent cannot find a session with this id.")
_OTHER_FOLDER = tr("The session belongs to another folder, and the agent opens it only from there.")
_BAD_HEADER = tr("The log does not begin with the record that the agent requires.")

KIND_WORDINGS: tuple[KindWording, ...] = (
    # The agent does not find or open the session.
    KindWording(r"No conversation found with session ID", STORE, _SEEN_CLAUDE, "claude-code", _NOT_FOUND),
    KindWording(r"No conversations? found to (resume|continue)", STORE, "anthropics/claude-code#18311", "claude-code"),
    KindWording(
        r"is not a UUID and does not match any session title|--resume requires a valid session ID",
        STORE,
        _SEEN_CLAUDE,
        "claude-code",
        tr(
            "The id is incomplete or mistyped. Claude Code accepts a complete id in lowercase, a title, or the "
            "path of a file."
        ),
    ),
    KindWording(r"Failed to resume session: E(ISDIR|ACCES|NOENT)", STORE, _SEEN_CLAUDE, "claude-code"),
    KindWording(
        r"Claude configuration file at .{1,200} is corrupted|Configuration error in \S*\.claude\.json",
        STORE,
        "seen in Claude Code 2.1.112 and 2.1.330",
        "claude-code",
        tr("Claude Code's settings are damaged, so it cannot open any sessions."),
    ),
    KindWording(r"no rollout found for (thread|conversation) id", STORE, _SEEN_CODEX, "codex", _NOT_FOUND),
    KindWording(
        r"session \S+ is archived\. Run codex unarchive", STORE, _SEEN_CODEX, "codex", tr("The session is archived.")
    ),
    KindWording(r"session metadata .{1,400} belongs to thread", STORE, _SEEN_CODEX, "codex"),
    KindWording(r"failed to unarchive session|thread/list failed:", STORE, _SEEN_CODEX, "codex"),
    KindWording(
        r"This chat uses model provider .{1,80}, which is no longer configured",
        STORE,
        _SEEN_CODEX,
        "codex",
        tr(
            "Codex opens a session only if the session's provider is configured. Add this provider to "
            "config.toml again."
        ),
    ),
    KindWording(r"failed to resume local thread recorder: Permission denied", STORE, _SEEN_CODEX, "codex"),
    KindWording(r"thread-store internal error: (?!failed to read session metadata)", FILE, _SEEN_CODEX, "codex"),
    KindWording(
        r"No previous sessions found for this project",
        STORE,
        _SEEN_GEMINI,
        "gemini-cli",
        tr("Gemini CLI cannot find a chat for the current folder."),
    ),
    KindWording(
        r"Invalid session identifier .{1,200}Searched for sessions in", STORE, _SEEN_GEMINI, "gemini-cli", _NOT_FOUND
    ),
    KindWording(r"Error resuming session:", STORE, _SEEN_GEMINI, "gemini-cli"),
    KindWording(r"Session \S+ was created under a different directory", STORE, _SEEN_KIMI, "kimi-code", _OTHER_FOLDER),
    KindWording(r"failed to decode /?workspaces\.json", STORE, _SEEN_KIMI, "kimi-code"),
    KindWording(r"runtime binding workspace wd_\S+ does not match", STORE, _SEEN_KIMI, "kimi-code"),
    KindWording(
        r"model\.not_configured: Model not set",
        STORE,
        _SEEN_KIMI,
        "kimi-code",
        tr(
            "Kimi Code could not read its settings from the log. The log is missing or empty, or its first line is "
            "damaged."
        ),
    ),
    KindWording(r"failed to run prompt: storage read failed: permission denied", STORE, _SEEN_KIMI, "kimi-code"),
    KindWording(r"Session session_[0-9a-f-]+ not found", STORE, _SEEN_KIMI, "kimi-code", _NOT_FOUND),
    KindWording(r"No sessions? to continue under", STORE, _SEEN_KIMI, "kimi-code"),
    KindWording(r"No saved session found with ID", STORE, _SEEN_QWEN, "qwen-code", _NOT_FOUND),
    KindWording(r"session artifact .{1,400}use a separate root", STORE, _SEEN_DSH, "dsh"),
    KindWording(r"header id .{1,200} and cwd identify|duplicate JSONL session id", STORE, _SEEN_DSH, "dsh"),
    KindWording(r"Error reading (log|flat) chat session file", STORE, _SEEN_VSCODE, "vscode-chat", _NOT_FOUND),
    KindWording(r"No session, task, or name matched", STORE, _SEEN_COPILOT, "copilot-cli", _NOT_FOUND),
    KindWording(r"Transcript records contain multiple session ids", STORE, _SEEN_QWEN, "qwen-code"),
    KindWording(r"^(Error: )?Session not found( \S+)?\.?$", STORE, _SEEN_OPENCODE, "opencode", _NOT_FOUND),
    KindWording(
        r"UnknownError.{1,40}Unexpected server error\. Check server logs",
        STORE,
        _SEEN_OPENCODE,
        "opencode",
        tr(
            "opencode reports this error if the session's folder no longer exists, or if a database row is "
            "not valid JSON."
        ),
    ),
    KindWording(
        r"Unexpected error (file is not a database|database disk image is malformed|unable to open database file|"
        r"Failed query: PRAGMA)",
        STORE,
        _SEEN_OPENCODE,
        "opencode",
    ),
    KindWording(r"No session found matching", STORE, _SEEN_PI, "pi", _NOT_FOUND),
    KindWording(r"Session found in different project", STORE, _SEEN_PI, "pi", _OTHER_FOLDER),
    KindWording(r"No project session found with id", STORE, _SEEN_PI, "pi", _OTHER_FOLDER),
    KindWording(r"Stored session working directory does not exist", STORE, _SEEN_PI, "pi"),
    KindWording(r"Session file is not a valid pi session", FILE, _SEEN_PI, "pi", _BAD_HEADER),
    # The agent cannot read the file of the session.
    KindWording(
        r"rollout at .{1,400} (does not start with session metadata|has no usable header record|is empty)|"
        r"failed to read session metadata",
        FILE,
        "seen in Codex 0.169.0; openai/codex#38341, openai/codex#38613",
        "codex",
        _BAD_HEADER,
    ),
    KindWording(
        r"Session file is corrupted",
        FILE,
        "github/copilot-cli#1864,github/copilot-sdk#1007,microsoft/vscode#291823",
        sentence=tr(
            "The agent does not recognize a line in the session's log as a record. The error message contains "
            "the line number."
        ),
    ),
    KindWording(
        r"No session or task matched",
        FILE,
        "github/copilot-cli#2217",
        "copilot-cli",
        sentence=tr("GitHub Copilot CLI skips a session if it cannot read the session's log."),
    ),
    KindWording(
        r"Session .{1,200} was found but could not be loaded|uses a legacy flat JSONL transcript format",
        FILE,
        _SEEN_COPILOT,
        "copilot-cli",
    ),
    KindWording(
        r"corrupt session log: (seq gap|unparsable committed event|header line|first line is not a session header)",
        FILE,
        _SEEN_DSH,
        "dsh",
    ),
    KindWording(
        r"(header-less|corrupt) Zstandard session log",
        FILE,
        "deepseek-ai/deepseek-harness session-persistence-jsonl/src/index.ts",
        "dsh",
        sentence=tr("The session's compressed log is damaged."),
    ),
    KindWording(
        r"Log file is missing an initial entry", FILE, "microsoft/vscode#317478", "vscode-chat", sentence=_BAD_HEADER
    ),
    KindWording(r"Malformed session data in", FILE, _SEEN_VSCODE, "vscode-chat"),
    # The request is too long.
    KindWording(r"prompt is too long:? ?\d|^(API Error: )?Prompt is too long", TOO_LONG, "stackblitz/bolt.new#2449"),
    KindWording(r"prompt is too long: \d+, model maximum context", TOO_LONG, "can1357/oh-my-pi#1618"),
    KindWording(r"input length and max_tokens exceed context limit", TOO_LONG, "platform.claude.com, context windows"),
    KindWording(r"Context limit reached|Conversation too long\. Press esc", TOO_LONG, _SEEN_CLAUDE, "claude-code"),
    KindWording(r"maximum context length (is|of) \d|context_length_exceeded", TOO_LONG, "langgenius/dify#8360"),
    KindWording(
        r"input exceeds the context window|ran out of room in the model s context window", TOO_LONG, _SEEN_CODEX
    ),
    KindWording(
        r"input token count.{0,30} exceeds the maximum number of tokens", TOO_LONG, "Gemini API, 400 INVALID_ARGUMENT"
    ),
    KindWording(r"Input is too long for requested model", TOO_LONG, "Amazon Bedrock, ValidationException"),
    KindWording(
        r"exceeds the available context size|exceed_context_size_error",
        TOO_LONG,
        "ggml-org/llama.cpp server-context.cpp",
    ),
    KindWording(r"exceeded model token limit: \d", TOO_LONG, "Moonshot API, 400 invalid_request_error"),
    KindWording(r"Range of input length should be \[", TOO_LONG, "QwenLM/qwen-code#3652"),
    KindWording(r"too large for model with \d+ maximum context length", TOO_LONG, "Mistral API, 400"),
    KindWording(r"maximum prompt length is \d+ but the request contains", TOO_LONG, "xAI API, 400"),
    KindWording(r"Trying to keep the first \d+ tokens when", TOO_LONG, "LM Studio, 400"),
    KindWording(
        r"greater than the context length|model is loaded with context length of only", TOO_LONG, "LM Studio, 400"
    ),
    KindWording(r"invalid params, context window exceeds limit", TOO_LONG, "MiniMax API, 400 (2013)"),
    KindWording(
        r"prompt token count of \d+ exceeds the limit of \d+|max_prompt_tokens_exceeded",
        TOO_LONG,
        "GitHub Copilot, 400",
    ),
    KindWording(r"length of prompt_tokens \(\d+\) must be less than max_seq_len", TOO_LONG, "sjzar/chatlog#30"),
    KindWording(r"token count \d+ exceeds model max context \d+", TOO_LONG, "tinyhumansai/openhuman#2074"),
    KindWording(r"model_context_window_exceeded|Prompt exceeds max length", TOO_LONG, "Zhipu API"),
    KindWording(r"Please reduce the length of the messages", TOO_LONG, "microsoft/autogen#1347"),
    KindWording(r"request_too_large", TOO_LONG, "platform.claude.com, errors: 413"),
    # Images and documents that no rule covers.
    KindWording(
        r"Unsupported MIME type: \S+/\S+.{0,80}INVALID_ARGUMENT|You uploaded an unsupported image\. Please make sure",
        MEDIA,
        "Gemini API, 400; OpenAI API, 400",
    ),
    # Results that refer to tools.
    KindWording(
        r"tool_reference.{0,60}(not supported|unsupported|"
        r"unexpected|invalid)|"
        r"(unsupported|unknown|unexpected|invalid)\b.{0,40}tool_reference",
        TOOL_REFERENCE,
        "platform.claude.com, tool search",
    ),
    # Chat templates of local servers.
    KindWording(r"Jinja Exception: ", TEMPLATE, "lemonade-sdk/lemonade#2674,tinyhumansai/openhuman#5291"),
    KindWording(r"Unable to generate parser for this template", TEMPLATE, "lemonade-sdk/lemonade#2674"),
    KindWording(
        r"jinja2\.exceptions\.TemplateError: (Unexpected|Conversation|System|After|No user|Only|Invalid|"
        r"Expected|Message)",
        TEMPLATE,
        "anthropics/claude-code#77928",
    ),
    KindWording(r"Error rendering prompt with jinja template", TEMPLATE, "LM Studio, 400"),
    KindWording(r"\{\{-? ?raise_exception\(", TEMPLATE, "tinyhumansai/openhuman#5291"),
    # Tools, schemas and parameters.
    KindWording(
        r"tools\.\d+(\.\w+)*\.(input_schema|name|description|type)\b|input_schema: JSON schema is invalid",
        REQUEST,
        "anthropics/claude-code#54439,can1357/oh-my-pi#45",
    ),
    KindWording(r"tools: Tool names must be unique|tools\.\d+: ", REQUEST, "Anthropic API, 400"),
    KindWording(r"Invalid schema for function|Invalid tools\[\d+\]", REQUEST, "OpenAI API, 400"),
    KindWording(
        r"tools\[\d+\]\.function_declarations\[\d+\]|should be non-empty for OBJECT type", REQUEST, "Gemini API, 400"
    ),
    KindWording(
        r"Unsupported (parameter|value): |Unknown parameter: (?!input\[|messages\[)|Unrecognized request argument",
        REQUEST,
        "microsoft/vscode-copilot-release#9954,Wei-Shaw/sub2api#3954",
    ),
    KindWording(
        r"temperature and top_p cannot both be specified|temperature is deprecated for this model|"
        r"temperature may only be set to 1",
        REQUEST,
        "Anthropic API, 400",
    ),
    KindWording(
        r"max_tokens: \d+ > \d+|max_tokens must be (greater|at least|less)|budget_tokens.{0,60}(must|at least|greater)",
        REQUEST,
        "Anthropic API, 400",
    ),
    KindWording(
        r"Range of max_tokens should be|max_tokens is too large", REQUEST, "DashScope API, 400; OpenAI API, 400"
    ),
    KindWording(
        r"tool_choice.{0,60}(not supported|unsupported|must|may not|invalid|forces? tool use|only support)|"
        r"(invalid|unsupported)\b.{0,40}tool_choice",
        REQUEST,
        "Anthropic API, 400; vLLM, 400",
    ),
    KindWording(r"A maximum of \d+ blocks with cache_control may be provided", REQUEST, "Anthropic API, 400"),
    KindWording(
        r"\S[:/]\S{1,100} does not support (tools|function calling)\b|model\b.{0,60} does not support (tools|"
        r"function calling|tool use)\b",
        REQUEST,
        "ollama/ollama, 400",
    ),
    KindWording(r"--enable-auto-tool-choice", REQUEST, "vllm-project/vllm, 400"),
    KindWording(
        r"Unexpected value\(s\) .{1,120} for the anthropic-beta header|invalid beta flag", REQUEST, "Anthropic API, 400"
    ),
    # No more than that something is invalid.
    KindWording(r"Improperly formed request", OPAQUE, "aws/amazon-q-developer-cli#3622"),
    KindWording(
        r"The request contains invalid parameters\. ?Check the request body", OPAQUE, "anomalyco/opencode#45456"
    ),
    KindWording(r"Request contains an invalid argument", OPAQUE, "google-gemini/gemini-cli#19580"),
)
