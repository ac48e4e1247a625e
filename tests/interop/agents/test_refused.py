"""The servers of the walk from a refusal to the next answer: what they refuse, and what they take."""

import base64
import json

import pytest

from inspector.core.providers.media import image_size
from tests.interop.agents.provider import WIRES, Provider
from tests.interop.agents.provider.script import ASIDE
from tests.interop.agents.refused import MISTRAL, png, rendered_by, without_images
from tests.interop.chat_templates.histories import messages
from tests.interop.chat_templates.rendering import path_of

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "…"}}


def test_the_picture_is_one() -> None:
    assert image_size(base64.b64encode(png(64)).decode()) == (64, 64)


@pytest.mark.parametrize("content", [[IMAGE], [{"type": "tool_result", "tool_use_id": "A", "content": [IMAGE]}]])
def test_a_server_refuses_more_than_its_wire(content: list[object]) -> None:
    body = {"messages": [{"role": "user", "content": content}]}
    assert without_images(json.loads(json.dumps(body))) == "Could not process image"
    assert without_images({"messages": [{"role": "user", "content": "hi"}]}) == ""
    with Provider() as provider:
        assert provider.reply(WIRES["openai-chat"], {"messages": messages("U")}) == ASIDE
        provider.refuses = lambda _: "no"
        assert provider.reply(WIRES["openai-chat"], {"messages": messages("U")}) == "no"


@pytest.mark.skipif(not path_of(MISTRAL).exists(), reason="`python -m tests.interop.chat_templates` fetches it")
def test_a_server_answers_with_the_text_of_its_template() -> None:
    assert "Jinja Exception: Tool call IDs" in rendered_by(MISTRAL)({"messages": messages("UL")})
    assert rendered_by(MISTRAL)({"messages": messages("UCRA")}) == ""
