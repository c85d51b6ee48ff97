"""Splits the bytes that a client sends into complete requests. Pure: no sockets, no time.

Strict against request smuggling, where two parsers understand a request differently: exactly one length, no folded
lines, no spaces around header names. Chunked bodies are joined; the result always has a ``Content-Length``.
"""

import json
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

HEAD_LIMIT: Final = 16 * 1024
HEADERS_LIMIT: Final = 100
_CHUNK_LINE_LIMIT: Final = 256
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_FIRST_LINE: Final = re.compile(rb"[A-Z-]{1,20} [!-~]+ HTTP/1\.[01]")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_LENGTH: Final = re.compile(rb"[0-9]{1,10}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\x00-\x1f]*)?")
_CODES: Final = {
    408: "too-slow",
    413: "too-large",
    414: "too-large",
    429: "too-many-requests",
    431: "too-large",
    503: "busy",
}


class Malformed(Exception):
    """The client's data is not a valid request; ``status`` is the response before closing the connection."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class Head:
    """A request's first line and headers, without those for the framing of the body."""

    lines: tuple[bytes, ...]
    length: int | None
    "Length of the body; None for chunks."
    waits: bool
    "Whether the client sends its body only after `100 Continue`."

    def value(self, name: bytes) -> bytes | None:
        """Return a header's value, None where it is missing."""
        start = name.lower() + b":"
        return next(
            (line.partition(b":")[2].strip() for line in self.lines[1:] if line.lower().startswith(start)), None
        )


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """A complete request."""

    head: Head
    body: bytes

    @property
    def raw(self) -> bytes:
        """The complete request as bytes, with its ``Content-Length``."""
        length = b"Content-Length: %d" % len(self.body)
        sent_body = self.body or self.head.length is None or self.head.length == 0
        lines = (*self.head.lines, length) if sent_body else self.head.lines
        return b"\r\n".join((*lines, b"", b"")) + self.body


class RequestReader:
    """The received bytes of one connection that do not form a complete request yet.

    >>> reader = RequestReader(body_limit=10)
    >>> reader.feed(b"GET / HTTP/1.1\\r\\nHo")
    >>> reader.take()
    >>> reader.feed(b"st: here\\r\\n\\r\\n")
    >>> reader.take().head.value(b"host")
    b'here'
    """

    def __init__(self, body_limit: int) -> None:
        self.body_limit = body_limit
        "Maximum length of a body; may be changed between requests."
        self._buffer = bytearray()
        self._looked = 0
        self._head: Head | None = None
        self._chunks = bytearray()

    @property
    def is_begun(self) -> bool:
        """Whether part of a request has been received."""
        return bool(self._buffer) or self._head is not None

    @property
    def waits(self) -> bool:
        """Whether the client waits for `100 Continue`."""
        return self._head is not None and self._head.waits and not self._buffer

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._buffer += data

    def take(self) -> WholeRequest | None:
        """Return the next complete request, or None while part of it is missing.

        Raises:
            Malformed: the data is not a valid request.
        """
        if self._head is None:
            self._head = self._take_head()
        if self._head is None:
            return None
        body = self._take_chunks() if self._head.length is None else self._take_length(self._head.length)
        if body is None:
            return None
        whole, self._head = WholeRequest(self._head, body), None
        return whole

    def _take_head(self) -> Head | None:
        while self._buffer.startswith(b"\r\n"):  # old clients send a blank line after a form
            del self._buffer[:2]
        found = _HEAD_END.search(self._buffer, max(0, self._looked - 3))
        self._looked = len(self._buffer)
        if (found.end() if found else len(self._buffer)) > HEAD_LIMIT:
            if b"\n" not in self._buffer[:HEAD_LIMIT]:
                raise Malformed(414, "The address is too long.")
            raise Malformed(431, "The request's headers are too long.")
        if found is None:
            return None
        if found[0] != b"\r\n\r\n":
            raise Malformed(400, "A line of the request's head ends otherwise than it should.")
        lines = bytes(self._buffer[: found.start()]).split(b"\r\n")
        del self._buffer[: found.end()]
        self._looked = 0
        return _head(lines, self.body_limit)

    def _take_length(self, length: int) -> bytes | None:
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return body

    def _take_chunks(self) -> bytes | None:
        """Consume complete chunks; return the body after the last chunk and the trailer, which is ignored."""
        while (line := self._chunk_line()) is not None:
            if (size := _CHUNK_SIZE.fullmatch(line)) is None:
                raise Malformed(400, "A chunk's size is wrong.")
            length, start = int(size[1], 16), len(line) + 2
            if len(self._chunks) + length > self.body_limit:
                raise Malformed(413, "That is more than this table reads at once. Send less.")
            if length == 0:
                return self._take_trailer(start)
            if len(self._buffer) < start + length + 2:
                return None
            if self._buffer[start + length : start + length + 2] != b"\r\n":
                raise Malformed(400, "A chunk is longer than it says.")
            self._chunks += self._buffer[start : start + length]
            del self._buffer[: start + length + 2]
        return None

    def _chunk_line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if (end if end >= 0 else len(self._buffer)) > _CHUNK_LINE_LIMIT:
            raise Malformed(400, "A chunk's size is wrong.")
        return bytes(self._buffer[:end]) if end >= 0 else None

    def _take_trailer(self, start: int) -> bytes | None:
        if self._buffer[start : start + 2] == b"\r\n":
            end = start + 2
        elif (found := self._buffer.find(b"\r\n\r\n", start)) >= 0:
            end = found + 4
        elif len(self._buffer) - start > HEAD_LIMIT:
            raise Malformed(431, "The request's trailer is too long.")
        else:
            return None
        body = bytes(self._chunks)
        self._chunks.clear()
        del self._buffer[:end]
        return body


def _head(lines: list[bytes], body_limit: int) -> Head:
    if not _FIRST_LINE.fullmatch(lines[0]):
        raise Malformed(400, "The request's first line is malformed.")
    if len(lines) > HEADERS_LIMIT:
        raise Malformed(431, "The request has too many headers.")
    kept, lengths, codings, waits, hosts = [lines[0]], [], [], False, 0
    for line in lines[1:]:
        header = _HEADER.fullmatch(line)
        if header is None:
            raise Malformed(400, "One of the request's headers is malformed.")
        name, value = header[1].lower(), header[2]
        if name == b"content-length":
            lengths.append(value)
        elif name == b"transfer-encoding":
            codings.append(value)
        elif name == b"expect":
            waits = value.lower() == b"100-continue"
        else:
            kept.append(line)
            hosts += name == b"host"
    if hosts > 1 or (not hosts and lines[0].endswith(b"1.1")):
        raise Malformed(400, "A request names its host once.")
    return Head(tuple(kept), _length(lengths, codings, body_limit), waits)


def _length(lengths: list[bytes], codings: list[bytes], body_limit: int) -> int | None:
    """Return the length of the body; None for chunks.

    Raises:
        Malformed: more than one length, an invalid one, or one above the limit.
    """
    if len(lengths) + len(codings) > 1:
        raise Malformed(400, "The length of the request's body is told twice.")
    if codings:
        if codings[0].lower() != b"chunked":
            raise Malformed(501, "Of the transfer codings only chunked is known here.")
        return None
    if not lengths:
        return 0
    if not _LENGTH.fullmatch(lengths[0]):
        raise Malformed(400, "Content-Length is a whole number.")
    if int(lengths[0]) > body_limit:
        raise Malformed(413, "That is more than this table reads at once. Send less.")
    return int(lengths[0])


def refusal(status: int, message: str) -> bytes:
    """Return an error response as bytes; the connection is closed after it."""
    title = HTTPStatus(status).phrase
    problem = {"type": "about:blank", "title": title, "status": status, "detail": message}
    body = json.dumps(problem | {"code": _CODES.get(status, "bad-request"), "message": message}).encode()
    head = (
        f"HTTP/1.1 {status} {title}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
