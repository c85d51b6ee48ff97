"""Line charts as server-side SVG: no scripts, no extra requests, sharp in print.

Each line has its own color, dash and marker, and its name at its end, so nobody needs to tell colors apart.
Every chart's data is also shown next to it as a table.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup, escape

from web_ui.figures import number

WIDTH: Final = 720
HEIGHT: Final = 300
_LEFT, _TOP, _BOTTOM = 72, 16, 34
_AXIS_AT: Final = 8
"Distance from the y axis to its labels."
_NAME_AT: Final = 24
"Distance from the end of a line to its name."
_LETTER: Final = 9.8
"Conservative width of a letter in a name."
_DIGIT: Final = 8.2
"Conservative width of a digit in the y axis labels."
_LINES_APART: Final = 17
_BAR_WIDTH: Final = 240
_BAR_MARGIN: Final = 8
_STEPS: Final = (1, 2, 5)
_MAX_STEPS: Final = 5
_MAX_SIGNS: Final = 24
"""Lines with more points have a marker only at the end."""
_SIGNS: Final = (
    '<circle r="4"/>',
    '<path d="M-4-4H4V4H-4Z"/>',
    '<path d="M0-5 5 4H-5Z"/>',
    '<path d="M0-5.500 5.500 0 0 5.500-5.500 0Z"/>',
    '<path d="M-4-4 4 4M4-4-4 4"/>',
    '<path d="M0-5V5M-5 0H5"/>',
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name, its color number (from 1), and a value for each point of the x axis.

    ``values`` contains None for points without data, such as before a player joined.
    """

    name: str
    colour: int
    values: tuple[int | None, ...]


def line_chart(lines: Sequence[Line], label: str, x_label: str, last_x: int | None = None) -> Markup:
    """Return an SVG element.

    Args:
        lines: with equal numbers of values; the first value is at 0 on the x axis.
        label: description for screen readers.
        x_label: label of the x axis.
        last_x: the number at the right end, if points were left out.
    """
    values = [value for line in lines for value in line.values if value is not None]
    count = max((len(line.values) for line in lines), default=0)
    if count < 2 or not values:
        return Markup("")
    low, high, step = ticks(min(values), max(values))
    longest = max(len(_named(line, value)) for line in lines if (value := _last(line)) is not None)
    widest = max(len(_number(value)) for value in (low, high))
    left = max(_LEFT, _AXIS_AT + math.ceil(widest * _DIGIT))
    frame = _Frame(low, high, count, left, WIDTH - _NAME_AT - longest * _LETTER)
    parts = [_grid(frame, step), *(_line(line, frame) for line in lines), _names(lines, frame)]
    x_axis = f'<text class="axis" x="{frame.left}" y="{HEIGHT - 8}">{escape(x_label)}</text>'
    end = _number(last_x or count - 1)
    last = f'<text class="axis" text-anchor="end" x="{frame.right:.1f}" y="{HEIGHT - 8}">{end}</text>'
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
    return Markup(head + "".join(parts) + x_axis + last + "</svg>")  # all user-provided text is escaped


def error_bar(expected: float, error: float, actual: float, label: str) -> Markup:
    """Return an SVG that compares an actual with an expected value: a bar of plus/minus the error, and a mark."""
    low, high = min(expected - error, actual, 0), max(expected + error, actual, 0)
    scale = (_BAR_WIDTH - 2 * _BAR_MARGIN) / ((high - low) or 1)

    def x(value: float) -> str:
        return f"{_BAR_MARGIN + (value - low) * scale:.1f}"

    width = f"{max(2 * error * scale, 2):.1f}"
    return Markup(
        f'<svg class="error-bar" viewBox="0 0 {_BAR_WIDTH} 24" role="img" aria-label="{escape(label)}">'
        f'<path class="zero" d="M{x(0)} 2V22"/>'
        f'<rect class="span" x="{x(expected - error)}" y="8" width="{width}" height="8" rx="4"/>'
        f'<path class="middle" d="M{x(expected)} 6V18"/>'
        f'<path class="mark" d="M{x(actual)} 4l6 8-6 8-6-8Z"/></svg>'
    )


def ticks(low: int, high: int) -> tuple[int, int, int]:
    """Return the axis range in round numbers, and the tick step.

    >>> ticks(3, 97), ticks(-40, 260), ticks(5, 5)
    ((0, 100, 20), (-100, 300, 100), (5, 6, 1))
    """
    span = max(high - low, 1)
    step = next(s * 10**e for e in range(20) for s in _STEPS if span / (s * 10**e) <= _MAX_STEPS)
    bottom, top = low // step * step, -(-high // step) * step
    return bottom, max(top, bottom + step), step


@dataclass(frozen=True, slots=True)
class _Frame:
    """The plot area: maps values to picture coordinates."""

    low: int
    high: int
    count: int
    left: int
    right: float

    def x(self, place: int) -> float:
        return self.left + (self.right - self.left) * place / (self.count - 1)

    def y(self, value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (self.high - value) / (self.high - self.low)


def _grid(frame: _Frame, step: int) -> str:
    rows = []
    for value in range(frame.low, frame.high + 1, step):
        y = frame.y(value)
        name = "zero" if value == 0 else "grid"
        rows.append(f'<path class="{name}" d="M{frame.left} {y:.1f}H{frame.right:.1f}"/>')
        x = frame.left - _AXIS_AT
        rows.append(f'<text class="axis" text-anchor="end" x="{x}" y="{y + 4:.1f}">{_number(value)}</text>')
    return "".join(rows)


def _line(line: Line, frame: _Frame) -> str:
    points = [(frame.x(i), frame.y(value)) for i, value in enumerate(line.values) if value is not None]
    if not points:
        return ""
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    shown = points if len(points) <= _MAX_SIGNS else points[-1:]
    signs = "".join(f'<g transform="translate({x:.1f} {y:.1f})">{_sign(line)}</g>' for x, y in shown)
    return f'<g class="line c{line.colour}"><path class="path" d="{path}"/><g class="signs">{signs}</g></g>'


def _sign(line: Line) -> str:
    return _SIGNS[(line.colour - 1) % len(_SIGNS)]


def _names(lines: Sequence[Line], frame: _Frame) -> str:
    """Draw each line's name at its end, spaced so that the names do not overlap."""
    ends = [(frame.y(value), line, value) for line in lines if (value := _last(line)) is not None]
    ends.sort(key=lambda end: end[0])
    names, free = [], float(_TOP)
    room = HEIGHT - _BOTTOM - _LINES_APART * (len(ends) - 1)
    for i, (y, line, value) in enumerate(ends):
        at = max(min(y, room + _LINES_APART * i), free)
        free = at + _LINES_APART
        text = escape(f"{_isolated(_short(line.name))} {_number(value)}")
        names.append(
            f'<g class="name c{line.colour}" transform="translate({frame.right + 14:.1f} {at:.1f})"><g class="signs">'
            f'{_sign(line)}</g><text x="10" y="4.500">{text}</text></g>'
        )
    return "".join(names)


def _named(line: Line, value: int) -> str:
    return f"{_short(line.name)} {_number(value)}"


def _isolated(name: str) -> str:
    """Isolate a right-to-left name, so that numbers next to it keep their position.

    >>> _isolated("Ann"), len(_isolated("אן"))
    ('Ann', 4)
    """
    is_rtl = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if is_rtl else name


def _last(line: Line) -> int | None:
    return next((value for value in reversed(line.values) if value is not None), None)


def _short(name: str) -> str:
    return name if len(name) <= 10 else f"{name[:9]}…"


def _number(value: int) -> str:
    """Return a localized number with a true minus sign.

    >>> _number(-1200)
    '−1,200'
    """
    return ("−" if value < 0 else "") + number(abs(value))
