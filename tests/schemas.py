"""The JSON schemas in `resources/schemas`, from the structs of the reports that commands print.

`python -m tests.schemas` tells which of them is not as the product is; with `--update` it is written anew.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
from msgspec import Struct, UnsetType
from msgspec.structs import fields

from inspector.core.compare import ComparisonDocument
from inspector.core.convert.convert import ConvertDocument
from inspector.core.doctor.report import DoctorDocument
from inspector.core.engine.shareable_files import BundleManifest
from inspector.core.error_lookup.json import ErrorDocument
from inspector.core.repair.portable_plan import PortablePlan
from inspector.core.report.format_and_rule_tables import FormatsDocument
from inspector.core.report.json import CheckDocument, ContentFreeDocument, LogListDocument
from inspector.core.report.repair import RepairDocument
from inspector.core.report.tables import FileRow, FindingRow, SessionRow
from inspector.core.resume_request.request import RequestDocument
from inspector.core.trim.report import TrimDocument
from tests.support.paths import ROOT

SCHEMAS = ROOT / "resources" / "schemas"
DOCUMENTS: dict[str, type[Struct]] = {
    "bundle-manifest": BundleManifest,
    "check": CheckDocument,
    "check-content-free": ContentFreeDocument,
    "compare": ComparisonDocument,
    "convert": ConvertDocument,
    "doctor": DoctorDocument,
    "explain": ErrorDocument,
    "formats": FormatsDocument,
    "plan": PortablePlan,
    "repair": RepairDocument,
    "sent": RequestDocument,
    "sessions": LogListDocument,
    "table-files": FileRow,
    "table-findings": FindingRow,
    "table-sessions": SessionRow,
    "trim": TrimDocument,
}


def schema(document: type[Struct]) -> dict[str, Any]:
    """The schema of what is printed: a field that is always there is required, even where the struct has a default."""
    (head,), parts = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    for struct in set(structs_in(document)):
        part = parts[struct.__name__]
        part["description"] = inspect.cleandoc(struct.__doc__ or "")
        if struct.__struct_config__.omit_defaults:
            continue
        part["required"] = [each.encode_name for each in fields(struct) if UnsetType not in get_args(each.type)]
        for each in part["properties"].values():
            each.pop("default", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **head, "$defs": dict(sorted(parts.items()))}


def structs_in(kind: Any) -> Iterator[type[Struct]]:
    """The struct and those in its fields."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield kind
        for each in fields(kind):
            yield from structs_in(each.type)
    for each in get_args(kind):
        yield from structs_in(each)


def written(document: type[Struct]) -> str:
    """A schema as its file has it."""
    return json.dumps(schema(document), indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    stale = 0
    for name, document in DOCUMENTS.items():
        path, text = SCHEMAS / f"{name}.json", written(document)
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale += 1
        if "--update" in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        print(f"{path.name} {'is written anew' if '--update' in arguments else 'is not as the product is'}")
    return int(stale > 0 and "--update" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
