"""From nothing to the three files beside each other: render, train, export, calibrate, write the model card."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import cv2

from companion.errors import CompanionError
from companion.training.calibrate import (
    READ,
    TURNS_DEG,
    Chances,
    Network,
    Rule,
    averaged,
    best_rule,
    checksums,
    look_at,
    temperatures,
)
from companion.training.card import model_card
from companion.training.report import montage, never_to_answer, score, wrong_ones
from companion.training.shards import SHARD, VERSION, Samples, load_shards, make_shards

Tell = Callable[[str, int, int], None]
CALIBRATION_SEED: Final = 1_000_003
"""Held-out samples that thresholds are fitted on; the figures of the model card come from another seed."""
REPORT_SEED: Final = 2_000_003


class NoTorch(CompanionError):
    """PyTorch is not installed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train.

    Attributes:
        out: folder of dice.onnx, dice.json and MODEL_CARD.md.
        data_dir: folder of the rendered samples; kept, and taken up again.
        minutes: of training proper.
        shards, held_shards: thousands of samples to train from, and for each of the two held-out sets.
        start: weights to go on from (a ``.pt`` of an earlier run; its history lies beside it).
    """

    out: Path
    data_dir: Path
    minutes: float = 60.0
    seed: int = 1
    shards: int = 50
    held_shards: int = 8
    threads: int = 1
    start: Path | None = None

    @property
    def weights(self) -> Path:
        """Where the weights are kept while training; the model card's history of them lies beside it as ``.json``."""
        return self.data_dir / f"dice-{self.seed}.pt"


def need_torch() -> None:
    """Raise `NoTorch` unless PyTorch and ONNX can be imported."""
    missing = [name for name in ("torch", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        raise NoTorch(
            f"Training needs {' and '.join(missing)}, which this machine has not. "
            'Install the extra with `pip install "table-companion[train]"`, and try again.'
        )


def train(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Carry out the plan; return what went into dice.json.

    Raises:
        NoTorch: PyTorch is missing.
        TooFewFonts: too few fonts to make dice from.
    """
    need_torch()
    from companion.training.export import export
    from companion.training.fit import fit

    paths = make_shards(
        plan.data_dir, "train", plan.seed, plan.shards, processes=2, tell=lambda d, n: tell("Rendering", d, n)
    )
    plan.out.mkdir(parents=True, exist_ok=True)
    history = history_of(plan.start)
    seen = 0

    def told(progress: Any) -> None:
        nonlocal seen
        seen = progress.seen
        tell(f"Training, {progress.right:.1%} right", round(1000 * progress.done), 1000)

    model = fit(
        load_shards(paths), minutes=plan.minutes, seed=plan.seed, threads=plan.threads, start=plan.start,
        keep=plan.weights, tell=told,
    )  # fmt: skip
    export(model, plan.out / "dice.onnx")
    history.append(
        {"recipe": VERSION, "seed": plan.seed, "dice": len(paths) * SHARD, "minutes": plan.minutes, "seen": seen}
    )
    plan.weights.with_suffix(".json").write_text(json.dumps(history, indent=1) + "\n")
    return calibrated(plan, tell)


def history_of(weights: Path | None) -> list[dict[str, Any]]:
    """Return how weights were made, go by go; nothing is known of weights without a history beside them."""
    path = weights.with_suffix(".json") if weights is not None else None
    if path is None or not path.exists():
        return []
    return list(json.loads(path.read_text()))


def calibrated(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Fit the abstain rule of an exported network on held-out samples, and write dice.json and the card beside it."""
    network = Network(plan.out / "dice.onnx")
    warmth, rules = _fitted(network, _held(plan, CALIBRATION_SEED, tell), tell)
    fresh = _held(plan, REPORT_SEED, tell)
    looks, labels = look_at(network, fresh, tell=lambda d, n: tell("Measuring", d, n))
    chances = averaged(looks, labels, warmth)
    card = {
        "recipe": VERSION,
        "training": history_of(plan.weights),
        "turns_deg": list(TURNS_DEG),
        "temperature": warmth,
        "thresholds": {kind: asdict(rule) for kind, rule in rules.items()},
        "held_out": figures(chances, rules),
        "checksums": checksums(network),
    }
    (plan.out / "dice.json").write_text(json.dumps(card, indent=1) + "\n")
    (plan.out / "MODEL_CARD.md").write_text(model_card(card, chances, rules))
    cv2.imwrite(str(plan.data_dir / "wrong.png"), montage(fresh, wrong_ones(chances, rules)))
    return card


def _held(plan: Plan, seed: int, tell: Tell) -> tuple[Samples, ...]:
    def show(done: int, total: int) -> None:
        tell("Rendering held-out dice", done, total)

    return load_shards(make_shards(plan.data_dir, "held", seed, plan.held_shards, processes=2, tell=show))


def _fitted(network: Network, shards: Sequence[Samples], tell: Tell) -> tuple[dict[str, float], dict[str, Rule]]:
    looks, labels = look_at(network, shards, tell=lambda d, n: tell("Calibrating", d, n))
    warmth = temperatures(looks, labels)
    chances = averaged(looks, labels, warmth)
    return warmth, {kind: best_rule(chances, kind) for kind in READ}


def figures(chances: Chances, rules: Mapping[str, Rule]) -> dict[str, dict[str, int]]:
    """Return counts for dice.json: by kind, and what must never be answered."""
    kinds = {kind: score(chances, kind, rules[kind]) for kind in READ}
    return {name: asdict(each) for name, each in {**kinds, **never_to_answer(chances, rules)}.items()}
