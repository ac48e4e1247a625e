"""The sessions of Goose's database as one text, in the form of its own export.

Facts: aaif-goose/goose, crates/goose/src/session/session_manager.rs @017176d. Rows are read in the order of their time
in seconds, and rows of one second in the order of their numbers. So a new row has the time of the row next to it, and
the time is not part of a record. A row whose content is not valid JSON stops the session from being loaded.
"""

from inspector.core.formats.base.message_rows import MessageRows

_NEWEST = """SELECT coalesce(nullif(name, ''), id), count(*) OVER () FROM sessions
             WHERE id IN (SELECT session_id FROM messages) ORDER BY updated_at DESC LIMIT 1"""

DATABASE = MessageRows(
    session_columns=("name", "working_dir", "session_type", "provider_name", "model_config_json", "goose_mode"),
    json_columns={"content_json": b"", "metadata_json": b""},
    newest=_NEWEST,
    key="conversation",
    order="created_timestamp, id",
    members={
        "message_id": "id",
        "role": "role",
        "content_json": "content",
        "metadata_json": "metadata",
    },
    required_column="content_json",
).assembly()
