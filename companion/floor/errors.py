"""Errors that the floor returns to its clients."""

from companion.kernel.errors import CodedError
from companion.kernel.messages import Message


class FloorError(CodedError):
    """A request that the floor rejects; the message says what to do."""

    def to_json(self) -> dict[str, object]:
        """Return the error for the table, with the message in translatable form where it has one."""
        said = self.message.to_json() if isinstance(self.message, Message) else None
        return {"code": self.code, "message": str(self.message), "said": said}


class PurseError(FloorError):
    """A coin movement that the floor rejects."""
