"""What a table shows the pit."""

from companion.floor.overview.live import LivePicture

PICTURE = {
    "game": "roulette", "title": "Roulette", "seq": 9, "rounds": 3, "phase": "betting",
    "players": [{"name": "Ann", "coins": 40, "staked": 5}], "in_play": 5, "on_table": 45, "house": 12, "hold": None,
    "disputed": False, "asked_since": None, "camera": "ok", "panel": "none", "disk": "ok", "journal": "ok",
    "behind_s": 0,
}  # fmt: skip


def picture(**changed: object) -> LivePicture:
    return LivePicture.model_validate({**PICTURE, **changed})
