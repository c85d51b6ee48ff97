"""Reads pushed messages as a browser does, from the words of RFC 8291 alone."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from web_ui.push.encryption import CURVE, public_point


def opened(body: bytes, key: ec.EllipticCurvePrivateKey, secret: bytes) -> bytes:
    """Read a message as the browser does, from the words of the standard alone."""
    salt, length = body[:16], body[20]
    sender = body[21 : 21 + length]

    def derived(material: bytes, salt: bytes, info: bytes, size: int) -> bytes:
        return HKDF(hashes.SHA256(), size, salt, info).derive(material)

    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
    material = derived(shared, secret, b"WebPush: info\0" + public_point(key) + sender, 32)
    cipher = AESGCM(derived(material, salt, b"Content-Encoding: aes128gcm\0", 16))
    padded = cipher.decrypt(derived(material, salt, b"Content-Encoding: nonce\0", 12), body[21 + length :], None)
    text, end, rest = padded.rpartition(b"\x02")
    assert (end, rest.strip(b"\0")) == (b"\x02", b"")
    return text
