"""Gemini `generateContent`, as strict as the API: as many responses as calls, in the content right behind theirs."""

from collections.abc import Iterator
from typing import Any

from tests.interop.agents.provider.script import Say, fresh
from tests.interop.agents.provider.wire import Body, Wire, refuse_if

_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn. (contents[{}])"
)
_NOT_AFTER_CALL = (
    "Please ensure that function response turn comes immediately after a function call turn. (contents[{}])"
)
_CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn. "
    "(contents[{}])"
)
_ROLES = ("user", "model", "function", "tool")
_NO_TEXT = "Unable to submit request because it must have a text parameter. Add a text parameter and try again."
_NO_PARTS = "GenerateContentRequest.contents[{}].parts: contents.parts must not be empty"


def _of(content: Body, kind: str) -> list[Body]:
    return [part[kind] for part in content["parts"] if kind in part]


def _once(responses: list[Body]) -> list[Body]:
    """Without those that repeat an id: Gemini CLI 0.61.0 sends every response of a resumed session twice."""
    return list({response.get("id", at): response for at, response in enumerate(responses)}.values())


class Gemini(Wire):
    name = "gemini"
    too_long = "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
    history = "contents"

    def serves(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def streams(self, path: str, body: Body) -> bool:
        return path.endswith(":streamGenerateContent")

    def is_turn(self, body: Body) -> bool:
        return any("functionDeclarations" in tool for tool in body.get("tools") or [])

    def judge(self, messages: list[Body]) -> None:
        due: list[Body] = []
        before: str | None = None
        for at, content in enumerate(messages):
            parts = content["parts"]
            refuse_if(content.get("role", "user") not in _ROLES, "Please use a valid role: user, model.")
            refuse_if(not parts, _NO_PARTS.format(at))
            refuse_if(any(not part.keys() - {"thought", "thoughtSignature"} for part in parts), _NO_TEXT)
            calls, responses = _of(content, "functionCall"), _once(_of(content, "functionResponse"))
            refuse_if(responses and not due, _NOT_AFTER_CALL.format(at))
            names = sorted(call["name"] for call in due), sorted(response["name"] for response in responses)
            refuse_if(names[0] != names[1], _COUNT.format(at))
            refuse_if(
                calls and (content["role"] != "model" or before not in ("user", "function")), _CALL_TURN.format(at)
            )
            due, before = calls, content["role"]
        refuse_if(due, _COUNT.format(len(messages)))

    def failure(self, text: str) -> Body:
        return {"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}

    def answer(self, body: Body, say: Say) -> Body:
        parts: list[dict[str, Any]] = []
        if say.thinking:
            parts.append({"text": say.thinking, "thought": True})
        if say.text:
            parts.append({"text": say.text})
        for call in say.calls:
            signature = {"thoughtSignature": "c2lnbmVk"} if call is say.calls[0] else {}
            parts.append({"functionCall": {"name": call.tool, "args": call.input}, **signature})
        content = {"role": "model", "parts": parts}
        return {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": say.read,
                "candidatesTokenCount": 20,
                "totalTokenCount": say.read + 20,
            },
            "modelVersion": "fake",
            "responseId": fresh("response"),
        }

    def events(self, answer: Body) -> Iterator[Body]:
        yield answer
