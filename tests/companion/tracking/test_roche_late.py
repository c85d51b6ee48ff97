"""A card that is not decoded yet keeps its place in the deal, whatever happens meanwhile."""

FLASH_S = 0.6


def glimpse(table, seconds: float) -> None:
    """Show an object in glare for single frames, now and then."""
    for _ in range(round(seconds / FLASH_S)):
        table.lay(None, 100, 100, name="?", status="unreadable")
        table.frame()
        table.take("?")
        table.run(FLASH_S - 1 / table.fps)


def test_a_card_that_was_said_not_to_be_there_is_asked_about_once_it_is_read(dealing):
    """2D1 came first, in glare, and 7D1 was dealt: 2D1 is not dealt after it without asking."""
    glimpse(dealing, FLASH_S)
    dealing.lay("7D1", 600, 100)
    for _ in range(7):
        glimpse(dealing, FLASH_S)
        if "unsure" in dealing.kinds:
            break
    dealing.answer("unsure", "leave")
    dealing.run(0.05)
    assert dealing.dealt == ["7D1"]
    dealing.lay("2D1", 100, 100)
    dealing.run(1.0)
    assert dealing.dealt == ["7D1"]
    assert dealing.kinds == ["found"]
    dealing.answer("found", "deal")
    assert dealing.dealt == ["7D1", "2D1"]


def test_a_card_face_down_stops_the_deal_that_is_begun_anew_in_the_same_round(dealing):
    """After "no more bets" is undone for a late bet and called again, the card still belongs to this deal."""
    dealing.lay(None, 100, 100, name="back", status="unreadable")
    dealing.run(3.0)
    assert dealing.kinds == ["unreadable"]
    dealing.do("undo")
    dealing.run(0.5)
    dealing.do("no-more-bets")
    dealing.run(1.0)
    dealing.lay("7D1", 600, 100)
    dealing.run(1.0)
    assert dealing.dealt == []
    assert dealing.kinds == ["unreadable"]
    dealing.take("back")
    dealing.lay("2D1", 100, 100)
    dealing.run(3.0)
    assert dealing.dealt == ["2D1", "7D1"]
