"""Renders samples, trains, exports and calibrates the two face networks, and writes dice.json and the model card."""

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
    read_enrolled,
    score_enrolled,
    without_neighbors,
)
from tools.training.report import OFF_AXIS, montage, score, score_off_axis, score_unanswerable, wrong_answers
from tools.training.samples.dataset import VERSION, Samples, load_shards, make_shards
from tools.training.samples.fonts import Split, find_fonts

Report = Callable[[str, int, int], None]
NETWORKS: Final = ("dice", "number")
ENROLLED_DICE: Final = 60
"""Number of dice rendered face by face to fit the embedding; two thirds as many to measure enrolled dice."""
CALIBRATION_SEED: Final = 3_000_003
"""Seed of the held-out samples that thresholds are fitted on; the model card's figures are from another seed."""
REPORT_SEED: Final = 5_000_003


class NoTorch(CompanionError):
    """PyTorch is not installed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of one training run.

    Attributes:
        out: folder for dice.onnx, number.onnx, dice.json and MODEL_CARD.md.
        data_dir: folder for the rendered samples and the checkpoints; samples are reused by later runs.
        minutes: training time without rendering, shared by the trained networks.
        shards, held_shards: thousands of samples to train on, and for each of the two held-out sets.
        start: folder of the initial weights: checkpoints of an earlier run, with their history beside them, or exported
            networks, whose history is in their ``dice.json``.
        device: PyTorch device for training and ray casting.
        processes: number of rendering processes.
        room: capacity of the sample pool; new samples overwrite the oldest.
        bank: number of dice in the ray caster's bank; 0 to do without it.
        rays: share of the time that the ray caster may take.
        first: number of samples before the first step.
        batch: batch size; 0 for the device's default.
        traced: files of path-traced pictures to train on as well; see `tools.training.traced`.
        learn: the networks to train.
        earlier_share: weight of ``start`` when `finish` averages the new weights with it.
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
        """Return the file of a network's checkpoint; its history is beside it as ``.json``."""
        return self.data_dir / f"{name}-{self.seed}.pt"

    def earlier(self, name: str) -> Path | None:
        """Return the initial weights of one network, or None."""
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
    """Train the networks and save their weights; `finish` makes the program's files from them.

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

    def report_progress(name: str, progress: Any) -> None:
        seen[name] = progress.seen
        dice = f"{sources.painted} painted, {sources.cast} cast and {sources.traced} traced"
        text = f"Training {name}, {progress.right:.1%} right, loss {progress.loss:.3f}, {progress.seen} seen, {dice}"
        report(text, round(1000 * progress.done), 1000)

    try:
        sources.wait(plan.first, lambda d, n: report("Rendering", d, n))
        models = fit({name: TASKS[name]() for name in plan.learn}, pool, minutes=plan.minutes, seed=plan.seed,
            threads=plan.threads, batch=plan.batch, start={name: plan.earlier(name) for name in plan.learn},
            keep={name: plan.weights(name) for name in plan.learn}, feed=sources.feed,
            report=report_progress)  # fmt: skip
    finally:
        sources.close()
    pool.save_some(plan.data_dir / "samples.npz", 48)
    for name in plan.learn:
        export(models[name], plan.out / f"{name}.onnx")  # its embedding is fitted later, by `finish`
        history = history_of(plan.earlier(name), name)
        history.append({
            "recipe": VERSION, "seed": plan.seed, "dice": sources.painted, "ray-cast dice": sources.cast,
            "path-traced dice": sources.traced, "minutes": plan.minutes, "seen": seen[name], "device": plan.device,
        })  # fmt: skip
        plan.weights(name).with_suffix(".json").write_text(json.dumps(history, indent=1) + "\n")


def finish(plan: Plan, report: Report) -> dict[str, Any]:
    """Fit the embedding to the trained weights, export and calibrate the networks; return the content of dice.json."""
    need_torch()
    from tools.training.export import export
    from tools.training.fit import average_weights, fit_embedding, load_weights
    from tools.training.network import DiceNet, NumberNet

    plan.out.mkdir(parents=True, exist_ok=True)
    dice, number = DiceNet(), NumberNet()
    for name, model in (("dice", dice), ("number", number)):
        load_weights(model, plan.weights(name))
        if (earlier := plan.earlier(name)) is not None and plan.earlier_share:
            earlier_model = copy.deepcopy(model)
            load_weights(earlier_model, earlier)
            average_weights(model, earlier_model, plan.earlier_share)
            _note(plan.weights(name), f"{plan.earlier_share:.0%} of each weight is that of the run before")
        model.eval()
    fit_embedding(
        number,
        _enrolled_dice(plan.seed, "train", ENROLLED_DICE),
        lambda n: report("Telling faces apart", n, ENROLLED_DICE),
    )
    export(dice, plan.out / "dice.onnx")
    export(number, plan.out / "number.onnx")
    return calibrated(plan, report)


def history_of(weights: Path | None, name: str) -> list[dict[str, Any]]:
    """Return the training runs that a network's weights come from; empty for weights without a history beside them."""
    if weights is None:
        return []
    if weights.suffix == ".onnx":
        card = weights.with_name("dice.json")
        return list(json.loads(card.read_text())["training"][name]) if card.exists() else []
    path = weights.with_suffix(".json")
    return list(json.loads(path.read_text())) if path.exists() else []


def _note(weights: Path, note: str) -> None:
    """Add a remark to the latest run in the history of these weights."""
    history = history_of(weights, "")
    if history:
        history[-1]["note"] = note
        weights.with_suffix(".json").write_text(json.dumps(history, indent=1) + "\n")


def calibrated(plan: Plan, report: Report) -> dict[str, Any]:
    """Calibrate exported networks on held-out samples, and write dice.json and the model card beside them."""
    files = (plan.out / "dice.onnx").read_bytes(), (plan.out / "number.onnx").read_bytes()
    calibration, rules = _fit_calibration(Classifier(*files, {}), _held_out(plan, CALIBRATION_SEED, report), report)
    calibrated_card: ModelCard = {"temperature": dict(calibration.temperature), "trust": list(calibration.trust)}
    classifier = Classifier(*files, calibrated_card)
    report_samples = _held_out(plan, REPORT_SEED, report)
    held_count = ENROLLED_DICE * 2 // 3
    readings = read_enrolled(
        _enrolled_dice(CALIBRATION_SEED, "held", held_count),
        classifier,
        lambda n: report("Enrolling dice", n, held_count),
    )
    plain_trust, trust = fit_enrolled_trust(without_neighbors(readings)), fit_enrolled_trust(readings)
    own = score_enrolled(read_enrolled(_enrolled_dice(REPORT_SEED, "held", held_count), classifier), trust)
    passes, labels = predict_all(classifier, report_samples, report=lambda d, n: report("Measuring", d, n))
    predictions = sample_predictions(passes, labels, calibration)
    off_axis = predict_all(classifier, report_samples, knows_axis=False)
    card: dict[str, Any] = {
        "recipe": VERSION,
        "training": {name: history_of(plan.weights(name), name) for name in NETWORKS},
        **calibrated_card,
        "enrolled": asdict(plain_trust),
        "enrolled_closely": asdict(trust),
        "thresholds": {kind: {"face": rule.face, "kind": rule.kind} for kind, rule in rules.items()},
        "most_lean": rules["d20"].lean,
        "held_out": {
            **figures(predictions, rules),
            OFF_AXIS: asdict(score_off_axis(sample_predictions(*off_axis, calibration), rules)),
            "d20, enrolled": asdict(own),
        },
        "checksums": checksums(classifier),
    }
    (plan.out / "dice.json").write_text(json.dumps(card, indent=1) + "\n")
    (plan.out / "MODEL_CARD.md").write_text(model_card(card, predictions, rules))
    cv2.imwrite(str(plan.data_dir / "wrong.png"), montage(report_samples, wrong_answers(predictions, rules)))
    return card


def _enrolled_dice(seed: int, split: Split, count: int) -> Iterator[DiePictures]:
    return enrolled_dice(count, np.random.default_rng([seed, 7]), find_fonts(), split)


def _held_out(plan: Plan, seed: int, report: Report) -> tuple[Samples, ...]:
    def show(done: int, total: int) -> None:
        report("Rendering held-out dice", done, total)

    return load_shards(make_shards(plan.data_dir, "held", seed, plan.held_shards, processes=2, report=show))


def _fit_calibration(
    classifier: Classifier, shards: Sequence[Samples], report: Report
) -> tuple[Calibration, dict[str, Thresholds]]:
    passes, labels = predict_all(classifier, shards, report=lambda d, n: report("Calibrating", d, n))
    temperature = fit_temperatures(passes, labels)
    calibration = Calibration(temperature, fit_trust(passes, labels, temperature), {}, {})
    predictions = sample_predictions(passes, labels, calibration)
    lean = fit_lean_threshold(predictions)
    return calibration, {kind: fit_thresholds(predictions, kind, lean=lean) for kind in READ_KINDS}


def figures(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> dict[str, dict[str, int]]:
    """Return the counts for dice.json: by kind, and of the samples that must not be answered."""
    kinds = {kind: score(predictions, kind, rules[kind]) for kind in READ_KINDS}
    return {name: asdict(each) for name, each in {**kinds, **score_unanswerable(predictions, rules)}.items()}
