"""What a rule looks at, and what it answers: one thread of one session, paired, and the anomalies in it.

`scene` is what every rule is given; `hit` what it answers. The other modules sort out, once for all rules of a family,
what the scene tells of one subject.
"""

from inspector.core.scene.hit import Match
from inspector.core.scene.scene import CheckedThread, RecordCache, ThreadContext, pair_thread

__all__ = ["CheckedThread", "Match", "RecordCache", "ThreadContext", "pair_thread"]
