"""Rochi from drawn pixels to coins: rendered hands through reader, tracker and interpreter into the real rules."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.kernel.table import Table
from companion.objects.decks import Deck
from companion.testing import DECKS, INSTALLED
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.vision.live.reader import Reader

DECK = Deck("K7QX", DECKS["roche"], "Test", b"a key for tests, 32 bytes long..", "2026-01-01T00:00:00.000+00:00")
BENCH = Path(__file__).parents[3] / "bench" / "accuracy_rochi.py"
sys.path.insert(0, str(BENCH.parent))

from rochi_script import RochiScript  # noqa: E402 (tests/bench is not a package)


@pytest.mark.thorough
def test_the_first_turns_of_six_quick_players_are_read_from_pictures():
    """Kin is bought, Commons dealt, Valor bought by the next player: no entries by hand, no questions, right coins."""
    script = RochiScript(951, players=6, pace=2.0, deck=DECK)
    reader = Reader({DECK.id: DECK.key}, DECKS)
    sight, table, true = CardSight(reader, RochiInterpreter(), zones=Zones(INSTALLED.mats)), Table(script.header), []
    for shot in script.shots():
        true += [truth.record for truth in shot.done]
        sight.see(shot.frame, shot.frame.t)
        while (advice := sight.propose(table.situation())).command is not None:
            before = table.situation()
            table.do(advice.command)
            sight.played(advice, before)
        assert not [q.text for q in advice.questions if q.kind != "play-or-deal"]
        if len(true) == len(table.records) == 3:
            break
    assert [(r["do"], r.get("card")) for r in table.records] == [(r["do"], r.get("card")) for r in true]
    assert table.result()["balances"] == script.rules.result()["balances"]


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--players", "3,4", "--seeds", "960"], ["--players", "5", "--seeds", "961"],
                                 ["--players", "2", "--seeds", "962"]])  # fmt: skip
def test_whole_hands_are_read_from_pictures(how):
    """At ten pictures per second every action is right, and the coins agree with the ground truth."""
    done = subprocess.run([sys.executable, BENCH, *how], capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    percent = float(re.search(r"([\d.]+) % of \d+ actions right", done.stdout)[1])
    assert percent >= 99, done.stdout


@pytest.mark.slow
def test_a_hand_without_a_mat_is_played_by_answers_alone():
    """On bare cloth every card is asked about, with one press each, and the coins agree."""
    how = [sys.executable, BENCH, "--players", "3", "--seeds", "963", "--no-mat"]
    done = subprocess.run(how, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
