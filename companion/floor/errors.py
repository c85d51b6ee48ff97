"""What the floor refuses."""

from companion.kernel.errors import CodedError
from companion.kernel.messages import Message


class FloorError(CodedError):
    """Something that the floor refuses; the message says what to do."""

    def to_json(self) -> dict[str, object]:
        """Return what a table is told: its dealer reads the sentence in a language of their own where it is one."""
        said = self.message.to_json() if isinstance(self.message, Message) else None
        return {"code": self.code, "message": str(self.message), "said": said}


class PurseError(FloorError):
    """Coins that do not move, and why."""
