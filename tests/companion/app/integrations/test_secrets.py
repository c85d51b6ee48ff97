"""What the dealer or one player alone may know is in nothing that leaves the house."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from integration_rig import ROCHE, IntegrationRig

from companion.kernel.header import Header
from companion.service.questions import Choice, Question
from companion.testing import new_header

KINGS = new_header("king-of-roulette", (("Ann", 100), ("Bo", 100), ("Cy", 100), ("Di", 100)))
HOLDEM = new_header("holdem", (("Ann", 1000), ("Bo", 1000), ("Cy", 1000)))


def everything(folder: Path, header: Header, records: Sequence[dict[str, Any]]) -> list[object]:
    """Return all that is shown and told while these commands are played."""
    with IntegrationRig(folder, header) as table:
        for record in records:
            table.do(**record)
            table.look(1.0)
        return [*(snapshot.parts() for snapshot in table.ears.shown), *table.ears.told]


def test_secret_votes_bets_and_rules_change_nothing(tmp_path: Path) -> None:
    """Two evenings that differ in what only the players know look the same, until it is revealed."""

    def evening(votes: str, rule: str, one: list[int], two: int, guess: str, spaces: Sequence[int]) -> list[Any]:
        vote = [{"do": "vote", "player": name, "for": votes} for name in ("Ann", "Bo", "Cy", "Di")]
        bets = [{"do": "bet", "player": name, "space": s} for name, s in zip(("Bo", "Cy", "Di"), spaces, strict=True)]
        return [*vote, {"do": "rule", "text": rule, "one": one, "two": two}, {"do": "guess", "range": guess}, *bets]

    one = evening("Ann", "Evens are dull", [1, 2], 3, "0-1", (1, 2, 3))
    other = evening("Ann", "Odds are even", [4, 5], 6, "2-3", (6, 5, 4))
    told = everything(tmp_path / "one", KINGS, one)
    assert told == everything(tmp_path / "other", KINGS, other)
    assert "dull" not in str(told)
    assert [part for part in told if isinstance(part, dict) and part.get("type") == "announcement"]
    revealed = everything(tmp_path / "three", KINGS, [*one, {"do": "reveal"}])
    assert revealed != everything(tmp_path / "four", KINGS, [*other, {"do": "reveal"}])


def test_a_single_vote_is_nobody_elses_business(tmp_path: Path) -> None:
    told = [everything(tmp_path / name, KINGS, [{"do": "vote", "player": "Bo", "for": name}]) for name in ("Ann", "Cy")]
    assert told[0] == told[1]


def test_no_card_is_told_before_it_lies_on_the_table(tmp_path: Path) -> None:
    """Hidden cards are not even known; of a question's card nothing is told, nor of a private notice."""

    def evening(folder: Path, card: str, address: str) -> list[object]:
        with IntegrationRig(folder, ROCHE) as table:
            asked = Question("q1", "duplicate", f"{card} was read twice.", (Choice("ok", f"Take {card} off"),), card)
            table.service.set_questions("camera", [asked])
            table.service.notice(f"Somebody tried the PIN from {address}.", source="web", private=True)
            table.service.submit({"do": "no-more-bets"}, source="dealer")
            table.service.set_sight({"seen": card})
            table.look()
            table.look(90.0)
            return [*(snapshot.parts() for snapshot in table.ears.shown), *table.ears.told]

    told = evening(tmp_path / "one", "6D3", "10.0.0.7")
    assert told == evening(tmp_path / "other", "5N1", "10.0.0.8")
    assert "question.asked" in str(told)
    assert "alarm.raised" in str(told)


def test_the_cards_in_hand_of_holdem_are_not_told(tmp_path: Path) -> None:
    records = [{"do": "post"}, *({"do": "hole", "player": name} for name in ("Ann", "Bo", "Cy"))]
    told = everything(tmp_path, HOLDEM, records)
    parts = [part for part in told if isinstance(part, dict) and "state" in part]
    assert set(parts[-1]["state"]) == {
        "table", "game", "session", "seq", "rounds", "phase", "turn", "hold", "players", "pots", "staked", "house",
        "in_play", "on_table",
    }  # fmt: skip
    assert all(set(player) == {"seat", "name", "coins", "staked"} for player in parts[-1]["state"]["players"])
