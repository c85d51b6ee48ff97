"""Complete requests and malformed ones."""

import json

import pytest

from web_ui.serving.framing import HEAD_LIMIT, HEADERS_LIMIT, Malformed, RequestReader, refusal

HEAD = b"POST /x HTTP/1.1\r\nHost: table\r\n"


def reader(sent: bytes = b"") -> RequestReader:
    made = RequestReader(body_limit=1000)
    made.feed(sent)
    return made


def test_a_request_is_taken_whole_however_it_is_cut() -> None:
    sent = HEAD + b"Content-Length: 5\r\n\r\nhello"
    for cut in range(len(sent)):
        slow = reader(sent[:cut])
        assert slow.take() is None
        slow.feed(sent[cut:])
        whole = slow.take()
        assert whole is not None
        assert (whole.body, slow.is_begun) == (b"hello", False)


def test_chunks_are_put_together_and_get_a_length() -> None:
    sent = HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: t\r\n\r\nGET"
    for cut in range(len(sent) - 3):
        slow = reader(sent[:cut])
        assert slow.take() is None
        slow.feed(sent[cut:])
        whole = slow.take()
        assert whole is not None
        assert whole.raw == HEAD + b"Content-Length: 5\r\n\r\nhello"
        assert slow.is_begun  # the next request's first bytes


def test_two_requests_in_one_go_are_two() -> None:
    both = reader(b"GET /1 HTTP/1.1\r\nHost: t\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
    first, second = both.take(), both.take()
    assert first is not None
    assert second is not None
    assert (first.head.lines[0], second.head.lines[0]) == (b"GET /1 HTTP/1.1", b"GET /2 HTTP/1.0")
    assert both.take() is None


def test_a_client_that_waits_for_the_word_is_known() -> None:
    waiting = reader(HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert waiting.take() is None
    assert waiting.waits
    waiting.feed(b"ok")
    assert waiting.take() is not None


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"X: y\n\r\n", 400),
        (b"X: y\r\n\n", 400),
        (b"Content-Length: +5\r\n\r\n", 400),
        (b"Content-Length: 5_0\r\n\r\n", 400),
        (b"Content-Length: -1\r\n\r\n", 400),
        (b"Content-Length: 0x5\r\n\r\n", 400),
        (b"Content-Length: 5, 5\r\n\r\n", 400),
        (b"Content-Length:\r\n\r\n", 400),
        (b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"Content-Length: 1001\r\n\r\n", 413),
        (b"Content-Length: 99999999999\r\n\r\n", 400),
        (b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", 400),
        (b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n", 413),
        (b"Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        (b"Transfer-Encoding: chunked\r\n\r\n3\r\nlonger\r\n", 400),
        (b"Transfer-Encoding: chunked\r\n\r\n1" + b"0" * 300, 400),
        (b"Transfer-Encoding: chunked\r\n\r\n" + b"64\r\n" + b"x" * 100 + b"\r\n3E8\r\n", 413),
        (b"Na me: x\r\n\r\n", 400),
        (b"Name : x\r\n\r\n", 400),
        (b"Name: x\r\n folded\r\n\r\n", 400),
        (b"Name: x\x00y\r\n\r\n", 400),
        (b"Name: x\nOther: y\r\n\r\n", 400),
        (b"Host: another\r\n\r\n", 400),
        (b"X: y\r\n" * HEADERS_LIMIT + b"\r\n", 431),
        (b"X: " + b"y" * HEAD_LIMIT, 431),
    ],
)
def test_what_can_be_understood_two_ways_is_refused(sent: bytes, status: int) -> None:
    with pytest.raises(Malformed) as refused:
        reader(HEAD + sent).take()
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no host
        (b"get / HTTP/1.0\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET /a b HTTP/1.0\r\n\r\n", 400),
        (b"GET /?a\x80=1 HTTP/1.0\r\n\r\n", 400),  # an address has nothing but ASCII; the pages trust in that
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
        (b"GET /" + b"a" * HEAD_LIMIT, 414),
    ],
)
def test_a_first_line_has_three_parts(sent: bytes, status: int) -> None:
    with pytest.raises(Malformed) as refused:
        reader(sent).take()
    assert refused.value.status == status


def test_a_table_that_is_busy_says_so_by_its_code() -> None:
    """It tells pages that nothing was done, so that they retry."""
    assert json.loads(refusal(503, "Busy.").partition(b"\r\n\r\n")[2])["code"] == "busy"


def test_a_refusal_is_a_problem_that_ends_the_connection() -> None:
    head, _, body = refusal(413, "Too much.").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"Connection: close" in head
    assert json.loads(body)["code"] == "too-large"
