"""What the floor refuses."""

from companion.kernel.errors import CompanionError
from companion.kernel.messages import Message


class FloorError(CompanionError):
    """Something that the floor refuses. ``code`` never changes; the message says what to do."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code

    def to_json(self) -> dict[str, object]:
        """Return what a table is told: its dealer reads the sentence in a language of their own where it is one."""
        said = self.message.to_json() if isinstance(self.message, Message) else None
        return {"code": self.code, "message": str(self.message), "said": said}


class PurseError(FloorError):
    """Coins that do not move, and why."""
