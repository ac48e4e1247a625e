"""A result that does not name its tool.

What it finds: in a log whose agent wants every result to name its tool, one without a name, beside a call that has one.
Why it hurts: Cline 3.0.65 stops before it sends anything: "The messages do not match the ModelMessage[] schema".
Example: u | a{A@read_files} | r(A=x), with no name in the result
Repairs: normalise (it is named as its call).
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage

CODE = "K11"
ROW = Row("unnamed-result", Stage.CALL_FIELDS, ("normalise name", "leave"), loses_records=True, in_request=True)


def find(scene: Scene) -> Hits:
    if not scene.format.names_results:
        return
    names, rows = scene.columns.names, scene.pairing.rows
    for call, results in scene.bound.items():
        name = names[rows[call]]
        if name and not all(names[rows[each]] for each in results):
            yield scene.hit(CODE, call, f"The result of the call to {name!r} does not name its tool.")
