"""The noise of a camera: cameranoise.py IN OUT [PHOTONS]

Photons are counted in linear light, PHOTONS of them (100 unless told) in a white
pixel, behind the red, green and blue filters of a Bayer mosaic; the electronics
add a little.  Missing colours are the mean of their neighbours, and the result
gets its gamma and 8 bits.  So the noise depends on brightness, and is shared by
neighbours and colours.  Needs NumPy and Pillow.
"""
import sys

import numpy as np
from PIL import Image

GAMMA = 2.2
READ = 0.008  # deviation of the electronics, where white is 1


def colours_of(height, width):
    """Which colour, 0 to 2, each pixel of the mosaic has."""
    y, x = np.mgrid[:height, :width]
    return y % 2 + x % 2


def near_sum(plane):
    """Sums over 3 x 3 pixels, the nearer the more."""
    padded = np.pad(plane, 1, mode="reflect")
    rows = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    return rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]


def demosaiced(mosaic, colours):
    """Each colour where it was seen, and else from where it was nearby."""
    planes = []
    for colour in range(3):
        seen = colours == colour
        mean = near_sum(mosaic * seen) / near_sum(seen * 1.0)
        planes.append(np.where(seen, mosaic, mean))
    return np.stack(planes, axis=2)


def main():
    source, target = sys.argv[1:3]
    photons = float(sys.argv[3]) if len(sys.argv) > 3 else 100.0
    random = np.random.default_rng(1)
    linear = (np.asarray(Image.open(source).convert("RGB")) / 255) ** GAMMA
    colours = colours_of(*linear.shape[:2])
    mosaic = np.take_along_axis(linear, colours[..., None], axis=2)[..., 0]
    mosaic = random.poisson(mosaic * photons) / photons
    mosaic = mosaic + random.normal(0, READ, mosaic.shape)
    picture = np.clip(demosaiced(mosaic, colours), 0, 1) ** (1 / GAMMA)
    Image.fromarray((255 * picture + 0.5).astype(np.uint8)).save(target)


main()
