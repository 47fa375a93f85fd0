"""Redraws a figure of the paper: how similar a restored picture is to the
original, while the dictionary is being learned (section 4.2).

    python3 similarity.py PICTURES FIGURE.svg [--steps N] [--patches N]

The last picture of the folder loses half of its pixels; dictionaries are
learned from the others.  Needs NumPy, and Matplotlib only for a finer figure:
without it the script draws its own.

Read it from top to bottom: each "# %%" is a cell, should you prefer a
notebook.
"""
# %% What it takes
import argparse
import pathlib
import time

import numpy as np
import tessera

SIDE = 10  # pixels of a patch
ATOMS = 30  # a tenth of the samples of a patch, as in the paper

parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
parser.add_argument("pictures", type=pathlib.Path)
parser.add_argument("figure", type=pathlib.Path)
parser.add_argument("--steps", type=int, default=64,
                    help="of each learner, at most (default 64)")
parser.add_argument("--patches", type=int, default=5000,
                    help="to learn from (default 5000)")
parser.add_argument("--plain", action="store_true",
                    help="do not use Matplotlib")
options = parser.parse_args()


# %% Patches side by side, and back
# A patch as a row of numbers: its first channel row after row, then the
# others.  Pixels at the right and at the bottom that fill no patch stay out.
def to_patches(picture):
    rows, columns = (size // SIDE for size in picture.shape[:2])
    cut = picture[:rows * SIDE, :columns * SIDE]
    cut = cut.reshape(rows, SIDE, columns, SIDE, 3)
    return cut.transpose(0, 2, 4, 1, 3).reshape(-1, 3 * SIDE * SIDE)


def from_patches(patches, shape):
    rows, columns = (size // SIDE for size in shape[:2])
    cut = patches.reshape(rows, columns, 3, SIDE, SIDE)
    return cut.transpose(0, 3, 1, 4, 2).reshape(rows * SIDE, columns * SIDE, 3)


# %% The data
names = sorted(path for path in options.pictures.iterdir()
               if path.suffix in (".png", ".jpg"))
if len(names) < 2:
    parser.error(f"{options.pictures} has {len(names)} pictures; two or more "
                 "are needed")
*others, last = [tessera.read(name) / 255 for name in names]
training = np.concatenate([to_patches(picture) for picture in others])
rng = np.random.default_rng(0)
training = training[rng.permutation(len(training))[:options.patches]]

last = from_patches(to_patches(last), last.shape)
damaged, mask = tessera.corrupt(last, missing=0.5, seed=1)
missing = to_patches(np.repeat(mask[..., None], 3, axis=-1))
print(f"{len(training)} patches of {len(others)} pictures; "
      f"{names[-1].name} has lost {mask.mean():.0%} of its pixels")


# %% The score of a dictionary
# Orthogonal matching pursuit on the known samples; those that are missing come
# from the code.  Nothing of the original is used but for the score.
def similarity(atoms):
    dictionary = tessera.Dictionary(atoms, SIDE, 3)
    signals = to_patches(damaged)
    codes = dictionary.encode(signals, missing, atoms=ATOMS)
    filled = np.where(missing, dictionary.decode(codes), signals)
    filled = from_patches(np.clip(filled, 0, 1), last.shape)
    return tessera.score(last, filled).ssim


# %% Learning
# Both start from the cosines.  They start anew for each point, so a point is
# what a user who stops there would get, and its time is that of learning.
def curve(make):
    steps = 1
    while steps <= options.steps:
        learner = make(steps)
        started = time.perf_counter()
        learner.fit(training)
        yield steps, time.perf_counter() - started, similarity(
            learner.components_)
        steps *= 2


cosines = tessera.Dictionary.dct(SIDE, 3).atoms
learners = {
    "online": lambda steps: tessera.OnlineDictionary(
        iterations=steps, dict_init=cosines, noise_floor=3, density=0.02,
        window=4000, stride=100),
    "K-SVD": lambda steps: tessera.KSVD(iterations=steps, dict_init=cosines),
}
baseline = similarity(cosines)
curves = {}
for name, make in learners.items():
    curves[name] = list(curve(make))
    for steps, seconds, ssim in curves[name]:
        print(f"{name:8} {steps:4} steps {seconds:8.2f} s   SSIM {ssim:.4f}")
print(f"{'cosines':8} not learned            SSIM {baseline:.4f}")


# %% The figure
def draw_with_matplotlib(pyplot):
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, points in curves.items():
        _, seconds, ssim = zip(*points)
        axes.semilogx(seconds, ssim, "o-", label=name)
    axes.axhline(baseline, color="gray", linestyle="--", label="cosines")
    axes.set(xlabel="seconds of learning", ylabel="SSIM to the original")
    axes.legend()
    figure.savefig(options.figure, bbox_inches="tight")


def draw_alone():
    """The same as SVG, with what Python has."""
    points = [point for points in curves.values() for point in points]
    times = np.log10([max(seconds, 1e-4) for _, seconds, _ in points])
    scores = [ssim for *_, ssim in points] + [baseline]
    low, high = min(scores), max(scores) + 1e-6

    def place(seconds, ssim):
        x = np.log10(max(seconds, 1e-4)) - times.min()
        return (70 + 440 * x / max(np.ptp(times), 1e-6),
                300 - 260 * (ssim - low) / (high - low))

    def text(x, y, words, anchor="middle"):
        return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
                f'{words}</text>')

    level = place(1, baseline)[1]
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="600" '
             'height="370" font-family="sans-serif" font-size="12">',
             '<rect width="600" height="370" fill="white"/>',
             '<path d="M70 30V310H520" fill="none" stroke="black"/>',
             f'<path d="M70 {level:.1f}H510" stroke="gray" '
             'stroke-dasharray="6 4"/>',
             text(80, level - 6, "cosines", "start"),
             text(290, 355, "seconds of learning (logarithmic)"),
             text(70, 20, "SSIM to the original", "start")]
    for value in np.linspace(low, high, 5):
        parts.append(text(62, place(1, value)[1] + 4, f"{value:.3f}", "end"))
    for exponent in range(int(np.floor(times.min())),
                          int(np.ceil(times.max())) + 1):
        x = place(10.0 ** exponent, low)[0]
        if 70 <= x <= 510:
            parts.append(text(x, 328, f"{10.0 ** exponent:g}"))
    for colour, (name, line) in zip(("#0b6", "#c40"), curves.items()):
        places = [place(seconds, ssim) for _, seconds, ssim in line]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" '
                     'stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" '
                  f'fill="{colour}"/>' for x, y in places]
        parts.append(text(places[-1][0] + 8, places[-1][1] + 4, name, "start"))
    options.figure.write_text("\n".join(parts) + "\n</svg>\n")


try:
    if options.plain:
        raise ImportError
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    draw_alone()
else:
    draw_with_matplotlib(pyplot)
print(f"-> {options.figure}")
