"""Messages for one browser alone (RFC 8291, aes128gcm), and proof that they are this table's (RFC 8292, VAPID)."""

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CURVE: Final = ec.SECP256R1()
POINT_BYTES: Final = 65
AUTH_BYTES: Final = 16
SALT_BYTES: Final = 16
RECORD_BYTES: Final = 4096
"""The one record of a message; a longer message is none of ours."""
VALID_S: Final = 12 * 3600
"""So long a proof holds; a service takes a day at most."""


@dataclass(frozen=True, slots=True)
class Browser:
    """The keys by which a browser reads what is sent to it: its public key and its secret, raw."""

    public: bytes
    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != AUTH_BYTES or len(self.public) != POINT_BYTES:
            raise ValueError(f"a browser has a key of {POINT_BYTES} bytes and a secret of {AUTH_BYTES}")
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, self.public)


def sealed(message: bytes, to: Browser, salt: bytes = b"", own: ec.EllipticCurvePrivateKey | None = None) -> bytes:
    """Return a message that only one browser can read.

    Args:
        salt, own: made up for every message, except in tests.

    Raises:
        ValueError: the message is too long.
    """
    if len(message) > RECORD_BYTES - POINT_BYTES - 64:
        raise ValueError(f"a message has at most {RECORD_BYTES - POINT_BYTES - 64} bytes, not {len(message)}")
    salt, own = salt or os.urandom(SALT_BYTES), own or ec.generate_private_key(CURVE)
    point = public_point(own)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, to.public))
    key_material = _derived(shared, to.secret, b"WebPush: info\0" + to.public + point, 32)
    key = _derived(key_material, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(key_material, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(point)]) + point
    return head + AESGCM(key).encrypt(nonce, message + b"\x02", None)


def _derived(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(material)


def public_point(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a key's public half as browsers take it."""
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def proof(key: ec.EllipticCurvePrivateKey, endpoint: str, now: float, contact: str) -> str:
    """Return the header ``Authorization`` that shows a push service whose message it is.

    Args:
        contact: whom its owner writes to about misuse: a ``mailto:`` or an address on the web.
    """
    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(now) + VALID_S, "sub": contact}
    text = f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}"
    r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return f"vapid t={text}.{as_text(signature)}, k={as_text(public_point(key))}"


def _json(value: Mapping[str, object]) -> str:
    return as_text(json.dumps(value, separators=(",", ":")).encode())


def as_text(data: bytes) -> str:
    """Return bytes as browsers write them in an address.

    >>> as_text(b"\\xff\\xfe"), as_bytes("__4")
    ('__4', b'\\xff\\xfe')
    """
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def as_bytes(text: str) -> bytes:
    """Return the bytes of such a text.

    Raises:
        ValueError: it is none.
    """
    if not text.isascii():
        raise ValueError("letters, digits, - and _ alone")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
