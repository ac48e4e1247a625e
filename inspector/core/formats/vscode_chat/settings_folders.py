"""Where the builds of VS Code keep the settings of a person, and the folder of a workspace."""

import os
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from inspector.core.formats.base.stores import read_json_object

# On Linux, macOS and Windows. Each build has its own folder below, such as "Code" or "Code - Insiders".
SETTINGS_FOLDERS = ("$XDG_CONFIG_HOME|~/.config", "~/Library/Application Support", "$APPDATA")


def workspace_folder(chats: str) -> str:
    """Return the folder of the workspace whose chats are in a folder, "" where it has several or is not on disk."""
    uri = read_json_object(Path(chats).parent / "workspace.json").get("folder")
    parts = urlsplit(uri) if isinstance(uri, str) else None
    if parts is None or parts.scheme != "file":
        return ""
    path = url2pathname(parts.path)
    return path if os.path.isabs(path) else ""
