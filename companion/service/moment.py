"""Builds the dealer panel's input, the `Moment` (`companion.plugins.panel`), from a snapshot."""

from collections.abc import Mapping
from typing import Any, cast

from companion.plugins.panel import Moment, OpenQuestion, Player
from companion.service.snapshot import Snapshot


def moment_of(snapshot: Snapshot) -> Moment:
    """Return the panel's input for a snapshot."""
    now, table = snapshot.now, snapshot.table
    return Moment(
        rules=now.rules,
        state=now.state,
        ledger=now.ledger,
        latest=now.latest,
        expected=now.expected,
        hold=now.hold,
        seq=now.seq,
        began=now.began,
        rounds=now.rounds,
        revision=now.revision,
        undos=now.undos,
        phase=table["phase"],
        prompt=table.get("prompt") or "",
        players=tuple(Player(one["name"], one["coins"], one["staked"]) for one in table["players"]),
        turn=table.get("turn"),
        undo=table["undo"],
        questions=tuple(map(_asked, snapshot.questions)),
        intention=snapshot.intention,
        waits_for=cast("str | None", snapshot.sight.get("waits_for")),
        camera=snapshot.camera.status,
        trouble=snapshot.trouble,
    )


def _asked(question: Mapping[str, Any]) -> OpenQuestion:
    choices = tuple((choice["id"], choice["label"]) for choice in question["choices"])
    marks = tuple(choice["mark"] for choice in question["choices"])
    return OpenQuestion(
        question["id"], question["text"], choices, question["blocks"], question["kind"], question["card"], marks
    )
