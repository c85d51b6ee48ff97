"""One blueprint per page. Views are short: they read the request, call one function, and render or return JSON."""

from typing import Final

from flask import Blueprint

from web_ui.https import trust
from web_ui.pages import (
    api,
    api_hands,
    art,
    browsers,
    dealer,
    game,
    health,
    house,
    odds,
    pwa,
    seat,
    setup,
    setup_api,
    table,
)
from web_ui.pages.enrollment import axis, deck, dice
from web_ui.pages.floor import duty, purses
from web_ui.pages.history import hand, hands, recall, verify
from web_ui.pages.phones import push
from web_ui.pages.season import audience, evening, files, players, standing
from web_ui.pages.sheets import page as sheets

_AREAS: Final = (
    table, art, dealer, browsers, house, seat, push, odds, hands, recall, verify, audience, players, evening,
    standing, files, trust, hand, setup, setup_api, sheets, dice, deck, axis, api, api_hands, game, purses, duty,
    health, pwa,
)  # fmt: skip
BLUEPRINTS: Final[tuple[Blueprint, ...]] = (
    *(area.blueprint for area in _AREAS),
    *(area.page for area in (dice, deck, axis)),
)
