"""Localized labels of settings, alarms and accounts, for the floor's pages and push notifications."""

import json
from typing import Any

from flask import current_app

from companion.config.price_list import tables_of
from companion.floor.alarms.store import Alarm
from companion.floor.house import House
from companion.floor.overview.board import Reason
from companion.floor.people import Role
from companion.kernel.accounts import Account, Kind
from companion.kernel.messages import Message, message
from companion.locale import Translator
from web_ui.languages import language, said
from web_ui.strings import Catalogue, catalogue, game_catalogue, text


def _texts(game: str) -> Catalogue:
    house: House = current_app.extensions["house"]
    plugin = house.prices.games.get(game)
    own = game_catalogue(plugin.web, language(), "setup") if plugin is not None and plugin.web is not None else {}
    return catalogue(language(), "setup") | own


def game_words(game: str) -> str:
    """Return a game's title; its id if it is not installed."""
    house: House = current_app.extensions["house"]
    plugin = house.prices.games.get(game)
    return str(_texts(game).get(f"game_{game}") or (game if plugin is None else plugin.title))


def title_words(game: str, title: str) -> str:
    """Return the title of a table's game; as sent by the table if the game is not installed here."""
    house: House = current_app.extensions["house"]
    return game_words(game) if game in house.prices.games else title


def kind_words(kind: str) -> str:
    """Return the label of a kind of deck; its id if unknown."""
    house: House = current_app.extensions["house"]
    design = house.prices.games.decks.get(kind)
    return kind if design is None else said(design.title)


def role_words(role: Role | None) -> str:
    """Return a role's label."""
    return text(f"f_role_{role}", language())


def not_as(role: Role | None) -> Message:
    """Return why somebody with this role is refused, and who can help."""
    return message("As {role} you cannot do this. Ask the owner.", role=role_words(role))


def key_words(game: str, key: str) -> str:
    """Return a setting's label."""
    house: House = current_app.extensions["house"]
    if game in house.prices.games and key in tables_of(house.prices.games[game]):
        return text("f_single_prices_short", language())
    found = _texts(game).get(f"key_{key.replace('.', '_')}")
    return key.partition(".")[2].replace("_", " ").capitalize() if found is None else str(found)


def choice_words(game: str, key: str, value: Any) -> str:
    """Return the label of a setting's value."""
    if isinstance(value, bool):
        return text("f_yes" if value else "f_no", language())
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {json.dumps(price) if isinstance(price, dict) else price}" for name, price in value.items()
        )
    found = _texts(game).get(f"val_{key.replace('.', '_')}_{value}")
    return f"{value:,}" if type(value) is int else str(value if found is None else found)


def page_strings() -> str:
    """Return the floor pages' script texts as JSON that is safe inside a script element."""
    told = {"strings": catalogue(language(), "floor")}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def in_words(sentence: str) -> str:
    """Translate a message into the page's language."""
    return said(sentence) if isinstance(sentence, Message) else sentence


def alarm_words(alarm: Alarm, spoken: str | None = None, translate: Translator | None = None) -> str:
    """Return an alarm's reasons as text; alarms stored by earlier versions have only English text.

    Args:
        spoken: the language; None: the page's.
        translate: translates messages into it; None: the page's translator.
    """
    wanted = language() if spoken is None else spoken
    say: Translator = current_app.extensions["translator"] if translate is None else translate
    return ", ".join(_reason_words(one, wanted, say) for one in alarm.reasons) or alarm.text


def _reason_words(reason: Reason, spoken: str, translate: Translator) -> str:
    """Return a reason as text; free text entered at the table is not translated."""
    values = {
        name: translate(value, spoken) if isinstance(value, str) else value for name, value in reason.values.items()
    }
    words = text(f"f_need_{reason.need}", spoken, **values)
    if "state" not in values:
        return words
    state = values["state"]
    return f"{words}: {catalogue(spoken, 'floor').get(f'f_health_{state}', state)}"


def account_words(account: str) -> str:
    """Return an account's label in the house's books; for players and tables, their name.

    >>> account_words("transit"), account_words("Ann")
    ('Between purses and tables', 'Ann')
    """
    return str(catalogue(language(), "floor").get(f"f_account_{account}", account))


def ledger_words(account: str, game: str) -> str:
    """Return an account's label in a table's ledger; other texts unchanged."""
    try:
        found = Account.parse(account)
    except ValueError:
        return account
    if found.kind is Kind.STAKE:
        return f"{found.name or text('party_house', language())}: {found.on}"
    if found.kind is Kind.POT:
        suit = catalogue(language()).get(f"suit_{found.name}") or _texts(game).get(f"suit_{found.name}", found.name)
        return text("pot_of", language(), suit=suit)
    return found.name or text(f"party_{found.kind}", language())


def why_words(why: str) -> str:
    """Return the label of a posting's reason; reasons that contain numbers unchanged.

    >>> why_words("desk"), why_words("lost behind entry 3 of epoch 1")
    ('At the desk', 'lost behind entry 3 of epoch 1')
    """
    return str(catalogue(language(), "floor").get(f"f_why_{why.replace(', ', '_').replace('-', '_')}", why))
