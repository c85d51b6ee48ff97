"""Power cuts of a real machine's kernel, file system and companion: ``make power-cuts`` cuts more often."""

import os
from pathlib import Path

import pytest

from hardware.harness.gpiosim.image import build, cache_folder, check_programs
from hardware.harness.rig import RigError

from .cuts import cut_often

pytestmark = [pytest.mark.hil, pytest.mark.slow]


def test_six_power_cuts(tmp_path: Path) -> None:
    """Five in play, one in a start: what was acknowledged is there once, and the table comes back."""
    if os.geteuid() != 0:
        pytest.skip("building the machine needs root")
    try:
        check_programs()
    except RigError as error:
        pytest.skip(str(error))
    told, client = cut_often(build(cache_folder(), print), 6, 3, tmp_path, print)
    assert (told.cuts, told.during_start) == (6, 1)
    assert len(client.acknowledged) > 10
