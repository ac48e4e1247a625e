"""What agents send of a call whose input is no object."""

from pathlib import Path

import pytest

from tests.core.formats import FORMATS
from tests.support import product
from tests.support.notation import parse

OBJECT = b'{"command":"x"}'


@pytest.mark.parametrize("name", ["kimi-code", "pi"])
@pytest.mark.parametrize("given", [b'"just text"', b'"{\\"a\\": 1}"', b"7", b"null", b"[1,2]", OBJECT])
def test_an_input_is_passed_on_as_it_is(name: str, given: bytes, tmp_path: Path) -> None:
    path = FORMATS[name].write(parse("u | a{A@bash command=x} | r(A=x) | a"), tmp_path)
    path.write_bytes(path.read_bytes().replace(OBJECT, given))
    report = product.sent(path).report
    (call,) = (call for message in report["messages"] for call in message.get("tool_calls", ()))
    assert (report["wire"], call["function"]["arguments"]) == ("openai-chat", given.decode())
