"""Errors of which no rule finds the cause, with their kind, and errors that are none of an agent's sessions.

Each is from the public report or the program named first, shortened where it goes on.
"""

from typing import NamedTuple


class KindQuotation(NamedTuple):
    """A pasted text, where it was seen, and its kind ("" for none)."""

    report: str
    text: str
    kind: str


OF_KINDS = (
    # The agent does not find the session.
    KindQuotation(
        "anthropics/claude-code#62851",
        "No conversation found with session ID: 35814092-99b2-4a66-99e1-1dc2cbd7fc10",
        "store",
    ),
    KindQuotation(
        "Claude Code 2.1.330",
        "Error: --resume requires a valid session ID or session title when used with "
        "--print. Usage: claude -p --resume "
        '<session-id|title>. Provided value "35814092" is not a UUID and does not match any session title.',
        "store",
    ),
    KindQuotation(
        "Codex 0.169.0",
        "Error: thread/resume: thread/resume failed: no rollout found for thread id "
        "01a20baa-c43c-77a0-9241-a73c6ee72bb6 "
        "(code -32600)",
        "store",
    ),
    KindQuotation("Gemini CLI 0.61.0", "Error resuming session: No previous sessions found for this project.", "store"),
    KindQuotation(
        "MoonshotAI/kimi-code#477",
        'error: failed to start shell: Session "session_bbb38a93-8c05-4524-8393-79a04ac94b70" was created under a '
        "different directory.",
        "store",
    ),
    KindQuotation(
        "Qwen Code 0.24.4",
        "No saved session found with ID 584447b7-2a72-4f19-8fb9-c66f7f91222b. Run `qwen "
        "--resume` without an ID to choose "
        "from existing sessions.",
        "store",
    ),
    KindQuotation("opencode 1.18.33", "Error: Session not found", "store"),
    KindQuotation("pi 0.87.1", "No session found matching '01a20bae'", "store"),
    # The agent cannot read the file.
    KindQuotation(
        "github/copilot-sdk#1007",
        "Request session.resume failed with message: Session file is corrupted (line 355: ephemeral: Invalid literal "
        "value, expected true)",
        "file",
    ),
    KindQuotation(
        "Copilot CLI 1.0.102",
        "Error: No session, task, or name matched '5b0c7e1e-8d0f-4b8f-9a55-0d3c2f6a7b18'.",
        "store",
    ),
    KindQuotation(
        "Copilot CLI 1.0.102",
        "Error: Session '5b0c7e1e-8d0f-4b8f-9a55-0d3c2f6a7b18' was found but could not be loaded.",
        "file",
    ),
    KindQuotation(
        "@deepseek-ai/dsh-session-persistence-jsonl 0.1.0-rc.8",
        "corrupt session log: seq gap in committed region at line 12 (expected 13, got 12)",
        "file",
    ),
    KindQuotation(
        "@deepseek-ai/dsh-session-persistence-jsonl 0.1.0-rc.8",
        'duplicate JSONL session id "s1" appears in multiple project directories',
        "store",
    ),
    KindQuotation("microsoft/vscode#317478", "Error: Log file is missing an initial entry", "file"),
    KindQuotation(
        "microsoft/vscode 1.128.1 chatSessionStore.ts",
        'ChatSessionStore: Malformed session data in /u/chatSessions/c.jsonl: [{"kind":2,"k":["requ...]',
        "file",
    ),
    KindQuotation(
        "openai/codex#38613",
        "thread/resume failed: rollout at "
        "/Users/x/.codex/sessions/2026/08/16/rollout-2026-08-16T19-54-42-019f.jsonl is "
        "empty",
        "file",
    ),
    # Too long.
    KindQuotation("stackblitz/bolt.new#2449", "prompt is too long: 202095 tokens > 200000 maximum", "too-long"),
    KindQuotation(
        "can1357/oh-my-pi#1618",
        "Error: 400 The prompt is too long: 267657, model maximum context length: 262143",
        "too-long",
    ),
    KindQuotation(
        "pablomarin/RAG-Agents-Accelerator#95",
        "openai.BadRequestError: Error code: 400 - {'error': {'message': \"This model's "
        "maximum context length is 128000 "
        "tokens. However, you requested 128109 tokens (126109 in the messages, 2000 in the completion).",
        "too-long",
    ),
    KindQuotation(
        "sjzar/chatlog#30", "400 length of prompt_tokens (163280) must be less than max_seq_len (32768).", "too-long"
    ),
    KindQuotation(
        "tinyhumansai/openhuman#2074",
        "litellm.BadRequestError: Github_copilotException - prompt is too long: 201756 tokens > 200000 maximum.",
        "too-long",
    ),
    KindQuotation(
        "Gemini API",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
        "too-long",
    ),
    KindQuotation(
        "ggml-org/llama.cpp",
        "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "too-long",
    ),
    KindQuotation(
        "Moonshot API",
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
        "too-long",
    ),
    KindQuotation("QwenLM/qwen-code#3652", "Range of input length should be [1, 983616]", "too-long"),
    # Templates.
    KindQuotation(
        "lemonade-sdk/lemonade#2674",
        "While executing CallExpression at line 85, column 32 in source: Error: Jinja "
        "Exception: System message must be at "
        "the beginning.",
        "template",
    ),
    KindQuotation(
        "LM Studio", 'Error rendering prompt with jinja template: "No user query found in messages."', "template"
    ),
    # Images, and references to tools.
    KindQuotation(
        "anthropics/claude-code#36712",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.57.content.2.image.'
        'source.base64: image cannot be empty"}}',
        "media",
    ),
    KindQuotation(
        "anthropics/claude-code",
        "messages.4.content.0: Tool reference 'mcp__x__y' not found in available tools",
        "tool-reference",
    ),
    # Tools and parameters: not the history.
    KindQuotation(
        "anthropics/claude-code#54439",
        "Error: 400 "
        '{"type":"error","error":{"type":"invalid_request_error","message":"tools.8.custom.input_schema: JSON '
        'schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."}}',
        "request",
    ),
    KindQuotation(
        "microsoft/vscode-copilot-release#9954",
        'Request Failed: 400 { "error": { "message": "Unsupported parameter: \'max_tokens\' is not supported with this '
        'model. Use \'max_completion_tokens\' instead.", "type": "invalid_request_error", "param": "max_tokens" } }',
        "request",
    ),
    KindQuotation(
        "Wei-Shaw/sub2api#3954",
        'API Error: 400 {"detail":"Unsupported parameter: max_output_tokens"}',
        "request",
    ),
    KindQuotation(
        "Gemini API",
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for "
        "OBJECT type",
        "request",
    ),
    KindQuotation(
        "OpenAI API",
        "400 Invalid schema for function 'edit_file': schema must be a JSON Schema of 'type: "
        "\"object\"', got 'type: null'.",
        "request",
    ),
    KindQuotation("Anthropic API", "400 tools: Tool names must be unique.", "request"),
    KindQuotation(
        "Anthropic API",
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation",
        "request",
    ),
    KindQuotation("Ollama", "registry.ollama.ai/library/gemma3:4b does not support tools", "request"),
    KindQuotation(
        "vLLM",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "request",
    ),
    KindQuotation(
        "Anthropic API",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        "request",
    ),
    KindQuotation("Anthropic API", "A maximum of 4 blocks with cache_control may be provided. Found 5.", "request"),
    # No more than that something is invalid.
    KindQuotation(
        "aws/amazon-q-developer-cli#3622",
        '5: Error { code: "ValidationException", message: "Improperly formed request.", aws_request_id: "e33cce2f" }',
        "opaque",
    ),
    KindQuotation(
        "google-gemini/gemini-cli#19580",
        "✕ [API Error: Failed to generate content: Request contains an invalid argument.]",
        "opaque",
    ),
)

UNRELATED = (
    # Package managers.
    (
        "npm/cli#5780",
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! While "
        "resolving: consensys.demos@0.1.0",
    ),
    (
        "webpack/webpack#10528",
        "npm ERR! code EJSONPARSE\nnpm ERR! file C:\\Users\\Sergey\\webpack-course\\package.json\nnpm "
        "ERR! JSON.parse Failed to parse json",
    ),
    (
        "npm/npm#19495",
        "4 verbose stack Error: Failed to parse json\n4 verbose stack Unexpected token\n4 verbose "
        "stack  in JSON at position 183 while parsing '{",
    ),
    (
        "webpack/webpack-dev-server#141",
        "npm ERR! Failed to parse package.json data.\nnpm ERR! package.json must be actual JSON, not just JavaScript.",
    ),
    (
        "webpack/webpack#7297",
        "SyntaxError: Cannot parse records: Unexpected token c in JSON at position 1969667\n    at "
        "JSON.parse (<anonymous>)",
    ),
    (
        "webpack/webpack#4839",
        "SyntaxError: "
        "D:\\Users\\tlachgar\\AppData\\Roaming\\npm\\node_modules\\cordova\\package.json: Unexpected "
        "token ? in JSON at position 1",
    ),
    (
        "daliborgogic/guess-nuxt#15",
        "SyntaxError: Error parsing C:\\Users\\Administrator\\Desktop\\guess-nuxt\\package.json: "
        "Unexpected token , in JSON at position 1408",
    ),
    (
        "pypa/pip#3811",
        "Collecting install\n  Could not find a version that satisfies the requirement install (from "
        "versions: ) No matching distribution found for install",
    ),
    (
        "ahmedshahriar/bd-medicine-scraper#15",
        "ERROR: Could not find a version that satisfies the requirement install==1.3.5 (from versions: none)",
    ),
    (
        "google-deepmind/alphageometry#62",
        "ERROR: No matching distribution found for array-record==0.4.1 (from -r requirements.txt (line 28))",
    ),
    (
        "pypa/packaging-problems#177",
        "Could not find a version that satisfies the requirement aiohttp==3.3.2 (from versions: 0.1, 0.2, 0.3)",
    ),
    ("wpietri/sucks#49", "Could not find a version that satisfies the requirement sucks (from versions: )"),
    (
        "Shopify/shopify-api-js#407",
        "npm ERR! Fix the upstream dependency conflict, or retry\nnpm ERR! this command with --force, "
        "or --legacy-peer-deps",
    ),
    # Compilers and builds.
    (
        "TypeStrong/ts-node#2134",
        "<repl>.ts:7:8 - error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ),
    (
        "AtB-AS/mittatb-app#4018",
        "e2e/test/specs/travelsearch.e2e.ts(86,45): error TS2345: Argument of type 'number' is not "
        "assignable to parameter of type 'string'.",
    ),
    (
        "DanWahlin/AngularIn20TypeScript#11",
        "src/app/services/data.service.ts(26,52): error TS2345: Argument of type '{ id: number; }' is "
        "not assignable to parameter of type 'IRequestShortcutConfig'.",
    ),
    (
        "slab/parchment#72",
        "[tsl] ERROR in parent.ts(317,43)\n      TS2345: Argument of type 'NodeList' is not "
        "assignable to parameter of type 'Node[]'.",
    ),
    (
        "kirainmoe/auto-daily-health-report#11",
        "error[E0277]: the trait bound `str: StdError` is not satisfied\n   --> src\\reporter\\query.rs:97:40",
    ),
    ("jackmott/mathblaster#2", 'error: could not compile `mathdefense` (bin "mathdefense") due to 18 previous errors'),
    (
        "rust-lang/cargo#3461",
        "error[E0277]: the trait bound `rubato_server::db::DbConnection: "
        "rocket::request::FromRequest<'_, '_>` is not satisfied",
    ),
    (
        "axodotdev/cargo-dist#1943",
        "error[E0599]: the method `as_dyn_error` exists for reference `&ParseError`, but its trait "
        "bounds were not satisfied",
    ),
    (
        "l1npengtul/nokhwa#59",
        "error[E0271]: type mismatch resolving `<Filter<std::vec::IntoIter<CameraFormat>> as Iterator>::Item == &_`",
    ),
    (
        "Duncaen/lobase#15",
        "collect2: error: ld returned 1 exit status\nmake[2]: *** [../../../mk/bsd.prog.mk:74: indent] Error 1",
    ),
    (
        "andlabs/ui#424",
        "ld.exe: cannot find 1: No such file or directory\ncollect2.exe: error: ld returned 1 exit status",
    ),
    (
        "kisslinux/repo#237",
        "make[1]: *** [CMakeFiles/Makefile2:2621: utils/TableGen/CMakeFiles/clang-tblgen.dir/all] Error 2",
    ),
    ("llvm/llvm-project#63901", "clang: error: linker command failed with exit code 1 (use -v to see invocation)"),
    (
        "webpack/webpack#303",
        "ERROR in ./~/mapbox.js/package.json\nModule parse failed: Line 2: Unexpected token :\nYou "
        "may need an appropriate loader to handle this file type.",
    ),
    (
        "Gregoor/syntactor#22",
        "Module not found: SyntaxD:\\Git\\syntactor\\src\\package.json (directory description file): "
        "SyntaxError: Unexpected token . in JSON at position 0",
    ),
    (
        "expressjs/session#460",
        "> TypeError: Cannot read property 'length' of null\n>     at "
        "ServerResponse.OutgoingMessage._send (_http_outgoing.js:138:38)",
    ),
    # Quota and sign-in.
    (
        "ChatGPTNextWeb/NextChat#3123",
        '{ "error": { "message": "You exceeded your current quota, please check your plan and billing '
        'details.", "type": "insufficient_quota" } }',
    ),
    (
        "zurawiki/gptcommit#84",
        "Error: insufficient_quota: You exceeded your current quota, please check your plan and billing details.",
    ),
    (
        "HeyPuter/puter#1977",
        '{ success: false, error: "429 You exceeded your current quota, please check your plan and billing details." }',
    ),
    (
        "eryajf/chatgpt-dingtalk#35",
        'gtp api status code not equals 200, code is 429 ,details:  { "error": { "message": "You '
        'exceeded your current quota" } }',
    ),
    (
        "TauricResearch/TradingAgents#501",
        "BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': "
        "'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic "
        "API.'}}",
    ),
    ("samuelfaj/claudiomiro#19", "Credit balance too low · Add funds: https://console.anthropic.com/settings/billing"),
    (
        "continuedev/continue#9980",
        '{"type":"invalid_request_error","message":"Your credit balance is too low to access the '
        "Anthropic API. Please go to Plans",
    ),
    (
        "anthropics/claude-code#54804",
        "You are out of credits\nTo get started with the Claude API, purchase some credits.",
    ),
    (
        "anthropics/claude-code#55876",
        'Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would '
        "exceed your account's rate limit. Please try again later.\"}}",
    ),
    (
        "anthropics/claude-code#54566",
        "Claude Code web sessions require authentication with a Claude.ai account. API key "
        "authentication is not sufficient. Please run /login to authenticate",
    ),
    ("anthropics/claude-code#55469", "AxiosError: Request failed with status code 401"),
    # Network and other programs.
    ("anthropics/claude-code#71188", "Unable to connect to API (ConnectionRefused) · Retrying in 11s · attempt 8/10"),
    (
        "Explosion-Scratch/claude-unofficial-api#35",
        "TypeError: fetch failed\n  cause: ConnectTimeoutError: Connect Timeout Error\n    code: "
        "'UND_ERR_CONNECT_TIMEOUT'",
    ),
    (
        "UfoMiao/zcf#49",
        'API Error (500 {"error":{"message":"fetch failedTypeError: fetch failed\\n    at '
        "node:internal/deps/undici/undici:15482:13",
    ),
    (
        "anthropics/claude-code#5279",
        "API Error (Connection error.) · Retrying in 1 seconds… (attempt 1/10)\n    ⎿  TypeError (fetch failed)",
    ),
    (
        "anthropics/claude-code#53345",
        "Error: Failed to fetch version from https://storage.googleapis.com/claude-code-releases/latest: ECONNREFUSED",
    ),
    (
        "paritytech/parity-bridges-common#1098",
        "fatal: unable to access 'https://github.com/ananace/ruby-grafana-matrix.git/': Could not "
        "resolve host: github.com",
    ),
    ("harvard-itsecurity/docker-misp#60", "fatal: not a git repository (or any of the parent directories): .git"),
    (
        "composer/docker#165",
        "ssh: Could not resolve hostname github.com: Name does not resolve\n  fatal: Could not read "
        "from remote repository.",
    ),
    (
        "sourcegraph/checkup#39",
        'main.go:3:8: cannot find package "github.com/sourcegraph/checkup/cmd" in any of:\n    '
        "/usr/local/go/src/github.com/sourcegraph/checkup/cmd (from $GOROOT)",
    ),
    ("sta/websocket-sharp#458", "A session with the specified ID isn't found: \nID: c4b3f9a4bab34d37b93cb6b35f1ab42e"),
    ("jfromaniello/passport.socketio#146", "no session found"),
)
