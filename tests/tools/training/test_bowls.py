"""What the networks for dice in a bowl learn from."""

# ruff: noqa: E402

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")  # the extra `train`

from companion.games.chinchirorin.camera.orientation import encoded
from companion.rendering.bowls.rays import Camera, Die, Lamp, Scene, Surface, render
from companion.rendering.bowls.shapes import Bowl, Pose, lifted, rest, tipped, upright
from companion.rendering.faces import SIDE, FaceArt
from companion.rendering.materials import Material
from tools.training.bowls import parts
from tools.training.bowls.casting.light import rendered
from tools.training.bowls.casting.scenes import Bank, Chance, Scenes, chance_scenes
from tools.training.bowls.cuts import CROP_SIDE, closeups, closeups_at, patterned
from tools.training.bowls.losses import turn_loss
from tools.training.bowls.net import DieNet, example, export_die, fresh
from tools.training.bowls.pipeline import MODELS
from tools.training.bowls.stock import Shots, Stock, shots_of
from tools.training.bowls.supply import Supply
from tools.training.bowls.throws import gap_of
from tools.training.export import take_up_file
from tools.training.samples.fonts import Fonts

FEW: dict[parts.Part, int] = {"dice": 3, "surfaces": 3, "lights": 2, "throws": 6}
PX = 72


@pytest.fixture(scope="module")
def folder(fonts: Fonts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PARTS", FEW)
        for part in FEW:
            parts.make(part, made / f"{part}-00000.npz", 5, fonts)
    return made


@pytest.fixture(scope="module")
def bank(folder: Path) -> Bank:
    supply = Supply(folder, torch.device("cpu"))
    supply.renew()
    return supply.bank


def chance(seed: int = 1) -> Chance:
    return Chance(torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def scenes(bank: Bank) -> Scenes:
    return chance_scenes(bank, chance(), 4, "bowl", PX)


@pytest.fixture(scope="module")
def shots(bank: Bank, scenes: Scenes) -> Shots:
    return shots_of(scenes, bank, chance())


@dataclass(frozen=True)
class AsTold(Camera):
    """A camera with given axes."""

    told: np.ndarray = field(default_factory=lambda: np.eye(3))

    def axes(self) -> np.ndarray:
        return self.told


def owners(scenes: Scenes, k: int) -> np.ndarray:
    """Return whose each pixel is, by the ray caster that draws the held-out bowls."""
    axes, eye = scenes.axes[k].double().numpy(), scenes.eye[k].double().numpy()
    middle = eye - 10 * axes[2]
    camera = AsTold((PX, PX), float(scenes.focal[k]), 10.0, middle=tuple(middle), told=axes)
    plain = Surface(np.full((8, 8, 3), 90, np.uint8), 10.0)
    art = (FaceArt(np.zeros((SIDE, SIDE), np.uint8), (0.0, 0.0, 0.0)),) * 6
    dice = tuple(
        Die(art, Material((200.0, 200.0, 200.0), rounding=float(scenes.look["rounding"][k, i])),
            Pose(scenes.middle[k, i].double().numpy(), scenes.turn[k, i].double().numpy()),
            float(scenes.look["ball"][k, i]))
        for i in range(int(scenes.there[k].sum()))
    )  # fmt: skip
    lamps = (Lamp(np.array([0.0, 0.0, 1.0]), 0.1, (1.0, 1.0, 1.0)),)
    sky = np.ones((8, 8, 3), np.float32)
    bowl = Bowl(*map(float, scenes.bowl[k]))
    scene = Scene(bowl, plain, plain, plain, dice, lamps, (0.5, 0.5, 0.5), sky, camera, 1.0)
    return render(scene, np.random.default_rng(1), fine=1.0, samples=1)[1]


def test_both_ray_casters_see_the_same_dice(bank: Bank, scenes: Scenes):
    _, hits = rendered(scenes, bank, chance())
    compared = 0
    for k in range(len(scenes)):
        count = int(scenes.there[k].sum())
        mine, other = hits.what[k].view(PX, PX).numpy(), owners(scenes, k)
        for die in range(1, count + 1):
            either = (mine == die) | (other == die)
            if either.sum() > 90:
                compared += 1
                assert ((mine == die) & (other == die)).sum() > 0.88 * either.sum()
    assert compared >= 3


def test_a_die_is_seen_where_it_is_told(bank: Bank, scenes: Scenes, shots: Shots):
    _, hits = rendered(scenes, bank, chance())
    compared = 0
    for k, die in (shots.seen > 0.95).nonzero().tolist():
        rows, columns = np.nonzero(hits.what[k].view(PX, PX).numpy() == die + 1)
        x, y, size = shots.box[k, die].tolist()
        if not 0.6 * size < min(x, y, PX - x, PX - y):
            continue
        compared += 1
        assert (columns.min() + columns.max()) / 2 == pytest.approx(x, abs=2)
        assert (rows.min() + rows.max()) / 2 == pytest.approx(y, abs=2)
    assert compared >= 3


def test_a_closeup_tells_the_die_as_it_shows_it(shots: Shots):
    which, die = ((shots.seen > 0.9) & (shots.box[..., 2] > 9)).nonzero(as_tuple=True)
    box = shots.box[which, die]
    ups = closeups_at(shots, which, box[:, :2], box[:, 2], chance())
    assert len(which) >= 3
    assert ups.inputs.shape == (len(which), 7, CROP_SIDE, CROP_SIDE)
    assert (ups.is_die == 1).all()
    assert ups.off.abs().max() < 1e-3
    assert (ups.value == shots.value[which, die]).all()
    assert (ups.faces @ ups.faces.mT).numpy() == pytest.approx(np.tile(np.eye(3), (len(which), 1, 1)), abs=1e-4)
    c, s, seen = ups.turn.cos(), ups.turn.sin(), shots.faces[which, die]
    right = c[:, None] * seen[..., 0] + s[:, None] * seen[..., 1]
    assert ups.faces[..., 0].numpy() == pytest.approx(right.numpy(), abs=1e-4)
    assert ups.faces[..., 2].numpy() == pytest.approx(seen[..., 2].numpy(), abs=1e-4)


def test_what_is_no_die_has_no_value(shots: Shots):
    ups = closeups(shots, len(shots), chance(), 200)
    none = ups.is_die == 0
    assert none.sum() > 20
    assert (ups.is_die == 1).sum() > 20
    assert (ups.value[none] == -1).all()
    assert (ups.lies[none] == -1).all()


def test_a_pattern_is_no_die(bank: Bank, shots: Shots):
    ups = patterned(closeups(shots, len(shots), chance(), 40, 0.0), bank, chance())
    few = round(0.3 * 40)
    assert (ups.is_die[:few] == 0).all()
    assert ups.faces[:few].isnan().all()
    assert (ups.value[:few] == -1).all()


def test_pictures_of_few_dice_and_of_many_are_kept_together(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tools.training.bowls.stock.SIDES", {"close": PX})
    stock = Stock("close", 20)
    for _ in range(5):
        stock.add(bank, chance(), 4)
    assert stock.shots is not None
    assert stock.shots.seen.shape == (20, parts.MOST)
    assert ((stock.shots.seen[12:] > 0).sum(dim=1) <= 4).all()


def test_while_it_trains_the_network_says_what_it_says_later():
    model = DieNet()
    model.turns.drop.p = 0.0
    seen = torch.rand(3, 7, CROP_SIDE, CROP_SIDE, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.allclose(model.train()(seen), model.eval()(seen), atol=1e-4)


@pytest.mark.parametrize("name", ["die", "dice", "view"])
def test_training_goes_on_from_the_table_s_networks_and_changes_every_weight(name: str):
    model = fresh(name)
    take_up_file(model, MODELS / f"bowl_{name}.onnx", example(name))
    assert all(weights.requires_grad for weights in model.parameters())


def test_weights_that_are_equal_are_taken_up_from_the_file_that_holds_them_once(tmp_path: Path):
    earlier, later = DieNet(), DieNet()
    for model, bias in ((earlier, 0.25), (later, 0.5)):
        for convolution in (model.late.first[0], model.late.second[0]):
            torch.nn.init.constant_(convolution.bias, bias)
    export_die(earlier, tmp_path / "die.onnx")
    take_up_file(later, tmp_path / "die.onnx", example("die"))
    assert (later.late.first[0].bias == 0.25).all()
    assert (later.late.second[0].bias == 0.25).all()


def test_a_value_is_told_of_flat_dice_only(shots: Shots):
    assert ((shots.value >= 0) == (shots.flat == 1)).all()
    assert (shots.margin[(shots.flat == 1) & (shots.seen > 0)] > 0.2).all()


def test_a_die_lies_on_the_slope_and_not_once_it_is_tipped():
    bowl = Bowl(3.0, 2.0, 1.5)
    pose = rest(bowl, 0.8, 0.3, upright(0, 1, 0.4))
    assert pose is not None
    assert gap_of(pose, bowl) < 0.1
    assert gap_of(lifted(bowl, tipped(pose, 0.5, 1.0), []), bowl) > 0.22


def test_the_true_turn_is_the_likeliest():
    a, b = 0.4, 1.1
    first = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    second = np.array([[1, 0, 0], [0, np.cos(b), np.sin(b)], [0, -np.sin(b), np.cos(b)]])
    true, other = first @ second, second @ first
    faces = torch.tensor(true[None], dtype=torch.float32)
    losses = [float(turn_loss(torch.tensor(turn[None]), faces, torch.Generator().manual_seed(1)))
              for turn in (encoded(true), encoded(other), 0 * encoded(true))]  # fmt: skip
    assert losses[0] < -2
    assert losses[0] < min(losses[1:]) - 2
    assert losses[2] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_dropped_dice_rest_in_the_bowl_and_on_each_other(seed: int):
    pytest.importorskip("mujoco")
    from tools.training.bowls.drops import dropped

    bowl = Bowl(3.2, 1.9, 1.6, 2.0)
    poses = dropped(np.random.default_rng(seed), bowl, 3)
    assert poses is not None
    for k, pose in enumerate(poses):
        below = bowl.inside(*pose.corners[:, :2].T) - pose.corners[:, 2]
        assert below.max() < 0.06  # edges; the field of heights is a little coarser than the bowl
        assert pose.turn @ pose.turn.T == pytest.approx(np.eye(3), abs=1e-6)
        for other in poses[:k]:
            assert np.linalg.norm(pose.middle - other.middle) > 0.95
    assert min(pose.middle[2] for pose in poses) < bowl.height - bowl.depth + 1.2
