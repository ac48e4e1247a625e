"""The core's answers to columns and back: `pack_*` runs in the child, `unpack_*` in the window's reading thread."""

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.core.evidence.evidence import OpenCalls
from inspector.core.scene.finding import Finding
from inspector.core.showing.answers import Opened, Overview, Preview, SentPreview
from inspector.core.showing.outline import Outline
from inspector.gui.answers.big_answers import Column, pack, unpack
from inspector.gui.answers.evidence_book import EvidenceBook
from inspector.gui.answers.opened_log import FindingBook, FindingGroup, OpenedLog, as_array
from inspector.gui.answers.planned_repair import PlannedRepair, RepairSummary
from inspector.gui.answers.sent_book import SentBook, SentHead

_OUTLINE_COLUMNS = (
    "kind", "parent", "first", "count", "record", "block", "mark", "peer",
    "errors", "warnings", "infos", "node_of_record",
)  # fmt: skip


class OpenedBody(msgspec.Struct):
    """The small part of an opened log; the rest travels as columns."""

    overview: Overview
    label: dict[int, str]
    groups: tuple[FindingGroup, ...]


def worst_first(findings: tuple[Finding, ...]) -> list[int]:
    """The order of the findings list: by severity, then by rule, then as they stand in the log."""
    return sorted(
        range(len(findings)),
        key=lambda number: (-findings[number].severity, findings[number].rule, findings[number].place.record, number),
    )


def pack_opened(opened: Opened, order: list[int], lines: "array[int]") -> tuple[OpenedBody, dict[str, Column]]:
    """An opened log, with its findings in `order`."""
    findings = [opened.findings[number] for number in order]
    nodes = array("q", (opened.nodes_of_findings[number] for number in order))
    places = [(finding.place.record, node) for finding, node in zip(findings, nodes, strict=True)]
    blob, offsets = _pack_each(findings)
    columns: dict[str, Column] = {name: getattr(opened.outline, name) for name in _OUTLINE_COLUMNS}
    columns |= {"starts": as_array(opened.starts), "ends": as_array(opened.ends), "lines": lines}
    columns |= {
        "finding_offsets": offsets,
        "finding_blob": blob,
        "finding_nodes": nodes,
        "finding_in_log": array("q", sorted(range(len(nodes)), key=places.__getitem__)),
        "finding_by_node": array("q", sorted(range(len(nodes)), key=nodes.__getitem__)),
    }
    return OpenedBody(opened.overview, opened.outline.label, _groups(findings)), columns


def unpack_opened(body: msgspec.Raw, columns: dict[str, Any]) -> OpenedLog:
    """The inverse of `pack_opened`."""
    head: OpenedBody = unpack(body, OpenedBody)
    book = FindingBook(
        head.groups,
        columns["finding_offsets"],
        bytes(columns["finding_blob"]),
        columns["finding_nodes"],
        columns["finding_in_log"],
        columns["finding_by_node"],
    )
    outline = Outline(label=head.label, **{name: columns[name] for name in _OUTLINE_COLUMNS})
    return OpenedLog(head.overview, outline, columns["starts"], columns["ends"], columns["lines"], book)


def pack_preview(preview: Preview, ids: list[str]) -> tuple[RepairSummary, dict[str, Column]]:
    """A preview; `ids` are the findings' ids in the order of the findings list."""
    blob, offsets = _pack_each(preview.changes)
    strategies = tuple(dict.fromkeys(preview.chosen.values()))
    number = {strategy: index for index, strategy in enumerate(strategies)}
    chosen = bytearray(number.get(preview.chosen.get(finding_id, ""), 255) for finding_id in ids)
    summary = RepairSummary(
        preview.losses,
        preview.accepted,
        preview.on_resume,
        preview.verified,
        preview.reason,
        preview.edits,
        strategies,
        preview.effects,
        preview.caveat,
        preview.not_run,
        preview.unmet,
        preview.faults,
    )
    return summary, {"offsets": offsets, "blob": blob, "chosen": chosen}


def unpack_preview(body: msgspec.Raw, columns: dict[str, Any]) -> PlannedRepair:
    """The inverse of `pack_preview`."""
    return PlannedRepair(unpack(body, RepairSummary), columns["offsets"], bytes(columns["blob"]), columns["chosen"])


def pack_open_calls(calls: OpenCalls, ids: list[str]) -> dict[str, Column]:
    """What is known of the open calls; `ids` are the findings' ids in the order of the findings list."""
    position_of = {finding_id: position for position, finding_id in enumerate(ids)}
    known = [finding_id for finding_id in ids if finding_id in calls.evidence]
    blob, offsets = _pack_each(calls.evidence[finding_id] for finding_id in known)
    return {
        "positions": array("q", (position_of[finding_id] for finding_id in known)),
        "offsets": offsets,
        "blob": blob,
        "changing": array("q", (position_of[finding_id] for finding_id in calls.changing)),
    }


def unpack_open_calls(columns: dict[str, Any]) -> EvidenceBook:
    """The inverse of `pack_open_calls`."""
    return EvidenceBook(columns["positions"], columns["offsets"], bytes(columns["blob"]), columns["changing"])


def pack_sent(preview: SentPreview) -> tuple[SentHead, dict[str, Column]]:
    """What an agent will send, with the positions of the blocks that do not go out as the log holds them."""
    blob, offsets = _pack_each(preview.blocks)
    other = (number for number, block in enumerate(preview.blocks) if block.mark != "kept")
    counts = dict(Counter(block.mark for block in preview.blocks))
    head = SentHead(preview.wire, preview.outcome, preview.sentence, preview.messages, preview.bytes, counts)
    return head, {"offsets": offsets, "blob": blob, "other": array("q", other)}


def unpack_sent(body: msgspec.Raw, columns: dict[str, Any]) -> SentBook:
    """The inverse of `pack_sent`."""
    return SentBook(unpack(body, SentHead), columns["offsets"], bytes(columns["blob"]), columns["other"])


def _pack_each(values: Iterable[Any]) -> "tuple[bytearray, array[int]]":
    """Values encoded one behind the other, and the offsets between them."""
    blob, offsets, encoder = bytearray(), array("q", [0]), msgspec.msgpack.Encoder()
    for value in values:
        try:
            encoder.encode_into(value, blob, offsets[-1])
        except UnicodeEncodeError:
            blob[offsets[-1] :] = bytes(pack(value))
        offsets.append(len(blob))
    return blob, offsets


def _groups(findings: list[Finding]) -> tuple[FindingGroup, ...]:
    groups, start = [], 0
    for position, finding in enumerate(findings):
        following = findings[position + 1] if position + 1 < len(findings) else None
        if following and (following.severity, following.rule) == (finding.severity, finding.rule):
            continue
        first, members = findings[start], findings[start : position + 1]
        allowed = set(first.strategies).intersection(*(member.strategies for member in members))
        defaults = {member.default for member in members}
        groups.append(
            FindingGroup(
                int(first.severity),
                first.rule,
                first.slug,
                start,
                position + 1,
                tuple(strategy for strategy in first.strategies if strategy in allowed),
                first.default if len(defaults) == 1 else "",
            )
        )
        start = position + 1
    return tuple(groups)
