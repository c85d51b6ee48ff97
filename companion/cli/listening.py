"""Whether the dashboard can listen where it is told to."""

from __future__ import annotations

import socket

from companion.cli import JobFailed


def check_port(host: str, port: int) -> None:
    """Find out at once, before anything is made, whether the dashboard can listen there.

    Raises:
        JobFailed: the port is in use, or not permitted; says how to choose another.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            what = f"The dashboard cannot listen on {host}, port {port}: {error.strerror}."
            raise JobFailed(
                f"{what} Choose another port, such as --port {port + 1 if port < 65535 else 8080}."
            ) from error
