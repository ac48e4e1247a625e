"""What is worked out of a scene when a rule first asks for it, and kept with the scene for the others."""

from collections.abc import Callable
from functools import wraps

from inspector.core.scene.scene import T, ThreadContext


def cached_on_thread(work: Callable[[ThreadContext], T]) -> Callable[[ThreadContext], T]:
    """A function of a scene that works only when it is first asked of it."""

    @wraps(work)
    def remembered(scene: ThreadContext) -> T:
        found = scene.cached_results
        if work not in found:
            found[work] = work(scene)
        known: T = found[work]
        return known

    return remembered
