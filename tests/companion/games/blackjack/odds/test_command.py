"""`companion odds` for blackjack."""

import numpy as np
import pytest

from companion.games.blackjack.odds.command import ask
from companion.kernel.errors import BadScript


def test_a_new_round() -> None:
    lines = list(ask("", ["decks=6", "soft17=hit", "min=50"]).lines())
    assert lines[0] == (
        "hand",
        "the best play beats the dealer",
        "42.35 %",
        "—",
        "1:1, 3:2",
        "0.400 %",
    )
    assert lines[1][0] == "insurance"
    assert lines[1][3:] == ("2.240:1", "2:1", "7.395 %")


def test_a_hand_in_play() -> None:
    asked = ask("5C,KD", ["hand=TS,6D", "dealer=9H"])
    assert [bet.on for bet in asked.odds()] == ["surrender", "hit", "stand", "double"]
    assert [line[4] for line in asked.lines()] == ["—", "1:1", "1:1", "2:1"]
    with pytest.raises(BadScript, match="Leave --simulate out"):
        asked.simulate(1, np.random.default_rng(), lambda done: None)


def test_published_edges_are_those_of_the_basic_strategy() -> None:
    for surrender, edge in (("none", "0.301 %"), ("late", "0.249 %"), ("early", "-0.330 %")):
        asked = ask("", ["split_aces=one-card", "play=basic", f"surrender={surrender}"])
        line = next(iter(asked.lines()))
        assert (line[1], line[-1]) == ("the basic strategy beats the dealer", edge)
    with pytest.raises(BadScript, match="Leave --simulate or play=basic out"):
        asked.simulate(1, np.random.default_rng(), lambda done: None)


@pytest.mark.parametrize(
    ("seen", "pairs", "words"),
    [
        ("", ["decks=9"], "decks is 9. Use 1 to 8."),
        ("", ["decks=two"], "decks is two. Use 1 to 8."),
        ("", ["surrender=maybe"], "surrender is 'maybe'. Use late, early, none."),
        ("", ["hand=TS,6D"], "Name a hand"),
        ("5C", [], "Every round is dealt from a full shoe"),
        ("", ["hand=TS,6X", "dealer=9H"], "There is no card '6X'"),
        ("", ["hand=TS", "dealer=9H"], "two cards or more"),
        ("", ["hand=TS,TS", "dealer=TS", "decks=2"], "TS was seen 3 times in 2 decks. Check"),
        ("", ["side=1"], "no option 'side'"),
        ("", ["play=worst"], "play is 'worst'. Use best or basic."),
    ],
)
def test_wrong_queries_say_what_to_write(seen: str, pairs: list[str], words: str) -> None:
    with pytest.raises(BadScript, match=words):
        ask(seen, pairs)
