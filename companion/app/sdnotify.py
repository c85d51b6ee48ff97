"""Status notifications to systemd; does nothing where systemd is absent."""

import os
import socket


def sd_notify(text: str) -> bool:
    """Send a line such as ``READY=1`` to the service manager; return whether it was sent."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        try:
            channel.sendto(text.encode(), f"\0{address[1:]}" if address.startswith("@") else address)
        except OSError:  # systemd is shutting down, or the socket is stale: ignore
            return False
    return True
