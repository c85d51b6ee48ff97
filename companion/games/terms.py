"""Glossary terms shared by several games."""

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import Term

CUT: Final = Term(
    message("Cut"),
    message(
        "Half of a suit lies open: 2 Mages, 3 Realm, 4 World, 5 Valor, 6 Kin or 7 Commons. Only a card from "
        'the deck can cut a suit. "The cut of Kin is 6" says at how many it is cut.'
    ),
)
DAY_AND_NIGHT: Final = Term(
    message("Day and night"),
    message("The two halves of a suit, and of a die's faces: a thin double border is day, a thick single one night."),
)
