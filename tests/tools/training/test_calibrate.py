"""Fitted thresholds allow no more wrong answers than requested, and as many answers as that permits."""

import numpy as np
import pytest

from companion.vision.dice.decision_policy import FROM_PX
from companion.vision.dice.faces.predictions import Calibration, Logits
from tools.training import calibrate
from tools.training.calibrate import (
    SamplePredictions,
    Thresholds,
    check_crops,
    fit_lean_threshold,
    fit_temperatures,
    fit_thresholds,
    fit_trust,
    sample_predictions,
)
from tools.training.card import model_card
from tools.training.report import (
    OFF_AXIS,
    Score,
    montage,
    reliability,
    score,
    score_off_axis,
    score_unanswerable,
    scores_by_value,
    value_name,
    wrong_answers,
)
from tools.training.samples.dataset import Samples
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, SURE, UNREADABLE

N = 4000


def large_d20s():
    """Labels of d20s of 100 px that all show 1."""
    return np.full((N, 4), (KINDS.index("d20"), 0, SURE, 100), np.int16)


def predictions_for(labels, rightly, confidence):
    """Predictions with the given correctness and confidence for each sample."""
    rng = np.random.default_rng(3)
    sizes = {"kind": 4, "d20": 20, "d6": 6, "rugen": 8}
    by_head = {"lean": np.tile(np.float32([1.0, 0.0]), (N, 1))}
    for name, size in sizes.items():
        wanted = labels[:, 0] if name == "kind" else np.maximum(labels[:, 1], 0) % size
        said = wanted if name == "kind" else np.where(rightly, wanted, (wanted + rng.integers(1, size, N)) % size)
        sure = np.full(N, 0.999) if name == "kind" else confidence
        part = np.repeat(((1 - sure) / (size - 1))[:, None], size, axis=1)
        part[np.arange(N), said] = sure
        by_head[name] = part.astype(np.float32)
    return SamplePredictions(by_head, labels)


@pytest.fixture(scope="module")
def calibrated_predictions():
    """Predictions of a well-calibrated network: its confidence is its accuracy."""
    rng = np.random.default_rng(2)
    kinds = rng.integers(0, 3, N)
    labels = np.stack([kinds, rng.integers(0, 6, N), np.zeros(N), rng.integers(40, 400, N)], axis=1).astype(np.int16)
    labels = np.pad(labels, ((0, 0), (0, 5)))
    labels[:, 7] = rng.integers(0, 350, N)
    confidence = rng.uniform(0.5, 1.0, N)
    return predictions_for(labels, rng.random(N) < confidence, confidence)


def test_thresholds_allow_no_more_wrong_answers_than_requested(calibrated_predictions, monkeypatch):
    monkeypatch.setattr(calibrate, "_MIN_VALUE_P", dict.fromkeys(("d20", "d6", "rugen"), 0.0))  # the samples alone
    monkeypatch.setattr(calibrate, "_MAX_VALUE_P", {})
    for allowed in (0.002, 0.01, 0.05):
        for kind in ("d20", "d6", "rugen"):
            each = score(calibrated_predictions, kind, fit_thresholds(calibrated_predictions, kind, allowed=allowed))
            assert each.wrong <= allowed * each.answered
    loose, strict = (
        score(calibrated_predictions, "d20", fit_thresholds(calibrated_predictions, "d20", allowed=a))
        for a in (0.05, 0.002)
    )
    assert loose.answered > 3 * max(1, strict.answered)


def test_few_dice_that_lie_flat_are_taken_for_leaning_ones():
    labels = large_d20s()
    labels[:200, 2] = UNREADABLE
    said = predictions_for(labels, np.ones(N, bool), np.full(N, 0.999))
    said.by_head["lean"][:, 1] = np.where(labels[:, 2] == UNREADABLE, 0.9, np.random.default_rng(1).uniform(0, 0.3, N))
    limit = fit_lean_threshold(said)
    assert 0.29 < limit < 0.3
    rule = fit_thresholds(said, "d20", lean=limit)
    answers = said.answers("d20", rule)
    assert not answers[:200].any()
    assert 0.98 < answers[200:].mean() < 1


def test_a_rule_that_cannot_be_kept_answers_nothing():
    labels = large_d20s()
    hopeless = predictions_for(labels, np.zeros(N, bool), np.full(N, 0.9))
    assert fit_thresholds(hopeless, "d20") == Thresholds(1.0, 1.0)
    assert score(hopeless, "d20", Thresholds(1.0, 1.0)).answered == 0


def test_what_is_too_small_for_the_program_counts_for_nothing():
    """Dice that are never answered must not make the thresholds of larger dice stricter."""
    labels = large_d20s()
    labels[: N // 4, 3] = FROM_PX - 1
    right = np.arange(N) >= N // 4
    said = predictions_for(labels, right, np.full(N, 0.999))
    assert score(said, "d20", fit_thresholds(said, "d20")) == Score(N - N // 4, N - N // 4, 0)
    assert said.shows("d20").sum() == N


@pytest.mark.parametrize("note", [SIX_OR_NINE, UNREADABLE])
def test_an_answer_to_an_unreadable_die_is_wrong(note):
    labels = large_d20s()
    labels[:, 1], labels[:, 2] = 5, note
    certain = predictions_for(labels, np.ones(N, bool), np.full(N, 0.99))
    assert certain.expected("d20").sum() == 0
    assert certain.is_right("d20").all() == (note == SIX_OR_NINE)  # by luck, so it is counted separately
    rules = dict.fromkeys(("d20", "d6", "rugen"), Thresholds(0.5, 0.5))
    scores = score_unanswerable(certain, rules).values()
    assert sum(each.answered for each in scores) == N
    assert sum(each.wrong for each in scores) == (N if note == UNREADABLE else 0)


def test_another_die_that_is_answered_is_wrong():
    labels = np.full((N, 4), (KINDS.index("none"), -1, SURE, 100), np.int16)
    fooled = predictions_for(labels, np.ones(N, bool), np.full(N, 0.999))
    fooled.by_head["kind"][:] = (0.97, 0.01, 0.01, 0.01)
    rules = dict.fromkeys(("d20", "d6", "rugen"), Thresholds(0.5, 0.5))
    assert score_unanswerable(fooled, rules)["other dice, things, nothing"].wrong == N
    assert wrong_answers(fooled, rules)[0] == (0, "none", "d20 1")


def passes_of(values, said, sure):
    """Passes over upright d20s whose networks predict the given values with the given logit."""
    rows = []
    for _, top in zip(values, said, strict=True):
        logits = np.zeros((2, 20), np.float32)
        logits[:, top] = sure
        numbers = np.full((4, 21), -sure, np.float32)
        numbers[0, top], numbers[1:, 20] = sure, sure
        whole = {"kind": np.zeros((2, 4), np.float32), "d20": logits, "d6": logits[:, :6], "rugen": logits[:, :8]}
        whole["lean"] = logits[:, :2]
        faces, one = np.zeros((4, 8), np.float32), np.eye(64, dtype=np.float32)
        ways, weights = np.arange(0, 360, 90, np.float32), np.array([0.97, 0.01, 0.01, 0.01], np.float32)
        rows.append((Logits(whole, ways, weights, numbers, faces, one[0], one[:4]),))
    return rows


@pytest.mark.thorough
def test_temperatures_make_overconfident_networks_honest():
    rng = np.random.default_rng(5)
    labels = np.zeros((600, 7), np.int16)
    labels[:, 1] = rng.integers(0, 20, 600)
    said = np.where(rng.random(600) < 0.8, labels[:, 1], rng.integers(0, 20, 600))
    passes = passes_of(labels[:, 1], said, 12.0)
    temperature = fit_temperatures(passes, labels)
    assert temperature["d20"] > 2
    assert temperature["number"] > 2
    trust = fit_trust(passes, labels, temperature)
    predictions = sample_predictions(passes, labels, Calibration(temperature, trust, {}, {}))
    assert predictions.by_head["d20"].max(axis=1).mean() == pytest.approx(0.81, abs=0.06)


def test_values_have_the_names_that_are_printed_on_the_die():
    assert [value_name("d20", 16), value_name("d6", 5), value_name("rugen", 5)] == ["17", "6", "3n"]


def test_every_value_is_scored_by_itself(calibrated_predictions):
    rule = fit_thresholds(calibrated_predictions, "d6", allowed=0.05)
    scores = scores_by_value(calibrated_predictions, "d6", rule)
    assert list(scores) == ["1", "2", "3", "4", "5", "6"]
    assert sum(each.answered for each in scores.values()) == score(calibrated_predictions, "d6", rule).answered


def test_predicted_probabilities_are_compared_with_measured_accuracies_by_size_and_tilt(calibrated_predictions):
    rows = reliability(calibrated_predictions, "d20")
    assert sum(count for _, _, count in rows) == calibrated_predictions.shows("d20").sum()
    assert all(right == pytest.approx(claimed, abs=0.12) for claimed, right, _ in rows)  # well calibrated
    small, large = (reliability(calibrated_predictions, "d20", size_px=span) for span in ((0, 100), (100, 1000)))
    aslant = reliability(calibrated_predictions, "d20", size_px=(0, 100), tilt_deg=(24, 36))
    counts = [sum(count for _, _, count in part) for part in (rows, small, large, aslant)]
    assert counts[0] == counts[1] + counts[2]
    assert 0 < counts[3] < counts[1]


def test_every_answer_to_an_off_axis_die_is_counted(calibrated_predictions):
    rules = dict.fromkeys(("d20", "d6", "rugen"), Thresholds(0.9, 0.5))
    scored = score_off_axis(calibrated_predictions, rules)
    assert scored.samples == N
    assert 0 < scored.wrong < scored.right < N


def test_the_model_card_contains_the_given_figures(calibrated_predictions):
    rules = {kind: fit_thresholds(calibrated_predictions, kind, allowed=0.05) for kind in ("d20", "d6", "rugen")}
    figures = {kind: {"kind": rule.kind, "face": rule.face} for kind, rule in rules.items()}
    runs = [{"recipe": 1, "seed": 1, "dice": 20480, "minutes": 15.5, "seen": 144096, "note": "stopped early"}]
    card = {"recipe": 3, "training": {"dice": runs, "number": runs}, "trust": [0.4, 1.0], "thresholds": figures,
            "most_lean": 0.3,
            "held_out": {"d20, enrolled": {"samples": 80, "right": 79, "wrong": 0},
                         OFF_AXIS: {"samples": 70, "right": 1, "wrong": 2}}}  # fmt: skip
    text = model_card(card, calibrated_predictions, rules)
    each = score(calibrated_predictions, "d20", rules["d20"])
    assert f"| d20 | {each.samples} | {each.answered} |" in text
    assert f"value probability at least {rules['d20'].face:.4f}" in text
    assert "| 3n | " in text
    assert "| d20, enrolled, one picture | 80 | 79 | 98.8% | 0 |" in text
    assert "1. 15.5 minutes, 144,096 crops from 20,480 rendered dice (recipe 1, seed 1); stopped early\n" in text
    assert text.count("| d20, value probability at least ") == 7
    assert "| d20, 90 to 160 pixels | " in text
    assert "to the power 0.4 times that of the number network to the power 1;" in text
    assert "probability of leaning at most 0.300" in text
    assert "| seen from 18 to 35 degrees off the vertical, axis unknown | 70 | 3 | 2 |" in text
    assert "| d6, 24 to 36 degrees off the vertical | " in text
    assert text.startswith("# The networks that read dice\n")


def test_every_wrong_sample_is_shown(few):
    wrong = [(3, "none", "d20 4"), (7, "none", "d6 1")]
    assert montage([few], wrong).shape == (160, 320, 3)
    assert montage([few], []).shape == (160, 160, 3)


def test_samples_that_are_not_read_are_not_counted(few):
    labels = few.labels.copy()
    labels[:, 7] = 0
    labels[0, 7] = 360  # tenths of a degree, too far off the vertical
    first = montage([Samples(few.images[1:], labels[1:])], [(0, "none", "d20 4")])
    assert np.array_equal(montage([Samples(few.images, labels)], [(0, "none", "d20 4")]), first)


def test_the_check_crops_are_the_same_everywhere():
    """They are made by arithmetic: recorded network outputs must not depend on fonts or on OpenCV's drawing."""
    assert [int(near.astype(np.int64).sum()) for near in check_crops()] == [14816512, 15031296, 15657216]
