#!/usr/bin/env python3
"""Writes the pairs of pictures in this folder, and score.csv with their PSNR
and SSIM by scikit-image.  Run it in the root of the tree.  See README.md."""

import csv
import io
import struct
import zlib

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

FOLDER = "tests/vectors/"


def photo(name, x, y, width, height):
    """A piece of a bundled photograph, as numbers 0 .. 255."""
    picture = Image.open("data/photos/" + name).convert("RGB")
    return np.asarray(picture)[y : y + height, x : x + width].astype(float)


def quantise(a, peak):
    depth = np.uint8 if peak == 255 else np.uint16
    return np.clip(np.floor(a + 0.5), 0, peak).astype(depth)


def noise(a, sigma, seed):
    # RandomState is frozen: every version of numpy gives the same numbers.
    return a + np.random.RandomState(seed).normal(0, sigma, a.shape)


def jpeg(a, quality):
    data = io.BytesIO()
    Image.fromarray(quantise(a, 255)).save(data, "JPEG", quality=quality)
    return np.asarray(Image.open(data)).astype(float)


def drop_pixels(a, share, seed):
    lost = np.random.RandomState(seed).uniform(size=a.shape[:2]) < share
    return np.where(lost[:, :, None], 0, a)


def write_png(path, a):
    """Grey or colour, 8 or 16 bit (Pillow has no colour of 16 bit), filter Up."""
    colour_type = 0 if a.ndim == 2 else 2
    raw = a.astype(a.dtype.newbyteorder(">")).reshape(a.shape[0], -1)
    rows = raw.view(np.uint8).astype(int)
    up = np.diff(rows, axis=0, prepend=0) % 256
    lines = b"".join(b"\2" + row.astype(np.uint8).tobytes() for row in up)

    def chunk(name, data):
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", a.shape[1], a.shape[0], 8 * a.itemsize, colour_type, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        file.write(chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def pairs():
    """Name, reference, result and peak of each pair."""
    a = photo("snow4.png", 200, 60, 88, 60)
    yield "noise", a, noise(a, 25, seed=1), 255

    a = photo("city11.png", 60, 60, 88, 60)
    yield "missing", a, drop_pixels(a, 0.5, seed=2), 255

    a = photo("forest3.png", 130, 90, 88, 60)
    yield "jpeg", a, jpeg(a, quality=10), 255

    # Grey: the green channel.
    a = photo("mountain7.png", 150, 70, 96, 64)[:, :, 1]
    yield "blur-grey", a, gaussian_filter(a, 1.2, mode="nearest"), 255

    # 16 bit: smoothed, so that the low bytes carry something.
    a = gaussian_filter(photo("fields7.png", 190, 90, 56, 40), (0.7, 0.7, 0)) * 257
    yield "contrast-16", a, noise(0.8 * a + 4000, 900, seed=5), 65535


with open(FOLDER + "score.csv", "w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(["reference", "result", "psnr", "ssim"])
    for name, reference, result, peak in pairs():
        x, y = quantise(reference, peak), quantise(result, peak)
        files = [name + "-reference.png", name + "-result.png"]
        write_png(FOLDER + files[0], x)
        write_png(FOLDER + files[1], y)
        psnr = peak_signal_noise_ratio(x, y, data_range=peak)
        ssim = structural_similarity(
            x,
            y,
            gaussian_weights=True,
            sigma=1.5,
            use_sample_covariance=False,
            data_range=peak,
            channel_axis=None if x.ndim == 2 else 2,
        )
        table.writerow(files + ["%.12f" % psnr, "%.12f" % ssim])
