"""A verified card stays verified from frame to frame; a refuted one never becomes valid by its tags."""

from typing import Any

from companion.vision.live.continuity import Continuity
from companion.vision.sightings import CardSighting, Quad

FPS = 25


def seen(status: str, x: float = 100.0, tags: tuple[int, ...] = (7, 7)) -> CardSighting:
    outline: Quad = ((x, 100), (x + 130, 100), (x + 130, 285), (x, 285))
    code: Quad = ((x + 30, 150), (x + 90, 150), (x + 90, 210), (x + 30, 210))
    deck: Any = None if status == "tag" else "K7QX"
    return CardSighting("6D3", deck, status, code, outline, tags=tags)  # type: ignore[arg-type]


def followed(continuity: Continuity, *statuses: str) -> list[str]:
    """Return the status of the card in each frame."""
    told = []
    for number, status in enumerate(statuses):
        told += [card.status for card in continuity.follow([seen(status)], 1.0 + number / FPS)]
    return told


def test_a_proven_card_that_is_read_by_its_tags_only_stays_proven() -> None:
    assert followed(Continuity(), "ok", "tag", "tag") == ["ok"] * 3


def test_a_refuted_card_stays_refuted_while_only_its_tags_are_read() -> None:
    assert followed(Continuity(), "forged", "tag", "tag") == ["forged"] * 3


def test_a_forgery_laid_at_once_where_the_real_card_lay_is_not_proven_by_that_card() -> None:
    """Half a second after the real card was verified the forged code is covered again: its tags prove nothing."""
    assert followed(Continuity(), "ok", "forged", "tag", "tag") == ["ok", "forged", "forged", "forged"]


def test_a_forgery_elsewhere_takes_nothing_from_the_real_card() -> None:
    continuity = Continuity()
    continuity.follow([seen("ok")], 1.0)
    continuity.follow([seen("tag"), seen("forged", x=600.0)], 1.04)
    assert [card.status for card in continuity.follow([seen("tag")], 1.08)] == ["ok"]


def test_the_real_card_laid_at_once_where_a_forgery_lay_is_proven_by_its_code() -> None:
    assert followed(Continuity(), "forged", "tag", "ok", "tag") == ["forged", "forged", "ok", "ok"]
