"""Reasoning without a signature of the provider.

What it finds: a thinking block without a signature among signed ones: a stream that broke off, or a block that another
model made; in a request for a model that signs, any without one. Also one whose signature the provider refused in the
error that the log ends with. Another log in which no reasoning is signed is of a provider that does not sign, and
nothing is wrong with it; nor with what the provider went on from.
Why it hurts: Anthropic refuses the whole history ("signature: Field required" without one, "Invalid `signature` in
`thinking` block" for an empty or foreign one), at every further try.
Example: u | a[th, signature ""]"t" | u, behind signed reasoning
Repairs: strip-reasoning (the reasoning of that message goes, listed as lost; a message of nothing else goes with it).

Sources: ENTERPILOT/GoModel#964 (measured), pydantic/pydantic-ai#7597 (streams), MadAppGang/claudish#182 (models).
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.reasoning import is_signed, reasoning_rows, refused_reasoning

CODE = "T1"
ROW = Row("unsigned-reasoning", Stage.REASONING, ("strip-reasoning message", "leave"))


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    rule, places = refused_reasoning(scene)
    refused = places[:1] if rule == CODE else []
    yield from (hit for hit in _unsigned(scene) if (hit.record, hit.ordinal) not in refused)
    for record, ordinal in refused:
        text = "The provider refused the signature of this reasoning: see the error that the log ends with."
        yield _hit(text, record, ordinal)


def _unsigned(scene: Scene) -> Hits:
    """Unsigned reasoning in a log in which reasoning is signed, or must be."""
    asked, known = scene.session.model, scene.profile.models
    unsigned = [row for row in reasoning_rows(scene) if not is_signed(scene, row)]
    asks_signer = known in asked.lower() if asked and known else False
    if not unsigned or (len(unsigned) == len(reasoning_rows(scene)) and not asks_signer):
        return
    columns, positions = scene.columns, scene.positions
    signed = (columns.record_of(row) for row in reasoning_rows(scene) if is_signed(scene, row))
    newest_signed = max((positions.get(record, -1) for record in signed), default=-1)
    told = set()
    for row in unsigned:
        record = columns.record_of(row)
        at = positions.get(record, -1)
        message = scene.message_of(record)
        if at < 0 or message in told or (at < newest_signed and not scene.format.api):
            continue  # the provider went on from it: whoever sent it took it out, or it was no trouble
        told.add(message)
        model = scene.format.view(scene.raw(record)).model
        ordinal = row - columns.first[record]
        if model and known not in model.lower():
            text = f"This reasoning is of {model} and has no signature: {scene.profile.label} would refuse it."
            yield _hit(text, record, ordinal, Severity.WARNING)
        elif asks_signer:
            yield _hit(f"This reasoning has no signature, and the request asks {asked}.", record, ordinal)
        else:
            yield _hit("This reasoning has no signature, though other reasoning here has one.", record, ordinal)


def _hit(text: str, record: int, ordinal: int, severity: Severity | None = None) -> Hit:
    return Hit(rule=CODE, message=text, record=record, ordinal=ordinal, severity=severity)
