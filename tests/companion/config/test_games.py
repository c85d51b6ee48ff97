"""The configuration of games unknown to the engine: their own tables, shared options, and set-up form."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from companion.config.file import ConfigError, load_config
from companion.config.setup_keys import settable
from companion.kernel.commands import Verbs
from companion.kernel.errors import BadScript
from companion.kernel.game import BaseGame, Options, Seat
from companion.kernel.shared.options import check_names
from companion.plugins.options import SHARED, GameOptions, OptionError, Setting, form_fields
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games


class Toss(BaseGame):
    """A game that has only options."""

    name = "coin-toss"
    title = "Coin toss"
    verbs: ClassVar[Verbs] = {}

    def start(self, seats: Any, options: Options) -> tuple[Seat, ...]:
        check_names("Coin toss", options, ("coin", "deck", "tosses", "twice"))
        if options.get("tosses") == 13:
            raise BadScript("Nobody tosses 13 times.")
        if options.get("twice") and "tosses" not in options:
            raise BadScript("Twice needs a number of tosses.")
        return tuple(seats)

    def seats(self, state: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return state

    def apply(self, state: Any, command: Any, ledger: Any) -> Any: ...
    def audit(self, before: Any, command: Any, happened: Any, ledger: Any) -> Any: ...
    def view(self, state: Any) -> Any: ...
    def facts(self, state: Any) -> Any: ...


class TossOptions(GameOptions):
    coin: Literal["old", "new"] = "old"
    deck: Annotated[Literal["french", "german"], SHARED] = "french"
    tosses: Annotated[int | None, Field(ge=1, title="How often")] = None
    twice: bool = False
    file: Annotated[str | None, Setting(by_hand=True)] = None

    def header(self, folder: Path) -> dict[str, Any]:
        if self.file is not None and not (folder / self.file).is_file():
            raise OptionError(("file",), "there is no such file.")
        return super().header(folder)


class Roll(Toss):
    """Shares the deck option, with another kind of deck."""

    name = "dice-roll"
    title = "Dice roll"


class RollOptions(GameOptions):
    deck: Annotated[Literal["red"], SHARED] = "red"


GAMES = Games(
    [GamePlugin(rules=Roll(), options=lambda: RollOptions), GamePlugin(rules=Toss(), options=lambda: TossOptions)]
)  # type: ignore[arg-type]


def loaded(tmp_path: Path, text: str) -> Options:
    file = tmp_path / "companion.toml"
    file.write_text(text)
    return load_config(file, GAMES)[1].options


def test_a_game_s_options_come_from_its_own_table_and_from_what_games_share(tmp_path: Path) -> None:
    said = '[table]\ngame = "coin-toss"\ndeck = "german"\n[coin-toss]\ncoin = "new"\ntosses = 3\n'
    assert loaded(tmp_path, said) == {"coin": "new", "deck": "german", "tosses": 3, "twice": False}


def test_each_game_has_its_own_default_and_its_own_check_of_what_it_shares(tmp_path: Path) -> None:
    assert load_config(None, GAMES, "coin-toss")[1].options["deck"] == "french"
    assert load_config(None, GAMES, "dice-roll")[1].options == {"deck": "red"}
    with pytest.raises(ConfigError, match=r"line 3: table\.deck: this should be 'red', not 'german'\. Correct it\."):
        loaded(tmp_path, '[table]\ngame = "dice-roll"\ndeck = "german"\n')


def test_without_a_choice_the_first_game_is_played() -> None:
    """None of these games is preferred, so the titles decide."""
    assert load_config(None, GAMES)[1].game == "coin-toss"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ('coin = "odd"', r"line 2: coin-toss\.coin: this should be 'old' or 'new', not 'odd'\. Correct it\."),
        ("coins = 1", r"line 2: coin-toss\.coins: there is no such key\. Did you mean 'coin'\?"),
        ("tosses = 13", r"line 2: coin-toss\.tosses: Nobody tosses 13 times\."),
        ('coin = "new"\ntwice = true', r"line 3: coin-toss\.twice: Twice needs a number of tosses\."),
        ("twice = true\ntosses = 13", r"line 3: coin-toss\.tosses: Nobody tosses 13 times\."),
        ('file = "none"', r"line 2: coin-toss\.file: there is no such file\."),
    ],
)
def test_errors_name_the_game_s_key_and_line(tmp_path: Path, said: str, error: str) -> None:
    with pytest.raises(ConfigError, match=error):
        loaded(tmp_path, f"[coin-toss]\n{said}\n")


def test_options_that_need_one_another_are_checked_together(tmp_path: Path) -> None:
    assert loaded(tmp_path, "[coin-toss]\ntwice = true\ntosses = 3\n")["twice"] is True


def test_the_set_up_page_may_write_all_but_what_is_set_by_hand() -> None:
    own = [key for key in settable(GAMES) if key.startswith("coin-toss") or key == "table.deck"]
    assert own == ["coin-toss.coin", "table.deck", "coin-toss.tosses", "coin-toss.twice"]


def test_the_form_has_a_field_for_every_choice_number_and_switch() -> None:
    fields = {field.key: field for field in form_fields("coin-toss", TossOptions, has_edges=True)}
    assert {key: (field.kind, field.title) for key, field in fields.items()} == {
        "coin-toss.coin": ("choice", "Coin"), "table.deck": ("choice", "Deck"),
        "coin-toss.tosses": ("number", "How often"), "coin-toss.twice": ("switch", "Twice"),
    }  # fmt: skip
    assert (fields["coin-toss.coin"].of, fields["coin-toss.tosses"].least) == (("old", "new"), 1)
    assert fields["coin-toss.coin"].option == "coin"
    assert {field.option for field in form_fields("coin-toss", TossOptions, has_edges=False)} == {None}


def test_a_game_cannot_take_a_table_of_the_engine() -> None:
    class Web(Toss):
        name = "web"

    games = Games([GamePlugin(rules=Web(), options=lambda: TossOptions)])  # type: ignore[arg-type]
    with pytest.raises(BadScript, match="cannot be called 'web'"):
        load_config(None, games)
