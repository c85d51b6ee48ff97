"""Prometheus metrics, in their own registry."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from companion.journal.history.settlements import sums_by_kind
from companion.kernel.accounts import Kind
from companion.service.snapshot import RoomView
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from companion.app.game_rig import GameRig

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class TableNumbers(Collector):
    """Metrics of table and camera, collected on each scrape."""

    def __init__(self, service: TableService, watch: GameRig | None, streams: Callable[[], int]) -> None:
        self._service, self._watch, self._streams = service, watch, streams

    def collect(self) -> Iterable[Metric]:
        view = self._service.view("room")
        yield _gauge("companion_table_seq", "Number of the latest journal entry.", view.get("seq", 0))
        yield _gauge("companion_table_rounds", "Rounds decided.", view.get("rounds", 0))
        yield _gauge("companion_table_staked_coins", "Coins on undecided bets.", view.get("staked", 0))
        yield _gauge("companion_table_house_coins", "The bank's net gain.", view.get("house", 0))
        yield _by_kind(sums_by_kind(self._service.ledger))
        total = self._service.ledger.total
        yield _gauge("companion_ledger_sum_coins", "Coins of all accounts together: 0, or coins were lost.", total)
        yield _gauge("companion_table_players", "Players at the table.", len(view.get("players", ())))
        yield _gauge("companion_table_on_hold", "1 while the table is on hold.", int(view.get("hold") is not None))
        yield _gauge("companion_camera_ok", "1 while the camera delivers.", int(_camera(view) == "ok"))
        yield _gauge("companion_streams", "Connected event streams.", self._streams())
        for name, value in (self._watch.stats() if self._watch else {}).items():
            if isinstance(value, int | float):
                yield _gauge(f"companion_watch_{name}", "The camera watch's own number.", value)


def _camera(view: RoomView) -> str:
    return view["camera"]["status"] if "camera" in view else "none"


def _gauge(name: str, says: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, says, value=float(value))


def _by_kind(sums: Mapping[Kind, int]) -> GaugeMetricFamily:
    """Return the metric with the balances summed by kind of account."""
    metric = GaugeMetricFamily("companion_ledger_coins", "Coins of all accounts of a kind.", labels=["kind"])
    for kind, coins in sums.items():
        metric.add_metric([kind.value], coins)
    return metric


def register_metrics(app: Flask, numbers: TableNumbers) -> None:
    """Count and time all requests, and serve ``/metrics``."""
    registry = CollectorRegistry()
    registry.register(numbers)
    served = Counter("companion_http_requests", "Requests served.", ["endpoint", "status"], registry=registry)
    seconds = Histogram("companion_http_seconds", "Time to answer.", ["endpoint"], registry=registry, buckets=_BUCKETS)

    @app.before_request
    def started() -> None:
        g.started = time.perf_counter()

    @app.after_request
    def finished(response: Response) -> Response:
        endpoint = request.endpoint or "none"
        served.labels(endpoint, response.status_code).inc()
        if not response.is_streamed:
            seconds.labels(endpoint).observe(time.perf_counter() - g.get("started", time.perf_counter()))
        return response

    @app.get("/metrics")
    def metrics() -> Response:
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
