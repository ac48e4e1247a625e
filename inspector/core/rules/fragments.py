"""One message in several records.

What it finds: nothing: that agents write a message block by block is normal, and the inspector reads the
fragments as one.
Why it hurts: it does not. Readers that pair line by line see broken pairs that are none.
Example: A[m1]"t" | A[m1]{A} | r(A=x) | A[m1]{B} | r(B=y)
Repairs: none needed.
"""

from inspector.core.rules.rule import Hits, Row, Scene

CODE = "M1"
ROW = Row("fragmented-message", None, ("leave",))


def find(scene: Scene) -> Hits:
    return iter(())
