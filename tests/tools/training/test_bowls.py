"""Rendering, labels and losses of the bowl networks' training."""

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
from tools.training.bowls.casting.scenes import Bank, Scenes, TensorRng, random_scenes
from tools.training.bowls.crops import CROP_SIDE, crops_at, random_crops, with_patterns
from tools.training.bowls.losses import orientation_loss
from tools.training.bowls.net import DieNet, example_input, export_die, untrained
from tools.training.bowls.part_loader import PartLoader
from tools.training.bowls.pipeline import MODELS
from tools.training.bowls.render_buffer import RenderBuffer, Renders, render_scenes
from tools.training.bowls.throws import gap_below
from tools.training.export import load_onnx_weights
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
    loader = PartLoader(folder, torch.device("cpu"))
    loader.refresh()
    return loader.bank


def rng(seed: int = 1) -> TensorRng:
    return TensorRng(torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def scenes(bank: Bank) -> Scenes:
    return random_scenes(bank, rng(), 4, "bowl", PX)


@pytest.fixture(scope="module")
def renders(bank: Bank, scenes: Scenes) -> Renders:
    return render_scenes(scenes, bank, rng())


@dataclass(frozen=True)
class CameraWithAxes(Camera):
    """A camera with given axes."""

    axes_rows: np.ndarray = field(default_factory=lambda: np.eye(3))

    def axes(self) -> np.ndarray:
        return self.axes_rows


def owners(scenes: Scenes, k: int) -> np.ndarray:
    """Return each pixel's object, by the ray caster that draws the held-out bowls."""
    axes, eye = scenes.axes[k].double().numpy(), scenes.eye[k].double().numpy()
    middle = eye - 10 * axes[2]
    camera = CameraWithAxes((PX, PX), float(scenes.focal[k]), 10.0, middle=tuple(middle), axes_rows=axes)
    plain = Surface(np.full((8, 8, 3), 90, np.uint8), 10.0)
    art = (FaceArt(np.zeros((SIDE, SIDE), np.uint8), (0.0, 0.0, 0.0)),) * 6
    dice = tuple(
        Die(art, Material((200.0, 200.0, 200.0), rounding=float(scenes.appearance["rounding"][k, i])),
            Pose(scenes.middle[k, i].double().numpy(), scenes.turn[k, i].double().numpy()),
            float(scenes.appearance["ball"][k, i]))
        for i in range(int(scenes.is_present[k].sum()))
    )  # fmt: skip
    lamps = (Lamp(np.array([0.0, 0.0, 1.0]), 0.1, (1.0, 1.0, 1.0)),)
    sky = np.ones((8, 8, 3), np.float32)
    bowl = Bowl(*map(float, scenes.bowl[k]))
    scene = Scene(bowl, plain, plain, plain, dice, lamps, (0.5, 0.5, 0.5), sky, camera, 1.0)
    return render(scene, np.random.default_rng(1), fine=1.0, samples=1)[1]


def test_both_ray_casters_see_the_same_dice(bank: Bank, scenes: Scenes):
    _, hits = rendered(scenes, bank, rng())
    compared = 0
    for k in range(len(scenes)):
        count = int(scenes.is_present[k].sum())
        mine, other = hits.what[k].view(PX, PX).numpy(), owners(scenes, k)
        for die in range(1, count + 1):
            either = (mine == die) | (other == die)
            if either.sum() > 90:
                compared += 1
                assert ((mine == die) & (other == die)).sum() > 0.88 * either.sum()
    assert compared >= 3


def test_a_die_is_visible_at_its_labeled_box(bank: Bank, scenes: Scenes, renders: Renders):
    _, hits = rendered(scenes, bank, rng())
    compared = 0
    for k, die in (renders.seen > 0.95).nonzero().tolist():
        rows, columns = np.nonzero(hits.what[k].view(PX, PX).numpy() == die + 1)
        x, y, size = renders.box[k, die].tolist()
        if not 0.6 * size < min(x, y, PX - x, PX - y):
            continue
        compared += 1
        assert (columns.min() + columns.max()) / 2 == pytest.approx(x, abs=2)
        assert (rows.min() + rows.max()) / 2 == pytest.approx(y, abs=2)
    assert compared >= 3


def test_crop_labels_match_the_crop(renders: Renders):
    which, die = ((renders.seen > 0.9) & (renders.box[..., 2] > 9)).nonzero(as_tuple=True)
    box = renders.box[which, die]
    crops = crops_at(renders, which, box[:, :2], box[:, 2], rng())
    assert len(which) >= 3
    assert crops.inputs.shape == (len(which), 7, CROP_SIDE, CROP_SIDE)
    assert (crops.is_die == 1).all()
    assert crops.off.abs().max() < 1e-3
    assert (crops.value == renders.value[which, die]).all()
    assert (crops.faces @ crops.faces.mT).numpy() == pytest.approx(np.tile(np.eye(3), (len(which), 1, 1)), abs=1e-4)
    c, s, seen = crops.rotation.cos(), crops.rotation.sin(), renders.faces[which, die]
    right = c[:, None] * seen[..., 0] + s[:, None] * seen[..., 1]
    assert crops.faces[..., 0].numpy() == pytest.approx(right.numpy(), abs=1e-4)
    assert crops.faces[..., 2].numpy() == pytest.approx(seen[..., 2].numpy(), abs=1e-4)


def test_what_is_no_die_has_no_value(renders: Renders):
    crops = random_crops(renders, len(renders), rng(), 200)
    none = crops.is_die == 0
    assert none.sum() > 20
    assert (crops.is_die == 1).sum() > 20
    assert (crops.value[none] == -1).all()
    assert (crops.lies[none] == -1).all()


def test_a_pattern_is_no_die(bank: Bank, renders: Renders):
    crops = with_patterns(random_crops(renders, len(renders), rng(), 40, 0.0), bank, rng())
    few = round(0.3 * 40)
    assert (crops.is_die[:few] == 0).all()
    assert crops.faces[:few].isnan().all()
    assert (crops.value[:few] == -1).all()


def test_renders_of_few_and_of_many_dice_share_a_buffer(bank: Bank, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tools.training.bowls.render_buffer.SIDES", {"close": PX})
    buffer = RenderBuffer("close", 20)
    for _ in range(5):
        buffer.add(bank, rng(), 4)
    assert buffer.renders is not None
    assert buffer.renders.seen.shape == (20, parts.MAX_DICE)
    assert ((buffer.renders.seen[12:] > 0).sum(dim=1) <= 4).all()


def test_training_and_evaluation_mode_give_the_same_outputs():
    model = DieNet()
    model.turns.drop.p = 0.0
    seen = torch.rand(3, 7, CROP_SIDE, CROP_SIDE, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.allclose(model.train()(seen), model.eval()(seen), atol=1e-4)


@pytest.mark.parametrize("name", ["die", "dice", "view"])
def test_training_goes_on_from_the_table_s_networks_and_changes_every_weight(name: str):
    model = untrained(name)
    load_onnx_weights(model, MODELS / f"bowl_{name}.onnx", example_input(name))
    assert all(weights.requires_grad for weights in model.parameters())


def test_equal_weights_are_loaded_from_a_file_that_stores_them_once(tmp_path: Path):
    earlier, later = DieNet(), DieNet()
    for model, bias in ((earlier, 0.25), (later, 0.5)):
        for convolution in (model.late.first[0], model.late.second[0]):
            torch.nn.init.constant_(convolution.bias, bias)
    export_die(earlier, tmp_path / "die.onnx")
    load_onnx_weights(later, tmp_path / "die.onnx", example_input("die"))
    assert (later.late.first[0].bias == 0.25).all()
    assert (later.late.second[0].bias == 0.25).all()


def test_only_dice_with_a_clear_upper_face_have_a_value(renders: Renders):
    assert ((renders.value >= 0) == (renders.flat == 1)).all()
    assert (renders.margin[(renders.flat == 1) & (renders.seen > 0)] > 0.2).all()


def test_a_die_lies_on_the_slope_and_not_once_it_is_tipped():
    bowl = Bowl(3.0, 2.0, 1.5)
    pose = rest(bowl, 0.8, 0.3, upright(0, 1, 0.4))
    assert pose is not None
    assert gap_below(pose, bowl) < 0.1
    assert gap_below(lifted(bowl, tipped(pose, 0.5, 1.0), []), bowl) > 0.22


def test_the_true_orientation_is_the_most_likely():
    a, b = 0.4, 1.1
    first = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    second = np.array([[1, 0, 0], [0, np.cos(b), np.sin(b)], [0, -np.sin(b), np.cos(b)]])
    true, other = first @ second, second @ first
    faces = torch.tensor(true[None], dtype=torch.float32)
    losses = [float(orientation_loss(torch.tensor(turn[None]), faces, torch.Generator().manual_seed(1)))
              for turn in (encoded(true), encoded(other), 0 * encoded(true))]  # fmt: skip
    assert losses[0] < -2
    assert losses[0] < min(losses[1:]) - 2
    assert losses[2] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_dropped_dice_rest_in_the_bowl_and_on_each_other(seed: int):
    pytest.importorskip("mujoco")
    from tools.training.bowls.drops import simulate_throw

    bowl = Bowl(3.2, 1.9, 1.6, 2.0)
    poses = simulate_throw(np.random.default_rng(seed), bowl, 3)
    assert poses is not None
    for k, pose in enumerate(poses):
        below = bowl.inside(*pose.corners[:, :2].T) - pose.corners[:, 2]
        assert below.max() < 0.06  # edges; the field of heights is a little coarser than the bowl
        assert pose.turn @ pose.turn.T == pytest.approx(np.eye(3), abs=1e-6)
        for other in poses[:k]:
            assert np.linalg.norm(pose.middle - other.middle) > 0.95
    assert min(pose.middle[2] for pose in poses) < bowl.height - bowl.depth + 1.2
