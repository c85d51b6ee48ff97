"""Unknown ids of any length are refused."""

from pathlib import Path

import pytest

from companion.objects.decks import DeckError, DeckStore
from companion.testing import INSTALLED


@pytest.mark.parametrize("deck_id", ["A" * 3000, "A" * 250, "../decks", ""])
def test_an_id_of_any_length_names_no_deck(tmp_path: Path, deck_id: str) -> None:
    with pytest.raises(DeckError, match="There is no deck"):
        DeckStore(tmp_path, INSTALLED.decks).get(deck_id)
