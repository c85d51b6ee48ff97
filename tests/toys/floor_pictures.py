"""Camera pictures that a table shows the pit."""

from companion.floor.overview.snapshots import LiveSnapshot

PICTURE = {
    "game": "roulette", "title": "Roulette", "seq": 9, "rounds": 3, "phase": "betting",
    "players": [{"name": "Ann", "coins": 40, "staked": 5}], "in_play": 5, "on_table": 45, "house": 12, "hold": None,
    "disputed": False, "asked_since": None, "camera": "ok", "panel": "none", "disk": "ok", "journal": "ok",
    "behind_s": 0,
}  # fmt: skip


def picture(**changed: object) -> LiveSnapshot:
    return LiveSnapshot.model_validate({**PICTURE, **changed})
