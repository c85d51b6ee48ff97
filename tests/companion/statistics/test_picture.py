"""The picture of an evening: its size, and that everything fits, however much there is to say."""

import io

import pytest
from PIL import Image

from companion.statistics.picture import HEIGHT, MAX_ROWS, WIDTH, EveningCard, Row, evening_png


def card(players: int, name: str = "Ann", hands: int = 30) -> EveningCard:
    names = [f"{name} {number}" for number in range(players)]
    rows = [Row(place, one, f"{10 - place:+}", 10 - place) for place, one in enumerate(names, start=1)]
    lines = {one: [100 + step * (place - 2) for step in range(hands)] for place, one in enumerate(names)}
    return EveningCard("Fri 1 May 2026", "A game, another game", rows, lines, "Coins", "20:00–23:00", "in all")


def drawn(made: EveningCard) -> Image.Image:
    return Image.open(io.BytesIO(evening_png(made))).convert("RGB")


@pytest.mark.parametrize("players", [0, 1, 4, 12, 30])
def test_everything_lies_within_the_frame(players: int) -> None:
    """Beyond the frame there is nothing but the ground, also with names and titles that are far too long."""
    made = card(players, "W" * 40)
    image = drawn(made)
    assert image.size == (WIDTH, HEIGHT)
    ground = image.getpixel((2, 2))
    for x in range(0, WIDTH, 3):
        assert image.getpixel((x, 10)) == image.getpixel((x, HEIGHT - 10)) == ground
    for y in range(HEIGHT):
        assert image.getpixel((10, y)) == image.getpixel((WIDTH - 10, y)) == ground


def test_each_player_has_a_line_up_to_a_dozen() -> None:
    few, many = drawn(card(2)), drawn(card(MAX_ROWS + 5))
    assert few.tobytes() != many.tobytes()
    assert few.tobytes() == drawn(card(2)).tobytes()


def test_an_evening_of_one_hand_has_no_chart() -> None:
    assert drawn(card(3, hands=1)).size == (WIDTH, HEIGHT)
