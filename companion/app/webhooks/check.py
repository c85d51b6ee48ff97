"""The webhook check of ``companion doctor``: secret, URL, and the receiver's response."""

from secrets import token_hex

from companion.app.integrations.public_events import PublicEventJson
from companion.app.webhooks.delivery import deliver, host_of
from companion.app.webhooks.signing import read_secret
from companion.config.integrations import WebhookConfig
from companion.journal.hash_chain import iso
from companion.journal.store import utc_now


def check_webhook(config: WebhookConfig, table: str) -> str:
    """Send a signed event of the type ``test``; return the findings.

    Raises:
        SecretUnusable: the secret is missing or invalid.
        Undelivered: the receiver did not accept the event.
    """
    test: PublicEventJson = {
        "type": "test", "timestamp": iso(utc_now()), "id": f"msg_{token_hex(12)}", "data": {"table": table},
    }  # fmt: skip
    deliver(config.url, read_secret(config.secret_file), test)
    return f"{host_of(config.url)} accepts events"
