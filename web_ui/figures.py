"""Localized coins and times for templates; times are in the table's time zone."""

from datetime import date, datetime
from typing import Final, Literal

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal
from flask import Flask

from web_ui.languages import language

Shape = Literal["day", "clock", "exact", "minute", "second"]
_TIMES: Final = {"clock": "HH:mm", "exact": "HH:mm:ss", "minute": "HH:mm", "second": "HH:mm:ss"}
_LOCALES: Final = {"en": "en_GB"}
"""Day before month and a 24-hour clock, like the rest of the page."""


def signed(coins: float, digits: int = 0) -> str:
    """Return coins won or lost, with a sign.

    >>> signed(1200), signed(-7), signed(0), signed(-0.04, 1), signed(2.25, 1)
    ('+1,200', '−7', '0', '0.0', '+2.2')
    """
    shown = round(coins, digits)
    sign = "+" if shown > 0 else "−" if shown < 0 else ""
    return sign + number(abs(shown), digits)


def number(amount: float, digits: int = 0) -> str:
    """Return a number with thousands separators.

    >>> number(12345), number(2.5, 1), number(-7)
    ('12,345', '2.5', '−7')
    """
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(amount, pattern, locale=language()).replace("-", "−")


def local(at: str) -> datetime:
    """Convert a journal time (UTC) to the table's time zone."""
    return datetime.fromisoformat(at).astimezone()


def local_time(at: str, shape: Shape = "minute") -> str:
    """Format a journal time in the table's time zone: a day, a time of day, or both with the zone."""
    when, where = local(at), _LOCALES.get(language(), language())
    if shape == "day":
        return format_date(when, "medium", locale=where)
    clock = format_datetime(when, _TIMES[shape], locale=where)
    if shape in ("clock", "exact"):
        return clock
    return f"{format_date(when, 'medium', locale=where)}, {clock} {when.tzname()}"


def local_span(begun: str, ended: str) -> tuple[str, str]:
    """Format a beginning and an end, without repeating a common day and zone."""
    first, last = local(begun), local(ended)
    if (first.date(), first.tzname()) != (last.date(), last.tzname()):
        return local_time(begun), local_time(ended)
    clock = local_time(ended, "clock")
    return f"{local_time(begun, 'day')}, {local_time(begun, 'clock')}", f"{clock} {last.tzname()}"


def local_day(on: date) -> str:
    """Format a day."""
    return format_date(on, "EEE d MMM yyyy", locale=_LOCALES.get(language(), language()))


def register_figures(app: Flask) -> None:
    """Make these functions available in templates."""
    app.jinja_env.globals.update(
        signed=signed, number=number, local_time=local_time, local_day=local_day, local_span=local_span
    )
