"""The example of RFC 8291, and proofs that a push service accepts."""

import json
import os

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from push_reader import opened

from web_ui.push.encryption import CURVE, Browser, encrypted, from_base64url, public_point, to_base64url, vapid_header

# RFC 8291, section 5 and appendix A
TEXT = b"When I grow up, I want to be a watermelon"
BROWSER = Browser(
    from_base64url("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    from_base64url("BTBZMqHH6r4Tts7J_aSIgg"),
)
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SEALED = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y"
    "l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_standards_own_example_comes_out_byte_by_byte() -> None:
    own = ec.derive_private_key(int.from_bytes(from_base64url(SENDER), "big"), CURVE)
    assert to_base64url(encrypted(TEXT, BROWSER, from_base64url(SALT), own)) == SEALED


def test_only_the_browser_can_read_a_message_and_no_two_are_the_same() -> None:
    key, secret = ec.generate_private_key(CURVE), os.urandom(16)
    to = Browser(public_point(key), secret)
    one, other = encrypted(b"It is your turn", to), encrypted(b"It is your turn", to)
    assert one != other
    assert opened(one, key, secret) == opened(other, key, secret) == b"It is your turn"
    with pytest.raises(InvalidTag):
        opened(one, ec.generate_private_key(CURVE), secret)
    with pytest.raises(InvalidTag):
        opened(one, key, os.urandom(16))


def test_a_message_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="at most"):
        encrypted(b"x" * 4000, BROWSER)


@pytest.mark.parametrize(("public", "secret"), [(b"\4" * 65, b"x" * 16), (b"", b"x" * 16), (BROWSER.public, b"short")])
def test_a_browsers_keys_are_checked(public: bytes, secret: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the library's words, or ours)
        Browser(public, secret)


def test_a_proof_is_signed_for_one_service_and_some_hours() -> None:
    key = ec.generate_private_key(CURVE)
    head = vapid_header(key, "https://push.example.org/v2/secret", 1_800_000_000.7, "mailto:a@b.example")
    told, _, shown = head.removeprefix("vapid t=").partition(", k=")
    assert from_base64url(shown) == public_point(key)
    first, claims, signature = told.split(".")
    assert json.loads(from_base64url(first)) == {"typ": "JWT", "alg": "ES256"}
    assert json.loads(from_base64url(claims)) == {
        "aud": "https://push.example.org", "exp": 1_800_043_200, "sub": "mailto:a@b.example",
    }  # fmt: skip
    raw = from_base64url(signature)
    pair = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.public_key().verify(pair, f"{first}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
