"""An evening of two minutes that shows everything docs/mqtt.md has an example of."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "outside"))

from integration_rig import ASKED, IntegrationRig

from companion.testing import new_header


def told(folder: Path) -> dict[str, Any]:
    """Return each part of the last snapshot by its name, and of each type of event the first."""
    with IntegrationRig(folder, new_header("roulette", (("Ann", 100), ("Bo", 80)))) as table:
        table.service.set_camera("ok", "The camera sends pictures.")
        table.do(do="bet", player="Ann", on="red", amount=5)
        table.do(do="no-more-bets")
        table.do(do="spin", pocket="3", source="camera")
        table.look(5.0)
        table.do(do="bet", player="Bo", on="straight/17", amount=2)
        table.do(do="undo")
        table.do(do="hold")
        table.do(do="release", source="mqtt")
        table.service.change_game(new_header("roche"), source="dealer")
        table.look(5.0)
        table.service.change_game(new_header("roulette"), source="dealer")
        table.look(5.0)
        table.service.set_questions("camera", [ASKED])
        table.look(5.0)
        table.service.set_camera("lost", "The camera is gone.")
        table.look(30.0)
        table.service.set_questions("camera", [])
        table.look(15.0)
        table.service.set_camera("ok", "The camera sends pictures.")
        table.look(5.0)
        table.service.set_questions("camera", [ASKED])
        table.do(do="bet", player="Ann", on="red", amount=5)
        table.do(do="no-more-bets")
        table.do(do="hold")
        table.look(5.0)
        snapshot = table.look(60.0)
        table.broadcaster.report("command.refused", {"command": "hold", "text": "The table is on hold already."})
        events: dict[str, Any] = {}
        for one in table.ears.told:
            events.setdefault(one["type"], one)
        return {**snapshot.parts(), **events}
