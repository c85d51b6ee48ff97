"""One blueprint per page. Views are short: they read the request, call one function, render or return JSON."""

from __future__ import annotations

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
from web_ui.pages.coins import duty, purses
from web_ui.pages.phones import push
from web_ui.pages.played import hand, history, recall, verify
from web_ui.pages.season import audience, evening, files, players, standing
from web_ui.pages.sheets import page as sheets
from web_ui.pages.taught import axis, deck, dice

BLUEPRINTS: Final[tuple[Blueprint, ...]] = (
    table.blueprint,
    art.blueprint,
    dealer.blueprint,
    browsers.blueprint,
    house.blueprint,
    seat.blueprint,
    push.blueprint,
    odds.blueprint,
    history.blueprint,
    recall.blueprint,
    verify.blueprint,
    audience.blueprint,
    players.blueprint,
    evening.blueprint,
    standing.blueprint,
    files.blueprint,
    trust.blueprint,
    hand.blueprint,
    setup.blueprint,
    setup_api.blueprint,
    sheets.blueprint,
    dice.page,
    dice.blueprint,
    deck.page,
    deck.blueprint,
    axis.page,
    axis.blueprint,
    api.blueprint,
    api_hands.blueprint,
    game.blueprint,
    purses.blueprint,
    duty.blueprint,
    health.blueprint,
    pwa.blueprint,
)
