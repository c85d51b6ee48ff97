"""`companion read` for pictures of the bowl."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import run_command_line as run


def test_the_games_name_stands_for_the_dice_in_its_bowl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "empty.png"
    cv2.imwrite(str(picture), np.full((400, 400, 3), 90, np.uint8))
    for name in ("chinchirorin", "d6"):
        assert run(["read", str(picture), "--expect", name, "--data", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["dice"] == []


def test_another_name_is_refused_with_those_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", str(tmp_path), "--expect", "bowls", "--data", str(tmp_path)]) == 2
    assert "'bowls' is unknown. Choose from" in capsys.readouterr().err
