"""Webhook signatures after Standard Webhooks, HMAC-SHA256.

https://www.standardwebhooks.com has libraries that verify these headers.
"""

import base64
import binascii
import hashlib
import hmac
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError

PREFIX: Final = "whsec_"
MIN_BYTES, MAX_BYTES = 24, 64


class SecretUnusable(CompanionError):
    """A webhook's secret is missing or invalid."""


def read_secret(file: str) -> bytes:
    """Return the secret in a file.

    Raises:
        SecretUnusable: the file is unreadable or holds no valid secret.
    """
    try:
        text = Path(file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise SecretUnusable.saying(
            "The webhook's secret {file} cannot be read: {why}. Correct secret_file in [[webhooks]].",
            file=file,
            why=why or str(error),
        ) from error
    try:
        secret = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not text.startswith(PREFIX) or not MIN_BYTES <= len(secret) <= MAX_BYTES:
        raise SecretUnusable.saying(
            "{file} holds no secret for a webhook. Make one: {command}",
            file=file,
            command="(printf whsec_; openssl rand -base64 32) > FILE",
        )
    return secret


def signed(secret: bytes, name: str, at: int, body: bytes) -> dict[str, str]:
    """Return the ID, timestamp and signature headers for a body.

    Args:
        name: the event's ID, the same at each attempt, so that the receiver can discard duplicates.
        at: Unix time of this attempt, seconds.

    >>> secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    >>> signed(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')["webhook-signature"]
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    mac = hmac.new(secret, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": name,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }
