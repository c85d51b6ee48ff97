"""Measures the duration of the dealer's commands while other clients send slowly, against a real process.

    python tests/bench/bench_slow_sockets.py [--commands 200]

Each command uses a new connection, as from a program with the PIN: first without an attack, then during 16 connections
that send a byte at a time, 200 silent half requests, 30 slow bodies without a PIN, and all of these at once.
"""

import argparse
import http.client
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

from served import served
from slow_clients import half_requests, slow_bodies, slow_bytes

PIN = "4711"
ATTACKS = {
    "nobody else": (),
    "16 slow-byte connections": ((slow_bytes, 16),),
    "200 silent half requests": ((half_requests, 200),),
    "30 slow bodies": ((slow_bodies, 30),),
    "all of them": ((slow_bytes, 16), (half_requests, 200), (slow_bodies, 30)),
}


def command(host: str, port: int, amount: int) -> float:
    """Bet, and return the seconds until the answer; infinity if it fails."""
    began = time.perf_counter()
    connection = http.client.HTTPConnection(host, port, timeout=20)
    record = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": amount}
    try:
        connection.request(
            "POST",
            "/api/v1/commands",
            json.dumps(record),
            {"Content-Type": "application/json", "Authorization": f"Bearer {PIN}"},
        )
        status = connection.getresponse().status
    except OSError:
        return float("inf")
    finally:
        connection.close()
    return time.perf_counter() - began if status in (200, 409) else float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = f"{folder}/companion.toml"
        with open(config, "w", encoding="utf-8") as file:
            file.write('[table]\ngame = "roche"\n[[players]]\nname = "Aubrey"\ncoins = 100000\n')
        argv = ("--camera", "9", "--data", folder, "--config", config)
        with served(argv, PIN) as (_, url):
            host, port = urlsplit(url).hostname or "", urlsplit(url).port or 0
            command(host, port, 1)
            print(f"{'ms':<30}{'p50':>9}{'p99':>9}{'worst':>9}{'failed':>9}")
            for name, attacks in ATTACKS.items():
                with ExitStack() as stack:
                    for attack, count in attacks:
                        stack.enter_context(attack(host, port, count))
                    took = sorted(command(host, port, 1) for _ in range(options.commands))
                cuts = (took[len(took) // 2], took[int(len(took) * 0.99) - 1], took[-1])
                failed = took.count(float("inf"))
                print(f"{name:<30}" + "".join(f"{1000 * s:>9.1f}" for s in cuts) + f"{failed:>9}")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
