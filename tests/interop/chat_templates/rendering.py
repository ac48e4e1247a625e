"""Where the templates are, and what a server does with messages before and while it renders one.

The templates belong to their models and are no part of this repository: `python -m tests.interop.chat_templates`
fetches the source package of llama-cpp-python, which holds llama.cpp's collection, and keeps its templates in a cache
folder. Their licences are those of the models (Qwen, gpt-oss and Mistral: Apache 2.0; MiniMax: its own).
"""

import copy
import json
import subprocess
import sys
import tarfile
import tempfile
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Template, TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.interop.third_party.environments import CACHE

FOLDER = CACHE / "chat-templates"
PACKAGE = "llama-cpp-python==0.3.36"
# The templates of each profile; the last name in a tuple may be a file that a person put into the folder.
TEMPLATES = {
    "qwen-3.5": ("Qwen3.5-4B", "Qwen3.6"),
    "qwen-3-coder": ("Qwen3-Coder",),
    "gpt-oss": ("openai-gpt-oss-120b",),
    "minimax-m2": ("MiniMax-M2", "MiniMax-M3"),
    "mistral-small": ("Mistral-Small-3.2-24B-Instruct-2506",),
    "mistral-nemo": ("mistralai-Mistral-Nemo-Instruct-2407",),
    "ministral-3": ("mistralai-Ministral-3-14B-Reasoning-2512",),
    "qwen-3": ("Qwen-Qwen3-0.6B",),
}
# Templates that put texts together take no list: the server joins its texts (vLLM calls this the content format).
STRINGS_ONLY = {"Qwen3-Coder", "openai-gpt-oss-120b", "mistralai-Mistral-Nemo-Instruct-2407", "Qwen-Qwen3-0.6B"}
TOOLS = [{"type": "function", "function": {"name": "Read", "description": "", "parameters": {"type": "object"}}}]


class RefusedByServer(Exception):
    """The server refuses the messages before it renders them."""


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.jinja"


def fetch() -> None:
    """Put the templates of the source package into the cache folder. Raises CalledProcessError without network."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", PACKAGE]
        subprocess.run([*command, "-d", folder], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            for member in packed:
                if "/models/templates/" in member.name and member.name.endswith(".jinja"):
                    data = packed.extractfile(member)
                    assert data is not None
                    (FOLDER / Path(member.name).name).write_bytes(data.read())


@cache
def template(name: str) -> Template:
    """The template, in the environment in which transformers and vLLM render them."""

    def raise_exception(message: str) -> None:
        raise TemplateError(message)

    def to_json(value: Any, ensure_ascii: bool = False, **more: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, **more)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda form: datetime(2026, 1, 2).strftime(form)
    return environment.from_string(path_of(name).read_text())


def refusal(name: str, messages: list[dict[str, Any]]) -> str | None:
    """What the server answers to messages, None where the template writes a prompt."""
    try:
        sent = as_server_reads(messages, joins_texts=name in STRINGS_ONLY)
        template(name).render(messages=sent, tools=TOOLS, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
    except (TemplateError, TypeError, RefusedByServer) as error:
        return str(error)
    return None


def as_server_reads(messages: list[dict[str, Any]], joins_texts: bool) -> list[dict[str, Any]]:
    """What vLLM makes of messages (entrypoints/chat_utils.py): no null, no text with JSON, no empty list of calls."""
    sent = copy.deepcopy(messages)
    for message in sent:
        content = message.get("content")
        if content is None:
            message["content"] = ""
        elif isinstance(content, list) and joins_texts and all(part.get("type") == "text" for part in content):
            message["content"] = "\n".join(part["text"] for part in content)
        if not message.get("tool_calls"):
            message.pop("tool_calls", None)
        for call in message.get("tool_calls", ()):
            arguments = call["function"].get("arguments")
            if isinstance(arguments, str) and arguments:
                try:
                    call["function"]["arguments"] = json.loads(arguments)
                except ValueError as error:
                    raise RefusedByServer(f"Failed to parse tool call arguments as JSON: {error}") from error
            elif not arguments:
                call["function"]["arguments"] = {}
    return sent
