"""Storage of the verified or skipped set-up steps, in ``setup.json`` in the data directory."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from companion.app.setup.shapes import Status
from companion.app.setup.steps import STEPS, Verdict
from companion.kernel.messages import packed, unpacked
from companion.objects.keeping import keep_file

PROGRESS: Final = "setup.json"


def read_progress(data_dir: Path) -> dict[str, Verdict]:
    """Return the verdicts by step, in step order. Unreadable and missing ones are left out."""
    try:
        found = json.loads((data_dir / PROGRESS).read_text(encoding="utf-8"), object_hook=unpacked)
    except (OSError, ValueError):
        return {}
    return {step: known for step in STEPS if isinstance(found, dict) and (known := _verdict(found.get(step)))}


def _verdict(record: object) -> Verdict | None:
    if not isinstance(record, dict) or record.get("status") not in get_args(Status):
        return None
    why = record.get("why")
    return Verdict(record["status"], tuple(one for one in why if isinstance(one, str)) if isinstance(why, list) else ())


def write_progress(data_dir: Path, verdicts: Mapping[str, Verdict]) -> None:
    """Store the verdicts atomically."""
    records = {step: {"status": one.status, "why": packed(list(one.why))} for step, one in verdicts.items()}
    keep_file(data_dir / PROGRESS, json.dumps(records).encode())
