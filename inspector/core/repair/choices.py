"""What the person chose for a repair."""

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.index.session import Session
from inspector.core.known_texts.placeholders import placeholder_template
from inspector.core.repair.presets import Preset, preset_named
from inspector.core.repair.without_content.named import PlannedChoices


class SessionChoice(Struct, frozen=True):
    """What was chosen for one session of a log: a preset of its own ("" for the log's), and strategies by rule."""

    preset: str = ""
    rules: dict[str, str] = {}


class Choices(Struct, frozen=True):
    """What the person chose. A finding's choice wins over its session's, that over its rule's, and that over a preset.

    `rules` and `findings` (by finding id) name strategies; `sessions` is by the session's id, or its number in the log.
    `wording` is the text of placeholders, with the tokens {name} and {id}, or the name of a known wording; "" takes the
    preset's. `results_from` are other logs that may hold results of open calls: who has a plan made reads them. `only`
    are the findings that a plan from elsewhere names: it decides about them, and all others are left.
    """

    preset: str = "canonical"
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    profile: str = ""
    wording: str = ""
    sessions: dict[str, SessionChoice] = {}
    results_from: tuple[str, ...] = ()
    only: PlannedChoices | None = None

    def for_session(self, session: Session) -> SessionChoice:
        return self.sessions.get(session.id) or self.sessions.get(str(session.number)) or SessionChoice()

    def preset_of(self, session: Session) -> Preset:
        """Raises UnknownName."""
        return preset_named(self.for_session(session).preset or self.preset)

    def strategy_of(self, rule: str, session: Session) -> str:
        """What was chosen for the findings of a class in a session, "" when nothing was, so that a preset decides."""
        return self.for_session(session).rules.get(rule) or self.rules.get(rule) or ""

    def placeholder_text(self, session: Session) -> str:
        """The text of placeholders, its tokens not yet filled in."""
        return placeholder_template(self.wording) if self.wording else self.preset_of(session).wording

    def require_known_sessions(self, sessions: list[Session]) -> None:
        """Raises UnknownName for a session that the log does not hold."""
        known = {session.id for session in sessions} | {str(session.number) for session in sessions}
        for name in self.sessions.keys() - known:
            raise UnknownName.for_session(name, len(sessions) - 1)
