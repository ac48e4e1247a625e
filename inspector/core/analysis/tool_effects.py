"""The effect that a call may have had, judged by the name of its tool, and what its input names as the target.

TOOL_EFFECTS is the table. It has the names under which agents (Claude Code, Codex, Gemini CLI, Qwen Code, Cline, Roo
Code, Kimi, opencode, Neovate, goose, OpenHands and others) have or had tools of these kinds. A name is not proof,
because any program may give another tool that name. Only what plainly just looks at something counts as read-only. A
name that is not in the table is unknown, and so is every tool of an MCP server, which may do anything.
"""

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.storage.json_text import dump_json

if TYPE_CHECKING:
    import shlex
else:
    shlex = LazyModule("shlex")


class ToolEffect(StrEnum):
    """The kinds of effect. Every kind but READ_ONLY may have changed something."""

    SHELL = "shell"
    WRITE = "write"
    NETWORK = "network"
    READ_ONLY = "read-only"
    UNKNOWN = "unknown"


_NAMES = {
    ToolEffect.SHELL: """
        bash powershell killshell kill_shell monitor shell shell_command exec exec_command write_stdin unified_exec
        local_shell local_shell_call container.exec run_shell_command execute_command run_command run_commands
        runcommand run_terminal_cmd run_in_terminal execute_bash execute execute_code ipython execute_ipython_cell
        python code_interpreter terminal repl js_repl developer__shell
    """,
    ToolEffect.WRITE: """
        write edit multiedit notebookedit notebook_edit apply_patch applypatch patch replace write_file edit_file
        writefile strreplacefile multi_edit write_to_file replace_in_file apply_diff insert_content search_and_replace
        search_replace search_replace_file editor str_replace str_replace_editor str_replace_based_edit_tool file_editor
        create_file delete_file delete move_file rename_file create_directory mkdir new_rule save_memory smart_edit
        generate_image image_gen developer__text_editor text_editor enterworktree exitworktree
    """,
    ToolEffect.NETWORK: """
        webfetch websearch web_fetch web_search google_web_search fetch fetchurl searchweb fetch_url search_web
        browser_action http http_request curl moonshotfetch moonshotsearch web_search_call browser
    """,
    ToolEffect.READ_ONLY: """
        read glob grep ls list read_file readfile read_many_files read_media_file readmediafile list_directory list_dir
        list_files search_files search_file_content grep_search grep_files find_files list_code_definition_names
        codebase_search codesearch file_search view view_image notebookread todoread todowrite todo_write todo
        update_todo_list update_plan bashoutput bash_output taskoutput task_output taskget tasklist agentoutputtool
        think sleep askuserquestion ask_user ask_user_question ask_followup_question plan_mode_respond exitplanmode
        enterplanmode exit_plan_mode lsp lsp_hover toolsearch tool_search tool_search_call fetch_instructions
        listmcpresources list_mcp_resources readmcpresource read_mcp_resource list_mcp_resource_templates
        load_mcp_documentation access_mcp_resource settodolist write_todos request_user_input wait_agent get_goal
        condense
    """,
}
TOOL_EFFECTS: dict[str, ToolEffect] = {name: effect for effect, names in _NAMES.items() for name in names.split()}
# The keys under which an input names what to run, change or fetch, by the kind of effect.
_COMMANDS = {
    ToolEffect.SHELL: ("command", "cmd", "commands", "script", "code", "chars"),
    ToolEffect.WRITE: ("file_path", "path", "filePath", "absolute_path", "target_file", "notebook_path", "dir_path"),
    ToolEffect.NETWORK: ("url", "urls", "query", "prompt", "action"),
}
_COMMAND_KEYS = tuple(key for keys in _COMMANDS.values() for key in keys[:4])
_FILES = (*_COMMANDS[ToolEffect.WRITE][:-1], "relPath", "file")
_FOLDERS = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_HOLDERS = ("action", "params", "arguments", "args", "input")
_PATCHED = lazy_regex(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)


def tool_effect(name: str) -> ToolEffect:
    """Return what a tool may have changed.

    The case of the name is ignored, because some programs vary it.
    """
    return TOOL_EFFECTS.get(name.lower(), ToolEffect.UNKNOWN)


def describe_call(arguments: Any, effect: ToolEffect) -> str:
    """Return what a call was to do: its command line, its file or its address.

    For any other call return its input as JSON, "" when it has none.
    """
    if isinstance(arguments, str):
        return ", ".join(patched_files(arguments)) or arguments
    if not isinstance(arguments, dict):
        return ""
    for key in (*_COMMANDS.get(effect, ()), *_COMMAND_KEYS):
        if description := _as_text(arguments.get(key), key):
            return description
    inner = next((arguments[key] for key in _HOLDERS if isinstance(arguments.get(key), dict)), None)
    if inner is not None and (description := describe_call(inner, effect)):
        return description
    text = next((value for value in arguments.values() if isinstance(value, str) and patched_files(value)), "")
    return ", ".join(patched_files(text)) or (dump_json(arguments).decode("utf-8", "replace") if arguments else "")


def working_directory(arguments: Any) -> str:
    """Return the folder that an input itself names, "" when it names none."""
    if not isinstance(arguments, dict):
        return ""
    inner = [arguments[key] for key in _HOLDERS if isinstance(arguments.get(key), dict)]
    folders = (holder.get(key) for holder in (arguments, *inner) for key in _FOLDERS)
    return next((value for value in folders if isinstance(value, str) and value), "")


def target_files(arguments: Any) -> list[str]:
    """Return the files that an input names as the ones it works on."""
    if isinstance(arguments, str):
        return patched_files(arguments)
    if not isinstance(arguments, dict):
        return []
    files = [arguments[key] for key in _FILES if isinstance(arguments.get(key), str) and arguments[key]]
    return files or [path for value in arguments.values() if isinstance(value, str) for path in patched_files(value)]


def patched_files(text: str) -> list[str]:
    """Return the files that a patch in the format of Codex names."""
    if "*** " not in text:
        return []
    return [match[1] or match[2] for match in _PATCHED.finditer(text)]


def _as_text(value: Any, key: str) -> str:
    """Return a value as a person would type it.

    A list of words becomes a command line, without the shell that was to run it.
    """
    if isinstance(value, str):
        return ", ".join(patched_files(value)) or value.strip()
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if not words:
        return ""
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]
    if words[0] == "apply_patch":
        return ", ".join(patched_files(" ".join(words))) or shlex.join(words)
    return "; ".join(words) if key in ("commands", "urls") else shlex.join(words)
