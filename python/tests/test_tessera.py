"""The module against the library, and against the program.

TESSERA names the program and TESSERA_LIBRARY the library; tests/cli_python.sh
sets both.
"""
import copy
import json
import os
import pathlib
import pickle
import subprocess
import threading

import numpy as np
import pytest

import tessera
from tessera import _library

PROGRAM = os.environ.get("TESSERA", "tessera")
PHOTO = (pathlib.Path(__file__).resolve().parents[2]
         / "data" / "photos" / "beach0.png")


def clean(height=90, width=120):
    y, x = np.mgrid[:height, :width]
    picture = np.stack([120 + 50 * np.sin(x / 9 + c) * np.cos(y / 7)
                        + 30 * np.sin((x + y) / 3) for c in range(3)], axis=2)
    return np.clip(picture, 0, 255).astype(np.uint8)


def run(*words):
    subprocess.run([PROGRAM, *map(str, words), "-q"], check=True)


@pytest.fixture
def files(tmp_path):
    """A clean picture, a damaged one and its mask, as files and arrays."""
    picture = clean()
    damaged, mask = tessera.corrupt(picture, missing=0.3, seed=1)
    tessera.write(picture, tmp_path / "clean.png")
    tessera.write(damaged, tmp_path / "damaged.png")
    tessera.write((255 * mask).astype(np.uint8), tmp_path / "mask.png")
    return tmp_path, picture, damaged, mask


def test_pages(tmp_path):
    path = tmp_path / "pages.tif"
    pages = [clean(), clean()[:40, :30], clean()[:, :, 0]]
    tessera.write(pages, path)
    with pytest.warns(UserWarning, match="3 pages"):
        assert np.array_equal(tessera.read(path), pages[0])
    assert np.array_equal(tessera.read(path, page=1), pages[1])
    for page, again in zip(pages, tessera.read_pages(path), strict=True):
        assert np.array_equal(page, again)
    with pytest.raises(ValueError):
        tessera.read(path, page=3)
    with pytest.raises(ValueError):
        tessera.write(pages, tmp_path / "pages.png")
    tessera.write([pages[0]], tmp_path / "page.png")
    assert np.array_equal(tessera.read(tmp_path / "page.png"), pages[0])


# ---- the same bytes as the program ----

INPAINT = [{}, {"quality": "fast"}, {"quality": "best"}, {"fill": "smooth"},
           {"dictionary": "learned"}, {"seed": 5},
           {"crop": (31, 20, 40, 30)}, {"see_through": True}, {"grow": 2},
           {"grain": 0.5}]


def option(key, value):
    if key == "see_through":
        return "--see-through"
    if key == "crop":
        value = "%d,%d,%dx%d" % value
    return f"--{key.replace('dictionary', 'dict')}={value}"


@pytest.mark.parametrize("options", INPAINT, ids=str)
def test_inpaint_is_that_of_the_program(files, options):
    folder, _, damaged, mask = files
    words = [option(*pair) for pair in options.items()]
    run("inpaint", folder / "damaged.png", "--mask", folder / "mask.png",
        *words, "-o", folder / "out.png")
    if options.get("dictionary"):
        options = {"dictionary": tessera.Dictionary.learned()}
    assert np.array_equal(tessera.inpaint(damaged, mask, **options),
                          tessera.read(folder / "out.png"))


@pytest.mark.parametrize("shape", [(24, 30), (24, 30, 3)], ids=str)
def test_grown_marks_leave_other_floats(shape):
    picture = np.random.default_rng(5).random(shape)
    mask = np.zeros(shape[:2], bool)
    mask[10, 12] = True
    changed = tessera.inpaint(picture, mask, quality="fast", grow=1) != picture
    changed = changed.reshape(24, 30, -1).any(axis=2)
    assert changed[9:12, 11:14].all()
    assert changed.sum() == 9


def test_channels_are_missing_as_in_the_program(files):
    folder, picture, _, _ = files
    mask = np.random.default_rng(4).random(picture.shape) < 0.4
    damaged = np.where(mask, 0, picture)
    tessera.write(damaged, folder / "damaged.png")
    tessera.write((255 * mask).astype(np.uint8), folder / "mask.png")
    run("inpaint", folder / "damaged.png", "--mask", folder / "mask.png",
        "--quality", "fast", "-o", folder / "out.png")
    result = tessera.inpaint(damaged, mask, quality="fast")
    assert np.array_equal(result, tessera.read(folder / "out.png"))
    assert np.array_equal(result[~mask], picture[~mask])
    with pytest.raises(ValueError, match="the mask is"):
        tessera.inpaint(damaged, mask[:, :, :2])


@pytest.mark.parametrize("options", [{"strength": 0.5}, {"grain": 0.4}],
                         ids=str)
def test_estimated_noise_is_removed_as_by_the_program(files, options):
    folder, picture, _, _ = files
    noisy, _ = tessera.corrupt(picture, noise=15, seed=2)
    tessera.write(noisy, folder / "noisy.png")
    tessera.write(np.zeros(picture.shape[:2], np.uint8), folder / "none.png")
    run("denoise", folder / "noisy.png", "--mask", folder / "none.png",
        *[option(*pair) for pair in options.items()],
        "-o", folder / "out.png")
    result = tessera.denoise(noisy, **options)
    assert np.array_equal(result, tessera.read(folder / "out.png"))
    assert not np.array_equal(result, tessera.denoise(noisy))


@pytest.mark.parametrize("fading", ["auto", "neutral", "always"])
def test_faded_colours_come_back_as_by_the_program(files, fading):
    folder, picture, damaged, mask = files
    faded = np.where(mask[..., None], damaged, 80 + picture // 3)
    tessera.write(faded.astype(np.uint8), folder / "faded.png")
    run("restore", folder / "faded.png", "--mask", folder / "mask.png",
        "--no-noise", f"--fading={fading}", "-o", folder / "out.png")
    faded = faded.astype(np.uint8)
    result = tessera.inpaint(faded, mask, fading=fading)
    assert np.array_equal(result, tessera.read(folder / "out.png"))
    assert not np.array_equal(result[~mask], faded[~mask])
    assert np.array_equal(tessera.inpaint(faded, mask)[~mask], faded[~mask])
    assert np.ptp(tessera.denoise(faded, 2, mask=mask, fading=fading)) > \
        np.ptp(tessera.denoise(faded, 2, mask=mask))


@pytest.mark.parametrize("sigma", [5, 20])
def test_denoise_is_that_of_the_program(files, sigma):
    folder, picture, _, _ = files
    noisy, _ = tessera.corrupt(picture, noise=sigma, seed=2)
    tessera.write(noisy, folder / "noisy.png")
    tessera.write(np.zeros(picture.shape[:2], np.uint8), folder / "none.png")
    run("denoise", folder / "noisy.png", f"--sigma={sigma}", "--mask",
        folder / "none.png", "-o", folder / "out.png")
    assert np.array_equal(tessera.denoise(noisy, sigma),
                          tessera.read(folder / "out.png"))


@pytest.mark.parametrize("kind", ["missing", "blocks", "noise"])
def test_corrupt_is_that_of_the_program(files, kind):
    folder, picture, _, _ = files
    word, value = {"missing": ("0.4", 0.4), "blocks": ("5x7", (5, 7)),
                   "noise": ("25", 25)}[kind]
    run("corrupt", folder / "clean.png", f"--{kind}={word}", "--seed=9",
        "-o", folder / "out.png")
    damaged, _ = tessera.corrupt(picture, **{kind: value}, seed=9)
    assert np.array_equal(damaged, tessera.read(folder / "out.png"))


def test_score_is_that_of_the_program(files):
    folder, picture, damaged, mask = files
    words = subprocess.run(
        [PROGRAM, "score", folder / "clean.png", folder / "damaged.png",
         "--mask", folder / "mask.png", "--json"], check=True,
        capture_output=True).stdout
    said, score = json.loads(words), tessera.score(picture, damaged, mask)
    for key, value in score._asdict().items():
        assert value == pytest.approx(said[key], rel=1e-9)


# ---- arrays ----

@pytest.mark.parametrize("dtype", [np.uint16, np.float32, np.float64])
def test_types_come_back(dtype):
    scale = 257 if dtype == np.uint16 else 1 / 255
    picture = (clean() * scale).astype(dtype)
    damaged, mask = tessera.corrupt(picture, missing=0.2, seed=1)
    mended = tessera.inpaint(damaged, mask, quality="fast")
    assert mended.dtype == dtype
    assert np.array_equal(mended[~mask], damaged[~mask])
    assert tessera.score(picture, mended).psnr > 30


def test_strides_are_respected():
    wide = np.zeros((90, 240, 4), np.uint8)
    wide[:, ::2, 2::-1] = clean()
    view = wide[:, ::2, 2::-1]
    damaged, mask = tessera.corrupt(view, missing=0.2, seed=1)
    straight, _ = tessera.corrupt(clean(), missing=0.2, seed=1)
    assert np.array_equal(damaged, straight)
    assert np.array_equal(tessera.inpaint(damaged[:, ::-1], mask[:, ::-1]),
                          tessera.inpaint(damaged[:, ::-1].copy(),
                                          mask[:, ::-1].copy()))


def test_grey():
    grey = clean()[..., 0]
    damaged, mask = tessera.corrupt(grey, missing=0.2, seed=1)
    assert tessera.inpaint(damaged, mask).shape == grey.shape


def test_find_damage():
    damaged, mask = tessera.corrupt(clean(), blocks=(8, 6), seed=1)
    assert np.array_equal(tessera.find_damage(damaged, "blocks"), mask)
    levels = tessera.find_damage(damaged, "blocks", levels=True)
    assert np.array_equal(levels, np.where(mask, 255, 0))


def test_levels_are_seen_through():
    veiled, mask = clean().copy(), np.zeros(clean().shape[:2], bool)
    mask[5:-5, 20:23] = True
    veiled[mask] = veiled[mask] // 2 + 110
    grey = np.where(mask, 128, 0).astype(np.uint8)
    assert np.array_equal(tessera.inpaint(veiled, grey),
                          tessera.inpaint(veiled, mask, see_through=True))


def scratched(folder):
    """A photograph with scratches that the program finds, as an array."""
    picture = tessera.read(PHOTO)[..., :3].copy()
    for y in range(10, len(picture) - 10):
        for x in (40 + y // 20, 90 + y // 20):
            picture[y, x:x + 2] = picture[y, x:x + 2] // 5 + 204
    picture[100:110, 200:210] = 0
    tessera.write(picture, folder / "scratched.png")
    return picture


def test_damage_is_found_and_mended_as_by_the_program(tmp_path):
    picture = scratched(tmp_path)
    run("inpaint", tmp_path / "scratched.png", "-o", tmp_path / "out.png",
        "--mask-out", tmp_path / "found.png")
    mask = tessera.find_damage(picture)
    tessera.write(mask, tmp_path / "mask.png")
    assert (tmp_path / "mask.png").read_bytes() == (
        tmp_path / "found.png").read_bytes()
    assert set(np.unique(mask.levels)) == {0, 128, 255}
    mended = tessera.read(tmp_path / "out.png")
    assert not np.array_equal(mended, picture)
    assert np.array_equal(tessera.inpaint(picture, mask), mended)
    assert np.array_equal(tessera.inpaint(picture), mended)
    assert not np.array_equal(tessera.inpaint(picture, np.asarray(mask)),
                              mended)


def test_progress_of_finding_and_mending_rises():
    picture, _ = tessera.corrupt(clean(), blocks=(8, 6), seed=1)
    said = []
    tessera.inpaint(picture, progress=said.append)
    assert said == sorted(said) and said[-1] == 1


def test_masks_remember():
    levels = np.zeros((6, 8), np.uint8)
    levels[1:3], levels[4] = 128, 255
    mask = tessera.Mask(levels)
    assert mask.dtype == bool and np.array_equal(mask, levels > 0)
    for part in (np.s_[1:4, ::-2], np.s_[::-1], np.s_[2]):
        assert np.array_equal(mask[part].levels, levels[part])
    for again in (mask.copy(), copy.copy(mask), copy.deepcopy(mask),
                  pickle.loads(pickle.dumps(mask))):
        assert np.array_equal(again.levels, levels)
    mask[1] = False
    mask[5] = True
    levels[1], levels[5] = 0, 255
    assert np.array_equal(mask.levels, levels)
    assert not np.roll(mask, 1).through.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_of_bytes_are_refused(dtype):
    picture, mask = clean().astype(dtype), np.zeros((90, 120), bool)
    mask[40:44, 50:54] = True
    for work in (lambda a: tessera.inpaint(a, mask), tessera.inpaint,
                 tessera.denoise, tessera.find_damage, tessera.noise_level,
                 lambda a: tessera.corrupt(a, missing=0.1),
                 lambda a: tessera.score(a, a)):
        with pytest.raises(ValueError, match="divide it by its white"):
            work(picture)
    picture /= 255
    mended = tessera.inpaint(picture, mask)
    picture[mask] = 255  # what is masked never counts
    assert np.array_equal(tessera.inpaint(picture, mask), mended)
    picture[~mask] *= 1.01
    assert tessera.inpaint(picture, mask).max() > 0.5


def test_noise_level():
    noisy, _ = tessera.corrupt(np.full((200, 200), 128, np.uint8), noise=20)
    assert tessera.noise_level(noisy) == pytest.approx(20, rel=0.1)


# ---- errors ----

def test_errors_have_the_words_of_the_library(tmp_path):
    with pytest.raises(ValueError, match="do not fit"):
        tessera.corrupt(clean(20, 20), blocks=(15, 9))
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        tessera.read(tmp_path / "no-such-file.png")
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        tessera.Dictionary.load(tmp_path / "no-such-file.npy")
    (tmp_path / "broken.png").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="broken.png"):
        tessera.read(tmp_path / "broken.png")
    with pytest.raises(ValueError, match="mask is"):
        tessera.inpaint(clean(), np.zeros((3, 3), bool))
    with pytest.raises(TypeError, match="int64"):
        tessera.inpaint(np.zeros((9, 9), np.int64), np.zeros((9, 9), bool))
    with pytest.raises(ValueError, match="quality"):
        tessera.inpaint(clean(), np.ones((90, 120), bool), quality="good")


def test_what_a_progress_function_raises_stops_the_work():
    damaged, mask = tessera.corrupt(clean(), missing=0.5)

    def stop(done):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tessera.inpaint(damaged, mask, progress=stop)


def test_python_goes_on_meanwhile():
    damaged, mask = tessera.corrupt(clean(), missing=0.5)
    expected = tessera.inpaint(damaged, mask)
    results = {}
    threads = [threading.Thread(
        target=lambda i=i: results.update({i: tessera.inpaint(damaged, mask)}))
        for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(results[i], expected) for i in range(3))


# ---- dictionaries ----

def test_dictionary_files(tmp_path):
    learned = tessera.Dictionary.learned()
    for name in ("d.safetensors", "d.npy"):
        learned.save(tmp_path / name)
        again = tessera.Dictionary.load(tmp_path / name)
        assert np.array_equal(learned.atoms, again.atoms)
    run("dict", tmp_path / "d.safetensors", "-o", tmp_path / "e.npy")
    assert np.array_equal(np.load(tmp_path / "e.npy").reshape(300, 300),
                          learned.atoms)
    with pytest.raises(ValueError):
        learned.atoms[0, 0] = 1


@pytest.mark.parametrize("original", [
    tessera.Dictionary.learned(), tessera.Dictionary.dct(4, 1),
    tessera.Dictionary(np.random.default_rng(0).normal(size=(70, 27)), 3)],
    ids=repr)
def test_dictionaries_are_copied_and_pickled(original):
    for again in (copy.copy(original), copy.deepcopy(original),
                  pickle.loads(pickle.dumps(original))):
        assert again is not original and repr(again) == repr(original)
        assert np.array_equal(again.atoms, original.atoms)
        with pytest.raises(ValueError):
            again.atoms[0, 0] = 1


def test_a_notebook_draws_a_dictionary(tmp_path):
    learned = tessera.Dictionary.learned()
    learned.save(tmp_path / "d.safetensors")
    run("dict", tmp_path / "d.safetensors", "--mosaic", tmp_path / "m.png",
        "--zoom", 2)
    (tmp_path / "drawn.png").write_bytes(learned._repr_png_())
    assert np.array_equal(tessera.read(tmp_path / "drawn.png"),
                          tessera.read(tmp_path / "m.png"))


def test_masked_codes_predict():
    cosines = tessera.Dictionary.dct(8, 1)
    rng = np.random.default_rng(1)
    codes = np.zeros((50, 64))
    for row in codes:
        row[rng.choice(64, 3, replace=False)] = rng.normal(size=3) + 2
    X = codes @ cosines.atoms
    mask = rng.random(X.shape) < 0.3
    seen = np.where(mask, 1e6, X)  # what is masked must not matter
    found = cosines.encode(seen, mask, atoms=6, error=1e-8)
    assert np.abs(cosines.decode(found) - X).max() < 1e-3


# ---- learners ----

LEARNERS = [tessera.KSVD(iterations=3, threads=1),
            tessera.MOD(iterations=3, threads=1),
            tessera.OnlineDictionary(iterations=5, threads=1),
            tessera.MiniBatchDictionary(iterations=5, threads=1),
            tessera.OrthogonalDictionary(iterations=5, threads=1),
            tessera.GradientDictionary(iterations=5, threads=1),
            tessera.L4Dictionary(iterations=5, threads=1),
            tessera.OnlineL1Dictionary(iterations=5, threads=1),
            tessera.TaskDictionary(iterations=5, threads=1)]


@pytest.mark.parametrize("learner", LEARNERS,
                         ids=lambda learner: type(learner).__name__)
def test_scikit_learn_accepts(learner):
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator
    check_estimator(learner)


@pytest.mark.parametrize("learner", LEARNERS,
                         ids=lambda learner: type(learner).__name__)
def test_learners(learner):
    rng = np.random.default_rng(2)
    X = rng.laplace(size=(600, 10)) @ rng.normal(size=(10, 10))
    learner.fit(X)
    first = learner.components_.copy()
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    codes = learner.transform(X)
    assert codes.shape == (600, 10)
    assert np.allclose(learner.inverse_transform(codes), X, atol=1e-2)
    assert np.array_equal(learner.fit(X).components_, first)
    again = pickle.loads(pickle.dumps(learner))
    assert np.array_equal(again.transform(X), codes)


@pytest.mark.parametrize("learner", LEARNERS,
                         ids=lambda learner: type(learner).__name__)
def test_start(learner):
    """From samples that are multiples of the start's atoms: nothing to do."""
    rng = np.random.default_rng(5)
    start = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    X = np.repeat(start, 60, axis=0) * rng.choice([-2, 2], size=(480, 1))
    X = X[rng.permutation(480)]
    learner = type(learner)(**{**learner.get_params(), "dict_init": start})
    if "atoms_per_sample" in learner.get_params():
        learner.atoms_per_sample = 1
    if "predict_atoms" in learner.get_params():
        learner.predict_atoms = 1
    found = learner.fit(X).components_ @ start.T
    assert np.allclose(np.abs(np.diag(found)), 1, atol=1e-3)
    with pytest.raises(ValueError, match="dict_init is"):
        learner.set_params(dict_init=start[:3]).fit(X)


def algorithms():
    """Those of the library."""
    return [name.decode() for name in map(
        _library.lib.tessera_algorithm_name, range(99)) if name is not None]


def test_all_algorithms_are_there():
    assert sorted(type(learner)._algorithm
                  for learner in LEARNERS) == sorted(algorithms())


LEARN = [(name, {"patch": 4, "iterations": 3, "max_patches": 3000})
         for name in algorithms()] + [
    ("ksvd", {"patch": 5, "iterations": 2, "atoms": 40, "seed": 3,
              "max_patches": 900}),
    ("online", {"patch": 5, "iterations": 20, "density": 0.1}),
    ("online", {"patch": 4, "iterations": 3, "task": "missing:0.5"}),
    (None, {"patch": 4, "iterations": 2, "task": "noise:25"}),
    ("transform", {"patch": 4, "iterations": 2}),
    ("convolutional", {"patch": 4, "iterations": 2, "atoms": 8})]


@pytest.mark.parametrize("algorithm, options", LEARN, ids=str)
def test_learn_is_that_of_the_program(tmp_path, algorithm, options):
    paths = [PHOTO.parent / name for name in ("beach0.png", "fog4.png")]
    path = tmp_path / "d.safetensors"
    words = [f"--{key.replace('_', '-')}={value}"
             for key, value in options.items()]
    if algorithm is not None:
        words.append(f"--algorithm={algorithm}")
    if "task" in options:
        words = [word.replace("--iterations", "--task-iterations")
                 for word in words if "algorithm" not in word] + ["--init=dct"]
    run("learn", *paths, "-o", path, *words)
    expected = tessera.Dictionary.load(path)
    learned = tessera.learn(paths, algorithm or "online", **options)
    if algorithm == "convolutional":  # files round it
        learned = copy.copy(learned)
    assert np.array_equal(learned.atoms, expected.atoms)
    assert learned.algorithm == expected.algorithm


def test_learn_starts_and_refuses(tmp_path):
    start = tessera.Dictionary.dct(4, 3)
    kept = tessera.learn([PHOTO], "orthogonal", patch=4, start=start,
                         iterations=1, density=1, max_patches=500)
    assert np.allclose(np.abs(kept.atoms @ start.atoms.T), np.eye(48),
                       atol=1e-3)
    with pytest.raises(ValueError, match="no algorithm"):
        tessera.learn([PHOTO], "no-such")
    with pytest.raises(ValueError, match="no picture can be used"):
        tessera.learn([tmp_path / "nothing.png"])
    with pytest.raises(ValueError, match="not for"):
        tessera.learn([PHOTO], "convolutional", start=start)


def test_mean_is_set_aside():
    rng = np.random.default_rng(6)
    X = rng.laplace(size=(3000, 12)) + 30
    aside = tessera.OnlineDictionary(iterations=20).fit(X).components_
    assert np.allclose(aside[0], X.mean(0) / np.linalg.norm(X.mean(0)))
    assert np.abs(aside[1:] @ aside[0]).max() < 1e-5
    mixed = tessera.OnlineDictionary(iterations=20,
                                     mean_atom=False).fit(X).components_
    assert np.abs(mixed @ aside[0]).min() > 0.1
    centred = X - X.mean(0)
    learner = tessera.OnlineDictionary(iterations=20)
    assert np.array_equal(
        learner.fit(centred).components_,
        learner.set_params(mean_atom=False).fit(centred).components_)


def photo_patches(seed, count=300, side=10):
    """Patches of the bundled photographs, one per row; white is 1."""
    rng = np.random.default_rng(seed)
    rows = []
    for path in sorted(PHOTO.parent.glob("*.png")):
        picture = tessera.read(path)[..., :3] / 255
        for _ in range(count):
            y, x = (rng.integers(0, size - side + 1)
                    for size in picture.shape[:2])
            patch = picture[y:y + side, x:x + side]
            rows.append(patch.transpose(2, 0, 1).ravel())
    return rng.permutation(np.array(rows))


def error_of(learned, X):
    """Of the best ten atoms per sample, as a fraction of its length."""
    codes = learned.encode(X)
    return np.linalg.norm(X - learned.decode(codes)) / np.linalg.norm(X)


@pytest.mark.parametrize("learner", [
    tessera.OnlineDictionary(threads=1), tessera.KSVD(threads=1),
    tessera.MOD(threads=1)], ids=lambda learner: type(learner).__name__)
def test_defaults_are_better_than_cosines(learner):
    X, others = photo_patches(1), photo_patches(2, 80)
    learned = tessera.Dictionary(learner.fit(X).components_, 10)
    assert error_of(learned, others) < error_of(tessera.Dictionary.dct(),
                                                others)


def test_pipeline():
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    X = np.random.default_rng(3).laplace(size=(200, 6))
    line = make_pipeline(StandardScaler(), tessera.KSVD(9, iterations=2))
    assert line.fit_transform(X).shape == (200, 9)


def test_partial_fit():
    X = np.random.default_rng(4).laplace(size=(900, 6))
    learner = tessera.OnlineDictionary(window=300)
    for part in np.array_split(X, 3):
        learner.partial_fit(part)
    assert learner.components_.shape == (6, 6)
