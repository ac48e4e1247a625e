"""The verdict of every log that a real agent wrote, or that was broken afterwards and resumed by it.

Read beside what each agent then sent: a log that its provider refused is broken, one that went on without a call or a
result is broken, and one that its agent mended without loss heals itself.
"""

VERDICTS: dict[str, dict[str, str]] = {
    "claude-code": {
        "broken": (
            "alien-id-2.1.112 alien-id-2.1.330 both-late-2.1.112 both-late-2.1.330 call-fragment-gone-2.1.112 "
            "call-fragment-gone-2.1.330 call-fragment-gone-raw-2.1.330 compacted-killed-2.1.112 conflict-2.1.112 "
            "crossed-from-2.1.112-resumed-by-2.1.330 cut-after-calls-2.1.112 cut-after-first-call-2.1.112 "
            "del-call-2.1.112 del-call-2.1.330 del-result-2.1.112 del-result-2.1.330 early2-2.1.112 "
            "first-result-gone-raw-2.1.112 first-result-gone-raw-2.1.330 first-result-gone-raw-slow-2.1.112 "
            "first-result-gone-raw-slow-2.1.330 killed-2.1.112 killed-par3-2.1.112 killed-twice-2.1.112 "
            "lost-result-2.1.112 lost-user-2.1.330 moved-late-2.1.112 orphan-2.1.112 orphan-2.1.330 "
            "pair-results-gone-2.1.112 pair-results-gone-2.1.330 refused-killed-2.1.112 sigint-2.1.112 "
            "subagent-done-then-killed-2.1.112 subagent-killed-2.1.112 subagent-par-killed-2.1.112 "
            "text-fragment-gone-raw-slow-2.1.112 text-fragment-gone-raw-slow-2.1.330 torn-last-2.1.112 "
            "torn-last-2.1.330 torn-result-2.1.112 torn-result-2.1.330 truncated-json-killed-2.1.112"
        ),
        "heals-itself": (
            "call-fragment-gone-raw-2.1.112 compacted-killed-2.1.330 crossed-from-2.1.330-resumed-by-2.1.112 "
            "cut-after-calls-2.1.330 cut-after-first-call-2.1.330 dup-after-user-2.1.112 dup-after-user-2.1.330 "
            "dup-result-2.1.112 dup-result-2.1.330 killed-2.1.330 killed-par3-2.1.330 killed-twice-2.1.330 "
            "prompt-gone-raw-2.1.112 prompt-gone-raw-2.1.330 "
            "refused-killed-2.1.330 subagent-done-then-killed-2.1.330 subagent-killed-2.1.330 "
            "subagent-par-killed-2.1.330 truncated-json-killed-2.1.330"
        ),
        "healthy": (
            "dup-line-2.1.112 dup-line-2.1.330 early-2.1.112 early-2.1.330 forked-after-kill-2.1.112 "
            "forked-after-kill-2.1.330 healthy-2.1.112 healthy-2.1.330 interrupted-2.1.112 interrupted-2.1.330 "
            "killed-then-compact-2.1.112 "
            "killed-then-compact-2.1.330 killed-then-resumed-2.1.330 killed-waiting-2.1.112 "
            "killed-waiting-2.1.330 preserved-pair-2.1.330 sigint-2.1.330 swapped-ids-2.1.112 swapped-ids-2.1.330"
        ),
    },
    "cline": {
        "broken": (
            "both-late-3.0.65 call-of-pair-gone-3.0.65 early-3.0.65 empty-result-message-3.0.65 "
            "first-in-second-3.0.65 moved-late-3.0.65 orphan-3.0.65 torn-3.0.65"
        ),
        "heals-itself": (
            "cut-after-calls-3.0.65 first-of-two-gone-3.0.65 killed-par3-3.0.65 lost-result-3.0.65 "
            "one-of-two-answered-3.0.65"
        ),
        "healthy": ("healthy-3.0.65 killed-waiting-3.0.65 merged-results-3.0.65 sigint-3.0.65 swapped-ids-3.0.65"),
    },
    "codex": {
        "broken": (
            "call-of-pair-gone-0.169.0 compacted-call-before-0.169.0 compacted-output-after-0.169.0 "
            "cut-mid-outputs-0.169.0 del-call-0.169.0 del-result-0.169.0 dup-after-user-0.169.0 dup-call-0.169.0 "
            "early-0.169.0 early-parallel-0.169.0 lost-result-0.169.0 orphan-0.169.0 second-output-gone-0.169.0 "
            "torn-last-0.169.0 torn-result-0.169.0"
        ),
        "heals-itself": (
            "compacted-killed-0.169.0 killed-0.169.0 killed-par3-0.169.0 killed-par3-resumed-twice-0.169.0"
        ),
        "healthy": ("both-late-0.169.0 healthy-0.169.0 reasoning-gone-0.169.0 swapped-ids-0.169.0 text-gone-0.169.0"),
    },
    "gemini-cli": {
        "broken": (
            "both-late-0.61.0 dup-late-0.61.0 first-response-gone-0.61.0 last-second-response-gone-0.61.0 "
            "lost-result-0.61.0 moved-late-0.61.0 orphan-0.61.0 resumed-last-response-gone-0.61.0 "
            "torn-call-0.61.0 torn-last-0.61.0"
        ),
        "heals-itself": "toolcalls-half-0.61.0",
        "healthy": (
            "cut-after-calls-0.61.0 del-response-0.61.0 dup-result-0.61.0 healthy-0.61.0 killed-0.61.0 "
            "killed-waiting-0.61.0 response-record-half-0.61.0 resumed-second-response-gone-0.61.0 sigint-0.61.0 "
            "swapped-ids-0.61.0"
        ),
    },
    "kimi-cli": {
        "broken": (
            "both-late-1.49.0 call-of-pair-gone-1.49.0 cut-after-calls-1.49.0 dup-after-user-1.49.0 "
            "dup-result-1.49.0 early-1.49.0 early-parallel-1.49.0 lost-result-1.49.0 orphan-1.49.0 "
            "torn-last-1.49.0 torn-result-1.49.0"
        ),
        "healthy": (
            "compacted-killed-1.49.0 healthy-1.49.0 killed-1.49.0 killed-par3-1.49.0 killed-twice-1.49.0 "
            "killed-waiting-1.49.0 sigint-1.49.0 subagent-killed-1.49.0 swapped-ids-1.49.0"
        ),
    },
    "kimi-code": {
        "broken": "compacted-result-after-2.1.0 moved-late-2.1.0 torn-last-2.1.0 torn-result-2.1.0",
        "heals-itself": (
            "compacted-open-before-2.1.0 cut-after-calls-2.1.0 cut-mid-results-2.1.0 dup-result-2.1.0 "
            "killed-2.1.0 killed-par3-resumed-twice-2.1.0 killed-twice-2.1.0 second-result-gone-2.1.0"
        ),
        "healthy": "healthy-2.1.0 killed-waiting-2.1.0 sigint-2.1.0",
    },
    "opencode": {
        "broken": "lost-result-1.18.33 same-id-1.18.33 torn-part-1.18.33",
        "heals-itself": "killed-1.18.33 killed-twice-1.18.33 subagent-killed-1.18.33 subagent-par-killed-1.18.33",
        "healthy": ("healthy-1.18.33 killed-waiting-1.18.33 part-gone-1.18.33 sigint-1.18.33 swapped-ids-1.18.33"),
    },
}
