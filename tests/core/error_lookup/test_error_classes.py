"""Errors that are no fault of the history: what they are about, by their words, their status, or the agent's name."""

import pytest

from inspector.core.providers.error_parser import classify_service_error

ABOUT = {
    "quota": [
        "Credit balance is too low",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too '
        'low to access the Anthropic API."}}',
        "Claude AI usage limit reached|1749924000",
        "5-hour limit reached ∙ resets 3pm",
        "You've hit your limit · resets 11pm (Asia/Shanghai)",
        "You've hit your usage limit. Upgrade to Pro or try again in 3 days.",
        "Quota exceeded. Check your plan and billing details.",
        "429 You exceeded your current quota, please check your plan and billing details. insufficient_quota",
        "[API Error: You exceeded your current quota (RESOURCE_EXHAUSTED)]",
        "402 Payment Required",
        "Your account is suspended due to insufficient balance, exceeded_current_quota_error",
    ],
    "rate-limit": [
        "429 Too Many Requests",
        "exceeded retry limit, last status: 429 Too Many Requests",
        'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your '
        "organization's rate limit of 50,000 input tokens per minute.\"}}",
        "API Error: Request rejected (429) · this may take a moment",
        "ThrottlingException: Too many tokens, please wait before trying again.",
    ],
    "sign-in": [
        "Invalid API key · Please run /login",
        'Please run /login · API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth '
        'token has expired."}}',
        "unexpected status 401 Unauthorized: Missing bearer",
        '[API Error: {"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":'
        '"INVALID_ARGUMENT"}}]',
        "Your access token could not be refreshed. Please log out and sign in again.",
        "ExpiredTokenException: The security token included in the request is expired",
    ],
    "overload": [
        "529 overloaded_error",
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
        "[API Error: The model is overloaded. Please try again later. (Status: UNAVAILABLE)]",
        "Selected model is at capacity. Please try a different model.",
        "We're currently experiencing high demand, which may cause temporary errors.",
        "503 Service Unavailable",
    ],
    "network": [
        "API Error: Connection error.",
        "Request timed out",
        "stream disconnected before completion: error sending request for url",
        "TypeError: fetch failed",
        "connect ECONNREFUSED 127.0.0.1:443",
        "API Error: The operation timed out.",
    ],
    "stopped": ["API Error: Request was aborted.", "MessageAbortedError: The operation was aborted."],
}

# Of the history, of its length, or of no kind that is known.
NOT = [
    "API Error: 400 the harbour is closed",
    "API Error: 400 messages.429: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_500",
    "API Error: 400 text content blocks must be non-empty; the connection timed out is what the text said",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Context limit reached · /compact or /clear to continue",
    "[API Error: Request contains an invalid argument.]",
    "APIError: 413 request_too_large",
    "API Error: 400 Could not process image",
    "model 500-turbo does not exist",
    "",
]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ABOUT.items() for text in texts])
def test_an_error_tells_what_it_is_about(name: str, text: str) -> None:
    kind = classify_service_error(text)
    assert kind is not None
    assert kind.name == name


@pytest.mark.parametrize("text", NOT)
def test_an_error_about_the_request_is_of_no_kind(text: str) -> None:
    assert classify_service_error(text) is None


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Come back later", "rate_limit", "rate-limit"),
        ("Something went wrong", "billing_error", "quota"),
        ("Something went wrong", "usage_limit_exceeded", "quota"),
        ("Something went wrong", "response_stream_disconnected", "network"),
        ("the connection is lost, said the text", "invalid_request", ""),
        ("Something went wrong", "unknown", ""),
        ("messages.1: all messages must have non-empty content", "rate_limit", ""),
    ],
)
def test_the_agents_own_name_counts_where_the_words_do_not_tell(text: str, name: str, kind: str) -> None:
    found = classify_service_error(text, name)
    assert (found.name if found else "") == kind
