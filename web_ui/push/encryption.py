"""Web Push encryption (RFC 8291, aes128gcm) and application server identification (RFC 8292, VAPID)."""

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
"""Record size; messages are limited to one record."""
VALID_S: Final = 12 * 3600
"""Lifetime of a VAPID token; push services accept a day at most."""


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser's raw encryption keys: public key and authentication secret."""

    public: bytes
    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != AUTH_BYTES or len(self.public) != POINT_BYTES:
            raise ValueError(f"a browser has a key of {POINT_BYTES} bytes and a secret of {AUTH_BYTES}")
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, self.public)


def encrypted(message: bytes, to: Browser, salt: bytes = b"", own: ec.EllipticCurvePrivateKey | None = None) -> bytes:
    """Encrypt a message for one browser.

    Args:
        salt, own: random for each message; fixed only in tests.

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
    """Return a public key as an uncompressed point."""
    return key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def vapid_header(key: ec.EllipticCurvePrivateKey, endpoint: str, now: float, contact: str) -> str:
    """Return the VAPID ``Authorization`` header.

    Args:
        contact: abuse contact: a ``mailto:`` or ``https:`` URL.
    """
    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(now) + VALID_S, "sub": contact}
    text = f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}"
    r, s = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return f"vapid t={text}.{to_base64url(signature)}, k={to_base64url(public_point(key))}"


def _json(value: Mapping[str, object]) -> str:
    return to_base64url(json.dumps(value, separators=(",", ":")).encode())


def to_base64url(data: bytes) -> str:
    """Encode as unpadded base64url.

    >>> to_base64url(b"\\xff\\xfe"), from_base64url("__4")
    ('__4', b'\\xff\\xfe')
    """
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """Decode base64url.

    Raises:
        ValueError: malformed.
    """
    if not text.isascii():
        raise ValueError("letters, digits, - and _ alone")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
