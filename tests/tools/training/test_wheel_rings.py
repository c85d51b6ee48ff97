"""The wheel networks' training samples, and that training and program use the same inputs and positions."""

import numpy as np
import pytest

from companion.games.roulette.camera import heat
from companion.games.roulette.camera.memory import STEPS
from tools.training.wheels.samples import COLUMNS, HEIGHT, Kind, sample


@pytest.mark.parametrize(("kind", "channels"), [("rest", 6), ("still", 3)])
def test_a_ring_has_a_ball_where_it_is_told_or_none(kind: Kind, channels: int) -> None:
    made = [sample(kind, np.random.default_rng(seed)) for seed in range(12)]
    assert {(ring.shape, ring.dtype) for ring, _ in made} == {((HEIGHT, COLUMNS, channels), np.dtype(np.uint8))}
    balls = [at for _, at in made if at[0] >= 0]
    assert 0 < len(balls) < len(made)
    assert all(-0.5 <= x <= COLUMNS - 0.5 and 0 <= y < HEIGHT for x, y in balls)


def test_the_same_seed_paints_the_same_ring() -> None:
    one, two = (sample("rest", np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one[0], two[0])
    assert one[1] == two[1]


def test_most_balls_that_came_to_rest_are_found_by_the_program() -> None:
    """The shipped network's highest peak is at the labeled position."""
    right = wrong = 0
    for seed in range(100, 124):
        ring, (x, _) = sample("rest", np.random.default_rng(seed))
        if not 2 * STEPS <= x <= COLUMNS - 2 * STEPS:
            continue
        now, usual = ring[..., :3].astype(np.float32), ring[..., 3:].astype(np.float32)
        odds = heat.shared_nets().heat("rest", heat.new_ring(now, usual)[None])[0].max(0)
        near = abs(int(odds.argmax()) * 2 + 0.5 - x) <= 4
        right += near
        wrong += not near and float(odds.max()) > 1.0
    assert right >= 6
    assert wrong == 0


def test_training_and_reading_have_the_same_input() -> None:
    torch = pytest.importorskip("torch")
    from tools.training.wheels.net import inputs_of

    ring = sample("rest", np.random.default_rng(3))[0]
    learned = inputs_of(torch.from_numpy(ring)[None]).numpy()[0]
    read = heat.new_ring(ring[..., :3].astype(np.float32), ring[..., 3:].astype(np.float32))
    assert np.allclose(learned, read, atol=1e-5)


def test_an_exported_network_says_what_it_said(tmp_path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from companion.vision.networks import Network
    from tools.training.wheels.net import BallNet, export_ball

    torch.manual_seed(1)
    net = BallNet("still").eval()
    ring = np.random.default_rng(2).normal(0, 0.5, (1, 3, HEIGHT, 2 * COLUMNS)).astype(np.float32)
    wanted = net(torch.from_numpy(ring)).detach().numpy()
    export_ball(net, "still", tmp_path / "ball.onnx")
    (read,) = Network(tmp_path / "ball.onnx", "finds a ball").run(ring)
    assert np.allclose(read, wanted, atol=0.05)


def test_a_training_goes_on_from_an_exported_network(tmp_path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from companion.vision.networks import Network
    from tools.training.wheels.pipeline import WheelPlan, train_wheel

    models = tmp_path / "models"
    train_wheel(WheelPlan(models, minutes=0.05, learn=("rest",)), lambda line: None)
    assert [path.name for path in models.glob("*.onnx")] == ["ball_rest.onnx"]
    told: list[str] = []
    train_wheel(WheelPlan(tmp_path, minutes=0.05, seed=2, start=models, learn=("rest",)), told.append)
    assert "step" in told[-1]
    ring = np.random.default_rng(2).normal(0, 0.5, (1, 6, HEIGHT, 2 * COLUMNS)).astype(np.float32)
    before, after = (Network(folder / "ball_rest.onnx", "finds a ball").run(ring)[0] for folder in (models, tmp_path))
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.5
    assert torch.load(tmp_path / "ball-rest.pt")
