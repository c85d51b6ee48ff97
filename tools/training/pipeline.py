"""From nothing to the files beside each other: render, train both networks, export, calibrate, write the model card."""

import copy
import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.kernel.errors import CompanionError
from companion.vision.dice.faces.classifier import Classifier, ModelCard
from companion.vision.dice.faces.predictions import Calibration
from tools.training.calibrate import (
    READ_KINDS,
    SamplePredictions,
    Thresholds,
    checksums,
    fit_lean_threshold,
    fit_temperatures,
    fit_thresholds,
    fit_trust,
    predict_all,
    sample_predictions,
)
from tools.training.card import model_card
from tools.training.enrolled_dice import (
    DiePictures,
    enrolled_dice,
    fit_enrolled_trust,
    score_enrolled,
    thrown,
    without_neighbors,
)
from tools.training.report import OFF_AXIS, montage, score, score_off_axis, score_unanswerable, wrong_answers
from tools.training.samples.dataset import VERSION, Samples, load_shards, make_shards
from tools.training.samples.fonts import Split, find_fonts

Report = Callable[[str, int, int], None]
NETWORKS: Final = ("dice", "number")
OWN_DICE: Final = 60
"""Dice rendered face by face to learn what tells faces apart, and two thirds as many to measure enrolled ones."""
CALIBRATION_SEED: Final = 3_000_003
"""Held-out samples that thresholds are fitted on; the figures of the model card come from another seed."""
REPORT_SEED: Final = 5_000_003


class NoTorch(CompanionError):
    """PyTorch is not installed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train.

    Attributes:
        out: folder of dice.onnx, number.onnx, dice.json and MODEL_CARD.md.
        data_dir: folder of the rendered samples; kept, and taken up again.
        minutes: of training proper, shared by the networks that learn.
        shards, held_shards: thousands of samples to train from, and for each of the two held-out sets.
        start: folder of an earlier run's weights to continue from, with their history beside them; or of finished
            networks, whose history is in their ``dice.json``.
        device: where to train and to cast rays. processes: that paint meanwhile.
        room: samples that are kept at hand; new ones push out the oldest.
        bank: dice of the ray caster's bank, 0 to do without it. rays: share of the time that it may take.
        first: samples to begin with.
        batch: samples of one step; 0 for what suits the device.
        traced: path-traced pictures to learn from as well; see `tools.training.traced`.
        learn: the networks to train, in turn; one alone gets all the minutes.
        earlier_share: what part of each weight `finish` takes from `start` instead of from what was trained.
    """

    out: Path
    data_dir: Path
    minutes: float = 60.0
    seed: int = 1
    shards: int = 70
    held_shards: int = 5
    threads: int = 1
    start: Path | None = None
    device: str = "cpu"
    processes: int = 2
    room: int = 30_000
    bank: int = 0
    rays: float = 0.0
    first: int = 1024
    batch: int = 0
    traced: tuple[Path, ...] = ()
    learn: tuple[str, ...] = NETWORKS
    earlier_share: float = 0.0

    def weights(self, name: str) -> Path:
        """Where a network's weights are kept while training; their history lies beside them as ``.json``."""
        return self.data_dir / f"{name}-{self.seed}.pt"

    def earlier(self, name: str) -> Path | None:
        """The initial weights of one network."""
        if self.start is None:
            return None
        each = self.start / f"{name}-{self.seed}.pt", self.start / f"{name}.onnx"
        return next((path for path in each if path.exists()), None)


def need_torch() -> None:
    """Raise `NoTorch` unless PyTorch and ONNX can be imported."""
    missing = [name for name in ("torch", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        raise NoTorch(
            f"Training needs {' and '.join(missing)}, which this machine has not. "
            'Install the extra with `pip install "table-companion[train]"`, and try again.'
        )


def train(plan: Plan, report: Report) -> None:
    """Train the networks and keep their weights; `finish` makes the program's files of them.

    Raises:
        NoTorch: PyTorch is missing.
        TooFewFonts: too few fonts to make dice from.
    """
    need_torch()
    import torch

    from tools.training.export import export
    from tools.training.fit import fit
    from tools.training.pool import Pool
    from tools.training.sources import Sources
    from tools.training.tasks import TASKS

    torch.set_num_threads(plan.threads)
    plan.out.mkdir(parents=True, exist_ok=True)
    pool = Pool(plan.room, torch.device(plan.device))
    sources = Sources(pool, plan.data_dir, seed=plan.seed, shards=plan.shards, bank=plan.bank, rays=plan.rays,
                      processes=plan.processes, traced=plan.traced)  # fmt: skip
    seen: dict[str, int] = {}

    def told(name: str, progress: Any) -> None:
        seen[name] = progress.seen
        dice = f"{sources.painted} painted, {sources.cast} cast and {sources.traced} traced"
        text = f"Training {name}, {progress.right:.1%} right, loss {progress.loss:.3f}, {progress.seen} seen, {dice}"
        report(text, round(1000 * progress.done), 1000)

    try:
        sources.wait(plan.first, lambda d, n: report("Rendering", d, n))
        models = fit({name: TASKS[name]() for name in plan.learn}, pool, minutes=plan.minutes, seed=plan.seed,
            threads=plan.threads, batch=plan.batch, start={name: plan.earlier(name) for name in plan.learn},
            keep={name: plan.weights(name) for name in plan.learn}, feed=sources.feed, report=told)  # fmt: skip
    finally:
        sources.close()
    pool.save_some(plan.data_dir / "samples.npz", 48)
    for name in plan.learn:
        export(models[name], plan.out / f"{name}.onnx")  # as yet without the fingerprint, which `finish` fits
        history = history_of(plan.earlier(name), name)
        history.append({
            "recipe": VERSION, "seed": plan.seed, "dice": sources.painted, "ray-cast dice": sources.cast,
            "path-traced dice": sources.traced, "minutes": plan.minutes, "seen": seen[name], "device": plan.device,
        })  # fmt: skip
        plan.weights(name).with_suffix(".json").write_text(json.dumps(history, indent=1) + "\n")


def finish(plan: Plan, report: Report) -> dict[str, Any]:
    """From trained weights to the program's files: fit the fingerprint, export, calibrate; return dice.json."""
    need_torch()
    from tools.training.export import export
    from tools.training.fit import average_weights, fit_embedding, load_weights
    from tools.training.network import DiceNet, NumberNet

    plan.out.mkdir(parents=True, exist_ok=True)
    dice, number = DiceNet(), NumberNet()
    for name, model in (("dice", dice), ("number", number)):
        load_weights(model, plan.weights(name))
        if (earlier := plan.earlier(name)) is not None and plan.earlier_share:
            before = copy.deepcopy(model)
            load_weights(before, earlier)
            average_weights(model, before, plan.earlier_share)
            _note(plan.weights(name), f"{plan.earlier_share:.0%} of each weight is that of the go before")
        model.eval()
    fit_embedding(number, _own(plan.seed, "train", OWN_DICE), lambda n: report("Telling faces apart", n, OWN_DICE))
    export(dice, plan.out / "dice.onnx")
    export(number, plan.out / "number.onnx")
    return calibrated(plan, report)


def history_of(weights: Path | None, name: str) -> list[dict[str, Any]]:
    """Return how a network's weights were made, go by go; nothing is known of weights without a history beside them."""
    if weights is None:
        return []
    if weights.suffix == ".onnx":
        card = weights.with_name("dice.json")
        return list(json.loads(card.read_text())["training"][name]) if card.exists() else []
    path = weights.with_suffix(".json")
    return list(json.loads(path.read_text())) if path.exists() else []


def _note(weights: Path, note: str) -> None:
    """Add a remark on the latest go to the history of these weights."""
    history = history_of(weights, "")
    if history:
        history[-1]["note"] = note
        weights.with_suffix(".json").write_text(json.dumps(history, indent=1) + "\n")


def calibrated(plan: Plan, report: Report) -> dict[str, Any]:
    """Fit the abstain rule of exported networks on held-out samples, and write dice.json and the card beside them."""
    files = (plan.out / "dice.onnx").read_bytes(), (plan.out / "number.onnx").read_bytes()
    calibration, rules = _fitted(Classifier(*files, {}), _held(plan, CALIBRATION_SEED, report), report)
    honest: ModelCard = {"temperature": dict(calibration.temperature), "trust": list(calibration.trust)}
    classifier = Classifier(*files, honest)
    fresh = _held(plan, REPORT_SEED, report)
    held = OWN_DICE * 2 // 3
    known = thrown(_own(CALIBRATION_SEED, "held", held), classifier, lambda n: report("Enrolling dice", n, held))
    plainly, trust = fit_enrolled_trust(without_neighbors(known)), fit_enrolled_trust(known)
    own = score_enrolled(thrown(_own(REPORT_SEED, "held", held), classifier), trust)
    predictions, labels = predict_all(classifier, fresh, report=lambda d, n: report("Measuring", d, n))
    chances = sample_predictions(predictions, labels, calibration)
    aslant = predict_all(classifier, fresh, knows_axis=False)
    card: dict[str, Any] = {
        "recipe": VERSION,
        "training": {name: history_of(plan.weights(name), name) for name in NETWORKS},
        **honest,
        "enrolled": asdict(plainly),
        "enrolled_closely": asdict(trust),
        "thresholds": {kind: {"face": rule.face, "kind": rule.kind} for kind, rule in rules.items()},
        "most_lean": rules["d20"].lean,
        "held_out": {
            **figures(chances, rules),
            OFF_AXIS: asdict(score_off_axis(sample_predictions(*aslant, calibration), rules)),
            "d20, enrolled": asdict(own),
        },
        "checksums": checksums(classifier),
    }
    (plan.out / "dice.json").write_text(json.dumps(card, indent=1) + "\n")
    (plan.out / "MODEL_CARD.md").write_text(model_card(card, chances, rules))
    cv2.imwrite(str(plan.data_dir / "wrong.png"), montage(fresh, wrong_answers(chances, rules)))
    return card


def _own(seed: int, split: Split, count: int) -> Iterator[DiePictures]:
    return enrolled_dice(count, np.random.default_rng([seed, 7]), find_fonts(), split)


def _held(plan: Plan, seed: int, report: Report) -> tuple[Samples, ...]:
    def show(done: int, total: int) -> None:
        report("Rendering held-out dice", done, total)

    return load_shards(make_shards(plan.data_dir, "held", seed, plan.held_shards, processes=2, report=show))


def _fitted(
    classifier: Classifier, shards: Sequence[Samples], report: Report
) -> tuple[Calibration, dict[str, Thresholds]]:
    predictions, labels = predict_all(classifier, shards, report=lambda d, n: report("Calibrating", d, n))
    warmth = fit_temperatures(predictions, labels)
    calibration = Calibration(warmth, fit_trust(predictions, labels, warmth), {}, {})
    chances = sample_predictions(predictions, labels, calibration)
    lean = fit_lean_threshold(chances)
    return calibration, {kind: fit_thresholds(chances, kind, lean=lean) for kind in READ_KINDS}


def figures(chances: SamplePredictions, rules: Mapping[str, Thresholds]) -> dict[str, dict[str, int]]:
    """Return counts for dice.json: by kind, and what must never be answered."""
    kinds = {kind: score(chances, kind, rules[kind]) for kind in READ_KINDS}
    return {name: asdict(each) for name, each in {**kinds, **score_unanswerable(chances, rules)}.items()}
