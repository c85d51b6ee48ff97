"""Phone permissions: own choices for all; election and reveal for the king; the candidate for the highest scorers."""

from typing import Final

from companion.games.king.words import FOLLOWS
from companion.kernel.commands import Record
from companion.plugins.phone import Phone
from companion.plugins.words import View

_FIELDS: Final = frozenset({"do", "player"})


def _may(record: Record, player: str, view: View) -> bool:
    deciding = {"elect": [view["king"]], "reveal": [view["king"]], "choose": view["choosing"]}
    return player in deciding.get(str(record.get("do")), ()) and _FIELDS.issuperset(record)


PHONE: Final = Phone(
    own_commands={
        "vote": frozenset({"for"}),
        "rule": frozenset({"text", "one", "two"}),
        "guess": frozenset({"range", FOLLOWS}),
        "bet": frozenset({"space", FOLLOWS}),
        "buy-bonus": frozenset(),
        "use-bonus": frozenset({FOLLOWS}),
    },
    is_allowed=_may,
)
